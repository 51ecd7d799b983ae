"""serve_overload.sh: what a server answers when it is asked ten times as much as it can."""
import asyncio
import json
import os
import random
import statistics
import time

from http_client import Connection, Cut, Malformed
from questions import Question
from served_model import book_of, languages
from server_process import MemoryWatch, Server, fail, listening_socket, number, run

SECONDS, LINES, CLIENTS, SEED = (number(name) for name in ("OVERLOAD_SECONDS", "REQUEST_LINES", "CLIENTS", "SEED"))
TIMES = 10
WARM_UP = min(20, SECONDS / 4)
WAY = "extra"  # a beam of four; translations by random weights are then about as long as by trained ones


class Requests:
    """Requests of LINES lines in beam search of four, and what their answers were since the warm-up."""

    def __init__(self, book):
        self.book, self.rng = book, random.Random(SEED)
        self.counting, self.good, self.refused, self.seconds = False, 0, 0, []

    def draw(self):
        question = Question("lines", WAY, [self.rng.randrange(len(self.book.lines)) for _ in range(LINES)])
        return question, question.request(self.book, self.rng)

    def check(self, question, reply, begin):
        if reply.status == 429:
            if not reply.headers.get("retry-after", "").isdigit() or "error" not in json.loads(reply.body):
                fail(f"429 without Retry-After, or without a reason: {reply.body[:200]!r}")
            self.refused += self.counting
            return
        if complaint := question.complaint(reply, self.book):
            fail(complaint)
        self.good += self.counting
        if self.counting:
            self.seconds.append(time.monotonic() - begin)

    async def measure(self, server, seconds):
        """Good answers per second, after a time to warm up, and the share of a processor that the
        server had: other programs may take it."""
        await asyncio.sleep(WARM_UP)
        self.counting, self.good, self.refused, self.seconds = True, 0, 0, []
        begin, processor = time.monotonic(), server.processor_seconds()
        await asyncio.sleep(seconds)
        self.counting = False
        passed = time.monotonic() - begin
        return self.good / passed, (server.processor_seconds() - processor) / passed


async def closed_loop(endpoint, requests, stopped):
    """A client that asks again when it has its answer."""
    connection = await Connection(endpoint).open()
    while not stopped.is_set():
        question, request = requests.draw()
        begin = time.monotonic()
        await connection.send(request)
        requests.check(question, await connection.reply(), begin)
    connection.close()


async def measure_capacity(server, requests):
    stopped = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(closed_loop(server.endpoint, requests, stopped))
        capacity, processor = await requests.measure(server, SECONDS / 2)
        stopped.set()
    if requests.refused:
        fail(f"{CLIENTS} clients that wait for their answers are too many: {requests.refused} had status 429")
    if not capacity:
        fail("no answer: give more OVERLOAD_SECONDS")
    return capacity, processor


class OpenLoop:
    """Asks at fixed times, whatever the server does."""

    def __init__(self, endpoint, requests, per_second):
        self.endpoint, self.requests, self.per_second = endpoint, requests, per_second
        self.free, self.sent, self.late = [], 0, 0.0

    async def one(self):
        question, request = self.requests.draw()
        begin = time.monotonic()
        kept = bool(self.free)
        connection = self.free.pop() if kept else await Connection(self.endpoint).open()
        try:
            await connection.send(request)
            try:
                reply = await connection.reply()
            except Cut as cut:
                # A kept connection may have been idle for so long that the server has closed it.
                if not kept or cut.begun:
                    raise
                connection.close()
                connection = await Connection(self.endpoint).open()
                await connection.send(request)
                reply = await connection.reply()
            self.requests.check(question, reply, begin)
        except (Cut, Malformed, TimeoutError) as error:
            fail(f"{type(error).__name__} {error}")
        except asyncio.CancelledError:
            connection.close()
            raise
        self.free.append(connection)

    async def go_on(self, stopped):
        begin, tasks = time.monotonic(), set()
        async with asyncio.TaskGroup() as group:
            while not stopped.is_set():
                wait = begin + self.sent / self.per_second - time.monotonic()
                self.late = max(self.late, -wait)
                await asyncio.sleep(max(0, wait))
                self.sent += 1
                tasks.add(task := group.create_task(self.one()))
                task.add_done_callback(tasks.discard)
            for task in tasks:  # what still waits was asked too late to count
                task.cancel()
        for connection in self.free:
            connection.close()


async def overload(server, requests, capacity):
    stopped, load = asyncio.Event(), OpenLoop(server.endpoint, requests, TIMES * capacity)
    memory = MemoryWatch(server, WARM_UP)
    async with asyncio.TaskGroup() as group:
        group.create_task(load.go_on(stopped))
        group.create_task(memory.watch(stopped))
        goodput, processor = await requests.measure(server, SECONDS)
        stopped.set()
    if load.late > max(5.0, SECONDS / 10):
        fail(f"the requests came {load.late:.1f} s late: this machine cannot make {load.per_second:.0f} a second; give "
             "more REQUEST_LINES")
    return goodput, processor, memory


async def main():
    book = book_of(number("BOOK_LINES"), [WAY])
    # The server has one processor, the clients the others.
    processors = sorted(os.sched_getaffinity(0))
    alone = ["taskset", "-c", str(processors[0])] if len(processors) > 1 else []
    if alone:
        os.sched_setaffinity(0, processors[1:])
    options = ["--threads", "1", "--max-connections", "8192", "--max-client-connections", "8192", "--log", "none"]
    server = await Server(book.model, listening_socket(), options, before=alone, languages=languages()).ready()
    requests = Requests(book)
    capacity, processor = await measure_capacity(server, requests)
    goodput, processor_then, memory = await overload(server, requests, capacity)
    server.expect_running()
    most = server.memory()[1]
    await server.stop()
    share = 100 * goodput / capacity
    times = sorted(requests.seconds) or [0]
    print(f"serve_overload: capacity {capacity:.1f} requests/s of {LINES} lines with {CLIENTS} clients "
          f"({processor:.2f} processors); asked {TIMES} times as much for {SECONDS} s: {goodput:.1f} answers/s "
          f"({share:.1f} %; {processor_then:.2f} processors), {requests.refused / SECONDS:.1f} refusals/s (429), "
          f"nothing else; answers within {statistics.median(times):.2f} s (median), {times[len(times) * 99 // 100]:.2f} s (99 %); "
          f"{memory.expect_flat(number('MEMORY_PERCENT'))}, at most {most / 1024:.1f} MiB")
    if share < 100 - number("GOODPUT_PERCENT"):
        fail(f"{share:.1f} % of the capacity: expected at least {100 - number('GOODPUT_PERCENT')} %")


run(main())
