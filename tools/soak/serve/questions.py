"""Requests of every kind, and the answers that heed translate and heed score give.

A Book has what one model says about a list of lines, in each of the WAYS, as the command line prints
it. A Question is a request about some of these lines; `answer(book)` is the answer that it must get,
to the byte.
"""
import json
import os
import re
import subprocess
import urllib.parse

from appended import Appended
from http_client import Malformed, events_of, request_bytes

# Fields of /v1/translate; the options of heed translate have the same names, with hyphens.
WAYS = {
    "default": {},
    "greedy": {"beam": 1},
    "wide": {"beam": 8, "nbest": 3},
    "three": {"beam": 4, "nbest": 3},
    "penalty": {"beam": 4, "length_penalty": 1.5},
    "diverse": {"beam": 4, "beam_groups": 2, "nbest": 2, "diversity_penalty": 0.4},
    "no_repeats": {"beam": 2, "no_repeat_ngram_size": 2},
    "short": {"beam": 3, "max_length": 6},
    "long": {"beam": 3, "min_length": 12},
    "extra": {"beam": 4, "extra_length": 5},
    "sample": {"sample": True, "seed": 7, "temperature": 0.8, "top_k": 20},
    "samples": {"sample": True, "seed": 3, "nbest": 3, "top_p": 0.9},
    "words": {"alignments": "words"},
    "weights": {"alignments": "weights", "beam": 8, "nbest": 8},
    "prefix": {"beam": 4},
}
PREFIX_LENGTHS = (3, 7, 12)
HYPOTHESES = re.compile(rb'"hypotheses":\[[\d,]+\],')  # the numbers of samples, only in streams


def text_json(text):
    return json.dumps(text, ensure_ascii=False).encode()


def option_of(field, value):
    name = "--" + field.replace("_", "-")
    return [name] if value is True else [name, str(value)]


def alignment_json(line):
    """heed translate prints "0-0 2-1", /v1/translate [[0,0],[2,1]]."""
    object = json.loads(line)
    for one in (object, *object.get("nbest", [])):
        old = one["alignment"]
        new = [[int(n) for n in pair.split("-")] for pair in old.split()]
        line = line.replace(b'"alignment":' + text_json(old),
                            b'"alignment":' + json.dumps(new, separators=(",", ":")).encode())
    return line


class Book:
    """What the model in a directory says about the lines of `lines`, each a sentence, and about
    `documents`, each a text of several sentences and lines. `targets` are possible translations of
    the lines: forced prefixes are their beginnings, and they are scored."""

    def __init__(self, heed, model, lines, targets, documents, ways=WAYS, languages=("zh", "en")):
        self.heed, self.model = heed, model
        self.ways, (self.source, self.target) = list(ways), languages
        self.lines, self.targets, self.documents = lines, targets, documents
        self.prefixes = [targets[i][:PREFIX_LENGTHS[i % len(PREFIX_LENGTHS)]] for i in range(len(lines))]
        self.said = {way: self.translate(lines, way) for way in ways}
        if "words" in self.said:
            self.said["words"] = [alignment_json(line) for line in self.said["words"]]
        self.translations = {way: [json.loads(line)["translation"] for line in said] for way, said in self.said.items()}
        self.said_of_documents = self.translate_documents()
        self.scores = self.score()

    def run(self, arguments, text):
        command = [self.heed, *arguments, "--model", self.model, "--quiet"]
        return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout

    def translate(self, lines, way):
        arguments = ["translate", "--format", "jsonl"]
        for field, value in WAYS[way].items():
            arguments += option_of(field, value)
        if way == "prefix":
            path = f"prefixes.{os.getpid()}"
            with open(path, "w") as file:
                file.write("".join(prefix + "\n" for prefix in self.prefixes))
            arguments += ["--target-prefix", path]
        said = self.run(arguments, "".join(line + "\n" for line in lines)).split(b"\n")[:-1]
        if way == "prefix":
            os.remove(path)
        assert len(said) == len(lines)
        return said

    def translate_documents(self):
        """Line by line as --split sentences does it, which joins sentences as /translate does."""
        all_lines = "".join(document + "\n" for document in self.documents)
        said = self.run(["translate", "--split", "sentences"], all_lines).decode().split("\n")[:-1]
        result, at = [], 0
        for document in self.documents:
            count = document.count("\n") + 1
            result.append("\n".join(said[at:at + count]))
            at += count
        assert at == len(said)
        return result

    def score(self):
        path = f"targets.{os.getpid()}"
        with open(path, "w") as file:
            file.write("".join(target + "\n" for target in self.targets))
        arguments = ["score", "--source", "-", "--target", path, "--format", "jsonl", "--compute", "auto"]
        said = self.run(arguments, "".join(line + "\n" for line in self.lines)).split(b"\n")[:-1]
        os.remove(path)
        return [json.loads(line) for line in said]


