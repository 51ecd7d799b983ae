"use strict";
// Figure 1 of the paper, drawn from the parts of this model.

// An SVG element; strings among the children become text.
function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The parts as a tree: parts of depth 0, whose `children` are of depth 1, and theirs of depth 2.
function partTree(parts) {
  const tree = [];
  for (const part of parts) {
    const made = {...part, children: []};
    if (part.depth === 0) tree.push(made);
    else if (part.depth === 1) tree.at(-1).children.push(made);
    else tree.at(-1).children.at(-1).children.push(made);
  }
  return tree;
}

const parametersOf = (part) => part.parameters + part.children.reduce((sum, child) => sum + parametersOf(child), 0);
const workOf = (part) => part.multiply_adds_per_source_token + part.multiply_adds_per_target_token +
    part.children.reduce((sum, child) => sum + workOf(child), 0);

// The boxes of a stack from bottom to top: {kind, label, part}. Each sub-layer has a norm, before it
// or after it.
function boxesOf(stack, labels, pre) {
  const boxes = [];
  for (let i = 0; i + 1 < stack.children.length; i += 2) {
    const [part, norm] = [stack.children[i], stack.children[i + 1]];
    const box = {kind: labels[i / 2] === "feed_forward" ? "feed" : "attention", label: labels[i / 2], part};
    const adds = page.variants.residual === "on";
    const normed = {kind: "norm", label: adds && !pre ? "add_norm" : "norm", part: norm};
    boxes.push({begin: true, ...(pre ? normed : box)}, {end: true, adds, pre, ...(pre ? box : normed)});
  }
  return boxes;
}

