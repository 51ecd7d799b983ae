#!/usr/bin/env python3
"""Shows that transformers and CTranslate2 open a model directory of heed's and agree with it.

Needs PyPI's transformers, torch, ctranslate2, sentencepiece, sacrebleu and safetensors, and a build
of heed with its tests and `ninja -C build/release heed_logits`. Example:

  tools/check_ecosystem.py runs/multi30k --source test.en --reference test.de

Prints a table; exits 0 if every check passed, 1 if one failed. Where source and target have a
vocabulary each, CTranslate2's converter (4.8) takes the weights but names target ids by the source's
vocabulary: this script reads its output by ids; others must write target_vocabulary.json beside it.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

import ctranslate2
import sacrebleu
import torch
from safetensors.torch import load_file
from transformers import MarianMTModel, MarianTokenizer, logging

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOLERANCE = 1e-4  # of logits and log-probabilities
TIES = 2  # greedy outputs that may differ in 100 lines
BLEU_MARGIN = 0.3
# With none, both searches want the same: the likeliest output. Else heed divides by ((5 + n) / 6)^a,
# as the paper, and CTranslate2 by n^a, so that an unsure model's outputs differ in length.
LENGTH_PENALTIES = [0, 0.6]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="model directory")
    parser.add_argument("--source", required=True, help="sentences, plain or .gz")
    parser.add_argument("--reference", required=True, help="their translations")
    parser.add_argument("--lines", type=int, default=100, help="for ids, logits and greedy output")
    parser.add_argument("--beam-lines", type=int, default=1000, help="for beam search")
    parser.add_argument("--heed", default=f"{ROOT}/build/release/heed")
    parser.add_argument("--logits", default=f"{ROOT}/build/release/tests/heed_logits")
    parser.add_argument("--backend", choices=["cpu", "reference"], default="cpu")
    return parser.parse_args()


def read_lines(path, limit):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line, _ in zip(file, range(limit))]


def heed_tensors(options, pairs):
    """Ids and logits of heed: {"0.source": ..., "0.target": ..., "0.logits": ...}."""
    text = "".join(f"{source}\t{target}\n" for source, target in pairs)
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "logits.safetensors")
        command = [options.logits, options.model, output, options.backend]
        subprocess.run(command, input=text.encode(), check=True)
        return load_file(output)


def heed_translations(options, lines, beam, length_penalty=0):
    command = [options.heed, "translate", "--model", options.model, "--beam", str(beam),
               "--length-penalty", str(length_penalty), "--format", "jsonl", "--compute", "fp32"]
    result = subprocess.run(command, input="".join(line + "\n" for line in lines).encode(),
                            check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in result.stdout.splitlines()]


class Checks:
    def __init__(self):
        self.rows = []

    def add(self, name, passed, found):
        self.rows.append((name, passed, found))
        print(f"{'pass' if passed else 'FAIL'}  {name:34} {found}", flush=True)

    def failed(self):
        return any(not passed for _, passed, _ in self.rows)


def check_opening(checks, options):
    model, told = MarianMTModel.from_pretrained(options.model, output_loading_info=True)
    tokenizer = MarianTokenizer.from_pretrained(options.model)
    strange = {kind: sorted(names) for kind, names in told.items() if names}
    checks.add("transformers opens it", not strange, strange or "every tensor has its place")
    return model.eval(), tokenizer


def check_ids(checks, tokenizer, tensors, pairs):
    wrong = 0
    for i, (source, target) in enumerate(pairs):
        both = tokenizer(source, text_target=target)
        ours = [tensors[f"{i}.{side}"].int().tolist() for side in ("source", "target")]
        wrong += both["input_ids"] != ours[0]
        wrong += [tokenizer.pad_token_id] + both["labels"][:-1] != ours[1]
    checks.add("ids", wrong == 0, f"{2 * len(pairs) - wrong} of {2 * len(pairs)} sentences equal")


def check_logits(checks, model, tensors, count):
    worst = 0.0
    for i in range(count):
        source, target = (tensors[f"{i}.{side}"].long()[None] for side in ("source", "target"))
        ours = tensors[f"{i}.logits"]
        with torch.no_grad():
            theirs = model(input_ids=source, decoder_input_ids=target).logits[0, :, :ours.shape[1]]
        worst = max(worst, (ours - theirs).abs().max().item())
    checks.add("logits", worst <= TOLERANCE, f"largest difference {worst:.2e} (at most {TOLERANCE})")


def heed_scores(options, pairs):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.heed, "score", "--model", options.model, "--format", "jsonl", "--quiet"]
        for side, lines in zip(("source", "target"), zip(*pairs)):
            path = os.path.join(folder, side)
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(line + "\n" for line in lines)
            command += [f"--{side}", path]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return [json.loads(line)["log_probabilities"] for line in result.stdout.splitlines()]


def log_probabilities(model, tokenizer, source, target):
    """Of each token of the target, </s> included, by transformers."""
    both = tokenizer(source, text_target=target, return_tensors="pt")
    labels = both["labels"]
    inputs = torch.cat([torch.tensor([[tokenizer.pad_token_id]]), labels[:, :-1]], dim=1)
    with torch.no_grad():
        logits = model(input_ids=both["input_ids"], decoder_input_ids=inputs).logits
    return torch.log_softmax(logits.double(), -1)[0].gather(1, labels[0][:, None])[:, 0].tolist()


def check_scores(checks, options, model, tokenizer, pairs):
    ours = heed_scores(options, pairs)
    theirs = [log_probabilities(model, tokenizer, *pair) for pair in pairs]
    same_tokens = [len(a) for a in ours] == [len(b) for b in theirs]
    worst = max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x, y))
    checks.add("log-probabilities of tokens", same_tokens and worst <= TOLERANCE,
               f"largest difference {worst:.2e} (at most {TOLERANCE})")


def greedy(model, tokenizer, line):
    source = tokenizer(line, return_tensors="pt")
    limit = source.input_ids.shape[1] + 50  # heed's own default
    with torch.no_grad():
        ids = model.generate(**source, num_beams=1, do_sample=False, max_length=None,
                             max_new_tokens=limit, forced_eos_token_id=None)[0].tolist()
    return [token for token in tokenizer.convert_ids_to_tokens(ids[1:])
            if token not in (tokenizer.eos_token, tokenizer.pad_token)]


def check_greedy(checks, options, model, tokenizer, lines):
    ours = [line["pieces"] for line in heed_translations(options, lines, 1)]
    theirs = [greedy(model, tokenizer, line) for line in lines]
    different = [i for i in range(len(lines)) if ours[i] != theirs[i]]
    allowed = TIES * len(lines) / 100
    checks.add("greedy, transformers", len(different) <= allowed,
               f"{len(lines) - len(different)} of {len(lines)} equal ({allowed:g} ties allowed)")
    for i in different[:5]:
        print(f"      line {i + 1}: heed {' '.join(ours[i])}")
        print(f"      {' ' * len(str(i + 1))}transformers {' '.join(theirs[i])}")


def open_with_ctranslate2(checks, options, folder):
    output = os.path.join(folder, "ct2")
    try:
        ctranslate2.converters.TransformersConverter(options.model).convert(output)
    except Exception as error:  # whatever the converter may throw is the finding
        checks.add("CTranslate2 opens it", False, f"{type(error).__name__}: {error}")
        return None
    checks.add("CTranslate2 opens it", True, "converted")
    return ctranslate2.Translator(output, "cpu", compute_type="float32", intra_threads=1)


def target_text(tokenizer, pieces):
    """Text of CTranslate2's output. Its converter knows one vocabulary, the source's: where there
    are two, the ids are right but the pieces are those of the source under the same ids."""
    if tokenizer.separate_vocabs:
        pieces = [tokenizer.decoder[tokenizer.encoder[piece]] for piece in pieces]
    return tokenizer.spm_target.decode_pieces(pieces)


def check_beam(checks, options, tokenizer, translator, length_penalty, sources, references):
    piece = {id: piece for piece, id in tokenizer.encoder.items()}  # of the source's vocabulary
    tokens = [[piece[id] for id in tokenizer(line).input_ids] for line in sources]
    results = translator.translate_batch(tokens, beam_size=4, length_penalty=length_penalty,
                                         max_batch_size=2048, batch_type="tokens")
    theirs = [target_text(tokenizer, result.hypotheses[0]) for result in results]
    found = heed_translations(options, sources, 4, length_penalty)
    ours = [line["translation"] for line in found]
    heed, other = (sacrebleu.corpus_bleu(text, [references]).score for text in (ours, theirs))
    equal = sum(a == b for a, b in zip(ours, theirs))
    checks.add(f"beam 4, length penalty {length_penalty}", abs(heed - other) <= BLEU_MARGIN,
               f"BLEU {heed:.2f} heed, {other:.2f} CTranslate2 (within {BLEU_MARGIN}), "
               f"{equal} of {len(ours)} lines equal")


def check_ctranslate2(checks, options, tokenizer, sources, references):
    with tempfile.TemporaryDirectory() as folder:
        translator = open_with_ctranslate2(checks, options, folder)
        if translator is None:
            return
        for length_penalty in LENGTH_PENALTIES:
            check_beam(checks, options, tokenizer, translator, length_penalty, sources, references)


def main():
    options = arguments()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
    sources = read_lines(options.source, options.beam_lines)
    references = read_lines(options.reference, options.beam_lines)
    pairs = list(zip(sources, references))[:options.lines]
    checks = Checks()
    model, tokenizer = check_opening(checks, options)
    tensors = heed_tensors(options, pairs)
    check_ids(checks, tokenizer, tensors, pairs)
    check_logits(checks, model, tensors, len(pairs))
    check_scores(checks, options, model, tokenizer, pairs)
    check_greedy(checks, options, model, tokenizer, [source for source, _ in pairs])
    check_ctranslate2(checks, options, tokenizer, sources, references)
    return 1 if checks.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
