// The page: connects the text, the languages, the translation and the menus.

import {Alternatives} from "./alternatives.js";
import * as api from "./api.js";
import {AttentionDialog} from "./attention.js";
import {copyText} from "./clipboard.js";
import {askForKey, prepareDialogs} from "./dialogs.js";
import {Editor, isLarge} from "./editor.js";
import {Examples} from "./examples.js";
import {download, formatOf, onFile, readTextFile} from "./files.js";
import {followScrolling} from "./scrolling.js";
import {History} from "./history.js";
import {Languages, setLanguageOf, tagOf} from "./languages.js";
import {sentencesOf, translationOf} from "./lines.js";
import {sourceRanges, translationAt} from "./links.js";
import {Output} from "./output.js";
import {Settings} from "./settings.js";
import {loadForTab, saveForTab} from "./store.js";
import {number, setInterfaceLanguage, text} from "./strings.js";
import {Tasks} from "./tasks.js";
import {Translation} from "./translation.js";

const kTypingPause = 250;  // ms without a key before a request
const kHistoryPause = 2000;  // ms without a change before an entry
const kLongText = 1000;  // characters from which the font is smaller
const kAnnounced = 500;  // characters at a time
const kDetection = 500;  // ms that a large file waits for its language

const at = (id) => document.getElementById(id);
const source = at("source");

const editor = new Editor(source, at("mirror"));
const history = new History();
const translation = new Translation({
  planned: () => {
    if (alternatives.isOpen) alternatives.close();
    output.setLines(translation.lines);
    changed();
  },
  changed: (line) => {
    output.update(line);
    announced.delete(line);
    changed();
  },
  state: showState,
  visible: () => output.firstVisible,
  aligns: (pair) => tasks.aligns(pair),
});
const output = new Output(at("output"), {point: pointAt, open: (place) => alternatives.open(place)});
const alternatives = new Alternatives(at("alternatives"), translation, (place, {changed, hadFocus}) => {
  if (hadFocus) output.focusWord(place.sentence, place.word);
  if (changed) finished();
});
const languages = new Languages(
    {source: at("source-language"), target: at("target-language"), swap: at("swap")},
    () => {
      startEntry();
      showSource();
      translateNow();
    });
const settings = new Settings(at("settings-form"), (name) => {
  if (name === "language") showInterface();
  else if (name === "history") showHistory();
  else if (name !== "theme") schedule();
});

const attention = new AttentionDialog(at("attention"));
const tasks = new Tasks(
    {choice: at("model"), card: at("task-card"), input: at("task-input"), form: at("generation"),
     run: at("task-run"), results: at("results"), examples: at("task-examples")},
    {chosen: showChoice, state: showTaskState});

const examples = new Examples(at("examples"), (line) => {
  startEntry();
  setText(line);
  source.focus();
});

let characterLimit = -1;
let failed = false;
let timer;
let detection = new AbortController();

// Translating

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(translateNow, kTypingPause);
}

async function translateNow() {
  clearTimeout(timer);
  detection.abort();
  detection = new AbortController();
  const {signal} = detection;
  if (!languages.isReady) return start();
  const {text: content} = editor;
  if (content.trim() === "") {
    languages.forgetDetected();
    return translation.clear();
  }
  if (characterLimit >= 0 && content.length > characterLimit) {
    translation.stop();
    return showMessage(
        text("text_large", {count: number(content.length), limit: number(characterLimit)}));
  }
  try {
    await languages.detect(content, signal);
  } catch (error) {
    if (!signal.aborted) showState("failed", {error});
    return;
  }
  showLanguages();
  await translation.translate(content, languages.pair, settings.options);
}

function showState(state, {seconds, error} = {}) {
  output.flush();
  failed = state === "failed";
  at("card").classList.toggle("busy", state === "busy" || state === "waiting");
  if (state === "waiting") return showMessage(text("busy", {seconds}), {note: true});
  if (state === "done") {
    showMessage("");
    return tasks.isShown || finished();
  }
  if (!failed) return;
  const offline = error instanceof api.ConnectionError;
  if (!offline && !(error instanceof api.HttpError)) console.error(error);
  showMessage(offline ? text("offline") : text("error", {message: error.message}), {again: true});
}

function showTaskState(state, {error, message} = {}) {
  at("task-card").classList.toggle("busy", state === "busy");
  if (message) return showMessage(message);
  showState(state, {error});
}

