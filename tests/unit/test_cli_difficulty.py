"""`mt-difficulty --difficulty` and `--weighting`: every pair of them against loops, and errors."""

import json

import naive
import numpy as np
import pytest
from conftest import ROOT, make_evalset
from sacrebleu.metrics import CHRF, TER

from mt_difficulty.data.text_files import read_lines
from mt_difficulty.difficulty import ESTIMATORS

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS = ["oak", "ash", "cedar"]
SEGMENTS = 40
TEXTS = {
    "ref": read_lines(DEMO / "references/en-de.refA.txt")[:SEGMENTS],
    "src": read_lines(DEMO / "sources/en-de.txt")[:SEGMENTS],
    **{x: read_lines(DEMO / f"system-outputs/en-de/{x}.txt")[:SEGMENTS] for x in SYSTEMS},
}
EVALSET = make_evalset([TEXTS[system] for system in SYSTEMS], TEXTS["ref"])
EVALSET.source[:] = TEXTS["src"]
PAIRS = [zip(system, TEXTS["ref"], strict=True) for system in EVALSET.hypotheses]
CHRF_SCORES = np.array([[CHRF().sentence_score(h, [r]).score for h, r in x] for x in PAIRS])
NAMES = "chunk_entropy consensus_entropy crowd disagreement item_response length random".split()
NAMES += ["rarity", "readability"]
WEIGHTINGS = ["EE", "hardest", "proportional"]
ESTIMATES = np.random.default_rng(1).random((len(SYSTEMS), SEGMENTS)).round(2)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The demo's first segments, and estimates of their difficulty."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    numbers = range(1, SEGMENTS + 1)
    for name, values in (("segments", ESTIMATES[0]), ("zeros", np.zeros(SEGMENTS))):
        rows = "".join(f"{i}\t{value}\n" for i, value in zip(numbers, values, strict=True))
        (tmp_path / f"{name}.tsv").write_text("segment\tdifficulty\n" + rows)
    rows = "".join(
        f"{i}\t{system}\t{value}\n"
        for system, values in zip(SYSTEMS, ESTIMATES, strict=True)
        for i, value in zip(numbers, values, strict=True)
    )
    (tmp_path / "hypotheses.tsv").write_text("segment\tsystem\tdifficulty\n" + rows)
    return tmp_path


@pytest.fixture
def call(command):
    """The command on these texts; its exit code, stdout and stderr."""
    texts = ["--ref", "ref.txt", "--lang", "de", "--hyp", *[f"{s}.txt" for s in SYSTEMS]]

    def run(name, *arguments, source=True):
        given = ["--src", "src.txt", "--src-lang", "en"] * source
        if name == "score" and "--metric" not in arguments:  # means, as loops have them
            given += ["--metric", "chrF-segments"]
        return command(name, *texts, *given, *arguments)

    return run


@pytest.fixture
def report(call):
    def run(*arguments):
        code, out, err = call(*arguments, "--format", "json")
        assert code == 0, err
        return json.loads(out)

    return run


def scores(found, weighting):
    rows = [row for row in found["scores"] if row["weighting"] == weighting]
    assert [row["system"] for row in rows] == SYSTEMS
    return rows


def values_of(name):
    """A difficulty of the texts, (systems, segments)."""
    if name.endswith(".tsv"):
        return ESTIMATES if name == "hypotheses.tsv" else np.array([ESTIMATES[0]] * len(SYSTEMS))
    crowd = name in ("crowd", "item_response")
    estimator = ESTIMATORS[name](**{"metric": "chrF"} if crowd else {})
    values = estimator.estimate(EVALSET, CHRF_SCORES if crowd else None)
    return estimator.difficulty(values, np.arange(len(SYSTEMS)))


def weights_of(weighting, difficulty, h, w):
    """How much every hypothesis counts in its system's score."""
    if weighting == "proportional":
        return difficulty
    if weighting == "hardest":
        return naive.among_hardest(difficulty, round(0.1 * SEGMENTS))
    hard = difficulty >= h
    return np.where(hard, (1 - w) / max(1, hard.sum()), w / max(1, (~hard).sum()))


