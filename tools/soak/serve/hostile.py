"""serve_hostile.sh: attacks on many connections, and polite clients who must not notice."""
import asyncio
import os
import random
import time

import attacks
from http_client import Connection, Cut, Malformed, ask, request_bytes
from questions import Asker, make_book
from server_process import Server, fail, listening_socket, number, run

CONNECTIONS, SEED, HOLD, MORE_MIB = (number(name) for name in ("CONNECTIONS", "SEED", "HOLD", "MORE_MIB"))
MAX_CONNECTIONS = 400  # more than the attackers have at a time
FAST_ATTACKERS, SLOW_ATTACKERS = 40, 120


class Count:
    def __init__(self):
        self.left, self.attacks, self.polite, self.longest = CONNECTIONS, {}, 0, 0.0

    def next(self):
        self.left -= 1
        return self.left >= 0


async def attack(endpoint, how, rng, **more):
    """One connection."""
    connection = Connection(endpoint, source=f"127.0.0.{rng.randrange(2, 30)}",
                            slow=0.01 if how is attacks.reads_nothing else 0)
    try:
        await connection.open()
        if allowed := await how(connection, rng, **more):
            complaint = await attacks.expect_refusal(connection, allowed, seconds=1 if more else 60)
            if complaint:
                fail(f"{how.__name__}: {complaint}")
    except Malformed as malformed:
        fail(f"{how.__name__}: {malformed}")
    except OSError:
        pass  # the server has closed
    finally:
        connection.close()


async def attack_on(endpoint, rng, count, slow):
    while count.next():
        how = rng.choice(attacks.SLOW if slow else attacks.CHEAP if rng.random() < 0.8 else attacks.FAST)
        count.attacks[how.__name__] = count.attacks.get(how.__name__, 0) + 1
        if slow:
            await attack(endpoint, how, rng, seconds=rng.uniform(0, HOLD))
        else:
            await attack(endpoint, how, rng)


async def polite(endpoint, asker, count, stopped, keeps):
    """All its requests must be answered, and right."""
    connection = None
    while not stopped.is_set():
        connection = connection or await Connection(endpoint).open()
        question, request = asker.draw()
        await connection.send(request)
        reply = await connection.reply()
        complaint = question.complaint(reply, asker.book)
        if complaint:
            fail(f"a polite client: {question}: {complaint}")
        count.polite += 1
        count.longest = max(count.longest, reply.seconds)
        await asyncio.sleep(0.02)
        if not keeps:
            connection.close()
            connection = None
    if connection:
        connection.close()


async def expect_room(server, asker, crowd):
    """A request on a new connection, while all connections of the server are taken. Whether it was answered."""
    question, request = asker.draw()
    try:
        reply = await ask(server.endpoint, request)
    except Cut:
        return False
    if reply.status == 503:
        return False
    if complaint := question.complaint(reply, asker.book):
        fail(f"{question} in a crowd of {crowd}: {complaint}")
    return True


async def crowds(server, asker):
    """More connections than the server takes. Of idle ones it closes some for those that come; where
    all have begun a request it may refuse others, until they are gone."""
    for begin in (b"", b"GET / HTTP/1.1\r\n"):
        crowd = [Connection(server.endpoint, source="127.0.0.2") for _ in range(MAX_CONNECTIONS + 200)]
        for connection in crowd:
            await connection.open()
            await connection.send(begin)
        answered = await expect_room(server, asker, len(crowd))
        if not answered and not begin:
            fail("the server refuses a connection where it could close idle ones")
        for connection in crowd:
            connection.close()
        end = time.monotonic() + 30
        while not await expect_room(server, asker, 0):
            if time.monotonic() > end:
                fail("the server still refuses connections when the crowd has gone")
            await asyncio.sleep(0.05)


async def expect_nothing_left(server):
    """When all clients are gone the server must hold nothing of theirs."""
    end = time.monotonic() + 60
    while True:
        held = {name: await server.metric("heed_" + name) for name in ("request_bytes", "waiting_lines", "running_lines")}
        held["connections"] = await server.metric("heed_connections") - 1  # of this request
        if not any(held.values()):
            return
        if time.monotonic() > end:
            fail(f"the server still holds {held}")
        await asyncio.sleep(0.1)


async def main():
    book = make_book(os.environ["HEED_PROGRAM"], os.environ["MODELS"], "one", 60)
    options = ["--max-connections", str(MAX_CONNECTIONS), "--max-client-connections", str(MAX_CONNECTIONS),
               "--max-body", "262144", "--log", "none"]
    server = await Server(f"{os.environ['MODELS']}/one", listening_socket(), options).ready()
    before, count, stopped = server.memory()[0], Count(), asyncio.Event()
    begin = time.monotonic()
    async with asyncio.TaskGroup() as politeness:
        for i in range(2):
            asker = Asker(book, random.Random(f"{SEED} polite {i}"))
            politeness.create_task(polite(server.endpoint, asker, count, stopped, keeps=i == 0))
        async with asyncio.TaskGroup() as hostility:
            for i in range(FAST_ATTACKERS + SLOW_ATTACKERS):
                hostility.create_task(attack_on(server.endpoint, random.Random(f"{SEED} {i}"), count,
                                                slow=i < SLOW_ATTACKERS))
        stopped.set()
    seconds = time.monotonic() - begin
    await crowds(server, Asker(book, random.Random(SEED)))
    await expect_nothing_left(server)
    after, most = server.memory()
    bound = server.memory_bound()
    await server.stop()
    kinds = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in sorted(count.attacks.items()))
    print(f"serve_hostile: {sum(count.attacks.values())} connections in {seconds:.0f} s ({kinds}), and two crowds; "
          f"{count.polite} polite requests answered, each within {count.longest:.2f} s; resident memory "
          f"{before / 1024:.1f} MiB before, {after / 1024:.1f} after, {most / 1024:.1f} at most, of {bound / 1024:.0f} that it "
          "said")
    if most - before > MORE_MIB * 1024:
        fail(f"memory grew by more than {MORE_MIB} MiB")
    if most > bound:
        fail("the server took more memory than it said")


run(main())
