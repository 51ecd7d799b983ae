"use strict";
// The numbers of training runs: how they are written, and the lines that charts draw of them.

const byId = (id) => document.getElementById(id);

// What the reader chose. It survives a reload where the browser keeps storage for the page.
const choices = {
  axis: "step",      // or "epoch", "seconds"
  smoothing: 0,      // the weight of the exponential moving average
  log: false,
  trim: true,        // leave outliers above the axis
  data: "both",      // or "training", "validation"
  hidden: null,      // the runs that are not shown, by keyOf(); null: those after the first ten
  sort: "run",       // the column that the table of runs is sorted by
  descending: false,
  allOptions: false,
  filter: "",
  follow: true,      // reload the page of a run that goes on
  sampleRun: 0,
  sentence: 0,
  sampleStep: null,  // null: the latest
};
let page = null;     // the data of the page

const known = (value) => typeof value === "number" && Number.isFinite(value);
const columnOf = (part, name) => Array.isArray(part?.[name]) ? part[name] : [];
const lastKnown = (values) => values.findLast(known) ?? null;
const keyOf = (run, i) => `${i} ${run.name}`;
const isShown = (run, i) => choices.hidden === null ? i < 10 : !choices.hidden.includes(keyOf(run, i));

// The name of a run among others: without the directories that all have in common.
// Every chart asks for that of every run whenever it is drawn.
let shortNames = null;
function shortName(run) {
  shortNames ??= withoutCommonDirectories(page.runs.map(({name}) => name)).map(visible);
  return shortNames[page.runs.indexOf(run)];
}

function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [Math.floor(s / 86400), Math.floor(s / 3600), Math.floor(s / 60)];
  if (days > 0) return text("duration_days", {days: whole(days), hours: hours % 24});
  if (hours > 0) return text("duration_hours", {hours, minutes: minutes % 60});
  return minutes > 0 ? text("duration_minutes", {minutes, seconds: s % 60}) : text("duration_seconds", {seconds: s});
}

// 4 significant digits, of which none is dropped.
function significant(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e4 && Math.abs(value) < 1e15) return whole(Math.round(value));
  return (Math.abs(value) < 1e-4 ? value.toExponential(3) : value.toPrecision(4)).replace("e+", "e").replaceAll("-", "−");
}
const lossText = (value) => fixed(value, 4);
const scoreText = (value) => fixed(value, 2);

// The horizontal axes. Each has a `place` of a point in words.
function horizontalAxis() {
  const {axis} = choices;
  const integers = (low, high, count) => linearTicks(low, high, count).filter(Number.isInteger);
  const step = (value) => text("place_step", {step: whole(Math.round(value))});
  const short = {
    shortPlace: (key) => text("at_step", {step: whole(key)}),
    shortPlaces: (first, last) => text("at_steps", {first: whole(first), last: whole(last)}),
  };
  if (axis === "step") return {name: text("step"), ticks: integers, labels: (ticks) => ticks.map(whole), place: (x, chart) => chart ? fullPlace(x) : step(x), ...short};
  if (axis === "epoch") {
    return {name: text("epoch"), ticks: linearTicks, labels: tickLabels, ...short,
            place: (x, chart) => chart ? fullPlace(x) : text("place_epoch", {epoch: fixed(x, 2)})};
  }
  const most = allRows().reduce((high, part) => columnOf(part, "seconds").reduce((best, one) => Math.max(best, one ?? 0), high), 0);
  const [unit, size] = most < 180 ? ["seconds", 1] : most < 3 * 3600 ? ["minutes", 60] : most < 3 * 86400 ? ["hours", 3600] : ["days", 86400];
  return {
    name: text(unit), ...short,
    ticks: (low, high, count) => linearTicks(low / size, high / size, count).map((tick) => tick * size),
    labels: (ticks) => tickLabels(ticks.map((tick) => tick / size)),
    place: (x, chart) => chart ? fullPlace(x) : duration(x),
  };
}

const allRows = () => page.runs.flatMap(({train, validation}) => [train, validation]);
const shownRuns = () => page.runs.flatMap((run, index) => isShown(run, index) ? [{run, index}] : []);

// A place by step, epoch and time, where one run has all three; else by the axis alone.
function fullPlace(x) {
  const runs = shownRuns();
  const part = runs.length === 1 && [runs[0].run.train, runs[0].run.validation].map((one) => ({part: one, xs: columnOf(one, choices.axis)}))
      .filter(({xs}) => xs.length > 0 && xs.every(known))
      .map(({part: one, xs}) => ({one, i: nearest(xs, x), away: Math.abs(xs[nearest(xs, x)] - x)}))
      .sort((a, b) => a.away - b.away)[0];
  if (!part) return group.axis.place(x);
  const at = (name) => columnOf(part.one, name)[part.i];
  const said = [text("place_step", {step: whole(at("step"))})];
  if (known(at("epoch"))) said.push(text("place_epoch", {epoch: fixed(at("epoch"), 2)}));
  if (known(at("seconds"))) said.push(duration(at("seconds")));
  return said.join(" · ");
}

