"""The page of `heed serve` in Chromium, for browser_test.py and browser_tasks_test.py."""
import argparse
import importlib.util
import os
import pathlib
import sys
import tempfile
import time
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

# Two lines of three sentences, and an empty line.
TEXT = "我妹妹昨天买了三本书。她很喜欢读书。\n\n老师请我们安静地听。"


def axe_of_package():
    spec = importlib.util.find_spec("axe_playwright_python")
    return spec and pathlib.Path(spec.origin).parent / "axe.min.js"


class Page:
    def __init__(self, arguments, ready):
        """`ready` selects the field that has a value once the page knows the models."""
        self.ready = ready
        options = webdriver.ChromeOptions()
        for option in ["--headless=new", "--no-sandbox", "--lang=en-US", "--force-device-scale-factor=1"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.downloads = tempfile.mkdtemp()
        options.add_experimental_option("prefs", {"download.default_directory": self.downloads,
                                                  "intl.accept_languages": "en-US"})
        self.driver = webdriver.Chrome(options=options,
                                       service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.url = arguments.url
        self.axe = pathlib.Path(arguments.axe or axe_of_package()).read_text()
        self.screenshots = arguments.screenshots
        self.size(1280, 820)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def offline(self, offline):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def load(self):
        self.driver.get(self.url)
        self.until(lambda: self(self.ready).get_attribute("value"), "models are offered")
        # Records what the page asks for.
        self.run("""const fetched = window.fetch; window.asked = [];
                    window.fetch = (path, init) => {
                      window.asked.push([path, init && init.body && JSON.parse(init.body)]);
                      return fetched(path, init);
                    };""")

    def __call__(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what, seconds=20):
        try:
            return WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition())
        except Exception as error:
            self.shot("failure")
            raise AssertionError(f"not within {seconds} s: {what}") from error

    def translation(self):
        return self.run("return [...document.querySelectorAll('#output .line')]"
                        ".map((line) => line.textContent).join('\\n')")

    def translated(self, what="the translation is complete"):
        time.sleep(0.4)  # the pause of typing
        self.until(lambda: self.translation() and not self.all(".busy") and not self.all(".stale"), what)
        return self.translation()

    def asked(self):
        return self.run("return window.asked.splice(0)")

    def texts_asked(self):
        return [text for path, body in self.asked() if path == "v1/translate" for text in body["text"]]

    def type(self, text):
        self("#source").send_keys(text)

    def clear(self):
        if self("#clear").is_displayed():
            self("#clear").click()
        self.until(lambda: self.translation() == "", "the translation is empty")

    def keys(self, *keys):
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def chord(self, modifier, key):
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def hover_first_word(self):
        box = self.run("const range = document.createRange();"
                       "const texts = document.createTreeWalker(document.querySelector('.sentence'),"
                       " NodeFilter.SHOW_TEXT);"
                       "let text = texts.nextNode();"
                       "while (text.length === 0) text = texts.nextNode();"
                       "range.setStart(text, 0); range.setEnd(text, 1);"
                       "const {x, y, width, height} = range.getBoundingClientRect();"
                       "return [x + width / 2, y + height / 2]")
        actions = ActionChains(self.driver)
        actions.w3c_actions.pointer_action.move_to_location(*map(int, box))
        actions.perform()

    def accessible(self, where):
        if not self.run("return 'axe' in window"):
            self.run(self.axe)
        result = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document).then(done, (e) => done({error: String(e)}))")
        assert "error" not in result, result["error"]
        problems = [f"{v['id']}: {v['help']}: {[n['html'][:120] for n in v['nodes']][:3]}"
                    for v in result["violations"]]
        assert not problems, f"axe, {where}: " + "; ".join(problems)

    def fits(self, where):
        wide = self.run("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{where}: {wide} pixels too wide"

    def shot(self, name):
        if self.screenshots:
            self.driver.save_screenshot(os.path.join(self.screenshots, name + ".png"))

    def no_errors(self):
        entries = [e["message"] for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        entries = [e for e in entries if "ERR_INTERNET_DISCONNECTED" not in e and " 429 " not in e
                   and " 401 " not in e and " 403 " not in e]
        assert not entries, "console: " + "; ".join(entries)
        host = urlsplit(self.url).netloc
        others = [u for u in self.run("return performance.getEntriesByType('resource').map((e) => e.name)")
                  if urlsplit(u).netloc not in (host, "") or not u.startswith(("http", "blob"))]
        assert not others, f"requests to other hosts: {others}"


def arguments_of(documentation, flags={}):
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--axe")
    parser.add_argument("--screenshots")
    parser.add_argument("--only", default="")
    for flag, meaning in flags.items():
        parser.add_argument(flag, action="store_true", help=meaning)
    arguments = parser.parse_args()
    if not (arguments.axe or axe_of_package()):
        sys.exit("--axe is missing, and axe-playwright-python is not installed")
    return arguments


def tests_among(names, arguments):
    return [test for name, test in names.items() if name.startswith("test_") and arguments.only in name]


def run_tests(page, tests):
    failures = 0
    try:
        for test in tests:
            try:
                page.load()
                # A text would come back, as it does after a reload.
                page.run("document.querySelector('#source').value = ''")
                page.run("localStorage.clear(); sessionStorage.clear()")
                page.load()
                page.run("localStorage.clear()")
                test(page)
                page.no_errors()
                print("ok    ", test.__name__, flush=True)
            except Exception as error:  # the next test may well pass
                failures += 1
                page.shot("failed_" + test.__name__)
                page.offline(False)
                page.driver.get_log("browser")
                print("FAILED", test.__name__, repr(error)[:600], flush=True)
    finally:
        page.driver.quit()
    print(f"{len(tests) - failures} of {len(tests)} tests passed")
    sys.exit(failures > 0)
