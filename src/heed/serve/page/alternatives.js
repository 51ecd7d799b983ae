// The menu of a word of the translation: other translations from that word on, or of the whole
// sentence. A list box that the arrow keys, Enter and Esc work in.

import {percent, text} from "./strings.js";
import {wordsOf} from "./words.js";

const kChoices = 8;
// Eight groups of one hypothesis each, kept apart: their next words differ, if the model knows so
// many.
const kFromWord = {beam: 8, nbest: 8, beam_groups: 8, diversity_penalty: 3};
const kWhole = {beam: 8, nbest: 8};
// Choices of less than this share of the best one's probability are left out.
const kLeastShare = 0.01;

const product = (probabilities) => probabilities.reduce((all, one) => all * one, 1);

// The probability of all words of a hypothesis; undefined if unknown.
const probabilityOf = ({probabilities}) => probabilities && product(probabilities);

// The probabilities of what a hypothesis has before an offset, and of that with the next word.
function probabilitiesAt({translation, probabilities}, offset) {
  if (!probabilities) return {};
  const next = wordsOf(translation).findIndex(({end}) => end > offset);
  const before = product(probabilities.slice(0, next));
  return {before, joint: before * probabilities[next]};
}

// Those that are not far less probable than the first.
const likely = (choices) =>
    choices.filter(({probability}) => !(probability < kLeastShare * choices[0].probability));

// The best hypothesis for each next word, most probable word first: {hypothesis, next, rest,
// probability}. Hypotheses may have the same beginning in other pieces, which the model hardly
// expects ("young" and "er"): the probability is that of the next word after any of them.
export function distinct(hypotheses, prefix) {
  const seen = new Set();
  const choices = [];
  const beginnings = new Set();
  for (const hypothesis of hypotheses) {
    const {translation} = hypothesis;
    if (!translation.startsWith(prefix.trimEnd())) continue;
    const [first] = wordsOf(translation.slice(prefix.length));
    const next = first ? translation.slice(prefix.length, prefix.length + first.end).trim() : "";
    if (next === "" || seen.has(next)) continue;
    seen.add(next);
    const {before, joint} = probabilitiesAt(hypothesis, prefix.length);
    if (before !== undefined) beginnings.add(before);
    choices.push({
      hypothesis, next, rest: translation.slice(prefix.length + first.end), probability: joint,
    });
  }
  const beginning = [...beginnings].reduce((sum, one) => sum + one, 0);
  for (const choice of choices)
    if (choice.probability !== undefined) choice.probability /= beginning;
  return likely(choices.sort((a, b) => (b.probability ?? 0) - (a.probability ?? 0)));
}

export class Alternatives {
  #menu;
  #list;
  #title;
  #status;
  #whole;
  #translation;
  #finished;
  #place = null;
  #choices = [];
  #active = -1;
  #abort = new AbortController();

