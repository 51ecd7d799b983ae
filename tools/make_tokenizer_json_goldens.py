#!/usr/bin/env python3
"""Writes tests/text/data/byte_level.json and byte_level_goldens.json: a small byte-level BPE, and what
Hugging Face's tokenizers makes of odd text with it and with variants of it.

    pip install tokenizers
    python3 tools/make_tokenizer_json_goldens.py

A text is given in latin-1, one character per byte, since some are not UTF-8. Ids are those without
special tokens at the ends; "decoded" is the text of random ids.
"""
import json
import os
import random
import unicodedata

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from odd_text import WORDS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VOCABULARY = 480
END = "<|endoftext|>"


def corpus():
    """Words of several scripts, code with indentation, and runs of one character."""
    words = [word for kind in WORDS.values() for word in kind]
    lines = [" ".join(words[i:i + 9]) for i in range(0, len(words), 5)]
    lines += ["def f(x):\n    return x + 1\n\n\n", "if a:\n\tb()\n", "it's we'll they'd I'm he've you're"] * 9
    return lines + ["the a in on street is running with its ball"] * 9 + ["----------  ........"] * 4


def trained():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=[END], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.add_special_tokens([AddedToken("<|user|>", normalized=False)])
    tokenizer.add_tokens([AddedToken(text, normalized=True) for text in
                          ["<|user|>er", "née", "two  words", "<|use", "street"]])
    return tokenizer


def variants(plain):
    """The tokenizer, and with other values of what heed reads, as JSON."""
    pairs = json.loads(plain)
    pairs["model"]["merges"] = [m.split(" ") if isinstance(m, str) else m
                                for m in pairs["model"]["merges"]]
    prefix = json.loads(plain)
    prefix["pre_tokenizer"]["add_prefix_space"] = True
    ignoring = json.loads(plain)
    # Without a merge of its own, so that only ignore_merges finds it.
    ignoring["model"]["merges"] = [m for m in pairs["model"]["merges"] if "".join(m) != "Ġthe"]
    ignoring["model"]["ignore_merges"] = True
    return {"plain": json.loads(plain), "prefix": prefix, "ignore_merges": ignoring}


def texts():
    listed = [
        b"", b" ", b"  ", b"\n", b"a", b" a", b"a ", b"  a", b"a   b", b"a \t b", b"\ta", b"a\r\nb\r\n", b"\r\n\r\n",
        b"    return x + 1", b"\x00", b"a\x00b", b"\x00 \x00", b"it's 'sir' we'll'll 'LL 're're ' s 'd've",
        b"''s x'", b"don't 1st 2nd 10,000.5 x1y2 3 4", b"<|user|>er <|user|> <|user <|use<|user|>erer",
        b"two  words two words streets street", "née Née ne\u0301e".encode(), b"a\xff\xfeb \xe4\xbd \xf0\x9f\x98 \x80",
        b"\xed\xa0\x80 \xc0\x80 \xf4\x90\x80\x80", "\u00a0\u3000\u2028\u2029\u1680x\x85y\u200b\u180e\u001f".encode(),
        "a\u00a0b \u00a0c\u3000\u3000d".encode(), "e\u0301 A\u030a 각 ﬁ ½ ² Ⅷ ٣٫١٤ १२ ௧௨ 〇".encode(),
        "😀😀 👩‍👩‍👧 🇩🇪👍🏽☕️1️⃣".encode(), "שלום مرحبا สวัสดี नमस्ते 你好，世界。".encode(), b"-" * 99, b" " * 300, b"ab" * 99,
        "ﬃ" .encode() * 40, b"street\n\n\nstreet  ", "\ufeffa\u200d\u00adb".encode(), "x²³ a٣b ½c".encode()]
    seeded = random.Random(7)
    spaces = [" "] * 8 + ["  ", "\n", "\t", "\r\n", "\u00a0", "\u3000", "", "", "'", "\u2003 "]
    words = [word for kind in WORDS.values() for word in kind]
    for _ in range(24):
        listed.append("".join(seeded.choice(words) + seeded.choice(spaces) for _ in range(9)).encode())
    # Some characters of each block, each after a letter, a digit and a space.
    for begin in [*range(0, 0x3400, 0x100), *range(0xA000, 0xAC00, 0x100), *range(0xD700, 0x10000, 0x100),
                  *range(0x10000, 0x20000, 0x400), 0x20000, 0xE0000, 0xF0000]:
        known = [chr(c) for c in range(begin, begin + 0x100) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
        chosen = seeded.sample(known, min(len(known), 2))
        if chosen:
            listed.append("".join(f"a{c}1{c} {c}" for c in chosen).encode())
    return listed


def goldens(tokenizer, seeded):
    cases = []
    for text in texts():
        ids = tokenizer.encode(text.decode("utf-8", "replace"), add_special_tokens=False).ids
        cases.append([text.decode("latin-1"), ids])
    decoded = []
    ordinary = [i for i in range(tokenizer.get_vocab_size()) if tokenizer.id_to_token(i) != END]
    for _ in range(40):
        ids = seeded.choices(ordinary, k=8)
        decoded.append([ids, tokenizer.decode(ids, skip_special_tokens=False)])
    return {"texts": cases, "decoded": decoded}


def main():
    plain = trained().to_str()
    folder = f"{ROOT}/tests/text/data"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/byte_level.json", "w", encoding="utf-8") as file:
        json.dump(json.loads(plain), file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    seeded = random.Random(11)
    results = {name: goldens(Tokenizer.from_str(json.dumps(variant)), seeded)
               for name, variant in variants(plain).items()}
    for name in ("prefix", "ignore_merges"):  # one variant has all characters
        results[name]["texts"] = results[name]["texts"][:40]
        results[name]["decoded"] = []
    with open(f"{folder}/byte_level_goldens.json", "w", encoding="utf-8") as file:
        json.dump(results, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
