"""Tests of the page of `heed serve` for browser_test.py: the menu of alternatives of a word."""
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser_page import TEXT

__all__ = ["test_alternatives_by_keyboard",
           "test_unlikely_pieces_of_the_beginning_make_no_word_likely",
           "test_alternatives_by_mouse"]


def test_alternatives_by_keyboard(page):
    page.type(TEXT)
    before = page.translated()
    page.chord(Keys.ALT, "o")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    focused = lambda: page.run("return document.activeElement.textContent")
    assert focused() == before.split()[1], focused()
    page.until(lambda: page.all("#mirror mark.linked"), "marked words of the focused word")
    # The model may be sure of a word: of some it must not be.
    for place in range(1, 8):
        word = focused()
        page.keys(Keys.ENTER)
        page.until(lambda: page.all("[role=option]"), "choices")
        if len(page.all("[role=option]")) > 1:
            break
        page.keys(Keys.ESCAPE, Keys.ARROW_RIGHT)
    assert len(page.all("[role=option]")) > 1, "no word has alternatives"
    page.accessible("alternatives")
    page.shot("alternatives_keyboard")
    assert len(page.all("[role=option] .current")) == 1, "the current choice is named"
    page.keys(Keys.ESCAPE)
    assert not page("#alternatives").is_displayed()
    assert page.run("return document.activeElement.textContent") == word, "focus returns to the word"
    page.keys(Keys.ENTER)
    page.until(lambda: len(page.all("[role=option]")) > 1, "alternatives")
    page.keys(Keys.ARROW_DOWN)
    choice = "".join(part.get_attribute("textContent")
                     for part in page.all("[role=option][aria-selected=true] :is(.next, .rest)"))
    page.keys(Keys.ENTER)
    after = page.translation()
    assert after != before and choice in after, (choice, after)
    assert after.split()[:place] == before.split()[:place], "what is before the word stays"
    assert page.run("return document.activeElement.className").startswith("word")
    # The choice survives edits elsewhere.
    page.type("\n她很喜欢读书。")
    assert page.translated().startswith(after)


def test_unlikely_pieces_of_the_beginning_make_no_word_likely(page):
    # "younger" in pieces that the model hardly expects: what follows is likely after them alone.
    script = ("""const hypothesis = (translation, probabilities) => ({translation, probabilities});
                  import('/alternatives.js').then(({distinct}) => arguments[0](distinct([
                      hypothesis('My younger sister.', [0.5, 0.8, 0.7]), hypothesis('My younger is.', [0.5, 0.000002, 0.6]),
                      hypothesis('My younger brother.', [0.5, 0.8, 0.2])], 'My younger ').map(({next, probability}) => [next, Math.round(100 * probability)])))
                  .catch((error) => arguments[0](error.message))""")
    assert page.driver.execute_async_script(script) == [["sister.", 70], ["brother.", 20]]


def test_alternatives_by_mouse(page):
    page.type(TEXT)
    before = page.translated()
    page.hover_first_word()
    page.until(lambda: len(page.all(".word")) > 3, "words")
    page.all(".word")[3].click()
    page.until(lambda: len(page.all("[role=option]")) > 1, "alternatives")
    time.sleep(0.1)
    chances = [float(one.text.strip("< %")) for one in page.all("[role=option] .probability")]
    assert len(chances) == len(page.all("[role=option]")), "each has a probability"
    assert chances == sorted(chances, reverse=True) and sum(chances) <= 101, chances
    assert chances[-1] >= 0.0099 * chances[0], f"far below the best: {chances}"
    page.shot("alternatives")
    page("#alternatives button").click()
    page.until(lambda: page.all("[role=option] .next:empty"), "other translations of the sentence")
    page.accessible("other translations")
    page.shot("other_translations")
    option = page.all("[role=option]")[1]
    chosen = option.find_element(By.CSS_SELECTOR, ".rest").text
    option.click()
    assert page.translation().startswith(chosen) and page.translation() != before
    page.all(".word")[0].click()
    page.until(lambda: page("#alternatives").is_displayed(), "the menu")
    page("h1, header").click()
    page.until(lambda: not page("#alternatives").is_displayed(), "a click elsewhere closes the menu")
