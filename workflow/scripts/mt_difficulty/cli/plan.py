"""What the workflow would do with a config: the workflow itself is asked, by a dry run."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from ..errors import InputError

RAISED = re.MULTILINE | re.DOTALL
PLAN = "PLAN "  # what workflow/plan.smk begins its line with


def checkout() -> Path:
    """The project's root.

    Raises
    ------
    InputError
        The package stands elsewhere.
    """
    for folder in (Path.cwd(), Path(__file__).resolve().parents[4]):
        if (folder / "workflow" / "plan.smk").is_file():
            return folder
    raise InputError(
        "validate asks the workflow itself, which is not part of an installed package. Run it in "
        "the project's folder, or as .venv/bin/mt-difficulty of the project."
    )


def ask(
    root: Path, config_file: Path, config: dict, archive: Path | None
) -> tuple[list[dict], list[str]]:
    """The workflow's plan for a config, and its problems.

    Where the whole is refused, the papers and each evaluation set are asked for on their own, so
    that every one of them can tell its first problem.

    Returns
    -------
    plans : list of dict
        As workflow/plan.smk prints them.
    problems : list of str
    """
    plan, problem = dry_run(root, [config_file], archive)
    if plan and not problem:
        return [plan], []
    plans, problems = [], []
    parts: list[dict] = [{"evaluation_sets": []}] * bool(config["papers"])
    parts += [{"papers": [], "evaluation_sets": [entry]} for entry in config["evaluation_sets"]]
    for part in parts:
        part |= {"complexity": {"reference_texts": None}}  # may be other sets
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(part, file)
            plan, trouble = dry_run(root, [config_file, Path(file.name)], archive)
        plans += [plan] if plan else []
        problems += [trouble] * bool(trouble)
    return plans, list(dict.fromkeys(problems or [problem]))


def dry_run(root: Path, config_files: list[Path], archive: Path | None) -> tuple[dict | None, str]:
    """The plan of one dry run, None if there is none, and its problem, if there is one."""
    command = [sys.executable, "-m", "snakemake", "all", "--dry-run", "--quiet", "all"]
    command += ["--snakefile", "workflow/plan.smk", "--configfile", *map(str, config_files)]
    command += ["--config", f"archive={archive}"] * bool(archive)
    done = subprocess.run(
        command,
        cwd=root,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
    )
    lines = done.stdout.splitlines()
    plan = next((line.removeprefix(PLAN) for line in lines if line.startswith(PLAN)), "null")
    return json.loads(plan), explain(done.stdout + done.stderr) if done.returncode else ""


def explain(output: str) -> str:
    """Snakemake's error without where in its files it was raised."""
    found = re.search(r"^\w+(?:Error|Exception)\b.*?\n(.*?)(?=^ *File |^Using |\Z)", output, RAISED)
    return " ".join((found[1] if found else output).split())
