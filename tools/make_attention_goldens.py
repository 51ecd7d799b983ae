#!/usr/bin/env python3
"""Writes tests/heed/data/attention.json: what PyTorch and transformers compute for the variants of
attention, positions and norms (src/heed/paper_variants.h, src/heed/model/variants.h).

    pip install torch transformers
    python3 tools/make_attention_goldens.py

Matrices are those of make_paper_goldens.py. Heads are side by side in the columns of query, key,
value and context; weights are [heads, queries, keys]. Everything is computed in float64.
"""
import math

import torch
import torch.nn.functional as F
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
from transformers.models.t5.modeling_t5 import T5Attention

from make_paper_goldens import ROOT, drawn, matrix, write_goldens

# As in src/heed/model/variants.h.
MAX_RELATIVE_DISTANCE, RELATIVE_BUCKETS = 16, 32


def split(x, heads):
    """[rows, heads * d] to [heads, rows, d]."""
    return x.reshape(x.shape[0], heads, -1).transpose(0, 1)


def join(x):
    return x.transpose(0, 1).flatten(1)


def distances(queries, keys, causal):
    """Key position minus query position. Causal queries are the last positions; others begin at 0,
    and one beyond the last key is at its position."""
    first = keys - queries if causal else 0
    position = (torch.arange(queries) + first).clamp(max=keys - 1)
    return torch.arange(keys)[None, :] - position[:, None]


def mask_of(distance, causal, window):
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if causal:
        hidden |= distance > 0
    if window is not None:
        hidden |= distance.abs() > window
    return torch.zeros(distance.shape, dtype=torch.float64).masked_fill(hidden, -math.inf)


def alibi(heads, distance, causal):
    """[heads, queries, keys]. transformers' bias of a key is slope * its position, which differs
    from - slope * distance by a constant of each query: its softmax is the same where only keys up to
    the query count. Elsewhere: the formula."""
    if causal:
        keys = distance.shape[1]
        return build_alibi_tensor(torch.ones(1, keys), heads, torch.float64)
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)
    return -slopes[:, None, None] * distance.abs()


def t5_buckets(distance, causal):
    return T5Attention._relative_position_bucket(distance, bidirectional=not causal,
                                                 num_buckets=RELATIVE_BUCKETS, max_distance=128)


def rotated(x, positions):
    """x [heads, rows, d]."""
    d = x.shape[-1]
    angle = positions[:, None] / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    angle = torch.cat([angle, angle], dim=-1)[None]
    return apply_rotary_pos_emb(x[None], x[None], angle.cos(), angle.sin())[0][0]


def scaled_dot(q, k, v, bias):
    """PyTorch's attention of all heads, and its weights: the output for values of the identity."""
    eye = torch.eye(k.shape[1], dtype=torch.float64).expand(k.shape[0], -1, -1)
    return tuple(F.scaled_dot_product_attention(q[None], k[None], x[None], attn_mask=bias,
                                                enable_gqa=True)[0] for x in (v, eye))


def case_of(options, inputs, context, weights):
    results = {"context": join(context), "weights": weights}
    tensors = inputs | {name: tensor.round(decimals=6) for name, tensor in results.items()}
    return options | {name: matrix(tensor) for name, tensor in tensors.items()}


def scaled_dot_case(heads, groups, queries, keys, causal=False, window=None, positions="none"):
    d_key, d_value = (4, 2) if heads < 8 else (2, 1)
    options = {"score": "scaled-dot", "positions": positions, "heads": heads, "causal": causal}
    if window is not None:
        options["window"] = window
    inputs = {"query": drawn(queries, heads * d_key), "key": drawn(keys, groups * d_key),
              "value": drawn(keys, groups * d_value)}
    q, k, v = split(inputs["query"], heads), *(split(inputs[x], groups) for x in ("key", "value"))
    distance = distances(queries, keys, causal)
    bias = mask_of(distance, causal, window).expand(heads, -1, -1)
    if positions == "rotary":
        first = keys - queries if causal else 0
        q = rotated(q, torch.arange(first, first + queries))
        k = rotated(k, torch.arange(keys))
    if positions == "alibi":
        bias = bias + alibi(heads, distance, causal)
    if positions == "t5":
        inputs["table"] = drawn(heads, RELATIVE_BUCKETS)
        bias = bias + inputs["table"][:, t5_buckets(distance, causal)]
    return case_of(options, inputs, *scaled_dot(q, k, v, bias[None]))


