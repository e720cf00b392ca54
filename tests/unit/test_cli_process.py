"""`mt-difficulty` as a process: streams that are closed or full, other encodings, interruptions."""

import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

MODULE = [sys.executable, "-m", "mt_difficulty"]
FILES = [
    "--ref",
    "ref.txt",
    "--hyp",
    "oak.txt",
    "bidi\u202e.txt",
    b"bytes\xff.txt",
    "esc\x1b[31m.txt",
]
HARD = ["hard", *FILES, "--lang", "de"]
HARD_JSON = ["hard", *FILES, "--format", "json"]
SCORE = ["score", *FILES, "--resamples", "20"]
NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Texts of the demo under names that are hard to print."""
    folder = tmp_path_factory.mktemp("texts")
    demo = ROOT / "data/demo/archive/demo"
    (folder / "ref.txt").write_bytes((demo / "references/en-de.refA.txt").read_bytes())
    outputs = sorted((demo / "system-outputs/en-de").glob("[a-o]*.txt"))
    for name, output in zip(FILES[3:], outputs, strict=False):
        (folder / os.fsdecode(name)).write_bytes(output.read_bytes())
    return folder


def run(folder, arguments, redirected="", **environment):
    """The command in a process with streams redirected as a shell does it."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", *MODULE, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "workflow/scripts"), "PATH": os.defpath, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("arguments", "redirected", "message"),
    [
        (HARD, "1>&-", b"ERROR: stdout is closed. "),
        (["--help"], "1>&-", b"ERROR: stdout is closed. "),
        (HARD, "0<&- 1>&-", b"ERROR: stdout is closed. "),
        (HARD, "1>&- 2>&-", b""),
        (HARD, "1>/dev/full", b"ERROR: stdout: No space left on device. "),
        ([*HARD, "--top", "260"], "1>/dev/full", b"ERROR: stdout: No space left on device. "),
        (["--help"], "1>/dev/full", b"ERROR: stdout: No space left on device. "),
        (HARD, "1</dev/null", b"ERROR: stdout: Bad file descriptor."),
        (HARD, "1>/dev/full 2>&1", b""),
    ],
)
def test_results_that_cannot_be_written_are_an_error(folder, arguments, redirected, message):
    # Without Python's buffer, argparse is the one who sees that the help cannot be written.
    unbuffered = {"PYTHONUNBUFFERED": "1"} if arguments == ["--help"] else {}
    done = run(folder, arguments, redirected, **unbuffered)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(message)
    assert done.stderr.count(b"\n") == bool(message)


@pytest.fixture(scope="module")
def whole(folder):
    """What `hard` prints where nothing is in its way."""
    done = run(folder, HARD_JSON)
    assert done.stderr.startswith(b"notice: ")
    return done


@pytest.mark.parametrize("redirected", ["2>&-", "0<&- 2>&-", "2>/dev/full", "2</dev/null"])
def test_notices_that_cannot_be_written_leave_results_as_they_are(folder, whole, redirected):
    done = run(folder, HARD_JSON, redirected)
    assert (done.returncode, done.stdout, done.stderr) == (0, whole.stdout, b"")
    wrong = run(folder, ["hard", "--ref", "none", "--hyp", "none"], redirected)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (1, b"", b"")
    wrong = run(folder, ["hard"], redirected)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, b"", b"")


@pytest.fixture(scope="module")
def expected(folder):
    """The scores as UTF-8."""
    return run(folder, [*SCORE, "--format", "json"], PYTHONUTF8="1").stdout


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, NO_UTF8],
    ids=["ascii", "latin-1", "C"],
)
def test_other_encodings_lose_nothing(folder, expected, environment):
    done = run(folder, [*SCORE, "--format", "json"], **environment)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"\\u202e" in expected
    if environment is not NO_UTF8:  # where names of files are other strings
        assert json.loads(done.stdout) == json.loads(expected)
    for form in ("text", "latex"):
        done = run(folder, [*SCORE, "--format", form], **environment)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        assert b"esc\x1b" not in done.stdout


def test_names_are_escaped_as_python_writes_them(folder):
    done = run(folder, SCORE, PYTHONUTF8="1")
    for name in ("oak", r"bidi\u202e", r"bytes\udcff", r"esc\x1b[31m"):
        assert done.stdout.count(f"  {name}  ".encode()) == 2
    latex = run(folder, [*SCORE, "--format", "latex"], PYTHONUTF8="1").stdout
    assert rb"esc\textbackslash{}x1b[31m" in latex
    names = json.loads(run(folder, [*SCORE, "--format", "json"]).stdout)["systems"]
    assert names == ["oak", "bidi\u202e", "bytes\udcff", "esc\x1b[31m"]
    wrong = run(folder, ["hard", "--ref", "a\nERROR: b", "--hyp", b"\xff"], PYTHONUTF8="1")
    assert wrong.stderr == rb"ERROR: a\nERROR: b: No such file or directory." + b"\n"


@pytest.mark.parametrize(
    "module",
    ["mt_difficulty.errors", "argparse", "numpy", "mt_difficulty.metrics", "numba"],
)
def test_an_interruption_in_the_midst_of_imports_ends_quietly(folder, module):
    """Python names every module on stderr as soon as it is imported."""
    running = subprocess.Popen(
        [sys.executable, "-X", "importtime", *MODULE[1:], *HARD],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "workflow/scripts")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for line in running.stderr:
        if line.split()[-1].decode() == module:
            running.send_signal(signal.SIGINT)
            break
    else:
        pytest.fail(f"{module} was never imported")
    out, err = running.communicate()
    assert (running.returncode, out) == (130, b"")
    assert all(line.startswith(b"import time:") for line in err.splitlines())
