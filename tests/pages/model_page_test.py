#!/usr/bin/env python3
"""Tests a page of `heed inspect model DIR --source FILE --html PAGE` in Chromium. Not part of ctest.

Usage: model_page_test.py PAGE.html [MORE.html...]

chromium.py says what this needs.
"""
import json

import chromium


def open_page(path):
    return chromium.Page(path, "#parts-rows tr")


def number(text):
    return int(text.replace(",", ""))


def test_parts_have_the_numbers_of_the_data(page):
    rows = page.all("#parts-rows tr")
    parts = page.data["model"]["parts"]
    assert len(rows) == len(parts) + 1, len(rows)
    for row, part in zip(rows, parts):
        cells = [cell.text for cell in row.find_elements("css selector", "th, td")]
        assert cells[0] == part["name"], cells
        assert cells[1] == " × ".join(map(str, part["shape"])), cells
        if part["parameters"]:
            assert number(cells[2]) == part["parameters"], cells
            assert number(cells[4]) == part["copies"] * part["parameters"], cells
    total = [number(cell.text) for cell in rows[-1].find_elements("css selector", "td") if cell.text]
    model = page.data["model"]
    work = model["multiply_adds_per_source_token"] + model["multiply_adds_per_target_token"]
    assert total == [model["parameters"], round(work)], total


def test_all_copies_sum_to_the_total(page):
    tops = page.run(
        """return [...document.querySelectorAll("#parts-rows .depth-0")].map((row) =>
        [...row.querySelectorAll("td")].slice(3, 5).map((cell) => Number(cell.textContent.replaceAll(",", ""))))""")
    *parts, total = tops
    assert [sum(part[i] for part in parts) for i in (0, 1)] == total, tops


def test_shares_are_compared_at_one_place(page):
    shares = page.run("return [...document.querySelectorAll('#parts-rows .percent')].map((one) => one.textContent)")
    assert shares and "0.0%" not in shares and not any(" " in share for share in shares), shares
    assert page.run("return new Set([...document.querySelectorAll('#parts-rows .share')].map((bar) => Math.round(bar.getBoundingClientRect().x))).size") == 1


def test_a_box_of_the_figure_shows_its_parts(page):
    layers = {part["name"].split()[0]: part["copies"] for part in page.data["model"]["parts"] if part["depth"] == 0}
    times = [place.text for place in page.all("#figure .times")]
    assert times == [f"{layers['Encoder']}×", f"{layers['Decoder']}×"], times
    boxes = page.all("#figure .part")
    for box in boxes:
        page.run("arguments[0].dispatchEvent(new MouseEvent('click'))", box)
        assert box.get_attribute("aria-pressed") == "true"
        assert page("#part-name").text == box.get_attribute("aria-label")
        assert page.all("#part-rows tr")
    assert len(page.all("#figure .part[aria-pressed=true]")) == 1


def test_masks_hide_what_is_ahead(page):
    pictures = page.all("#mask-pictures canvas")
    assert len(pictures) == 3
    local = page.data["variants"]["attention_reach"].startswith("local:")
    encoder, decoder, cross = page.run(
        """return [...document.querySelectorAll("#mask-pictures canvas")].map((canvas) => {
          const {width} = canvas, {data} = canvas.getContext("2d").getImageData(0, 0, width, width);
          const place = (cell) => Math.floor((cell + .5) * width / 12);
          const at = (row, column) => [...data.slice(4 * (place(row) * width + place(column))).slice(0, 4)].join();
          return [at(5, 5), at(5, 4), at(5, 6), at(0, 11)] })""")
    seen = decoder[0]
    assert decoder[1] == seen and decoder[2] == decoder[3] != seen, decoder
    # The last corner is far from the diagonal: seen, unless there is a window.
    assert (encoder[3] == seen) == (cross[3] == seen) == (not local), (encoder, cross)


def test_histograms_tell_their_values(page):
    if not page.data["statistics"]:
        return
    spreads = page.all(".spread")
    assert len(spreads) == len(page.data["statistics"])
    outside = sum(not one["name"].startswith(("encoder.", "decoder.")) for one in page.data["statistics"])
    assert len(page.all("#weights-rows td[colspan]")) == outside, "what is in no layer is not in the column of one"
    spreads[0].click()
    assert page.data["statistics"][0]["name"] in page("#weights-readout").text


def test_heads_have_the_numbers_of_the_data(page):
    heads = page.data["heads"]
    assert page("#heads").is_displayed() == bool(heads)
    if not heads:
        return
    for site in heads["sites"]:
        page.run("document.querySelector(`#site input[value=${arguments[0]}]`).click()", site["site"])
        buttons = page.all(".head-role")
        assert len(buttons) == len(site["heads"])
        for button, head in zip(buttons, site["heads"]):
            weight = max(value for value in head["weights"].values() if value is not None)
            shown = head["entropy"] if head["role"] == "diffuse" else weight
            assert button.find_element("css selector", ".number").text.endswith(f"{shown:.2f}"), head
    costs = [row.find_element("css selector", "td").text for row in page.all("#costs-rows tr")]
    expected = sorted(head["loss_without"] - heads["loss"] for site in heads["sites"] for head in site["heads"])
    assert [float(cost.replace("−", "-")) for cost in costs] == [round(cost, 4) for cost in expected]
    assert "−0.0000" not in costs and "+0.0000" not in costs


def test_chinese_has_every_text(page):
    keys = page.run("return [Object.keys(strings.en).sort(), Object.keys(strings.zh).sort()]")
    assert keys[0] == keys[1]
    page.run("setLanguage('zh')")
    assert "结构" in page.text_of("main")
    english = {part["name"] for part in page.data["model"]["parts"]}
    for cell in page.all("#parts-rows th"):
        assert cell.text not in english, cell.text
    page.accessible("Chinese")
    page.run("setLanguage('en')")


def test_hostile_names_are_text(page):
    data = json.loads(page.text_of("#data"))
    hostile = "<img src=x onerror=alert(1)>\"'&amp;\u202eabc" + "x" * 20000
    data["model"]["name"] = hostile
    if data["heads"]:
        data["heads"]["source"] = hostile
    page.run("page = arguments[0]; drawAll()", data)
    assert "<img src=x" in page("#title").text and not page.all("main img")
    assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    page.load(1280)


def test_both_themes_and_a_phone_are_accessible(page):
    for width in (1280, 360):
        page.load(width)
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, width
        for theme in ("light", "dark"):
            page.run("setTheme(arguments[0])", theme)
            page.accessible(f"{theme}, {width} pixels")


def test_nothing_is_requested_or_reported(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    assert not messages, messages


if __name__ == "__main__":
    chromium.run_tests(globals(), open_page, __doc__)
