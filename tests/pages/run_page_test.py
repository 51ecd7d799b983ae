#!/usr/bin/env python3
"""Tests a page of training runs (`heed inspect run DIR --html FILE`) in Chromium. Not part of ctest.

Usage: run_page_test.py PAGE.html [MORE.html...]

Each page must have one run with validations and samples; from its data the test makes others: five
runs of 2,000 reports, hostile texts, a run of one report, one without validation, one that
diverged, none at all. chromium.py says what this needs.
"""
import math
import pathlib
import re
import time

import chromium
from run_data import columns, diverged, five, hostile, nothing, one_report, validations, without_validation
from run_page import *
from run_page_several import *
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def test_the_head_shows_the_run(page):
    [run] = show(page, "as-is")
    assert page.text_of("#title") == "Training run: " + pathlib.Path(run["name"]).name
    assert "/" not in run["name"] or run["name"] in page.text_of("#facts")
    assert f"{run['step']:,}" in page.text_of("#figures")
    for name in ("d_model", "heads", "vocabulary"):
        assert f"{run['model'][name]:,}" in page.text_of("#facts"), name


def test_the_losses_say_whether_labels_are_smoothed(page):
    [run] = show(page, "as-is")
    smoothed = run["train"]["loss"] != run["train"]["nll"]
    # They are the numbers of the charts.
    assert page.text_of("#figures").count("without label smoothing") == (2 if smoothed else 0)
    best = min(x for x in run["validation"]["perplexity"] if x is not None)
    assert f"{math.log(best):.4f}" in page.text_of("#figures")
    assert f"{run['train']['nll'][-1]:.4f}" in page.text_of("#figures")

    show(page, "averaged", lambda data: data["runs"][0].update(average={"checkpoints": 2, "loss": 2.5, "perplexity": math.e}))
    assert "1.0000" in page.text_of("#figures") and "2.5000" not in page.text_of("#figures")

    def unknown(data):
        data["runs"][0]["train"]["nll"] = [None for _ in data["runs"][0]["train"]["loss"]]

    show(page, "unknown", unknown)
    assert page.text_of("#figures").count("with label smoothing") == 2

    def unsmoothed(data):
        data["runs"][0]["train"]["nll"] = data["runs"][0]["train"]["loss"]

    show(page, "unsmoothed", unsmoothed)
    assert "label smoothing" not in page.text_of("#figures")


def test_the_keys_read_the_values_of_the_data(page):
    [run] = show(page, "as-is")
    train = run["train"]
    press(page, "#chart-nll", Keys.HOME)
    for i in range(3):
        settle(page)
        assert f"tep {train['step'][i]:,} " in place_of(page), place_of(page)
        assert values_of(page, "#chart-nll")["Training"][0].startswith(fixed(train["nll"][i], 4))
        assert values_of(page, "#chart-tokens_per_second")["Training"][0].startswith(f"{round(train['tokens_per_second'][i]):,}")
        press(page, "#chart-nll", Keys.ARROW_RIGHT)
    page.until(lambda: f"tep {train['step'][3]:,}" in page.text_of("#announcer"), "the values are announced")
    press(page, "#chart-nll", Keys.END)
    settle(page)
    assert values_of(page, "#chart-nll")["Validation"][0].startswith(fixed(math.log(run["validation"]["perplexity"][-1]), 4))
    press(page, "#chart-nll", Keys.ESCAPE)
    settle(page)
    assert place_of(page) == "Latest values"


def test_pointing_reads_all_charts_at_one_place(page):
    [run] = show(page, "as-is")
    train = run["train"]
    page.point_at(page("#chart-nll .cursor"))
    page.until(lambda: "step" in place_of(page), "the place under the pointer")
    step = int(re.search(r"step ([\d,]+)", place_of(page))[1].replace(",", ""))
    assert len({place_of(page, "#" + chart.get_attribute("id")) for chart in page.all(".chart")}) == 1
    for name, chart, text in [("nll", "#chart-nll", lambda x: fixed(x, 4)),
                              ("tokens_per_second", "#chart-tokens_per_second", lambda x: f"{round(x):,}")]:
        i = min(range(len(train["step"])), key=lambda i: abs(train["step"][i] - step))
        assert values_of(page, chart)["Training"][0].split(" ")[0] == text(train[name][i]), (name, step)
    page.point_at(page("#title"))
    page.until(lambda: place_of(page) == "Latest values", "the latest values come back")


