"use strict";
// The evaluation page's numbers and texts: sentences in an order, filtered, and counted in bins.

let page = null;     // the data of the page
let numbers = null;  // of all sentences: scores[metric][system][sentence], lengths[side][sentence], confidence[sentence] (null without one)

// Blocks of texts, each decoded once: to search them all takes them all.
const textBlocks = new Map();
function readTexts(block) {
  if (!textBlocks.has(block)) textBlocks.set(block, decodeBlock(block + 1));
  return textBlocks.get(block);
}

// The texts of a sentence: {source (or undefined), references, systems}.
async function textsOf(sentence) {
  const size = page.block_sentences;
  const block = await readTexts(Math.floor(sentence / size));
  const at = sentence % size;
  return {
    source: block.source?.[at],
    references: block.references.map((lines) => lines[at]),
    systems: block.systems.map((lines) => lines[at]),
  };
}

const twoDecimals = (value) => Math.round(value * 100) / 100;

const scoreOf = (metric, system, sentence) => numbers.scores[metric][system][sentence];

// Of the printed scores: what the reader would compute.
const differenceOf = (metric, {compared, base}, sentence) =>
    twoDecimals(scoreOf(metric, compared, sentence) - scoreOf(metric, base, sentence));

// The value of each sentence that a sort goes by; null: its number.
function sortValues(sort, metric, pair) {
  const [kind, number] = sort.split(":");
  if (kind === "length") return numbers.lengths[Number(number)];
  if (kind === "score") return numbers.scores[metric][Number(number)];
  if (kind === "confidence") return numbers.confidence.map((value) => value ?? -1);
  if (kind === "difference") return numbers.lengths[0].map((_, i) => differenceOf(metric, pair, i));
  if (kind === "distance") return numbers.lengths[0].map((_, i) => Math.abs(differenceOf(metric, pair, i)));
  return null;
}

// Numbers of sentences by their values; equal ones in the order of the text.
function sorted(sentences, values, descending) {
  const sign = descending ? -1 : 1;
  if (values === null) return descending ? sentences.toReversed() : sentences;
  return sentences.toSorted((a, b) => sign * (values[a] - values[b]) || a - b);
}

// A bin holds the values for which `holds`. Its ends are for the eye.
function scoreBins(lowerIsBetter) {
  const bins = [];
  for (let low = 0; low < 100; low += 5)
    bins.push({low, high: low + 5, holds: (value) => value >= low && (value < low + 5 || (low === 95 && !lowerIsBetter && value <= 100))});
  if (lowerIsBetter) bins.push({low: 100, high: null, holds: (value) => value >= 100});
  return bins;
}

const sideBins = 10;  // on either side of equal scores

function differenceBins(values) {
  const sizes = values.map(Math.abs).sort((a, b) => a - b);
  const most = sizes[Math.floor((sizes.length - 1) * 0.98)] ?? 0;
  let width = 0.5;
  for (let i = 0; most > width * sideBins; ++i) width *= [2, 2, 2.5][i % 3];
  const bins = [{low: 0, high: 0, holds: (value) => value === 0}];
  for (let k = 1; k <= sideBins; ++k) {
    const [inner, outer] = [(k - 1) * width, k * width];
    const last = k === sideBins;
    bins.push({low: inner, high: last ? null : outer, holds: (value) => value > inner && (last || value <= outer)});
    bins.unshift({low: last ? null : -outer, high: -inner, holds: (value) => value < -inner && (last || value >= -outer)});
  }
  return {bins, width};
}

function counted(bins, values) {
  const counts = bins.map(() => 0);
  for (const value of values) ++counts[bins.findIndex((bin) => bin.holds(value))];
  return counts;
}

function median(values) {
  const ordered = values.toSorted((a, b) => a - b);
  const half = ordered.length >> 1;
  return ordered.length % 2 === 1 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

// Whether a sentence has what was typed, in any text or as its number.
function hasText(texts, sentence, wanted) {
  if (String(sentence + 1) === wanted) return true;
  const has = (string) => string.toLowerCase().includes(wanted);
  return (texts.source !== undefined && has(texts.source)) || texts.references.some(has) || texts.systems.some(has);
}
