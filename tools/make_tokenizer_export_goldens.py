#!/usr/bin/env python3
"""Writes tests/text/data/export: small SentencePiece models, the tokenizer.json that heed writes for
them, and what Hugging Face's tokenizers makes of odd text with it.

    pip install tokenizers sentencepiece
    python3 tools/make_tokenizer_export_goldens.py

Needs build/release/heed, or the program that HEED_PROGRAM names.
"""
import io
import json
import os
import random
import subprocess
import tempfile

import sentencepiece
from tokenizers import Tokenizer

from odd_text import SPACES, WORDS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEED = os.environ.get("HEED_PROGRAM", f"{ROOT}/build/release/heed")
# Those of heed's Normalization::identity.
SPACE_RULES = "9\t20\nA\t20\nC\t20\nD\t20\n"
MODELS = {"bpe": {"vocab_size": 420, "byte_fallback": True},
          "unigram": {"vocab_size": 180, "character_coverage": 0.98},
          "char": {"vocab_size": 90, "hard_vocab_limit": False, "character_coverage": 0.98}}


def texts():
    seeded = random.Random(5)
    words = [word for kind in WORDS.values() for word in kind]
    listed = ["", " ", "a", " a", "  a  b  ", "a\tb\nc\r\n", "\x00a\x00", "\u3000a\u3000", "▁a▁ b", "a▁▁b", "ббб x",
              "日本語 🤖 𝒳𝒴 x\u0301", "ﬁ ½ Ａ e\u0301\u0301 가각 \u1100\u1161", "aaaaaaaa", "<0x41> <s>", "\ufffd"]
    for _ in range(40):
        listed.append("".join(seeded.choice(words) + seeded.choice(SPACES) for _ in range(8)))
    return listed


def trained(kind, arguments, folder):
    seeded = random.Random(1)
    words = [word for name in ("english", "german", "other", "chinese", "number") for word in WORDS[name]]
    lines = [" ".join(seeded.choice(words) for _ in range(10)) for _ in range(3000)]
    rules = f"{folder}/rules.tsv"
    with open(rules, "w", encoding="utf-8") as file:
        file.write(SPACE_RULES)
    output = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=output, model_type=kind, eos_id=0, unk_id=1, bos_id=-1,
        pad_id=-1, minloglevel=3, num_threads=1, normalization_rule_tsv=rules, **arguments)
    return output.getvalue()


def exported(model, folder):
    """The tokenizer.json that heed writes beside a language model with this vocabulary."""
    with open(f"{folder}/model.spm", "wb") as file:
        file.write(model)
    with open(f"{folder}/text", "w", encoding="utf-8") as file:
        file.write("the a in on\n" * 20)
    subprocess.run([HEED, "train", "--task", "language-model", "--text", f"{folder}/text", "--tokenizer-model",
                    f"{folder}/model.spm", "--model", f"{folder}/model", "--preset", "tiny", "--steps", "1",
                    "--overwrite", "--quiet"], check=True)
    with open(f"{folder}/model/tokenizer.json", encoding="utf-8") as file:
        return file.read()


def main():
    output = f"{ROOT}/tests/text/data/export"
    os.makedirs(output, exist_ok=True)
    goldens = {}
    for kind, arguments in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            model = trained(kind, arguments, folder)
            text = exported(model, folder)
        with open(f"{output}/{kind}.spm", "wb") as file:
            file.write(model)
        tokenizer = Tokenizer.from_str(text)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        cases = []
        for line in texts():
            encoded = tokenizer.encode(line)
            theirs = processor.encode(line.replace("\x00", " "))
            if theirs != encoded.ids[1:]:
                print(f"{kind}: {line!r}: {processor.id_to_piece(theirs)} {encoded.tokens}")
            cases.append([line, encoded.ids, tokenizer.decode(encoded.ids)])
        goldens[kind] = {"tokenizer": json.loads(text), "texts": cases}
    with open(f"{output}/goldens.json", "w", encoding="utf-8") as file:
        json.dump(goldens, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
