#!/usr/bin/env python3
"""Tests the web page of a running `heed serve` in Chromium. Not part of ctest.

Usage: browser_test.py URL [--axe axe.min.js] [--screenshots FOLDER] [--stand-in]

The server must translate zh to en and en to zh. Needs Debian's chromium and chromium-driver, and
selenium and axe-playwright-python (for its copy of axe-core) from PyPI. --stand-in: the server is
one whose answers can be changed by POST /mock {"busy": N, "key": "..."}: tests waiting and keys.
"""
import os
import pathlib
import tempfile
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser_history import *
from browser_large_texts import *
from browser_alternatives import *  # last: a large text leaves no history, theirs do
from browser_page import TEXT, Page, arguments_of, run_tests, tests_among


def test_translates_as_one_types(page):
    page.type(TEXT)
    first = page.translated()
    assert first.count("\n") == 2, "lines are kept"
    assert page("#target-language").get_attribute("value") == "en", "the source language is detected"
    page.asked()
    page.type("她很喜欢读书。")
    assert page.translated().startswith(first.splitlines()[0])
    asked = page.texts_asked()
    assert asked and all("妹妹" not in text for text in asked), f"asked again: {asked}"
    page.chord(Keys.CONTROL, "z")
    page.translated()
    page.shot("light")


def test_a_language_without_a_model_is_named(page):
    page.type("안녕하세요. 저는 오늘 학교에 갑니다.")
    page.until(lambda: "Korean" in page("#message").text, "a message that names the language")
    assert page.translation() == ""
    page.clear()
    page.type("她很喜欢读书。")
    assert page.translated() and not page("#message").is_displayed()


def test_undone_edits_ask_nothing(page):
    page.type(TEXT)
    first = page.translated()
    page.type("她")
    page.translated()
    page.asked()
    page.type(Keys.BACKSPACE)
    assert page.translated() == first
    assert page.texts_asked() == []


def test_any_edits_give_the_translation_of_the_text(page):
    script = pathlib.Path(__file__).with_name("typing_fuzz.js").read_text()
    page.driver.set_script_timeout(60)
    for seed in range(3):
        problem = page.driver.execute_async_script(script, seed, 300)
        assert not problem, f"seed {seed}: {problem}"


def test_a_line_has_a_translation_before_all_sentences_arrived(page):
    # Sentences arrive in any order; a pause in typing announces what there is.
    script = ("""const line = {head: [], fresh: [, {before: '', translation: 'b'}, undefined], tail: [], after: '!'};
                  import('/lines.js').then(({translationOf}) => arguments[0](translationOf(line))).catch((error) => arguments[0](error.message))""")
    assert page.driver.execute_async_script(script) == "b!"


def test_markup_is_text(page):
    page.type("<img src=x onerror=alert(1)> <b>bold</b> & more")
    page.translated()
    assert not page.all("#output img, #output b, #mirror img, #history img")


def test_hovering_marks_words(page):
    page.type(TEXT)
    page.translated()
    page.hover_first_word()
    page.until(lambda: page.all("#mirror mark.linked") and page.all(".word.linked"), "marked words")
    page.shot("hover")
    marked = page("#mirror mark.linked").get_attribute("textContent")
    assert marked in TEXT
    mirror = page.run("return document.querySelector('#mirror').textContent")
    assert mirror.rstrip("\u200b") == TEXT
    same = page.run("const a = document.querySelector('#mirror').getBoundingClientRect(),"
                    "b = document.querySelector('#source').getBoundingClientRect();"
                    "return [a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height]")
    assert all(abs(d) < 1 for d in same), f"the mirror lies elsewhere: {same}"


def test_source_words_mark_their_translation(page):
    page.type(TEXT)
    page.translated()
    # A model may leave words without a counterpart: some of the first must have one.
    page("#source").send_keys(Keys.CONTROL + Keys.HOME)
    for _ in range(10):
        page("#source").send_keys(Keys.ARROW_RIGHT)
        time.sleep(0.2)
        if page.all(".word.linked"):
            break
    assert page.all(".word.linked"), "no word of the translation is marked"
    page.accessible("marked words")
    box = page("#source").rect
    for distance in range(34, 200, 8):
        actions = ActionChains(page.driver)
        actions.w3c_actions.pointer_action.move_to_location(int(box["x"] + box["width"] - 30),
                                                            int(box["y"] + box["height"] - 10))
        actions.w3c_actions.pointer_action.move_to_location(int(box["x"] + distance), int(box["y"] + 36))
        actions.perform()
        time.sleep(0.2)
        if page.all("#mirror mark.linked"):
            break
    assert page.all("#mirror mark.linked"), "no word under the pointer is marked"
    page.shot("source_hover")


