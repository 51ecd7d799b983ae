#!/usr/bin/env python3
"""Writes tests/evaluate/data/brackets.json: what EVALB prints about random trees, with its COLLINS.prm.

    python3 tools/make_bracket_goldens.py FOLDER    # with the program evalb and COLLINS.prm

EVALB is Sekine and Collins's; its source is in the folder EVALB of github.com/nikitakit/self-attentive-parser:
gcc -w -o evalb evalb.c. One corpus of the file:

{"sentences": [[reference, hypothesis, status, length, matched, in reference, in hypothesis, crossing,
                words, correct tags], ...],
 "all": [...], "40": [...]}    # the values of both summaries as printed, nan as 0.00
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

from metric_goldens import FOLDER, compact

CORPORA, PAIRS, SEED = 16, 50, 20261126

LABELS = [
    "S", "NP", "VP", "PP", "ADVP", "PRT", "SBAR", "NP-SBJ-1", "NP=2", "NP-SBJ", "ADVP-TMP", "PRT-2", "S-TPC=3",
    "TOP", "TOP-X", "X|Y", "-NONE-", "-LRB-", "UCP", "",
]  # fmt: skip
TAGS = ["DT", "NN", "NNS", "VBZ", "IN", "JJ", "ADVP", "PRT", "NN-X", "NN=1", "-LRB-", "-RRB-", "TOP", "$", "#"]
PUNCTUATION = [(",", ","), (".", "."), (":", "--"), (":", ";"), ("``", "``"), ("''", "''"), (".", "?")]
TRACES = [("-NONE-", "*T*-1"), ("-NONE-", "0"), ("-NONE-", "*")]
WORDS = ["the", "cat", "sits", "on", "a", "mat", "-LRB-", "-RRB-", "café", "猫", "3,000", "it", "'s", "*", "NP"]


def random_leaves(rng, count):
    leaves = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.15:
            leaves.append(rng.choice(PUNCTUATION))
        elif kind < 0.22:
            leaves.append(rng.choice(TRACES))
        else:
            leaves.append((rng.choice(TAGS), rng.choice(WORDS)))
    return leaves


def bracketed(rng, leaves):
    """Lists [label, child...] and leaves (tag, word), in random constituents with unary chains."""
    if len(leaves) == 1 and rng.random() < 0.6:
        return leaves[0]
    parts = []
    rest = leaves
    while rest:
        size = rng.randint(1, len(rest)) if parts or len(rest) == 1 else rng.randint(1, len(rest) - 1)
        parts.append(bracketed(rng, rest[:size]) if size < len(leaves) else rest[0])
        rest = rest[size:]
    node = [rng.choice(LABELS), *parts]
    while rng.random() < 0.25:
        node = [rng.choice([node[0], rng.choice(LABELS)]), node]
    return node


def changed(rng, node, rate):
    """The tree with labels changed, constituents removed, added and emptied, and tags changed."""
    if isinstance(node, tuple):
        return [(rng.choice(TAGS) if node[0] in TAGS and rng.random() < rate / 2 else node[0], node[1])]
    children = [child for old in node[1:] for child in changed(rng, old, rate)]
    if rng.random() < rate and len(children) > 2:
        first = rng.randrange(len(children) - 1)
        last = rng.randint(first + 1, len(children))
        children[first:last] = [[rng.choice(LABELS), *children[first:last]]]
    if rng.random() < rate / 10:
        children.insert(rng.randint(0, len(children)), [rng.choice(LABELS)])
    if rng.random() < rate:
        return children
    return [[rng.choice(LABELS) if rng.random() < rate else node[0], *children]]


def leaves_of(node):
    return [node] if isinstance(node, tuple) else [leaf for child in node[1:] for leaf in leaves_of(child)]


def with_leaves(node, leaves):
    """The same tree, each leaf replaced by the next of the list, or removed where that is None."""
    if isinstance(node, tuple):
        leaf = next(leaves)
        return [] if leaf is None else [leaf]
    children = [child for old in node[1:] for child in with_leaves(old, leaves)]
    return [[node[0], *children]] if children else []


def written(rng, node):
    if isinstance(node, tuple):
        return f"({node[0]}{rng.choice([' '] * 9 + ['  '])}{node[1]})"
    spaces = [" "] * 30 + ["", "  ", "\t"]
    return f"({node[0]}" + "".join(rng.choice(spaces) + written(rng, child) for child in node[1:]) + ")"


def other_leaf(rng, leaf):
    if leaf[0] == "-NONE-":
        return None if rng.random() < 0.9 else leaf
    if leaf in PUNCTUATION and rng.random() < 0.1:
        return rng.choice([None, rng.choice(PUNCTUATION)])
    if rng.random() < 0.004:
        return rng.choice([None, (leaf[0], rng.choice(WORDS)), ("NN", leaf[1]), (",", leaf[1])])
    return leaf


def random_pair(rng):
    count = rng.choice([0, 1, 1, 2, 3, 5, 8, 8, 12, 12, 20, 30, 39, 40, 41, 45, 60])
    if count == 0:
        reference, hypothesis = rng.choice(["", "(TOP)", "(TOP (S))"]), rng.choice(["", "()", "(TOP (S)", "(S (NN cat))"])
        return reference, hypothesis
    gold = [rng.choice(["TOP", "TOP", "", "ROOT"]), bracketed(rng, random_leaves(rng, count))]
    test = gold
    if rng.random() < 0.15:
        test = [gold[0], bracketed(rng, leaves_of(gold))]
    rate = rng.choice([0, 0.02, 0.05, 0.1, 0.3])
    test = [gold[0], *[child for old in test[1:] for child in changed(rng, old, rate)]]
    left = with_leaves(test, iter([other_leaf(rng, leaf) for leaf in leaves_of(test)]))
    reference, hypothesis = written(rng, gold), written(rng, left[0]) if left else ""
    fate = rng.random()
    if fate < 0.02:
        hypothesis = hypothesis[:-1]
    elif fate < 0.04:
        hypothesis += ")"
    elif fate < 0.05:
        hypothesis = ""
    elif fate < 0.06:
        reference = rng.choice(["", reference[:-1]])
    return reference, hypothesis


def fits_evalb(tree):
    """Whether EVALB's arrays hold a line."""
    return tree.count("(") < 190 and len(tree.encode()) < 4900


