"use strict";
// The curves of training runs: what each chart shows, and the controls of all of them.

const group = chartGroup();
const charts = new Map();  // by the id of their kind

// Memory in GiB once a run has 2 GiB, else in MiB.
function memoryUnit() {
  const most = page.runs.reduce((high, {train}) => columnOf(train, "memory").reduce((best, one) => Math.max(best, one ?? 0), high), 0);
  return most >= 2 * 2 ** 30 ? {name: "GiB", size: 2 ** 30} : {name: "MiB", size: 2 ** 20};
}

function titleOf(kind) {
  return text(kind.id === "nll" ? "loss_nll" : kind.id);
}

function unitOf(kind, unit) {
  if (kind.id === "memory") return text("memory_unit", {unit: unit.name});
  if (kind.id === "loss") return text("loss_unit_smoothed");
  if (kind.id === "nll") return text(lossIsNll() ? "nll_unit" : "nll_unit_unsmoothed");
  if (kind.id === "learning_rate") return "";
  const lines = page.runs.length === 1 ? page.runs[0].scored_lines : null;
  if (lines && kind.id === "bleu" && page.runs[0].bleu_tokenize) return text("bleu_unit_lines", {lines: whole(lines), tokenize: visible(page.runs[0].bleu_tokenize)});
  if (lines && kind.id === "chrf") return text("chrf_unit_lines", {lines: whole(lines)});
  const tokenizers = new Set(page.runs.map((run) => run.bleu_tokenize).filter(Boolean));
  if (kind.id === "bleu" && tokenizers.size > 0) return text("bleu_unit_tokenize", {tokenize: visible([...tokenizers].join(text("list_separator")))});
  return text(kind.id + "_unit");
}

// The names of the columns of values, training and validation, and of what follows each value.
function columnNames(kind, columns) {
  return columns.map((column) => {
    const name = text(column === 0 ? "training" : "validation");
    if (choices.smoothing > 0) return column === 0 && kind.smooth ? text("column_smoothed", {name}) : columns.length > 1 ? name : "";
    return kind.right ? text("column_perplexity", {name}) : columns.length > 1 ? name : "";
  });
}

// What a chart shows now, or null if there is nothing to draw.
function specOf(kind) {
  if (kind.id === "loss" && hasNll()) return null;
  const unit = memoryUnit();
  const several = page.runs.length > 1;
  const found = shownRuns().map((one) => ({...one, lines: linesOf(kind, one, unit)})).filter(({lines}) => lines.some(Boolean));
  if (found.length === 0) return null;
  // Scores of one validation are in the head of the page.
  if (!kind.train && found.every(({lines: [, line]}) => line.x.length + line.extra.length < 2)) return null;
  const kept = [0, 1].filter((column) => found.some(({lines}) => lines[column]));
  const rows = several ?
      found.map(({run, index, lines}) => ({
        name: shortName(run), number: String(index + 1), style: lineStyle(index), index,
        marked: lines[1] !== null, lines: kept.map((column) => lines[column]),
      })) :
      found[0].lines.flatMap((line, column) => line === null ? [] : [{
        name: text(column === 0 ? "training" : "validation"), number: null, style: line.style, index: 0, marked: column === 1, lines: [line],
      }]);
  return {
    rows, title: titleOf(kind), unit: unitOf(kind, unit),
    columns: several ? columnNames(kind, kept) : [""],
    log: choices.log && kind.log, zero: kind.zero, limit: kind.limit, trim: choices.trim && kind.gaps, format: kind.format, right: kind.right, latest: text("latest"),
    second: kind.right && !(several && choices.smoothing > 0) &&
        ((value) => several ? significant(Math.exp(value)) : text("perplexity_of", {value: significant(Math.exp(value))})),
    terse: several, notes: several ? [] : averageNotes(kind, found[0].run),
  };
}

function averageNotes(kind, run) {
  const value = run.average?.[kind.average];
  if (!known(value) || (kind.train && choices.data === "training")) return [];
  const said = kind.average === "perplexity" ? text("perplexity_of", {value: significant(value)}) : kind.format(value);
  return [text("average_note", {checkpoints: whole(run.average.checkpoints), value: said})];
}

