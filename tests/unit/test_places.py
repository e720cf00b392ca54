"""Places that cannot be written: the installation, the home folder."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest
from conftest import ROOT
from numba.core.caching import NullCache

from mt_difficulty import caches, compiled
from mt_difficulty.data import download

NOBODY = 65534
SCRIPTS = ROOT / "workflow/scripts"


class Nobody:
    """A user without a home, for whom `package`, a copy of the scripts, is read-only. `temporary`
    is the folder for temporary files, `own` one of the user's. A test that is not run by root runs
    as its own user."""

    def __init__(self, folder: Path):
        folder.chmod(0o755)  # others than root look into it
        self.folder, self.package = folder, folder / "package"
        self.temporary, self.own = folder / "temporary", folder / "own"
        for writable in (self.temporary, self.own):
            writable.mkdir()
            writable.chmod(0o1777)
        shutil.copytree(SCRIPTS, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        for place in [self.package, *self.package.rglob("*")]:
            place.chmod(0o555 if place.is_dir() else 0o444)
        self.user = os.getuid()
        self.prefix = []
        if self.user == 0:
            self.user = NOBODY
            ids = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            self.prefix = ["setpriv", *ids]
        self.cache = self.temporary / f"mt-difficulty-{self.user}"

    def run(self, *command, folder=None, text="", **environment):
        """Run a command with few environment variables, and `text` as its input; return the
        completed process."""
        given = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": "/nonexistent",
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(self.package),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            [*self.prefix, *map(str, command)],
            cwd=folder or self.own,
            env=given | environment,
            input=text,
            capture_output=True,
            text=True,
        )

    def python(self, *arguments, **environment):
        """Run Python; return what it printed to stdout. It must not fail, nor print to stderr."""
        done = self.run(sys.executable, *arguments, **environment)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture(scope="module")
def nobody():
    """Return what runs programs as an unprivileged user."""
    if os.getuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("no setpriv (util-linux) to run as another user")
    folder = Path(tempfile.mkdtemp(prefix="mt-difficulty-test-"))
    user = Nobody(folder)
    try:
        if user.run(sys.executable, "-c", "import numba, mt_difficulty").returncode:
            pytest.skip("another user cannot run this Python with its libraries")
        yield user
    finally:
        for place in [user.package, *user.package.rglob("*")]:
            place.chmod(0o755)
        shutil.rmtree(folder)


# Compiled functions

PHI = "from mt_difficulty.compiled.samples import phi; print(phi(0.0))"


def kept(folder):
    return sorted(path.name for path in folder.rglob("samples.phi*.nbi"))


def test_compiled_functions_are_kept_in_a_temporary_folder_between_runs(nobody):
    for run in ("first", "second"):
        assert float(nobody.python("-c", PHI)) == pytest.approx(0.5), f"{run} run"
        assert len(kept(nobody.cache)) == 1, f"{run} run"
    assert nobody.cache.stat().st_mode & 0o777 == 0o700
    assert nobody.cache.stat().st_uid == nobody.user


def test_a_cache_that_the_user_names_counts(nobody):
    named, others = nobody.own / "named", kept(nobody.cache)
    nobody.python("-c", PHI, NUMBA_CACHE_DIR=str(named))
    assert len(kept(named)) == 1
    home = nobody.own / "home"
    nobody.python("-c", PHI, HOME=str(home))
    assert len(kept(home / ".cache/numba")) == 1
    assert kept(nobody.cache) == others


def test_the_command_runs_without_a_place_of_its_own(nobody):
    texts = {"ref": "one two three\nfour five six\n", "a": "one two three\nfour six five\n"}
    for name, text in texts.items():
        (nobody.own / f"{name}.txt").write_text(text)
    command = ["-m", "mt_difficulty", "score", "ref.txt", "-i", "a.txt", "--lang", "en"]
    options = ["-m", "TER", "--difficulty", "disagreement", "--resamples", 10, "--quiet"]
    found = nobody.python(*command, *options)
    assert "TER, standard (lower is better)" in found


def test_without_any_place_functions_are_compiled_in_every_run(monkeypatch):
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(compiled, "temporary_cache", lambda name: None)
    twice = compiled.njit(cache=True)(lambda x: 2 * x)
    assert twice(np.int64(2)) == 4
    assert isinstance(twice._cache, NullCache)


def test_other_errors_of_numba_are_raised():
    def refuse(*_, **__):
        raise RuntimeError("another error")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(numba, "njit", lambda **_: refuse)
        with pytest.raises(RuntimeError, match="another error"):
            compiled.njit(cache=True)(len)


# Temporary caches


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"mt-difficulty-{os.getuid()}"


def test_a_temporary_cache_is_the_users_own(temporary):
    folder = caches.temporary_cache("numba")
    assert folder == temporary / "numba"
    assert caches.temporary_cache("numba") == folder
    assert temporary.stat().st_mode & 0o777 == 0o700
    temporary.chmod(0o770)
    assert caches.temporary_cache("numba") is None


@pytest.mark.parametrize("what", ["file", "link", "another user's"])
def test_a_temporary_cache_of_somebody_else_is_not_used(temporary, tmp_path, what):
    if what == "file":
        temporary.touch()
    elif what == "link":
        (tmp_path / "elsewhere").mkdir()
        temporary.symlink_to("elsewhere")
    elif os.getuid() == 0:
        temporary.mkdir(0o700)
        os.chown(temporary, NOBODY, NOBODY)
    else:
        pytest.skip("root alone can give a folder to another user")
    assert caches.temporary_cache("numba") is None


def test_without_a_folder_for_temporary_files_there_is_no_cache(monkeypatch):
    def nowhere():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert caches.temporary_cache("numba") is None


def test_a_folder_is_writable_if_it_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert caches.is_writable(tmp_path)
    assert caches.is_writable(tmp_path / "none/of/these")
    assert not caches.is_writable(tmp_path / "file")
    assert not caches.is_writable(tmp_path / "file/below")


# Other libraries


def test_matplotlib_does_not_warn(nobody):
    code = "import mt_difficulty.figures.plots, matplotlib; print(matplotlib.get_cachedir())"
    assert nobody.python("-c", code).strip() == str(nobody.cache / "matplotlib")
    named = nobody.own / "matplotlib"
    assert nobody.python("-c", code, MPLCONFIGDIR=str(named)).strip() == str(named)
    home = nobody.own / "of-matplotlib"
    assert nobody.python("-c", code, HOME=str(home)).strip() == str(home / ".cache/matplotlib")


def test_wordnet_is_kept_in_a_temporary_cache(tmp_path, monkeypatch):
    import nltk

    (tmp_path / "installed").mkdir()
    (tmp_path / "installed/data.noun").write_text("x")
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(download, "is_writable", lambda folder: False)
    monkeypatch.setattr(download, "temporary_cache", lambda name: tmp_path / name)
    download.find_wordnet(Path("/nonexistent/.cache/nltk"), tmp_path / "installed")
    assert (tmp_path / "nltk/corpora/wordnet/data.noun").is_file()
    assert nltk.data.path == [str(tmp_path / "nltk")]


# The pipeline


@pytest.fixture(scope="module")
def clone(nobody):
    """Return a copy of the project that belongs to the user."""
    folder = nobody.own / "clone"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if os.getuid() == 0:
        for place in [folder, *folder.rglob("*")]:
            os.chown(place, NOBODY, NOBODY)
    return folder


def test_snakemake_needs_no_home(nobody, clone):
    """A dry run, which looks for the home as a run does."""
    command = [sys.executable, "-m", "snakemake", "--cores", 1, "--dry-run", "--quiet"]
    options = ["--configfile", "config/config.yaml"]
    done = nobody.run(*command, *options, folder=clone)
    assert "PermissionError" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({}, True),
        ({"HOME": ""}, True),
        ({"HOME": "/"}, True),
        ({"HOME": "{own}"}, False),
        ({"HOME": "{own}/new"}, False),
        ({"XDG_CACHE_HOME": "{own}/cache"}, False),
    ],
)
def test_make_keeps_caches_in_the_project_if_the_home_cannot_be_written(
    nobody, clone, environment, named
):
    given = {name: value.format(own=nobody.own) for name, value in environment.items()}
    code = "export > caches.txt"  # what a program sees that make runs
    made = f"include Makefile\ncaches:\n\t@{code}\n"
    done = nobody.run("make", "-f", "-", "caches", folder=clone, text=made, **given)
    assert done.returncode == 0, done.stderr
    seen = (clone / "caches.txt").read_text()
    assert (f"XDG_CACHE_HOME='{clone}/.cache'" in seen.replace('"', "'")) == named
