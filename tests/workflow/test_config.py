"""Dry runs, lint, and configs that are wrong."""

import subprocess
import sys

import pytest
import yaml

DEMO = "data/demo/config.yaml"


def test_dry_run_of_the_paper_run(project):
    output = project.snakemake("-n")
    for rule in ("retrieve_archive", "align_hypotheses", "ablate_weighting", "audit_papers"):
        assert rule in output


def test_partial_targets_of_a_paper(project):
    output = project.snakemake("liu2022_table1", "-n")
    assert "build_table" in output
    assert "score_segments" not in output


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"sede": 1}, "'sede' was unexpected"),
        ({"seed": "one"}, "'one' is not of type 'integer'"),
        ({"archive": "nowhere.tgz"}, "archive: no such file or folder: nowhere.tgz"),
        ({"papers": ["liu2021"]}, "no paper liu2021. There are: babych2004, liu2022"),
        (
            {"evaluation_sets": [{"campaign": "demo", "pair": "en-de", "reference": "refA"}]},
            "'gold' is a required property",
        ),
        ({"EE": {"aligner": "giza"}}, "'giza' is not one of"),
        ({"DA": {"unseen": "zero"}}, "'zero' is not one of"),
        (
            {"complexity": {"reference_texts": {"en-de": "wmt99/en-de"}}},
            "reference_texts: wmt99/en-de is no set of en-de; there are: ",
        ),
        ({"encoders": {"mine": {"layer": 3}}}, "{'layer': 3} is not valid under any of the given"),
        ({"substitute_encoders": {"en_de": "mine"}}, "'en_de' does not match"),
        ({"substitute_encoders": {"de": "tiny"}}, "substitute_encoders: no encoder tiny; config."),
        (
            {"encoders": {"mine": {"folder": "x"}}, "substitute_encoders": {"de": "mine"}},
            "config, encoders, mine: bert-score knows no layer of mine; set `layer`.",
        ),
    ],
)
def test_a_wrong_config_is_named(project, config, message):
    file = project.root / "wrong.yaml"
    file.write_text(yaml.safe_dump(config))
    assert message in project.snakemake("-n", "--configfile", DEMO, "wrong.yaml", fails=True)


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (entry(metrics=["BLEU", "COMET"]), "no metric COMET; config.metrics has: "),
        (entry(campaign="demi"), "archive has no campaign demi; it has demo"),
        (entry(reference="refZ"), "no reference refZ for en-de. There are: refA."),
        (entry(gold="da"), "Human scores of en-de here: mqm."),
        (entry(exclude=["oka"]), "no system oka (did you mean oak?)"),
    ],
)
def test_a_wrong_evaluation_set_is_named(project, config, message):
    settings = {"evaluation_sets": [config], "results": "results/wrong"}
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(settings))
    output = project.snakemake("--configfile", DEMO, "wrong.yaml", fails=True)
    assert message in output


def planned(project, entries, papers=()):
    """The files that a run of these entries would make, or its error."""
    settings = {"evaluation_sets": entries, "results": "results/planned", "papers": [*papers]}
    settings["archive"] = "data/demo/archive"
    (project.root / "planned.yaml").write_text(yaml.safe_dump(settings))
    arguments = ["-n", "--configfile", "planned.yaml", "--quiet", "host"]
    return project.snakemake(*arguments, fails=len(entries) > 1 and entries[0] == entries[1])


def test_two_sets_of_one_pair_stand_apart(project):
    output = planned(project, [entry(), entry(exclude=["oak"])])
    assert "results/planned/demo/en-de/system_scores.csv" in output
    assert "results/planned/demo/en-de.refA.mqm/system_scores.csv" in output


def test_a_set_that_is_named_twice_is_refused(project):
    output = planned(project, [entry(), entry()])
    assert "config, evaluation_sets: demo/en-de is named twice." in output


def test_a_papers_set_keeps_its_protocol(project):
    mine = entry(campaign="wmt19", pair="en-de", reference="ref", gold="wmt-z")
    output = planned(project, [mine], papers=["liu2022"])
    # The paper gives h and w, the entry does not: another set.
    assert "results/planned/wmt19/en-de.ref.wmt-z/difficulty.json" in output
    assert "results/planned/wmt19/en-de/difficulty.json" in output


@pytest.mark.parametrize("papers", [["liu2022", "zhan2021"], ["zhan2021", "liu2022"]])
def test_papers_may_be_named_in_any_order_and_the_config_may_differ(project, papers):
    settings = {"papers": papers, "evaluation_sets": [], "archive": "data/demo/archive"}
    settings |= {"EE": {"aligner": "exact"}, "results": "results/planned"}
    (project.root / "planned.yaml").write_text(yaml.safe_dump(settings))
    arguments = ["-n", "--configfile", "planned.yaml", "--quiet", "host"]
    output = project.snakemake(*arguments, "--verbose")
    # The papers' own aligner, whatever the config says.
    assert "results/planned/wmt19/en-de/entropy/fast_align.npz" in output
    assert "results/planned/wmt19/en-de/entropy/exact.npz" not in output


def test_an_encoder_that_is_not_there_is_named(project):
    settings = {"papers": [], "archive": "data/demo/archive", "results": "results/wrong"}
    settings["metrics"] = {"BERTScore": {"type": "bertscore", "encoder": "tiny"}}
    settings["evaluation_sets"] = [entry(metrics=["BERTScore"])]
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(settings))
    output = project.snakemake("-n", "--configfile", "wrong.yaml", fails=True)
    assert "metrics, BERTScore: demo/en-de needs encoder tiny; config.encoders has: " in output


def test_a_set_with_neural_metrics_alone_needs_them(project):
    settings = {"neural": False, "evaluation_sets": [entry(metrics=["BERTScore"])]}
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(settings))
    output = project.snakemake("-n", "--configfile", DEMO, "wrong.yaml", fails=True)
    assert "demo/en-de has no metrics but neural ones" in output


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            {"type": "bleau"},
            "config, metrics, Mine: no type bleau; there are bertscore, bleu, chrf",
        ),
        ({"type": "bleu", "tokenise": "intl"}, "bleu has no setting tokenise; it has tokenize."),
    ],
)
def test_a_wrong_metric_is_named(project, metric, message):
    settings = {"metrics": {"Mine": metric}, "results": "results/wrong"}
    settings["evaluation_sets"] = [entry(metrics=["Mine"])]
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(settings))
    assert message in project.snakemake("--configfile", DEMO, "wrong.yaml", fails=True)


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["mypy"],
        ["snakemake", "--lint", "--configfile", DEMO],
    ],
    ids=" ".join,
)
def test_lint(project, command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project.root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
