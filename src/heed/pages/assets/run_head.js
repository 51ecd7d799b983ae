"use strict";
// The head of the page: one run with its state and figures, or the table of several runs.

function writtenText() {
  const date = new Date(page.written);
  return Number.isNaN(date.getTime()) ? visible(String(page.written ?? "")) :
      new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "medium"}).format(date);
}

const stateOf = ({state}) => ["running", "complete", "interrupted"].includes(state) ? state : "unknown";

function stateElement(run) {
  const state = stateOf(run);
  return element("span", {class: "state " + state}, element("i", {"aria-hidden": "true"}), text("state_" + state));
}

function drawHead() {
  const several = page.runs.length !== 1;
  const [run] = page.runs;
  const title = several ? text("title_several", {count: whole(page.runs.length)}) : shortened(shortName(run), 160);
  document.title = byId("title").textContent = several ? title : text("title", {name: title});
  const status = byId("status-line");
  status.replaceChildren();
  if (!several) status.append(stateElement(run));
  const written = writtenText();
  if (written !== "") status.append(element("span", {class: "written"}, text(page.live ? (several ? "live_several" : "live") : "written", {written})));
  if (page.live) {
    const button = element("button", {type: "button", class: "plain screen", id: "reload"}, text("reload"));
    button.addEventListener("click", () => location.reload());
    status.append(button);
    if (page.runs.some((one) => stateOf(one) === "running")) status.append(followSwitch());
  }
  byId("figures").hidden = byId("facts").hidden = several;
  byId("runs").hidden = !several || page.runs.length === 0;
  byId("progress").hidden = true;
  if (several) return drawRuns();
  drawFacts(run);
  drawProgress(run);
  drawFigures(run);
}

function drawFacts(run) {
  const {name, model, parameters} = run;
  const fact = (key, value) => element("span", {}, text(key) + " ", element("b", {}, whole(value)));
  const facts = shortName(run) === visible(name) ? [] : [element("bdi", {translate: "no"}, ...visibleNodes(name))];
  if (known(parameters)) facts.push(element("span", {}, element("b", {title: whole(parameters)}, shortNumber(parameters)), " " + text("parameters")));
  for (const key of ["d_model", "heads", "encoder_layers", "decoder_layers", "d_ff", "vocabulary"])
    if (known(model?.[key])) facts.push(fact(key, model[key]));
  byId("facts").replaceChildren(...facts);
}

function drawProgress(run) {
  const shown = stateOf(run) !== "complete" && known(run.fraction_done);
  byId("progress").hidden = !shown;
  if (!shown) return;
  const done = Math.max(0, Math.min(1, run.fraction_done));
  byId("progress-bar").setAttribute("aria-valuenow", Math.floor(done * 100));
  byId("progress-bar").style.setProperty("--done", done);
  const percent = new Intl.NumberFormat(language, {style: "percent", maximumFractionDigits: done < 0.1 ? 1 : 0, roundingMode: "floor"}).format(done);
  const said = [text("done", {percent})];
  if (stateOf(run) === "running" && known(run.seconds_left)) said.push(text("left_about", {duration: duration(run.seconds_left)}));
  byId("progress-text").textContent = said.join(text("list_separator"));
}

// Whether losses are the logarithms of perplexities, as in the charts: those of training are with
// smoothed labels.
const lossesAreNll = () => hasNll() && page.runs.every(({validation}) => columnOf(validation, "perplexity").some(known) || !columnOf(validation, "loss").some(known));
const lossOf = ({loss, perplexity}) => lossesAreNll() && known(perplexity) ? Math.log(perplexity) : loss;

function valuesOf(run, column) {
  if (column !== "loss" || !lossesAreNll()) return columnOf(run.validation, column);
  return columnOf(run.validation, "perplexity").map((perplexity) => known(perplexity) ? Math.log(perplexity) : null);
}

// The best value of a column, at its step; of the average where that is better.
function bestOf(run, column, better) {
  const values = valuesOf(run, column);
  let best = null;
  values.forEach((value, i) => {
    if (known(value) && (best === null || better(value, best.value))) best = {value, step: columnOf(run.validation, "step")[i]};
  });
  return best && {...best, last: lastKnown(values)};
}

