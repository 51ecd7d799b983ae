"""What hostile and broken clients send, each on one connection.

An attack is a coroutine of a connection and a random generator. It returns the statuses that a
reply may have, of which it asks for one; or None, if it is not interested in a reply.
"""
import asyncio
import json
import socket

from http_client import Cut, request_bytes

JSON = "Content-Type: application/json"
REFUSED = {400, 408, 413, 414, 431, 501}
TOO_MUCH = {429, 503, 504}  # of which any request may be told


def translation_request(text, **fields):
    body = json.dumps({"text": text, "source": "zh", "target": "en", **fields}, ensure_ascii=False).encode()
    return request_bytes("POST", "/v1/translate", body, [JSON])


# Fast ones: a server answers or closes at once.

async def leaves_at_once(connection, rng):
    pass


async def resets_at_once(connection, rng):
    await connection.send(b"GET /")
    connection.reset()


async def garbage(connection, rng):
    await connection.send(rng.randbytes(rng.randrange(1, 2000)) + b"\r\n\r\n")
    return REFUSED


async def damaged_request(connection, rng):
    """A good request with a few bytes changed. It may still be a good one, or one that waits for more."""
    request = bytearray(translation_request("我们在家。", beam=1))
    for _ in range(rng.randrange(1, 4)):
        request[rng.randrange(len(request))] = rng.randrange(256)
    await connection.send(bytes(request))
    connection.socket.shutdown(socket.SHUT_WR)
    return REFUSED | {200, 403, 404, 405, 415, 505}


async def huge_headers(connection, rng):
    line = b"X-%d: " % rng.randrange(1000) + b"x" * rng.choice([100, 8000, 1 << 20]) + b"\r\n"
    await connection.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + line * (1 + (40 << 10) // len(line)))
    return REFUSED


async def bad_chunks(connection, rng):
    chunks = rng.choice([b"x\r\n", b"-1\r\nab\r\n", b"ffffffffffffffffff\r\na\r\n", b"2\r\nabc\r\n0\r\n\r\n", b"2;" + b"e" * 20000,
                         b"2\nab\n0\n\n", b"7fffffffffffffff\r\n", b"1\r\na\r\n" * 3 + b"g\r\n"])
    await connection.send(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    connection.socket.shutdown(socket.SHUT_WR)
    return REFUSED


async def two_lengths(connection, rng):
    extra = rng.choice(["Transfer-Encoding: chunked", "Content-Length: 5", "Content-Length: -1", "Transfer-Encoding: gzip, chunked"])
    await connection.send(request_bytes("POST", "/v1/translate", b"0\r\n\r\n", [JSON, "Content-Length: 4", extra]))
    return REFUSED


async def huge_body(connection, rng):
    await connection.send(f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10 ** rng.randrange(7, 30)}"
                          "\r\n\r\n".encode() + b"x" * 100000)
    return REFUSED


async def wrong_utf8(connection, rng):
    text = rng.choice([b"\xff\xfe", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe6\x88", b"a\0b", b"\\ud800"])
    await connection.send(request_bytes("POST", "/translate", b'{"q":"' + text + b'","source":"zh","target":"en"}', [JSON]))
    return {200, 400}


async def deep_json(connection, rng):
    depth = rng.choice([100, 10000, 100000])
    body = rng.choice([b"[" * depth, b'{"text":' * depth, b"[" * depth + b"]" * depth])
    await connection.send(request_bytes("POST", "/v1/translate", body, [JSON]))
    return {400, 413}


async def absurd_options(connection, rng):
    fields = rng.choice([{"beam": 10**9}, {"nbest": -1}, {"max_length": 1e300}, {"sample": True, "nbest": 1000}, {"unknown": 1},
                         {"temperature": 0, "sample": True}, {"prefix": "x" * 100000}, {"source": "x" * 10000}])
    await connection.send(request_bytes("POST", "/v1/translate", json.dumps({"text": "我", **fields}).encode(), [JSON]))
    return {200, 400, 413}


async def leaves_within_the_answer(connection, rng):
    lines = ["我们在家。"] * rng.choice([1, 20, 200])
    await connection.send(translation_request("\n".join(lines), split="lines", stream=rng.random() < 0.5, beam=8, nbest=8))
    await asyncio.sleep(rng.uniform(0, 0.05))
    if rng.random() < 0.5:
        await connection.fill()
    connection.reset()


async def many_at_once(connection, rng):
    """A hundred requests without reading one answer."""
    await connection.send(request_bytes("GET", "/openapi.json") * 100)
    await asyncio.sleep(0.01)


# Slow ones: they hold their connection for `seconds`, or until the server has had enough.

async def hold(connection, seconds, piece=b""):
    """Sends pieces, and reads nothing, until the time is over or the server has closed."""
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        try:
            if piece:
                connection.socket.send(piece)
        except BlockingIOError:
            pass
        except OSError:
            return
        await asyncio.sleep(min(0.3, seconds))


async def says_nothing(connection, rng, seconds):
    await hold(connection, seconds)


async def slow_headers(connection, rng, seconds):
    await connection.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    await hold(connection, seconds, b"x")
    return REFUSED


async def slow_body(connection, rng, seconds):
    size = rng.choice([1000, 100000])
    await connection.send(f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode() +
                          b"x" * (size // 2))
    await hold(connection, seconds, b"x")
    return REFUSED


async def slow_chunks(connection, rng, seconds):
    await connection.send(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    await hold(connection, seconds, b"1\r\nx\r\n")
    return REFUSED


async def half_closed(connection, rng, seconds):
    """Closes its sending side within a request."""
    await connection.send(translation_request("我们在家。")[:rng.randrange(1, 150)])
    connection.socket.shutdown(socket.SHUT_WR)
    await hold(connection, seconds)
    return REFUSED


async def reads_nothing(connection, rng, seconds):
    """A large answer, of which it takes nothing."""
    lines = ["我们在家。"] * rng.choice([50, 300])
    await connection.send(translation_request("\n".join(lines), split="lines", stream=rng.random() < 0.5, beam=8, nbest=8,
                                              alignments="weights"))
    await hold(connection, seconds)


async def asks_for_much(connection, rng, seconds):
    """A small request with a huge answer, which the server must not collect without a bound."""
    await connection.send(translation_request("\n".join(["我们在家。"] * 3000), split="lines", beam=16, nbest=16,
                                              alignments="weights", probabilities=True))
    await hold(connection, seconds)
    return {200}


FAST = [garbage, damaged_request, huge_headers, bad_chunks, two_lengths, huge_body, wrong_utf8, deep_json, absurd_options,
        leaves_within_the_answer, many_at_once]
CHEAP = [leaves_at_once, resets_at_once]
SLOW = [says_nothing, slow_headers, slow_body, slow_chunks, half_closed, reads_nothing, asks_for_much]


async def expect_refusal(connection, allowed, seconds):
    """What an attack gets within this time: a complaint, or None. Slow ones may get nothing yet."""
    try:
        reply = await connection.reply(seconds=seconds)
    except (Cut, TimeoutError):
        return None
    return None if reply.status in allowed | TOO_MUCH else f"status {reply.status} {reply.body[:100]!r}"
