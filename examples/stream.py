"""Translates a data set of any size into a file of JSON lines, in bounded memory.

Needs a model, such as that of translator.py, and a text:

    python stream.py MODEL TEXT OUTPUT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import tee

import heed

Row = dict[str, str]


def rows_of(path: str) -> Iterator[Row]:
    """A data set as Hugging Face's `datasets` streams it, an iterable of rows:

    load_dataset("text", data_files=path, split="train", streaming=True)
    """
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield {"text": line.rstrip("\n")}


def translated(model: heed.Model, rows: Iterable[Row]) -> Iterator[Row]:
    """Each row with its translation. translate_iter() reads some 2,000 rows ahead, which tee()
    keeps until their translations come."""
    rows, ahead = tee(rows)
    translations = model.translate_iter(row["text"] for row in ahead)
    for row, translation in zip(rows, translations, strict=True):
        yield {**row, "translation": translation}


def main(path: str, text: str, output: str) -> None:
    with open(output, "w", encoding="utf-8") as file:
        for row in translated(heed.Model(path), rows_of(text)):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
