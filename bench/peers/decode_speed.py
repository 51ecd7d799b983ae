#!/usr/bin/env python3
"""Decoding speed of heed and of CTranslate2, in turn: the same weights, sentences and options.

Needs: python3 with torch, transformers, ctranslate2 and sentencepiece from PyPI, and a trained heed
model (--tokenizer) whose SentencePiece model cuts the sentences. Weights are random (a
MarianMTModel of the preset's sizes, which both programs open or convert), so every translation is
forced to 20 tokens. Both sides tokenize inside the measured time and load outside it. The machine's
speed drifts, so rounds alternate and only ratios of medians count.

  bench/peers/decode_speed.py --heed build/release/heed --tokenizer multi30k \\
      --source ../shared/data/multi30k/test_2016_flickr.en.gz --work /tmp/decode_speed
"""
import argparse, gzip, json, os, re, shutil, statistics, subprocess, sys, time

with open("/proc/cpuinfo") as cpu:
    if "avx512f" in cpu.read():
        os.environ.setdefault("CT2_FORCE_CPU_ISA", "AVX512")  # its own detection may pick less

SIZES = {"small": dict(d=256, heads=4, ff=1024, layers=3, vocabulary=8000),
         "base": dict(d=512, heads=8, ff=2048, layers=6, vocabulary=32000)}
LENGTH = 20


def make_models(o, size):
    """The model in both programs' forms. In a process of its own: a child's peak memory counts what its parent held."""
    import ctranslate2
    model = f"{o.work}/{size}"
    if not os.path.exists(f"{model}/tokenizer_config.json"):
        make_model(model, o.tokenizer, **SIZES[size])
    if not os.path.exists(f"{model}-ct2-{o.compute}/model.bin"):
        ctranslate2.converters.TransformersConverter(model).convert(
            f"{model}-ct2-{o.compute}", quantization="int8" if o.compute == "int8" else "float32", force=True)
    if o.compute == "int8" and not os.path.exists(f"{model}-int8/config.json"):
        subprocess.run([o.heed, "quantize", "--model", model, "--output", f"{model}-int8"], check=True,
                       stdout=subprocess.DEVNULL)


def make_model(path, tokenizer, d, heads, ff, layers, vocabulary):
    """A MarianMTModel with random weights, in Hugging Face's layout."""
    import torch
    from transformers import MarianConfig, MarianMTModel
    pieces = list(json.load(open(f"{tokenizer}/vocab.json")))[:-1]
    pieces = pieces[:vocabulary - 1]
    # Ids that no text has. Named as heed names unused ones, they do not count as pieces of another model; before
    # the last piece, they are part of the output vocabulary.
    pieces[-1:-1] = [f"<unused_{i}>" for i in range(vocabulary - 1 - len(pieces))]
    pieces.append("<pad>")
    config = MarianConfig(
        vocab_size=vocabulary, d_model=d, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=heads,
        decoder_attention_heads=heads, encoder_ffn_dim=ff, decoder_ffn_dim=ff, activation_function="relu",
        max_position_embeddings=512, pad_token_id=vocabulary - 1, eos_token_id=0, decoder_start_token_id=vocabulary - 1,
        scale_embedding=True, forced_eos_token_id=0, num_beams=4, init_std=0.05)
    torch.manual_seed(0)
    MarianMTModel(config).save_pretrained(path)
    json.dump({piece: i for i, piece in enumerate(pieces)}, open(f"{path}/vocab.json", "w"), ensure_ascii=False)
    for side in ("source.spm", "target.spm"):
        shutil.copy(f"{tokenizer}/{side}", path)
    json.dump({"source_lang": "en", "target_lang": "de", "model_max_length": 512},
              open(f"{path}/tokenizer_config.json", "w"))


