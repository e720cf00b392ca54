"""Download the official WMT metrics archive, mt-metrics-eval-v2.tgz."""

import gzip
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..storage import naming
from .archive import CHUNK, DAMAGE, OWN_ARCHIVE, drain

TIMEOUT = (15, 60)  # seconds to connect, and of silence
PATIENCE = 120  # seconds in which another CHUNK must arrive, however busy the server looks


class _Stalled(Exception):
    """A server that sends, and gets nowhere."""


def download(
    urls: Sequence[str],
    destination: Path,
    sha256: str | None = None,
    attempts: int = 4,
    wait: float = 2.0,
) -> Path:
    """Download the archive from the first mirror that gives a whole one.

    A file that is at `destination` already, and has the checksum if one is given, is kept.
    A new one is ``<name>.part`` until its length and its SHA-256 are verified (without a
    checksum: its gzip stream, to the end); a later attempt or run resumes that part.
    Each mirror is asked up to `attempts` times while connections drop, the server errs (5xx) or
    sends less than 64 KiB in two minutes (CHUNK, PATIENCE), after `wait` seconds, then twice as
    many, and so on. To be called from the main thread, which alone gets a timer's signal.

    Raises
    ------
    InputError
        If no mirror gave a whole file, with what went wrong at each.
    """
    problems = []
    for url in urls:
        problem = _try_mirror(url, destination, sha256, attempts, wait)
        if problem is None:
            return destination
        problems.append(f"  {url}: {problem}")
    raise InputError(
        "\n".join([f"could not download {destination.name}:", *problems])
        + f"\nRun again (a partial download is resumed), or use a copy of your own: {OWN_ARCHIVE}"
    )


def _try_mirror(
    url: str, destination: Path, sha256: str | None, attempts: int, wait: float
) -> str | None:
    """Download from one mirror; returns what went wrong, or None."""
    import pooch
    import requests
    import urllib3

    downloader = _ResumingDownloader(destination, check_gzip=sha256 is None)
    for attempt in range(attempts):
        if attempt:
            time.sleep(wait * 2 ** (attempt - 1))
        try:
            pooch.retrieve(url, sha256, destination.name, destination.parent, downloader=downloader)
            return None
        except requests.HTTPError as error:
            problem = f"{error.response.status_code} {ascii(error.response.reason)[1:-1]}"
            if error.response.status_code < 500:
                return problem
        except ValueError as error:  # a wrong checksum, a broken gzip, a URL that is none
            return str(error)
        except (requests.RequestException, urllib3.exceptions.HTTPError, _Stalled) as error:
            problem = str(error)
    return f"{problem} ({attempts} attempts)"


