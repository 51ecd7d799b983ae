"use strict";
// The page of an inspection of data: its tables, and the start. After data_findings.js, data_charts.js.

const headOf = (...names) => element("tr", {}, ...names.map((name, i) => element("th", {scope: "col", class: i > 0 && "number", title: /^P\d/.test(name) ? text("percentile", {percent: name.slice(1)}) : null}, name)));
const rowOf = (name, ...values) => element("tr", {}, element("th", {scope: "row"}, name), ...values.map((value) => element("td", {class: "number"}, value)));

function drawLengthTable() {
  byId("lengths-head").replaceChildren(headOf(text("lengths"), text("mean"), text("median"), text("percentile_95"), text("percentile_99"), text("longest")));
  byId("lengths-body").replaceChildren(...sides.flatMap((side) => ["words", "characters", "tokens"]
      .filter((unit) => page[side][unit] && (unit !== "words" || page[side].spaced))
      .map((unit) => {
        const {mean, median, p95, p99, longest} = page[side][unit];
        return rowOf(text("source_target", {source: text(side), target: text(unit)}), fixed(mean, 1), whole(median), whole(p95), whole(p99), whole(longest));
      })));
}

// The facts of one side by their names.
function factsOf({spaced, letters, vocabulary, vocabulary_use: use, characters, words, test}) {
  const facts = new Map();
  const ofWords = (name, value) => { if (spaced) facts.set(name, value); };
  const counted = (value) => about(vocabulary.estimated, whole(value));
  const per = (all, parts) => fixed(all / Math.max(1, parts), 2);
  const [[script, most] = [], ...others] = Object.entries(letters).sort((a, b) => b[1] - a[1]);
  if (script) facts.set(text("scripts"), `${text("script_" + script)} ${percentOf(most, most + others.reduce((sum, [, count]) => sum + count, 0))}`);
  facts.set(text("words"), spaced ? whole(vocabulary.words) : text("no_spaces"));
  ofWords(text("different_words"), counted(vocabulary.types));
  ofWords(text("once"), `${counted(vocabulary.singletons)} (${percentOf(vocabulary.singletons, vocabulary.types)})`);
  for (const {types, share} of vocabulary.coverage.slice(0, -1)) ofWords(text("covered", {count: whole(types)}), fixed(100 * share, 1) + "%");
  if (use) {
    ofWords(text("tokens_per_word"), per(use.tokens, words.sum));
    facts.set(text("characters_per_token"), per(characters.sum, use.tokens));
    facts.set(text("used"), text("value_of", {value: whole(use.used), all: whole(use.vocabulary)}));
    facts.set(text("unknown"), whole(use.unknown));
  }
  if (test) {
    facts.set(text("test_lines"), whole(test.lines));
    facts.set(text("seen_lines"), whole(test.lines_seen));
    ofWords(text("unseen_words"), percentOf(test.unseen_words, test.words));
  }
  return facts;
}

function drawFacts() {
  const [source, target] = sides.map((side) => factsOf(page[side]));
  byId("facts-head").replaceChildren(headOf(text("vocabulary"), text("source"), text("target")));
  const names = [...new Set([...source.keys(), ...target.keys()])];
  byId("facts-body").replaceChildren(...names.map((name) => rowOf(name, source.get(name) ?? "–", target.get(name) ?? "–")));
}

function drawReport() {
  const paths = [page.source_file, page.target_file];
  const [source, target] = withoutCommonDirectories(paths);
  document.title = byId("title").textContent = text("title", {source: visible(source), target: visible(target)});
  const full = source === page.source_file ? [] : paths.map(visible);
  byId("facts").replaceChildren(...[...full, text("pairs_count", {count: whole(page.pairs)}), ...(page.first_pairs_only ? [text("first_pairs")] : []),
    text("typical", {ratio: fixed(page.typical_ratio, 2)})].map((fact) => element("span", {}, fact)));
  drawFindings();
  drawCharts();
  drawLengthTable();
  drawFacts();
}
onLanguage.push(() => {
  drawCleaning(drawReport);
  drawReport();
});
onTheme.push(() => redraw(coverageGroup));

startPage(() => {
  page = pageData();
  startCleaning();
  startFindings();
  new ResizeObserver(() => requestAnimationFrame(() => coverageGroup.charts.forEach((chart) => chart.measure()))).observe(byId("charts"));
});
