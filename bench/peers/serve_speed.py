#!/usr/bin/env python3
"""Serving speed of heed and of FastAPI on CTranslate2: the same weights, sentences and beam, in int8.

The load comes from wrk (Debian), which keeps N connections busy. The sides take turns, and so do the
numbers of clients, for --rounds rounds; medians are printed. The speeds of both engines on the whole
text, without a server, are measured in the same run.

Needs: wrk; python3 with ctranslate2, sentencepiece, transformers, torch, fastapi and uvicorn[standard]
from PyPI; a trained heed model.

  bench/peers/serve_speed.py --heed build/release/heed --model multi30k \\
      --source ../shared/data/multi30k/test_2016_flickr.en.gz --work /tmp/serve_speed
"""
import argparse, gzip, json, os, re, signal, statistics, subprocess, sys, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = {"heed": 5070, "gathered": 5071, "unbatched": 5072}

LUA = """
local bodies, headers = {}, {["Content-Type"] = "application/json"}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local at = 0
request = function()
  at = at %% #bodies + 1
  return wrk.format("POST", "/translate", headers, bodies[at])
end
"""


def make_models(o):
    """The model in int8, in both programs' forms."""
    ours, theirs = f"{o.work}/heed-int8", f"{o.work}/ct2-int8"
    if not os.path.exists(f"{theirs}/model.bin"):
        import ctranslate2
        ctranslate2.converters.TransformersConverter(o.model).convert(theirs, quantization="int8", force=True)
    if not os.path.exists(f"{ours}/config.json"):
        subprocess.run([o.heed, "quantize", "--model", o.model, "--output", ours], check=True, stdout=subprocess.DEVNULL)


def command_of(o, side):
    if side == "heed":
        return [o.heed, "serve", "--model", f"{o.source_language}-{o.target_language}={o.work}/heed-int8", "--listen",
                f"127.0.0.1:{PORTS[side]}", "--compute", "int8", "--threads", "2", "--beam", "4", "--log", "none"]
    return [sys.executable, f"{HERE}/serve_ctranslate2.py", "--model", f"{o.work}/ct2-int8", "--tokenizer", o.model,
            "--port", str(PORTS[side]), "--gather", "5" if side == "gathered" else "0"]


class Server:
    """A server that runs while the object is open."""

    def __init__(self, o, side):
        self.side, self.child = side, subprocess.Popen(command_of(o, side), stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        while time.monotonic() < begin + 60:
            try:
                self.ask("A man.", o)
                self.first_answer = time.monotonic() - begin
                return
            except OSError:
                time.sleep(0.002)
        sys.exit(f"the server '{side}' does not answer")

    def ask(self, text, o):
        body = json.dumps({"q": text, "source": o.source_language, "target": o.target_language}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{PORTS[self.side]}/translate", body,
                                         {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))["translatedText"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait()


def load(o, side, clients):
    """Requests a second, and latencies in milliseconds: the median and the 99th percentile."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{o.seconds}s", "--timeout", "60s", "--latency", "-s",
               f"{o.work}/load.lua", f"http://127.0.0.1:{PORTS[side]}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit(f"{side}, {clients} clients:\n{text}")
    scale = {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}
    latency = [float(n) * scale[unit] for n, unit in re.findall(r"^ +(?:50|99)% +([\d.]+)(us|ms|s|m)", text, re.M)]
    return float(re.search(r"Requests/sec: +([\d.]+)", text)[1]), *latency


def heed_corpus(o, lines, threads=2, more=()):
    """Sentences a second of heed translate."""
    path = f"{o.work}/lines"
    open(path, "w").write("".join(line + "\n" for line in lines))
    command = [o.heed, "translate", "--model", f"{o.work}/heed-int8", "--input", path, "--output", f"{o.work}/out", "--beam",
               "4", "--compute", "int8", "--threads", str(threads), *more]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return len(lines) / float(re.search(r" in ([\d.]+) s:", text)[1])


CT2 = r"""
import sys, time, ctranslate2, sentencepiece
model, tokenizer, path = sys.argv[1:]
sp = sentencepiece.SentencePieceProcessor(model_file=tokenizer + "/source.spm")
lines = open(path, newline="\n").read().split("\n")[:-1]
t = ctranslate2.Translator(model, device="cpu", compute_type="int8_float32", inter_threads=2, intra_threads=1)
t.translate_batch([["A", "</s>"]])
start = time.time()
pieces = [p + ["</s>"] for p in sp.encode(lines, out_type=str)]
results = t.translate_batch(pieces, beam_size=4, max_batch_size=64, batch_type="examples")
text = [sp.decode(r.hypotheses[0]) for r in results]
print(len(lines) / (time.time() - start))
"""


def ct2_corpus(o):
    command = [sys.executable, "-c", CT2, f"{o.work}/ct2-int8", o.model, f"{o.work}/lines"]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(o, lines):
    results = {}
    add = lambda key, value: results.setdefault(key, []).append(value)
    for _ in range(o.rounds):
        add("heed corpus", heed_corpus(o, lines))
        add("ct2 corpus", ct2_corpus(o))
        add("heed alone", 1000 / heed_corpus(o, lines[:200], threads=1, more=["--batch-tokens", "1"]))
        for clients in o.clients:
            for side in o.sides:
                with Server(o, side) as server:
                    load_result = load(o, side, clients)
                add(("first", side), server.first_answer)
                add((side, clients), load_result)
                print(side, clients, load_result, file=sys.stderr, flush=True)
    return results


def report(o, results):
    middle = statistics.median
    ours, theirs = middle(results["heed corpus"]), middle(results["ct2 corpus"])
    print(f"corpus: heed translate {ours:.0f} sentences/s, CTranslate2 {theirs:.0f}: {ours / theirs:.2f} times")
    print(f"one sentence at a time, one thread: heed translate {middle(results['heed alone']):.2f} ms each")
    for side in o.sides:
        print(f"first answer of {side}: {middle(results['first', side]):.2f} s after its start")
    print("| clients | server | requests/s | p50, ms | p99, ms |\n|---|---|---|---|---|")
    for clients in o.clients:
        for side in o.sides:
            speed, p50, p99 = (middle(r[i] for r in results[side, clients]) for i in range(3))
            print(f"| {clients} | {side} | {speed:.0f} | {p50:.1f} | {p99:.1f} |")


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--heed", default="build/release/heed")
    a.add_argument("--model", required=True, help="a trained heed model (fp32)")
    a.add_argument("--source", required=True)
    a.add_argument("--source-language", default="en")
    a.add_argument("--target-language", default="de")
    a.add_argument("--work", default="/tmp/heed-serve-speed")
    a.add_argument("--clients", type=lambda text: [int(n) for n in text.split(",")], default=[1, 8, 32, 128])
    a.add_argument("--sides", type=lambda text: text.split(","), default=["heed", "gathered", "unbatched"])
    a.add_argument("--seconds", type=int, default=15)
    a.add_argument("--rounds", type=int, default=3)
    o = a.parse_args()
    os.makedirs(o.work, exist_ok=True)
    lines = [line.rstrip("\n") for line in gzip.open(o.source, "rt", encoding="utf-8", newline="\n")]
    with open(f"{o.work}/bodies", "w") as bodies:
        for line in lines:
            bodies.write(json.dumps({"q": line, "source": o.source_language, "target": o.target_language}) + "\n")
    open(f"{o.work}/load.lua", "w").write(LUA % f"{o.work}/bodies")
    make_models(o)
    report(o, measure(o, lines))
