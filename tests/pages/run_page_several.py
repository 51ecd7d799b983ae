"""Tests of a page of several training runs, made from one, for run_page_test.py."""
import math

from run_data import five
from run_page import fixed, place_of, press, settle, show, values_of
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

__all__ = ["test_several_runs_are_laid_over_each_other",
           "test_the_table_of_runs_is_sorted",
           "test_runs_of_different_validation_texts_have_no_best",
           "test_the_kinds_of_lines_of_several_runs_are_explained",
           "test_numbers_at_line_ends_do_not_touch",
           "test_the_options_that_differ",
           "test_the_filter_finds_options",
           "test_runs_are_cards_on_a_phone"]


def test_several_runs_are_laid_over_each_other(page):
    runs = show(page, "five", five)
    assert len(page.all("#runs-body tr")) == 5
    press(page, "#chart-nll", Keys.HOME)
    settle(page)
    for i, run in enumerate(runs):
        at_first = values_of(page, "#chart-nll")[f"number-{i}"]
        expected = [fixed(run["train"]["nll"][0], 4), fixed(math.log(run["validation"]["perplexity"][0]), 4)]
        assert [one.split(" ")[0] for one in at_first] == expected, at_first
    assert place_of(page) == "step 10 · validation of step 1,000"
    press(page, "#chart-nll", Keys.END)
    settle(page)
    for i, run in enumerate(runs):
        assert values_of(page, "#chart-nll")[f"number-{i}"][1].startswith(fixed(math.log(run["validation"]["perplexity"][-1]), 4))
    assert "number-3" not in values_of(page, "#chart-bleu"), "a run without BLEU is not in its chart"
    page("#chips input[data-run='1']").click()
    settle(page)
    assert "number-1" not in values_of(page, "#chart-nll") and "number-2" in values_of(page, "#chart-nll")
    styles = page.run("return [0, 1, 2, 3, 4].map((i) => lineStyle(i)).map(({ink, dash, shape}) => [ink, dash.join(), shape])")
    for part in range(3):
        assert len({style[part] for style in styles}) == 5, "each run has its ink, dash and marker"
    best = min(range(5), key=lambda i: min(runs[i]["validation"]["perplexity"]))
    winner = page.all("#runs-body tr")[best].find_elements(By.CSS_SELECTOR, ".winner")
    assert fixed(math.log(min(runs[best]["validation"]["perplexity"])), 4) in winner[0].text
    for i in range(5):
        if page(f"#chips input[data-run='{i}']").is_selected():
            page(f"#chips input[data-run='{i}']").click()
    assert page("#curves-hidden").is_displayed() and not page.all(".chart")


def test_the_table_of_runs_is_sorted(page):
    runs = show(page, "five", five)
    order = lambda: [int(row.find_element(By.CSS_SELECTOR, ".run-number").text) - 1 for row in page.all("#runs-body tr")]
    assert order() == [0, 1, 2, 3, 4]
    best = lambda column, i: column([value for value in runs[i]["validation"]["perplexity" if column is min else "bleu"] if value is not None], default=None)
    page("[data-sort=validation_loss]").click()
    by_loss = sorted(range(5), key=lambda i: best(min, i))
    assert order() == by_loss
    assert page("[aria-sort]").get_attribute("aria-sort") == "ascending"
    page("[data-sort=validation_loss]").click()
    assert order() == by_loss[::-1]
    assert page.run("return document.activeElement.dataset.sort") == "validation_loss", "the keyboard stays where it was"
    page("[data-sort=bleu]").click()
    measured = [i for i in range(5) if best(max, i) is not None]
    assert 0 < len(measured) < 5
    assert order() == sorted(measured, key=lambda i: -best(max, i)) + [i for i in range(5) if i not in measured], "runs without a value are last"
    page.driver.refresh()
    page.until(lambda: page.all(".chart"), "the charts are drawn again")
    assert page("[aria-sort]").find_element(By.CSS_SELECTOR, "button").get_attribute("data-sort") == "bleu"
    page("[data-sort=run]").click()
    assert order() == [0, 1, 2, 3, 4]


def apart(data):
    """Runs whose validation texts differ: of one a file, of the others what was held out."""
    five(data)
    for i, run in enumerate(data["runs"]):
        run["validation_text"] = "0011223344556677" if i else "8899aabbccddeeff"
        run["options"].update({"hold_out": "100"} if i else {"hold_out": "0", "valid_source": "a.de", "valid_target": "a.en"})


def renamed(data):
    """Runs whose validation text is one, by other names."""
    five(data)
    for i, run in enumerate(data["runs"]):
        run["validation_text"] = "0011223344556677"
        run["options"].update(valid_source=f"{i}.de", valid_target=f"{i}.en")


