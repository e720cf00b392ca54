"""Difficulty estimators, against loops, other libraries and what is known by construction."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from mt_difficulty import difficulty
from mt_difficulty.data.evalset import EvaluationSet
from mt_difficulty.difficulty import ESTIMATORS
from mt_difficulty.difficulty.base import Estimator
from mt_difficulty.errors import InputError, Missing

SYSTEMS = ["ash", "elm", "oak"]
SOURCE = [
    "The house is small.",
    "Photosynthesis notwithstanding, verdant chloroplasts proliferate.",
]
HYPOTHESES = [
    ["Das Haus ist klein.", "Trotz Photosynthese vermehren sich grüne Chloroplasten."],
    ["Das Haus ist klein.", "Grün wuchern die Chloroplasten."],
    ["Das Haus ist sehr klein.", "Es ist grün."],
]
ALL = np.arange(3)
seeds = st.integers(0, 10**6)


def make_set(**changed):
    fields = {
        "campaign": "demo",
        "pair": "en-de",
        "reference_name": "ref",
        "gold_name": "mqm",
        "systems": SYSTEMS,
        "gold": [1.0, 2.0, 3.0],
        "source": SOURCE,
        "reference": HYPOTHESES[0],
        "hypotheses": HYPOTHESES,
        "segment_gold": [[-1.0, -5.0], [0.0, -3.0], [-2.0, -25.0]],
    }
    return EvaluationSet(**fields | changed)


def estimate(kind, source=None, found=None, systems=ALL, **options):
    """Difficulty of the systems at hand, (n, segments)."""
    estimator = ESTIMATORS[kind](**options)
    return estimator.difficulty(estimator.estimate(found or make_set(), source), systems)


def test_chunk_entropy_is_that_of_aligned_texts():
    same = make_set(reference=["a b c d", "a b c d"], hypotheses=[["a b c d", "d b x a"]] * 3)
    found = estimate("chunk_entropy", found=same, aligner="exact")
    # `d b` and `a` are its chunks: shares of 2/3 and 1/3.
    entropy = -(2 / 3 * np.log10(2 / 3) + 1 / 3 * np.log10(1 / 3))
    np.testing.assert_allclose(found, [[0, entropy]] * 3)


@given(seeds, st.booleans())
def test_means_are_over_the_systems_at_hand(seed, leave_one_out):
    rng = np.random.default_rng(seed)
    values, systems = rng.random((6, 4)), rng.permutation(6)[:4]
    options = {"difficulty": "x", "leave_one_out": leave_one_out}
    found = estimate("mean", values, systems=systems, **options)
    for row, own in enumerate(systems):
        others = [s for s in systems if s != own or not leave_one_out]
        np.testing.assert_allclose(found[row], values[others].mean(axis=0))


def test_human_difficulty_is_that_of_the_others():
    found = estimate("human")
    np.testing.assert_allclose(found, [[1.0, 14.0], [1.5, 15.0], [0.5, 4.0]])
    np.testing.assert_allclose(estimate("human", systems=np.array([2, 0])), [[1, 5], [2, 25]])


def test_without_human_scores_of_others_there_is_no_difficulty():
    found = estimate("human", found=make_set(segment_gold=[[1.0, 2.0], [3.0, None], [4.0, None]]))
    np.testing.assert_array_equal(found, [[-3.5, np.nan], [-2.5, -2.0], [-2.0, -2.0]])
    with pytest.raises(Missing, match="no human scores of segments"):
        estimate("human", found=make_set(segment_gold=[]))


def crowd_statistic(statistic, scores, overall):
    """Of one segment, from its scores and the systems' mean scores."""
    if statistic == "mean":
        return -scores.mean()
    if statistic == "variance":
        return scores.var()
    return np.corrcoef(scores, overall)[0, 1] if np.ptp(scores) else 0.0


