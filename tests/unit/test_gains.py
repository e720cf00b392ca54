"""Gains, intervals, p-values between systems and soft pairwise accuracy (SPA): published programs
and formulas, the WMT toolkit, loops, and coverage where the truth is known."""

import importlib.util
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests
from test_statistics import accuracy

from mt_difficulty.compiled.samples import STATISTICS as COMPILED
from mt_difficulty.compiled.samples import mean_correlations, phi
from mt_difficulty.evidence import gains, resampling
from mt_difficulty.evidence.resampling import bootstrap_soft_accuracy, normal_p
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics import STATISTICS
from mt_difficulty.weighting.base import WeightedMetric

MEAN = Metric.aggregate
P = st.one_of(st.floats(0, 1), st.just(float("nan")))


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@given(hnp.arrays(float, st.integers(0, 12), elements=P))
def test_holm_is_that_of_statsmodels(p):
    found, tests = resampling.holm(p), np.isfinite(p)
    np.testing.assert_array_equal(np.isnan(found), ~tests)
    if tests.any():
        expected = multipletests(p[tests], method="holm")[1]
        np.testing.assert_allclose(found[tests], expected)


NAMES = ["pearson", "kendall", "spearman", "accuracy", "soft_accuracy"]


def units_of(weighteds):
    """The metrics' segments as units."""
    return single_segments(max(one.statistics.shape[1] for one in weighteds.values()))


def estimate(weighteds, gold, resamples, seed, people=None):
    """Estimates over all systems by metric and weighting, a row for each statistic."""
    observed = {key: one.observed_quality() for key, one in weighteds.items()}
    units = units_of(weighteds)
    resampled = gains.Resamples(weighteds, observed, gold, resamples, seed, NAMES, units, people)
    everything = np.arange(len(gold))[None]
    values = {key: resampled.means(of_key[None], everything)[0] for key, of_key in observed.items()}
    table = resampled.estimates(everything, weighteds, values)
    return {key: rows.set_index("statistic") for key, rows in table.groupby(gains.KEY)}


def test_perm_both_is_the_published_one_for_means(monkeypatch, rng):
    """Deutsch et al. (2021), Algorithm PERM-BOTH, in loops: cells of standardised score matrices
    change sides, and system scores are means over segments."""
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
    sides = gains.exchange(weighteds, resamples, rng, units_of(weighteds))["permutation_p"][
        "m", "EE"
    ]
    r = [mean_correlations(side, gold, np.arange(systems)[None])[:, 0] for side in sides]
    masks = np.stack(drawn, axis=1).astype(bool)  # drawn system by system
    # A half without a segment leaves a mean undefined.
    whole = (masks.any(axis=2) & ~masks.all(axis=2)).all(axis=1)
    assert whole.sum() > 15
    x, y = ((side - side.mean()) / side.std() for side in (x, y))
    expected = []
    for mask in masks[whole]:
        sides = np.where(mask, y, x), np.where(mask, x, y)
        own, other = (stats.pearsonr(side.mean(axis=1), gold).statistic for side in sides)
        expected.append(own - other)
    assert (r[0] - r[1])[whole] == pytest.approx(np.array(expected), abs=1e-9)


def test_williams_agrees_with_nlpstats(rng):
    from nlpstats.correlations.williams import williams_test

    gold = np.linspace(-1, 1, 9)
    x, y = gold + rng.normal(size=(2, 9))
    cells = [side[:, None] for side in (x, y, gold)]
    theirs = williams_test(*cells, "system", "pearson").pvalue
    assert resampling.williams(x, y, gold)[1] == pytest.approx(theirs)


def test_williams_test_can_be_undefined(rng):
    gold = np.linspace(-1, 1, 9)
    x, y = gold + rng.normal(size=(2, 9))
    sides = {
        "three systems": (x[:3], y[:3]),
        "a constant side": (np.ones(9), y),
        "an undefined score": (x * [np.nan, *[1] * 8], y),
        "the same up to scale": (x, 2 * x),
    }
    for case, (one, other) in sides.items():
        found = resampling.williams(one, other, gold[: len(one)])
        np.testing.assert_array_equal(found, [np.nan, np.nan], err_msg=case)


