#!/usr/bin/env python3
"""Writes tests/evaluate/data/bleu.json: BLEU of odd text, as sacreBLEU 2.6 computes it.

    pip install sacrebleu==2.6.0
    python3 tools/make_bleu_goldens.py
"""

import itertools

from metric_goldens import write_goldens
from odd_text import odd_corpora
from sacrebleu.metrics import BLEU

CORPORA, SEED = 300, 20240611


def expected(hypotheses, references, option):
    tokenize, lowercase = option
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    score = metric.corpus_score(hypotheses, references)
    return {
        "tokenize": tokenize,
        "lowercase": lowercase,
        "score": score.score,
        "precisions": score.precisions,
        "line": score.format(),
        "signature": metric.get_signature().format(),
    }


options = list(itertools.product(["13a", "none", "char"], [False, True]))
write_goldens("bleu.json", odd_corpora(CORPORA, SEED), options, expected)
