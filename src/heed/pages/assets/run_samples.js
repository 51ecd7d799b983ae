"use strict";
// The outputs of a model for the same lines as its run goes on: changes from sample to sample, and the
// probabilities and the attention of a translation.

let sampleMap = null;    // the heat map of the chosen sample
let sampleWanted = null; // the sample whose block is being decoded or shown
let samplesSeen = false; // whether they have been in view: until then no block is decoded

const sampleRuns = () => page.runs.flatMap((run, index) => run.sentences?.some(({samples}) => samples?.length > 0) ? [{run, index}] : []);

// The chosen run, sentence and sample.
function chosenSample() {
  const runs = sampleRuns();
  if (runs.length === 0) return null;
  const {run} = runs.find(({index}) => index === choices.sampleRun) ?? runs[0];
  const sentences = run.sentences.filter(({samples}) => samples?.length > 0);
  const number = Math.min(choices.sentence, sentences.length - 1);
  const {samples} = sentences[number];
  let at = choices.sampleStep === null ? samples.length - 1 : samples.findLastIndex(({step}) => step <= choices.sampleStep);
  if (at < 0) at = 0;
  return {run, sentences, number, sentence: sentences[number], samples, at, sample: samples[at], before: samples[at - 1] ?? null};
}

// Words and what is between them; single characters where words are not separated.
function segmentsOf(string) {
  if (!("Segmenter" in Intl)) return string.match(/\s+|[^\s\p{P}]+|\p{P}/gu) ?? [];
  segmentsOf.segmenter ??= new Intl.Segmenter(undefined, {granularity: "word"});
  return Array.from(segmentsOf.segmenter.segment(string), ({segment}) => segment);
}

// What changed from one text to the next: [["same" | "new" | "gone", text], ...], by the longest
// common subsequence of their words. Of very long texts, only the common ends are compared.
function changesOf(before, after) {
  const [a, b] = [segmentsOf(before), segmentsOf(after)];
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) ++begin;
  let end = 0;
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) ++end;
  const middle = commonParts(a.slice(begin, a.length - end), b.slice(begin, b.length - end));
  const parts = [["same", a.slice(0, begin)], ...middle, ["same", a.slice(a.length - end)]];
  const joined = [];
  for (const [kind, words] of parts) {
    if (words.length === 0) continue;
    if (joined.at(-1)?.[0] === kind) joined.at(-1)[1] += words.join("");
    else joined.push([kind, words.join("")]);
  }
  return joined;
}

function commonParts(a, b) {
  if (a.length * b.length > 400000) return [["gone", a], ["new", b]];
  // lengths[i][j]: of the longest common subsequence of a from i on and b from j on.
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      lengths[i * width + j] = a[i] === b[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  const parts = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push(["same", [a[i++]]]);
      ++j;
    } else if (i < a.length && (j === b.length || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      parts.push(["gone", [a[i++]]]);
    } else {
      parts.push(["new", [b[j++]]]);
    }
  }
  return parts;
}

// An output as nodes, with what is new in <ins> and, if wanted, what is gone in <del>.
function changeNodes(before, after, withGone) {
  if (after === "" && !(before && withGone)) return [element("span", {class: "small"}, text("sample_empty"))];
  if (before === null) return visibleNodes(after);
  return changesOf(before, after).flatMap(([kind, string]) => {
    if (kind === "same" || string.trim() === "") return kind === "gone" ? [] : visibleNodes(string);
    if (kind === "gone") return withGone ? [element("del", {}, ...visibleNodes(string))] : [];
    return [element("ins", {}, ...visibleNodes(string))];
  });
}

function writeText(id, string) {
  const place = byId(id);
  place.dir = directionOf(string);
  place.replaceChildren(...visibleNodes(string));
  scrollable(place, string.length > 1200);
}

// A long text scrolls in a box of its own, by keyboard too.
function scrollable(place, long) {
  place.classList.toggle("long", long);
  if (long) place.tabIndex = 0;
  else place.removeAttribute("tabindex");
}

