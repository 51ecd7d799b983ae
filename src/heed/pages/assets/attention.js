"use strict";
// The attention page: what is shown, the controls that change it, and the start.
// After attention_strings, _tasks, _data, _index, _tokens, _lines, _grid and _tree, whose functions it calls.

const shown = {
  line: null,        // of the data's lines
  part: 0,           // which of its parts
  block: null,       // the part's block, once it is decoded
  unit: "pieces",    // or "words"
  target: null,      // the target unit whose alternatives are shown; null: the least probable
  kind: "cross",     // or "encoder", "decoder": where the model has no other attention
  view: "lines",     // or "grid"
  layer: 0,
  heads: new Set(),  // of the view "lines"
  mean: true,        // one line for the mean of all heads
  large: {layer: 0, head: 0},  // the enlarged head of the view "grid"
  other: null,                 // the head it is compared with
  difference: false,
  scale: "one",      // the end of the colour scale: 1, or "max", the largest weight
};
let page = null;     // the data of the page
const byId = (id) => document.getElementById(id);

function drawFacts() {
  const {model, options} = page;
  byId("title").textContent = text("attention");
  document.title = text("title", {model: visible(withoutCommonDirectories([model.name])[0])});
  const fact = (key, value) => element("span", {}, text(key) + " ", element("b", {}, String(value)));
  const given = Object.entries(options).map(([key, value]) =>
      element("span", {}, (strings[language]["option_" + key] ?? visible(key)) + " ", element("b", {}, visible(String(value)))));
  byId("facts").replaceChildren(element("b", {translate: "no"}, visible(model.name)), fact("d_model", model.d_model),
      fact("heads_count", model.heads), ...["encoder_layers", "decoder_layers"].filter((side) => model[side] > 0).map((side) => fact(side, model[side])),
      ...given);
  const total = byId("total");
  total.hidden = page.total_lines <= page.lines.length && page.lines.length > 0;
  total.textContent = page.lines.length === 0 ? text("no_lines") :
      text("total", {count: whole(page.lines.length), all: whole(page.total_lines)});
  byId("index-open").textContent = text("lines_count", {count: whole(page.lines.length)});
}

// The controls, for what the line's block has.
function drawControls() {
  const kinds = kindsOf(shown.block);
  if (!kinds.includes(shown.kind)) shown.kind = kinds.at(-1);
  segmented(byId("kind"), text("kind"), kinds.map((kind) => [kind, text(kind)]), shown.kind, (kind) => {
    shown.kind = kind;
    pinned = null;
    drawLayers();
    drawAttention();
  });
  segmented(byId("view"), text("view"), [["lines", text("view_lines")], ["grid", text("view_grid")]], shown.view, (view) => {
    shown.view = view;
    drawAttention();
  });
  segmented(byId("scale"), text("scale"), [["one", text("scale_one")], ["max", text("scale_max")]], shown.scale, (scale) => {
    shown.scale = scale;
    drawGrid(shown.block);
  });
  drawLayers();
}

function drawLayers() {
  const [layers] = shown.block.shape[shown.kind];
  shown.layer = Math.min(shown.layer, layers - 1);
  segmented(byId("layer"), text("layer"), Array.from({length: layers}, (_, layer) =>
      [layer, String(layer + 1), text("layer_number", {layer: layer + 1})]), shown.layer, (layer) => {
    shown.layer = layer;
    drawLines(shown.block);
  });
}

function drawAttention() {
  const grid = shown.view === "grid";
  byId("lines-view").hidden = grid;
  byId("grid-view").hidden = !grid;
  byId("layer").hidden = grid;
  byId("attention-lead").textContent = text((grid ? "grid_lead_" : "lines_lead_") + shown.kind);
  if (grid) return drawGrid(shown.block);
  drawHeads(shown.block);
  drawLines(shown.block);
}

function drawBlock() {
  segmented(byId("unit"), text("unit"), [["pieces", text("pieces")], ["words", text("words")]], shown.unit, (unit) => {
    shown.unit = unit;
    shown.target = null;
    pinned = null;
    drawBlock();
  });
  drawTokens(shown.block);
  const has = kindsOf(shown.block).length > 0;
  byId("attention").hidden = !has;
  if (!has) return;
  drawControls();
  drawAttention();
}

