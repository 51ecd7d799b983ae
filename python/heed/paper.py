"""The components of "Attention Is All You Need", and variants of them, as functions of arrays.

Arguments are anything that numpy.asarray() takes (PyTorch tensors on the CPU and JAX arrays too),
results are NumPy arrays of float32. Rows are positions: query [queries, d_k], key [keys, d_k],
value [keys, d_v], scores, masks and weights [queries, keys], with several heads [heads, queries,
keys]. A mask is added to scores: 0 where a query may attend, -inf elsewhere. All raise
heed.UsageError for shapes that do not fit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heed._heed import paper as _paper

Array = NDArray[np.float32]


class AttentionResult(NamedTuple):
    """The output of attention and its weights."""

    output: Array
    """[queries, d_v], or [queries, d_model] of several heads."""
    weights: Array
    """[queries, keys], or [heads, queries, keys] of several heads."""


class Linear(NamedTuple):
    """A linear layer, x W^T + b."""

    weight: ArrayLike
    """[outputs, inputs], as in PyTorch."""
    bias: Optional[ArrayLike] = None
    """[outputs]; None: zeros."""


class AttentionParameters(NamedTuple):
    """The projections W^Q, W^K, W^V and W^O of multi-head attention, with their biases."""

    query: Linear
    key: Linear
    value: Linear
    output: Linear


class SmoothedCrossEntropy(NamedTuple):
    """One value for each row of logits."""

    smoothed: Array
    """The loss with label smoothing, [rows]."""
    nll: Array
    """-log p(label), [rows]."""
    gradient: Array
    """Of the sum of the smoothed losses with respect to the logits, [rows, classes]."""


def _in(array: ArrayLike) -> Array:
    return np.ascontiguousarray(array, dtype=np.float32)


def _maybe(array: Optional[ArrayLike]) -> Optional[Array]:
    return None if array is None else _in(array)


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    mask: Optional[ArrayLike] = None,
    *,
    scale: Optional[float] = None,
) -> AttentionResult:
    """softmax(scale Q K^T + mask) V, equation 1; `scale` is 1 / sqrt(d_k) if not given.

    A query whose keys are all masked has weights and output 0.
    """
    return AttentionResult(
        *_paper.scaled_dot_product_attention(_in(query), _in(key), _in(value), _maybe(mask), scale)
    )


def causal_mask(queries: int, keys: int) -> Array:
    """The mask of section 3.2.3, which prevents attention to later positions.

    With more keys than queries, the queries are the last positions.
    """
    return _paper.causal_mask(queries, keys)


def multi_head_attention(
    parameters: AttentionParameters,
    heads: int,
    x: ArrayLike,
    memory: Optional[ArrayLike] = None,
    mask: Optional[ArrayLike] = None,
    *,
    scale: Optional[float] = None,
) -> AttentionResult:
    """Concat(head_1, ..., head_h) W^O, section 3.2.2: x [queries, d_model] attends to memory
    [keys, d_model], by default to itself.

    Smaller key and value weights are shared by several heads, as in grouped_query_attention().
    """
    arrays: list[Array] = []
    for weight, bias in parameters:
        arrays += [_in(weight), _in(np.zeros(len(np.asarray(weight))) if bias is None else bias)]
    rows = _in(x)
    return AttentionResult(
        *_paper.multi_head_attention(
            arrays, heads, rows, rows if memory is None else _in(memory), _maybe(mask), scale
        )
    )


def attention_of(path: str | os.PathLike[str], name: str) -> AttentionParameters:
    """The projections of an attention of the model in a directory, by its name: "encoder.0.self",
    "decoder.5.cross"."""
    arrays = _paper.attention_of(os.fspath(path), name)
    return AttentionParameters(
        *(Linear(weight, bias) for weight, bias in zip(arrays[::2], arrays[1::2], strict=True))
    )


def positional_encoding(positions: int, d_model: int) -> Array:
    """[positions, d_model], section 3.5: the sines of all frequencies first, then the cosines.

    Columns 2i and 2i + 1 of the formula are columns i and d_model / 2 + i.
    """
    return _paper.positional_encoding(positions, d_model)


def label_smoothed_cross_entropy(
    logits: ArrayLike, labels: Sequence[int], smoothing: float = 0.1
) -> SmoothedCrossEntropy:
    """Section 5.4: the cross entropy of logits [rows, classes] with a target that gives
    1 - smoothing to the label and smoothing / classes to every class, the label included."""
    return SmoothedCrossEntropy(
        *_paper.label_smoothed_cross_entropy(_in(logits), [int(label) for label in labels], smoothing)
    )


def noam_learning_rate(step: int, d_model: int = 512, warmup: int = 4000) -> float:
    """The learning rate of step 1, 2, ...: d_model^-0.5 min(step^-0.5, step warmup^-1.5),
    equation 3."""
    return _paper.noam_learning_rate(step, d_model, warmup)


def dot_scores(query: ArrayLike, key: ArrayLike, *, scale: float = 1) -> Array:
    """scale q . k ("dot" of Luong et al., 2015; scaled dot: 1 / sqrt(d_k))."""
    return _paper.dot_scores(_in(query), _in(key), scale)


def general_scores(query: ArrayLike, weight: ArrayLike, key: ArrayLike) -> Array:
    """q W k with W [d_query, d_key] ("general" of Luong et al., 2015)."""
    return _paper.general_scores(_in(query), _in(weight), _in(key))


def additive_scores(
    query_weight: ArrayLike, key_weight: ArrayLike, v: ArrayLike, query: ArrayLike, key: ArrayLike
) -> Array:
    """v . tanh(W q + U k) with W [d, d_query], U [d, d_key], v [d] (Bahdanau et al., 2015)."""
    return _paper.additive_scores(
        _in(query_weight), _in(key_weight), _in(v), _in(query), _in(key)
    )


def cosine_scores(query: ArrayLike, key: ArrayLike, *, gain: float = 1) -> Array:
    """gain q . k / (|q| |k|)."""
    return _paper.cosine_scores(_in(query), _in(key), gain)


def location_scores(query: ArrayLike, weight: ArrayLike, keys: int) -> Array:
    """W q with W [positions, d_query]: key j has the score of position j, or -inf beyond the last
    one ("location" of Luong et al., 2015)."""
    return _paper.location_scores(_in(query), _in(weight), keys)


def attend(scores: ArrayLike, value: ArrayLike, mask: Optional[ArrayLike] = None) -> AttentionResult:
    """softmax(scores + mask) V."""
    return AttentionResult(*_paper.attend(_in(scores), _in(value), _maybe(mask)))


def attend_hard(
    scores: ArrayLike, value: ArrayLike, mask: Optional[ArrayLike] = None
) -> AttentionResult:
    """The value of the key with the best score, the first of several."""
    return AttentionResult(*_paper.attend_hard(_in(scores), _in(value), _maybe(mask)))


def attend_locally(
    scores: ArrayLike,
    value: ArrayLike,
    centers: ArrayLike,
    window: int,
    mask: Optional[ArrayLike] = None,
) -> AttentionResult:
    """Softmax over the keys at most `window` away from each query's center, times
    exp(-(j - center)^2 / (2 (window / 2)^2)): "local-p" of Luong et al. (2015), equation 10.

    `centers`: [queries, 1], such as predicted_positions().
    """
    return AttentionResult(
        *_paper.attend_locally(_in(scores), _in(value), _in(centers), window, _maybe(mask))
    )


def predicted_positions(query: ArrayLike, weight: ArrayLike, v: ArrayLike, keys: int) -> Array:
    """keys sigmoid(v . tanh(W q)), [queries, 1], with W [d, d_query] and v [d] (Luong et al., 2015,
    equation 9)."""
    return _paper.predicted_positions(_in(query), _in(weight), _in(v), keys)


def relative_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    key_vectors: ArrayLike,
    value_vectors: Optional[ArrayLike] = None,
    mask: Optional[ArrayLike] = None,
    *,
    scale: Optional[float] = None,
) -> AttentionResult:
    """Scores scale q . (k + a) and values v + a', with the vectors a, a' [2 K + 1, d] of the
    distances -K to K (Shaw et al., 2018). The queries are the last positions."""
    return AttentionResult(
        *_paper.relative_attention(
            _in(query),
            _in(key),
            _in(value),
            _in(key_vectors),
            _maybe(value_vectors),
            _maybe(mask),
            scale,
        )
    )


def grouped_query_attention(
    heads: int,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    mask: Optional[ArrayLike] = None,
    *,
    scale: Optional[float] = None,
) -> AttentionResult:
    """Each head's attention, side by side: query [queries, heads d_k]; keys [keys, groups d_k] and
    values [keys, groups d_v], whose heads are shared evenly (Ainslie et al., 2023). With one group
    it is multi-query attention (Shazeer, 2019)."""
    return AttentionResult(
        *_paper.grouped_query_attention(
            heads, _in(query), _in(key), _in(value), _maybe(mask), scale
        )
    )


def window_mask(queries: int, keys: int, window: int, *, causal: bool = False) -> Array:
    """Keys at most `window` away from the query: 0, the others: -inf."""
    return _paper.window_mask(queries, keys, window, causal)


def alibi_bias(heads: int, queries: int, keys: int, *, causal: bool = False) -> Array:
    """[heads, queries, keys]: -2^(-8 (head + 1) / heads) distance (ALiBi, Press et al., 2022)."""
    return _paper.alibi_bias(heads, queries, keys, causal)


def t5_bias(table: ArrayLike, queries: int, keys: int, *, causal: bool = False) -> Array:
    """[heads, queries, keys]: the entry of each distance's bucket in the table [heads, buckets]
    (T5, Raffel et al., 2020)."""
    return _paper.t5_bias(_in(table), queries, keys, causal)


def rotary_embedding(
    x: ArrayLike, positions: Optional[Sequence[int]] = None, *, heads: int = 1
) -> Array:
    """Rotates columns c and c + d / 2 of each head by the angle position / 10000^(2 c / d) (Su et
    al., 2021; the order of GPT-NeoX and Llama): x [rows, heads d], row r at positions[r], by
    default at r."""
    rows = _in(x)
    places = range(len(rows)) if positions is None else positions
    return _paper.rotary_embedding(rows, [int(place) for place in places], heads)


def layer_norm(x: ArrayLike, gain: ArrayLike, bias: ArrayLike, *, epsilon: float = 1e-5) -> Array:
    """gain (x - mean) / sqrt(variance + epsilon) + bias, for each row."""
    return _paper.layer_norm(_in(x), _in(gain), _in(bias), epsilon)


def rms_norm(x: ArrayLike, gain: ArrayLike, *, epsilon: float = 1e-5) -> Array:
    """gain x / sqrt(mean square + epsilon), for each row (Zhang and Sennrich, 2019)."""
    return _paper.rms_norm(_in(x), _in(gain), epsilon)


def feed_forward(inner: Linear, output: Linear, x: ArrayLike, *, activation: str = "relu") -> Array:
    """activation(x W_1 + b_1) W_2 + b_2, section 3.3. `activation`: "relu", "gelu",
    "gelu-tanh" (GPT-2's approximation), "silu", "sigmoid", "tanh" or "none"."""
    return _paper.feed_forward(
        _in(inner[0]),
        _maybe(inner[1]),
        _in(output[0]),
        _maybe(output[1]),
        _in(x),
        activation,
    )
