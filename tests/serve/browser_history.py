"""Tests of the page of `heed serve` for browser_test.py: what it keeps, in its history, in the tab and in links."""
from selenium.webdriver.common.keys import Keys

from browser_page import TEXT

__all__ = ["test_history",
           "test_entries_of_the_history_are_searched_and_deleted",
           "test_a_deleted_text_stays_deleted",
           "test_the_text_survives_a_reload_of_the_tab",
           "test_a_link_has_languages_and_a_text"]


def test_history(page):
    page.type("她很喜欢读书。")
    page.translated()
    page("#history-open").click()
    page.accessible("history")
    page.shot("history")
    assert "她很喜欢读书。" in page("#history-list").text
    page.keys(Keys.ESCAPE)
    page.clear()
    page("#history-open").click()
    page("#history-list .entry").click()
    page.translated()
    assert page("#source").get_attribute("value") == "她很喜欢读书。"
    page("#history-open").click()
    page("#history-clear").click()
    assert not page.all("#history-list li")
    page.keys(Keys.ESCAPE)
    page("#settings-open").click()
    page("#keep-history").click()
    page.keys(Keys.ESCAPE)
    page.type("我。")
    page.translated()
    page("#history-open").click()
    assert not page.all("#history-list li"), "history is off"
    page.keys(Keys.ESCAPE)
    stored = set(page.run("return Object.keys(localStorage)"))
    assert stored <= {"heed.settings", "heed.languages", "heed.history"}, stored
    assert page.run("return sessionStorage.length + document.cookie.length") == 0


def test_entries_of_the_history_are_searched_and_deleted(page):
    for text in ("她很喜欢读书。", "老师请我们安静地听。", "我。"):
        page.type(text)
        page.translated()
        page.clear()
    page("#history-open").click()
    texts = lambda: [entry.text for entry in page.all("#history-list .text")]
    assert texts() == ["我。", "老师请我们安静地听。", "她很喜欢读书。"]
    year = page.run("return String(new Date().getFullYear())")
    assert all(year in pair.text for pair in page.all("#history-list .pair")), "each has its time"
    page("#history-search").send_keys("读书")
    assert texts() == ["她很喜欢读书。"]
    page.accessible("history that is searched")
    page("#history-list .remove").click()
    assert not page.all("#history-list li") and "No entry" in page("#history-note").text
    page("#history-search").send_keys(Keys.CONTROL, "a")
    page("#history-search").send_keys(Keys.DELETE)
    assert texts() == ["我。", "老师请我们安静地听。"]
    page.keys(Keys.ESCAPE)
    page.load()
    page("#history-open").click()
    assert texts() == ["我。", "老师请我们安静地听。"]
    page.keys(Keys.ESCAPE)


def test_a_deleted_text_stays_deleted(page):
    for clear in ("#history-clear", "#history-list .remove"):
        page.type("她很喜欢读书。")
        page.translated()
        page("#history-open").click()
        page(clear).click()
        page.keys(Keys.ESCAPE)
        page("#history-open").click()
        assert not page.all("#history-list li"), "opening the history adds nothing"
        page.keys(Keys.ESCAPE)
        page.load()
        assert page.run("return localStorage.getItem('heed.history')") is None, "nor does leaving the page"
        page.clear()


def test_the_text_survives_a_reload_of_the_tab(page):
    page.type(TEXT)
    page.translated()
    page.load()
    page.translated()
    assert page("#source").get_attribute("value") == TEXT
    assert page.run("return sessionStorage.length") == 0, "it is kept between two pages alone"
    page.clear()
    page.load()
    assert page("#source").get_attribute("value") == ""


def test_a_link_has_languages_and_a_text(page):
    def follow(link):
        page.run("location.hash = arguments[0]", link)

    follow("#en/zh/" + page.run("return encodeURIComponent(arguments[0])", "My sister / 100%\nreads."))
    page.until(lambda: page("#source").get_attribute("value") == "My sister / 100%\nreads.", "the link's text")
    assert page.translated()
    assert page("#source-language").get_attribute("value") == "en"
    assert page("#target-language").get_attribute("value") == "zh"
    page.driver.refresh()
    assert page.run("return location.hash").startswith("#en/zh/")
    page.until(lambda: page("#source").get_attribute("value").startswith("My sister"), "the text once more")
    page.type(" Often.")
    assert page.run("return location.hash") == "", "an edited text is not that of the link"
    follow("#auto/en/她很喜欢读书。")
    page.until(lambda: page("#source").get_attribute("value") == "她很喜欢读书。", "text that is not encoded")
    page.translated()
    follow("#ko/en/x")
    page.until(lambda: "ko → en" in page("#message").text, "a pair without a model is named")
    assert page("#source").get_attribute("value") == "她很喜欢读书。"
    follow("#100%25")
    page.run("location.hash = ''")