// The head of the chosen line: its number, its facts, and what its status means.
function drawLineHead() {
  const {line} = shown;
  byId("line-title").textContent = text("line", {line: whole(line.line)});
  const facts = [];
  if (line.parts.length > 0) facts.push(text("score_of", {score: fixed(line.score, 4)}));
  byId("line-facts").textContent = facts.join(" · ");
  const note = byId("line-note");
  const notes = line.status === "ok" ? [] : line.status.split(",").map((one) =>
      ("note_" + one) in strings[language] ? text("note_" + one) : statusText(one));
  if (line.left_out) notes.push(text("note_left_out", {count: whole(line.left_out)}));
  note.hidden = notes.length === 0;
  note.textContent = notes.join(" ");
  const index = page.lines.indexOf(line);
  byId("previous").disabled = index === 0;
  byId("next").disabled = index === page.lines.length - 1;
  const parts = line.parts.length;
  byId("part-picker").hidden = parts < 2;
  byId("part").replaceChildren(...line.parts.map((_, i) =>
      element("option", {value: i}, text("part_of", {part: whole(i + 1), parts: whole(parts)}))));
  byId("part").value = shown.part;
}

// Decodes the block of the chosen part, unless another line is chosen meanwhile.
async function showPart(part) {
  const {line} = shown;
  Object.assign(shown, {part, target: null, block: null});
  pinned = null;
  drawing = tree = null;
  drawLineHead();
  const some = line.parts.length > 0;
  for (const id of ["with-part", "attention", "texts", "search"]) byId(id).hidden = !some;
  if (!some) return;
  byId("line").setAttribute("aria-busy", "true");
  const block = await readBlock(line.parts[part]);
  if (shown.line !== line || shown.part !== part) return;
  shown.block = block;
  drawBlock();
  drawTree(block);
  byId("line").removeAttribute("aria-busy");
}

function showLine(line) {
  shown.line = line;
  byId("line").hidden = false;
  markEntry(line.line);
  showPart(0).catch(fail);
}

// The line that the address names, else the first.
function lineOfAddress() {
  const number = Number(/^#line-(\d+)$/.exec(location.hash)?.[1]);
  return page.lines.find((line) => line.line === number) ?? page.lines[0];
}

function stepLine(by) {
  const next = page.lines[page.lines.indexOf(shown.line) + by];
  if (next) location.hash = "line-" + next.line;
}

function startControls() {
  startIndex(page.lines);
  startTokens();
  startLines();
  startGrid();
  startTree();
  byId("previous").addEventListener("click", () => stepLine(-1));
  byId("next").addEventListener("click", () => stepLine(1));
  byId("part").addEventListener("change", (event) => showPart(Number(event.target.value)).catch(fail));
  addEventListener("hashchange", () => {
    const line = lineOfAddress();
    if (line && line !== shown.line) {
      showLine(line);
      announce(text("line", {line: line.line}));
    }
  });
}

onLanguage.push(() => {
  drawFacts();
  drawIndex(page.lines);
  if (!shown.line) return;
  markEntry(shown.line.line);
  drawLineHead();
  if (!shown.block) return;
  drawBlock();
  drawTree(shown.block);
});
onTheme.push(() => {
  if (!shown.block) return;
  if (kindsOf(shown.block).length > 0) drawAttention();
  measureTree();
});

startPage(() => {
  page = pageData();
  if (taskStrings[page.task]) addStrings(taskStrings[page.task]);
  if (page.unit === "sentences") addStrings(sentenceStrings);
  const {encoder_layers: encoder, decoder_layers: decoder} = page.model;
  shown.layer = Math.max(encoder, decoder) - 1;
  shown.large.layer = (decoder || encoder) - 1;
  startControls();
  // One line needs no list to choose from.
  byId("index").hidden = page.lines.length < 2;
  byId("previous").hidden = byId("next").hidden = page.lines.length < 2;
  const line = lineOfAddress();
  if (line) showLine(line);
});