@given(seeds, st.sampled_from(["mean", "variance", "consistency"]), st.booleans())
def test_crowd_statistics_are_those_of_numpy(seed, statistic, leave_one_out):
    rng = np.random.default_rng(seed)
    scores, systems = rng.random((6, 5)), rng.permutation(6)[:4]
    scores[:, 0] = 0.5  # all systems alike
    options = {"metric": "m", "statistic": statistic, "leave_one_out": leave_one_out}
    found = estimate("crowd", scores, systems=systems, **options)
    for row, own in enumerate(systems):
        part = scores[[s for s in systems if s != own or not leave_one_out]]
        for segment, column in enumerate(part.T):
            expected = crowd_statistic(statistic, column, part.mean(axis=1))
            assert found[row, segment] == pytest.approx(expected, abs=1e-9)


def test_disagreement_is_chrf_between_hypotheses():
    chrf, systems = CHRF(), np.array([2, 0])
    for chosen in (ALL, systems):
        found = estimate("disagreement", systems=chosen)
        for segment in range(2):
            scores = [
                chrf.sentence_score(HYPOTHESES[a][segment], [HYPOTHESES[b][segment]]).score
                for a, b in itertools.permutations(chosen, 2)
            ]
            np.testing.assert_allclose(found[:, segment], 1 - np.mean(scores) / 100, atol=1e-9)
    assert (estimate("disagreement", systems=ALL[:1]) == 0).all()


def test_lengths_are_those_of_the_source():
    assert estimate("length")[0].tolist() == [float(len(text.replace(" ", ""))) for text in SOURCE]
    assert estimate("length", count="words")[1].tolist() == [4.0, 5.0]
    with pytest.raises(Missing, match="zh is written without spaces"):
        estimate("length", found=make_set(pair="zh-en"), count="words")


def test_rarity_is_the_mean_over_words():
    from wordfreq import zipf_frequency

    found = estimate("rarity", found=make_set(source=["The house", "", "xqzzv"]))
    expected = 8 - (zipf_frequency("the", "en") + zipf_frequency("house", "en")) / 2
    np.testing.assert_allclose(found[0], [expected, 0.0, 8.0])


def test_stored_scores_turn_their_sign(tmp_path):
    folder = tmp_path / "metric-scores/en-de"
    folder.mkdir(parents=True)
    lines = [f"{system} {value}\n" for system in SYSTEMS for value in (0.5, -1.25)]
    (folder / "QE-src.seg.score").write_text("".join(lines))
    assert estimate("stored", tmp_path, name="QE").tolist() == [[-0.5, 1.25]] * 3
    (folder / "QE-src.seg.score").unlink()
    (folder / "QE-src.sys.score").write_text("".join(f"{system} 1\n" for system in SYSTEMS))
    with pytest.raises(Missing, match="QE scores of systems only"):
        estimate("stored", tmp_path, name="QE")


