"""The package as `pip install` puts it, away from the project."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Project

pytestmark = pytest.mark.slow


PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def install(source, folder, *options):
    """An environment with the package of a source tree, made as a wheel."""
    offline = ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*PIP, "wheel", *offline, "--wheel-dir", folder, source], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    (wheel,) = folder.glob("*.whl")
    command = [*PIP, "--python", folder / "env", "install", *options, wheel]
    subprocess.run(command, check=True)
    (library,) = (folder / "env").glob("lib/python*/site-packages")
    return folder / "env", library


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of an environment with the package alone; libraries are this one's."""
    folder, source = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("source")
    environment, library = install(Project(source).root, folder, "--no-deps", "--no-index")
    (library / "others.pth").write_text(f"{Path(yaml.__file__).parents[1]}\n")
    return environment / "bin/python"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """An environment with the package and what it needs, and nothing else; made of the sdist."""
    folder = tmp_path_factory.mktemp("base")
    source = Project(tmp_path_factory.mktemp("base_source")).root
    made = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", made], cwd=source, check=True, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return install(unpacked, folder, "-c", ROOT / "envs/requirements.txt")[0]


def validate(python, folder, *arguments):
    code = "import sys, mt_difficulty.cli as cli; sys.exit(cli.main())"
    done = subprocess.run(
        [python, "-c", code, "validate", *arguments], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_validate_works_outside_a_checkout(installed, tmp_path):
    demo = ROOT / "data/demo"
    mine = (demo / "config.yaml").read_text().replace("data/demo", str(demo))
    (tmp_path / "mine.yaml").write_text(mine)
    code, out, err = validate(installed, tmp_path, "mine.yaml")
    assert (code, err) == (0, "")
    assert "demo/en-de: reference refA, gold mqm\n  12 systems, 260 segments\n" in out
    (tmp_path / "mine.yaml").write_text("papers: [liu2021]\n")
    code, _, err = validate(installed, tmp_path, "mine.yaml")
    assert code == 1
    assert "no paper liu2021. There are: babych2004, liu2022, zhan2021 (did you mean" in err


def score(command, *arguments):
    demo = ROOT / "data/demo/archive/demo"
    texts = ["--ref", demo / "references/en-de.refA.txt", "--lang", "de", "--hyp"]
    texts += [demo / f"system-outputs/en-de/{system}.txt" for system in ("oak", "ash")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*command, "score", *texts, *arguments], capture_output=True, text=True, env=environment
    )
    return done.returncode, done.stdout, done.stderr


def test_the_base_installation_is_small_and_scores_with_the_same_numbers(base):
    (library,) = base.glob("lib/python*/site-packages")
    sizes = [path.stat().st_size for path in library.rglob("*") if path.is_file()]
    assert sum(sizes) < 250e6
    assert not any((library / name).exists() for name in ("torch", "numba", "snakemake"))
    of_base, here = [base / "bin/mt-difficulty"], [sys.executable, "-m", "mt_difficulty"]
    settings = ["--metric", "bleu", "chrf", "ter", "--format", "json", "--resamples", "100"]
    code, out, err = score(of_base, *settings)
    assert (code, out, err) == score(here, *settings)
    assert code == 0
    scores = json.loads(out)["scores"]
    assert {row["weighting"] for row in scores} == {"standard", "EE"}
    assert "toprule" in score(of_base, "--format", "latex")[1]


def test_what_the_base_installation_lacks_is_named(base):
    command = [base / "bin/mt-difficulty"]
    source = ROOT / "data/demo/archive/demo/sources/en-de.txt"
    rare = ["--difficulty", "rarity", "--src", source, "--src-lang", "en"]
    hint = "ERROR: wordfreq is not installed: pip install 'mt-difficulty[workflow]'.\n"
    assert score(command, *rare) == (1, "", hint)
    done = subprocess.run([*command, "validate", "x.yaml"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == hint.replace("wordfreq", "pydantic")


def test_the_base_installation_has_the_python_interface(base):
    code = "import mt_difficulty as md; print(md.score({'a': ['b c']}, ['b c']).scores.score[0])"
    done = subprocess.run([base / "bin/python", "-c", code], capture_output=True, text=True)
    assert done.stdout == "100.0\n", done.stderr
