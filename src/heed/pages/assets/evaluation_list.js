"use strict";
// The list of sentences: sorted, filtered, a page at a time.

const pageSize = 20;
const longText = 1500;  // characters from which a text scrolls in a box of its own

// Sentences in the order of the list, after the filters.
let listed = [];
let listing = 0;  // the number of the last request, which supersedes those before it

function textRow(name, tokens, kinds, string, className = "") {
  const content = element("bdi", {dir: directionOf(string), translate: "no"});
  if (string === "") content.append(element("span", {class: "empty"}, text("empty")));
  else content.append(...markedNodes(tokens, kinds));
  const box = element("div", {class: "text" + (string.length > longText ? " long" : "")}, content);
  if (string.length > longText) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", text("long_text", {count: whole([...string].length)}));
  }
  return element("div", {class: "entry " + className}, name, box);
}

function scoresOf(sentence, system) {
  return element("span", {class: "sentence-scores"}, ...page.metrics.map((metric, i) =>
      element("span", {class: i === shown.metric ? "chosen" : ""}, metric.name + " ", element("b", {}, fixed(scoreOf(i, system, sentence), 2)))));
}

function systemEntry(sentence, system, tokens, kinds, strings) {
  const share = Math.min(100, scoreOf(shown.metric, system, sentence));
  const twin = strings.indexOf(strings[system]);
  const head = element("div", {class: "system-head"}, systemName(system), scoresOf(sentence, system),
      element("i", {class: "meter", "aria-hidden": "true"}, element("i", {class: `fill ink-${system % 6}`, style: `width: ${share}%`})));
  const entry = textRow(head, tokens, kinds, strings[system], `of-system ink-${system % 6}`);
  if (twin < system) entry.append(element("p", {class: "small"}, text("same_as", {system: letterOf(twin)})));
  return entry;
}

async function sentenceItem(sentence) {
  const strings = await textsOf(sentence);
  const marked = markedTexts(strings, shown.pair);
  const kinds = {reference: ["off"], systems: ["apart"], both: ["off", "apart"], none: []}[shown.marks];
  const label = (name) => element("h4", {}, name);
  const facts = [text("chip", {name: text("length_in_reference"), range: text("length_" + page.lengths[0].unit, {range: whole(numbers.lengths[0][sentence])})})];
  if (page.systems.length > 1 && shown.pair.compared !== shown.pair.base)
    facts.push(text("sentence_difference", {metric: metricNow().name, compared: letterOf(shown.pair.compared),
      base: letterOf(shown.pair.base), value: signed(differenceOf(shown.metric, shown.pair, sentence))}));
  const confidence = numbers.confidence?.[sentence] ?? null;
  if (confidence !== null) facts.push(text("chip", {name: text("confidence"), range: fixed(confidence, 2)}));
  if (marked.long && shown.marks !== "none") facts.push(text("too_long"));
  const references = strings.references.map((string, i) => textRow(
      label(strings.references.length > 1 ? text("reference_number", {number: i + 1}) : text("reference")),
      marked.references[i], kinds, string));
  return element("li", {class: "sentence", id: "sentence-" + (sentence + 1)},
      element("div", {class: "sentence-head"}, element("h3", {}, element("a", {href: "#sentence-" + (sentence + 1)}, text("sentence_number", {number: whole(sentence + 1)}))),
          element("p", {class: "small number"}, facts.join(" · ")), ...(severalSystems() ? [] : [scoresOf(sentence, 0)])),
      ...(strings.source === undefined ? [] : [textRow(label(text("source")), marked.source, [], strings.source)]), ...references,
      severalSystems() ?
          element("div", {class: "systems"}, ...strings.systems.map((_, system) => systemEntry(sentence, system, marked.systems[system], kinds, strings.systems))) :
          textRow(label(text("translation")), marked.systems[0], kinds, strings.systems[0], "of-system ink-0"));
}

// The sentences that pass all filters, in the chosen order. A later request ends an earlier one.
async function updateList() {
  const request = ++listing;
  const {filters} = shown;
  let sentences = Array.from({length: page.sentences}, (_, i) => i);
  if (filters.length) sentences = sentences.filter((i) => filters.length.holds(numbers.lengths[filters.length.side][i]));
  if (filters.confidence) sentences = sentences.filter((i) => filters.confidence.sentences.has(i));
  if (filters.score) {
    const {who, holds} = filters.score;
    sentences = sentences.filter((i) => holds(who === "difference" ? differenceOf(shown.metric, shown.pair, i) : scoreOf(shown.metric, who, i)));
  }
  if (filters.text !== "" || filters.labels) {
    byId("found").textContent = text("searching");
    const wanted = filters.text.toLowerCase();
    const found = [];
    for (const sentence of sentences) {
      const texts = await textsOf(sentence);
      if (request !== listing) return;
      if ((wanted === "" || hasText(texts, sentence, wanted)) && (!filters.labels || hasConfusion(texts, filters.labels))) found.push(sentence);
    }
    sentences = found;
  }
  listed = sorted(sentences, sortValues(shown.sort, shown.metric, shown.pair), shown.descending);
  shown.page = 0;
  drawChips();
  byId("found").textContent = listed.length === page.sentences ? text("all_sentences", {count: whole(page.sentences)}) :
      listed.length === 0 ? text("found_none") : text("found", {count: whole(listed.length), all: whole(page.sentences)});
  await drawList();
}

