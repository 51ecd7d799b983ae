// The pane of the translation: lines of sentences, whose words can be pointed at and walked through.
// A sentence's words become elements when it is first pointed at or walked to.

import {shownSentences, withGaps} from "./lines.js";
import {wordsOf} from "./words.js";

// Makes `nodes` the children of an element. Those that are there already are not touched, so that
// focus and selection stay.
function setChildren(element, nodes) {
  nodes.forEach((node, i) => {
    if (element.childNodes[i] !== node) element.insertBefore(node, element.childNodes[i] ?? null);
  });
  while (element.childNodes.length > nodes.length) element.lastChild.remove();
}

function create(name, className, content = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = content;
  return element;
}

export class Output {
  #pane;
  #lines = [];
  #lineElements = new WeakMap();
  #views = new WeakMap();  // of a sentence: {gap, element, translation}
  #owners = new WeakMap();  // of a sentence's element: {line, sentence}
  #handlers;

  // `handlers` has point(place), place null if nothing is pointed at, and open(place), for a word
  // that was chosen. A place: {line, sentence, words, word, element}, `word` the index in `words`.
  constructor(pane, handlers) {
    this.#pane = pane;
    this.#handlers = handlers;
    pane.addEventListener("pointerover", (event) => this.#pointed(event));
    pane.addEventListener("pointerleave", () => this.#show(document.activeElement));
    pane.addEventListener("focusin", (event) => this.#show(event.target));
    pane.addEventListener("focusout", () => handlers.point(null));
    pane.addEventListener("keydown", (event) => this.#key(event));
    pane.addEventListener("click", (event) => {
      const place = this.#placeOf(this.#split(event));
      if (place && getSelection().isCollapsed) handlers.open(place);
    });
  }

  // The lines are other ones.
  setLines(lines) {
    this.#lines = lines;
    for (const line of lines) this.update(line);
    setChildren(this.#pane, lines.map((line) => this.#lineElements.get(line)));
  }

  // A line has changed.
  update(line) {
    let element = this.#lineElements.get(line);
    if (!element) this.#lineElements.set(line, (element = create("div", "line")));
    const nodes = [];
    const waiting = new Set(line.complete ? [] : line.stale);
    for (const [gap, sentence] of withGaps(shownSentences(line))) {
      const view = this.#viewOf(line, sentence);
      view.gap.data = gap;
      view.element.classList.toggle("stale", waiting.has(sentence));
      nodes.push(view.gap, view.element);
    }
    if (line.partial !== undefined) nodes.push(create("span", "partial", line.partial));
    nodes.push(nodes.length > 0 ? document.createTextNode("") : document.createElement("br"));
    setChildren(element, nodes);
  }

  // Marks words (indices) of a sentence, or none.
  mark(sentence, words) {
    for (const element of this.#pane.querySelectorAll(".linked")) element.classList.remove("linked");
    const view = sentence && this.#views.get(sentence);
    if (!view) return;
    this.#splitWords(view.element);
    for (const word of words)
      view.element.querySelector(`[data-word="${word}"]`)?.classList.add("linked");
  }

  focus() {
    (this.#pane.querySelector(".word:focus") ?? this.#pane).focus();
  }

  // Focuses a word of a sentence, as after it was replaced.
  focusWord(sentence, word) {
    const view = this.#views.get(sentence);
    if (!view) return;
    this.#splitWords(view.element);
    const words = view.element.querySelectorAll(".word");
    (words[Math.min(word, words.length - 1)] ?? this.#pane).focus();
  }

  #viewOf(line, sentence) {
    let view = this.#views.get(sentence);
    if (!view) {
      view = {gap: document.createTextNode(""), element: create("span", "sentence")};
      this.#views.set(sentence, view);
    }
    this.#owners.set(view.element, {line, sentence});
    if (view.translation !== sentence.translation) {
      view.translation = sentence.translation;
      view.element.textContent = sentence.translation;
      delete view.element.dataset.split;
    }
    return view;
  }

  #splitWords(element) {
    if (element.dataset.split) return;
    const content = element.textContent;
    const nodes = [];
    let at = 0;
    for (const [i, {start, end}] of wordsOf(content).entries()) {
      nodes.push(content.slice(at, start));
      const word = create("span", "word", content.slice(start, end));
      word.dataset.word = i;
      word.tabIndex = -1;
      nodes.push(word);
      at = end;
    }
    element.replaceChildren(...nodes, content.slice(at));
    element.dataset.split = "true";
  }

  // The word under the pointer, after its sentence was split into words.
  #split(event) {
    const sentence = event.target.closest?.(".sentence");
    if (!sentence) return null;
    if (sentence.dataset.split) return event.target;
    this.#splitWords(sentence);
    return document.elementFromPoint(event.clientX, event.clientY);
  }

  #placeOf(element) {
    const word = element?.closest?.(".word");
    const sentence = word?.closest(".sentence");
    const owner = sentence && this.#owners.get(sentence);
    if (!owner || sentence.classList.contains("stale")) return null;
    return {
      ...owner, words: wordsOf(owner.sentence.translation), word: Number(word.dataset.word),
      element: word,
    };
  }

  #pointed(event) {
    this.#show(this.#split(event));
  }

  #show(element) {
    this.#handlers.point(this.#placeOf(element));
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const current = document.activeElement;
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === "Enter" || event.key === " ") {
      const place = this.#placeOf(current);
      if (place) this.#handlers.open(place);
      else this.#neighbour(current, 1)?.focus();
    } else if (event.key === "Home" || event.key === "End") {
      const sentences = this.#pane.querySelectorAll(".sentence");
      const sentence = event.key === "Home" ? sentences[0] : sentences[sentences.length - 1];
      this.#endWord(sentence, event.key === "Home")?.focus();
    } else if (step) {
      this.#neighbour(current, step)?.focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  #endWord(sentence, first) {
    if (!sentence) return null;
    this.#splitWords(sentence);
    const words = sentence.querySelectorAll(".word");
    return first ? words[0] : words[words.length - 1];
  }

  // The word before or after; from the pane itself, the first one.
  #neighbour(current, step) {
    const sentences = [...this.#pane.querySelectorAll(".sentence")];
    const sentence = current.closest(".sentence");
    if (!sentence) return this.#endWord(sentences[0], true);
    const words = [...sentence.querySelectorAll(".word")];
    const word = words[words.indexOf(current) + step];
    return word ?? this.#endWord(sentences[sentences.indexOf(sentence) + step], step > 0);
  }
}
