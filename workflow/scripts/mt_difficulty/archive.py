"""Unpack campaigns of the official WMT metrics archive, mt-metrics-eval-v2.tgz."""

import gzip
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from mt_difficulty.errors import InputError, Missing, nearest
from mt_difficulty.storage import naming

UNPRINTABLE = "has a line break or another control character in its name"
TOP = "mt-metrics-eval-v2"
CHUNK = 1 << 16
DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError)
OWN_ARCHIVE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
# A bomb unpacks to more bytes, and to more times its size; texts shrink to a fifth or so.
BOMB_SIZE, BOMB_RATIO = 2**30, 100
HEADERS = 2**20  # bytes between two members, at most; an extended header has some hundreds


class _Bounded(gzip.GzipFile):
    """A gzip stream that is not read far beyond `bound`: tarfile reads headers into memory, however
    long they are."""

    bound = HEADERS

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > self.bound:
            raise _refused(Path(self.name), f"it has headers of more than {HEADERS:,} bytes")
        return super().read(size)


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
    with _reading(archive) as (stream, tar):
        for member in tar:
            stream.bound = tar.offset + HEADERS  # from where the next member begins
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
def _reading(archive: Path) -> Iterator[tuple[_Bounded, tarfile.TarFile]]:
    try:
        # Not "r|gz", which does not compare the CRC at the end of the gzip stream.
        with _Bounded(archive) as stream:
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                yield stream, tar
            drain(stream)
    except (*DAMAGE, RecursionError) as error:  # tarfile calls itself for each header of a member
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


def top_of(archive: Path) -> Path:
    """The folder of an unpacked archive's campaigns; a packed archive itself."""
    return archive / TOP if (archive / TOP).is_dir() else archive


def _copy_folder(archive: Path, campaign: str, folder: Path) -> set[str]:
    """Copy the campaign's files into `folder`; returns the campaigns in the archive."""
    top = top_of(archive)
    found = {path.name for path in top.iterdir() if path.is_dir()}
    for name in sorted(found):
        if not name.isprintable():
            raise _refusal(archive, name, UNPRINTABLE)
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
