"use strict";
// The two charts: how sentence scores are distributed, and corpus scores by length. A bar is a
// button that lists its sentences, as a count of evaluation_labels.js is.

const metricNow = () => page.metrics[shown.metric];

// What a bin holds, in words.
function rangeText({low, high}, digits = 0) {
  if (low === null) return text("below", {value: fixed(high, digits)});
  if (high === null) return text("above", {value: fixed(low, digits)});
  if (low === high) return text("equal");
  return text("range", {low: fixed(low, digits), high: fixed(high, digits)});
}

// Horizontal lines at ticks of an axis from 0, with their labels.
function gridLines(most, count) {
  const ticks = linearTicks(0, most, count);
  return element("div", {class: "grid-lines", "aria-hidden": "true"}, ...ticks.map((tick) =>
      element("span", {style: `bottom: ${100 * tick / most}%`}, shortNumber(tick))));
}

// The end of an axis from 0 for values up to `most`.
const axisEnd = (most) => ticksFromZero(Math.max(most, 1e-9), 3).at(-1);

// The end of an axis for counts: one bin that has far more than all others does not flatten them, but
// is cut off, with its count above it.
function countsEnd(counts) {
  const ofBins = counts[0].map((_, bin) => Math.max(...counts.map((ofSystem) => ofSystem[bin])));
  const [most, second = 0] = ofBins.sort((a, b) => b - a);
  return axisEnd(second > 0 && most > 4 * second ? 2 * second : most);
}

// A bar of a plot: `say` is its label and what the readout shows of it.
function barButton(className, say, readout, pressed, choose, ...children) {
  const button = element("button", {type: "button", class: className, "aria-label": say, "aria-pressed": String(pressed), tabindex: -1}, ...children);
  const show = () => { byId(readout).textContent = say; };
  button.addEventListener("pointerenter", show);
  button.addEventListener("focus", show);
  button.addEventListener("click", choose);
  return button;
}

const arrowSteps = (key) => ({
  ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, ArrowUp: (i) => i + 1, ArrowDown: (i) => i - 1,
  Home: () => 0, End: (i, count) => count - 1,
})[key];

// Makes the buttons of a plot one stop of Tab, between which arrow keys move.
function asOneStop(plot, steps = arrowSteps) {
  const bars = [...plot.querySelectorAll("button")];
  (bars.find((bar) => bar.getAttribute("aria-pressed") === "true") ?? bars[0]).tabIndex = 0;
  roving(plot, () => bars, steps);
}

// One histogram: bars for bins. `who`: a system, or "difference".
function histogramOf(who, bins, counts, most) {
  const chosen = shown.filters.score;
  const nameNow = () => who === "difference" ? pairText() : text("metric_of", {metric: metricNow().name, system: systemLabel(who)});
  const name = nameNow();
  const bars = bins.map((bin, i) => {
    const rangeNow = () => rangeText(bin, bin.low % 1 || bin.high % 1 ? 1 : 0);
    const range = rangeNow();
    const share = fixed(100 * counts[i] / page.sentences, 1);
    const say = text("bar", {name, range, count: whole(counts[i]), all: whole(page.sentences), share});
    const pressed = chosen?.who === who && chosen.bin === i;
    const ink = who === "difference" ? (bin.high === bin.low ? "none" : bin.low !== null && bin.low >= 0 ? shown.pair.compared : shown.pair.base) : who;
    return barButton("bar", say, "histogram-readout", pressed,
        () => chooseFilter("score", pressed ? null : {who, bin: i, label: () => text("chip", {name: nameNow(), range: rangeNow()}), holds: bin.holds}),
        element("i", {class: (ink === "none" ? "fill" : `fill ink-${ink % 6}`) + (counts[i] > 0 ? " some" : "") + (counts[i] > most ? " cut" : ""),
          style: `height: ${Math.min(100, 100 * counts[i] / most)}%`}),
        ...(counts[i] > most ? [element("span", {class: "cut-count", "aria-hidden": "true"}, whole(counts[i]))] : []));
  });
  const plot = element("div", {class: "plot", role: "group", "aria-label": name}, gridLines(most, 2), element("div", {class: "bars"}, ...bars));
  asOneStop(plot);
  return plot;
}

// Labels below a plot, at shares of its width.
const axisOf = (labels) => element("div", {class: "axis", "aria-hidden": "true"}, ...labels.map(([place, label]) =>
    element("span", {style: `inset-inline-start: ${100 * place}%`}, label)));

