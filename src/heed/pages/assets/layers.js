"use strict";
// The page of layers: their times by length, and all measurements. After charts.js, layers_strings.js.

const byId = (id) => document.getElementById(id);
const group = chartGroup();
const charts = {};
const kinds = ["forward", "forward_backward"];
const digits = (value) => value < 999.5 ? value.toPrecision(3) : whole(Math.round(value));
let page = null;

// Values of a column of the table with equally many decimals: three digits of the smallest.
function columnText(values) {
  const least = Math.min(...values.filter((value) => value > 0));
  const decimals = Number.isFinite(least) ? Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(least)))) : 0;
  const format = new Intl.NumberFormat(language, {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
  return values.map((value) => format.format(value));
}

const perToken = (row, kind) => row[kind + "_seconds"] / row.n * 1e6;
const layerName = (name) => language === "zh" && layersInChinese.names[name] || name;
const layers = () => [...new Set(page.measurements.map(({layer}) => layer))];

function rowsOf(kind) {
  return layers().map((name, index) => {
    const rows = page.measurements.filter(({layer}) => layer === name);
    const style = lineStyle(index);
    return {name: layerName(name), number: null, style, index, marked: true, lines: [{
      name: layerName(name), style, row: index, sparse: true, best: null,
      x: rows.map(({n}) => Math.log2(n)), y: rows.map((row) => perToken(row, kind)), keys: rows.map(({n}) => n),
    }]};
  });
}

const lengthsOf = () => [...new Set(page.measurements.map(({n}) => n))].sort((a, b) => a - b);

// Measurements of the same differ by so much.
const kNoise = 1.03;

// The layers that take the least time, by length: "self-attention from n = 16 to 512, ...".
function fastestText(kind) {
  const ranges = [];
  for (const n of lengthsOf()) {
    const rows = page.measurements.filter((row) => row.n === n);
    const least = rows.reduce((best, row) => perToken(row, kind) < perToken(best, kind) ? row : best);
    // A layer stays the answer while another is faster only by the noise of a measurement.
    const alike = rows.find((row) => row.layer === ranges.at(-1)?.layer && perToken(row, kind) < kNoise * perToken(least, kind));
    const {layer} = alike ?? least;
    if (ranges.at(-1)?.layer === layer) ranges.at(-1).high = n;
    else ranges.push({layer, low: n, high: n});
  }
  const list = ranges.map(({layer, low, high}) => text(ranges.length === 1 ? "fastest_all" : low === high ? "fastest_at" : "fastest_range",
      {layer: layerName(layer), low: whole(low), high: whole(high)}));
  return text("fastest", {list: list.join(text("list_separator"))});
}

// The claim of section 4, as measured: up to which length self-attention takes less time than the layers
// that the paper compares it with.
function fasterText(kind) {
  const first = "Self-attention";
  const time = (layer, n) => {
    const row = page.measurements.find((one) => one.layer === layer && one.n === n);
    return row ? perToken(row, kind) : NaN;
  };
  // A difference within the noise of a measurement is none.
  const isFaster = (layer, n) => time(first, n) * kNoise < time(layer, n);
  const list = [];
  for (const layer of ["Recurrent (LSTM)", "Convolutional"]) {
    const measured = lengthsOf().filter((n) => time(first, n) > 0 && time(layer, n) > 0);
    const slower = measured.findIndex((n) => !isFaster(layer, n));
    if (measured.length > 0 && slower !== 0)
      list.push(text(slower < 0 ? "faster_always" : "faster_up_to", {layer: layerName(layer), n: slower < 0 ? "" : whole(measured[slower - 1])}));
  }
  return list.length === 0 ? "" : text("faster", {layer: layerName(first), list: list.join(text("list_separator"))});
}

function drawCharts() {
  byId("fastest").replaceChildren(...kinds.map((kind) => element("p", {}, element("b", {}, text("kind_said", {kind: text(kind)})), text("sentence_separator"), fasterText(kind) + text("sentence_separator") + fastestText(kind))));
  const lengths = page.measurements.map(({n}) => Math.log2(n));
  const [low, high] = [Math.min(...lengths), Math.max(...lengths)];
  group.domain = low < high ? {low, high} : {low: low - 1, high: low + 1};
  const place = (x) => "n = " + whole(Math.round(2 ** x));
  group.axis = {
    name: text("n"), place,
    shortPlace: (n) => "n = " + whole(n), shortPlaces: (first, last) => `n = ${whole(first)}–${whole(last)}`,
    // The lengths themselves, every second and so on where there are many, and always the last.
    ticks: (from, to, count) => {
      const inside = lengthsOf().map(Math.log2).filter((at) => at >= from - 1e-9 && at <= to + 1e-9);
      const every = Math.max(1, Math.ceil(inside.length / count));
      return inside.filter((_, i) => (inside.length - 1 - i) % every === 0);
    },
    labels: (ticks) => ticks.map((tick) => whole(Math.round(2 ** tick))),
  };
  group.keyName = () => "n";
  for (const kind of kinds)
    charts[kind].show({title: text(kind), unit: text("microseconds"), rows: rowsOf(kind), columns: [""], log: true, zero: false, format: digits, latest: text("longest", {n: whole(Math.round(2 ** high))}), terse: true});
}

// A formula with its powers above the line and its letters as variables: "O(n^2 d)".
function typeset(formula) {
  return [...formula.matchAll(/\^(\d+)|([a-z])(?![a-z])|([^a-z^]+|[a-z]+)/g)].map(([, power, variable, other]) =>
      power ? element("sup", {}, power) : variable ? element("i", {}, variable) : other);
}

// Text in which only what looks like a term is a formula: "4 n d^2".
const typesetText = (string) => string.split(/((?:\d+ )?(?:[nkrd](?:\^\d)? ?)*[nkrd]\^\d)/).flatMap((part, i) => i % 2 ? typeset(part) : part);

// The measures that the table can show, of each layer at each length: counts, and times with three
// digits of the least.
const measures = {
  forward_token: (rows) => columnText(rows.map((row) => perToken(row, "forward"))),
  forward_backward_token: (rows) => columnText(rows.map((row) => perToken(row, "forward_backward"))),
  forward_time: (rows) => columnText(rows.map((row) => row.forward_seconds * 1e6)),
  forward_backward_time: (rows) => columnText(rows.map((row) => row.forward_backward_seconds * 1e6)),
  multiply_adds: (rows) => rows.map((row) => shortNumber(row.multiply_adds)),
  sequential_operations: (rows) => rows.map((row) => whole(row.sequential_operations)),
  maximum_path_length: (rows) => rows.map((row) => whole(row.maximum_path_length)),
};
let measure = "forward_token";

// Layers by length.
function drawTable() {
  const select = byId("measure");
  select.replaceChildren(...Object.keys(measures).map((name) => element("option", {value: name}, text(name))));
  select.value = measure;
  const lengths = lengthsOf();
  const cells = measures[measure](page.measurements);
  const number = (content) => element("td", {class: "number"}, content);
  byId("table-head").replaceChildren(element("tr", {}, element("th", {scope: "col"}, text("layer")), element("th", {scope: "col"}, text("complexity")),
      ...lengths.map((n) => element("th", {scope: "col", class: "number"}, element("i", {}, "n"), " = " + whole(n)))));
  byId("table-body").replaceChildren(...layers().map((name) => {
    const at = (n) => page.measurements.findIndex((row) => row.layer === name && row.n === n);
    const {complexity} = page.measurements[at(lengths.find((n) => at(n) >= 0))];
    return element("tr", {}, element("th", {scope: "row"}, layerName(name)), element("td", {class: "formula"}, ...typeset(complexity)),
        ...lengths.map((n) => number(at(n) < 0 ? "" : cells[at(n)])));
  }));
}

onLanguage.push(() => {
  document.title = byId("title").textContent = text("title");
  const fact = (name, value) => element("span", {}, name + " ", element("b", {}, visible(String(value))));
  byId("facts").replaceChildren(fact(text("preset"), page.preset), fact("d =", page.d_model), fact(text("heads"), page.heads),
      fact(text("neighborhood") + " r =", page.neighborhood), fact(text("kernel_width") + " k =", page.kernel_width), fact(text("backend"), page.backend));
  byId("note").replaceChildren(...typesetText(text("intro") + (language === "zh" ? layersInChinese.note : page.note)));
  drawCharts();
  drawTable();
});
onTheme.push(() => redraw(group));

startPage(() => {
  page = pageData();
  for (const kind of kinds) {
    charts[kind] = new LineChart(group, "chart-" + kind);
    byId("charts").append(charts[kind].figure);
  }
  byId("measure").addEventListener("change", (event) => {
    measure = event.target.value;
    drawTable();
  });
  new ResizeObserver(() => requestAnimationFrame(() => group.charts.forEach((chart) => chart.measure()))).observe(byId("charts"));
});
