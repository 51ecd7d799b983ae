// The lines of a text that have to be translated after an edit. Each line of the text is translated
// by itself; the server splits it into sentences, and those that an edit leaves alone are kept.
//
// A line: {text, head, fresh, tail, stale, middle, after, complete, partial, part}. Its sentences
// are head, fresh and tail, in order: `head` and `tail` are known from before, `fresh` are the
// answers for the part between them (`middle`) so far. `stale` are the sentences that fresh ones
// replace, shown meanwhile. `partial` is the translation so far of the sentence that is being
// translated, `part` the number of characters to ask for next; both may be undefined. A sentence is
// the API's object; `gap` is the white space before its translation.

import {needsSpace} from "./words.js";

// Number of characters of a sentence's neighbour that must be unchanged for the boundary between
// them to be unchanged.
const kContext = 20;

// The sentences of a line that have arrived: if it is not complete, any of the fresh ones may be
// missing.
export const sentencesOf = (line) => [...line.head, ...line.fresh.filter(Boolean), ...line.tail];

// The sentences that are shown: new ones, and those that are being translated again until their
// successors arrive, which may be in any order.
export function shownSentences(line) {
  const middle = [];
  for (let i = 0; i < Math.max(line.fresh.length, line.stale.length); ++i)
    middle.push(line.fresh[i] ?? line.stale[i]);
  return [...line.head, ...middle.filter(Boolean), ...line.tail];
}

// The sentences that are known from the beginning of the line on.
function firstSentences(line) {
  if (line.complete) return sentencesOf(line);
  const missing = line.fresh.findIndex((sentence) => !sentence);
  return [...line.head, ...(missing < 0 ? line.fresh : line.fresh.slice(0, missing))];
}

const lengthOf = ({before, source}) => before.length + source.length;

// The white space between a sentence's translation and the one before it.
function gapOf(previous, sentence) {
  if (!previous) return sentence.before;
  if (sentence.gap !== undefined) return sentence.gap;
  return needsSpace(previous.translation, sentence.translation) ? " " : "";
}

// Sentences with the white space before each: [[gap, sentence], ...].
export const withGaps = (sentences) =>
    sentences.map((sentence, i) => [gapOf(sentences[i - 1], sentence), sentence]);

export const translationOf = (line) =>
    withGaps(sentencesOf(line)).map(([gap, {translation}]) => gap + translation).join("") + line.after;

// Takes the white space between translations from the whole translation that the server joined.
export function readGaps(sentences, whole) {
  let at = 0;
  for (const [i, sentence] of sentences.entries()) {
    const begin = whole.indexOf(sentence.translation, at);
    if (begin < 0 || whole.slice(at, begin).trim() !== "") return;
    if (i > 0) sentence.gap = whole.slice(at, begin);
    at = begin + sentence.translation.length;
  }
}

function commonPrefix(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) ++length;
  return length;
}

function commonSuffix(a, b, most) {
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) ++length;
  return length;
}

// The sentences of `old` that a line with this text begins and ends with. A sentence stays if the
// neighbour that it borders on is there too, at least with its nearest characters: the server has
// seen both sides of the boundary.
function kept(old, text) {
  const sentences = firstSentences(old);
  const same = commonPrefix(old.text, text);
  let head = 0;
  let headLength = 0;
  for (; head + 1 < sentences.length; ++head) {
    const end = headLength + lengthOf(sentences[head]);
    if (same < end + Math.min(lengthOf(sentences[head + 1]), kContext)) break;
    headLength = end;
  }
  let tail = sentences.length;
  let tailLength = old.complete ? old.after.length : 0;
  if (old.complete) {
    const sameEnd = commonSuffix(old.text, text, Math.min(old.text.length, text.length) - headLength);
    for (; tail - 1 > head; --tail) {
      const length = tailLength + lengthOf(sentences[tail - 1]);
      if (sameEnd < length + Math.min(lengthOf(sentences[tail - 2]), kContext)) break;
      tailLength = length;
    }
  }
  if (tail === sentences.length) tailLength = 0;
  return {
    head: sentences.slice(0, head), tail: sentences.slice(tail),
    stale: shownSentences(old).slice(head, shownSentences(old).length - (sentences.length - tail)),
    middle: text.slice(headLength, text.length - tailLength),
  };
}

// Sets the white space after the part that was translated anew. The sentence there has another
// neighbour now.
export function appendSpace(line, space) {
  const [next] = line.tail;
  if (!next) {
    line.after = space;
    return;
  }
  next.before = space + next.before;
  delete next.gap;
}

// A line without anything to ask for is complete.
function lineOf(text, parts) {
  const line = {text, head: [], fresh: [], tail: [], stale: [], middle: text, after: "", ...parts};
  line.complete = line.middle.trim() === "";
  if (line.complete) {
    line.stale = [];
    appendSpace(line, line.middle);
  }
  return line;
}

export const finishedLine = (text, sentences, after) =>
    ({...lineOf(text, {head: sentences.map((sentence) => ({...sentence})), middle: ""}), after});

// The numbers of elements that two arrays have in common at the beginning, and then at the end.
export function commonEnds(a, b) {
  const first = commonPrefix(a, b);
  return {first, last: commonSuffix(a, b, Math.min(a.length, b.length) - first)};
}

// Whether a part of the answer for a line has arrived.
const isStarted = ({fresh, partial}) => fresh.length > 0 || partial !== undefined;

// Of an answer for the beginning of `middle`, moves to the head the sentences that are certain:
// those that end kContext characters before the end of what was asked, or all. Returns how many.
export function keepBeginning(line, asked, {all}) {
  let count = 0;
  let length = 0;
  for (const sentence of line.fresh) {
    const end = length + lengthOf(sentence);
    if (!all && end + kContext > asked.length) break;
    length = end;
    ++count;
  }
  line.head = [...line.head, ...line.fresh.slice(0, count)];
  line.stale = line.stale.slice(count);
  line.middle = line.middle.slice(length);
  line.fresh = [];
  return count;
}

// The lines of a new text. Lines of the old text that are the same are the same objects, unless a
// part of their answer has arrived; others may come from `cached(text)`, a finished line or
// undefined.
export function plan(old, text, cached) {
  const texts = text.split("\n");
  const {first, last} = commonEnds(old.map((line) => line.text), texts);
  const shift = old.length - texts.length;
  return texts.map((lineText, i) => {
    const same = i < first ? old[i] : i >= texts.length - last ? old[i + shift] : null;
    if (same?.complete) return same;
    const known = cached(lineText);
    if (known) return known;
    if (same && !isStarted(same)) return same;
    const former = same ?? (i < old.length - last ? old[i] : null);
    return lineOf(lineText, former ? {...kept(former, lineText), after: former.after} : {});
  });
}
