"""Metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heed import _heed
from heed._arguments import takes_options
from heed._heed import MetricScore
from heed._texts import expect_texts, list_of_texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import EvaluateOptions

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


def _reference_lists(references: References) -> list[list[str]]:
    expect_texts(references, "references")
    listed = list(references)
    if listed and isinstance(listed[0], str):
        return [list_of_texts(listed, "references")]
    return [list_of_texts(texts, f"references[{index}]") for index, texts in enumerate(listed)]


__all__ = ["MetricScore", "evaluate", "suitable_bleu_tokenizer"]
