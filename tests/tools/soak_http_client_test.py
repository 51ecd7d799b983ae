#!/usr/bin/env python3
"""The client of tools/soak/serve_*.sh against answers that are whole, cut or malformed: it must never
take a part for the whole."""
import asyncio
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/soak/serve"))
from http_client import Connection, Cut, Malformed, events_of

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
PACKED = gzip.compress(b"hello")


def packed(data):
    return b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(data) + data


MALFORMED = [
    b"HTTP/1.1 200 OK\r\n\r\nhello",  # its end cannot be known
    PLAIN.replace(b"5", b"5\r\nContent-Length: 4"),
    PLAIN.replace(b"5", b"-5"),
    PLAIN.replace(b"HTTP/1.1", b"HTTP/2"),
    CHUNKED.replace(b"chunked", b"chunked\r\nContent-Length: 5"),
    CHUNKED.replace(b"3\r\nhel", b"2\r\nhel"),
    CHUNKED.replace(b"3\r\n", b"x\r\n"),
    packed(PACKED[:-1]),
    packed(PACKED + b"x"),
    packed(b"hello"),
]


async def answer_with(data):
    """What the client makes of a server that sends this and closes."""
    async def serve(reader, writer):
        await reader.readuntil(b"\n")
        writer.write(data)
        writer.close()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        connection = await Connection(server.sockets[0].getsockname()).open()
        await connection.send(b"GET\n")
        try:
            return (await connection.reply()).body
        except (Cut, Malformed) as error:
            return error
        finally:
            connection.close()


async def main():
    for whole in (PLAIN, CHUNKED, packed(PACKED), b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN):
        assert await answer_with(whole) == b"hello", whole
        for size in range(len(whole)):
            got = await answer_with(whole[:size])
            assert isinstance(got, Cut) and (got.begun or got.continued) == (size > 0), (whole[:size], got)
    for data in MALFORMED:
        got = await answer_with(data)
        assert isinstance(got, Malformed), (data, got)
    assert events_of(b"event: a\ndata: 1\n\nevent: done\ndata: 2") == [("a", b"1")]


asyncio.run(main())