// A label in as many lines as the width of its box needs.
function labelLines(name, width) {
  const widthOf = (words) => [...words].reduce((sum, character) => sum + (/[\u2e80-\uffef]/.test(character) ? 13 : 6.9), 0);
  const words = name.includes(" ") ? name.split(" ") : widthOf(name) > width - 8 ? [name.slice(0, Math.ceil(name.length / 2)), name.slice(Math.ceil(name.length / 2))] : [name];
  const separator = name.includes(" ") ? " " : "";
  return words.reduce((lines, word) => {
    const longer = lines.length > 0 ? lines.at(-1) + separator + word : word;
    return lines.length > 0 && widthOf(longer) <= width - 8 ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

let chosenBox = null;

function boxShape(figure, {kind, label, part}, x, y, width, height) {
  const name = text(label);
  const group = drawn("g", {class: "part " + kind, role: "button", tabindex: 0, "aria-pressed": "false", "aria-label": name});
  group.append(drawn("rect", {x: x - width / 2, y, width, height, rx: 6}));
  const count = height > 34 && parametersOf(part) > 0 ? shortNumber(parametersOf(part)) : "";
  const lines = labelLines(name, width);
  const below = lines.length + (count ? 1 : 0);
  lines.forEach((line, i) => group.append(drawn("text", {x, y: y + height / 2 + (i - (below - 1) / 2) * 14.5}, line)));
  if (count) group.append(drawn("text", {class: "count", x, y: y + height / 2 + (below - 1) / 2 * 14.5 + 1}, count));
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
    const height = box.kind === "norm" ? 28 : 56;
    if (box.begin) residual = y + 4;
    y -= 12 + height;
    figure.append(wire(`M${x} ${y + height + (box.begin ? 24 : 12)}V${y + height}`), arrowUp(x, y + height));
    boxShape(figure, box, x, y, width, height);
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
function drawInputs(figure, {x, y, width, side, inputs, embedding, part}) {
  figure.append(drawn("text", {class: "outside", x, y}, text(inputs)), wire(`M${x} ${y - 12}v-10`), arrowUp(x, y - 22));
  boxShape(figure, {kind: "feed", label: embedding, part}, x, y - 66, width, 44);
  const added = ["sinusoidal", "learned"].includes(page.variants.positions);
  const top = added ? y - 100 : y - 82;
  figure.append(wire(`M${x} ${y - 66}V${top}`));
  if (added) {
    sumAt(figure, x, y - 84);
    figure.append(wire(`M${x - side * 8} ${y - 84}h${-side * 10}`));
  }
  return top;
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
  const width = (room - 2 * 56 - 60) / 2;
  const left = 56 + width / 2;
  const right = room - left;
  const decoderBoxes = boxesOf(decoder, ["masked_attention", "attention", "feed_forward"], pre);
  const height = 330 + (pre ? 45 : 0) + decoderBoxes.length * (pre ? 78 : 68);
  const figure = drawn("svg", {viewBox: `0 0 ${room} ${height}`, role: "group", "aria-label": text("figure_label")});
  const y = height - 12;
  const inputs = drawInputs(figure, {x: left, y, width, side: -1, inputs: "encoder_inputs", embedding: "input_embedding", part: embeddings[0]});
  const outputs = drawInputs(figure, {x: right, y, width, side: 1, inputs: "decoder_inputs", embedding: "output_embedding", part: embeddings.at(-1)});
  const encoded = drawStack(figure, {boxes: boxesOf(encoder, ["attention", "feed_forward"], pre), count: encoder.copies, side: -1, x: left, y: inputs, width});
  const decoded = drawStack(figure, {boxes: decoderBoxes, count: decoder.copies, side: 1, x: right, y: outputs, width});
  if (["sinusoidal", "learned"].includes(page.variants.positions))
    text("positional_encoding").split(" ").forEach((word, i, words) => figure.append(drawn("text", {class: "outside", x: room / 2, y: y - 84 + (i - (words.length - 1) / 2) * 14}, word)));
  const memory = pre ? lastNorm(figure, last, left, encoded.top, width) : encoded.top;
  const cross = decoded.middles.find(({label}) => label === "attention").y;
  const middle = room / 2;
  figure.append(wire(`M${left} ${memory}H${middle}V${cross}H${right - width / 2 - 1}`),
      drawn("path", {class: "arrow", d: `M${right - width / 2} ${cross}l-7 -4v8z`}));
  const top = pre ? lastNorm(figure, last, right, decoded.top, width) : decoded.top;
  boxShape(figure, {kind: "feed", label: "linear_softmax", part: softmax}, right, top - 44, width, 44);
  figure.append(wire(`M${right} ${top - 44}v-10`), arrowUp(right, top - 60), drawn("text", {class: "outside", x: right, y: top - 72}, text("probabilities")));
  const used = Math.min(memory, top - 84);
  figure.setAttribute("viewBox", `0 ${used - 2} ${room} ${height - used + 2}`);
  place.replaceChildren(figure);
  const shownBox = chosenBox === null ? 2 : chosenBox;
  const all = [...figure.querySelectorAll(".part")];
  all[Math.min(shownBox, all.length - 1)].dispatchEvent(new MouseEvent("click"));
}

function lastNorm(figure, part, x, y, width) {
  boxShape(figure, {kind: "norm", label: "norm", part}, x, y - 28, width, 28);
  figure.append(wire(`M${x} ${y - 28}v-12`));
  return y - 40;
}

// The parts of a box beside the figure.
function chooseBox(group, name, part) {
  const all = [...document.querySelectorAll(".part")];
  for (const other of all) other.setAttribute("aria-pressed", String(other === group));
  chosenBox = Math.max(0, all.indexOf(group));
  document.getElementById("part-name").textContent = name;
  const copies = part.copies > 1 ? ` · ${text("column_of_layers")}: ${whole(part.copies * parametersOf(part))}` : "";
  document.getElementById("part-facts").textContent = `${part.name} · ${text("column_parameters")}: ${whole(parametersOf(part))}${copies}`;
  const rows = part.children.length > 0 ? part.children : [part];
  fillParts("part", rows, false);
}

const headCell = (key, attributes = {}) => element("th", {scope: "col", ...attributes}, text(key));

function partRow(part, withShare, all) {
  const work = part.multiply_adds_per_source_token + part.multiply_adds_per_target_token;
  const cells = [
    element("td", {class: "number"}, part.shape.join(" × ")),
    element("td", {class: "number"}, part.parameters > 0 ? whole(part.parameters) : ""),
    element("td", {class: "number wide-only"}, work > 0 ? whole(Math.round(work)) : ""),
  ];
  if (withShare) {
    const own = part.copies * (part.depth === 2 ? part.parameters : parametersOf(part));
    const bar = element("span", {class: "share", "aria-hidden": "true"});
    bar.style.setProperty("--part", own / all);
    cells.push(element("td", {class: "number"}, own > 0 ? whole(own) : ""), element("td", {class: "wide-only"}, own > 0 ? bar : ""));
  }
  return element("tr", {class: "depth-" + part.depth}, element("th", {scope: "row"}, part.name), ...cells);
}

function fillParts(id, parts, withShare) {
  const number = {class: "number"};
  const heads = [headCell("column_name"), headCell("column_shape", number), headCell("column_parameters", number), headCell("column_multiply_adds", {class: "number wide-only"})];
  if (withShare) heads.push(headCell("column_of_layers", number), headCell("column_share", {class: "wide-only"}));
  document.getElementById(id + "-head").replaceChildren(element("tr", {}, ...heads));
  const rows = parts.map((part) => partRow(part, withShare, page.model.parameters));
  document.getElementById(id + "-rows").replaceChildren(...rows);
}

function drawParts() {
  const flat = [];
  const add = (part) => { flat.push(part); part.children.forEach(add); };
  partTree(page.model.parts).forEach(add);
  fillParts("parts", flat, true);
  const {parameters, multiply_adds_per_source_token: source, multiply_adds_per_target_token: target} = page.model;
  document.getElementById("parts-rows").append(element("tr", {class: "depth-0"}, element("th", {scope: "row"}, text("total")),
      element("td"), element("td"), element("td", {class: "number wide-only"}, whole(Math.round(source + target))),
      element("td", {class: "number"}, whole(parameters)), element("td", {class: "wide-only"})));
  document.getElementById("parts-lead").textContent = text("parts_lead", {length: whole(page.model.sentence_length)});
}
