#!/usr/bin/env python3
"""Writes tests/evaluate/data/significance.json: sacreBLEU 2.6's paired tests of three systems.

    pip install sacrebleu==2.6.0 numpy==2.4.6
    python3 tools/make_significance_goldens.py
"""

import random

from metric_goldens import FOLDER, compact
from odd_text import WORDS, noisy, sentence
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

CORPORA, SEED, TRIALS = 60, 20240614, 200
METRICS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}


def corpus(rng):
    """One reference and three systems that are more or less noise away from it."""
    kinds = rng.sample(sorted(WORDS), 3)
    reference = [sentence(rng, kinds, rng.randint(3, 9)) for _ in range(rng.choice([1, 2, 7, 15, 30]))]
    rates = [rng.choice([0.1, 0.2, 0.3, 0.5]) for _ in range(3)]
    systems = [[noisy(rng, line, kinds, rate) for line in reference] for rate in rates]
    if rng.random() < 0.2:
        systems[2] = systems[0]
    return systems, [reference]


def rounded(value):
    return None if value is None else round(float(value), 5)


def tests(systems, references):
    named = [(f"system {i}", lines) for i, lines in enumerate(systems)]
    for kind in ["bs", "ar"]:
        metrics = {name: make(references=references) for name, make in METRICS.items()}
        test = PairedTest(named, metrics, None, test_type=kind, n_samples=TRIALS)
        signatures, scores = test()
        del scores["System"]
        for name, results in scores.items():
            yield {
                "test": kind,
                "metric": name,
                "signature": signatures[name].format(),
                "p": [result.p_value for result in results],
                "mean": [rounded(result.mean) for result in results],
                "ci": [rounded(result.ci) for result in results],
            }


rng = random.Random(SEED)
lines = []
for _ in range(CORPORA):
    systems, references = corpus(rng)
    case = {"systems": systems, "references": references, "tests": list(tests(systems, references))}
    lines.append(compact(case))
(FOLDER / "significance.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")
