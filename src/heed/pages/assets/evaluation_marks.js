"use strict";
// Differences between texts: words, or characters where words have no spaces between them, that are
// not in the longest common subsequence.

// A character of such a writing system with its marks, else a run of letters and digits, else any
// one character.
const tokenPattern = new RegExp([
  "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}]\\p{M}*",
  "(?:(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}])[\\p{L}\\p{N}]\\p{M}*)+",
  "\\s+", "[^]\\p{M}*"].join("|"), "gu");

// What a text consists of: {text, space}.
const tokensOf = (string) => (string.match(tokenPattern) ?? []).map((token) => ({text: token, space: token.trim() === ""}));

const longestTable = 4e6;  // cells; two texts of 2,000 words each

// Which words of two lists are in their longest common subsequence: [of the first, of the second],
// or null where the texts are too long for the table.
function commonWords(first, second) {
  const inFirst = new Uint8Array(first.length);
  const inSecond = new Uint8Array(second.length);
  let begin = 0;
  let [m, n] = [first.length, second.length];
  while (begin < m && begin < n && first[begin] === second[begin]) inFirst[begin] = inSecond[begin++] = 1;
  while (m > begin && n > begin && first[m - 1] === second[n - 1]) inFirst[--m] = inSecond[--n] = 1;
  const [rows, columns] = [m - begin + 1, n - begin + 1];
  if (rows * columns > longestTable) return null;
  // longest[i][j]: of what follows word i of the first and word j of the second.
  const longest = new Uint16Array(rows * columns);
  for (let i = rows - 2; i >= 0; --i)
    for (let j = columns - 2; j >= 0; --j)
      longest[i * columns + j] = first[begin + i] === second[begin + j] ? longest[(i + 1) * columns + j + 1] + 1 :
          Math.max(longest[(i + 1) * columns + j], longest[i * columns + j + 1]);
  for (let i = 0, j = 0; i < rows - 1 && j < columns - 1;) {
    if (first[begin + i] === second[begin + j]) inFirst[begin + i++] = inSecond[begin + j++] = 1;
    else if (longest[(i + 1) * columns + j] >= longest[i * columns + j + 1]) ++i;
    else ++j;
  }
  return [inFirst, inSecond];
}

const wordsOf = (tokens) => tokens.filter((token) => !token.space).map((token) => token.text);

// Of several references, the one that has most of the words: {reference, common} or null.
function closestReference(words, references) {
  let best = null;
  references.forEach((reference, i) => {
    const common = commonWords(words, reference);
    const count = common?.[0].reduce((sum, one) => sum + one, 0);
    if (common && (best === null || count > best.count)) best = {reference: i, common, count};
  });
  return best;
}

// Sets name on the tokens of those words that `flags` says, of the words alone, to what it says.
function flag(tokens, flags, name) {
  let word = 0;
  for (const token of tokens) {
    const value = !token.space && flags(word++);
    if (value) token[name] = value;
  }
}

// The tokens of every text of a sentence. `off`: a word of a system that its reference lacks, or of
// a reference that every system lacks. `apart`: a word that one of the two systems of `pair` has and
// the other lacks, in these and in the references; in a reference it is the class of the ink of the
// system that has it. `long` if a text is too long to be compared.
function markedTexts({source, references, systems}, pair) {
  const marked = {
    source: source === undefined ? undefined : tokensOf(source),
    references: references.map(tokensOf),
    systems: systems.map(tokensOf),
    long: false,
  };
  const referenceWords = marked.references.map(wordsOf);
  const systemWords = marked.systems.map(wordsOf);
  // found[system][reference]: which words of the reference the system has; null if that is unknown.
  const found = systemWords.map((words, system) => {
    const closest = closestReference(words, referenceWords);
    if (closest === null) return null;
    flag(marked.systems[system], (word) => !closest.common[0][word], "off");
    return referenceWords.map((reference, i) => (i === closest.reference ? closest.common : commonWords(words, reference))?.[1] ?? null);
  });
  marked.long = found.includes(null);
  if (!marked.long) marked.references.forEach((tokens, i) => flag(tokens, (word) => !found.some((of) => of[i]?.[word]), "off"));
  if (pair.compared === pair.base) return marked;
  const common = commonWords(systemWords[pair.base], systemWords[pair.compared]);
  if (common === null) return {...marked, long: true};
  flag(marked.systems[pair.base], (word) => !common[0][word], "apart");
  flag(marked.systems[pair.compared], (word) => !common[1][word], "apart");
  const [base, compared] = [found[pair.base], found[pair.compared]];
  marked.references.forEach((tokens, i) => {
    const inkOf = (word) => base[i][word] !== compared[i][word] && "ink-" + (base[i][word] ? pair.base : pair.compared) % 6;
    if (base?.[i] && compared?.[i]) flag(tokens, inkOf, "apart");
  });
  return marked;
}

// Tokens as nodes; neighbours of one kind are one mark. `kinds`: which marks are shown.
function markedNodes(tokens, kinds) {
  const nodes = [];
  let run = "";
  let runClass = "";
  const end = () => {
    if (run === "") return;
    const made = visibleNodes(run);
    if (runClass === "") nodes.push(...made);
    else nodes.push(element("mark", {class: runClass}, ...made));
    run = "";
  };
  tokens.forEach((token, i) => {
    // Space between two marked words belongs to the mark.
    const of = (one) => kinds.filter((kind) => one?.[kind]).map((kind) => one[kind] === true ? kind : `${kind} ${one[kind]}`).join(" ");
    const next = token.space ? (of(tokens[i - 1]) === of(tokens[i + 1]) ? of(tokens[i + 1]) : "") : of(token);
    if (next !== runClass) {
      end();
      runClass = next;
    }
    run += token.text;
  });
  end();
  return nodes;
}
