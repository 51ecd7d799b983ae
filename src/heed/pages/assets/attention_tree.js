"use strict";
// The beam search of the best translation as a tree: steps from left to right. Only what is in view
// is drawn: a tree may have 200 steps of 32 candidates.

const treeStep = 116;   // pixels from step to step
const treeRow = 30;     // and from a hypothesis to the next one below
let tree = null;        // the layout: see layTree()
let treeAt = -1;        // the node under the pointer or the keyboard

// Where each node stands. Children stay in the order of their parents, so that no edges cross; the
// way to the best result comes first and is a straight line on top.
function layTree(source, dropped) {
  const count = source.parent.length;
  const depth = new Int32Array(count);
  const reach = new Int32Array(count);
  const best = new Int32Array(count).fill(1e9);  // the best result below a node
  for (let i = 0; i < count; ++i) depth[i] = source.parent[i] < 0 ? 0 : depth[source.parent[i]] + 1;
  source.results.forEach((node, rank) => {
    for (let i = node; i >= 0; i = source.parent[i]) best[i] = Math.min(best[i], rank);
  });
  for (let i = count - 1; i >= 0; --i) {
    reach[i] = Math.max(reach[i], depth[i]);
    if (source.parent[i] >= 0) reach[source.parent[i]] = Math.max(reach[source.parent[i]], reach[i]);
  }
  const rank = new Int32Array(count);
  const levels = [];
  for (let i = 0; i < count; ++i) {
    if (!dropped && source.fate[i] === "dropped") continue;
    (levels[depth[i]] ??= []).push(i);
  }
  const order = (a, b) => {
    const [above, other] = [source.parent[a], source.parent[b]];
    return (above === other ? 0 : rank[above] - rank[other]) || best[a] - best[b] || reach[b] - reach[a] || source.score[b] - source.score[a];
  };
  for (const level of levels) level.sort(order).forEach((node, i) => { rank[node] = i; });
  return {...source, depth, rank, best, levels, width: levels.length * treeStep + 60,
          height: Math.max(0, ...levels.map((level) => level.length)) * treeRow + 34};
}

function drawTree(block) {
  const place = document.getElementById("search");
  place.hidden = !block.tree || block.tree.parent.length === 0;
  if (place.hidden) return;
  tree = layTree(block.tree, document.getElementById("show-dropped").checked);
  treeAt = -1;
  const room = document.getElementById("tree-room");
  room.style.width = tree.width + "px";
  room.style.height = tree.height + "px";
  const view = document.getElementById("tree");
  view.style.height = Math.min(tree.height + 14, 520) + "px";
  drawTreeKey();
  drawResults(block);
  measureTree();
  drawTreeReadout();
}

function measureTree() {
  const view = document.getElementById("tree");
  if (!tree || view.clientWidth === 0) return;
  tree.context = sized(document.getElementById("tree-canvas"), view.clientWidth, view.clientHeight);
  [tree.text, tree.muted, tree.accent, tree.near, tree.card, tree.onAccent] =
      inks("--text", "--muted", "--accent", "--linked", "--card", "--on-accent");
  paintTree();
}

const treeX = (node) => tree.depth[node] * treeStep + 12;
const treeY = (node) => tree.rank[node] * treeRow + 40;

// The nodes from the root to a node.
function pathTo(node) {
  const path = [];
  for (let i = node; i >= 0; i = tree.parent[i]) path.push(i);
  return path.reverse();
}

function paintTree() {
  const view = document.getElementById("tree");
  const {context} = tree;
  const [width, height] = [view.clientWidth, view.clientHeight];
  const [left, top] = [view.scrollLeft, view.scrollTop];
  context.clearRect(0, 0, width, height);
  context.save();
  context.translate(-left, -top);
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = "middle";
  const first = Math.max(0, Math.floor((left - 12) / treeStep) - 1);
  const last = Math.min(tree.levels.length - 1, Math.ceil((left + width) / treeStep));
  const path = new Set(treeAt >= 0 ? pathTo(treeAt) : []);
  for (let step = first; step <= last; ++step) {
    for (const node of tree.levels[step]) if (inView(node, top, height)) paintEdge(node, path);
  }
  for (let step = first; step <= last; ++step)
    for (const node of tree.levels[step]) if (inView(node, top, height)) paintNode(node, path);
  // The numbers of the steps stay above what scrolls below them.
  context.fillStyle = tree.card;
  context.fillRect(left, top, width, 22);
  context.fillStyle = tree.muted;
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  for (let step = first; step <= last; ++step)
    context.fillText(step === 0 ? text("step", {step: 1}) : String(step + 1), step * treeStep + 12, top + 11);
  context.restore();
}

