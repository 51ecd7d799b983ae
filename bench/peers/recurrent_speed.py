#!/usr/bin/env python3
"""Training speed of recurrent models in heed and in PyTorch, in turn, on the same text and tokens.

The model in PyTorch is that of docs/recurrent.md: a bidirectional nn.LSTM, and a decoder that is an
nn.LSTM followed by attention (without input feeding), or a loop of nn.LSTMCell whose first layer
reads the attentional state (with it). Its batches are of equal length as far as possible, since it
pads them. Tokens are the mean of source and target tokens, </s> included, on both sides; the first
steps do not count. The machine's speed drifts, so rounds alternate and only the ratio of medians
counts.

Needs: python3 with torch and sentencepiece from PyPI; Multi30k.

  bench/peers/recurrent_speed.py --heed build/release/heed --data ../shared/data/multi30k \\
      --work /tmp/recurrent_speed
"""
import argparse, gzip, json, os, random, statistics, subprocess, sys, time

SKIP = 5


def heed_round(o, feeding):
    model = f"{o.work}/heed"
    command = [o.heed, "train", "--source", f"{o.data}/train.en.gz", "--target", f"{o.data}/train.de.gz",
               "--model", model, "--overwrite", "--architecture", "rnn", "--input-feeding", feeding,
               "--d-model", str(o.d), "--encoder-layers", str(o.layers), "--decoder-layers", str(o.layers),
               "--vocabulary-size", str(o.vocabulary), "--dropout", "0.2", "--batch-tokens", str(o.tokens),
               "--max-ratio", "0", "--steps", str(o.steps), "--report-every", "1", "--threads", str(o.threads),
               "--compute", o.compute, "--no-inspect"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    reports = [json.loads(line) for line in open(f"{model}/metrics.jsonl")]
    reports = [r for r in reports if r["kind"] == "train" and r["step"] > SKIP]
    tokens = sum(r["tokens_per_second"] * (r["seconds"] - before["seconds"])
                 for before, r in zip(reports, reports[1:]))
    return tokens / (reports[-1]["seconds"] - reports[0]["seconds"])


def torch_round(o, feeding, compiled):
    command = [sys.executable, __file__, "--side", feeding + (" compiled" if compiled else "")]
    for name in ("data", "work", "d", "layers", "vocabulary", "tokens", "steps", "threads", "compute"):
        command += [f"--{name}", str(getattr(o, name))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:])
    return float(done.stdout.split()[-1])


def make_model(o, feeding):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            d = o.d
            self.embedding = nn.Embedding(o.vocabulary, d)
            nn.init.normal_(self.embedding.weight, std=d ** -0.5)
            self.encoder = nn.LSTM(d, d // 2, o.layers, batch_first=True, bidirectional=True, dropout=0.2)
            self.start = nn.ModuleList(nn.Linear(d, d) for _ in range(o.layers))
            if feeding:
                self.cells = nn.ModuleList(nn.LSTMCell(2 * d if i == 0 else d, d) for i in range(o.layers))
            else:
                self.decoder = nn.LSTM(d, d, o.layers, batch_first=True, dropout=0.2)
            self.combine = nn.Linear(2 * d, d)
            self.dropout = nn.Dropout(0.2)

        def embed(self, ids):
            return self.dropout(self.embedding(ids) * o.d ** 0.5)

        def attend(self, query, memory, hidden):
            scores = (query @ memory.transpose(1, 2) * o.d ** -0.5).masked_fill(hidden, float("-inf"))
            context = scores.softmax(-1) @ memory
            return torch.tanh(self.combine(torch.cat([context, query], -1)))

        def forward(self, source, target, labels):
            memory, (h, _) = self.encoder(self.embed(source))
            hidden = (source == o.vocabulary - 1)[:, None]
            last = torch.cat([h[-2], h[-1]], -1)
            cells = [w(last) for w in self.start]
            states = [c.tanh() for c in cells]
            x = self.embed(target)
            if feeding:
                fed, outputs = torch.zeros_like(last), []
                for t in range(x.shape[1]):
                    y = torch.cat([x[:, t], fed], -1)
                    for i, cell in enumerate(self.cells):
                        states[i], cells[i] = cell(y, (states[i], cells[i]))
                        y = states[i] if i + 1 == len(self.cells) else self.dropout(states[i])
                    fed = self.attend(y[:, None], memory, hidden)[:, 0]
                    outputs.append(fed)
                out = torch.stack(outputs, 1)
            else:
                out, _ = self.decoder(x, (torch.stack(states), torch.stack(cells)))
                out = self.attend(out, memory, hidden)
            logits = F.linear(self.dropout(out), self.embedding.weight)
            return F.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), ignore_index=o.vocabulary - 1,
                                   label_smoothing=0.1)

    return Model()