function drawSamples() {
  const chosen = chosenSample();
  byId("samples").hidden = chosen === null;
  if (chosen === null) return;
  const {run, sentences, number, sentence} = chosen;
  const runs = sampleRuns();
  const changes = runs.some(({run: one}) => one.sentences.some(({samples}) => samples?.length > 1));
  byId("samples-lead").textContent = text(changes ? "samples_lead" : "samples_lead_one");
  byId("sample-run-picker").hidden = page.runs.length < 2;
  byId("sample-run").replaceChildren(...runs.map(({run: one, index}) => element("option", {value: index}, `${index + 1}. ${visible(shortened(one.name, 60))}`)));
  byId("sample-run").value = page.runs.indexOf(run);
  byId("sentence").replaceChildren(...sentences.map(({source}, i) =>
      element("option", {value: i}, text("sentence_option", {number: whole(i + 1), source: visible(shortened(source, 60))}))));
  byId("sentence").value = number;
  byId("previous").disabled = number === 0;
  byId("next").disabled = number === sentences.length - 1;
  writeText("sample-source", sentence.source);
  writeText("sample-reference", sentence.reference ?? "");
  byId("sample-reference").parentElement.hidden = !sentence.reference;
  drawSteps(chosen);
  drawSample();
}

// The step since which the output of sample `at` has not changed.
function unchangedSince(samples, at) {
  let first = at;
  while (first > 0 && samples[first - 1].output === samples[at].output) --first;
  return samples[first].step;
}

// Every sample of the sentence, a button each.
function drawSteps({samples, at}) {
  const list = byId("steps-list");
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...samples.map(({step, output}, i) => {
    const before = samples[i - 1]?.output ?? null;
    const same = before === output;
    const button = element("button", {type: "button", class: same ? "step same" : "step", "data-at": i, tabindex: i === at ? 0 : -1},
        element("span", {class: "number small"}, whole(step)),
        element("bdi", {dir: directionOf(output)}, ...(same ? ["="] : changeNodes(before === null ? null : shortened(before, 600), shortened(output, 600), false))));
    if (same) button.setAttribute("aria-label", `${text("at_step", {step: whole(step)})} ${text("sample_same", {step: whole(unchangedSince(samples, i))})}`);
    return button;
  }));
  markStep(at);
  if (focused) list.querySelector("[aria-current]")?.focus();
  byId("sample-step").max = samples.length - 1;
  byId("sample-step").disabled = samples.length < 2;
  document.querySelector(".sample").classList.toggle("only", samples.length < 2);
}

function markStep(at) {
  for (const button of byId("steps-list").children) {
    const chosen = Number(button.dataset.at) === at;
    if (chosen) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.tabIndex = chosen ? 0 : -1;
    if (chosen) {
      const list = byId("steps-list");
      const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
      if (top < list.scrollTop) list.scrollTop = top;
      else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    }
  }
}

function drawSample() {
  const {sample, samples, before, at} = chosenSample();
  markStep(at);
  byId("sample-step").value = at;
  byId("sample-step-value").textContent = whole(sample.step);
  byId("sample-step").setAttribute("aria-valuetext", text("at_step", {step: whole(sample.step)}));
  byId("sample-name").textContent = text("sample_at", {step: whole(sample.step)});
  const place = byId("sample-text");
  place.dir = directionOf(sample.output);
  place.replaceChildren(...changeNodes(before?.output ?? null, sample.output, true));
  scrollable(place, sample.output.length > 1200);
  const facts = [before === null ? text(samples.length > 1 ? "sample_first" : "sample_only") : before.output === sample.output ?
      text("sample_same", {step: whole(unchangedSince(samples, at))}) : text("sample_changed", {step: whole(before.step)})];
  if (known(sample.score)) facts.unshift(text("score_of", {score: fixed(sample.score, 4)}));
  byId("sample-facts").textContent = facts.join(" · ");
  if (samplesSeen) showSampleBlock(sample);
}

