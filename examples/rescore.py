"""Reranks ten translations of each line by the score of a model of the reverse direction.

    python rescore.py MODEL REVERSE_MODEL < LINES
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import heed


def rerank(model: heed.Model, reverse: heed.Model, lines: list[str]) -> Iterator[str]:
    """For each line the candidate with the largest sum of its score and of the log-probability of
    the line as a translation of it."""
    for line, translation in zip(lines, model.translations(lines, beam=10, nbest=10), strict=True):
        candidates = [hypothesis.text for hypothesis in translation.hypotheses]
        backward = reverse.score(candidates, [line] * len(candidates))
        sums = [
            hypothesis.score + score.log_probability
            for hypothesis, score in zip(translation.hypotheses, backward, strict=True)
        ]
        yield candidates[sums.index(max(sums))]


def main(path: str, reverse_path: str) -> None:
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    lines = [line.rstrip("\n") for line in sys.stdin]
    for best in rerank(heed.Model(path), heed.Model(reverse_path), lines):
        print(best)


if __name__ == "__main__":
    main(*sys.argv[1:])
