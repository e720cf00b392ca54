"""Servers that misbehave: a download is whole and verified, or an `InputError` names the URL and
what went wrong there; it never waits for ever."""

import gzip
import hashlib
import json
import random
import socketserver
import threading
import time
from contextlib import suppress

import pytest

from mt_difficulty.data.download import download
from mt_difficulty.errors import InputError

BODY = gzip.compress(random.Random(1).randbytes(20_000), mtime=0)
SHA256 = hashlib.sha256(BODY).hexdigest()
SIZE = len(BODY)
ENDED = threading.Event()  # the test, and with it the patience of its server
CUT = 10_000  # a part that is there already
DATE = "Mon, 01 Jul 2024 00:00:00 GMT"


def reply(*headers, status="200 OK", body=BODY, length=True):
    """The bytes of a response."""
    lines = [f"HTTP/1.1 {status}", *headers]
    lines += [f"Content-Length: {len(body)}"] * length
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def chunked(*chunks):
    return reply("Transfer-Encoding: chunked", body=b"".join(chunks), length=False)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        request = b"".join(iter(self.rfile.readline, b"\r\n"))
        self.server.requests.append(request.decode("latin-1"))
        replies = self.server.replies
        # The last reply is repeated.
        answer = replies.pop(0) if len(replies) > 1 else replies[0]
        with suppress(ConnectionError):
            answer(self.wfile.write) if callable(answer) else self.wfile.write(answer)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, block_on_close, allow_reuse_address = True, False, True

    def __call__(self, *replies):
        """Answer with these, one per connection; returns the URL."""
        self.replies, self.requests = list(replies), []
        return f"http://127.0.0.1:{self.server_address[1]}/a.tgz"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("mt_difficulty.data.download.CHUNK", 1000)
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        ENDED.clear()
        yield server
        ENDED.set()
        server.shutdown()


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "archive.tgz"


def put_part(destination, note, body=BODY[:CUT]):
    destination.parent.mkdir()
    destination.with_name("archive.tgz.part").write_bytes(body)
    destination.with_name("archive.tgz.part.json").write_text(note)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


