"use strict";
// Figure 1 of the paper, drawn from the parts of this model.

// An SVG element; strings among the children become text.
function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// What the attention of a sub-layer has other than the paper's, in a few words.
function attentionNotes(label) {
  const {attention, attention_reach: reach, positions, share_query_key: shared} = page.variants;
  const {key_value_heads: groups} = page.configuration;
  const isCross = label === "cross_attention";
  const byLocation = attention === "location" && isCross;
  return [
    ["scaled-dot", "location"].includes(attention) && !byLocation ? "" : text("note_score", {score: attention}),
    !isCross && ["rotary", "alibi", "t5", "relative"].includes(positions) ? text("note_" + positions) : "",
    reach === "global" || (reach.startsWith("local-p") && !isCross) ? "" : text("note_reach", {reach}),
    groups !== page.model.heads ? text("note_key_value_heads", {count: whole(groups)}) : "",
    shared && !byLocation ? text("note_shared") : "",
  ].filter(Boolean);
}

// The boxes of a stack from bottom to top: {kind, label, part, notes}. Each sub-layer has a norm,
// before it or after it.
function boxesOf(stack, labels, pre) {
  const boxes = [];
  for (let i = 0; i + 1 < stack.children.length; i += 2) {
    const [part, norm] = [stack.children[i], stack.children[i + 1]];
    const isAttention = labels[i / 2] !== "feed_forward";
    const box = {kind: isAttention ? "attention" : "feed", label: labels[i / 2], part, notes: isAttention ? attentionNotes(labels[i / 2]) : []};
    const adds = page.variants.residual === "on";
    const normed = {kind: "norm", label: adds && !pre ? "add_norm" : "norm", part: norm};
    boxes.push({begin: true, ...(pre ? normed : box)}, {end: true, adds, pre, ...(pre ? box : normed)});
  }
  return boxes;
}

