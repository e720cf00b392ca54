"""Parts of the pages, without a browser: the figure of changes, records of jobs, a segment that
explains an entropy, and names of rows."""

import math
from collections import Counter

import numpy as np
import page_run
import pandas as pd
import pytest

from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import changes
from mt_difficulty.page import explained, finding, index, row_names
from mt_difficulty.page.forest import MOST, forest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    page_run.write_set(folder / "test/en-de", "test/en-de", np.random.default_rng(5))
    return folder


@pytest.fixture
def files(folder):
    return read_set("test/en-de", [str(path) for path in folder.rglob("*.*")])


def rows(sets, metrics=("M",), weightings=("W",)):
    values = {"systems": 9, "standard": 0.5, "value": 0.6, "difference": 0.1, "low": -0.1}
    values |= {"high": 0.3, "over": "both", "p": 0.5, "reason": "", "difficulty": "d"}
    values |= {"uses_gold": False, "tuned": False}
    return [
        dict.fromkeys(changes.COLUMNS) | values | {"set": s, "metric": m, "weighting": w}
        for s in sets
        for m in metrics
        for w in weightings
    ]


def test_the_figure_has_a_panel_for_each_weighting_and_a_row_for_each_set_and_metric():
    judged = finding.table_of(rows(["a", "b"], ["M", "N"], ["V", "W"]))
    found = forest(judged)
    panels = found["shapes"]["wide"]["panels"]
    assert [panel["label"] for panel in panels] == ["V", "W"]
    assert [row["label"] for row in panels[0]["rows"]] == ["a M", "a N", "b M", "b N"]
    mark = panels[0]["marks"][0]
    assert mark["low"] < panels[0]["zero"] < mark["x"] < mark["high"]
    # On one scale: as far left of the point as right of it.
    assert mark["x"] - mark["low"] == pytest.approx(mark["high"] - mark["x"], abs=0.2)
    assert found["looks"] == {"unclear": "cannot tell"}
    assert not found["many"]


def test_intervals_wider_than_the_axis_are_cut_off():
    judged = finding.table_of(rows(["a"]) + rows(["b"]))
    judged.loc[0, ["low", "high"]] = [-5.0, 0.2]
    mark = forest(judged)["shapes"]["wide"]["panels"][0]["marks"][0]
    assert (mark["cut_low"], mark["cut_high"]) == (True, False)


def test_of_many_sets_a_row_is_a_metric_and_has_a_dot_for_each_set():
    names = [f"wmt{number}/en-de" for number in range(170)]
    found = forest(finding.table_of(rows(names, ["M", "N"])))
    panel = found["shapes"]["narrow"]["panels"][0]
    assert found["many"]
    assert [row["label"] for row in panel["rows"]] == ["M", "N"]
    looks = Counter(mark["look"] for mark in panel["marks"])
    assert looks == {"unclear": 340, "median": 2}
    assert not any("low" in mark for mark in panel["marks"])
    metrics = [f"M{number}" for number in range(MOST + 3)]
    assert forest(finding.table_of(rows(["a", "b"], metrics)))["left_out"] == 3


def test_no_figure_without_changes():
    assert forest(finding.table_of([])) is None
    assert finding.describe([], 1, 1, synthetic=False)["table"] is None


def test_with_many_rows_the_table_has_one_for_each_set_and_weighting():
    names = [f"s{number}" for number in range(finding.MOST)]
    found = finding.describe(rows(names, ["M", "N"]), len(names), 1, synthetic=False)
    assert found["short"]
    assert len(found["table"]["rows"]) == len(names)
    assert found["table"]["rows"][0][:3] == ["s0", "W", "2"]


def test_changes_survive_json(files):
    records = finding.read(files, {})
    assert {record["metric"] for record in records} == set(page_run.TYPES)
    again = finding.table_of([{"set": "test/en-de", **record} for record in records])
    verdicts = dict(zip(again.metric + again.weighting, again.verdict, strict=True))
    assert (verdicts["chrFEE"], verdicts["TEREE"]) == ("helps", "harms")


def test_the_segment_explains_the_entropy_by_the_sum_over_its_chunks(files):
    found = files.read("evalset.json")
    shown = explained.explain(found, files, list(page_run.DIFFICULTIES))
    assert shown["difficulty"] == "chunk_entropy"
    many, few = shown["hypotheses"]
    assert many["sum"] > few["sum"]
    for one in (many, few):
        text = "".join(piece for piece, _ in one["pieces"])
        place = found.systems.index(one["system"])
        assert text == found.hypotheses[place][shown["segment"] - 1]
        # By the definition, from the words in each chunk of the text.
        words = Counter({chunk: len(piece.split()) for piece, chunk in one["pieces"] if chunk >= 0})
        total = words.total()
        expected = -sum(n / total * math.log10(n / total) for n in words.values())
        assert sum(one["terms"]) == pytest.approx(expected, abs=1e-5)
        assert one["sum"] == pytest.approx(expected, abs=1e-5)
    # No other short segment has hypotheses further apart.
    entropy = files.read("difficulty/chunk_entropy.npz")["difficulty"]
    spread = entropy.max(axis=0) - entropy.min(axis=0)
    assert spread[shown["segment"] - 1] == pytest.approx(spread.max())


def test_without_texts_or_chunks_no_segment_explains(files):
    found = files.read("evalset.json")
    bare = type(found)(**{**vars(found), "source": []})
    assert explained.explain(bare, files, ["chunk_entropy"]) is None
    assert explained.explain(found, files, ["length"]) is None


def test_the_first_set_with_a_segment_to_explain_is_the_index_s():
    sets = [{"name": "a", "explained": None}, {"name": "b", "explained": {"segment": 3}}]
    assert index.first_explained(sets) == {"segment": 3, "set": "b"}
    assert index.first_explained(sets[:1]) is None


def test_rows_are_named_by_their_leading_texts_each_once():
    frame = pd.DataFrame({"metric": ["a b", "a b"], "difficulty": "x", "size": [3, 3], "v": 1.5})
    assert row_names.row_ids(frame) == ["a~20b:3", "a~20b:3:2"]
