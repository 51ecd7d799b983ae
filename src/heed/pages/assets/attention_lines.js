"use strict";
// The view "lines": queries and keys as two columns, and between them a line for each weight, which
// is the more opaque the larger it is. All lines are drawn once for a choice of layer and heads; a token under the
// pointer is drawn on a second canvas, so that pointing costs one row of the weights.

const faintest = 0.02;  // lines of a lower opacity are not drawn: they cannot be seen
const stripWidth = 12;  // of a head's squares beside the columns
const pointed = {side: null, index: -1};  // the token under the pointer or the keyboard
let pinned = null;                        // the token that a click keeps: {side, index}
let drawing = null;                       // what is drawn: see drawLines()

// A hue for each head, far from its neighbours'. Numbers say which head it is.
const headHues = [190, 45, 300, 130, 255, 15, 85, 340];
const headInk = (head) => {
  const [light, chroma] = head < 8 ? [52, 0.13] : [42, 0.09];
  return `light-dark(oklch(${light}% ${chroma} ${headHues[head % 8]}), oklch(${light + 27}% ${chroma} ${headHues[head % 8]}))`;
};

const activeHeads = () => [...shown.heads].sort((a, b) => a - b);

// The heads as switches.
function drawHeads(block) {
  const [, count] = block.shape[shown.kind];
  shown.heads = new Set([...shown.heads].filter((head) => head < count));
  if (shown.heads.size === 0) for (let head = 0; head < count; ++head) shown.heads.add(head);
  const chips = Array.from({length: count}, (_, head) => {
    const chip = element("button", {type: "button", class: "head", "data-head": head, title: text("head_title"),
      "aria-label": text("head", {head: head + 1})}, String(head + 1));
    chip.style.setProperty("--head", headInk(head));
    return chip;
  });
  const choice = (name) => element("button", {type: "button", class: "head all", "data-head": name, title: text(name + "_title")}, text(name));
  document.getElementById("heads").replaceChildren(
      element("span", {class: "small", "aria-hidden": "true"}, text("heads")), choice("mean"), ...chips, choice("each"));
  markHeads();
}

const isEach = () => !shown.mean && shown.heads.size === shown.block.shape[shown.kind][1];

function markHeads() {
  for (const chip of document.querySelectorAll("#heads .head")) {
    const name = chip.dataset.head;
    const on = name === "mean" ? shown.mean : name === "each" ? isEach() : !shown.mean && shown.heads.has(Number(name));
    chip.setAttribute("aria-pressed", String(on));
  }
}

// A click leaves a head alone, or, if it is alone, returns to the mean of all; with Ctrl or Shift it
// adds a head to those shown, or takes it away.
function chooseHeads(name, adds) {
  const [, count] = shown.block.shape[shown.kind];
  const head = Number(name);
  const all = Array.from({length: count}, (_, other) => other);
  const some = shown.mean ? [] : activeHeads();
  const next = name === "mean" || name === "each" ? all
      : adds ? (some.includes(head) ? some.filter((other) => other !== head) : [...some, head])
      : some.length === 1 && some[0] === head ? [] : [head];
  shown.mean = name === "mean" || next.length === 0;
  shown.heads = new Set(shown.mean ? all : next);
  markHeads();
  drawLines(shown.block);
}

// The weights of the heads that are shown, with their labels and inks.
const matricesOf = (block) => activeHeads().map((head) => ({
  label: String(head + 1), ink: headInk(head), ...weightsOf(block, shown.kind, shown.layer, head, shown.unit),
}));

function drawLines(block) {
  const {queries, keys} = sidesOf(block, shown.kind, shown.unit);
  const matrices = matricesOf(block);
  // The layers of lines to draw.
  const strands = shown.mean ? [{label: text("mean"), ink: "--accent", ...meanOf(matrices)}] : matrices;
  const resolved = inks(...strands.map(({ink}) => ink));
  strands.forEach((strand, i) => { strand.color = resolved[i]; });
  const row = Math.max(queries.length, keys.length) > 60 ? 21 : 28;
  const most = Math.max(1e-6, ...strands.map(({values}) => largest(values)));
  drawing = {queries, keys, matrices, strands, row, height: row * Math.max(queries.length, keys.length),
             all: meanOf(strands), opacity: (weight) => (weight / most) ** 1.5};
  const columns = document.getElementById("columns");
  columns.style.setProperty("--row", row + "px");
  columns.classList.toggle("alone", strands.length === 1);  // the shades of the tokens say as much as a strip
  columns.style.setProperty("--strips", strands.length > 1 ? strands.length * stripWidth + 4 + "px" : "0");
  document.getElementById("query-head").textContent = text("query_" + shown.kind);
  document.getElementById("key-head").textContent = text("key_" + shown.kind);
  fillColumn("queries", queries);
  fillColumn("keys", keys);
  pointed.side = null;
  measureLines();
}

