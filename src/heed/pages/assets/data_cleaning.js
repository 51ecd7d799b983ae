"use strict";
// The work of heed clean on the text: its counts, and the choice between the text before and after. After data_findings.js.

let cleaning = null;  // null for an inspection
const texts = {};     // its reports, before and after

function startCleaning() {
  if (!page.cleaning) return;
  cleaning = page.cleaning;
  Object.assign(texts, {before: page, after: page.after});
}

// `redraw` shows another report.
function drawCleaning(redraw) {
  byId("cleaning").hidden = byId("report-of").hidden = cleaning === null;
  if (cleaning === null) return;
  const {pairs, kept, repaired, dropped, lines} = cleaning;
  byId("cleaning-facts").textContent = text("cleaning_facts", {kept: whole(kept), pairs: whole(pairs), share: percentOf(kept, pairs), repaired: whole(repaired)});
  const left = (kind) => texts.after.findings.find((finding) => finding.kind === kind)?.pairs ?? 0;
  const kinds = texts.before.findings.filter(({kind, pairs: found}) => found > 0 || dropped[kind]);
  byId("cleaning-head").replaceChildren(element("tr", {}, ...["findings", "before", "dropped", "after"].map((name, i) =>
      element("th", {scope: "col", class: i > 0 && "number"}, text(name)))));
  byId("cleaning-body").replaceChildren(...kinds.map((finding) => element("tr", {}, element("th", {scope: "row"}, titleOf(finding)),
      ...[about(finding.estimated, whole(finding.pairs)), whole(dropped[finding.kind] ?? 0), whole(left(finding.kind))].map((value) => element("td", {class: "number"}, value)))));
  byId("repaired").hidden = lines.length === 0;
  byId("repaired-lines").replaceChildren(...lines.map(({file, line, before, after}) => element("div", {class: "example"},
      element("p", {class: "small"}, text("place", {line: whole(line), file: visible(file)})),
      ...[["before", before], ["after", after]].map(([name, string]) => element("p", {dir: directionOf(string), translate: "no"},
          element("span", {class: "hidden"}, text(name) + ": "), ...visibleNodes(string))))));
  segmented(byId("report-of"), text("report_of"), ["before", "after"].map((name) => [name, text(name)]), page === texts.after ? "after" : "before", (name) => {
    page = texts[name];
    redraw();
  });
}