@pytest.mark.parametrize("name", [*NAMES, "segments.tsv", "hypotheses.tsv"])
def test_every_weighting_by_every_difficulty_is_that_of_loops(report, name):
    asked = ["--weighting", *WEIGHTINGS, "--h", "quantile_0.8", "--w", "0.3"]
    found = report("score", "--difficulty", name, *asked, "--resamples", 0)
    difficulty = values_of(name)
    means = difficulty.mean(axis=0)
    h = np.quantile(means[means != 0], 0.8)
    for weighting in WEIGHTINGS:
        rows = scores(found, weighting)
        if weighting == "proportional" and (difficulty < 0).any():
            assert [row["score"] for row in rows] == [None] * 3, weighting
            assert "is below 0 for some" in "\n".join(found["notices"])
            continue
        for row, of_system, values in zip(rows, difficulty, CHRF_SCORES, strict=True):
            case, weights = (weighting, row["system"]), weights_of(weighting, of_system, h, 0.3)
            mean = (weights * values).sum() / weights.sum()
            assert row["score"] == pytest.approx(mean, rel=1e-9), case
            kish = weights.sum() ** 2 / (weights**2).sum()
            assert row["effective_segments"] == pytest.approx(kish, rel=1e-9), case
            assert row["difficulty"] == name, case
            assert f"|{weighting}|" in row["signature"], case
            assert row["signature"].endswith("|" + found["difficulty"]["signature"]), case
    assert {row["difficulty"] for row in scores(found, "standard")} == {""}

    found = report("hard", "--difficulty", name, "--top", 6)
    order, rows = sorted(range(SEGMENTS), key=lambda i: (-means[i], i))[:6], found["hard_segments"]
    assert [row["reference"] for row in rows] == [TEXTS["ref"][i] for i in order]
    assert [row["source"] for row in rows] == [TEXTS["src"][i] for i in order]
    assert [row["segment"] for row in rows] == [i + 1 for i in order]
    assert [row["difficulty"] for row in rows] == pytest.approx(means[order], rel=1e-9)
    assert found["difficulty"]["name"] == name
    counts = {row["difficult_systems"] for row in rows}
    assert (None in counts) == ("h" not in found["difficulty"]) == (name != "chunk_entropy")


def test_crowd_is_of_the_first_metric_in_the_sense_of_harder(report):
    asked = ["score", "--difficulty", "crowd", "--metric", "ter", "chrF-segments", "--resamples", 0]
    found = report(*asked, "--top", 1)
    pairs = [zip(system, TEXTS["ref"], strict=True) for system in EVALSET.hypotheses]
    ter = np.mean([[TER().sentence_score(h, [r]).score for h, r in x] for x in pairs], axis=0)
    (row,) = found["hard_segments"]
    assert row["segment"] == 1 + ter.argmax()
    assert row["difficulty"] == pytest.approx(ter.max())
    assert found["difficulty"]["signature"].startswith("crowd:TER|")
    hard = report("hard", "--difficulty", "crowd")
    assert hard["difficulty"]["signature"].startswith("crowd:chrF|")


@pytest.mark.parametrize(
    ("given", "value", "source"),
    [([], 0.5, "default"), (["--w", "0.5"], 0.5, "given"), (["--w", "share"], None, "share")],
)
def test_eq_11_is_of_chunk_entropy_alone(report, given, value, source):
    found = report("score", "--difficulty", "rarity", "--resamples", 0, *given)
    easy = 1 - sum(found["difficulty"]["difficult_hypotheses"].values()) / (3 * SEGMENTS)
    assert found["difficulty"]["w"] == pytest.approx(value or easy)
    assert found["difficulty"]["w_from"] == source
    assert any("Eq. 11" in notice for notice in found["notices"]) == (not given)


def test_a_constant_difficulty_weighs_nothing(report):
    found = report("score", "--difficulty", "zeros.tsv", "--weighting", *WEIGHTINGS)
    without_score = {row["weighting"] for row in found["scores"] if row["score"] is None}
    with_score = {row["weighting"] for row in found["scores"] if row["score"] is not None}
    assert with_score == {"standard"}
    assert without_score == {*WEIGHTINGS}
    assert found["hard_segments"] == []
    assert "zeros.tsv is 0 for every hypothesis" in "\n".join(found["notices"])


@pytest.mark.parametrize("subcommand", ["score", "hard"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("rarety", "difficulty rarety: neither a difficulty (did you mean rarity?) nor a file"),
        ("human", "The difficulties are: chunk_entropy, consensus_entropy, crowd, disagreement"),
        ("ref.txt", "ref.txt, line 1: expected a header with the columns segment, difficulty"),
        ("elk.tsv", "elk.tsv, line 2: elk is no system of the set"),
    ],
)
def test_a_difficulty_that_cannot_be_is_an_error(call, folder, given, message, subcommand):
    (folder / "elk.tsv").write_text("segment\tsystem\tdifficulty\n1\telk\t0.1\n")
    code, out, err = call(subcommand, "--difficulty", given)
    assert (code, out) == (1, "")
    assert message in err


@pytest.mark.parametrize("name", ["length", "rarity", "readability"])
def test_difficulties_of_the_source_ask_for_it(call, name):
    code, _, err = call("hard", "--difficulty", name, source=False)
    assert (code, "Give the source text" in err) == (1, True)
    code, _, err = call("hard", "--difficulty", name, "--src", "src.txt", source=False)
    assert code == ("Name the source language" in err) == (name != "length")


def test_a_line_too_long_to_be_aligned_is_named(command, tmp_path):
    long = "ab cd " * 40_000
    for name in ("ref", "a"):
        (tmp_path / f"{name}.txt").write_text(f"ab cd\n{long}\n")
    files = [tmp_path / "ref.txt", "-i", tmp_path / "a.txt", "--lang", "de"]
    code, out, error = command("hard", *files)
    assert (code, out) == (1, "")
    assert error == (
        "ERROR: difficulty chunk_entropy: line 2 is too long to be aligned (80,000 tokens in the "
        "reference): split long lines into sentences, in all files, or take another difficulty.\n"
    )
    code, out, error = command("hard", *files, "--difficulty", "disagreement")
    assert code == 0
