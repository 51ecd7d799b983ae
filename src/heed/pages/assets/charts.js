"use strict";
// Line charts that share a horizontal axis, a cursor and a zoom. Lines are drawn on canvases
// (chart_drawing.js); the values at the cursor and the table of all values are HTML.

addStrings({
  en: {
    chart_at: "at {place}",
    chart_cut: "Outliers up to {value} are above the axis.",
    chart_first_last: "{name}: {first} at {begin}, {last} at {end}; lowest {low} at {low_at}, highest {high} at {high_at}.",
    chart_gaps: "× no finite value in {count} reports",
    chart_help: "{title}. Arrow keys move through the values, Page Up and Page Down by a tenth, plus and minus zoom, Escape shows all.",
    chart_log_gaps: "{count} values of 0 or less are not on the logarithmic axis.",
    chart_lone: "With one value there is no line to draw.",
    chart_no_value: "–",
    chart_one: "{name}: {value} at {place}.",
    chart_plot: "Plot",
    chart_smoothed: "smoothed {value}",
    chart_sparse_at: " · validation of {place}",
    chart_table: "Table",
    chart_table_of: "{title}, as a table",
    chart_thinned: "Every {every}th of {count} rows.",
  },
  zh: {
    chart_at: "{place}",
    chart_cut: "有离群值超出纵轴范围，最高 {value}。",
    chart_first_last: "{name}：{begin}时为 {first}，{end}时为 {last}；最低 {low}（{low_at}），最高 {high}（{high_at}）。",
    chart_gaps: "× {count} 次报告没有有限的数值",
    chart_help: "{title}。方向键逐点移动，Page Up 和 Page Down 每次移动十分之一，加号和减号缩放，Esc 显示全部。",
    chart_log_gaps: "有 {count} 个数值不大于 0，未画在对数轴上。",
    chart_lone: "只有一个数值，暂无曲线。",
    chart_no_value: "–",
    chart_one: "{name}：{place}时为 {value}。",
    chart_plot: "图",
    chart_smoothed: "平滑后 {value}",
    chart_sparse_at: " · 验证：{place}",
    chart_table: "表格",
    chart_table_of: "{title}（表格）",
    chart_thinned: "共 {count} 行，每 {every} 行显示一行。",
  },
});

// No two of 30 lines are drawn alike in grey: dashes repeat after five lines, shapes after six.
const dashes = [[], [7, 3], [2, 2.5], [10, 3, 2, 3], [16, 5]];
const shapes = ["circle", "square", "triangle", "diamond", "cross", "reversed"];
const lineStyle = (i) => ({ink: i % 8, dash: dashes[i % 5], shape: shapes[i % 6]});

// The charts of a page. `axis` is the horizontal one: {ticks(low, high, count), labels(ticks), name,
// place(x, chart): the text of a place, shortPlace(key), shortPlaces(first, last)}. `domain` is what it shows without zoom,
// `at` the place of the cursor, `emphasis` the row whose lines stand out, keyName() the name of the
// keys of tables.
function chartGroup() {
  return {axis: null, charts: [], domain: {low: 0, high: 1}, zoom: null, at: null, emphasis: null, zoomed() {}, keyName: () => ""};
}

const rangeOf = (group) => group.zoom ?? group.domain;

// Number of the value nearest to x among rising ones.
function nearest(xs, x) {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - xs[low - 1] <= xs[low] - x ? low - 1 : low;
}

// The point of a line that is shown for x, or -1 where the line does not reach.
function pointAt({x: xs}, x, {low, high}) {
  if (xs.length === 0 || x === null) return -1;
  const spacing = (xs.at(-1) - xs[0]) / Math.max(1, xs.length - 1);
  const reach = Math.max(spacing, (high - low) / 200);
  return x < xs[0] - reach || x > xs.at(-1) + reach ? -1 : nearest(xs, x);
}

// The exponential moving average of the finite values, corrected for its start from zero as Adam's.
function smoothedValues(ys, weight) {
  let sum = 0;
  let total = 0;
  return ys.map((y) => {
    if (!Number.isFinite(y)) return NaN;
    sum = weight * sum + (1 - weight) * y;
    total = weight * total + (1 - weight);
    return sum / total;
  });
}

// The values of lines between two places; all of them where there is none.
function valuesBetween(lines, {low, high}, log) {
  const found = (within) => lines.flatMap((line) => [
    ...line.y.filter((y, i) => Number.isFinite(y) && (!log || y > 0) && (!within || (line.x[i] >= low && line.x[i] <= high))),
    ...(line.extra ?? []).filter(({x, y}) => (!log || y > 0) && (!within || (x >= low && x <= high))).map(({y}) => y),
  ]);
  const inside = found(true);
  return inside.length > 0 ? inside : found(false);
}