function drawScoreHistograms(place) {
  const metric = metricNow();
  const bins = scoreBins(metric.lower_is_better);
  const counts = page.systems.map((_, system) => counted(bins, numbers.scores[shown.metric][system]));
  const most = countsEnd(counts);
  const plots = counts.map((count, system) => [element("p", {class: "plot-name"}, systemName(system)), histogramOf(system, bins, count, most)]);
  if (plots.length === 1) {
    plots[0].shift();
    plots[0][0].classList.add("tall");
  }
  const end = bins.length * 5;
  place.replaceChildren(...plots.flat(),
      axisOf([...[0, 20, 40, 60, 80].map((value) => [value / end, String(value)]), metric.lower_is_better ? [102.5 / end, "≥ 100"] : [1, "100"]]),
      element("p", {class: "axis-name"}, text("histogram_axis", {metric: metric.name})));
  const medians = page.systems.map((_, system) => lettered(system, fixed(median(numbers.scores[shown.metric][system]), 2)));
  return text(metric.lower_is_better ? "medians_lower" : "medians", {list: medians.join(text("list_separator"))});
}

function drawDifferenceHistogram(place) {
  const values = numbers.lengths[0].map((_, i) => differenceOf(shown.metric, shown.pair, i));
  const {bins, width} = differenceBins(values);
  const counts = counted(bins, values);
  const most = countsEnd([counts]);
  const all = bins.length;
  const digits = width < 1 ? 1 : 0;
  const inner = (sideBins - 1) * width;
  const middle = sideBins / 2;
  const labels = [[0, "< " + fixed(-inner, digits)], [middle / all, fixed(-middle * width, digits)], [0.5, "0"],
    [(all - middle) / all, "+" + fixed(middle * width, digits)], [1, "> +" + fixed(inner, digits)]];
  const {compared, base} = shown.pair;
  const higher = (system, name) => element("span", {class: "higher"}, badgeOf(system), " " + text(name, {system: letterOf(system)}));
  const plot = histogramOf("difference", bins, counts, most);
  plot.classList.add("tall");
  place.replaceChildren(element("p", {class: "plot-name sides"}, higher(base, "scores_higher"), higher(compared, "scores_higher")), plot, axisOf(labels),
      element("p", {class: "axis-name"}, text("difference_axis", {pair: pairText()})));
  const count = (holds) => whole(values.filter(holds).length);
  return text("outcomes", {compared: letterOf(compared), base: letterOf(base),
    higher: count((value) => value > 0), equal: count((value) => value === 0), lower: count((value) => value < 0)});
}

// "BLEU of B less that of A".
const pairText = () => text("pair_difference", {metric: metricNow().name, compared: letterOf(shown.pair.compared), base: letterOf(shown.pair.base)});

// What the readout says while no bar is pointed at.
const restingReadouts = {};

function drawHistogram() {
  const several = page.systems.length > 1;
  if (several)
    segmented(byId("histogram-of"), text("show"), [["scores", text("each_system")], ["difference", text("difference")]], shown.histogram, (of) => {
      shown.histogram = of;
      drawHistogram();
    });
  const place = byId("histogram");
  const summary = several && shown.histogram === "difference" ? drawDifferenceHistogram(place) : drawScoreHistograms(place);
  byId("histogram-readout").textContent = restingReadouts.histogram = summary;
}

// The name of a bucket: its lengths.
function bucketRange({first, last}) {
  if (last === null) return text("from", {value: whole(first)});
  return first === last ? whole(first) : text("range", {low: whole(first), high: whole(last)});
}

// The same in few characters, for labels below the chart.
const shortRange = ({first, last}) => last === null ? shortNumber(first) + "+" : first === last ? shortNumber(first) : shortNumber(first) + "–" + shortNumber(last);

