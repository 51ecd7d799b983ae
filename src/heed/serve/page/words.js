// Words as `heed translate --alignments words` counts them (src/heed/decode/text_units.h): separated
// by spaces; in text without spaces between its words each character is one.

// core/scripts.h, is_unspaced(): Chinese and Japanese characters with their punctuation, Thai, Lao,
// Tibetan, Burmese, Khmer; but for full-width letters and digits.
const unspaced = new RegExp(
    "[\\u0e01-\\u0e4e\\u0e81-\\u0ece\\u0f00-\\u109f\\u1780-\\u17ff\\u2e80-\\u2fdf\\u3000-\\u30ff" +
    "\\u31f0-\\u31ff\\u3400-\\u9fff\\uf900-\\ufaff\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uffef\\u{20000}-\\u{3ffff}]", "u");

export const isUnspaced = (character) => unspaced.test(character);

// core/unicode.h, is_whitespace(); \s has U+FEFF, which is none.
const whiteSpace = new RegExp("[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]", "u");

// The words of a text, in order: {start, end} in UTF-16 units, without the spaces around them.
export function wordsOf(text) {
  const words = [];
  let joins = false;  // whether a character of text with spaces joins the last word
  let at = 0;
  for (const character of text) {
    const start = at;
    at += character.length;
    if (whiteSpace.test(character)) {
      joins = false;
      continue;
    }
    const isolated = isUnspaced(character);
    if (joins && !isolated) words.at(-1).end = at;
    else words.push({start, end: at});
    joins = !isolated;
  }
  return words;
}

// The word at an offset of the text: its index, or -1 between words.
export const wordAt = (words, offset) =>
    words.findIndex(({start, end}) => start <= offset && offset < end);

// Whether a space belongs between two neighbours of a text.
export const needsSpace = (before, after) =>
    before !== "" && after !== "" && !isUnspaced([...before.slice(-2)].at(-1)) &&
    !isUnspaced([...after.slice(0, 2)][0]);
