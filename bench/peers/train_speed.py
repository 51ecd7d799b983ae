#!/usr/bin/env python3
"""Training speed of heed and of PyTorch, in turn, on the same data and counting the same tokens.

Needs: python3 with torch, sentencepiece and sacrebleu from PyPI; the PyTorch script (--torch) and
its data, Multi30k. Tokens are the mean of source and target tokens, </s> included, on both sides. The
sizes are those of `heed inspect model PRESET`. The first 10 steps do not count; torch.compile takes
more of them to compile for the lengths that occur, so its speed is that of the steps between one run
and one three times as long. The machine's speed drifts, so rounds alternate and only the ratio of
medians counts.

  bench/peers/train_speed.py --heed build/release/heed --torch ../shared/peers/torch_transformer.py \\
      --data ../shared/data/multi30k --work /tmp/train_speed
"""
import argparse, json, os, re, statistics, subprocess, sys, time


def run(command, log):
    """Runs a command; gives its output and the peak of its resident memory in MiB."""
    with open(log, "w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
    text = open(log).read()
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{text[-2000:]}")
    return text, usage.ru_maxrss / 1024


SKIP = 10  # as the PyTorch script does


def heed_round(o, n):
    model = f"{o.work}/heed"
    command = [o.heed, "train", "--source", f"{o.data}/train.en.gz", "--target", f"{o.data}/train.de.gz",
               "--model", model, "--overwrite", "--preset", o.preset, "--vocabulary-size", str(o.vocabulary),
               "--dropout", "0.3", "--batch-tokens", str(o.tokens), "--max-ratio", "0",
               "--steps", str(o.steps), "--report-every", "1", "--threads", str(o.threads),
               "--compute", o.compute, "--no-inspect"]
    _, memory = run(command, f"{o.work}/heed.{n}.log")
    reports = [json.loads(line) for line in open(f"{model}/metrics.jsonl")]
    reports = [r for r in reports if r["kind"] == "train" and r["step"] > SKIP]
    seconds = reports[-1]["seconds"] - reports[0]["seconds"]
    tokens = 0.0
    for previous, report in zip(reports, reports[1:]):
        tokens += report["tokens_per_second"] * (report["seconds"] - previous["seconds"])
    return tokens / seconds, memory


def sizes(o):
    """What the program itself says of a preset."""
    text = subprocess.run([o.heed, "inspect", "model", o.preset, "--json"], capture_output=True, text=True, check=True)
    config = json.loads(text.stdout)
    return dict(d=config["d_model"], heads=config["heads"], ff=config["d_ff"], layers=config["encoder_layers"])


def compiled_round(o, n):
    """Tokens a second of the steps that a run of three times as many has more."""
    first, memory = torch_round(o, n, ["--math", "--compile"])
    whole, _ = torch_round(o, n, ["--math", "--compile", "--steps", str(3 * o.steps)])
    counted = o.steps - SKIP, 3 * o.steps - SKIP
    return (counted[1] - counted[0]) / (counted[1] / whole - counted[0] / first), memory


def torch_round(o, n, extra):
    s = sizes(o)
    command = [sys.executable, o.torch, "--data", o.data, "--work", f"{o.work}/torch", "--d", str(s["d"]),
               "--heads", str(s["heads"]), "--ff", str(s["ff"]), "--layers", str(s["layers"]), "--dropout", "0.3",
               "--vocab", str(o.vocabulary), "--tokens", str(o.tokens), "--steps", str(o.steps),
               "--dtype", o.compute, "--threads", str(o.threads), "--no-eval"] + extra
    text, memory = run(command, f"{o.work}/torch.{n}.log")
    return json.loads(re.findall(r"\{.*\}", text)[-1])["tok_s"], memory


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--heed", default="build/release/heed")
    a.add_argument("--torch", default="../shared/peers/torch_transformer.py")
    a.add_argument("--data", default="../shared/data/multi30k")
    a.add_argument("--work", default="/tmp/heed-train-speed")
    a.add_argument("--preset", default="small", choices=("tiny", "small", "base", "big"))
    a.add_argument("--compute", default="fp32", choices=("fp32", "bf16"))
    a.add_argument("--compile", action="store_true", help="measure torch.compile too")
    a.add_argument("--vocabulary-size", dest="vocabulary", type=int, default=8000)
    a.add_argument("--tokens", type=int, default=2048)
    a.add_argument("--steps", type=int, default=60)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--rounds", type=int, default=3)
    o = a.parse_args()
    os.makedirs(o.work, exist_ok=True)
    sides = {f"heed {o.compute}": lambda n: heed_round(o, n),
             f"PyTorch {o.compute} --math": lambda n: torch_round(o, n, ["--math"])}
    if o.compute == "fp32":
        sides["PyTorch fp32"] = lambda n: torch_round(o, n, [])
    if o.compile:
        sides[f"PyTorch {o.compute} --math --compile"] = lambda n: compiled_round(o, n)
    results = {name: [] for name in sides}
    for n in range(o.rounds):
        for name, side in sides.items():
            results[name].append(side(n))
            print(f"round {n + 1}: {name}: {results[name][-1][0]:.0f} tokens/s, "
                  f"peak {results[name][-1][1]:.0f} MiB", file=sys.stderr, flush=True)
    speed = {name: statistics.median(r[0] for r in rounds) for name, rounds in results.items()}
    memory = {name: max(r[1] for r in rounds) for name, rounds in results.items()}
    best = max((n for n in speed if n.startswith("PyTorch")), key=lambda n: speed[n])
    print("| side | tokens/s (median) | peak memory, MiB |\n|---|---|---|")
    for name in sides:
        print(f"| {name} | {speed[name]:.0f} | {memory[name]:.0f} |")
    print(f"\nheed / {best}: {speed[f'heed {o.compute}'] / speed[best]:.2f} times the speed, "
          f"{memory[f'heed {o.compute}'] / memory[best]:.2f} of the memory")
