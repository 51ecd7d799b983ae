"""The native part of heed. Use the package heed."""

from collections.abc import Callable, Sequence
from typing import overload

import numpy
from numpy.typing import NDArray



version: str

paper: Any

class Error(RuntimeError):
    """Bad input or environment, for the user to fix. The message is one line."""

class UsageError(Error, ValueError):
    """Wrong options or arguments, for the caller to fix."""


def describe_options(call: str) -> list:
    """
    The options of train, translate, generate, parse, score, evaluate, inspect_data or clean, as dictionaries.
    """

class Hypothesis:
    """One of the n-best translations of a text."""

    @property
    def text(self) -> str:
        """The translation."""

    @property
    def score(self) -> float:
        """
        The log-probability with the length penalty, by which hypotheses are ranked.
        """

    @property
    def pieces(self) -> list[str]:
        """The pieces of the target vocabulary, without </s>."""

    @property
    def log_probabilities(self) -> list[float]:
        """Of each piece, and then of </s>; natural logarithms."""

    @property
    def attention(self) -> NDArray[numpy.float32] | None:
        """
        Weights [target pieces, source pieces], the mean over the heads that align words best; None unless asked for.
        """

    def __repr__(self) -> str: ...

class TermUse:
    """A term in a text, and the form that its translation has."""

    @property
    def begin(self) -> int:
        """Where it begins: a byte of the text as UTF-8."""

    @property
    def end(self) -> int:
        """Where it ends."""

    @property
    def source(self) -> str:
        """The term, as the text has it."""

    @property
    def target(self) -> str:
        """The form; empty if the translation has none."""

    @property
    def missed(self) -> str | None:
        """
        Why it has none: "vocabulary", "copied", "length" or "restored"; None if it has one.
        """

class Translation:
    """The translations of a text."""

    @property
    def index(self) -> int:
        """Which text it is of, from 0."""

    @property
    def text(self) -> str:
        """The best translation."""

    @property
    def hypotheses(self) -> list[Hypothesis]:
        """The n best, best first; at least one."""

    @property
    def source_pieces(self) -> list[str]:
        """
        The pieces of the source, </s> last; empty unless attention was asked for.
        """

    @property
    def status(self) -> str:
        """
        "ok", or "empty", "split", "truncated", "unfinished", "prefix_too_long", "invalid_utf8", "restored", "terms_missed", "unknown_characters", separated by commas.
        """

    @property
    def unknown_characters(self) -> list[str]:
        """The characters of the source that the training text did not have."""

    @property
    def confidence(self) -> float | None:
        """
        The probability that the best translation is good, of a model that heed calibrate measured; else None.
        """

    @property
    def terms(self) -> list[TermUse]:
        """With `terms`: those of the text, in order, and what became of them."""

    def __repr__(self) -> str: ...

class PairScore:
    """The log-probability of a target, given its source."""

    @property
    def log_probability(self) -> float:
        """The sum; a natural logarithm."""

    @property
    def log_probabilities(self) -> list[float]:
        """Of each piece."""

    @property
    def pieces(self) -> list[str]:
        """The pieces of the target, </s> last."""

    @property
    def status(self) -> str:
        """"ok", or "empty", "truncated", "invalid_utf8", separated by commas."""

    def __repr__(self) -> str: ...

class LanguageModel:
    """Used by heed.LanguageModel."""

    def __init__(self, path: str, compute: str, device: str) -> None: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def config(self) -> dict: ...

    @property
    def backend(self) -> str: ...

    def generate(self, prompts: Sequence[str], options: dict) -> list[str]: ...

    def generations(self, prompts: Sequence[str], options: dict) -> list[Translation]: ...

    def score(self, texts: Sequence[str], options: dict) -> list[PairScore]: ...

    def target_pieces(self, text: str) -> list[str]: ...

class Parser:
    """Used by heed.Parser."""

    def __init__(self, path: str, compute: str, device: str) -> None: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def config(self) -> dict: ...

    @property
    def backend(self) -> str: ...

    def parse(self, sentences: Sequence[str], options: dict) -> list[str]: ...

    def parses(self, sentences: Sequence[str], options: dict) -> list[Translation]: ...

