"""Estimates and tests against published programs, loops, and where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.multitest import multipletests
from test_statistics import accuracy

from mt_difficulty.evidence import gain_table, gains, intervals, resampling, soft_accuracy
from mt_difficulty.evidence.resampling import bootstrap_weights, resampled_scores
from mt_difficulty.evidence.subsets import correlate, subset_means
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics.compiled.subset_means import mean_correlations
from mt_difficulty.weighting.base import WeightedMetric

MEAN = Metric.aggregate
P = st.one_of(st.floats(0, 1), st.just(float("nan")))


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# Williams, Holm


@given(hnp.arrays(float, st.integers(0, 12), elements=P))
def test_holm_is_that_of_statsmodels(p):
    found, tests = intervals.holm(p), np.isfinite(p)
    assert (np.isnan(found) == ~tests).all()
    if tests.any():
        expected = multipletests(p[tests], method="holm")[1]
        np.testing.assert_allclose(found[tests], expected)


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


SYSTEMS, SEGMENTS = 8, 60


def pearson(scores, gold):
    return mean_correlations(scores, gold, np.arange(scores.shape[1])[None])[:, :1]


def test_contributions_average_to_the_score():
    rng = np.random.default_rng(1)
    plain = WeightedMetric(Metric.aggregate, rng.normal(size=(SYSTEMS, SEGMENTS, 1)))
    split = plain.in_groups(rng.random((SYSTEMS, SEGMENTS)) < 0.3, 0.4)
    assert gains.is_mean(split)
    found = gains.contribution(split)
    np.testing.assert_allclose(found.observed_quality(), split.observed_quality(), atol=1e-9)
    # Written out for one segment of one system.
    group = int(split.weights[2, 5, 1])
    share = split.shares[group] / split.weights[2, :, group].sum()
    expected = SEGMENTS * share * plain.statistics[2, 5, 0]
    assert found.statistics[2, 5, 0] == pytest.approx(expected)
    np.testing.assert_allclose(gains.contribution(plain).statistics, plain.statistics)


def simulate(gap, gold, rng):
    """A metric, and one whose systems' means are nearer to gold by `gap`, with own noise."""
    error = np.resize([1.0, -1.0, -1.0, 1.0], SYSTEMS)
    noise = 1.5 * rng.normal(size=(2, SYSTEMS, SEGMENTS))
    means = gold + error[None] * np.array([[0.6], [0.6 - gap]])
    return [
        WeightedMetric(Metric.aggregate, (mean[:, None] + one)[..., None])
        for mean, one in zip(means, noise, strict=True)
    ]


def outcome(gap, gold, rng, resamples):
    """p, detectable difference and difference of one sample."""
    plain, better = simulate(gap, gold, rng)
    weighteds = {("m", "standard"): plain, ("m", "better"): better}
    sides = gains.exchange(weighteds, resamples, rng)[0]["m", "better"]
    permuted = pearson(sides[0], gold) - pearson(sides[1], gold)
    weights = bootstrap_weights(SEGMENTS, resamples, rng)
    drawn = [pearson(resampled_scores(one, weights), gold) for one in (better, plain)]
    values = [pearson(one.observed_quality()[None], gold)[0] for one in (better, plain)]
    difference = values[0] - values[1]
    p = gains.permutation_p(difference, permuted)[0]
    return p, gains.detectable(permuted, drawn[0] - drawn[1])[0], difference[0]


@pytest.mark.slow
def test_the_detectable_difference_is_found_in_four_of_five_samples():
    """An effect is injected that is, on average, of the size that is called detectable."""
    rng, gold = np.random.default_rng(4), np.linspace(-1, 1, SYSTEMS)
    trials = {
        gap: np.array([outcome(gap, gold, rng, 300) for _ in range(40)])
        for gap in np.arange(0.05, 0.6, 0.05)
    }
    # The effect whose mean difference is nearest to the mean detectable one.
    gap = min(trials, key=lambda gap: abs(np.subtract(*trials[gap][:, 1:].mean(axis=0))))
    p = np.array([outcome(gap, gold, rng, 300)[0] for _ in range(150)])
    print(gap, trials[gap].mean(axis=0), (p < 0.05).mean())
    # A standard error is 0.03; effects are 0.05 apart, which is 0.1 in power.
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.15)


def random_groups(difficult, against_plain, trials=400):
    """p and differences of EE by random difficulties of the hypotheses: against EE by other random
    ones, which is the null of the test, or against the unweighted metric."""
    rng, gold, segments, found = np.random.default_rng(7), np.linspace(-1, 1, SYSTEMS), 200, []
    for _ in range(trials):
        scores = 0.3 * gold[:, None] + rng.normal(size=(SYSTEMS, segments))
        plain = WeightedMetric(Metric.aggregate, scores[..., None])
        places = rng.permuted(np.tile(np.arange(segments), (2, SYSTEMS, 1)), axis=2)
        one, other = (plain.in_groups(own < difficult, 0.36) for own in places)
        weighteds = {("m", "standard"): plain if against_plain else other, ("m", "EE"): one}
        sides = gains.exchange(weighteds, 300, rng)[0]["m", "EE"]
        permuted = np.subtract(*(pearson(side, gold) for side in sides))
        ends = (each.observed_quality()[None] for each in (one, weighteds["m", "standard"]))
        difference = np.subtract(*(pearson(each, gold)[0] for each in ends))
        found.append((*gains.permutation_p(difference, permuted), *difference))
    return np.transpose(found)


@pytest.mark.slow
def test_p_is_uniform_under_the_null_where_it_is_printed():
    levels = np.array([0.03, 0.1, 0.25, 0.5, 0.75])
    tolerance = 3 * np.sqrt(levels * (1 - levels) / 400)
    shares = {}
    for difficult in (10, 40):
        p = random_groups(difficult, against_plain=False)[0]
        assert np.isfinite(p).mean() > 0.9
        shares[difficult] = (p[:, None] <= levels).sum(axis=0) / np.isfinite(p).sum()
    print(shares)
    for found in shares.values():
        np.testing.assert_array_less(np.abs(found - levels), tolerance)
    # With 4 most permutations leave a group empty.
    assert np.isnan(random_groups(4, against_plain=False, trials=20)[0]).all()