def side(o):
    """Prints tokens a second of PyTorch."""
    import sentencepiece, torch
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)
    feeding, compiled = "on" in o.side.split(), "compiled" in o.side
    pad, end = o.vocabulary - 1, 0
    pairs = []
    tokenizers = [sentencepiece.SentencePieceProcessor(model_file=f"{o.work}/heed/{s}.spm") for s in ("source", "target")]
    texts = [gzip.open(f"{o.data}/train.{language}.gz", "rt", encoding="utf-8").read().splitlines() for language in ("en", "de")]
    for source, target in zip(*(t.encode(text) for t, text in zip(tokenizers, texts))):
        clip = lambda ids: [min(i + 1, pad - 1) for i in ids][:200] + [end]
        pairs.append((clip(source), clip(target)))
    pairs.sort(key=lambda p: (len(p[0]), len(p[1])))
    batches, at = [], 0
    while at < len(pairs):
        count = max(1, o.tokens // max(map(len, pairs[at])))
        batches.append(pairs[at:at + count])
        at += count
    random.Random(1).shuffle(batches)
    model = make_model(o, feeding)
    run = torch.compile(model, dynamic=True) if compiled else model
    adam = torch.optim.Adam(model.parameters(), lr=5e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    rows = lambda lists, fill: torch.nn.utils.rnn.pad_sequence([torch.tensor(x) for x in lists], True, fill)
    tokens = start = 0
    for step, batch in enumerate(batches[:o.steps]):
        if step == SKIP:
            tokens, start = 0, time.time()
        source, labels = rows([s for s, _ in batch], pad), rows([t for _, t in batch], pad)
        target = torch.cat([torch.full((len(batch), 1), pad), labels[:, :-1]], 1)
        with torch.autocast("cpu", torch.bfloat16, enabled=o.compute == "bf16"):
            loss = run(source, target, labels)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        tokens += sum(len(s) + len(t) for s, t in batch) / 2
    print(tokens / (time.time() - start))


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--heed", default="build/release/heed")
    a.add_argument("--data", default="../shared/data/multi30k")
    a.add_argument("--work", default="/tmp/heed-recurrent-speed")
    a.add_argument("--d", type=int, default=512)
    a.add_argument("--layers", type=int, default=2)
    a.add_argument("--vocabulary", type=int, default=8000)
    a.add_argument("--tokens", type=int, default=4096)
    a.add_argument("--steps", type=int, default=25)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--compute", default="fp32", choices=("fp32", "bf16"))
    a.add_argument("--rounds", type=int, default=3)
    a.add_argument("--compile", action="store_true", help="also PyTorch's loop of cells with torch.compile")
    a.add_argument("--side", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.side:
        side(o)
        sys.exit()
    os.makedirs(o.work, exist_ok=True)
    sides = {"heed, no input feeding": lambda: heed_round(o, "off"),
             "PyTorch, nn.LSTM": lambda: torch_round(o, "off", False),
             "heed, input feeding": lambda: heed_round(o, "on"),
             "PyTorch, loop of nn.LSTMCell": lambda: torch_round(o, "on", False)}
    if o.compile:
        sides["PyTorch, the loop compiled"] = lambda: torch_round(o, "on", True)
    results = {name: [] for name in sides}
    for n in range(o.rounds):
        for name, measure in sides.items():
            results[name].append(measure())
            print(f"round {n + 1}: {name}: {results[name][-1]:.0f} tokens/s", file=sys.stderr, flush=True)
    print("| side | tokens/s (median) |\n|---|---|")
    for name, speeds in results.items():
        print(f"| {name} | {statistics.median(speeds):.0f} |")
