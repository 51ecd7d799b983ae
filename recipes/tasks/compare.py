#!/usr/bin/env python3
"""A tagger, a parser and a language model, trained in heed and in PyTorch, and measured side by side.

    pip install torch numpy safetensors sentencepiece
    recipes/tasks/compare.py check [TASK]...    one step of both from the same weights, without dropout,
                                                and whether they draw their first weights alike
    recipes/tasks/compare.py train [TASK]...    both, with each seed; heed scores the weights of either
    recipes/tasks/compare.py speed [TASK]...    both in turn: sentences a second, and memory
    recipes/tasks/compare.py table              what train and speed have finished

TASK is tag, parse or language-model; its settings are in TASK.toml. A finished training is not computed
again, an interrupted one goes on. Exit status 1 if a check or a score fails.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import tomllib

import torch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heed_program  # noqa: E402
import pytorch  # noqa: E402
from twin import batches as batches_of_heed  # noqa: E402

FIRST_STEP = {"loss": 1e-5, "gradient_norm": 1e-3}  # how much both may differ, relative: by rounding
TASKS = {  # where the text is below HEED_DATA, and how the score is called
    "tag": ("ewt-tags/{}.tsv.gz", "accuracy"),
    "parse": ("gum-trees/{}.trees.gz", "F1"),
    "language-model": ("software-en-zh/{}.en.gz", "perplexity"),
}
TEXT_OPTION = {"tag": "--tsv", "parse": "--trees", "language-model": "--text"}


def settings_of(task):
    return tomllib.loads((HERE / f"{task}.toml").read_text())["train"]


# heed's side.

def heed(arguments, *words):
    return heed_program.heed(arguments.heed, *words)


def train_words(arguments, task, model, **options):
    """The command line of a training. `options` replace those of TASK.toml."""
    words = ["train", "--config", HERE / f"{task}.toml", TEXT_OPTION[task],
             arguments.data / TASKS[task][0].format("train"), "--model", model,
             "--threads", arguments.threads, "--no-inspect", "--quiet"]
    for key, value in options.items():
        words += ["--" + key.replace("_", "-")] + ([] if value is True else [value])
    return words


def reports_of(model):
    reports = map(json.loads, (model / "metrics.jsonl").read_text().splitlines())
    return [report for report in reports if report["kind"] == "train"]


def score(arguments, task, model, part):
    """The score of a model on "dev" or "test"."""
    text = arguments.data / TASKS[task][0].format(part)
    common = ("--model", model, "--threads", arguments.threads, "--compute", "fp32", "--quiet")
    if task == "language-model":
        printed = heed(arguments, "score", *common, "--text", text, "--format", "corpus")
        return json.loads(printed)["perplexity"]
    output, reference, metric = model / f"{part}.output", text, "brackets"
    if task == "tag":
        metric, words, reference = "accuracy", model / f"{part}.words", model / f"{part}.labels"
        with gzip.open(text, "rt", encoding="utf-8") as lines:
            pairs = [line.rstrip("\n").split("\t") for line in lines]
        for path, column in ((words, 0), (reference, 1)):
            path.write_text("".join(pair[column] + "\n" for pair in pairs), encoding="utf-8")
        heed(arguments, "tag", *common, "--input", words, "--output", output, "--format", "tags")
    else:
        heed(arguments, "parse", *common, "--trees", text, "--output", output)
    printed = heed(arguments, "evaluate", "--hypothesis", output, "--reference", reference,
                   "--metrics", metric, "--json", "--quiet")
    return json.loads(printed)[0]["score"]


def unlike(own, drawn):
    """The names of PyTorch's first weights that have another spread than heed's, or a row that is not
    zero as heed's is: the embedding of <pad>, with which a decoder's input begins."""
    names = []
    for name, weight in own.items():
        zero = weight.abs().amax(-1) < 1e-20
        spread = drawn[name][~zero].std() / weight[~zero].std() if (~zero).any() else torch.ones(())
        if drawn[name][zero].any() or (weight.dim() == 2 and abs(spread - 1) > 0.1):
            names.append(name)
    return names


# Commands.

def check(arguments, task):
    """Both compute the first step of heed's run with its weights, its batch and no dropout."""
    model = arguments.work / f"{task}.check"
    # The first state of a decoder alone is zero before anything is learned, unless a position is added:
    # its gradient is then that of a norm of zeros, which no two programs round alike.
    positions = "sinusoidal" if task == "language-model" else settings_of(task)["positions"]
    heed(arguments, *train_words(arguments, task, model, steps=1, schedule="constant", dropout=0,
                                 learning_rate=1e-30, warmup_steps=0, overwrite=True,
                                 positions=positions))
    report = reports_of(model)[0]
    options = settings_of(task) | pytorch.read_options(model)
    twin = pytorch.MODELS[task](pytorch.read_weights(model), options)
    pairs = pytorch.read_corpus(model / "training/train.corpus")
    first = next(batches_of_heed(pairs, options | {"seed": 1}))
    batch = pytorch.tensors_of(task, first, twin.pad)
    loss = twin.loss(batch, pytorch.PyTorchDropout(0)) / batch.count
    loss.backward()
    norm = torch.nn.utils.get_total_norm(
        [weight.grad for weight in twin.weights.values() if weight.grad is not None])
    # heed divides the gradient by the tokens of the targets, of which a tagger's have labels in part.
    norm = norm * batch.count / int(batch.target_lengths.sum())
    different = unlike(pytorch.read_weights(model), pytorch.fresh(pytorch.read_weights(model), 2))
    shutil.rmtree(model)
    right = not different
    if different:
        print(f"{task}: first weights differ: {', '.join(different)}")
    for key, value in (("loss", loss.item()), ("gradient_norm", norm.item())):
        difference = abs(report[key] - value) / value
        right = right and difference <= FIRST_STEP[key]
        print(f"{task}: {key} heed {report[key]:.6f} | PyTorch {value:.6f} | {difference:.0e}")
    return right


