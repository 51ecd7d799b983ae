"use strict";
// The options of a run, or those in which several runs differ.

// The runs whose options are known: those of a run are lost with its training state.
const runsWithOptions = () => page.runs.flatMap((run, index) => Object.keys(run.options ?? {}).length > 0 ? [{run, index}] : []);

// The options that name files of text, by what identifies the text whatever their names.
const textOptions = {training_text: ["source", "target", "tsv"], validation_text: ["valid_source", "valid_target", "valid_tsv"]};

// Whether the runs have this text in common; earlier versions of heed do not say.
const haveOne = (kind) => new Set(runsWithOptions().map(({run}) => run[kind])).size === 1 && Boolean(runsWithOptions()[0].run[kind]);

function optionRows() {
  const runs = runsWithOptions();
  const keys = [...new Set(runs.flatMap(({run}) => Object.keys(run.options)))].sort();
  return keys.map((key) => {
    const values = runs.map(({run}) => Object.hasOwn(run.options, key) ? String(run.options[key]) : null);
    const sameText = Object.entries(textOptions).some(([kind, names]) => names.includes(key) && haveOne(kind));
    return {key, values, differs: !sameText && values.some((value) => value !== values[0])};
  });
}

function drawOptions() {
  const comparing = runsWithOptions().length > 1;
  const all = optionRows();
  byId("options").hidden = all.length === 0;
  if (all.length === 0) return;
  byId("options-title").textContent = text(comparing && !choices.allOptions ? "differences" : "options");
  byId("all-options-check").hidden = !comparing;
  byId("all-options").checked = choices.allOptions;
  byId("filter").value = choices.filter;
  byId("options-head").replaceChildren(element("th", {scope: "col"}, text("option")), ...(page.runs.length > 1 ? runsWithOptions().map(({run, index}) => {
    const style = lineStyle(index);
    return element("th", {scope: "col"}, element("span", {class: "run-number", style: `--ink: var(--ink-${style.ink})`}, String(index + 1)), " ", element("bdi", {}, ...visibleNodes(run.name)));
  }) : [element("th", {scope: "col"}, text("value"))]));
  drawOptionRows(all);
}

function drawOptionRows(all = optionRows()) {
  const comparing = runsWithOptions().length > 1;
  const offered = comparing && !choices.allOptions ? all.filter(({differs}) => differs) : all;
  const wanted = choices.filter.trim().toLowerCase();
  const found = offered.filter(({key, values}) => wanted === "" || [key, ...values].some((value) => value?.toLowerCase().includes(wanted)));
  byId("options-body").replaceChildren(...found.map(({key, values, differs}) => element("tr", {class: comparing && choices.allOptions && differs ? "differs" : null},
      element("th", {scope: "row"}, element("bdi", {translate: "no"}, ...breakableName(key))),
      ...values.map((value) => value === null ? element("td", {class: "absent"}, text("not_set")) :
          element("td", {}, optionValue(value))))));
  const table = byId("options-body").closest(".table");
  table.hidden = found.length === 0;
  table.classList.add(page.runs.length > 1 ? "several" : "one");
  byId("filtered").textContent = comparing && offered.length === 0 ? text("differences_none") :
      wanted === "" ? "" : text("found", {count: whole(found.length), all: whole(offered.length)});
}

// The last numbers of the further validation texts, each with the best before.
function drawTexts() {
  const texts = page.runs.length === 1 ? page.runs[0].texts ?? [] : [];
  byId("texts").hidden = texts.length === 0;
  const numbers = ["loss", "perplexity", "bleu", "chrf"].filter((number) => texts.some(({last}) => number in last));
  byId("texts-head").replaceChildren(element("th", {scope: "col"}, text("validation_text")),
      ...numbers.map((number) => element("th", {scope: "col", class: "number"}, text(number))));
  const cell = (number, {last, best}) => [fixed(last[number], number === "loss" ? 4 : 2), element("div", {class: "small"},
      best[number] ? text("best_at", {value: fixed(best[number].value, number === "loss" ? 4 : 2), step: whole(best[number].step)}) : "")];
  byId("texts-body").replaceChildren(...texts.map((one) => element("tr", {},
      element("th", {scope: "row"}, element("bdi", {translate: "no"}, ...visibleNodes(one.name))),
      ...numbers.map((number) => element("td", {class: "number"}, ...(number in one.last ? cell(number, one) : [""]))))));
}

// The examples that a run has drawn of each corpus.
function drawCorpora() {
  const run = page.runs.length === 1 ? page.runs[0] : {};
  const corpora = run.corpora ?? [];
  byId("corpora").hidden = corpora.length === 0;
  if (corpora.length === 0) return;
  const all = corpora.reduce((sum, {examples}) => sum + examples, 0);
  const percent = new Intl.NumberFormat(language, {style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1});
  byId("corpora-note").textContent = text("corpora_note", {stage: whole(run.stage ?? 1), step: whole(run.step)});
  byId("corpora-body").replaceChildren(...corpora.map(({name, examples}) => element("tr", {},
      element("th", {scope: "row"}, element("bdi", {translate: "no"}, ...visibleNodes(name))),
      element("td", {class: "number"}, whole(examples)), element("td", {class: "number"}, percent.format(examples / Math.max(all, 1))))));
}

// A name that a narrow column breaks after its underscores.
const breakableName = (name) => name.split(/(?<=_)/).flatMap((part) => [element("wbr"), ...visibleNodes(part)]);

// A long value scrolls in a box of its own.
function optionValue(value) {
  const made = element("bdi", {translate: "no"}, ...visibleNodes(value));
  if (value.length <= 600) return made;
  return element("div", {class: "long", tabindex: 0}, made);
}

function startOptions() {
  byId("filter").addEventListener("input", (event) => {
    choices.filter = event.target.value;
    drawOptionRows();
    keepChoices();
  });
  byId("all-options").addEventListener("change", (event) => {
    choices.allOptions = event.target.checked;
    drawOptions();
    keepChoices();
  });
}
