// Text files and documents: opened from the disk, dropped on the page, and downloaded.

import {number, text} from "./strings.js";

const kBytes = 1 << 20;

// The formats of documents, by the endings of their names.
const kFormats = {
  htm: "html", html: "html", json: "json", md: "markdown", po: "po", pot: "po", rst: "rst", srt: "srt",
  xlf: "xliff", xliff: "xliff", xml: "xml",
};

export const formatOf = ({name}) => kFormats[name.replace(/.*\./, "").toLowerCase()];

const size = (bytes) => number(Math.ceil(bytes / 1024)) + " KB";

// The text of a file; an Error whose message is for the user if it has none.
export async function readTextFile(file) {
  const {name} = file;
  const isText = file.type.startsWith("text/") || formatOf(file) || (file.type === "" && /\.(txt|text)$/i.test(name));
  if (!isText) throw new Error(text("file_type", {name}));
  if (file.size > kBytes)
    throw new Error(text("file_large", {name, size: size(file.size), limit: size(kBytes)}));
  let content;
  try {
    content = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer());
  } catch {
    throw new Error(text("file_binary", {name}));
  }
  if (content.includes("\0")) throw new Error(text("file_binary", {name}));
  return content;
}

export function download(name, content, type = "text/plain;charset=utf-8") {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Calls `take(file)` for files that are chosen with `button`, dropped anywhere or pasted into
// `area`; `over` is the element that shows where to drop.
export function onFile({button, input, area, over}, take) {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0]);
    input.value = "";
  });
  area.addEventListener("paste", (event) => {
    const [file] = event.clipboardData.files;
    if (!file || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    take(file);
  });
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;  // of the elements that the file was dragged into
  const leave = () => {
    depth = 0;
    over.classList.remove("dropping");
  };
  document.addEventListener("dragenter", (event) => {
    if (!hasFile(event)) return;
    ++depth;
    over.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFile(event) && --depth <= 0) leave();
  });
  document.addEventListener("dragover", (event) => {
    if (hasFile(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    leave();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}
