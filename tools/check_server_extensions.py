#!/usr/bin/env python3
"""Shows that extensions of browsers for LibreTranslate work with heed serve, unchanged, in Firefox.

Installs an extension in a new profile, starts `heed serve` with its origin in --cors, and lets it translate:

  --unofficial DIR  voca/firefox of github.com/K-Francis-H/libretranslate-unofficial-ff-extension, which sends a
                    whole page as HTML and shows the answer in its place
  --twp DIR         src of github.com/FilipePS/Traduzir-paginas-web, which sends text

Needs Firefox 138 or later, PyPI's requests and websocket-client, and a build of heed. Example:

  tools/check_server_extensions.py zh-en --text corpus/test.zh --unofficial voca/firefox --twp src

Prints a line for each check; exits 0 if all passed, 1 if one failed.
"""
import argparse, contextlib, http.server, json, re, subprocess, sys, tempfile, threading, time

import websocket

from check_server_clients import (Server, add_options, check, check_html, command_line, failed, lines_of, pieces_of,
                                  translated_html)


class Firefox:
    """A Firefox without a window, controlled by WebDriver BiDi."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        self.child = subprocess.Popen([program, "--headless", "--no-remote", "--profile", self.profile.name,
                                       "--remote-debugging-port", "0", "--remote-allow-system-access"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = next(filter(None, (re.search(r"BiDi listening on (ws://\S+)", line) for line in self.child.stderr)))
        threading.Thread(target=self.child.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(address[1] + "/session", suppress_origin=True, timeout=60)
        self.commands = 0
        self.call("session.new", capabilities={})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("browser.close")
        self.child.wait()
        self.profile.cleanup()

    def call(self, method, **parameters):
        self.commands += 1
        self.socket.send(json.dumps({"id": self.commands, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.commands:
            pass
        if answer["type"] == "error":
            raise RuntimeError(answer)
        return answer["result"]

    def open(self, url):
        tab = self.call("browsingContext.create", type="tab")["context"]
        self.call("browsingContext.navigate", context=tab, url=url, wait="complete")
        return tab

    def run(self, tab, script):
        """The value of a script, a text, a boolean or nothing, once it is there."""
        answer = self.call("script.evaluate", expression=script, target={"context": tab}, awaitPromise=True)
        if answer["type"] != "success":
            raise RuntimeError(answer)
        return answer["result"].get("value")

    def install(self, folder):
        """The origin of an extension, which Firefox draws and writes to the profile."""
        name = self.call("webExtension.install", extensionData={"type": "path", "path": folder})["extension"]
        for _ in range(100):
            with contextlib.suppress(FileNotFoundError), open(f"{self.profile.name}/prefs.js") as file:
                if found := re.search(re.escape(name) + r'\\":\\"([-0-9a-f]+)', file.read()):
                    return f"moz-extension://{found[1]}"
            time.sleep(0.1)
        sys.exit("Firefox does not write the origin of the extension to its profile")


@contextlib.contextmanager
def served(page):
    """The address of a page."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def changed(value, old):
    """A value when it is no longer the old one; the old one after ten seconds."""
    for _ in range(100):
        if (new := value()) != old:
            return new
        time.sleep(0.1)
    return old


def check_unofficial(o, lines):
    with Firefox(o.firefox) as firefox:
        origin = firefox.install(o.unofficial)
        with Server(o, cors=[origin]), served(f"<!doctype html><body>{''.join(pieces_of(lines))}</body>") as address:
            popup = firefox.open(origin + "/popup.html")
            settings = {"API": "http://localhost", "PORT": o.port, "SOURCE_LANG": o.source_language,
                        "TARGET_LANG": o.target_language}
            firefox.run(popup, f"browser.storage.local.set({json.dumps(settings)})")
            firefox.call("browsingContext.reload", context=popup, wait="complete")
            offered = "[...document.getElementById('source-lang').options].map((one) => one.value).join()"
            offered = changed(lambda: firefox.run(popup, offered), "")
            check("its menu has the languages", o.source_language in offered.split(","), offered)
            firefox.run(popup, f"document.getElementById('source-lang-text').value = {json.dumps(lines[0])}")
            firefox.run(popup, "translate()")
            got = changed(lambda: firefox.run(popup, "document.getElementById('target-lang-text').value"), "")
            check("its popup translates as heed translate", got == command_line(o, lines[:1])[0], got)
            page = firefox.open(address)
            changed(lambda: firefox.run(page, "document.body.onkeydown === null"), True)  # its script is in the page
            before = firefox.run(page, "document.body.innerHTML")
            # What "translate page" of the popup does, which as a tab would be the page itself.
            firefox.run(popup, "browser.runtime.getBackgroundPage().then((one) => one.activeTabTranslatePage())")
            after = changed(lambda: firefox.run(page, "document.body.innerHTML"), before)
            check_html("Unofficial LibreTranslate in Firefox", [before], [after], [translated_html(o, before)])


def check_twp(o, lines):
    with Firefox(o.firefox) as firefox:
        origin = firefox.install(o.twp)
        with Server(o, cors=[origin]):
            options = firefox.open(origin + "/options/options.html")
            changed(lambda: firefox.run(options, "document.getElementById('addLibre').onclick === null"), True)
            firefox.run(options, f"""document.getElementById("libreURL").value = "http://localhost:{o.port}/translate";
                                     document.getElementById("libreKEY").value = "0123456789";
                                     document.getElementById("addLibre").click()""")
            request = {"action": "translateSingleText", "translationService": "libre", "sourceLanguage": "auto",
                       "targetLanguage": o.target_language}

            def translate(line):
                return firefox.run(options, f"browser.runtime.sendMessage({json.dumps({**request, 'source': line})})")

            changed(lambda: translate(lines[0]), None)  # its background is ready a moment after the click
            got = [translate(line) for line in lines]
            check("TWP in Firefox translates as heed translate", got == command_line(o, lines), got)


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(a)
    a.add_argument("--firefox", default="firefox")
    a.add_argument("--unofficial")
    a.add_argument("--twp")
    o = a.parse_args()
    if o.unofficial:
        check_unofficial(o, lines_of(o))
    if o.twp:
        check_twp(o, lines_of(o))
    sys.exit(1 if failed else 0)