def test_doubtful_words_are_marked(page):
    page.type(TEXT)
    page.translated()
    doubtful = page.all("#output .doubtful")
    shares = [float(word.get_attribute("data-probability")) for word in doubtful]
    assert all(share < 0.3 for share in shares), shares
    line = page.run("return getComputedStyle(arguments[0]).textDecorationStyle", doubtful[0])
    assert line == "dotted", line
    assert page(".doubt-hint").is_displayed() and "alternatives" in page(".hints").text
    ActionChains(page.driver).move_to_element(doubtful[0]).perform()
    page.until(lambda: "%" in (doubtful[0].get_attribute("title") or ""), "the probability as a tooltip")
    page.accessible("doubtful words")


def test_probabilities_are_those_of_words(page):
    script = ("const [translation, pieces, log_probabilities] = arguments, done = arguments[3];"
              "import('/doubt.js').then(({wordProbabilities}) => "
              "done(wordProbabilities({translation, pieces, log_probabilities})?.map(Math.log) ?? null))"
              ".catch((error) => done(error.message))")
    def logs(translation, pieces, of_pieces):
        found = page.driver.execute_async_script(script, translation, pieces, of_pieces)
        return found if found is None else [round(one, 6) for one in found]
    assert logs("a bc.", ["\u2581a", "\u2581b", "c", "."], [-1, -2, -4, -8, -16]) == [-1, -14]
    assert logs("a b", ["\u2581", "a", "\u2581", "b"], [-1, -2, -4, -8]) == [-3, -12], "lone spaces"
    assert logs("我们。", ["\u2581我们", "。"], [-1, -2]) == [-1, -1, -2], "a piece of two characters"
    assert logs(" a ", ["\u2581a"], [-1]) == [-1], "white space of the text"
    assert logs("é", ["\u2581", "<0xC3>", "<0xA9>"], [-1, -2, -4]) is None, "pieces that spell no text"
    assert logs("", [], [-1]) == []


def test_examples_fill_an_empty_pane(page):
    models = page.driver.execute_async_script(
        "fetch('/v1/models').then((answer) => answer.json()).then(({models}) => arguments[0](models))")
    first = {model["source"]: model["examples"] for model in models}
    page("#source-language").find_element(By.CSS_SELECTOR, "option[value=zh]").click()
    page.until(lambda: [one.text for one in page.all("#examples button")] == first["zh"], "its examples")
    page.accessible("examples")
    page.shot("examples")
    page.all("#examples button")[1].click()
    assert page("#source").get_attribute("value") == first["zh"][1]
    assert page.translated() and not page("#examples").is_displayed()
    page("#clear").click()
    page.until(lambda: page("#examples").is_displayed(), "examples again")
    page("#swap").click()
    page.until(lambda: [one.text for one in page.all("#examples button")] == first["en"], "the other ones")


def test_detection_is_offered_with_one_model(page):
    script = """const done = arguments[0];
        import('/languages.js').then(({Languages}) => {
          const [source, target, swap] = ['select', 'select', 'button'].map((name) => document.createElement(name));
          const languages = new Languages({source, target, swap}, () => {});
          localStorage.removeItem('heed.languages');
          languages.set([{code: 'zh', name: 'Chinese', targets: ['en']}], {source: 'zh', target: 'en'});
          const first = source.value;
          languages.choose({source: 'auto', target: 'en'});
          done([[...source.options].map(({value}) => value), first, source.value,
                languages.offers({source: 'auto', target: 'en'})]);
        }).catch((error) => done(error.message))"""
    found = page.driver.execute_async_script(script)
    assert found == [["auto", "zh"], "zh", "auto", True], found


