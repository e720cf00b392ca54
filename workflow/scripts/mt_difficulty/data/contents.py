"""What input files hold, by SHA-256: a run goes by content, not by names and times of files.

Checksums are remembered with size, inode and times, so that unchanged gigabytes are read once.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from ..storage import naming

MEMORY = Path(".snakemake/contents.json")
# A file that changed within the clock's resolution after it was read would keep its times.
SETTLED = 2.0  # s


def checksum(path: str | Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksums(location: str | Path, files: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of files, by their path in the folder `location`."""
    place, sums = os.path.realpath(location), {}
    memory = _remembered()
    before = dict(memory)
    for path in files:
        name = os.path.relpath(path, location)
        key, state = os.path.join(place, name), os.stat(path)
        marks = [state.st_size, state.st_ino, state.st_mtime_ns, state.st_ctime_ns]
        if memory.get(key, [])[:-1] == marks:
            sums[name] = memory[key][-1]
            continue
        sums[name] = checksum(path)
        if time.time() - state.st_ctime > SETTLED:
            memory[key] = [*marks, sums[name]]
    if memory != before:
        MEMORY.parent.mkdir(exist_ok=True)
        with naming(MEMORY):
            # Jobs may write at the same time, so that each has a temporary file.
            with NamedTemporaryFile("w", dir=MEMORY.parent, delete=False) as file:
                json.dump(memory, file, sort_keys=True)
            os.replace(file.name, MEMORY)
    return sums


def remembered(path: str | Path) -> str:
    """The SHA-256 of a file when it was looked at last, though it be gone; "" if it never was."""
    return _remembered().get(os.path.realpath(path), [""])[-1]


@cache
def _remembered() -> dict[str, list]:
    """Size, inode, times and SHA-256 of files, by path; empty where the memory is not readable."""
    try:
        found = dict(json.loads(MEMORY.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
    return {key: known for key, known in found.items() if isinstance(known, list) and known}
