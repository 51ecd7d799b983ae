"use strict";
// The attention page's numbers: units (pieces or words) and the weights between them.

// Those that the model has; a recurrent one attends to the source alone, or not at all.
const kindsOf = (block) => ["encoder", "cross", "decoder"].filter((kind) => block.shape[kind][0] > 0);

// A unit is what is shown as one token: {begin, end} of its pieces, its text, and the numbers of
// the words that it has.
function pieceUnits(pieces, words) {
  const units = pieces.map((piece, i) => ({begin: i, end: i + 1, text: piece, words: []}));
  words.forEach(([begin, end], word) => {
    for (let i = begin; i < end; ++i) units[i]?.words.push(word);
  });
  return units;
}

// Words that share pieces, such as the characters of one Chinese piece, are one unit: its weights
// cannot be told apart. Pieces outside of words (</s>, a lone space) are units of their own.
function wordUnits(pieces, words) {
  const units = [];
  const numbered = words.map(([begin, end], word) => ({begin, end, word})).filter(({begin, end}) => begin < end)
      .sort((a, b) => a.begin - b.begin);
  let at = 0;
  const lone = (end) => {
    for (; at < end; ++at) units.push({begin: at, end: at + 1, text: pieces[at], words: []});
  };
  for (const {begin, end, word} of numbered) {
    const last = units.at(-1);
    if (last && begin < last.end) {
      last.end = Math.max(last.end, end);
      last.words.push(word);
    } else {
      lone(begin);
      units.push({begin, end, words: [word]});
    }
    at = units.at(-1).end;
  }
  lone(pieces.length);
  for (const unit of units)
    unit.text ??= pieces.slice(unit.begin, unit.end).join("").replaceAll("\u2581", " ").trim() || "\u2581";
  return units;
}

// The decoder's inputs: the piece that it starts with, then the target without its last piece.
function inputUnits(units, start) {
  const length = units.at(-1)?.end ?? 0;
  const shifted = units.filter((unit) => unit.begin + 1 < length).map((unit) =>
      ({...unit, begin: unit.begin + 1, end: Math.min(unit.end + 1, length)}));
  return [{begin: 0, end: 1, text: start, words: []}, ...shifted];
}

// The units of a block: source, target, input of the decoder.
function unitsOf(block, unit) {
  block.units ??= {};
  const make = unit === "words" ? wordUnits : pieceUnits;
  return block.units[unit] ??= (() => {
    const target = make(block.target_pieces, block.target_words);
    return {source: make(block.source_pieces, block.source_words), target, input: inputUnits(target, block.start_piece)};
  })();
}

// Which units ask (rows) and which are looked at (columns).
function sidesOf(block, kind, unit) {
  const {source, target, input} = unitsOf(block, unit);
  return {
    encoder: {queries: source, keys: source},
    decoder: {queries: target, keys: input},
    cross: {queries: target, keys: source},
  }[kind];
}

// The weights of a head as stored: [queries, keys] of pieces, times 10,000.
function storedWeights(block, kind, layer, head) {
  let begin = 0;
  for (const before of ["encoder", "decoder", "cross"]) {
    if (before === kind) break;
    begin += block.shape[before].reduce((product, size) => product * size, 1);
  }
  const [, heads, rows, columns] = block.shape[kind];
  begin += (layer * heads + head) * rows * columns;
  return {rows, columns, values: block.numbers.subarray(begin, begin + rows * columns)};
}

// The weights of a head between units: {rows, columns, values}, row-major. Between words: the sum
// over a word's pieces as keys, the mean over its pieces as queries.
function weightsOf(block, kind, layer, head, unit) {
  block.weights ??= new Map();
  const key = [kind, layer, head, unit].join();
  if (!block.weights.has(key)) {
    const stored = storedWeights(block, kind, layer, head);
    const {queries, keys} = sidesOf(block, kind, unit);
    block.weights.set(key, unit === "pieces" ?
        {...stored, values: Float32Array.from(stored.values, (value) => value / 10000)} : joined(stored, queries, keys));
  }
  return block.weights.get(key);
}

function joined({columns, values}, queries, keys) {
  const result = {rows: queries.length, columns: keys.length, values: new Float32Array(queries.length * keys.length)};
  queries.forEach((query, i) => keys.forEach((key, j) => {
    let sum = 0;
    for (let row = query.begin; row < query.end; ++row)
      for (let column = key.begin; column < key.end; ++column) sum += values[row * columns + column];
    result.values[i * keys.length + j] = sum / (10000 * (query.end - query.begin));
  }));
  return result;
}

// The mean of several heads' weights.
function meanOf(matrices) {
  const [{rows, columns}] = matrices;
  const values = new Float32Array(rows * columns);
  for (const {values: head} of matrices) for (let i = 0; i < values.length; ++i) values[i] += head[i] / matrices.length;
  return {rows, columns, values};
}

const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0);

// The log-probability of a unit: of its pieces together.
function logProbabilityOf(block, {begin, end}) {
  let sum = 0;
  for (let i = begin; i < end; ++i) sum += block.log_probabilities[i] ?? 0;
  return sum;
}

// Four decimals; what would round to zero says so.
const probabilityText = (probability) => probability > 0 && probability < 0.00005 ? "< 0.0001" : fixed(probability, 4);

// A token as it is named in labels.
const named = (unit) => shortened(visible(unit.text.replace(/^\u2581(?=.)/, "")), 40);
