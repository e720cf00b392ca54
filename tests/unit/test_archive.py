import errno
import gzip
import hashlib
import os
import random
import tarfile
import threading
import time
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tars import FILES, TOP, WMT20, entry, names, tree, unpack, write_tgz

from mt_difficulty import errors
from mt_difficulty.data import archive, unpacked
from mt_difficulty.data.download import _ResumingDownloader, download
from mt_difficulty.errors import InputError, Missing

CUT = 10_000  # where a scripted server drops the connection: a multiple of CHUNK


def random_gzip(seed):
    return gzip.compress(random.Random(seed).randbytes(20_000), mtime=0)


BODY = random_gzip(1)
OTHER = random_gzip(2)  # the same length, since random bytes do not compress
SHA256 = hashlib.sha256(BODY).hexdigest()


def sends(body, etag='"1"', cut=None, ranges=True, if_range=True, length=True, **headers):
    """A reply that serves `body`, of which `cut` bytes per response arrive."""

    def reply(request):
        wanted = request.headers["Range"] if ranges else None
        if wanted and if_range and request.headers["If-Range"] != etag:
            wanted = None
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if wanted and start >= len(body):
            return fails(416)(request)
        request.send_response(206 if wanted else 200)
        if wanted:
            request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if length:
            request.send_header("Content-Length", str(len(body) - start))
        for name, value in {"ETag": etag, **headers}.items():
            if value is not None:
                request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body[start:][:cut])

    return reply


def fails(status):
    def reply(request):
        request.send_response(status)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return reply


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers) | {"path": self.path})
        replies = server.replies[self.path]
        # The last reply is repeated.
        (replies.pop(0) if len(replies) > 1 else replies[0])(self)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("mt_difficulty.data.download.CHUNK", 1000)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.replies, server.requests = {}, []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def mirror(server):
    """Adds a mirror with these replies, one per request, and returns its URL."""

    def add(*replies):
        path = f"/{len(server.replies)}.tgz"
        server.replies[path] = list(replies)
        return f"http://127.0.0.1:{server.server_port}{path}"

    return add


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "archive.tgz"


def assert_only(destination, body=BODY):
    """The file is there, and neither a part nor a temporary file is."""
    assert destination.read_bytes() == body
    assert names(destination.parent) == [destination.name]


@pytest.mark.parametrize("sha256", [None, SHA256])
def test_a_good_download_is_kept_and_not_asked_for_again(server, mirror, destination, sha256):
    urls = [mirror(sends(BODY))]
    assert download(urls, destination, sha256) == destination
    assert_only(destination)
    download(urls, destination, sha256)
    assert len(server.requests) == 1
    assert "Range" not in server.requests[0]


def test_a_kept_file_with_the_wrong_checksum_is_replaced(mirror, destination):
    destination.parent.mkdir()
    destination.write_bytes(OTHER)
    download([mirror(sends(BODY))], destination, SHA256)
    assert_only(destination)


def test_a_dropped_connection_is_resumed(server, mirror, destination):
    download([mirror(sends(BODY, cut=CUT), sends(BODY))], destination, SHA256, wait=0)
    assert_only(destination)
    assert server.requests[1]["Range"] == f"bytes={CUT}-"
    assert server.requests[1]["If-Range"] == '"1"'
    assert len(server.requests) == 2


def test_a_range_that_ends_early_is_continued(server, mirror, destination):
    def short_range(request):
        request.send_response(206)
        request.send_header("Content-Range", f"bytes {CUT}-{CUT + 499}/{len(BODY)}")
        request.send_header("Content-Length", "500")
        request.end_headers()
        request.wfile.write(BODY[CUT : CUT + 500])

    replies = [sends(BODY, cut=CUT), short_range, sends(BODY)]
    download([mirror(*replies)], destination, SHA256, wait=0)
    assert_only(destination)
    assert server.requests[2]["Range"] == f"bytes={CUT + 500}-"


def test_a_later_run_resumes_the_part(server, mirror, destination):
    urls = [mirror(sends(BODY, cut=CUT), sends(BODY))]
    with pytest.raises(InputError, match=r"/0\.tgz: .*IncompleteRead.* \(1 attempts\)"):
        download(urls, destination, attempts=1)
    assert names(destination.parent) == ["archive.tgz.part", "archive.tgz.part.json"]
    assert (destination.parent / "archive.tgz.part").read_bytes() == BODY[:CUT]
    download(urls, destination)
    assert_only(destination)
    assert server.requests[1]["Range"] == f"bytes={CUT}-"