def test_attention(page):
    assert not page("#attention-open").is_displayed(), "there is no translation"
    page.type(TEXT)
    first = page.translated().splitlines()[0]
    page.until(lambda: page("#attention-open").is_displayed(), "attention is offered")
    page.asked()
    page("#attention-open").click()
    page.until(lambda: page.all("#attention iframe"), "the page of attention")
    body = [body for path, body in page.asked() if path == "v1/attention"][-1]
    assert body["text"] == TEXT and (body["source"], body["target"]) == ("zh", "en"), body
    page.accessible("attention")
    frame = page("#attention iframe")
    assert frame.get_attribute("sandbox") == "allow-scripts"
    page.driver.switch_to.frame(frame)
    page.until(lambda: page.all("#target-tokens .token"), "the first sentence")
    assert page.run("return document.documentElement.lang") == "en"
    entries = page.all("#lines a")
    assert len(entries) == 3 and entries[0].text.splitlines()[2] in first, entries[0].text
    entries[1].click()
    page.until(lambda: page("#line-title").text == "Sentence 2", "the second sentence")
    page("#next").click()
    page.until(lambda: page("#line-title").text == "Sentence 3", "the third sentence")
    page("#lines-view .weight-token").click()
    assert page.run("try { return localStorage.length } catch { return 'none' }") == "none"
    page.accessible("the page of attention")
    page.driver.switch_to.default_content()
    page.shot("attention")
    page("#attention [data-label=attention_save]").click()
    saved = pathlib.Path(page.downloads, "attention.html")
    page.until(saved.exists, "the saved page")
    assert saved.read_text().startswith("<!doctype html>")
    saved.unlink()
    page.driver.switch_to.frame(page("#attention iframe"))
    page("#lines-view .weight-token").send_keys(Keys.ESCAPE)
    page.driver.switch_to.default_content()
    assert page("#attention").is_displayed(), "Esc ends what was pinned"
    page.run("postMessage('heed.escape', '*')")
    page.driver.switch_to.frame(page("#attention iframe"))
    page("#lines-view .weight-token").send_keys(Keys.ESCAPE)
    page.driver.switch_to.default_content()
    page.until(lambda: not page("#attention").is_displayed(), "Esc in the frame closes the dialog")
    assert not page.all("#attention iframe")
    assert page.run("return document.activeElement.id") == "attention-open", "focus returns"
    page.clear()
    page.until(lambda: not page("#attention-open").is_displayed(), "nothing to explain")


def test_attention_has_the_theme_and_the_language_of_the_page(page):
    page("#theme-switch").click()
    page("#language-switch").click()
    page("#settings-open").click()
    page("#beam").send_keys("2")
    page.keys(Keys.TAB, Keys.ESCAPE)
    page.size(360, 740)
    page.type("她很喜欢读书。")
    page.translated()
    page.asked()
    page("#attention-open").click()
    page.until(lambda: page.all("#attention iframe"), "the page of attention")
    body = [body for path, body in page.asked() if path == "v1/attention"][-1]
    assert body["beam"] == 2, body
    page.fits("attention at 360 pixels")
    page.driver.switch_to.frame(page("#attention iframe"))
    page.until(lambda: page.all("#target-tokens .token"), "the sentence")
    html = "document.documentElement"
    assert page.run(f"return [{html}.lang, {html}.dataset.theme]") == ["zh-Hans", "dark"]
    page.fits("the page of attention at 360 pixels")
    page.accessible("the page of attention, dark")
    page.driver.switch_to.default_content()
    page.accessible("attention, dark")
    page.shot("phone_attention_360")
    page("#attention [data-close]").click()
    page.size(1280, 820)


def test_attention_of_a_long_text_is_of_its_beginning(page):
    page.type("她很喜欢读书。")
    page.translated()
    page.run("const text = document.querySelector('#source');"
             "text.value = '她很喜欢读书。'.repeat(200) + '\\n我。';"
             "text.dispatchEvent(new Event('input'))")
    page.translated()
    page.asked()
    page("#attention-open").click()
    page.until(lambda: page.all("#attention iframe"), "the page of attention", 60)
    body = [body for path, body in page.asked() if path == "v1/attention"][-1]
    assert 900 < len(body["text"]) <= 1000 and body["text"].endswith("。"), len(body["text"])
    assert "994" in page("#attention .note").text, page("#attention .note").text
    page("#attention [data-close]").click()


