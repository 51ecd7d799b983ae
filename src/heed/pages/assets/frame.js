"use strict";
// What the scripts of all report pages share: texts in two languages, the theme, what the page
// remembers, its data, and ways to make elements. Text gets into the page as text only
// (textContent, setAttribute), so that no text of a user can become markup.

// Every text of the frame. A page adds its own by addStrings(), with equal keys in both languages.
const strings = {
  en: {
    language_switch: "中文",
    list_separator: ", ",
    offline_note: "One file; nothing is loaded from the network.",
    page_failed: "This page could not be read: {message}",
    quoted: "“{text}”",
    skip: "Skip to the content",
    theme_dark: "Theme: dark",
    theme_light: "Theme: light",
    theme_system: "Theme: as the system",
    too_old: "This browser is too old for this page: it lacks DecompressionStream.",
  },
  zh: {
    language_switch: "English",
    list_separator: "，",
    offline_note: "单个文件，不从网络加载任何内容。",
    page_failed: "无法读取此页面：{message}",
    quoted: "“{text}”",
    skip: "跳到正文",
    theme_dark: "外观：深色",
    theme_light: "外观：浅色",
    theme_system: "外观：跟随系统",
    too_old: "浏览器版本过旧，缺少此页面所需的 DecompressionStream。",
  },
};

function addStrings(more) {
  for (const code of Object.keys(strings)) Object.assign(strings[code], more[code]);
}

// Storage may be off, full or damaged: the page works without it. frame.html reads it.
function remember(values) {
  try {
    const all = {...JSON.parse(localStorage.getItem("heed.pages")), ...values};
    localStorage.setItem("heed.pages", JSON.stringify(all));
  } catch {
    // The choice ends with the page.
  }
}

const root = document.documentElement;
let language = root.lang.startsWith("zh") ? "zh" : "en";

// The text of this name, with its {places} filled in.
const text = (key, values = {}) =>
    strings[language][key].replace(/\{(\w+)\}/g, (_, place) => values[place]);

// A number with this many decimals and a real minus sign.
const fixed = (value, digits) => value.toFixed(digits).replace("-", "−");
const whole = (value) => new Intl.NumberFormat(language).format(value);

// Callbacks to draw again what was drawn in the former language, or in the former colours.
const onLanguage = [];
const onTheme = [];

// Writes texts into the elements below `parent`: data-text names an element's text, data-label its
// label and tooltip, data-placeholder its placeholder.
function writeTexts(parent = document) {
  for (const place of parent.querySelectorAll("[data-text]")) place.textContent = text(place.dataset.text);
  for (const place of parent.querySelectorAll("[data-placeholder]"))
    place.placeholder = text(place.dataset.placeholder);
  for (const place of parent.querySelectorAll("[data-label]")) {
    place.setAttribute("aria-label", text(place.dataset.label));
    if (place.matches("button")) place.title = text(place.dataset.label);
  }
}

function setLanguage(code) {
  language = code;
  root.lang = code === "zh" ? "zh-Hans" : "en";
  writeTexts();
  nameTheme();
  for (const draw of onLanguage) draw();
}

const theme = () => root.dataset.theme ?? "system";

function nameTheme() {
  const button = document.getElementById("theme-switch");
  button.dataset.value = theme();
  button.title = text("theme_" + theme());
  button.setAttribute("aria-label", button.title);
}

function setTheme(value) {
  if (value === "system") delete root.dataset.theme;
  else root.dataset.theme = value;
  nameTheme();
  for (const draw of onTheme) draw();
}

// Makes an element. Strings and numbers among the children become text.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  made.append(...children);
  return made;
}

// Characters without a shape, or that turn the text around them: controls, bidi controls, joiners
// at the ends, line separators, and the space mark of SentencePiece.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const loneMark = /^\p{M}/u;

function nameOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

// A text with unseen characters made visible, as plain text: for labels and canvases.
const visible = (string) =>
    (loneMark.test(string) ? "\u25cc" : "") + string.replace(unseen, nameOf).replaceAll("\u2581", "\u2423");

// The same as nodes: unseen characters in boxes, the space mark as a thin mark.
function visibleNodes(string) {
  const nodes = [];
  if (loneMark.test(string)) nodes.push("\u25cc");
  for (const piece of string.split(/([\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u2581])/)) {
    if (piece === "") continue;
    if (piece === "\u2581") nodes.push(element("span", {class: "space"}, " "));
    else if (piece.length === 1 && piece.search(unseen) === 0) nodes.push(element("span", {class: "control"}, nameOf(piece)));
    else nodes.push(piece);
  }
  return nodes;
}

// The class of a token: a short one is not broken at the end of a line.
const tokenClass = (string) => visible(string).length <= 14 ? "token whole" : "token";

// "rtl" if the first letter is written from right to left.
const directionOf = (string) =>
    /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(string) ? "rtl" : "ltr";

const shortened = (string, length) => {
  const characters = [...string.slice(0, 2 * length)];
  return characters.length > length ? characters.slice(0, length - 1).join("") + "…" : string;
};

