"""What a run checks of its tables, on tables that hold together and on spoilt ones."""

import pandas as pd
import pytest
from conftest import make_evalset

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.run.invariants import broken

SYSTEMS = ["S0", "S1", "S2"]
METRICS = ["chrF", "COMET"]


def tables():
    """Of chrF under two weightings, and of COMET, whose scores are missing."""
    keys = [("chrF", "standard"), ("chrF", "EE")]
    scores = [(s, *key, 0.5, "") for key in keys for s in SYSTEMS]
    others = [(*key, a, b) for key in keys for a in SYSTEMS for b in SYSTEMS if a != b]
    subsets = [("all", 3), ("random", 3)]
    plain = [(*key, *subset, 0.25, None) for key in keys for subset in subsets]
    tested = [(*key, *subset, "pearson", 0.25, None) for key in keys for subset in subsets]
    places = ["metric", "weighting", "subset", "size"]
    return {
        "system_scores.csv": pd.DataFrame(
            scores, columns=["system", "metric", "weighting", "score", "signature"]
        ),
        "system_intervals.csv": pd.DataFrame(
            [row[:3] for row in scores], columns=["system", "metric", "weighting"]
        ),
        "system_comparisons.csv": pd.DataFrame(
            others, columns=["metric", "weighting", "system", "other"]
        ),
        "missing.csv": pd.DataFrame(
            [("COMET", "standard", "not stored")], columns=["metric", "weighting", "reason"]
        ),
        "correlations.csv": pd.DataFrame(plain, columns=[*places, "pearson", "reason"]),
        "significance.csv": pd.DataFrame(tested, columns=[*places, "statistic", "value", "reason"]),
        "agreement.csv": pd.DataFrame(tested, columns=[*places, "statistic", "value", "reason"]),
        "controls.csv": pd.DataFrame(tested, columns=[*places, "statistic", "value", "reason"]),
        "parameters.csv": pd.DataFrame(plain, columns=[*places, "pearson", "reason"]),
    }


@pytest.fixture
def check(tmp_path):
    """What is broken in the tables after a change."""

    def check(change=lambda frames: None, missing=()):
        frames = tables()
        change(frames)
        evalset.save(tmp_path / "evalset.json", make_evalset([["x"]] * 3, ["y"]))
        for name, frame in frames.items():
            storage.write_table(tmp_path / name, frame)
        for name in missing:
            storage.write_missing(tmp_path / name, "no human scores")
        return [problem.removeprefix(f"{tmp_path}/") for problem in broken(tmp_path, METRICS)]

    return check


def test_tables_that_hold_together(check):
    assert check() == []
    assert check(missing=["correlations.csv", "significance.csv", "controls.csv"]) == []


def test_a_set_that_is_not_there_has_reasons_in_every_table(tmp_path):
    storage.write_missing(tmp_path / "evalset.json", "no such campaign")
    assert broken(tmp_path, METRICS) == []


def drop(name, row):
    def change(frames):
        frames[name] = frames[name].drop(index=row)

    return change


def put(name, row, column, value):
    def change(frames):
        frames[name].loc[row, column] = value

    return change


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (
            drop("system_intervals.csv", 4),
            ["system_intervals.csv: EE chrF: not the set's systems: S1"],
        ),
        (
            put("system_comparisons.csv", 0, "other", "S9"),
            ["system_comparisons.csv: standard chrF: not the set's systems: S9"],
        ),
        (
            put("system_scores.csv", 1, "score", None),
            ["system_scores.csv: chrF: no score and no reason for S1"],
        ),
        (
            drop("missing.csv", 0),
            ["system_scores.csv: COMET: no score and no reason for S0, S1, S2"],
        ),
        (
            put("controls.csv", 2, "value", None),
            ["controls.csv: no value and no reason in 1 rows (chrF EE all 3)"],
        ),
        (
            put("correlations.csv", 3, "pearson", None),  # a random subset's
            ["correlations.csv: no pearson and no reason in 1 rows (chrF EE random 3)"],
        ),
        (
            put("significance.csv", 0, "value", 0.25 + 2e-9),
            ["significance.csv: not the r of correlations.csv (chrF standard all 3)"],
        ),
        (
            drop("correlations.csv", 0),
            ["significance.csv: not the r of correlations.csv (rows without a counterpart)"],
        ),
        (put("significance.csv", 1, "value", 0.9), []),  # other random subsets
    ],
)
def test_what_does_not_hold_is_told_with_its_file(check, change, reported):
    assert check(change) == reported


def test_a_missing_number_with_its_reason_holds(check):
    def change(frames):
        for name, column in (("correlations.csv", "pearson"), ("significance.csv", "value")):
            frames[name].loc[0, column] = None
            frames[name]["reason"] = frames[name]["reason"].astype(object)
            frames[name].loc[0, "reason"] = "all systems have the same score"

    assert check(change) == []


def test_tables_without_rows_hold(check):
    """No metric has a score, and each has a reason."""

    def change(frames):
        missing = frames["missing.csv"]
        frames["missing.csv"] = pd.concat([missing, missing.assign(metric="chrF")])
        for name in set(frames) - {"missing.csv"}:
            frames[name] = frames[name].iloc[:0]

    assert check(change) == []