class Question:
    """A request about lines (indices) of a book. `kind` is one of KINDS."""

    def __init__(self, kind, way, lines):
        self.kind, self.way, self.lines = kind, way, lines
        self.known = {}

    def __str__(self):
        return f"{self.kind} {self.way} lines {self.lines[:8]}"

    def text(self, book):
        return "\n".join(book.lines[i] for i in self.lines)

    def request(self, book, rng, headers=()):
        """Its bytes; which of the equal ways to ask it is up to `rng`."""
        languages = {"source": book.source, "target": book.target}
        if self.kind in ("lines", "stream"):
            fields = {"text": self.text(book), "split": "lines", **languages, **WAYS[self.way]}
            if self.way == "prefix":
                fields["prefix"] = book.prefixes[self.lines[0]]
            if self.kind == "stream":
                fields["stream"] = True
            return self.json_request("/v1/translate", fields, headers)
        if self.kind == "score":
            return self.json_request("/v1/score", {"source_text": [book.lines[i] for i in self.lines],
                                                   "target_text": [book.targets[i] for i in self.lines],
                                                   **languages}, headers)
        if self.kind == "alternatives":
            return self.json_request("/translate", {"q": self.text(book), "alternatives": 2, **languages}, headers)
        if self.kind == "list":
            return self.json_request("/translate", {"q": [book.lines[i] for i in self.lines], **languages}, headers)
        document = {"q": book.documents[self.lines[0] % len(book.documents)], **languages}
        if rng.random() < 0.5:
            return self.json_request("/translate", document, headers)
        form = urllib.parse.urlencode(document).encode()
        return request_bytes("POST", "/translate", form,
                             ["Content-Type: application/x-www-form-urlencoded", *headers])

    @staticmethod
    def json_request(path, fields, headers):
        return request_bytes("POST", path, json.dumps(fields, ensure_ascii=False).encode(),
                             ["Content-Type: application/json", *headers])

    def answer(self, book):
        """The body that the answer must have. Of a score, and of a stream: what it must say."""
        if book not in self.known:
            self.known[book] = getattr(self, "answer_" + self.kind)(book)
        return self.known[book]

    def sentences(self, book):
        return [b'{"before":' + text_json("\n" if at else "") + b',"source":' + text_json(book.lines[i]) + b"," +
                book.said[self.way][i][1:] for at, i in enumerate(self.lines)]

    def answer_lines(self, book):
        text = "\n".join(book.translations[self.way][i] for i in self.lines)
        return (f'{{"source":"{book.source}","target":"{book.target}"'.encode() +
                b',"translations":[{"text":' + text_json(text) + b',"sentences":[' +
                b",".join(self.sentences(book)) + b'],"after":""}]}')

    answer_stream = answer_lines

    def answer_document(self, book):
        text = book.said_of_documents[self.lines[0] % len(book.documents)]
        return b'{"translatedText":' + text_json(text) + b"}"

    def answer_list(self, book):
        texts = [book.translations["default"][i] for i in self.lines]
        return b'{"translatedText":[' + b",".join(map(text_json, texts)) + b"]}"

    def answer_alternatives(self, book):
        """The line's first translation, then the others of a beam of four, of which three are asked."""
        one = json.loads(book.said["three"][self.lines[0]])
        texts = list(dict.fromkeys([one["translation"], *(other["translation"] for other in one["nbest"][1:])]))
        return (b'{"translatedText":' + text_json(texts[0]) + b',"alternatives":[' +
                b",".join(map(text_json, texts[1:3])) + b"]}")

    def answer_score(self, book):
        return [(book.scores[i]["log_probability"], book.scores[i]["status"]) for i in self.lines]

    def complaint(self, reply, *books):
        """None if the reply is the whole answer that one of the books gives, else what is wrong."""
        if reply.status != 200:
            return f"status {reply.status}: {reply.body[:200].decode(errors='replace')}"
        try:
            got = self.content(reply)
        except (Malformed, ValueError, KeyError) as error:
            return f"{type(error).__name__}: {error}"
        if any(got == self.answer(book) for book in books):
            return self.stream_complaint(reply, got, books) if self.kind == "stream" else None
        return f"answer {str(got)[:300]}, expected {str(self.answer(books[0]))[:300]}"

    def content(self, reply):
        if self.kind == "score":
            return [(one["log_probability"], one["status"]) for one in json.loads(reply.body)["scores"]]
        if self.kind != "stream":
            return reply.body
        events = events_of(reply.body)
        if not events or events[-1][0] != "done" or not reply.body.endswith(events[-1][1] + b"\n\n"):
            raise Malformed("a stream without `done` at its end")
        return events[-1][1]

    def stream_complaint(self, reply, got, books):
        """Each sentence comes once, as in the whole answer, and is what its tokens give."""
        book = next(book for book in books if got == self.answer(book))
        expected = {b'{"text":0,"sentence":%d,' % at + sentence[1:] for at, sentence in enumerate(self.sentences(book))}
        events, appended = events_of(reply.body), Appended()
        for name, data in events:
            if complaint := appended.event(name, data):
                return complaint
        told = [HYPOTHESES.sub(b"", data, count=1) for name, data in events if name == "sentence"]
        if len(told) != len(self.lines) or set(told) != expected:
            return "the sentences of the stream are not those of the whole answer"
        return None


