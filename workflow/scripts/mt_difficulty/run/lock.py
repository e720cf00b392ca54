"""One run at a time in a project and in a folder of results: locks that the kernel lets go, however
a run ends."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..storage import naming

# The run that a job belongs to, in its environment: what stands in the locks.
RUN = "MT_DIFFICULTY_RUN"
_held: list[IO] = []  # files are locked as long as they are open


def lock_of_project() -> Path:
    """The lock of Snakemake's notes and of what is fetched once; written when a run begins."""
    return Path(".snakemake/run.lock")


def lock_of_results(results: str | Path) -> Path:
    """The lock of the results, which several copies of the project may name."""
    return Path(results, "logs/run.lock")


def begin_run(results: str | Path) -> list[str]:
    """Take the project and its results for this process and its jobs, until the last has ended.

    Jobs know their run by its environment.

    Returns
    -------
    list of str
        A notice of every folder whose file system knows no locks.

    Raises
    ------
    InputError
        Another run, or a job that one left behind, is at work.
    """
    os.environ[RUN] = f"process {os.getpid()} on {socket.gethostname()}"
    places = {"this folder": lock_of_project(), str(results): lock_of_results(results)}
    return list(filter(None, (_take(path, place) for place, path in places.items())))


def _take(path: Path, place: str) -> str:
    file = _open(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _sign(file, path)
        # Shared with the jobs from now on, and still not to be had alone.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"another run uses {place}: {path.read_text() or 'one that has just started'}. "
            "Wait until it ends, or use another copy of the project and another results folder. "
            "If that process was killed, one of its jobs is still running: "
            "`pgrep -af snakemake/scripts` lists it."
        ) from None
    except OSError as error:
        _sign(file, path)  # its time is when the run began
        return (
            f"{path.parent.resolve()} is on a file system without locks ({error.strerror}): make "
            "sure that no other run uses it. Damaged results are not detected."
        )
    return ""


@contextmanager
def alone(results: str | Path) -> Iterator[bool]:
    """Whether no run is at work, as far as locks tell; none can begin within the block."""
    free = True
    with ExitStack() as files:
        for path in (lock_of_project(), lock_of_results(results)):
            try:
                # NFS gives this lock only to a file that is open for writing.
                file = files.enter_context(open(path, "r+"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except FileNotFoundError:  # no run was here
                pass
            except OSError:  # a run is at work, or there are no locks to tell
                free = False
        yield free


def join_run(results: str | Path) -> None:
    """Keep both folders while a job is at work, which may outlive a run that is killed.

    Raises
    ------
    InputError
        The job's run was killed before the job began, and another run began since.
    """
    for path in (lock_of_project(), lock_of_results(results)):
        file = _open(path)
        with suppress(OSError):  # no locks: the run has said so
            fcntl.flock(file, fcntl.LOCK_SH)
        begun, ours = path.read_text(), os.environ.get(RUN)
        if ours not in (None, begun):
            raise InputError(
                f"the run of this job, {ours}, has ended, and another has started since: {begun}"
            )


def _open(path: Path) -> IO:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "a+")  # noqa: SIM115
    _held.append(file)
    return file


def _sign(file: IO, path: Path) -> None:
    with naming(path):
        file.truncate(0)
        file.write(os.environ[RUN])
        file.flush()
