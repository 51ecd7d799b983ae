#!/usr/bin/env python3
"""Shows that transformers opens a language model of heed's and agrees with it, and heed a GPT-2.

Needs PyPI's transformers, torch and tokenizers, and a build of heed. The directory is one that
`heed train --task language-model --norm pre --positions learned` wrote, or a published GPT-2. Example:

  tools/check_language_model.py runs/english --text runs/english/held_out.text

Compares, on the lines of the text and on odd text, the ids, the log-probabilities of all tokens and the
greedy continuations of the lines' first halves. Exits 0 if every check passed, 1 if one failed.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from odd_text import SPACES, WORDS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOLERANCE = 2e-4  # of log-probabilities


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="model directory")
    parser.add_argument("--text", required=True, help="lines of text")
    parser.add_argument("--lines", type=int, default=100)
    parser.add_argument("--new-tokens", type=int, default=24, help="of a continuation")
    parser.add_argument("--odd", type=int, default=300, help="lines of odd text, for the ids alone")
    parser.add_argument("--heed", default=f"{ROOT}/build/release/heed")
    return parser.parse_args()


def odd_lines(count):
    """Without line ends, which would end a line of heed's input."""
    seeded = random.Random(3)
    words = [word for kind in WORDS.values() for word in kind if "\n" not in word]
    spaces = [space for space in SPACES if space not in ("\r", "\n")]
    lines = ["".join(seeded.choice(words) + seeded.choice(spaces) for _ in range(9)) for _ in range(count)]
    return [line.rstrip("\r") for line in lines]


def heed_json(options, command, lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in lines)
        words = [options.heed, *command, "--model", options.model, "--format", "jsonl", "--quiet"]
        words += ["--text", path] if command[0] == "score" else ["--input", path]
        result = subprocess.run(words, check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]


class Agreement:
    """What transformers makes of a text, and whether it is what heed does."""

    def __init__(self, options):
        self.options = options
        self.tokenizer = AutoTokenizer.from_pretrained(options.model)
        self.model, told = AutoModelForCausalLM.from_pretrained(
            options.model, output_loading_info=True, dtype=torch.float32)
        self.model.eval()
        config = self.model.config
        self.start, self.end = config.bos_token_id, config.eos_token_id
        self.classes = getattr(config, "heed", {}).get("classes", config.vocab_size)
        self.failed = False
        self.report("tensors", not any(told.get(kind) for kind in
                                       ("missing_keys", "unexpected_keys", "mismatched_keys")), told)

    def report(self, name, passed, found):
        self.failed |= not passed
        print(f"{'pass' if passed else 'FAIL'}  {name:28} {found}", flush=True)

    def ids(self, line):
        ids = self.tokenizer(line)["input_ids"]
        return ids if ids[:1] == [self.start] else [self.start] + ids

    def check_ids(self, lines, name):
        scored = heed_json(self.options, ["score"], lines)
        wrong, compared = [], 0
        for line, score in zip(lines, scored):
            if "truncated" in score["status"]:
                continue
            theirs = self.tokenizer.convert_ids_to_tokens(self.ids(line)[1:])
            compared += 1
            if score["pieces"][:-1] != theirs:
                wrong.append((line, score["pieces"], theirs))
        self.report(f"ids of {name}", not wrong, f"{compared - len(wrong)} of {compared} lines equal")
        for row in wrong[:3]:
            print("     ", *row, sep="\n      ")
        return scored

    def check_scores(self, lines, scored):
        worst = 0.0
        for line, score in zip(lines, scored):
            ids = self.ids(line)
            if len(ids) > self.model.config.n_positions or score["status"] != "ok":
                continue
            with torch.no_grad():
                logits = self.model(torch.tensor([ids])).logits[0, :, :self.classes].double()
            labels = torch.tensor(ids[1:] + [self.end])[:, None]
            theirs = torch.log_softmax(logits, -1).gather(1, labels)[:, 0].tolist()
            worst = max([worst] + [abs(a - b) for a, b in zip(theirs, score["log_probabilities"])])
        self.report("log-probabilities", worst < TOLERANCE, f"largest difference {worst:.2e}")

    def check_greedy(self, prompts):
        new_tokens = self.options.new_tokens
        room = self.model.config.n_positions - new_tokens
        prompts = [prompt for prompt in prompts if len(self.ids(prompt)) <= room]
        ours = heed_json(self.options, ["generate", "--beam", "1", "--compute", "fp32", "--extra-length",
                                        str(new_tokens)], prompts)
        equal, compared = 0, 0
        for prompt, line in zip(prompts, ours):
            ids = self.ids(prompt)
            with torch.no_grad():
                found = self.model.generate(
                    torch.tensor([ids]), do_sample=False, num_beams=1, max_length=None,
                    max_new_tokens=new_tokens, pad_token_id=self.end)[0].tolist()[1:]
            theirs = self.tokenizer.convert_ids_to_tokens([i for i in found if i != self.end])
            count = min(len(theirs), len(line["pieces"])) if "unfinished" in line["status"] else None
            compared += 1
            same = theirs[:count] == line["pieces"][:count]
            equal += same
            if not same:
                print("     ", prompt, line["pieces"], theirs, sep="\n      ")
        self.report("greedy continuations", equal == compared > 0, f"{equal} of {compared} equal")


def main():
    options = arguments()
    with open(options.text, encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n") for line, _ in zip(file, range(options.lines))]
    agreement = Agreement(options)
    scored = agreement.check_ids(lines, "text")
    agreement.check_ids(odd_lines(options.odd), "odd text")
    agreement.check_scores(lines, scored)
    agreement.check_greedy([line[:len(line) // 2].rstrip() for line in lines])
    sys.exit(agreement.failed)


if __name__ == "__main__":
    main()
