#!/usr/bin/env python3
"""Makes the pictures of docs/: pages that heed writes about the model of `heed demo`, in Chromium.

Usage: make_pictures.py DEMO_DIRECTORY [NAME...]

DEMO_DIRECTORY is what `heed demo --minutes 4 --directory DEMO_DIRECTORY` made: its text is the
phrasebook, which is free to be shown. NAMEs choose pictures. HEED_PROGRAM names the program. Needs
Debian's chromium, chromium-driver and pngquant, and selenium from PyPI.
"""
import base64
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from selenium import webdriver

HEED = os.path.abspath(os.environ.get("HEED_PROGRAM", "build/release/heed"))
PICTURES = pathlib.Path(__file__).resolve().parent.parent / "docs/pictures"
WIDTH = 1180

TRANSLATE = ["translate", "--model", "zh-en", "--input", "test.zh", "--output"]
PAGE = ["--html", "page.html"]
WORDS = "location.hash = 'line-3'; document.querySelector('#unit input[value=words]').click()"

# Of each picture: the commands that write page.html, where zh-en is the model and test.* are the
# texts, a script that chooses what is shown, and the selectors of the first and the last element.
SHOTS = {
    "attention": ([[*TRANSLATE, "out.en", *PAGE, "--html-lines", "12"]], "location.hash = 'line-3'",
                  "header", "#attention"),
    "lines": ([[*TRANSLATE, "out.en", *PAGE, "--html-lines", "3"]], WORDS, "#attention-title", "#lines-view"),
    "lines.zh": ([[*TRANSLATE, "out.en", *PAGE, "--html-lines", "3"]], WORDS + "; setLanguage('zh')",
                 "#attention-title", "#lines-view"),
    "beam": ([[*TRANSLATE, "out.en", *PAGE, "--html-lines", "3"]], "location.hash = 'line-3'",
             "#search", "#search"),
    "run": ([["inspect", "run", "zh-en", *PAGE]], "document.querySelector('#sample-detail').scrollIntoView()",
            "header", "#samples"),
    "model": ([["inspect", "model", "zh-en", *PAGE]], "", "header", ".figure-and-detail"),
    "heads": ([["inspect", "model", "zh-en", "--source", "test.zh", "--reference", "test.en", *PAGE]],
              "document.querySelector('#site input[value=cross]').click()", "#heads", "#heads"),
    "evaluation": (
        [[*TRANSLATE, "max-length-12.en", "--max-length", "12"], [*TRANSLATE, "beam.en"],
         ["evaluate", "--hypothesis", "max-length-12.en", "beam.en", "--reference", "test.en", "--source",
          "test.zh", "--metrics", "bleu", "chrf", *PAGE]],
        "", "header", "#distributions"),
}


def write_page(commands, demo, folder):
    for name, link in [("model", "zh-en"), ("test.zh", "test.zh"), ("test.en", "test.en")]:
        (folder / link).symlink_to(demo / name)
    for command in commands:
        subprocess.run([HEED, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "page.html"


def small(picture):
    """With 256 colours, a third of the size."""
    return subprocess.run(["pngquant", "--speed", "1", "-"], input=picture, check=True, capture_output=True).stdout


def browser():
    options = webdriver.ChromeOptions()
    for option in ["--headless=new", "--no-sandbox", "--lang=en-US", "--hide-scrollbars"]:
        options.add_argument(option)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def screenshot(driver, first, last):
    rectangle = driver.execute_script(
        """const [first, last] = [...arguments].map((selector) => document.querySelector(selector).getBoundingClientRect());
        const x = Math.max(0, Math.min(first.left, last.left) - 8), y = Math.max(0, first.top + scrollY - 8);
        return {x, y, width: Math.max(first.right, last.right) + 8 - x, height: last.bottom + scrollY + 8 - y};""", first, last)
    clip = {**rectangle, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(shot["data"])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    demo = pathlib.Path(sys.argv[1]).resolve()
    chosen = sys.argv[2:] or list(SHOTS)
    PICTURES.mkdir(exist_ok=True)
    driver = browser()
    try:
        for name in chosen:
            commands, script, first, last = SHOTS[name]
            with tempfile.TemporaryDirectory() as folder:
                page = write_page(commands, demo, pathlib.Path(folder))
                driver.execute_cdp_cmd(
                    "Emulation.setDeviceMetricsOverride",
                    {"width": WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
                driver.get(page.as_uri())
                driver.execute_script(script)
                time.sleep(1)
                picture = small(screenshot(driver, first, last))
            (PICTURES / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture) // 1024} KiB")
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
