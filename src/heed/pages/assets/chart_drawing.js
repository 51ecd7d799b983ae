"use strict";
// How line charts are drawn: axes, lines, markers, and the cursor over them. After charts.js.

// Draws a marker's shape around (x, y).
function marker(context, shape, x, y, size) {
  context.beginPath();
  if (shape === "square") context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  else if (shape === "triangle") polygon(context, [[x, y - size * 1.2], [x + size * 1.1, y + size * 0.8], [x - size * 1.1, y + size * 0.8]]);
  else if (shape === "reversed") polygon(context, [[x, y + size * 1.2], [x + size * 1.1, y - size * 0.8], [x - size * 1.1, y - size * 0.8]]);
  else if (shape === "diamond") polygon(context, [[x, y - size * 1.3], [x + size * 1.3, y], [x, y + size * 1.3], [x - size * 1.3, y]]);
  else if (shape === "cross") {
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x - size, y + size);
    context.lineTo(x + size, y - size);
  } else context.arc(x, y, size, 0, 7);
}

function polygon(context, corners) {
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
}

function colorsOf(group) {
  if (!group.colors) {
    const [ink, muted, line, card, error, accent, ...lines] =
        inks("--text", "--muted", "--line", "--card", "--error", "--accent", ...Array.from({length: 8}, (_, i) => "--ink-" + i));
    group.colors = {ink, muted, line, card, error, accent, lines, font: getComputedStyle(document.body).fontFamily};
  }
  return group.colors;
}

// Ticks of the horizontal axis between two places.
function layOutAcross({axis}, {left, right}, range) {
  const ticks = axis.ticks(range.low, range.high, Math.max(2, (right - left) / 62));
  return {x: scaleOf({...range, from: left, to: right}), ticks, labels: axis.labels(ticks)};
}

// The scales of a chart, its ticks, and the box of its plot.
function layOut(chart, context) {
  const {group, spec, lines, width, height} = chart;
  const range = rangeOf(group);
  const log = spec.log && lines.some(({y}) => y.some((value) => value > 0));
  const values = valueRange(lines, range, {log, zero: spec.zero && !log, trim: spec.trim, limit: spec.limit}) ?? {low: 0, high: 1};
  const count = Math.max(3, height / 42);
  const endsAtTick = spec.zero && !log && values.low === 0 && values.cut === null;
  const ticks = endsAtTick ? ticksFromZero(values.high / kRoomAbove, count) : (log ? logTicks : linearTicks)(values.low, values.high, count);
  if (endsAtTick) values.high = ticks.at(-1);
  const labels = log ? ticks.map(shortNumber) : tickLabels(ticks);
  const left = Math.ceil(Math.max(24, ...labels.map((label) => context.measureText(label).width))) + 9;
  const numbered = spec.rows.some(({number}) => number !== null);
  const right = width - (spec.right ? 42 : 10) - (numbered ? 14 : 0);
  const across = layOutAcross(group, {left, right}, range);
  // Below the plot: the labels of the ticks, then the name of the axis.
  const box = {left, right, top: 10, bottom: height - 40};
  return {
    log, values, ticks, labels, box, range, across, x: across.x,
    y: scaleOf({...values, log, from: box.bottom, to: box.top}),
  };
}

