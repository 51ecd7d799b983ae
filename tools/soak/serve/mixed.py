"""serve_mixed.sh: everything at once for a long time, and memory that does not grow."""
import asyncio
import random
import signal

import attacks
from http_client import Connection, Cut, Malformed
from model_folder import ModelFolder
from questions import Asker
from served_model import book_of, languages
from server_process import MemoryWatch, Server, fail, listening_socket, number, run

SECONDS, SEED = 60 * number("MINUTES"), number("SEED")
WARM_UP = SECONDS / 10
# Requests keep the model that they began with: memory would swing where swaps are much more frequent
# than requests are long.
BETWEEN_SWAPS = max(0.5, min(60, SECONDS / 20))


class Count:
    def __init__(self):
        self.answers = self.cancelled = self.attacks = self.swaps = 0

    def check(self, asker, question, reply):
        if complaint := question.complaint(reply, asker.book):
            fail(f"{question}: {complaint}")
        self.answers += 1


async def keeps_its_connection(endpoint, asker, count):
    connection = await Connection(endpoint).open()
    for _ in range(asker.rng.randint(1, 30)):
        question, request = asker.draw()
        await connection.send(request)
        count.check(asker, question, await connection.reply())
        await asyncio.sleep(asker.rng.uniform(0, 0.05))
    connection.close()


async def pipelines(endpoint, asker, count):
    questions = [asker.draw() for _ in range(asker.rng.randint(2, 5))]
    connection = await Connection(endpoint).open()
    await connection.send(b"".join(request for _, request in questions))
    for question, _ in questions:
        count.check(asker, question, await connection.reply())
    connection.close()


async def reads_slowly(endpoint, asker, count):
    question, request = asker.draw()
    connection = await Connection(endpoint, slow=0.005, piece=2048).open()
    await connection.send(request)
    count.check(asker, question, await connection.reply())
    connection.close()


async def cancels(endpoint, asker, count):
    """Leaves while its answer is made, or is on its way."""
    _, request = asker.draw()
    connection = await Connection(endpoint).open()
    await connection.send(request)
    await asyncio.sleep(asker.rng.uniform(0, 0.2))
    connection.reset()
    count.cancelled += 1


async def attack(endpoint, asker, count):
    connection = await Connection(endpoint, source="127.0.0.2").open()
    how = asker.rng.choice(attacks.FAST)
    if allowed := await how(connection, asker.rng):
        if complaint := await attacks.expect_refusal(connection, allowed, seconds=60):
            fail(f"{how.__name__}: {complaint}")
    connection.close()
    count.attacks += 1
    await asyncio.sleep(0.1)


KINDS = [keeps_its_connection] * 3 + [pipelines, reads_slowly, cancels, cancels, attack]


async def go_on(kind, endpoint, asker, count, stopped):
    while not stopped.is_set():
        try:
            await kind(endpoint, asker, count)
        except OSError as error:
            if kind is not attack:  # which the server may end
                fail(f"{kind.__name__}: {error}")
        except (Cut, Malformed, TimeoutError) as error:
            fail(f"{kind.__name__}: {type(error).__name__} {error}")


async def swap(server, folder, model, count, stopped):
    """The same model again, so that answers stay the same, told by SIGHUP or found by the server."""
    while not stopped.is_set():
        await asyncio.sleep(BETWEEN_SWAPS)
        folder.replace(model)
        count.swaps += 1
        if count.swaps % 2:
            server.process.send_signal(signal.SIGHUP)


async def main():
    book = book_of(number("BOOK_LINES"))
    folder = ModelFolder("served")
    folder.replace(book.model)
    # A slow machine has time: how long a request may take is not what this is about.
    options = ["--log", "none", "--timeout", "600", "--max-wait", "600"]
    server = await Server("served", listening_socket(), options, languages=languages()).ready()
    count, stopped, memory = Count(), asyncio.Event(), MemoryWatch(server, WARM_UP)
    async with asyncio.TaskGroup() as group:
        for i, kind in enumerate(KINDS):
            asker = Asker(book, random.Random(f"{SEED} {i}"), most=number("REQUEST_LINES"))
            group.create_task(go_on(kind, server.endpoint, asker, count, stopped))
        group.create_task(swap(server, folder, book.model, count, stopped))
        group.create_task(memory.watch(stopped))
        await asyncio.sleep(SECONDS)
        stopped.set()
    most = server.memory()[1]
    await server.stop()
    print(f"serve_mixed: {SECONDS / 60:.3g} minutes: {count.answers} answers as heed translate gives them, {count.cancelled} "
          f"requests cancelled, {count.attacks} attacks, {count.swaps} swaps; "
          f"{memory.expect_flat(number('MEMORY_PERCENT'))}, at most {most / 1024:.1f} MiB")


run(main())