// The points of a column over the chosen axis, in rising order; null if there are none. `sparse`
// columns leave out what was not measured, others keep it as a gap.
function pointsOf(part, name, {sparse, convert = (value) => value}) {
  const ys = columnOf(part, name);
  const xs = columnOf(part, choices.axis);
  const steps = columnOf(part, "step");
  if (!ys.some(known)) return null;
  const points = [];
  ys.forEach((y, i) => {
    const value = known(y) ? convert(y) : NaN;
    if (known(xs[i]) && (!sparse || Number.isFinite(value))) points.push({x: xs[i], y: value, key: steps[i] ?? i, i});
  });
  if (points.length === 0) return null;
  points.sort((a, b) => a.x - b.x);
  const best = columnOf(part, "best").lastIndexOf(true);
  const bestAt = points.findIndex(({i}) => i === best);
  return {x: points.map(({x}) => x), y: points.map(({y}) => y), keys: points.map(({key}) => key), best: sparse && bestAt >= 0 ? bestAt : null};
}

const less = (a, b) => a < b;
const more = (a, b) => a > b;

// What charts there are: `train` and `validation` are columns, `better` compares values of the
// latter; `smooth` says that training is smoothed, `gaps` that reports without a value are marked;
// `limit` is the largest possible value.
const chartKinds = [
  {id: "loss", train: "loss", validation: "loss", better: less, average: "loss", smooth: true, log: true, gaps: true, format: lossText},
  {id: "nll", train: "nll", validation: "perplexity", better: less, average: "perplexity", convert: Math.log, smooth: true, log: true, gaps: true, format: lossText,
   right: {of: Math.exp, inverse: Math.log}},
  {id: "bleu", validation: "bleu", better: more, average: "bleu", limit: 100, format: scoreText},
  {id: "chrf", validation: "chrf", better: more, average: "chrf", limit: 100, format: scoreText},
  {id: "brackets", validation: "brackets", better: more, average: "brackets", limit: 100, format: scoreText},
  {id: "accuracy", validation: "accuracy", better: more, average: "accuracy", limit: 100, format: scoreText},
  {id: "learning_rate", train: "learning_rate", log: true, zero: true, format: significant},
  {id: "gradient_norm", train: "gradient_norm", smooth: true, log: true, gaps: true, zero: true, format: significant},
  {id: "tokens_per_second", train: "tokens_per_second", smooth: true, zero: true, format: (value) => whole(Math.round(value))},
  {id: "memory", train: "memory", zero: true, format: (value) => value >= 100 ? whole(Math.round(value)) : significant(value)},
];

// The loss with label smoothing is a number of the training alone: it is not drawn where the NLL is
// known.
const hasNll = () => page.runs.every(({train}) => columnOf(train, "nll").some(known));

// Without label smoothing the loss is the NLL.
function lossIsNll() {
  return page.runs.every(({train}) => {
    const [loss, nll] = [columnOf(train, "loss"), columnOf(train, "nll")];
    return nll.some(known) && loss.every((value, i) => value === nll[i] || Math.abs(value - nll[i]) < 1e-9);
  });
}

// The lines of a run in a chart, [training, validation]; null for what was not measured.
function linesOf(kind, {run, index}, memoryUnit) {
  const several = page.runs.length > 1;
  const wanted = (name) => choices.data === "both" || choices.data === name || !(kind.train && kind.validation);
  const name = several ? shortName(run) : null;
  let training = null;
  if (kind.train && wanted("training")) {
    const convert = kind.id === "memory" ? (value) => value / memoryUnit.size : undefined;
    training = pointsOf(run.train, kind.train, {sparse: false, convert});
    const style = several ? lineStyle(index) : lineStyle(0);
    if (training) {
      training = {...training, best: null, name: several && kind.validation ? text("training_of", {name}) : name ?? text("training"), style, row: index,
                  light: several && Boolean(kind.validation) && choices.data === "both", marksGaps: kind.gaps};
      if (kind.smooth && choices.smoothing > 0 && training.y.length > 1) training.smooth = smoothedValues(training.y, choices.smoothing);
    }
  }
  let validation = null;
  if (kind.validation && wanted("validation")) {
    validation = pointsOf(run.validation, kind.validation, {sparse: true, convert: kind.convert});
    const style = several ? lineStyle(index) : {...lineStyle(1), dash: [], shape: "circle"};
    if (validation) {
      validation = {...validation, name: several && kind.train ? text("validation_of", {name}) : name ?? text("validation"), style, row: index, sparse: true,
                    extra: averageOf(kind, run), bestLabel: bestLabel(kind, validation, run)};
    }
  }
  return [training, validation];
}

// The best validation is so by the metric of the run: its value in this chart need not be the best.
function bestLabel(kind, {y, best}, {options}) {
  if (best === null) return null;
  const metric = text("metric_" + (options.validation_metric ?? "loss"));
  return y.some((value) => kind.better(value, y[best])) ? text("best_validation", {metric}) : `${text("best")} ${kind.format(y[best])}`;
}

// The average of checkpoints as a point of its own: at its step, or where that step is.
function averageOf(kind, run) {
  const value = run.average?.[kind.average];
  if (!known(value)) return [];
  const steps = columnOf(run.validation, "step");
  const row = steps.lastIndexOf(run.average.step);
  const x = choices.axis === "step" ? run.average.step : columnOf(run.validation, choices.axis)[row < 0 ? steps.length - 1 : row];
  return known(x) ? [{x, y: (kind.convert ?? Number)(value)}] : [];
}
