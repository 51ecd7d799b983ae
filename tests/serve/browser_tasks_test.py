#!/usr/bin/env python3
"""Tests the web page of a running `heed serve` with models of every task but translation, in Chromium.

Not part of ctest. Usage: browser_tasks_test.py URL [--axe axe.min.js] [--screenshots FOLDER]

The server has one model of each of the tasks language-model, tag, classify and parse, named lm, tagger,
classifier and parser, such as those that tests/apps/small_models.cpp makes. Needs what browser_test.py
needs.
"""
import json

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser_page import Page, arguments_of, run_tests, tests_among


def choose(page, name):
    Select(page("#model")).select_by_value(name)
    page.until(lambda: page("#task-card").is_displayed(), "the pane of the model")


def write(page, text):
    page("#task-input").send_keys(text)


def results(page, count=1):
    page.until(lambda: len(page.all(".result")) == count and not page.all(".busy"), f"{count} results")
    return page.all(".result")


def sources(page):
    return [body for path, body in page.asked() if path.startswith("v1/")]


def test_all_models_are_offered(page):
    texts = [option.text for option in Select(page("#model")).options]
    assert len(texts) == 4 and any("lm" in text for text in texts), texts
    assert not page("#card").is_displayed() and page("#task-card").is_displayed()
    assert not page("#message").is_displayed()
    page.accessible("the first model")
    page.fits("wide")
    page.size(360, 700)
    page.fits("narrow")
    page.shot("tasks_narrow")
    page.size(1280, 820)


def test_a_prompt_is_continued(page):
    choose(page, "lm")
    write(page, "My sister")
    assert not page.all(".result"), "only when asked"
    page("#g-nbest").send_keys("2")
    page("#g-extra-length").send_keys("12")
    page("#g-seed").send_keys("3")
    page("#task-run").click()
    first = [one.text for one in results(page)[0].find_elements(By.CSS_SELECTOR, ".continuation")]
    assert len(first) == 2 and all(text.startswith("My sister") for text in first), first
    [body] = sources(page)
    assert body == {"model": "lm", "prompt": ["My sister"], "sample": True, "seed": 3, "nbest": 2,
                    "extra_length": 12}, body
    page.accessible("a continuation")
    page.shot("generation")
    page("#g-sample").click()
    assert not page("#g-temperature").is_enabled()
    page("#task-input").send_keys(Keys.CONTROL, Keys.ENTER)
    page.until(lambda: page.all(".result") and not page.all(".busy"), "a continuation by beam search")
    [body] = sources(page)
    assert "sample" not in body and "seed" not in body and body["beam"] >= body["nbest"], body


def test_words_are_tagged_as_one_types(page):
    choose(page, "tagger")
    write(page, "one TWO three\n\nFOUR")
    lines = results(page, 2)
    words = [ruby.text.split() for ruby in lines[0].find_elements(By.CSS_SELECTOR, "ruby")]
    assert [word[0] for word in words] == ["one", "TWO", "three"], words
    assert all(len(word) == 2 for word in words), words
    page.accessible("tags")
    page.shot("tags")


def test_lines_are_classified(page):
    choose(page, "classifier")
    write(page, "one TWO\nTWO three")
    lines = results(page, 2)
    assert lines[0].find_element(By.CSS_SELECTOR, "strong").text == "YES"
    assert "%" in lines[0].text
    page.accessible("classes")
    page.shot("classes")


def test_trees_are_drawn(page):
    choose(page, "parser")
    write(page, "we see the cat .")
    results(page)
    leaves = [leaf.text for leaf in page.all(".tree .leaf")]
    assert leaves == ["we", "see", "the", "cat", "."], leaves
    assert page("svg.tree").get_attribute("aria-label").startswith("(ROOT")
    overlapping = page.run("""const boxes = [...document.querySelectorAll('.tree text')].map((t) => t.getBBox());
        return boxes.some((a, i) => boxes.slice(i + 1).some((b) => a.x < b.x + b.width && b.x < a.x + a.width
                                                              && a.y < b.y + b.height && b.y < a.y + a.height))""")
    assert not overlapping, "texts of the tree lie on each other"
    page.accessible("a tree")
    page.shot("tree")
    page("#language-switch").click()
    page.until(lambda: "parser" in page("#model").text and "句法" in page("#model").text, "Chinese")
    page.accessible("a tree, in Chinese")
    page.shot("tree_zh")
    page("#language-switch").click()


def test_markup_is_text(page):
    choose(page, "tagger")
    write(page, "<img src=x onerror=alert(1)> <b>bold</b>")
    results(page)
    assert not page.all("#results img, #results b")


def test_too_many_lines_are_refused(page):
    choose(page, "classifier")
    page.run("const area = document.querySelector('#task-input'); area.value = 'a\\n'.repeat(101);"
             "area.dispatchEvent(new Event('input'))")
    page.until(lambda: "101" in page("#message").text, "a message")


def test_the_choice_is_kept(page):
    choose(page, "parser")
    assert json.loads(page.run("return localStorage.getItem('heed.model')")) == "parser"
    page.load()
    assert page("#model").get_attribute("value") == "parser"


if __name__ == "__main__":
    given = arguments_of(__doc__)
    run_tests(Page(given, "#model"), tests_among(globals(), given))
