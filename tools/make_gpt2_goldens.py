#!/usr/bin/env python3
"""Writes tests/decode/data/gpt2: a small GPT-2 as transformers saves it, and what it computes.

    pip install torch transformers tokenizers
    python3 tools/make_gpt2_goldens.py

The tokenizer is that of make_tokenizer_json_goldens.py, with <|endoftext|> as the
last of the vocabulary, as GPT-2 has it. goldens.json has, of each text, its ids, the
logits after each (the token that begins a text, <|endoftext|>, first) and the text's greedy
continuation of 12 tokens.
"""
import json
import os

import torch
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXTS = ["", "the street", "    return x  + 1", "it's é 你好\tA\n\nB ", "a<|user|>er b"]
LOGITS = 24  # of each step, the first


def main():
    folder = f"{ROOT}/tests/decode/data/gpt2"
    os.makedirs(folder, exist_ok=True)
    with open(f"{ROOT}/tests/text/data/byte_level.json", encoding="utf-8") as file:
        vocabulary = json.load(file)
    size = len(vocabulary["model"]["vocab"]) + sum(
        token["content"] not in vocabulary["model"]["vocab"] for token in vocabulary["added_tokens"])
    end = len(vocabulary["model"]["vocab"]) - 1

    def move(i):  # <|endoftext|> has id 0 there
        return end if i == 0 else i - 1 if i <= end else i

    vocabulary["model"]["vocab"] = {token: move(i) for token, i in vocabulary["model"]["vocab"].items()}
    for token in vocabulary["added_tokens"]:
        token["id"] = move(token["id"])
    torch.manual_seed(3)
    config = GPT2Config(vocab_size=size, n_positions=32, n_embd=12, n_layer=2, n_head=3, n_inner=20,
                        bos_token_id=end, eos_token_id=end)
    model = GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and gains that matter
            parameter.add_(0.3 * torch.randn_like(parameter))
    model = model.half().float()
    model.half().save_pretrained(folder)
    os.remove(f"{folder}/generation_config.json")
    os.chmod(f"{folder}/model.safetensors", 0o644)
    with open(f"{folder}/tokenizer.json", "w", encoding="utf-8") as file:
        json.dump(vocabulary, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    with open(f"{folder}/tokenizer_config.json", "w", encoding="utf-8") as file:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|endoftext|>"}, file)
        file.write("\n")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = model.float()
    cases = []
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False)
        inputs = torch.tensor([[end] + ids])
        with torch.no_grad():
            logits = model(inputs).logits[0]
            greedy = model.generate(inputs, max_new_tokens=12, do_sample=False, pad_token_id=end)
        log_p = torch.log_softmax(logits.double(), -1).gather(1, torch.tensor(ids + [end])[:, None])
        new = greedy[0, inputs.shape[1]:].tolist()
        cases.append({
            "text": text, "ids": ids, "greedy": new,
            "generated": text + tokenizer.decode(new, skip_special_tokens=True),
            "log_probabilities": [float(f"{x:.7g}") for x in log_p[:, 0].tolist()],
            "logits": {"shape": [len(ids) + 1, LOGITS],
                       "values": [float(f"{x:.7g}") for x in logits[:, :LOGITS].flatten().tolist()]}})
    with open(f"{folder}/goldens.json", "w", encoding="utf-8") as file:
        json.dump({"cases": cases}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
