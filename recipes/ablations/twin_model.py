"""The Transformer of every row of rows.txt, in PyTorch, from the papers: twin.py trains it beside
heed's, and ../tasks/compare.py a tagger, a parser and a language model.

It works on padded batches with masks, keeps all scores in memory and leaves gradients to autograd,
none of which heed does. Parameters have the names of heed's model.safetensors
(docs/marian_layout.md).
"""
import functools
import math

import numpy as np
import torch
import torch.nn.functional as F

MAX_DISTANCE, BUCKETS, LOCATIONS = 16, 32, 256  # of relative, t5 and location
HIDDEN = -1e9  # a score of weight 0; finite, since rows of padding may see no key

PRESET_SMALL = {"d_model": 256, "heads": 4, "d_ff": 1024, "encoder_layers": 3, "decoder_layers": 3}
DEFAULTS = PRESET_SMALL | {
    "attention": "scaled-dot", "attention_reach": "global", "key_value_heads": None, "d_key": None,
    "share_query_key": False, "positions": "sinusoidal", "norm": "post", "norm_kind": "layer",
    "residual": "on", "activation": "relu", "dropout": 0.0, "label_smoothing": 0.0}


def split(x, heads):
    """[batch, length, heads * d] to [batch, heads, length, d]."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


@functools.lru_cache(maxsize=None)
def sinusoids(length, d_model):
    """Section 3.5, with the sines in the first half of the columns, as in Marian."""
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def rotated(x):
    """Su et al. (2021): columns c and c + d / 2 of position p by the angle p / 10000^(2 c / d)."""
    cos, sin = rotations(*x.shape[-2:])
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


@functools.lru_cache(maxsize=None)
def rotations(length, d):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return angles.cos(), angles.sin()


def t5_buckets(distance, causal):
    """Raffel et al. (2020), for key position minus query position: half of the buckets are for one
    distance each, the others for ranges up to 128 that grow like a logarithm. Without a causal mask
    either side has half of all buckets."""
    buckets = BUCKETS if causal else BUCKETS // 2
    first = torch.zeros_like(distance) if causal else (distance > 0) * buckets
    away = (-distance).clamp(min=0) if causal else distance.abs()
    exact = buckets // 2
    share = torch.log(away.clamp(min=1).float() / exact) / math.log(128 / exact)
    far = (exact + (share * (buckets - exact)).long()).clamp(max=buckets - 1)
    return first + torch.where(away < exact, away, far)


def alibi(heads, distance):
    """Press et al. (2022)."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    return -slopes[:, None, None] * distance.abs()


