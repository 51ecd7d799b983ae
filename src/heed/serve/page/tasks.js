// The models that do not translate: the choice among all models, a text, and what the model makes
// of it.

import * as api from "./api.js";
import {Examples} from "./examples.js";
import {resultOf} from "./results.js";
import {load, save} from "./store.js";
import {number, text} from "./strings.js";

const kTypingPause = 250;  // ms without a key before a request
const kLines = 100;  // of a request
const kExamples = 3;  // of several models at a time
const kTranslation = "";  // the choice of all models that translate

const fieldOf = {"language-model": "prompt"};  // of a request; "text" of others

export class Tasks {
  // The limit of characters of a request; -1 if there is none.
  characterLimit = -1;
  #parts;
  #report;
  #models = [];
  #chosen = kTranslation;
  #timer;
  #abort = new AbortController();
  #shown = [];  // what the results were made of
  #examples;

  // `parts`: elements by name. `report` has chosen(), when another model was chosen, and
  // state(name, details): "busy", "done" or "failed" {error} or {message}.
  constructor(parts, report) {
    this.#parts = parts;
    this.#report = report;
    parts.choice.addEventListener("change", () => {
      save("model", parts.choice.value);
      this.#choose(parts.choice.value);
      report.chosen();
    });
    this.#examples = new Examples(parts.examples, (line) => {
      parts.input.value = line;
      this.#showExamples();
      if (!this.#isGeneration) this.run();
      parts.input.focus();
    });
    parts.input.addEventListener("input", () => {
      this.#showExamples();
      clearTimeout(this.#timer);
      if (!this.#isGeneration) this.#timer = setTimeout(() => this.run(), kTypingPause);
    });
    parts.run.addEventListener("click", () => this.run());
    parts.form.addEventListener("submit", (event) => event.preventDefault());
    parts.form.addEventListener("change", () => this.#enableFields());
  }

  // Whether a model is chosen that does not translate.
  get isShown() {
    return this.#model !== undefined;
  }
  // The models that do not translate: "tagger (tags)".
  get names() {
    return this.#others.map((model) => this.#nameOf(model));
  }
  // Whether a word of a translation shows those of its source.
  aligns({source, target}) {
    return this.#models.find((model) => model.source === source && model.target === target)?.alignments ?? true;
  }

  // Sources of the kind that the models of a pair were trained on; `source` is null if any will do.
  examplesOf({source, target}) {
    const lists = this.#models
        .filter((model) => model.target === target && (source === null || model.source === source))
        .map((model) => model.examples ?? []);
    return lists.flatMap((list) => list.slice(0, Math.ceil(kExamples / lists.length))).slice(0, kExamples);
  }

  // Takes what the server offers, and chooses the model of the last visit, or else the first.
  set(models) {
    this.#models = models;
    const last = load("model", kTranslation);
    const known = this.#others.some(({name}) => name === last);
    const translates = this.#others.length < models.length;
    this.#choose(known ? last : translates || models.length === 0 ? kTranslation : models[0].name);
  }

  // The texts of the page are to be written in another language.
  rename() {
    const {choice, input, run} = this.#parts;
    const translates = this.#others.length < this.#models.length;
    choice.replaceChildren(
        ...(translates ? [new Option(text("task_translation"), kTranslation)] : []),
        ...this.#others.map((model) => new Option(this.#nameOf(model), model.name)));
    choice.value = this.#chosen;
    choice.parentElement.hidden = choice.options.length < 2 && !this.isShown;
    run.textContent = this.#isGeneration ? text("generate") : text("run");
    input.placeholder = this.#isGeneration ? text("prompt_placeholder") : text("lines_placeholder");
    this.#showResults();
  }

  focus() {
    this.#parts.input.focus();
  }

  // Asks the model for the results of the text.
  async run() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#abort = new AbortController();
    const {signal} = this.#abort;
    const model = this.#model;
    const {value} = this.#parts.input;
    const lines = value.split(/\r?\n/).map((line) => line.trimEnd());
    const given = this.#isGeneration ? [value] : lines.filter((line) => line.trim() !== "");
    this.#shown = [];
    if (given.length === 0) return this.#finish();
    if (given.length > kLines)
      return this.#fail({message: text("lines_large", {count: number(given.length), limit: number(kLines)})});
    if (this.characterLimit >= 0 && value.length > this.characterLimit)
      return this.#fail({message: text(
          "text_large", {count: number(value.length), limit: number(this.characterLimit)})});
    this.#report.state("busy");
    try {
      const body = {model: model.name, [fieldOf[model.task] ?? "text"]: given, ...this.#options};
      const {results} = await api.results(model.path, body, signal);
      this.#shown = results.map((result, i) => [model.task, result, given[i]]);
      this.#finish();
    } catch (error) {
      if (!signal.aborted) this.#fail({error});
    }
  }

  get #others() {
    return this.#models.filter(({task}) => task !== "translation");
  }
  get #model() {
    return this.#others.find(({name}) => name === this.#chosen);
  }
  get #isGeneration() {
    return this.#model?.task === "language-model";
  }
  // Members of a request to a language model; those that are left to the server are absent. Without
  // a seed each continuation is another.
  get #options() {
    if (!this.#isGeneration) return {};
    const {sample} = this.#parts.form.elements;
    const options = sample.checked ? {sample: true, seed: Math.floor(Math.random() * 2 ** 31)} : {};
    for (const field of this.#parts.form.elements)
      if (field.type === "number" && !field.disabled && field.value !== "" && field.validity.valid)
        options[field.name] = Number(field.value);
    if (!sample.checked && options.nbest > 1) options.beam = Math.max(options.nbest, 4);
    return options;
  }

  #nameOf({name, task}) {
    const kinds = {
      "language-model": () => text("task_generation"), tag: () => text("task_tags"),
      classify: () => text("task_classes"), parse: () => text("task_trees"),
    };
    return text("model_of_task", {name, task: kinds[task]?.() ?? task});
  }

  #choose(name) {
    this.#chosen = name;
    this.#abort.abort();
    this.#shown = [];
    const {card, form} = this.#parts;
    card.hidden = !this.isShown;
    form.hidden = !this.#isGeneration;
    this.#enableFields();
    this.#showExamples();
    this.rename();
    if (this.isShown && !this.#isGeneration && this.#parts.input.value !== "") this.run();
  }

  #showExamples() {
    const {input} = this.#parts;
    this.#examples.show(input.value === "" ? this.#model?.examples ?? [] : []);
  }

  // Those that only samples use.
  #enableFields() {
    const {elements} = this.#parts.form;
    for (const name of ["temperature", "top_k", "top_p", "seed"])
      elements[name].disabled = !elements.sample.checked;
  }

  #finish() {
    this.#showResults();
    this.#report.state("done");
  }

  #fail(details) {
    this.#showResults();
    this.#report.state("failed", details);
  }

  #showResults() {
    this.#parts.results.replaceChildren(...this.#shown.map((one) => resultOf(...one)));
  }
}
