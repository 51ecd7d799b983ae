// Translates a text as it changes: asks the server for what an edit changed, and for nothing twice.

import * as api from "./api.js";
import {appendSpace, finishedLine, plan, readGaps, sentencesOf} from "./lines.js";

const kCachedLines = 1000;
// Limits of a request, so that the first answers come soon.
const kLines = 64;
const kCharacters = 6000;

// Lines in groups that each fit a request.
function requestsOf(lines) {
  const requests = [];
  let characters = 0;
  for (const line of lines) {
    const request = requests.at(-1);
    characters += line.middle.length;
    if (request && request.length < kLines && characters <= kCharacters) {
      request.push(line);
    } else {
      requests.push([line]);
      characters = line.middle.length;
    }
  }
  return requests;
}

export class Translation {
  // The lines of the latest text; see lines.js.
  lines = [];
  #pair = {};
  #options = {};
  #scope = "";
  #cache = new Map();
  #abort = new AbortController();
  #report;

  // `report` has planned(), when the lines are other ones; changed(line); state(name, details):
  // "busy", "waiting" {seconds}, "done" or "failed" {error}.
  constructor(report) {
    this.#report = report;
  }

  get pair() {
    return this.#pair;
  }
  get text() {
    return this.lines.map(({text}) => text).join("\n");
  }

  stop() {
    this.#abort.abort();
  }

  // Shows an empty translation.
  clear() {
    this.stop();
    this.lines = [];
    this.#report.planned();
    this.#report.state("done");
  }

  // `pair`: {source, target}; `options`: members of the request. Resolves when the translation is
  // complete, has failed, or has been aborted by another call.
  async translate(text, pair, options) {
    this.stop();
    this.#abort = new AbortController();
    const {signal} = this.#abort;
    const scope = JSON.stringify([pair, options]);
    if (scope !== this.#scope) this.lines = [];
    this.#pair = pair;
    this.#options = options;
    this.#scope = scope;
    this.lines = plan(this.lines, text, (line) => this.#cached(line));
    this.#report.planned();
    try {
      for (const lines of requestsOf(this.lines.filter((line) => !line.complete)))
        await this.#withRetries(lines, signal);
      this.#report.state("done");
    } catch (error) {
      if (!signal.aborted) this.#report.state("failed", {error});
    }
  }

  // Replaces a sentence's translation by another hypothesis.
  choose(line, sentence, hypothesis) {
    const {translation, score, alignment} = hypothesis;
    Object.assign(sentence, {translation, score, alignment: alignment ?? []});
    this.#keep(line);
    this.#report.changed(line);
  }

  // Asks for hypotheses of one sentence.
  async hypotheses(sentence, options, signal) {
    const {length_penalty} = this.#options;  // JSON leaves it out if it is undefined
    const answer = await api.translate({
      text: sentence.source, ...this.#pair, split: "lines", alignments: "words", length_penalty, ...options,
    }, signal);
    const best = answer.translations[0].sentences[0];
    return best?.nbest ?? (best ? [best] : []);
  }

  async #withRetries(lines, signal) {
    for (;;) {
      try {
        this.#report.state("busy");
        return await this.#request(lines.filter((line) => !line.complete), signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof api.ApiError) || error.wait === null) throw error;
        const seconds = Math.min(Math.max(Math.ceil(error.wait), 1), 60);
        this.#report.state("waiting", {seconds});
        await api.pause(seconds, signal);
      }
    }
  }

  async #request(lines, signal) {
    for (const line of lines) line.fresh = [];
    const body = {
      text: lines.map(({middle}) => middle), ...this.#pair, ...this.#options, alignments: "words",
    };
    for await (const {event, data} of api.translateStream(body, signal)) {
      if (signal.aborted) return;
      if (event === "token") this.#addToken(lines[data.text], data);
      if (event === "sentence") this.#addSentence(lines[data.text], data);
      if (event === "done") data.translations.forEach((answer, i) => this.#finish(lines[i], answer));
    }
  }

  #addToken(line, {sentence, hypothesis, translation}) {
    if (sentence !== line.fresh.length || hypothesis > 0) return;
    line.partial = translation;
    this.#report.changed(line);
  }

  #addSentence(line, {sentence, text: _, ...answer}) {
    line.fresh[sentence] = answer;
    line.partial = undefined;
    this.#report.changed(line);
  }

  #finish(line, {text, sentences, after}) {
    // The sentences that are shown already stay the same objects.
    line.fresh = sentences.map((sentence, i) => Object.assign(line.fresh[i] ?? {}, sentence));
    readGaps(line.fresh, text);
    line.stale = [];
    line.partial = undefined;
    appendSpace(line, after);
    line.complete = true;
    this.#keep(line);
    this.#report.changed(line);
  }

  #key(text) {
    return this.#scope + text;
  }

  #keep(line) {
    if (!line.complete) return;
    const key = this.#key(line.text);
    this.#cache.delete(key);
    this.#cache.set(key, {sentences: sentencesOf(line).map((sentence) => ({...sentence})), after: line.after});
    if (this.#cache.size > kCachedLines) this.#cache.delete(this.#cache.keys().next().value);
  }

  #cached(text) {
    const known = this.#cache.get(this.#key(text));
    return known && finishedLine(text, known.sentences, known.after);
  }
}
