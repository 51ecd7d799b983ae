// Trees in brackets, such as (S (NP (DT the) (NN cat))), drawn as SVG.

const kRow = 46;  // pixels from a node to its children
const kGap = 14;  // between words
const kAscent = 16;  // of a line of text

// The nodes of a tree, parents before their children: {label, word, depth, children}. A node has a
// word, or children.
export function nodesOf(tree) {
  const nodes = [];
  const open = [];
  for (const [token] of tree.matchAll(/[()]|[^\s()]+/g)) {
    if (token === "(") {
      const node = {label: "", word: "", depth: open.length, children: []};
      open.at(-1)?.children.push(node);
      nodes.push(node);
      open.push(node);
    } else if (token === ")") {
      open.pop();
    } else if (open.at(-1)?.label === "") {
      open.at(-1).label = token;
    } else if (open.length > 0) {
      open.at(-1).word = token;
    }
  }
  return nodes;
}

// Gives each node its width, from the leaves up, and its place, from the root down.
function place(nodes, widthOf) {
  for (const node of nodes.toReversed()) {
    node.inner = node.children.reduce((sum, child) => sum + child.width, 0);
    node.width = Math.max(node.inner, Math.max(widthOf(node.label), widthOf(node.word)) + kGap);
  }
  if (nodes.length > 0) nodes[0].left = 0;
  for (const node of nodes) {
    let left = node.left + (node.width - node.inner) / 2;
    for (const child of node.children) {
      child.left = left;
      left += child.width;
    }
  }
  for (const node of nodes.toReversed()) {
    const [first, last] = [node.children.at(0), node.children.at(-1)];
    node.x = first ? (first.x + last.x) / 2 : node.left + node.width / 2;
  }
}

function element(name, attributes, content = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = content;
  return made;
}

// All words stand in the last row. `widthOf(text)` is the width of a text in pixels.
export function drawTree(tree, widthOf) {
  const nodes = nodesOf(tree);
  place(nodes, widthOf);
  const deepest = Math.max(...nodes.map(({depth}) => depth));
  const yOf = (depth) => kAscent + depth * kRow;
  const bottom = yOf(deepest + 1);
  const svg = element("svg", {
    class: "tree", role: "img", "aria-label": tree, width: nodes[0]?.width ?? 0, height: bottom + 8,
  });
  for (const node of nodes) {
    const y = yOf(node.depth);
    const line = (x, end) => svg.append(element("path", {d: `M${node.x} ${y + 6}L${x} ${end - kAscent}`}));
    for (const child of node.children) line(child.x, yOf(child.depth));
    if (node.word !== "") {
      line(node.x, bottom);
      svg.append(element("text", {class: "leaf", x: node.x, y: bottom}, node.word));
    }
    svg.append(element("text", {x: node.x, y}, node.label));
  }
  return svg;
}
