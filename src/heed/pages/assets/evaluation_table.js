"use strict";
// The head of the page: every system's corpus score by every metric, and what the test says.

const letterOf = (system) => system < 26 ? String.fromCharCode(65 + system) : String(system + 1);
const severalSystems = () => page.systems.length > 1;
const badgeOf = (system) => element("span", {class: "badge ink-" + system % 6, "aria-hidden": "true"}, letterOf(system));

// A system's letter, where there are several, and its name.
function systemName(system) {
  return element("span", {class: "system"}, ...(severalSystems() ? [badgeOf(system)] : []),
      element("bdi", {translate: "no"}, ...visibleNodes(page.systems[system])));
}

// The same as text, for labels, lists and readouts.
const systemLabel = (system) => (severalSystems() ? letterOf(system) + " · " : "") + shortened(visible(page.systems[system]), 40);

// A value of a system in a list of those of all: "A 33.20".
const lettered = (system, value) => severalSystems() ? letterOf(system) + " " + value : value;

const signed = (value, digits = 2) => (value > 0 ? "+" : "") + fixed(value, digits);

function scoreCell(metric, system, best) {
  const result = metric.systems[system];
  const cell = element("td", {class: "number", "data-metric": metric.name},
      element("span", {class: "score" + (result.score === best ? " best" : "")}, fixed(result.score, 2)));
  if (page.systems.length > 1)
    cell.append(element("span", {class: "change"}, system > 0 ? signed(twoDecimals(result.score - metric.systems[0].score)) : ""));
  const details = [];
  if (result.half_width !== undefined)
    details.push(text("interval", {mean: fixed(result.mean, 2), half: fixed(result.half_width, 2)}));
  if (result.p_value !== undefined)
    details.push(text("p_value", {p: result.p_value < 0.00005 ? "< 0.0001" : "= " + fixed(result.p_value, 4)}) +
        (result.significant ? " *" : ""));
  if (details.length > 0) cell.append(element("span", {class: "detail"}, details.join(text("list_separator"))));
  return cell;
}

function drawScores() {
  const {metrics, systems, test} = page;
  document.querySelector(".scores").classList.toggle("compared", systems.length > 1);
  byId("scores-head").replaceChildren(element("th", {scope: "col"}, text("system")), ...metrics.map((metric) =>
      element("th", {scope: "col", class: "number"}, metric.name + " ",
          element("span", {title: text(metric.lower_is_better ? "lower" : "higher"), "aria-hidden": "true"}, metric.lower_is_better ? "↓" : "↑"),
          element("span", {class: "hidden"}, " " + text(metric.lower_is_better ? "lower" : "higher")))));
  const best = metrics.map((metric) => {
    const scores = metric.systems.map((result) => result.score);
    return systems.length > 1 ? Math[metric.lower_is_better ? "min" : "max"](...scores) : null;
  });
  byId("scores-body").replaceChildren(...systems.map((_, system) => element("tr", {},
      element("th", {scope: "row"}, systemName(system),
          ...(system === 0 && systems.length > 1 ? [element("span", {class: "baseline"}, text("baseline"))] : [])),
      ...metrics.map((metric, i) => scoreCell(metric, system, best[i])))));
  const lead = [];
  if (systems.length > 1) lead.push(text("scores_lead"));
  if (test?.kind !== "bootstrap") lead.push(text("interval_lead", {trials: whole(page.interval_trials)}));
  if (test) lead.push(text("test_" + test.kind, {trials: whole(test.trials), seed: String(test.seed)}));
  byId("scores-lead").replaceChildren(...lead.map((line) => element("p", {}, line)));
  byId("signatures").replaceChildren(...metrics.flatMap((metric) => [
    element("dt", {}, metric.name), element("dd", {translate: "no"}, metric.signature),
    ...(sentenceSignature(metric) ? [element("dt", {}, text("of_sentences", {metric: metric.name})), element("dd", {translate: "no"}, metric.sentence_signature)] : []),
  ]));
}

// Where sentences are scored otherwise than the corpus: BLEU, with the effective order.
function sentenceSignature(metric) {
  const fields = new Set(metric.signature.split("|"));
  return metric.sentence_signature.split("|").some((field) => !fields.has(field));
}

function drawFacts() {
  byId("title").textContent = text("evaluation");
  document.title = text("title", {systems: shortened(page.systems.map(visible).join(text("list_separator")), 80)});
  const fact = (key, values) => element("span", {}, text(key) + " ", element("b", {translate: "no"}, values));
  const facts = [fact("sentences_count", whole(page.sentences)),
    fact(page.references.length > 1 ? "references" : "reference", page.references.map(visible).join(text("list_separator")))];
  if (page.source !== null) facts.push(fact("source", visible(page.source)));
  byId("facts").replaceChildren(...facts);
}