// Shows the pane of the chosen model.
function showChoice() {
  at("card").hidden = tasks.isShown;
  showMessage(languages.isReady || tasks.isShown ? "" : text("no_languages"));
}

function showMessage(content, {again = false, note = false} = {}) {
  const message = at("message");
  message.hidden = content === "";
  message.classList.toggle("note", note);
  message.firstElementChild.textContent = content;
  at("try-again").hidden = !again;
}

const translated = () => translation.lines.map(translationOf).join("\n");

// Shows that the translation has changed. Its characters are counted once a frame: sentences can
// come faster.
let counting = null;
function changed() {
  counting ??= requestAnimationFrame(() => {
    counting = null;
    alternatives.follow();
    const {length} = translation;
    showCount(at("target-count"), length);
    at("copy").disabled = at("download").disabled = length === 0;
    at("attention-open").hidden = attention.limit === 0 || length === 0;
    at("attention-open").disabled = translation.lines.some(({complete}) => !complete);
  });
}

// The translation is complete.
function finished() {
  announce();
  remember();
}

function showCount(element, count, limit = -1) {
  element.classList.toggle("over", limit >= 0 && count > limit);
  element.textContent = limit >= 0 ?
      text("characters_limit", {count: number(count), limit: number(limit)}) :
      count === 0 ? "" :
      count === 1 ? text("characters_one") : text("characters", {count: number(count)});
}

function showSource() {
  const content = editor.text;
  showSize(content);
  editor.mirror();
  showCount(at("source-count"), content.length, characterLimit);
  at("clear").hidden = content.length === 0;
  examples.show(content === "" ? tasks.examplesOf(languages.pair) : []);
}

// Prepares the panes for a text: a large one would be laid out twice otherwise.
function showSize(content) {
  const {classList} = at("card");
  const wasLarge = classList.contains("large");
  const large = isLarge(content);
  classList.toggle("long", content.length > kLongText);
  classList.toggle("large", large);
  source.spellcheck = !large;
  // From now on the pane scrolls instead of the page, or the reverse: giving the text the focus
  // once more scrolls to the caret.
  if (large !== wasLarge && document.activeElement === source) {
    source.blur();
    source.focus();
  }
}

function showLanguages(content = editor.text) {
  const {source: from, target: to} = languages.pair;
  for (const element of [source, at("mirror")]) setLanguageOf(element, from);
  for (const element of [at("output"), at("alternatives").querySelector("ul"), at("announcer")])
    setLanguageOf(element, to);
  if (content === "") source.lang = "";
}

// Tells screen readers the lines that are new, when typing has paused.
const announced = new WeakSet();
let announcing;
function announce() {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    let fresh = "";
    for (const line of translation.lines) {
      if (announced.has(line)) continue;
      announced.add(line);
      if (fresh.length < kAnnounced) fresh += translationOf(line).trim() + "\n";
    }
    if (fresh.trim() !== "") at("announcer").textContent = fresh.trim().slice(0, kAnnounced);
  }, 800);
}

// Words that belong together

function pointAt(place) {
  const known = place && translation.text === editor.text;
  editor.mark(known ? sourceRanges(translation.lines, place) : []);
  output.mark(known ? place.sentence : null, known ? [place.word] : []);
}

function pointAtSource(offset) {
  const found = offset === null || translation.text !== editor.text ?
      null : translationAt(translation.lines, offset);
  if (!found) return pointAt(null);
  output.mark(found.sentence, found.words);
  if (found.words.length === 0) return editor.mark([]);
  const [word] = found.words;
  const line = translation.lines.find((one) => sentencesOf(one).includes(found.sentence));
  editor.mark(sourceRanges(translation.lines, {line, sentence: found.sentence, word}));
}

let pointedOffset = null;
source.addEventListener("pointermove", (event) => {
  if (event.pointerType !== "mouse" || event.buttons !== 0) return;
  const offset = editor.offsetAt(event);
  if (offset === pointedOffset) return;
  pointedOffset = offset;
  pointAtSource(offset);
});
source.addEventListener("pointerleave", () => {
  pointedOffset = null;
  pointAt(null);
});
source.addEventListener("keyup", (event) => {
  if (/^(Arrow|Home|End)/.test(event.key)) pointAtSource(source.selectionStart);
});
source.addEventListener("blur", () => pointAt(null));

