// The source text: a text area over a mirror of its text. The mirror gives the pane its height and
// carries the marks, which a text area cannot have.

// Longer text is not marked: the mirror would be laid out again for each mark.
const kMarked = 50000;

export class Editor {
  #area;
  #mirror;
  #marked = false;

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
    if (text === this.#area.value ||
        !document.execCommand(text === "" ? "delete" : "insertText", false, text)) {
      this.#area.value = text;
    }
    if (had && had !== document.body) had.focus();
    this.mirror();
  }

  // Follows the text area's text.
  mirror() {
    this.#mirror.textContent = this.#area.value + "\u200b";
    this.#marked = false;
  }

  // Marks ranges of the text: {start, end, className}, in order and apart.
  mark(ranges) {
    if (ranges.length === 0 && !this.#marked) return;
    if (this.text.length > kMarked) return;
    const nodes = [];
    let at = 0;
    for (const {start, end, className} of ranges) {
      nodes.push(this.text.slice(at, start));
      const mark = document.createElement("mark");
      mark.className = className;
      mark.textContent = this.text.slice(start, end);
      nodes.push(mark);
      at = end;
    }
    this.#mirror.replaceChildren(...nodes, this.text.slice(at) + "\u200b");
    this.#marked = ranges.length > 0;
  }

  // The offset in the text under the pointer, or null.
  offsetAt(event) {
    const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    return caret?.offsetNode === this.#area ? caret.offset : null;
  }
}
