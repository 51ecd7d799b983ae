"""heed serve as a process, on a listening socket that it inherits as from systemd."""
import asyncio
import atexit
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import time

from http_client import Cut, ask, request_bytes


def number(name):
    """A number that the script's environment must have."""
    return float(os.environ[name]) if "." in os.environ[name] else int(os.environ[name])


class Failure(Exception):
    """What the script looks for."""


def fail(message):
    raise Failure(message)


def run(main):
    """Runs a coroutine. A failure ends the script with one line."""
    try:
        asyncio.run(main)
    except* Failure as failures:
        first = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        sys.exit(f"serve_{os.path.basename(sys.argv[0]).removesuffix('.py')}: {first}")


def listening_socket():
    """One for several servers, one after another: clients that connect in between wait in it."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    listening.listen(4096)
    return listening


class Server:
    """A running server. Its standard error goes to the file `log`, to which others of the same name append."""

    def __init__(self, model, listening, options=(), log="log", before=(), languages=("zh", "en")):
        self.endpoint, self.log = listening.getsockname(), log
        serve = [*before, os.environ["HEED_PROGRAM"], "serve", "--model", f"{'-'.join(languages)}={model}", *options]
        # The number of the process is known only in it: exec keeps it.
        script = f'exec 3<&{listening.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(["sh", "-c", script, "sh", *serve], stderr=errors, stdin=subprocess.DEVNULL,
                                            pass_fds=[listening.fileno()])
        atexit.register(self.kill)

    async def ready(self, seconds=60):
        """Returns when it answers."""
        async with asyncio.timeout(seconds):
            reply = None
            while reply is None:
                self.expect_running()
                try:
                    reply = await ask(self.endpoint, request_bytes("GET", "/ready"), "GET")
                except Cut:
                    pass
        if reply.status != 200:
            fail(f"/ready: {reply.status}")
        return self

    def expect_running(self):
        if self.process.poll() is not None:
            fail(f"the server has ended with status {self.process.returncode}; see {self.log}")

    async def wait(self, seconds=120):
        """Its exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.kill()
                fail(f"the server did not end within {seconds} s; see {self.log}")
            await asyncio.sleep(0.005)
        return self.process.returncode

    async def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = await self.wait()
        if status != 0:
            fail(f"the server ended with status {status} after SIGTERM; see {self.log}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def memory(self):
        """Resident now, and at most, in KiB."""
        self.expect_running()
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as status:
            lines = dict(line.split(":", 1) for line in status)
        return tuple(int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM"))

    def memory_bound(self):
        """What it says at its start that it may need at most, in KiB."""
        said = re.findall(r"^memory: .* at most ([\d.]+) ([MG])iB: ", "\n".join(log_lines(self.log)), re.MULTILINE)
        if not said:
            fail(f"no bound for its memory; see {self.log}")
        return float(said[-1][0]) * (1 << 10 if said[-1][1] == "M" else 1 << 20)

    def processor_seconds(self):
        """Used so far, of all its threads."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as stat:
            user, system = stat.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    async def metric(self, name):
        reply = await ask(self.endpoint, request_bytes("GET", "/metrics"), "GET")
        for line in reply.body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        fail(f"/metrics lacks {name}")


class MemoryWatch:
    """Looks at a server's resident memory until it is stopped; the first part is not counted."""

    def __init__(self, server, warm_up):
        self.server, self.warm_up, self.samples = server, warm_up, []

    async def watch(self, stopped):
        await asyncio.sleep(self.warm_up)
        while not stopped.is_set():
            self.samples.append(self.server.memory()[0])
            await asyncio.sleep(0.1)

    def tenths(self):
        parts = [self.samples[len(self.samples) * i // 10:len(self.samples) * (i + 1) // 10] for i in range(10)]
        return ", ".join(f"{statistics.median(part) / 1024:.1f}" for part in parts if part)

    def expect_flat(self, percent):
        """What the last third has more than the first one, by their medians; in words."""
        third = max(1, len(self.samples) // 3)
        first, last = statistics.median(self.samples[:third]), statistics.median(self.samples[-third:])
        growth = 100 * (last / first - 1)
        words = (f"resident memory {first / 1024:.1f} MiB in the first third, {last / 1024:.1f} in the last "
                 f"({growth:+.2f} %; by tenths: {self.tenths()})")
        if growth > percent:
            fail(f"{words}: expected at most {percent} % more")
        return words


def log_lines(path):
    with open(path, encoding="utf-8", errors="replace") as log:
        return log.read().splitlines()


def expect_no_warnings(path):
    warnings = [line for line in log_lines(path) if "warning" in line]
    if warnings:
        fail(f"the server warned: {warnings[0]} ({len(warnings)} such lines in {path})")