function inView(node, top, height) {
  const y = treeY(node);
  const parent = tree.parent[node];
  const from = parent < 0 ? y : treeY(parent);
  return Math.max(y, from) > top - treeRow && Math.min(y, from) < top + height + treeRow;
}

// What a node is drawn as: a result's way, kept, or dropped.
const isResult = (node) => tree.best[node] < 1e9;

function paintEdge(node, path) {
  const parent = tree.parent[node];
  if (parent < 0) return;
  const {context} = tree;
  const [x, y, fromY] = [treeX(node), treeY(node), treeY(parent)];
  const from = treeX(parent) + labelOf(parent).width + 8;
  context.strokeStyle = path.has(node) ? tree.text : tree.best[node] === 0 ? tree.accent : tree.muted;
  context.globalAlpha = path.has(node) || tree.best[node] === 0 ? 1 : isResult(node) ? 0.8 : tree.fate[node] === "dropped" ? 0.65 : 0.45;
  context.lineWidth = path.has(node) || tree.best[node] === 0 ? 2 : isResult(node) ? 1.5 : 1;
  context.setLineDash(tree.fate[node] === "dropped" ? [3, 3] : []);
  context.beginPath();
  context.moveTo(Math.min(from, x - 22), fromY);
  context.bezierCurveTo(x - 14, fromY, x - 22, y, x - 5, y);
  context.stroke();
  context.globalAlpha = 1;
  context.setLineDash([]);
}

// The label of a node, measured once: text, and for dropped ones the score.
function labelOf(node) {
  tree.labels ??= new Map();
  if (!tree.labels.has(node)) {
    const room = tree.fate[node] === "dropped" ? 46 : 78;
    let label = shortened(visible(tree.piece[node]), 14);
    while (tree.context.measureText(label).width > room && label.length > 2) label = [...label].slice(0, -2).join("") + "…";
    tree.labels.set(node, {label: "\u2068" + label + "\u2069", width: tree.context.measureText(label).width});
  }
  return tree.labels.get(node);
}