def test_permutation_p_counts_with_one_more_those_that_are_defined():
    permuted = np.array([[0.1, 0.3], [-0.5, 0.2], [0.2, 0.3], [0.05, 0.1]])
    found = gains.permutation_p(np.array([-0.2, 0.25]), permuted)
    np.testing.assert_allclose(found, [3 / 5, 3 / 5])
    undefined = gains.permutation_p(np.array([np.nan]), permuted[:, :1])
    np.testing.assert_array_equal(undefined, [np.nan])
    # Undefined: 1 of 20, and 2 of 20, of which the others reach the difference 9 times.
    many = np.tile([[0.1, 0.1], [0.3, 0.3]], (10, 1))
    many[0, 0] = many[0, 1] = many[2, 1] = np.nan
    found = gains.permutation_p(np.array([0.2, 0.2]), many)
    np.testing.assert_allclose(found, [11 / 20, np.nan])


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


def test_intervals_over_segments_by_loops(weighteds, gold, rng):
    """Of the value and of the difference, with human scores held and resampled."""
    resamples, seed = 60, 4
    people = gold[:, None] + rng.normal(size=(6, 50))
    people[2, :20] = np.nan  # these segments are not rated for all systems
    found = estimate(weighteds, gold, resamples, seed, people)["m", "EE"].loc["kendall"]
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
    for over, of_resamples in by_hand.items():
        for name, expected in zip((over, f"difference_{over}"), of_resamples, strict=True):
            ends = np.nanpercentile(expected, [2.5, 97.5])
            interval = found[[f"{name}_low", f"{name}_high"]].tolist()
            assert interval == pytest.approx(ends, abs=1e-12), name


def test_the_detectable_gain_is_that_of_paired_differences(weighteds, gold):
    """The 95 % quantile of |permuted gains in r| plus 0.8416 standard deviations of the gain over
    resamples, in loops; own and standard scores of a resample are of the same segments."""
    resamples, seed = 60, 4
    found = estimate(weighteds, gold, resamples, seed)["m", "EE"].detectable["pearson"]
    own, plain = (weighteds["m", name] for name in ("EE", "standard"))

    def gain(x, y):
        return stats.pearsonr(x, gold).statistic - stats.pearsonr(y, gold).statistic

    weights = resampling.bootstrap_weights(50, resamples, np.random.default_rng([seed, 0]))
    drawn = [np.repeat(np.arange(50), counts) for counts in weights]
    gains_drawn = [
        gain(*(one.select(segments=places).observed_quality() for one in (own, plain)))
        for places in drawn
    ]
    both = {key: one for key, one in weighteds.items() if key[0] == "m"}
    sides = gains.exchange(both, resamples, np.random.default_rng([seed, 2]), units_of(both))[
        "permutation_p"
    ]
    permuted = sorted(abs(gain(x, y)) for x, y in zip(*sides["m", "EE"], strict=True))
    # Of 60 sorted values the quantile 0.95 is at 0.95 · 59 = 56.05, and the next higher is taken.
    expected = permuted[57] + stats.norm.ppf(0.8) * np.std(gains_drawn, ddof=1)
    assert found == pytest.approx(expected, rel=1e-9)


