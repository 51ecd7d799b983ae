#!/usr/bin/env python3
"""Writes tests/evaluate/data/bleu.json: BLEU of odd text, as sacreBLEU 2.6 computes it.

    pip install sacrebleu==2.6.0
    python3 tools/make_bleu_goldens.py
"""

import itertools
import json
import pathlib

import sacrebleu
from odd_text import odd_corpora
from sacrebleu.metrics import BLEU

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "tests/evaluate/data/bleu.json"
CORPORA, SEED = 300, 20240611


def expected(hypotheses, references, tokenize, lowercase):
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


def main():
    assert sacrebleu.__version__.startswith("2.6."), sacrebleu.__version__
    options = list(itertools.product(["13a", "none", "char"], [False, True]))
    cases = []
    for hypotheses, references in odd_corpora(CORPORA, SEED):
        scores = [expected(hypotheses, references, *option) for option in options]
        cases.append({"hypotheses": hypotheses, "references": references, "scores": scores})
    lines = (json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
    OUTPUT.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")


main()