def heed_round(o, model, lines, beam, batch):
    path = f"{o.work}/lines"
    open(path, "w").write("".join(line + "\n" for line in lines))
    threads, tokens = (1, 1) if batch == 1 else (2, 2048)  # 2048 source tokens a thread: heed's default
    command = [o.heed, "translate", "--model", model, "--input", path, "--output", f"{o.work}/out", "--beam", str(beam),
               "--max-length", str(LENGTH), "--min-length", str(LENGTH), "--compute", o.compute, "--threads",
               str(threads), "--batch-tokens", str(tokens)]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    text = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(text)
    return float(re.findall(r": (\d+) tokens/s on", text)[-1]), usage.ru_maxrss / 1024


CT2 = r"""
import json, os, sys, time, resource, ctranslate2, sentencepiece
model, tokenizer, path, beam, batch, compute, length = sys.argv[1:]
beam, batch, length = int(beam), int(batch), int(length)
sp = sentencepiece.SentencePieceProcessor(model_file=tokenizer + "/source.spm")
lines = open(path, newline="\n").read().split("\n")[:-1]
t = ctranslate2.Translator(model, device="cpu", compute_type=compute, inter_threads=1 if batch == 1 else 2, intra_threads=1)
options = dict(beam_size=beam, max_decoding_length=length, min_decoding_length=length)
start = time.time()
pieces = [p + ["</s>"] for p in sp.encode(lines, out_type=str)]
if batch == 1:
    results = [t.translate_batch([p], **options)[0] for p in pieces]
else:
    results = t.translate_batch(pieces, max_batch_size=batch, batch_type="examples", **options)
text = [sp.decode(r.hypotheses[0]) for r in results]
seconds = time.time() - start
print(sum(len(r.hypotheses[0]) for r in results) / seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def ct2_round(o, model, lines, beam, batch):
    path = f"{o.work}/lines"
    open(path, "w").write("".join(line + "\n" for line in lines))
    compute = "int8_float32" if o.compute == "int8" else "float32"
    out = subprocess.run([sys.executable, "-c", CT2, f"{model}-ct2-{o.compute}", o.tokenizer, path, str(beam), str(batch),
                          compute, str(LENGTH)], capture_output=True, text=True, check=True).stdout
    return tuple(map(float, out.split()))


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--heed", default="build/release/heed")
    a.add_argument("--tokenizer", required=True)
    a.add_argument("--source", required=True)
    a.add_argument("--work", default="/tmp/heed-decode-speed")
    a.add_argument("--compute", default="int8", choices=("int8", "fp32"))
    a.add_argument("--sizes", default="small,base")
    a.add_argument("--rounds", type=int, default=3)
    o = a.parse_args()
    os.makedirs(o.work, exist_ok=True)
    lines = [line.rstrip("\n") for line in gzip.open(o.source, "rt", encoding="utf-8", newline="\n")]
    print("| model | work | heed, tokens/s | CTranslate2 | ratio | heed, MiB | CTranslate2 |\n|---|---|---|---|---|---|---|")
    for size in o.sizes.split(","):
        model = f"{o.work}/{size}"
        if os.fork() == 0:
            make_models(o, size)
            os._exit(0)
        if os.wait()[1] != 0:
            sys.exit(f"the models of size {size} could not be made")
        ours = f"{model}-int8" if o.compute == "int8" else model
        for name, beam, batch, count in (("greedy, batches of 64", 1, 64, 1000), ("beam 4, batches of 64", 4, 64, 512),
                                         ("greedy, one at a time, one thread", 1, 1, 100)):
            h, c = [], []
            for _ in range(o.rounds):
                h.append(heed_round(o, ours, lines[:count], beam, batch))
                c.append(ct2_round(o, model, lines[:count], beam, batch))
            speed = [statistics.median(r[0] for r in rounds) for rounds in (h, c)]
            memory = [max(r[1] for r in rounds) for rounds in (h, c)]
            print(f"| {size} | {name} | {speed[0]:.0f} | {speed[1]:.0f} | {speed[0] / speed[1]:.2f} | "
                  f"{memory[0]:.0f} | {memory[1]:.0f} |", flush=True)
