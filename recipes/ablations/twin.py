#!/usr/bin/env python3
"""Trains rows of rows.txt in heed and in PyTorch, and holds their loss curves side by side.

    pip install torch numpy safetensors sentencepiece
    recipes/ablations/twin.py --data ../shared/data [--steps 100] [GROUP|ROW]...

The model in PyTorch (twin_model.py) starts from heed's first weights and sees the same batches,
dropout and learning rates: the curves differ by rounding alone, or one of the two has a mistake.
The settings are those of base.toml and of the row, but in fp32 (--compute bf16: heed as the table
has it), with smaller batches, and with the schedule shortened to --steps. Each row leaves NAME.json
with both curves, and is not computed again while its settings are the same. Exit status 1 if a row
does not agree.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import safetensors.torch
import sentencepiece
import torch

from twin_model import Dropout, Twin, mix

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BASE = tomllib.loads((HERE / "base.toml").read_text())["train"]
END, UNKNOWN = 0, 1  # ids of heed's vocabularies
SHARDS = 4  # heed's default
LAST = 50  # steps of the means that are printed
# How much loss and gradient norm of the first step may differ, relative: by rounding, and where
# rounding decides which key is the best (hard).
FIRST_STEP = {"fp32": (1e-5, 1e-3), "bf16": (5e-3, 1e-2)}


# The rows and their options.

def read_rows():
    """(group, row, options) of each line of rows.txt, with seed 1 where the options give none."""
    rows = []
    for line in (HERE / "rows.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            group, label, words = (part.strip() for part in line.split("|"))
            if "--seed " not in words:
                words = f"{words} --seed 1".strip()
            rows.append((group, label, words))
    return rows


def selected_rows(names):
    rows = read_rows()
    for name in names:
        if not any(name in row[:2] for row in rows):
            sys.exit(f"twin.py: no group or row is named '{name}'; see rows.txt")
    return [row for row in rows if not names or row[0] in names or row[1] in names]


def name_of(words):
    """As in run.sh: --heads 1 --seed 1 is heads_1_seed_1."""
    return re.sub(r"[ /]", "_", f" {words}".replace(" --", " ").strip())


def parsed(words):
    """--heads 1 --share-query-key is {"heads": 1, "share_query_key": True}."""
    options = {}
    for word in words.split("--")[1:]:
        name, _, value = word.strip().partition(" ")
        if re.fullmatch(r"[0-9.e-]+", value):
            value = float(value) if "." in value else int(value)
        options[name.replace("-", "_")] = True if value == "" else value
    return options


def settings_of(words, arguments):
    """The options of a row's training, but for files and threads."""
    text = {"source", "target", "tokenizer", "vocabulary_size", "valid_source", "valid_target"}
    return {key: BASE[key] for key in BASE if key not in text} | {
        "steps": arguments.steps, "decay_steps": arguments.steps,
        "warmup_steps": round(BASE["warmup_steps"] * arguments.steps / BASE["steps"]),
        "batch_tokens": arguments.batch_tokens, "compute": arguments.compute} | parsed(words)


# heed's side.

def run_heed(arguments, options, model):
    """The reports of all steps; of a run that diverged, those of the steps before."""
    text = arguments.data / "multi30k" / "train"
    command = [str(arguments.heed), "train", "--source", f"{text}.en.gz", "--target",
               f"{text}.de.gz", "--model", str(model), "--threads", str(arguments.threads),
               "--report-every", "1", "--no-inspect", "--overwrite"]
    for key, value in options.items():
        command += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and "is not finite at step" not in done.stderr:
        sys.exit(f"twin.py: {' '.join(command)}\n{done.stderr[-2000:]}")
    reports = map(json.loads, (model / "metrics.jsonl").read_text().splitlines())
    return [report for report in reports if report["kind"] == "train"]


def first_weights(arguments, options, model):
    """The weights before the first step: of a run of one step, at a learning rate that changes no
    weight but those that are 0, into 1e-30."""
    one = options | {"steps": 1, "schedule": "constant", "learning_rate": 1e-30, "warmup_steps": 0}
    del one["decay_steps"]
    run_heed(arguments, one, model)
    weights = safetensors.torch.load_file(model / "model.safetensors")
    weights.pop("final_logits_bias", None)  # zeros that are not trained
    return weights