class _ResumingDownloader:
    """A pooch downloader that keeps ``<name>.part`` and continues it with HTTP Range."""

    def __init__(self, destination: Path, check_gzip: bool) -> None:
        self.part = destination.with_name(destination.name + ".part")
        self.note = destination.with_name(destination.name + ".part.json")
        self.check_gzip = check_gzip

    def __call__(self, url: str, output_file: str, pooch: None) -> None:
        with naming(self.part), _in_time() as arrived:
            self._fetch(url, arrived)
        if self.check_gzip:
            self._read_through()
        os.replace(self.part, output_file)  # which pooch deletes if the checksum is wrong
        self.note.unlink()

    def _fetch(self, url: str, arrived: Callable[[int], None]) -> None:
        import requests

        offset, note = self._partial()
        if offset == note.get("size"):
            return  # complete already: an earlier run was stopped while it verified it
        # Some servers declare a .tgz as gzip-encoded: ask for, and read, the bytes as stored.
        headers = {"Accept-Encoding": "identity"}
        if offset:
            # (requests leaves a header out whose value is None)
            headers |= {"Range": f"bytes={offset}-", "If-Range": note["validator"]}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            status = response.status_code
            resumed = offset and status == 206 and _continues(response.headers, offset, note)
            if offset and status in (206, 416) and not resumed:
                self._discard()  # the file has changed, and the server ignored If-Range
                return self._fetch(url, arrived)
            response.raise_for_status()
            if not resumed:
                if status != 200:
                    raise ValueError(f"expected the whole file (200), got {status}")
                offset, note = self._start(response.headers)
            self._append(response.raw, offset, note["size"], arrived)

    def _append(
        self, body: Any, offset: int, size: int | None, arrived: Callable[[int], None]
    ) -> None:
        import requests
        from tqdm import tqdm

        # No bar in a log file: disable=None asks whether there is a terminal.
        bar = tqdm(total=size, initial=offset, unit="B", unit_scale=True, disable=None)
        with bar, self.part.open("ab") as file:
            for chunk in body.stream(CHUNK, decode_content=False):
                file.write(chunk)
                bar.update(len(chunk))
                arrived(len(chunk))
        received = self.part.stat().st_size
        if size is not None and received != size:
            raise requests.ConnectionError(f"got {received} of {size} bytes")

    def _partial(self) -> tuple[int, dict]:
        """The bytes that are there already, and the server's file that they belong to."""
        try:
            size, note = self.part.stat().st_size, json.loads(self.note.read_text())
        except (FileNotFoundError, ValueError, RecursionError):
            return 0, {}
        return (size, note) if _is_note(note) else (0, {})

    def _start(self, headers: Mapping[str, str]) -> tuple[int, dict]:
        length = headers.get("Content-Length")
        if length is not None and not re.fullmatch("[0-9]+", length):
            raise ValueError(f"expected a number as Content-Length, got {length!r}")
        note = {"validator": _validator(headers), "size": None if length is None else int(length)}
        # Empty the part first, so that the new note is never beside bytes of the old file.
        self.part.write_bytes(b"")
        self.note.write_text(json.dumps(note))
        return 0, note

    def _read_through(self) -> None:
        try:
            with gzip.open(self.part) as stream:
                if not stream.read(1):
                    raise EOFError("it is empty")
                drain(stream)
        except DAMAGE as error:
            self._discard()
            raise ValueError(f"not a whole gzip file: {error}") from error

    def _discard(self) -> None:
        self.part.unlink()
        self.note.unlink()


@contextmanager
def _in_time() -> Iterator[Callable[[int], None]]:
    """Raise `_Stalled` in the block when PATIENCE seconds pass without CHUNK bytes that it reports.

    A timer, since a server that drips bytes can hold up any read: of the status, a header, a chunk.
    """

    missing = 0

    def stop(*_: Any) -> None:
        raise _Stalled(f"gave up: less than {CHUNK:,} bytes in {PATIENCE} seconds")

    def arrived(size: int) -> None:
        nonlocal missing
        missing -= size
        if missing <= 0:
            missing = CHUNK
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    before = signal.signal(signal.SIGALRM, stop)
    arrived(0)
    try:
        yield arrived
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_note(note: Any) -> bool:
    """Whether a note is as `_start` writes them, and can be sent as a header."""
    match note:
        case {"validator": str(text), "size": int() | None}:
            return re.fullmatch("[!-~]([ -~]*[!-~])?", text) is not None
        case {"validator": None, "size": int() | None}:
            return True
    return False


def _validator(headers: Mapping[str, str]) -> str | None:
    """What If-Range compares: the ETag, or the date if that is weak (W/...) or absent."""
    etag = headers.get("ETag", "W/")
    return headers.get("Last-Modified") if etag.startswith("W/") else etag


def _continues(headers: Mapping[str, str], offset: int, note: dict) -> bool:
    """Whether a 206 response is the rest of the noted file."""
    same = _validator(headers) in (None, note["validator"])
    span = rf"bytes {offset}-\d+/{note['size']}"
    return same and re.fullmatch(span, headers.get("Content-Range", "")) is not None
