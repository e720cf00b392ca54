"""Estimates and tests against published formulas, SciPy, and loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from test_correlation import Shift
from test_statistics import accuracy

from mt_difficulty.evidence import gain_table, gains, intervals, resampling, soft_accuracy
from mt_difficulty.evidence.subsets import correlate, subset_means
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics import STATISTICS
from mt_difficulty.statistics.compiled.subset_means import mean_correlations
from mt_difficulty.weighting.base import WeightedMetric

MEAN = Metric.aggregate
P = st.one_of(st.floats(0, 1), st.just(float("nan")))


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# Williams, Holm


def test_williams_by_the_published_formula():
    """Against the formula written out as in Graham & Baldwin (2014), eq. 1."""
    rng = np.random.default_rng(3)
    gold = rng.normal(size=12)
    one, other = gold + rng.normal(size=(2, 12))
    r12, r13, r23 = (
        stats.pearsonr(a, b).statistic for a, b in [(one, gold), (other, gold), (one, other)]
    )
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    t = ((r12 - r13) * np.sqrt(11 * (1 + r23))) / np.sqrt(
        2 * k * 11 / 9 + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    )
    found = intervals.williams(one, other, gold)
    assert found == pytest.approx((t, 2 * (1 - stats.t.cdf(abs(t), 9))))
    assert intervals.williams(other, one, gold) == pytest.approx((-found[0], found[1]))


def test_williams_under_the_null_rejects_as_often_as_it_says():
    rng = np.random.default_rng(5)
    gold = rng.normal(size=(600, 15))
    one, other = gold[None] + rng.normal(size=(2, 600, 15))
    p = np.array([intervals.williams(a, b, g)[1] for a, b, g in zip(one, other, gold, strict=True)])
    # 600 tests at 0.1: standard error 0.012.
    assert (p < 0.1).mean() == pytest.approx(0.1, abs=0.04)


@pytest.mark.parametrize(
    ("one", "other", "gold"),
    [
        ([1.0, 2, 3], [2.0, 1, 3], [1.0, 2, 4]),
        ([1.0, 1, 1, 1], [2.0, 1, 3, 4], [1.0, 2, 4, 3]),
        ([1.0, 2, 3, np.nan], [2.0, 1, 3, 4], [1.0, 2, 4, 3]),
        ([1.0, 2, 3, 5], [2.0, 4, 6, 10], [1.0, 2, 4, 3]),
    ],
    ids=["three systems", "constant", "undefined", "the same up to scale"],
)
def test_williams_is_undefined(one, other, gold):
    found = intervals.williams(np.array(one), np.array(other), np.array(gold))
    assert np.isnan(found).all()


@given(hnp.arrays(float, st.integers(0, 12), elements=P))
def test_holm_by_its_definition(p):
    found = intervals.holm(p)
    tests = np.isfinite(p)
    assert (np.isnan(found) == ~tests).all()
    running = 0.0
    for rank, place in enumerate(np.argsort(p[tests], kind="stable")):
        running = max(running, min(1.0, (tests.sum() - rank) * p[tests][place]))
        assert found[tests][place] == pytest.approx(running)


# PERM-BOTH


NAMES = ["pearson", "kendall", "spearman", "accuracy", "soft_accuracy"]


def estimate(weighteds, gold, subsets, resamples, seed, names=NAMES, people=None):
    """Estimates by metric, weighting and key of the subsets."""
    observed = {key: one.observed_quality() for key, one in weighteds.items()}
    resampled = gains.Resamples(weighteds, observed, gold, resamples, seed, names, people)
    return {
        (*key, of_subset): one
        for of_subset, index in subsets.items()
        for key, one in resampled.estimates(index, weighteds).items()
    }


def perm_both(x, y, gold, masks):
    """Deutsch et al. (2021), Algorithm PERM-BOTH, in loops: cells of standardised score matrices
    change sides, and system scores are means over segments."""
    x, y = ((m - m.mean()) / m.std() for m in (x, y))
    found = []
    for mask in masks:
        one, other = x.copy(), y.copy()
        for cell in zip(*np.nonzero(mask), strict=True):
            one[cell], other[cell] = y[cell], x[cell]
        r = [stats.pearsonr(m.mean(axis=1), gold).statistic for m in (one, other)]
        found.append(r[0] - r[1])
    return np.array(found)


def test_perm_both_is_the_published_one_for_means(monkeypatch, rng):
    systems, segments, resamples = 5, 7, 30
    gold = rng.normal(size=systems)
    x, y = gold[:, None] + rng.normal(size=(2, systems, segments))
    weighteds = {
        ("m", "standard"): WeightedMetric(MEAN, y[..., None]),
        ("m", "EE"): WeightedMetric(MEAN, x[..., None]),
    }
    drawn = []

    def remembered(shape, generator):
        drawn.append(generator.integers(2, size=shape).astype(float))
        return drawn[-1]

    monkeypatch.setattr(resampling, "random_bits", remembered)
    sides = gains.exchange(weighteds, resamples, rng)[0]["m", "EE"]
    r = [mean_correlations(side, gold, np.arange(systems)[None])[:, 0] for side in sides]
    masks = np.stack(drawn, axis=1).astype(bool)  # drawn system by system
    # A half without a segment leaves a mean undefined.
    whole = (masks.any(axis=2) & ~masks.all(axis=2)).all(axis=1)
    assert whole.sum() > 15
    expected = perm_both(x, y, gold, masks)
    np.testing.assert_allclose((r[0] - r[1])[whole], expected[whole], atol=1e-9)


def test_perm_both_agrees_with_nlpstats(rng):
    """Its program draws for itself: p of 2,000 resamples has a standard error of 0.011 or less."""
    from nlpstats.correlations import permutation_test

    gold = np.linspace(-1, 1, 8)
    noise = rng.normal(size=(2, 8, 30)) * np.array([1.5, 3.0])[:, None, None]
    x, y = (gold[:, None] + noise) * np.array([1.0, 50.0])[:, None, None]
    weighteds = {
        ("m", "standard"): WeightedMetric(MEAN, y[..., None]),
        ("m", "EE"): WeightedMetric(MEAN, x[..., None]),
    }
    found = estimate(weighteds, gold, {("all", 8): np.arange(8)[None]}, 2000, 1)
    np.random.seed(1)  # noqa: NPY002 (the program has no other way to be seeded)
    theirs = permutation_test(
        x, y, np.tile(gold[:, None], 30), "system", "pearson", "both", n_resamples=2000
    )
    assert 0.02 < theirs.pvalue < 0.98
    ours = found["m", "EE", ("all", 8)].permutation_p[0]
    assert ours == pytest.approx(theirs.pvalue, abs=0.045)


def test_williams_agrees_with_nlpstats(rng):
    from nlpstats.correlations.williams import williams_test

    gold = np.linspace(-1, 1, 9)
    x, y = gold + rng.normal(size=(2, 9))
    cells = [side[:, None] for side in (x, y, gold)]
    theirs = williams_test(*cells, "system", "pearson").pvalue
    assert intervals.williams(x, y, gold)[1] == pytest.approx(theirs)


def test_permutation_p_counts_with_one_more_those_that_are_defined():
    permuted = np.array([[0.1, 0.3], [-0.5, 0.2], [0.2, 0.3], [0.05, 0.1]])
    found = gains.permutation_p(np.array([-0.2, 0.25]), permuted)
    np.testing.assert_allclose(found, [3 / 5, 3 / 5])
    assert np.isnan(gains.permutation_p(np.array([np.nan]), permuted[:, :1])).all()
    # Undefined: 1 of 20, and 2 of 20, of which the others reach the difference 9 times.
    many = np.tile([[0.1, 0.1], [0.3, 0.3]], (10, 1))
    many[0, 0] = many[0, 1] = many[2, 1] = np.nan
    found = gains.permutation_p(np.array([0.2, 0.2]), many)
    np.testing.assert_allclose(found, [11 / 20, np.nan])


def test_random_difficulty_is_seldom_significant():
    """With groups drawn at random EE is no better than the standard weighting: at 0.2, the share
    of 60 sets that PERM-BOTH rejects must not exceed it by more than three standard errors."""
    rng = np.random.default_rng(2)
    rejected = 0
    for seed in range(60):
        gold = rng.normal(size=8)
        scores = gold[:, None, None] + 5 * rng.normal(size=(8, 60, 1))
        plain = WeightedMetric(MEAN, scores)
        split = plain.in_groups(rng.random((8, 60)) < 0.3, 0.5)
        weighteds = {("m", "standard"): plain, ("m", "EE"): split}
        subsets = {("all", 8): np.arange(8)[None]}
        found = estimate(weighteds, gold, subsets, 200, seed)
        rejected += found["m", "EE", ("all", 8)].permutation_p[0] < 0.2
    assert rejected / 60 < 0.2 + 3 * np.sqrt(0.2 * 0.8 / 60)


def test_too_few_permutations_give_a_reason(rng):
    gold, difficult = rng.normal(size=4), np.zeros((4, 40), bool)
    plain = WeightedMetric(MEAN, gold[:, None, None] + rng.normal(size=(4, 40, 1)))
    difficult[:, :20], difficult[0, 4:] = True, False  # 4: a half has none of them in 1 of 8
    weighteds = {("m", "standard"): plain, ("m", "EE"): plain.in_groups(difficult, 0.5)}
    observed = {key: one.observed_quality() for key, one in weighteds.items()}
    found = gains.Resamples(weighteds, observed, gold, 300, 1, ["pearson"])
    estimates = found.estimates(np.arange(4)[None], weighteds)
    rows = list(gain_table.estimate_rows(estimates, found, gain_table.Place("all", 4, "", {}, {})))
    assert [row["reason"] for row in rows] == ["", gain_table.UNTESTED]
    assert np.isnan([row["permutation_p"] for row in rows]).all()
    assert np.isfinite([rows[1]["difference"], rows[1]["difference_both_low"]]).all()


# Estimates


@pytest.fixture
def weighteds(rng):
    scores = np.linspace(-1, 1, 6)[:, None, None] + rng.normal(size=(6, 50, 1))
    plain = WeightedMetric(MEAN, scores)
    return {
        ("m", "standard"): plain,
        ("m", "EE"): plain.in_groups(rng.random((6, 50)) < 0.4, 0.4),
        ("stored", "standard"): WeightedMetric(MEAN, rng.normal(size=(6, 1, 1))),
    }


@pytest.fixture
def gold(rng):
    return np.linspace(-1, 1, 6) + 0.1 * rng.normal(size=6)


ALL = {("all", 6): np.arange(6)[None]}


def test_intervals_over_segments_by_loops(weighteds, gold, rng):
    """Of the value and of the difference, with human scores held and resampled."""
    resamples, seed = 60, 4
    people = gold[:, None] + rng.normal(size=(6, 50))
    people[2, :20] = np.nan  # these segments are not rated for all systems
    found = estimate(weighteds, gold, ALL, resamples, seed, people=people)["m", "EE", ("all", 6)]
    weights = resampling.bootstrap_weights(50, resamples, np.random.default_rng([seed, 0]))
    by_hand = {over: ([], []) for over in ("segments", "joint")}
    for counts in weights:
        segments = np.repeat(np.arange(50), counts)
        own, plain = (
            weighteds["m", name].select(segments=segments).observed_quality()
            for name in ("EE", "standard")
        )
        for over, human in (("segments", gold), ("joint", np.nanmean(people[:, segments], axis=1))):
            tau = [stats.kendalltau(scores, human).statistic for scores in (own, plain)]
            by_hand[over][0].append(tau[0])
            by_hand[over][1].append(tau[0] - tau[1])
    for over, (values, differences) in by_hand.items():
        for ends, expected in (
            (found.intervals[over], values),
            (found.differences[over], differences),
        ):
            low, high = np.nanpercentile(expected, [2.5, 97.5])
            assert ends.low[1] == pytest.approx(low, abs=1e-12)
            assert ends.high[1] == pytest.approx(high, abs=1e-12)


def test_intervals_over_systems_are_those_of_the_statistics(weighteds, gold):
    """Six systems: of r and ρ, and not of τ and pairwise accuracy."""
    found = estimate(weighteds, gold, ALL, 60, 4)
    one, plain = found["m", "EE", ("all", 6)], found["m", "standard", ("all", 6)]
    for estimated in (one, plain):
        expected = intervals.over_systems(NAMES[:4], estimated.value, 6)
        np.testing.assert_array_equal(estimated.intervals["systems"], expected)
        assert np.isfinite(expected.low).tolist() == [True, False, True, False]
        both = estimated.intervals["both"]
        assert both.low[0] < expected.low[0] < expected.high[0] < both.high[0]
    for over in ("systems", "both"):
        ends = one.differences[over]
        assert ends.low[0] < one.difference[0] < ends.high[0]
        assert np.isnan([ends.low[1], ends.high[3]]).all()
    assert np.isnan(plain.differences["systems"].low).all()


def test_values_and_differences(weighteds, gold):
    found = estimate(weighteds, gold, ALL, 20, 1)
    scores = {key: one.observed_quality() for key, one in weighteds.items()}
    for key, observed in scores.items():
        value = found[*key, ("all", 6)].value
        np.testing.assert_allclose(value[:3], np.stack(correlate(observed, gold)))
        assert value[3] == accuracy(observed, gold)
    ee, standard = (found["m", w, ("all", 6)] for w in ("EE", "standard"))
    np.testing.assert_allclose(ee.difference, ee.value - standard.value)
    assert np.isnan(standard.difference).all()
    _, p = intervals.williams(scores["m", "EE"], scores["m", "standard"], gold)
    assert ee.williams_p == p


def test_a_system_that_is_drawn_twice_is_no_pair():
    """The reverse of gold has pairwise accuracy 0, whichever systems are drawn."""
    gold = np.arange(4.0)
    weighteds = {("m", "standard"): WeightedMetric(MEAN, -gold[:, None, None])}
    found = estimate(weighteds, gold, {("all", 4): np.arange(4)[None]}, 500, 1)
    one = found["m", "standard", ("all", 4)]
    assert one.value[3] == 0
    drawn = np.random.default_rng([1, 1]).integers(4, size=(500, 4))
    resampled = subset_means(["accuracy"], -gold[drawn], gold[drawn], np.arange(4)[None])
    assert np.nanmax(resampled) == 0


def test_an_interval_needs_resamples_that_are_defined(rng):
    scores = rng.normal(size=(5, 30, 1))
    difficult = np.zeros((5, 30), dtype=bool)
    difficult[:, 0] = True  # in 36 % of the resamples this segment is not drawn
    weighteds = {("m", "EE"): WeightedMetric(MEAN, scores).in_groups(difficult, 0.5)}
    found = estimate(weighteds, rng.normal(size=5), {("all", 5): np.arange(5)[None]}, 300, 1)
    one = found["m", "EE", ("all", 5)]
    assert np.isnan([*one.intervals["segments"], *one.intervals["both"]]).all()
    assert np.isfinite(one.intervals["systems"].low[0])


def test_system_scores_alone_have_no_interval_over_segments(weighteds, gold):
    found = estimate(weighteds, gold, ALL, 20, 1)["stored", "standard", ("all", 6)]
    for over in ("segments", "both", "joint"):
        assert np.isnan(found.intervals[over]).all()
    assert np.isfinite(found.intervals["systems"].low[0])


def test_a_weighting_equal_to_the_standard_has_p_one(weighteds, gold):
    plain = weighteds["m", "standard"]
    same = {("m", "standard"): plain, ("m", "EE"): plain}
    found = estimate(same, gold, ALL, 50, 1)["m", "EE", ("all", 6)]
    np.testing.assert_array_equal(found.permutation_p, 1)


def test_a_further_statistic_changes_no_other(weighteds, gold, monkeypatch):
    registry = {**STATISTICS, "shift": Shift}
    for module in ("mt_difficulty.statistics", "mt_difficulty.evidence.subsets"):
        monkeypatch.setattr(f"{module}.STATISTICS", registry)
    resamples, seed = 60, 4
    plain = estimate(weighteds, gold, ALL, resamples, seed)
    found = estimate(weighteds, gold, ALL, resamples, seed, names=["shift", *NAMES])
    for key, one in found.items():
        for field in ("value", "difference", "permutation_p", "detectable", "contribution_p"):
            np.testing.assert_array_equal(getattr(one, field)[1:], getattr(plain[key], field))
        for over in gains.OVER:
            for field in ("intervals", "differences"):
                mine, others = getattr(one, field)[over], getattr(plain[key], field)[over]
                np.testing.assert_array_equal(np.array(mine)[:, 1:], others)
    one = found["m", "EE", ("all", 6)]
    weights = resampling.bootstrap_weights(50, resamples, np.random.default_rng([seed, 0]))
    scores = resampling.resampled_scores(weighteds["m", "EE"], weights)
    values = -np.abs(scores - gold).mean(axis=1)
    ends = [end[0] for end in one.intervals["segments"]]
    np.testing.assert_allclose(ends, np.percentile(values, [2.5, 97.5]))
    assert 0 < one.permutation_p[0] <= 1
    # No variance over systems is known of it.
    assert np.isnan([end[0] for end in one.intervals["systems"]]).all()


# Statistics of p-values between systems


def test_soft_accuracy_is_that_of_permutation_tests_on_rated_segments(
    weighteds, gold, rng, monkeypatch
):
    monkeypatch.setattr(soft_accuracy, "MINIMUM_SEGMENTS", 30)
    people = gold[:, None] + rng.normal(size=(6, 50))
    people[2, :20] = np.nan  # these segments are not rated for all systems
    found = soft_accuracy.p_value_statistics(NAMES, weighteds, people, 200, 3)
    assert list(found) == list(weighteds)
    rated = slice(20, 50)
    p = [
        resampling.paired_permutation(
            one, resampling.random_bits((200, 30), np.random.default_rng([3, 3]))
        )
        for one in (
            WeightedMetric(MEAN, people[:, rated, None]),
            weighteds["m", "EE"].select(segments=rated),
        )
    ]
    pairs = [(a, b) for a in range(6) for b in range(a)]
    expected = 1 - np.mean([abs(p[0][pair] - p[1][pair]) for pair in pairs])
    values, reason = found["m", "EE"]
    assert values == pytest.approx([expected])
    assert reason == ""
    values, reason = found["stored", "standard"]
    assert np.isnan(values).all()
    assert reason == soft_accuracy.SYSTEM_SCORES_ONLY


FEW = "{} segments have a human score of every system; soft pairwise accuracy needs 50"


@pytest.mark.parametrize(
    ("people", "why"),
    [
        (np.empty((6, 0)), soft_accuracy.NO_SEGMENT_GOLD),
        (np.full((6, 50), np.nan), FEW.format(0)),
        (np.where(np.arange(50) < 49, 1.0, np.nan) * np.ones((6, 1)), FEW.format(49)),
    ],
)
def test_without_enough_rated_segments_there_is_no_soft_accuracy(weighteds, people, why):
    found = soft_accuracy.p_value_statistics(NAMES, weighteds, people, 200, 3)
    assert found.keys() == weighteds.keys()
    for values, reason in found.values():
        assert np.isnan(values).all()
        assert values.shape == (1,)
        assert reason == why


def test_p_values_are_made_only_for_statistics_that_read_them(weighteds, gold):
    people = np.tile(gold[:, None], 50)
    assert soft_accuracy.p_value_statistics(["pearson"], weighteds, people, 200, 3) == {}


def test_a_soft_accuracy_that_is_undefined_has_a_reason():
    """Under a weighting that leaves a system without a score."""
    found = {("m", "EE"): (np.array([np.nan]), ""), ("m", "standard"): (np.array([0.5]), "")}
    for missing, reason in (({("m", "EE"): "given"}, "given"), ({}, gain_table.UNDEFINED)):
        place = gain_table.Place("all", 3, "", missing, {})
        rows = list(gain_table.p_value_rows(found, ["soft_accuracy"], place))
        assert [row["reason"] for row in rows] == [reason, ""]
