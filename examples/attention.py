"""Which words of a sentence does a translation attend to? The weights as NumPy arrays.

Needs a model, such as that of translator.py:

    python attention.py MODEL SENTENCE
"""

from __future__ import annotations

import sys

import numpy as np

import heed


def main(path: str, sentence: str) -> None:
    attention = heed.Model(path).attention(sentence)
    layers, heads, targets, sources = attention.cross.shape
    print(f"{layers} layers, {heads} heads, {targets} target pieces, {sources} source pieces")

    # The source piece with the largest weight for each target piece: the mean over the heads of the
    # last layer.
    weights = attention.cross[-1].mean(axis=0)
    for piece, row in zip(attention.target_pieces, weights, strict=True):
        best = int(row.argmax())
        print(f"{piece:15} {attention.source_pieces[best]} {row[best]:.2f}")

    # A head that attends to one piece has entropy 0, one that attends to all alike log(sources).
    # A weight of 0 adds 0.
    logs = np.log(np.maximum(attention.cross, np.finfo(np.float32).tiny))
    entropy = -(attention.cross * logs).sum(axis=-1).mean(axis=-1)
    for layer, of_heads in enumerate(entropy):
        print(f"layer {layer}: entropy of each head", " ".join(f"{each:.2f}" for each in of_heads))


if __name__ == "__main__":
    main(*sys.argv[1:])
