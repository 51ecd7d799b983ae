#!/usr/bin/env python3
"""Shows that clients of LibreTranslate can use heed serve, and that it is what its OpenAPI document says.

Starts `heed serve` with a model and asks it by libretranslatepy, deep-translator, wagtail-localize and Weblate's
class for LibreTranslate, each as its package has it. Of other clients it sends the requests that their sources
send, and reads the answers as they do: Mastodon 4.2, i18n Ally, and the extensions of browsers Unofficial
LibreTranslate 0.2.1, TWP 10.2.1 and Linguist, with the headers that Firefox 153 and Chromium 156 send for
extensions. Then schemathesis sends requests that the document allows, and others, and checks the answers.

Needs PyPI's requests and a build of heed. What else of libretranslatepy, deep-translator, wagtail-localize, weblate
and schemathesis is not installed is skipped. Weblate needs no database, nor its libraries that draw or recognize
text: installed by `pip install --no-deps`, it names what else it lacks. Example:

  tools/check_server_clients.py zh-en --text corpus/test.zh --source-language zh --target-language en

Prints a line for each check; exits 0 if all passed, 1 if one failed.
"""
import argparse, html, importlib.util, logging, os, re, shutil, subprocess, sys, tempfile, time, urllib.error
from types import SimpleNamespace
from unittest import mock

import requests

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Origins of extensions. Chromium's depends on the extension; Firefox's is random; a sandboxed page has "null".
CHROMIUM = "chrome-extension://bkikhfegokhgmacmecjgepkabhmbpflp"
FIREFOX = "moz-extension://299e1ee4-f8e4-4422-8383-4ce247fa92f4"
EXTENSIONS = [CHROMIUM, FIREFOX, "null"]
MAX_CHARACTERS = 20000
failed = []


def check(name, good, seen=""):
    print(f"{'ok    ' if good else 'FAILED'} {name}{'' if good else f': {seen}'}", flush=True)
    if not good:
        failed.append(name)


