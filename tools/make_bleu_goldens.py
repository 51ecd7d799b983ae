#!/usr/bin/env python3
"""Writes tests/evaluate/data/bleu.json: BLEU of odd text, as sacreBLEU 2.6 computes it.

    pip install sacrebleu==2.6.0
    python3 tools/make_bleu_goldens.py
"""

import functools
import itertools
import logging

from metric_goldens import write_goldens
from odd_text import odd_corpora
from sacrebleu.metrics import BLEU

CORPORA, SEED = 300, 20240611
SMOOTHINGS = [("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.25)]

logging.getLogger("sacrebleu").setLevel(logging.ERROR)
options = [
    {"tokenize": tokenize, "lowercase": lowercase}
    for tokenize, lowercase in itertools.product(["13a", "none", "char", "intl", "zh"], [False, True])
]
for method, value in SMOOTHINGS:
    options.append({"smooth_method": method, "smooth_value": value})
for method, value in [("exp", None), *SMOOTHINGS]:
    options.append({"smooth_method": method, "smooth_value": value, "effective_order": True, "sentence": True})
write_goldens("bleu.json", odd_corpora(CORPORA, SEED), options, functools.partial(BLEU, force=True))
