"""A tagger, a parser and a language model in PyTorch, as one would write and train them without heed:
padded batches of sentences of about the same length, PyTorch's own attention, dropout and fused Adam.
Texts, sizes and options are those of a directory that heed trained.
"""
import itertools
import json
import math
import pathlib
import random
import struct
import sys
import time
from types import SimpleNamespace

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ablations"))
from twin import padded  # noqa: E402
from twin_model import Twin, mix, rotated, split  # noqa: E402

END, FIRST_LABEL = 0, 2  # ids of heed's vocabularies
POOL = 20_000  # sentences that are sorted by length at a time


# The files of heed's directory.

def read_corpus(path):
    """(source ids, target ids) of each pair of train.corpus (src/heed/data/corpus_file.h)."""
    data = path.read_bytes()
    if data[:8] != b"hecorp06":
        sys.exit(f"{path} has another layout than this script reads")
    kept, = struct.unpack_from("<q", data, 32)
    token_bytes, index, facts = struct.unpack_from("<3q", data, 24 + 12 * 8 + 3 * 8)
    token = np.dtype(f"<u{token_bytes}")
    record = np.dtype([("begin", "<u4"), ("source", "<u2"), ("target", "<u2"), ("line", "<u4")])
    pairs = []
    for block in np.frombuffer(data[index:facts], "<u8"):
        count = min(kept - len(pairs), 1024)
        records = np.frombuffer(data, record, count, block)
        ids = int(block) + count * record.itemsize
        for begin, source, target, _ in records.tolist():
            row = np.frombuffer(data, token, source + target, ids + begin * token_bytes).tolist()
            pairs.append((row[:source] + [END], row[source:] + [END]))
    return pairs


def read_options(folder):
    """config.json in the words of `heed train`."""
    config = json.loads((folder / "config.json").read_text())
    return {"d_model": config["d_model"], "heads": config["encoder_attention_heads"],
            "d_ff": config["encoder_ffn_dim"], "encoder_layers": config["encoder_layers"],
            "decoder_layers": config["decoder_layers"], "dropout": config["dropout"],
            "activation": config["activation_function"],
            "norm": "pre" if config["normalize_before"] else "post",
            "positions": config["heed"].get("variants", {}).get("positions", "sinusoidal")}


def read_weights(folder):
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights.pop("final_logits_bias", None)  # zeros that are not trained
    return weights


def fresh(weights, seed):
    """First weights of the same shapes, drawn as heed draws its own: matrices as nn.Linear has them,
    within 1 / sqrt(in), embeddings and the output layer with a deviation of 1 / sqrt(d_model), gains of
    1, biases of 0. The embedding of <pad>, with which a decoder's input begins, is zero and is not
    trained."""
    torch.manual_seed(seed)
    for name, weight in weights.items():
        if any(part in name for part in ("embed_tokens", "shared", "lm_head")):
            torch.nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
            if "lm_head" not in name:
                weight[-1] = 0
        elif weight.dim() == 2:
            torch.nn.init.uniform_(weight, -(weight.shape[1] ** -0.5), weight.shape[1] ** -0.5)
        else:
            torch.nn.init.constant_(weight, float("norm.weight" in name))
    return weights


# The models.

class PyTorchDropout:
    def __init__(self, probability):
        self.probability = probability

    def skip(self):
        pass

    def __call__(self, x, shards, first_rows):
        return F.dropout(x, self.probability) if self.probability > 0 else x


class Parser(Twin):
    """Translates the words of a sentence into the symbols of its tree."""

    def attention(self, name, x, memory, seen, lengths):
        query, key, value = (split(self.linear(f"{name}.{part}_proj", of), self.o["heads"])
                             for part, of in (("q", x), ("k", memory), ("v", memory)))
        if self.o["positions"] == "rotary" and "encoder_attn" not in name:
            query, key = rotated(query), rotated(key)
        causal = name.startswith("model.decoder") and name.endswith("self_attn")
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=None if causal else seen[:, None], is_causal=causal)
        return self.linear(name + ".out_proj", context.transpose(1, 2).flatten(2))


class LanguageModel(Parser):
    def loss(self, batch, dropout):
        self.dropout = dropout
        return self.cross_entropy(self.decode(batch), self.table("model.decoder")[: self.pad],
                                  batch.labels)


class Tagger(Parser):
    """A label for the first piece of each word."""

    def loss(self, batch, dropout):
        self.dropout = dropout
        states, _ = self.encode(batch)
        return self.cross_entropy(states[batch.target_seen][batch.labels >= FIRST_LABEL],
                                  self.weights["lm_head.weight"],
                                  batch.labels[batch.labels >= FIRST_LABEL] - FIRST_LABEL)