// A text in as many lines as the width of its box needs.
function labelLines(name, width, size = 13) {
  const widthOf = (words) => [...words].reduce((sum, character) => sum + size * (/[\u2e80-\uffef]/.test(character) ? 1 : 0.54), 0);
  const words = name.includes(" ") ? name.split(" ") : widthOf(name) > width - 8 ? [name.slice(0, Math.ceil(name.length / 2)), name.slice(Math.ceil(name.length / 2))] : [name];
  const separator = name.includes(" ") ? " " : "";
  return words.reduce((lines, word) => {
    const longer = lines.length > 0 ? lines.at(-1) + separator + word : word;
    return lines.length > 0 && widthOf(longer) <= width - 8 ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

// The lines of a box, [text, class], and how tall it is: at least `least`.
function linesOf({kind, label, part, notes = [], least = 0}, width) {
  const lines = labelLines(text(label), width).map((line) => [line, "name"]);
  for (const note of notes) lines.push(...labelLines(note, width, 11).map((line) => [line, "count"]));
  if (kind !== "norm" && parametersOf(part) > 0 && !notes.includes(text("note_same_matrix"))) lines.push([shortNumber(parametersOf(part)), "count"]);
  return {lines, height: Math.max(least, 13 + 15 * lines.length)};
}

let chosenBox = null;

function boxShape(figure, box, x, y, width) {
  const {kind, label, part} = box;
  const {lines, height} = linesOf(box, width);
  const name = text(label);
  const group = drawn("g", {class: "part " + kind, role: "button", tabindex: 0, "aria-pressed": "false", "aria-label": name});
  group.append(drawn("rect", {x: x - width / 2, y, width, height, rx: 6}));
  lines.forEach(([line, kindOfLine], i) => group.append(drawn("text", {class: kindOfLine, x, y: y + height / 2 + (i - (lines.length - 1) / 2) * 15}, line)));
  const choose = () => chooseBox(group, name, part);
  group.addEventListener("click", choose);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  });
  figure.append(group);
  return group;
}

const wire = (path) => drawn("path", {class: "wire", d: path});
const arrowUp = (x, y) => drawn("path", {class: "arrow", d: `M${x} ${y}l-4 7h8z`});
function sumAt(figure, x, y) {
  figure.append(drawn("circle", {class: "sum", cx: x, cy: y, r: 8}), wire(`M${x - 5} ${y}h10M${x} ${y - 5}v10`));
}

// Draws a stack upwards from y; gives the y of its top and of the middle of each box.
function drawStack(figure, {boxes, count, side, x, y, width}) {
  const frame = drawn("rect", {class: "frame", rx: 10});
  figure.append(frame);
  const bottom = y;
  figure.append(wire(`M${x} ${bottom}v-20`));
  const middles = [];
  y -= 16;
  let residual = y;
  for (const box of boxes) {
    const {height} = linesOf(box, width);
    if (box.begin) residual = y + 4;
    y -= 12 + height;
    figure.append(wire(`M${x} ${y + height + (box.begin ? 24 : 12)}V${y + height}`), arrowUp(x, y + height));
    boxShape(figure, box, x, y, width);
    middles.push({label: box.label, y: y + height / 2});
    if (!box.end) continue;
    // Around the sub-layer: to its Add & Norm, or to a sum above it.
    const edge = x + side * (width / 2 + 15);
    if (box.adds && box.pre) {
      figure.append(wire(`M${x} ${y}v-12`), wire(`M${x} ${residual}H${edge}V${y - 20}H${x + side * 8}`));
      sumAt(figure, x, y - 20);
      y -= 30;
    } else if (box.adds) {
      figure.append(wire(`M${x} ${residual}H${edge}V${y + height / 2}H${x + side * width / 2}`));
    }
    y -= 10;
  }
  const top = y - 4;
  for (const [name, value] of Object.entries({x: x - width / 2 - 26, y: top, width: width + 52, height: bottom - top})) frame.setAttribute(name, value);
  figure.append(drawn("text", {class: "times", x: x + side * (width / 2 + 42), y: (top + bottom) / 2}, `${count}×`));
  figure.append(wire(`M${x} ${y + 12}V${top - 12}`));
  return {top: top - 12, middles};
}

// Inputs, embedding and positional encoding below a stack; gives the y of their top.
function drawInputs(figure, {x, y, width, side, inputs, box, stub}) {
  const bottom = y - 22;
  const above = bottom - linesOf(box, width).height;
  figure.append(drawn("text", {class: "outside", x, y}, text(inputs)), wire(`M${x} ${y - 12}v-10`), arrowUp(x, bottom));
  boxShape(figure, box, x, above, width);
  const added = ["sinusoidal", "learned"].includes(page.variants.positions);
  const top = above - (added ? 34 : 16);
  figure.append(wire(`M${x} ${above}V${top}`));
  if (added) {
    sumAt(figure, x, above - 18);
    figure.append(wire(`M${x - side * 8} ${above - 18}h${-side * stub}`));
  }
  return {top, sum: above - 18};
}

function drawFigure() {
  const place = document.getElementById("figure");
  const tree = partTree(page.model.parts);
  const encoder = tree.find((part) => part.name.startsWith("Encoder"));
  const decoder = tree.find((part) => part.name.startsWith("Decoder"));
  const embeddings = tree.filter((part) => part.name.includes("mbedding"));
  const softmax = tree.find((part) => part.name.startsWith("Linear"));
  const last = tree.find((part) => part.name.startsWith("Last norm"));
  const pre = page.variants.norm === "pre";
  const room = Math.max(300, Math.min(480, place.clientWidth));
  const margin = room < 400 ? 46 : 56;
  const width = (room - 2 * margin - (room < 400 ? 52 : 60)) / 2;
  const left = margin + width / 2;
  const right = room - left;
  const decoderBoxes = boxesOf(decoder, ["masked_attention", "cross_attention", "feed_forward"], pre);
  const height = 400 + decoderBoxes.reduce((sum, box) => sum + linesOf(box, width).height + 45, 0);
  const figure = drawn("svg", {viewBox: `0 0 ${room} ${height}`, role: "group", "aria-label": text("figure_label")});
  const y = height - 12;
  const inputBox = {kind: "feed", label: "input_embedding", part: embeddings[0]};
  const outputBox = {kind: "feed", label: "output_embedding", part: embeddings.at(-1), notes: embeddings.length === 1 ? [text("note_same_matrix")] : []};
  // The height of both boxes, so that there is room for "Positional Encoding" above them.
  const least = Math.max(...[inputBox, outputBox].map((box) => linesOf(box, width).height));
  const stub = Math.max(10, (right - left) / 2 - 8 - 36);  // to the text between both
  const inputs = drawInputs(figure, {x: left, y, width, side: -1, inputs: "encoder_inputs", box: {...inputBox, least}, stub});
  const outputs = drawInputs(figure, {x: right, y, width, side: 1, inputs: "decoder_inputs", box: {...outputBox, least}, stub});
  const encoded = drawStack(figure, {boxes: boxesOf(encoder, ["attention", "feed_forward"], pre), count: encoder.copies, side: -1, x: left, y: inputs.top, width});
  const decoded = drawStack(figure, {boxes: decoderBoxes, count: decoder.copies, side: 1, x: right, y: outputs.top, width});
  if (["sinusoidal", "learned"].includes(page.variants.positions))
    text("positional_encoding").split(" ").forEach((word, i, words) => figure.append(drawn("text", {class: "outside", x: room / 2, y: inputs.sum + 1 + (i - (words.length - 1) / 2) * 13}, word)));
  const memory = pre ? lastNorm(figure, last, left, encoded.top, width) : encoded.top;
  const cross = decoded.middles.find(({label}) => label === "cross_attention").y;
  const middle = room / 2;
  figure.append(wire(`M${left} ${memory}H${middle}V${cross}H${right - width / 2 - 1}`),
      drawn("path", {class: "arrow", d: `M${right - width / 2} ${cross}l-7 -4v8z`}));
  const top = pre ? lastNorm(figure, last, right, decoded.top, width) : decoded.top;
  const linear = {kind: "feed", label: "linear_softmax", part: softmax, notes: parametersOf(softmax) === 0 ? [text("note_same_matrix")] : []};
  const above = top - linesOf(linear, width).height;
  boxShape(figure, linear, right, above, width);
  figure.append(wire(`M${right} ${above}v-10`), arrowUp(right, above - 16), drawn("text", {class: "outside", x: right, y: above - 28}, text("probabilities")));
  const used = Math.min(memory, above - 40);
  figure.setAttribute("viewBox", `0 ${used - 2} ${room} ${height - used + 2}`);
  place.replaceChildren(figure);
  const all = [...figure.querySelectorAll(".part")];
  const shownBox = chosenBox === null ? all.findIndex((box) => box.matches(".attention")) : chosenBox;
  all[Math.min(shownBox, all.length - 1)].dispatchEvent(new MouseEvent("click"));
}

function lastNorm(figure, part, x, y, width) {
  const box = {kind: "norm", label: "norm", part};
  const top = y - linesOf(box, width).height;
  boxShape(figure, box, x, top, width);
  figure.append(wire(`M${x} ${top}v-12`));
  return top - 12;
}
