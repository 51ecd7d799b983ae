"""The memory of a process that translates a long stream: tools/soak/python_memory.sh."""

import itertools
import os
import sys
from pathlib import Path

import heed


def resident_mib():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def trained():
    if not Path("model", "config.json").exists():
        heed.train(
            source="corpus/train.zh", target="corpus/train.en", model="model", overwrite=True,
            preset="tiny", d_model=64, vocabulary_size=800, batch_tokens=1024, warmup_steps=100,
            dropout=0, steps=400,
        )  # fmt: skip
    return heed.Model("model")


def main():
    count = int(sys.argv[1])
    model = trained()
    text = Path("corpus/train.zh").read_text("utf-8").splitlines()
    lines = itertools.islice(itertools.cycle(text), count)
    memory = []
    seen = 0
    for _ in model.translate_iter(lines, beam=1):
        seen += 1
        if seen % max(1, count // 10) == 0:
            memory.append(resident_mib())
            print(f"{seen} lines: {memory[-1]:.1f} MiB", flush=True)
    if seen != count:
        sys.exit(f"python_memory: {count} lines went in, {seen} came out")
    first, last = max(memory[:3]), max(memory[-3:])
    if last > first * 1.02 + 2:
        sys.exit(f"python_memory: memory grew from {first:.1f} to {last:.1f} MiB")
    print(f"python_memory: {seen} lines, {first:.1f} MiB in the first tenths, {last:.1f} in the last")


if __name__ == "__main__":
    main()
