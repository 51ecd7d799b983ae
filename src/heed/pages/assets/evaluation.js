"use strict";
// The evaluation page: what is shown, the controls that change it, and the start.
// After evaluation_strings, _data, _marks, _table, _charts, _labels, _confidence and _list, whose functions it calls.

const noFilters = () => ({text: "", score: null, length: null, labels: null, confidence: null});
const shown = {
  metric: 0,                     // of the data's metrics
  pair: {compared: 1, base: 0},  // differences are those of `compared` less `base`
  histogram: "scores",           // or "difference"
  side: 0,                       // of the data's lengths
  table: false,                  // whether the buckets are also shown as a table
  labelled: 0,                   // the system whose labels are shown
  filters: noFilters(),
  sort: "line",
  descending: false,
  page: 0,
  marks: "reference",   // or "systems", "both", "none"
  layout: "columns",    // or "rows"
};
const byId = (id) => document.getElementById(id);

// Sets or removes (null) a filter of the list.
function chooseFilter(kind, filter) {
  shown.filters[kind] = filter;
  drawCharts();
  updateList().catch(fail);
}

function drawPair() {
  byId("pair").hidden = page.systems.length < 2;
  for (const [id, other] of [["compared", "base"], ["base", "compared"]]) {
    byId(id).replaceChildren(...page.systems.map((_, system) => element("option", {value: system}, systemLabel(system))));
    byId(id).value = String(shown.pair[id]);
    for (const option of byId(id).options) option.disabled = Number(option.value) === shown.pair[other];
  }
}

function drawMetrics() {
  byId("metric").hidden = page.metrics.length < 2;
  segmented(byId("metric"), text("metric"), page.metrics.map((metric, i) => [i, metric.name]), shown.metric, (metric) => {
    shown.metric = metric;
    shown.filters.score = null;
    drawSort();
    drawCharts();
    updateList().catch(fail);
  });
}

function startPair() {
  for (const id of ["compared", "base"])
    byId(id).addEventListener("change", (event) => {
      shown.pair = {...shown.pair, [id]: Number(event.target.value)};
      if (shown.filters.score?.who === "difference") shown.filters.score = null;
      drawPair();
      drawListControls();
      drawCharts();
      updateList().catch(fail);
    });
}

function drawAll() {
  drawFacts();
  drawScores();
  if (!numbers) return;
  drawMetrics();
  drawPair();
  drawListControls();
  drawCharts();
  updateList().catch(fail);
}

async function readNumbers() {
  numbers = await decodeBlock(0);
  byId("distributions").hidden = byId("sentences").hidden = false;
  drawAll();
  if (location.hash !== "") await updateList().then(showAddressed);
}

onLanguage.push(drawAll);

startPage(() => {
  page = pageData();
  // The sentences that systems translate most differently come first, or the worst of one system.
  if (page.systems.length > 1) Object.assign(shown, {marks: "both", sort: "distance", descending: true});
  else Object.assign(shown, {pair: {compared: 0, base: 0}, sort: "score:0", descending: page.metrics[0].lower_is_better});
  startPair();
  startCharts();
  startList();
  readNumbers().catch(fail);
});
