"use strict";
// The view "grid": all layers and heads as small heat maps, and one enlarged, or two compared.

let maps = [];         // the enlarged maps: see enlargedMap()
let cell = null;       // the cell under the pointer or the keyboard: {row, column}

// The weight at the end of the scale: 1, or the largest of all heads of this kind.
function endOfScale(block) {
  if (shown.scale === "one") return 1;
  block.largest ??= {};
  const [layers, heads] = block.shape[shown.kind];
  return block.largest[shown.kind + shown.unit] ??= Math.max(0.0001, ...Array.from({length: layers * heads}, (_, i) =>
      largest(weightsOf(block, shown.kind, Math.floor(i / heads), i % heads, shown.unit).values)));
}

const headName = ({layer, head}) => text("layer_head", {layer: layer + 1, head: head + 1});

function drawGrid(block) {
  if (document.getElementById("grid-view").hidden) return;
  readHeat();
  const [layers, heads] = block.shape[shown.kind];
  shown.large = {layer: Math.min(shown.large.layer, layers - 1), head: Math.min(shown.large.head, heads - 1)};
  if (shown.other && (shown.other.layer >= layers || shown.other.head >= heads)) shown.other = null;
  const most = endOfScale(block);
  document.getElementById("scale-end").textContent = shown.scale === "one" ? "1" : text("largest", {value: fixed(most, 4)});
  const grid = document.getElementById("grid");
  const focused = document.activeElement?.closest?.("#grid button")?.dataset.at;
  grid.style.setProperty("--heads", heads);
  grid.replaceChildren(element("span"),
      ...Array.from({length: heads}, (_, head) => element("span", {class: "small", "aria-hidden": "true"}, head === 0 ? text("head", {head: 1}) : String(head + 1))),
      ...Array.from({length: layers}, (_, layer) => [
        element("span", {class: "small", "aria-hidden": "true"}, layer === 0 ? text("layer_number", {layer: 1}) : String(layer + 1)),
        ...Array.from({length: heads}, (_, head) => thumbnail(block, {layer, head})),
      ]).flat());
  fillWhenSeen(block, most);
  markThumbnails();
  if (focused) grid.querySelector(`[data-at="${focused}"]`)?.focus();
  drawCompare(layers, heads);
  drawMaps(block);
}

function thumbnail(block, at) {
  const {queries, keys} = sidesOf(block, shown.kind, shown.unit);
  const button = element("button", {type: "button", "data-at": [at.layer, at.head].join(), "aria-label": headName(at), title: headName(at), tabindex: -1},
      element("canvas", {"aria-hidden": "true"}));
  button.style.setProperty("--ratio", Math.max(0.6, Math.min(1.7, keys.length / queries.length)));
  return button;
}

// Draws the small maps as they come into view: a deep model has hundreds.
let seen = null;
function fillWhenSeen(block, most) {
  seen?.disconnect();
  seen = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (!isIntersecting) continue;
      const [layer, head] = target.dataset.at.split(",").map(Number);
      const picture = pictureOf(weightsOf(block, shown.kind, layer, head, shown.unit), most);
      const canvas = target.firstChild;
      [canvas.width, canvas.height] = [picture.width, picture.height];
      canvas.getContext("2d").drawImage(picture, 0, 0);
      seen.unobserve(target);
    }
  }, {rootMargin: "200px"});
  for (const button of document.querySelectorAll("#grid button")) seen.observe(button);
}

const sameHead = (a, b) => a !== null && b !== null && a.layer === b.layer && a.head === b.head;

function markThumbnails() {
  for (const button of document.querySelectorAll("#grid button")) {
    const [layer, head] = button.dataset.at.split(",").map(Number);
    const large = sameHead({layer, head}, shown.large);
    button.setAttribute("aria-pressed", String(large));
    button.classList.toggle("second", sameHead({layer, head}, shown.other));
    button.tabIndex = large ? 0 : -1;
  }
}

// The choice of a second head, and of how two are shown.
function drawCompare(layers, heads) {
  const select = document.getElementById("compare");
  const option = (value, label) => element("option", {value}, label);
  select.replaceChildren(option("", text("nothing")), ...Array.from({length: layers * heads}, (_, i) => {
    const at = {layer: Math.floor(i / heads), head: i % heads};
    return option([at.layer, at.head].join(), headName(at));
  }));
  select.value = shown.other ? [shown.other.layer, shown.other.head].join() : "";
  const fieldset = document.getElementById("difference");
  fieldset.hidden = shown.other === null;
  segmented(fieldset, "", [["side", text("side_by_side")], ["difference", text("difference")]],
      shown.difference ? "difference" : "side", (value) => {
        shown.difference = value === "difference";
        drawMaps(shown.block);
      });
}

