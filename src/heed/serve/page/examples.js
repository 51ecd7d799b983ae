// Sentences of the kind of text that a model was trained on: an empty pane offers them.

export class Examples {
  #element;
  #list;
  #shown = [];

  // `choose(line)` is called for the one that the user chose.
  constructor(element, choose) {
    this.#element = element;
    this.#list = element.querySelector("ul");
    this.#list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose(this.#shown[Number(button.dataset.example)]);
    });
  }

  // Offers these lines, or nothing.
  show(lines) {
    this.#element.hidden = lines.length === 0;
    if (lines.join("\n") === this.#shown.join("\n")) return;
    this.#shown = lines;
    this.#list.replaceChildren(...lines.map((line, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.example = i;
      button.dir = "auto";
      button.textContent = line;
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }
}
