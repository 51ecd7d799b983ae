#!/usr/bin/env python3
"""The speed of the Python package beside that of the program, on the same lines.

    python3 bench/python_speed.py MODEL LINES [--rounds 5] [--option beam=1]...

MODEL is a directory, LINES a file of source lines (2,000 are read; .gz works too). Each round runs
`heed translate` and a Python program that opens the model and calls Model.translate, one after the
other; the time of `import heed` is left out. Prints seconds and the ratio of each round, the median
ratio last, and fails if a translation differs. HEED_PROGRAM names the program.
"""

import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PYTHON = """
import sys, time
import heed
model, path, output, *options = sys.argv[1:]
values = dict(option.split("=") for option in options)
values = {name: float(text) if "." in text else int(text) for name, text in values.items()}
begun = time.perf_counter()
lines = [line.rstrip("\\n") for line in open(path, encoding="utf-8", newline="\\n")]
translated = heed.Model(model).translate(lines, **values)
with open(output, "w", encoding="utf-8") as file:
    file.writelines(line + "\\n" for line in translated)
print(time.perf_counter() - begun)
"""


def run_program(program, model, lines, output, options):
    flags = [f"--{option.replace('_', '-')}" for option in options]
    begun = time.perf_counter()
    subprocess.run(
        [program, "translate", "--model", model, "--input", lines, "--output", output, "--quiet", *flags],
        check=True,
    )  # fmt: skip
    return time.perf_counter() - begun


def run_python(model, lines, output, options):
    command = [sys.executable, "-c", PYTHON, model, lines, output, *options]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("lines", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    program = os.environ.get("HEED_PROGRAM") or shutil.which("heed")
    if not program:
        sys.exit("python_speed: needs heed on the PATH, or HEED_PROGRAM")
    opened = gzip.open if arguments.lines.suffix == ".gz" else open
    with opened(arguments.lines, "rt", encoding="utf-8") as file:
        lines = [line for line, _ in zip(file, range(2000))]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "lines")
        Path(text).write_text("".join(lines), "utf-8")
        outputs = [os.path.join(folder, name) for name in ("program", "python")]
        for _ in range(arguments.rounds):
            own = run_program(program, arguments.model, text, outputs[0], arguments.option)
            python = run_python(arguments.model, text, outputs[1], arguments.option)
            if Path(outputs[0]).read_bytes() != Path(outputs[1]).read_bytes():
                sys.exit("python_speed: the translations differ")
            ratios.append(python / own)
            print(f"program {own:.3f} s  python {python:.3f} s  ratio {ratios[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f} over {len(lines)} lines")


if __name__ == "__main__":
    main()
