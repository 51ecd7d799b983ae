"use strict";
// The parts of the model as tables: those of a box of the figure, and all of them.

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

// The name of a part in the language of the page; the data has it in English.
function partName(name) {
  if (language === "en") return name;
  const [, own, section = ""] = /^(.*?)( \(\d[\d.]*\))?$/s.exec(name);
  const [pattern, chinese] = chinesePartNames.find(([one]) => one.test(own)) ?? [/^.*$/s, "$&"];
  return own.replace(pattern, chinese) + section.replace(/ \(([\d.]+)\)/, "（$1 节）");
}

// The parts of a box beside the figure.
function chooseBox(group, name, part) {
  const all = [...document.querySelectorAll(".part")];
  for (const other of all) other.setAttribute("aria-pressed", String(other === group));
  chosenBox = Math.max(0, all.indexOf(group));
  document.getElementById("part-name").textContent = name;
  const facts = [partName(part.name), text("parameters_of", {count: whole(parametersOf(part))})];
  if (part.copies > 1) facts.push(text("parameters_of_all", {copies: whole(part.copies), count: whole(part.copies * parametersOf(part))}));
  if (parametersOf(part) === 0 && part.shape.length > 0) facts.push(text("shares_embedding"));
  document.getElementById("part-facts").textContent = facts.join(" · ");
  const rows = part.children.length > 0 ? part.children : [part];
  fillParts("part", rows, false);
}

const headCell = (key, attributes = {}) => element("th", {scope: "col", ...attributes}, text(key));

// A row of a table of parts: what one of them has, and, in the table of all, all its copies.
function partRow(part, withAll) {
  const names = withAll ? ["column_parameters_each", "column_multiply_adds_each", "column_parameters_all", "column_multiply_adds_all"] : [];
  const parameters = parametersOf(part);
  const work = Math.round(workOf(part));
  const number = (value) => element("td", {class: "number", "data-name": names.length > 0 ? text(names.shift()) : null}, value > 0 ? whole(value) : "");
  const cells = [element("td", {class: "number wide-only"}, part.shape.join(" × ")), number(parameters), number(work)];
  if (withAll) cells.push(number(part.copies * parameters), number(Math.round(part.copies * workOf(part))), shareCell(part.copies * parameters));
  return element("tr", {class: "depth-" + part.depth}, element("th", {scope: "row"}, partName(part.name)), ...cells);
}

// The part of all parameters as a bar and in per cent. Less than a tenth of one is not none.
const percentText = (share) => share < 0.0005 ? "<0.1%" : fixed(100 * share, 1) + "%";

function shareCell(parameters) {
  if (parameters === 0) return element("td", {class: "wide-only"});
  const share = parameters / page.model.parameters;
  const bar = element("span", {class: "share", "aria-hidden": "true"});
  bar.style.setProperty("--part", share);
  return element("td", {class: "number wide-only"}, bar, element("span", {class: "percent"}, percentText(share)));
}

function fillParts(id, parts, withAll) {
  const head = (key, more = "") => headCell(key, {class: "number" + more});
  const heads = [headCell("column_name"), head("column_shape", " wide-only"), head(withAll ? "column_parameters_each" : "column_parameters"),
    head(withAll ? "column_multiply_adds_each" : "column_multiply_adds")];
  if (withAll) heads.push(head("column_parameters_all"), head("column_multiply_adds_all"), head("column_share", " wide-only"));
  document.getElementById(id + "-head").replaceChildren(element("tr", {}, ...heads));
  document.getElementById(id + "-rows").replaceChildren(...parts.map((part) => partRow(part, withAll)));
}

function drawParts() {
  const flat = [];
  const add = (part) => { flat.push(part); part.children.forEach(add); };
  const tree = partTree(page.model.parts);
  tree.forEach(add);
  fillParts("parts", flat, true);
  const {parameters, multiply_adds_per_source_token: source, multiply_adds_per_target_token: target} = page.model;
  const number = (name, value) => element("td", {class: "number", "data-name": text(name)}, whole(Math.round(value)));
  document.getElementById("parts-rows").append(element("tr", {class: "depth-0"}, element("th", {scope: "row"}, text("total")),
      element("td", {class: "wide-only"}), element("td"), element("td"), number("column_parameters_all", parameters), number("column_multiply_adds_all", source + target), element("td", {class: "wide-only"})));
  const softmax = tree.find((part) => part.name.startsWith("Linear"));
  const unpredicted = page.model.vocabulary - page.configuration.output_vocabulary;
  document.getElementById("parts-lead").textContent = text("parts_lead", {length: whole(page.model.sentence_length)}) +
      (unpredicted > 0 ? text("parts_unpredicted", {name: partName(softmax.name), count: whole(unpredicted)}) : "");
}