// Decodes the block of a sample, unless another is chosen meanwhile.
async function showSampleBlock(sample) {
  sampleWanted = sample;
  const some = Number.isInteger(sample.block);
  const message = byId("sample-message");
  if (!some) {
    byId("sample-block").hidden = message.hidden = true;
    sampleMap = null;
    return;
  }
  let block = null;
  try {
    block = checkedSample(await readBlock(sample.block));
  } catch {
    // The message below says so.
  }
  if (sampleWanted !== sample) return;
  byId("sample-block").hidden = block === null;
  message.hidden = block !== null;
  message.textContent = text("sample_bad");
  sampleMap = null;
  if (block) drawSampleBlock(block);
}

// The file may have been written by others: sizes must agree before anything is drawn.
function checkedSample({source_pieces: source, target_pieces: target, log_probabilities: logs, numbers}) {
  const texts = (values) => Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string");
  if (!texts(source) || !texts(target) || !Array.isArray(logs) || logs.length !== target.length || numbers.length !== target.length * source.length)
    throw new Error("sizes");
  return {source, target, probabilities: logs.map((log) => known(log) ? Math.min(1, Math.exp(log)) : null),
          weights: Float32Array.from(numbers, (number) => number / 10000)};
}

const probabilityText = (probability) => probability === null ? text("no_value") : probability > 0 && probability < 0.00005 ? "< 0.0001" : fixed(probability, 4);
const pieceName = (piece) => shortened(visible(piece.replace(/^\u2581(?=.)/, "")), 40);

function drawSampleBlock({source, target, probabilities, weights}) {
  const tokens = byId("sample-tokens");
  tokens.dir = directionOf(target.join(""));
  tokens.replaceChildren(...target.map((piece, i) => {
    const token = element("span", {class: tokenClass(piece), role: "button", tabindex: i === 0 ? 0 : -1, "data-index": i,
                                   "aria-label": text("token_label", {token: pieceName(piece), probability: probabilityText(probabilities[i])})}, ...visibleNodes(piece));
    token.style.setProperty("--probability", probabilities[i] ?? 1);
    return token;
  }));
  readHeat();
  const matrix = {rows: target.length, columns: source.length, values: weights};
  sampleMap = {matrix, most: 1, probabilities, cell: null, rowNames: target.map(pieceName), columnNames: source.map(pieceName), picture: pictureOf(matrix, 1)};
  const map = sampleMap;
  map.canvas = element("canvas", {class: "map", tabindex: 0, role: "application", "aria-label": text("map_label")});
  map.canvas.addEventListener("pointermove", (event) => lookAtCell(cellUnder(map, event)));
  map.canvas.addEventListener("pointerdown", (event) => lookAtCell(cellUnder(map, event)));
  map.canvas.addEventListener("pointerleave", () => { if (document.activeElement !== map.canvas) lookAtCell(null); });
  map.canvas.addEventListener("keydown", (event) => walkSampleMap(event));
  byId("map").replaceChildren(map.canvas);
  measureMap(map);
  drawCellReadout();
}

function drawSampleMap() {
  if (!sampleMap) return;
  readHeat();
  sampleMap.picture = pictureOf(sampleMap.matrix, 1);
  drawMap(sampleMap);
}

function lookAtCell(cell) {
  if (!sampleMap || (sampleMap.cell?.row === cell?.row && sampleMap.cell?.column === cell?.column)) return;
  sampleMap.cell = cell;
  drawMap(sampleMap);
  drawCellReadout();
  for (const token of byId("sample-tokens").children) token.classList.toggle("at", Number(token.dataset.index) === cell?.row);
}

