"use strict";
// The distributions of the weights: a row for each parameter, a column for each layer.

let chosenSpread = null;  // the name of the parameter that the readout shows

// "encoder.0.self.query.weight" as its row "encoder self.query.weight" and its layer 0; null for a
// parameter of no layer.
function placeOf(name) {
  const found = /^(encoder|decoder)\.(\d+)\.(.+)$/.exec(name);
  return found ? {row: `${found[1]} ${found[3]}`, layer: Number(found[2])} : {row: name, layer: null};
}

function histogramPicture({histogram, count}) {
  const most = Math.max(1, ...histogram);
  const step = 84 / histogram.length;
  const path = histogram.map((value, i) => `M${(i * step).toFixed(2)} 30v${(-28 * value / most).toFixed(2)}h${(step * 0.92).toFixed(2)}V30z`).join("");
  return drawn("svg", {viewBox: "0 0 84 30", "aria-hidden": "true"}, drawn("path", {d: count > 0 ? path : ""}));
}

function spreadText(one) {
  return text("all_values", {name: one.name, mean: shortNumber(one.mean), deviation: shortNumber(one.deviation), least: shortNumber(one.least),
    most: shortNumber(one.most), zeros: whole(one.zeros), count: whole(one.count)});
}

function showSpread(one) {
  document.getElementById("weights-readout").textContent = one ? spreadText(one) : text("weights_readout");
}

function spreadButton(one) {
  const button = element("button", {type: "button", class: "spread", "aria-label": spreadText(one), "aria-pressed": String(one.name === chosenSpread)},
      histogramPicture(one), "σ " + shortNumber(one.deviation));
  button.addEventListener("pointerenter", () => showSpread(one));
  button.addEventListener("pointerleave", () => showSpread(page.statistics.find(({name}) => name === chosenSpread)));
  button.addEventListener("click", () => {
    chosenSpread = one.name;
    for (const other of document.querySelectorAll(".spread")) other.setAttribute("aria-pressed", String(other === button));
    showSpread(one);
  });
  return button;
}

// A name that a narrow column may break after its dots.
const breakable = (name) => name.split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]);

function drawWeights() {
  document.getElementById("weights").hidden = !page.statistics;
  if (!page.statistics) return;
  const rows = new Map();
  let layers = 1;
  for (const one of page.statistics) {
    const {row, layer} = placeOf(one.name);
    if (!rows.has(row)) rows.set(row, {spreads: [], inLayers: layer !== null});
    rows.get(row).spreads[layer ?? 0] = one;
    layers = Math.max(layers, (layer ?? 0) + 1);
  }
  const cells = ({spreads, inLayers}) => inLayers ?
      Array.from({length: layers}, (_, layer) => element("td", {}, spreads[layer] ? spreadButton(spreads[layer]) : "")) :
      [element("td", {colspan: layers}, spreadButton(spreads[0]), element("span", {class: "small"}, text("without_layer")))];
  document.getElementById("weights-head").replaceChildren(element("tr", {}, headCell("column_name"), headCell("column_shape", {class: "number wide-only"}),
      ...Array.from({length: layers}, (_, layer) => element("th", {scope: "col"}, text("layer", {layer: layer + 1})))));
  document.getElementById("weights-rows").replaceChildren(...[...rows].map(([row, found]) => {
    const first = found.spreads.find(Boolean);
    return element("tr", {}, element("th", {scope: "row"}, ...breakable(row)), element("td", {class: "number wide-only"}, first.shape.join(" × ")), ...cells(found));
  }));
  showSpread(page.statistics.find(({name}) => name === chosenSpread));
}