function fillColumn(id, units) {
  const place = document.getElementById(id);
  place.replaceChildren(...units.map((unit, i) => {
    const label = named(unit);
    const token = element("button", {type: "button", class: "weight-token", tabindex: i === 0 ? 0 : -1,
      "data-index": i, "aria-pressed": "false", title: label}, element("bdi", {}, ...visibleNodes(shortened(unit.text, 40))));
    return token;
  }));
}

// Gives the canvases their sizes, and draws. Also after the window changed its width.
function measureLines() {
  if (!drawing || document.getElementById("lines-view").hidden) return;
  const between = document.querySelector(".between");
  drawing.width = between.clientWidth;
  drawing.lines = sized(document.getElementById("all-lines"), drawing.width, drawing.height);
  drawing.one = sized(document.getElementById("one-token"), drawing.width, drawing.height);
  for (const side of ["query", "key"]) {
    const canvas = document.getElementById(side + "-strip");
    drawing[side + "Strip"] = canvas.offsetParent === null ? null :
        sized(canvas, drawing.strands.length * stripWidth, drawing.height);
    const head = document.getElementById(side + "-strip-head");
    head.replaceChildren();
  }
  drawAllLines();
  drawPointed();
}

// Where a strand's line ends at a row: strands lie beside each other, so that none hides another.
const endOf = (row, strand) =>
    row * drawing.row + drawing.row / 2 + (strand - (drawing.strands.length - 1) / 2) * Math.min(2, 12 / drawing.strands.length);

function addLine(context, query, key, strand) {
  const from = endOf(query, strand);
  const to = endOf(key, strand);
  const {width} = drawing;
  context.moveTo(2, from);
  context.bezierCurveTo(width * 0.45, from, width * 0.55, to, width - 2, to);
}

// Lines of nearly the same opacity are one path: thousands of strokes become a few dozen.
function drawAllLines() {
  const {lines, strands, width, height, opacity} = drawing;
  lines.clearRect(0, 0, width, height);
  lines.lineWidth = 1.5;
  const steps = 24;
  strands.forEach(({rows, columns, values, color}, strand) => {
    const paths = new Map();
    for (let i = 0; i < rows * columns; ++i) {
      const shade = opacity(values[i]);
      if (shade < faintest) continue;
      const step = Math.ceil(shade * steps);
      if (!paths.has(step)) paths.set(step, []);
      paths.get(step).push(i);
    }
    lines.strokeStyle = color;
    for (const [step, members] of paths) {
      lines.globalAlpha = Math.min(1, step / steps);
      // Short paths: a path of many crossing lines is slow to fill.
      for (let begin = 0; begin < members.length; begin += 64) {
        lines.beginPath();
        for (const i of members.slice(begin, begin + 64)) addLine(lines, Math.floor(i / columns), i % columns, strand);
        lines.stroke();
      }
    }
  });
  lines.globalAlpha = 1;
}

// The token that is isolated: the pinned one, else the one pointed at.
const isolated = () => pinned ?? (pointed.side ? pointed : null);

// The weight between an isolated token and the token `other` of the other side.
const weightAt = ({columns, values}, {side, index}, other) =>
    side === "queries" ? values[index * columns + other] : values[other * columns + index];

function drawPointed() {
  const token = isolated();
  const {one, width, height, strands} = drawing;
  one.clearRect(0, 0, width, height);
  document.querySelector(".between").classList.toggle("isolated", token !== null);
  markColumns(token);
  drawStrips(token);
  drawLinesReadout(token);
  if (!token) return;
  const count = (token.side === "queries" ? drawing.keys : drawing.queries).length;
  one.lineWidth = 2;
  strands.forEach((strand, number) => {
    one.strokeStyle = strand.color;
    for (let other = 0; other < count; ++other) {
      const weight = weightAt(strand, token, other);
      // The lines of one token are few: they differ by the weights themselves.
      if (weight < faintest / 2) continue;
      one.globalAlpha = Math.min(1, Math.max(weight, drawing.opacity(weight)));
      one.beginPath();
      if (token.side === "queries") addLine(one, token.index, other, number);
      else addLine(one, other, token.index, number);
      one.stroke();
    }
  });
  one.globalAlpha = 1;
}

// Shades the tokens of the other side by the weight, averaged over the heads shown.
function markColumns(token) {
  for (const side of ["queries", "keys"]) {
    const buttons = document.getElementById(side).children;
    for (let i = 0; i < buttons.length; ++i) {
      const here = token?.side === side && token.index === i;
      const weight = token && token.side !== side ? weightAt(drawing.all, token, i) : 0;
      const wanted = weight >= faintest ? weight.toFixed(3) : "";
      if (buttons[i].dataset.weight !== wanted) {
        buttons[i].dataset.weight = wanted;
        buttons[i].style.setProperty("--weight", wanted || 0);
      }
      buttons[i].classList.toggle("at", here);
      const pressed = String(pinned !== null && here);
      if (buttons[i].getAttribute("aria-pressed") !== pressed) buttons[i].setAttribute("aria-pressed", pressed);
    }
  }
}

