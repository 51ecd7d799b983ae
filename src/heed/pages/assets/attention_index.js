"use strict";
// The index of lines: a column beside the line on wide screens, a list that opens on narrow ones.

const indexLength = 160;  // characters of a text that the index shows

function entryOf(line) {
  const side = (string, name) => {
    const part = element("bdi", {class: "entry-" + name, dir: directionOf(string)});
    part.append(...visibleNodes(shortened(string, indexLength)));
    return part;
  };
  const link = element("a", {class: "entry", href: "#line-" + line.line, tabindex: -1},
      element("span", {class: "entry-number"}, whole(line.line)),
      side(line.source, "source"), side(line.translation, "translation"),
      element("span", {class: "entry-facts"}, ...factsOfEntry(line)));
  return element("li", {}, link);
}

// The score, and the status where it is not "ok".
function factsOfEntry(line) {
  const facts = [];
  if (line.parts.length > 0) facts.push(element("span", {class: "number", title: text("score")}, fixed(line.score, 4)));
  if (line.status !== "ok") facts.push(element("span", {class: "status"}, statusText(line.status)));
  return facts;
}

// A status may name several things: "split,unfinished".
function statusText(status) {
  return status.split(",").map((one) => {
    const key = "status_" + one;
    return key in strings[language] ? text(key) : visible(one);
  }).join(text("list_separator"));
}

const indexList = () => document.getElementById("lines");
const listedEntries = () => [...indexList().querySelectorAll("li:not([hidden]) > a")];

function drawIndex(lines) {
  indexList().replaceChildren(...lines.map(entryOf));
  filterIndex(lines);
}

// Shows the lines that have what was typed, in either text or as their number.
function filterIndex(lines) {
  const wanted = document.getElementById("filter").value.trim().toLowerCase();
  let count = 0;
  lines.forEach((line, i) => {
    const holds = wanted === "" || String(line.line) === wanted ||
        line.source.toLowerCase().includes(wanted) || line.translation.toLowerCase().includes(wanted);
    indexList().children[i].hidden = !holds;
    count += holds;
  });
  document.getElementById("filtered").textContent =
      wanted === "" ? "" : text(count === 0 ? "found_none" : "found", {count: whole(count), all: whole(lines.length)});
  const entries = listedEntries();
  const current = entries.find((entry) => entry.hasAttribute("aria-current")) ?? entries[0];
  for (const entry of entries) entry.tabIndex = entry === current ? 0 : -1;
}

function markEntry(number) {
  for (const entry of indexList().querySelectorAll("a")) {
    const current = entry.hash === "#line-" + number;
    if (current) {
      entry.setAttribute("aria-current", "true");
      showWithin(indexList(), entry);
    } else {
      entry.removeAttribute("aria-current");
    }
    entry.tabIndex = current ? 0 : -1;
  }
}

// Scrolls the list alone, never the page.
function showWithin(list, entry) {
  const outside = list.getBoundingClientRect();
  const inside = entry.getBoundingClientRect();
  if (inside.top < outside.top) list.scrollTop += inside.top - outside.top - 8;
  else if (inside.bottom > outside.bottom) list.scrollTop += inside.bottom - outside.bottom + 8;
}

function openIndex(open) {
  const button = document.getElementById("index-open");
  button.setAttribute("aria-expanded", String(open));
  document.getElementById("index").classList.toggle("open", open);
}

function startIndex(lines) {
  const filter = document.getElementById("filter");
  filter.addEventListener("input", () => filterIndex(lines));
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const [first] = listedEntries();
    if (event.key === "Enter") first?.click();
    else first?.focus();
  });
  roving(indexList(), listedEntries, (key) => ({
    ArrowDown: (i) => i + 1, j: (i) => i + 1, ArrowUp: (i) => i - 1, k: (i) => i - 1,
    Home: () => 0, End: (i, count) => count - 1,
  })[key]);
  const button = document.getElementById("index-open");
  button.addEventListener("click", () => openIndex(button.getAttribute("aria-expanded") !== "true"));
  // On narrow screens the list has done its work once a line is chosen, also the same one again.
  indexList().addEventListener("click", (event) => {
    if (!event.target.closest("a") || button.offsetParent === null) return;
    openIndex(false);
    document.getElementById("line-title").focus();
  });
}
