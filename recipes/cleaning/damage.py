#!/usr/bin/env python3
"""Damages 220 of 2,000 pairs of parallel text, and counts what `heed clean` makes of them.

    recipes/cleaning/damage.py SOURCE TARGET [--seeds N]

In the targets of 100 pairs a digit is changed, in 80 a placeholder is lost or changed, in 40 a tag. The
text is drawn from all pairs of the two files (plain or gzip), which should have that many of each kind.
"""
import argparse
import gzip
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heed_program  # noqa: E402

PAIRS = 2000
KINDS = {  # the part that is damaged, and how many pairs have it
    "tag": (re.compile(r"</?[a-z][^<>]*>"), 40),
    "placeholder": (re.compile(r"%[sd]|\{\w+\}|%\(\w+\)s|\$\{\w+\}"), 80),
    "digit": (re.compile(r"\d{2,}"), 100),
}


def lines_of(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def damaged(text, kind, draw):
    part = draw.choice(list(KINDS[kind][0].finditer(text)))
    found = part.group()
    if kind == "digit":
        place = draw.randrange(len(found))
        other = draw.choice([digit for digit in "123456789" if digit != found[place]])
        put = found[:place] + other + found[place + 1:]
    else:
        put = draw.choice(["", {"tag": "<i>", "placeholder": "{other}"}[kind]])
    if put == found:
        put = ""
    return text[:part.start()] + put + text[part.end():]


def sample(pairs, draw):
    """The pairs, and the kind of damage of each, or none."""
    left = {kind: count for kind, (_, count) in KINDS.items()}
    chosen, others = [], []
    for source, target in draw.sample(pairs, len(pairs)):
        kind = next((kind for kind, (part, _) in KINDS.items()
                     if left[kind] and part.search(source) and part.search(target)), None)
        if kind:
            left[kind] -= 1
            chosen.append((source, damaged(target, kind, draw), kind))
        else:
            others.append((source, target, None))
    if any(left.values()):
        sys.exit(f"damage.py: the text lacks {left}")
    chosen += others[:PAIRS - len(chosen)]
    draw.shuffle(chosen)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--heed", default=HERE.parent.parent / "build/release/heed")
    arguments = parser.parse_args()
    pairs = list(zip(lines_of(arguments.source), lines_of(arguments.target)))
    for seed in range(1, arguments.seeds + 1):
        chosen = sample(pairs, random.Random(seed))
        with tempfile.TemporaryDirectory() as folder:
            names = [pathlib.Path(folder, name) for name in ("source", "target", "kept1", "kept2", "rejected")]
            for side in (0, 1):
                names[side].write_text("".join(pair[side] + "\n" for pair in chosen), encoding="utf-8", newline="\n")
            heed_program.heed(arguments.heed, "clean", *names[:2], "--output", *names[2:4], "--rejected", names[4])
            rejected = {int(line.split("\t")[0].rsplit(":", 1)[1]) for line in lines_of(names[4])}
        harmed = {number for number, pair in enumerate(chosen, 1) if pair[2]}
        print(f"seed {seed}: removed {len(harmed & rejected)} of {len(harmed)} damaged pairs and "
              f"{len(rejected - harmed)} of {len(chosen) - len(harmed)} others")


if __name__ == "__main__":
    main()
