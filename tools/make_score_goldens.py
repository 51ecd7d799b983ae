#!/usr/bin/env python3
"""Writes tests/decode/data/score.json: the log-probability of every token of some translations by
transformers' MarianMTModel and MarianTokenizer, from a model directory that heed wrote.

    pip install transformers==5.23.0 torch sentencepiece ctranslate2 sacrebleu safetensors
    ninja -C build/release small_translator
    python3 tools/make_score_goldens.py
"""
import json
import os
import subprocess
import tempfile

from check_ecosystem import log_probabilities
from transformers import MarianMTModel, MarianTokenizer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAIRS = [
    ("the quick brown fox", "a lazy dog"),
    ("a", "jumps over"),
    ("老师买了三本书。", "a teacher bought three books, 三本书。"),
    ("dog", "dog"),
    ("", "a dog without a source"),
    ("a source without a translation", ""),
    ("", ""),
    ("ünknown çhäräçtërs", "Ω, ☃ and 🙂"),
    ("  spaces   between  ", " and\taround  "),
    ("x" * 38, "y" * 38),  # with </s>: all positions that the model has
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{ROOT}/build/release/tests/small_translator", folder], check=True)
        model = MarianMTModel.from_pretrained(folder).eval()
        tokenizer = MarianTokenizer.from_pretrained(folder)
    lines = []
    for source, target in PAIRS:
        found = log_probabilities(model, tokenizer, source, target)
        lines.append(json.dumps({"source": source, "target": target,
                                 "log_probabilities": [float(f"{x:.8g}") for x in found]},
                                ensure_ascii=False, separators=(",", ":")))
    path = f"{ROOT}/tests/decode/data/score.json"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write('{"pairs":[\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
