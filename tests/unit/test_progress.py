"""Progress of jobs where stderr is no terminal, and jobs that are interrupted."""

import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import ROOT

SCRIPTS = ROOT / "workflow/scripts"


def python(script):
    """Start a script of the workflow that has `job` at hand."""
    start = f"import sys, time; sys.path.insert(0, {str(SCRIPTS)!r}); import job\n"
    return subprocess.Popen(
        [sys.executable, "-c", start + textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell, tests among them, may ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_long_step_shows_lines_with_the_time_left():
    """Three steps of two seconds, and a line each 1.5 seconds."""
    running = python(
        """
        job.LINE_SECONDS = 1.5
        for step in job.progress("e5 en-de", "blocks")([1, 2, 3]):
            time.sleep(2)
        """
    )
    _, error = running.communicate(timeout=60)
    lines = error.splitlines()
    assert lines[0].startswith("e5 en-de: 0 of 3 (blocks), 00:0")
    assert lines[0].endswith(", ? left")
    done = [
        int(re.fullmatch(r"e5 en-de: (\d) of 3 .*, 00:\d\d left", line)[1]) for line in lines[1:]
    ]
    assert done == sorted(done)
    assert {1, 2} >= set(done) > set()


def test_quick_steps_show_nothing():
    running = python("assert list(job.progress('x', 'steps')([1, 2])) == [1, 2]")
    assert running.communicate(timeout=60) == ("", "")
    assert running.returncode == 0


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interrupted_job_says_so_without_a_traceback(tmp_path, signals):
    running = python(
        f"""
        from types import SimpleNamespace
        log = [{str(tmp_path / "x.log")!r}]
        snakemake = SimpleNamespace(rule="match_tokens", log=log, output=[])

        @job.job
        def main(snakemake):
            import torch
            print("ready", flush=True)
            for step in job.progress("e5", "blocks")([1, 2]):
                time.sleep(60)
        """
    )
    assert running.stdout.readline() == "ready\n"
    for _ in range(signals):
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
    _, error = running.communicate(timeout=60)
    assert error == "match_tokens was interrupted\n"
    assert running.returncode == 130


def test_a_job_that_is_interrupted_while_it_imports_has_no_traceback(tmp_path):
    """As Snakemake runs it: `snakemake` is there before the script's imports."""
    script = f"""
        import os, signal, sys
        from types import SimpleNamespace
        sys.path.insert(0, {str(SCRIPTS)!r})
        snakemake = SimpleNamespace(rule="match_tokens", log=[{str(tmp_path / "x.log")!r}])
        from job import job
        os.kill(os.getpid(), signal.SIGINT)

        @job
        def main(snakemake):
            raise AssertionError
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stderr) == (130, "match_tokens was interrupted\n")
