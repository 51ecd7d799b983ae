#!/usr/bin/env python3
"""Writes tests/evaluate/data/labels.json: what scikit-learn and seqeval say about random labels.

    pip install scikit-learn==1.9.1 seqeval==1.2.2
    python3 tools/make_label_goldens.py

{"labels": [{"hypothesis": [line, ...], "reference": [...], "accuracy": A, "macro": [P, R, F1, SUPPORT],
             "weighted": [...], "classes": [[NAME, P, R, F1, SUPPORT], ...],
             "confusion": [[REFERENCE, HYPOTHESIS, COUNT], ...]}, ...],
 "spans": [{"hypothesis": ..., "reference": ..., "conlleval": REPORT, "iob2": REPORT}, ...]}

REPORT has micro, macro, weighted and classes. Scores are in per cent. iob2 is missing where a label
begins with another letter, which seqeval refuses.
"""

import random
import warnings

import seqeval.metrics
from metric_goldens import FOLDER, compact
from seqeval.scheme import IOB2
from sklearn.metrics import accuracy_score, classification_report, confusion_matrix

LABEL_CORPORA, SPAN_CORPORA, SEED = 150, 250, 20261127

TAGS = ["NN", "NNS", "DT", "VBZ", "JJ", ",", ".", "-LRB-", "``", "nn", "Ä", "名词", "10", "1", "O", "NN-X", "😀"]
TYPES = ["PER", "LOC", "ORG", "NP-X", "per", "人", "_", "-A"]


def row(values):
    return [100 * float(values[key]) for key in ("precision", "recall", "f1-score")] + [int(values["support"])]


def report_of(values, averages):
    names = sorted(set(values) - {"accuracy", "micro avg", "macro avg", "weighted avg"})
    report = {"classes": [[name, *row(values[name])] for name in names]}
    return report | {average: row(values[average + " avg"]) for average in averages}


def label_corpus(rng):
    tags = rng.sample(TAGS, rng.choice([1, 2, 2, 3, 6, 12]))
    share = rng.choice([0, 0.1, 0.3, 0.9])
    words = rng.choice([1, 1, 5, 12])
    reference, hypothesis = [], []
    for _ in range(rng.choice([1, 3, 10, 40])):
        right = [rng.choice(tags[: rng.randint(1, len(tags))]) for _ in range(rng.randint(min(words, 2) - 1, words))]
        reference.append(right)
        hypothesis.append([rng.choice(tags) if rng.random() < share else tag for tag in right])
    true, guess = sum(reference, []), sum(hypothesis, [])
    if not true:
        return None
    values = classification_report(true, guess, output_dict=True, zero_division=0)
    report = report_of(values, ["macro", "weighted"])
    assert values["accuracy"] == accuracy_score(true, guess)
    names = [name for name, *_ in report["classes"]]
    cells = confusion_matrix(true, guess, labels=names)
    confusion = [
        [names[i], names[j], int(cells[i][j])] for i in range(len(names)) for j in range(len(names)) if cells[i][j]
    ]
    lines = {"hypothesis": [" ".join(line) for line in hypothesis], "reference": [" ".join(line) for line in reference]}
    return lines | report | {"accuracy": 100 * float(values["accuracy"]), "confusion": confusion}


def span_line(rng, types, prefixes, words):
    """Labels of spans, most of them as they should be."""
    labels = []
    while len(labels) < words:
        kind, length = rng.choice(types), rng.choice([1, 1, 2, 3])
        shape = rng.random()
        if shape < 0.4:
            labels += ["O"] * length
        elif shape < 0.85:
            labels += ["B-" + kind] + ["I-" + kind] * (length - 1)
        elif shape < 0.95:
            labels += [rng.choice(prefixes) + "-" + rng.choice(types) for _ in range(length)]
        else:
            labels += [rng.choice(prefixes)]
    return labels[:words]


def span_corpus(rng):
    prefixes = rng.choice(["BI", "BI", "BIES"])
    types = rng.sample(TYPES, rng.choice([1, 2, 4]))
    share = rng.choice([0, 0.05, 0.2, 0.7])
    reference, hypothesis = [], []
    for _ in range(rng.choice([1, 3, 8, 20])):
        right = span_line(rng, types, prefixes, rng.choice([0, 1, 4, 9, 20]))
        other = span_line(rng, types, prefixes, len(right))
        reference.append(right)
        hypothesis.append([guess if rng.random() < share else label for label, guess in zip(right, other)])
    if all(label == "O" for line in reference + hypothesis for label in line):
        return None
    averages = ["micro", "macro", "weighted"]
    usual = seqeval.metrics.classification_report(reference, hypothesis, output_dict=True)
    corpus = {"conlleval": report_of(usual, averages)}
    if prefixes == "BI" and any(label.startswith("B") for line in reference + hypothesis for label in line):
        strict = seqeval.metrics.classification_report(
            reference, hypothesis, output_dict=True, mode="strict", scheme=IOB2
        )
        corpus["iob2"] = report_of(strict, averages)
    lines = {"hypothesis": [" ".join(line) for line in hypothesis], "reference": [" ".join(line) for line in reference]}
    return lines | corpus


def corpora(make, count, rng):
    made = []
    while len(made) < count:
        if (corpus := make(rng)) is not None:
            made.append(compact(corpus))
    return "[\n" + ",\n".join(made) + "\n]"


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(SEED)
    labels, spans = corpora(label_corpus, LABEL_CORPORA, rng), corpora(span_corpus, SPAN_CORPORA, rng)
    text = '{"labels":' + labels + ',\n"spans":' + spans + "}\n"
    (FOLDER / "labels.json").write_text(text, encoding="utf-8", newline="\n")


main()
