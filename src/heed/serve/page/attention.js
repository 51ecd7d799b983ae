// The attention of a translation: a page that the server makes, in a frame without access to this one.

import * as api from "./api.js";
import {download} from "./files.js";
import {sentencesOf} from "./lines.js";
import {interfaceLanguage, number, text} from "./strings.js";

const lengthOf = (string) => [...string].length;

// The first sentences of a translation's lines that have at most `limit` characters, or the
// beginning of the first one.
export function firstSentences(lines, limit) {
  let taken = "";
  let left = limit;
  for (const [i, line] of lines.entries()) {
    const sentences = sentencesOf(line).map(({before, source}) => before + source);
    for (const part of i > 0 ? ["\n", ...sentences] : sentences) {
      left -= lengthOf(part);
      if (left < 0) return taken.trim() === "" ? [...taken + part].slice(0, limit).join("") : taken;
      taken += part;
    }
  }
  return taken;
}

export class AttentionDialog {
  // The most characters that the server explains; 0: it offers no attention.
  limit = 0;
  #dialog;
  #status;
  #note;
  #save;
  #abort = new AbortController();

  constructor(dialog) {
    this.#dialog = dialog;
    this.#status = dialog.querySelector("[role=status]");
    this.#note = dialog.querySelector(".note");
    this.#save = dialog.querySelector("[data-label=attention_save]");
    dialog.addEventListener("close", () => this.#end());
    addEventListener("message", ({source, data}) => {
      if (data === "heed.escape" && source === dialog.querySelector("iframe")?.contentWindow) dialog.close();
    });
  }

  // `pair` and `options`: members of the request for the translation.
  async show({lines, pair, options, isDark}) {
    this.#end();
    this.#abort = new AbortController();
    const {signal} = this.#abort;
    const content = firstSentences(lines, this.limit);
    const cut = content.length < lines.map((line) => line.text).join("\n").trimEnd().length;
    this.#note.textContent = cut ? text("attention_part", {count: number(lengthOf(content))}) : "";
    this.#say(text("attention_computing"));
    this.#dialog.showModal();
    this.#dialog.focus();  // rather than its button to close it
    try {
      const html = await this.#request({
        text: content, ...pair, ...options,
        page_language: interfaceLanguage(), page_theme: isDark ? "dark" : "light",
      }, signal);
      this.#show(html);
    } catch (error) {
      if (signal.aborted) return;
      this.#say(error instanceof api.ConnectionError ? text("offline") : text("error", {message: error.message}));
    }
  }

  #say(message) {
    this.#status.textContent = message;
    this.#status.hidden = message === "";
  }

  // A server that is busy is asked again.
  async #request(body, signal) {
    for (;;) {
      try {
        return await api.attention(body, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof api.HttpError) || error.wait === null) throw error;
        const seconds = Math.min(Math.max(Math.ceil(error.wait), 1), 60);
        this.#say(text("busy", {seconds}));
        await api.pause(seconds, signal);
      }
    }
  }

  #show(html) {
    this.#say("");
    const frame = document.createElement("iframe");
    frame.title = text("attention");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.srcdoc = html;
    this.#dialog.append(frame);
    this.#save.onclick = () => download("attention.html", html, "text/html;charset=utf-8");
    this.#save.hidden = false;
  }

  #end() {
    this.#abort.abort();
    this.#dialog.querySelector("iframe")?.remove();
    this.#save.hidden = true;
    this.#save.onclick = null;
  }
}
