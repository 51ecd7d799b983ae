// The settings dialog, and what it leaves in the browser's storage.

import {load, save} from "./store.js";
import {browserLanguage} from "./strings.js";

const defaults = {
  beam: "", length_penalty: "", sample: false, temperature: "", terms: "",
  theme: "system", language: "", history: true,
};

export class Settings {
  #values = {...defaults, ...load("settings", {})};
  #form;
  #changed;

  // `changed(name)` is called after a setting got another value.
  constructor(form, changed) {
    this.#form = form;
    this.#changed = changed;
    form.addEventListener("change", ({target}) => {
      if (!(target.name in defaults)) return;
      if (!target.validity.valid) return target.reportValidity();
      this.set(target.name, target.type === "checkbox" ? target.checked : target.value);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("[name=reset]").addEventListener("click", () => {
      for (const name of ["beam", "length_penalty", "sample", "temperature", "terms"])
        this.set(name, defaults[name]);
    });
    this.#show();
  }

  get language() {
    return this.#values.language || browserLanguage();
  }
  get keepsHistory() {
    return this.#values.history;
  }
  get isDark() {
    const {theme} = this.#values;
    return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches
                              : theme === "dark";
  }
  // Members of a request for a translation; those that are left to the server are absent.
  get options() {
    const {beam, length_penalty, sample, temperature, terms} = this.#values;
    // A tab cannot be typed in a field.
    const lines = terms.trim().replace(/^([^\t=\n]+?) *= */gm, "$1\t");
    const chosen = sample ? {sample, temperature} : {beam, length_penalty, terms: lines};
    return Object.fromEntries(
        Object.entries(chosen)
            .filter(([, value]) => value !== "")
            .map(([name, value]) => [name, typeof value === "string" && name !== "terms" ? Number(value) : value]));
  }

  set(name, value) {
    if (this.#values[name] === value) return;
    this.#values[name] = value;
    save("settings", this.#values);
    this.#show();
    this.#changed(name);
  }

  #show() {
    for (const [name, value] of Object.entries(this.#values)) {
      const field = this.#form.elements[name];
      if (!field) continue;
      if (field.type === "checkbox") field.checked = value;
      else field.value = name === "language" ? this.language : value;
    }
    const {beam, length_penalty, temperature, terms} = this.#form.elements;
    beam.disabled = length_penalty.disabled = terms.disabled = this.#values.sample;
    temperature.disabled = !this.#values.sample;
    const {theme} = this.#values;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}