def test_smoothing_is_the_exponential_moving_average(page):
    [run] = show(page, "as-is")
    set_range(page, "#smoothing", 0.9)
    assert page.text_of("#smoothing-value") == "0.90"
    press(page, "#chart-nll", Keys.HOME)
    total = weight = 0
    for value in run["train"]["nll"][:4]:
        total = 0.9 * total + 0.1 * value
        weight = 0.9 * weight + 0.1
        settle(page)
        shown = values_of(page, "#chart-nll")["Training"][0]
        assert shown.startswith(fixed(value, 4)) and shown.endswith(f"smoothed {fixed(total / weight, 4)}"), shown
        press(page, "#chart-nll", Keys.ARROW_RIGHT)
    assert "smoothed" not in values_of(page, "#chart-learning_rate")["Training"][0]
    set_range(page, "#smoothing", 0)
    assert "smoothed" not in values_of(page, "#chart-nll")["Training"][0]


def test_a_logarithmic_axis_and_outliers(page):
    show(page, "five", five)
    page.run("document.querySelector('#curves').scrollIntoView()")
    layout = "const chart = charts.get('nll'); const {log, values, box, y} = chart.layout;"
    low, high, cut = page.run(layout + "return [values.low, values.high, values.cut]")
    assert cut and high < cut and "above the axis" in page.text_of("#chart-nll .chart-note")
    page("#trim").click()
    settle(page)
    low, high, cut = page.run(layout + "return [values.low, values.high, values.cut]")
    assert cut is None and high > max(loss for run in page.data["runs"] for loss in run["train"]["nll"])
    page("#log").click()
    settle(page)
    log, middle, low, high, top, bottom = page.run(layout + "return [log, y(Math.sqrt(values.low * values.high)), values.low, values.high, box.top, box.bottom]")
    assert log and abs(middle - (top + bottom) / 2) < 0.01, "the geometric mean is in the middle"
    page.run("drawGroup(group)")
    assert not page.run("return charts.get('bleu').layout.log"), "scores stay linear"


def test_the_horizontal_axis_is_steps_epochs_or_time(page):
    [run] = show(page, "as-is")
    for axis, column in [("epoch", "epoch"), ("seconds", "seconds")]:
        page.run("document.querySelector('#axis input[value=' + arguments[0] + ']').click()", axis)
        settle(page)
        high = page.run("return group.domain.high")
        last = max(run["train"][column][-1], run["validation"][column][-1])
        assert abs(high - last) < 1e-9, (axis, high)
        press(page, "#chart-nll", Keys.HOME)
        settle(page)
        assert f"tep {run['train']['step'][0]:,} " in place_of(page)


def test_a_drag_zooms_all_charts(page):
    show(page, "as-is")
    cursor = page("#chart-nll .cursor")
    page.run("arguments[0].scrollIntoView({block: 'center'})", cursor)
    ActionChains(page.driver).move_to_element_with_offset(cursor, -60, 0).click_and_hold().move_by_offset(120, 0).release().perform()
    page.until(lambda: page("#zoom-out").is_displayed(), "the button to show all")
    zoom, domain = page.run("return [group.zoom, group.domain]")
    assert domain["low"] < zoom["low"] < zoom["high"] < domain["high"]
    page("#zoom-out").click()
    page.until(lambda: page.run("return group.zoom === null"), "all is shown")
    press(page, "#chart-nll", Keys.HOME, "+")
    page.until(lambda: page("#zoom-out").is_displayed(), "plus zooms")
    press(page, "#chart-nll", Keys.ESCAPE)
    page.until(lambda: not page("#zoom-out").is_displayed(), "Escape shows all")


