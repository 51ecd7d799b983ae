#!/usr/bin/env python3
"""Writes tests/heed/data/paper.json: what PyTorch gives for the paper's pieces (src/heed/paper.h).

    pip install torch
    python3 tools/make_paper_goldens.py

A matrix is {"shape": [rows, columns], "values": [...]}; null stands for -infinity.
"""
import json
import math
import os

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
random = torch.Generator().manual_seed(5)


def drawn(*shape):
    """Normal numbers of few digits, so that the file says them exactly."""
    return (torch.randn(*shape, generator=random, dtype=torch.float64) * 1e3).round() / 1e3


def matrix(tensor):
    values = [None if x == -math.inf else float(f"{x:.8g}") for x in tensor.flatten().tolist()]
    return {"shape": list(tensor.shape), "values": values}


def masks(queries, keys):
    free = torch.zeros(queries, keys, dtype=torch.float64)
    some = torch.rand(queries, keys, generator=random) < 0.4
    some[:, 0] = False  # every query sees one key at least
    masks = [None, free.masked_fill(some, -math.inf), drawn(queries, keys)]
    if queries <= keys:
        later = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)
        masks.append(free.masked_fill(later, -math.inf))
    return masks


def attention_cases():
    cases = []
    for queries, keys, d_k, d_v in [(1, 1, 1, 1), (3, 3, 4, 4), (2, 5, 3, 7), (4, 2, 8, 1)]:
        for mask in masks(queries, keys):
            for scale in [None, 0.3]:
                q, k, v = drawn(queries, d_k), drawn(keys, d_k), drawn(keys, d_v)
                context, weights = (
                    F.scaled_dot_product_attention(q, k, x, attn_mask=mask, scale=scale)
                    for x in (v, torch.eye(keys, dtype=torch.float64)))
                case = {"query": q, "key": k, "value": v, "context": context, "weights": weights}
                if mask is not None:
                    case["mask"] = mask
                case = {name: matrix(tensor) for name, tensor in case.items()}
                if scale is not None:
                    case["scale"] = scale
                cases.append(case)
    return cases


def multi_head_cases():
    cases = []
    for queries, keys, d_model, heads, own in [(3, 3, 8, 2, True), (2, 4, 6, 3, False), (4, 4, 4, 1, True)]:
        module = torch.nn.MultiheadAttention(d_model, heads, dtype=torch.float64)
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(drawn(*parameter.shape))
            x = drawn(queries, d_model)
            memory = x if own else drawn(keys, d_model)
            for mask in masks(queries, keys)[:2]:
                context, weights = module(x, memory, memory, attn_mask=mask,
                                          average_attn_weights=False)
                case = {"x": x, "memory": memory, "context": context, "weights": weights,
                        "in_weight": module.in_proj_weight, "in_bias": module.in_proj_bias,
                        "out_weight": module.out_proj.weight, "out_bias": module.out_proj.bias}
                if mask is not None:
                    case["mask"] = mask
                cases.append({"heads": heads} | {name: matrix(t) for name, t in case.items()})
    return cases


def positional_encoding(positions, d_model):
    """The formula of section 3.5, its even columns (sines) before its odd ones (cosines)."""
    position = torch.arange(positions, dtype=torch.float64)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    table = torch.empty(positions, d_model, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def cross_entropy_cases():
    cases = []
    for rows, classes, smoothing in [(1, 2, 0.1), (3, 7, 0.1), (4, 33, 0.0), (2, 5, 0.6)]:
        logits = (3 * drawn(rows, classes)).requires_grad_()
        labels = torch.randint(classes, (rows,), generator=random)
        losses = F.cross_entropy(logits, labels, label_smoothing=smoothing, reduction="none")
        losses.sum().backward()
        plain = F.cross_entropy(logits, labels, reduction="none")
        cases.append({"labels": labels.tolist(), "smoothing": smoothing, "logits": matrix(logits),
                      "smoothed": matrix(losses), "plain": matrix(plain),
                      "gradient": matrix(logits.grad)})
    return cases


def noam_cases():
    """PyTorch's scheduler, stepped through; its step 0 is the paper's step 1."""
    cases = []
    for d_model, warmup in [(512, 4000), (128, 10)]:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer,
            lambda i: d_model ** -0.5 * min((i + 1) ** -0.5, (i + 1) * warmup ** -1.5))
        for step in range(1, 6001):
            if step in (1, 2, 9, 10, 11, 3999, 4000, 4001, 6000):
                cases.append({"step": step, "d_model": d_model, "warmup": warmup,
                              "rate": float(f"{schedule.get_last_lr()[0]:.12g}")})
            optimizer.step()
            schedule.step()
    return cases


def write_goldens(path, goldens):
    groups = []
    for name, cases in goldens.items():
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        groups.append(f'"{name}":[\n{lines}\n]')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("{" + ",\n".join(groups) + "}\n")


def main():
    write_goldens(f"{ROOT}/tests/heed/data/paper.json", {
        "attention": attention_cases(),
        "multi_head": multi_head_cases(),
        "positional_encoding": [matrix(positional_encoding(*shape)) for shape in [(5, 2), (9, 8)]],
        "cross_entropy": cross_entropy_cases(),
        "noam": noam_cases(),
    })


if __name__ == "__main__":
    main()