class TestFile:
    """Estimates of others."""

    SEGMENTS = "segment\tnote\tdifficulty\n2\tx\t0.5\n1\ty\t-1e1\n"
    HYPOTHESES = "system\tsegment\tdifficulty\n" + "".join(
        f"{system}\t{segment}\t{segment}.{number}\n"
        for number, system in enumerate(["refA", *SYSTEMS])
        for segment in (1, 2)
    )

    def read(self, tmp_path, text, **options):
        (tmp_path / "estimates.tsv").write_text(text)
        found = make_set(left_out={"refA": "a human translation"})
        options = {"file": "estimates.tsv", **options}
        return estimate("file", tmp_path / "estimates.tsv", found=found, **options)

    def test_of_segments_in_any_order(self, tmp_path):
        assert self.read(tmp_path, self.SEGMENTS).tolist() == [[-10.0, 0.5]] * 3
        turned = self.read(tmp_path, self.SEGMENTS, higher_is_harder=False)
        assert turned.tolist() == [[10.0, -0.5]] * 3

    def test_of_hypotheses(self, tmp_path):
        found = self.read(tmp_path, self.HYPOTHESES)
        assert found.tolist() == [[1.1, 2.1], [1.2, 2.2], [1.3, 2.3]]

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("2\tx\t0.5\n", "", r"no estimate of segment 2; .* 2 segments, 1 are missing"),
            ("2\tx\t0.5", "2\tx\tnan", r"line 2: expected a number .* found `nan`"),
            (
                "2\tx\t0.5",
                "2\tx\tNone",
                r"line 2: expected a number .* found `None`",
            ),
            ("2\tx\t0.5", "2\tx\t1e300", r"line 2: expected a difficulty of at most ±1e\+100"),
            ("2\tx\t0.5", "3\tx\t0.5", r"line 2: expected a segment from 1 to 2, found `3`"),
            ("2\tx\t0.5", "0\tx\t0.5", r"line 2: expected a segment from 1 to 2, found `0`"),
            ("2\tx\t0.5", "1\tx\t0.5", r"line 3: a second estimate of segment 1\."),
            ("2\tx\t0.5", "2\t0.5", r"line 2: expected 3 fields .* found 2"),
            ("segment\t", "number\t", r"line 1: Expected a header"),
            (SEGMENTS, "", r"line 1: Expected a header"),
        ],
    )
    def test_refuses_odd_lines_of_segments(self, tmp_path, old, new, message):
        assert old in self.SEGMENTS
        with pytest.raises(InputError, match=rf"estimates\.tsv.*{message}"):
            self.read(tmp_path, self.SEGMENTS.replace(old, new))

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("elm\t2\t2.2\n", "", r"no estimate of segment 2 of system elm; .*for each system"),
            ("elm\t2\t", "elk\t2\t", r"line 7: elk is no system .*did you mean elm.*ash, elm, oak"),
            ("elm\t2\t", "elm\t1\t", r"line 7: a second estimate of segment 1 of system elm"),
        ],
    )
    def test_refuses_odd_lines_of_hypotheses(self, tmp_path, old, new, message):
        assert old in self.HYPOTHESES
        with pytest.raises(InputError, match=rf"estimates\.tsv.*{message}"):
            self.read(tmp_path, self.HYPOTHESES.replace(old, new))

    def test_gives_a_reason_where_there_is_no_file(self, tmp_path):
        with pytest.raises(Missing, match=r"^there is no file estimates\.tsv$"):
            estimate("file", tmp_path / "estimates.tsv", file="estimates.tsv")


@settings(max_examples=25, deadline=None)
@given(seeds, st.booleans())
def test_token_dissimilarity_is_eq_2(seed, leave_one_out):
    class Matches:
        reference_similarity = np.random.default_rng(seed).random((5, 7)).astype(np.float32)

    systems = np.array([3, 0, 4])
    found = estimate("token_dissimilarity", Matches, systems=systems, leave_one_out=leave_one_out)
    for row, own in enumerate(systems):
        others = [s for s in systems if s != own or not leave_one_out]
        expected = 1 - Matches.reference_similarity[others].mean(axis=0, dtype=float)
        np.testing.assert_allclose(found[row], expected, atol=1e-12)


def test_the_mean_of_the_others_is_infinite_where_one_of_them_is():
    values = np.array([[np.inf, 1, np.inf], [1, 1, np.inf], [3, 1, 2]])
    mean = ESTIMATORS["mean"]
    found = mean("x", leave_one_out=True).difficulty(values, ALL)
    expected = [[2, 1, np.inf], [np.inf, 1, np.inf], [np.inf, 1, np.inf]]
    np.testing.assert_array_equal(found, expected)
    found = mean("x").difficulty(values, ALL)
    np.testing.assert_array_equal(found, [[np.inf, 1, np.inf]] * 3)


def test_an_estimator_with_too_few_values_is_named():
    class Short(Estimator):
        signature = "short"

        def estimate(self, evalset, source=None):
            return np.arange(len(evalset.reference) - 1.0)

    message = "difficulty Short: `estimate` gave 1 values; expected one for each of 2 segments"
    with pytest.raises(InputError, match=message):
        difficulty.estimate(Short(), make_set(), None)
