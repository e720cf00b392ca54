"""The archive downloaded from servers on this machine, and unpacked; WordNet from its sources."""

import hashlib
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nltk
import pytest

from mt_difficulty.data import download
from mt_difficulty.errors import InputError, Missing

BODY = bytes(range(256)) * 100
SHA256 = hashlib.sha256(BODY).hexdigest()
TOP = download.TOP
FILES = {
    f"{TOP}/wmt19/sources/en-de.txt": b"other\n",
    f"{TOP}/wmt20/sources/en-de.txt": b"one\ntwo\n",
    f"{TOP}/wmt20/system-outputs/en-de/A.b.txt": b"eins\nzwei\n",
}


@pytest.fixture
def mirror(monkeypatch):
    """Add a mirror with replies, the last of which is repeated; gives its URL. `requests` are the
    headers that it got."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    replies, requests = {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(dict(self.headers))
            left = replies[self.path]
            (left.pop(0) if len(left) > 1 else left[0])(self)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

        def add(*of_mirror):
            path = f"/{len(replies)}.tgz"
            replies[path] = list(of_mirror)
            return f"http://127.0.0.1:{server.server_port}{path}"

        add.requests = requests
        yield add
        server.shutdown()


def sends(body=BODY, etag='"1"', cut=None, ranges=True):
    """A reply with a file, of which `cut` bytes arrive."""

    def reply(request):
        wanted = request.headers["Range"] if ranges else None
        if request.headers["If-Range"] != etag:
            wanted = None
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        request.send_response(206 if wanted else 200)
        request.send_header("Content-Length", str(len(body) - start))
        request.send_header("ETag", etag)
        request.end_headers()
        request.wfile.write(body[start:][:cut])

    return reply


def fails(status):
    def reply(request):
        request.send_error(status)

    return reply


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data/archive.tgz"


def fetch(destination, *urls, sha256=SHA256):
    download.download(urls, destination, sha256, wait=0)
    assert destination.read_bytes() == BODY
    assert [path.name for path in destination.parent.iterdir()] == [destination.name]


def test_a_whole_file_is_kept_and_not_asked_for_again(mirror, destination):
    url = mirror(sends())
    for _ in range(2):
        fetch(destination, url)
    assert len(mirror.requests) == 1


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (sends(cut=1000), sends()),
        (sends(cut=1000), sends(ranges=False)),
        (sends(b"x" * len(BODY), cut=1000), sends(etag='"2"')),
    ],
    ids=["the rest", "the whole", "another file"],
)
def test_a_broken_connection_is_resumed_where_the_file_is_the_same(
    mirror, destination, first, later
):
    fetch(destination, mirror(first, later))
    assert mirror.requests[1]["Range"] == "bytes=1000-"
    assert mirror.requests[1]["If-Range"] == '"1"'


def test_a_later_run_resumes(mirror, destination):
    with pytest.raises(InputError, match="a partial download is resumed"):
        fetch(destination, mirror(sends(cut=700)))
    assert destination.with_name("archive.tgz.part").stat().st_size == 2800  # of four attempts
    fetch(destination, mirror(sends()))
    assert mirror.requests[-1]["Range"] == "bytes=2800-"


def test_the_next_mirror_is_asked_and_all_are_named(mirror, destination):
    gone, busy, wrong = mirror(fails(404)), mirror(fails(503)), mirror(sends(b"other"))
    with pytest.raises(InputError) as error:
        fetch(destination, gone, busy, wrong)
    parts = (f"{gone}: 404", f"{busy}: 503", f"{wrong}: SHA256 hash", download.OWN_ARCHIVE)
    assert [part for part in parts if part not in str(error.value)] == []
    assert len(mirror.requests) == 1 + 4 + 1  # only an error of the server is asked again
    assert not destination.exists()
    fetch(destination, gone, mirror(sends()))


def write_tgz(path, *extra):
    with tarfile.open(path, "w:gz") as tar:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in extra:
            tar.addfile(info, io.BytesIO(bytes(info.size)))
    return path


@pytest.fixture
def packed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_tgz(tmp_path / "archive.tgz")


def test_asked_campaigns_are_unpacked_and_the_others_are_known(packed):
    folder = download.unpacked(packed, ["wmt20", "none"])
    assert {path.name for path in folder.iterdir()} == {"wmt19", "wmt20"}
    assert (folder / "wmt20/system-outputs/en-de/A.b.txt").read_bytes() == b"eins\nzwei\n"
    assert [path.name for path in (folder / "wmt19").iterdir()] == []
    assert download.find_campaign(packed / "wmt19").parent == folder
    assert (folder / "wmt19/sources/en-de.txt").read_bytes() == b"other\n"
    with pytest.raises(Missing, match="has no campaign wmt21; it has wmt19, wmt20"):
        download.find_campaign(packed / "wmt21")
    # Of one that is gone or a folder, what is there is read.
    packed.unlink()
    assert download.unpacked(packed, ["wmt19"]) == folder
    assert download.unpacked(folder.parent, []) == download.unpacked(folder, []) == folder


def member(name, kind=tarfile.REGTYPE, size=0, link=""):
    info = tarfile.TarInfo(f"{TOP}/wmt20/{name}")
    info.type, info.size, info.linkname = kind, size, link
    return info


@pytest.mark.parametrize(
    "bad",
    [
        member("../../../out"),
        member("link", tarfile.SYMTYPE, link="/etc/passwd"),
        member("device", tarfile.CHRTYPE),
        member("bomb", size=2**21),
    ],
    ids=lambda info: Path(info.name).name,
)
def test_an_unsafe_or_huge_member_is_refused(tmp_path, monkeypatch, bad):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(download, "LEAST_LIMIT", 2**20)
    archive = write_tgz(tmp_path / "bad.tgz", bad)
    with pytest.raises(InputError, match=r"bad\.tgz is damaged, or no \.tgz of the official"):
        download.unpacked(archive, ["wmt20"])
    assert not list(tmp_path.rglob("out"))
    assert not list(tmp_path.rglob("en-de.txt"))


@pytest.mark.parametrize("size", [0, 10, 150, -6])
def test_an_archive_that_is_cut_or_something_else_is_refused(packed, size):
    packed.write_bytes(packed.read_bytes()[:size] if size else b"text")
    with pytest.raises(InputError, match=r"archive\.tgz is damaged"):
        download.unpacked(packed, ["wmt20"])


def test_wordnet_comes_from_debians_package_or_nltks_downloader_or_is_missing(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(nltk, "download", lambda *_, **__: False)
    with pytest.raises(Missing, match=r"METEOR needs WordNet 3\.0"):
        download.find_wordnet(tmp_path, tmp_path / "none")
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed/data.noun").write_text("x")
    download.find_wordnet(tmp_path / "nltk", tmp_path / "installed")
    corpus = tmp_path / "nltk/corpora/wordnet"
    assert {path.name for path in corpus.iterdir()} == {"data.noun", "index.sense", "lexnames"}
    assert len((corpus / "lexnames").read_text().splitlines()) == 45

    def fetched(_, download_dir, quiet):
        (download_dir / "corpora").mkdir()
        (download_dir / "corpora/wordnet.zip").touch()

    monkeypatch.setattr(nltk, "download", fetched)
    download.find_wordnet(tmp_path, tmp_path / "none")
