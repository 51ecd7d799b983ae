#!/usr/bin/env python3
"""Tests pages of `heed evaluate --html` in Chromium. Not part of ctest.

Usage: evaluation_page_test.py PAGE.html [MORE.html...]

Each page must have two systems or more; some tests need one of labels (--metrics accuracy,f1). See
chromium.py for what it needs.
"""
import time

from chromium import Page, run_tests
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


class EvaluationPage(Page):
    def __init__(self, path):
        super().__init__(path, "#list li")
        self.numbers = self.block(0).json
        self.count = self.data["sentences"]
        self.size = self.data["block_sentences"]
        self.systems = len(self.data["systems"])

    def texts(self, sentence):
        block = self.block(1 + sentence // self.size).json
        return {key: lines for key, lines in block.items()}, sentence % self.size

    def shown(self):
        """The numbers of the sentences of this page of the list, from 0."""
        return self.run("return listed.slice(shown.page * pageSize, (shown.page + 1) * pageSize)")

    def settled(self):
        self.until(lambda: self.run("return !byId('list').hasAttribute('aria-busy')"), "drawn")

    def sort(self, by):
        Select(self("#sort")).select_by_value(by)
        self.until(lambda: self.run("return shown.sort") == by, by)
        time.sleep(0.1)
        self.settled()

    def difference(self, sentence, metric=0):
        scores = self.numbers["scores"][metric]
        return round(scores[1][sentence] - scores[0][sentence], 2)

    def choose(self, fieldset, value):
        self.run("document.querySelector(arguments[0]).click()",
                 f"#{fieldset} input[value='{value}']")
        self.settled()


def test_the_table_has_every_score(page):
    rows = page.all("#scores-body tr")
    assert len(rows) == page.systems
    for system, row in enumerate(rows):
        text = page.run("return arguments[0].textContent", row).replace("\u2212", "-")
        for metric in page.data["metrics"]:
            result = metric["systems"][system]
            assert f"{result['score']:.2f}" in text, (system, metric["name"], text)
            if "p_value" in result:
                assert f"{result['p_value']:.4f}" in text, text


def test_sentences_show_their_texts_and_scores(page):
    for place, item in list(zip(page.shown(), page.all("#list > li")))[:5]:
        text = page.run("return arguments[0].textContent", item).replace("\u2212", "-")
        block, at = page.texts(place)
        for metric in range(len(page.data["metrics"])):
            for system in range(page.systems):
                score = page.numbers["scores"][metric][system][place]
                assert f"{score:.2f}" in text, (place, score)
        for lines in [*block["systems"], *block["references"]]:
            if lines[at].isprintable():
                assert lines[at] in text, (place, lines[at][:80])


def test_sorting_by_difference(page):
    page.sort("difference")
    expected = sorted(range(page.count), key=lambda i: (-page.difference(i), i))
    assert page.run("return listed") == expected
    page("#direction").click()
    page.until(lambda: page.run("return !shown.descending"), "the other way round")
    time.sleep(0.1)
    expected = sorted(range(page.count), key=lambda i: (page.difference(i), i))
    assert page.run("return listed") == expected
    page.sort("distance")
    assert page.run("return listed") == sorted(
        range(page.count), key=lambda i: (-abs(page.difference(i)), i))


def test_sorting_by_length_and_by_score(page):
    page.sort("length:0")
    lengths = page.numbers["lengths"][0]
    assert page.run("return listed") == sorted(range(page.count), key=lambda i: (lengths[i], i))
    page.sort("score:1")
    scores = page.numbers["scores"][0][1]
    assert page.run("return listed") == sorted(range(page.count), key=lambda i: (-scores[i], i))
    page.sort("line")
    assert page.run("return listed") == list(range(page.count))


def test_the_filter_finds_texts(page):
    block, _ = page.texts(0)
    wanted = block["references"][0][0][:12].strip()
    page("#filter").send_keys(wanted)
    page.until(lambda: page.run("return shown.filters.text") == wanted, "the filter is set")
    page.until(lambda: page.run("return listed.length") <= page.count, "filtered")
    expected = []
    for sentence in range(page.count):
        block, at = page.texts(sentence) if sentence % page.size == 0 else (block, sentence % page.size)
        lines = [*block["systems"], *block["references"]]
        lines += [block["source"]] if "source" in block else []
        if any(wanted.lower() in line[at].lower() for line in lines):
            expected.append(sentence)
    page.until(lambda: page.run("return listed") == expected, f"{len(expected)} sentences")
    page("#filter").send_keys(Keys.CONTROL, "a")
    page("#filter").send_keys(Keys.DELETE)
    page.until(lambda: page.run("return listed.length") == page.count, "all again")


def test_a_bar_tells_its_count_and_lists_its_sentences(page):
    page.run("chooseFilter('score', null)")
    bars = page.all("#histogram .plot:first-of-type .bar")
    scores = page.numbers["scores"][0][0]
    counts = [sum(5 * i <= s < 5 * i + 5 or (i == 19 and s == 100) for s in scores) for i in range(20)]
    assert sum(counts) == page.count
    best = counts.index(max(counts))
    page.point_at(bars[best])
    page.until(lambda: f"{counts[best]:,} of" in page.text_of("#histogram-readout"), "the readout")
    bars[best].click()
    page.until(lambda: page.run("return listed.length") == counts[best], "its sentences")
    assert page.all("#chips .chip")
    page("#chips .chip").click()
    page.until(lambda: page.run("return listed.length") == page.count, "all again")


def test_a_bar_of_few_sentences_is_seen(page):
    for bar in page.all("#histogram .bar"):
        count = int(bar.get_attribute("aria-label").split(": ")[1].split(" of")[0].replace(",", ""))
        tall = page.run("return arguments[0].querySelector('.fill').getBoundingClientRect().height", bar)
        assert (tall >= 2) == (count > 0), (count, tall)


def test_one_bin_does_not_flatten_the_others(page):
    # Heights are of an axis that ends at twice the second count, if the first is over four times that.
    assert page.run("return countsEnd([[3, 900, 40, 0]])") < 200
    assert page.run("return countsEnd([[3, 90, 40, 0]])") >= 90
    assert page.run("return countsEnd([[7]])") >= 7
    cut = page.all("#histogram .bar:has(.cut)")
    assert len(cut) == len(page.all("#histogram .cut-count"))
    for bar in cut:
        count = bar.find_element("css selector", ".cut-count").text
        assert f"{count} of" in bar.get_attribute("aria-label"), "the count is above the bar"


def test_points_of_confidence_list_their_sentences(page):
    if not page.data["confidence"]:
        return  # of a page of --model alone, whose model was calibrated
    bins = page.data["confidence"]["bins"]
    points = page.all("#confidence .point")
    assert len(points) == len(bins)
    points[3].click()
    page.until(lambda: page.run("return listed.length") == bins[3][4], "its sentences")
    confidences = page.numbers["confidence"]
    assert all(bins[3][0] - 1e-4 <= confidences[i] <= bins[3][1] + 1e-4 for i in page.run("return listed"))
    page.accessible("a chosen point")
    page.run("chooseFilter('confidence', null)")


def test_scores_have_intervals(page):
    for metric in page.data["metrics"]:
        assert all("half_width" in system for system in metric["systems"]), metric["name"]
    details = [one.text for one in page.all("#scores-body .detail")]
    assert details and all("±" in one for one in details), details


def test_scores_are_below_their_metric(page):
    ends = page.run("""
        const right = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect().right);
        return [right('#scores-head th span[title]'), right('#scores-body tr:last-child .score')];""")
    for head, score in zip(*ends):
        assert abs(head - score) < 3, ends


def test_arrow_keys_move_between_bars(page):
    first = page.run("return document.querySelector('#histogram .bar[tabindex=\"0\"]')")
    page.run("arguments[0].focus()", first)
    before = page.text_of("#histogram-readout")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.text_of("#histogram-readout") != before, "the next bar is read out")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.run("return shown.filters.score !== null"), "Enter chooses it")
    assert page.run("return document.activeElement.matches('.bar[aria-pressed=true]')")
    page.run("chooseFilter('score', null)")


