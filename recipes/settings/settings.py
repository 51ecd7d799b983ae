#!/usr/bin/env python3
"""Trains the settings of settings.txt on the corpora of corpora.txt, each for the minutes that a corpus
has, and compares the BLEU of their translations.

    recipes/settings/settings.py calibrate             times the steps of each setting, in turn
    recipes/settings/settings.py train [CORPUS|SETTING]...
    recipes/settings/settings.py chosen [CORPUS]...     trains with --minutes alone, on an idle machine
    recipes/settings/settings.py table                 what is finished

The number of steps of a run is what its minutes have at the speed that `calibrate` found, so that a run may
be interrupted (Ctrl-C) and take its time. A finished run is not computed again, an interrupted one goes on.
HEED_DATA is the directory of the corpora. A search is chosen by each run itself (docs/translate.md).
"""
import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heed_program  # noqa: E402

PREPARATION = 10  # seconds of a run in which its vocabulary is learned and its text encoded
END = 0.97  # share of the rest that is for steps: then words are aligned, and a search is chosen
CALIBRATION = "software-en-de"
CHOSEN = "chosen"  # the name of the settings that heed chooses


def rows_of(file):
    rows = {}
    for line in (HERE / file).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, *fields = (field.strip() for field in line.split("|"))
            rows[name] = fields
    return rows


def heed(arguments, *words):
    return heed_program.heed(arguments.heed, *words)


def text_of(arguments, corpus, part, side):
    folder, parts, languages, _ = rows_of("corpora.txt")[corpus]
    name = parts.split()[("train", "dev", "test").index(part)]
    return arguments.data / folder / f"{name}.{languages.split()[side]}.gz"


def text_words(arguments, corpus, model):
    words = ["train", "--model", model, "--threads", arguments.threads, "--no-inspect"]
    for side, option in ((0, "source"), (1, "target")):
        words += [f"--{option}", text_of(arguments, corpus, "train", side),
                  f"--valid-{option}", text_of(arguments, corpus, "dev", side)]
    return words


def train_words(arguments, corpus, options, model, steps):
    words = [*text_words(arguments, corpus, model), "--quiet"]
    warmup = [] if "--warmup-steps" in options else ["--warmup-steps", steps // 10]
    return [*words, *options.split(), *warmup, "--steps", steps]


def step_seconds(arguments, options):
    model = arguments.work / "calibration"
    heed(arguments, *train_words(arguments, CALIBRATION, options, model, 60), "--report-every", 20, "--overwrite")
    reports = [json.loads(line) for line in (model / "metrics.jsonl").read_text().splitlines()]
    found = {report["step"]: report["seconds"] for report in reports if report["kind"] == "train"}
    return (found[60] - found[20]) / 40


def calibrate(arguments):
    """The fastest of the rounds: the machine may be slower for minutes, but not faster."""
    seconds = {}
    for _ in range(arguments.rounds):
        for name, (options,) in rows_of("settings.txt").items():
            step = step_seconds(arguments, options)
            seconds[name] = min(step, seconds.get(name, step))
            print(f"{name}: {step:.4f} s a step", flush=True)
    (arguments.work / "seconds.json").write_text(json.dumps(seconds, indent=2) + "\n")


def bleu_of(arguments, corpus, model, *options):
    printed = heed(arguments, "evaluate", "--model", model, "--source", text_of(arguments, corpus, "test", 0),
                   "--reference", text_of(arguments, corpus, "test", 1), "--threads", arguments.threads,
                   "--metrics", "bleu", "--json", "--quiet", *options)
    return json.loads(printed)[0]["score"]


def named(arguments, *known):
    """The functions that give those of the names that are given, or all."""
    for name in arguments.names:
        if not any(name in names for names in known):
            sys.exit(f"settings.py: '{name}' is none of {', '.join(name for names in known for name in names)}")
    return lambda names: [name for name in names if name in arguments.names] or list(names)


def finish(arguments, corpus, model, facts):
    """Evaluates a trained model, and keeps what was found."""
    search = json.loads((model / "generation_config.json").read_text())["heed"]["search"]
    found = {**facts, "bleu": bleu_of(arguments, corpus, model), **search}
    model.with_name(model.name + ".json").write_text(json.dumps(found) + "\n")
    print(model.name, found, flush=True)


def train(arguments):
    """Runs of 10 minutes first."""
    corpora, settings = rows_of("corpora.txt"), rows_of("settings.txt")
    wanted = named(arguments, corpora, settings)
    seconds = json.loads((arguments.work / "seconds.json").read_text())
    for corpus in sorted(wanted(corpora), key=lambda name: int(corpora[name][3])):
        for setting in wanted(settings):
            model = arguments.work / f"{corpus}.{setting}"
            if model.with_name(model.name + ".json").exists():
                continue
            steps = int((60 * int(corpora[corpus][3]) - PREPARATION) * END / seconds[setting])
            heed(arguments, *train_words(arguments, corpus, settings[setting][0], model, steps), "--resume")
            finish(arguments, corpus, model, {"steps": steps})


def minutes_now(arguments, minutes):
    """Minutes in which the machine makes the steps that it made in `minutes` when `calibrate` timed it."""
    name, (options,) = next(iter(rows_of("settings.txt").items()))
    calibrated = json.loads((arguments.work / "seconds.json").read_text())[name]
    return round(minutes * step_seconds(arguments, options) / calibrated, 1)


def chosen(arguments):
    """Runs of the settings that heed chooses for a corpus and its minutes."""
    corpora = rows_of("corpora.txt")
    for corpus in named(arguments, corpora)(corpora):
        model = arguments.work / f"{corpus}.{CHOSEN}"
        if model.with_name(model.name + ".json").exists():
            continue
        minutes = minutes_now(arguments, float(corpora[corpus][3]))
        heed(arguments, *text_words(arguments, corpus, model), "--minutes", minutes, "--overwrite")
        last = json.loads((model / "metrics.jsonl").read_text().splitlines()[-1])
        finish(arguments, corpus, model, {"steps": last["step"], "minutes": minutes})


def table(arguments):
    settings = [*rows_of("settings.txt"), CHOSEN]
    print("| corpus, minutes | " + " | ".join(settings) + " |")
    print("|---" * (len(settings) + 1) + "|")
    for corpus, (_, _, _, minutes) in rows_of("corpora.txt").items():
        cells = []
        for setting in settings:
            result = arguments.work / f"{corpus}.{setting}.json"
            cells.append(f"{json.loads(result.read_text())['bleu']:.2f}" if result.exists() else "")
        print(f"| {corpus}, {minutes} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("calibrate", "train", "chosen", "table"))
    parser.add_argument("names", nargs="*", metavar="CORPUS|SETTING")
    parser.add_argument("--heed", default=ROOT / "build/release/heed", type=pathlib.Path)
    parser.add_argument("--data", default=os.environ.get("HEED_DATA"), type=pathlib.Path)
    parser.add_argument("--work", default=ROOT / "build/settings", type=pathlib.Path)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--rounds", default=2, type=int)
    arguments = parser.parse_intermixed_args()
    if arguments.data is None:
        parser.error("HEED_DATA, or --data, is the directory of the corpora")
    arguments.work.mkdir(parents=True, exist_ok=True)
    {"calibrate": calibrate, "train": train, "chosen": chosen, "table": table}[arguments.command](arguments)


if __name__ == "__main__":
    main()
