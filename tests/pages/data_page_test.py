#!/usr/bin/env python3
"""Tests pages of `heed inspect data --html` and `heed bench --html` in Chromium. Not part of ctest.

Usage: data_page_test.py PAGE.html [MORE.html...]

chromium.py says what this needs.
"""
import chromium
from selenium.webdriver.common.keys import Keys


class ReportPage(chromium.Page):
    def __init__(self, path):
        super().__init__(path, "#charts figure")

    def found(self):
        return [one for one in self.data.get("findings", []) if one["pairs"] > 0]


def test_each_finding_is_listed_with_its_examples(page):
    assert len(page.all("details.finding")) == len(page.found())
    for finding in page.found():
        examples = page.all(f"#{finding['kind']} .example")
        assert len(examples) == len(finding["examples"]), finding["kind"]
        assert not page.all(f"#{finding['kind']} :is(script, img, iframe)")


def test_a_closed_finding_shows_its_first_example(page):
    for finding in page.data.get("findings", []):
        example = next(iter(finding["examples"]), None)
        if not finding["pairs"] or not example or not example["source"] + example["target"]:
            continue
        preview = page(f"#{finding['kind']} .preview")
        page.run("arguments[0].open = false", page("#" + finding["kind"]))
        assert preview.is_displayed()
        assert page.run("return arguments[0].textContent", preview).startswith(example["source"][:20].strip())
        page.run("arguments[0].open = true", page("#" + finding["kind"]))
        assert not preview.is_displayed()


def test_a_cleaning_shows_the_text_before_and_after(page):
    cleaning = page.data.get("cleaning")
    if "findings" not in page.data:
        return
    assert page("#cleaning").is_displayed() == (cleaning is not None)
    if cleaning is None:
        return
    counts = {number: f"{page.data[number]:,}" for number in ["pairs"]} | {"after": f"{page.data['after']['pairs']:,}"}
    assert counts["pairs"] in page("#facts").text
    after = page.all("#report-of label")[1]
    page.run("arguments[0].click()", after)
    page.until(lambda: counts["after"] in page("#facts").text, "the text that is left is shown")
    left = [one for one in page.data["after"]["findings"] if one["pairs"] > 0]
    assert len(page.all("details.finding")) == len(left)
    page.run("arguments[0].click()", page.all("#report-of label")[0])
    page.until(lambda: counts["pairs"] in page("#facts").text, "the text before is back")


def test_a_kind_and_a_text_choose_findings(page):
    if len(page.found()) < 2:
        return
    page.run("const s = byId('kind'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))",
             page.found()[0]["kind"])
    assert len(page.all("details.finding")) == 1
    page.run("const s = byId('kind'); s.value = ''; s.dispatchEvent(new Event('change'))")
    page("#filter").send_keys("no example has this text")
    page.until(lambda: not page.all("details.finding"), "nothing is left")
    page("#filter").send_keys(Keys.CONTROL, "a")
    page("#filter").send_keys(Keys.DELETE)
    page.until(lambda: len(page.all("details.finding")) == len(page.found()), "all are back")


def test_a_text_without_findings_is_said_so_in_one_line(page):
    if "findings" not in page.data:
        return
    assert page("#clean").is_displayed() == (len(page.found()) == 0)
    if page.found():
        return
    kinds = sum(one["looked_for"] for one in page.data["findings"])
    assert f"{kinds} kinds" in page.text_of("#clean") and f"{page.data['pairs']:,}" in page.text_of("#clean")
    assert len(page.run("return document.querySelector('#not-found p').textContent").split("; ")) == kinds


def test_arrow_keys_read_bars(page):
    for plot in page.all(".plot.bars"):
        plot.send_keys(Keys.HOME)
        figure = plot.find_element("xpath", "ancestor::figure")
        assert figure.find_element("css selector", ".values-place").text.strip()
        assert figure.find_element("css selector", ".values b").text.strip()


def test_axes_say_where_they_end(page):
    for width in (1280, 360):
        page.load(width)
        for chart in ("words", "characters", "tokens"):
            labels = page.run("return [...document.querySelectorAll(`#chart-${arguments[0]} .bars text[text-anchor=middle]`)].map((one) => one.textContent.replace(',', ''))", chart)
            side = "source" if chart != "words" or page.data.get("source", {}).get("spaced") else "target"
            if labels:
                histogram = page.data[side][chart]["histogram"]
                assert labels[-1] == f"{(len(histogram['counts']) - 1) * histogram['width']}+", (chart, labels)
                assert labels[0] == "0" and len(labels) > 3, (chart, labels)
                step = int(labels[1])
                assert [int(label) for label in labels[:-1]] == [step * i for i in range(len(labels) - 1)], labels
                assert str(step)[0] in "125" and not str(step)[1:].strip("0"), "round steps"
        if "ratios" in page.data:
            ratios = page.run("return [...document.querySelectorAll('#chart-ratios .bars text[text-anchor=middle]')].map((one) => one.textContent)")
            assert ratios[0] == "≤ 1/16" and ratios[-1] == "≥ 16", ratios
            said = page.run("const {place} = charts.get('ratios').spec; return [place(0), place(20), place(40)]")
            assert said == ["ratio about 0.0625 or less", "ratio about 1", "ratio about 16 or more"], said
    page.load(1280)