def replaced(data):
    """Runs whose validation file has one name, and another text."""
    renamed(data)
    for i, run in enumerate(data["runs"]):
        run["validation_text"] = f"001122334455667{i}"
        run["options"].update(valid_source="a.de", valid_target="a.en")


def test_runs_of_different_validation_texts_have_no_best(page):
    show(page, "five", five)
    assert page.all("#runs-body .winner") and "bold" in page.text_of("#runs-note")
    show(page, "apart", apart)
    assert not page.all("#runs-body .winner") and "bold" not in page.text_of("#runs-note")
    assert "(valid_source, valid_target, hold_out, seed)" in page.text_of("#runs-note"), page.text_of("#runs-note")
    show(page, "renamed", renamed)
    assert page.all("#runs-body .winner") and "bold" in page.text_of("#runs-note")
    assert "valid_source" not in page.text_of("#options-body")
    show(page, "replaced", replaced)
    assert not page.all("#runs-body .winner")
    assert "(valid_source, valid_target)" in page.text_of("#runs-note"), page.text_of("#runs-note")


def test_the_kinds_of_lines_of_several_runs_are_explained(page):
    show(page, "as-is")
    assert not page("#lines-help").is_displayed()
    show(page, "five", five)
    assert page("#lines-help").is_displayed()
    page.run("document.querySelector('#data-shown input[value=validation]').click()")
    assert not page("#lines-help").is_displayed(), "lines of one kind need no explanation"


def test_numbers_at_line_ends_do_not_touch(page):
    show(page, "five", five)
    ends, leaders = page.run("""
        const drawn = [];
        const leaders = [];
        const context = new Proxy({}, {get: (_, name) => name === 'fillText' ? (text, x, y) => drawn.push([x, y]) : name === 'lineTo' ? (x, y) => leaders.push(y) : () => {}, set: () => true});
        const rows = Array.from({length: 12}, (_, i) => ({number: String(i + 1), style: {ink: 0}, lines: [{x: [0, 10], y: [0, i < 6 ? 0.02 * i : 1], row: i}]}));
        drawNumbers({group: {emphasis: null}, spec: {rows}, layout: {box: {top: 10, bottom: 200}, range: {low: 0, high: 10}, x: (x) => 20 * x, y: (y) => 200 - 190 * y}},
            context, {lines: ['#000'], card: '#fff', font: 'serif'});
        return [drawn, leaders];""")
    assert len(ends) == 12
    assert 6 < len(leaders) < 12, "lines lead to those that are away from their ends"
    assert set(leaders) < {y for _, y in ends}
    heights = sorted(y for _, y in ends)
    assert all(b - a > 13 for a, b in zip(heights, heights[1:])), heights
    assert heights[-1] <= 200


def test_the_options_that_differ(page):
    show(page, "five", five)
    keys = [row.text.split()[0] for row in page.all("#options-body tr")]
    assert keys == ["ema", "seed"], keys
    assert page.text_of("#options-body tr:first-child").count("not set") == 4
    page("#all-options").click()
    assert [row.text.split()[0] for row in page.all("#options-body tr")] == ["d_model", "ema", "seed"]
    pieces = page.run("return [...document.querySelector('#options-body th bdi').childNodes].map((node) => node.textContent || node.localName)")
    assert pieces == ["wbr", "d_", "wbr", "model"], "a name is broken after its underscores"

    def one_without(data):
        five(data)
        data["runs"][2]["options"] = {}

    show(page, "one-without-options", one_without)
    assert [row.text.split()[0] for row in page.all("#options-body tr")] == ["seed"]
    assert len(page.all("#options-head th")) == 5 and "number-2" not in page.text_of("#options-head")


def test_the_filter_finds_options(page):
    [run] = show(page, "as-is")
    key = sorted(run["options"])[0]
    page("#filter").send_keys(key.upper())
    shown = [row.text.split()[0] for row in page.all("#options-body tr")]
    assert key in shown and len(shown) < len(run["options"])
    assert f"{len(shown)} of {len(run['options'])}" in page.text_of("#filtered")


def test_runs_are_cards_on_a_phone(page):
    runs = show(page, "five", five, 360)
    box = page("#runs .table")
    assert page.run("return arguments[0].scrollWidth - arguments[0].clientWidth", box) <= 0, "nothing is out of view"
    names = [cell.get_attribute("data-name") for cell in page.all("#runs-body tr:first-child td")]
    assert {"Validation loss", "BLEU"} <= set(names), names
    card = page.all("#runs-body tr")[0].text
    assert fixed(math.log(min(runs[0]["validation"]["perplexity"])), 4) in card, card