def installed(package):
    """Whether it can be imported; otherwise says that its checks are skipped."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"skipped what needs {package}: not installed")
    return found


def error_of(call, kinds):
    """The error that a call raises, one of the classes."""
    try:
        return f"no error, but {call()}"
    except kinds as error:
        return error


class Server:
    def __init__(self, o, cors=EXTENSIONS):
        self.url = f"http://127.0.0.1:{o.port}/"
        pair = f"{o.source_language}-{o.target_language}"
        self.child = subprocess.Popen([o.heed, "serve", "--model", f"{pair}={o.model}", "--listen", f"127.0.0.1:{o.port}",
                                       "--log", "none", "--max-hypotheses", "8",
                                       "--max-characters", str(MAX_CHARACTERS), "--cors", *cors])
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
    result = subprocess.run([o.heed, "translate", "--split", "sentences", "--model", o.model], input="".join(line + "\n" for line in lines),
                            capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def translated_html(o, page):
    """What heed translate makes of a page."""
    return subprocess.run([o.heed, "translate", "--model", o.model, "--format", "html"], input=page,
                          capture_output=True, text=True, check=True).stdout


def escaped(text):
    return html.escape(text, quote=False)


def halves(line):
    """A line in two, between words where it has spaces."""
    at = line.find(" ", len(line) // 2)
    at = at if at > 0 else len(line) // 2
    return line[:at], line[at:]


def pieces_of(lines):
    """Pieces of pages as clients cut them: tags within and around sentences, escapes, and nothing to translate."""
    a, b = map(escaped, halves(lines[0]))
    c, d, e, f, g, h = map(escaped, lines[1:7])
    return [f'{a}<b id="b1">{b}</b>', f"<a i=0>{c}</a><b i=1>{d}</b>", f"<p>{e}</p>\n<ul><li>{f}</li><li>{g}</li></ul>",
            f'<a href="/?a=1&amp;b=2" rel="x">{h}</a><br/><!-- {h} -->', "<pre>x &lt; y</pre>", "<br>", "", a + b]


def tags_of(page):
    return sorted(re.findall("<[^>]*>", page))


def check_html(client, sent, got, expected):
    check(f"{client} translates HTML as heed translate", got == expected, got)
    check(f"{client} gets the tags of each piece back", list(map(tags_of, got)) == list(map(tags_of, sent)), got)


def check_escapes(o, client, lines, translate):
    """Text with & and < is translated as heed translate does without HTML, and escaped again."""
    texts = [" & ".join(halves(lines[0])), " < ".join(halves(lines[1]))]
    got, expected = translate(list(map(escaped, texts))), list(map(escaped, command_line(o, texts)))
    check(f"{client} gets escapes as escapes", got == expected, (got, expected))


def check_libretranslatepy(o, url, lines, expected):
    from libretranslatepy import LibreTranslateAPI
    libre, pair = LibreTranslateAPI(url), (o.source_language, o.target_language)
    got = [libre.translate(line, *pair) for line in lines]
    check("libretranslatepy translates as heed translate", got == expected, got)
    targets = {one["code"]: one["targets"] for one in libre.languages()}
    check("libretranslatepy lists the languages", targets[o.source_language] == [o.target_language], targets)
    detected = libre.detect(lines[0])
    check("libretranslatepy detects a language", detected[0]["language"] == o.source_language, detected)
    for name, call in (("an unknown language", lambda: libre.translate(lines[0], o.source_language, "xx")),
                       ("too long a text", lambda: libre.translate("x" * (MAX_CHARACTERS + 1), *pair))):
        error = error_of(call, urllib.error.HTTPError)
        check(f"libretranslatepy: {name} has status 400", getattr(error, "code", 0) == 400, error)


def check_deep_translator(o, url, lines, expected):
    from deep_translator import LibreTranslator
    # Its list of languages has its own codes; it must know both.
    deep = LibreTranslator(source=o.source_language, target=o.target_language, api_key="unused", custom_url=url)
    got = [deep.translate(line) for line in lines]
    check("deep-translator translates as heed translate", got == expected, got)
    got = deep.translate_batch(lines[:3])
    check("deep-translator translates a list", got == expected[:3], got)


def check_wagtail(o, url, lines, sent, expected):
    from wagtail_localize.machine_translators.libretranslate import LibreTranslator
    from wagtail_localize.strings import StringValue
    wagtail = LibreTranslator({"LIBRETRANSLATE_URL": url.rstrip("/"), "API_KEY": ""})
    source, target = (SimpleNamespace(language_code=code) for code in (o.source_language, o.target_language))

    def translate(pieces, to=target):
        values = [StringValue(piece) for piece in pieces]
        translations = wagtail.translate(source, to, values)
        return [translations[value].data for value in values]

    check_html("wagtail-localize", sent, translate(sent), expected)
    check_escapes(o, "wagtail-localize", lines, translate)
    for name, call in (("an unknown language", lambda: translate(sent, SimpleNamespace(language_code="xx"))),
                       ("too long a text", lambda: translate(["x" * (MAX_CHARACTERS + 1)]))):
        error = error_of(call, requests.HTTPError)
        check(f"wagtail-localize: {name} is its error", getattr(error, "response", None) is not None, error)


def set_up_weblate():
    """Weblate without its servers and without libraries that draw or recognize text: it asks none of them."""
    for name in ("cairo", "gi", "gi.repository", "aeidon", "tesserocr"):
        if name.partition(".")[0] in sys.modules or importlib.util.find_spec(name) is None:
            sys.modules.setdefault(name, mock.MagicMock())
    import django
    from django.conf import settings
    from weblate import settings_example
    values = {name: getattr(settings_example, name) for name in dir(settings_example) if name.isupper()}
    values["CACHES"] = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    values["DATABASES"] = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    settings.configure(**values)
    django.setup()
    logging.disable(logging.WARNING)


def check_weblate(o, url, lines, expected):
    """Weblate names no format: it sends text, with placeholders for what its checks find in a string."""
    try:
        set_up_weblate()
    except ImportError as error:
        return print(f"skipped what needs Weblate: {error}")
    from django.core.exceptions import ValidationError
    from weblate.checks.flags import Flags
    from weblate.lang.models import Language
    from weblate.machinery.base import MachineTranslationError, UnsupportedLanguageError
    from weblate.machinery.libretranslate import LibreTranslateTranslation
    from weblate.trans.models import Unit
    weblate, pair = LibreTranslateTranslation({"url": url, "key": ""}), (o.source_language, o.target_language)

    def translate(texts, unit=None, codes=pair):
        got = weblate._translate(*codes, [(text, unit) for text in texts])
        return [got[text][0]["text"] for text in texts]

    source, target = (Language(code={"zh": "zh_Hans"}.get(code, code)) for code in pair)
    try:
        check("Weblate finds the languages", weblate.get_languages(source, target) == pair, weblate.supported_languages)
    except UnsupportedLanguageError:
        check("Weblate finds the languages", False, f"{target.code} is not among {weblate.supported_languages}")
    got = translate(lines)
    check("Weblate translates a list as heed translate", got == expected, got)
    unit = Unit()
    unit.all_flags = Flags("python-format", "xml-text")
    text = "<b>{}</b> %s {}".format(*halves(lines[0]))
    sent, placeholders = weblate.cleanup_text(text, unit)
    got, again = translate([text], unit), weblate.uncleanup_text(placeholders, command_line(o, [sent])[0])
    check("Weblate translates text with placeholders", len(placeholders) == 3 and got == [again], (sent, got, again))
    for name, call, sentence in (
            ("an unknown language", lambda: translate(lines[:1], codes=(pair[0], "xx")), "xx is not supported"),
            ("too long a text", lambda: translate(["x" * (MAX_CHARACTERS + 1)]), "characters: expected at most")):
        error = str(error_of(call, MachineTranslationError))
        check(f"Weblate shows what is wrong with {name}", "400 Client Error" in error and sentence in error, error)
    # Its form translates a word from English to German before it takes the address.
    error = error_of(weblate.validate_settings, ValidationError)
    good = "no error" in str(error) if pair == ("en", "de") else "not supported" in str(error)
    check("Weblate takes the address if there is a model en-de, and shows otherwise that there is none", good, error)


def check_mastodon(o, url, lines, sent, expected):
    """What app/lib/translation_service/libre_translate.rb sends, from 4.2 on."""
    def ask(q, source=o.source_language, target=o.target_language):
        return requests.post(url + "translate", headers={"Content-Type": "application/json"}, json={
            "q": q, "source": source, "target": target, "format": "html", "api_key": None})

    def translate(q):
        return ask(q).json()["translatedText"]

    check_html("Mastodon", sent, translate(sent), expected)
    check_escapes(o, "Mastodon", lines, translate)
    answer = ask(sent[:1], source="auto").json()
    detected = answer["detectedLanguage"][0]["language"]
    check("Mastodon has the language of each text detected",
          (answer["translatedText"], detected) == (expected[:1], o.source_language), answer)
    answer = requests.get(url + "languages", headers={"Content-Type": "application/json"}).json()
    targets = {one["code"]: [code for code in one["targets"] if code != one["code"]] for one in answer}
    check("Mastodon lists the languages", targets[o.source_language] == [o.target_language], targets)
    # 429 and 403 mean limits to it.
    check("Mastodon: an unknown language has status 400", ask(sent, target="xx").status_code == 400)


def check_forms(o, url, lines, sent, expected):
    """libretranslatepy's request with a format, for which its method has no parameter; and lists in forms."""
    def translate(pieces):
        return [requests.post(url + "translate", data={"q": one, "source": o.source_language, "format": "html",
                                                       "target": o.target_language}).json()["translatedText"]
                for one in pieces]

    some = [i for i, one in enumerate(sent) if one]  # a form cannot send an empty text
    check_html("a form", [sent[i] for i in some], translate(sent[i] for i in some), [expected[i] for i in some])
    check_escapes(o, "a form", lines, translate)


