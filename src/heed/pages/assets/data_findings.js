"use strict";
// Findings with their examples, and their filter. After data_strings.js.

const byId = (id) => document.getElementById(id);
const chosen = {kind: "", filter: ""};
const opened = new Set();  // names of the findings that are open
let page = null;

const titleOf = (finding) => language === "zh" && findingsInChinese[finding.kind]?.[0] || finding.title;

function adviceOf(finding) {
  const chinese = language === "zh" && findingsInChinese[finding.kind]?.[1];
  if (!chinese) return finding.advice;
  return chinese.replace("{command}", () => /iconv -f .*? FILE/.exec(finding.advice)?.[0] ?? (finding.command || finding.advice));
}

function noteOf({note}) {
  const known = language === "zh" && notesInChinese.find(([pattern]) => pattern.test(note));
  return visible(known ? note.replace(...known) : note);
}

const percentOf = (part, all) => {
  const share = 100 * part / Math.max(1, all);
  return (share === 0 || share >= 10 ? fixed(share, 0) : String(Number(share.toPrecision(2)))) + "%";
};
const about = (estimated, value) => estimated ? text("about", {value}) : value;

function countOf(finding) {
  const count = about(finding.estimated, whole(finding.pairs));
  // Lines without a partner are not among the pairs.
  return finding.kind === "unequal_lines" ? count : `${count} (${percentOf(finding.pairs, page.pairs)})`;
}

function matches(example) {
  const wanted = chosen.filter.toLowerCase();
  return wanted === "" || [example.source, example.target, example.note].some((part) => part.toLowerCase().includes(wanted));
}

function exampleNode(example) {
  const side = (string, name) => element("p", {class: string.length > 600 ? "long" : null, tabindex: string.length > 600 ? 0 : null, dir: directionOf(string), translate: "no", "aria-label": null},
      element("span", {class: "hidden"}, text(name) + ": "), ...visibleNodes(string));
  const place = text("place", {line: whole(example.line), file: visible(example.source_file)});
  return element("div", {class: "example"}, element("p", {class: "small"}, place, example.note === "" ? "" : text("colon") + noteOf(example)),
      ...(example.source === "" && example.target === "" ? [] : [side(example.source, "source"), side(example.target, "target")]));
}

// The first example in a line, as long as the finding is closed.
function previewOf(example) {
  if (!example || (example.source === "" && example.target === "")) return [];
  const part = (string) => element("bdi", {dir: directionOf(string)}, ...visibleNodes(shortened(string, 80)));
  return [element("span", {class: "preview", translate: "no", "aria-hidden": "true"}, part(example.source), " · ", part(example.target))];
}

function findingNode(finding) {
  const examples = finding.examples.filter(matches);
  const made = element("details", {class: "finding", id: finding.kind},
      element("summary", {}, element("b", {}, countOf(finding)), element("span", {}, titleOf(finding)), ...previewOf(examples[0])),
      element("p", {class: "advice"}, adviceOf(finding)), ...examples.map(exampleNode));
  made.open = opened.has(finding.kind) || chosen.filter !== "" || chosen.kind === finding.kind;
  made.addEventListener("toggle", () => { made.open ? opened.add(finding.kind) : opened.delete(finding.kind); });
  return made;
}

function drawFindings() {
  const found = page.findings.filter(({pairs}) => pairs > 0);
  const select = byId("kind");
  select.replaceChildren(element("option", {value: ""}, text("all_kinds")),
      ...found.map((finding) => element("option", {value: finding.kind}, `${titleOf(finding)} (${whole(finding.pairs)})`)));
  select.value = chosen.kind;
  const absent = page.findings.filter(({pairs, looked_for}) => pairs === 0 && looked_for).map(titleOf);
  byId("clean").hidden = found.length > 0;
  byId("clean").textContent = text("findings_none", {count: whole(absent.length), pairs: whole(page.pairs)});
  byId("finding-controls").hidden = found.length === 0;
  listFindings();
  byId("not-found").hidden = absent.length === 0;
  byId("not-found").querySelector("p").textContent = absent.join(language === "zh" ? "；" : "; ");
}

function listFindings() {
  const shown = page.findings.filter((finding) => finding.pairs > 0 && (chosen.kind === "" || chosen.kind === finding.kind) &&
      (chosen.filter === "" || finding.examples.some(matches)));
  byId("findings").replaceChildren(...shown.map(findingNode));
  byId("filtered").textContent = chosen.filter === "" ? "" :
      text("filtered", {count: whole(shown.reduce((sum, {examples}) => sum + examples.filter(matches).length, 0))});
}

function startFindings() {
  byId("kind").addEventListener("change", (event) => { chosen.kind = event.target.value; listFindings(); });
  byId("filter").addEventListener("input", (event) => { chosen.filter = event.target.value; listFindings(); });
}
