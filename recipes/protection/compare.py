#!/usr/bin/env python3
"""Whether translations keep placeholders, addresses and symbols, with and without --protect.

    recipes/protection/compare.py --model DIR --source FILE [--reference FILE] [--heed PROGRAM]

Prints, of the lines of FILE (plain or .gz) that have such a part, the share whose translation has each of them as
often, with `--protect none` and with the default, the lines whose status is "restored", and BLEU and chrF. The
parts are found by expressions of this script, not by heed: printf, braces, %NAME, $(NAME), addresses, e-mail.
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heed_program  # noqa: E402

PART = re.compile(
    r"(?:https?|ftp)://[!#-;=?-\[\]_a-z{}~]+|[\w.+%-]*\w@\w[\w.-]*\.\w{2,}"
    r"|(?<![\d%])%(?:\(\w+\)[sdif]|\d*\$?[sdifuxc]|[1-9]|[A-Z_]{3,}\d*)|[$#]?\{\{? ?[\w.]+ ?\}\}?|\{\}|\$\(\w+\)",
    re.ASCII)


def parts(line):
    return collections.Counter(part.rstrip(".,;:!?')") if "://" in part else part for part in PART.findall(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default="heed", help="the program")
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--reference")
    settings = parser.parse_args()
    opened = gzip.open if settings.source.endswith(".gz") else open
    lines = opened(settings.source, "rt", encoding="utf-8").read().splitlines()
    wanted = [parts(line) for line in lines]
    of_interest = [i for i, found in enumerate(wanted) if found]
    for options in (["--protect", "none"], []):
        begin = time.monotonic()
        printed = heed_program.heed(settings.heed, "translate", "--model", settings.model, "--input", settings.source,
                                    "--format", "jsonl", *options)
        seconds = time.monotonic() - begin
        results = [json.loads(line) for line in printed.splitlines()]
        kept = sum(parts(results[i]["translation"]) == wanted[i] for i in of_interest)
        restored = sum("restored" in result["status"] for result in results)
        print(f"{' '.join(options) or 'default'}: {kept} of {len(of_interest)} lines with such parts keep them, "
              f"{restored} restored, {seconds:.1f} s")
        if settings.reference:
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
                file.write("".join(result["translation"] + "\n" for result in results))
                file.flush()
                print(heed_program.heed(settings.heed, "evaluate", "--hypothesis", file.name, "--reference",
                                        settings.reference, "--metrics", "bleu", "chrf").strip())


if __name__ == "__main__":
    main()