def relative_case(heads, groups, queries, keys, causal):
    """Equations 3 and 4 of Shaw et al. (2018)."""
    inputs = {"query": drawn(queries, heads * 4), "key": drawn(keys, groups * 4),
              "value": drawn(keys, groups * 2),
              "relative_key": drawn(2 * MAX_RELATIVE_DISTANCE + 1, 4),
              "relative_value": drawn(2 * MAX_RELATIVE_DISTANCE + 1, 2)}
    q = split(inputs["query"], heads)
    k, v = (split(inputs[x], groups).repeat_interleave(heads // groups, 0) for x in ("key", "value"))
    distance = distances(queries, keys, causal)
    clipped = distance.clamp(-MAX_RELATIVE_DISTANCE, MAX_RELATIVE_DISTANCE) + MAX_RELATIVE_DISTANCE
    a_key, a_value = inputs["relative_key"][clipped], inputs["relative_value"][clipped]
    scores = (torch.einsum("hid,hjd->hij", q, k) + torch.einsum("hid,ijd->hij", q, a_key)) / 2
    weights = (scores + mask_of(distance, causal, None)).softmax(-1)
    context = weights @ v + torch.einsum("hij,ijd->hid", weights, a_value)
    return case_of({"score": "scaled-dot", "positions": "relative", "heads": heads,
                    "causal": causal}, inputs, context, weights)


def score_case(score, heads, groups, queries, keys, causal=False, window=None, positions="none",
               reach="global"):
    """The score functions, by the formulas of their papers; softmax, or one key, or local-p."""
    d_key = 4
    options = {"score": score, "positions": positions, "heads": heads, "causal": causal,
               "reach": reach}
    inputs = {"query": drawn(queries, heads * d_key), "key": drawn(keys, groups * d_key),
              "value": drawn(keys, groups * 2)}
    x = inputs["query"]
    q, k, v = split(x, heads), *(split(inputs[n], groups).repeat_interleave(heads // groups, 0)
                                 for n in ("key", "value"))
    if score == "scaled-dot":
        scores = q @ k.transpose(1, 2) / math.sqrt(d_key)
    if score == "dot":
        scores = q @ k.transpose(1, 2)
    if score == "general":  # Luong et al. (2015), equation 8; W of each head [d_key, d_key]
        inputs["weight"] = drawn(heads * d_key, d_key)
        scores = torch.einsum("hia,hab,hjb->hij", q, inputs["weight"].reshape(heads, d_key, -1), k)
    if score == "additive":  # Bahdanau et al. (2015), appendix A.1.2; one head
        inputs |= {"query_weight": drawn(d_key, d_key), "key_weight": drawn(d_key, d_key),
                   "v": drawn(1, d_key)}
        sums = (q @ inputs["query_weight"].T)[:, :, None] + (k @ inputs["key_weight"].T)[:, None]
        scores = sums.tanh() @ inputs["v"][0]
    if score == "cosine":
        inputs["gain"] = drawn(1, heads)
        scores = F.cosine_similarity(q[:, :, None], k[:, None], dim=-1) * math.sqrt(d_key)
        scores = scores * inputs["gain"].reshape(heads, 1, 1)
    if score == "location":  # Luong et al. (2015), equation 9; W of each head [keys, d_model]
        inputs["weight"] = drawn(heads * keys, heads * d_key)
        scores = torch.einsum("id,hjd->hij", x, inputs["weight"].reshape(heads, keys, -1))
    distance = distances(queries, keys, causal)
    scores = scores + mask_of(distance, causal, window)
    if positions == "alibi":
        scores = scores + alibi(heads, distance, causal)
    if window is not None:
        options["window"] = window
    if reach == "hard":
        weights = F.one_hot(scores.argmax(-1), keys).double()
    elif reach == "local-p":  # Luong et al. (2015), equations 9 and 10 of section 3.2
        options["window"] = window = 2
        inputs |= {"center_inner": drawn(heads * d_key, heads * d_key),
                   "center": drawn(heads, heads * d_key)}
        center = keys * ((x @ inputs["center_inner"].T).tanh() @ inputs["center"].T).sigmoid()
        away = torch.arange(keys) - center.T[:, :, None]
        weights = scores.masked_fill(away.abs() > window, -math.inf).softmax(-1)
        weights = weights * (-away ** 2 / (2 * (window / 2) ** 2)).exp()
    else:
        weights = scores.softmax(-1)
    return case_of(options, inputs, weights @ v, weights)


def attention_cases():
    cases = []
    for heads, groups in [(8, 8), (8, 2), (8, 1)]:
        for queries, keys, causal in [(4, 4, False), (4, 4, True), (2, 5, True), (5, 3, False)]:
            for window in [None, 1]:
                cases.append(scaled_dot_case(heads, groups, queries, keys, causal, window))
    for queries, keys, causal in [(5, 5, False), (5, 5, True), (2, 7, True)]:
        cases.append(scaled_dot_case(2, 2, queries, keys, causal, positions="rotary"))
        cases.append(scaled_dot_case(4, 2, queries, keys, causal, 2, "rotary"))
        cases.append(scaled_dot_case(4, 1, queries, keys, causal, positions="alibi"))
        cases.append(scaled_dot_case(2, 2, queries, keys, causal, positions="t5"))
        cases.append(relative_case(2, 1, queries, keys, causal))
        cases.append(score_case("additive", 1, 1, queries, keys, causal, positions="alibi"))
    # Distances up to where they are clipped, and beyond T5's last bucket.
    cases.append(relative_case(1, 1, 20, 20, False))
    cases.append(relative_case(2, 2, 2, 20, True))
    for causal in [False, True]:
        cases.append(scaled_dot_case(1, 1, 2, 140, causal, positions="t5"))
    for score in ["dot", "general", "cosine"]:
        for heads, groups in [(1, 1), (2, 1)]:
            cases.append(score_case(score, heads, groups, 3, 5))
            cases.append(score_case(score, heads, groups, 3, 3, causal=True, window=1))
    for queries, keys in [(3, 5), (4, 2)]:
        cases.append(score_case("additive", 1, 1, queries, keys))
        cases.append(score_case("location", 2, 2, queries, keys))
        cases.append(score_case("location", 2, 1, queries, keys, reach="local-p"))
        cases.append(score_case("scaled-dot", 2, 1, queries, keys, reach="local-p"))
        cases.append(score_case("scaled-dot", 2, 2, queries, keys, reach="hard"))
        cases.append(score_case("general", 1, 1, queries, keys, reach="local-p"))
    cases.append(score_case("scaled-dot", 2, 2, 4, 4, causal=True, reach="hard"))
    return cases


def rotary_cases():
    cases = []
    for heads, d in [(1, 2), (2, 6)]:
        positions = torch.tensor([0, 1, 2, 30, 1000])
        x = drawn(len(positions), heads * d)
        cases.append({"heads": heads, "positions": positions.tolist(), "x": matrix(x),
                      "y": matrix(join(rotated(split(x, heads), positions)))})
    return cases


def bucket_cases():
    """Of the keys 0 to 300, for the query of position 0, or of position 300 under a causal mask."""
    return [{"causal": causal,
             "buckets": t5_buckets(distances(1, 301, causal), causal)[0].tolist()}
            for causal in [False, True]]


def norm_cases():
    cases = []
    for kind in ["layer", "rms"]:
        x, gain, bias = drawn(3, 6), drawn(6), drawn(6)
        if kind == "layer":
            module = torch.nn.LayerNorm(6, dtype=torch.float64)
            module.bias.data = bias
        else:
            module = torch.nn.RMSNorm(6, eps=1e-5, dtype=torch.float64)
        module.weight.data = gain
        cases.append({"kind": kind, "x": matrix(x), "gain": matrix(gain), "bias": matrix(bias),
                      "y": matrix(module(x).detach())})
    return cases


def pre_norm_cases():
    """An encoder of one layer with a norm at its end; parameters by the names of PyTorch."""
    d_model, heads, d_ff = 8, 2, 16
    layer = torch.nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0, batch_first=True,
                                             norm_first=True, dtype=torch.float64)
    encoder = torch.nn.TransformerEncoder(
        layer, 1, norm=torch.nn.LayerNorm(d_model, dtype=torch.float64),
        enable_nested_tensor=False)
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.copy_(drawn(*parameter.shape))
        x = drawn(5, d_model)
        case = {"x": x, "y": encoder(x[None])[0]} | dict(encoder.named_parameters())
        return [{"heads": heads} | {name: matrix(tensor) for name, tensor in case.items()}]


def main():
    write_goldens(f"{ROOT}/tests/heed/data/attention.json", {
        "attention": attention_cases(),
        "rotary": rotary_cases(),
        "t5_buckets": bucket_cases(),
        "norm": norm_cases(),
        "pre_norm": pre_norm_cases(),
    })


if __name__ == "__main__":
    main()
