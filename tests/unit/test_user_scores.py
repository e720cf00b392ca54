"""Scores of metrics that a user has computed: what is read, from where, and what is refused."""

import numpy as np
import pytest
from conftest import make_evalset

from mt_difficulty.data.score_files import read_user_scores
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.metrics.stored import Stored
from mt_difficulty.plan.plan import PlannedSet
from mt_difficulty.settings import MetricSettings

SYSTEMS, LEFT_OUT = ["ash", "elm tree", "oak"], ["refA", "yew"]
SEGMENTS = "elm tree\t0.5\nelm tree\t-1e-3\nash\t1\nash\t2\noak\t3\noak\t4\n"


@pytest.fixture
def read(tmp_path):
    def run(text):
        (tmp_path / "COMET.tsv").write_bytes(text.encode())
        return read_user_scores(tmp_path / "COMET.tsv", SYSTEMS, LEFT_OUT, 2)

    return run


@pytest.mark.parametrize(
    "text",
    [
        SEGMENTS.replace("\n", "\r\n"),
        f"\ufeff{SEGMENTS}".removesuffix("\n"),
        f"\n{SEGMENTS}\n \n",
        f"refA\t9\n{SEGMENTS}yew\tNone\n",
        "oak\t3\nash\t1\nelm tree\t0.5\noak\t4\nash\t2\nelm tree\t-0.001\n",
    ],
    ids=["CRLF", "byte-order mark, no last LF", "blank lines", "left out", "segment by segment"],
)
def test_forms_that_hold_the_same(read, text):
    assert read(text).tolist() == [[1, 2], [0.5, -0.001], [3, 4]]


def test_scores_of_systems_are_those_of_a_single_segment(read):
    assert read("oak\t3\nash\t1\nelm tree\t2\n").tolist() == [[1], [2], [3]]


COUNTS = ": system oak has {} scores; expected 2 of every system (one per segment), or a single"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{SEGMENTS}elmtree\t1\n",
            ", line 7: elmtree is no system of the set (did you mean elm tree?).",
        ),
        (
            SEGMENTS.replace("\t2\n", "\tNone\n"),
            ": system ash has no score of 1 of 2 segments, the first of them segment 2. A metric",
        ),
        (SEGMENTS.replace("\t2\n", "\tnan\n"), ", line 4: expected `system <tab> score` with a"),
        (SEGMENTS.replace("oak", "yew"), COUNTS.format(0)),
        (f"{SEGMENTS}oak\t5\n", COUNTS.format(3)),
    ],
)
def test_bad_scores_are_named(read, tmp_path, text, message):
    with pytest.raises(InputError) as refused:
        read(text)
    assert str(refused.value).startswith(f"{tmp_path}/COMET.tsv{message}")


def texts():
    return make_evalset([["a"] * 2] * 2, ["a"] * 2, left_out={"refA": "human"})


@pytest.mark.parametrize("named", [False, True], ids=["by its name", "by its path"])
def test_a_users_file_is_a_metrics_statistics(tmp_path, named):
    file = tmp_path / "COMET.tsv"
    file.write_text("S1\t3\nS1\t4\nS0\t1\nS0\t2\nrefA\t9\nrefA\t9\n")
    stored = Stored("en-de", "X", str(file)) if named else Stored("en-de", "COMET")
    stored.check_inputs(texts(), file)
    statistics = stored.evaluate(texts(), file)
    assert statistics.tolist() == [[[1], [2]], [[3], [4]]]
    assert stored.aggregate(statistics.sum(1), np.full(2, 2)).tolist() == [1.5, 3.5]
    assert stored.signature == "stored:COMET.tsv"


@pytest.mark.parametrize("asked", ["evaluate", "check_inputs"])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "the set has no COMET scores (scores/COMET.tsv)"),
        ({"file": "my/{campaign}.{pair}.tsv"}, "there is no file my/wmt99.en-de.tsv"),
    ],
)
def test_a_file_that_is_missing_is_a_reason(tmp_path, settings, reason, asked):
    ask = getattr(Stored("en-de", "COMET", **settings), asked)
    with pytest.raises(Missing) as missing:
        ask(texts(), tmp_path / "there/is/none.tsv")
    assert str(missing.value) == reason


def planned(files=None, **settings):
    """A set with the scores of others."""
    metrics = {"COMET": MetricSettings("stored", settings), "chrF": MetricSettings("chrf")}
    return PlannedSet("x", "wmt99", "en-de", metrics, True, {}, {}, files=files)


@pytest.mark.parametrize(
    ("own", "settings", "found"),
    [
        (False, {}, "folder"),
        (True, {}, "folder/scores/COMET.tsv"),
        (True, {"name": "XCOMET"}, "folder/scores/XCOMET.tsv"),
        (False, {"file": "my/{campaign}.{pair}.tsv"}, "my/wmt99.en-de.tsv"),
        (True, {"file": "/my/{x} <y>.tsv"}, "/my/{x} <y>.tsv"),
    ],
)
def test_where_a_run_finds_them(own, settings, found):
    entry = planned("folder" if own else None, **settings)
    assert list(entry.stored) == ["COMET"]
    assert str(entry.stored_source("COMET", "folder")) == found
    if found != "folder":
        assert list(map(str, entry.stored_files("COMET", "folder"))) == [found]
