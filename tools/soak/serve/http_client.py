"""An HTTP/1.1 client that knows whether an answer is whole.

It reads an answer as RFC 9112 says and accepts nothing else. What it gives is one of three:
a Reply, which a client may take for whole; Cut, if the connection ended before; Malformed, if the
answer breaks the rules, so that clients may disagree about it.
"""
import asyncio
import re
import socket
import time
import zlib

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5]\d\d) [ -~]*")
HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([ -~\x80-\xff]*)")
CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,15}")
LONGEST_HEAD = 64 << 10
IP_BIND_ADDRESS_NO_PORT = 24  # of Linux; the module socket does not name it


class Cut(Exception):
    """The connection ended before the answer was whole. `begun`: whether a byte of it had come;
    `continued`: whether the server had said 100 Continue, so that it had read the headers."""

    def __init__(self, begun, continued):
        super().__init__("cut " + ("within the answer" if begun else "before the answer"))
        self.begun, self.continued = begun, continued


class Malformed(Exception):
    """The answer breaks the rules of HTTP."""


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.seconds = 0.0

    @property
    def closes(self):
        return self.headers.get("connection") == "close"


def request_bytes(method, path, body=b"", headers=(), version="1.1"):
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", *headers]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def unpacked(headers, body):
    """The body without its Content-Encoding, of which only gzip is known."""
    coding = headers.get("content-encoding")
    if coding is None:
        return body
    if coding != "gzip":
        raise Malformed(f"Content-Encoding: {coding}, which was not asked for")
    reader = zlib.decompressobj(31)
    try:
        plain = reader.decompress(body)
    except zlib.error as error:
        raise Malformed(f"gzip: {error}") from error
    if not reader.eof or reader.unused_data:
        raise Malformed("the gzip data is not complete")
    return plain


class Connection:
    """One connection, from the address `source` (any of 127.0.0.0/8). `slow` seconds pass between two
    pieces that it reads, each of at most `piece` bytes; a small receive buffer then makes the server
    wait too."""

    def __init__(self, endpoint, slow=0.0, piece=1 << 18, source=None):
        self.loop = asyncio.get_running_loop()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        if source:
            # The port is chosen when it connects: any that is not used with this server.
            self.socket.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
            self.socket.bind((source, 0))
        if slow:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        else:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.endpoint, self.slow, self.piece = endpoint, slow, piece
        self.received = bytearray()
        self.ended = False
        self.continued = False

    async def open(self):
        try:
            await self.loop.sock_connect(self.socket, self.endpoint)
        except BaseException:
            self.close()
            raise
        return self

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends it as a client whose process dies: the server gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    async def send(self, data):
        """A connection that has ended is noticed when the answer is read, which may be whole."""
        try:
            await self.loop.sock_sendall(self.socket, data)
        except (ConnectionError, BrokenPipeError):
            pass

    async def fill(self):
        """Reads more; False at the end of the connection."""
        if self.ended:
            return False
        if self.slow:
            await asyncio.sleep(self.slow)
        try:
            data = await self.loop.sock_recv(self.socket, self.piece)
        except ConnectionError:
            data = b""
        self.received += data
        self.ended = not data
        return not self.ended

    async def need(self, size):
        while len(self.received) < size:
            if not await self.fill():
                raise Cut(True, self.continued)

    def take(self, size):
        data = bytes(self.received[:size])
        del self.received[:size]
        return data

    async def line(self):
        at = 0
        while (end := self.received.find(b"\r\n", at)) < 0:
            at = max(0, len(self.received) - 1)
            if at > LONGEST_HEAD:
                raise Malformed("a line without an end")
            if not await self.fill():
                raise Cut(True, self.continued)
        data = self.take(end + 2)
        return data[:-2]

    async def head(self):
        if not self.received and not await self.fill():
            raise Cut(False, self.continued)
        found = STATUS_LINE.fullmatch(line := await self.line())
        if not found:
            raise Malformed(f"status line {line[:80]!r}")
        headers = {}
        while line := await self.line():
            header = HEADER.fullmatch(line)
            if not header:
                raise Malformed(f"header {line[:80]!r}")
            name, value = header[1].decode().lower(), header[2].decode("latin-1").rstrip(" ")
            if name in headers and name in ("content-length", "transfer-encoding", "connection"):
                raise Malformed(f"{name} comes twice")
            headers[name] = value
        return int(found[1]), headers

    async def wait_for_continue(self, seconds=120):
        """After headers with `Expect: 100-continue`: returns when the server wants the body."""
        async with asyncio.timeout(seconds):
            status, _ = await self.head()
        if status != 100:
            raise Malformed(f"status {status} for headers that expect 100")
        self.continued = True

    async def chunks(self):
        parts = []
        while True:
            size = await self.line()
            if not CHUNK_SIZE.fullmatch(size):
                raise Malformed(f"chunk size {size[:40]!r}")
            if (length := int(size, 16)) == 0:
                break
            await self.need(length + 2)
            parts.append(self.take(length))
            if self.take(2) != b"\r\n":
                raise Malformed("a chunk longer than its size")
        if await self.line():
            raise Malformed("trailers, which were not asked for")
        return b"".join(parts)

    async def read_reply(self, method):
        while True:
            status, headers = await self.head()
            if status != 100:
                break
            self.continued = True
        has_length, is_chunked = "content-length" in headers, "transfer-encoding" in headers
        if method == "HEAD" or status in (204, 304):
            return Reply(status, headers, b"")
        if has_length and is_chunked:
            raise Malformed("Content-Length and Transfer-Encoding")
        if is_chunked:
            if headers["transfer-encoding"] != "chunked":
                raise Malformed(f"Transfer-Encoding: {headers['transfer-encoding']}")
            body = await self.chunks()
        elif has_length:
            if not headers["content-length"].isdigit():
                raise Malformed(f"Content-Length: {headers['content-length']}")
            await self.need(length := int(headers["content-length"]))
            body = self.take(length)
        else:
            raise Malformed("neither Content-Length nor Transfer-Encoding: its end cannot be known")
        return Reply(status, headers, unpacked(headers, body))

    async def reply(self, method="POST", seconds=600):
        """The answer to the oldest request that has none."""
        begin = time.monotonic()
        async with asyncio.timeout(seconds):
            reply = await self.read_reply(method)
        self.continued = False
        reply.seconds = time.monotonic() - begin
        return reply

    async def expect_end(self, seconds=10):
        """After `Connection: close`: the connection ends, and nothing more comes."""
        async with asyncio.timeout(seconds):
            await self.fill()
        if self.received:
            raise Malformed(f"bytes after the last answer: {bytes(self.received[:40])!r}")
        if not self.ended:
            raise Malformed("the connection goes on after Connection: close")


async def ask(endpoint, request, method="POST", **how):
    """One request on a connection of its own."""
    connection = await Connection(endpoint, **how).open()
    try:
        await connection.send(request)
        return await connection.reply(method)
    finally:
        connection.close()


def events_of(body):
    """The events of a stream, as pairs of name and data. One that is not complete is no event, as
    the rules of event streams say."""
    events = []
    for block in body.split(b"\n\n")[:-1]:
        lines = block.split(b"\n")
        if len(lines) != 2 or not lines[0].startswith(b"event: ") or not lines[1].startswith(b"data: "):
            raise Malformed(f"event {block[:80]!r}")
        events.append((lines[0][7:].decode(), lines[1][6:]))
    return events
