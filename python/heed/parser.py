"""Opened parsers: sentences to trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from heed import _heed
from heed._arguments import takes_options
from heed._heed import Translation
from heed._opened import OpenedModel
from heed._texts import check_text, list_of_texts
from heed.explanation import Explanation, explanation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import ParseOptions


class Parser(OpenedModel):
    """An opened parser, of train(task="parse", trees=...).

    `compute` and `device` are those of Model, and so is what threads and other processes may do
    with it. `vocabulary` has its symbols.
    """

    _native = _heed.Parser

    @overload
    def parse(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self, sentence: str, **options: Unpack[ParseOptions]
    ) -> str: ...

    @overload
    def parse(self, sentence: Iterable[str], **options: Unpack[ParseOptions]) -> list[str]: ...

    @takes_options("parse", without=("compute", "device"))
    def parse(self, sentence: str | Iterable[str], **options: Any) -> str | list[str]:
        """The tree of a sentence, or of each sentence: "(ROOT (NP (DT the) (NN cat)))".

        White space separates the words of a sentence, and the tree has exactly these words, with
        -LRB- and -RRB- for round brackets. It depends on the sentence, the model and the options
        alone; a sentence without words has the tree "".
        """
        if isinstance(sentence, str):
            return self._model.parse([check_text(sentence, "sentence")], options)[0]
        return self._model.parse(list_of_texts(sentence, "sentence"), options)

    @takes_options("parse", without=("compute", "device"))
    def parses(
        self, sentences: Iterable[str], **options: Unpack[ParseOptions]
    ) -> list[Translation]:
        """The n-best trees of each sentence, with scores, pieces (symbols) and probabilities."""
        return self._model.parses(list_of_texts(sentences, "sentences"), dict(options))

    @takes_options("parse", without=("compute", "device"))
    def explain(self, sentence: str, **options: Unpack[ParseOptions]) -> Explanation:
        """How the tree of a sentence comes about, as Model.explain()."""
        return explanation(self, check_text(sentence, "sentence"), options)
