"""The package as `pip install` puts it, away from the project."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Project


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment with the package's wheel, and its folder; libraries are this one's."""
    folder = tmp_path_factory.mktemp("installed")
    source = Project(tmp_path_factory.mktemp("source")).root
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    built = [*pip, "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, source]
    subprocess.run(built, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env/bin/python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (wheel,) = folder.glob("*.whl")
    unpack(wheel, library, folder / "env")
    others = Path(yaml.__file__).parents[1]
    (folder / "env" / library / "others.pth").write_text(f"{others}\n")
    return python


def unpack(wheel, library, environment):
    """Install a wheel: modules into the library, data into the environment."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, _, rest = name.partition(".data/data/")
            place = environment / rest if rest else environment / library / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(name))


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
