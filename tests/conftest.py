"""Fixtures that several tests share."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real data and oracles, which stands beside the repository."""
    folder = Path(os.environ.get("MT_DIFFICULTY_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is not there (set MT_DIFFICULTY_SHARED to its place)")
    return folder


@pytest.fixture(scope="session")
def excerpt(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an excerpt of the WMT data, unpacked: `<campaign>/references/...` and so on."""
    folder = tmp_path_factory.mktemp("archive")
    with tarfile.open(shared / "data" / "mt-metrics-eval-v2-excerpt.tgz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "mt-metrics-eval-v2"


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an NLTK data folder with WordNet, made as the workflow makes it."""
    import retrieve_wordnet
    from mt_difficulty.errors import InputError

    folder = tmp_path_factory.mktemp("nltk")
    try:
        retrieve_wordnet.retrieve(folder / "corpora" / "wordnet")
    except InputError as error:
        pytest.skip(str(error))
    return folder


class Project:
    """A copy of what the repository holds, to run workflows in."""

    COMMAND = (sys.executable, "-m", "snakemake", "--workflow-profile", "workflow/profiles/default")

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)

    def snakemake(self, *arguments: str, cores: int = 2, fails: bool = False) -> str:
        """Run snakemake in the copy; return what it printed."""
        done = subprocess.run(
            [*self.COMMAND, "--cores", str(cores), *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a copy of the project."""
    return Project(tmp_path_factory.mktemp("project"))