// What of the validation is listed for a run: name, column, which is better, how it is written.
const measures = [
  ["validation_loss", "loss", less, lossText],
  ["perplexity", "perplexity", less, significant],
  ["bleu", "bleu", more, scoreText],
  ["chrf", "chrf", more, scoreText],
  ["brackets", "brackets", more, scoreText],
  ["accuracy", "accuracy", more, scoreText],
];
const scoreMeasures = measures.filter(([, , better]) => better === more);

function drawFigures(run) {
  const figures = [];
  // The numbers of the charts: without label smoothing where they are known.
  const charted = hasNll();
  const smoothing = (unsmoothed) => lossIsNll() ? "" : " · " + text(unsmoothed ? "label_smoothing_off" : "label_smoothing");
  const add = (name, value, note = "") => figures.push(element("div", {},
      element("dt", {}, name), element("dd", {}, element("b", {}, value), ...(note === "" ? [] : [element("span", {class: "small"}, note)]))));
  if (known(run.step)) add(text("step_name"), whole(run.step));
  if (known(run.epoch)) add(text("epoch_name"), fixed(run.epoch, 2));
  if (known(run.seconds)) add(text("time_name"), duration(run.seconds));
  const losses = columnOf(run.train, charted ? "nll" : "loss");
  const loss = lastKnown(losses);
  if (loss !== null) add(text("training_loss"), lossText(loss), text("at_step", {step: whole(columnOf(run.train, "step")[losses.lastIndexOf(loss)])}) + smoothing(charted));
  for (const [name, column, better, format] of measures) {
    const best = bestOf(run, column, better);
    if (best) add(text(name), format(best.value), `${text("best")} · ${text("at_step", {step: whole(best.step)})}` + (column === "loss" ? smoothing(lossesAreNll()) : ""));
  }
  const {average} = run;
  if (average) {
    const said = [["perplexity", (value) => text("perplexity_of", {value: significant(value)})], ...scoreMeasures.map(([name, column]) => [column, (value) => `${text(name)} ${scoreText(value)}`])]
        .filter(([key]) => known(average[key])).map(([key, say]) => say(average[key]));
    if (known(average.loss)) add(text("average"), lossText(lossOf(average)), [text("average_of", {checkpoints: whole(average.checkpoints)}), ...said].join(" · "));
  }
  byId("figures").replaceChildren(...figures);
}

// The columns of the table of runs: {key, name, cell(run), value(run), better}; those without any value are left out.
function runColumns() {
  const some = (value) => page.runs.some((run) => value(run) !== null && value(run) !== undefined);
  const plain = (key, value, format) => ({key, name: text(key), value, cell: (run) => known(value(run)) ? [format(value(run))] : [text("no_value")]});
  const epochOf = ({epoch}) => known(epoch) ? [element("span", {class: "small"}, text("place_epoch", {epoch: fixed(epoch, 2)}))] : [];
  const columns = [
    {key: "step_name", name: text("step_name"), value: (run) => run.step, cell: (run) => known(run.step) ? [whole(run.step), ...epochOf(run)] : [text("no_value")]},
    plain("time_name", (run) => run.seconds, duration),
    plain("parameters_name", (run) => run.parameters, shortNumber),
    plain("training_loss", (run) => lastKnown(columnOf(run.train, hasNll() ? "nll" : "loss")), lossText),
  ];
  for (const [name, column, better, format] of measures) {
    columns.push({
      key: name, name: text(name), better, value: (run) => bestOf(run, column, better)?.value ?? null,
      cell: (run) => {
        const best = bestOf(run, column, better);
        if (!best) return [text("no_value")];
        const last = best.last === best.value ? [] : [element("span", {class: "small"}, text("last", {value: format(best.last)}))];
        return [element("span", {class: "best"}, format(best.value)), element("span", {class: "small"}, text("at_step", {step: whole(best.step)})), ...last];
      },
    });
  }
  columns.push({
    key: "average", name: text("average"), better: less, value: ({average}) => known(average?.loss) ? lossOf(average) : null,
    cell: ({average}) => known(average?.loss) ? [element("span", {class: "best"}, lossText(lossOf(average))), ...scoreMeasures.filter(([, column]) => known(average[column])).slice(0, 1).map(([name, column]) => element("span", {class: "small"}, `${text(name)} ${scoreText(average[column])}`))] : [text("no_value")],
  });
  return columns.filter(({value}) => some(value));
}