function drawCellReadout() {
  const place = byId("map-readout");
  const {cell, matrix, probabilities, rowNames, columnNames} = sampleMap;
  if (!cell) return place.replaceChildren(element("span", {class: "muted"}, text("map_help", {layer: sampleLayer()})));
  place.replaceChildren(element("bdi", {class: "name"}, rowNames[cell.row]), " → ", element("bdi", {class: "name"}, columnNames[cell.column]), " ",
      element("b", {}, fixed(matrix.values[cell.row * matrix.columns + cell.column], 4)),
      element("span", {class: "muted"}, ` · ${text("probability_of", {value: probabilityText(probabilities[cell.row])})}`));
}

// The layer whose attention a sample has.
function sampleLayer() {
  const {attention_layer: layer, decoder_layers: layers} = chosenSample()?.run.model ?? {};
  return known(layer) ? text("map_layer", {layer: whole(layer), layers: whole(layers)}) : text("map_layer_unknown");
}

// The source token that a token of the translation attends to most.
function mostAttended(row) {
  const {matrix: {columns, values}} = sampleMap;
  let column = 0;
  for (let i = 1; i < columns; ++i) if (values[row * columns + i] > values[row * columns + column]) column = i;
  return {row, column};
}

function walkSampleMap(event) {
  const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] ?? [];
  if (down === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const {cell, matrix: {rows, columns}} = sampleMap;
  lookAtCell(cell === null ? {row: 0, column: 0} :
      {row: Math.max(0, Math.min(rows - 1, cell.row + down)), column: Math.max(0, Math.min(columns - 1, cell.column + right))});
  announce(byId("map-readout").textContent);
}

function chooseStep(at) {
  const {samples} = chosenSample();
  choices.sampleStep = at === samples.length - 1 ? null : samples[at].step;
  drawSample();
  keepChoices();
}

function chooseSentence(number) {
  choices.sentence = number;
  drawSamples();
  keepChoices();
}

function startSamples() {
  byId("sample-run").addEventListener("change", (event) => {
    Object.assign(choices, {sampleRun: Number(event.target.value), sampleStep: null});
    drawSamples();
    keepChoices();
  });
  byId("sentence").addEventListener("change", (event) => chooseSentence(Number(event.target.value)));
  byId("previous").addEventListener("click", () => chooseSentence(chosenSample().number - 1));
  byId("next").addEventListener("click", () => chooseSentence(chosenSample().number + 1));
  byId("sample-step").addEventListener("input", (event) => chooseStep(Number(event.target.value)));
  const list = byId("steps-list");
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) chooseStep(Number(button.dataset.at));
  });
  list.addEventListener("focusin", (event) => { if (event.target.matches("button:focus-visible")) chooseStep(Number(event.target.dataset.at)); });
  roving(list, () => [...list.children], (key) => ({ArrowDown: (i) => i + 1, ArrowUp: (i) => i - 1, Home: () => 0, End: (i, count) => count - 1})[key]);
  const tokens = byId("sample-tokens");
  const look = (event) => {
    const token = event.target.closest(".token");
    if (!token || !sampleMap) return;
    lookAtCell(mostAttended(Number(token.dataset.index)));
    if (event.type === "focusin") announce(byId("map-readout").textContent);
  };
  tokens.addEventListener("pointerover", look);
  tokens.addEventListener("focusin", look);
  tokens.addEventListener("pointerleave", () => lookAtCell(null));
  roving(tokens, () => [...tokens.querySelectorAll(".token")], (key) => {
    const [forward, back] = tokens.dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    return {[forward]: (i) => i + 1, [back]: (i) => i - 1, Home: () => 0, End: (i, count) => count - 1}[key];
  });
  new ResizeObserver(() => requestAnimationFrame(() => { if (sampleMap) measureMap(sampleMap); })).observe(byId("map"));
  new IntersectionObserver((entries) => {
    if (samplesSeen || !entries.some(({isIntersecting}) => isIntersecting)) return;
    samplesSeen = true;
    const chosen = chosenSample();
    if (chosen) showSampleBlock(chosen.sample);
  }, {rootMargin: "150px"}).observe(byId("sample-detail"));
}