def test_a_complete_part_is_only_verified(server, mirror, destination, monkeypatch):
    """As left by a run that was stopped between the last byte and the rename."""
    urls = [mirror(sends(BODY))]
    with monkeypatch.context() as stopped:

        def stop(*args):
            raise KeyboardInterrupt

        stopped.setattr(os, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            download(urls, destination)
    assert not destination.exists()
    download(urls, destination)
    assert_only(destination)
    assert len(server.requests) == 1


@pytest.mark.parametrize("note", [None, ""], ids=["no note", "a note cut short"])
def test_a_part_of_an_unknown_file_is_not_resumed(server, mirror, destination, note):
    destination.parent.mkdir()
    if note is not None:
        (destination.parent / "archive.tgz.part.json").write_text(note)
    (destination.parent / "archive.tgz.part").write_bytes(OTHER[:CUT])
    download([mirror(sends(BODY))], destination, attempts=1)
    assert_only(destination)
    assert "Range" not in server.requests[0]


def test_a_server_without_ranges_starts_again(server, mirror, destination):
    replies = [sends(BODY, cut=CUT), sends(BODY, ranges=False)]
    download([mirror(*replies)], destination, SHA256, wait=0)
    assert_only(destination)
    assert "Range" in server.requests[1]


@pytest.mark.parametrize(
    "changed",
    [sends(OTHER, etag='"2"'), sends(OTHER, etag='"2"', if_range=False)],
    ids=["heeds If-Range", "ignores If-Range"],
)
def test_a_file_that_changed_between_attempts_starts_again(mirror, destination, changed):
    download([mirror(sends(BODY, cut=CUT), changed)], destination, attempts=2, wait=0)
    assert_only(destination, OTHER)


@pytest.mark.parametrize("body", [BODY[:CUT], OTHER + gzip.compress(b"more")], ids=len)
def test_a_file_whose_size_changed_starts_again(mirror, destination, body):
    """Not even an ETag tells: the server has none, and heeds no If-Range."""
    url = mirror(sends(BODY, None, cut=CUT), sends(body, None, if_range=False))
    download([url], destination, hashlib.sha256(body).hexdigest(), attempts=2, wait=0)
    assert_only(destination, body)


@pytest.mark.parametrize("etag", [None, 'W/"1"'])
def test_without_a_strong_etag_the_date_is_compared(server, mirror, destination, etag):
    date = "Mon, 01 Jul 2024 00:00:00 GMT"
    later = "Tue, 02 Jul 2024 00:00:00 GMT"
    first = sends(BODY, etag, cut=CUT, Last_Modified=date)
    changed = sends(OTHER, etag, if_range=False, Last_Modified=later)
    download([mirror(first, changed)], destination, attempts=2, wait=0)
    assert_only(destination, OTHER)
    assert server.requests[1]["If-Range"] == date


def test_a_second_mirror_does_not_continue_the_first_ones_other_file(mirror, destination):
    urls = [mirror(sends(BODY, cut=CUT)), mirror(sends(OTHER, etag='"2"'))]
    download(urls, destination, attempts=1)
    assert_only(destination, OTHER)


@pytest.mark.parametrize("status", [403, 404, 416])
def test_a_refusing_mirror_is_left_at_once(server, mirror, destination, status):
    urls = [mirror(fails(status)), mirror(sends(BODY))]
    download(urls, destination, wait=0)
    assert_only(destination)
    assert [request["path"] for request in server.requests] == ["/0.tgz", "/1.tgz"]


def test_the_error_names_every_mirror_and_the_ways_out(server, mirror, destination):
    urls = [mirror(fails(404)), mirror(fails(503))]
    with pytest.raises(InputError) as error:
        download(urls, destination, attempts=3, wait=0)
    assert str(error.value) == (
        "could not download archive.tgz:\n"
        f"  {urls[0]}: 404 Not Found\n"
        f"  {urls[1]}: 503 Service Unavailable (3 attempts)\n"
        "Run again (a partial download is resumed), or use a copy of your own: "
        "make paper ARCHIVE=<a .tgz or an unpacked folder>"
    )
    assert len(server.requests) == 4
    assert names(destination.parent) == []


def test_404_everywhere(mirror, destination):
    urls = [mirror(fails(404)), mirror(fails(404))]
    with pytest.raises(InputError) as error:
        download(urls, destination)
    assert str(error.value).splitlines()[:-1] == [
        "could not download archive.tgz:",
        f"  {urls[0]}: 404 Not Found",
        f"  {urls[1]}: 404 Not Found",
    ]


def test_no_server_and_no_url(server, destination):
    server.server_close()
    urls = [f"http://127.0.0.1:{server.server_port}/0.tgz", "archive.tgz"]
    with pytest.raises(InputError) as error:
        download(urls, destination, attempts=2, wait=0)
    _, refused, malformed, _ = str(error.value).splitlines()
    assert "refused" in refused
    assert refused.endswith("(2 attempts)")
    assert malformed.startswith("  archive.tgz: Invalid URL")


def test_server_errors_are_retried_with_growing_waits(mirror, destination, monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    download([mirror(fails(500), fails(502), fails(503), sends(BODY))], destination)
    assert_only(destination)
    assert waits == [2, 4, 8]


NOT_WHOLE = {
    "crc": BODY[:-6] + bytes([BODY[-6] ^ 1]) + BODY[-5:],
    "deflate": BODY[:10] + b"\xff" * 100,
    "cut": BODY[:-100],
    "not gzip": b"<html>Log in to the network</html>",
    "empty": b"",
}


@pytest.mark.parametrize("body", NOT_WHOLE.values(), ids=NOT_WHOLE)
@pytest.mark.parametrize("length", [True, False])
def test_a_broken_gzip_is_not_kept(server, mirror, destination, body, length):
    with pytest.raises(InputError, match=r"0\.tgz: not a whole gzip file: ."):
        download([mirror(sends(body, length=length))], destination)
    assert names(destination.parent) == []
    assert len(server.requests) == 1


def test_a_wrong_checksum_is_not_kept_and_the_next_mirror_is_tried(server, mirror, destination):
    urls = [mirror(sends(OTHER))]
    with pytest.raises(InputError, match=r"0\.tgz: SHA256 hash .* does not match") as error:
        download(urls, destination, SHA256)
    assert SHA256 in str(error.value)
    assert names(destination.parent) == []
    assert len(server.requests) == 1
    download([*urls, mirror(sends(BODY))], destination, SHA256)
    assert_only(destination)


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("sha256", [None, SHA256])
def test_a_body_that_is_always_cut_short_is_not_kept(mirror, destination, ranges, sha256):
    reply = sends(BODY, cut=4000, ranges=ranges)
    with pytest.raises(InputError, match="IncompleteRead"):
        download([mirror(reply)], destination, sha256, attempts=3, wait=0)
    assert not destination.exists()
    # Each attempt went on from the one before, where the server let it.
    part = destination.with_name("archive.tgz.part")
    assert part.read_bytes() == BODY[: 12_000 if ranges else 4000]


def test_a_failure_leaves_the_destination_as_it_was(mirror, destination):
    destination.parent.mkdir()
    destination.write_bytes(b"as it was")
    for reply in (sends(OTHER), sends(BODY, cut=CUT), fails(404)):
        with pytest.raises(InputError):
            download([mirror(reply)], destination, SHA256, attempts=1)
        assert destination.read_bytes() == b"as it was"


def test_the_bytes_are_kept_as_stored_when_declared_as_gzip_encoded(server, mirror, destination):
    download([mirror(sends(BODY, Content_Encoding="gzip"))], destination)
    assert_only(destination)
    assert server.requests[0]["Accept-Encoding"] == "identity"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project, below which campaigns are unpacked; gives the files that were."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    def files():
        return sorted(p.name for p in unpacked.KEPT.rglob("[!.]*") if p.is_file() and p.suffix)

    return files


def test_only_the_asked_campaign_is_unpacked(project, tmp_path):
    assert tree(unpack(write_tgz(tmp_path / "a.tgz"))) == WMT20
    assert project() == ["A.b.txt", "en-de.txt"]


def test_an_archive_of_something_else(project, tmp_path):
    path = write_tgz(tmp_path / "a.tgz", files={"README": b"", f"{TOP}/README": b""})
    with pytest.raises(Missing, match=f"{TOP} has no campaign wmt20; it has none"):
        unpack(path)


def test_folder_members_and_dot_names(tmp_path):
    """As ``tar czf a.tgz ./mt-metrics-eval-v2`` writes them; a folder may be empty."""
    extra = [
        entry(f"./{TOP}", tarfile.DIRTYPE),
        entry(f"./{TOP}/wmt22", tarfile.DIRTYPE, mode=0),
        entry(f"./{TOP}/wmt22/documents", tarfile.DIRTYPE, mode=0),
        entry(f"./{TOP}/wmt22/documents/en-de.docs", data=b"d\n"),
        entry(f"./{TOP}/wmt22/empty", tarfile.DIRTYPE),
    ]
    folder = unpack(write_tgz(tmp_path / "a.tgz", *extra), "wmt22")
    assert tree(folder) == {"documents/en-de.docs": b"d\n"}
    assert names(folder) == ["documents", "empty"]


def test_members_of_other_campaigns_are_skipped_unjudged(project, tmp_path):
    extra = [
        entry(f"{TOP}/wmt19/link", tarfile.SYMTYPE, linkname="/etc/passwd"),
        entry(f"{TOP}/wmt19/../wmt20/sneaked", data=b"x"),
        entry(f"{TOP}/wmt19/../../../x", data=b"x"),
        entry("beside.txt", data=b"x"),
    ]
    path = write_tgz(tmp_path / "a.tgz", *extra)
    assert tree(unpack(path)) == WMT20
    assert names(tmp_path) == ["a.tgz", "project"]
    assert project() == ["A.b.txt", "en-de.txt"]


def test_a_campaign_of_nearly_the_name_is_named(project, tmp_path):
    with pytest.raises(Missing) as error:
        unpack(write_tgz(tmp_path / "a.tgz"), "wmt-20")
    assert str(error.value).endswith("it has wmt19, wmt20, wmt20.extra (did you mean wmt20?)")


BREAK = "has a line break or another control character in its name"


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\x1bb", "a\udcffb"], ids=ascii)
def test_a_name_with_a_control_character_is_refused(project, tmp_path, name):
    hostile = f"{TOP}/wmt20/system-outputs/en-de/{name}.txt"
    path = write_tgz(tmp_path / "a.tgz", files={**FILES, hostile: b"x\n"})
    with pytest.raises(InputError) as error:
        unpack(path)
    assert f"{path} is refused: its member {hostile!r} {BREAK}." in str(error.value)
    assert str(error.value).isprintable()
    assert project() == []


def test_a_campaigns_name_with_a_control_character_is_refused(project, tmp_path):
    path = write_tgz(tmp_path / "a.tgz", files={f"{TOP}/\x1b[2J/x": b"x"})
    with pytest.raises(InputError, match=BREAK) as error:
        unpack(path)
    assert str(error.value).isprintable()


def test_empty_members_take_no_memory(project, tmp_path):
    """Two million of them pass as no bomb."""
    path = tmp_path / "a.tgz"
    many = entry(f"{TOP}/wmt19/x")[0].tobuf() * 20_000
    path.write_bytes(gzip.compress(entry(f"{TOP}/wmt20/x")[0].tobuf() + many + bytes(1024)))
    tracemalloc.start()
    unpack(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6


def test_a_zip_bomb_is_refused_before_it_is_written(project, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "BOMB_SIZE", 100_000)
    zeros = f"{TOP}/wmt20/documents/zeros"
    path = write_tgz(tmp_path / "a.tgz", files={**FILES, zeros: bytes(10**6)})
    monkeypatch.setattr(
        archive, "_write_member", lambda _, __, member, ___: member.size < 100 or 1 / 0
    )
    with pytest.raises(InputError) as error:
        unpack(path)
    assert f"its member {zeros!r} brings it to 1,00" in str(error.value)
    assert "bytes: a zip bomb. The official archive has only" in str(error.value)
    assert project() == []


def test_a_bomb_in_another_campaign_is_not_read_to_its_end(project, tmp_path):
    """Its header says 2 GiB; no byte of them follows."""
    bomb = entry(f"{TOP}/wmt19/zeros")[0]
    bomb.size = 2**31
    path = tmp_path / "a.tgz"
    path.write_bytes(gzip.compress(bomb.tobuf()))
    with pytest.raises(InputError, match=r"brings it to 2,147,484,160 bytes: a zip bomb"):
        unpack(path)


def test_long_names_and_large_members_are_no_bombs(project, tmp_path):
    name, data = "x" * 150, bytes(3 * 2**20)
    path = write_tgz(
        tmp_path / "a.tgz", files={f"{TOP}/{n}/{name}": data for n in ("wmt19", "wmt20")}
    )
    assert tree(unpack(path)) == {name: data}


def test_what_shrinks_less_is_no_bomb(project, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "BOMB_SIZE", 1)
    noise = random.Random(1).randbytes(100_000)
    path = write_tgz(tmp_path / "a.tgz", entry(f"{TOP}/wmt20/noise", data=noise))
    assert (unpack(path) / "noise").read_bytes() == noise


def test_a_full_disk_keeps_the_part_and_says_so(mirror, destination, monkeypatch):
    urls = [mirror(sends(BODY))]
    with monkeypatch.context() as full:
        # Every write to this device fails as on a full disk.
        full.setattr(_ResumingDownloader, "_append", lambda *_: write_to("/dev/full"))
        with pytest.raises(OSError, match="No space left on device") as error:
            download(urls, destination)
    assert errors.explain(error.value) == (
        f"{destination}.part: No space left on device. The disk, or your share of it, is full: "
        "make room, then run again."
    )
    assert not destination.exists()
    download(urls, destination)
    assert_only(destination)


def write_to(path):
    with open(path, "wb") as file:
        file.write(bytes(10))


def test_a_full_disk_leaves_no_half_of_a_campaign(project, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(archive.shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space left on device"):
        unpack(write_tgz(tmp_path / "a.tgz"))
    assert project() == []
