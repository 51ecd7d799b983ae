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
const layers = () => [...new Set(page.measurements.map(({layer}) => layer))];

function rowsOf(kind) {
  return layers().map((name, index) => {
    const rows = page.measurements.filter(({layer}) => layer === name);
    const style = lineStyle(index);
    return {name, number: null, style, index, marked: true, lines: [{
      name, style, row: index, sparse: true, best: null,
      x: rows.map(({n}) => Math.log2(n)), y: rows.map((row) => perToken(row, kind)), keys: rows.map(({n}) => n),
    }]};
  });
}

function drawCharts() {
  const lengths = page.measurements.map(({n}) => Math.log2(n));
  const [low, high] = [Math.min(...lengths), Math.max(...lengths)];
  group.domain = low < high ? {low, high} : {low: low - 1, high: low + 1};
  const place = (x) => "n = " + whole(Math.round(2 ** x));
  group.axis = {
    name: text("n"), place,
    shortPlace: (n) => "n = " + whole(n), shortPlaces: (first, last) => `n = ${whole(first)}–${whole(last)}`,
    ticks: (from, to, count) => linearTicks(from, to, count).filter(Number.isInteger),
    labels: (ticks) => ticks.map((tick) => whole(2 ** tick)),
  };
  group.keyName = () => "n";
  for (const kind of kinds)
    charts[kind].show({title: text(kind), unit: text("microseconds"), rows: rowsOf(kind), columns: [""], log: true, zero: false, format: digits, latest: text("longest")});
}

function drawTable() {
  const numbers = ["n", "multiply_adds", "sequential_operations", "maximum_path_length"];
  const head = (key, number) => element("th", {scope: "col", class: number && "number"}, text(key));
  byId("table-head").replaceChildren(element("tr", {}, head("layer"), head("complexity"), ...numbers.map((key) => head(key, true)),
      ...kinds.map((kind) => head(kind + "_time", true)), ...kinds.map((kind) => head(kind + "_token", true))));
  const cell = (value) => element("td", {class: "number"}, value);
  const times = [...kinds.map((kind) => page.measurements.map((row) => row[kind + "_seconds"] * 1e6)),
    ...kinds.map((kind) => page.measurements.map((row) => perToken(row, kind)))].map(columnText);
  byId("table-body").replaceChildren(...page.measurements.map((row, i) => element("tr", {}, element("th", {scope: "row"}, row.layer), element("td", {}, row.complexity),
      ...numbers.map((key) => cell(whole(row[key]))), ...times.map((column) => cell(column[i])))));
}

onLanguage.push(() => {
  document.title = byId("title").textContent = text("title");
  const fact = (name, value) => element("span", {}, name + " ", element("b", {}, visible(String(value))));
  byId("facts").replaceChildren(fact(text("preset"), page.preset), fact("d =", page.d_model), fact(text("heads"), page.heads),
      fact("r =", page.neighborhood), fact("k =", page.kernel_width), fact(text("backend"), page.backend));
  byId("note").textContent = language === "zh" ? layersInChinese.note : page.note;
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
  new ResizeObserver(() => requestAnimationFrame(() => group.charts.forEach((chart) => chart.measure()))).observe(byId("charts"));
});
