#!/usr/bin/env python3
"""Tests pages of `heed inspect data --html` and `heed bench --html` in Chromium. Not part of ctest.

Usage: data_page_test.py PAGE.html [MORE.html...]

Needs what attention_page_test.py needs.
"""
import json
import sys

from attention_page_test import Page
from selenium.webdriver.common.keys import Keys


class ReportPage(Page):
    def __init__(self, path):
        try:
            super().__init__(path)
        except KeyError:  # a page without lines
            pass

    def load(self, width):
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get("about:blank")
        self.driver.get(self.path.as_uri())
        self.until(lambda: self.all("#charts figure"), "the charts are drawn")

    def found(self):
        return [one for one in self.data.get("findings", []) if one["pairs"] > 0]


def test_each_finding_is_listed_with_its_examples(page):
    assert len(page.all("details.finding")) == len(page.found())
    for finding in page.found():
        examples = page.all(f"#{finding['kind']} .example")
        assert len(examples) == len(finding["examples"]), finding["kind"]
        assert not page.all(f"#{finding['kind']} :is(script, img, iframe)")


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


def test_arrow_keys_read_bars(page):
    for plot in page.all(".plot.bars"):
        plot.send_keys(Keys.HOME)
        figure = plot.find_element("xpath", "ancestor::figure")
        assert figure.find_element("css selector", ".values-place").text.strip()
        assert figure.find_element("css selector", ".values b").text.strip()


def test_ratios_are_those_of_the_data(page):
    if "ratios" not in page.data:
        return
    values = page.run("return charts.get('ratios').spec.series[0].values")
    assert values == page.data["ratios"]


def test_every_measurement_has_a_row(page):
    if "measurements" in page.data:
        assert len(page.all("#table-body tr")) == len(page.data["measurements"])


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


def main():
    failures = 0
    for path in sys.argv[1:] or sys.exit(__doc__):
        page = ReportPage(path)
        page.data = json.loads(page.text_of("#data"))
        for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_")]:
            try:
                test(page)
                print(f"ok      {name}")
            except Exception as error:  # noqa: BLE001 the next test says more
                failures += 1
                print(f"FAILED  {name}: {error}")
        page.driver.quit()
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
