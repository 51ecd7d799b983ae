"use strict";
// The reliability diagram of a model with a confidence: the mean confidence of sentences, and the
// share of them that are good. A point is a button that lists its sentences, as a bar is.

// The sentences of each bin: those with a confidence in its order, in parts of equal counts.
function confidenceBins() {
  const sentences = sorted(numbers.confidence.map((_, i) => i).filter((i) => numbers.confidence[i] !== null), numbers.confidence, false);
  const ends = page.confidence.bins.map((_, i, bins) => Math.floor((i + 1) * sentences.length / bins.length));
  return ends.map((end, i) => new Set(sentences.slice(ends[i - 1] ?? 0, end)));
}

function confidencePoint([first, last, mean, good, count], number, sentences) {
  const range = text("range", {low: fixed(first, 2), high: fixed(last, 2)});
  const say = text("confidence_point", {range, mean: fixed(mean, 2), share: fixed(100 * good, 0), count: whole(count)});
  const pressed = shown.filters.confidence?.bin === number;
  const label = () => text("chip", {name: text("confidence"), range});
  const button = barButton("point", say, "confidence-readout", pressed,
      () => chooseFilter("confidence", pressed ? null : {bin: number, label, sentences}));
  button.style = `inset-inline-start: ${100 * mean}%; bottom: ${100 * good}%`;
  return button;
}

function drawConfidence() {
  byId("confidence").hidden = !page.confidence;
  if (!page.confidence) return;
  const {good_chrf: chrf, auc, error, bins} = page.confidence;
  const sets = confidenceBins();
  const plot = element("div", {class: "plot square", role: "group", "aria-label": text("confidence")}, gridLines(1, 4),
      element("i", {class: "diagonal", "aria-hidden": "true"}), ...bins.map((bin, i) => confidencePoint(bin, i, sets[i])));
  asOneStop(plot);
  byId("confidence-plot").replaceChildren(plot, axisOf([0, 0.25, 0.5, 0.75, 1].map((value) => [value, shortNumber(value)])),
      element("p", {class: "axis-name"}, text("confidence_axis")));
  restingReadouts.confidence = text("confidence_lead", {chrf: fixed(chrf, 1), error: fixed(error, 3),
    auc: auc === null ? "–" : fixed(auc, 3)});
  byId("confidence-readout").textContent = restingReadouts.confidence;
}