function drawMaps(block) {
  const first = weightsOf(block, shown.kind, shown.large.layer, shown.large.head, shown.unit);
  const second = shown.other && weightsOf(block, shown.kind, shown.other.layer, shown.other.head, shown.unit);
  const most = endOfScale(block);
  const title = second ? text("compared", {first: headName(shown.large), second: headName(shown.other)}) : headName(shown.large);
  document.getElementById("map-title").textContent = title;
  const signed = Boolean(second) && shown.difference;
  document.getElementById("difference-legend").hidden = !signed;
  const {queries, keys} = sidesOf(block, shown.kind, shown.unit);
  const names = {rowNames: queries.map(named), columnNames: keys.map(named)};
  if (signed) {
    const values = first.values.map((value, i) => value - second.values[i]);
    maps = [{matrix: {...first, values}, most: 1, signed, label: title, ...names}];
  } else {
    maps = [{matrix: first, most, label: headName(shown.large), ...names}];
    if (second) maps.push({matrix: second, most, label: headName(shown.other), ...names});
  }
  cell = null;
  const place = document.getElementById("maps");
  place.classList.toggle("two", maps.length > 1);
  place.replaceChildren(...maps.map(enlargedMap));
  maps.forEach(measureMap);
  drawMapReadout();
}

// A heat map with labels: a canvas that the pointer and the arrow keys walk on.
function enlargedMap(map) {
  map.picture = pictureOf(map.matrix, map.most, map.signed);
  map.canvas = element("canvas", {class: "map", tabindex: 0, role: "application", "aria-label": text("map_label", {head: map.label})});
  const caption = element("figcaption", {class: "small"}, map.label);
  const figure = element("figure", {}, map.canvas);
  if (maps.length > 1) figure.prepend(caption);
  map.canvas.addEventListener("pointermove", (event) => pointAtCell(cellUnder(map, event)));
  map.canvas.addEventListener("pointerdown", (event) => pointAtCell(cellUnder(map, event)));
  map.canvas.addEventListener("pointerleave", () => { if (document.activeElement !== map.canvas) pointAtCell(null); });
  map.canvas.addEventListener("keydown", (event) => walk(map, event));
  map.canvas.addEventListener("focus", () => { if (!cell && map.canvas.matches(":focus-visible")) pointAtCell({row: 0, column: 0}); });
  return figure;
}

function pointAtCell(next) {
  if (cell?.row === next?.row && cell?.column === next?.column) return;
  cell = next;
  for (const map of maps) {
    map.cell = next;
    drawMap(map);
  }
  drawMapReadout();
}

function drawMapReadout() {
  const place = document.getElementById("map-readout");
  if (!cell) return place.replaceChildren(element("span", {class: "muted"}, text("map_help")));
  const {queries, keys} = sidesOf(shown.block, shown.kind, shown.unit);
  const at = ({columns, values}) => values[cell.row * columns + cell.column];
  const value = (label, number, digits) => [element("span", {class: "muted"}, label === "" ? " " : ` · ${label} `), element("b", {}, fixed(number, digits))];
  const place2 = [element("bdi", {class: "name"}, named(queries[cell.row])), " → ", element("bdi", {class: "name"}, named(keys[cell.column]))];
  if (!shown.other) return place.replaceChildren(...place2, ...value("", at(maps[0].matrix), 4));
  const first = at(weightsOf(shown.block, shown.kind, shown.large.layer, shown.large.head, shown.unit));
  const second = at(weightsOf(shown.block, shown.kind, shown.other.layer, shown.other.head, shown.unit));
  place.replaceChildren(...place2, ...value(headName(shown.large), first, 4), ...value(headName(shown.other), second, 4),
      ...value(text("difference"), first - second, 4));
}

function walk(map, event) {
  const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] ?? [];
  if (down === undefined) return;
  event.preventDefault();
  const {rows, columns} = map.matrix;
  const from = cell ?? {row: 0, column: 0};
  pointAtCell({row: Math.max(0, Math.min(rows - 1, from.row + down)), column: Math.max(0, Math.min(columns - 1, from.column + right))});
  announce(document.getElementById("map-readout").textContent);
}

function startGrid() {
  const grid = document.getElementById("grid");
  const headOf = (value) => {
    const [layer, head] = value.split(",").map(Number);
    return {layer, head};
  };
  grid.addEventListener("click", (event) => {
    const at = event.target.closest("button")?.dataset.at;
    if (at === undefined) return;
    if (event.shiftKey) shown.other = headOf(at);
    else shown.large = headOf(at);
    afterChoice();
  });
  const afterChoice = () => {
    markThumbnails();
    drawCompare(...shown.block.shape[shown.kind]);
    drawMaps(shown.block);
  };
  roving(grid, () => [...grid.querySelectorAll("button")], (key) => {
    const heads = shown.block.shape[shown.kind][1];
    return {ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, ArrowDown: (i, count) => i + heads < count ? i + heads : i,
            ArrowUp: (i) => i >= heads ? i - heads : i, Home: () => 0, End: (i, count) => count - 1}[key];
  });
  document.getElementById("compare").addEventListener("change", (event) => {
    shown.other = event.target.value === "" ? null : headOf(event.target.value);
    afterChoice();
  });
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (!document.getElementById("grid-view").hidden) maps.forEach(measureMap);
  })).observe(document.getElementById("maps"));
}
