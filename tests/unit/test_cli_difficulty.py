"""`mt-difficulty --difficulty` and `--weighting`: every pair of them against loops, and errors."""

import json

import numpy as np
import pytest
from conftest import ROOT
from sacrebleu.metrics import CHRF, TER

from mt_difficulty import cli
from mt_difficulty.data.evalset import EvaluationSet
from mt_difficulty.data.text_files import read_segments
from mt_difficulty.difficulty import ESTIMATORS
from mt_difficulty.interface.difficulty import estimators_of_texts
from mt_difficulty.interface.scores import weightings

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS = ["oak", "ash", "cedar"]
SEGMENTS = 40
FILES = {
    "ref": DEMO / "references/en-de.refA.txt",
    "src": DEMO / "sources/en-de.txt",
    **{system: DEMO / f"system-outputs/en-de/{system}.txt" for system in SYSTEMS},
}
NAMES = "chunk_entropy consensus_entropy crowd disagreement item_response length random".split()
NAMES += ["rarity", "readability"]
ESTIMATES = np.random.default_rng(1).random((len(SYSTEMS), SEGMENTS)).round(2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo's first segments, and estimates of their difficulty."""
    folder = tmp_path_factory.mktemp("texts")
    for name, file in FILES.items():
        text = "".join(f"{line}\n" for line in read_segments(file)[:SEGMENTS])
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    rows = [f"{i + 1}\t{value}\n" for i, value in enumerate(ESTIMATES[0])]
    (folder / "segments.tsv").write_text("segment\tdifficulty\n" + "".join(rows))
    rows = [
        f"{i + 1}\t{system}\t{value}\n"
        for system, values in zip(SYSTEMS, ESTIMATES, strict=True)
        for i, value in enumerate(values)
    ]
    (folder / "hypotheses.tsv").write_text("segment\tsystem\tdifficulty\n" + "".join(rows))
    rows = [f"{i + 1}\t0\n" for i in range(SEGMENTS)]
    (folder / "zeros.tsv").write_text("segment\tdifficulty\n" + "".join(rows))
    return folder


@pytest.fixture
def call(capsys, folder, monkeypatch):
    """The command on these texts; its exit code, stdout and stderr."""
    monkeypatch.chdir(folder)
    texts = ["--ref", "ref.txt", "--lang", "de", "--hyp", *[f"{s}.txt" for s in SYSTEMS]]

    def run(command, *arguments, source=True):
        given = ["--src", "src.txt", "--src-lang", "en"] * source
        if command == "score" and "--metric" not in arguments:  # means, as loops have them
            given += ["--metric", "chrF-segments"]
        code = cli.main([command, *texts, *given, *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def report(call):
    def run(*arguments, **options):
        code, out, err = call(*arguments, "--format", "json", **options)
        assert code == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def evalset(folder):
    def read(name):
        return read_segments(folder / f"{name}.txt")

    hypotheses = [read(system) for system in SYSTEMS]
    return EvaluationSet(
        *("", "en-de", "ref.txt", "", SYSTEMS, []),
        source=read("src"),
        reference=read("ref"),
        hypotheses=hypotheses,
    )


def scores(found, weighting):
    rows = [row for row in found["scores"] if row["weighting"] == weighting]
    assert [row["system"] for row in rows] == SYSTEMS
    return rows


def chrf_of(evalset):
    """Sentence chrF by sacreBLEU, (systems, segments)."""
    pairs = [zip(system, evalset.reference, strict=True) for system in evalset.hypotheses]
    return np.array([[CHRF().sentence_score(h, [r]).score for h, r in each] for each in pairs])


def values_of(name, evalset):
    """A difficulty of the texts, (systems, segments)."""
    if name.endswith(".tsv"):
        return ESTIMATES if name == "hypotheses.tsv" else np.array([ESTIMATES[0]] * len(SYSTEMS))
    crowd = name in ("crowd", "item_response")
    estimator = ESTIMATORS[name](**{"metric": "chrF"} if crowd else {})
    values = estimator.estimate(evalset, chrf_of(evalset) if crowd else None)
    return estimator.difficulty(values, np.arange(len(SYSTEMS)))


def weights_of(weighting, difficulty, h, w):
    """How much every hypothesis counts in its system's score."""
    if weighting == "proportional":
        return difficulty
    if weighting == "hardest":
        weights = np.zeros(len(difficulty))
        order = sorted(range(len(difficulty)), key=lambda i: (-difficulty[i], i))
        weights[order[: round(0.1 * SEGMENTS)]] = 1
        return weights
    hard = difficulty >= h
    return np.where(hard, (1 - w) / max(1, hard.sum()), w / max(1, (~hard).sum()))


def test_the_registrys_estimators_of_texts_are_offered():
    assert estimators_of_texts() == NAMES
    of_segments = {"EE", "hardest", "proportional"}
    assert {*weightings()} == {*of_segments, "DA", *(f"{one}-DA" for one in of_segments)}


@pytest.mark.parametrize("weighting", ["EE", "hardest", "proportional"])
@pytest.mark.parametrize("name", [*NAMES, "segments.tsv", "hypotheses.tsv"])
def test_every_weighting_by_every_difficulty_is_that_of_loops(report, evalset, name, weighting):
    rule = ["--h", "quantile_0.8", "--w", "0.3"]
    found = report("score", "--difficulty", name, "--weighting", weighting, *rule, "--resamples", 0)
    difficulty, chrf = values_of(name, evalset), chrf_of(evalset)
    if weighting == "proportional" and (difficulty < 0).any():
        assert [row["score"] for row in scores(found, weighting)] == [None] * 3
        assert any(
            f"{name.replace('_', ' ')} is below 0 for some" in notice for notice in found["notices"]
        )
        return
    means = difficulty.mean(axis=0)
    h = np.quantile(means[means != 0], 0.8)
    for row, own, values in zip(scores(found, weighting), difficulty, chrf, strict=True):
        weights = weights_of(weighting, own, h, 0.3)
        assert row["score"] == pytest.approx((weights * values).sum() / weights.sum(), rel=1e-9)
        kish = weights.sum() ** 2 / (weights**2).sum()
        assert row["effective_segments"] == pytest.approx(kish, rel=1e-9)
        assert row["difficulty"] == name
        assert f"|{weighting}|" in row["signature"]
        assert row["signature"].endswith("|" + found["difficulty"]["signature"])
    assert {row["difficulty"] for row in scores(found, "standard")} == {""}


@pytest.mark.parametrize("name", [*NAMES, "segments.tsv", "hypotheses.tsv"])
def test_the_hardest_segments_are_those_of_highest_mean_difficulty(report, evalset, name):
    found = report("hard", "--difficulty", name, "--top", 6)
    means = values_of(name, evalset).mean(axis=0)
    order = sorted(range(SEGMENTS), key=lambda i: (-means[i], i))[:6]
    assert [row["segment"] for row in found["hard_segments"]] == [i + 1 for i in order]
    assert [row["reference"] for row in found["hard_segments"]] == [
        evalset.reference[i] for i in order
    ]
    assert [row["source"] for row in found["hard_segments"]] == [evalset.source[i] for i in order]
    shown = [row["difficulty"] for row in found["hard_segments"]]
    assert shown == pytest.approx(means[order], rel=1e-9)
    assert found["difficulty"]["name"] == name
    counts = {row["difficult_systems"] for row in found["hard_segments"]}
    assert (None in counts) == ("h" not in found["difficulty"]) == (name != "chunk_entropy")


def test_crowd_is_of_the_first_metric_in_the_sense_of_harder(report, evalset):
    asked = ["score", "--difficulty", "crowd", "--metric", "ter", "chrF-segments", "--resamples", 0]
    found = report(*asked, "--top", 1)
    ter = [
        [TER().sentence_score(h, [r]).score for h, r in zip(system, evalset.reference, strict=True)]
        for system in evalset.hypotheses
    ]
    (row,) = found["hard_segments"]
    assert row["segment"] == 1 + np.mean(ter, axis=0).argmax()
    assert row["difficulty"] == pytest.approx(np.mean(ter, axis=0).max())
    assert found["difficulty"]["signature"].startswith("crowd:TER|")
    assert report("hard", "--difficulty", "crowd")["difficulty"]["signature"].startswith(
        "crowd:chrF|"
    )


def test_eq_11_is_of_chunk_entropy_alone(report):
    for given, value, source in (
        ([], 0.5, "default"),
        (["0.5"], 0.5, "given"),
        (["share"], None, "share"),
    ):
        asked = ["score", "--difficulty", "rarity", "--resamples", 0]
        found = report(*asked, *(["--w", *given] if given else []))
        easy = 1 - sum(found["difficulty"]["difficult_hypotheses"].values()) / (3 * SEGMENTS)
        assert found["difficulty"]["w"] == pytest.approx(value or easy)
        assert found["difficulty"]["w_from"] == source
        assert any("Eq. 11" in notice for notice in found["notices"]) == (not given)


def test_a_constant_difficulty_weighs_nothing(report):
    weighted = ["--weighting", "EE", "hardest", "proportional"]
    found = report("score", "--difficulty", "zeros.tsv", *weighted)
    for row in found["scores"]:
        assert (row["score"] is None) == (row["weighting"] != "standard")
    assert found["hard_segments"] == []
    assert any("zeros.tsv is 0 for every hypothesis" in notice for notice in found["notices"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("rarety", "--difficulty rarety: neither a difficulty (did you mean rarity?) nor a file"),
        ("human", "The difficulties are: chunk_entropy, consensus_entropy, crowd, disagreement"),
        ("none.tsv", "--difficulty none.tsv: neither a difficulty nor a file of estimates"),
        ("ref.txt", "ref.txt, line 1: Expected a header with the columns segment, difficulty"),
        ("nan.tsv", "nan.tsv, line 2: expected a number as difficulty"),
        ("elk.tsv", "elk.tsv, line 2: elk is no system of the set"),
        ("short.tsv", "short.tsv: no estimate of segment 1 of system oak"),
    ],
)
def test_a_difficulty_that_cannot_be_is_an_error(call, folder, given, message):
    lines = (folder / "hypotheses.tsv").read_text().splitlines(keepends=True)
    for name, line in (("nan", "1\toak\tnan\n"), ("elk", "1\telk\t0.1\n"), ("short", "")):
        (folder / f"{name}.tsv").write_text("".join([lines[0], line, *lines[2:]]))
    for command in ("score", "hard"):
        code, out, err = call(command, "--difficulty", given)
        assert (code, out) == (1, "")
        assert message in err


@pytest.mark.parametrize("name", ["length", "rarity", "readability"])
def test_difficulties_of_the_source_ask_for_it(call, name):
    code, _, err = call("hard", "--difficulty", name, source=False)
    assert (code, "Give the source text" in err) == (1, True)
    code, _, err = call("hard", "--difficulty", name, "--src", "src.txt", source=False)
    assert code == ("Name the source language" in err) == (name != "length")