async function drawList() {
  const request = ++listing;
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  shown.page = Math.max(0, Math.min(pages - 1, shown.page));
  const part = listed.slice(shown.page * pageSize, (shown.page + 1) * pageSize);
  byId("list").setAttribute("aria-busy", "true");
  const items = await Promise.all(part.map(sentenceItem));
  if (request !== listing) return;
  byId("list").replaceChildren(...items);
  byId("list").className = shown.layout;
  byId("list").removeAttribute("aria-busy");
  byId("pager").hidden = pages === 1;
  byId("page-number").value = String(shown.page + 1);
  byId("page-count").textContent = text("of_pages", {pages: whole(pages)});
  byId("previous").disabled = shown.page === 0;
  byId("next").disabled = shown.page === pages - 1;
}

function drawChips() {
  const chips = ["score", "length", "labels", "confidence"].filter((kind) => shown.filters[kind]).map((kind) => {
    const label = shown.filters[kind].label();
    const chip = element("button", {type: "button", class: "plain chip", "aria-label": text("remove_filter", {filter: label})},
        label, element("span", {"aria-hidden": "true"}, "×"));
    chip.addEventListener("click", () => {
      chooseFilter(kind, null);
      byId("sentences-title").focus({preventScroll: true});
    });
    return chip;
  });
  byId("chips").replaceChildren(...chips);
  byId("chips").hidden = chips.length === 0;
}

// By what the list can be sorted.
function drawSort() {
  const options = [["line", text("sort_line")],
    ...page.lengths.map((side, i) => ["length:" + i, text("sort_length_" + side.side)]),
    ...page.systems.map((_, system) => ["score:" + system, text("metric_of", {metric: metricNow().name, system: systemLabel(system)})])];
  if (page.confidence) options.push(["confidence", text("confidence")]);
  if (page.systems.length > 1)
    options.push(["difference", pairText()], ["distance", text("sort_distance", {metric: metricNow().name, compared: letterOf(shown.pair.compared), base: letterOf(shown.pair.base)})]);
  byId("sort").replaceChildren(...options.map(([value, label]) => element("option", {value}, label)));
  byId("sort").value = shown.sort;
  byId("direction").textContent = text(shown.descending ? "descending" : "ascending");
}

function drawListControls() {
  drawSort();
  const marks = page.systems.length > 1 ? ["reference", "systems", "both", "none"] : ["reference", "none"];
  segmented(byId("marks"), text("marks"), marks.map((kind) => [kind, text("marks_" + kind)]), shown.marks, (kind) => {
    shown.marks = kind;
    drawKey();
    drawList().catch(fail);
  });
  byId("layout").hidden = page.systems.length === 1;
  segmented(byId("layout"), text("layout"), [["columns", text("layout_columns")], ["rows", text("layout_rows")]], shown.layout, (layout) => {
    shown.layout = layout;
    byId("list").className = layout;
  });
  drawKey();
}

// What the marks mean.
function drawKey() {
  const parts = [];
  const key = (kind, name) => element("span", {}, element("mark", {class: kind}, text("mark_sample")), " " + name);
  if (["reference", "both"].includes(shown.marks)) parts.push(key("off", text(severalSystems() ? "mark_off" : "mark_off_one")));
  if (["systems", "both"].includes(shown.marks))
    parts.push(key("apart", text("mark_apart", {compared: letterOf(shown.pair.compared), base: letterOf(shown.pair.base)})));
  byId("marks-key").replaceChildren(...parts);
}

// Shows the sentence that the address names, among all of them in their order.
async function showAddressed() {
  const number = Number(/^#sentence-(\d+)$/.exec(location.hash)?.[1]);
  if (!(number >= 1 && number <= page.sentences)) return;
  if (!listed.includes(number - 1)) {
    shown.filters = noFilters();
    byId("filter").value = "";
    drawCharts();
    await updateList();
  }
  shown.page = Math.floor(listed.indexOf(number - 1) / pageSize);
  await drawList();
  byId("sentence-" + number)?.scrollIntoView({block: "start"});
}

function turnTo(number) {
  shown.page = number;
  drawList().then(() => {
    byId("sentences-title").scrollIntoView({block: "start"});
    announce(text("page_of", {page: whole(shown.page + 1), pages: whole(Math.ceil(listed.length / pageSize))}));
  }).catch(fail);
}

function startList() {
  let typing = 0;
  byId("filter").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => chooseFilter("text", event.target.value.trim()), 150);
  });
  byId("sort").addEventListener("change", (event) => {
    shown.sort = event.target.value;
    shown.descending = !["line", "length:0", "length:1", "confidence"].includes(shown.sort);
    drawSort();
    updateList().catch(fail);
  });
  byId("direction").addEventListener("click", () => {
    shown.descending = !shown.descending;
    drawSort();
    updateList().catch(fail);
  });
  addEventListener("hashchange", () => showAddressed().catch(fail));
  byId("previous").addEventListener("click", () => turnTo(shown.page - 1));
  byId("next").addEventListener("click", () => turnTo(shown.page + 1));
  byId("page-number").addEventListener("change", (event) => {
    const number = Number.parseInt(event.target.value, 10);
    if (Number.isNaN(number)) event.target.value = String(shown.page + 1);
    else turnTo(number - 1);
  });
}