// The history

let entry = crypto.getRandomValues(new Uint32Array(1))[0];
let remembering;
let forgotten = null;  // a text whose entry was deleted: it is not remembered again
// Begins another text, which is not an edit of the last one.
function startEntry() {
  rememberNow();
  entry = (entry + 1) >>> 0;
}

function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(rememberNow, kHistoryPause);
}

function rememberNow() {
  clearTimeout(remembering);
  const {source: from, target: to} = translation.pair;
  if (!settings.keepsHistory || translation.lines.some(({complete}) => !complete)) return;
  if (translation.text.trim() === "" || translation.text === forgotten || !history.accepts(translation)) return;
  history.add({id: entry, time: Date.now(), source: from, target: to, text: translation.text, translation: translated()});
}

function forget() {
  clearTimeout(remembering);
  forgotten = translation.text;
}

function showHistory() {
  const search = at("history-search");
  const found = history.show(at("history-list"), {
    wanted: search.value,
    nameOf: (code) => languages.nameOf(code),
    tagOf,
    pick: ({source: from, target: to, text: content}) => {
      at("history").close();
      startEntry();
      languages.choose({source: from, target: to});
      setText(content);
    },
    remove: (one) => {
      if (one.text === translation.text) forget();
      history.remove(one);
      showHistory();
      (at("history-list").querySelector("button") ?? at("history").querySelector("[data-close]")).focus();
    },
  });
  const empty = history.entries.length === 0;
  at("history-note").textContent = text(
      !settings.keepsHistory ? "history_off" : empty ? "history_empty" : found === 0 ? "history_found_none" : "history_note");
  at("history-clear").hidden = search.hidden = empty;
}

// Text from elsewhere

// A link such as #zh/en/text, which other pages may have: its languages and its text. The server
// never sees it.
function openLink() {
  const [, from, to, content] = /^#([^/]+)\/([^/]+)\/(.+)$/s.exec(location.hash) ?? [];
  if (content === undefined || !languages.isReady) return false;
  const pair = {source: from, target: to};
  if (!languages.offers(pair)) {
    showMessage(text("link_not_offered", {pair: `${from} → ${to}`}));
    return false;
  }
  startEntry();
  languages.choose(pair);
  setText(decoded(content));
  return true;
}

function decoded(content) {
  try {
    return decodeURIComponent(content);
  } catch {
    return content;  // not encoded: a "%" of its own
  }
}

// An edited text is no longer that of the link. A text that the page sets is an input event, too.
let setting = false;
function leaveLink() {
  if (!setting && location.hash !== "") window.history.replaceState(null, "", location.pathname + location.search);
}

let fileName = "";

function setText(content) {
  showSize(content);
  setting = true;
  editor.text = content;
  setting = false;
  showSource();
  translateNow();
}

// The language decides on the font: a large text that is shown before would be laid out twice.
async function showLanguagesOf(content) {
  if (!languages.isReady || !isLarge(content)) return;
  const detected = languages.detect(content, new AbortController().signal).catch(() => {});
  await Promise.race([detected, new Promise((resolve) => setTimeout(resolve, kDetection))]);
  showLanguages(content);
}

// A document comes back as a file.
async function translateFile({name}, q, format) {
  showMessage(text("file_translating", {name}), {note: true});
  const {translatedText} = await api.translateDocument(
    {q, source: languages.chosenSource, target: languages.target, format});
  download(name.replace(/\.[^.]*$/, `.${languages.target}$&`), translatedText);
  showMessage(text("file_translated", {name}), {note: true});
}

onFile({button: at("open-file"), input: at("file"), area: source, over: at("card")}, async (file) => {
  try {
    const read = await readTextFile(file);
    const format = languages.target && formatOf(file);
    if (format) return await translateFile(file, read, format);
    const content = read.replace(/\r\n?/g, "\n");
    startEntry();
    await showLanguagesOf(content);
    setText(content);
    fileName = file.name.replace(/\.[^.]*$/, "");
    showMessage("");
  } catch (error) {
    showMessage(error.message);
  }
});

// Buttons

async function copy() {
  if (at("copy").disabled) return;
  try {
    await copyText(translated());
  } catch {
    return showMessage(text("copy_failed"));
  }
  const button = at("copy");
  const icon = button.querySelector("use");
  icon.setAttribute("href", "#i-done");
  button.classList.add("done");
  at("announcer").textContent = text("copied");
  setTimeout(() => {
    icon.setAttribute("href", "#i-copy");
    button.classList.remove("done");
  }, 1500);
}