// The length of an axis from zero, over its largest value.
const kRoomAbove = 1.08;

// The vertical range of what is drawn between two places, with a margin. With `trim`, the highest
// twentieth of the values is left out if it would take a third of the axis, such as the first losses
// of a run; `cut` is then the highest value. The last value of each line stays. The axis ends at
// `limit`, which the values cannot exceed.
function valueRange(lines, range, {log, zero, trim, limit = Infinity}) {
  const values = valuesBetween(lines, range, log);
  if (values.length === 0) return null;
  let least = values.reduce((best, y) => Math.min(best, y), Infinity);
  let most = values.reduce((best, y) => Math.max(best, y), -Infinity);
  let cut = null;
  if (trim && !log && values.length >= 20) {
    const bulk = values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)];
    const kept = Math.max(bulk, ...lines.map((line) => valuesBetween([line], range, log).at(-1) ?? least));
    if (most - least > (kept - least) * 1.5 && kept > least) [cut, most] = [most, kept + (kept - least) * 0.1];
  }
  if (log) {
    const margin = most > least ? (most / least) ** 0.05 : 1.2;
    return {low: least / margin, high: most * margin, cut};
  }
  if (zero && least >= 0) return {low: 0, high: most > 0 ? most * kRoomAbove : 1, cut};
  const even = Math.abs(most) * 0.1 || 1;
  if (most === least) return {low: least < 0 ? least - even : Math.max(0, least - even), high: Math.min(Math.max(limit, most), most + even), cut};
  const span = most - least;
  least = least >= 0 ? Math.max(0, least - span * 0.05) : least - span * 0.05;
  return {low: least, high: Math.min(Math.max(limit, most), most + span * (cut === null ? 0.07 : 0)), cut};
}

// Labels of ticks with equally many decimals.
function tickLabels(ticks) {
  if (ticks.every((tick) => Number.isInteger(tick) && Math.abs(tick) < 1e6)) return ticks.map(whole);
  const labels = ticks.map(shortNumber);
  if (labels.some((label) => /[a-zA-Z]/.test(label))) return labels;
  const digits = Math.max(...labels.map((label) => (label.split(".")[1] ?? "").length));
  return ticks.map((tick) => fixed(tick, digits));
}

// A piece of a line as it is drawn, beside its name.
function swatch({ink, dash, shape}, marked) {
  const make = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const svg = make("svg", {class: "swatch", viewBox: "0 0 34 12", "aria-hidden": "true", style: `--ink: var(--ink-${ink})`});
  svg.append(make("line", {x1: 0, x2: 34, y1: 6, y2: 6, "stroke-width": 2, "stroke-dasharray": dash.join(" ")}));
  const path = {circle: "M13.5 6a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", square: "M13.8 2.8h6.4v6.4h-6.4z", triangle: "M17 1.8l4 7.2h-8z", reversed: "M17 10.2l-4 -7.2h8z",
                diamond: "M17 1.5l4.5 4.5-4.5 4.5-4.5-4.5z", cross: "M13.5 2.5l7 7m-7 0l7-7"}[shape];
  if (marked) svg.append(make("path", {class: "hollow", d: path}));
  return svg;
}

// A chart in a <figure>. show() takes {title, unit, rows, columns, log, zero, trim, format,
// right, second, latest, terse, limit}: `rows` are what its values are listed by, {name, number, style, lines}, with a
// line or null for each of `columns`. A line is {name, style, x, y, keys, smooth, sparse, light, best,
// bestLabel, extra, row}: x rises; a y that is not finite is a gap, `keys` are the steps, `sparse` lines have
// markers. `second` writes a value in another unit, `terse` says once for
// all lines what is the same in each, `limit` is what no value exceeds. Without a line of two values
// there is the list alone.
class LineChart {
  constructor(group, id) {
    this.group = group;
    this.title = element("h3", {id: id + "-title"});
    this.unit = element("span", {class: "unit"});
    this.tableButton = element("button", {type: "button", class: "quiet screen"});
    this.place = element("p", {class: "values-place"});
    this.values = element("div", {class: "values"});
    this.curves = element("canvas", {"aria-hidden": "true"});
    this.cursor = element("canvas", {class: "cursor", tabindex: 0, role: "application", "aria-describedby": id + "-summary"});
    this.plot = element("div", {class: "plot"}, this.curves, this.cursor);
    this.table = element("div", {class: "chart-table", role: "region", tabindex: 0, hidden: true});
    this.note = element("p", {class: "chart-note"});
    this.summary = element("p", {class: "hidden", id: id + "-summary"});
    this.figure = element("figure", {class: "chart", id, "aria-labelledby": id + "-title"},
        element("div", {class: "chart-head"}, this.title, this.unit, this.tableButton),
        this.place, this.values, this.plot, this.table, this.note, this.summary);
    this.tableButton.addEventListener("click", () => this.showTable(this.table.hidden));
    this.figure.chart = this;
    chartObserver.observe(this.figure);
    group.charts.push(this);
    startChart(this);
  }