def test_a_chart_is_a_table_too(page):
    [run] = show(page, "as-is")
    page("#chart-nll .chart-head button").click()
    rows = page.run("return [...document.querySelectorAll('#chart-nll .chart-table tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    steps = sorted(set(run["train"]["step"]) | set(run["validation"]["step"]))
    assert len(rows) == len(steps) <= 1000
    at = run["train"]["step"].index(int(rows[4][0].replace(",", "")))
    assert rows[4][1] == fixed(run["train"]["nll"][at], 4)
    page("#chart-nll .chart-head button").click()
    assert page("#chart-nll .cursor").is_displayed()
    summary = page.text_of("#chart-nll-summary")
    assert "Training: " + fixed(run["train"]["nll"][0], 4) in summary, summary


def test_the_best_validation_is_marked(page):
    def change(data):
        run = data["runs"][0]
        run["train"] = columns(50, 1)
        run["validation"] = validations(run["train"], 10, True)
        run["validation"].update(loss=[5, 3, 2, 2.5, 4], perplexity=list(map(math.exp, [5, 3, 2, 2.5, 4])), best=[True, True, True, False, False], bleu=[1, 2, 3, 9, 4])

    show(page, "best", change)
    best = page.run("return ['nll', 'bleu'].map((id) => charts.get(id).lines.at(-1)).map((line) => [line.keys[line.best], line.y[line.best], line.bestLabel])")
    assert best == [[300, 2, "best 2.0000"], [300, 3, "best by loss"]], best
    assert "2.0000" in page.text_of("#figures") and "9.00" in page.text_of("#figures")


def test_the_name_of_the_axis_has_a_line_of_its_own(page):
    for width in (1280, 360):
        show(page, "five", five, width)
        page.run("document.querySelector('#chart-nll').scrollIntoView()")
        settle(page)
        name, ticks = page.run("""
            const drawn = [];
            const context = new Proxy({}, {get: (_, name) => name === 'fillText' ? (text, x, y) => drawn.push([text, y]) : name === 'measureText' ? () => ({width: 9}) : () => {}, set: () => true});
            const chart = charts.get('nll');
            drawAxes(chart, context, colorsOf(group));
            const below = drawn.filter(([, y]) => y > chart.layout.box.bottom + 8);
            return [below.filter(([text]) => text === 'step'), below.filter(([text]) => text !== 'step')];""")
        assert len(name) == 1 and len(ticks) > 1, (name, ticks)
        assert all(y < name[0][1] - 12 for _, y in ticks), (name, ticks)


def sentence_of(run):
    return next(sentence for sentence in run["sentences"] if sentence["samples"])


def test_samples_are_decoded_when_they_are_looked_at(page):
    [run] = show(page, "as-is")
    assert not page.run("return document.querySelectorAll('[data-read]').length"), "nothing is decoded before"
    samples = sentence_of(run)["samples"]
    page.run("document.querySelector('#sample-detail').scrollIntoView()")
    page.until(lambda: page("#sample-block").is_displayed(), "the latest sample's block")
    block = page.block(samples[-1]["block"])
    assert page.run("return document.querySelectorAll('[data-read]').length") == 1
    assert len(page.all("#sample-tokens .token")) == len(block.json["target_pieces"])
    width = len(block.json["source_pieces"])
    layer, layers = run["model"]["attention_layer"], run["model"]["decoder_layers"]
    assert f"decoder layer {layer} of {layers}" in page.text_of("#map-readout")
    page.run("page.runs[0].model = null; drawCellReadout()")
    assert "second-to-last" in page.text_of("#map-readout")
    page.run("document.querySelector('#map canvas').focus()")
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_RIGHT).perform()
    assert fixed(block.numbers[width + 1] / 10000, 4) in page.text_of("#map-readout")
    tokens = page.all("#sample-tokens .token")
    page.point_at(tokens[-1])
    probability = f"{math.exp(block.json['log_probabilities'][-1]):.4f}"
    page.until(lambda: probability in page.text_of("#map-readout"), "the probability of a token")


def test_samples_show_what_changed(page):
    def change(data):
        data["runs"][0]["sentences"] = [{"source": "s", "reference": "r", "samples": [
            {"step": 10, "output": "She is a book .", "score": -1, "block": 0},
            {"step": 20, "output": "She bought a red book .", "score": -0.5, "block": 0},
            {"step": 30, "output": "She bought a red book .", "score": -0.25, "block": 0}]}]

    show(page, "changes", change)
    assert "unchanged since step 20" in page.text_of("#sample-facts")
    assert "log-probability −0.2500, with the length penalty" in page.text_of("#sample-facts")
    set_range(page, "#sample-step", 1)
    new = [part.text for part in page.all("#sample-text ins")]
    gone = [part.text for part in page.all("#sample-text del")]
    assert " ".join(new).split() == ["bought", "red"] and gone == ["is"], (new, gone)
    assert page("#steps-list [aria-current]").text.startswith("20")
    page.all("#steps-list button")[0].click()
    assert page.text_of("#sample-text") == "She is a book ." and not page.all("#sample-text ins")