def test_ratios_are_those_of_the_data(page):
    if "ratios" not in page.data:
        return
    values = page.run("return charts.get('ratios').spec.series[0].values")
    assert values == page.data["ratios"]


def test_the_title_and_the_scripts_are_readable(page):
    if "source_file" not in page.data:
        return
    names = page.run("return ['/a/b/x.zh', '/a/c/x.en', '/a/x/'].map((path, _, all) => withoutCommonDirectories(all)).map(String)[0]")
    assert names == "b/x.zh,c/x.en,x"
    assert page.run("return ['runs/a', '/', 'a', '.'].map((path) => withoutCommonDirectories([path])[0])") == ["a", "/", "a", "."]
    assert "/" not in page.text_of("#title") or page.data["source_file"].rpartition("/")[0] != page.data["target_file"].rpartition("/")[0]
    named = page.run("return Object.keys(strings.en).filter((key) => key.startsWith('script_')).map((key) => key.slice(7))")
    assert set(page.data["source"]["letters"]) | set(page.data["target"]["letters"]) <= set(named)
    for row in page.all("#facts-body tr"):
        assert any(cell.text != "–" for cell in row.find_elements("css selector", "td")), row.text


def test_the_table_has_every_measurement(page):
    if "measurements" in page.data:
        rows = page.data["measurements"]
        layers = list(dict.fromkeys(row["layer"] for row in rows))
        assert [one.text for one in page.all("#table-body th")] == layers
        lengths = sorted({row["n"] for row in rows})
        assert [one.text for one in page.all("#table-head .number")] == [f"n = {n:,}" for n in lengths]
        for name in page.run("return Object.keys(measures)"):
            page.run("byId('measure').value = arguments[0]; byId('measure').dispatchEvent(new Event('change'))", name)
            assert all(one.text for one in page.all("#table-body td.number")), name
        page.run("byId('measure').value = 'maximum_path_length'; byId('measure').dispatchEvent(new Event('change'))")
        cells = [one.text for one in page.all("#table-body td.number")]
        at = {(row["layer"], row["n"]): row["maximum_path_length"] for row in rows}
        assert cells == [f"{at[layer, n]:,}" for layer in layers for n in lengths], cells
        formula = page.run("return document.querySelector('#table-body .formula').innerHTML")
        assert formula == "O(<i>n</i><sup>2</sup> <i>d</i>)", formula
        assert page.run("return [[39, 8.52, 1200], [0], [0.0123, 2]].map((values) => columnText(values).join(' '))") == [
            "39.00 8.52 1,200.00", "0", "0.0123 2.0000"]


def test_what_the_times_show_is_said(page):
    if "measurements" not in page.data:
        return
    times = {(row["layer"], row["n"]): row["forward_seconds"] for row in page.data["measurements"]}
    lengths = sorted({n for _, n in times})
    said = page.text_of("#fastest p").replace("\u00a0", " ")
    assert said.startswith("Forward: "), said
    best = [min((layer for layer, n in times if n == length), key=lambda layer: times[layer, length]) for length in lengths]
    fastest = said.partition("Fastest (3% counts as a tie): ")[2]
    for length, layer in zip(lengths, best):
        assert any(name in fastest and times[name, length] <= 1.03 * times[layer, length] for name, n in times if n == length), (length, said)
    for other in ("Recurrent (LSTM)", "Convolutional"):
        # Within 3% of each other they are alike.
        slower = next((i for i, n in enumerate(lengths) if 1.03 * times["Self-attention", n] >= times[other, n]), len(lengths))
        expected = f"{other} at every length" if slower == len(lengths) else f"{other} up to n = {lengths[slower - 1]:,}"
        assert (expected in said) == (slower > 0), (expected, said)


def test_both_languages_themes_and_a_phone_are_accessible(page):
    for width in (1280, 360):
        page.load(width)
        page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, width
        for theme, language in (("light", "en"), ("dark", "zh")):
            page.run("setTheme(arguments[0]); setLanguage(arguments[1])", theme, language)
            page.accessible(f"{theme}, {language}, {width} pixels")
        page.run("setLanguage('en')")


def test_nothing_is_requested_or_reported(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    assert not messages, messages


if __name__ == "__main__":
    chromium.run_tests(globals(), ReportPage, __doc__)
