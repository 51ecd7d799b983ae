// The results of models that do not translate, as elements.

import {number, text} from "./strings.js";
import {drawTree} from "./tree.js";

const percent = (value) => number(value, {style: "percent", maximumFractionDigits: 1});

function make(name, className, ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

// The status of a text, unless it is "ok".
function notes({status, unknown_characters: unknown = []}) {
  const meanings = {
    empty: () => text("status_empty"),
    split: () => text("status_split"),
    truncated: () => text("status_truncated"),
    restored: () => text("status_restored"),
    unfinished: () => text("status_unfinished"),
    prefix_too_long: () => text("status_prompt"),
    unknown_characters: () => text("status_unknown", {characters: unknown.join(" ")}),
  };
  return status.split(",").filter((name) => name in meanings)
      .map((name) => make("p", "note", meanings[name]()));
}

function generation(result, prompt) {
  return (result.nbest ?? [result]).map((one) => {
    const begins = one.text.startsWith(prompt);
    const rest = begins ? one.text.slice(prompt.length) : one.text;
    return make("p", "continuation", make("span", "given", begins ? prompt : ""), rest);
  });
}

function tags({words, labels, probabilities}) {
  const line = make("p", "tagged");
  words.forEach((word, i) => {
    const ruby = make("ruby", "", word, make("rt", "", labels[i]));
    ruby.title = `${labels[i]} ${percent(probabilities[i])}`;
    line.append(ruby, " ");
  });
  return [line];
}

function label({label, probability}, line) {
  const meter = make("meter");
  meter.value = probability;
  meter.setAttribute("aria-label", text("probability"));
  return [make("p", "given", line),
          make("p", "labelled", make("strong", "", label), meter, make("span", "", percent(probability)))];
}

function trees(result) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = getComputedStyle(document.body).font;
  return (result.nbest ?? [result]).filter(({tree}) => tree !== "").map(({tree}) => {
    const drawn = make("div", "drawn", drawTree(tree, (word) => context.measureText(word).width));
    drawn.tabIndex = 0;  // it may scroll
    drawn.setAttribute("role", "group");
    drawn.setAttribute("aria-label", text("tree"));
    return drawn;
  });
}

const shapes = {"language-model": generation, tag: tags, classify: label, parse: trees};

// An element for a result of a model of the task, given its text.
export const resultOf = (task, result, given) =>
    make("div", "result", ...shapes[task](result, given), ...notes(result));
