#!/usr/bin/env python3
"""Training speed of heed and of PyTorch, in turn, on the same data and counting the same tokens.

Needs: python3 with torch, sentencepiece and sacrebleu from PyPI; the PyTorch script (--torch) and
its data, Multi30k. Tokens are the mean of source and target tokens, </s> included, on both sides.
The machine's speed drifts, so rounds alternate and only the ratio of medians counts.

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


def heed_round(o, n):
    model = f"{o.work}/heed"
    command = [o.heed, "train", "--source", f"{o.data}/train.en.gz", "--target", f"{o.data}/train.de.gz",
               "--model", model, "--overwrite", "--preset", o.preset, "--vocabulary", str(o.vocabulary),
               "--dropout", "0.3", "--batch-tokens", str(o.tokens), "--max-ratio", "0",
               "--steps", str(o.steps), "--report-every", "1", "--threads", str(o.threads)]
    _, memory = run(command, f"{o.work}/heed.{n}.log")
    reports = [json.loads(line) for line in open(f"{model}/metrics.jsonl")]
    reports = [r for r in reports if r["kind"] == "train" and r["step"] > 10]
    seconds = reports[-1]["seconds"] - reports[0]["seconds"]
    tokens = 0.0
    for previous, report in zip(reports, reports[1:]):
        tokens += report["tokens_per_second"] * (report["seconds"] - previous["seconds"])
    return tokens / seconds, memory


SIZES = {"small": dict(d=256, heads=4, ff=1024, layers=3), "base": dict(d=512, heads=8, ff=2048, layers=6)}


def torch_round(o, n, extra):
    s = SIZES[o.preset]
    command = [sys.executable, o.torch, "--data", o.data, "--work", f"{o.work}/torch", "--d", str(s["d"]),
               "--heads", str(s["heads"]), "--ff", str(s["ff"]), "--layers", str(s["layers"]), "--dropout", "0.3",
               "--vocab", str(o.vocabulary), "--tokens", str(o.tokens), "--steps", str(o.steps),
               "--dtype", "fp32", "--threads", str(o.threads), "--no-eval"] + extra
    text, memory = run(command, f"{o.work}/torch.{n}.log")
    return json.loads(re.findall(r"\{.*\}", text)[-1])["tok_s"], memory


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--heed", default="build/release/heed")
    a.add_argument("--torch", default="../shared/peers/torch_transformer.py")
    a.add_argument("--data", default="../shared/data/multi30k")
    a.add_argument("--work", default="/tmp/heed-train-speed")
    a.add_argument("--preset", default="small", choices=SIZES)
    a.add_argument("--vocabulary", type=int, default=8000)
    a.add_argument("--tokens", type=int, default=2048)
    a.add_argument("--steps", type=int, default=60)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--rounds", type=int, default=3)
    o = a.parse_args()
    os.makedirs(o.work, exist_ok=True)
    sides = {"heed fp32": lambda n: heed_round(o, n),
             "PyTorch fp32": lambda n: torch_round(o, n, []),
             "PyTorch fp32 --math": lambda n: torch_round(o, n, ["--math"])}
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
    print(f"\nheed / {best}: {speed['heed fp32'] / speed[best]:.2f} times the speed, "
          f"{memory['heed fp32'] / memory[best]:.2f} of the memory")
