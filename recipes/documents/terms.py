#!/usr/bin/env python3
"""What a list of terms does to the translation of a test text.

    ./dev python
    build/python/venv/bin/python recipes/documents/terms.py --model DIR --data DIR --source en --target de

DATA has train, test and test.tagged of both languages (train.en, ..., plain or .gz). The terms are interface
strings: short lines of the training text, found between tags of the test text, that training sentences translate
by one of their forms in at least 70% of cases (`--agreement`; 0 takes all). They are written to `--output`, and
printed are: the occurrences that have a form and those that are missed, BLEU and chrF without and with the
terms, and how long the translation takes with them, as the median of pairs of runs.
"""
import argparse
import collections
import html
import pathlib
import re
import statistics
import sys
import time

import heed

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "alignment"))
from spans import read  # noqa: E402

MAX_FORMS = 8


def label(line):
    """An interface string without the marks of its key and of what it opens."""
    return re.sub(r"[~_]", "", line).strip().rstrip(".…:").strip()


def whole(texts):
    return re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in texts))


def interface_strings(sources, targets):
    forms = collections.defaultdict(collections.Counter)
    for source, target in zip(map(label, sources), map(label, targets)):
        if re.fullmatch(r"[A-Z][A-Za-z-]+( [A-Za-z-]+){0,3}", source) and len(source) > 3:
            if 0 < len(target) <= 60 and not re.search(r"[|%{}<>\t]", target):
                forms[source][target] += 1
    return {source: [form for form, _ in found.most_common(MAX_FORMS)] for source, found in forms.items()}


def marked_texts(tagged):
    """The texts between tags, and the parts of paths through menus."""
    found = set()
    for line in tagged:
        for text in re.findall(r">([^<>]+)</", line):
            found.update(label(part) for part in re.split(r" - |: ", html.unescape(text)))
    return found


def agreement(source, forms, pairs):
    pattern, wanted = whole([source]), whole(forms)
    used = [bool(wanted.search(target)) for text, target in pairs if source in text and pattern.search(text)]
    return sum(used) / len(used) if len(used) >= 3 else 0


def term_list(arguments):
    train = [read(arguments.data, f"train.{side}") for side in (arguments.source, arguments.target)]
    marked = marked_texts(read(arguments.data, f"test.tagged.{arguments.source}"))
    known = {s: f for s, f in interface_strings(*train).items() if s in marked}
    pairs = [(s, t) for s, t in zip(*train) if len(s) > 40]
    return {s: f for s, f in sorted(known.items()) if agreement(s, f, pairs) >= arguments.agreement}


def timed(model, lines, **options):
    begin = time.perf_counter()
    translations = model.translations(lines, **options)
    return translations, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--agreement", type=float, default=0.7)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", default="terms.tsv")
    arguments = parser.parse_args()
    terms = term_list(arguments)
    with open(arguments.output, "w", encoding="utf-8") as output:
        output.writelines(f"{source}\t{'|'.join(forms)}\texact\n" for source, forms in terms.items())
    model = heed.Model(arguments.model)
    lines = read(arguments.data, f"test.{arguments.source}")
    references = read(arguments.data, f"test.{arguments.target}")
    ratios = []
    for _ in range(arguments.runs):
        plain, before = timed(model, lines)
        with_terms, after = timed(model, lines, terms=arguments.output)
        ratios.append(after / before)
    uses = [use for one in with_terms for use in one.terms]
    missed = collections.Counter(use.missed for use in uses if use.missed)
    touched = [i for i, one in enumerate(with_terms) if one.terms]
    print(f"{len(terms)} terms, {len(uses)} occurrences in {len(touched)} of {len(lines)} lines: "
          f"{len(uses) - sum(missed.values())} have a form, missed {dict(missed)}")
    others = sum(a.text != b.text for a, b in zip(plain, with_terms) if not b.terms)
    print(f"lines without terms that changed: {others}")
    tokenize = heed.suitable_bleu_tokenizer(references)
    for name, of in (("all lines", range(len(lines))), ("lines with terms", touched)):
        chosen = [references[i] for i in of]
        for kind, made in (("plain", plain), ("with terms", with_terms)):
            texts = [made[i].text for i in of]
            scores = heed.evaluate(texts, chosen, metrics=["bleu", "chrf"], bleu_tokenize=tokenize)
            print(f"{name}, {kind}: BLEU {scores['bleu'].score:.2f}, chrF {scores['chrf'].score:.2f}")
    print(f"time with terms: {statistics.median(ratios):.2f} of plain")


if __name__ == "__main__":
    main()