function bucketButton(side, bucket, number, most) {
  const metric = metricNow();
  const range = text("length_" + side.unit, {range: bucketRange(bucket)});
  const scores = bucket.scores[shown.metric] ?? [];
  const list = scores.map((score, system) => lettered(system, fixed(score, 2))).join(text("list_separator"));
  const count = text(bucket.sentences === 1 ? "one_sentence" : "count_sentences", {count: whole(bucket.sentences)});
  const say = bucket.sentences === 0 ? text("bucket_empty", {range}) : text("bucket", {range, count, metric: metric.name, list});
  const chosen = shown.filters.length;
  const pressed = chosen?.bin === number && chosen.side === shown.side;
  const label = () => text("chip", {name: text("length_in_" + side.side), range: text("length_" + side.unit, {range: bucketRange(bucket)})});
  const holds = (length) => length >= bucket.first && (bucket.last === null || length <= bucket.last);
  const bars = scores.map((score, system) => element("i", {class: `fill ink-${system % 6}`, style: `height: ${100 * Math.min(1, score / most)}%`}));
  return barButton("bucket", say, "buckets-readout", pressed,
      () => chooseFilter("length", pressed ? null : {side: shown.side, bin: number, label, holds}), ...bars);
}

function drawBuckets() {
  const names = page.lengths.map((side, i) => [i, text("by_" + side.side)]);
  if (names.length > 1)
    segmented(byId("length-of"), text("length_of"), names, shown.side, (side) => {
      shown.side = side;
      drawBuckets();
    });
  const side = page.lengths[shown.side];
  const scores = side.buckets.flatMap((bucket) => bucket.scores[shown.metric] ?? []);
  const most = axisEnd(Math.max(...scores, 1));
  // Without the empty ones at both ends.
  const filled = side.buckets.map(({sentences}) => sentences > 0);
  const drawn = side.buckets.map((bucket, i) => ({bucket, i})).slice(Math.max(0, filled.indexOf(true)), filled.lastIndexOf(true) + 1);
  const buttons = drawn.map(({bucket, i}) => bucketButton(side, bucket, i, most));
  const plot = element("div", {class: "plot tall", role: "group", "aria-label": text("buckets")},
      gridLines(most, 4), element("div", {class: "bars"}, ...buttons));
  asOneStop(plot);
  const labels = element("div", {class: "bucket-labels", "aria-hidden": "true"}, ...drawn.map(({bucket}) =>
      element("span", {}, shortRange(bucket), element("small", {}, element("b", {}, "n = "), shortNumber(bucket.sentences)))));
  byId("buckets").replaceChildren(
      ...(page.systems.length > 1 ? [element("ul", {class: "plot-name key"}, ...page.systems.map((_, system) => element("li", {}, systemName(system))))] : []),
      plot, labels, element("p", {class: "axis-name"}, text("buckets_axis_" + side.unit, {metric: metricNow().name, side: text("of_" + side.side)})),
      bucketTable(side));
  byId("buckets-readout").textContent = restingReadouts.buckets = text("buckets_lead_" + side.unit, {metric: metricNow().name, side: text("of_" + side.side)});
}

// The same numbers as a table.
function bucketTable(side) {
  const head = element("tr", {}, element("th", {scope: "col"}, text("length_title_" + side.unit)), element("th", {scope: "col", class: "number"}, text("sentences")),
      ...page.systems.map((_, system) => element("th", {scope: "col", class: "number"}, severalSystems() ? letterOf(system) : metricNow().name)));
  const rows = side.buckets.map((bucket) => element("tr", {}, element("th", {scope: "row", class: "number"}, bucketRange(bucket)),
      element("td", {class: "number"}, whole(bucket.sentences)),
      ...page.systems.map((_, system) => {
        const score = bucket.scores[shown.metric]?.[system];
        return element("td", {class: "number"}, score === undefined ? "–" : fixed(score, 2));
      })));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  const details = element("details", {}, element("summary", {}, text("as_table")),
      element("div", {class: "table", role: "group", tabindex: 0, "aria-label": text("as_table")}, table));
  details.open = shown.table;
  details.addEventListener("toggle", () => { shown.table = details.open; });
  return details;
}

function drawCharts() {
  for (const [chart, draw] of [["histogram", drawHistogram], ["buckets", drawBuckets], ["confusion", drawLabels], ["confidence", drawConfidence]]) {
    // A bar that is redrawn keeps the keyboard.
    const place = byId(chart);
    const bars = [...place.querySelectorAll("button")];
    const at = bars.indexOf(document.activeElement);
    draw();
    if (at >= 0) place.querySelectorAll("button")[at]?.focus();
  }
}

function startCharts() {
  for (const chart of ["histogram", "buckets", "confusion", "confidence"]) {
    const rest = () => { byId(chart + "-readout").textContent = restingReadouts[chart]; };
    byId(chart).addEventListener("pointerleave", rest);
    byId(chart).addEventListener("focusout", rest);
  }
}