def test_differences_of_two_systems_are_counted(page):
    page.choose("histogram-of", "difference")
    values = [page.difference(i) for i in range(page.count)]
    text = page.text_of("#histogram-readout")
    for count in (sum(v > 0 for v in values), sum(v == 0 for v in values), sum(v < 0 for v in values)):
        assert f"{count:,}" in text, (count, text)
    counted = page.run("return [...document.querySelectorAll('#histogram .bar')].map("
                       "(bar) => Number(/: ([\\d,]+) of/.exec(bar.ariaLabel)[1].replaceAll(',', '')))")
    assert sum(counted) == page.count and counted[len(counted) // 2] == values.count(0)
    page.choose("histogram-of", "scores")


def test_buckets_have_their_scores_and_sentences(page):
    buckets = page.data["lengths"][0]["buckets"]
    filled = [i for i, bucket in enumerate(buckets) if bucket["sentences"]]
    buckets = buckets[filled[0] : filled[-1] + 1]
    bars = page.all("#buckets .bucket")
    assert len(bars) == len(buckets) and sum(b["sentences"] for b in buckets) == page.count
    for bucket, bar in zip(buckets, bars):
        label = bar.get_attribute("aria-label").replace("\u2212", "-")
        for scores in bucket["scores"][:1]:
            for score in scores:
                assert f"{score:.2f}" in label, label
    fullest = max(range(len(buckets)), key=lambda i: buckets[i]["sentences"])
    bars[fullest].click()
    page.until(lambda: page.run("return listed.length") == buckets[fullest]["sentences"], "listed")
    page.run("chooseFilter('length', null)")
    page.settled()


def test_marks_are_what_the_texts_do_not_share(page):
    def marked(first, second):
        return page.run(
            "const [a, b] = [wordsOf(tokensOf(arguments[0])), wordsOf(tokensOf(arguments[1]))];"
            "const [inA, inB] = commonWords(a, b);"
            "return [a.filter((_, i) => !inA[i]), b.filter((_, i) => !inB[i])]", first, second)

    assert marked("the cat sat on the mat", "a cat sat on mat") == [["the", "the"], ["a"]]
    assert marked("她昨天买了三本书。", "她今天买了书。") == [["昨", "三", "本"], ["今"]]
    assert marked("", "a b") == [[], ["a", "b"]]
    assert marked("same", "same") == [[], []]
    assert page.run("return tokensOf('e\u0301t\u00e9 don\u2019t 3本 กิ').filter((t) => !t.space).map((t) => t.text)") == [
        "e\u0301t\u00e9", "don", "\u2019", "t", "3", "本", "กิ"]
    assert page.run("const many = Array.from({length: 5000}, (_, i) => 'a' + i);"
                    "return commonWords(many, many.toReversed())") is None
    marks = page.run("""
        const marked = markedTexts({references: ['the red cat sat there'], systems: ['the red dog sat', 'the cat sat', 'a mat']}, {base: 0, compared: 1});
        const of = (tokens, kind) => tokens.filter((token) => token[kind]).map(({text}) => text);
        return [...marked.references, ...marked.systems].map((tokens) => [of(tokens, 'off'), of(tokens, 'apart')]);""")
    assert marks == [[["there"], ["red", "cat"]], [["dog"], ["red", "dog"]], [[], ["cat"]], [["a", "mat"], []]], marks
    classes = page.run("""
        const marked = markedTexts({references: ['the red cat sat there'], systems: ['the red dog sat', 'the cat sat', 'a mat']}, {base: 0, compared: 1});
        return markedNodes(marked.references[0], ['off', 'apart']).filter((node) => node.localName === 'mark').map((node) => [node.textContent, node.className]);""")
    assert classes == [["red", "apart ink-0"], ["cat", "apart ink-1"], ["there", "off"]], classes
    page.choose("marks", "none")
    page.until(lambda: not page.all("#list mark"), "no marks")
    page.choose("marks", "both")


def test_a_count_of_labels_lists_its_sentences(page):
    if page.data["labels"] is None:
        assert not page("#labels").is_displayed()
        return
    names = page.data["labels"]["names"]
    for system in range(page.systems):
        page.choose("labels-of", str(system))
        cells = page.data["labels"]["systems"][system]
        buttons = page.all("#confusion-table button")
        assert [button.text.replace(",", "") for button in buttons] == [str(count) for *_, count in cells]
        wrong = [i for i, (reference, got, _) in enumerate(cells)
                 if reference != got and max(reference, got) < len(names)]
        chosen = max(wrong, key=lambda i: cells[i][2])
        reference, got, _ = cells[chosen]
        buttons[chosen].click()
        expected = []
        for sentence in range(page.count):
            if sentence % page.size == 0:
                block, _ = page.texts(sentence)
            at = sentence % page.size
            pairs = zip(block["references"][0][at].split(), block["systems"][system][at].split())
            if (names[reference], names[got]) in pairs:
                expected.append(sentence)
        page.until(lambda: page.run("return listed") == expected, f"{len(expected)} sentences")
        assert names[got] in page.text_of("#chips .chip")
        assert page.run("return document.activeElement.matches('.count[aria-pressed=true]')")
        page.run("chooseFilter('labels', null)")
        page.settled()


def test_arrow_keys_move_between_counts_of_labels(page):
    if page.data["labels"] is None:
        return
    page.run("document.querySelector('#confusion-table button').focus()")
    place = "return [document.activeElement.closest('tr').rowIndex, document.activeElement.closest('td').cellIndex]"
    row, column = page.run(place)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    below = page.run(place)
    assert below[0] > row and below[1] == column, (row, column, below)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert page.run(place) == [row, column]


def test_pages_of_the_list_are_turned(page):
    pages = -(-page.count // 20)
    if pages == 1:
        assert not page("#pager").is_displayed()
        return
    first = page.shown()
    page("#next").click()
    page.until(lambda: page.shown() != first and len(page.all("#list > li")) == len(page.shown()), "turned")
    field = page("#page-number")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(str(pages), Keys.ENTER)
    page.until(lambda: page.count - 1 in page.shown(), "the last page")
    page("#previous").click()
    page.run("turnTo(0)")
    page.until(lambda: page.shown() == first, "the first page")


def test_the_address_names_a_sentence(page):
    last = page.count
    page.run("chooseFilter('text', 'no sentence has this text 123')")
    page.until(lambda: page.run("return listed.length") == 0, "nothing is listed")
    page.run("location.hash = arguments[0]", f"sentence-{last}")
    page.until(lambda: page.all(f"#sentence-{last}") and page.count - 1 in page.shown(), "it is shown")
    page.load(1280)
    page.driver.get(page.path.as_uri() + f"#sentence-{last}")
    page.until(lambda: page.all(f"#sentence-{last}"), "also of a page that is opened with it")
    page.load(1280)


def test_texts_are_text(page):
    assert not page.all("#list script, #list img, #list iframe, #list bdi > b")
    assert page.run("return document.querySelectorAll('script').length") == \
        page.run("return document.querySelectorAll('body > script, head > script').length")


def test_chinese_has_every_text(page):
    page.run("setLanguage('zh')")
    page.until(lambda: "语料级得分" in page.text_of("main"), "the page is in Chinese")
    page.settled()
    page.accessible("Chinese")
    page.run("setLanguage('en')")
    page.settled()


def test_both_themes_and_a_phone_are_accessible(page):
    for width in (1280, 360):
        page.load(width)
        for of in ("difference", "scores"):
            page.choose("histogram-of", of)
            assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, width
            for theme in ("light", "dark"):
                page.run("setTheme(arguments[0])", theme)
                page.accessible(f"{theme}, {width} pixels, {of}")
    page.load(1280)


def test_it_opens_within_two_seconds(page):
    begin = time.time()
    page.load(1280)
    assert time.time() - begin < 2, time.time() - begin


def test_nothing_is_requested_or_reported(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    assert not messages, messages


if __name__ == "__main__":
    run_tests(globals(), EvaluationPage, __doc__)
