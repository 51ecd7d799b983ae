"""Translates lines greedily with another tool and compares them with heed's translations.

    interchange.py transformers|ctranslate2|onnx LINES EXPECTED

Run by interchange.sh in the directory that has zh-en, zh-en-ct2 and zh-en-onnx. The functions below
are the programs of docs/interchange.md. Exits 1 if a line differs. tools/check_ecosystem.py compares
more (ids, logits, probabilities, beam search), given a build with its tests.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses.")


def with_transformers(lines: list[str]) -> list[str]:
    from transformers import MarianMTModel, MarianTokenizer

    model = MarianMTModel.from_pretrained("zh-en")
    tokenizer = MarianTokenizer.from_pretrained("zh-en")
    batch = tokenizer(lines, return_tensors="pt", padding=True)
    return tokenizer.batch_decode(model.generate(**batch, num_beams=1), skip_special_tokens=True)


def with_ctranslate2(lines: list[str]) -> list[str]:
    import ctranslate2
    from sentencepiece import SentencePieceProcessor

    translator = ctranslate2.Translator("zh-en-ct2")
    source = SentencePieceProcessor(model_file="zh-en-ct2/source.spm")
    target = SentencePieceProcessor(model_file="zh-en-ct2/target.spm")
    pieces = [[*source.encode(line, out_type=str), "</s>"] for line in lines]
    results = translator.translate_batch(pieces, beam_size=1)
    return [target.decode(result.hypotheses[0]) for result in results]


def with_onnx(lines: list[str]) -> list[str]:
    from optimum.onnxruntime import ORTModelForSeq2SeqLM
    from transformers import MarianTokenizer

    model = ORTModelForSeq2SeqLM.from_pretrained("zh-en-onnx")
    tokenizer = MarianTokenizer.from_pretrained("zh-en-onnx")
    batch = tokenizer(lines, return_tensors="pt", padding=True)
    return tokenizer.batch_decode(model.generate(**batch, num_beams=1), skip_special_tokens=True)


TOOLS: dict[str, Callable[[list[str]], list[str]]] = {
    "transformers": with_transformers,
    "ctranslate2": with_ctranslate2,
    "onnx": with_onnx,
}


def read_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def main(tool: str, lines_path: str, expected_path: str) -> int:
    lines, expected = read_lines(lines_path), read_lines(expected_path)
    found = TOOLS[tool](lines)
    rows = zip(lines, expected, found, strict=True)
    different = [row for row in rows if row[1] != row[2]]
    print(f"{tool}: {len(lines) - len(different)} of {len(lines)} greedy translations equal heed's")
    for line, ours, theirs in different[:5]:
        print(f"  source {line}\n  heed   {ours}\n  {tool} {theirs}")
    return 1 if different or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
