// How sure the model is of the words of a translation.

import {wordsOf} from "./words.js";

// Below it, words and sentences are marked.
const kDoubtful = 0.3;

const kSpace = "\u2581";  // in a piece

// The probability of each word of a hypothesis (as wordsOf() counts them): the product over the
// pieces that it has characters of. Null unless its pieces spell the translation.
export function wordProbabilities({translation, pieces, log_probabilities: logs}) {
  if (!pieces || !logs) return null;
  const spelled = pieces.join("").replaceAll(kSpace, " ");
  if (spelled.trim() !== translation.trim()) return null;
  const leading = (text) => text.length - text.trimStart().length;
  const words = wordsOf(translation);
  const sums = words.map(() => 0);
  let at = leading(translation) - leading(spelled);
  let first = 0;  // the first word that may have characters of the next piece
  for (const [i, piece] of pieces.entries()) {
    const end = at + piece.length;
    while (first < words.length && words[first].end <= at) ++first;
    // A piece of spaces alone belongs to the word after it.
    const last = piece.replaceAll(kSpace, "") === "" ? end + 1 : end;
    for (let word = first; word < words.length && words[word].start < last; ++word) sums[word] += logs[i];
    at = end;
  }
  return sums.map(Math.exp);
}

// A hypothesis with the probabilities of its words in place of its pieces.
export function withProbabilities({pieces, log_probabilities, ...hypothesis}) {
  const probabilities = wordProbabilities({...hypothesis, pieces, log_probabilities});
  return probabilities ? {...hypothesis, probabilities} : hypothesis;
}

export const isDoubtful = (probability) => probability < kDoubtful;
