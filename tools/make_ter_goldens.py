#!/usr/bin/env python3
"""Writes tests/evaluate/data/ter.json and ter_shifts.json: TER by sacreBLEU 2.6 of odd and of shuffled text.

    pip install sacrebleu==2.6.0
    python3 tools/make_ter_goldens.py
"""

import itertools
import random

from metric_goldens import write_goldens
from odd_text import odd_corpora
from sacrebleu.metrics import TER

CORPORA, SHUFFLED, SEED = 300, 120, 20240613


def moved(rng, words):
    """The words with a run of them put elsewhere."""
    start, length = rng.randrange(len(words) + 1), rng.choice([1, 1, 2, 3, 5, 9, 12])
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    target = rng.randrange(len(rest) + 1)
    return rest[:target] + block + rest[target:]


def shuffled_corpora(count, seed):
    """One line with few words in many orders: shifts, their limits, and the beam of the distance."""
    rng = random.Random(seed)
    for _ in range(count):
        vocabulary = [chr(ord("a") + i) for i in range(rng.choice([2, 4, 12, 26]))]
        reference = [rng.choice(vocabulary) for _ in range(rng.choice([1, 4, 9, 16, 30, 60, 110]))]
        hypothesis = reference
        for _ in range(rng.choice([0, 1, 2, 4, 8])):
            hypothesis = moved(rng, hypothesis)
        hypothesis = [rng.choice(vocabulary) if rng.random() < 0.1 else word for word in hypothesis]
        hypothesis = [word for word in hypothesis if rng.random() > 0.05]
        shape = rng.randrange(8)
        if shape == 0:
            hypothesis = hypothesis[: rng.randint(0, 2)]
        elif shape == 1:
            reference = reference[: rng.randint(0, 2)]
        elif shape == 2:
            hypothesis = hypothesis + [rng.choice(vocabulary) for _ in range(rng.choice([20, 60, 120]))]
        elif shape == 3:
            reference = [rng.choice(vocabulary) for _ in range(rng.choice([20, 60, 120]))] + reference
        yield [" ".join(hypothesis)], [[" ".join(reference)]]


flags = ["normalized", "no_punct", "asian_support", "case_sensitive"]
options = [dict(zip(flags, values)) for values in itertools.product([False, True], repeat=4)]
write_goldens("ter.json", odd_corpora(CORPORA, SEED), [*options, {"sentence": True}], TER)
write_goldens("ter_shifts.json", shuffled_corpora(SHUFFLED, SEED), [{}], TER)
