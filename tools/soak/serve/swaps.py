"""serve_swaps.sh: models replaced under load, by the watcher or SIGHUP, some by damaged ones."""
import asyncio
import os
import random
import signal
import time

from http_client import Connection, ask
from model_folder import ModelFolder
from questions import Asker, Question, make_book
from server_process import Server, fail, listening_socket, log_lines, number, run

SWAPS, SEED = number("SWAPS"), number("SEED")
SECONDS = 60  # in which a swap must have happened
KEPT = "the old model serves on"


class Counts:
    def __init__(self, books):
        self.books = books
        self.answers = [0 for _ in books]

    def check(self, question, reply):
        complaint = question.complaint(reply, *self.books)
        if complaint:
            fail(f"{question}: {complaint}")
        content = question.content(reply)
        for i, book in enumerate(self.books):
            if content == question.answer(book):
                self.answers[i] += 1
                return


async def client(endpoint, asker, counts, stopped, keeps):
    connection = None
    while not stopped.is_set():
        connection = connection or await Connection(endpoint).open()
        question, request = asker.draw()
        await connection.send(request)
        counts.check(question, await connection.reply())
        if not keeps:
            connection.close()
            connection = None
    if connection:
        connection.close()


class Swapper:
    """Replaces the served model again and again, and waits until the server has noticed."""

    def __init__(self, server, folder, books, rng):
        self.server, self.folder, self.books, self.rng = server, folder, books, rng
        self.probe = Question("lines", "default", list(range(8)))
        self.now, self.damaged, self.hurried = 0, 0, 0

    async def serving(self):
        """Which of the books' models answers."""
        reply = await ask(self.server.endpoint, self.probe.request(self.books[0], self.rng))
        found = [i for i, book in enumerate(self.books) if self.probe.complaint(reply, book) is None]
        if len(found) != 1:
            fail(f"a probe has the answer of {len(found)} models")
        return found[0]

    def tell(self, hang_up):
        if hang_up:
            self.server.process.send_signal(signal.SIGHUP)

    async def expect(self, what, condition):
        end = time.monotonic() + SECONDS
        while not await condition():
            self.server.expect_running()
            if time.monotonic() > end:
                fail(f"{what}: not within {SECONDS} s; see log")
            await asyncio.sleep(0.02)

    async def swap(self, hang_up):
        new = 1 - self.now
        if self.rng.random() < 0.2:
            # Told while the directory has no whole model, and then of another one at once.
            self.hurried += 1
            self.folder.begin(self.books[self.now].model)
            self.tell(hang_up)
            await asyncio.sleep(self.rng.uniform(0, 0.05))
            self.folder.finish(self.books[self.now].model)
            await asyncio.sleep(self.rng.uniform(0, 0.02))
        self.folder.replace(self.books[new].model)
        self.tell(hang_up)
        await self.expect("a new model", lambda: self.is_serving(new))
        self.now = new

    async def is_serving(self, which):
        return await self.serving() == which

    async def damage(self, hang_up):
        """The server must say that it keeps the old model, and must keep it."""
        self.damaged += 1
        before = self.count_kept()
        self.folder.damage(self.rng)
        self.tell(hang_up)

        async def said():
            return self.count_kept() > before

        await self.expect("a warning about a damaged model", said)
        if await self.serving() != self.now:
            fail("the model changed with a damaged one")

    @staticmethod
    def count_kept():
        return sum(KEPT in line for line in log_lines("log"))


async def main():
    heed, models = os.environ["HEED_PROGRAM"], os.environ["MODELS"]
    books = [make_book(heed, models, name, 60) for name in ("one", "two")]
    folder = ModelFolder("served")
    folder.replace(books[0].model)
    server = await Server("served", listening_socket(), ["--log", "none"]).ready()
    counts, stopped, rng = Counts(books), asyncio.Event(), random.Random(SEED)
    swapper = Swapper(server, folder, books, rng)
    async with asyncio.TaskGroup() as group:
        for i in range(6):
            asker = Asker(books[0], random.Random(f"{SEED} {i}"), most=[4, 12, 60][i % 3])
            group.create_task(client(server.endpoint, asker, counts, stopped, keeps=i < 3))
        for i in range(SWAPS):
            if i % 10 == 4:
                await swapper.damage(hang_up=i % 20 == 4)
            await swapper.swap(hang_up=i % 2 == 0)
        stopped.set()
    resident, most = server.memory()
    await server.stop()
    print(f"serve_swaps: {SWAPS} swaps ({swapper.hurried} of them hurried) and {swapper.damaged} damaged models; "
          f"{sum(counts.answers)} answers, each of one model as heed translate gives it: {counts.answers[0]} of the "
          f"one, {counts.answers[1]} of the other; resident memory {resident / 1024:.0f} MiB, at most {most / 1024:.0f}")


run(main())
