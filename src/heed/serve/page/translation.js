// Translates a text as it changes: asks the server for what an edit changed, and for nothing twice.

import * as api from "./api.js";
import {withProbabilities} from "./doubt.js";
import {isLarge} from "./editor.js";
import {
  appendSpace, commonEnds, finishedLine, keepBeginning, plan, readGaps, sentencesOf, translationOf,
} from "./lines.js";

const kCachedLines = 1000;
// Limits of a request, so that the first answers come soon.
const kLimits = {lines: 64, characters: 6000};
// A longer line is asked for in parts. A part without an end of a sentence is asked for again, twice
// as long, up to so many times the limit.
const kLongestPart = 16;

// The lines of the next request: as many as fit, from a line on and then from the beginning.
function nextRequest(lines, start, limits) {
  const request = [];
  let characters = 0;
  for (let i = 0; i < lines.length && request.length < limits.lines; ++i) {
    const line = lines[(start + i) % lines.length];
    if (line.complete) continue;
    characters += line.middle.length;
    if (request.length > 0 && characters > limits.characters) break;
    request.push(line);
  }
  return request;
}

// The beginning of a line's middle that is asked for: all of it, if it fits.
function partOf({middle, part}, limits) {
  const most = part ?? limits.characters;
  if (middle.length <= most) return middle;
  const begin = middle.length - middle.trimStart().length;
  const end = begin + most;
  return middle.slice(0, /[\ud800-\udbff]/.test(middle[end - 1]) ? end - 1 : end);
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
  #limits;
  #text = "";
  #lengths = new WeakMap();  // of the translations of lines
  #uncounted = new Set();
  #length = 0;

  // `report` has planned(), when the lines have changed; changed(line); state(name, details):
  // "busy", "waiting" {seconds}, "done" or "failed" {error}; visible(), the number of the first line
  // that the user sees; aligns(pair), whether the model of a pair knows which words belong together.
  constructor(report, limits = kLimits) {
    this.#report = report;
    this.#limits = limits;
  }

  get pair() {
    return this.#pair;
  }
  get text() {
    return this.#text;
  }
  // The characters of the translation so far; 0 if all of its lines are empty.
  get length() {
    for (const line of this.#uncounted) {
      const {length} = translationOf(line);
      this.#length += length - (this.#lengths.get(line) ?? 0);
      this.#lengths.set(line, length);
    }
    this.#uncounted.clear();
    return this.#length && this.#length + this.lines.length - 1;
  }

  stop() {
    this.#abort.abort();
  }

  // Shows an empty translation.
  clear() {
    this.stop();
    this.#setLines([], "");
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
    const lines = plan(this.lines, text, (line) => this.#cached(line));
    const textsOf = (some) => some.map((line) => line.text);
    const edited = commonEnds(textsOf(this.lines), textsOf(lines)).first;
    this.#setLines(lines, text);
    try {
      for (let start = edited;; start = this.#report.visible()) {
        signal.throwIfAborted();
        const request = nextRequest(lines, start, this.#limits);
        if (request.length === 0) break;
        await this.#withRetries(request, signal);
      }
      this.#report.state("done");
    } catch (error) {
      if (!signal.aborted) this.#report.state("failed", {error});
    }
  }

  // Replaces a sentence's translation by another hypothesis.
  choose(line, sentence, hypothesis) {
    const {translation, score, alignment, probabilities} = hypothesis;
    Object.assign(sentence, {translation, score, alignment: alignment ?? [], probabilities, confidence: undefined});
    this.#keep(line);
    this.#changed(line);
  }

  // Asks for hypotheses of one sentence.
  async hypotheses(sentence, options, signal) {
    const {length_penalty} = this.#options;  // JSON leaves it out if it is undefined
    const answer = await api.translate({
      text: sentence.source, ...this.#pair, split: "lines", alignments: this.#alignments, probabilities: true,
      length_penalty, ...options,
    }, signal);
    const best = answer.translations[0].sentences[0];
    return (best?.nbest ?? (best ? [best] : [])).map(withProbabilities);
  }

  #setLines(lines, text) {
    this.lines = lines;
    this.#text = text;
    const uncounted = this.#uncounted;
    this.#uncounted = new Set(lines.filter((line) => uncounted.has(line) || !this.#lengths.has(line)));
    this.#length = lines.reduce((sum, line) => sum + (this.#lengths.get(line) ?? 0), 0);
    this.#report.planned();
  }

  #changed(line) {
    this.#uncounted.add(line);
    this.#report.changed(line);
  }

  async #withRetries(lines, signal) {
    for (;;) {
      try {
        this.#report.state("busy");
        return await this.#request(lines.filter((line) => !line.complete), signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof api.HttpError) || error.wait === null) throw error;
        const seconds = Math.min(Math.max(Math.ceil(error.wait), 1), 60);
        this.#report.state("waiting", {seconds});
        await api.pause(seconds, signal);
      }
    }
  }

  async #request(lines, signal) {
    for (const line of lines) line.fresh = [];
    const parts = lines.map((line) => partOf(line, this.#limits));
    const body = {text: parts, ...this.#pair, ...this.#options, alignments: this.#alignments, probabilities: !isLarge(this.#text)};
    for await (const {event, data} of api.translateStream(body, signal)) {
      if (signal.aborted) return;
      if (event === "token") this.#addToken(lines[data.text], data);
      if (event === "sentence") this.#addSentence(lines[data.text], data);
      if (event === "done")
        data.translations.forEach((answer, i) => this.#finish(lines[i], parts[i], answer));
    }
  }

  #addToken(line, {sentence, hypothesis, translation}) {
    if (sentence !== line.fresh.length || hypothesis > 0 || translation === undefined) return;
    line.partial = translation;
    this.#changed(line);
  }

  #addSentence(line, {sentence, text: _, ...answer}) {
    line.fresh[sentence] = withProbabilities(answer);
    line.partial = undefined;
    this.#changed(line);
  }

  #finish(line, part, {text, sentences, after}) {
    // The sentences that are shown already stay the same objects.
    line.fresh = sentences.map((sentence, i) => Object.assign(line.fresh[i] ?? {}, withProbabilities(sentence)));
    readGaps(line.fresh, text);
    line.partial = undefined;
    if (part.length < line.middle.length) {
      this.#finishPart(line, part);
    } else {
      line.stale = [];
      appendSpace(line, after);
      line.complete = true;
      this.#keep(line);
    }
    this.#changed(line);
  }

  // The last sentence of a part may go on after it, and is asked for again with what follows.
  #finishPart(line, part) {
    const longest = this.#limits.characters * kLongestPart;
    const all = line.part >= longest;
    if (keepBeginning(line, part, {all}) > 0) delete line.part;
    else line.part = all ? Infinity : 2 * (line.part ?? this.#limits.characters);
  }

  get #alignments() {
    return this.#report.aligns(this.#pair) ? "words" : "none";
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
