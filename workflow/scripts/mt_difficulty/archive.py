"""Fetch and unpack the official WMT metrics archive, mt-metrics-eval-v2.tgz."""

import gzip
import json
import os
import re
import shutil
import tarfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from mt_difficulty.errors import InputError, Missing, nearest
from mt_difficulty.storage import naming

UNPRINTABLE = "has a line break or another control character in its name"
TOP = "mt-metrics-eval-v2"
CHUNK = 1 << 16
TIMEOUT = (15, 60)  # seconds to connect, and between two pieces of the body
DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError)
OWN_ARCHIVE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
# A bomb unpacks to more bytes, and to more times its size; texts shrink to a fifth or so.
BOMB_SIZE, BOMB_RATIO = 2**30, 100


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
    Each mirror is asked up to `attempts` times while connections drop or the server errs
    (5xx), after `wait` seconds, then twice as many, and so on.

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
            problem = f"{error.response.status_code} {error.response.reason}"
            if error.response.status_code < 500:
                return problem
        except ValueError as error:  # a wrong checksum, a broken gzip, a URL that is none
            return str(error)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            problem = str(error)
    return f"{problem} ({attempts} attempts)"


class _ResumingDownloader:
    """A pooch downloader that keeps ``<name>.part`` and continues it with HTTP Range."""

    def __init__(self, destination: Path, check_gzip: bool) -> None:
        self.part = destination.with_name(destination.name + ".part")
        self.note = destination.with_name(destination.name + ".part.json")
        self.check_gzip = check_gzip

    def __call__(self, url: str, output_file: str, pooch: None) -> None:
        with naming(self.part):
            self._fetch(url)
        if self.check_gzip:
            self._read_through()
        os.replace(self.part, output_file)  # which pooch deletes if the checksum is wrong
        self.note.unlink()

    def _fetch(self, url: str) -> None:
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
            resumed = response.status_code == 206 and _continues(response.headers, offset, note)
            if offset and response.status_code in (206, 416) and not resumed:
                self._discard()  # the file has changed, and the server ignored If-Range
                return self._fetch(url)
            response.raise_for_status()
            if not resumed:
                offset, note = self._start(response.headers)
            self._append(response.raw, offset, note["size"])

    def _append(self, body: Any, offset: int, size: int | None) -> None:
        import requests
        from tqdm import tqdm

        # No bar in a log file: disable=None asks whether there is a terminal.
        bar = tqdm(total=size, initial=offset, unit="B", unit_scale=True, disable=None)
        with bar, self.part.open("ab") as file:
            for chunk in body.stream(CHUNK, decode_content=False):
                file.write(chunk)
                bar.update(len(chunk))
        received = self.part.stat().st_size
        if size is not None and received != size:
            raise requests.ConnectionError(f"got {received} of {size} bytes")

    def _partial(self) -> tuple[int, dict]:
        """The bytes that are there already, and the server's file that they belong to."""
        try:
            return self.part.stat().st_size, json.loads(self.note.read_text())
        except (FileNotFoundError, ValueError):
            return 0, {}

    def _start(self, headers: Mapping[str, str]) -> tuple[int, dict]:
        size = int(headers["Content-Length"]) if "Content-Length" in headers else None
        note = {"validator": _validator(headers), "size": size}
        # Empty the part first, so that the new note is never beside bytes of the old file.
        self.part.write_bytes(b"")
        self.note.write_text(json.dumps(note))
        return 0, note

    def _read_through(self) -> None:
        try:
            with gzip.open(self.part) as stream:
                if not stream.read(1):
                    raise EOFError("it is empty")
                _drain(stream)
        except DAMAGE as error:
            self._discard()
            raise ValueError(f"not a whole gzip file: {error}") from error

    def _discard(self) -> None:
        self.part.unlink()
        self.note.unlink()


def _validator(headers: Mapping[str, str]) -> str | None:
    """What If-Range compares: the ETag, or the date if that is weak (W/...) or absent."""
    etag = headers.get("ETag", "W/")
    return headers.get("Last-Modified") if etag.startswith("W/") else etag


def _continues(headers: Mapping[str, str], offset: int, note: dict) -> bool:
    """Whether a 206 response is the rest of the noted file."""
    same = _validator(headers) in (None, note["validator"])
    span = rf"bytes {offset}-\d+/{note['size']}"
    return same and re.fullmatch(span, headers.get("Content-Range", "")) is not None


