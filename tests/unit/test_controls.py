"""Nulls of the weightings against loops, and where a value stands among them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import token_difficulty
from scipy import stats
from test_token_weighting import Texts, plain_f, plain_scores

from mt_difficulty.evidence import controls, nulls
from mt_difficulty.evidence.subsets import CORRELATIONS, correlate
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric
from mt_difficulty.weighting.tokens import Tokens

quick = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 10**6)


def make_weighteds(seed, w):
    """EE of a mean, of a corpus metric and of one of which lower is better."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 5), rng.integers(4, 12)
    counts = np.sort(rng.integers(1, 30, (*shape, 10)), axis=2)[..., ::-1].astype(float)
    statistics = {"chrf": rng.random((*shape, 1)), "bleu": counts, "ter": rng.random((*shape, 2))}
    difficult = rng.random(shape) < 0.4
    difficult[:, 0], difficult[:, 1] = True, False
    return {
        name: WeightedMetric.standard(METRICS[name], values).in_groups(difficult, w)
        for name, values in statistics.items()
    }


def difficult_of(weighted):
    """The difficult group's hypotheses, (systems, segments)."""
    return weighted.weights[..., 1] == 1


def plain_ee(name, statistics, difficult, w):
    """Eq. 7 for one system, higher is better."""
    score = 0
    for weight, wanted in ((w, False), (1 - w, True)):
        group = [row for row, label in zip(statistics, difficult, strict=True) if label == wanted]
        score += weight * METRICS[name].aggregate(sum(group), np.array(len(group)))
    return -score if name == "ter" else score


