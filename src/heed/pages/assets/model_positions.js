"use strict";
// Positions and masks as pictures.

// The pixels that a picture may be wide.
const pictureRoom = () => Math.min(520, document.getElementById("position-pictures").parentElement.clientWidth);

const captionOf = (title, caption) => element("figcaption", {}, element("b", {}, title), caption === "" ? "" : " " + caption);

// A matrix as a canvas of `size` pixels a value, with lines between these, and a caption.
function matrixFigure({rows, columns, values}, {most = 1, size, title, caption}) {
  const canvas = element("canvas", {role: "img", "aria-label": caption === "" ? title : title + ". " + caption});
  const context = sized(canvas, columns * size, rows * size);
  context.imageSmoothingEnabled = false;
  context.drawImage(pictureOf({rows, columns, values}, most), 0, 0, columns * size, rows * size);
  context.strokeStyle = inks("--line")[0];
  context.beginPath();
  for (let column = 1; column < columns; ++column) {
    context.moveTo(column * size, 0);
    context.lineTo(column * size, rows * size);
  }
  for (let row = 1; row < rows; ++row) {
    context.moveTo(0, row * size);
    context.lineTo(columns * size, row * size);
  }
  context.stroke();
  return element("figure", {}, canvas, captionOf(title, caption));
}

// A matrix of positions and dimensions with numbered axes and its scale, from -most to most.
function positionFigure({rows, columns, values}, {most = 1, columnsInAll = columns, columnName, title, caption}) {
  const canvas = element("canvas", {role: "img", "aria-label": title + ". " + caption});
  const [left, below] = [34, 18];
  const across = Math.min(columns < 40 ? 12 : 6, (pictureRoom() - left - 12) / columns);
  const down = Math.min(4, 384 / rows);
  const context = sized(canvas, left + across * columns + 12, down * rows + below + 5);
  const [muted] = inks("--muted");
  context.imageSmoothingEnabled = across < 1 || down < 1;
  context.drawImage(pictureOf({rows, columns, values}, most, true), left, 5, across * columns, down * rows);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of linearTicks(0, rows - 1, 4)) context.fillText(whole(tick), left - 6, 5 + (tick + 0.5) * down);
  context.textAlign = "center";
  const bottom = 5 + down * rows;
  for (const tick of linearTicks(0, columnsInAll - 1, Math.min(4, columns * across / 60)))
    context.fillText(whole(tick), left + (tick / columnsInAll * columns + 0.5) * across, bottom + 10);
  const names = element("p", {class: "small"}, text("position") + text("list_separator") + columnName);
  const legend = element("p", {class: "legend"}, shortNumber(-most), element("i", {class: "two", "aria-hidden": "true"}), shortNumber(most));
  return element("figure", {}, canvas, names, legend, captionOf(title, caption));
}

const matrixOf = (rows, columns, valueAt) => ({rows, columns,
  values: Float32Array.from({length: rows * columns}, (_, i) => valueAt(Math.floor(i / columns), i % columns))});

// How the lines of one picture differ, in grey as well.
const lineDashes = ["", "7 3", "2 3", "9 3 2 3"];
const lineStyle = (i, count) => ({"stroke-dasharray": lineDashes[i % lineDashes.length], style: `opacity: ${count > 1 ? 1 - 0.6 * i / (count - 1) : 1}`});

function lineLegend(names) {
  return element("ul", {class: "line-legend"}, ...names.map((name, i) => element("li", {},
      drawn("svg", {viewBox: "0 0 30 8", "aria-hidden": "true"}, drawn("line", {x1: 0, x2: 30, y1: 4, y2: 4, ...lineStyle(i, names.length)})), name)));
}

