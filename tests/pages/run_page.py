"""What the tests of pages of training runs share: they show the page with other data."""
import copy
import json
import pathlib
import tempfile

import chromium
from selenium.webdriver.common.action_chains import ActionChains

__all__ = ["fixed", "open_page", "place_of", "press", "set_range", "settle", "show", "values_of"]


def open_page(path):
    page = chromium.Page(path, "#title")
    page.original = page.path
    page.first = page.data
    page.folder = tempfile.TemporaryDirectory()
    page.made = {}
    return page


def show(page, name, change=None, width=1280):
    """Opens the page with its data changed by `change`, once for each name."""
    if name not in page.made:
        data = copy.deepcopy(page.first)
        if change:
            change(data)
        text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        html = page.original.read_text()
        begin = html.index('id="data">') + len('id="data">')
        file = pathlib.Path(page.folder.name) / f"{name}.html"
        file.write_text(html[:begin] + text + html[html.index("</script>", begin):])
        page.made[name] = (file, data)
    page.path, page.data = page.made[name]
    page.load(width)
    page.run("sessionStorage.clear()")
    page.load(width)
    return page.data["runs"]


def fixed(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def values_of(page, chart):
    """The values that a chart lists, by the names of its rows."""
    rows = page.run("return [...document.querySelectorAll(arguments[0] + ' .values tbody tr')].map((row) =>"
                    " [row.querySelector('.name').textContent, ...[...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())])", chart)
    return {name: cells for name, *cells in rows}


def place_of(page, chart="#chart-nll"):
    return page.text_of(chart + " .values-place")


def press(page, chart, *keys):
    page.run("document.querySelector(arguments[0] + ' .cursor').focus()", chart)
    for key in keys:
        ActionChains(page.driver).send_keys(key).perform()


def settle(page):
    page.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def set_range(page, selector, value):
    page.run("const range = document.querySelector(arguments[0]); range.value = arguments[1];"
             "range.dispatchEvent(new Event('input', {bubbles: true}))", selector, value)
    settle(page)
