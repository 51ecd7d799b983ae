"use strict";
// The page of training runs: what survives a reload, and the start. After run_strings, _data, _head,
// _follow, _curves, _options, _samples.

// Storage of a page that was opened from a file may be off: then a reload starts afresh. Browsers
// themselves come back to the place that was in view.
const storageName = "heed.run " + location.pathname;

function keepChoices() {
  try {
    sessionStorage.setItem(storageName, JSON.stringify({...choices, zoom: group.zoom}));
  } catch {
    // The choices end with the page.
  }
}

function readChoices() {
  try {
    return JSON.parse(sessionStorage.getItem(storageName)) ?? {};
  } catch {
    return {};
  }
}

// Takes over what is still possible: another version of the page, or of the run, may have written it.
function restoreChoices(kept) {
  const among = (key, values) => { if (values.includes(kept[key])) choices[key] = kept[key]; };
  among("axis", ["step", "epoch", "seconds"]);
  among("data", ["both", "training", "validation"]);
  for (const key of ["log", "trim", "allOptions", "descending", "follow"]) among(key, [true, false]);
  if (known(kept.smoothing) && kept.smoothing >= 0 && kept.smoothing < 1) choices.smoothing = kept.smoothing;
  for (const key of ["filter", "sort"]) if (typeof kept[key] === "string") choices[key] = kept[key];
  if (Array.isArray(kept.hidden)) choices.hidden = kept.hidden.filter((key) => page.runs.some((run, i) => keyOf(run, i) === key));
  for (const key of ["sampleRun", "sentence", "sampleStep"]) if (Number.isInteger(kept[key]) && kept[key] >= 0) choices[key] = kept[key];
  if (known(kept.zoom?.low) && known(kept.zoom?.high) && kept.zoom.low < kept.zoom.high) group.zoom = {low: kept.zoom.low, high: kept.zoom.high};
}

onLanguage.push(() => {
  drawHead();
  drawCurveControls();
  drawCurves();
  drawSamples();
  drawTexts();
  drawCorpora();
  drawOptions();
});
onTheme.push(() => {
  drawGroup(group);
  drawSampleMap();
});

startPage(() => {
  page = pageData();
  restoreChoices(readChoices());
  startCurves();
  startSamples();
  startOptions();
  startFollowing();
});