def clipped(distance):
    """The row of a distance's vector (Shaw et al., 2018)."""
    return distance.clamp(-MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE


def mix(seed, index):
    """heed's hash of two numbers, splitmix64, from which its random numbers come."""
    x = (seed + 0x9E3779B97F4A7C15 * (index + 1)) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


class Dropout:
    """heed's dropout of one step, bit by bit: hashes of an element's index in its shard
    (core/rng.h)."""

    def __init__(self, probability, step_seed):
        self.probability, self.step_seed, self.drawn = float(np.float32(probability)), step_seed, 0

    def skip(self):
        """Every use takes the next stream: also one of probability 0, such as attention dropout."""
        self.drawn += 1

    def __call__(self, x, shards, first_rows):
        """x [batch, length, columns]; sentence b begins at row first_rows[b] of shard shards[b]."""
        stream, self.drawn = self.drawn, self.drawn + 1
        if self.probability == 0:
            return x
        batch, length, columns = x.shape
        keys = [mix(mix(mix(self.step_seed, int(s)), stream), 0x5EED) % 2**32 for s in shards]
        key = np.array(keys, dtype=np.uint32)[:, None]
        row = np.array(first_rows, dtype=np.uint32)[:, None] + np.arange(length, dtype=np.uint32)
        index = row[:, :, None] * np.uint32(columns) + np.arange(columns, dtype=np.uint32)
        bits = (index.reshape(batch, -1) ^ key) * np.uint32(0x9E3779B1)
        bits ^= bits >> np.uint32(16)
        bits = (bits + key) * np.uint32(0x21F0AAAD)
        bits ^= bits >> np.uint32(15)
        bits *= np.uint32(0x735A2D97)
        bits ^= bits >> np.uint32(15)
        kept = bits >= np.uint32(int(self.probability * 2**32))
        return x * torch.from_numpy(kept.reshape(x.shape)) / (1 - self.probability)


class Twin:
    """A translator. Options are those of `heed train`; <pad>, the last id, is no class."""

    def __init__(self, weights, options):
        self.o = DEFAULTS | {key: value for key, value in options.items() if key in DEFAULTS}
        self.weights = {name: tensor.clone().requires_grad_() for name, tensor in weights.items()}
        self.o["key_value_heads"] = self.o["key_value_heads"] or self.o["heads"]
        stack = "encoder" if self.o["encoder_layers"] > 0 else "decoder"
        self.pad = self.table(f"model.{stack}").shape[0] - 1

    def table(self, stack):
        """The embeddings of a stack: its own, or those that all share."""
        shared = self.weights.get("model.shared.weight")
        return self.weights[stack + ".embed_tokens.weight"] if shared is None else shared

    def linear(self, name, x):
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, name, x):
        gain = self.weights[name + ".weight"]
        if self.o["norm_kind"] == "rms":
            return gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return F.layer_norm(x, gain.shape, gain, self.weights[name + ".bias"], eps=1e-5)

    def sublayer(self, name, x, drop, f):
        """LayerNorm(x + Dropout(f(x))), section 3.1, or x + Dropout(f(LayerNorm(x)))."""
        norm = lambda x: self.norm(name + "_layer_norm", x)
        pre = self.o["norm"] == "pre"
        y = f(norm(x) if pre else x)
        self.dropout.skip()  # the attention weights, or inside the feed-forward network
        y = drop(y)
        if self.o["residual"] == "on":
            y = x + y
        return y if pre else norm(y)

    def feed_forward_sublayer(self, layer, x, drop):
        return self.sublayer(layer + ".final", x, drop, lambda x: self.feed_forward(layer, x))

    def feed_forward(self, name, x):
        inner = self.linear(name + ".fc1", x)
        activation = self.o["activation"]
        if activation == "swiglu":  # Shazeer (2020)
            inner = F.silu(inner) * self.linear(name + ".fc1_gate", x)
        else:
            inner = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}[activation](inner)
        return self.linear(name + ".fc2", inner)

    def query_and_key(self, name, score, x, memory):
        """Projections in the form in which their dot products, times a scale, are the scores."""
        o = self.o
        query = split(self.linear(name + ".q_proj", x), o["heads"])
        shared = "q_proj" if o["share_query_key"] else "k_proj"
        key = split(self.linear(f"{name}.{shared}", memory), o["key_value_heads"])
        key = self.of_each_head(key)
        if score == "general":  # Luong et al. (2015), equation 8; W of a head is [out, in]
            weight = self.weights[name + ".score"].unflatten(0, (o["heads"], -1))
            query = torch.einsum("bhia,hca->bhic", query, weight)
        if score == "cosine":  # Henry et al. (2020)
            gain = self.weights[name + ".score"][:, None, None] * math.sqrt(query.shape[-1])
            query, key = gain * F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        return query, key

    def of_each_head(self, x):
        """Ainslie et al. (2023): consecutive heads share keys and values."""
        return x.repeat_interleave(self.o["heads"] // self.o["key_value_heads"], dim=1)

    def scores(self, name, positions, x, memory, distance):
        """[batch, heads, queries, keys]."""
        o, score = self.o, self.o["attention"]
        if score == "location" and "encoder_attn" in name:  # Luong et al. (2015), equation 9
            assert memory.shape[1] <= LOCATIONS
            scores = split(self.linear(name + ".location_proj", x), o["heads"])
            return scores[..., : memory.shape[1]]
        query, key = self.query_and_key(name, score, x, memory)
        if positions == "rotary":
            query, key = rotated(query), rotated(key)
        scale = 1 / math.sqrt(query.shape[-1]) if score in ("scaled-dot", "location") else 1
        if score == "additive":  # Bahdanau et al. (2015), appendix A.1.2
            sums = (query[:, :, :, None] + key[:, :, None]).tanh()
            scores = (sums * self.weights[name + ".score"][:, None, None]).sum(-1)
        else:
            scores = scale * query @ key.transpose(-2, -1)
        if positions == "relative":  # Shaw et al. (2018), equation 4
            vectors = self.weights[name + ".relative_key"][clipped(distance)]
            scores = scores + scale * torch.einsum("bhid,ijd->bhij", query, vectors)
        if positions == "alibi":
            scores = scores + alibi(o["heads"], distance)
        if positions == "t5":
            stack = name.split(".layers.")[0]
            table = self.weights[stack + ".relative_attention_bias"].reshape(o["heads"], BUCKETS)
            scores = scores + table[:, t5_buckets(distance, causal="decoder" in name)]
        return scores

    def attention(self, name, x, memory, seen, lengths):
        """Section 3.2.2 and its variants. seen [batch, queries, keys]: what a mask leaves; lengths
        [batch]: of the memory, which for self-attention is x."""
        o, is_cross = self.o, "encoder_attn" in name
        positions = "none" if is_cross else o["positions"]
        reach, _, window = o["attention_reach"].partition(":")
        query_at, key_at = torch.arange(x.shape[1]), torch.arange(memory.shape[1])
        distance = key_at - query_at[:, None]
        scores = self.scores(name, positions, x, memory, distance)
        seen = seen[:, None]
        if reach == "local":  # in cross-attention around the source position of the same number
            center = torch.minimum(query_at, lengths[:, None] - 1) if is_cross else query_at[None]
            seen = seen & ((key_at - center[..., None]).abs() <= int(window))[:, None]
        if reach == "local-p" and is_cross:  # Luong et al. (2015), section 3.2
            inner = self.linear(name + ".center_fc1", x).tanh()
            center = lengths[:, None, None] * self.linear(name + ".center_fc2", inner).sigmoid()
            away = key_at - center.transpose(1, 2)[..., None]
            seen = seen & (away.abs() <= int(window))
        weights = scores.masked_fill(~seen, HIDDEN).softmax(-1)
        if reach == "local-p" and is_cross:
            weights = weights * (-away.square() / (2 * (int(window) / 2) ** 2)).exp()
        if reach == "hard":  # one key, with the gradient of the softmax
            best = F.one_hot(weights.argmax(-1), memory.shape[1])
            weights = best + weights - weights.detach()
        value = split(self.linear(name + ".v_proj", memory), o["key_value_heads"])
        context = weights @ self.of_each_head(value)
        if positions == "relative":
            self.dropout.skip()  # heed's sum of the two contexts counts as a use
            vectors = self.weights[name + ".relative_value"].T[clipped(distance)]
            context = context + torch.einsum("bhij,ijd->bhid", weights, vectors)
        return self.linear(name + ".out_proj", context.transpose(1, 2).flatten(2))

    def embed(self, stack, ids, drop):
        d_model = self.o["d_model"]
        x = F.embedding(ids, self.table(stack), padding_idx=self.pad) * math.sqrt(d_model)
        if self.o["positions"] == "sinusoidal":
            x = x + sinusoids(ids.shape[1], d_model)
        if self.o["positions"] == "learned":
            x = x + self.weights[stack + ".embed_positions.weight"][: ids.shape[1]]
        return drop(x)

    def stack_output(self, stack, x):
        return self.norm(stack + ".layer_norm", x) if self.o["norm"] == "pre" else x

    def encode(self, batch):
        """The states of the sources, and which of them a mask leaves."""
        drop = lambda x: self.dropout(x, batch.shards, batch.source_rows)
        lengths = batch.source_lengths
        seen = (torch.arange(batch.source.shape[1]) < lengths[:, None])[:, None]
        x = self.embed("model.encoder", batch.source, drop)
        for i in range(self.o["encoder_layers"]):
            layer = f"model.encoder.layers.{i}"
            x = self.sublayer(layer + ".self_attn", x, drop, lambda x: self.attention(
                layer + ".self_attn", x, x, seen, lengths))
            x = self.feed_forward_sublayer(layer, x, drop)
        return self.stack_output("model.encoder", x), seen

    def decode(self, batch, memory=None, seen=None):
        """The states of the targets, which see the memory if there is one."""
        drop = lambda x: self.dropout(x, batch.shards, batch.target_rows)
        size = batch.target.shape[1]
        causal = torch.ones(size, size, dtype=torch.bool).tril()[None]
        x = self.embed("model.decoder", batch.target, drop)
        for i in range(self.o["decoder_layers"]):
            layer = f"model.decoder.layers.{i}"
            x = self.sublayer(layer + ".self_attn", x, drop, lambda x: self.attention(
                layer + ".self_attn", x, x, causal, batch.target_lengths))
            if memory is not None:
                x = self.sublayer(layer + ".encoder_attn", x, drop, lambda x: self.attention(
                    layer + ".encoder_attn", x, memory, seen, batch.source_lengths))
            x = self.feed_forward_sublayer(layer, x, drop)
        return self.stack_output("model.decoder", x)[batch.target_seen]

    def loss(self, batch, dropout):
        """The sum of the losses of all labels."""
        self.dropout = dropout
        states = self.decode(batch, *self.encode(batch))
        return self.cross_entropy(states, self.table("model.decoder")[: self.pad], batch.labels)

    def cross_entropy(self, states, classes, labels):
        return F.cross_entropy(F.linear(states, classes), labels,
                               label_smoothing=self.o["label_smoothing"], reduction="sum")
