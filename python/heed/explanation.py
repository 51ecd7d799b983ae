"""How the output of a model comes about: its probabilities, its attention and its search."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from heed import _heed, _notebook
from heed._heed import Translation, UsageError
from heed._results import call_repr

if TYPE_CHECKING:
    from typing import Any

    from heed._opened import OpenedModel


@dataclass(frozen=True)
class Attention:
    """The attention weights of all layers and heads for a sentence and its translation, or its tree.

    Of a language model the target is the prompt with its continuation, and there is no source; of a
    tagger or classifier the target is its labels, to which no weights belong.

    Row i of `decoder` and `cross` belongs to the position that predicts target piece i: the
    decoder's input there is the piece before it.
    """

    source_pieces: list[str]
    """The pieces of the source, </s> last."""
    target_pieces: list[str]
    """The pieces of the target, </s> last."""
    encoder: np.ndarray
    """Self-attention of the encoder, [layers, heads, source pieces, source pieces]."""
    decoder: np.ndarray
    """Self-attention of the decoder, [layers, heads, target pieces, target pieces]."""
    cross: np.ndarray
    """Attention to the encoder's output, [layers, heads, target pieces, source pieces]."""

    def __repr__(self) -> str:
        return call_repr("Attention", **vars(self))


@dataclass(frozen=True)
class ExplainedPart:
    """A part of a text that the model translates at a time: the whole text, unless it is split."""

    attention: Attention
    """Its weights; its pieces are those of the source and of the best translation."""
    ended: bool
    """Whether the last target piece is </s>; False: the length limit was reached."""
    log_probabilities: list[float]
    """Of each target piece; natural logarithms."""
    alternatives: list[list[tuple[str, float]]]
    """Of each target piece, the likeliest pieces in its place and their log-probabilities."""
    source_words: list[tuple[int, int]]
    """The words of the source: [begin, end) of its pieces."""
    target_words: list[tuple[int, int]]
    """The words of the translation: [begin, end) of its pieces."""
    alignment: list[tuple[int, int]]
    """Which source and target words belong together; of a tagger, each word and its label."""

    def __repr__(self) -> str:
        return call_repr("ExplainedPart", attention=self.attention, ended=self.ended)


class Explanation:
    """How the output for a text comes about. Made by explain() of Model, LanguageModel, Parser and
    Classifier: what is said of a translation here holds for a prompt with its continuation, a tree,
    or labels.

    A notebook shows it as the page of attention. Properties of the only part (`attention`,
    `probabilities`, ...) raise UsageError where the text was read in several: see `parts`.
    """

    def __init__(self, explained: _heed.Explanation, source: str, model_name: str) -> None:
        self._explained = explained
        self._source = source
        self._model_name = model_name

    def __repr__(self) -> str:
        return call_repr("Explanation", source=self._source, text=self.text)

    @property
    def source(self) -> str:
        """The text that was given."""
        return self._source

    @cached_property
    def translation(self) -> Translation:
        """As translations(), generations() or parses() gives it; its text may be labels."""
        return self._explained.translation

    @property
    def text(self) -> str:
        """The best translation."""
        return self.translation.text

    @cached_property
    def parts(self) -> list[ExplainedPart]:
        """What was read at a time; empty for a text without tokens."""
        return [_part(fields) for fields in self._explained.parts]

    @property
    def attention(self) -> Attention:
        """The attention weights of all layers and heads."""
        return self._part.attention

    @property
    def source_pieces(self) -> list[str]:
        """The pieces of the source, </s> last."""
        return self._part.attention.source_pieces

    @property
    def target_pieces(self) -> list[str]:
        """The pieces of the best translation, </s> last."""
        return self._part.attention.target_pieces

    @property
    def probabilities(self) -> np.ndarray:
        """The probability of each target piece."""
        return np.exp(self._part.log_probabilities)

    @property
    def alternatives(self) -> list[list[tuple[str, float]]]:
        """Of each target piece, the likeliest pieces in its place and their log-probabilities."""
        return self._part.alternatives

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Which source and target words belong together, by their numbers."""
        return self._part.alignment

    def html(self, *, language: str | None = None, theme: str | None = None) -> str:
        """The page of attention: one HTML file that needs no network.

        `language` ("en" or "zh") and `theme` ("light" or "dark") are those that it is first shown
        in; None: those that the browser prefers.
        """
        for name, value, known in (
            ("language", language, ("en", "zh")),
            ("theme", theme, ("light", "dark")),
        ):
            if value is not None and value not in known:
                raise UsageError(f"{name}: expected {known[0]} or {known[1]}, got {value!r:.60}")
        return self._explained.html(self._model_name, language or "", theme or "")

    def save(
        self, path: str | os.PathLike[str], *, language: str | None = None, theme: str | None = None
    ) -> None:
        """Writes html() to a file."""
        Path(path).write_text(self.html(language=language, theme=theme), encoding="utf-8")

    def _repr_html_(self) -> str:
        return _notebook.frame(self.html(), "Attention", height=640)

    @property
    def _part(self) -> ExplainedPart:
        count = len(self.parts)
        if count != 1:
            raise UsageError(
                f"the text was read in {count} parts: parts[i] has what belongs to each"
            )
        return self.parts[0]


def explanation(
    model: OpenedModel, text: str, options: dict[str, Any], *, prefix: str = ""
) -> Explanation:
    """What explain() of an opened model returns."""
    explained = _heed.explain(model._model, text, prefix, dict(options))
    return Explanation(explained, text, os.path.basename(model.path))


def _part(fields: dict[str, Any]) -> ExplainedPart:
    return ExplainedPart(**{**fields, "attention": Attention(*fields["attention"])})
