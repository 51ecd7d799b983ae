// The source text: a text area over a mirror of its text. The mirror gives the pane its height and
// carries the marks, which a text area cannot have.

import {commonEnds} from "./lines.js";

// Text beyond one of these has no mirror: the text area scrolls, and nothing is marked in it.
const kMirroredCharacters = 50000;
const kMirroredLines = 1000;

export function isLarge(text) {
  if (text.length > kMirroredCharacters) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ++lines;
  return lines > kMirroredLines;
}

// "insertText" inserts line by line in Chromium, which takes minutes for a large file. "insertHTML"
// inserts plain text into a text area there; Firefox does not have it in text areas.
function replaceSelection(text) {
  if (text === "") return document.execCommand("delete");
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return document.execCommand("insertHTML", false, html) ||
      document.execCommand("insertText", false, text);
}

export class Editor {
  #area;
  #mirror;
  #lines = [];  // of the mirror, each in a block, so that an edit lays out only what it changes
  #marked = null;  // the number of the marked line

  constructor(area, mirror) {
    this.#area = area;
    this.#mirror = mirror;
    this.mirror();
  }

  get text() {
    return this.#area.value;
  }

  // Replaces the text in a way that the browser's "undo" knows.
  set text(text) {
    const had = document.activeElement;
    this.#area.focus();
    this.#area.select();
    if (text !== this.#area.value) replaceSelection(text);
    if (text !== this.#area.value) this.#area.value = text;
    if (had && had !== document.body) had.focus();
    this.mirror();
  }

  // Follows the text area's text.
  mirror() {
    this.mark([]);
    const {text} = this;
    const lines = isLarge(text) ? [] : (text + "\u200b").split(/(?<=\n)/);
    const {first, last} = commonEnds(this.#lines, lines);
    const blocks = lines.slice(first, lines.length - last).map((line) => {
      const block = document.createElement("div");
      block.textContent = line;
      return block;
    });
    const {children} = this.#mirror;
    const old = [...children].slice(first, this.#lines.length - last);
    const next = children[this.#lines.length - last] ?? null;
    for (const block of old) block.remove();
    for (const block of blocks) this.#mirror.insertBefore(block, next);
    this.#lines = lines;
  }

  // Marks ranges of one line: {start, end, className}, in order and apart.
  mark(ranges) {
    if (this.#marked !== null) {
      this.#mirror.children[this.#marked].textContent = this.#lines[this.#marked];
      this.#marked = null;
    }
    if (ranges.length === 0 || this.#lines.length === 0) return;
    let begin = 0;  // of the line
    let number = 0;
    while (begin + this.#lines[number].length <= ranges[0].start) begin += this.#lines[number++].length;
    const line = this.#lines[number];
    const nodes = [];
    let at = 0;
    for (const {start, end, className} of ranges) {
      nodes.push(line.slice(at, start - begin));
      const mark = document.createElement("mark");
      mark.className = className;
      mark.textContent = line.slice(start - begin, end - begin);
      nodes.push(mark);
      at = end - begin;
    }
    this.#mirror.children[number].replaceChildren(...nodes, line.slice(at));
    this.#marked = number;
  }

  // The offset in the text under the pointer, or null.
  offsetAt(event) {
    const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    return caret?.offsetNode === this.#area ? caret.offset : null;
  }
}
