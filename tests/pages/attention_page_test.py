#!/usr/bin/env python3
"""Tests a page of `heed translate --html`, or of its like for other tasks, in Chromium. Not part of ctest.

Usage: attention_page_test.py PAGE.html [MORE.html...]

Each page must have at least two lines with translations. chromium.py says what this needs.
"""
import time

import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


def open_page(path):
    page = chromium.Page(path, "#target-tokens .token")
    page.lines = [line for line in page.data["lines"] if line["parts"]]
    return page


def block_of(page, line):
    return page.block(line["parts"][0])


def kind_of(block):
    """The kind of attention that is shown first."""
    return next(kind for kind in ("cross", "decoder", "encoder") if block.json["shape"][kind][0] > 0)


def weight(block, layer, head, query, key):
    """The stored weight of a head of that kind."""
    def size(kind):
        product = 1
        for dimension in block.json["shape"][kind]:
            product *= dimension
        return product

    kind = kind_of(block)
    _, heads, queries, keys = block.json["shape"][kind]
    stored = ["encoder", "decoder", "cross"]
    at = sum(size(before) for before in stored[:stored.index(kind)])
    return block.numbers[at + ((layer * heads + head) * queries + query) * keys + key]


def test_the_first_line_is_shown_with_its_pieces(page):
    line = page.lines[0]
    block = block_of(page, line)
    shown = len(page.all("#target-tokens .token"))
    assert shown == len(block.json["target_pieces"]), (shown, block.json["target_pieces"])
    assert len(page.all("#lines li")) == len(page.data["lines"])


def test_a_token_shows_its_probability_and_alternatives(page):
    block = block_of(page, page.lines[0])
    tokens = page.all("#target-tokens .token")
    for i in (0, len(tokens) - 1):
        page.point_at(tokens[i])
        probability = f"{2.718281828459045 ** block.json['log_probabilities'][i]:.4f}"
        page.until(lambda: probability in page.text_of("#detail"), f"token {i} has {probability}")
        for _, value in block.json["alternatives"][i][:3]:
            text = f"{2.718281828459045 ** value:.4f}"
            assert text in page.text_of("#detail") or float(text) == 0, (i, text)


def test_the_panel_has_the_chosen_piece_once(page):
    page.point_at(page.all("#target-tokens .token")[1])
    page.until(lambda: page.all("#detail .chosen"), "the alternatives")
    title = page.text_of("#detail h3")
    expected = {"tag": "Most probable labels of the word", "classify": "Most probable labels",
                "parse": "Most probable symbols here"}.get(page.data["task"], "Candidates at this position")
    assert title == expected, title
    assert len(page.all("#detail .chosen")) == 1 and not page.all("#detail .detail-title")
    page.run("document.querySelector('#unit input[value=words]').click()")
    assert len(page.all("#detail .alternatives")) >= 1 and page.text_of("#detail h3") == title
    page.run("document.querySelector('#unit input[value=pieces]').click()")


def test_short_tokens_are_whole_and_long_ones_wrap(page):
    page.load(360)
    broken = page.run("return [...document.querySelectorAll('.tokens .token.whole')].filter((token) => token.getClientRects().length > 1).map((token) => token.textContent)")
    assert not broken, broken
    page.run("document.querySelector('#target-tokens').append(tokenElement({text: '\u2581' + 'long'.repeat(40)}, 99, {}))")
    assert page.run("return document.querySelector('#target-tokens .token:last-child').getClientRects().length") > 2
    assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    page.load(1280)


def test_labels_of_a_few_characters_stand_upright(page):
    upright = page.run("return ['她', '昨天', '。', '三本书', '三本书的书名', 'a', '</s>', '\u2423她'].map(standsUpright)")
    assert upright == [True, True, True, True, False, False, False, False], upright


def test_weights_of_a_head_are_those_of_the_block(page):
    block = block_of(page, page.lines[0])
    layers, heads, queries, keys = block.json["shape"][kind_of(block)]
    stored = page.run(
        "const {columns, values} = storedWeights(shown.block, shown.kind, arguments[0], arguments[1]);"
        "return Array.from(values)", layers - 1, heads - 1)
    scale = 1 if max(stored) > 1 else 10_000
    for query in range(queries):
        for key in range(keys):
            expected = weight(block, layers - 1, heads - 1, query, key)
            assert round(stored[query * keys + key] * scale) == expected, (query, key)


def test_lines_are_of_the_mean_until_a_head_is_chosen(page):
    def pressed():
        return page.run("return [...document.querySelectorAll('#heads [aria-pressed=true]')].map((one) => one.dataset.head)")
    def click(name, key=""):
        page.run("document.querySelector(`#heads [data-head='${arguments[0]}']`)"
                 ".dispatchEvent(new MouseEvent('click', {bubbles: true, ctrlKey: arguments[1] === 'ctrl'}))", name, key)
        return pressed()
    block = block_of(page, page.lines[0])
    _, heads, _, _ = block.json["shape"][kind_of(block)]
    all_heads = [str(head) for head in range(heads)]
    assert pressed() == ["mean"]
    assert page.run("return drawing.strands.length") == 1
    assert page.run("const most = Math.max(...drawing.strands[0].values); return drawing.opacity(most)") == 1
    if heads < 2:
        return
    assert click("1") == ["1"] and page.run("return drawing.strands[0].label") == "2"
    assert click("1") == ["mean"], "once more: back to the mean"
    assert click("0") == ["0"]
    assert set(click("1", "ctrl")) >= {"0", "1"}
    assert set(click("each")) == {*all_heads, "each"}
    assert page.run("return drawing.strands.length") == heads
    assert click("mean") == ["mean"]


def test_the_lines_have_no_scroll_bar_of_their_own(page):
    own = page.run("const {scrollHeight, clientHeight} = document.querySelector('#weights'); return scrollHeight - clientHeight")
    assert own <= 1, own
    above = page.run("return document.querySelector('#attention').getBoundingClientRect().top <"
                     " document.querySelector('#texts').getBoundingClientRect().top")
    assert above, "lines come first"


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


def test_only_what_the_model_has_is_shown(page):
    block = block_of(page, page.lines[0])
    kinds = [kind for kind, shape in block.json["shape"].items() if shape[0] > 0]
    assert len(page.all("#kind input")) == len(kinds), kinds
    shown = page.run("return document.getElementById('source-tokens').offsetParent !== null")
    assert shown == (len(block.json["source_pieces"]) > 0)
    searched = page.run("return document.getElementById('search').offsetParent !== null")
    assert searched == (len(block.json["tree"]["parent"]) > 0)


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
    block = block_of(page, page.lines[0])
    _, heads, _, _ = block.json["shape"][kind_of(block)]
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


if __name__ == "__main__":
    chromium.run_tests(globals(), open_page, __doc__)
