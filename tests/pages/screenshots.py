#!/usr/bin/env python3
"""Pictures of whole report pages for people to look at: wide and narrow, light and dark, in both languages.

Usage: screenshots.py FOLDER PAGE.html...

It tests nothing. The page of heed serve: tests/serve/browser_test.py --screenshots.
"""
import base64
import pathlib
import sys
import time

import chromium

KINDS = [(1280, "light", "en"), (1280, "dark", "zh"), (360, "dark", "en"), (360, "light", "zh")]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, sys.argv[2:]):
        page = chromium.Page(path, "main > *")
        for width, theme, language in KINDS:
            page.load(width)
            page.run("setTheme(arguments[0]); setLanguage(arguments[1])", theme, language)
            # As tall as the page: charts are drawn once they are in view.
            page.resize(width, page.run("return document.documentElement.scrollHeight"))
            time.sleep(0.5)
            picture = page.driver.execute_cdp_cmd("Page.captureScreenshot", {})
            (folder / f"{path.stem}-{width}-{theme}-{language}.png").write_bytes(base64.b64decode(picture["data"]))
        page.driver.quit()


main()
