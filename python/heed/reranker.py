"""N-best lists in the order of several models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from heed import _heed
from heed._arguments import takes_options
from heed._heed import RerankedHypothesis, Translation
from heed._texts import ArgumentTypeError, expect_ordered, list_of_texts
from heed.language_model import LanguageModel
from heed.model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import ScoreOptions

    Lists = Iterable["Translation | Iterable[str]"]


class Reranker:
    """Orders translations by a weighted sum of log-probabilities: a noisy channel (Yee et al., 2019).

    `model` translates, `reverse_model` translates back, and `language_model` knows the target
    language; the last two are optional. Lists are those of Model.translations(..., nbest=N), or
    translations of each source as texts.
    """

    def __init__(
        self,
        model: Model,
        *,
        reverse_model: Model | None = None,
        language_model: LanguageModel | None = None,
    ) -> None:
        for name, given, kind in (
            ("model", model, Model),
            ("reverse_model", reverse_model, Model),
            ("language_model", language_model, LanguageModel),
        ):
            if not isinstance(given, kind) and (given is not None or name == "model"):
                raise ArgumentTypeError(
                    f"{name}: expected a heed.{kind.__name__}, got {type(given).__name__}"
                )
        self._models = _heed.RerankModels(
            model._model,
            None if reverse_model is None else reverse_model._model,
            None if language_model is None else language_model._model,
        )

    @takes_options("score", without=("compute", "device"))
    def rerank(
        self,
        sources: Iterable[str],
        lists: Lists,
        *,
        weights: Mapping[str, float],
        **options: Unpack[ScoreOptions],
    ) -> list[list[RerankedHypothesis]]:
        """Each list in its new order, best first.

        `weights` has a number for "model", "reverse", "language" and "length" (tokens, </s>
        included); 0 for those that it lacks. A translation that is empty, or too long for one of
        the models, comes last.
        """
        return self._models.rerank(
            list_of_texts(sources, "sources"), _texts_of(lists), dict(weights), dict(options)
        )

    @takes_options("score", without=("compute", "device"))
    def tune(
        self,
        sources: Iterable[str],
        lists: Lists,
        references: Iterable[str],
        **options: Unpack[ScoreOptions],
    ) -> tuple[dict[str, float], float]:
        """The weights whose best translations have the highest BLEU, and that BLEU.

        Minimum error rate training (Och, 2003), on validation text. The result depends on the
        arguments and the models alone.
        """
        return self._models.tune(
            list_of_texts(sources, "sources"),
            _texts_of(lists),
            list_of_texts(references, "references"),
            dict(options),
        )


def _texts_of(lists: Any) -> list[list[str]]:
    expect_ordered(lists, "lists", "lists of translations", "a list of lists")
    return [
        [hypothesis.text for hypothesis in given.hypotheses]
        if isinstance(given, Translation)
        else list_of_texts(given, f"lists[{i}]")
        for i, given in enumerate(lists)
    ]
