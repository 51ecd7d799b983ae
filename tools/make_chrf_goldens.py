#!/usr/bin/env python3
"""Writes tests/evaluate/data/chrf.json: chrF2, chrF2+ and chrF2++ of odd text by sacreBLEU 2.6.

    pip install sacrebleu==2.6.0
    python3 tools/make_chrf_goldens.py
"""

import itertools

from metric_goldens import write_goldens
from odd_text import odd_corpora
from sacrebleu.metrics import CHRF

CORPORA, SEED = 300, 20240612

options = [
    {"word_order": word_order, "lowercase": lowercase}
    for word_order, lowercase in itertools.product([0, 1, 2], [False, True])
]
options.append({"word_order": 2, "sentence": True})
write_goldens("chrf.json", odd_corpora(CORPORA, SEED), options, CHRF)