// The part of the axis that all charts show: from the first to the last place of the shown runs.
function domainOf() {
  let [low, high] = [Infinity, -Infinity];
  for (const {run} of shownRuns())
    for (const part of [run.train, run.validation])
      for (const x of columnOf(part, choices.axis))
        if (known(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  if (high < low) return {low: 0, high: 1};
  // A line that starts near zero starts there: the axis is that of the whole run.
  if (low > 0 && low < high * 0.1) low = 0;
  return low === high ? {low: Math.min(0, low), high: high > 0 ? high * 1.25 : low + 1} : {low, high};
}

function drawCurves() {
  group.axis = horizontalAxis();
  group.domain = domainOf();
  group.colors = null;
  const specs = chartKinds.map((kind) => [kind, specOf(kind)]);
  const some = page.runs.some(({train, validation}) => columnOf(train, "step").length + columnOf(validation, "step").length > 0);
  byId("curves-none").hidden = some;
  byId("curve-controls").hidden = byId("curves-help").hidden = !some;
  byId("lines-help").hidden = !some || page.runs.length < 2 || choices.data !== "both";
  byId("curves-hidden").hidden = !some || shownRuns().length > 0;
  for (const [kind, spec] of specs) {
    if (spec && !charts.has(kind.id)) charts.set(kind.id, new LineChart(group, "chart-" + kind.id));
    const chart = charts.get(kind.id);
    if (!chart) continue;
    if (!spec) chart.figure.remove();
    chart.wanted = spec !== null;
  }
  const wanted = chartKinds.map(({id}) => charts.get(id)).filter((chart) => chart?.wanted);
  wanted.forEach((chart, i) => {
    const place = byId("charts").children[i];
    if (place !== chart.figure) byId("charts").insertBefore(chart.figure, place ?? null);
  });
  for (const [kind, spec] of specs) if (spec) charts.get(kind.id).show(spec);
  byId("zoom-out").hidden = group.zoom === null;
}

function drawCurveControls() {
  segmented(byId("axis"), text("axis"), ["step", "epoch", "seconds"].map((axis) => [axis, text("axis_" + axis)]), choices.axis, (axis) => {
    choices.axis = axis;
    group.at = null;
    group.zoom = null;
    changed();
  });
  const both = page.runs.some(({train}) => columnOf(train, "loss").some(known)) && page.runs.some(({validation}) => columnOf(validation, "loss").some(known));
  const data = byId("data-shown");
  data.hidden = !both;
  segmented(data, text("data_shown"), [["both", text("view_both")], ["training", text("training")], ["validation", text("validation")]], choices.data, (value) => {
    choices.data = value;
    changed();
  });
  byId("smoothing").value = choices.smoothing;
  byId("smoothing-value").textContent = choices.smoothing > 0 ? fixed(choices.smoothing, 2) : text("smoothing_off");
  byId("log").checked = choices.log;
  byId("trim").checked = choices.trim && !choices.log;
  byId("trim").disabled = choices.log;
  drawChips();
}

// The runs as switches; pointing at one makes its lines stand out.
function drawChips() {
  const chips = byId("chips");
  chips.hidden = page.runs.length < 2;
  if (chips.hidden) return;
  const focused = document.activeElement?.closest?.("#chips input")?.dataset.run;
  chips.replaceChildren(element("legend", {class: "hidden"}, text("runs")), ...page.runs.map((run, i) => {
    const style = lineStyle(i);
    const input = element("input", {type: "checkbox", "data-run": i});
    input.checked = isShown(run, i);
    const chip = element("label", {class: "chip", style: `--ink: var(--ink-${style.ink})`, title: visible(run.name)}, input, swatch(style, true),
        element("span", {class: "run-number"}, String(i + 1)), element("bdi", {class: "name"}, shortName(run)));
    chip.addEventListener("pointerenter", () => emphasize(i));
    chip.addEventListener("pointerleave", () => emphasize(null));
    input.addEventListener("change", () => showRun(i, input.checked));
    return chip;
  }));
  if (focused !== undefined) chips.querySelector(`[data-run="${focused}"]`)?.focus();
}

function showRun(index, shown) {
  const hidden = new Set(page.runs.flatMap((run, i) => isShown(run, i) ? [] : [keyOf(run, i)]));
  if (shown) hidden.delete(keyOf(page.runs[index], index));
  else hidden.add(keyOf(page.runs[index], index));
  choices.hidden = [...hidden];
  changed();
}

function emphasize(index) {
  if (group.emphasis === index || (index !== null && !isShown(page.runs[index], index))) return;
  group.emphasis = index;
  redraw(group);
}

// After a choice: its controls and the charts show it, and a reload finds it.
function changed() {
  drawCurveControls();
  drawCurves();
  keepChoices();
}

function startCurves() {
  byId("smoothing").addEventListener("input", (event) => {
    choices.smoothing = Number(event.target.value);
    byId("smoothing-value").textContent = choices.smoothing > 0 ? fixed(choices.smoothing, 2) : text("smoothing_off");
    drawCurves();
    keepChoices();
  });
  for (const name of ["log", "trim"]) {
    byId(name).addEventListener("change", (event) => {
      choices[name] = event.target.checked;
      changed();
    });
  }
  byId("zoom-out").addEventListener("click", () => {
    zoomGroup(group, null);
    byId("axis").querySelector(":checked")?.focus();
  });
  group.keyName = () => text("step_name");
  group.zoomed = () => {
    byId("zoom-out").hidden = group.zoom === null;
    keepChoices();
  };
  // A chart is as wide as its column, and columns change with the window.
  new ResizeObserver(() => requestAnimationFrame(() => {
    for (const chart of group.charts) if (chart.figure.isConnected) chart.measure();
  })).observe(byId("charts"));
}
