"use strict";
// Heat maps: matrices as pictures in the colours of the style sheet, with labelled rows and columns.

let heat = null;  // 256 colours of the scale from 0, and 511 of differences from -1 to 1, as [r, g, b]

// Colours as bytes, by way of a canvas: style sheets may name them in any colour space.
function bytesOf(colors) {
  const canvas = element("canvas", {width: colors.length, height: 1});
  const context = canvas.getContext("2d", {willReadFrequently: true});
  colors.forEach((color, i) => {
    context.fillStyle = color;
    context.fillRect(i, 0, 1, 1);
  });
  const {data} = context.getImageData(0, 0, colors.length, 1);
  return colors.map((_, i) => [data[4 * i], data[4 * i + 1], data[4 * i + 2]]);
}

function ramp(stops, count) {
  return Array.from({length: count}, (_, i) => {
    const at = i / (count - 1) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    return stops[low].map((value, channel) => Math.round(value + (stops[low + 1][channel] - value) * (at - low)));
  });
}

function readHeat() {
  const [h0, h1, h2, h3, h4, against, accent, ink, card] =
      bytesOf(inks("--heat-0", "--heat-1", "--heat-2", "--heat-3", "--heat-4", "--against", "--accent", "--text", "--card"));
  heat = {scale: ramp([h0, h1, h2, h3, h4], 256), two: ramp([against, h0, accent], 511), ink: `rgb(${ink})`, card: `rgb(${card})`};
}

// A matrix as a picture of one pixel for each weight.
function pictureOf({rows, columns, values}, most, signed = false) {
  const canvas = element("canvas", {width: columns, height: rows});
  const context = canvas.getContext("2d");
  const picture = context.createImageData(columns, rows);
  const colors = signed ? heat.two : heat.scale;
  for (let i = 0; i < rows * columns; ++i) {
    const part = signed ? (values[i] / most + 1) / 2 : values[i] / most;
    const color = colors[Math.round(Math.max(0, Math.min(1, part)) * (colors.length - 1))];
    picture.data.set(color, 4 * i);
    picture.data[4 * i + 3] = 255;
  }
  context.putImageData(picture, 0, 0);
  return canvas;
}

// A map is {matrix: {rows, columns, values}, most, signed, rowNames, columnNames, cell, canvas,
// picture}: `most` is the value at the end of the scale, `cell` {row, column} or null.
function measureMap(map) {
  const {rows, columns} = map.matrix;
  const room = map.canvas.parentElement.clientWidth;
  map.left = Math.min(110, Math.max(56, room * 0.22));
  map.top = 78;
  map.size = Math.max(1.5, Math.min(30, (room - map.left - 2) / columns, 640 / Math.min(rows, 2 * columns)));
  map.size = Math.min(map.size, (room - map.left - 2) / columns);
  map.context = sized(map.canvas, Math.floor(map.left + map.size * columns + 2), Math.ceil(map.top + map.size * rows + 2));
  drawMap(map);
}

function drawMap(map) {
  const {context, matrix: {rows, columns}, left, top, size, picture, cell} = map;
  context.clearRect(0, 0, left + size * columns + 2, top + size * rows + 2);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, size * columns, size * rows);
  if (map.signed && size >= 6) hollowNegatives(map);
  context.strokeStyle = heat.ink;
  context.globalAlpha = 0.25;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, size * columns + 1, size * rows + 1);
  context.globalAlpha = 1;
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = heat.ink;
  context.textBaseline = "middle";
  labelRows(map);
  labelColumns(map);
  if (cell) {
    context.lineWidth = 2;
    context.strokeRect(left + cell.column * size - 1, top + cell.row * size - 1, size + 2, size + 2);
  }
}

// In a difference, what the second head has more of is hollow: the sign shows without colour.
function hollowNegatives({context, matrix: {rows, columns, values}, left, top, size}) {
  context.fillStyle = heat.card;
  for (let i = 0; i < rows * columns; ++i) {
    if (values[i] > -0.02) continue;
    const inset = Math.max(2, size * 0.28);
    context.fillRect(left + (i % columns) * size + inset, top + Math.floor(i / columns) * size + inset, size - 2 * inset, size - 2 * inset);
  }
}

// Labels where there is room for one, and always that of the cell pointed at.
const labelled = (i, size, at) => i === at || (i % Math.ceil(13 / size) === 0 && (at === undefined || Math.abs(i - at) * size >= 13));

function labelRows(map) {
  const {context, left, top, size, matrix: {rows}, cell} = map;
  context.textAlign = "right";
  for (let i = 0; i < rows; ++i) {
    if (!labelled(i, size, cell?.row)) continue;
    context.globalAlpha = cell && cell.row !== i ? 0.5 : 1;
    context.fillText(fitted(map, map.rowNames[i], left - 10), left - 6, top + (i + 0.5) * size);
  }
  context.globalAlpha = 1;
}

// A label of a few Chinese, Japanese or Korean characters stands upright, others are turned.
const standsUpright = (name) => /^[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]{1,5}$/.test(name);

function labelColumns(map) {
  const {context, left, top, size, matrix: {columns}, cell} = map;
  context.textAlign = "left";
  for (let i = 0; i < columns; ++i) {
    if (!labelled(i, size, cell?.column)) continue;
    context.globalAlpha = cell && cell.column !== i ? 0.5 : 1;
    if (standsUpright(map.columnNames[i])) {
      context.textAlign = "center";
      [...map.columnNames[i]].reverse().forEach((character, k) => context.fillText(character, left + (i + 0.5) * size, top - 12 - 13 * k));
      context.textAlign = "left";
      continue;
    }
    context.save();
    context.translate(left + (i + 0.5) * size, top - 6);
    context.rotate(-Math.PI / 2);
    context.fillText(fitted(map, map.columnNames[i], top - 10), 0, 0);
    context.restore();
  }
  context.globalAlpha = 1;
}

// A name, cut to this width. Isolated, so that it turns nothing around.
function fitted(map, name, width) {
  map.fitted ??= new Map();
  const key = width + " " + name;
  if (!map.fitted.has(key)) {
    let label = shortened(name, 24);
    while (map.context.measureText(label).width > width && label.length > 2) label = [...label].slice(0, -2).join("") + "…";
    map.fitted.set(key, "\u2068" + label + "\u2069");
  }
  return map.fitted.get(key);
}

// The cell of a map under the pointer, or null.
function cellUnder({canvas, left, top, size, matrix: {rows, columns}}, event) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.x - left) / size);
  const row = Math.floor((event.clientY - box.y - top) / size);
  return row >= 0 && row < rows && column >= 0 && column < columns ? {row, column} : null;
}