// Lines over x, each a list of values with null for none. `points`: the values are of things that
// have no order between them, and are not joined. `names` are those of the lines.
function linesFigure(lines, {first, title, caption = "", xName, dot = false, points = false, names = []}) {
  const finite = lines.flat().filter((value) => value !== null);
  const ticks = linearTicks(Math.min(0, ...finite), Math.max(...finite, 1e-9), 4);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  const low = Math.min(ticks[0], Math.floor(Math.min(0, ...finite) / step + 1e-9) * step);
  const high = Math.ceil(Math.max(...finite) / step - 1e-9) * step;
  const [width, height] = [Math.min(480, pictureRoom()), 200];
  const count = lines[0].length;
  const x = scaleOf({low: first, high: first + count - 1, from: points ? 60 : 46, to: width - (points ? 22 : 8)});
  const y = scaleOf({low, high, from: height - 38, to: 10});
  const label = caption ? title + ". " + caption : title;
  const picture = drawn("svg", {class: "line-picture", viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": label});
  for (const tick of linearTicks(low, high, 5))
    picture.append(drawn("line", {class: "grid", x1: 46, x2: width - 8, y1: y(tick), y2: y(tick)}),
        drawn("text", {x: 40, y: y(tick) + 4, "text-anchor": "end"}, shortNumber(tick)));
  for (const tick of linearTicks(first, first + count - 1, Math.min(6, count)).filter(Number.isInteger))
    picture.append(drawn("text", {x: x(tick), y: height - 20, "text-anchor": "middle"}, shortNumber(tick)));
  picture.append(drawn("text", {x: width - 8, y: height - 4, "text-anchor": "end"}, xName));
  lines.forEach((line, i) => {
    const places = line.map((value, at) => value === null ? null : `${x(first + at).toFixed(1)},${y(value).toFixed(1)}`);
    if (!points) picture.append(drawn("polyline", {points: places.filter(Boolean).join(" "), ...lineStyle(i, lines.length)}));
    if (dot || points) line.forEach((value, at) => value !== null && picture.append(drawn("circle", {cx: x(first + at), cy: y(value), r: points ? 4 : 2.5})));
  });
  const figure = element("figure", {}, picture);
  if (names.length > 1) figure.append(lineLegend(names));
  if (caption) figure.append(captionOf(title, caption));
  return figure;
}

const shownPositions = 64;

function sinusoidFigure() {
  const {d_model: width} = page.model;
  const half = Math.floor(width / 2);
  const columns = Math.min(width, 256);
  const matrix = matrixOf(shownPositions, columns, (position, column) => {
    const dimension = Math.floor(column * width / columns);
    const angle = position / 10000 ** (2 * (dimension % half) / width);
    return dimension < half ? Math.sin(angle) : Math.cos(angle);
  });
  return positionFigure(matrix, {columnsInAll: width, columnName: text("dimension"), title: text("positional_encoding"), caption: text("sinusoids_caption")});
}

function rotaryFigure() {
  const pairs = Math.floor(page.configuration.d_key / 2);
  const matrix = matrixOf(shownPositions, pairs, (position, pair) => Math.cos(position / 10000 ** (2 * pair / page.configuration.d_key)));
  return positionFigure(matrix, {columnName: text("pair"), title: text("positional_encoding"), caption: text("rotary_caption")});
}

async function learnedFigure(stack, number) {
  const block = await readBlock(number);
  const {rows, columns, most, numbers} = block;
  const matrix = {rows, columns, values: Float32Array.from(numbers, (value) => value / 32767 - 1)};
  return positionFigure(matrix, {most, columnName: text("dimension"), title: text(stack), caption: text("learned_caption")});
}

// A line for each layer or head over the distances of keys. The decoder sees no later positions.
function distancesFigure(lines, {stack, caption, nameOf}) {
  const reach = (lines[0].length - 1) / 2;
  const seen = stack === "decoder" ? lines.map((line) => line.slice(0, reach + 1)) : lines;
  return linesFigure(seen, {first: -reach, title: text(stack), caption, xName: text("offset"), names: lines.map((_, i) => nameOf(i + 1))});
}

async function positionFigures() {
  const {positions} = page;
  switch (page.variants.positions) {
    case "sinusoidal": return ["sinusoids", [sinusoidFigure()]];
    case "rotary": return ["rotary", [rotaryFigure()]];
    case "alibi": return ["alibi", [linesFigure([positions.slopes], {first: 1, title: text("slope"), caption: text("alibi_caption"), xName: text("head_name"), points: true})]];
    case "learned": return ["learned", await Promise.all(Object.entries(positions.learned ?? {}).map(([stack, block]) => learnedFigure(stack, block)))];
    case "t5": return ["t5", Object.entries(positions.bias ?? {}).map(([stack, heads]) =>
        distancesFigure(heads, {stack, caption: text("t5_caption"), nameOf: (head) => text("head", {head})}))];
    case "relative": return ["relative", Object.entries(positions.relative ?? {}).map(([stack, {keys}]) =>
        distancesFigure(keys, {stack, caption: text("relative_caption"), nameOf: (layer) => text("layer", {layer})}))];
    default: return ["none_positions", []];
  }
}

async function drawPositions() {
  const [lead, figures] = await positionFigures();
  document.getElementById("positions-lead").textContent = text(lead);
  document.getElementById("position-pictures").replaceChildren(...figures);
}

function drawMasks() {
  const length = 12;
  const size = pictureRoom() < 400 ? 12 : 14;
  const {window} = page.configuration;
  const reach = page.variants.attention_reach;
  const local = reach.startsWith("local:");
  const within = (query, key) => !local || Math.abs(query - key) <= window;
  const caption = local ? text("mask_window", {window: whole(window)}) : "";
  const figure = (title, sees, note) => matrixFigure(matrixOf(length, length, (query, key) => sees(query, key) ? 0.75 : 0), {size, title: text(title), caption: note});
  const predicted = reach.startsWith("local-p:") ? text("mask_predicted", {window: whole(window)}) : caption;
  document.getElementById("mask-pictures").replaceChildren(
      figure("mask_encoder", within, caption),
      figure("mask_decoder", (query, key) => key <= query && within(query, key), caption),
      figure("mask_cross", within, predicted));
  document.getElementById("masks-lead").textContent = text("masks_lead") + (reach === "hard" ? text("masks_hard") : "");
}