NOTE = {"validator": '"1"', "size": SIZE}
TAG = 'ETag: "1"'
GONE = "Connection: close\r\n\r\n"
# What a server answers with, and what is said of it.
WRONG = {
    "closes at once": (b"", "Remote end closed connection without response"),
    "closes in the status": (b"HTTP/1.", "Remote end closed|BadStatusLine|HTTP/1."),
    "closes in the headers": (
        b"HTTP/1.1 200 OK\r\nContent-Le",
        "not a whole gzip file: it is empty",
    ),
    "text in place of a status": (b"hello\r\n\r\n", "BadStatusLine"),
    "bytes in place of a status": (bytes(range(128, 256)), "BadStatusLine"),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n", "BadStatusLine"),
    "a status that is no number": (reply(status="abc OK"), "BadStatusLine"),
    "a status of four digits": (reply(status="2000 OK"), "BadStatusLine"),
    "an unknown version of HTTP": (b"HTTP/9.9 200 OK\r\n\r\n", "HTTP/9.9|UnknownProtocol"),
    "an endless status": (b"HTTP/1.1 200 " + b"x" * 70_000, "LineTooLong|more than 65536 bytes"),
    "an endless header": (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000, "more than 65536 bytes"),
    "a thousand headers": (reply(*["A: b"] * 1000), "more than 100 headers"),
    "206, not asked for a range": (
        reply(status="206 Partial Content"),
        r"whole file \(200\), got 206",
    ),
    "206 with a range, not asked for one": (
        reply(TAG, f"Content-Range: bytes 0-{SIZE - 1}/{SIZE}", status="206 Partial Content"),
        r"expected the whole file \(200\), got 206",
    ),
    "204": (reply(status="204 No Content", body=b""), r"whole file \(200\), got 204"),
    "300": (reply(status="300 Multiple Choices"), r"whole file \(200\), got 300"),
    "304": (reply(status="304 Not Modified", body=b""), r"whole file \(200\), got 304"),
    "416": (reply(status="416 Range Not Satisfiable"), "416 Range Not Satisfiable"),
    "an unknown error": (reply(status="499 Whatever"), "499 Whatever"),
    "an error that is no error of HTTP": (reply(status="999 No"), "got 999"),
    "an error with an escape": (reply(status="404 \x1b[2J"), r"404 \\x1b\[2J"),
    "a redirect to itself": (
        reply("Location: /a.tgz", status="302 Found"),
        "Exceeded 30 redirects",
    ),
    "a redirect to nowhere": (
        reply("Location: http://", status="302 Found"),
        "Exceeded 30 redirects",
    ),
    "a redirect to half an address": (reply("Location: http://[", status="302 Found"), "."),
    "a redirect to a closed port": (
        reply("Location: http://127.0.0.1:1/", status="302 Found"),
        "Connection refused",
    ),
    "a redirect to a file": (
        reply("Location: file:///etc/passwd", status="302 Found"),
        "No connection adapters",
    ),
    "a redirect in bytes": (reply("Location: \xff\xfe", status="302 Found"), "."),
    "a redirect without an address": (reply(status="302 Found"), r"whole file \(200\), got 302"),
    "a length below zero": (
        reply("Content-Length: -1", length=False),
        "expected a number as Content-Length, got '-1'",
    ),
    "a length that is no number": (
        reply("Content-Length: abc", length=False),
        "expected a number as Content-Length, got 'abc'",
    ),
    "a length in other digits": (
        reply("Content-Length: \xb2", length=False),
        "expected a number as Content-Length, got '²'",
    ),
    "a length of 5,000 digits": (reply(f"Content-Length: {'9' * 5000}", length=False), "."),
    "two lengths": (reply("Content-Length: 1"), "Content-Length"),
    "a length that is too large": (
        reply(f"Content-Length: {SIZE + 1}", length=False),
        "IncompleteRead",
    ),
    "a length that is too small": (
        reply(f"Content-Length: {SIZE - 1}", length=False),
        "not a whole gzip file",
    ),
    "nothing, of no length": (reply(body=b"", length=False), "it is empty"),
    "chunks that end early": (chunked(chunk(BODY[:CUT])), "Response ended prematurely"),
    "a chunk that ends early": (chunked(chunk(BODY)[:CUT]), "IncompleteRead"),
    "a chunk of a wrong length": (chunked(b"zz\r\n" + BODY), "InvalidChunkLength"),
    "a chunk below zero": (chunked(b"-5\r\n" + BODY), "."),
    "an endless length of a chunk": (chunked(b"1" * 70_000), "."),
    "no chunks, as announced": (chunked(BODY), "."),
    "an unknown encoding": (reply("Content-Encoding: x"), None),
    "a text said to be gzip": (reply("Content-Encoding: gzip", body=b"text"), "not a whole gzip"),
    "a page": (reply(body=b"<!doctype html>"), "not a whole gzip file"),
    "an unknown encoding of the transfer": (reply("Transfer-Encoding: x", length=False), None),
}
GOOD = {
    "whole": reply(TAG),
    "of no length": reply(length=False),
    "in chunks": chunked(chunk(BODY[:CUT]), chunk(BODY[CUT:]), b"0\r\n\r\n"),
    "in chunks of 1 byte": chunked(*(chunk(BODY[i : i + 1]) for i in range(SIZE)), b"0\r\n\r\n"),
    "declared as gzip-encoded": reply("Content-Encoding: gzip"),
    "by a server of HTTP/1.0": reply().replace(b"HTTP/1.1", b"HTTP/1.0"),
    "with headers of no form": reply("no header", "\xff: \xff"),
}