// Beside the other side's tokens, a column of squares for each head: the area is the weight.
function drawStrips(token) {
  for (const side of ["query", "key"]) {
    const strip = drawing[side + "Strip"];
    const heading = document.getElementById(side + "-strip-head");
    const here = token && (side === "query") === (token.side === "keys");
    heading.hidden = !here;
    if (!strip) continue;
    strip.clearRect(0, 0, drawing.strands.length * stripWidth, drawing.height);
    if (!here) continue;
    if (heading.childElementCount === 0)
      heading.append(...drawing.strands.map(({label}) => element("span", {}, label)));
    const count = (side === "query" ? drawing.queries : drawing.keys).length;
    drawing.strands.forEach((strand, number) => {
      strip.fillStyle = strand.color;
      for (let other = 0; other < count; ++other) {
        const size = Math.sqrt(Math.min(1, weightAt(strand, token, other))) * (stripWidth - 2);
        if (size < 1) continue;
        strip.fillRect((number + 0.5) * stripWidth - size / 2, (other + 0.5) * drawing.row - size / 2, size, size);
      }
    });
  }
}

function drawLinesReadout(token) {
  const place = document.getElementById("lines-readout");
  if (!token) return place.replaceChildren(element("span", {class: "muted"}, text("lines_help")));
  const own = drawing[token.side][token.index];
  const others = token.side === "queries" ? drawing.keys : drawing.queries;
  const pair = pinned && pointed.side && pointed.side !== pinned.side ? others[pointed.index] : null;
  if (pair) return place.replaceChildren(...pairReadout(token, own, pair));
  const weights = others.map((unit, i) => [weightAt(drawing.all, token, i), unit]).sort((a, b) => b[0] - a[0]).slice(0, 5);
  const heads = shown.mean ? text("mean_of_all") : drawing.strands.length > 1 ? text("mean_of", {heads: activeHeads().map((head) => head + 1).join(", ")})
      : text("head", {head: activeHeads()[0] + 1});
  place.replaceChildren(element("bdi", {class: "name"}, named(own)), " ",
      element("span", {class: "muted"}, text(token.side === "queries" ? "attends_to" : "attended_by", {heads})), " ",
      ...weights.flatMap(([weight, unit], i) => [i > 0 ? " · " : "", element("bdi", {}, named(unit)), " ", element("b", {}, fixed(weight, 4))]));
}

// The weight between a pinned token and the one pointed at, for each head.
function pairReadout(token, own, pair) {
  const [query, key] = token.side === "queries" ? [own, pair] : [pair, own];
  return [element("bdi", {class: "name"}, named(query)), " → ", element("bdi", {class: "name"}, named(key)), " ",
    ...drawing.matrices.flatMap((matrix) => [
      element("span", {class: "muted"}, " · " + text("head", {head: matrix.label}) + " "),
      element("b", {}, fixed(weightAt(matrix, token, pointed.index), 4))])];
}

function pointAt(side, index) {
  if (pointed.side === side && pointed.index === index) return;
  pointed.side = side;
  pointed.index = index;
  if (drawing) drawPointed();
}

function pin(side, index) {
  const again = pinned && pinned.side === side && pinned.index === index;
  pinned = again || side === null ? null : {side, index};
  pointed.side = side;
  pointed.index = index;
  drawPointed();
}

function startLines() {
  for (const side of ["queries", "keys"]) {
    const place = document.getElementById(side);
    const indexOf = (event) => Number(event.target.closest(".weight-token")?.dataset.index ?? -1);
    const point = (event) => { if (indexOf(event) >= 0) pointAt(side, indexOf(event)); };
    place.addEventListener("pointerover", point);
    place.addEventListener("focusin", (event) => {
      point(event);
      announce(document.getElementById("lines-readout").textContent);
    });
    place.addEventListener("click", (event) => { if (indexOf(event) >= 0) pin(side, indexOf(event)); });
    place.addEventListener("pointerleave", () => pointAt(null, -1));
    place.addEventListener("focusout", () => pointAt(null, -1));
    roving(place, () => [...place.children], (key) => ({
      ArrowDown: (i) => i + 1, ArrowUp: (i) => i - 1, Home: () => 0, End: (i, count) => count - 1,
    })[key]);
  }
  const columns = document.getElementById("columns");
  columns.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && pinned) {
      pin(null, -1);
      event.preventDefault();
    }
    const to = {ArrowRight: "keys", ArrowLeft: "queries"}[event.key];
    if (!to) return;
    event.preventDefault();
    document.querySelector(`#${to} [tabindex="0"]`)?.focus();
  });
  const heads = document.getElementById("heads");
  heads.addEventListener("click", (event) => {
    const name = event.target.closest("[data-head]")?.dataset.head;
    if (name !== undefined) chooseHeads(name, event.ctrlKey || event.metaKey || event.shiftKey);
  });
  new ResizeObserver(() => requestAnimationFrame(measureLines)).observe(document.getElementById("weights"));
}
