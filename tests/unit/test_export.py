"""Scores of a run as files of the archive's form, read back by the official toolkit's rules."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import small_run
from conftest import ROOT
from score_reader import read_scores

from mt_difficulty import cli, storage
from mt_difficulty.data import score_files
from mt_difficulty.errors import InputError
from mt_difficulty.run import export
from mt_difficulty.run.export import FinishedSet, export_sets

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS, SEGMENTS = ["alder", "ash", "big oak", "cedar"], 30
METRICS = {"chrF": "chrf", "TER": "ter", "X-y.z": "bleu"}
KEYS = [(metric, weighting) for metric in METRICS for weighting in ("standard", "EE", "long")]


def lines(file):
    return (DEMO / file).read_text(encoding="utf-8").splitlines()[:SEGMENTS]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small set of own files with its scores, and the plan."""
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
    return FinishedSet(name, plan.score_files(name), plan.score_settings(name))


@pytest.fixture
def exported(finished, tmp_path):
    lines, notes = export_sets(tmp_path / "out", [finished])
    return tmp_path / "out", lines, notes


def table(finished):
    (evalset,) = [file for file in finished.files if file.endswith("evalset.json")]
    return storage.read_table(Path(evalset).parent / "system_scores.csv")


def test_systems_have_their_scores_and_higher_is_better(finished, exported):
    found = read_scores(exported[0] / "small/metric-scores/en-de", "sys")
    assert len(found) == len(KEYS)
    for (metric, weighting), rows in table(finished).groupby(["metric", "weighting"]):
        name = metric.replace("-", "_").replace(".", "_")
        name = name if weighting == "standard" else f"{weighting}_{name}"
        sign = -1 if metric == "TER" else 1
        scores = found[name, "refA"]
        assert list(scores) == ["alder", "ash", "big_oak", "cedar"]
        np.testing.assert_allclose([sign * s for (s,) in scores.values()], rows.score, 1e-11)


def test_segments_have_scores_where_segments_are_not_weighted(exported):
    found = read_scores(exported[0] / "small/metric-scores/en-de", "seg")
    assert set(found) == {("chrF", "refA"), ("TER", "refA"), ("X_y_z", "refA")}
    systems = read_scores(exported[0] / "small/metric-scores/en-de", "sys")
    for key, scores in found.items():
        assert list(scores) == list(systems[key])
        assert {len(values) for values in scores.values()} == {SEGMENTS}
    for system, values in found["chrF", "refA"].items():
        assert np.mean(values) == pytest.approx(systems["chrF", "refA"][system][0], abs=1e-9)


def test_sets_that_would_write_the_same_files_have_folders_of_their_own(finished, tmp_path):
    other = finished._replace(name="small/en-de.theirs")
    moved = [file.replace("small/en-de/", "small/en-de.theirs/") for file in finished.files]
    for old, new in zip(finished.files, moved, strict=True):
        Path(new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(old, new)
    export_sets(tmp_path, [finished, other._replace(files=moved)])
    first, second = tmp_path, tmp_path / "en-de.theirs"
    for folder in (first, second):
        assert len(read_scores(folder / "small/metric-scores/en-de", "sys")) == len(KEYS)


def test_two_metrics_of_one_name_in_the_archive_are_refused(finished, tmp_path):
    metrics = finished.settings["metrics"]
    statistics = [file for file in finished.files if file.endswith("X-y.z.npz")]
    copy = statistics[0].replace("X-y.z", "X.y-z")
    shutil.copy(statistics[0], copy)
    settings = finished.settings | {"metrics": metrics | {"X.y-z": metrics["X-y.z"]}}
    twice = finished._replace(files=[*finished.files, copy], settings=settings)
    with pytest.raises(InputError, match=r"X-y.z under standard and X.y-z under standard would bo"):
        export_sets(tmp_path, [twice])


def test_numbers_are_read_as_they_were_and_systems_without_one_have_no_line(tmp_path):
    values = np.array([0.1 + 0.2, -0.0, np.nan, 1e-300])
    score_files.write_system_scores(tmp_path / "x.sys.score", list("abcd"), values)
    text = (tmp_path / "x.sys.score").read_text()
    assert text == "a\t0.30000000000000004\nb\t0.0\nd\t1e-300\n"


def test_systems_that_only_white_space_tells_apart_are_refused():
    assert score_files.system_labels(["a b", "c"]) == ["a_b", "c"]
    with pytest.raises(InputError, match="system `a b`: with `_` for white space another system"):
        score_files.system_labels(["a b", "a_b"])


@pytest.fixture
def records(finished):
    """The results with the record of their run."""
    results = Path(finished.files[0]).parents[2]
    files = [file.removeprefix(f"{results}/") for file in finished.files]
    sets = {finished.name: {"files": files, "settings": finished.settings}}
    storage.write_json(results / "run.json", {"sets": sets})
    return results


def test_the_command_writes_what_the_run_does(finished, records, tmp_path, capsys):
    export_sets(tmp_path / "rule", [finished])
    assert cli.main(["export", str(records), "--out", str(tmp_path / "command")]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == len(KEYS)
    assert err == f"notice: {export.SYSTEMS_ALONE.format('EE, long')}\n"
    written = sorted((tmp_path / "rule").rglob("*.score"))
    assert len(written) == len(KEYS) + len(METRICS)
    for path in written:
        other = tmp_path / "command" / path.relative_to(tmp_path / "rule")
        assert other.read_bytes() == path.read_bytes()


def test_the_command_writes_what_is_chosen(records, tmp_path, capsys):
    choice = ["--set", "small/en-de", "--metric", "TER", "chrF", "--weighting", "long"]
    assert cli.main(["export", str(records), *choice, "--out", str(tmp_path / "out")]) == 0
    names = {path.name for path in (tmp_path / "out").rglob("*.score")}
    assert names == {"long_TER-refA.sys.score", "long_chrF-refA.sys.score"}


@pytest.mark.parametrize("choice", ["--set small/en-d", "--metric chrf", "--weighting E"])
def test_names_that_the_run_lacks_are_told(records, tmp_path, capsys, choice):
    out = tmp_path / "out"
    assert cli.main(["export", str(records), *choice.split(), "--out", str(out)]) == 1
    assert f"ERROR: {choice}: the run has none of this name; it has " in capsys.readouterr().err
    assert not out.exists()


def test_results_of_an_unfinished_run_are_refused(tmp_path, capsys):
    assert cli.main(["export", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert f"{tmp_path}: no run.json" in capsys.readouterr().err
    sets = {"a/en-de": {"files": ["a/en-de/evalset.json"], "settings": {}}}
    storage.write_json(tmp_path / "run.json", {"sets": sets})
    assert cli.main(["export", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "a/en-de/evalset.json: no such file. Run again" in capsys.readouterr().err
