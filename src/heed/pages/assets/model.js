"use strict";
// The page of a model: what it draws, and when it draws it again.

let page = null;  // the data of the page

function drawFacts() {
  const {model} = page;
  const [name] = withoutCommonDirectories([model.name]);
  document.title = document.getElementById("title").textContent = text("title", {name: visible(name)});
  const fact = (key, value) => element("span", {}, text(key) + " ", element("b", {}, whole(value)));
  const path = name === model.name ? [] : [element("bdi", {translate: "no"}, ...visibleNodes(model.name))];
  document.getElementById("facts").replaceChildren(...path, fact("parameters", model.parameters), fact("d_model", model.d_model), fact("d_ff", model.d_ff), ...(model.decoder_d_ff ? [fact("decoder_d_ff", model.decoder_d_ff)] : []),
      fact("heads_count", model.heads), fact("encoder_layers", model.encoder_layers), fact("decoder_layers", model.decoder_layers), fact("vocabulary", model.vocabulary));
  const variants = Object.entries(model.variants ?? {}).filter(([name, value]) => paperVariants[name] !== value);
  document.getElementById("figure-lead").textContent = variants.length === 0 ? text("figure_lead") :
      text("figure_variants", {variants: variants.map(([name, value]) => text("variant", {name: text("variant_" + name), option: name, value: visible(String(value))})).join(text("list_separator"))});
}

// What the paper's model has, by the names of the options.
const paperVariants = {attention: "scaled-dot", attention_reach: "global", key_value_heads: null, norm: "post", norm_kind: "layer",
  positions: "sinusoidal", residual: "on", share_query_key: false, d_key: null, d_value: null};

function drawAll() {
  readHeat();
  drawFacts();
  drawFigure();
  drawParts();
  drawPositions().catch(fail);
  drawMasks();
  drawWeights();
  drawHeads();
}

onLanguage.push(drawAll);
onTheme.push(() => {
  readHeat();
  drawPositions().catch(fail);
  drawMasks();
});

startPage(() => {
  page = pageData();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    drawFigure();
    drawPositions().catch(fail);
    if (page.heads) drawOffsets();
  });
});
