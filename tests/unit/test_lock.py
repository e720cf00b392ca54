"""Two runs in one folder, as processes of their own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mt_difficulty import lock
from mt_difficulty.errors import InputError

PACKAGE = Path(lock.__file__).parents[1]


@pytest.fixture
def start():
    """Start a process that takes part in the lock, and holds it until it is killed."""
    started = []

    def start(call):
        code = f"from pathlib import Path; from mt_difficulty import lock; lock.{call}; print()"
        process = subprocess.Popen(
            [sys.executable, "-c", f"{code}; input()"],
            cwd=PACKAGE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        started.append(process)
        assert process.stdout.readline() == b"\n"  # it has come so far
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.lock"


@pytest.fixture(autouse=True)
def let_go(monkeypatch):
    """What this process takes is let go when the test ends."""
    held = []
    monkeypatch.setattr(lock, "_held", held)
    yield
    for file in held:
        file.close()


def test_a_second_run_is_told_of_the_first(start, file):
    first = start(f"begin_run(Path({str(file)!r}))")
    with pytest.raises(InputError) as error:
        lock.begin_run(file)
    assert f"another run is at work in this folder: process {first.pid} on " in str(error.value)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_ends_with_the_run(start, file, how):
    first = start(f"begin_run(Path({str(file)!r}))")
    first.send_signal(how)
    first.wait()
    assert lock.begin_run(file) == ""
    assert f"process {os.getpid()} on " in file.read_text()


def test_a_job_that_outlives_its_run_keeps_the_lock(start, file):
    first = start(f"begin_run(Path({str(file)!r}))")
    jobs = [start(f"join_run(Path({str(file)!r}))") for _ in range(2)]
    for process in (first, jobs[0]):
        process.kill()
        process.wait()
        with pytest.raises(InputError, match=f"process {first.pid} on .* a job that it began"):
            lock.begin_run(file)
    jobs[1].kill()
    jobs[1].wait()
    assert lock.begin_run(file) == ""


def test_a_file_system_without_locks_is_told(file, monkeypatch):
    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(lock.fcntl, "flock", none)
    assert lock.begin_run(file) == (
        f"{file.parent} is on a file system without locks (Operation not supported): see to it "
        "that no other run is at work in this folder."
    )
    lock.join_run(file)
