"use strict";
// Positions and masks as pictures.

// A matrix as a canvas of `size` pixels a value, with a caption.
function matrixFigure({rows, columns, values}, {signed = false, most = 1, size, title, caption}) {
  const picture = pictureOf({rows, columns, values}, most, signed);
  const canvas = element("canvas", {role: "img", "aria-label": title + ". " + caption});
  const context = sized(canvas, columns * size, rows * size);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0, columns * size, rows * size);
  canvas.style.height = "auto";
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  return element("figure", {}, canvas, element("figcaption", {}, element("b", {}, title), " ", caption));
}

const matrixOf = (rows, columns, valueAt) => ({rows, columns,
  values: Float32Array.from({length: rows * columns}, (_, i) => valueAt(Math.floor(i / columns), i % columns))});

// Lines over x, each a list of values with null for none.
function linesFigure(lines, {first, title, caption, xName, dot = false}) {
  const finite = lines.flat().filter((value) => value !== null);
  const low = Math.min(0, ...finite);
  const high = Math.max(...finite, low + 1e-9);
  const [width, height] = [460, 190];
  const count = lines[0].length;
  const x = scaleOf({low: first, high: first + count - 1, from: 40, to: width - 8});
  const y = scaleOf({low, high, from: height - 34, to: 10});
  const picture = drawn("svg", {class: "line-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title + ". " + caption});
  for (const tick of linearTicks(low, high, 4))
    picture.append(drawn("line", {x1: 40, x2: width - 8, y1: y(tick), y2: y(tick)}),
        drawn("text", {x: 34, y: y(tick) + 4, "text-anchor": "end"}, shortNumber(tick)));
  for (const tick of linearTicks(first, first + count - 1, 6))
    picture.append(drawn("text", {x: x(tick), y: height - 18, "text-anchor": "middle"}, shortNumber(tick)));
  picture.append(drawn("text", {x: width - 8, y: height - 3, "text-anchor": "end"}, xName));
  lines.forEach((line, i) => {
    const points = line.map((value, at) => value === null ? null : `${x(first + at).toFixed(1)},${y(value).toFixed(1)}`);
    picture.append(drawn("polyline", {points: points.filter(Boolean).join(" "), style: `opacity: ${lines.length > 1 ? 0.35 + 0.65 * i / (lines.length - 1) : 1}`}));
    if (dot) line.forEach((value, at) => value !== null && picture.append(drawn("circle", {cx: x(first + at), cy: y(value), r: 2.5})));
  });
  return element("figure", {}, picture, element("figcaption", {}, element("b", {}, title), " ", caption));
}

const shownPositions = 64;

function sinusoidFigure() {
  const {d_model: width} = page.model;
  const half = Math.floor(width / 2);
  const columns = Math.min(width, 512);
  const matrix = matrixOf(shownPositions, columns, (position, column) => {
    const dimension = Math.floor(column * width / columns);
    const angle = position / 10000 ** (2 * (dimension % half) / width);
    return dimension < half ? Math.sin(angle) : Math.cos(angle);
  });
  return matrixFigure(matrix, {signed: true, size: Math.max(1, Math.min(4, 480 / columns)), title: text("positional_encoding"), caption: text("sinusoids_caption", {d_model: whole(width)})});
}

function rotaryFigure() {
  const pairs = Math.floor(page.configuration.d_key / 2);
  const matrix = matrixOf(shownPositions, pairs, (position, pair) => Math.cos(position / 10000 ** (2 * pair / page.configuration.d_key)));
  return matrixFigure(matrix, {signed: true, size: Math.max(3, Math.min(8, 400 / pairs)), title: text("positional_encoding"), caption: text("rotary_caption")});
}

const stackName = (stack) => text(stack);

async function learnedFigure(stack, number) {
  const block = await readBlock(number);
  const {rows, columns, most, numbers} = block;
  const matrix = {rows, columns, values: Float32Array.from(numbers, (value) => value / 32767 - 1)};
  return matrixFigure(matrix, {signed: true, size: Math.max(1, Math.min(3, 480 / columns)), title: text("learned"),
    caption: text("learned_caption", {stack: stackName(stack), low: shortNumber(-most), high: shortNumber(most)})});
}

async function positionFigures() {
  const {positions} = page;
  switch (page.variants.positions) {
    case "sinusoidal": return ["sinusoids", [sinusoidFigure()]];
    case "rotary": return ["rotary", [rotaryFigure()]];
    case "alibi": return ["alibi", [linesFigure([positions.slopes], {first: 1, title: text("slope"), caption: text("alibi"), xName: text("heads_count"), dot: true})]];
    case "learned": return ["learned", await Promise.all(Object.entries(positions.learned ?? {}).map(([stack, block]) => learnedFigure(stack, block)))];
    case "t5": return ["t5", Object.entries(positions.bias ?? {}).map(([stack, heads]) =>
        linesFigure(heads, {first: -(heads[0].length - 1) / 2, title: stackName(stack), caption: text("t5_caption", {stack: stackName(stack)}), xName: text("offset")}))];
    case "relative": return ["relative", Object.entries(positions.relative ?? {}).map(([stack, {keys}]) =>
        linesFigure(keys, {first: -(keys[0].length - 1) / 2, title: stackName(stack), caption: text("relative_caption", {stack: stackName(stack)}), xName: text("offset")}))];
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
  const {window} = page.configuration;
  const local = page.variants.attention_reach !== "global" && window > 0;
  const within = (query, key) => !local || Math.abs(query - key) <= window;
  const caption = local ? text("mask_window", {window: whole(window)}) : text("mask_caption");
  const figure = (title, sees, note) => matrixFigure(matrixOf(length, length, (query, key) => sees(query, key) ? 0.75 : 0), {size: 14, title: text(title), caption: note});
  document.getElementById("mask-pictures").replaceChildren(
      figure("mask_encoder", within, caption),
      figure("mask_decoder", (query, key) => key <= query && within(query, key), caption),
      figure("mask_cross", () => true, text("mask_caption")));
}