def test_hostile_text_is_text(page):
    [run] = show(page, "hostile", hostile)
    for width in (1280, 360):
        page.load(width)
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, width
    assert not page.all("main script, main img, footer script")
    assert page.run("return document.title") != "x"
    # The title is the last part of the path, the facts begin with all of it.
    shown = page.run("return visible(page.runs[0].name)")
    title = page.text_of("#title").removeprefix("Training run: ")
    assert title and shown.endswith(title)
    assert "<script>document.title='x'</script>" in page.text_of("#facts")
    assert "<img src=x onerror=alert(1)>" in page.text_of("#options-body")
    assert page.text_of("#sample-source").count("<img") == 200
    page.run("document.querySelector('#sample-detail').scrollIntoView()")
    page.until(lambda: page("#sample-message").is_displayed(), "a block that is not there has a message")
    page.accessible("hostile text")


def test_damaged_blocks_have_a_message(page):
    [run] = show(page, "as-is")
    sample = sentence_of(run)["samples"][-1]
    bad = ["????", "bm90IHpsaWI="]
    for text in bad:
        page.load(1280)
        page.run("document.getElementById('block-' + arguments[0]).textContent = arguments[1]", sample["block"], text)
        page.run("document.querySelector('#sample-detail').scrollIntoView()")
        page.until(lambda: page("#sample-message").is_displayed(), f"a message about {text}")
        assert not page("#sample-block").is_displayed() and page("#options-body").text
    for change in ("block.numbers = block.numbers.slice(1)", "block.target_pieces = [1]", "block.log_probabilities = null"):
        refused = page.run(f"const block = {{source_pieces: ['a', 'b'], target_pieces: ['c'], log_probabilities: [-1], numbers: [1, 2]}}; checkedSample(block);"
                           f"{change}; try {{ checkedSample(block); return false; }} catch {{ return true; }}")
        assert refused, change


def test_little_data_looks_sensible(page):
    show(page, "one-report", one_report)
    assert values_of(page, "#chart-nll")["Training"][0].startswith("7.3000 ")
    assert len(page.all(".chart")) == 5 and page("#reload").is_displayed() and page("#progress").is_displayed()
    assert "was going on when this page was generated" in page.text_of("#status-line")
    show(page, "without-validation", without_validation)
    assert [chart.get_attribute("id") for chart in page.all(".chart")] == [
        "chart-nll", "chart-learning_rate", "chart-gradient_norm", "chart-tokens_per_second"]
    assert not page("#samples").is_displayed() and not page("#data-shown").is_displayed()
    show(page, "nothing", nothing)
    assert page("#curves-none").is_displayed() and not page.all(".chart") and not page("#options").is_displayed()


def test_scores_of_one_validation_have_no_chart(page):
    def change(data):
        [run] = data["runs"]
        for name in run["validation"]:
            run["validation"][name] = run["validation"][name][-1:]

    show(page, "one-validation", change)
    assert page.all("#chart-nll") and not page.all("#chart-bleu") and not page.all("#chart-chrf")
    assert "BLEU" in page.text_of("#figures"), "the head has them"
    show(page, "one-report", one_report)
    lone = page("#chart-learning_rate")
    assert "line" in lone.find_element("css selector", ".chart-note").text
    assert not lone.find_element("css selector", ".plot").is_displayed()
    assert not lone.find_element("css selector", ".chart-head button").is_displayed()


def test_missing_values_are_gaps(page):
    show(page, "diverged", diverged)
    assert "11 reports" in page.text_of("#chart-nll .chart-note")
    assert values_of(page, "#chart-nll")["Training"][0] == "–"
    press(page, "#chart-nll", Keys.HOME, *[Keys.ARROW_RIGHT] * 5)
    settle(page)
    assert values_of(page, "#chart-nll")["Training"][0] == "–"
    page("#log").click()
    settle(page)
    assert page.run("return charts.get('nll').layout.values.low") > 0


