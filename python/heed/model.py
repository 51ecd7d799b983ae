"""Opened models: translating, scoring, and looking inside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from heed import _heed
from heed._arguments import takes_options
from heed._heed import PairScore, Translation, UsageError
from heed._opened import OpenedModel
from heed._texts import ArgumentTypeError, check_text, expect_ordered, expect_texts, list_of_texts
from heed.explanation import Attention, Explanation, explanation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import ScoreOptions, TranslateOptions

# Pairs that score_iter() reads at a time.
_SCORED_TOGETHER = 4096


class Model(OpenedModel):
    """An opened model directory: heed's own, or one in the layout of OPUS-MT.

    `compute` is the type of matrix products: "auto" (int8 where this CPU is faster with it, else
    fp32), "fp32", "bf16" or "int8". `device` is "cpu", or "cuda" for the first NVIDIA GPU, which is
    experimental (docs/gpu.md). Any number of threads may use a model. It is pickled by its
    path, so that other processes open it themselves; a process that was forked after a model was
    opened cannot use it.
    """

    _native = _heed.Model

    @overload
    def translate(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self, text: str, **options: Unpack[TranslateOptions]
    ) -> str: ...

    @overload
    def translate(self, text: Iterable[str], **options: Unpack[TranslateOptions]) -> list[str]: ...

    @takes_options("translate", without=("compute", "device"))
    def translate(self, text: str | Iterable[str], **options: Any) -> str | list[str]:
        """The best translation of a text, or of each text.

        A translation depends on its text, the model and the options: never on the other texts, the
        batch or the threads. Threads and caches are kept for the next call with the same options.
        Raises UsageError for options that are out of range or contradict each other.
        """
        if isinstance(text, str):
            return self._model.translate([check_text(text, "text")], options)[0]
        return self._model.translate(list_of_texts(text, "text"), options)

    @takes_options("translate", without=("compute", "device"))
    def translate_document(
        self, text: str, format: str = "html", **options: Unpack[TranslateOptions]
    ) -> str:
        """A document with its text translated: `heed translate --format`.

        `format` is "html", "json", "markdown", "po", "rst", "srt", "xliff" or "xml". Tags stay around
        the words that they wrapped, and everything else stays as it is. Raises Error, with the place,
        for a document that is not well-formed.
        """
        return self._model.translate_document(
            check_text(text, "text"), check_text(format, "format"), options
        )

    def transfer_tags(self, html: str, translation: str) -> str:
        """HTML with a translation of its text that was made elsewhere, and the tags around its words.

        `html` has one text, such as the content of a paragraph, and `translation` is plain text. The
        tags go where translate_document() would put them.
        """
        return self._model.transfer_tags(
            check_text(html, "html"), check_text(translation, "translation")
        )

    @takes_options("translate", without=("compute", "device"))
    def translate_iter(
        self, texts: Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[str]:
        """The best translation of each text of an iterable of any length, in order.

        Memory is bounded: at most 2,048 texts, or 1 MiB of them, are read before the first of
        their translations is taken. If the iterable raises, the translations of what it gave come
        first.
        """
        for translation in self.translations_iter(texts, **options):
            yield translation.text

    @takes_options("translate", without=("compute", "device"))
    def translations(
        self,
        texts: Iterable[str],
        *,
        prefixes: Iterable[str] | None = None,
        attention: bool = False,
        **options: Unpack[TranslateOptions],
    ) -> list[Translation]:
        """The n-best translations of each text, with scores, pieces and probabilities.

        `prefixes`: what each translation must begin with. `attention`: also the weights of each
        hypothesis.
        """
        return self._model.translations(
            list_of_texts(texts, "texts"),
            [] if prefixes is None else list_of_texts(prefixes, "prefixes"),
            attention,
            dict(options),
        )

    @takes_options("translate", without=("compute", "device"))
    def translations_iter(
        self, texts: Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[Translation]:
        """As translations(), for an iterable of any length; see translate_iter()."""
        expect_texts(texts, "texts")
        return self._stream(texts, dict(options))

    def _stream(self, texts: Iterable[str], options: dict[str, Any]) -> Iterator[Translation]:
        with closing(_heed.TranslationStream(self._model, options)) as stream:
            failure: Exception | None = None
            try:
                for text in texts:
                    stream.push(check_text(text, "texts"))
                    while (translation := stream.pop(wait=stream.is_full())) is not None:
                        yield translation
            except Exception as error:  # noqa: BLE001 raised below
                failure = error
            stream.end()
            while (translation := stream.pop(wait=True)) is not None:
                yield translation
            if failure is not None:
                raise failure

    @overload
    def sample(  # type: ignore[overload-overlap]
        self, text: str, *, count: int = 1, **options: Unpack[TranslateOptions]
    ) -> list[str]: ...

    @overload
    def sample(
        self, text: Iterable[str], *, count: int = 1, **options: Unpack[TranslateOptions]
    ) -> list[list[str]]: ...

    @takes_options("translate", without=("compute", "device", "sample", "nbest", "beam"))
    def sample(
        self, text: str | Iterable[str], *, count: int = 1, **options: Any
    ) -> list[str] | list[list[str]]:
        """`count` random translations of a text, or of each text.

        A sample depends on the seed, the text and its number alone.
        """
        single = isinstance(text, str)
        texts = list_of_texts([text] if isinstance(text, str) else text, "text")
        drawn = [
            [hypothesis.text for hypothesis in translation.hypotheses]
            for translation in self._model.translations(
                texts, [], False, {**options, "sample": True, "nbest": count}
            )
        ]
        return drawn[0] if single else drawn

    @overload
    def score(  # type: ignore[overload-overlap]
        self, source: str, target: str, **options: Unpack[ScoreOptions]
    ) -> PairScore: ...

    @overload
    def score(
        self, source: Iterable[str], target: Iterable[str], **options: Unpack[ScoreOptions]
    ) -> list[PairScore]: ...

    @takes_options("score", without=("compute", "device"))
    def score(
        self, source: str | Iterable[str], target: str | Iterable[str], **options: Any
    ) -> PairScore | list[PairScore]:
        """The log-probability of a target given its source, or of each pair.

        With teacher forcing and without label smoothing. `heed score` computes in fp32: its numbers
        are those of Model(path, compute="fp32").
        """
        if isinstance(source, str) and isinstance(target, str):
            return self._model.score(
                [check_text(source, "source")], [check_text(target, "target")], options
            )[0]
        return self._model.score(
            list_of_texts(source, "source"), list_of_texts(target, "target"), options
        )

    @takes_options("score", without=("compute", "device"))
    def score_iter(
        self, pairs: Iterable[tuple[str, str]], **options: Unpack[ScoreOptions]
    ) -> Iterator[PairScore]:
        """The scores of (source, target) pairs from an iterable of any length, in order."""
        expect_ordered(pairs, "pairs", "pairs", 'zip(df["source"], df["target"])')
        iterator = iter(pairs)
        while together := [_pair(pair) for pair in islice(iterator, _SCORED_TOGETHER)]:
            yield from self.score(
                [source for source, _ in together], [target for _, target in together], **options
            )

    def source_pieces(self, text: str) -> list[str]:
        """A source text as the pieces that the encoder reads, </s> last."""
        return self._model.source_pieces(check_text(text, "text"))

    def target_pieces(self, text: str) -> list[str]:
        """A target text as pieces, </s> last."""
        return self._model.target_pieces(check_text(text, "text"))

    def encode(self, source: str) -> np.ndarray:
        """The encoder's output for a text, [source pieces, d_model] (section 3.1)."""
        return self._model.encode(check_text(source, "source"))

    def logits(self, source: str, target: str) -> np.ndarray:
        """The scores of every piece of the vocabulary at each position of a given target, before
        softmax: [target pieces, vocabulary]. Row i predicts target piece i."""
        return self._model.logits(check_text(source, "source"), check_text(target, "target"))

    def attention(
        self, source: str, target: str | None = None, **options: Unpack[TranslateOptions]
    ) -> Attention:
        """The attention weights of all layers and heads.

        `target`: a given translation; None: that of translate(source, **options).
        """
        check_text(source, "source")
        if target is None:
            target = self.translate(source, **options)
        elif options:
            raise UsageError(
                f"attention() translates nothing where a target is given: leave out "
                f"{', '.join(options)}"
            )
        return Attention(*self._model.attention(source, check_text(target, "target")))

    @takes_options("translate", without=("compute", "device"))
    def explain(
        self, text: str, *, prefix: str = "", **options: Unpack[TranslateOptions]
    ) -> Explanation:
        """How the translation of a text comes about: the probability of each piece and what else
        was likely, the attention weights of all layers and heads, and the search.

        `prefix`: what the translation must begin with. A notebook shows the result as a page, which
        save() writes to a file.
        """
        check_text(text, "text")
        return explanation(self, text, options, prefix=check_text(prefix, "prefix"))


def _pair(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, (str, bytes, Mapping, Set)) or not hasattr(pair, "__len__"):
        raise ArgumentTypeError(f"pairs: expected (source, target), got {pair!r:.60}")
    if len(pair) != 2:
        raise UsageError(f"pairs: expected (source, target), got {pair!r:.60}")
    return pair
