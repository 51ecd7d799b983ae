"""Runs the commands of docs/questions.md and compares what they print with the page.

    questions_test.py HEED EXAMPLES DOCS [--update]

HEED is the program, EXAMPLES the folder of the built examples, DOCS the folder of the pages. The
commands of the `sh` blocks run first, then each `$ COMMAND` of the other blocks, all in a folder
that looks like a clone with a build. What a command prints must equal the page; where that depends
on the machine, a property must hold for both. --update writes what the commands print to both
pages instead.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

PAGES = ("questions.md", "questions.zh.md")
QUESTIONS = 19
MAX_LINES = 10  # of prose in an answer, of this width
LINE_WIDTH = 120
SHADES = " ░▒▓█"  # of a heat map, three characters a cell


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


# The properties of outputs that differ between machines. Each gets all that a command printed.


def check_heads(text: str) -> None:
    costs = [float(cost) for cost in re.findall(r"^ +([+-]\d+\.\d+) ", text, re.MULTILINE)]
    expect(len(costs) == 12, f"expected 12 heads, got {len(costs)}")
    useful = sum(cost > 0.01 for cost in costs)
    expect(useful >= 10, f"expected 10 heads whose loss costs more than 0.01, got {useful}")


def rows_of_map(text: str) -> list[str]:
    """The drawn rows of the first heat map: three characters for each key."""
    rows: list[str] = []
    left = 0
    for line in text.splitlines():
        header = re.match(r"^( +)1  2  3 ", line)
        if header:
            left = len(header.group(1))
        elif left and (not line.strip() or line.startswith("1 ")):
            break
        elif left:
            rows.append(line[left:])
    expect(len(rows) == 8, f"expected a map of 8 rows, got {len(rows)}")
    return [row.ljust(24) for row in rows]


def shades(row: str) -> list[int]:
    return [SHADES.index(row[3 * key]) for key in range(8)]


def check_reversal(text: str) -> None:
    for i, row in enumerate(rows_of_map(text)[:-1]):
        darkest = shades(row).index(max(shades(row)))
        expect(darkest == 6 - i, f"row {i + 1} of the map: key {darkest + 1} has most weight")


def check_causal(text: str) -> None:
    for i, row in enumerate(rows_of_map(text)):
        expect(max(shades(row)) > 0, f"row {i + 1} of the map is empty")
        expect(not any(shades(row)[i + 1 :]), f"row {i + 1} of the map shows a later position")


def check_residual(text: str) -> None:
    # The perplexity, its step, BLEU, chrF and theirs.
    row = r"^build/questions/(\S+) +complete +300 .* (\d+\.\d+) +\d+ +\S+ +\S+ +\d+$"
    found = re.findall(row, text, re.MULTILINE)
    perplexities = {name: float(value) for name, value in found}
    expect(set(perplexities) == {"reverse", "no-residual"}, f"got the runs {sorted(perplexities)}")
    ratio = perplexities["no-residual"] / perplexities["reverse"]
    expect(ratio > 1.3, f"expected 1.3 times the perplexity without residuals, got {ratio:.2f}")


def speed(text: str) -> float:
    found = re.search(r" ([\d.]+(?:e\+\d+)?) tokens/s", text)
    if found is None:
        raise ValueError(f"expected tokens/s, got {text}")
    return float(found.group(1))


def check_speeds(texts: list[str]) -> None:
    ratio = speed(texts[0]) / speed(texts[1])
    expect(ratio > 1.5, f"expected dot products to be 1.5 times as fast, got {ratio:.2f}")


# By a part of the command; a check of several commands gets the outputs of all, in their order.
PROPERTIES = {
    "'/^Loss without/": check_heads,
    "inspect run": check_residual,
    "--site decoder": check_causal,
    "--site cross": check_reversal,
}
BENCHMARKS = "heed bench --part training"


def blocks_of(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: the language and the text of each."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def commands_of(page: str) -> list[tuple[str, str]]:
    """The commands of the page, each with the output that stands below it."""
    found = []
    for language, text in blocks_of(page):
        if language == "":
            expect(text.startswith("$ "), f"a block without a command: {text.splitlines()[0]}")
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def check_answers(name: str, page: str) -> None:
    """Every question has a short answer, a link into the code, and a command."""
    answers = re.split(r"^## (\d+)\. ", page, flags=re.MULTILINE)[1:]
    numbers = [int(number) for number in answers[::2]]
    expect(numbers == list(range(1, QUESTIONS + 1)), f"{name}: got the questions {numbers}")
    for number, answer in zip(numbers, answers[1::2]):
        where = f"{name}, question {number}"
        expect(bool(re.search(r"\[`[^`]+`\]\(\.\./", answer)), f"{where}: no link to code")
        expect(bool(commands_of(answer)), f"{where}: no command")
        prose = re.sub(r"^```.*?^```$", "", answer, flags=re.MULTILINE | re.DOTALL)
        prose = re.sub(r"\]\([^)]*\)", "]", prose.partition("\n")[2])
        lines = sum(-(-width(line) // LINE_WIDTH) for line in prose.splitlines())
        expect(lines <= MAX_LINES, f"{where}: {lines} lines of prose, expected {MAX_LINES}")


class Clone:
    """A folder with the built programs where a clone has them, and the models of the page."""

    def __init__(self, folder: Path, heed: Path, examples: Path, setup: str) -> None:
        self.folder = folder
        build = folder / "build" / "release"
        build.mkdir(parents=True)
        (build / "heed").symlink_to(heed.resolve())
        (build / "examples").symlink_to(examples.resolve())
        self.environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
        self.run(setup)

    def run(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            raise ValueError(f"{command}\nfailed: {done.stderr.decode(errors='replace')}")
        # Spaces at the end of a line would be invisible in the page.
        return "".join(line.rstrip() + "\n" for line in done.stdout.decode().splitlines())


def compare(commands: list[tuple[str, str]], clone: Clone) -> None:
    recorded_speeds, measured_speeds = [], []
    for command, recorded in commands:
        printed = clone.run(command)
        checks = [check for part, check in PROPERTIES.items() if part in command]
        if BENCHMARKS in command:
            recorded_speeds.append(recorded)
            measured_speeds.append(printed)
        elif checks:
            for source, text in (("the page has", recorded), ("printed", printed)):
                try:
                    checks[0](text)
                except ValueError as error:
                    raise ValueError(f"{command}\n{error}\n{source}:\n{text}") from None
        elif printed != recorded:
            lines = difflib.unified_diff(
                recorded.splitlines(), printed.splitlines(), "the page", "printed", lineterm=""
            )
            raise ValueError(f"{command}\n" + "\n".join(lines))
    check_speeds(recorded_speeds)
    check_speeds(measured_speeds)


def update(pages: dict[Path, str], clone: Clone) -> None:
    english = next(iter(pages.values()))
    printed = {command: clone.run(command) for command, _ in commands_of(english)}
    for path, page in pages.items():
        for command, recorded in commands_of(page):
            old, new = f"$ {command}\n{recorded}", f"$ {command}\n{printed[command]}"
            page = page.replace(old, new, 1)
        path.write_text(page, encoding="utf-8")


def main() -> None:
    heed, examples, docs = (Path(argument) for argument in sys.argv[1:4])
    pages = {docs / name: (docs / name).read_text(encoding="utf-8") for name in PAGES}
    english, chinese = pages.values()
    setup = "".join(text for language, text in blocks_of(english) if language == "sh")
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(Path(folder), heed, examples, setup)
        if sys.argv[4:] == ["--update"]:
            update(pages, clone)
            return
        for path, page in pages.items():
            check_answers(path.name, page)
        same = commands_of(english) == commands_of(chinese)
        expect(same, "the pages differ in commands or outputs")
        compare(commands_of(english), clone)


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"questions_test: {error}")
