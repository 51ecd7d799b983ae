"""heed: trains, measures and runs the Transformer of "Attention Is All You Need".

    import heed

    heed.train(source="train.zh", target="train.en", model="zh-en", preset="small")
    model = heed.Model("zh-en")
    model.translate("你好，世界。")

Errors are exceptions. heed.Error: bad input or environment, for the user to fix.
heed.UsageError (also a ValueError): wrong options or arguments, for the caller to fix; of the wrong
type, it is a heed.ArgumentTypeError, which is also a TypeError.

heed.paper has the components of the paper as functions of arrays, heed.spark translates data
frames. Messages of a training run go to the logger "heed".
"""

from heed import paper
from heed._heed import (
    ClassifiedText,
    Error,
    Hypothesis,
    MetricScore,
    PairScore,
    Progress,
    RerankedHypothesis,
    TrainReport,
    TrainResult,
    TermUse,
    Translation,
    UsageError,
    ValidationReport,
)
from heed._heed import version as __version__
from heed._texts import ArgumentTypeError
from heed.classifier import Classifier
from heed.curves import LiveCurves
from heed.data import align, clean, inspect_data
from heed.evaluation import evaluate, suitable_bleu_tokenizer
from heed.explanation import Attention, ExplainedPart, Explanation
from heed.language_model import LanguageModel
from heed.model import Model
from heed.parser import Parser
from heed.reranker import Reranker
from heed.training import Trainer, train

__all__ = [
    "ArgumentTypeError",
    "Attention",
    "ClassifiedText",
    "Classifier",
    "Error",
    "ExplainedPart",
    "Explanation",
    "Hypothesis",
    "LanguageModel",
    "LiveCurves",
    "MetricScore",
    "Model",
    "PairScore",
    "Parser",
    "Progress",
    "RerankedHypothesis",
    "Reranker",
    "TrainReport",
    "TrainResult",
    "Trainer",
    "TermUse",
    "Translation",
    "UsageError",
    "ValidationReport",
    "__version__",
    "align",
    "clean",
    "evaluate",
    "inspect_data",
    "paper",
    "suitable_bleu_tokenizer",
    "train",
]
