"""`mt-difficulty validate` against the workflow, the demo's data, and data that are wrong."""

import shutil
import tarfile

import pytest
import yaml
from snakemake.utils import update_config

from mt_difficulty import cli
from mt_difficulty.plan.base import merge

DEMO = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}


@pytest.fixture
def check(project, capsys, monkeypatch, tmp_path):
    """Validate a config in a copy of the project: exit code, stdout, stderr."""
    monkeypatch.chdir(project.root)

    def run(config, *arguments):
        file = tmp_path / "mine.yaml"
        file.write_text(yaml.safe_dump(config))
        code = cli.main(["validate", str(file), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def of_demo(*entries, **changes):
    return {"archive": "data/demo/archive", "papers": [], "evaluation_sets": [*entries]} | changes


def test_the_demo_is_fine(project):
    before = sorted(project.root.glob("results/**"))
    said = project.validate("data/demo/config.yaml")
    assert "ERROR" not in said
    assert said.endswith("no problems found\n")
    texts = "12 systems, 260 segments; 1 left out, a human translation"
    assert f"demo/en-de: reference refA, gold mqm; {texts}\n" in said
    # The sets have them in common: they are listed once.
    assert said.count("\nmetrics: BLEU, chrF, TER, BERTScore, Oracle-noisy\n") == 1
    assert said.count("\nweightings: standard, EE, DA, DA-LOO, EE-DA, EE-estimates\n") == 1
    assert said.count("\nencoder: random, layer 2,") == 1
    assert sorted(project.root.glob("results/**")) == before  # nothing is computed


BLEU = DEMO | {"metrics": ["BLEU"]}
NO_ENCODER = of_demo(
    DEMO | {"metrics": ["BERTScore"]},
    encoders={"mine": {"folder": "docs", "layer": 2}},
    substitute_encoders={"de": "mine"},
)


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        (of_demo(BLEU), ["--archive", "none.tgz"], "archive: no such file or folder"),
        (of_demo(BLEU), ["--archive", "Makefile"], "Makefile is damaged"),
        (NO_ENCODER, [], "encoder mine: no config.json in "),
        (of_demo(BLEU, truth="data/demo"), [], "config, truth: no such file: data/demo/en-de"),
    ],
)
def test_what_is_wrong_is_named(check, config, options, message):
    code, _, err = check(config, *options)
    assert (code, err.count("ERROR: ")) == (1, 1)
    assert message in err


def test_wrong_data_of_a_packed_archive_are_named(check, project, tmp_path):
    campaign = tmp_path / "mt-metrics-eval-v2/demo"
    shutil.copytree(project.root / "data/demo/archive/demo", campaign)
    (campaign / "system-outputs/en-de/oak.txt").write_text("one line\n")
    packed = tmp_path / "archive.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(campaign.parent, "mt-metrics-eval-v2")
    config = of_demo(BLEU, papers=["liu2022"])
    code, out, err = check(config, "--archive", packed, "--no-papers")
    assert code == 1
    assert "ERROR: demo/en-de: demo/system-outputs/en-de/oak.txt: expected 260 lines" in err
    assert out.endswith("1 problem found\n")


def test_what_is_not_here_yet_is_reported(check):
    """The paper run before its first download."""
    code, out, err = check({"seed": 3})
    assert code == 0
    assert "mt-metrics-eval-v2.tgz is not here: a run downloads it, 0.9 GB." in err
    assert err.count("encoder roberta-large is not here: a run fetches FacebookAI/roberta-") == 1
    assert "wmt19/en-de: reference ref, gold wmt-z\n" in out
    assert "\nmetrics of wmt19/en-de" in out
    assert ": BLEU, chrF, METEOR," in out
    assert max(map(len, out.splitlines())) <= 100
    assert "Its 15 sets are not checked." in err
    assert out.endswith("no problems found\n")


@pytest.mark.parametrize("count", [260, 259])
def test_estimates_of_others_are_checked_as_the_run_does(check, tmp_path, count):
    lines = [f"{number}\t0.5\n" for number in range(1, count + 1)]
    (tmp_path / "en-de.tsv").write_text("segment\tdifficulty\n" + "".join(lines))
    mine = {"mine": {"type": "file", "file": f"{tmp_path}/{{pair}}.tsv"}}
    mine["seen"] = {"type": "stored", "name": "COMET"}
    sets = [DEMO | {"metrics": ["BLEU"], "pair": pair} for pair in ("en-de", "en-zh")]
    code, _, err = check(of_demo(*sets, difficulties=mine))
    assert "demo/en-zh: no difficulty seen: the archive has no COMET scores of demo en-zh" in err
    assert f"demo/en-zh: no difficulty mine: there is no file {tmp_path}/en-zh.tsv" in err
    assert (code, f"ERROR: demo/en-de: {tmp_path}/en-de.tsv" in err) == (int(count < 260),) * 2


def test_sets_of_own_files_are_checked_without_an_archive(check, tmp_path):
    texts = {"source.txt": "a b\nc\n", "reference.txt": "x y\nz\n"}
    texts |= {f"systems/{name}.txt": "x y\nz z\n" for name in ("oak", "elm", "ash")}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    entry = {"files": str(tmp_path), "campaign": "mine", "pair": "en-hsb", "metrics": ["BLEU"]}
    config = {"papers": [], "evaluation_sets": [entry]}
    code, out, err = check(config)
    assert (code, "ERROR" in err) == (0, False)
    assert f"mine/en-hsb: files {tmp_path}; 3 systems, 2 segments\n" in out
    assert out.endswith("no problems found\n")
    assert "mine/en-hsb: no correlations, the set has no human scores." in err
    assert "mine/en-hsb: the target language hsb is not known here: words are" in err
    assert "downloads" not in err
    (tmp_path / "gold.tsv").write_text("oka\t1\n")
    code, out, err = check(config)
    assert code == 1
    assert (
        f"ERROR: mine/en-hsb: {tmp_path}/gold.tsv: no output in {tmp_path}/systems for oka" in err
    )


def test_what_cannot_run_is_not_listed_and_the_end_says_which_sets_lack_what(check):
    """The archive has the demo alone, and none of the paper's sets."""
    code, out, err = check(of_demo(BLEU, papers=["liu2022"]), "--no-neural")
    assert (code, "ERROR" in err) == (0, False)
    assert "no problems found" not in out
    plan, _, absent = out.partition("10 of 11 sets cannot be run:\n")
    assert plan.endswith("\nweightings: standard, EE\n")  # no DA without an encoder
    assert absent.startswith("  wmt19/en-de, wmt19/de-en, wmt19/en-zh, ")
    assert "archive has no campaign wmt19; it\n    has demo\n" in absent
    assert absent.endswith("archive has no campaign wmt21.news; it has\n    demo\n")


def test_configs_merge_as_snakemakes_do():
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": [1, 2], "f": 1}
    changes = {"a": {"c": {"x": 3}, "b": {"y": 1}}, "e": [3], "g": {"h": 1}}
    merged = merge(base, changes)
    update_config(base, changes)
    assert merged == base
