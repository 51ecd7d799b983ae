"""serve_kills.sh: SIGKILL at random moments under load, and what clients then have in their hands."""
import asyncio
import os
import random

from http_client import Connection, Cut, Malformed
from questions import Asker, Question, make_book
from server_process import Server, fail, listening_socket, number, run

KILLS, SEED = number("KILLS"), number("SEED")


class Counts:
    """Of answers. `mistaken`: those that a client would take for whole, and that are not."""

    def __init__(self):
        self.whole = self.not_begun = self.cut = self.mistaken = 0
        self.example = ""
        self.during = 0  # whole answers of the server that runs now

    def __str__(self):
        return (f"{self.whole} answers whole and as heed translate gives them, {self.cut} visibly cut, "
                f"{self.not_begun} not begun, {self.mistaken} mistaken for whole")


def large_question(asker):
    """About a megabyte: its answer does not fit into the buffers between server and client."""
    lines = [asker.rng.randrange(len(asker.book.lines)) for _ in range(asker.rng.randint(30, 60))]
    return Question(asker.rng.choice(["lines", "stream"]), "weights", lines)


async def client(endpoint, asker, counts, stopped, large):
    """Asks until it is stopped, on a new connection when one has ended."""
    connection = None
    while not stopped.is_set():
        connection = connection or await Connection(endpoint, slow=0.002 if large else 0, piece=32 << 10).open()
        question = large_question(asker) if large else asker.question()
        await connection.send(question.request(asker.book, asker.rng, asker.headers()))
        try:
            complaint = question.complaint(await connection.reply(), asker.book)
        except Cut as cut:
            counts.cut += cut.begun
            counts.not_begun += not cut.begun
            connection.close()
            connection = None
            continue
        except Malformed as malformed:
            complaint = str(malformed)
        if complaint:
            counts.mistaken += 1
            counts.example = f"{question}: {complaint}"
        else:
            counts.whole += 1
            counts.during += 1
    if connection:
        connection.close()


async def kill_many(listening, rng, counts):
    """Starts a server, waits for some answers and a moment more, kills it; and so on."""
    for _ in range(KILLS):
        server = Server(f"{os.environ['MODELS']}/one", listening, ["--log", "none"])
        counts.during = 0
        while counts.during < 3:
            server.expect_running()
            await asyncio.sleep(0.01)
        await asyncio.sleep(rng.uniform(0, 0.3))
        server.expect_running()
        server.kill()


async def main():
    book = make_book(os.environ["HEED_PROGRAM"], os.environ["MODELS"], "one", 60)
    rng, counts, stopped = random.Random(SEED), Counts(), asyncio.Event()
    listening = listening_socket()
    async with asyncio.TaskGroup() as group:
        for i in range(8):
            asker = Asker(book, random.Random(f"{SEED} {i}"))
            group.create_task(client(listening.getsockname(), asker, counts, stopped, large=i % 2 == 1))
        await kill_many(listening, rng, counts)
        stopped.set()
        server = Server(f"{os.environ['MODELS']}/one", listening, ["--log", "none"])  # for those that wait
    await (await server.ready()).stop()  # a signal before its first line would end it as any process
    print(f"serve_kills: {KILLS} kills; {counts}")
    if counts.mistaken:
        fail(f"mistaken for whole: {counts.example}")
    if counts.cut + counts.not_begun < KILLS:
        fail("the kills cut too few answers to show anything")


run(main())
