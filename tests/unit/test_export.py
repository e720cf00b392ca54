"""Scores of a run as files of the archive's form, read back by the official toolkit's rules."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import small_run
from conftest import ROOT, settings_of
from score_reader import read_scores

from mt_difficulty import cli, storage
from mt_difficulty.errors import InputError
from mt_difficulty.plan import export
from mt_difficulty.plan.export import FinishedSet, export_sets

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS, SEGMENTS = ["alder", "ash", "big oak", "cedar"], 30
METRICS = {"chrF": "chrf", "TER": "ter", "X-y.z": "bleu"}
KEYS = [(metric, weighting) for metric in METRICS for weighting in ("standard", "EE", "long")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small set of own files with its scores, in a run's folder with its record."""

    def lines(file):
        return (DEMO / file).read_text(encoding="utf-8").splitlines()[:SEGMENTS]

    folder = tmp_path_factory.mktemp("export")
    files = ["alder", "ash", "birch", "cedar"]
    systems = {
        name: lines(f"system-outputs/en-de/{file}.txt")
        for name, file in zip(SYSTEMS, files, strict=True)
    }
    small_run.write_own_files(folder / "own", lines("references/en-de.refA.txt"), systems)
    plan = small_run.plan_run(folder / "own", folder / "results", METRICS, pair="en-de")
    (name,) = plan.sets
    small_run.make_scores(plan, name)
    settings, files = plan.score_settings(name), plan.score_files(name)
    relative = [str(Path(file).relative_to(folder / "results")) for file in files]
    sets = {name: {"files": relative, "settings": settings.entries()}}
    storage.write_json(folder / "results/run.json", {"sets": sets})
    return FinishedSet(name, files, settings)


@pytest.fixture
def results(finished):
    return str(Path(finished.files[0]).parents[2])


def test_scores_of_systems_and_of_segments_that_are_not_weighted(finished, results, tmp_path):
    """Higher is better."""
    export_sets(tmp_path, [finished])
    folder = tmp_path / "small/metric-scores/en-de"
    systems, segments = read_scores(folder, "sys"), read_scores(folder, "seg")
    assert len(systems) == len(KEYS)
    table = storage.read_table(f"{results}/{finished.name}/system_scores.csv")
    for (metric, weighting), rows in table.groupby(["metric", "weighting"]):
        name = metric.replace("-", "_").replace(".", "_")
        name = name if weighting == "standard" else f"{weighting}_{name}"
        sign = -1 if metric == "TER" else 1
        scores = systems[name, "refA"]
        assert list(scores) == ["alder", "ash", "big_oak", "cedar"], name
        written = [sign * score for (score,) in scores.values()]
        np.testing.assert_allclose(written, rows.score, 1e-11, err_msg=name)
    assert set(segments) == {("chrF", "refA"), ("TER", "refA"), ("X_y_z", "refA")}
    for key, scores in segments.items():
        assert list(scores) == list(systems[key]), key
        assert {len(values) for values in scores.values()} == {SEGMENTS}, key
    means = {system: [np.mean(values)] for system, values in segments["chrF", "refA"].items()}
    of_systems = systems["chrF", "refA"]
    assert means == {name: pytest.approx(score, abs=1e-9) for name, score in of_systems.items()}


def test_two_metrics_of_one_name_in_the_archive_are_refused(finished, tmp_path):
    metrics = finished.settings.metrics
    statistics = [file for file in finished.files if file.endswith("X-y.z.npz")]
    copy = statistics[0].replace("X-y.z", "X.y-z")
    shutil.copy(statistics[0], copy)
    settings = finished.settings._replace(metrics=metrics | {"X.y-z": metrics["X-y.z"]})
    twice = finished._replace(files=[*finished.files, copy], settings=settings)
    with pytest.raises(InputError, match=r"X-y.z under standard and X.y-z under standard would bo"):
        export_sets(tmp_path, [twice])


def test_numbers_are_read_as_they_were_and_systems_without_one_have_no_line(tmp_path):
    values = np.array([0.1 + 0.2, -0.0, np.nan, 1e-300])
    (tmp_path / "x.sys.score").write_text(export.score_text(list("abcd"), values[:, None]))
    text = (tmp_path / "x.sys.score").read_text()
    assert text == "a\t0.30000000000000004\nb\t0.0\nd\t1e-300\n"


def test_systems_that_only_white_space_tells_apart_are_refused():
    assert export.system_labels(["a b", "c"]) == ["a_b", "c"]
    with pytest.raises(InputError, match="system `a b`: with `_` for white space another system"):
        export.system_labels(["a b", "a_b"])


def test_the_command_writes_what_is_chosen(results, tmp_path, capsys):
    choice = ["--set", "small/en-de", "--metric", "TER", "chrF", "--weighting", "long"]
    assert cli.main(["export", results, *choice, "--out", str(tmp_path / "out")]) == 0
    names = {path.name for path in (tmp_path / "out").rglob("*.score")}
    assert names == {"long_TER-refA.sys.score", "long_chrF-refA.sys.score"}


@pytest.mark.parametrize("choice", ["--set small/en-d", "--metric chr", "--weighting E"])
def test_a_choice_that_is_not_there_is_an_error(results, tmp_path, capsys, choice):
    out = tmp_path / "none"
    assert cli.main(["export", results, *choice.split(), "--out", str(out)]) == 1
    assert f"ERROR: no {choice[2:]} (did you mean " in capsys.readouterr().err
    assert not out.exists()


def test_results_of_an_unfinished_run_are_refused(tmp_path, capsys):
    assert cli.main(["export", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert f"{tmp_path}: no run.json" in capsys.readouterr().err
    sets = {"a/en-de": {"files": ["a/en-de/evalset.json"], "settings": settings_of().entries()}}
    storage.write_json(tmp_path / "run.json", {"sets": sets})
    assert cli.main(["export", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "a/en-de/evalset.json: no such file. Run again" in capsys.readouterr().err
