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


def expected(hypotheses, references, option):
    word_order, lowercase = option
    metric = CHRF(word_order=word_order, lowercase=lowercase)
    score = metric.corpus_score(hypotheses, references)
    return {
        "word_order": word_order,
        "lowercase": lowercase,
        "score": score.score,
        "line": score.format(),
        "signature": metric.get_signature().format(),
    }


options = list(itertools.product([0, 1, 2], [False, True]))
write_goldens("chrf.json", odd_corpora(CORPORA, SEED), options, expected)