@pytest.mark.parametrize("answer", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("sha256", [None, SHA256])
def test_a_whole_file(server, destination, answer, sha256):
    download([server(answer)], destination, sha256, wait=0)
    assert destination.read_bytes() == BODY
    assert names(destination.parent) == ["archive.tgz"]


@pytest.mark.parametrize(("answer", "why"), WRONG.values(), ids=WRONG)
def test_what_went_wrong_is_reported(server, destination, answer, why):
    url = server(answer)
    if why is None:  # odd, and whole
        download([url], destination, attempts=2, wait=0)
        assert destination.read_bytes() == BODY
        return
    with pytest.raises(InputError, match=rf"\n  {url}: .*({why})") as error:
        download([url], destination, attempts=2, wait=0)
    assert not destination.exists()
    first, reported, advice = str(error.value).split("\n")
    assert (first, reported.isprintable()) == ("could not download archive.tgz:", True)
    assert advice.startswith("Run again (a partial download is resumed), or use a copy")


@pytest.mark.parametrize(("answer", "why"), WRONG.values(), ids=WRONG)
def test_a_second_mirror_makes_up_for_it(server, destination, answer, why):
    server(answer, *[answer] * (30 if why and "redirects" in why else 0), reply(TAG))
    url = f"http://127.0.0.1:{server.server_address[1]}"
    download([f"{url}/a.tgz", f"{url}/b.tgz"], destination, attempts=1)
    assert destination.read_bytes() == BODY


# Answers to the request for the rest of a part.


def rest(content_range, *headers, body=BODY[CUT:], **options):
    return reply(
        f"Content-Range: {content_range}",
        *headers,
        status="206 Partial Content",
        body=body,
        **options,
    )


WHOLE = f"bytes {CUT}-{SIZE - 1}/{SIZE}"
RESTS = {
    "the rest": (rest(WHOLE, TAG), 1),
    "the rest, without a tag": (rest(WHOLE), 1),
    "the whole file": (reply(TAG), 1),
    "from offset 0": (rest(f"bytes 0-{SIZE - 1}/{SIZE}", TAG, body=BODY), 2),
    "from another offset": (rest(f"bytes {CUT + 1}-{SIZE - 1}/{SIZE}", TAG), 2),
    "of another size": (rest(f"bytes {CUT}-{SIZE}/{SIZE + 1}", TAG), 2),
    "of an unknown size": (rest(f"bytes {CUT}-{SIZE - 1}/*", TAG), 2),
    "of another file": (rest(WHOLE, 'ETag: "2"'), 2),
    "a range that is none": (rest("rubbish", TAG), 2),
    "no range": (reply(TAG, status="206 Partial Content", body=BODY[CUT:]), 2),
    "several ranges": (
        reply("Content-Type: multipart/byteranges; boundary=x", status="206 Partial Content"),
        2,
    ),
    "416": (reply(f"Content-Range: bytes */{CUT}", status="416 Range Not Satisfiable"), 2),
    "a rest that is cut": (rest(WHOLE, TAG)[:-500], 2),
    "more than the rest": (rest(WHOLE, TAG, body=BODY[CUT:] + b"more"), 3),
}


@pytest.mark.parametrize(("answer", "requests"), RESTS.values(), ids=RESTS)
def test_a_part_is_made_whole(server, destination, answer, requests):
    """By the rest, or anew."""
    put_part(destination, json.dumps(NOTE))

    def heed(write):
        wanted = server.requests[-1].partition("Range: bytes=")[2].partition("-")[0]
        start = int(wanted or 0)
        if start > SIZE:
            write(reply(status="416 Range Not Satisfiable"))
        else:
            body = BODY[start:]
            write(rest(f"bytes {start}-{SIZE - 1}/{SIZE}", TAG, body=body) if start else reply(TAG))

    download([server(answer, heed)], destination, attempts=2, wait=0)
    assert destination.read_bytes() == BODY
    assert f"Range: bytes={CUT}-" in server.requests[0]
    assert 'If-Range: "1"' in server.requests[0]
    assert len(server.requests) == requests


def test_a_server_that_never_gives_the_whole(server, destination):
    """It answers 206 to anything."""
    put_part(destination, json.dumps(NOTE))
    with pytest.raises(InputError, match=r"expected the whole file \(200\), got 206"):
        download([server(rest("bytes 5-9/10"))], destination)
    assert len(server.requests) == 2


NOTES = {
    "cut short": '{"validator": "\\"1\\"", "si',
    "empty": "",
    "of other text": "rubbish",
    "that is not UTF-8": b"\xff\xfe".decode("latin-1"),
    "that is a list": "[]",
    "that is nothing": "null",
    "that is a number": "1",
    "nested deeply": "[" * 100_000,
    "without keys": "{}",
    "without a size": '{"validator": "\\"1\\""}',
    "without a validator": f'{{"size": {SIZE}}}',
    "with a size that is text": f'{{"validator": "\\"1\\"", "size": "{SIZE}"}}',
    "with a size that is a list": '{"validator": "\\"1\\"", "size": []}',
    "with a validator that is a number": f'{{"validator": 1, "size": {SIZE}}}',
    "with an empty validator": f'{{"validator": "", "size": {SIZE}}}',
    "with a validator of two lines": f'{{"validator": "a\\r\\nX: b", "size": {SIZE}}}',
    "with a validator that no header holds": f'{{"validator": "Ł", "size": {SIZE}}}',
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_a_part_with_a_useless_note_is_not_resumed(server, destination, note):
    put_part(destination, note, body=b"of another file")
    download([server(reply(TAG))], destination, attempts=1)
    assert destination.read_bytes() == BODY
    assert "Range" not in server.requests[0]


@pytest.mark.parametrize("note", [NOTE, NOTE | {"validator": None}, NOTE | {"validator": DATE}])
def test_a_part_with_a_note_is_resumed(server, destination, note):
    put_part(destination, json.dumps(note))
    download([server(rest(WHOLE))], destination, attempts=1)
    assert destination.read_bytes() == BODY
    assert f"Range: bytes={CUT}-" in server.requests[0]


@pytest.mark.parametrize("size", [0, SIZE - 1, SIZE + 1, -1, 2**80])
def test_a_note_of_another_size(server, destination, size):
    put_part(destination, json.dumps(NOTE | {"size": size}))
    download([server(rest(WHOLE), reply(TAG))], destination, attempts=1)
    assert destination.read_bytes() == BODY
    assert len(server.requests) == 2


# Servers that keep a download waiting.


def drips(before, piece=b"x", pause=0.02):
    """Send something, then a little for ever."""

    def answer(write):
        write(before)
        while not ENDED.wait(pause):
            write(piece)

    return answer


DRIPS = {
    "a status": drips(b"HTTP/1.1 200 "),
    "a header": drips(b"HTTP/1.1 200 OK\r\nA: "),
    "100 Continue, again and again": drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0),
    "a body": drips(reply(body=b"", length=False)),
    "a body of a length": drips(reply(f"Content-Length: {SIZE}", body=b"", length=False)),
    "a chunk": drips(chunked(b"fffff\r\n")),
    "chunks": drips(chunked(), b"1\r\nx\r\n"),
    "the length of a chunk": drips(chunked(), b"0"),
    "the body of a redirect": drips(
        reply("Location: /", "Content-Length: 5000", status="302 Found", body=b"", length=False)
    ),
    "nothing": drips(b"", b""),
}


@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
def test_a_server_that_drips_is_given_up(server, destination, monkeypatch, drip):
    monkeypatch.setattr("mt_difficulty.data.download.PATIENCE", 0.3)
    url, start = server(drip), time.monotonic()
    with pytest.raises(InputError) as error:
        download([url], destination, attempts=2, wait=0)
    assert time.monotonic() - start < 3
    assert f"{url}: gave up: less than 1,000 bytes in 0.3 seconds (2 attempts)" in str(error.value)


def test_what_a_dripping_server_sent_is_kept_and_continued(server, destination, monkeypatch):
    monkeypatch.setattr("mt_difficulty.data.download.PATIENCE", 0.3)
    first = drips(reply(TAG, f"Content-Length: {SIZE}", body=BODY[:CUT], length=False), b"")
    download([server(first, rest(WHOLE, TAG))], destination, SHA256, attempts=2, wait=0)
    assert destination.read_bytes() == BODY
    assert f"Range: bytes={CUT}-" in server.requests[1]


def test_a_slow_server_is_waited_for(server, destination, monkeypatch):
    """In all longer than PATIENCE, and never as long for one piece."""
    monkeypatch.setattr("mt_difficulty.data.download.PATIENCE", 0.5)

    def slowly(write):
        write(reply(TAG, f"Content-Length: {SIZE}", body=b"", length=False))
        for start in range(0, SIZE, 2000):
            write(BODY[start : start + 2000])
            time.sleep(0.1)

    start = time.monotonic()
    download([server(slowly)], destination, attempts=1)
    assert time.monotonic() - start > 0.9
    assert destination.read_bytes() == BODY


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 20))]
)
def test_responses_with_damaged_bytes(server, destination, monkeypatch, seed):
    """Whatever the bytes: the file, or what went wrong."""
    monkeypatch.setattr("mt_difficulty.data.download.PATIENCE", 1)
    rng = random.Random(seed)
    for _ in range(40):
        answer = bytearray(rng.choice([*GOOD.values(), rest(WHOLE, TAG)]))
        for _ in range(rng.randrange(1, 5)):
            answer[rng.randrange(min(150, len(answer)))] = rng.randrange(256)
        url = server(bytes(answer))
        try:
            download([url], destination, SHA256, attempts=2, wait=0)
        except InputError as error:
            reported = str(error)
            assert f"\n  {url}: " in reported
        else:
            assert destination.read_bytes() == BODY
            destination.unlink()