class Model:
    """Used by heed.Model."""

    def __init__(self, path: str, compute: str, device: str) -> None: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def config(self) -> dict: ...

    @property
    def backend(self) -> str: ...

    def translate(self, texts: Sequence[str], options: dict) -> list[str]: ...

    def transfer_tags(self, html: str, translation: str) -> str: ...

    def translate_document(self, text: str, format: str, options: dict) -> str: ...

    def translations(self, texts: Sequence[str], prefixes: Sequence[str], attention: bool, options: dict) -> list[Translation]: ...

    def score(self, sources: Sequence[str], targets: Sequence[str], options: dict) -> list[PairScore]: ...

    def source_pieces(self, text: str) -> list[str]: ...

    def target_pieces(self, text: str) -> list[str]: ...

    def encode(self, source: str) -> NDArray[numpy.float32]: ...

    def logits(self, source: str, target: str) -> NDArray[numpy.float32]: ...

    def attention(self, source: str, target: str) -> tuple: ...

class ClassifiedText:
    """The labels of a text or of its words."""

    @property
    def index(self) -> int:
        """Which text it is, from 0."""

    @property
    def words(self) -> list[str]:
        """The words of the text; empty if it has one label."""

    @property
    def labels(self) -> list[str]:
        """The likeliest label of each word, or of the text."""

    @property
    def probabilities(self) -> list[float]:
        """Of each label."""

    @property
    def status(self) -> str:
        """
        "ok", or "empty", "split", "truncated", "invalid_utf8", "unknown_characters", separated by commas.
        """

    def __repr__(self) -> str: ...

class Classifier:
    """Used by heed.Classifier."""

    def __init__(self, path: str, compute: str, device: str) -> None: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def config(self) -> dict: ...

    @property
    def backend(self) -> str: ...

    def classify(self, texts: Sequence[str], options: dict) -> list[ClassifiedText]: ...

    @property
    def classes_of(self) -> str: ...

class TranslationStream:
    """Used by Model.translate_iter."""

    def __init__(self, arg0: Model, arg1: dict, /) -> None: ...

    def push(self, arg: str, /) -> None: ...

    def end(self) -> None: ...

    def is_full(self) -> bool: ...

    def pop(self, wait: bool) -> Translation | None: ...

    def close(self) -> None: ...

class RerankedHypothesis:
    """A translation of a reranked list."""

    @property
    def text(self) -> str:
        """The translation."""

    @property
    def score(self) -> float | None:
        """
        The weighted sum of `values`; None if it is empty, or too long for one of the models.
        """

    @property
    def place(self) -> int:
        """Its place in the list that was given, from 0."""

    @property
    def values(self) -> dict:
        """
        Log-probabilities by "model", "reverse" and "language", 0 without such a model, and the "length" in tokens.
        """

    def __repr__(self) -> str: ...

class RerankModels:
    """Used by heed.Reranker."""

    def __init__(self, model: Model, reverse: Model | None, language: LanguageModel | None) -> None: ...

    def rerank(self, sources: Sequence[str], lists: Sequence[Sequence[str]], weights: dict, options: dict) -> list[list[RerankedHypothesis]]: ...

    def tune(self, sources: Sequence[str], lists: Sequence[Sequence[str]], references: Sequence[str], options: dict) -> tuple: ...

class Explanation:
    """Used by heed.Explanation."""

    @property
    def translation(self) -> Translation: ...

    @property
    def parts(self) -> list: ...

    def html(self, model: str, language: str, theme: str) -> str: ...

@overload
def explain(model: Model, source: str, prefix: str, options: dict) -> Explanation: ...

@overload
def explain(model: LanguageModel, source: str, prefix: str, options: dict) -> Explanation: ...

@overload
def explain(model: Parser, source: str, prefix: str, options: dict) -> Explanation: ...

@overload
def explain(model: Classifier, source: str, prefix: str, options: dict) -> Explanation: ...