def learn_vocabulary(arguments, file):
    """As run.sh does."""
    model = file.with_suffix(".model")
    options = {key: BASE[key] for key in ("tokenizer", "vocabulary_size", "max_ratio")}
    run_heed(arguments, options | {"preset": "tiny", "steps": 1}, model)
    shutil.copyfile(model / "source.spm", file)
    shutil.rmtree(model)


def read_ids(arguments, model):
    """The ids of all pairs, each side with </s> at its end."""
    vocabulary = json.loads((model / "vocab.json").read_text())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model / "source.spm"))
    sides = []
    for language in ("en", "de"):
        path = arguments.data / "multi30k" / f"train.{language}.gz"
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            lines = [line.rstrip("\n") for line in file]
        sides.append([[vocabulary.get(piece, UNKNOWN) for piece in line] + [END]
                      for line in pieces.encode(lines, out_type=str)])
    return list(zip(*sides))


# Batches.

def shuffled(count, seed):
    """heed's order of the pairs (core/rng.h)."""
    order = list(range(count))
    for draw, i in enumerate(range(count, 1, -1)):
        j = mix(seed, draw) * i >> 64
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def batches(pairs, options):
    """Epoch after epoch, all pairs in an order that seed and epoch decide, cut where a batch is
    full (data/batches.cpp)."""
    epoch = 0
    while True:
        batch, source, target = [], 0, 0
        for i in shuffled(len(pairs), mix(options["seed"], epoch)):
            pair = pairs[i]
            source, target = source + len(pair[0]), target + len(pair[1])
            if batch and max(source, target) > options["batch_tokens"]:
                yield batch
                batch, source, target = [], len(pair[0]), len(pair[1])
            batch.append(pair)
        yield batch
        epoch += 1


def shards_of(batch):
    """The shard in which heed computes each pair, which decides its dropout: the longest pair
    first, each to the shard with the fewest tokens."""
    load, shards = [0] * SHARDS, [0] * len(batch)
    lengths = [len(source) + len(target) for source, target in batch]
    for i in sorted(range(len(batch)), key=lambda i: -lengths[i]):
        shards[i] = load.index(min(load))
        load[shards[i]] += lengths[i]
    return shards


def first_rows(lengths, shards):
    """Where each sentence begins among the rows of its shard."""
    next_row, rows = [0] * SHARDS, []
    for length, shard in zip(lengths, shards):
        rows.append(next_row[shard])
        next_row[shard] += length
    return rows


def padded(rows, pad):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True,
                                           padding_value=pad)


def tensors_of(batch, pad):
    source, labels = zip(*batch)
    target = [[pad] + row[:-1] for row in labels]  # the decoder starts with <pad>, as in Marian
    shards = shards_of(batch)
    lengths = {"source": [len(row) for row in source], "target": [len(row) for row in target]}
    result = SimpleNamespace(source=padded(source, pad), target=padded(target, pad),
                             labels=torch.tensor(sum(labels, [])), shards=shards)
    for side, counts in lengths.items():
        setattr(result, side + "_lengths", torch.tensor(counts))
        setattr(result, side + "_rows", first_rows(counts, shards))
    result.target_seen = torch.arange(result.target.shape[1]) < result.target_lengths[:, None]
    return result


# PyTorch's side.

def learning_rate(options, step):
    """base.toml's schedule: up to the peak, then down to zero, each in a straight line."""
    warmup, end, peak = (options[key] for key in ("warmup_steps", "decay_steps", "learning_rate"))
    if step <= warmup:
        return peak * step / warmup
    return peak * (1 - (step - warmup) / (end - warmup))


def run_twin(weights, pairs, options):
    """What run_heed() returns, of the same model and batches in PyTorch."""
    model = Twin(weights, options)
    parameters = list(model.weights.values())
    optimizer = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)
    reports, stream = [], mix(options["seed"], 0xD0)
    for step, batch in zip(range(1, options["steps"] + 1), batches(pairs, options)):
        batch = tensors_of(batch, model.pad)
        optimizer.param_groups[0]["lr"] = learning_rate(options, step)
        dropout = Dropout(options["dropout"], mix(stream, step - 1))
        loss = model.loss(batch, dropout) / len(batch.labels)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
        if not math.isfinite(loss.item()) or not math.isfinite(norm.item()):
            break  # where heed stops, too
        optimizer.step()
        reports.append({"loss": loss.item(), "gradient_norm": norm.item()})
    return reports


