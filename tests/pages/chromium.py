"""A page in Chromium, for the tests of pages.

Needs Debian's chromium and chromium-driver, and selenium and axe-playwright-python (for its copy of
axe-core) from PyPI.
"""
import base64
import importlib.util
import json
import pathlib
import struct
import sys
import zlib

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


class Block:
    """A part of the data of a page, unpacked as the browser does it."""

    def __init__(self, text):
        data = zlib.decompress(base64.b64decode(text))
        (length,) = struct.unpack_from("<I", data)
        self.json = json.loads(data[4 : 4 + length])
        count = (len(data) - 4 - length) // 2
        self.numbers = struct.unpack_from(f"<{count}H", data, 4 + length)


class Page:
    """A page and the data that it has. `ready` is a selector of what shows that it is drawn."""

    def __init__(self, path, ready):
        options = webdriver.ChromeOptions()
        for option in ["--headless=new", "--no-sandbox", "--lang=en-US"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.path = pathlib.Path(path).resolve()
        self.ready = ready
        found = importlib.util.find_spec("axe_playwright_python")
        self.axe = (pathlib.Path(found.origin).parent / "axe.min.js").read_text()
        self.load(1280)
        self.data = json.loads(self.text_of("#data"))

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def load(self, width):
        self.resize(width, 900)
        self.driver.get("about:blank")
        self.driver.get(self.path.as_uri())
        self.until(lambda: self.all(self.ready), "the page is drawn")

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

    def block(self, number):
        return Block(self.text_of(f"#block-{number}"))

    def accessible(self, where):
        self.run(self.axe)
        problems = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((r) => done(r.violations.map((v) => v.id"
            " + ': ' + v.nodes.slice(0, 3).map((n) => n.html).join(' '))))"
        )
        assert not problems, f"axe, {where}: {problems}"


def run_tests(tests, open_page, usage):
    """Runs the functions test_* among `tests` on a page for each argument of the command line."""
    failures = 0
    named = [(name, test) for name, test in tests.items() if name.startswith("test_")]
    for path in sys.argv[1:] or sys.exit(usage):
        page = open_page(path)
        for name, test in named:
            try:
                test(page)
                print(f"ok      {name}")
            except Exception as error:  # noqa: BLE001 the next test says more
                failures += 1
                print(f"FAILED  {name}: {type(error).__name__}: {error}")
        page.driver.quit()
        print(f"{path}: {len(named)} tests")
    sys.exit(failures > 0)
