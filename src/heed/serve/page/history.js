// The latest translations, kept in this browser alone.

import {load, save} from "./store.js";
import {interfaceLanguage, text} from "./strings.js";

const kEntries = 50;
const kCharacters = 4000;

export class History {
  // Newest first: {id, time, source, target, text, translation}, `time` in milliseconds as Date's;
  // older pages wrote none.
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

  remove(entry) {
    this.#entries = this.#entries.filter((other) => other !== entry);
    save("history", this.#entries.length > 0 ? this.#entries : null);
  }

  clear() {
    this.#entries = [];
    save("history", null);
  }

  // Fills a list with the entries that have `wanted` in either text. Returns their number. Of each,
  // one button picks it and another removes it: `pick(entry)`, `remove(entry)`.
  show(list, {wanted, nameOf, tagOf, pick, remove}) {
    const sought = wanted.trim().toLowerCase();
    const found = this.#entries.filter((entry) =>
        [entry.text, entry.translation].some((one) => String(one).toLowerCase().includes(sought)));
    list.replaceChildren(...found.map((entry) => {
      const line = (className, content, language) => {
        const span = document.createElement("span");
        span.className = className;
        span.textContent = content;
        if (language) span.lang = tagOf(language);
        return span;
      };
      const button = document.createElement("button");
      button.type = "button";
      button.className = "entry";
      const pair = `${nameOf(entry.source)} → ${nameOf(entry.target)}`;
      button.append(
          line("pair", [pair, timeText(entry.time)].filter(Boolean).join(" · ")),
          line("text", entry.text.slice(0, 200), entry.source),
          line("translation", entry.translation.slice(0, 200), entry.target));
      button.addEventListener("click", () => pick(entry));
      const item = document.createElement("li");
      item.append(button, removeButton(() => remove(entry)));
      return item;
    }));
    return found.length;
  }
}

function timeText(time) {
  if (!Number.isFinite(time)) return "";
  return new Intl.DateTimeFormat(interfaceLanguage(), {dateStyle: "medium", timeStyle: "short"}).format(time);
}

function removeButton(act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon remove";
  button.title = text("delete_entry");
  button.setAttribute("aria-label", text("delete_entry"));
  button.append(document.querySelector("#history [data-close] svg").cloneNode(true));
  button.addEventListener("click", act);
  return button;
}