  show(spec) {
    this.spec = spec;
    this.lines = spec.rows.flatMap((row) => row.lines.filter((line) => line !== null));
    this.stops = null;
    this.title.textContent = spec.title;
    this.unit.textContent = spec.unit;
    this.cursor.setAttribute("aria-label", text("chart_help", {title: spec.title}));
    this.summary.textContent = this.lines.map((line) => this.sentenceOf(line)).join(" ");
    this.lone = this.lines.every(({x, extra = []}) => x.length + extra.length < 2);
    this.figure.classList.toggle("lone", this.lone);
    this.note.textContent = this.lone ? text("chart_lone") : "";
    listValues(this);
    this.showTable(!this.table.hidden);
    this.measure();
  }

  // What a line does, in a sentence.
  sentenceOf({name, x, y}) {
    const known = y.flatMap((value, i) => Number.isFinite(value) ? [i] : []);
    if (known.length === 0) return "";
    const place = (i) => this.group.axis.place(x[i]);
    const value = (i) => this.spec.format(y[i]);
    if (known.length === 1) return text("chart_one", {name, value: value(known[0]), place: place(known[0])});
    const lowest = known.reduce((best, i) => y[i] < y[best] ? i : best);
    const highest = known.reduce((best, i) => y[i] > y[best] ? i : best);
    return text("chart_first_last", {
      name, first: value(known[0]), begin: place(known[0]), last: value(known.at(-1)), end: place(known.at(-1)),
      low: value(lowest), low_at: place(lowest), high: value(highest), high_at: place(highest),
    });
  }

  showTable(shown) {
    this.table.hidden = !shown;
    this.plot.hidden = shown || this.lone;
    this.tableButton.hidden = this.lone;
    this.tableButton.textContent = text(shown ? "chart_plot" : "chart_table");
    this.tableButton.setAttribute("aria-label", shown ? `${text("chart_plot")}: ${this.spec.title}` : text("chart_table_of", {title: this.spec.title}));
    this.table.setAttribute("aria-label", text("chart_table_of", {title: this.spec.title}));
    if (shown) this.table.replaceChildren(...chartTable(this));
    else this.measure();
  }

  measure() {
    const {values} = this;
    if (values.scrollHeight > values.clientHeight + 1 || values.scrollWidth > values.clientWidth) values.tabIndex = 0;
    else values.removeAttribute("tabindex");
    this.width = this.plot.clientWidth;
    this.height = this.plot.clientHeight;
    this.drawSeen();
  }

  // Draws the chart now if it is in view, else when there is time: many runs have long lines.
  drawSeen() {
    this.stale = true;
    if (this.seen) this.draw();
    else drawWhenIdle(this.group);
  }

  draw() {
    if (this.plot.hidden || !(this.width > 0) || !this.spec) return;
    this.stale = false;
    drawChart(this);
    drawCursor(this);
  }
}

const whenIdle = (callback) => "requestIdleCallback" in window ? requestIdleCallback(callback) : setTimeout(callback, 200);

// Draws what is not in view, a chart at a time.
function drawWhenIdle(group) {
  if (group.idle) return;
  group.idle = whenIdle(() => {
    group.idle = null;
    const stale = group.charts.filter((chart) => chart.stale && chart.figure.isConnected && !chart.plot.hidden && chart.width > 0);
    if (stale.length > 0) stale[0].draw();
    if (stale.length > 1) drawWhenIdle(group);
  });
}

// Tells charts when they come into view.
const chartObserver = new IntersectionObserver((entries) => {
  for (const {target, isIntersecting} of entries) {
    const {chart} = target;
    chart.seen = isIntersecting;
    if (isIntersecting && chart.stale) chart.measure();
  }
}, {rootMargin: "150px"});

