"""Difficulties that are read from a file or made from human scores, as the jobs of a run read them:
what is wrong is refused with its file."""

from pathlib import Path

import numpy as np
import pytest
import small_run

import estimate_difficulty
import import_gold
import import_texts
from mt_difficulty import storage
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.settings import DifficultySettings

LINES = ["one two three", "four five six", "seven eight nine"]
SYSTEMS = ["ash", "elm", "oak"]
ESTIMATES = "segment\tdifficulty\n1\t0.5\n2\t-1\n3\t2\n"
OF_SYSTEMS = "segment\tdifficulty\tsystem\n" + "".join(
    f"{segment}\t{segment}.{place}\t{system}\n"
    for place, system in enumerate(SYSTEMS)
    for segment in (1, 2, 3)
)


@pytest.fixture
def estimate(tmp_path, monkeypatch):
    """Run the job of a difficulty from the text of its file, by default in the set's own folder;
    gives what it wrote."""
    monkeypatch.chdir(tmp_path)
    small_run.write_own_files(tmp_path / "own", LINES, dict.fromkeys(SYSTEMS, LINES))

    def run(text, file=None):
        settings = {"type": "file"} | ({"file": "estimates/{campaign}.{pair}.tsv"} if file else {})
        plan = small_run.plan_run(
            "own", "results", {"chrF": "chrf"}, difficulties={"theirs": settings}
        )
        (name,) = plan.sets
        small_run.read_own_set(plan, name)
        path = Path(file or "own/difficulty/theirs.tsv")
        path.parent.mkdir(exist_ok=True)
        if text:
            path.write_text(text)
        small_run.estimate(plan, name, "theirs")
        return storage.read_arrays(plan.difficulty_file(name, "theirs"))

    return run


@pytest.mark.parametrize("file", [None, "estimates/small.en-xx.tsv"])
def test_estimates_of_segments_and_of_hypotheses(estimate, file):
    found = estimate(ESTIMATES, file)
    assert found["difficulty"].tolist() == [[0.5, -1, 2]] * 3
    assert str(found["signature"]) == f"file:{Path(file or 'theirs.tsv').name}"
    expected = [[1.0, 2.0, 3.0], [1.1, 2.1, 3.1], [1.2, 2.2, 3.2]]
    assert estimate(OF_SYSTEMS, file)["difficulty"].tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ESTIMATES + "4\t1\n", ", line 5: expected a segment from 1 to 3, found `4`"),
        (ESTIMATES + "3\t1\n", ", line 5: a second estimate of segment 3"),
        (ESTIMATES.replace("2\t-1\n", ""), ": no estimate of segment 2; expected one of each of 3"),
        (ESTIMATES.replace("-1", "nan"), ", line 3: expected a number .* found `nan`"),
        (OF_SYSTEMS.replace("elm", "elk"), ", line 5: elk is no system of the set .*mean elm"),
        (OF_SYSTEMS[: -len("3\t3.2\toak\n")], ": no estimate of segment 3 of system oak"),
    ],
)
def test_wrong_estimates_are_refused(estimate, text, message):
    with pytest.raises(InputError, match=f"^own/difficulty/theirs.tsv{message}"):
        estimate(text)


def test_estimates_without_a_file_are_missing(estimate):
    with pytest.raises(
        Missing, match=r"^the set has no such estimates \(difficulty/theirs\.tsv\)$"
    ):
        estimate("")


GOLD = "".join(f"{system}\t{i}.{j}\n" for i, system in enumerate(SYSTEMS) for j in range(3))


@pytest.fixture
def human(tmp_path, monkeypatch):
    """Run the jobs of the difficulty from human scores of segments, given as a file's text."""
    monkeypatch.chdir(tmp_path)
    texts = {"sources/en-de.txt": LINES, "references/en-de.refA.txt": LINES}
    texts |= {f"system-outputs/en-de/{system}.txt": LINES for system in SYSTEMS}
    texts |= {"human-scores/en-de.mqm.sys.score": [f"{system} 1" for system in SYSTEMS]}
    for name, lines in texts.items():
        path = tmp_path / "archive/small" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def run(text):
        (tmp_path / "archive/small/human-scores/en-de.mqm.seg.score").write_text(text)
        settings = ImportSettings("small", "en-de", "refA", "mqm")
        read = {"settings": settings, "rated": {}, "location": "archive/small"}
        small_run.job(import_texts, {}, {"texts": "texts.json"}, read)
        made = {name: f"{name}.json" for name in ("evalset", "ratings", "human_evaluation")}
        small_run.job(import_gold, {"texts": "texts.json"}, made, read)
        inputs = {"evalset": "evalset.json", "source": []}
        params = {"settings": DifficultySettings("human"), "metric": None, "location": None}
        small_run.job(estimate_difficulty, inputs, "human.npz", params)
        return storage.read_arrays("human.npz")

    return run


def test_human_difficulty_is_that_of_the_others(human):
    found = human(GOLD)
    means = [[-1.5, -1.6, -1.7], [-1.0, -1.1, -1.2], [-0.5, -0.6, -0.7]]
    np.testing.assert_allclose(found["difficulty"], means)
    assert str(found["signature"]).endswith("|uses:gold")


def test_hypotheses_without_human_scores_of_others_have_no_difficulty(human):
    found = human(GOLD.replace("0.1", "None").replace("1.1", "None"))["difficulty"]
    np.testing.assert_allclose(found[:, 1], [-2.1, -2.1, np.nan])
    np.testing.assert_array_equal(np.isfinite(found[:, [0, 2]]), True)
    with pytest.raises(Missing, match="the set has no human scores of segments"):
        human("")


def test_other_human_scores_are_a_difficulty(human, tmp_path):
    human(GOLD)
    folder = tmp_path / "archive/small"
    found = read_evaluation_set(folder, ImportSettings("small", "en-de", "refA", "mqm"))
    estimator = make_estimator(DifficultySettings("gold", {"name": "esa"}))
    with pytest.raises(Missing, match="the archive has no esa scores of segments"):
        estimator.estimate(found, folder)
    (folder / "human-scores/en-de.esa.seg.score").write_text(GOLD.replace("0.1", "None"))
    expected = [[-0.0, np.nan, -0.2], [-1.0, -1.1, -1.2], [-2.0, -2.1, -2.2]]
    np.testing.assert_allclose(estimator.estimate(found, folder), expected)
    assert estimator.files(folder, "en-de") == [folder / "human-scores/en-de.esa.seg.score"]
    with pytest.raises(Missing, match="mqm is the set's own gold"):
        make_estimator(DifficultySettings("gold", {"name": "mqm"})).estimate(found, folder)