@quick
@given(seeds, st.floats(0.05, 0.95))
def test_permuted_weights_are_ee_with_shuffled_labels(seed, w):
    weighteds = make_weighteds(seed, w)
    found = nulls.shuffled_quality(weighteds, 5, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    difficult = difficult_of(weighteds["chrf"])
    places = np.tile(np.arange(difficult.shape[1]), (5, 1))
    for system, labels in enumerate(difficult):
        places = rng.permuted(places, axis=1)
        shuffled = labels[places]
        assert (shuffled.sum(axis=1) == labels.sum()).all()
        for draw in range(5):
            for name, one in weighteds.items():
                expected = plain_ee(name, one.statistics[system], shuffled[draw], w)
                assert found[name][draw, system] == pytest.approx(expected, rel=1e-6)


@quick
@given(seeds)
def test_splits_that_are_alike_move_segments_together(seed):
    weighteds = make_weighteds(seed, 0.4)
    difficult = difficult_of(weighteds["chrf"])
    places = nulls.permutations(difficult.shape[1], 4, np.random.default_rng(seed))
    found = nulls.permuted_quality(weighteds, places)
    for draw, order in enumerate(places):
        for name, one in weighteds.items():
            expected = [
                plain_ee(name, statistics, labels[order], 0.4)
                for statistics, labels in zip(one.statistics, difficult, strict=True)
            ]
            np.testing.assert_allclose(found[name][draw], expected, rtol=1e-6)


@quick
@given(seeds, st.floats(0.05, 0.95))
def test_inverted_ee_swaps_the_groups_weights(seed, w):
    weighteds = make_weighteds(seed, w)
    difficulty = difficult_of(weighteds["chrf"]).astype(float)
    found = nulls.segment_nulls(weighteds, difficulty, 2, np.random.default_rng(0), None)
    for name, one in weighteds.items():
        expected = [
            plain_ee(name, statistics, ~difficult, w)
            for statistics, difficult in zip(one.statistics, difficult_of(one), strict=True)
        ]
        np.testing.assert_allclose(found[name]["swapped"], [expected], rtol=1e-6)


def test_an_empty_group_is_nan_not_a_rounding_error():
    statistics = np.random.default_rng(0).random((1, 50, 1))
    one = WeightedMetric.standard(METRICS["chrf"], statistics).in_groups(
        np.ones((1, 50), bool), 0.5
    )
    found = nulls.shuffled_quality({"chrF": one}, 3, np.random.default_rng(0))
    assert np.isnan(found["chrF"]).all()


def test_difficulties_of_segments_stay_the_same_for_all_systems():
    """Two equal systems keep equal scores when segments change places."""
    rng = np.random.default_rng(1)
    statistics = np.repeat(rng.random((1, 40, 1)), 2, axis=0)
    difficulty = np.repeat(rng.random((1, 40)), 2, axis=0)
    one = WeightedMetric.standard(METRICS["chrf"], statistics).in_groups(difficulty > 0.8, 0.5)
    deciles = np.arange(40) // 4
    found = nulls.segment_nulls({"chrF": one}, difficulty, 20, rng, deciles)["chrF"]
    assert list(found) == ["permuted", "permuted_length", "random_subset", "swapped"]
    for null in ("permuted", "permuted_length", "random_subset"):
        assert (found[null][:, 0] == found[null][:, 1]).all()
        assert np.ptp(found[null][:, 0]) > 0


def test_without_weights_nothing_is_permuted():
    assert nulls.shuffled_quality({}, 3, np.random.default_rng(0)) == {}
    assert nulls.permuted_quality({}, np.zeros((3, 4), int)) == {}


def plain_da(texts, difficulty, choice):
    """Eq. 3 to 5 for every system, with a row of difficulties each."""
    starts = np.cumsum([0, *map(len, texts.reference)])
    scores = []
    for system, row in enumerate(difficulty):
        of_segments = [
            plain_scores(texts, system, s, list(row[starts[s] : starts[s + 1]]), choice)
            for s in range(len(texts.reference))
        ]
        scores.append(plain_f(*np.mean(of_segments, axis=0), choice.beta))
    return scores


def positive(texts):
    """The texts without negative similarities, so that no F is near a pole."""
    for side in (texts.of_reference, texts.of_hypotheses):
        for values in (values for system in side for values in system):
            np.abs(values, out=values)
    return texts


def everywhere(matches):
    return np.arange(matches.hypothesis_lengths.shape[1])


def test_only_tokens_of_segments_that_count_change_places():
    matches = positive(Texts(5, systems=4, segments=9)).matches()
    difficulty, segments = token_difficulty(matches.reference_similarity), np.array([1, 4, 8])
    one = nulls.TokenScores(matches, Tokens(), {}, difficulty, segments)
    found = nulls.permuted_scores(one, 3, np.random.default_rng(1))
    inside = np.isin(matches.reference_segment, segments)
    orders = nulls.permutations(inside.sum(), 3, np.random.default_rng(1))
    for scores, order in zip(found, orders, strict=True):
        permuted = difficulty.copy()
        permuted[:, inside] = difficulty[:, inside][:, order]
        one = Tokens().apply(matches, permuted, {}).select(segments=segments)
        np.testing.assert_allclose(scores, one.observed_quality(), rtol=1e-6)


@pytest.mark.parametrize("block", [1, 2**22])  # draw by draw, and all at once
@settings(max_examples=15, deadline=None)
@given(seeds, st.sampled_from(["one", "reference"]))
def test_permuted_difficulties_are_da_with_that_difficulty(block, seed, unseen):
    texts, choice = positive(Texts(seed)), Tokens(unseen, beta=2)
    matches = texts.matches()
    for leave_one_out in (False, True):
        difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nulls, "BLOCK", block)
            one = nulls.TokenScores(matches, choice, {}, difficulty, everywhere(matches))
            found = nulls.permuted_scores(one, 3, np.random.default_rng(1))
        rng, tokens = np.random.default_rng(1), difficulty.shape[1]
        orders = [nulls.permutations(tokens, n, rng) for n in ([1] * 3 if block == 1 else [3])]
        for scores, order in zip(found, np.concatenate(orders), strict=True):
            rows = np.broadcast_to(difficulty, (len(texts.hypotheses), len(order)))[:, order]
            np.testing.assert_allclose(scores, plain_da(texts, rows, choice), atol=1e-5)