// Draws the charts of a group on the next frame, or their cursors alone.
function redraw(group, what = "draw") {
  group.wanted = group.wanted === "draw" ? "draw" : what;
  if (group.frame) return;
  group.frame = requestAnimationFrame(() => {
    const drawn = group.wanted === "draw";
    group.frame = group.wanted = null;
    if (drawn) group.colors = null;
    for (const chart of group.charts) {
      if (!chart.figure.isConnected) continue;
      if (drawn) chart.drawSeen();
      else drawCursor(chart);
    }
  });
}

// Draws all charts at once, in view or not, as before printing.
function drawGroup(group) {
  group.colors = null;
  for (const chart of group.charts) if (chart.figure.isConnected) chart.draw();
}

function pointGroupAt(group, x) {
  if (group.at === x) return;
  group.at = x;
  redraw(group, "cursor");
}

function zoomGroup(group, range) {
  group.zoom = range;
  redraw(group);
  group.zoomed();
}

// The list of values beside a chart: what each line has at the cursor, else its last value.
function listValues(chart) {
  const {spec, values} = chart;
  chart.cells = [];
  const cellOf = (line, row) => {
    if (line === null) return element("td");
    const value = element("b");
    const more = element("span", {class: "small"});
    chart.cells.push({line, row, value, more});
    return element("td", {class: "number"}, value, " ", more);
  };
  const rows = spec.rows.map((row) => {
    const made = element("tr", {"data-row": row.index});
    const number = row.number === null ? [] : [element("span", {class: "run-number", style: `--ink: var(--ink-${row.style.ink})`}, row.number), " "];
    made.append(element("th", {scope: "row"}, swatch(row.style, row.marked), ...number,
        element("span", {class: "name", title: row.name}, element("bdi", {}, row.name))), ...row.lines.map((line) => cellOf(line, made)));
    return made;
  });
  const head = spec.columns.some((name) => name !== "") && element("thead", {}, element("tr", {}, element("td"),
      ...spec.columns.map((name) => element("th", {scope: "col", class: "number"}, name))));
  const table = element("table", {"aria-labelledby": chart.figure.id + "-title"}, ...(head ? [head] : []), element("tbody", {}, ...rows));
  values.replaceChildren(table);
  listPlace(chart);
}

function listPlace(chart) {
  const {group, spec, place, cells} = chart;
  const away = [];
  for (const {line, row, value, more} of cells) {
    const i = group.at === null ? line.x.length - 1 : pointAt(line, group.at, rangeOf(group));
    const y = i < 0 ? NaN : line.y[i];
    value.textContent = Number.isFinite(y) ? spec.format(y) : text("chart_no_value");
    const said = [];
    if (Number.isFinite(y) && spec.second) said.push(spec.second(y));
    if (Number.isFinite(y) && line.smooth) said.push(spec.terse ? spec.format(line.smooth[i]) : text("chart_smoothed", {value: spec.format(line.smooth[i])}));
    if (Number.isFinite(y) && line.sparse && line.x[i] !== group.at && (group.at !== null || !spec.terse)) {
      if (spec.terse) away.push(line.keys[i]);
      else said.push(text("chart_at", {place: group.axis.shortPlace(line.keys[i])}));
    }
    more.textContent = said.join(" · ");
    row.classList.toggle("off", group.emphasis !== null && line.row !== group.emphasis);
  }
  place.textContent = group.at === null ? spec.latest : group.axis.place(group.at, chart);
  if (away.length > 0) place.append(text("chart_sparse_at", {place: placeOfKeys(group, away)}));
}

function placeOfKeys({axis}, keys) {
  const [first, last] = [Math.min(...keys), Math.max(...keys)];
  return first === last ? axis.shortPlace(first) : axis.shortPlaces(first, last);
}

// All values of a chart as rows of the steps at which any line has one.
function chartTable({spec, lines, group}) {
  const rows = new Map();
  lines.forEach((line, column) => line.y.forEach((y, i) => {
    if (!rows.has(line.keys[i])) rows.set(line.keys[i], []);
    rows.get(line.keys[i])[column] = y;
  }));
  const steps = [...rows.keys()].sort((a, b) => a - b);
  const every = Math.ceil(steps.length / 1000);
  const kept = steps.filter((_, i) => (steps.length - 1 - i) % every === 0);
  const cell = (y) => element("td", {}, y === undefined ? "" : Number.isFinite(y) ? spec.format(y) : text("chart_no_value"));
  const table = element("table", {},
      element("thead", {}, element("tr", {}, element("th", {scope: "col"}, group.keyName()),
          ...lines.map(({name}) => element("th", {scope: "col", title: name}, name)))),
      element("tbody", {}, ...kept.map((step) =>
          element("tr", {}, element("th", {scope: "row"}, whole(step)), ...lines.map((_, column) => cell(rows.get(step)[column]))))));
  return every > 1 ? [element("p", {class: "small"}, text("chart_thinned", {every: whole(every), count: whole(steps.length)})), table] : [table];
}

