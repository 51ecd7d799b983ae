"use strict";
// Bar charts for pages: histograms, or values of named things. After charts.js, whose lists and
// swatches they have.

addStrings({
  en: {
    bars_help: "{title}. Arrow keys move through the bars, Home and End to the ends.",
    bars_summary: "{name}: most at {place}, {value}.",
  },
  zh: {
    bars_help: "{title}。方向键逐条移动，Home 和 End 移到两端。",
    bars_summary: "{name}：{place}处最高，为 {value}。",
  },
});

const svgElement = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

// A chart in a <figure>. show() takes {title, unit, axis, series, ticks, place, format, latest}:
// `series` of {name, ink, values}, as many values as there are bars; `ticks` of {at, label}, where
// bar i is from i to i + 1; place(i) says in words what bar i counts; with `overlaid` the bars of all
// series are in one place, as histograms of the same values are, else beside each other.
class BarChart {
  constructor(id) {
    this.at = null;
    this.title = element("h3", {id: id + "-title"});
    this.unit = element("span", {class: "unit"});
    this.place = element("p", {class: "values-place"});
    this.values = element("div", {class: "values"});
    this.plot = element("div", {class: "plot bars", tabindex: 0, role: "application", "aria-describedby": id + "-summary"});
    this.summary = element("p", {class: "hidden", id: id + "-summary"});
    this.figure = element("figure", {class: "chart", id, "aria-labelledby": id + "-title"},
        element("div", {class: "chart-head"}, this.title, this.unit), this.place, this.values, this.plot, this.summary);
    this.plot.addEventListener("pointermove", (event) => this.look(this.numberAt(event)));
    this.plot.addEventListener("pointerdown", (event) => this.look(this.numberAt(event)));
    this.plot.addEventListener("pointerleave", () => this.look(null));
    this.plot.addEventListener("blur", () => this.look(null));
    this.plot.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.plot);
  }

  show(spec) {
    this.spec = spec;
    this.count = spec.series[0].values.length;
    this.at = null;
    this.title.textContent = spec.title;
    this.unit.textContent = spec.unit;
    this.plot.setAttribute("aria-label", text("bars_help", {title: spec.title}));
    this.summary.textContent = spec.series.map(({name, values}) => {
      const most = values.reduce((best, value, i) => value > values[best] ? i : best, 0);
      return text("bars_summary", {name, place: spec.place(most), value: spec.format(values[most])});
    }).join(" ");
    this.cells = spec.series.map(() => element("b"));
    // One series needs no name.
    this.values.classList.toggle("single", spec.series.length === 1);
    this.values.replaceChildren(element("table", {"aria-labelledby": this.title.id}, element("tbody", {}, ...spec.series.map(({name, ink}, i) =>
        element("tr", {}, element("th", {scope: "row"}, barSwatch(ink), name), element("td", {class: "number"}, this.cells[i]))))));
    this.draw();
    this.look(null);
  }

  numberAt(event) {
    const {left, right} = this.box;
    const i = Math.floor((event.clientX - this.plot.getBoundingClientRect().x - left) / (right - left) * this.count);
    return Math.max(0, Math.min(this.count - 1, i));
  }

  look(i) {
    this.at = i;
    this.place.textContent = i === null ? this.spec.latest : this.spec.place(i);
    this.cells.forEach((cell, k) => {
      const {values} = this.spec.series[k];
      cell.textContent = this.spec.format(i === null ? values.reduce((sum, value) => sum + value, 0) : values[i]);
      cell.hidden = i === null;
    });
    if (!this.cursor) return;
    this.cursor.setAttribute("visibility", i === null ? "hidden" : "visible");
    if (i !== null) this.cursor.setAttribute("x", this.box.left + i * this.slot);
  }

  walk(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.count - 1;
    const to = {ArrowLeft: (this.at ?? this.count) - 1, ArrowRight: (this.at ?? -1) + 1, Home: 0, End: last}[event.key];
    if (to === undefined) return;
    this.look(Math.max(0, Math.min(last, to)));
    announce([this.place.textContent, ...this.cells.map((cell, k) => `${this.spec.series[k].name} ${cell.textContent}`)].join(text("list_separator")));
    event.preventDefault();
  }

  draw() {
    const [width, height] = [this.plot.clientWidth, this.plot.clientHeight];
    if (!this.spec || width < 1 || this.count === 0) return;
    const most = Math.max(1e-9, ...this.spec.series.flatMap(({values}) => values));
    const ticks = ticksFromZero(most, height / 45);
    const names = tickLabels(ticks);
    const box = this.box = {left: 12 + 7 * Math.max(...names.map((name) => name.length)), right: width - 8, top: 8, bottom: height - 40};
    const y = scaleOf({low: 0, high: ticks.at(-1), from: box.bottom, to: box.top});
    const slot = this.slot = (box.right - box.left) / this.count;
    const svg = svgElement("svg", {width, height, "aria-hidden": "true"});
    ticks.forEach((tick, i) => svg.append(svgElement("line", {class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick)}),
        svgElement("text", {x: box.left - 6, y: y(tick) + 4, "text-anchor": "end"}, names[i])));
    this.cursor = svgElement("rect", {class: "cursor-bar", y: box.top, width: slot, height: box.bottom - box.top, visibility: "hidden"});
    svg.append(this.cursor);
    const {series, overlaid} = this.spec;
    const beside = overlaid ? 1 : series.length;
    const bar = Math.max(1, Math.min(26, slot * 0.84 / beside));
    series.forEach(({ink, values}, k) => values.forEach((value, i) => {
      if (!(value > 0)) return;
      const x = box.left + (i + 0.5) * slot + ((overlaid ? 0 : k) - beside / 2) * bar;
      const tall = Math.max(1, box.bottom - y(value));
      svg.append(svgElement("rect", {class: `bar bar-${ink}` + (tall < 2 ? " thin" : ""), x, y: box.bottom - tall, width: Math.max(1, bar - 1), height: tall}));
    }));
    this.drawLabels(svg);
    this.plot.replaceChildren(svg);
  }

  drawLabels(svg) {
    const {box, slot, spec} = this;
    svg.append(svgElement("line", {class: "base", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}),
        svgElement("text", {x: box.right, y: box.bottom + 34, "text-anchor": "end"}, spec.axis));
    const labels = spec.ticks.map(({at, label}) => {
      const half = [...label].reduce((sum, character) => sum + (character > "\u2e80" ? 6.2 : 3.6), 0);
      const x = box.left + at * slot;
      return {label, half, x, middle: Math.min(x, box.right + 8 - half)};
    });
    // The last one says where the axis ends: it is always there. Of the others, every one that has
    // room, or every second, and so on.
    const last = labels.pop();
    const touch = (a, b) => a.middle + a.half + 6 > b.middle - b.half;
    const thinned = (every) => labels.filter((one, i) => i % every === 0 && !touch(one, last));
    let every = 1;
    while (thinned(every).some((one, i, all) => i > 0 && touch(all[i - 1], one))) ++every;
    for (const {label, x, middle} of [...thinned(every), last]) {
      svg.append(svgElement("line", {class: "base", x1: x, x2: x, y1: box.bottom, y2: box.bottom + 4}),
          svgElement("text", {x: middle, y: box.bottom + 17, "text-anchor": "middle"}, label));
    }
  }
}

const barSwatch = (ink) => svgElement("svg", {class: "swatch", viewBox: "0 0 34 12", "aria-hidden": "true"},
    svgElement("rect", {class: "bar bar-" + ink, x: 10, y: 1, width: 10, height: 10}));