def check_extensions(o, url, lines, sent, expected):
    pair = {"source": o.source_language, "target": o.target_language}
    page, made = "".join(sent), translated_html(o, "".join(sent))
    line, translation = lines[0], command_line(o, lines[:1])[0]
    auto = {**pair, "source": "auto"}

    def ask(origin, **how):
        return requests.post(url + "translate", headers={"Origin": origin} if origin else {}, **how)

    # A content script of Firefox has no origin; of Chromium, that of its page.
    answer = ask(None, json={"q": page, **pair, "format": "html", "api_key": None}).json()
    check_html("Unofficial LibreTranslate, of a whole page,", [page], [answer["translatedText"]], [made])
    answer = requests.post(url + "translate", json={"q": page, **auto, "format": "html"}).json()
    check("i18n Ally translates HTML as heed translate", answer["translatedText"] == made, answer)
    answer = ask(FIREFOX, data={"q": line, **auto, "format": "text", "api_key": "0123456789"}).json()
    check("TWP translates a selection, and has its language", answer.get("translatedText") == translation and
          answer["detectedLanguage"]["language"] == o.source_language, answer)
    answer = ask(CHROMIUM, json={"q": line, **pair, "format": "text", "api_key": ""}).json()
    check("Linguist translates a text", answer.get("translatedText") == translation, answer)
    for origin in EXTENSIONS:
        check_preflight(url, origin)
        answer = ask(origin, json={"q": sent, **pair, "format": "html"})
        check(f"{origin.partition(':')[0]} may read the answer", answer.json().get("translatedText") == expected and
              answer.headers.get("Access-Control-Allow-Origin") == origin, answer.headers)
    answer = ask(FIREFOX[:-1] + "0", json={"q": line, **pair})
    check("an extension that --cors does not name has status 403, with a sentence",
          answer.status_code == 403 and "--cors" in answer.json()["error"], answer.text)


