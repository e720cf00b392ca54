"""Sets on which correlations and weightings cannot be had: empty fields with reasons, no crash."""

import shutil

import pytest
import tiny
import yaml

PAIR = "en-de"
SYSTEMS = [system for system in tiny.SYSTEMS if system != "refA"]


def identical(campaign):
    """Every system has the same hypotheses."""
    for system in SYSTEMS[1:]:
        shutil.copy(output(campaign, SYSTEMS[0]), output(campaign, system))


def one_hypothesis(campaign):
    """Every system says the same in every segment."""
    for system in SYSTEMS:
        output(campaign, system).write_text("Das ist ein Haus .\n" * tiny.SEGMENTS)


def perfect(campaign):
    """One system's hypotheses are the reference."""
    shutil.copy(campaign / f"references/{PAIR}.refA.txt", output(campaign, SYSTEMS[0]))


def equal_gold(campaign):
    """Humans find all systems alike."""
    lines = "".join(f"{system}\t-1.5\n" for system in SYSTEMS)
    (campaign / f"human-scores/{PAIR}.mqm.sys.score").write_text(lines)


def long_line(campaign):
    """One hypothesis has 100,000 characters."""
    lines = output(campaign, SYSTEMS[0]).read_text().splitlines(keepends=True)
    lines[0] = "Häuser " * 14_285 + "Hütte\n"
    output(campaign, SYSTEMS[0]).write_text("".join(lines))


CHANGES = (identical, one_hypothesis, perfect, equal_gold, long_line)


def output(campaign, system):
    return campaign / f"system-outputs/{PAIR}/{system}.txt"


@pytest.fixture(scope="module")
def edges(project):
    """The results of one run over all of them."""
    archive = project.root / "edges"
    for change in CHANGES:
        campaign = archive / change.__name__
        tiny.write_campaign(project.root / "data/demo/archive/demo", campaign)
        change(campaign)
    sets = [
        {"campaign": change.__name__, "pair": PAIR, "reference": "refA", "gold": "mqm"}
        for change in CHANGES
    ]
    config = tiny.CONFIG | {"archive": "edges", "results": "results/edges", "papers": []}
    config["evaluation_sets"] = sets
    config["metrics"] = {"chrF": {"type": "chrf"}, "BERTScore": {"type": "bertscore"}}
    config.pop("truth")
    (project.root / "edges.yaml").write_text(yaml.safe_dump(config))
    project.snakemake("--configfile", "edges.yaml")
    return project.root / "results/edges"