def test_attention_of_a_server_that_is_busy_or_refuses(page):
    page.type("她很喜欢读书。")
    page.translated()
    answer = """const fetched = window.fetch; let left = arguments[0];
                window.fetch = (path, init) => path !== 'v1/attention' || left-- <= 0 ? fetched(path, init) :
                  Promise.resolve(new Response(JSON.stringify({error: 'no <b>room</b>'}),
                                               {status: arguments[1], headers: {'Retry-After': '1'}}));"""
    page.run(answer, 1, 429)
    page("#attention-open").click()
    page.until(lambda: "busy" in page("#attention [role=status]").text, "it says so")
    page.until(lambda: page.all("#attention iframe"), "the page of attention after that")
    assert not page("#attention [role=status]").is_displayed()
    page("#attention [data-close]").click()
    page.run(answer, 1, 400)
    page("#attention-open").click()
    page.until(lambda: "no <b>room</b>" in page("#attention [role=status]").text, "the error")
    page.accessible("an error of attention")
    page("#attention [data-close]").click()
    page.run(answer, 100, 429)
    page("#attention-open").click()
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page("#attention").is_displayed(), "Esc gives up")
    time.sleep(1.2)
    assert not page.all("#attention iframe")


def test_swap(page):
    page.type("我妹妹昨天买了三本书。")
    english = page.translated()
    page.until(lambda: page("#swap").is_enabled(), "languages can be swapped")
    page("#swap").click()
    page.until(lambda: page("#source").get_attribute("value") == english, "the translation is the source")
    page.translated()
    assert page("#source-language").get_attribute("value") == "en"
    assert page("#source").get_attribute("lang") == "en"
    assert page("#output").get_attribute("lang").startswith("zh")
    page.shot("swapped")
    page.load()
    assert page("#source-language").get_attribute("value") == "en", "the pair is remembered"


def test_themes_and_languages_of_the_interface(page):
    page.type(TEXT)
    page.translated()
    page.accessible("light")
    page("#theme-switch").click()
    page.accessible("dark")
    page.shot("dark")
    page("#settings-open").click()
    page.accessible("settings, dark")
    page.shot("settings_dark")
    page.keys(Keys.ESCAPE)
    page("#language-switch").click()
    assert page.run("return document.documentElement.lang") == "zh-Hans"
    assert page("#source").get_attribute("aria-label") == "原文"
    page.hover_first_word()
    page.shot("chinese_dark")
    page.load()
    assert page.run("return document.documentElement.dataset.theme") == "dark", "the theme is remembered"
    page("#theme-switch").click()
    page.accessible("Chinese, light")
    page.shot("chinese")


def test_phones(page):
    for width in (320, 360):
        page.size(width, 740)
        page.clear()
        page.type(TEXT)
        page.translated()
        page.fits(f"{width} pixels")
        page.accessible(f"{width} pixels")
        page.shot(f"phone_{width}")
        page.hover_first_word()
        page.until(lambda: len(page.all(".word")) > 3, "words")
        page.all(".word")[3].click()
        page.until(lambda: len(page.all("[role=option]")) > 1, "alternatives")
        page.fits(f"alternatives at {width} pixels")
        page.shot(f"phone_alternatives_{width}")
        page.keys(Keys.ESCAPE)
        for dialog in ("settings", "history"):
            page(f"#{dialog}-open").click()
            page.fits(f"{dialog} at {width} pixels")
            page.accessible(f"{dialog} at {width} pixels")
            page.shot(f"phone_{dialog}_{width}")
            page.keys(Keys.ESCAPE)
    page.size(1280, 820)


def test_settings_reach_the_server(page):
    page("#settings-open").click()
    page("#beam").send_keys("2")
    page("#length-penalty").send_keys("1.1")
    page.keys(Keys.TAB, Keys.ESCAPE)
    page.type("她很喜欢读书。")
    page.translated()
    body = [body for path, body in page.asked() if path == "v1/translate"][-1]
    assert body["beam"] == 2 and body["length_penalty"] == 1.1 and "sample" not in body, body
    page("#settings-open").click()
    page("#sample").click()
    page.keys(Keys.ESCAPE)
    page.translated()
    time.sleep(0.3)
    body = [body for path, body in page.asked() if path == "v1/translate"][-1]
    assert body["sample"] is True and "beam" not in body, body


def test_files(page):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "good.txt").write_text("\ufeff她很喜欢读书。\r\n我妹妹昨天买了三本书。", encoding="utf-8")
    (folder / "bad.txt").write_bytes("她很喜欢".encode("gbk"))
    (folder / "large.txt").write_bytes(b"a" * (1 << 21))
    (folder / "picture.png").write_bytes(b"\x89PNG")
    page("#file").send_keys(str(folder / "good.txt"))
    page.translated()
    assert page("#source").get_attribute("value") == "她很喜欢读书。\n我妹妹昨天买了三本书。"
    for name in ("bad.txt", "large.txt", "picture.png"):
        page("#file").send_keys(str(folder / name))
        page.until(lambda: name in page("#message").text, f"a message on {name}")
    page.accessible("a message")
    page.shot("message")
    page("#download").click()
    page.until(lambda: os.listdir(page.downloads) == ["good.en.txt"], "the download")
    assert pathlib.Path(page.downloads, "good.en.txt").read_text() == page.translation() + "\n"


