"""Unpack campaigns of the official WMT metrics archive, mt-metrics-eval-v2.tgz."""

import errno
import gzip
import shutil
import tarfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Self

from ..errors import InputError, Missing, nearest
from ..storage import naming

SPECIAL = "is a link, a sparse file or a special file"
NEITHER = "is no file and no folder; ARCHIVE is a .tgz or an unpacked folder"
UNPRINTABLE = "has a line break or another control character in its name"
TOP = "mt-metrics-eval-v2"
CHUNK = 1 << 16
DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError)
OWN_ARCHIVE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
# A bomb unpacks to more bytes, and to more times its size; texts shrink to a fifth or so.
BOMB_SIZE, BOMB_RATIO = 2**30, 100
# Bytes between two members, at most: an extended header has some hundreds. Python before 3.11.10
# needs seconds for 2**16 digits in one, and half an hour for 2**20.
HEADERS = 2**16
# Names that clash: twice the same, a file that is a folder too, too long for the file system.
CLASHES = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)


class _Bounded(gzip.GzipFile):
    """A gzip stream that is not read far beyond `bound`: tarfile reads headers into memory, however
    long they are. `found` says how far the members could be read."""

    bound = HEADERS
    why = f"it has headers of more than {HEADERS:,} bytes"
    found = "no member was found"

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > self.bound:
            raise _refused(Path(self.name), self.why)
        return super().read(size)


class _Member(tarfile.TarInfo):
    """A member whose damaged header is an error: tarfile takes it for the end of the archive."""

    @classmethod
    def frombuf(cls, *header: Any) -> Self:
        member = super().frombuf(*header)
        if member.size < 0:
            raise tarfile.HeaderError(f"a size of {member.size:,}")
        return member

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # zeros, the end
            raise
        except (tarfile.HeaderError, LookupError, ValueError) as error:
            # The last two come from extended headers, which have no checksum.
            raise tarfile.ReadError(f"{error or 'bad header'} at byte {tar.offset:,}") from error


def check_campaign(archive: str, campaign: str, found: Collection[str]) -> None:
    """Raise `Missing` where an archive has no such campaign."""
    if campaign not in found:
        campaigns = ", ".join(sorted(found)) or "none"
        hint = nearest(campaign, found, 0.85)  # another year is no slip
        raise Missing(f"{archive} has no campaign {campaign}; it has {campaigns}{hint}")


def extract(archive: Path, folders: Mapping[str, Path]) -> set[str]:
    """Write campaigns' members into the folder of each; returns the campaigns in the archive.

    Raises
    ------
    InputError
        The archive is damaged, or has a link, a device or an unsafe path.
    """
    found, size = set(), 0
    limit = max(BOMB_SIZE, BOMB_RATIO * archive.stat().st_size)
    with _reading(archive) as (stream, tar):
        for member in tar:
            stream.bound = tar.offset + HEADERS  # from where the next member begins
            stream.found = f"the last member found is {member.name!r}, to byte {tar.offset:,}"
            tar.members = []  # type: ignore[attr-defined]  # millions, in a bomb of them
            size = max(size + tarfile.BLOCKSIZE + member.size, tar.offset)
            if size > limit:
                raise _refusal(archive, member.name, f"brings it to {size:,} bytes: a zip bomb")
            path = PurePosixPath(member.name)
            owner = path.parts[1] if path.parts[:1] == (TOP,) and path.parts[1:] else None
            if owner and not owner.isprintable():
                raise _refusal(archive, member.name, UNPRINTABLE)
            if owner and path.parts[2:]:
                found.add(owner)
            if owner in (None, "..", *folders) and (path.is_absolute() or ".." in path.parts):
                raise _refusal(archive, member.name, "leads out of its folder")
            if owner and owner in folders:
                _write_member(archive, tar, member, folders[owner].joinpath(*path.parts[2:]))
        stream.bound, stream.why = limit, f"it unpacks to more than {limit:,} bytes: a zip bomb"
        _check_end(tar)
    return found


def _check_end(tar: tarfile.TarFile) -> None:
    """Read to the end, where gzip compares its CRC: a tar ends with two blocks of zeros, and has
    only zeros behind them. tarfile stops at the first block, and does not see a second archive."""
    place = end = tar.offset + tarfile.BLOCKSIZE
    while block := tar.fileobj.read(CHUNK):
        if data := block.lstrip(b"\0"):
            at = place + len(block) - len(data)
            raise tarfile.ReadError(f"more data at byte {at:,}, behind the end of the archive")
        place += len(block)
    if place < end + tarfile.BLOCKSIZE:
        raise tarfile.ReadError(f"no end of the archive at byte {tar.offset:,}")


@contextmanager
def _reading(archive: Path) -> Iterator[tuple[_Bounded, tarfile.TarFile]]:
    try:
        # Not "r|gz", which does not compare the CRC at the end of the gzip stream.
        with (
            _Bounded(archive) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as tar,
        ):
            yield stream, tar
    except (*DAMAGE, RecursionError) as error:  # tarfile calls itself for each header of a member
        raise InputError(
            f"{archive} is cut short or damaged ({error}; {stream.found}). Use another copy "
            f"({OWN_ARCHIVE}), or, if it was downloaded by this run, delete it and run again."
        ) from error


def _write_member(
    archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path
) -> None:
    if not (member.isfile() or member.isdir()) or member.issparse():
        raise _refusal(archive, member.name, SPECIAL)
    if not member.name.isprintable():
        raise _refusal(archive, member.name, UNPRINTABLE)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if member.isdir():
            target.mkdir(exist_ok=True)
        else:
            with naming(target), target.open("xb") as file:
                shutil.copyfileobj(tar.extractfile(member), file)  # type: ignore[arg-type]
    except OSError as error:
        if error.errno not in CLASHES:
            raise
        raise _refusal(archive, member.name, f"cannot be written ({error.strerror})") from error


def top_of(archive: Path) -> Path:
    """The folder of an unpacked archive's campaigns; a packed archive itself."""
    return archive / TOP if (archive / TOP).is_dir() else archive


def _refusal(archive: Path, name: object, why: str) -> InputError:
    return _refused(archive, f"its member {str(name)!r} {why}")


def _refused(archive: Path, why: str) -> InputError:
    return InputError(
        f"{archive} is refused: {why}. The official archive has only files and folders in {TOP}/; "
        f"use another copy: {OWN_ARCHIVE}"
    )


def drain(stream: gzip.GzipFile) -> None:
    """Read to the end, where gzip compares its CRC."""
    while stream.read(CHUNK):
        pass
