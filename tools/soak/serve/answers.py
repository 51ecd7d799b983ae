"""serve_answers.sh: many clients at once, and every answer compared with heed translate."""
import asyncio
import os
import random

from http_client import Connection, ask
from questions import Asker, make_book
from server_process import Server, expect_no_warnings, fail, listening_socket, number, run

ANSWERS, SEED = number("ANSWERS"), number("SEED")


class Count:
    """What is left to do, and what was done."""

    def __init__(self):
        self.left, self.answers, self.lines = ANSWERS, 0, 0
        self.kinds = {}

    def next(self):
        self.left -= 1
        return self.left >= 0

    def check(self, book, question, reply):
        complaint = question.complaint(reply, book)
        if complaint:
            fail(f"{question}: {complaint}")
        self.answers += 1
        self.lines += len(question.lines)
        self.kinds[question.kind] = self.kinds.get(question.kind, 0) + 1


async def keeps_its_connection(endpoint, asker, count):
    connection = await Connection(endpoint).open()
    while count.next():
        question, request = asker.draw()
        await connection.send(request)
        count.check(asker.book, question, await connection.reply())
    connection.close()


async def pipelines(endpoint, asker, count):
    """Several requests at a time; their answers must come in the same order."""
    connection = await Connection(endpoint).open()
    while questions := [asker.draw() for _ in range(asker.rng.randint(2, 5)) if count.next()]:
        await connection.send(b"".join(request for _, request in questions))
        for question, _ in questions:
            count.check(asker.book, question, await connection.reply())
    connection.close()


async def connects_each_time(endpoint, asker, count):
    while count.next():
        question, request = asker.draw()
        if asker.rng.random() < 0.3:
            request = request.replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n", 1)
        count.check(asker.book, question, await ask(endpoint, request))


async def sends_in_pieces(endpoint, asker, count):
    """The request arrives in two parts, cut anywhere, and the answer is read slowly."""
    while count.next():
        question, request = asker.draw()
        cut = asker.rng.randrange(len(request))
        connection = await Connection(endpoint, slow=0.001, piece=4096).open()
        await connection.send(request[:cut])
        await asyncio.sleep(0.002)
        await connection.send(request[cut:])
        count.check(asker.book, question, await connection.reply())
        connection.close()


async def main():
    book = make_book(os.environ["HEED_PROGRAM"], os.environ["MODELS"], "one", 60 if ANSWERS < 5000 else 400)
    listening = listening_socket()
    server = await Server(f"{os.environ['MODELS']}/one", listening, ["--log", "none"]).ready()
    count = Count()
    clients = [keeps_its_connection] * 3 + [pipelines] * 2 + [connects_each_time] * 2 + [sends_in_pieces]
    async with asyncio.TaskGroup() as group:
        for i, client in enumerate(clients):
            group.create_task(client(server.endpoint, Asker(book, random.Random(f"{SEED} {i}")), count))
    await server.stop()
    expect_no_warnings("log")
    kinds = ", ".join(f"{count.kinds[kind]} {kind}" for kind in sorted(count.kinds))
    print(f"serve_answers: {count.answers} answers ({kinds}), {count.lines} lines, "
          "each as heed translate and heed score give it")


run(main())