function swap() {
  if (!languages.canSwap) return;
  const content = translated();
  startEntry();
  languages.swap();
  showLanguages();
  setText(content.trim() === "" ? editor.text : content);
}

at("copy").addEventListener("click", copy);
at("swap").addEventListener("click", swap);
at("clear").addEventListener("click", () => {
  startEntry();
  fileName = "";
  setText("");
  source.focus();
});
at("download").addEventListener("click", () =>
    download(`${fileName || "translation"}.${languages.target}.txt`, translated() + "\n"));
at("attention-open").addEventListener("click", () => attention.show({
  lines: translation.lines, pair: translation.pair, options: settings.options, isDark: settings.isDark,
}));
at("try-again").addEventListener("click", () => runNow());
at("theme-switch").addEventListener("click", () =>
    settings.set("theme", settings.isDark ? "light" : "dark"));
at("language-switch").addEventListener("click", () =>
    settings.set("language", settings.language === "zh" ? "en" : "zh"));
at("settings-open").addEventListener("click", () => at("settings").showModal());
at("history-open").addEventListener("click", () => {
  rememberNow();
  at("history-search").value = "";
  showHistory();
  at("history").showModal();
});
at("history-search").addEventListener("input", showHistory);
at("history-clear").addEventListener("click", () => {
  history.clear();
  forget();
  showHistory();
});

source.addEventListener("paste", ({clipboardData}) => {
  const content = clipboardData.getData("text/plain");
  if (isLarge(content)) showSize(content);
});
source.addEventListener("input", () => {
  forgotten = null;
  leaveLink();
  showSource();
  pointAt(null);
  if (editor.text.trim() === "") startEntry();
  schedule();
});
followScrolling(source, at("output"));
addEventListener("online", () => failed && runNow());
addEventListener("pagehide", () => {
  rememberNow();
  // For a reload of this tab alone: the next page takes it away.
  if (editor.text !== "" && !isLarge(editor.text)) saveForTab("text", editor.text);
});
addEventListener("pageshow", ({persisted}) => persisted && saveForTab("text", null));
addEventListener("hashchange", openLink);
addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const command = event.ctrlKey || event.metaKey;
  const letter = event.altKey && !command && !event.shiftKey && event.code;
  const action = command && event.key === "Enter" ? runNow : tasks.isShown ? {
    KeyI: () => tasks.focus(), KeyO: () => at("results").focus(),
  }[letter] : {
    KeyI: () => source.focus(), KeyO: () => output.focus(), KeyX: swap, KeyC: copy,
  }[letter];
  if (!action) return;
  event.preventDefault();
  action();
});

// The beginning

// Repeats failed requests, and sends a text that waits for a pause in typing now.
const runNow = () => tasks.isShown ? tasks.run() : translateNow();

function showInterface() {
  setInterfaceLanguage(settings.language);
  at("language-switch").lang = settings.language === "zh" ? "en" : "zh-Hans";
  languages.rename();
  tasks.rename();
  const models = [...languages.pairs, ...tasks.names];
  at("pairs").textContent = models.length > 0 ?
      text("model_pairs", {pairs: models.join(text("pair_separator"))}) : "";
  showSource();
  changed();
  showHistory();
}

async function start() {
  try {
    const [offered, frontend, {models}] = await Promise.all([
      api.languages(), api.frontendSettings().catch(() => ({})), api.models(),
    ]);
    characterLimit = tasks.characterLimit = frontend.charLimit ?? -1;
    attention.limit = frontend.attentionLimit ?? 0;
    const {source: from, target: to} = frontend.language ?? {};
    languages.set(offered, {source: from?.code, target: to?.code});
    tasks.set(models);
  } catch (error) {
    return showState("failed", {error});
  }
  showChoice();
  failed = false;
  showInterface();
  showLanguages();
  const kept = loadForTab("text");
  saveForTab("text", null);
  if (!languages.isReady || openLink()) return;
  if (editor.text === "" && typeof kept === "string") setText(kept);
  else if (editor.text !== "") translateNow();
}

const {hostname} = location;
at("local").hidden = !(hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname));
api.onKeyNeeded(askForKey);
prepareDialogs();
showInterface();
start();