// The pointer and the keys of a chart. A drag with the mouse zooms; a finger moves the cursor.
function startChart(chart) {
  const {group, cursor} = chart;
  const placeOf = (event) => Math.max(chart.layout.box.left, Math.min(chart.layout.box.right, event.clientX - cursor.getBoundingClientRect().x));
  const valueAt = (place) => {
    const {box, range} = chart.layout;
    return range.low + (place - box.left) / (box.right - box.left) * (range.high - range.low);
  };
  const look = (event) => {
    const x = valueAt(placeOf(event));
    const near = chart.lines.filter((line) => line.x.length > 0).map((line) => line.x[nearest(line.x, x)]);
    if (near.length > 0) pointGroupAt(group, near.reduce((best, one) => Math.abs(one - x) < Math.abs(best - x) ? one : best));
  };
  cursor.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0 && chart.layout) {
      chart.dragged = {from: placeOf(event), to: placeOf(event)};
      cursor.setPointerCapture(event.pointerId);
    }
    look(event);
  });
  cursor.addEventListener("pointermove", (event) => {
    if (!chart.layout) return;
    if (chart.dragged) {
      chart.dragged.to = placeOf(event);
      redraw(group, "cursor");
    }
    look(event);
  });
  const drop = () => {
    const {dragged} = chart;
    chart.dragged = null;
    if (!dragged) return;
    const [low, high] = [dragged.from, dragged.to].sort((a, b) => a - b);
    if (high - low > 6) zoomGroup(group, {low: valueAt(low), high: valueAt(high)});
    else redraw(group, "cursor");
  };
  cursor.addEventListener("pointerup", drop);
  cursor.addEventListener("pointercancel", drop);
  cursor.addEventListener("pointerleave", (event) => {
    // What a finger pointed at stays to be read; so does what the keyboard is at.
    if (event.pointerType === "mouse" && !(document.activeElement === cursor && cursor.matches(":focus-visible"))) pointGroupAt(group, null);
  });
  cursor.addEventListener("dblclick", () => zoomGroup(group, null));
  cursor.addEventListener("blur", () => pointGroupAt(group, null));
  cursor.addEventListener("keydown", (event) => walkChart(chart, event));
}

function walkChart(chart, event) {
  const {group} = chart;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const range = rangeOf(group);
  chart.stops ??= [...new Set(chart.lines.flatMap(({x}) => x))].sort((a, b) => a - b);
  const stops = chart.stops.filter((x) => x >= range.low && x <= range.high);
  const at = group.at === null ? stops.length - 1 : nearest(stops, group.at);
  const tenth = Math.max(1, Math.round(stops.length / 10));
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - tenth, PageUp: at + tenth, Home: 0, End: stops.length - 1}[event.key];
  const factor = {"+": 0.5, "=": 0.5, "-": 2}[event.key];
  if (to !== undefined && stops.length > 0) {
    pointGroupAt(group, stops[Math.max(0, Math.min(stops.length - 1, group.at === null && event.key !== "Home" ? stops.length - 1 : to))]);
    listPlace(chart);
    announce(spokenValues(chart));
  } else if (factor) {
    zoomAround(group, group.at ?? (range.low + range.high) / 2, factor);
  } else if (event.key === "Escape" && (group.zoom || group.at !== null)) {
    if (group.zoom) zoomGroup(group, null);
    else pointGroupAt(group, null);
  } else {
    return;
  }
  event.preventDefault();
}

function zoomAround(group, x, factor) {
  const {low, high} = rangeOf(group);
  const next = {low: Math.max(group.domain.low, x - (x - low) * factor), high: Math.min(group.domain.high, x + (high - x) * factor)};
  const all = next.low <= group.domain.low && next.high >= group.domain.high;
  if (next.high - next.low > (group.domain.high - group.domain.low) / 1e5) zoomGroup(group, all ? null : next);
}

function spokenValues({place, cells}) {
  const said = cells.map(({line, value, more}) => `${line.name} ${value.textContent} ${more.textContent}`.trim());
  return [place.textContent, ...said].join(text("list_separator"));
}
