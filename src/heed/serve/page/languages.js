// The languages of source and target: the two selectors, the server's offer, and the detected
// language.

import * as api from "./api.js";
import {load, save} from "./store.js";
import {interfaceLanguage, text} from "./strings.js";

const kAuto = "auto";
// Characters of a text that are enough to detect its language.
const kSample = 400;
const rightToLeft = new Set(["ar", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"]);

// The lang attribute for a language's text, which chooses the font: "zh" alone leaves it open.
export const tagOf = (code) => ({zh: "zh-Hans", zt: "zh-Hant"})[code] ?? code;

// Names an element's language and its direction.
export function setLanguageOf(element, code) {
  const lang = code ? tagOf(code) : "";
  const dir = !code ? "auto" : rightToLeft.has(code.split("-")[0]) ? "rtl" : "ltr";
  // Setting what is set already would lay out the element again.
  if (element.lang !== lang) element.lang = lang;
  if (element.dir !== dir) element.dir = dir;
}

export class Languages {
  #offered = [];  // {code, name, targets}
  #source;
  #target;
  #swap;
  #wanted = "";  // the target that the user chose last
  #detected = null;
  #sample = "";

  // `changed` is called when the user has chosen another pair.
  constructor({source, target, swap}, changed) {
    this.#source = source;
    this.#target = target;
    this.#swap = swap;
    source.addEventListener("change", () => {
      this.#fillTargets();
      this.#remember();
      changed();
    });
    target.addEventListener("change", () => {
      this.#wanted = target.value;
      this.#update();
      this.#remember();
      changed();
    });
  }

  get isReady() {
    return this.#offered.length > 0;
  }
  // The code of the source language; null while it is unknown.
  get source() {
    return this.#source.value === kAuto ? this.#detected : this.#source.value || null;
  }
  // The source as it was chosen, which may be "auto".
  get chosenSource() {
    return this.#source.value || kAuto;
  }
  get target() {
    return this.#target.value || null;
  }
  get pair() {
    return {source: this.source, target: this.target};
  }
  get canSwap() {
    return Boolean(this.source && this.#targetsOf(this.target).includes(this.source));
  }
  // "zh → en" and so on.
  get pairs() {
    return this.#offered.flatMap(({code, targets}) =>
        targets.map((target) => `${this.nameOf(code)} → ${this.nameOf(target)}`));
  }

  nameOf(code) {
    try {
      const name = new Intl.DisplayNames(interfaceLanguage(), {type: "language"}).of(code);
      if (name && name !== code) return name[0].toUpperCase() + name.slice(1);
    } catch {
      // Not a code that browsers know.
    }
    return this.#offered.find((language) => language.code === code)?.name ?? code;
  }

  // Takes what the server offers and chooses the pair of the last visit, or else `first`.
  set(offered, first) {
    this.#offered = offered.map((language) =>
        ({...language, targets: language.targets.filter((target) => target !== language.code)}))
        .filter(({targets}) => targets.length > 0);
    const last = load("languages", {});
    const known = (code) => code === kAuto || this.#offered.some((language) => language.code === code);
    const several = this.#offered.length > 1;
    const source = known(last.source) ? last.source : several ? kAuto : first?.source;
    this.#wanted = last.target ?? first?.target ?? "";
    this.#fillSources();
    this.#source.value = source;
    if (!this.#source.value) this.#source.selectedIndex = this.#source.options.length - 1;
    this.#fillTargets();
  }

  // The names are to be written in another language.
  rename() {
    const {value} = this.#source;
    this.#fillSources();
    this.#source.value = value;
    this.#fillTargets();
  }

  // Whether a model translates a pair; the source may be left to detection.
  offers({source, target}) {
    const targets = source === kAuto ? this.#offered.flatMap((language) => language.targets)
                                     : this.#targetsOf(source);
    return targets.includes(target);
  }

  choose({source, target}) {
    this.#source.value = source;
    this.#wanted = target;
    this.#fillTargets();
    this.#remember();
  }

  swap() {
    if (this.canSwap) this.choose({source: this.target, target: this.source});
  }

  // There is no text any more whose language would be detected.
  forgetDetected() {
    if (this.#source.value !== kAuto || !this.#detected) return;
    this.#detected = null;
    this.#sample = "";
    this.#fillTargets();
  }

  // Finds out the source language of a text if that is left to detection. An error that names the
  // language if no model translates from it.
  async detect(content, signal) {
    if (this.#source.value !== kAuto) return;
    const sample = content.trim().slice(0, kSample);
    if (sample === this.#sample && this.#detected) return;
    const [best] = await api.detect(sample, signal);
    signal.throwIfAborted();
    if (best && !this.#offered.some((language) => language.code === best.language)) {
      this.#detected = null;
      this.#fillTargets();
      throw new api.HttpError(400, text("not_offered", {language: this.nameOf(best.language)}));
    }
    const code = best?.language ?? this.#detected ?? this.#offered[0].code;
    this.#sample = sample;
    if (code === this.#detected) return;
    this.#detected = code;
    this.#fillTargets();
  }

  #targetsOf(code) {
    return this.#offered.find((language) => language.code === code)?.targets ?? [];
  }

  #remember() {
    save("languages", {source: this.#source.value, target: this.#wanted});
  }

  #option(code, name = this.nameOf(code)) {
    return new Option(name, code);
  }

  #fillSources() {
    const options = this.#offered.map(({code}) => this.#option(code));
    if (options.length > 0) options.unshift(this.#option(kAuto, text("detect")));
    this.#source.replaceChildren(...options);
  }

  // Offers the targets of the source language, or of all while it is unknown.
  #fillTargets() {
    const codes = this.source ? this.#targetsOf(this.source)
                              : [...new Set(this.#offered.flatMap(({targets}) => targets))];
    this.#target.replaceChildren(...codes.map((code) => this.#option(code)));
    this.#target.value = codes.includes(this.#wanted) ? this.#wanted : codes[0] ?? "";
    this.#update();
  }

  #update() {
    const [first] = this.#source.options;
    if (first?.value === kAuto) {
      first.textContent = this.#source.value === kAuto && this.#detected ?
          text("detected", {language: this.nameOf(this.#detected)}) : text("detect");
    }
    this.#swap.disabled = !this.canSwap;
  }
}
