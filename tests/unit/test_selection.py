"""Choices of segments: brute force, independent code on WMT23, and choices that are known to help
or not to."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import selection
from mt_difficulty.evidence.estimators import Bench, Estimate
from mt_difficulty.metrics import make_metric

seeds = st.integers(0, 10**6)


@given(seeds, st.booleans(), st.integers(0, 60))
def test_the_highest_are_taken_in_order_until_the_budget_is_spent(seed, whole, budget):
    rng = np.random.default_rng(seed)
    values, costs = rng.integers(0, 5, 20).astype(float), rng.integers(1, 9, 20).astype(float)
    units = rng.integers(0, 6, 20) if whole else np.arange(20)
    units = np.unique(units, return_inverse=True)[1]
    groups = [np.flatnonzero(units == unit) for unit in range(units.max() + 1)]
    groups.sort(key=lambda own: (-values[own].mean(), own[0]))
    expected, left = [], budget
    for own in groups:
        if costs[own].sum() <= left:
            expected += own.tolist()
            left -= costs[own].sum()
    assert selection.highest(values, costs, budget, units).tolist() == expected


@given(seeds, st.integers(1, 30))
def test_a_stratified_sample_is_even_over_strata(seed, number):
    """Of two domains of equal size each has half, but for one segment."""
    rng = np.random.default_rng(seed)
    domains = rng.permutation(["news", "social"] * 30)
    lengths = rng.integers(1, 50, 60).astype(float)
    sample = selection.stratified([domains, lengths], np.ones(60), number, rng)
    assert len(sample) == len(set(sample)) == number
    assert sorted(sample) == sample.tolist()
    assert abs((domains[sample] == "news").sum() - number / 2) <= 1


def test_every_segment_is_as_likely_in_a_stratified_sample():
    rng = np.random.default_rng(5)
    keys = [np.repeat(["a", "b", "c"], [5, 15, 20]), np.arange(40.0)]
    drawn = [selection.stratified(keys, np.ones(40), 10, rng) for _ in range(4000)]
    shares = np.bincount(np.concatenate(drawn), minlength=40) / 4000
    np.testing.assert_allclose(shares, 0.25, atol=0.035)  # 5 standard errors


def people(rng, systems=6, segments=300, gap=0.3):
    return gap * np.arange(systems)[:, None] + rng.normal(size=(systems, segments))


def test_a_ranking_is_compared_with_that_by_all_segments():
    rng = np.random.default_rng(7)
    scores = people(rng, gap=0.05)
    judge, chosen = selection.Judge(scores), np.arange(0, 300, 7)
    found = judge.ranking(chosen)
    means = scores[:, chosen].mean(axis=1)
    assert found.tau == pytest.approx(stats.kendalltau(means, scores.mean(axis=1)).statistic)

    def p(own):
        """Paired permutation tests, by their normal approximation."""
        n = own.shape[1]
        for one in range(6):
            for other in range(one + 1, 6):
                d = own[one] - own[other]
                yield stats.norm.sf(d.sum() / np.sqrt(np.square(d).sum())), n

    one, other = (np.array(list(p(own)))[:, 0] for own in (scores[:, chosen], scores))
    assert found.soft_accuracy == pytest.approx(1 - np.abs(one - other).mean(), abs=1e-5)
    assert judge.ranking(np.arange(300)).tau == pytest.approx(1)
    assert judge.ranking(np.arange(300)).soft_accuracy == pytest.approx(1)


@given(seeds)
def test_places_among_random_choices(seed):
    rng = np.random.default_rng(seed)
    random, value = rng.integers(0, 5, 40).astype(float), float(rng.integers(0, 5))
    found = selection.compared(value, random)
    assert found.p == pytest.approx((1 + (random >= value).sum()) / 41)
    expected = ((random < value).sum() + (random == value).sum() / 2) / 40
    assert found.random_quantile == pytest.approx(expected)
    assert found.random_low <= found.random_mean <= found.random_high


def bench_of(scores, values):
    """A bench on a set with these human scores and difficulties."""
    source = ["x"] * scores.shape[1]
    found = make_evalset([source] * len(scores), source, segment_gold=scores.tolist())
    estimates = {
        name: Estimate(np.broadcast_to(own, scores.shape), "source") for name, own in values.items()
    }
    return Bench(found, estimates, {}, 20, 1)


@pytest.fixture(scope="module")
def chosen():
    """Return the table of a set in which half of the segments separate systems."""
    rng = np.random.default_rng(9)
    informative = rng.random(300) < 0.3
    gaps = np.where(informative, 0.6, 0.0) * np.arange(6)[:, None]
    scores = gaps + rng.normal(size=(6, 300))
    values = {"knows": informative + 0.01 * rng.random(300), "noise": rng.random(300)}
    return selection.selection_rows(bench_of(scores, values), 3)


def test_segments_that_separate_systems_are_better_than_random_ones(chosen):
    own = chosen[(chosen.statistic == "soft_accuracy") & (chosen.share == 0.25)]
    own = own.set_index("difficulty")
    assert own.p["knows"] <= 0.05
    assert own.random_quantile["knows"] > 0.95
    assert 0.01 < own.p["noise"] < 0.99
    assert np.isnan(own.p[selection.STRATIFIED])
    sample = own.loc[selection.STRATIFIED]
    assert sample.value == pytest.approx(sample.random_mean, abs=0.01)
    assert (own.low <= own.high).all()
    assert own.chosen.unique().tolist() == [75]


def test_too_few_complete_segments_are_no_pool():
    scores = people(np.random.default_rng(10), segments=60)
    scores[0, :20] = np.nan
    with pytest.raises(
        Missing, match=r"40 segments have human scores of every system; .* needs 50"
    ):
        selection.selection_rows(bench_of(scores, {}), 1)


def test_sets_are_combined_by_their_texts(chosen):
    """Copies of a set under another gold are no further evidence; other campaigns are."""
    named = {"set": "a", "campaign": "wmt23", "pair": "en-de"}
    one = selection.summarise(chosen.assign(**named))
    copies = pd.concat([chosen.assign(**named), chosen.assign(**named | {"set": "b"})])
    others = pd.concat(
        [chosen.assign(**named), chosen.assign(**named | {"set": "b", "campaign": "wmt24"})]
    )

    def row(frame, name, share=0.1):
        own = frame[(frame.share == share) & (frame.statistic == "tau")]
        return own.set_index("difficulty").loc[name]

    single = row(one, "knows")
    assert row(selection.summarise(copies), "knows").p == pytest.approx(single.p)
    z = stats.norm.isf(single.p / 2)
    more = row(selection.summarise(others), "knows")
    assert more.p == pytest.approx(2 * stats.norm.sf(z * np.sqrt(2)))
    assert (more.sets, more.campaigns, more.pairs) == (2, 2, 1)
    assert single.gain == pytest.approx(single["value"] - single.random_mean)
    verdicts = {selection.BETTER, selection.WORSE, "cannot tell", ""}
    assert set(one.verdict) <= verdicts


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23_pool(request, real, shared):
    """The complete segments of a set of WMT23, values to choose by, and what independent code
    chooses."""
    pair = request.param
    oracle = json.loads((shared / f"oracles/dec.wmt23.{pair}.json").read_text())
    found = read_evaluation_set(real / "wmt23", "wmt23", pair, "refA", "mqm")
    scores = np.array(found.segment_gold, dtype=float)
    pool = np.flatnonzero(np.isfinite(scores).all(axis=0))
    stored = {"type": "stored", "name": "MetricX-23", "reference": "refA"}
    metric = make_metric("MetricX", pair, stored).evaluate(found, real / "wmt23")[:, pool, 0]
    chrf, total = make_metric("chrF", pair, {"type": "chrf"}), 0
    for other in found.hypotheses:
        of_pair = chrf.segment_statistics(found.hypotheses, other)[:, pool]
        total = total + type(chrf).segment_scores(of_pair).sum(axis=0)
    values = {
        "metric_avg:MetricX-23": -metric.mean(axis=0),
        "metric_var:MetricX-23": metric.var(axis=0),
        "diversity_chrf": -total,
        "source_characters": np.array([len(found.source[place]) for place in pool], dtype=float),
    }
    return pool, scores[:, pool], values, oracle


@pytest.mark.slow
def test_the_first_twenty_are_those_of_independent_code(wmt23_pool):
    pool, _, values, oracle = wmt23_pool
    expected = oracle["subset2evaluate_utility_order_first_20"]
    assert len(expected) == 3
    for name, first in expected.items():
        chosen = selection.highest(values[name], np.ones(len(pool)), 20)
        assert (pool[chosen] + 1).tolist() == first, name


@pytest.mark.slow
def test_subsets_rank_systems_as_in_independent_code(wmt23_pool):
    """τ of every method exactly, and random draws within their noise."""
    pool, scores, values, oracle = wmt23_pool
    judge, costs = selection.Judge(scores), np.ones(len(pool))
    for share in ("0.1", "0.25"):
        expected = oracle["ranking_by_subset"][share]
        for name, own in values.items():
            chosen = selection.highest(own, costs, expected["n"])
            assert judge.ranking(chosen).tau == pytest.approx(expected[name], abs=1e-9), name
        random = selection.random_choices(costs, expected["n"], None, np.random.default_rng(1))
        taus = judge.taus(random)
        noise = expected["random_sd"] * np.sqrt(1 / len(taus) + 1 / 100)
        assert taus.mean() == pytest.approx(expected["random_mean"], abs=4 * noise)
        assert taus.std() == pytest.approx(expected["random_sd"], rel=0.2)
