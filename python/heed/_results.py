"""The representations of results: short, one line, in the form of a call."""

from __future__ import annotations

from typing import Any

import numpy as np

# Maximum number of characters of a text in a representation.
_MAX_CHARACTERS = 60

# The attributes that tell one result from another, by its class.
_SHOWN = {
    "Hypothesis": ("text", "score"),
    "MetricScore": ("name", "score"),
    "PairScore": ("log_probability", "pieces", "status"),
    "Progress": ("step", "epoch", "batch", "best", "since_best"),
    "RerankedHypothesis": ("text", "score", "place", "values"),
    "TrainReport": ("step", "epoch", "loss", "nll", "learning_rate", "tokens_per_second"),
    "TrainResult": ("end", "progress"),
    "Translation": ("index", "text", "status", "hypotheses"),
    "ValidationReport": ("step", "epoch", "loss", "perplexity", "bleu", "chrf", "brackets", "accuracy", "best"),
}


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return text_repr(value)
    if isinstance(value, list):
        return f"[{len(value)} item{'s' * (len(value) != 1)}]"
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    return repr(value)


def text_repr(text: str) -> str:
    """The repr of a text, or of its beginning."""
    return repr(text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…")


def call_repr(name: str, /, **values: Any) -> str:
    """`heed.name(key=value, ...)`: a list as its length, an array as its shape, and no None."""
    given = (f"{key}={_shown(value)}" for key, value in values.items() if value is not None)
    return f"heed.{name}({', '.join(given)})"


def repr_of(result: Any) -> str:
    """Of a result of the native part."""
    name = type(result).__name__
    return call_repr(name, **{key: getattr(result, key) for key in _SHOWN[name]})
