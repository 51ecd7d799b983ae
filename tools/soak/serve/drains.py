"""serve_drains.sh: SIGTERM at random moments under load, and the next server on the same socket."""
import asyncio
import os
import random
import re
import time

from http_client import Connection, Cut, Malformed
from questions import Asker, Question, make_book
from server_process import Server, expect_no_warnings, fail, listening_socket, log_lines, number, run

DRAINS, SEED = number("DRAINS"), number("SEED")


class Counts:
    """`kept` and `behind`: requests that were asked again, since the connection was closed before any
    byte of an answer: between two requests on a kept connection, or behind another request."""

    def __init__(self):
        self.whole = self.during = self.kept = self.behind = 0

    def check(self, book, question, reply):
        complaint = question.complaint(reply, book)
        if complaint:
            fail(f"{question}: {complaint}")
        self.whole += 1
        self.during += 1


class Client:
    """Asks questions one after another. Each is asked until it is answered."""

    def __init__(self, endpoint, asker, counts):
        self.endpoint, self.asker, self.counts = endpoint, asker, counts
        self.connection, self.asked = None, 0

    async def connected(self, **how):
        if not self.connection:
            self.connection = await Connection(self.endpoint, **how).open()
            self.asked = 0
        return self.connection

    def disconnect(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    async def reply(self, question):
        """Takes the next answer; False if the server closed the connection without having read the request."""
        try:
            reply = await self.connection.reply()
        except Cut as cut:
            self.disconnect()
            if cut.begun or cut.continued:
                fail(f"{question}: lost: {cut}" + (" after 100 Continue" if cut.continued else ""))
            if self.asked == 0:
                fail(f"{question}: lost: the first request of a new connection")
            self.counts.kept += 1
            return False
        except Malformed as malformed:
            fail(f"{question}: {malformed}")
        self.asked += 1
        self.counts.check(self.asker.book, question, reply)
        if reply.closes:
            await self.connection.expect_end()
            self.disconnect()
        return True


async def keeps_its_connection(client):
    question, request = client.asker.draw()
    while True:
        await (await client.connected()).send(request)
        if await client.reply(question):
            return


async def connects_each_time(client):
    await keeps_its_connection(client)
    client.disconnect()


async def reads_slowly(client):
    """Large answers, which the server still sends when it is told to end."""
    lines = [client.asker.rng.randrange(len(client.asker.book.lines)) for _ in range(20)]
    question = Question(client.asker.rng.choice(["lines", "stream"]), "weights", lines)
    request = question.request(client.asker.book, client.asker.rng, client.asker.headers())
    while True:
        await (await client.connected(slow=0.002, piece=32 << 10)).send(request)
        if await client.reply(question):
            return


async def waits_for_continue(client):
    """After 100 Continue the headers are known to be read: the answer must come, whatever happens."""
    question = client.asker.question()
    request = question.request(client.asker.book, client.asker.rng, ["Expect: 100-continue"])
    head, body = request.split(b"\r\n\r\n", 1)
    while True:
        connection = await client.connected()
        await connection.send(head + b"\r\n\r\n")
        try:
            await connection.wait_for_continue()
            await asyncio.sleep(client.asker.rng.uniform(0, 0.1))
            await connection.send(body)
        except Cut:
            pass  # as reply() finds, too
        if await client.reply(question):
            return


async def pipelines(client):
    """Requests behind an answer with `Connection: close` were not read, and are asked again."""
    questions = [client.asker.draw() for _ in range(client.asker.rng.randint(2, 4))]
    while questions:
        connection = await client.connected()
        await connection.send(b"".join(request for _, request in questions))
        counted = 0  # by reply()
        while questions and client.connection is connection:
            if await client.reply(questions[0][0]):
                del questions[0]
            else:
                counted = 1
        client.counts.behind += len(questions) - counted


KINDS = [keeps_its_connection] * 2 + [connects_each_time] * 2 + [waits_for_continue] * 2 + [pipelines, reads_slowly]


async def ask_on(kind, client, stopped):
    while not stopped.is_set():
        await kind(client)
    client.disconnect()


async def drain_many(listening, rng, counts):
    """Starts a server, waits for some answers, ends it by SIGTERM; the next one begins when it has
    ended, as systemctl restart does it. Returns the longest time that one took to end."""
    longest = 0.0
    for _ in range(DRAINS):
        server = Server(f"{os.environ['MODELS']}/one", listening)
        counts.during = 0
        while counts.during < 5:
            server.expect_running()
            await asyncio.sleep(0.005)
        await asyncio.sleep(rng.uniform(0, 0.2))
        begin = time.monotonic()
        await server.stop()
        longest = max(longest, time.monotonic() - begin)
    return longest


def check_log(counts):
    """The server writes a line for each request that it has read: it must have answered each with
    200, and the clients must have each of these answers."""
    lines = [line for line in log_lines("log") if re.search(r" (POST|GET) /", line)]
    other = [line for line in lines if not re.search(r" POST /\S+ 200 ", line)]
    if other:
        fail(f"{len(other)} requests that were read had no answer 200: {other[0]}")
    if len(lines) != counts.whole:
        fail(f"{len(lines)} requests were read, {counts.whole} answers came")


async def main():
    book = make_book(os.environ["HEED_PROGRAM"], os.environ["MODELS"], "one", 60)
    counts, stopped = Counts(), asyncio.Event()
    listening = listening_socket()
    async with asyncio.TaskGroup() as group:
        for i, kind in enumerate(KINDS):
            client = Client(listening.getsockname(), Asker(book, random.Random(f"{SEED} {i}")), counts)
            group.create_task(ask_on(kind, client, stopped))
        longest = await drain_many(listening, random.Random(SEED), counts)
        stopped.set()
        last = Server(f"{os.environ['MODELS']}/one", listening)  # for those that wait
    await last.stop()
    check_log(counts)
    expect_no_warnings("log")
    print(f"serve_drains: {DRAINS} ends by SIGTERM, of at most {longest:.2f} s; {counts.whole} requests read, each "
          f"answered whole and as heed translate does it; closed before they were read and asked again: {counts.kept} "
          f"between two requests, {counts.behind} behind another")


run(main())
