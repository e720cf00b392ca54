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


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """An environment with the package and what it needs, and nothing else; made of the sdist."""
    folder = tmp_path_factory.mktemp("base")
    source = Project(tmp_path_factory.mktemp("source")).root
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*pip, "wheel", *offline, unpacked], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    (wheel,) = folder.glob("*.whl")
    pip += ["--python", folder / "env", "install", "-c", ROOT / "envs/requirements.txt"]
    subprocess.run([*pip, wheel], check=True)
    return folder / "env"


DEMO = ROOT / "data/demo"
CONFIG = (DEMO / "config.yaml").read_text().replace("data/demo", str(DEMO))


def validate(base, folder, config, **environment):
    (folder / "mine.yaml").write_text(config)
    command = [base / "bin/mt-difficulty", "validate", "mine.yaml"]
    return subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )


def test_validate_works_outside_a_checkout(base, tmp_path):
    """With the libraries of this Python, and without them."""
    libraries = {"PYTHONPATH": str(Path(yaml.__file__).parents[1])}
    done = validate(base, tmp_path, CONFIG, **libraries)
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo/en-de: reference refA, gold mqm; 12 systems, 260 segments; " in done.stdout
    done = validate(base, tmp_path, "papers: [liu2021]\n", **libraries)
    assert done.returncode == 1
    assert "no paper liu2021. There are: babych2004, liu2022, perrella2024, zhan2021" in done.stderr
    done = validate(base, tmp_path, CONFIG, PYTHONPATH="")
    assert (done.returncode, done.stderr) == (0, "")


HINT = "ERROR: {} is not installed: pip install 'mt-difficulty[workflow]'.\n"


def score(command, *arguments):
    demo = DEMO / "archive/demo"
    texts = ["--ref", demo / "references/en-de.refA.txt", "--lang", "de", "--hyp"]
    texts += [demo / f"system-outputs/en-de/{system}.txt" for system in ("oak", "ash")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    folder = ROOT / "workflow/scripts"  # where `-m` finds this package
    command = [*command, "score", *texts, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_the_base_installation_is_small_and_scores_with_the_same_numbers(base):
    (library,) = base.glob("lib/python*/site-packages")
    sizes = [path.stat().st_size for path in library.rglob("*") if path.is_file()]
    assert sum(sizes) < 480e6
    assert [x for x in ("torch", "scipy", "snakemake") if (library / x).exists()] == []
    of_base, here = [base / "bin/mt-difficulty"], [sys.executable, "-m", "mt_difficulty"]
    settings = ["--metric", "bleu", "chrf", "ter", "--format", "json", "--resamples", "100"]
    code, out, err = score(of_base, *settings)
    assert (code, out, err) == score(here, *settings)
    assert code == 0
    scores = json.loads(out)["scores"]
    assert {row["weighting"] for row in scores} == {"standard", "EE"}
    assert "toprule" in score(of_base, "--format", "latex")[1]
    source = DEMO / "archive/demo/sources/en-de.txt"
    rare = ["--difficulty", "rarity", "--src", source, "--src-lang", "en"]
    assert score(of_base, *rare) == (1, "", HINT.format("wordfreq"))
    code = "import mt_difficulty as md; print(md.score({'a': ['b c']}, ['b c']).scores.score[0])"
    done = subprocess.run([base / "bin/python", "-c", code], capture_output=True, text=True)
    assert done.stdout == "100.0\n", done.stderr
