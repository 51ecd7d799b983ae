"use strict";
// The source and the translation as tokens, the word alignment between them, and the alternatives
// of a target token.

function tokenElement(unit, index, attributes) {
  const token = element("span", {class: tokenClass(unit.text), role: "button", tabindex: index === 0 ? 0 : -1, "data-index": index, ...attributes});
  token.append(...visibleNodes(unit.text));
  return token;
}

// Words are written with the spaces between them, pieces carry theirs as a mark.
function sentenceNodes(units, pieces, make) {
  const nodes = [];
  units.forEach((unit, i) => {
    const space = pieces[unit.begin].startsWith("\u2581");
    if (shown.unit === "words" && space && i > 0) nodes.push(" ");
    nodes.push(make(unit, i));
  });
  return nodes;
}

function drawTokens(block) {
  const {source, target} = unitsOf(block, shown.unit);
  const sourceText = document.getElementById("source-tokens");
  const targetText = document.getElementById("target-tokens");
  for (const side of ["source-name", "source-tokens"]) document.getElementById(side).hidden = source.length === 0;
  sourceText.dir = directionOf(block.source_pieces.join(""));
  targetText.dir = directionOf(block.target_pieces.join(""));
  for (const place of [sourceText, targetText]) place.classList.toggle("as-words", shown.unit === "words");
  sourceText.replaceChildren(...sentenceNodes(source, block.source_pieces, (unit, i) => tokenElement(unit, i, {"aria-label": named(unit)})));
  targetText.replaceChildren(...sentenceNodes(target, block.target_pieces, (unit, i) => {
    const probability = Math.exp(logProbabilityOf(block, unit));
    const token = tokenElement(unit, i, {
      "aria-label": text("token_label", {token: named(unit), probability: probabilityText(probability)}),
      "aria-controls": "detail",
    });
    token.style.setProperty("--probability", probability);
    return token;
  }));
  // At first, the token that the model was least sure of: the one with most to tell.
  const sure = target.map((unit) => logProbabilityOf(block, unit));
  lookAtTarget(block, shown.target ?? sure.indexOf(Math.min(...sure)));
}

// The units of the other side that the word alignment links to this unit.
function partnersOf(block, side, index) {
  const units = unitsOf(block, shown.unit);
  const [own, other] = side === "source" ? [units.source, units.target] : [units.target, units.source];
  const [from, to] = side === "source" ? [0, 1] : [1, 0];
  const words = new Set(block.alignment.filter((link) => own[index].words.includes(link[from])).map((link) => link[to]));
  return other.flatMap((unit, i) => unit.words.some((word) => words.has(word)) ? [i] : []);
}

const tokensOf = (side) => [...document.getElementById(side + "-tokens").querySelectorAll(".token")];

function markAligned(block, side, index) {
  const other = side === "source" ? "target" : "source";
  const partners = new Set(partnersOf(block, side, index));
  tokensOf(side).forEach((token, i) => token.classList.toggle("at", i === index));
  tokensOf(other).forEach((token, i) => token.classList.toggle("linked", partners.has(i)));
  for (const token of tokensOf(side)) token.classList.remove("linked");
  for (const token of tokensOf(other)) token.classList.remove("at");
  const {source, target} = unitsOf(block, shown.unit);
  const texts = [...partners].map((i) => text("quoted", {text: named((other === "source" ? source : target)[i])}));
  if (texts.length > 0) return text("aligned", {words: texts.join(text("list_separator"))});
  return block.alignment.length > 0 ? text("aligned_none") : "";
}

function unmarkAligned() {
  for (const token of [...tokensOf("source"), ...tokensOf("target")]) token.classList.remove("at", "linked");
}

function lookAtTarget(block, index) {
  shown.target = index;
  tokensOf("target").forEach((token, i) => {
    if (i === index) token.setAttribute("aria-current", "true");
    else token.removeAttribute("aria-current");
  });
  drawDetail(block, unitsOf(block, shown.unit).target[index]);
}

// The probability of a token, and what else the model could have said at its place.
function drawDetail(block, unit) {
  const place = document.getElementById("detail");
  if (!unit) return place.replaceChildren();
  const parts = [element("h3", {}, text("most_probable"))];
  // A word has its probability, and a list for each of its pieces; a piece is in its list.
  if (unit.end - unit.begin > 1)
    parts.unshift(element("p", {class: "detail-title"}, element("bdi", {}, ...visibleNodes(unit.text)),
        element("span", {class: "number"}, probabilityText(Math.exp(logProbabilityOf(block, unit))))));
  for (let i = unit.begin; i < unit.end; ++i) parts.push(alternativesOf(block, i));
  place.replaceChildren(...parts);
}

function alternativesOf(block, i) {
  const chosen = block.target_pieces[i];
  const probability = Math.exp(block.log_probabilities[i]);
  const rows = (block.alternatives[i] ?? []).map(([piece, log]) => ({piece, probability: Math.exp(log)}));
  const listed = rows.find(({piece}) => piece === chosen);
  const list = element("ul", {class: "alternatives"});
  // A symbol of a tree that alone may stand here has probability 1, whatever the model makes of it.
  const given = probability === 1 && !(listed?.probability > 0.999);
  if (given)
    list.append(alternativeRow(visibleNodes(chosen), probability, true), element("li", {class: "note"}, text("given")));
  else if (!listed)
    rows.push({piece: chosen, probability});
  const rest = Math.max(0, 1 - rows.reduce((sum, {probability}) => sum + probability, 0));
  for (const {piece, probability} of rows) list.append(alternativeRow(visibleNodes(piece), probability, piece === chosen && !given));
  if (rest >= 0.0001) list.append(alternativeRow([text("all_others")], rest, false, "rest"));
  return list;
}

function alternativeRow(nodes, probability, chosen, kind = "") {
  const bar = element("i", {class: "bar-fill", "aria-hidden": "true"});
  bar.style.setProperty("--probability", probability);
  const row = element("li", {class: (chosen ? "chosen " : "") + kind}, element("bdi", {}, ...nodes), bar,
      element("span", {class: "number"}, probabilityText(probability)));
  if (chosen) row.append(element("span", {class: "hidden"}, text("chosen")));
  return row;
}

// Hover, focus, a tap and the arrow keys look at a token; the last one stays in the panel.
function startTokens() {
  for (const side of ["source", "target"]) {
    const place = document.getElementById(side + "-tokens");
    const look = (event) => {
      const token = event.target.closest(".token");
      if (!token || !shown.block) return;
      const index = Number(token.dataset.index);
      const aligned = markAligned(shown.block, side, index);
      if (side === "target" && index !== shown.target) lookAtTarget(shown.block, index);
      if (event.type === "focusin") announce(side === "target" ? spokenAlternatives() + " " + aligned : aligned);
    };
    place.addEventListener("pointerover", look);
    place.addEventListener("focusin", look);
    place.addEventListener("pointerleave", unmarkAligned);
    place.addEventListener("focusout", unmarkAligned);
    roving(place, () => tokensOf(side), (key) => inText(key, place.dir));
  }
}

// The arrow keys in a text: to the next token as it is seen.
function inText(key, direction) {
  const [forward, back] = direction === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  return {[forward]: (i) => i + 1, [back]: (i) => i - 1, Home: () => 0, End: (i, count) => count - 1}[key];
}

function spokenAlternatives() {
  const rows = [...document.querySelectorAll("#detail .alternatives li")].slice(0, 4);
  const said = rows.map((row) => row.querySelector("bdi").textContent.trim() + " " + row.querySelector(".number").textContent);
  return text("alternatives_said", {list: said.join(text("list_separator"))});
}
