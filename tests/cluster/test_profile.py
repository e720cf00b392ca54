"""What goes to a cluster, and what each job asks for; no cluster is needed."""

import os
import re
import sys
from pathlib import Path

import yaml
from conftest import Project

from mt_difficulty.plan.records import keep_records

WORKFLOW = Path(__file__).parents[2] / "workflow"
RULES = dict(
    rule
    for file in sorted((WORKFLOW / "rules").glob("*.smk"))
    for rule in re.findall(r"^rule (\w+):\n((?:    .*\n|\n)+)", file.read_text(), re.MULTILINE)
)
LOCAL = {name for name, body in RULES.items() if "localrule: True" in body}
SUBMITTED = {name for name, body in RULES.items() if re.search("script:|shell:", body)} - LOCAL


def test_what_needs_the_network_is_not_submitted():
    network = {"retrieve_archive", "retrieve_wordnet", "retrieve_encoder"}
    short = {
        "import_texts",
        "import_gold",
        "average_sets",
        "render_report",
        "summarise_run",
        "rank_estimators",
    }
    assert network | short == LOCAL


def test_all_but_jobs_of_encoders_and_programs_are_grouped():
    profile = yaml.safe_load((WORKFLOW / "profiles/slurm/config.yaml").read_text())
    groups = dict(entry.split("=") for entry in profile["groups"])
    variants = {"build_correlations"}  # of build_table: `use rule`
    assert set(groups) == SUBMITTED - {"match_tokens", "run_metric"} | variants
    assert set(groups.values()) == {"set", "report"}


def test_every_submitted_job_says_what_it_needs():
    assert len(SUBMITTED) > 15
    for name in SUBMITTED:
        own = re.search(r"mem_mb=\w+", RULES[name]) and re.search(r"runtime=\w+", RULES[name])
        assert own or "**needs(" in RULES[name], name
        assert '"<logs>/' in RULES[name], name


def test_memory_grows_with_the_texts_and_with_attempts(project, monkeypatch):
    """A set of 1 MB, and one that is not here yet."""
    settings = {"papers": [], "archive": "data/demo/archive", "results": "results/sizes"}
    entry = {"campaign": "demo", "reference": "refA", "gold": "mqm", "metrics": ["BLEU"]}
    settings["evaluation_sets"] = [entry | {"pair": pair} for pair in ("en-de", "en-zh")]
    (project.root / "sizes.yaml").write_text(yaml.safe_dump(settings))
    monkeypatch.chdir(project.root)
    keep_records("results/sizes")  # as a run does
    here = project.root / "results/sizes/demo/en-de"
    here.mkdir(parents=True)
    (here / "texts.json").write_bytes(b" " * 1_000_000)
    file = "difficulty/chunk_entropy.npz"
    targets = [f"results/sizes/demo/{pair}/{file}" for pair in ("en-de", "en-zh")]
    options = ["-n", "--quiet", "host", "--attempt", "2", "--configfile", "sizes.yaml"]
    output = project.snakemake(*targets, *options)
    assert targets[0] in output
    asked = re.findall(r"resources:(?=.*mem_mb=(\d+))(?=.*runtime=(\d+))", output)
    asked = {(int(memory), int(minutes)) for memory, minutes in asked}
    assert asked == {(2 * (800 + 80), 2 * (5 + 2)), (2 * (800 + 8 * 80), 2 * (5 + 2 * 8))}


def test_make_plan_lists_the_jobs_of_every_rule_and_runs_none(tmp_path):
    """With the profile of a cluster, whether or not this machine has one."""
    project = Project(tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    command = ["make", "--no-print-directory", "--assume-old=.venv/installed", "plan"]
    command += ["PROFILE=slurm", "ACCOUNT=all"]
    command += ["CONFIG=data/demo/config.yaml", "TARGET=results/demo/demo/en-de/correlations.csv"]
    output = project.run(command, None)
    listed = re.findall(r"^ *(score systems|total) +\d+ *$", output, re.MULTILINE)
    assert listed == ["score systems", "total"]
    assert re.search(r"total +\d+\s*\Z", output)  # the last line
    assert not list(tmp_path.glob("results/demo/*"))


def test_what_slurm_says_of_an_unknown_partition_is_printed(tmp_path):
    project = Project(tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    sbatch = tmp_path / "bin/sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text("#!/bin/sh\necho sbatch: error: invalid partition: $* >&2\nexit 1\n")
    sbatch.chmod(0o755)
    resources = "default-resources: [slurm_account=lab, slurm_partition=short]"
    profile = tmp_path / "workflow/profiles/slurm/config.yaml"
    for named, asked in (["PARTITION=short"], ""), ([], " --account=lab"):
        command = ["make", "--assume-old=.venv/installed", "paper", "PROFILE=slurm", *named]
        output = project.run(command, None, True, PATH=f"{sbatch.parent}:{os.environ['PATH']}")
        message = f"sbatch: error: invalid partition: --test-only{asked} --partition=short"
        assert message in output, command
        assert "DAG" not in output, command
        profile.write_text(profile.read_text().replace("default-resources: []", resources))