// The numbers of runs in the order of the table; runs without a value come last.
function sortedRuns(columns) {
  const numbers = page.runs.map((_, i) => i);
  const column = columns.find(({key}) => key === choices.sort);
  if (!column) return choices.descending ? numbers.reverse() : numbers;
  const valueOf = (i) => known(column.value(page.runs[i])) ? column.value(page.runs[i]) : null;
  const sign = choices.descending ? -1 : 1;
  return numbers.sort((a, b) => (valueOf(a) === null) - (valueOf(b) === null) || sign * (valueOf(a) - valueOf(b)) || a - b);
}

// A head that sorts the table: first the best or the lowest above, when chosen again the others.
function sortingHead({key, name, better}, className) {
  const sorts = key === choices.sort;
  const button = element("button", {type: "button", class: "sort", "data-sort": key}, name,
      element("span", {"aria-hidden": "true"}, sorts ? choices.descending ? "▼" : "▲" : ""));
  button.addEventListener("click", () => {
    choices.descending = sorts ? !choices.descending : better === more;
    choices.sort = key;
    drawRuns();
    byId("runs-head").querySelector(`[data-sort="${key}"]`).focus();
    keepChoices();
  });
  return element("th", {scope: "col", class: className, "aria-sort": sorts ? choices.descending ? "descending" : "ascending" : null}, button);
}

// The options of these names in which runs differ, of the runs whose options are known.
function differing(names) {
  const runs = runsWithOptions();
  return names.filter((name) => new Set(runs.map(({run}) => run.options[name])).size > 1);
}

// The options that choose the validation text in which runs differ: their values cannot be compared.
function validationDifferences() {
  if (runsWithOptions().length === 0 || haveOne("validation_text")) return [];
  const files = differing(["valid_source", "valid_target", "valid_tsv", "hold_out"]);
  const options = runsWithOptions().map(({run}) => run.options);
  // What is held out is drawn from the training text by the seed.
  if (options.some(({hold_out: count}) => Number(count) > 0)) files.push(...differing(["source", "target", "tsv", "columns", "seed"]));
  else if (options.some(({valid_tsv: file}) => file !== undefined)) files.push(...differing(["columns"]));
  // The file of one name may have another text by now.
  const known = runsWithOptions().map(({run}) => run.validation_text).filter(Boolean);
  if (files.length === 0 && new Set(known).size > 1) files.push(...Object.keys(options[0]).filter((name) => [...textOptions.validation_text, "hold_out"].includes(name)));
  return files;
}

function drawRuns() {
  const columns = runColumns();
  const apart = validationDifferences();
  byId("runs-note").textContent = text("runs_note") + (apart.length === 0 ? text("runs_note_best") : text("runs_note_apart", {options: apart.join(text("list_separator"))}));
  byId("runs-head").replaceChildren(sortingHead({key: "run", name: text("run")}), ...columns.map((column) => sortingHead(column, "number")));
  const winners = columns.map(({better, value}) => {
    const values = page.runs.map(value);
    return better && apart.length === 0 ? values.filter(known).reduce((best, one) => best === null || better(one, best) ? one : best, null) : null;
  });
  byId("runs-body").replaceChildren(...sortedRuns(columns).map((i) => {
    const run = page.runs[i];
    const style = lineStyle(i);
    const row = element("tr", {}, element("th", {scope: "row"}, swatch(style, true), element("span", {class: "run-number", style: `--ink: var(--ink-${style.ink})`}, String(i + 1)), " ",
        element("bdi", {class: "name", title: visible(run.name)}, ...visibleNodes(run.name)), stateElement(run)),
        ...columns.map(({cell, value}, column) => element("td", {class: winners[column] !== null && value(run) === winners[column] ? "number winner" : "number", "data-name": columns[column].name}, ...cell(run))));
    row.addEventListener("pointerenter", () => emphasize(i));
    row.addEventListener("pointerleave", () => emphasize(null));
    return row;
  }));
}
