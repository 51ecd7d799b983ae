#!/usr/bin/env python3
"""Writes tests/train/data/optimizer.json: what PyTorch's AdamW, schedules and moving average make of
given gradients, in double precision. Needs torch: tools/make_optimizer_goldens.py"""

import json
import pathlib

import torch
from torch.optim import lr_scheduler
from torch.optim.swa_utils import AveragedModel

STEPS, WARMUP, PEAK, FINAL = 12, 3, 0.05, 0.1
DECAY, EMA = 0.3, 0.5


def schedule(name, optimizer):
    rise = lr_scheduler.LinearLR(optimizer, 1 / WARMUP, 1, total_iters=WARMUP - 1)
    if name == "linear":
        fall = lr_scheduler.LinearLR(optimizer, 1, FINAL, total_iters=STEPS - WARMUP)
    else:
        fall = lr_scheduler.CosineAnnealingLR(optimizer, STEPS - WARMUP, eta_min=FINAL * PEAK)
    return lr_scheduler.SequentialLR(optimizer, [rise, fall], milestones=[WARMUP - 1])


def keep(step):
    return min(EMA, (1 + step) / (10 + step))


def run(name, initial, gradients):
    model = torch.nn.ParameterList([torch.nn.Parameter(initial.clone())])
    optimizer = torch.optim.AdamW(model, lr=PEAK, betas=(0.9, 0.98), eps=1e-9, weight_decay=DECAY)
    rates = schedule(name, optimizer)
    # The average begins as the weights that the run begins with. PyTorch's count is a tensor, whose
    # quotients would be of single precision.
    average = AveragedModel(model, avg_fn=lambda mean, now, s: mean + (1 - keep(int(s))) * (now - mean))
    average.n_averaged.fill_(1)
    case = {"schedule": name, "rates": [], "weights": [], "averages": []}
    for gradient in gradients:
        model[0].grad = gradient.clone()
        case["rates"].append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        average.update_parameters(model)
        rates.step()
        case["weights"].append(model[0].detach().tolist())
        case["averages"].append(average.module[0].detach().tolist())
    return case


def main():
    torch.manual_seed(1)
    initial = torch.randn(5, dtype=torch.float64)
    gradients = torch.randn(STEPS, 5, dtype=torch.float64)
    golden = {
        "torch": torch.__version__.split("+")[0], "warmup": WARMUP, "peak": PEAK,
        "final_fraction": FINAL, "weight_decay": DECAY, "ema": EMA,
        "initial": initial.tolist(), "gradients": gradients.tolist(),
        "cases": [run(name, initial, gradients) for name in ("linear", "cosine")],
    }
    path = pathlib.Path(__file__).parent.parent / "tests/train/data/optimizer.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