MODELS = {"parse": Parser, "language-model": LanguageModel, "tag": Tagger}


def tensors_of(task, pairs, pad):
    source, labels = zip(*pairs)
    lengths = torch.tensor([len(row) for row in labels])
    batch = SimpleNamespace(labels=torch.tensor(list(itertools.chain(*labels))), shards=None,
                            source_rows=None, target_rows=None, target_lengths=lengths)
    batch.target_seen = torch.arange(int(lengths.max())) < lengths[:, None]
    if task != "tag":
        batch.target = padded([[pad] + row[:-1] for row in labels], pad)
    if task != "language-model":
        batch.source = padded(source, pad)
        batch.source_lengths = torch.tensor([len(row) for row in source])
    batch.count = len(batch.labels)
    if task == "tag":
        batch.count = int((batch.labels >= FIRST_LABEL).sum())
    return batch


def batches(pairs, batch_tokens, seed):
    """Epoch after epoch, sentences of about the same length, as many as heed takes: at most
    batch_tokens tokens a side, padding not counted."""
    for epoch in itertools.count():
        rng = random.Random(mix(seed, epoch))
        order = rng.sample(range(len(pairs)), len(pairs))
        made, tokens = [[]], [0, 0]
        for begin in range(0, len(order), POOL):
            pool = sorted(order[begin:begin + POOL], key=lambda i: tuple(map(len, pairs[i][::-1])))
            for i in pool:
                tokens = [count + len(row) for count, row in zip(tokens, pairs[i])]
                if made[-1] and max(tokens) > batch_tokens:
                    made.append([])
                    tokens = [len(row) for row in pairs[i]]
                made[-1].append(pairs[i])
        rng.shuffle(made)
        yield from made


# Training.

def learning_rate(options, step):
    """Up to the peak in a straight line, then down to zero, along a cosine or a straight line."""
    peak, warmup = options["learning_rate"], options["warmup_steps"]
    if step <= warmup:
        return peak * step / warmup
    done = (step - warmup) / (options["steps"] - warmup)
    return peak * ((1 + math.cos(math.pi * done)) / 2 if options["schedule"] == "cosine" else 1 - done)


class Run:
    """A training of which any step can be the last: `saved` is read if it exists, and written by
    save()."""

    def __init__(self, task, folder, options, seed, saved):
        self.options, self.saved, self.step, self.task = options, saved, 0, task
        self.model = MODELS[task](fresh(read_weights(folder), seed), read_options(folder) | options)
        self.weights = list(self.model.weights.values())
        self.optimizer = torch.optim.Adam(self.weights, betas=(0.9, 0.98), eps=1e-9, fused=True)
        self.dropout = PyTorchDropout(self.model.o["dropout"])
        self.batches = batches(read_corpus(folder / "training/train.corpus"),
                               options["batch_tokens"], seed)
        if saved is not None and saved.exists():
            state = torch.load(saved)
            for weight, value in zip(self.weights, state["weights"]):
                weight.data.copy_(value)
            self.optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["rng"])
            self.step = state["step"]
        self.batches = itertools.islice(self.batches, self.step, None)

    def save(self):
        partial = self.saved.with_suffix(".partial")
        torch.save({"step": self.step, "weights": [w.data for w in self.weights],
                    "optimizer": self.optimizer.state_dict(), "rng": torch.get_rng_state()}, partial)
        partial.replace(self.saved)

    def advance(self):
        """A step. Returns the number of its sentences."""
        self.step += 1
        sentences = next(self.batches)
        batch = tensors_of(self.task, sentences, self.model.pad)
        self.optimizer.param_groups[0]["lr"] = learning_rate(self.options, self.step)
        self.optimizer.zero_grad()
        (self.model.loss(batch, self.dropout) / batch.count).backward()
        if self.options.get("clip_norm"):
            torch.nn.utils.clip_grad_norm_([w for w in self.weights if w.grad is not None],
                                           self.options["clip_norm"])
        self.optimizer.step()
        return len(sentences)

    def finish(self, seconds=120):
        """All steps that are left, saved now and then."""
        last = time.monotonic()
        try:
            while self.step < self.options["steps"]:
                self.advance()
                if time.monotonic() - last > seconds:
                    self.save()
                    last = time.monotonic()
        except KeyboardInterrupt:
            self.save()
            raise

    def write(self, path):
        weights = {name: weight.data for name, weight in self.model.weights.items()}
        safetensors.torch.save_file(weights, path, metadata={"format": "pt"})