  // `finished(place, {changed, hadFocus})` is called when the menu has closed.
  constructor(menu, translation, finished) {
    this.#menu = menu;
    this.#list = menu.querySelector("[role=listbox]");
    this.#title = menu.querySelector(".menu-title");
    this.#status = menu.querySelector("[role=status]");
    this.#whole = menu.querySelector("button");
    this.#translation = translation;
    this.#finished = finished;
    menu.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#choose(Number(option.dataset.choice));
    });
    this.#list.addEventListener("pointermove", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#activate(Number(option.dataset.choice), {scroll: false});
    });
    this.#whole.addEventListener("click", () => this.#openWhole());
    // A click outside closes; so does focus that goes elsewhere.
    document.addEventListener("pointerdown", (event) => {
      if (!menu.contains(event.target)) this.close();
    });
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) this.close();
    });
    window.addEventListener("resize", () => this.#position());
  }

  get isOpen() {
    return !this.#menu.hidden;
  }
  // The word may lie elsewhere now, or have been replaced.
  follow() {
    if (this.isOpen && !this.#place.element.isConnected) this.close();
    this.#position();
  }

  async open(place) {
    this.close();
    this.#place = place;
    place.element.classList.add("open");
    const {sentence, words, word} = place;
    const {start, end} = words[word];
    const prefix = sentence.translation.slice(0, start);
    this.#title.dataset.note = text("probability");
    this.#title.textContent =
        text("alternatives_from", {word: sentence.translation.slice(start, end)});
    this.#whole.hidden = false;
    const options = prefix === "" ? kFromWord : {...kFromWord, prefix};
    await this.#fill(options, (hypotheses) => distinct(hypotheses, prefix));
  }

  async #openWhole() {
    this.#title.textContent = text("other_translations");
    this.#whole.hidden = true;
    this.#list.focus();
    const unique = (hypotheses) => hypotheses
        .filter((one, i) => hypotheses.findIndex((two) => two.translation === one.translation) === i)
        .map((hypothesis) => ({
          hypothesis, next: "", rest: hypothesis.translation, probability: probabilityOf(hypothesis),
        }));
    await this.#fill(kWhole, (hypotheses) => likely(unique(hypotheses)));
  }

  close() {
    if (!this.isOpen) return;
    this.#finish(false);
  }

  #finish(changed) {
    this.#abort.abort();
    this.#menu.hidden = true;
    this.#list.replaceChildren();
    const place = this.#place;
    this.#place = null;
    place.element.classList.remove("open");
    // A hidden element loses the focus to the body, now or soon.
    const hadFocus = this.#menu.contains(document.activeElement) ||
        document.activeElement === document.body;
    this.#finished(place, {changed, hadFocus});
  }

  // Asks for hypotheses and lists what `choicesOf` makes of them.
  async #fill(options, choicesOf) {
    this.#abort.abort();
    this.#abort = new AbortController();
    const {signal} = this.#abort;
    this.#setChoices([]);
    this.#list.setAttribute("aria-label", this.#title.textContent);
    this.#say(text("translating"));
    this.#menu.hidden = false;
    this.#position();
    this.#list.focus({preventScroll: true});
    try {
      const hypotheses = await this.#translation.hypotheses(this.#place.sentence, options, signal);
      if (signal.aborted) return;
      const choices = choicesOf(hypotheses).slice(0, kChoices);
      this.#setChoices(choices);
      this.#say(choices.length > 1 ? "" : text("no_alternatives"));
      const {translation} = this.#place.sentence;
      const current = choices.findIndex(({hypothesis}) => hypothesis.translation === translation);
      this.#activate(Math.max(current, 0), {scroll: true});
      this.#menu.scrollIntoView({block: "nearest"});
    } catch (error) {
      if (!signal.aborted) this.#say(text("error", {message: error.message}));
    }
    this.#position();
  }

  #say(message) {
    this.#status.textContent = message;
    this.#status.classList.toggle("empty", message === "");
  }

  #setChoices(choices) {
    this.#choices = choices;
    this.#active = -1;
    this.#list.removeAttribute("aria-activedescendant");
    const span = (className, content) => {
      const element = document.createElement("span");
      element.className = className;
      element.textContent = content;
      return element;
    };
    this.#list.replaceChildren(...choices.map(({hypothesis, next, rest, probability}, i) => {
      const option = document.createElement("li");
      option.setAttribute("role", "option");
      option.id = `choice-${i}`;
      option.dataset.choice = i;
      option.setAttribute("aria-selected", "false");
      const content = document.createElement("span");
      content.append(span("next", next), span("rest", rest));
      if (hypothesis.translation === this.#place?.sentence.translation)
        content.append(span("current", text("current_choice")));
      option.append(content);
      if (probability !== undefined) option.append(span("probability", percent(probability)));
      return option;
    }));
  }

  #activate(index, {scroll}) {
    const options = this.#list.children;
    if (options.length === 0 || index === this.#active) return;
    this.#active = (index + options.length) % options.length;
    [...options].forEach((option, i) =>
        option.setAttribute("aria-selected", String(i === this.#active)));
    this.#list.setAttribute("aria-activedescendant", options[this.#active].id);
    if (scroll) options[this.#active].scrollIntoView({block: "nearest"});
  }

  #choose(index) {
    const {hypothesis} = this.#choices[index];
    const {line, sentence} = this.#place;
    const changed = hypothesis.translation !== sentence.translation;
    this.#menu.hidden = true;
    if (changed) this.#translation.choose(line, sentence, hypothesis);
    this.#finish(changed);
  }

  #key(event) {
    const onList = document.activeElement === this.#list;
    const last = this.#choices.length - 1;
    if (event.key === "Escape") this.close();
    else if (onList && event.key === "ArrowDown") this.#activate(this.#active + 1, {scroll: true});
    else if (onList && event.key === "ArrowUp") this.#activate(this.#active - 1, {scroll: true});
    else if (onList && event.key === "Home") this.#activate(0, {scroll: true});
    else if (onList && event.key === "End") this.#activate(last, {scroll: true});
    else if (onList && (event.key === "Enter" || event.key === " ") && this.#active >= 0)
      this.#choose(this.#active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Below the word, within the window.
  #position() {
    if (!this.isOpen) return;
    const word = this.#place.element.getBoundingClientRect();
    const margin = 8;
    const width = this.#menu.offsetWidth;
    const card = this.#place.element.closest(".card").getBoundingClientRect();
    const most = Math.min(card.right, document.documentElement.clientWidth) - width - margin;
    this.#menu.style.left = `${window.scrollX + Math.max(margin, Math.min(word.left - margin, most))}px`;
    this.#menu.style.top = `${window.scrollY + word.bottom + 4}px`;
  }
}
