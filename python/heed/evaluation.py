"""Metrics, and statistics of parallel text."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heed import _heed
from heed._arguments import takes_options
from heed._heed import MetricScore
from heed._texts import expect_texts, list_of_texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import EvaluateOptions, InspectDataOptions

References = Sequence[str] | Sequence[Sequence[str]]


@takes_options("evaluate")
def evaluate(
    hypotheses: Sequence[str], references: References, **options: Unpack[EvaluateOptions]
) -> dict[str, Any]:
    """Scores of translations, equal to those of sacreBLEU 2.6 to every digit that it prints.

    `references`: a list of texts, or several such lists; reference i belongs to hypothesis i.
    Returns a MetricScore for each of `metrics` ("bleu", "chrf", "chrf++", "ter",
    "brackets" of parse trees, "accuracy", "f1" and "spans" of labels, "aer" of word alignments; only BLEU by default) by its name, or with sentence=True a list of one for each sentence. The tokenizer of
    BLEU is 13a for any text, as sacreBLEU's: suitable_bleu_tokenizer() names one for Chinese,
    Japanese and Thai.
    """
    measured = _heed.evaluate(list_of_texts(hypotheses, "hypotheses"), _reference_lists(references), dict(options))
    per_sentence = bool(options.get("sentence", False))
    return {name: scores if per_sentence else scores[0] for name, scores in measured}


def suitable_bleu_tokenizer(references: References) -> str:
    """The tokenizer of BLEU for the writing system of these texts: bleu_tokenize=..."""
    return _heed.suitable_bleu_tokenizer(_reference_lists(references))


@takes_options("inspect_data")
def inspect_data(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **options: Unpack[InspectDataOptions],
) -> dict[str, Any]:
    """Lengths, words and every kind of harmful pair of parallel text: `heed inspect data --json`.

    `model`: count tokens with the tokenizers of this model directory.
    """
    return json.loads(
        _heed.inspect_data(
            os.fspath(source),
            os.fspath(target),
            "" if model is None else os.fspath(model),
            threads,
            dict(options),
        )
    )


def _reference_lists(references: References) -> list[list[str]]:
    expect_texts(references, "references")
    listed = list(references)
    if listed and isinstance(listed[0], str):
        return [list_of_texts(listed, "references")]
    return [list_of_texts(texts, f"references[{index}]") for index, texts in enumerate(listed)]


__all__ = ["MetricScore", "evaluate", "inspect_data", "suitable_bleu_tokenizer"]
