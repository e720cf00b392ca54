"""One run at a time in a folder: a lock that the kernel lets go, however a run ends."""

import fcntl
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import IO

from .errors import InputError

LOCK = Path(".snakemake/run.lock")
_held: list[IO] = []  # files are locked as long as they are open


def begin_run(path: Path = LOCK) -> str:
    """Take the folder for this process and its jobs, until the last of them has ended.

    Returns
    -------
    str
        Empty, or a notice that the folder's file system knows no locks.

    Raises
    ------
    InputError
        Another run, or a job that one left behind, is at work.
    """
    file = _open(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        # Shared with the jobs from now on, and still not to be had alone.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"another run is at work in this folder: {_owner(file)}. Wait until it has ended, or "
            "run in another copy of the project. If that process was killed, a job that it began "
            "is still at work."
        ) from None
    except OSError as error:
        return (
            f"{path.parent.resolve()} is on a file system without locks ({error.strerror}): see to "
            "it that no other run is at work in this folder."
        )
    return ""


def join_run(path: Path = LOCK) -> None:
    """Keep the folder while a job is at work, which may outlive a run that is killed."""
    with suppress(OSError):  # no locks: the run has said so
        fcntl.flock(_open(path), fcntl.LOCK_SH)


def _open(path: Path) -> IO:
    file = open(path, "a+")  # noqa: SIM115
    _held.append(file)
    return file


def _owner(file: IO) -> str:
    file.seek(0)
    return file.read() or "one that has just begun"
