// The pane of the translation: lines of sentences, whose words can be pointed at and walked through.
// A sentence's words become elements when it is first pointed at or walked to, or when the model
// doubts one of them.
//
// Lines are grouped in blocks, so that the browser lays out only those in view (style.css).

import {isDoubtful} from "./doubt.js";
import {commonEnds, shownSentences, withGaps} from "./lines.js";
import {percent, text} from "./strings.js";
import {wordsOf} from "./words.js";

// A block with twice as many lines is divided.
const kBlockLines = 50;

// Makes `nodes` the children of an element. Those that are there already are not touched, so that
// focus and selection stay.
function setChildren(element, nodes) {
  let next = element.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else element.insertBefore(node, next);
  }
  while (next) {
    const rest = next;
    next = next.nextSibling;
    rest.remove();
  }
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
  #lineElements = new Map();
  #changed = new Set();  // lines whose elements are not up to date
  #frame = null;
  #marked = [];
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

  // Replaces the lines; those that stay are in the same order.
  setLines(lines) {
    const {first, last} = commonEnds(this.#lines, lines);
    const middle = lines.slice(first, lines.length - last);
    const stay = new Set(middle);
    const blocks = new Set();  // those whose lines have changed
    for (const line of this.#lines.slice(first, this.#lines.length - last))
      if (!stay.has(line)) this.#remove(line, blocks);
    let previous = this.#lineElements.get(lines[first - 1]);
    for (const line of middle) previous = this.#lineElements.get(line) ?? this.#insert(line, previous, blocks);
    for (const block of blocks) {
      if (block.childElementCount === 0) block.remove();
      else block.style.setProperty("--lines", block.childElementCount);
    }
    this.#lines = lines;
    this.flush();
  }

  // A line has changed. Shown once a frame: sentences can come faster.
  update(line) {
    this.#changed.add(line);
    this.#frame ??= requestAnimationFrame(() => this.flush());
  }

  // Shows what has changed.
  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    for (const line of this.#changed)
      if (this.#lineElements.has(line)) this.#render(line);
    this.#changed.clear();
  }

  // The number of the first line in view.
  get firstVisible() {
    const top = Math.max(this.#pane.getBoundingClientRect().top, 0);
    const isAbove = (element) => element.getBoundingClientRect().bottom <= top;
    let number = 0;
    for (const block of this.#pane.children) {
      if (isAbove(block)) {
        number += block.childElementCount;
        continue;
      }
      for (const line of block.children) {
        if (!isAbove(line)) return number;
        ++number;
      }
    }
    return 0;
  }

  #remove(line, blocks) {
    const element = this.#lineElements.get(line);
    blocks.add(element.parentElement);
    element.remove();
    this.#lineElements.delete(line);
  }

  // Inserts a line after the element of another one, or as the first.
  #insert(line, previous, blocks) {
    const element = create("div", "line");
    this.#lineElements.set(line, element);
    this.#render(line);
    if (previous) {
      previous.after(element);
    } else {
      if (!this.#pane.firstChild) this.#pane.append(create("div", "block"));
      this.#pane.firstChild.prepend(element);
    }
    const block = element.parentElement;
    blocks.add(block);
    if (block.childElementCount === 2 * kBlockLines) {
      const rest = create("div", "block");
      rest.append(...[...block.children].slice(kBlockLines));
      block.after(rest);
      blocks.add(rest);
    }
    return element;
  }

  #render(line) {
    const element = this.#lineElements.get(line);
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
    for (const element of this.#marked) element.classList.remove("linked");
    this.#marked = [];
    const view = sentence && this.#views.get(sentence);
    if (!view) return;
    this.#splitWords(view.element);
    const elements = view.element.querySelectorAll(".word");
    this.#marked = words.map((word) => elements[word]).filter(Boolean);
    for (const element of this.#marked) element.classList.add("linked");
  }

  focus() {
    (this.#pane.querySelector(".word:focus") ?? this.#pane).focus();
  }

  // Focuses a word of a sentence, as after it was replaced.
  focusWord(sentence, word) {
    this.flush();
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
    const {translation, probabilities} = sentence;
    if (view.translation !== translation || view.probabilities !== probabilities) {
      view.translation = translation;
      view.probabilities = probabilities;
      view.element.textContent = translation;
      delete view.element.dataset.split;
      if (probabilities?.some(isDoubtful)) this.#markDoubt(view.element, probabilities);
      view.element.classList.toggle("unsure", isDoubtful(sentence.confidence));
    }
    return view;
  }

  #markDoubt(element, probabilities) {
    this.#splitWords(element);
    for (const word of element.querySelectorAll(".word")) {
      const probability = probabilities[word.dataset.word];
      if (!isDoubtful(probability)) continue;
      word.classList.add("doubtful");
      word.dataset.probability = probability;
    }
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
    const element = this.#split(event);
    const doubtful = element?.closest?.(".doubtful");  // named in the language that the page has now
    if (doubtful) doubtful.title = text("doubt", {probability: percent(Number(doubtful.dataset.probability))});
    const sentence = element?.closest?.(".sentence");
    const {confidence} = this.#owners.get(sentence)?.sentence ?? {};
    if (confidence) sentence.title = text("confidence", {probability: percent(confidence)});
    this.#show(element);
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
      const isHome = event.key === "Home";
      this.#endWord(this.#endSentence(this.#pane, isHome), isHome)?.focus();
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
    const sentence = current.closest(".sentence");
    if (!sentence) return this.#endWord(this.#endSentence(this.#pane, true), true);
    const words = [...sentence.querySelectorAll(".word")];
    const word = words[words.indexOf(current) + step];
    return word ?? this.#endWord(this.#sentenceBeside(sentence, step), step > 0);
  }

  // The first or last sentence within an element.
  #endSentence(element, first) {
    if (element.matches(".sentence")) return element;
    const children = first ? element.children : [...element.children].reverse();
    for (const child of children) {
      const sentence = this.#endSentence(child, first);
      if (sentence) return sentence;
    }
    return null;
  }

  // The sentence before or after another element of the pane.
  #sentenceBeside(element, step) {
    for (; element !== this.#pane; element = element.parentElement) {
      const beside = (one) => step > 0 ? one.nextElementSibling : one.previousElementSibling;
      for (let other = beside(element); other; other = beside(other)) {
        const sentence = this.#endSentence(other, step > 0);
        if (sentence) return sentence;
      }
    }
    return null;
  }
}
