#!/usr/bin/env python3
"""What becomes of the tags of a test text that is translated as HTML, and where they go.

    ./dev python
    build/python/venv/bin/python recipes/documents/tags.py --model DIR --data DIR --source en --target de

DATA has test and test.tagged of both languages (test.en, test.tagged.en, ..., plain or .gz); each line of the
tagged files is the line of the plain one as HTML. Printed are: the lines whose translation has every tag of
the source, each as often, and is nested properly; BLEU and chrF of the translation without its tags, and of
the plain text translated as sentences; and, with the tags of the source put around the reference
(Model.transfer_tags), F1 of the words within tags, for the tags that both sides have equally often.
"""
import argparse
import collections
import html
import pathlib
import re
import sys

import heed

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "alignment"))
from spans import Score, read, spans, words_in  # noqa: E402

TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->")
VOID = {"img", "br", "input", "wbr", "hr"}


def is_nested(text):
    opened = []
    for closing, name in re.findall(r"<(/?)([A-Za-z][\w-]*)", text):
        if closing:
            if not opened or opened.pop() != name.lower():
                return False
        elif name.lower() not in VOID:
            opened.append(name.lower())
    return not opened


def plain(text):
    return " ".join(html.unescape(TAG.sub("", text)).split())


def translated(model, lines):
    """Each line as a paragraph of one document, translated."""
    document = model.translate_document("".join(f"<p>{line}</p>\n" for line in lines))
    return [line.removeprefix("<p>") for line in document.split("</p>\n")[:-1]]


def report_tags(arguments, model):
    lines = read(arguments.data, f"test.tagged.{arguments.source}")
    made = translated(model, lines)
    kept = [collections.Counter(TAG.findall(a)) == collections.Counter(TAG.findall(b)) for a, b in zip(lines, made)]
    tagged = [i for i, line in enumerate(lines) if TAG.search(line)]
    print(f"{len(tagged)} of {len(lines)} lines have tags: {sum(kept[i] for i in tagged)} keep all, "
          f"{sum(is_nested(made[i]) for i in tagged)} are nested")
    references = read(arguments.data, f"test.{arguments.target}")
    sentences = model.translate(read(arguments.data, f"test.{arguments.source}"), split="sentences")
    tokenize = heed.suitable_bleu_tokenizer(references)
    for name, hypotheses in ("as HTML", [plain(line) for line in made]), ("plain", sentences):
        scores = heed.evaluate(hypotheses, references, metrics=["bleu", "chrf"], bleu_tokenize=tokenize)
        print(f"{name}: BLEU {scores['bleu'].score:.2f}, chrF {scores['chrf'].score:.2f}")


def report_places(arguments, model):
    total = Score()
    sides = [read(arguments.data, f"test.tagged.{language}") for language in (arguments.source, arguments.target)]
    for source, target in zip(*sides):
        text, wanted = spans(target)
        own = spans(source)[1]
        if not any(key in wanted for key in own):
            continue
        try:
            made = model.transfer_tags(source, text)
        except heed.Error:  # tags of blocks, or no letter
            continue
        made_text, placed = spans(made)
        if made_text.split() != text.split():
            sys.exit(f"tags.py: the text changed: {made}")
        for key, of_source in own.items():
            if len(of_source) == len(wanted.get(key, [])):
                for a, b in zip(placed[key], wanted[key]):
                    if words_in(text, b):
                        total.add(words_in(made_text, a), words_in(text, b))
    print(f"tags around the reference: {total}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", required=True)
    arguments = parser.parse_args()
    model = heed.Model(arguments.model)
    report_tags(arguments, model)
    report_places(arguments, model)


if __name__ == "__main__":
    main()
