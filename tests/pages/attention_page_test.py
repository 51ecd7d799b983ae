#!/usr/bin/env python3
"""Tests a page of `heed translate --html` in Chromium. Not part of ctest.

Usage: attention_page_test.py PAGE.html [MORE.html...]

Each page must have at least two lines with translations. Needs Debian's chromium and
chromium-driver, and selenium and axe-playwright-python (for its copy of axe-core) from PyPI.
"""
import base64
import importlib.util
import json
import pathlib
import struct
import sys
import time
import zlib

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


class Block:
    """A part of a line, unpacked as the browser does it."""

    def __init__(self, text):
        data = zlib.decompress(base64.b64decode(text))
        (length,) = struct.unpack_from("<I", data)
        self.json = json.loads(data[4 : 4 + length])
        count = (len(data) - 4 - length) // 2
        self.numbers = struct.unpack_from(f"<{count}H", data, 4 + length)

    def cross(self, layer, head, query, key):
        def size(kind):
            product = 1
            for dimension in self.json["shape"][kind]:
                product *= dimension
            return product

        _, heads, queries, keys = self.json["shape"]["cross"]
        at = size("encoder") + size("decoder")
        return self.numbers[at + ((layer * heads + head) * queries + query) * keys + key]


class Page:
    def __init__(self, path):
        options = webdriver.ChromeOptions()
        for option in ["--headless=new", "--no-sandbox", "--lang=en-US"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.path = pathlib.Path(path).resolve()
        found = importlib.util.find_spec("axe_playwright_python")
        self.axe = (pathlib.Path(found.origin).parent / "axe.min.js").read_text()
        self.load(1280)
        self.data = json.loads(self.text_of("#data"))
        self.lines = [line for line in self.data["lines"] if line["parts"]]

    def load(self, width):
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get("about:blank")
        self.driver.get(self.path.as_uri())
        self.until(lambda: self.all("#target-tokens .token"), "the first line is drawn")

    def __call__(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text_of(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def until(self, condition, what):
        WebDriverWait(self.driver, 10, 0.05).until(lambda _: condition(), what)

    def point_at(self, element):
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def block(self, line):
        return Block(self.text_of(f"#block-{line['parts'][0]}"))

    def accessible(self, where):
        self.run(self.axe)
        problems = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((r) => done(r.violations.map((v) => v.id"
            " + ': ' + v.nodes.slice(0, 3).map((n) => n.html).join(' '))))"
        )
        assert not problems, f"axe, {where}: {problems}"


def test_the_first_line_is_shown_with_its_pieces(page):
    line = page.lines[0]
    block = page.block(line)
    shown = len(page.all("#target-tokens .token"))
    assert shown == len(block.json["target_pieces"]), (shown, block.json["target_pieces"])
    assert len(page.all("#lines li")) == len(page.data["lines"])


def test_a_token_shows_its_probability_and_alternatives(page):
    block = page.block(page.lines[0])
    tokens = page.all("#target-tokens .token")
    for i in (0, len(tokens) - 1):
        page.point_at(tokens[i])
        probability = f"{2.718281828459045 ** block.json['log_probabilities'][i]:.4f}"
        page.until(lambda: probability in page.text_of("#detail"), f"token {i} has {probability}")
        for _, value in block.json["alternatives"][i][:3]:
            text = f"{2.718281828459045 ** value:.4f}"
            assert text in page.text_of("#detail") or float(text) == 0, (i, text)


def test_weights_of_a_head_are_those_of_the_block(page):
    block = page.block(page.lines[0])
    layers, heads, queries, keys = block.json["shape"]["cross"]
    stored = page.run(
        "const {columns, values} = storedWeights(shown.block, 'cross', arguments[0], arguments[1]);"
        "return Array.from(values)", layers - 1, heads - 1)
    scale = 1 if max(stored) > 1 else 10_000
    for query in range(queries):
        for key in range(keys):
            expected = block.cross(layers - 1, heads - 1, query, key)
            assert round(stored[query * keys + key] * scale) == expected, (query, key)


def test_pointing_at_a_query_isolates_it_and_clicking_keeps_it(page):
    before = page.text_of("#lines-readout")
    query = page.all("#queries > *")[0]
    page.point_at(query)
    page.until(lambda: page.text_of("#lines-readout") != before, "the readout follows the pointer")
    query.click()
    page.point_at(page("h1"))
    time.sleep(0.1)
    assert page.text_of("#lines-readout") != before, "a click keeps the token"
    query.click()


def test_the_filter_finds_lines(page):
    page("#filter").send_keys(page.lines[1]["source"][:20])
    page.until(lambda: len(page.all("#lines li:not([hidden])")) < len(page.data["lines"]) or
               len(page.data["lines"]) == 1, "lines are filtered")
    assert page.all("#lines li:not([hidden])")
    page("#filter").send_keys(Keys.CONTROL, "a")
    page("#filter").send_keys(Keys.DELETE)


def test_the_next_line_is_decoded_when_it_is_looked_at(page):
    page("#next").click()
    number = page.data["lines"][1]["line"]
    page.until(lambda: f"{number}" in page.text_of("#line-title"), "the next line's title")
    page("#previous").click()


def test_the_grid_enlarges_a_head(page):
    page.run("document.querySelector('#view input[value=grid]').click()")
    page.until(lambda: page.all("#grid canvas") and page.all("#maps canvas"), "heads and a map")
    _, heads, _, _ = page.block(page.lines[0]).json["shape"]["cross"]
    assert len(page.all("#grid canvas")) % heads == 0
    page.run("document.querySelector('#view input[value=lines]').click()")


def test_the_text_of_lines_is_text(page):
    for line, entry in zip(page.data["lines"], page.all("#lines li")):
        assert not entry.find_elements(By.CSS_SELECTOR, "script, img, b > b, iframe")
        if line["source"].isascii() and line["source"].isprintable() and len(line["source"]) < 60:
            assert line["source"] in page.run("return arguments[0].textContent", entry)


def test_chinese_has_every_text(page):
    page.run("setLanguage('zh')")
    page.until(lambda: "注意力" in page.text_of("main"), "the page is in Chinese")
    assert page("html").get_attribute("lang").startswith("zh")
    page.accessible("Chinese")
    page.run("setLanguage('en')")


def test_both_themes_and_a_phone_are_accessible(page):
    for width in (1280, 360):
        page.load(width)
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, width
        for theme in ("light", "dark"):
            page.run("setTheme(arguments[0])", theme)
            page.accessible(f"{theme}, {width} pixels")
    page.load(1280)


def test_nothing_is_requested_or_reported(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    assert not messages, messages


def main():
    failures = 0
    for path in sys.argv[1:] or sys.exit(__doc__):
        page = Page(path)
        tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
        for name, test in tests:
            try:
                test(page)
                print(f"ok      {name}")
            except Exception as error:  # noqa: BLE001 the next test says more
                failures += 1
                print(f"FAILED  {name}: {error}")
        page.driver.quit()
        print(f"{path}: {len(tests)} tests")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
