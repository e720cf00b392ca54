"""Differences between two runs: values joined by the rows' names, and what they were made from."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from mt_difficulty import cli, storage
from mt_difficulty.run.comparison import compare_records, compare_tables

SAME = {
    "columns_only_in_a": [],
    "columns_only_in_b": [],
    "rows_only_in_a": [],
    "rows_only_in_b": [],
    "changes": [],
}
ROWS = pd.DataFrame(
    {
        "metric": ["BLEU", "BLEU", "chrF"],
        "subset": ["all", "top", "all"],
        "size": [12, 4, 12],
        "pearson": [0.5, np.nan, 200.0],
        "reason": ["", "no scores", ""],
    }
)


def record(**changes):
    made = {
        "rule": "score",
        "inputs": {"ref.txt": "a" * 64},
        "code": "c",
        "versions": {"numpy": "2"},
    }
    made |= {"params": {"code": "c", "seed": 1}, "outputs": {"scores.csv": "d"}, "sizes": {}}
    return made | changes


@pytest.fixture
def runs(tmp_path):
    """Two runs of the same results."""
    first, second = tmp_path / "first", tmp_path / "second"
    storage.write_table(first / "demo/scores.csv", ROWS)
    storage.write_json(first / "demo/set.json", {"systems": ["A", "B"], "h": 0.5, "none": []})
    storage.write_arrays(first / "demo/some.npz", x=np.array([[1.0, 2.0]]), y=np.array([1]))
    storage.write_missing(first / "demo/other.npz", "no encoder")
    storage.write_text(first / "demo/report.html", "a page")
    storage.write_json(first / "provenance/score/demo.json", record())
    (first / "logs").mkdir()
    (first / "logs/score.log").write_text("1")
    shutil.copytree(first, second)
    return first, second


def diff(capsys, *arguments):
    code = cli.main(["diff", *map(str, arguments)])
    return code, capsys.readouterr()


def as_json(capsys, *arguments):
    code, printed = diff(capsys, *arguments, "--format", "json")
    return code, json.loads(printed.out)


def test_rows_are_joined_by_their_names():
    assert compare_tables(ROWS, ROWS[::-1], 0) == SAME
    other = ROWS.drop(index=1).assign(pearson=[0.5, 201.0])
    found = compare_tables(ROWS, other, 0.001)
    assert found["rows_only_in_a"] == [{"metric": "BLEU", "subset": "top", "size": 4}]
    row = {"metric": "chrF", "subset": "all", "size": 12}
    assert found["changes"] == [{"row": row, "column": "pearson", "a": 200.0, "b": 201.0}]


@pytest.mark.parametrize(
    ("x", "y", "tolerance", "equal"),
    [
        (0.5, 0.5 + 1e-10, 1e-9, True),
        (0.5, 0.51, 0.009, False),  # absolute up to 1
        (0.5, 0.51, 0.011, True),
        (200, 201, 0.0049, False),  # relative above
        (200, 201, 0.005, True),
        (np.nan, np.nan, 0, True),
        (np.nan, 0, 1, False),
        (np.inf, np.inf, 0, True),
        (np.inf, 1, 1e-9, False),
    ],
)
def test_the_tolerance_is_absolute_up_to_1_and_relative_above(x, y, tolerance, equal):
    a, b = (pd.DataFrame({"metric": ["BLEU"], "pearson": [value]}) for value in (x, y))
    assert (compare_tables(a, b, tolerance) == SAME) == equal


def test_columns_texts_and_rows_of_one_name():
    a = pd.DataFrame({"metric": ["BLEU", "BLEU"], "pearson": [1.0, 2.0], "reason": ["", "x"]})
    found = compare_tables(a, a.assign(reason=["", "y"], draws=3), 0)
    assert found["columns_only_in_b"] == ["draws"]
    assert found["changes"] == [{"row": {"metric": "BLEU"}, "column": "reason", "a": "x", "b": "y"}]
    found = compare_tables(a, a[:1], 0)
    assert found["rows_only_in_a"] == [{"metric": "BLEU"}]
    assert found["changes"] == []


def test_equal_runs(runs, capsys):
    code, printed = diff(capsys, *runs)
    assert (code, printed.out) == (0, "No file, row or value differs.\n")
    (runs[1] / "logs/score.log").write_text("2")
    assert diff(capsys, *runs)[0] == 0


def test_values_of_every_kind_of_file(runs, capsys):
    _, second = runs
    storage.write_table(second / "demo/scores.csv", ROWS.assign(pearson=[0.75, np.nan, 200.0]))
    storage.write_json(second / "demo/set.json", {"systems": ["A", "C"], "h": 0.5, "none": []})
    storage.write_arrays(second / "demo/some.npz", x=np.array([[1.0, 2.5]]), y=np.array([1]))
    storage.write_missing(second / "demo/other.npz", "no texts")
    code, found = as_json(capsys, *runs)
    assert code == 1
    changed = {each["file"]: each["changes"] for each in found["values"]}
    assert {file: [(c["a"], c["b"]) for c in each] for file, each in changed.items()} == {
        "demo/other.npz": [("no encoder", "no texts")],
        "demo/scores.csv": [(0.5, 0.75)],
        "demo/set.json": [("B", "C")],
        "demo/some.npz": [(2.0, 2.5)],
    }
    assert changed["demo/set.json"][0]["row"] == {"place": "systems[1]"}
    text = diff(capsys, *runs)[1].out
    assert "  BLEU, all, 12: pearson 0.5 → 0.75\n" in text
    assert text.endswith("Values differ in 4 files.\n")
    code, found = as_json(capsys, *runs, "--tolerance", "0.5")
    assert [each["file"] for each in found["values"]] == ["demo/other.npz", "demo/set.json"]


def test_objects_of_a_list_are_joined_by_their_names(runs, capsys):
    one, other = {"metric": "BLEU", "over": "both", "p": 0.5}, {"metric": "chrF", "p": 0.25}
    storage.write_json(runs[0] / "demo/set.json", {"changes": [one, other]})
    added = {"metric": "TER", "p": 1.0}
    storage.write_json(runs[1] / "demo/set.json", {"changes": [added, other, one | {"p": 0.75}]})
    [found] = as_json(capsys, *runs)[1]["values"]
    assert [(each["row"]["place"], each["b"]) for each in found["changes"]] == [
        ("changes[BLEU, both], p", 0.75)
    ]
    assert [row["place"] for row in found["rows_only_in_b"]] == [
        "changes[TER], metric",
        "changes[TER], p",
    ]
    assert found["rows_only_in_a"] == []


def test_pages_are_listed_and_do_not_count(runs, capsys):
    storage.write_text(runs[1] / "demo/report.html", "another page")
    code, found = as_json(capsys, *runs)
    assert (code, found["same"], found["bytes"]) == (0, True, ["demo/report.html"])


def test_files_of_one_run_alone(runs, capsys):
    (runs[1] / "demo/set.json").unlink()
    code, printed = diff(capsys, *runs)
    assert (code, printed.out) == (1, "Files only in A\n  demo/set.json\n\nFiles differ.\n")
    assert diff(capsys, *runs[::-1])[1].out.startswith("Files only in B\n  demo/set.json\n")


def test_what_runs_were_made_from():
    other = record(
        inputs={"ref.txt": "b" * 64, "scores.csv": "x"},
        params={"code": "other", "seed": 2, "metrics": {"BLEU": {"type": "bleu"}}},
        versions={"numpy": "3"},
        code="other",
    )
    found = compare_records({"score/x": record()}, {"score/x": other, "score/y": record()})
    assert found == {
        "inputs": [{"file": "ref.txt", "a": "a" * 64, "b": "b" * 64, "jobs": ["score/x"]}],
        "settings": [
            {"setting": "metrics, BLEU, type", "a": None, "b": "bleu", "jobs": ["score/x"]},
            {"setting": "seed", "a": 1, "b": 2, "jobs": ["score/x"]},
        ],
        "versions": [{"library": "numpy", "a": "2", "b": "2, 3"}],
        "code": ["score"],
        "jobs_only_in_a": [],
        "jobs_only_in_b": ["score/y"],
    }


def test_what_runs_were_made_from_is_printed(runs, capsys):
    changed = record(params={"seed": 2}, inputs={"ref.txt": "b" * 64}, versions={"numpy": "3"})
    storage.write_json(runs[1] / "provenance/score/demo.json", changed)
    code, printed = diff(capsys, *runs)
    assert code == 0
    assert printed.out == (
        "Inputs\n  ref.txt: aaaaaaaaaaaa → bbbbbbbbbbbb\n\n"
        "Settings\n  seed: 1 → 2 (score/demo)\n\n"
        "Versions\n  numpy: 2 → 3\n\nNo file, row or value differs.\n"
    )


def test_a_folder_without_records_is_named(runs, tmp_path, capsys):
    code, printed = diff(capsys, runs[0], tmp_path / "none")
    assert (code, printed.out) == (1, "")
    assert "none: no records in" in printed.err
    assert "Name the folder of a run's results." in printed.err


def test_a_damaged_file_is_named(runs, capsys):
    (runs[1] / "demo/some.npz").write_bytes(b"PK")
    code, printed = diff(capsys, *runs)
    assert (code, printed.out) == (1, "")
    assert "some.npz is damaged" in printed.err


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x"])
def test_a_tolerance_is_a_number(value, capsys):
    with pytest.raises(SystemExit):
        cli.main(["diff", "a", "b", f"--tolerance={value}"])
    assert "is not a number of at least 0" in capsys.readouterr().err
