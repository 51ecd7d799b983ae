#!/usr/bin/env python3
"""Where alignments put tags: the spans of inline tags of given translations, as links of words find them.

    pip install eflomal
    recipes/alignment/spans.py --data DIR --source en --target de [--heed PROGRAM] [--model DIR...]

DIR has train, test and test.tagged of both languages (train.en, ..., plain or .gz); the tagged files are the
test text as HTML. A tag of the source belongs around the target words that the words within it are linked to,
from the first to the last of them; the reference shows where it really is. Counted are the tags that both sides
have equally often. Printed is F1 over the words within tags, and the share of the spans that are exactly right,
for `heed align`, for the attention of each --model, and for eflomal (the package's default).
"""
import argparse
import gzip
import html
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import heed_program  # noqa: E402
from compare import grown, links_of  # noqa: E402

TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)([^<>]*?)(/?)>")


def read(folder, name):
    path = folder / name
    text = path.read_text(encoding="utf-8") if path.exists() else gzip.open(f"{path}.gz", "rt", encoding="utf-8").read()
    return text.splitlines()


def spans(line):
    """The text without tags, and by tag the spans of characters within each of its occurrences."""
    text, at, opened, found = "", 0, [], {}
    for tag in TAG.finditer(line):
        text += html.unescape(line[at:tag.start()])
        at = tag.end()
        closing, name, attributes, void = tag.groups()
        if closing:
            for i in reversed(range(len(opened))):
                if opened[i][0] == name:
                    _, key, begin = opened.pop(i)
                    found.setdefault(key, []).append((begin, len(text)))
                    break
        elif not void:
            opened.append((name, (name, attributes), len(text)))
    return text + html.unescape(line[at:]), found


def words_in(text, span):
    """The numbers of the words between white space that a span of characters touches."""
    return {i for i, word in enumerate(re.finditer(r"\S+", text)) if word.start() < span[1] and word.end() > span[0]}


class Score:
    def __init__(self):
        self.right = self.placed = self.wanted = self.exact = self.count = 0

    def add(self, placed, wanted):
        self.right += len(placed & wanted)
        self.placed += len(placed)
        self.wanted += len(wanted)
        self.exact += placed == wanted
        self.count += 1

    def __str__(self):
        f1 = 2 * self.right / max(1, self.placed + self.wanted)
        return f"F1 {100 * f1:.1f}, {100 * self.exact / max(1, self.count):.1f} % of {self.count} spans exact"


def score(tagged, links):
    total = Score()
    for (source, target), of_pair in zip(tagged, links):
        source_text, source_spans = spans(source)
        target_text, target_spans = spans(target)
        for key, from_spans in source_spans.items():
            to_spans = target_spans.get(key, [])
            if len(from_spans) != len(to_spans):
                continue
            for from_span, to_span in zip(from_spans, to_spans):
                within, wanted = words_in(source_text, from_span), words_in(target_text, to_span)
                if not within or not wanted:
                    continue
                linked = [t for s, t in of_pair if s in within]
                total.add(set(range(min(linked), max(linked) + 1)) if linked else set(), wanted)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--source", required=True, help="code of the source language")
    parser.add_argument("--target", required=True, help="code of the target language")
    parser.add_argument("--heed", default="heed", help="the program")
    parser.add_argument("--model", nargs="*", default=[], help="translators")
    settings = parser.parse_args()
    sides = (settings.source, settings.target)
    tagged = list(zip(*(read(settings.data, f"test.tagged.{side}") for side in sides)))
    plain = [[spans(line)[0] for line in lines] for lines in zip(*tagged)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def write(file, lines):
            (folder / file).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            return folder / file

        tests = [write(f"test.{i}", lines) for i, lines in enumerate(plain)]
        everything = [read(settings.data, f"train.{side}") + lines for side, lines in zip(sides, plain)]
        all_files = [write(f"all.{i}", lines) for i, lines in enumerate(everything)]

        def heed_links(files, *options):
            out = folder / "links"
            heed_program.heed(settings.heed, "align", "--source", files[0], "--target", files[1], "--output", out,
                              *options)
            return links_of(out)[-len(tagged):]

        for symmetrization in ("grow-diag-final-and", "intersection"):
            begin = time.monotonic()
            links = heed_links(all_files, "--symmetrize", symmetrization)
            print(f"heed align {symmetrization}: {score(tagged, links)}, {time.monotonic() - begin:.0f} s")
        for model in settings.model:
            print(f"{model}: {score(tagged, heed_links(tests, '--model', model))}")
        from eflomal import Aligner

        lower = [write(f"lower.{i}", map(str.lower, lines)) for i, lines in enumerate(everything)]
        begin = time.monotonic()
        with open(lower[0]) as source, open(lower[1]) as target:
            Aligner().align(source, target, links_filename_fwd=str(folder / "forward"),
                            links_filename_rev=str(folder / "backward"))
        forward, backward = (links_of(folder / file)[-len(tagged):] for file in ("forward", "backward"))
        seconds = time.monotonic() - begin
        for kind, links in (("grow-diag-final-and", [grown(f, b) for f, b in zip(forward, backward)]),
                            ("intersection", [set(f) & set(b) for f, b in zip(forward, backward)])):
            print(f"eflomal {kind}: {score(tagged, links)}, {seconds:.0f} s")


if __name__ == "__main__":
    main()
