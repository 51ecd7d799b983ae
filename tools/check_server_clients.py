#!/usr/bin/env python3
"""Shows that clients of LibreTranslate can use heed serve, and that it is what its OpenAPI document says.

Starts `heed serve` with a model and asks it by libretranslatepy and by deep-translator; then
schemathesis sends it requests that its document allows, and others, and checks the answers.

Needs PyPI's libretranslatepy, deep-translator, requests and schemathesis, and a build of heed. Example:

  tools/check_server_clients.py zh-en --text corpus/test.zh --source-language zh --target-language en

Prints a line for each check; exits 0 if all passed, 1 if one failed.
"""
import argparse, os, shutil, subprocess, sys, tempfile, time

import requests
from deep_translator import LibreTranslator
from libretranslatepy import LibreTranslateAPI

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
failed = []


def check(name, good, seen=""):
    print(f"{'ok    ' if good else 'FAILED'} {name}{'' if good else f': {seen}'}", flush=True)
    if not good:
        failed.append(name)


class Server:
    def __init__(self, o):
        self.url = f"http://127.0.0.1:{o.port}/"
        pair = f"{o.source_language}-{o.target_language}"
        self.child = subprocess.Popen([o.heed, "serve", "--model", f"{pair}={o.model}", "--listen", f"127.0.0.1:{o.port}",
                                       "--log", "none", "--max-hypotheses", "8"])
        for _ in range(300):
            try:
                requests.get(self.url + "health")
                return
            except requests.ConnectionError:
                time.sleep(0.1)
        sys.exit("the server does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        check("the server ends with status 0", self.child.wait() == 0)


def command_line(o, lines):
    """The translations of heed translate."""
    result = subprocess.run([o.heed, "translate", "--model", o.model], input="".join(line + "\n" for line in lines),
                            capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def check_clients(o, url, lines, expected):
    libre = LibreTranslateAPI(url)
    got = [libre.translate(line, o.source_language, o.target_language) for line in lines]
    check("libretranslatepy translates as heed translate", got == expected, got)
    codes = {one["code"]: one["targets"] for one in libre.languages()}
    check("libretranslatepy lists the languages", codes == {o.source_language: [o.target_language]}, codes)
    detected = libre.detect(lines[0])
    check("libretranslatepy detects a language", detected[0]["language"] == o.source_language, detected)

    # Its list of languages has its own codes; it must know both.
    deep = LibreTranslator(source=o.source_language, target=o.target_language, api_key="unused", custom_url=url)
    got = [deep.translate(line) for line in lines]
    check("deep-translator translates as heed translate", got == expected, got)
    got = deep.translate_batch(lines[:3])
    check("deep-translator translates a list", got == expected[:3], got)


def check_document(o, url):
    program = shutil.which("schemathesis", path=os.path.dirname(sys.executable) + ":" + os.environ["PATH"])
    # Not its check that whatever a schema allows is accepted: a schema cannot say that nbest is at most beam, that
    # top_p needs sample, or that the model has a limit for prefixes.
    result = subprocess.run([program, "run", url + "openapi.json", "--max-examples", str(o.examples), "--no-color",
                             "--exclude-checks", "positive_data_acceptance"],
                            capture_output=True, text=True, cwd=tempfile.mkdtemp())
    check("schemathesis finds nothing", result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:])


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("model")
    a.add_argument("--text", required=True, help="sentences of the source language, one a line")
    a.add_argument("--source-language", default="zh")
    a.add_argument("--target-language", default="en")
    a.add_argument("--heed", default=f"{ROOT}/build/release/heed")
    a.add_argument("--port", type=int, default=5077)
    a.add_argument("--examples", type=int, default=50)
    o = a.parse_args()
    text = open(o.text, encoding="utf-8", newline="\n").read()
    lines = [line for line in text.split("\n") if line.strip()][:20]
    expected = command_line(o, lines)
    with Server(o) as server:
        check_clients(o, server.url, lines, expected)
        check_document(o, server.url)
    sys.exit(1 if failed else 0)
