"""Trains a translator on two text files, translates with it and evaluates it.

Needs the text of `heed phrasebook --output corpus`.

    python translator.py [MINUTES_OF_TRAINING]
"""

from __future__ import annotations

import sys

import heed


def read_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def main(minutes: float = 2) -> None:
    heed.train(
        source="corpus/train.zh",
        target="corpus/train.en",
        model="translator-model",
        overwrite=True,  # this program may run again
        minutes=minutes,
    )
    model = heed.Model("translator-model")
    print(model.translate("我妹妹昨天买了三本书。"))

    source, reference = read_lines("corpus/test.zh"), read_lines("corpus/test.en")
    scores = heed.evaluate(model.translate(source), reference, metrics=["bleu", "chrf"])
    print(scores["bleu"].line)
    print(scores["chrf"].line)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
