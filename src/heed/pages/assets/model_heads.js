"use strict";
// What the heads look at over a text, and the loss without each.

const shownHead = {site: "encoder", layer: 1, head: 1};

const siteHeads = () => page.heads.sites.find(({site}) => site === shownHead.site).heads;

// The position with the largest weight: [name, weight].
const mostOf = ({weights}) => Object.entries(weights).filter(([, weight]) => weight !== null)
    .reduce((most, entry) => entry[1] > most[1] ? entry : most, ["", -1]);

function roleTexts(head) {
  if (head.role === "diffuse") return [text("diffuse"), text("entropy_short", {value: fixed(head.entropy, 2)}), head.entropy];
  const [name, weight] = mostOf(head);
  const value = fixed(weight, 2);
  return head.role === "mixed" ? [text("mixed"), `${text(name)} ${value}`, weight] : [text(name), value, weight];
}

function headName({site, layer, head}) {
  return text("head_of", {site: text(site), layer, head});
}

function headButton(head) {
  const [role, value, weight] = roleTexts(head);
  const at = head.layer === shownHead.layer && head.head === shownHead.head;
  const button = element("button", {type: "button", class: "head-role", "aria-pressed": String(at),
    "aria-label": `${headName({...head, site: shownHead.site})}: ${role} ${value}`}, role, element("span", {class: "number"}, value));
  button.style.setProperty("--weight", head.role === "diffuse" ? 0 : weight);
  button.addEventListener("click", () => {
    Object.assign(shownHead, {layer: head.layer, head: head.head});
    drawHeads();
    document.querySelector(".head-role[aria-pressed=true]").focus();
  });
  return button;
}

function drawOffsets() {
  const heads = siteHeads();
  const head = heads.find(({layer, head: number}) => layer === shownHead.layer && number === shownHead.head) ?? heads[0];
  document.getElementById("offsets-title").textContent = text("offsets", {head: headName({...head, site: shownHead.site})});
  const reach = (head.offsets.length - 1) / 2;
  const figure = linesFigure([head.offsets], {first: -reach, title: document.getElementById("offsets-title").textContent, dot: true,
    xName: text(shownHead.site === "cross" ? "offset_diagonal" : "offset")});
  document.getElementById("offsets").replaceChildren(figure);
  const best = head.offsets.reduce((most, value, i) => value !== null && (most < 0 || value > head.offsets[most]) ? i : most, -1);
  document.getElementById("offsets-readout").textContent = best < 0 ? "" :
      text("offset_readout", {offset: fixed(best - reach, 0), weight: fixed(head.offsets[best], 4)}) + " · " + text("entropy", {value: fixed(head.entropy, 2)});
}

// A difference with its sign, where four decimals have one.
function signed(value) {
  const digits = fixed(value, 4);
  return /[1-9]/.test(digits) ? (value > 0 ? "+" : "") + digits : digits.replace("−", "");
}

// Fewer target tokens than this say little about a head.
const fewTokens = 1000;

function drawCosts() {
  const all = page.heads.sites.flatMap(({site, heads}) => heads.map((head) => ({...head, site, cost: head.loss_without - page.heads.loss})));
  all.sort((a, b) => a.cost - b.cost);
  document.getElementById("costs-note").textContent = text("costs_note", {loss: fixed(page.heads.loss, 4)}) +
      (page.heads.target_tokens < fewTokens ? text("costs_few", {count: whole(page.heads.target_tokens)}) : "");
  const most = Math.max(...all.map(({cost}) => Math.abs(cost)));
  const bar = (cost) => element("span", {class: cost < 0 ? "share less" : "share", "aria-hidden": "true", style: `--part: ${most > 0 ? Math.abs(cost) / most : 0}`});
  const list = document.getElementById("costs");
  list.classList.toggle("many", all.length > 48);
  if (all.length > 48) list.tabIndex = 0;
  document.getElementById("costs-head").replaceChildren(headCell("head_name"), headCell("cost", {class: "number"}));
  document.getElementById("costs-rows").replaceChildren(...all.map((head) => element("tr", {}, element("th", {scope: "row", "aria-label": headName(head)}, text("head_short", {...head, site: text(head.site)})),
      element("td", {class: "number"}, bar(head.cost), signed(head.cost)))));
}

function drawHeads() {
  document.getElementById("heads").hidden = !page.heads;
  if (!page.heads) return;
  const {lines, source, target, source_tokens, target_tokens} = page.heads;
  document.getElementById("heads-lead").textContent = text("heads_lead", {lines: whole(lines), source: visible(source),
    source_tokens: whole(source_tokens), target_tokens: whole(target_tokens),
    target: target ? text("heads_with", {target: visible(target)}) : text("heads_own")});
  segmented(document.getElementById("site"), text("site"), ["encoder", "decoder", "cross"].map((site) => [site, text(site)]), shownHead.site, (site) => {
    Object.assign(shownHead, {site, layer: 1, head: 1});
    drawHeads();
  });
  const heads = siteHeads();
  const count = Math.max(...heads.map(({head}) => head));
  document.querySelector(".heads-table").style.setProperty("--heads", count);
  document.getElementById("heads-head").replaceChildren(element("td"), ...Array.from({length: count}, (_, head) => element("th", {scope: "col"}, text("head", {head: head + 1}))));
  const layers = Math.max(...heads.map(({layer}) => layer));
  document.getElementById("heads-rows").replaceChildren(...Array.from({length: layers}, (_, layer) => element("tr", {},
      element("th", {scope: "row"}, text("layer", {layer: layer + 1})),
      ...heads.filter((head) => head.layer === layer + 1).map((head) => element("td", {}, headButton(head))))));
  drawOffsets();
  drawCosts();
}
