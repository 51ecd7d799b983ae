"use strict";
// Labels: which of the reference were taken for which, as a table whose cells list their sentences,
// and the scores of each class.

// A place in the table: that of a name, or the last, which all other labels share.
const labelAt = (place) => place < page.labels.names.length ? shortened(visible(page.labels.names[place]), 24) : text("other_labels", {count: whole(page.labels.others)});

function placeOfLabel(label) {
  const place = page.labels.names.indexOf(label);
  return place < 0 ? page.labels.names.length : place;
}

const labelsOf = (string) => string.split(/[ \t\n\v\f\r]+/).filter((label) => label !== "").map(placeOfLabel);

// Whether a label of the reference was taken for another, or for itself.
function hasConfusion(texts, {system, reference, hypothesis}) {
  const got = labelsOf(texts.systems[system]);
  return labelsOf(texts.references[0]).some((label, i) => label === reference && got[i] === hypothesis);
}

// counts[reference][hypothesis]
function confusionCounts(system) {
  const size = page.labels.names.length + (page.labels.others > 0 ? 1 : 0);
  const counts = Array.from({length: size}, () => new Array(size).fill(0));
  for (const [reference, hypothesis, count] of page.labels.systems[system]) counts[reference][hypothesis] = count;
  return counts;
}

// A count as a button, shaded by its share of the label's row.
function confusionCell(system, reference, hypothesis, count, all) {
  const right = reference === hypothesis;
  const names = {reference: labelAt(reference), hypothesis: labelAt(hypothesis)};
  const say = text(right ? "labels_right" : "labels_taken", {...names, count: whole(count), share: fixed(100 * count / all, 1)});
  const chosen = shown.filters.labels;
  const pressed = chosen?.system === system && chosen.reference === reference && chosen.hypothesis === hypothesis;
  const label = () => text(right ? "labels_right_chip" : "labels_chip", {reference: labelAt(reference), hypothesis: labelAt(hypothesis)});
  const button = barButton(right ? "count right" : "count", say, "confusion-readout", pressed,
      () => chooseFilter("labels", pressed ? null : {system, reference, hypothesis, label}), whole(count));
  button.style.setProperty("--share", `${Math.round(75 * Math.sqrt(count / all))}%`);
  return button;
}

// To the next count of the same row or column.
function confusionSteps(key) {
  const columns = {ArrowLeft: -1, ArrowRight: 1}[key], rows = {ArrowUp: -1, ArrowDown: 1}[key];
  if (columns) return (i) => i + columns;
  if (!rows) return arrowSteps(key);
  return (i) => {
    const buttons = [...byId("confusion-table").querySelectorAll("button")];
    const column = buttons[i].closest("td").cellIndex;
    for (let k = i + rows; k >= 0 && k < buttons.length; k += rows)
      if (buttons[k].closest("td").cellIndex === column) return k;
    return i;
  };
}

function drawConfusion() {
  const system = shown.labelled;
  const counts = confusionCounts(system);
  const places = counts.map((_, place) => place);
  const head = element("tr", {}, element("td", {class: "corner"}, text("labels_corner")),
      ...places.map((place) => element("th", {scope: "col", translate: "no"}, element("span", {}, labelAt(place)))),
      element("th", {scope: "col", class: "number"}, text("labels_all")));
  const rows = places.map((reference) => {
    const all = counts[reference].reduce((sum, count) => sum + count, 0);
    return element("tr", {}, element("th", {scope: "row", translate: "no"}, labelAt(reference)),
        ...places.map((hypothesis) => {
          const count = counts[reference][hypothesis];
          return element("td", {}, ...(count > 0 ? [confusionCell(system, reference, hypothesis, count, all)] : []));
        }),
        element("td", {class: "number"}, whole(all)));
  });
  const table = element("table", {class: "confusion", "aria-labelledby": "labels-title"}, element("thead", {}, head), element("tbody", {}, ...rows));
  asOneStop(table, confusionSteps);
  byId("confusion-table").replaceChildren(table);
  const right = places.reduce((sum, place) => sum + counts[place][place], 0);
  const all = counts.flat().reduce((sum, count) => sum + count, 0);
  restingReadouts.confusion = text("labels_lead") + (page.labels.others > 0 ? "" : " " + text("labels_sum", {right: whole(right), all: whole(all)}));
  byId("confusion-readout").textContent = restingReadouts.confusion;
}

// Precision, recall and F1 of each class that a metric has.
function classTable(metric, system) {
  const head = element("tr", {}, element("th", {scope: "col"}, text("class")),
      ...["precision", "recall", "F1", "support"].map((name) => element("th", {scope: "col", class: "number"}, text(name.toLowerCase()))));
  const rows = metric.systems[system].classes.map(([name, precision, recall, f1, support]) => element("tr", {},
      element("th", {scope: "row", translate: "no"}, ...visibleNodes(name)),
      ...[precision, recall, f1].map((score) => element("td", {class: "number"}, fixed(score, 2))),
      element("td", {class: "number"}, whole(support))));
  return element("section", {class: "classes"}, element("h3", {}, text("classes_of", {metric: metric.name})),
      element("div", {class: "table", role: "group", tabindex: 0, "aria-label": text("classes_of", {metric: metric.name})},
          element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
}

function drawLabels() {
  const metrics = page.metrics.filter((metric) => metric.systems.some((result) => result.classes));
  byId("labels").hidden = page.labels === null && metrics.length === 0;
  if (byId("labels").hidden) return;
  byId("labels-of").hidden = page.systems.length === 1;
  segmented(byId("labels-of"), text("system"), page.systems.map((_, system) => [system, letterOf(system), systemLabel(system)]), shown.labelled, (system) => {
    shown.labelled = system;
    drawLabels();
  });
  byId("confusion").hidden = page.labels === null;
  if (page.labels !== null) drawConfusion();
  byId("classes").replaceChildren(...metrics.filter((metric) => metric.systems[shown.labelled].classes).map((metric) => classTable(metric, shown.labelled)));
}