def check_preflight(url, origin):
    """What Chromium sends first for an extension without the right to the address of the server."""
    answer = requests.options(url + "translate", headers={
        "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"})
    allowed = {name: answer.headers.get(f"Access-Control-Allow-{name}", "").lower().split(", ")
               for name in ("Origin", "Methods", "Headers")}
    check(f"{origin.partition(':')[0]} may ask", answer.ok and origin in allowed["Origin"] and
          "post" in allowed["Methods"] and "content-type" in allowed["Headers"], allowed)


def check_errors(o, url):
    """Clients read the sentence of `error`."""
    pair = {"source": o.source_language, "target": o.target_language, "format": "html"}
    for name, body in (("an unknown language", {"q": ["<b>x</b>"], **pair, "target": "xx"}),
                       ("a missing q", pair),
                       ("too long a text", {"q": ["<p>" + "x" * MAX_CHARACTERS + "</p>"], **pair}),
                       ("an unknown format", {"q": "x", **pair, "format": "docx"})):
        for how, sent in (("JSON", {"json": body}), ("a form", {"data": body})):
            answer = requests.post(url + "translate", **sent)
            check(f"{name} in {how} has status 400 and a sentence", answer.status_code == 400 and
                  isinstance(answer.json()["error"], str), answer.text)


def check_clients(o, url, lines, expected):
    if installed("libretranslatepy"):
        check_libretranslatepy(o, url, lines, expected)
    if installed("deep_translator"):
        check_deep_translator(o, url, lines, expected)
    sent = pieces_of(lines)
    made = [translated_html(o, piece) for piece in sent]
    check_forms(o, url, lines, sent, made)
    if installed("wagtail_localize"):
        check_wagtail(o, url, lines, sent, made)
    if installed("weblate"):
        check_weblate(o, url, lines, expected)
    check_mastodon(o, url, lines, sent, made)
    check_extensions(o, url, lines, sent, made)
    check_errors(o, url)


def check_document(o, url):
    program = shutil.which("schemathesis", path=os.path.dirname(sys.executable) + ":" + os.environ["PATH"])
    if program is None:
        print("skipped what needs schemathesis: not installed")
        return
    # Not its check that whatever a schema allows is accepted: a schema cannot say that nbest is at most beam, that
    # top_p needs sample, or that the model has a limit for prefixes.
    result = subprocess.run([program, "run", url + "openapi.json", "--max-examples", str(o.examples), "--no-color",
                             "--exclude-checks", "positive_data_acceptance"],
                            capture_output=True, text=True, cwd=tempfile.mkdtemp())
    check("schemathesis finds nothing", result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:])


def add_options(a):
    a.add_argument("model")
    a.add_argument("--text", required=True, help="sentences of the source language, one a line, at least seven")
    a.add_argument("--source-language", default="zh")
    a.add_argument("--target-language", default="en")
    a.add_argument("--heed", default=f"{ROOT}/build/release/heed")
    a.add_argument("--port", type=int, default=5077)


def lines_of(o):
    with open(o.text, encoding="utf-8", newline="\n") as file:
        return [line for line in file.read().split("\n") if line.strip()][:20]


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(a)
    a.add_argument("--examples", type=int, default=50, help="of schemathesis, for each path")
    o = a.parse_args()
    lines = lines_of(o)
    expected = command_line(o, lines)
    with Server(o) as server:
        check_clients(o, server.url, lines, expected)
        check_document(o, server.url)
    sys.exit(1 if failed else 0)