def test_an_interval_over_systems_and_segments_adds_both_variances(weighteds, gold):
    """Of z = artanh(r): 1 / (6 − 3) over systems, and the variance over resampled segments."""
    resamples, seed = 60, 4
    found = estimate(weighteds, gold, resamples, seed)["m", "EE"].loc["pearson"]
    weights = resampling.bootstrap_weights(50, resamples, np.random.default_rng([seed, 0]))
    z = []
    for counts in weights:
        drawn = weighteds["m", "EE"].select(segments=np.repeat(np.arange(50), counts))
        z.append(np.arctanh(stats.pearsonr(drawn.observed_quality(), gold).statistic))
    reach = np.array([-1, 1]) * stats.norm.ppf(0.975) * np.sqrt(1 / 3 + np.var(z))
    expected = np.tanh(np.arctanh(found.value) + reach)
    assert found[["both_low", "both_high"]].tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("over", ["systems", "both"])
def test_gains_over_systems_by_loops(weighteds, gold, over):
    """Zou's interval, with the correlation of both r over resampled systems, whose human scores are
    drawn with them, or over systems and segments."""
    resamples, seed = 60, 4
    found = estimate(weighteds, gold, resamples, seed)
    own, plain = (found["m", name].loc["pearson"] for name in ("EE", "standard"))
    systems = np.random.default_rng([seed, 1]).integers(6, size=(resamples, 6))
    counts = resampling.bootstrap_weights(50, resamples, np.random.default_rng([seed, 0]))
    rs = []
    for drawn, of_segments in zip(systems, counts, strict=True):
        segments = np.repeat(np.arange(50), of_segments if over == "both" else 1)
        scores = (
            weighteds["m", name].select(segments=segments).observed_quality()[drawn]
            for name in ("EE", "standard")
        )
        rs.append([stats.pearsonr(x, gold[drawn]).statistic for x in scores])
    correlation = np.corrcoef(np.transpose(rs))[0, 1]
    for side, sign, other in (("low", 1, "high"), ("high", -1, "low")):
        x = sign * (own.value - own[f"{over}_{side}"])
        y = sign * (plain[f"{over}_{other}"] - plain.value)
        expected = own.difference - sign * np.sqrt(x**2 + y**2 - 2 * correlation * x * y)
        assert own[f"difference_{over}_{side}"] == pytest.approx(expected, abs=1e-9), side


def test_values_and_differences(weighteds, gold):
    found = estimate(weighteds, gold, 20, 1)
    scores = {key: one.observed_quality() for key, one in weighteds.items()}
    for key, observed in scores.items():
        value = found[key].value
        np.testing.assert_allclose(value[:3], np.stack(correlate(observed, gold)), err_msg=key)
        assert value["accuracy"] == accuracy(observed, gold), key
    ee, standard = (found["m", name] for name in ("EE", "standard"))
    np.testing.assert_allclose(ee.difference, ee.value - standard.value)
    assert standard.difference.dropna().to_dict() == {}
    _, p = resampling.williams(scores["m", "EE"], scores["m", "standard"], gold)
    assert ee.williams_p.dropna().to_dict() == {"pearson": p}
    assert set(found["stored", "standard"].reason) == {gains.SYSTEM_SCORES_ONLY}


SYSTEMS, SEGMENTS = 8, 60


def pearson(scores, gold):
    return mean_correlations(scores, gold, np.arange(scores.shape[1])[None])[:, :1]


def test_contributions_average_to_the_score():
    rng = np.random.default_rng(1)
    plain = WeightedMetric(Metric.aggregate, rng.normal(size=(SYSTEMS, SEGMENTS, 1)))
    split = plain.in_groups(rng.random((SYSTEMS, SEGMENTS)) < 0.3, 0.4)
    found = gains.contribution(split)
    np.testing.assert_allclose(found.observed_quality(), split.observed_quality(), atol=1e-9)
    # Written out for one segment of one system.
    group = int(split.weights[2, 5, 1])
    share = split.shares[group] / split.weights[2, :, group].sum()
    expected = SEGMENTS * share * plain.statistics[2, 5, 0]
    assert found.statistics[2, 5, 0] == pytest.approx(expected)
    np.testing.assert_allclose(gains.contribution(plain).statistics, plain.statistics)