KINDS = ("lines", "stream", "document", "list", "alternatives", "score")


class Asker:
    """Draws questions about a book's lines: `most` lines in a request, of these kinds."""

    def __init__(self, book, rng, most=12, kinds=KINDS):
        self.book, self.rng, self.most, self.kinds = book, rng, most, kinds

    def question(self):
        kind = self.rng.choice(self.kinds)
        way = self.rng.choice(self.book.ways)
        only_one = way == "prefix" and kind in ("lines", "stream") or kind in ("document", "alternatives")
        count = 1 if only_one else self.rng.randint(1, self.most)
        return Question(kind, way, [self.rng.randrange(len(self.book.lines)) for _ in range(count)])

    def headers(self):
        return ["Accept-Encoding: gzip"] if self.rng.random() < 0.5 else []

    def draw(self):
        question = self.question()
        return question, question.request(self.book, self.rng, self.headers())


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def documents_of(lines):
    """Texts of several sentences and lines, with spaces that must be kept."""
    documents = []
    for i in range(0, len(lines) - 3, 4):
        a, b, c, d = lines[i:i + 4]
        documents.append([a + b, f"{a}\n\n  {b}{c}", f" {a}{b}\n{c}{d}\t", f"{a}\n{b}\n{c}"][i // 4 % 4])
    return documents


def make_book(heed, models, name, count):
    """The book of a model in the folder that make_models.sh fills, about `count` test lines."""
    lines = read_lines(f"{models}/text/test.zh")[:count]
    targets = read_lines(f"{models}/text/test.en")[:count]
    return Book(heed, f"{models}/{name}", lines, targets, documents_of(lines))