def test_documents(page):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "page.html").write_text("<p>她很<b>喜欢</b>读书。</p><pre>x</pre>", encoding="utf-8")
    (folder / "bad.xml").write_text("<a>", encoding="utf-8")
    page("#file").send_keys(str(folder / "page.html"))
    page.until(lambda: os.listdir(page.downloads) == ["page.en.html"], "the download")
    made = pathlib.Path(page.downloads, "page.en.html").read_text()
    assert made.count("<b>") == made.count("</b>") == 1 and made.endswith("</p><pre>x</pre>"), made
    page.until(lambda: "page.html" in page("#message").text, "a message")
    page("#file").send_keys(str(folder / "bad.xml"))
    page.until(lambda: "line 1" in page("#message").text, "a message on bad.xml")
    page.driver.get_log("browser")  # the browser tells of every status 400


def test_dropped_files(page):
    page.run("""const data = new DataTransfer();
                data.items.add(new File(["她很喜欢读书。"], "a.txt", {type: "text/plain"}));
                for (const name of ["dragenter", "dragover"])
                  document.body.dispatchEvent(new DragEvent(name, {dataTransfer: data, bubbles: true}));
                window.dropped = data;""")
    assert page(".drop").is_displayed()
    page.shot("drop")
    page.run("document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: dropped, bubbles: true}))")
    page.translated()
    assert page("#source").get_attribute("value") == "她很喜欢读书。"
    assert not page(".drop").is_displayed()


def test_copy(page):
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.type(TEXT)
    page.translated()
    for plain_http in (False, True):
        if plain_http:  # where browsers have no navigator.clipboard
            page.driver.execute_async_script("navigator.clipboard.writeText('').then(arguments[0])")
            page.run("window.clipboard = navigator.clipboard;"
                     "Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page("#copy").click()
        page.until(lambda: page.all("#copy.done"), "the button says so")
        copied = page.driver.execute_async_script(
            "(window.clipboard ?? navigator.clipboard).readText().then(arguments[0])")
        assert copied == page.translation(), copied
        page.until(lambda: not page.all("#copy.done"), "the button is as before")


def test_network_loss(page):
    page.type("她很喜欢读书。")
    page.translated()
    page.offline(True)
    page.type("我妹妹昨天买了三本书。")
    page.until(lambda: page("#message").is_displayed(), "a message")
    page.accessible("offline")
    page.offline(False)
    page.type(" ")
    page.until(lambda: not page("#message").is_displayed(), "the message goes")
    assert len(page.translated().split(".")) == 3


def test_waits_while_the_server_is_busy(page):
    page.run("return fetch('mock', {method: 'POST', body: JSON.stringify({busy: 1})})")
    page.asked()
    page.type("老师请我们安静地听。")
    page.until(lambda: page("#message").is_displayed(), "a message")
    page.shot("busy")
    page.until(lambda: page.translation() != "", "the translation")
    assert not page("#message").is_displayed()


def test_asks_for_the_key(page):
    page.run("return fetch('mock', {method: 'POST', body: JSON.stringify({key: 'secret'})})")
    page.type("她很喜欢读书。")
    page.until(lambda: page("#key-dialog").is_displayed(), "the question")
    page.accessible("key")
    page.shot("key")
    page("#key").send_keys("wrong", Keys.ENTER)
    page.until(lambda: "not valid" in page("#key-error").text, "the question again")
    page("#key").send_keys("secret", Keys.ENTER)
    page.until(lambda: page.translation() != "", "the translation")
    page.run("return fetch('mock', {method: 'POST', body: JSON.stringify({key: ''})})")


def main():
    arguments = arguments_of(__doc__, {"--stand-in": "the server is one whose answers can be changed"})
    tests = tests_among(globals(), arguments)
    if not arguments.stand_in:
        tests = [t for t in tests if t not in (test_waits_while_the_server_is_busy, test_asks_for_the_key)]
    run_tests(Page(arguments, "#source-language"), tests)


if __name__ == "__main__":
    main()