def train_twin(arguments, task, seed, like, model):
    """The run of PyTorch, as a directory that heed opens."""
    model.mkdir(exist_ok=True)
    run = pytorch.Run(task, like, settings_of(task), seed, model / "twin.state")
    run.finish()
    for file in like.iterdir():
        if file.is_file():
            shutil.copy(file, model)
    run.write(model / "model.safetensors")
    (model / "twin.state").unlink(missing_ok=True)


def train(arguments, task):
    for seed in arguments.seeds:
        model = arguments.work / f"{task}.heed.{seed}"
        twin = arguments.work / f"{task}.pytorch.{seed}"
        for folder in (model, twin):
            result = folder.with_suffix(f".{seed}.json")
            if result.exists():
                continue
            if folder is model:
                heed(arguments, *train_words(arguments, task, model, seed=seed, resume=True))
            else:
                train_twin(arguments, task, seed, model, twin)
            scores = {part: score(arguments, task, folder, part) for part in ("dev", "test")}
            result.write_text(json.dumps(scores) + "\n")
            print(folder.name, scores, flush=True)
    return True


def peak_of(command):
    """Runs a command of its own process. Returns what it prints and its peak of memory in MiB."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compare.py: {' '.join(map(str, command))} failed")
    return printed, usage.ru_maxrss / 1024


def speed(arguments, task):
    """Both in turn. The steps before the first report warm up."""
    model = arguments.work / f"{task}.speed"
    pairs, steps = 0, arguments.steps
    runs = {"heed": [], "pytorch": []}
    for _ in range(arguments.rounds):
        _, peak = peak_of([arguments.heed, *train_words(
            arguments, task, model, steps=steps, warmup_steps=1, report_every=steps // 4,
            overwrite=True)])
        reports = reports_of(model)
        pairs = pairs or len(pytorch.read_corpus(model / "training/train.corpus"))
        share = reports[-1]["epoch"] - reports[0]["epoch"]
        runs["heed"].append((pairs * share / (reports[-1]["seconds"] - reports[0]["seconds"]), peak))
        printed, peak = peak_of([sys.executable, __file__, "measure", task, *arguments.given])
        runs["pytorch"].append((float(printed), peak))
    result = {side: {"sentences_per_second": statistics.median(rate for rate, _ in of_side),
                     "peak_mib": max(peak for _, peak in of_side)} for side, of_side in runs.items()}
    result["ratios"] = [a[0] / b[0] for a, b in zip(*runs.values())]
    shutil.rmtree(model)
    (arguments.work / f"{task}.speed.json").write_text(json.dumps(result) + "\n")
    print(task, json.dumps(result), flush=True)
    return True


def measure(arguments, task):
    """PyTorch's sentences a second, in the process whose memory speed() looks at."""
    options = settings_of(task) | {"steps": arguments.steps, "warmup_steps": 1}
    run = pytorch.Run(task, arguments.work / f"{task}.speed", options, 1, None)
    if arguments.compile:
        run.model.loss = torch.compile(run.model.loss, dynamic=True)
    for _ in range(arguments.steps // 4):
        run.advance()
    start = time.perf_counter()
    sentences = sum(run.advance() for _ in range(arguments.steps - arguments.steps // 4))
    print(sentences / (time.perf_counter() - start))
    return True


def mean_and_deviation(values):
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def table(arguments, task):
    """Whether heed's mean is at least PyTorch's less two standard errors, as far as there are scores."""
    name, right = TASKS[task][1], True
    for part in ("dev", "test"):
        means = {}
        for side in ("heed", "pytorch"):
            files = sorted(arguments.work.glob(f"{task}.{side}.*.json"))
            scores = [json.loads(file.read_text())[part] for file in files]
            if scores:
                mean, deviation = mean_and_deviation(scores)
                means[side] = (mean, deviation / math.sqrt(len(scores)))
                print(f"| {task} | {name} on {part} | {side} | {len(scores)} | "
                      f"{mean:.2f} ± {deviation:.2f} |")
        if len(means) == 2:
            better = means["heed"][0] - means["pytorch"][0]
            if task == "language-model":
                better = -better  # less is better
            right = right and better >= -2 * means["pytorch"][1]
    file = arguments.work / f"{task}.speed.json"
    if file.exists():
        result = json.loads(file.read_text())
        for side in ("heed", "pytorch"):
            print(f"| {task} | speed | {side} | {result[side]['sentences_per_second']:.1f} sentences/s | "
                  f"{result[side]['peak_mib']:.0f} MiB |")
    return right


COMMANDS = {"check": check, "train": train, "speed": speed, "table": table, "measure": measure}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=[name for name in COMMANDS if name != "measure"])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="default: all")
    parser.add_argument("--heed", type=pathlib.Path, metavar="PROGRAM",
                        default=os.environ.get("HEED_PROGRAM", ROOT / "build/release/heed"),
                        help="the program (HEED_PROGRAM, or build/release/heed)")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("HEED_DATA"), metavar="DIR",
                        help="the directory that holds ewt-tags/ and the others (HEED_DATA)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/tasks", metavar="DIR",
                        help="where models and results are kept (build/tasks)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=60, help="of speed; a quarter of them warms up (60)")
    parser.add_argument("--rounds", type=int, default=3, help="of speed (3)")
    parser.add_argument("--compile", action="store_true", help="speed: PyTorch with torch.compile")
    words = sys.argv[1:]
    inner = words[:1] == ["measure"]
    arguments = parser.parse_args(["speed", *words[1:]] if inner else words)
    if inner:
        arguments.command = "measure"
    for task in arguments.tasks:
        if task not in TASKS:
            parser.error(f"no task '{task}': tag, parse or language-model")
    if arguments.data is None and arguments.command not in ("table", "measure"):
        parser.error("--data or HEED_DATA is needed")
    arguments.given = ["--work", arguments.work, "--threads", arguments.threads,
                       "--steps", arguments.steps] + (["--compile"] if arguments.compile else [])
    return arguments


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)
    right = [COMMANDS[arguments.command](arguments, task) for task in arguments.tasks or TASKS]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("compare.py: stopped; the same command goes on")
