"""Opened language models: continuing and scoring texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from heed import _heed
from heed._arguments import takes_options
from heed._heed import PairScore, Translation
from heed._opened import OpenedModel
from heed._texts import check_text, list_of_texts
from heed.explanation import Explanation, explanation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import GenerateOptions, ScoreOptions


class LanguageModel(OpenedModel):
    """An opened language model, of train(task="language-model", text=...).

    `compute` and `device` are those of Model, and so is what threads and other processes may do
    with it.
    """

    _native = _heed.LanguageModel

    @overload
    def generate(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self, prompt: str, **options: Unpack[GenerateOptions]
    ) -> str: ...

    @overload
    def generate(
        self, prompt: Iterable[str], **options: Unpack[GenerateOptions]
    ) -> list[str]: ...

    @takes_options("generate", without=("compute", "device"))
    def generate(self, prompt: str | Iterable[str], **options: Any) -> str | list[str]:
        """A prompt, or each prompt, with its best continuation.

        The result begins with the prompt as it was given, and depends on it, the model and the
        options alone.
        """
        if isinstance(prompt, str):
            return self._model.generate([check_text(prompt, "prompt")], options)[0]
        return self._model.generate(list_of_texts(prompt, "prompt"), options)

    @takes_options("generate", without=("compute", "device"))
    def generations(
        self, prompts: Iterable[str], **options: Unpack[GenerateOptions]
    ) -> list[Translation]:
        """The n-best continuations of each prompt, with scores, pieces and probabilities."""
        return self._model.generations(list_of_texts(prompts, "prompts"), dict(options))

    @takes_options("generate", without=("compute", "device"))
    def explain(self, prompt: str, **options: Unpack[GenerateOptions]) -> Explanation:
        """How the continuation of a prompt comes about, as Model.explain()."""
        return explanation(self, check_text(prompt, "prompt"), options)

    @overload
    def score(  # type: ignore[overload-overlap]
        self, text: str, **options: Unpack[ScoreOptions]
    ) -> PairScore: ...

    @overload
    def score(self, text: Iterable[str], **options: Unpack[ScoreOptions]) -> list[PairScore]: ...

    @takes_options("score", without=("compute", "device"))
    def score(self, text: str | Iterable[str], **options: Any) -> PairScore | list[PairScore]:
        """The log-probability of a text, or of each text, </s> included."""
        if isinstance(text, str):
            return self._model.score([check_text(text, "text")], options)[0]
        return self._model.score(list_of_texts(text, "text"), options)

    def pieces(self, text: str) -> list[str]:
        """A text as pieces, </s> last."""
        return self._model.target_pieces(check_text(text, "text"))