def test_equal_systems_have_equal_scores_in_every_draw():
    """To the last digit, or Kendall's τ of the draws would depend on the processor."""
    texts = Texts(3, systems=9, segments=60)
    for copy in (5, 8):
        texts.copy_system(1, copy)
    matches = texts.matches()
    for leave_one_out in (False, True):
        difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
        rng = np.random.default_rng(1)
        one = nulls.TokenScores(matches, Tokens(), {}, difficulty, everywhere(matches))
        found = nulls.permuted_scores(one, 200, rng)
        assert (np.ptp(found[:, [1, 5, 8]], axis=-1) == 0).all()


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("unseen", ["one", "reference"])
def test_nulls_of_da_are_da_with_their_difficulty(leave_one_out, unseen):
    texts, choice = Texts(7, systems=3, segments=5), Tokens(unseen)
    other = {"one": "reference", "reference": "one"}[unseen]
    matches = texts.matches()
    difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
    one = nulls.TokenScores(matches, choice, {}, difficulty, everywhere(matches))
    deciles = np.array([0, 0, 1, 1, 1])
    found = nulls.token_nulls(one, 2, np.random.default_rng(0), deciles)
    assert set(found) == {
        *("permuted", "permuted_length", "constant", "swapped"),
        *(f"{null}_unseen_{other}" for null in ("real", "constant", "permuted")),
    }
    rows = np.broadcast_to(difficulty, (3, difficulty.shape[1]))
    expected = {
        "swapped": (1 - rows, choice),
        "constant": (np.full_like(rows, difficulty.mean()), choice),
        f"constant_unseen_{other}": (np.full_like(rows, difficulty.mean()), Tokens(other)),
        f"real_unseen_{other}": (rows, Tokens(other)),
    }
    for null, (values, weighting) in expected.items():
        scores = plain_da(texts, values, weighting)
        np.testing.assert_allclose(found[null], [scores], atol=1e-6)
    assert found["permuted"].shape == found[f"permuted_unseen_{other}"].shape == (2, 3)


def test_token_difficulties_stay_among_segments_of_like_length():
    texts = positive(Texts(5, systems=4, segments=9))
    matches = texts.matches()
    difficulty = token_difficulty(matches.reference_similarity)
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])[matches.reference_segment]
    one = nulls.TokenScores(matches, Tokens(), {}, difficulty, everywhere(matches))
    found = nulls.permuted_scores(one, 2, np.random.default_rng(3), groups)
    orders = nulls.permutations(len(groups), 2, np.random.default_rng(3), groups)
    for scores, order in zip(found, orders, strict=True):
        assert (groups[order] == groups).all()
        rows = np.broadcast_to(difficulty, (4, len(groups)))[:, order]
        np.testing.assert_allclose(scores, plain_da(texts, rows, Tokens()), atol=1e-5)


def describe(*arguments):
    """Rows by their column's name."""
    rows = controls.describe(*arguments)
    return [dict(zip(controls.COLUMNS[4:], row, strict=True)) for row in rows]


def test_da_that_is_not_linear_has_no_permutations_and_says_why():
    matches, gold = Texts(7, systems=3, segments=5).matches(), np.arange(3.0)
    choice, rng = Tokens(smoothing="softmax"), np.random.default_rng(0)
    difficulty = token_difficulty(matches.reference_similarity)
    one = nulls.TokenScores(matches, choice, {}, difficulty, everywhere(matches))
    found = nulls.token_nulls(one, 9, rng, None)
    for row in describe([0.5] * 3, [0.4] * 3, False, found, gold, CORRELATIONS):
        if row["null"].startswith("permuted"):
            assert row["reason"] == nulls.NOT_LINEAR
            assert (row["draws"], np.isnan(row["mean"]), np.isnan(row["quantile"])) == (0, 1, 1)
        else:
            assert np.isfinite(row["mean"])


