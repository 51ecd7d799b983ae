// The latest translations, kept in this browser alone.

import {load, save} from "./store.js";

const kEntries = 50;
const kCharacters = 4000;

export class History {
  // Newest first: {id, source, target, text, translation}.
  #entries = load("history", []).filter((entry) => typeof entry?.text === "string");

  get entries() {
    return this.#entries;
  }

  // Whether a translation is short enough for an entry.
  accepts({text, length}) {
    return Math.max(text.length, length) <= kCharacters;
  }

  // Adds an entry, in the place of the one with the same id: an earlier state of the same text.
  add(entry) {
    const others = this.#entries.filter((other) =>
        other.id !== entry.id && (other.text !== entry.text || other.target !== entry.target));
    this.#entries = [entry, ...others].slice(0, kEntries);
    save("history", this.#entries);
  }

  clear() {
    this.#entries = [];
    save("history", null);
  }

  // Fills a list with buttons; `pick(entry)` when one is pressed.
  show(list, {nameOf, tagOf, pick}) {
    list.replaceChildren(...this.#entries.map((entry) => {
      const line = (className, content, language) => {
        const span = document.createElement("span");
        span.className = className;
        span.textContent = content;
        if (language) span.lang = tagOf(language);
        return span;
      };
      const button = document.createElement("button");
      button.type = "button";
      button.append(
          line("pair", `${nameOf(entry.source)} → ${nameOf(entry.target)}`),
          line("text", entry.text.slice(0, 200), entry.source),
          line("translation", entry.translation.slice(0, 200), entry.target));
      button.addEventListener("click", () => pick(entry));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }
}