def unpack_campaign(archive: Path, campaign: str, destination: Path) -> None:
    """Put one campaign's files at `destination`, which is replaced as a whole or not at all.

    `archive` is the .tgz, or a folder: ``mt-metrics-eval-v2`` unpacked, or its parent.
    `destination` takes the place of ``mt-metrics-eval-v2/<campaign>``.

    Raises
    ------
    InputError
        If `archive` does not exist, is damaged, or has a link, a device or an unsafe path.
    Missing
        If the archive has no such campaign.
    """
    if not archive.exists():
        raise InputError(f"{archive} does not exist; ARCHIVE is a .tgz or an unpacked folder")
    take = _copy_folder if archive.is_dir() else _extract
    with _replacing(destination) as folder:
        found = take(archive, campaign, folder)
        if campaign not in found:
            has = ", ".join(sorted(found)) or "none"
            has += nearest(campaign, found, 0.85)  # another year is no slip
            raise Missing(f"{archive.name} has no campaign {campaign}; it has {has}")
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def _replacing(destination: Path) -> Iterator[Path]:
    """A new folder, which takes the place of `destination` if the block succeeds."""
    staging = destination.with_name(f".{destination.name}.unpacking")
    shutil.rmtree(staging, ignore_errors=True)  # of a run that was killed
    new = staging / "new"
    new.mkdir(parents=True)
    try:
        yield new
        # Moved away before it is deleted: half a folder must never be at the destination.
        if destination.exists():
            destination.rename(staging / "old")
        new.rename(destination)
    finally:
        shutil.rmtree(staging)


def _extract(archive: Path, campaign: str, folder: Path) -> set[str]:
    """Write the campaign's members into `folder`; returns the campaigns in the archive."""
    found, size = set(), 0
    limit = max(BOMB_SIZE, BOMB_RATIO * archive.stat().st_size)
    with _reading(archive) as tar:
        for member in tar:
            size += tarfile.BLOCKSIZE + member.size
            if size > limit:
                raise _refusal(archive, member.name, f"brings it to {size:,} bytes: a zip bomb")
            path = PurePosixPath(member.name)
            owner = path.parts[1] if path.parts[:1] == (TOP,) and path.parts[1:] else None
            if owner and path.parts[2:]:
                found.add(owner)
            if owner not in (None, "..", campaign):
                continue
            if path.is_absolute() or ".." in path.parts:
                raise _refusal(archive, member.name, "leads out of its folder")
            if owner == campaign:
                if not (member.isfile() or member.isdir()):
                    raise _refusal(archive, member.name, "is a link or a special file")
                if not member.name.isprintable():
                    raise _refusal(archive, member.name, UNPRINTABLE)
                _write_member(tar, member, folder.joinpath(*path.parts[2:]))
    return found


@contextmanager
def _reading(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        # Not "r|gz", which does not compare the CRC at the end of the gzip stream.
        with gzip.open(archive) as stream:
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                yield tar
            _drain(stream)
    except DAMAGE as error:
        raise InputError(
            f"{archive} is cut short or damaged ({error}). Use another copy "
            f"({OWN_ARCHIVE}), or, if it was downloaded by this run, delete it and run again."
        ) from error


def _write_member(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        with naming(target), target.open("wb") as file:
            shutil.copyfileobj(tar.extractfile(member), file)  # type: ignore[arg-type]


def _copy_folder(archive: Path, campaign: str, folder: Path) -> set[str]:
    """Copy the campaign's files into `folder`; returns the campaigns in the archive."""
    top = archive / TOP if (archive / TOP).is_dir() else archive
    found = {path.name for path in top.iterdir() if path.is_dir()}
    if campaign in found:
        source = top / campaign
        for path in [source, *sorted(source.rglob("*"))]:
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise _refusal(archive, path.relative_to(archive), "is a link or a special file")
            if not str(path.relative_to(source)).isprintable():
                raise _refusal(archive, path.relative_to(archive), UNPRINTABLE)
            target = folder / path.relative_to(source)
            target.mkdir(exist_ok=True) if path.is_dir() else shutil.copyfile(path, target)
    return found


def _refusal(archive: Path, name: object, why: str) -> InputError:
    return InputError(
        f"{archive} is refused: its member {str(name)!r} {why}. The official archive has only "
        f"files and folders in {TOP}/; use another copy: {OWN_ARCHIVE}"
    )


def _drain(stream: gzip.GzipFile) -> None:
    """Read to the end, where gzip compares its CRC."""
    while stream.read(CHUNK):
        pass
