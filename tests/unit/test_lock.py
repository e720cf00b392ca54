"""Two runs in one folder, or with one folder of results, as processes of their own."""

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mt_difficulty.errors import InputError
from mt_difficulty.run import lock

PACKAGE = Path(lock.__file__).parents[1]


@pytest.fixture
def start():
    """Start a process that takes part in the locks, and holds them until it is killed."""
    started = []

    def start(call, project="."):
        code = f"from mt_difficulty.run import lock; lock.{call}; print()"
        process = subprocess.Popen(
            [sys.executable, "-c", f"{code}; input()"],
            cwd=project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(PACKAGE)},
        )
        started.append(process)
        assert process.stdout.readline() == b"\n"  # it has come so far
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """What this process takes in its folder is let go when the test ends."""
    monkeypatch.chdir(tmp_path)
    held = []
    monkeypatch.setattr(lock, "_held", held)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    yield tmp_path
    for file in held:
        file.close()


@pytest.mark.parametrize("results", ["results", "others"])
def test_a_second_run_is_told_of_the_first(start, results):
    first = start("begin_run('results')")
    with pytest.raises(InputError) as error:
        lock.begin_run(results)
    assert f"another run uses this folder: process {first.pid} on " in str(error.value)


def test_two_copies_of_the_project_share_no_results(start, folder):
    (folder / "copy").mkdir()
    results = str(folder / "results")
    first = start(f"begin_run({results!r})", folder / "copy")
    with pytest.raises(InputError) as error:
        lock.begin_run(results)
    assert f"another run uses {results}: process {first.pid} on " in str(error.value)


def test_nobody_is_alone_beside_a_run_or_its_jobs(start, folder):
    with lock.alone("results") as alone:
        assert alone
    assert list(folder.iterdir()) == []
    run = start("begin_run('results')")
    job = start("join_run('results')")
    for ended, expected in ((None, False), (run, False), (job, True)):
        if ended:
            ended.kill()
            ended.wait()
        with lock.alone("results") as alone:
            assert alone == expected


def test_to_be_alone_locks_files_that_are_open_for_writing(start, monkeypatch):
    """Others cannot be locked on NFS, where every run would seem to have ended."""
    start("begin_run('results')")
    flock = fcntl.flock

    def of_nfs(file, operation):
        if operation & fcntl.LOCK_EX and not file.writable():
            raise OSError(errno.EBADF, "Bad file descriptor")
        return flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", of_nfs)
    with lock.alone("results") as alone:
        assert not alone


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_ends_with_the_run(start, how):
    first = start("begin_run('results')")
    first.send_signal(how)
    first.wait()
    assert lock.begin_run("results") == []
    for file in (lock.lock_of_project(), lock.lock_of_results("results")):
        assert f"process {os.getpid()} on " in file.read_text()


def test_a_job_that_outlives_its_run_keeps_the_lock(start):
    first = start("begin_run('results')")
    jobs = [start("join_run('results')") for _ in range(2)]
    for process in (first, jobs[0]):
        process.kill()
        process.wait()
        with pytest.raises(InputError, match=f"process {first.pid} on .* one of its jobs is still"):
            lock.begin_run("results")
    jobs[1].kill()
    jobs[1].wait()
    assert lock.begin_run("results") == []


def test_a_job_whose_run_was_killed_before_it_began_gives_way_to_the_next(start, monkeypatch):
    first = start("begin_run('results')")
    first.kill()
    first.wait()
    lock.begin_run("results")
    lock.join_run("results")
    ours = os.environ[lock.RUN]
    monkeypatch.setitem(os.environ, lock.RUN, f"process {first.pid} on {socket.gethostname()}")
    reported = (
        rf"the run of this job, process {first.pid} on .*, has ended, and another has started "
        rf"since: {ours}"
    )
    with pytest.raises(InputError, match=reported):
        lock.join_run("results")


def refuse(monkeypatch):
    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(lock.fcntl, "flock", none)


def test_a_file_system_without_locks_is_reported(folder, monkeypatch):
    refuse(monkeypatch)
    assert lock.begin_run("results") == [
        f"{place} is on a file system without locks (Operation not supported): make sure that "
        "no other run uses it. Damaged results are not detected."
        for place in (folder / ".snakemake", folder / "results/logs")
    ]
    lock.join_run("results")


@pytest.mark.parametrize("locks", [True, False])
def test_the_locks_time_is_when_the_run_began(locks, monkeypatch):
    files = (lock.lock_of_project(), lock.lock_of_results("results"))
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(f"process {os.getpid()} on {socket.gethostname()}")
        os.utime(file, (0, 0))
    if not locks:
        refuse(monkeypatch)
    lock.begin_run("results")
    begun = [file.stat().st_mtime for file in files]
    assert min(begun) > 0
    lock.join_run("results")
    assert [file.stat().st_mtime for file in files] == begun