function drawChart(chart) {
  const {group, spec, lines, width, height} = chart;
  const colors = colorsOf(group);
  const context = sized(chart.curves, width, height);
  chart.cursor.context = sized(chart.cursor, width, height);
  context.font = `11.5px ${colors.font}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  chart.layout = layOut(chart, context);
  const {box} = chart.layout;
  drawAxes(chart, context, colors);
  context.save();
  context.beginPath();
  context.rect(box.left - 5, box.top - 6, box.right - box.left + 10, box.bottom - box.top + 11);
  context.clip();
  const order = [...lines].sort((a, b) => Number(b.light ?? false) - Number(a.light ?? false) || Number(a.row === group.emphasis) - Number(b.row === group.emphasis));
  for (const line of order) drawLine(chart, context, colors, line);
  context.restore();
  for (const line of lines) drawBest(chart, context, colors, line);
  if (spec.rows.some(({number}) => number !== null)) drawNumbers(chart, context, colors);
  drawNote(chart);
}

function drawAxes({group, spec, layout, width}, context, colors) {
  const {box, ticks, labels, across, x, y} = layout;
  context.lineWidth = 1;
  context.strokeStyle = colors.line;
  context.fillStyle = colors.muted;
  context.textAlign = "right";
  ticks.forEach((tick, i) => {
    const at = Math.round(y(tick)) + 0.5;
    rule(context, box.left, at, box.right, at);
    context.fillText(labels[i], box.left - 8, at);
  });
  if (spec.right) drawRightAxis(spec.right, context, layout, spec.rows.some(({number}) => number !== null) ? 21 : 13);
  context.textAlign = "right";
  context.fillText(group.axis.name, box.right + 4, box.bottom + 32);
  context.textAlign = "center";
  context.strokeStyle = colors.muted;
  rule(context, box.left, box.bottom + 0.5, box.right, box.bottom + 0.5);
  across.ticks.forEach((tick, i) => {
    const at = Math.round(x(tick)) + 0.5;
    rule(context, at, box.bottom, at, box.bottom + 4);
    const middle = Math.min(at, width - context.measureText(across.labels[i]).width / 2);
    context.fillText(across.labels[i], middle, box.bottom + 16);
  });
}

function rule(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

// A second scale of the same lines on the right: values that correspond one to one.
function drawRightAxis(right, context, {box, values, y}, offset) {
  context.textAlign = "left";
  const places = [];
  for (const tick of logTicks(right.of(values.low), right.of(values.high), 10)) {
    const at = y(right.inverse(tick));
    if (at >= box.top - 2 && at <= box.bottom + 2 && !(places.at(-1)?.at - at < 18)) places.push({tick, at});
  }
  const ticks = places.map(({tick}) => tick);
  const labels = ticks.at(-1) > ticks[0] * 10 ? ticks.map(shortNumber) : tickLabels(ticks);
  places.forEach(({at}, i) => {
    rule(context, box.right, Math.round(at) + 0.5, box.right + 4, Math.round(at) + 0.5);
    context.fillText(labels[i], box.right + offset, at);
  });
}

// Draws a line through the values with these numbers; a lone value between gaps is a dot.
function trace(context, line, ys, [from, to], layout) {
  const {x, y, log} = layout;
  const dots = [];
  let length = 0;
  let last = null;
  context.beginPath();
  for (let i = from; i <= to; ++i) {
    const value = ys[i];
    if (!Number.isFinite(value) || (log && value <= 0)) {
      if (length === 1) dots.push(last);
      length = 0;
      continue;
    }
    last = [x(line.x[i]), y(value)];
    if (length++ === 0) context.moveTo(...last);
    else context.lineTo(...last);
  }
  if (length === 1) dots.push(last);
  context.stroke();
  context.setLineDash([]);
  for (const [px, py] of dots) {
    marker(context, "circle", px, py, 2.6);
    context.fill();
  }
}

// The numbers of the points to draw: those in the range and one on either side.
function visiblePart({x: xs}, {low, high}) {
  if (xs.length === 0) return [0, -1];
  return [Math.max(0, nearest(xs, low) - 1), Math.min(xs.length - 1, nearest(xs, high) + 1)];
}

function drawLine({group, layout}, context, colors, line) {
  const {style, smooth, sparse, light} = line;
  const faded = group.emphasis !== null && group.emphasis !== line.row;
  const part = visiblePart(line, layout.range);
  context.strokeStyle = context.fillStyle = colors.lines[style.ink];
  context.lineWidth = sparse ? 1.9 : 1.5;
  const full = faded ? 0.14 : light ? 0.6 : 1;
  if (smooth) {
    context.globalAlpha = full * 0.28;
    context.lineWidth = 1;
    trace(context, line, line.y, part, layout);
    context.lineWidth = 1.9;
  }
  context.globalAlpha = full;
  context.setLineDash(style.dash);
  trace(context, line, smooth ?? line.y, part, layout);
  const spacing = (layout.x(line.x[part[1]]) - layout.x(line.x[part[0]])) / Math.max(1, part[1] - part[0]);
  if (sparse && (spacing >= 9 || part[1] === part[0])) {
    context.fillStyle = colors.card;
    context.lineWidth = 1.5;
    for (let i = part[0]; i <= part[1]; ++i) drawPoint(context, style.shape, line.x[i], line.y[i], 3, layout);
  }
  for (const {x, y} of line.extra ?? []) {
    context.fillStyle = colors.card;
    context.lineWidth = 2;
    drawPoint(context, "diamond", x, y, 4.5, layout);
  }
  if (line.marksGaps) drawGaps(context, colors, line, part, layout);
  context.globalAlpha = 1;
}

function drawPoint(context, shape, x, y, size, layout) {
  if (!Number.isFinite(y) || (layout.log && y <= 0)) return;
  marker(context, shape, layout.x(x), layout.y(y), size);
  context.fill();
  context.stroke();
}

// Reports without a finite value: crosses at the upper edge.
function drawGaps(context, colors, line, [from, to], {x, box}) {
  context.strokeStyle = colors.error;
  context.lineWidth = 1.5;
  for (let i = from; i <= to; ++i) {
    if (Number.isFinite(line.y[i])) continue;
    marker(context, "cross", x(line.x[i]), box.top, 3);
    context.stroke();
  }
}

// The best value, filled, with its name where there is one line only that has one.
function drawBest({group, lines, layout}, context, colors, line) {
  if (line.best === null || line.best === undefined) return;
  const [x, y] = [line.x[line.best], line.y[line.best]];
  const {range, box, log} = layout;
  if (x < range.low || x > range.high || !Number.isFinite(y) || (log && y <= 0)) return;
  const [px, py] = [layout.x(x), layout.y(y)];
  context.globalAlpha = group.emphasis !== null && group.emphasis !== line.row ? 0.14 : 1;
  context.fillStyle = context.strokeStyle = colors.lines[line.style.ink];
  context.lineWidth = 1.5;
  marker(context, line.style.shape === "cross" ? "square" : line.style.shape, px, py, 4);
  context.fill();
  marker(context, "circle", px, py, 7.5);
  context.stroke();
  if (lines.filter(({best}) => best !== null && best !== undefined).length === 1) {
    const label = line.bestLabel;
    const room = context.measureText(label).width / 2;
    context.textAlign = "center";
    context.fillStyle = colors.ink;
    context.strokeStyle = colors.card;
    context.lineWidth = 4;
    // On the side where the line before it is not.
    const before = layout.y(line.y[Math.max(0, line.best - 1)]);
    const below = py + 24 < box.bottom && (before < py || py - 18 <= box.top);
    const at = [Math.max(box.left + room, Math.min(box.right - room, px)), below ? py + 18 : py - 17];
    context.strokeText(label, ...at);
    context.fillText(label, ...at);
  }
  context.globalAlpha = 1;
}

// The numbers of rows at the ends of their lines, spread so that none covers another; a thin line
// leads to one that is away from its end.
function drawNumbers({group, spec, layout}, context, colors) {
  const {box, range} = layout;
  const ends = spec.rows.flatMap((row, i) => {
    const line = row.lines.findLast((one) => one !== null && one.x.length > 0);
    if (!line || row.number === null) return [];
    const ys = line.smooth ?? line.y;
    let at = nearest(line.x, range.high);
    if (line.x[at] > range.high) --at;
    while (at >= 0 && !(Number.isFinite(ys[at]) && (!layout.log || ys[at] > 0))) --at;
    if (at < 0 || line.x[at] < range.low) return [];
    const [x, y] = [layout.x(line.x[at]), layout.y(ys[at])];
    return [{row: i, text: row.number, ink: row.style.ink, emphasis: line.row, end: [x, y], x: x + 9, y}];
  });
  // Each is as far below those that it would touch as needed, then as far above as there is room.
  const [wide, high] = [18, 14];
  const touching = (end, others) => others.filter(({x}) => Math.abs(x - end.x) < wide);
  ends.sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => { end.y = Math.max(end.y, ...touching(end, ends.slice(0, i)).map(({y}) => y + high)); });
  ends.reverse().forEach((end, i) => { end.y = Math.min(end.y, box.bottom, ...touching(end, ends.slice(0, i)).map(({y}) => y - high)); });
  context.font = `600 11.5px ${colors.font}`;
  context.textAlign = "center";
  const alphaOf = ({emphasis}) => group.emphasis !== null && group.emphasis !== emphasis ? 0.25 : 1;
  context.lineWidth = 1;
  for (const end of ends) {
    if (Math.abs(end.y - end.end[1]) <= 5) continue;
    context.globalAlpha = alphaOf(end);
    context.strokeStyle = colors.lines[end.ink];
    rule(context, ...end.end, end.x - 3, end.y);
  }
  context.lineWidth = 3;
  context.strokeStyle = colors.card;
  for (const end of ends) {
    context.globalAlpha = alphaOf(end);
    context.strokeText(end.text, end.x, end.y);
    context.fillStyle = colors.lines[end.ink];
    context.fillText(end.text, end.x, end.y);
  }
  context.globalAlpha = 1;
}

// What the plot cannot show, in words.
function drawNote({spec, lines, note, layout}) {
  const gaps = lines.filter(({marksGaps}) => marksGaps).reduce((sum, {y}) => sum + y.filter((value) => !Number.isFinite(value)).length, 0);
  const hidden = layout.log ? lines.reduce((sum, {y}) => sum + y.filter((value) => value <= 0).length, 0) : 0;
  const notes = [];
  if (gaps > 0) notes.push(text("chart_gaps", {count: whole(gaps)}));
  if (hidden > 0) notes.push(text("chart_log_gaps", {count: whole(hidden)}));
  if (layout.values.cut) notes.push(text("chart_cut", {value: spec.format(layout.values.cut)}));
  note.textContent = [...notes, ...(spec.notes ?? [])].join(" ");
}

// The cursor: a line at its place, a dot on each line of the chart, and the part being zoomed to.
function drawCursor(chart) {
  const {group, lines, layout, width, height, dragged} = chart;
  if (!layout || !chart.seen || chart.plot.hidden) return listPlace(chart);
  const colors = colorsOf(group);
  const context = chart.cursor.context;
  context.clearRect(0, 0, width, height);
  const {box, range, log} = layout;
  if (dragged) {
    const [from, to] = [dragged.from, dragged.to].sort((a, b) => a - b);
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.14;
    context.fillRect(from, box.top - 6, to - from, box.bottom - box.top + 6);
    context.globalAlpha = 1;
  }
  listPlace(chart);
  if (group.at === null || group.at < range.low || group.at > range.high) return;
  const at = Math.round(layout.x(group.at)) + 0.5;
  context.strokeStyle = colors.muted;
  context.lineWidth = 1;
  rule(context, at, box.top - 6, at, box.bottom);
  for (const line of lines) {
    const i = pointAt(line, group.at, range);
    const y = (line.smooth ?? line.y)[i];
    if (i < 0 || line.x[i] < range.low || line.x[i] > range.high || !Number.isFinite(y) || (log && y <= 0)) continue;
    context.globalAlpha = group.emphasis !== null && group.emphasis !== line.row ? 0.2 : 1;
    context.fillStyle = colors.card;
    context.strokeStyle = colors.lines[line.style.ink];
    context.lineWidth = 2;
    marker(context, "circle", layout.x(line.x[i]), layout.y(y), 4);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
}