// Paths without the directories that all of them have in common; of one path its last part.
function withoutCommonDirectories(given) {
  const paths = given.map((path) => path.replace(/(?<=.)\/+$/, ""));
  const directories = paths[0].split("/").slice(0, -1);
  const common = () => directories.map((name) => name + "/").join("");
  while (directories.length > 0 && !paths.every((path) => path.startsWith(common()))) directories.pop();
  return paths.map((path) => path.slice(common().length) || path);
}

// Said by screen readers. A pause joins what changes while an arrow key is held.
let announcement = 0;
function announce(message) {
  clearTimeout(announcement);
  announcement = setTimeout(() => { document.getElementById("announcer").textContent = message; }, 150);
}

// Fills a <fieldset class="segmented"> with radio buttons. options: [value, label, accessible label].
function segmented(fieldset, legend, options, chosen, choose) {
  const group = element("div");
  for (const [value, label, spoken] of options) {
    const input = element("input", {type: "radio", name: fieldset.id, value, "aria-label": spoken});
    input.checked = value === chosen;
    input.addEventListener("change", () => choose(value));
    group.append(element("label", {}, input, element("span", {}, label)));
  }
  fieldset.replaceChildren(element("legend", {}, legend), group);
}

// Arrow keys move between the items of a container, of which one is in the order of Tab. `step`
// gives the number of the next item for a key, or undefined.
function roving(container, items, step) {
  const move = (to) => {
    const list = items();
    const from = list.indexOf(document.activeElement);
    if (to === undefined || from < 0) return false;
    const next = list[Math.max(0, Math.min(list.length - 1, to(from, list.length)))];
    for (const item of list) item.tabIndex = item === next ? 0 : -1;
    next.focus();
    return true;
  };
  container.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move(step(event.key))) event.preventDefault();
  });
  container.addEventListener("focusin", (event) => {
    const list = items();
    if (list.includes(event.target)) for (const item of list) item.tabIndex = item === event.target ? 0 : -1;
  });
}

// Colours of the style sheet as a canvas takes them: light-dark() resolved.
function inks(...names) {
  const probe = element("i", {hidden: true});
  document.body.append(probe);
  const resolved = names.map((value) => {
    probe.style.color = "";
    probe.style.color = value.startsWith("--") ? `var(${value})` : value;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return resolved;
}

// Gives a canvas this size in CSS pixels; its context draws in these. No side gets longer than what
// browsers draw: a longer one is drawn more coarsely.
function sized(canvas, width, height) {
  const scale = Math.min(devicePixelRatio || 1, 8192 / Math.max(1, width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

// The data of the page.
const pageData = () => JSON.parse(document.getElementById("data").textContent);

// A block: zlib data of uint32 n, n bytes of JSON, then uint16 numbers, in base64. Gives the JSON's
// object with the numbers as `numbers`. The last few blocks are kept.
const keptBlocks = new Map();
function readBlock(number) {
  const known = keptBlocks.get(number);
  keptBlocks.delete(number);
  keptBlocks.set(number, known ?? decodeBlock(number));
  if (keptBlocks.size > 4) keptBlocks.delete(keptBlocks.keys().next().value);
  return keptBlocks.get(number);
}

async function decodeBlock(number) {
  if (!("DecompressionStream" in window)) throw new Error(text("too_old"));
  const place = document.getElementById("block-" + number);
  const binary = atob(place.textContent.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const block = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  block.numbers = littleEndian(buffer, 4 + length);
  place.dataset.read = "";
  return block;
}

function littleEndian(buffer, begin) {
  const ordered = new Uint16Array(new Uint8Array([1, 0]).buffer)[0] === 1;
  if (ordered) return new Uint16Array(buffer, begin);
  const view = new DataView(buffer, begin);
  return Uint16Array.from({length: view.byteLength / 2}, (_, i) => view.getUint16(2 * i, true));
}

// Starts the page: `show` draws it once the switches of the frame work.
function startPage(show) {
  const languages = document.getElementById("language-switch");
  const themes = document.getElementById("theme-switch");
  languages.hidden = themes.hidden = false;
  languages.addEventListener("click", () => {
    setLanguage(language === "en" ? "zh" : "en");
    remember({language});
  });
  themes.addEventListener("click", () => {
    const order = ["system", "light", "dark"];
    setTheme(order[(order.indexOf(theme()) + 1) % 3]);
    remember({theme: theme()});
    announce(text("theme_" + theme()));
  });
  // The page around a frame closes it by Esc, which only the frame hears while it has the focus.
  if (window !== window.parent)
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.target.matches("input, select")) parent.postMessage("heed.escape", "*");
    });
  // In a frame that was made from text (srcdoc), links within the page would leave it.
  if (location.protocol === "about:")
    addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      location.hash = link.hash;
    });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => onTheme.forEach((draw) => draw()));
  // Paper is light, and canvases are printed as they were drawn.
  let before = "system";
  addEventListener("beforeprint", () => { before = theme(); setTheme("light"); });
  addEventListener("afterprint", () => setTheme(before));
  try {
    show();
    setLanguage(language);
  } catch (error) {
    fail(error);
  }
}

function fail(error) {
  const message = element("p", {class: "message", role: "alert"}, text("page_failed", {message: error.message}));
  document.getElementById("title").after(message);
  console.error(error);
}
