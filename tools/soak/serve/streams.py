"""serve_streams.sh: random requests as streams; what a client appends is the answer."""
import asyncio
import json
import os
import random

from appended import Appended
from http_client import Connection, events_of, request_bytes
from questions import read_lines
from server_process import Server, expect_no_warnings, fail, listening_socket, number, run

STREAMS, SEED, MODELS = number("STREAMS"), number("SEED"), os.environ["MODELS"]
ODD = ["\u200b", "\ufeff", "\u00ad", "☃", "😆", "👩‍👩‍👧", "é", "e\u0301", "▁", "</s>", "<unk>", "<0x41>", ">>de<<", "\t", "\r",
       "\n", "\n\n  ", "\u2028", "\u3000", "\u00a0", "\0", "…", "“", "”", "‘", "—", "⁇", "\ufffd", "한국어", "شكرا", "    "]
LANGUAGES = {"zh-en": ("zh", "en"), "en-zh": ("en", "zh")}


class Requests:
    """Random requests to both models."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = {code: read_lines(f"{MODELS}/text/test.{code}") for code in ("zh", "en")}

    def text(self, language, most):
        rng, words = self.rng, []
        for _ in range(rng.randint(1, most)):
            line = rng.choice(self.lines[language])
            kind = rng.random()
            if kind < 0.2:
                line = rng.choice(ODD)
            elif kind < 0.35:
                at = rng.randint(0, len(line))
                line = line[:at] + rng.choice(ODD) + line[at:]
            words.append(line)
            words.append(rng.choice(["", " ", "\n", "\n\n"]))
        return "".join(words)

    def search(self):
        rng = self.rng
        fields = rng.choice([
            lambda: {},
            lambda: {"beam": 1},
            lambda: {"beam": (beam := rng.randint(2, 8)), "nbest": rng.randint(1, beam)},
            lambda: {"beam": 4, "beam_groups": 2, "nbest": rng.randint(1, 4)},
            lambda: {"sample": True, "nbest": rng.randint(1, 5), "temperature": rng.choice([0.5, 1, 1.5, 3]),
                     "seed": rng.randint(1, 1000)},
            lambda: {"sample": True, "top_k": rng.randint(2, 20)},
        ])()
        if rng.random() < 0.3:
            fields["max_length"] = rng.randint(1, 12)
        elif rng.random() < 0.5:
            fields["extra_length"] = rng.randint(0, 10)
        if rng.random() < 0.1:
            fields["no_repeat_ngram_size"] = rng.randint(1, 3)
        return fields

    def fields(self):
        rng = self.rng
        source, target = LANGUAGES[rng.choice(list(LANGUAGES))]
        fields = {"source": source, "target": target, **self.search()}
        kind = rng.random()
        if kind < 0.25:  # one line, translated in parts if it is long
            count = rng.choice([1, 1, 2, 20])
            fields |= {"split": "lines", "text": " ".join(rng.choice(self.lines[source]) for _ in range(count))}
            if rng.random() < 0.6:
                prefix = rng.choice(self.lines[target])
                fields["prefix"] = prefix[:rng.randint(1, 8)] + rng.choice(["", "", " ", "☃"])
                fields["max_length"] = 64
        elif kind < 0.6:
            fields |= {"text": self.text(source, 4), "split": rng.choice(["lines", "sentences"])}
        else:
            fields["text"] = [self.text(source, 2) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.2:
            fields["alignments"] = rng.choice(["words", "weights"])
        if rng.random() < 0.2:
            fields["probabilities"] = True
        return fields


class Counts:
    def __init__(self):
        self.left, self.streams, self.tokens, self.sentences, self.samples = STREAMS, 0, 0, 0, 0


async def answer(connection, fields):
    body = json.dumps(fields, ensure_ascii=random.random() < 0.5).encode()
    await connection.send(request_bytes("POST", "/v1/translate", body, ["Content-Type: application/json"]))
    reply = await connection.reply()
    if reply.status != 200:
        fail(f"{fields}: status {reply.status}: {reply.body[:300].decode(errors='replace')}")
    return reply.body


async def client(endpoint, requests, counts):
    connection = await Connection(endpoint).open()
    while counts.left > 0:
        counts.left -= 1
        fields = requests.fields()
        events = events_of(await answer(connection, fields | {"stream": True}))
        appended = Appended()
        for name, data in events[:-1]:
            if name not in ("token", "sentence"):
                fail(f"{fields}: event {name}: {data[:300].decode()}")
            counts.tokens += name == "token"
            counts.sentences += name == "sentence"
            if complaint := appended.event(name, data):
                fail(f"{fields}: {complaint}")
        if not events or events[-1][0] != "done":
            fail(f"{fields}: a stream without `done` at its end")
        if complaint := appended.whole(json.loads(events[-1][1])):
            fail(f"{fields}: {complaint}")
        if requests.rng.random() < 0.25 and events[-1][1] != await answer(connection, fields):
            fail(f"{fields}: without a stream the answer is another one")
        counts.streams += 1
        counts.samples += fields.get("sample", False)
    connection.close()


async def main():
    random.seed(SEED)
    listening, counts = listening_socket(), Counts()
    server = await Server(f"{MODELS}/one", listening, ["en-zh=bytes", "--threads", "1", "--log", "none"]).ready()
    async with asyncio.TaskGroup() as group:
        for i in range(8):
            group.create_task(client(server.endpoint, Requests(random.Random(f"{SEED} {i}")), counts))
    await server.stop()
    expect_no_warnings("log")
    print(f"serve_streams: {counts.streams} streams ({counts.samples} of samples), {counts.tokens} tokens, "
          f"{counts.sentences} sentences; what a client appends is the answer")


run(main())
