"use strict";
// The charts of the page of data. After bars.js, data_findings.js.

const coverageGroup = chartGroup();
const charts = new Map();
const sides = ["source", "target"];

function chartOf(id, make) {
  if (!charts.has(id)) {
    charts.set(id, make());
    byId("charts").append(charts.get(id).figure);
  }
  return charts.get(id);
}
const bars = (id) => chartOf(id, () => new BarChart("chart-" + id));

function drawLengths(unit) {
  const shown = sides.filter((side) => page[side][unit] && (unit !== "words" || page[side].spaced));
  if (shown.length === 0) return;
  const {width, counts} = page[shown[0]][unit].histogram;
  const place = (i) => {
    const [from, to] = [whole(i * width), whole((i + 1) * width - 1)];
    if (i === counts.length - 1) return text("length_over", {from, unit: text(unit)});
    return text(width === 1 ? "length_one" : "length_of", {from, to, unit: text(unit)});
  };
  const without = sides.find((side) => page[side][unit] && !shown.includes(side));
  bars(unit).show({
    title: text("lengths_of", {unit: text(unit)}), unit: without ? text("sentences_without", {side: text(without)}) : text("sentences"), axis: text("per_sentence", {unit: text(unit)}), place, format: whole, latest: "",
    ticks: lengthTicks(counts.length - 1, width), overlaid: true,
    series: shown.map((side) => ({name: text(side), ink: sides.indexOf(side), values: page[side][unit].histogram.counts})),
  });
}

// Round lengths, and the one from which the last bar counts all. A bar of one length has it in its middle.
function lengthTicks(last, width) {
  const at = (length) => length / width + (width === 1 ? 0.5 : 0);
  const round = linearTicks(0, (last - 1) * width, 8).filter(Number.isInteger);
  return [...round.map((length) => ({at: at(length), label: whole(length)})), {at: at(last * width), label: whole(last * width) + "+"}];
}

function drawRatios() {
  const last = page.ratios.length - 1;
  const middle = last / 2;
  const ratio = (power) => power < 0 ? "1/" + 2 ** -power : String(2 ** power);
  const beyond = (i) => i === 0 ? "≤ " : i === last ? "≥ " : "";
  const kindOf = (i) => i === 0 ? "ratio_under" : i === last ? "ratio_over" : "ratio_place";
  bars("ratios").show({
    title: text("ratios"), unit: text("pairs"), axis: text("ratio_axis"), format: whole, latest: "",
    place: (i) => text(kindOf(i), {ratio: shortNumber(Number((2 ** ((i - middle) / 5)).toPrecision(3)))}),
    ticks: page.ratios.flatMap((_, i) => (i - middle) % 5 === 0 ? [{at: i + 0.5, label: beyond(i) + ratio((i - middle) / 5)}] : []),
    series: [{name: text("pairs"), ink: 0, values: page.ratios}],
  });
}

function drawScripts() {
  const all = sides.map((side) => Math.max(1, Object.values(page[side].letters).reduce((sum, value) => sum + value, 0)));
  const share = (name, k) => 100 * (page[sides[k]].letters[name] ?? 0) / all[k];
  const names = [...new Set(sides.flatMap((side) => Object.keys(page[side].letters)))].filter((name) => Math.max(share(name, 0), share(name, 1)) >= 0.1);
  // Where each side has one script, the table of facts says which.
  if (names.every((name) => [0, 1].every((k) => share(name, k) < 1 || share(name, k) > 99))) return;
  const labels = names.map((name) => text("script_" + name));
  bars("scripts").show({
    title: text("scripts"), unit: text("script_share"), axis: "", ticks: labels.map((label, i) => ({at: i + 0.5, label})), place: (i) => labels[i], format: (value) => fixed(value, 1) + "%", latest: "",
    series: sides.map((side, k) => ({name: text(side), ink: k, values: names.map((name) => share(name, k))})),
  });
}

function drawCoverage() {
  const shown = sides.filter((side) => page[side].spaced && page[side].vocabulary.coverage.length > 1);
  if (shown.length === 0) return;
  const points = shown.flatMap((side) => page[side].vocabulary.coverage.map(({types}) => Math.log10(types)));
  coverageGroup.domain = {low: Math.min(...points), high: Math.max(...points)};
  const place = (x) => whole(Math.round(10 ** x));
  coverageGroup.axis = {
    name: text("different_words"), place: (x) => text("most_frequent", {count: place(x)}), shortPlace: (count) => text("words_count", {count: whole(count)}),
    shortPlaces: (first, last) => text("words_count", {count: `${whole(first)}–${whole(last)}`}),
    ticks: (from, to, count) => linearTicks(from, to, count).filter(Number.isInteger), labels: (ticks) => ticks.map(place),
  };
  coverageGroup.keyName = () => text("different_words");
  chartOf("coverage", () => new LineChart(coverageGroup, "chart-coverage")).show({
    title: text("coverage"), unit: "%", columns: [""], log: false, zero: true, format: (value) => fixed(value, 1) + "%", latest: "",
    rows: shown.map((side, index) => {
      const {coverage} = page[side].vocabulary;
      const style = lineStyle(sides.indexOf(side));
      return {name: text(side), number: null, style, index, marked: true, lines: [{
        name: text(side), style, row: index, sparse: true, best: null, keys: coverage.map(({types}) => types),
        x: coverage.map(({types}) => Math.log10(types)), y: coverage.map(({share}) => 100 * share),
      }]};
    }),
  });
}

function drawCharts() {
  for (const unit of ["words", "tokens", "characters"]) drawLengths(unit);
  drawRatios();
  drawCoverage();
  drawScripts();
}