def test_the_detectable_difference_has_four_fifths_power():
    """Of normal differences: rejected beyond 1.96 deviations under the null, and found with
    probability 0.8 at its own deviation."""
    rng = np.random.default_rng(4)
    permuted, resampled = rng.normal(0, 0.1, (200_000, 1)), rng.normal(0.3, 0.2, (200_000, 1))
    (found,) = gains.detectable(permuted, resampled)
    assert stats.norm.sf(0.196, found, 0.2) == pytest.approx(0.8, abs=0.01)
    permuted[: 200_000 // 18] = np.nan
    np.testing.assert_array_equal(gains.detectable(permuted, resampled), [np.nan])


def random_groups(difficult, trials=400):
    """p of EE by random difficulties of the hypotheses against EE by other random ones, which is
    the null of the test."""
    rng, gold, segments, found = np.random.default_rng(7), np.linspace(-1, 1, SYSTEMS), 200, []
    for _ in range(trials):
        scores = 0.3 * gold[:, None] + rng.normal(size=(SYSTEMS, segments))
        plain = WeightedMetric(Metric.aggregate, scores[..., None])
        places = rng.permuted(np.tile(np.arange(segments), (2, SYSTEMS, 1)), axis=2)
        one, other = (plain.in_groups(own < difficult, 0.36) for own in places)
        weighteds = {("m", "standard"): other, ("m", "EE"): one}
        sides = gains.exchange(weighteds, 300, rng, units_of(weighteds))["permutation_p"]["m", "EE"]
        permuted = np.subtract(*(pearson(side, gold) for side in sides))
        ends = (each.observed_quality()[None] for each in (one, other))
        difference = np.subtract(*(pearson(each, gold)[0] for each in ends))
        found.append(gains.permutation_p(difference, permuted)[0])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("difficult", [10, 40])
def test_p_is_uniform_under_the_null_where_it_is_printed(difficult):
    levels, p = np.array([0.03, 0.1, 0.25, 0.5, 0.75]), random_groups(difficult)
    assert np.isfinite(p).mean() > 0.9
    shares = (p[:, None] <= levels).sum(axis=0) / np.isfinite(p).sum()
    tolerance = 3 * np.sqrt(levels * (1 - levels) / 400)
    np.testing.assert_array_less(np.abs(shares - levels), tolerance)


def test_p_is_undefined_where_most_permutations_leave_a_group_empty():
    np.testing.assert_array_equal(random_groups(4, trials=20), [np.nan] * 20)


# Intervals over systems, and SPA


def test_intervals_over_systems_are_those_of_scipy_and_of_the_published_formulas():
    """Fisher (1921) for r, n = 15; Fieller, Hartley & Pearson (1957) for τ, Bonett & Wright (2000)
    for ρ, n = 20."""
    rng = np.random.default_rng(1)
    gold = rng.normal(size=15)
    r = stats.pearsonr(gold + rng.normal(size=15), gold)
    found = resampling.over_systems(["pearson"], r.statistic[None], 15)
    np.testing.assert_allclose(np.ravel(found), r.confidence_interval(0.95), rtol=1e-9)
    names, value = ["kendall", "spearman", "accuracy"], np.array([0.6, 0.6, 0.8])
    found = resampling.over_systems(names, value, 20)
    tau, rho = (
        np.tanh(np.arctanh(0.6) + np.array([-1.959964, 1.959964]) * np.sqrt(variance))
        for variance in (0.437 / 16, (1 + 0.36 / 2) / 17)
    )
    np.testing.assert_allclose(found.T, [tau, rho, (1 + tau) / 2], rtol=1e-6)


@pytest.mark.parametrize(("name", "least"), resampling.MINIMUM_SYSTEMS.items())
def test_intervals_over_systems_need_a_number_of_systems(name, least):
    value = np.array([0.6, 0.6, 0.8])
    too_few = resampling.over_systems([name], value, least - 1)
    np.testing.assert_array_equal(too_few, np.full_like(too_few, np.nan))
    enough = resampling.over_systems([name], value, least)
    np.testing.assert_array_equal(np.isfinite(enough), True)


@pytest.mark.parametrize(("deviation", "resampled"), [(0.2, False), (0.36, True)])
def test_segments_widen_an_interval(deviation, resampled):
    """√(0.2² + 0.3²) = 0.36; of 4,000 draws the deviation has a standard error of 1 %."""
    draws = np.tanh(np.arctanh(0.8) + np.random.default_rng(1).normal(0, 0.3, size=(4000, 1)))
    segments = draws if resampled else None
    ends = resampling.over_systems(["pearson"], np.array([0.8]), 28, segments)
    width = np.ptp(np.arctanh(np.ravel(ends)))
    assert width == pytest.approx(2 * 1.96 * deviation, rel=0.04)


def test_a_difference_by_the_published_formula():
    """Zou (2007), written out; the more two metrics agree over samples, the narrower it is."""
    value, other = np.array([0.396]), np.array([0.179])
    ends = resampling.over_systems(["pearson"], value, 66)
    of_other = resampling.over_systems(["pearson"], other, 66)
    found = resampling.difference(value, ends, other, of_other, np.array([0.3]))
    below, above = 0.396 - ends[0, 0], of_other[1, 0] - 0.179
    low = 0.217 - np.sqrt(below**2 + above**2 - 0.6 * below * above)
    assert found[0, 0] == pytest.approx(low)
    narrow = resampling.difference(value, ends, other, of_other, np.array([0.9]))
    assert found[0, 0] < narrow[0, 0] < 0.217 < narrow[1, 0] < found[1, 0]


def test_printed_intervals_over_systems_cover_the_truth():
    """Simulated by bench/interval_coverage.py, which makes docs/coverage.csv; of 6 systems
    percentile intervals of r and τ cover 0.85 and 0.76."""
    spec = importlib.util.spec_from_file_location("coverages", ROOT / "bench/interval_coverage.py")
    coverage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(coverage)
    found = coverage.over_systems((0.95, 0.93, 0.97), 6, 300, 400, np.random.default_rng(6))
    # Three standard errors of 300 samples.
    np.testing.assert_allclose(found["value", "percentile"][:2], (0.85, 0.76), atol=0.085)
    printed = [i for i, name in enumerate(COMPILED) if resampling.MINIMUM_SYSTEMS[name] <= 6]
    np.testing.assert_array_less(0.88, found["value", "Fisher z"][printed])
    np.testing.assert_array_less(0.88, found["difference", "MOVER"][printed])


def test_soft_pairwise_accuracy_needs_50_rated_segments(weighteds, gold, rng):
    people = gold[:, None] + rng.normal(size=(6, 50))
    whole = SimpleNamespace(
        statistics=["soft_accuracy"],
        draws=(20, 1),
        evalset=SimpleNamespace(gold_covariance=[]),
        scores=SimpleNamespace(no_segments={}),
    )

    def soft_accuracy():
        human = gains.WholeSet.human_tests_of(whole, people, np.arange(6))
        return gains.WholeSet.soft_of(whole, weighteds, human)["m", "EE"]

    value, reason = soft_accuracy()
    np.testing.assert_array_equal(np.isfinite(value), True)
    assert reason == ""
    people[0, 7] = np.nan
    value, reason = soft_accuracy()
    np.testing.assert_array_equal(np.isnan(value), True)
    assert reason.startswith("49 segments have a human score of every system")


SPA = STATISTICS["soft_accuracy"]()


def campaign(systems, segments, rng, spread=0.3):
    """Scores as of MQM: errors of weight 0, 1 or 5, of segments and systems that differ."""
    rate = np.exp(rng.normal(size=segments) - 0.5 + spread * rng.normal(size=(systems, 1)))
    return -rng.poisson(rate) * rng.choice([1.0, 5.0], size=(systems, segments))


def influence_of(scores):
    return (scores - scores.mean(axis=-1, keepdims=True)) / scores.shape[-1]


def random_signs(permutations, segments, rng):
    return rng.choice([-1.0, 1.0], size=(permutations, segments))


def pairwise_p(scores, signs):
    """The p-values of soft pairwise accuracy, of mean scores, for given signs of differences."""
    weighted = WeightedMetric.standard(Metric, scores[:, :, None])
    return resampling.paired_permutation(weighted, (signs < 0).astype(float))


@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_spa_of_the_wmt_toolkit(pair, shared, wmt23):
    """With the toolkit's masks. It sums in single precision and takes the systems in the order of a
    set of names, which differs from run to run: whether a permuted difference that ties with the
    observed one reaches it depends on both. In en-de that is one permutation of one of the 66 pairs
    of systems by human scores; metrics with few distinct scores have more."""
    oracle = json.loads((shared / "oracles" / f"mtme.wmt23.{pair}.json").read_text())["seg"]
    gold, scores = wmt23(pair, list(oracle))
    rated = np.isfinite(gold).all(axis=0)
    rng = np.random.default_rng(4)
    signs = np.rint(rng.random(size=(1000, rated.sum()), dtype=np.float32)) * 2 - 1
    people = pairwise_p(gold[:, rated], signs)
    found = [SPA(pairwise_p(x[:, rated], signs), people) for x in scores]
    difference = np.abs(np.array(found) - [row["spa"] for row in oracle.values()])
    pairs = len(gold) * (len(gold) - 1) / 2
    permutations = difference * pairs * 1000
    np.testing.assert_allclose(permutations, permutations.round(), atol=1e-6)
    assert np.median(permutations.round()) == {"en-de": 1, "zh-en": 0}[pair]
    assert permutations.max() < 25


def test_phi():
    z = np.linspace(-9, 9, 5001)
    np.testing.assert_allclose([phi(each) for each in z], ndtr(z), atol=5e-7)
    assert math.isnan(phi(np.nan))


@pytest.mark.parametrize("segments", [50, 1000])
def test_the_approximation_is_within_the_error_of_permutations(segments):
    rng = np.random.default_rng(segments)
    scores = campaign(8, segments, rng)
    exact = pairwise_p(scores, random_signs(20_000, segments, rng))[np.triu_indices(8, 1)]
    whole = np.ones((1, segments))
    found = normal_p(scores.mean(axis=1)[None], influence_of(scores), whole)[0]
    # Four standard errors of 20,000 permutations, and that scores on a grid tie.
    error = 4 * np.sqrt(found * (1 - found) / 20_000)
    np.testing.assert_array_equal(np.isfinite(found), True)
    np.testing.assert_array_less(np.abs(found - exact), error + 2 / segments)


def test_spa_of_resamples_is_that_of_their_segments():
    rng = np.random.default_rng(5)
    gold = campaign(6, 60, rng)
    metrics = gold + 3 * rng.normal(size=(2, 6, 60))
    weights = resampling.bootstrap_weights(60, 1030, rng)  # more than a block
    quality = np.stack([weights.astype(float) @ x.T / 60 for x in metrics])
    quality[1, 3, 2] = np.nan
    found = bootstrap_soft_accuracy(quality, influence_of(metrics), gold, weights)
    assert found.shape == (2, 1030)
    assert np.isnan(found[1, 3])
    pairs, whole = np.triu_indices(6, 1), np.ones((1, 60))
    for resample in (0, 7, 1029):
        drawn = np.repeat(np.arange(60), weights[resample])
        p = []
        for x in (gold[:, drawn], metrics[0][:, drawn]):
            square = np.zeros((6, 6))
            square[pairs] = normal_p(x.mean(axis=1)[None], influence_of(x), whole)[0]
            p.append(square)
        expected = SPA(p[1], p[0])
        assert found[0, resample] == pytest.approx(expected, abs=1e-5), f"resample {resample}"