def test_choices_survive_a_reload(page):
    show(page, "five", five)
    page("#log").click()
    page.run("document.querySelector('#axis input[value=epoch]').click()")
    set_range(page, "#smoothing", 0.5)
    page("#chips input[data-run='4']").click()
    page("#filter").send_keys("see")
    page.run("scrollTo(0, 700)")
    settle(page)
    page.driver.refresh()
    page.until(lambda: page.all(".chart"), "the charts are drawn again")
    assert page("#log").is_selected() and page("#smoothing").get_attribute("value") == "0.5"
    assert page("#axis input[value=epoch]").is_selected()
    assert "number-4" not in values_of(page, "#chart-nll") and page("#filter").get_attribute("value") == "see"
    page.until(lambda: abs(page.run("return scrollY") - 700) < 3, "the page is where it was")


def test_a_run_that_goes_on_is_followed(page):
    def reloaded(call):
        page.run("window.mark = true; " + call)
        time.sleep(0.5)
        return not page.run("return window.mark === true")

    show(page, "one-report", one_report)
    later = "reloadIfQuiet(Date.now() + 60000)"
    assert page("#follow").is_selected()
    page.run("scrollTo(0, 300); dispatchEvent(new Event('scroll'))")
    assert not reloaded("reloadIfQuiet()"), "the reader has just scrolled"
    assert reloaded(later)
    page.until(lambda: page.all(".chart"), "the charts are drawn again")
    page("#follow").click()
    assert not reloaded(later), "it was switched off"
    page.driver.refresh()
    page.until(lambda: page.all(".chart"), "the charts are drawn again")
    assert not page("#follow").is_selected(), "the choice survives a reload"
    page("#follow").click()
    show(page, "five", five)
    assert not page.all("#follow") and not reloaded(later), "these runs have ended"


def test_charts_out_of_view_are_drawn_too(page):
    show(page, "five", five)
    page.until(lambda: page.run("return group.charts.every(({layout, stale}) => layout && !stale)"), "every chart is drawn")


def test_large_charts_stay_fluid(page):
    show(page, "five", five)
    page.run("document.querySelector('#chart-nll').scrollIntoView()")
    settle(page)
    frames = "const done = arguments[0]; const times = []; let i = 0; const step = (now) => { times.push(now); if (i++ === 30) done((now - times[0]) / 30); else { %s; requestAnimationFrame(step); } }; requestAnimationFrame(step);"
    point = page.driver.execute_async_script(frames % "pointGroupAt(group, 1000 + 100 * i)")
    draw = page.driver.execute_async_script(frames % "zoomGroup(group, {low: 10 * i, high: 20000 - 10 * i})")
    print(f"        5 runs of 2,000 reports: {point:.0f} ms a frame while pointing, {draw:.0f} ms while zooming")
    assert point < 60 and draw < 300


def test_chinese_has_every_text(page):
    for name, change in [("as-is", None), ("five", five)]:
        show(page, name, change)
        page.run("setLanguage('zh')")
        assert "曲线" in page.text_of("main") and page("html").get_attribute("lang").startswith("zh")
        left = page.run("return [...document.querySelectorAll('main [data-text]')].filter((place) => /^[a-z ]{4,}$/i.test(place.textContent)).map((place) => place.textContent)")
        assert not left, left
        page.accessible("Chinese")
        page.run("setLanguage('en')")


def test_both_themes_and_a_phone_are_accessible(page):
    for name, change in [("as-is", None), ("five", five), ("diverged", diverged), ("nothing", nothing)]:
        for width in (1280, 360):
            show(page, name, change, width)
            assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, (name, width)
            if page("#samples").is_displayed():
                page.run("document.querySelector('#sample-detail').scrollIntoView()")
                page.until(lambda: page("#sample-block").is_displayed(), "the sample is decoded")
            for theme in ("light", "dark"):
                page.run("setTheme(arguments[0])", theme)
                page.accessible(f"{name}, {theme}, {width} pixels")


def test_nothing_is_requested_or_reported(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    assert not messages, messages


if __name__ == "__main__":
    chromium.run_tests(globals(), open_page, __doc__)
