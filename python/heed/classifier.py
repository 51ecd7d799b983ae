"""Opened taggers and classifiers: labels for words, or for texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from heed import _heed
from heed._arguments import takes_options
from heed._heed import ClassifiedText
from heed._opened import OpenedModel
from heed._texts import check_text, list_of_texts
from heed.explanation import Explanation, explanation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import ScoreOptions


class Classifier(OpenedModel):
    """An opened tagger or classifier, of train(task="tag") or train(task="classify").

    `compute` and `device` are those of Model, and so is what threads and other processes may do
    with it. `vocabulary` has its labels.
    """

    _native = _heed.Classifier

    @property
    def classes_of(self) -> str:
        """What has a label: "words" or "texts"."""
        return self._model.classes_of

    @overload
    def classify(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self, text: str, **options: Unpack[ScoreOptions]
    ) -> ClassifiedText: ...

    @overload
    def classify(
        self, text: Iterable[str], **options: Unpack[ScoreOptions]
    ) -> list[ClassifiedText]: ...

    @takes_options("score", without=("compute", "device"))
    def classify(
        self, text: str | Iterable[str], **options: Any
    ) -> ClassifiedText | list[ClassifiedText]:
        """The labels of a text, or of each text: one for each word, or one.

        They depend on the text and the model alone.
        """
        if isinstance(text, str):
            return self._model.classify([check_text(text, "text")], options)[0]
        return self._model.classify(list_of_texts(text, "text"), options)

    def explain(self, text: str) -> Explanation:
        """How the labels of a text come about: the probability of each and what else was likely, and
        the attention weights of all layers and heads. The result is that of Model.explain().
        """
        return explanation(self, check_text(text, "text"), {})
