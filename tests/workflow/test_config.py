"""Dry runs, lint, and configs that are wrong."""

import os
import subprocess
import sys

import pytest
import yaml
from conftest import Project

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
        ({"sede": 1}, "wrong.yaml: unknown key `sede` (did you mean seed?)\n"),
        ({"archive": "nowhere.tgz"}, "archive: no such file or folder: nowhere.tgz"),
        ({"papers": ["liu2021"]}, "zhan2021 (did you mean liu2022?)."),
        ({"evaluation_sets": {}}, "wrong.yaml: evaluation_sets: expected a list, found {}\n"),
        ({"seed": {}}, "wrong.yaml: seed: expected a whole number, found {}\n"),
        ({"results": "README.md/x"}, "README.md is a file; expected a folder"),
        ({"results": "a{x}"}, "wrong.yaml: results: expected a path without control characters"),
        (
            {"complexity": {"reference_texts": {"en-de": "wmt99/en-de"}}},
            "reference_texts: wmt99/en-de is no set of en-de; there are: ",
        ),
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


def test_a_wrong_papers_file_is_named(project):
    file = project.root / "workflow/papers/wrong.yaml"
    file.write_text((file.parent / "zhan2021.yaml").read_text().replace("authors:", "autors:"))
    output = project.snakemake("-n", "--config", "papers=[wrong]", fails=True)
    file.unlink()
    assert "papers/wrong.yaml: unknown key `autors` (did you mean authors?)\n" in output


def make(project, *arguments, **environment):
    """Run make in an environment of its own."""
    command = ["make", "--assume-old=.venv/installed", *arguments]
    return subprocess.run(
        command,
        cwd=project.root,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    """A copy of the project whose Snakemake prints its arguments, a line each."""
    project = Project(tmp_path_factory.mktemp("a project's copy"))
    programs = project.root / ".venv/bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "pip").symlink_to(sys.executable)
    (programs / "snakemake").write_text('#!/bin/sh\nprintf "<%s>\\n" "$@"\n')
    (programs / "snakemake").chmod(0o755)
    for name in ("one.yaml", "two.yaml", "it's one.yaml"):
        (project.root / name).write_text("seed: 1\n")
    return project


def test_make_takes_several_configs_and_names_one_that_is_not_there(stub):
    found = make(stub, "run", "CONFIG=one.yaml two.yaml").stdout
    assert found.endswith(f"<--configfile>\n<{DEMO}>\n<one.yaml>\n<two.yaml>\n")
    assert (
        "CONFIG: no such file: three.yaml."
        in make(stub, "run", "CONFIG=one.yaml three.yaml").stderr
    )


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (["paper"], "<all>"),
        (["paper", "CONFIG=it's one.yaml"], "<--configfile>\n<it's one.yaml>"),
        (["paper", "ARCHIVE=/my data/it's $x.tgz"], "<--config>\n<archive=/my data/it's $x.tgz>"),
        (["paper", "ARCHIVE=x", "NEURAL=no"], "<--config>\n<archive=x>\n<neural=False>"),
        (["paper", "CORES=3"], "<--cores>\n<3>"),
        (["paper", "CORES=all"], "<--cores>\n<all>"),
        (["run", "TARGET=a b"], "<a>\n<b>\n<--workflow-profile>"),
        (["run", "TARGET=; touch injected"], "<;>\n<touch>\n<injected>\n"),
        (["run", "TARGET=$(touch injected)"], "<$(touch>\n<injected)>\n"),
        (["run", "TARGET=$(shell touch injected)"], "<$(shell>\n<touch>\n<injected)>\n"),
        (["run", "TARGET='; touch injected; '"], "<';>\n<touch>\n<injected;>\n<'>\n"),
        (["run", "TARGET=*"], "<*>\n"),
        (["run", "ARCHIVE=`touch injected`"], "<archive=`touch injected`>\n"),
    ],
)
def test_what_make_is_given_arrives_as_it_is(stub, arguments, passed):
    done = make(stub, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert passed in done.stdout
    assert not (stub.root / "injected").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *[
            ([f"CORES={cores}"], "CORES: expected")
            for cores in ("0", "00", "-1", "abc", "1.5", "2 3")
        ],
        *[
            ([f"{name}=a\ntouch injected"], f"{name}: expected one line")
            for name in ("TARGET", "ARCHIVE")
        ],
        (["TARGET=--unlock"], "TARGET: expected names of targets, found --unlock"),
        (["NEURAL=maybe"], "NEURAL: expected yes or no, found maybe"),
        (["PROFILE=../default"], "PROFILE: no such profile: ../default"),
        (["PROFILE=x; touch injected"], "PROFILE: no such profile: x; touch injected"),
        (["CONFIG=none; touch injected"], "CONFIG: no such file: none;"),
    ],
)
def test_make_refuses_what_cannot_be_run(stub, arguments, message):
    done = make(stub, "run", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert not (stub.root / "injected").exists()


def test_the_environment_changes_no_run(stub):
    names = ("ARCHIVE", "CONFIG", "CORES", "NEURAL", "PROFILE", "TARGET", "PYTHON", "SCALE")
    done = make(stub, "paper", **dict.fromkeys(names, "nonsense"))
    assert done.stdout == make(stub, "paper").stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed: 1\npapers: [\n", "ERROR: wrong.yaml, line 3: not as expected: "),
        ("papers: {}\n", "ERROR: wrong.yaml: papers: expected a list, found {}\n"),
        ("papers: &a [*a]\n", "ERROR: wrong.yaml, line 1: not as expected: *a is an alias"),
        ("results: README.md\n", "ERROR: wrong.yaml: results: "),
    ],
)
def test_make_checks_configs_before_snakemake_reads_them(stub, content, message):
    (stub.root / "wrong.yaml").write_text(content)
    for target in ("run", "paper", "fetch"):
        done = make(stub, target, "CONFIG=wrong.yaml")
        assert done.returncode != 0
        assert done.stderr.startswith(message)
        assert "<" not in done.stdout


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (entry(metrics=["BLEU", "COMET"]), "no metric COMET; config.metrics has: "),
        (entry(campaign="demi"), "archive has no campaign demi; it has demo"),
        (
            entry(reference="refZ"),
            "no reference refZ for en-de. There are: refA (did you mean refA?).",
        ),
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
