#!/usr/bin/env python3
"""Translates messages of programs as a PO catalog, and counts those that keep their placeholders and tags.

The messages are those of MO files (by default all under /usr/share/locale) that have a placeholder or a
tag, by expressions of this script's own; N of them, drawn at random, are translated as one catalog.

    build/python/venv/bin/python recipes/documents/catalogs.py MODEL [--messages 5000] [MO...]
"""
import argparse
import collections
import gettext
import glob
import random
import re
import time

import heed

# Conversions of printf, names in braces, tags. Not the space flag: "100% of" has none.
PLACEHOLDER = re.compile(r"%(?:\d+\$)?(?:\(\w+\))?[-+#0]*(?:\d+|\*)?(?:\.\d+)?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcsCSpnm]|\{\w*\}")
TAG = re.compile(r"</?[A-Za-z][\w.:-]*(?:\s+[\w.:-]+=(?:\"[^\"]*\"|'[^']*'))*\s*/?>")


def quoted(text):
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def messages_of(files):
    found = set()
    for file in files:
        try:
            with open(file, "rb") as stream:
                catalog = gettext.GNUTranslations(stream)._catalog
        except (OSError, UnicodeDecodeError, LookupError, ValueError):
            continue
        for message in catalog:
            text = message if isinstance(message, str) else message[0]
            text = text.split("\x04")[-1]  # without its context
            clean = all(c >= " " or c in "\n\t" for c in text)
            if clean and (PLACEHOLDER.search(text.replace("%%", "")) or TAG.search(text)):
                found.add(text)
    return sorted(found)


def counts(expression, text):
    return collections.Counter(expression.findall(text.replace("%%", "")))


def strings_of(catalog):
    """The values of the msgstr of a catalog, in order."""
    values = []
    for line in catalog.split("\n"):
        if line.startswith("msgstr "):
            values.append("")
            line = line[7:]
        elif not line.startswith('"') or not values:
            continue
        if line.startswith('"'):
            names = {"n": "\n", "t": "\t", "r": "\r"}
            values[-1] += re.sub(r"\\(.)", lambda m: names.get(m.group(1), m.group(1)), line[1:-1])
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--messages", type=int, default=5000)
    arguments = parser.parse_args()
    files = arguments.files or sorted(glob.glob("/usr/share/locale/*/LC_MESSAGES/*.mo"))
    messages = messages_of(files)
    random.Random(1).shuffle(messages)
    messages = messages[: arguments.messages]
    catalog = "\n".join(f'msgid {quoted(message)}\nmsgstr ""\n' for message in messages)
    start = time.time()
    made = strings_of(heed.Model(arguments.model).translate_document(catalog, "po"))
    seconds = time.time() - start
    assert len(made) == len(messages), (len(made), len(messages))
    kept = tags = both = tagged = 0
    for message, translation in zip(messages, made):
        same = counts(PLACEHOLDER, message) == counts(PLACEHOLDER, translation)
        same_tags = counts(TAG, message) == counts(TAG, translation)
        kept += same
        tags += same_tags
        both += same and same_tags
        tagged += bool(TAG.search(message))
        if not (same and same_tags) and len(messages) - both < 12 + both:
            print(repr(message)[:160], "->", repr(translation)[:160])
    print(f"{len(messages)} messages of {len(files)} files, {tagged} with tags, in {seconds:.0f} s: "
          f"{kept} with every placeholder as often, {tags} with every tag, {both} with both")


if __name__ == "__main__":
    main()
