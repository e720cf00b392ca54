"""Packed archives as folders.

What a run needs of a packed archive is unpacked once, and counts from then on as an unpacked one:
by the content of its files, wherever they are. It happens when a run is planned, because which
results are up to date depends on it; later runs only compare the archive's size and times.
"""

import fcntl
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..errors import InputError
from .archive import NEITHER, TOP, check_campaign, extract, top_of
from .contents import checksums, remembered
from .downloads import WHOLE, damaged_files, list_sizes

# By the archive's SHA-256; the folder can be deleted at any time.
KEPT = Path(".snakemake/archives")


def unpacked(archive: Path, campaigns: Iterable[str]) -> Path:
    """The folder of an archive's campaigns; those of a packed one are unpacked first, in one pass.

    A campaign that is in the archive but was not asked for yet is an empty folder there.

    Parameters
    ----------
    archive : path
        A .tgz, or a folder: ``mt-metrics-eval-v2`` unpacked, or its parent.
    campaigns : iterable of str

    Raises
    ------
    InputError
        It is neither, is damaged, or has a link, a device or an unsafe path.
    """
    if archive.is_dir():
        return top_of(archive)
    if not archive.exists():
        return _folder_of(remembered(archive))
    if not archive.is_file():
        raise InputError(f"{archive} {NEITHER}")
    (sha256,) = checksums(archive.parent, [archive]).values()
    folder = _folder_of(sha256)
    KEPT.mkdir(parents=True, exist_ok=True)
    with open(KEPT / "lock", "w") as lock:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        spoilt = {path.relative_to(folder).parts[0] for path in damaged_files(folder)}
        for name in spoilt:
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / WHOLE).unlink(missing_ok=True)
        wanted = [name for name in sorted(campaigns) if not any(_listed(folder / name))]
        known = (folder / WHOLE).exists()
        if not known or any((folder / name).is_dir() for name in wanted):
            _keep(archive, wanted, folder)
    return folder


def _folder_of(sha256: str) -> Path:
    return KEPT / sha256[:16] / TOP


def find_campaign(folder: Path) -> Path:
    """The folder of a campaign, in that of an archive.

    Raises
    ------
    InputError
        The archive is neither a whole .tgz nor a folder.
    Missing
        It has no such campaign.
    """
    campaign, top = folder.name, folder.parent
    if not top.is_dir():
        top = unpacked(top, [campaign])
    found = {path.name for path in top.iterdir() if path.is_dir()}
    check_campaign(top.name, campaign, found)
    return top / campaign


def _listed(folder: Path) -> Iterable[Path]:
    return folder.iterdir() if folder.is_dir() else ()


def _keep(archive: Path, campaigns: Iterable[str], folder: Path) -> None:
    """Put campaigns into the folder of a packed archive, each as a whole; their list comes last."""
    staging = folder.parent / "unpacking"
    shutil.rmtree(staging, ignore_errors=True)  # of a run that was killed
    for name in campaigns:
        (staging / name).mkdir(parents=True)
    try:
        found = extract(archive, {name: staging / name for name in campaigns})
        os.sync()  # thousands of files at once
        for name in sorted(found):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in found.intersection(campaigns):
            (staging / name).rename(folder / name)  # takes the place of an empty folder
        folder.mkdir(parents=True, exist_ok=True)
        files = (path for path in folder.rglob("*") if path.is_file() and path.parent != folder)
        list_sizes(folder, (str(path.relative_to(folder)) for path in files))
    finally:
        shutil.rmtree(staging, ignore_errors=True)