def summary_of(text, title):
    values = re.findall(r"= +(\S+)", text[text.index(f"-- {title} --") :])[:12]
    return ["0.00" if value.endswith("nan") else value for value in values]


def run_evalb(folder, pairs):
    with tempfile.TemporaryDirectory() as place:
        files = [pathlib.Path(place) / name for name in ("reference", "hypothesis")]
        for side, file in enumerate(files):
            file.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8", newline="\n")
        command = [folder / "evalb", "-p", folder / "COLLINS.prm", "-e", "1000000", *files]
        done = subprocess.run(command, check=True, capture_output=True)
    text = done.stdout.decode()
    rows = [line.split() for line in text.split("\n")[3 : 3 + len(pairs)]]
    sentences = []
    for number, (pair, row) in enumerate(zip(pairs, rows), 1):
        assert len(row) == 12 and row[0] == str(number), row
        sentences.append([*pair, int(row[2]), int(row[1]), *[int(value) for value in row[5:11]]])
    return sentences, {"all": summary_of(text, "All"), "40": summary_of(text, "len<=40")}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    rng = random.Random(SEED)
    corpora = []
    for _ in range(CORPORA):
        pairs = []
        while len(pairs) < PAIRS:
            pair = random_pair(rng)
            if all(map(fits_evalb, pair)):
                pairs.append(pair)
        sentences, summaries = run_evalb(folder, pairs)
        lines = ",\n".join(map(compact, sentences))
        corpora.append('{"sentences":[\n' + lines + "],\n" + compact(summaries)[1:])
    text = "[\n" + ",\n".join(corpora) + "\n]\n"
    (FOLDER / "brackets.json").write_text(text, encoding="utf-8", newline="\n")


main()
