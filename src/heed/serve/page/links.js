// The words of the source and of the translation that belong together, by the alignment of their
// sentence: pairs of word numbers, source first.

import {shownSentences} from "./lines.js";
import {wordAt, wordsOf} from "./words.js";

// The word of the source at an offset: {sentence, word, start, words}, `words` being those of the
// translation that are aligned with it, perhaps none; null if no word is there, or its line is not
// complete.
export function translationAt(lines, offset) {
  let lineStart = 0;
  for (const line of lines) {
    if (offset <= lineStart + line.text.length) return inLine(line, offset - lineStart);
    lineStart += line.text.length + 1;
  }
  return null;
}

function inLine(line, offset) {
  if (!line.complete) return null;
  let at = 0;
  for (const sentence of shownSentences(line)) {
    const start = at + sentence.before.length;
    at = start + sentence.source.length;
    if (offset >= at) continue;
    const word = wordAt(wordsOf(sentence.source), offset - start);
    if (word < 0) return null;
    const words = (sentence.alignment ?? []).filter(([from]) => from === word).map(([, to]) => to);
    return {sentence, words, start, word};
  }
  return null;
}

// The positions of the source words of a word of the translation: ranges for Editor.mark().
export function sourceRanges(lines, {line, sentence, word}) {
  const start = startOf(lines, line, sentence);
  if (start === null) return [];
  const words = wordsOf(sentence.source);
  const linked = new Set(
      (sentence.alignment ?? []).filter(([, to]) => to === word).map(([from]) => from));
  const ranges = [];
  let at = 0;
  for (const [i, {start: begin, end}] of words.entries()) {
    if (!linked.has(i)) continue;
    if (begin > at) ranges.push({start: start + at, end: start + begin, className: "near"});
    ranges.push({start: start + begin, end: start + end, className: "linked"});
    at = end;
  }
  if (at < sentence.source.length)
    ranges.push({start: start + at, end: start + sentence.source.length, className: "near"});
  return ranges;
}

function startOf(lines, wanted, sentence) {
  let at = 0;
  for (const line of lines) {
    if (line !== wanted) {
      at += line.text.length + 1;
      continue;
    }
    if (!line.complete) return null;
    for (const other of shownSentences(line)) {
      at += other.before.length;
      if (other === sentence) return at;
      at += other.source.length;
    }
  }
  return null;
}