function paintNode(node, path) {
  const {context} = tree;
  const {label, width} = labelOf(node);
  const [x, y] = [treeX(node), treeY(node)];
  const dropped = tree.fate[node] === "dropped";
  // Lines to others end at the label.
  context.clearRect(x - 2, y - 8, width + (dropped ? 40 : 4), 16);
  if (tree.fate[node] === "ended" || path.has(node)) {
    context.beginPath();
    context.roundRect(x - 4, y - 11, width + 8, 22, 6);
    if (path.has(node)) {
      context.fillStyle = tree.near;
      context.fill();
    }
    if (tree.fate[node] === "ended") {
      context.strokeStyle = tree.best[node] === 0 ? tree.accent : tree.muted;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }
  context.fillStyle = dropped && !path.has(node) ? tree.muted : tree.best[node] === 0 && !path.has(node) ? tree.accent : tree.text;
  context.fillText(label, x, y);
  if (dropped) paintScore(node, x + width + 6, y);
  const result = tree.results.indexOf(node);
  if (result >= 0) paintBadge(result, x + width + 16, y);
}

function paintScore(node, x, y) {
  const {context} = tree;
  const font = context.font;
  context.font = font.replace("13px", "10.5px");
  context.fillStyle = tree.muted;
  context.fillText(fixed(tree.score[node], 2), x, y + 0.5);
  context.font = font;
}

// The rank of a result, at its end.
function paintBadge(result, x, y) {
  const {context} = tree;
  const font = context.font;
  context.beginPath();
  context.arc(x + 3, y, 9, 0, 2 * Math.PI);
  context.fillStyle = result === 0 ? tree.accent : tree.muted;
  context.fill();
  context.fillStyle = result === 0 ? tree.onAccent : tree.card;
  context.font = font.replace("13px", "600 11px");
  context.textAlign = "center";
  context.fillText(String(result + 1), x + 3, y + 0.5);
  context.textAlign = "start";
  context.font = font;
}

function nodeUnder(event) {
  const view = document.getElementById("tree");
  const box = view.getBoundingClientRect();
  const x = event.clientX - box.x + view.scrollLeft;
  const y = event.clientY - box.y + view.scrollTop;
  const level = tree.levels[Math.floor((x - 4) / treeStep)];
  return level?.[Math.round((y - 40) / treeRow)] ?? -1;
}

function lookAtNode(node) {
  if (node === treeAt) return;
  treeAt = node;
  paintTree();
  drawTreeReadout();
}

const joinedPieces = (pieces) => pieces.filter((piece) => piece !== "</s>").join("").replaceAll("\u2581", " ").trim();

function drawTreeReadout() {
  const place = document.getElementById("tree-readout");
  if (treeAt < 0) return place.replaceChildren(element("span", {class: "muted"}, text("tree_help")));
  const node = treeAt;
  const hypothesis = element("bdi", {class: "name"});
  const pieces = pathTo(node).map((i) => tree.piece[i]);
  hypothesis.append(...visibleNodes(shortened(joinedPieces(pieces), 400) || pieces.join("")));
  const fact = (label, value) => [element("span", {class: "muted"}, ` · ${label} `), element("b", {}, value)];
  const grouped = tree.group?.some((group) => group > 0);
  // Before it ends, a hypothesis competes by its log-probability, less the penalty of diverse groups.
  const ended = tree.fate[node] === "ended" || tree.results.includes(node);
  const penalized = tree.score[node] !== tree.sum[node];
  place.replaceChildren(hypothesis, element("br"),
      element("b", {}, text("fate_" + tree.fate[node])), ...fact(text("token"), visible(tree.piece[node])),
      ...fact(text("probability"), probabilityText(Math.exp(tree.log_probability[node]))),
      ...fact(text("sum"), fixed(tree.sum[node], 4)),
      ...(ended ? fact(text("score"), fixed(tree.score[node], 4)) : penalized ? fact(text("penalized"), fixed(tree.score[node], 4)) : []),
      ...(grouped ? fact(text("group"), String(tree.group[node] + 1)) : []));
}

// The results as a table: what the tree's end says, for everyone.
function drawResults(block) {
  document.getElementById("results-head").replaceChildren(
      element("th", {scope: "col"}, "#"), element("th", {scope: "col"}, text("translation")),
      ...["score", "sum", "tokens"].map((key) => element("th", {scope: "col", class: "number"}, text(key))));
  document.getElementById("results").replaceChildren(...tree.results.map((node, rank) => {
    const path = pathTo(node);
    const whole = shown.line.parts.length === 1 ? shown.line.hypotheses?.[rank]?.translation : undefined;
    const string = whole ?? joinedPieces(path.map((i) => tree.piece[i]));
    const cellOf = (value) => element("td", {class: "number"}, value);
    const translation = element("bdi", {dir: directionOf(string), translate: "no"});
    translation.append(...visibleNodes(string));
    const row = element("tr", {"data-node": node}, element("td", {}, String(rank + 1)), element("td", {}, translation),
        cellOf(fixed(tree.score[node], 4)), cellOf(fixed(tree.sum[node], 4)), cellOf(String(path.length)));
    row.addEventListener("pointerenter", () => lookAtNode(node));
    return row;
  }));
}

function drawTreeKey() {
  const item = (kind) => element("li", {class: "key-" + kind}, element("i", {"aria-hidden": "true"}), text("fate_" + kind));
  const fates = new Set(tree.fate);
  document.getElementById("tree-key").replaceChildren(element("li", {class: "key-best"}, element("i", {"aria-hidden": "true"}), text("best")),
      ...["kept", "forced", "ended", "dropped"].filter((fate) => fates.has(fate)).map(item));
}

// The next node for an arrow key: the parent, the first child, or the neighbour in the step.
function nodeBeside(key) {
  if (treeAt < 0) return tree.levels[0][0];
  const step = tree.depth[treeAt];
  if (key === "ArrowLeft") return tree.parent[treeAt];
  if (key === "ArrowRight") return tree.levels[step + 1]?.find((node) => tree.parent[node] === treeAt) ?? -1;
  return tree.levels[step][tree.rank[treeAt] + (key === "ArrowDown" ? 1 : -1)] ?? -1;
}

function showNode(view, node) {
  const [x, y] = [treeX(node), treeY(node)];
  if (x < view.scrollLeft + 20) view.scrollLeft = x - 40;
  if (x + treeStep > view.scrollLeft + view.clientWidth) view.scrollLeft = x + treeStep - view.clientWidth;
  if (y < view.scrollTop + 50) view.scrollTop = y - 50;
  if (y + 24 > view.scrollTop + view.clientHeight) view.scrollTop = y + 24 - view.clientHeight;
}

function startTree() {
  const view = document.getElementById("tree");
  let waiting = 0;
  view.addEventListener("scroll", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(paintTree);
  }, {passive: true});
  for (const type of ["pointermove", "pointerdown"])
    view.addEventListener(type, (event) => { const node = nodeUnder(event); if (node >= 0) lookAtNode(node); });
  view.addEventListener("keydown", (event) => {
    if (!/^Arrow/.test(event.key)) return;
    event.preventDefault();
    const node = nodeBeside(event.key);
    if (node < 0) return;
    showNode(view, node);
    lookAtNode(node);
    announce(document.getElementById("tree-readout").textContent);
  });
  document.getElementById("show-dropped").addEventListener("change", () => drawTree(shown.block));
  new ResizeObserver(() => requestAnimationFrame(measureTree)).observe(view);
}
