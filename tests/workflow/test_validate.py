"""`mt-difficulty validate` against the workflow, the demo's data, and data that are wrong."""

import os
import shutil
import subprocess
import sys
import tarfile

import pytest
import yaml
from snakemake.utils import update_config

from mt_difficulty import cli
from mt_difficulty.run import configs

DEMO = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}


@pytest.fixture
def check(project, capsys, monkeypatch, tmp_path):
    """Validate a config in a copy of the project: exit code, stdout, stderr."""
    monkeypatch.chdir(project.root)

    def run(config, *arguments):
        file = tmp_path / "mine.yaml"
        file.write_text(config if isinstance(config, str) else yaml.safe_dump(config))
        code = cli.main(["validate", str(file), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def of_demo(*entries, **changes):
    return {"archive": "data/demo/archive", "papers": [], "evaluation_sets": [*entries]} | changes


def test_the_demo_is_fine(project):
    environment = os.environ | {"PYTHONPATH": "workflow/scripts"}
    command = [sys.executable, "-m", "mt_difficulty", "validate", "data/demo/config.yaml"]
    before = sorted(project.root.glob("results/**"))
    done = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("no problems found\n")
    assert "demo/en-de: reference refA, gold mqm\n  12 systems, 260 segments\n" in done.stdout
    assert "metrics: BLEU, chrF, TER, BERTScore, Oracle-noisy\n  encoder: random," in done.stdout
    assert "\n  weightings: standard, EE, DA, DA-LOO, EE-DA, EE-estimates\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert sorted(project.root.glob("results/**")) == before  # nothing is computed


def bertscore(**encoder):
    """The demo with BERTScore and this encoder."""
    return of_demo(
        DEMO | {"metrics": ["BERTScore"]},
        encoders={"mine": encoder},
        substitute_encoders={"de": "mine"},
    )


BLEU = DEMO | {"metrics": ["BLEU"]}


@pytest.mark.parametrize(
    ("config", "options", "messages"),
    [
        (
            of_demo(
                {"campaign": "demo", "refrence": "refA"},
                sede=1,
                controls={"draws": 1},
                encoders={"mine": {"layer": 3}},
            ),
            [],
            [
                "mine.yaml: unknown key `sede` (did you mean seed?)",
                "mine.yaml: controls.draws: ",
                "mine.yaml: encoders.mine: ",
                "mine.yaml: evaluation_sets[0]: unknown key `refrence` (did you mean reference?)",
            ],
        ),
        (of_demo(BLEU), ["--archive", "none.tgz"], ["archive: no such file or folder"]),
        (of_demo(BLEU), ["--archive", "Makefile"], ["Makefile is damaged"]),
        (bertscore(folder="docs", layer=2), [], ["encoder mine: no config.json in "]),
        (of_demo(BLEU, truth="data/demo"), [], ["config, truth: no such file: data/demo/en-de"]),
        (
            of_demo(
                DEMO | {"metrics": ["Mine"]},
                metrics={"Mine": {"type": "bleu", "tokenize": "intel"}},
            ),
            [],
            ["config, metrics, Mine: tokenize: expected one of none, zh, 13a, intl,"],
        ),
    ],
)
def test_what_is_wrong_is_named(check, config, options, messages):
    code, _, err = check(config, *options)
    assert code == 1
    for message in messages:
        assert message in err
    assert err.count("ERROR: ") == len(messages)


def test_wrong_data_of_a_packed_archive_are_named(check, project, tmp_path):
    campaign = tmp_path / "mt-metrics-eval-v2/demo"
    shutil.copytree(project.root / "data/demo/archive/demo", campaign)
    (campaign / "system-outputs/en-de/oak.txt").write_text("one line\n")
    packed = tmp_path / "archive.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(campaign.parent, "mt-metrics-eval-v2")
    code, out, err = check(of_demo(BLEU), "--archive", packed)
    assert code == 1
    assert "ERROR: demo/en-de: demo/system-outputs/en-de/oak.txt: expected 260 lines" in err
    assert out.endswith("1 problem found\n")


def test_every_set_with_a_problem_is_named(check):
    """Two that the workflow refuses, one whose data are wrong, one that is fine."""
    code, out, err = check(
        of_demo(
            DEMO | {"metrics": ["BLEU"]},
            DEMO | {"pair": "en-zh", "metrics": ["COMET"]},
            DEMO | {"reference": "refZ", "metrics": ["BLEU"]},
            DEMO | {"campaign": "demi", "metrics": ["BLEU"]},
            complexity={"reference_texts": {"en-de": "demo/en-de"}},  # of one of them
        )
    )
    assert code == 1
    assert "ERROR: config, evaluation_sets: no metric COMET; config.metrics has: BLEU," in err
    assert "ERROR: demo/en-de.refZ.mqm: demo/references: no reference refZ for en-de." in err
    assert "ERROR: archive has no campaign demi; it has demo" in err
    assert out.endswith("3 problems found\n")
    assert "demo/en-de: reference refA, gold mqm\n  12 systems, 260 segments" in out


def test_what_is_not_here_yet_is_reported(check):
    """The paper run before its first download."""
    code, out, err = check({"seed": 3})
    assert code == 0
    assert "mt-metrics-eval-v2.tgz is not here: a run downloads it, 0.9 GB." in err
    assert err.count("encoder roberta-large is not here: a run fetches FacebookAI/roberta-") == 1
    assert "wmt19/en-de: reference ref, gold wmt-z\n  metrics: BLEU, chrF," in out
    assert out.endswith("no problems found in the config; 12 sets of the archive not checked\n")


@pytest.mark.parametrize("count", [260, 259])
def test_estimates_of_others_are_checked_as_the_run_does(check, tmp_path, count):
    lines = [f"{number}\t0.5\n" for number in range(1, count + 1)]
    (tmp_path / "en-de.tsv").write_text("segment\tdifficulty\n" + "".join(lines))
    mine = {"mine": {"type": "file", "file": f"{tmp_path}/{{pair}}.tsv"}}
    sets = [DEMO | {"metrics": ["BLEU"], "pair": pair} for pair in ("en-de", "en-zh")]
    code, _, err = check(of_demo(*sets, difficulties=mine))
    assert f"demo/en-zh: no difficulty mine: there is no file {tmp_path}/en-zh.tsv" in err
    assert (code, f"ERROR: demo/en-de: {tmp_path}/en-de.tsv" in err) == (int(count < 260),) * 2


def test_papers_and_what_a_set_lacks_are_left_out(check):
    lacking = {"seen": {"type": "stored", "name": "COMET"}}
    config = of_demo(BLEU, difficulties=lacking) | {"papers": ["liu2022"]}
    code, out, err = check(config, "--no-papers")
    assert code == 0
    assert "demo/en-de: no difficulty seen: the archive has no COMET scores of demo en-de" in err
    assert [line for line in out.splitlines() if ": reference" in line] == [
        "demo/en-de: reference refA, gold mqm"
    ]


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
    assert f"mine/en-hsb: files {tmp_path}\n  3 systems, 2 segments\n" in out
    assert out.endswith("no problems found\n")
    assert "mine/en-hsb: no correlations, the set has no human scores." in err
    assert "mine/en-hsb: hsb is no language that" in err
    assert "downloads" not in err
    (tmp_path / "gold.tsv").write_text("oka\t1\n")
    code, out, err = check(config)
    assert code == 1
    assert (
        f"ERROR: mine/en-hsb: {tmp_path}/gold.tsv: no output in {tmp_path}/systems for oka" in err
    )


def test_configs_merge_as_snakemakes_do():
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": [1, 2], "f": 1}
    changes = {"a": {"c": {"x": 3}, "b": {"y": 1}}, "e": [3], "g": {"h": 1}}
    merged = configs.merge(base, changes)
    update_config(base, changes)
    assert merged == base


def test_human_scores_beside_other_texts_are_told(check, project, tmp_path):
    """Scores of which the first line is lost and the last one is there twice."""
    campaign = tmp_path / "archive/demo"
    shutil.copytree(project.root / "data/demo/archive/demo", campaign)
    path = campaign / "human-scores/en-de.mqm.seg.score"
    lines, moved = path.read_text().splitlines(), []
    for first in range(0, len(lines), 260):
        moved += [*lines[first + 1 : first + 260], lines[first + 259]]
    path.write_text("\n".join(moved) + "\n")
    entry, archive = DEMO | {"metrics": ["BLEU"]}, str(tmp_path / "archive")
    code, _, err = check(of_demo(entry, archive=archive))
    told = " ".join(err.split())
    assert code == 0
    assert "demo/en-de: mqm: the human scores of segments do not belong to the texts: " in told
    assert "are moved down by 1 line. Correct their order or sign. They are left" in told
    code, _, err = check(of_demo(entry | {"misaligned": "use"}, archive=archive))
    assert code == 0
    assert "They are used all the same (`misaligned: use`)." in " ".join(err.split())