class TrainReport:
    """Progress and metrics of a run, after a step."""

    @property
    def step(self) -> int:
        """Steps done."""

    @property
    def epoch(self) -> float:
        """1.5: in the middle of the second epoch."""

    @property
    def loss(self) -> float:
        """With label smoothing, per target token; mean since the last report."""

    @property
    def nll(self) -> float:
        """Without label smoothing, per target token; mean since the last report."""

    @property
    def learning_rate(self) -> float:
        """Of the last step."""

    @property
    def gradient_norm(self) -> float:
        """Of the last step, before clipping."""

    @property
    def tokens_per_second(self) -> float:
        """(source + target tokens) / 2, </s> included, per second."""

    @property
    def seconds(self) -> float:
        """Of the run, earlier processes included."""

    @property
    def fraction_done(self) -> float:
        """Of the run, 0 to 1."""

    @property
    def seconds_left(self) -> float:
        """Estimated."""

    @property
    def memory(self) -> int:
        """Bytes in memory (resident), of the whole process."""

    @property
    def stage(self) -> int | None:
        """With corpora the stage, from 1, else None."""

    @property
    def corpora(self) -> dict[str, int]:
        """With corpora the examples drawn of each, by its name."""

    def __repr__(self) -> str: ...

class ValidationReport:
    """The result of a validation."""

    @property
    def step(self) -> int:
        """Steps done."""

    @property
    def epoch(self) -> float:
        """1.5: in the middle of the second epoch."""

    @property
    def train_loss(self) -> float | None:
        """Of the epoch that just ended, or None."""

    @property
    def loss(self) -> float | None:
        """With label smoothing, or None."""

    @property
    def perplexity(self) -> float | None:
        """Per target token, or None."""

    @property
    def bleu(self) -> float | None:
        """With validation_metric="bleu" or "chrf", else None."""

    @property
    def chrf(self) -> float | None:
        """With validation_metric="bleu" or "chrf", else None."""

    @property
    def brackets(self) -> float | None:
        """F1, with validation_metric="brackets", else None."""

    @property
    def accuracy(self) -> float | None:
        """Of a tagger or a classifier, else None."""

    @property
    def texts(self) -> dict[str, dict[str, float]]:
        """The numbers of each further validation text, by its name and theirs."""

    @property
    def best(self) -> bool:
        """Whether it is better than all before."""

    @property
    def seconds(self) -> float:
        """Of the run, earlier processes included."""

    def __repr__(self) -> str: ...

class Progress:
    """How far a run is."""

    @property
    def step(self) -> int:
        """Steps done."""

    @property
    def epoch(self) -> int:
        """Epochs done."""

    @property
    def batch(self) -> int:
        """Batches of the current epoch done."""

    @property
    def since_best(self) -> int:
        """Validations since the best one."""

    @property
    def best(self) -> float | None:
        """The score of the best validation, or None."""

    @property
    def seconds(self) -> float:
        """Of the run, earlier processes included."""

    def __repr__(self) -> str: ...

class TrainResult:
    """How a run ended."""

    @property
    def end(self) -> str:
        """"limit reached", "out of patience" or "stopped"."""

    @property
    def progress(self) -> Progress:
        """How far it came."""

    def __repr__(self) -> str: ...

def train(options: dict, observer: object) -> TrainResult: ...

class Trainer:
    """Used by heed.Trainer."""

    def __init__(self, options: dict, observer: object) -> None: ...

    @property
    def done(self) -> bool: ...

    def step(self) -> None: ...

    @property
    def validation_due(self) -> bool: ...

    def validate(self) -> ValidationReport: ...

    @property
    def save_due(self) -> bool: ...

    def save(self) -> None: ...

    def finish(self) -> None: ...

    @property
    def progress(self) -> Progress: ...

class MetricScore:
    """The result of a metric."""

    @property
    def name(self) -> str:
        """
        "BLEU", "chrF2", "chrF2++", "TER", "bracket F1", "accuracy", "macro F1" or "span F1".
        """

    @property
    def score(self) -> float:
        """In TER 0 is best, in the others 100."""

    @property
    def signature(self) -> str:
        """How it was computed, in sacreBLEU's form."""

    @property
    def line(self) -> str:
        """For display: "chrF2 = 61.90"."""

    def __float__(self) -> float: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def evaluate(hypotheses: Sequence[str], references: Sequence[Sequence[str]], options: dict) -> list[tuple[str, list[MetricScore]]]: ...

def suitable_bleu_tokenizer(references: Sequence[Sequence[str]]) -> str: ...

def inspect_data(source: str, target: str, model: str, threads: int | None, options: dict) -> str: ...

def clean(source: str, target: str, test: tuple[str, str], threads: int | None, options: dict, keep: Callable, reject: Callable) -> str: ...

def align(sources: Sequence[str], targets: Sequence[str], symmetrize: str, threads: int | None) -> list[list[tuple[int, int]]]: ...