# The comparison.

def compared(heed, twin, settings):
    def differences(key):
        return [abs(a[key] - b[key]) / b[key] for a, b in zip(heed, twin)]

    def mean_of_last(reports):
        return sum(report["loss"] for report in reports[-LAST:]) / len(reports[-LAST:])

    loss, norm = differences("loss"), differences("gradient_norm")
    result = {"settings": settings, "greatest_difference": max(loss),
              "at_step": loss.index(max(loss)) + 1, "first_loss_difference": loss[0],
              "first_norm_difference": norm[0]}
    for side, reports in (("heed", heed), ("twin", twin)):
        result[side + "_mean"] = mean_of_last(reports)
        result[side + "_loss"] = [report["loss"] for report in reports]
        result[side + "_gradient_norm"] = [report["gradient_norm"] for report in reports]
    return result


def agrees(result, tolerance):
    """A mistake shows in the first step, where rounding has not grown yet."""
    loss, norm = FIRST_STEP[result["settings"]["compute"]]
    return (result["first_loss_difference"] <= loss and result["first_norm_difference"] <= norm
            and result["greatest_difference"] <= tolerance
            and len(result["heed_loss"]) == len(result["twin_loss"]))


def compute_row(arguments, name, settings, corpus):
    model = arguments.twin / f"{name}.model"
    options = settings | {"tokenizer_model": str(arguments.twin / "vocabulary.spm")}
    weights = first_weights(arguments, options, model)
    if not corpus:
        corpus += read_ids(arguments, model)
    twin = run_twin(weights, corpus, options)
    heed = run_heed(arguments, options, model)
    shutil.rmtree(model)
    return compared(heed, twin, settings)


def line_of(result, tolerance):
    steps = [len(result[side + "_loss"]) for side in ("heed", "twin")]
    return (f"heed {result['heed_mean']:.4f} | PyTorch {result['twin_mean']:.4f} | "
            f"step 1: loss {result['first_loss_difference']:.0e}, "
            f"gradient norm {result['first_norm_difference']:.0e} | "
            f"greatest {result['greatest_difference']:.1e} at step {result['at_step']} of "
            f"{steps[0]}{'' if steps[0] == steps[1] else f' and {steps[1]}'} | "
            f"{'agrees' if agrees(result, tolerance) else 'DIFFERS'}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ablations = pathlib.Path(os.environ.get("HEED_ABLATIONS", ROOT / "build/ablations"))
    heed = os.environ.get("HEED_PROGRAM", ROOT / "build/release/heed")
    parser.add_argument("--heed", type=pathlib.Path, default=heed, metavar="PROGRAM",
                        help="the program (HEED_PROGRAM, or build/release/heed)")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("HEED_DATA"),
                        metavar="DIR", help="the directory that holds multi30k/ (HEED_DATA)")
    parser.add_argument("--twin", type=pathlib.Path, default=ablations / "twin", metavar="DIR",
                        help="where the results are kept (HEED_ABLATIONS/twin)")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch-tokens", type=int, default=512)
    parser.add_argument("--compute", choices=FIRST_STEP, default="fp32",
                        help="of heed; PyTorch computes in fp32 (fp32)")
    parser.add_argument("--tolerance", type=float, default=1e-2,
                        help="of the loss of any step, relative (0.01)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("rows", nargs="*", metavar="GROUP|ROW", help="default: all rows")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or HEED_DATA is needed")
    return arguments


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.twin.mkdir(parents=True, exist_ok=True)
    if not (arguments.twin / "vocabulary.spm").exists():
        learn_vocabulary(arguments, arguments.twin / "vocabulary.spm")
    corpus, failed = [], 0
    for group, label, words in selected_rows(arguments.rows):
        settings = settings_of(words, arguments)
        name = name_of(words) + (".bf16" if arguments.compute == "bf16" else "")
        file = arguments.twin / f"{name}.json"
        result = json.loads(file.read_text()) if file.exists() else {}
        if result.get("settings") != settings:
            result = compute_row(arguments, name, settings, corpus)
            partial = file.with_suffix(".partial")
            partial.write_text(json.dumps(result) + "\n")
            partial.replace(file)
        failed += not agrees(result, arguments.tolerance)
        print(f"{group} | {label} | {line_of(result, arguments.tolerance)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