def test_a_weighting_without_scores_has_a_reason_and_the_random_metric():
    gold = np.arange(5.0)
    random = {"random": np.random.default_rng(0).standard_normal((99, 5))}
    for row in describe([np.nan] * 3, [0.4] * 3, True, random, gold, CORRELATIONS, "why"):
        assert (row["reason"], row["tuned"]) == ("why", "yes")
        assert (row["null"], row["draws"]) == ("random", 99)
        assert row["low"] < 0 < row["high"]
        assert np.isnan([row["value"], row["quantile"]]).all()
        assert 0 < row["gain_over_plain_share"] < 0.5


def test_a_row_holds_the_draws_mean_range_and_the_values_place_among_them():
    rng = np.random.default_rng(3)
    gold, permuted = rng.random(6), rng.random((400, 6))
    nulls_of = {"permuted": permuted, "swapped": -gold[None], "permuted_length": "no source"}
    rows = describe([0.2, 0.2, np.nan], [0.1] * 3, False, nulls_of, gold, CORRELATIONS, "why")
    assert [row["null"] for row in rows] == [*nulls_of] * 3
    draws = np.array([stats.pearsonr(row, gold)[0] for row in permuted])
    found, swapped, missing = rows[:3]
    assert (found["statistic"], found["value"], found["standard"]) == ("pearson", 0.2, 0.1)
    assert found["mean"] == pytest.approx(np.mean(draws))
    assert [found["low"], found["high"]] == pytest.approx(np.percentile(draws, [2.5, 97.5]))
    assert found["quantile"] == pytest.approx(np.mean(draws < 0.2))
    assert found["gain_over_plain_share"] == pytest.approx(np.mean(draws > 0.1))
    assert (found["tuned"], found["draws"], found["reason"]) == ("no", 400, None)
    assert (swapped["mean"], swapped["draws"]) == (pytest.approx(-1), 1)
    assert np.isnan([swapped["low"], swapped["quantile"], swapped["gain_over_plain_share"]]).all()
    assert (missing["reason"], missing["draws"]) == ("no source", 0)
    assert rows[-1]["reason"] == "why"


def test_ties_with_the_value_count_half_and_nan_not_at_all():
    values = np.array([0.1, 0.5, 0.5 + 1e-15, 0.9, np.nan])
    assert nulls.quantile(0.5, values) == 0.5
    assert nulls.quantile(1.0, values) == 1
    assert np.isnan(nulls.quantile(np.nan, values))
    assert np.isnan(nulls.quantile(0.5, values[4:]))


@pytest.mark.parametrize("systems", [4, 6, 22])
def test_random_metrics_scatter_as_theory_says(systems):
    """The variances of r and ρ are 1 / (n − 1), of τ 2 (2n + 5) / 9n (n − 1), about 0."""
    gold = np.random.default_rng(1).random(systems)
    scores = np.random.default_rng(2).standard_normal((20000, systems))
    found = np.stack(correlate(scores, gold), axis=-1)
    n = systems
    expected = [1 / (n - 1), 2 * (2 * n + 5) / (9 * n * (n - 1)), 1 / (n - 1)]
    assert np.var(found, axis=0) == pytest.approx(expected, rel=0.05)
    assert np.mean(found, axis=0) == pytest.approx([0, 0, 0], abs=0.02)


def test_a_difficulty_that_is_random_stands_anywhere_among_random_ones():
    """The quantiles of 200 random difficulties are uniform: Kolmogorov and Smirnov's p > 0.01."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(200):
        gold = rng.random(6)
        statistics = gold[:, None, None] / 5 + rng.random((6, 40, 1))
        difficult = rng.permuted(np.tile(np.arange(40) < 10, (6, 1)), axis=1)
        actual = WeightedMetric.standard(METRICS["chrf"], statistics).in_groups(difficult, 0.3)
        value = correlate(actual.observed_quality(), gold).pearson
        shuffled = nulls.shuffled_quality({"chrF": actual}, 200, rng)["chrF"]
        found.append(nulls.quantile(value, correlate(shuffled, gold).pearson))
    assert stats.kstest(found, "uniform").pvalue > 0.01
