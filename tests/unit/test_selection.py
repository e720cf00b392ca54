"""Choices of segments: brute force, independent code on WMT23, and choices that are known to help
or not to."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import estimators, selection
from mt_difficulty.evidence.estimators import STRATIFIED, Bench, Estimate
from mt_difficulty.metrics import make_metric
from mt_difficulty.settings import MetricSettings

seeds = st.integers(0, 10**6)


@given(seeds, st.booleans(), st.booleans(), st.integers(0, 60))
def test_the_highest_are_taken_in_order_until_the_budget_is_spent(seed, whole, breakers, budget):
    rng = np.random.default_rng(seed)
    values, costs = rng.integers(0, 5, 20).astype(float), rng.integers(1, 9, 20).astype(float)
    units = rng.integers(0, 6, 20) if whole else np.arange(20)
    units = np.unique(units, return_inverse=True)[1]
    ties = rng.permutation(20).astype(float) if breakers else None
    groups = [np.flatnonzero(units == unit) for unit in range(units.max() + 1)]
    groups.sort(key=lambda own: (-values[own].mean(), ties[own].min() if breakers else own[0]))
    expected, left = [], budget
    for own in groups:
        if costs[own].sum() <= left:
            expected += own.tolist()
            left -= costs[own].sum()
    assert selection.highest(values, costs, budget, units, ties).tolist() == expected


def test_a_stratified_sample_is_even_over_strata():
    """A domain has its share, but for one segment; every segment is as likely."""
    rng, domains = np.random.default_rng(5), np.repeat(["a", "b", "c"], [5, 15, 20])
    drawn = [
        selection.stratified([domains, np.arange(40.0)], np.ones(40), 10, rng) for _ in range(4000)
    ]
    sizes = np.array([np.unique(domains[sample], return_counts=True)[1] for sample in drawn])
    assert np.abs(sizes - [1.25, 3.75, 5]).max() < 1
    shares = np.bincount(np.concatenate(drawn), minlength=40) / 4000
    np.testing.assert_allclose(shares, 0.25, atol=0.035)  # 5 standard errors


def people(rng, systems=6, segments=300, gap=0.3):
    return gap * np.arange(systems)[:, None] + rng.normal(size=(systems, segments))


def test_a_ranking_is_compared_with_that_by_all_segments():
    scores = people(np.random.default_rng(7), gap=0.05)
    judge, chosen, everything = selection.Judge(scores), np.arange(0, 300, 7), np.arange(300)
    found = judge.agreement([chosen, everything])
    tau = stats.kendalltau(scores[:, chosen].mean(axis=1), scores.mean(axis=1)).statistic
    assert found["tau"] == pytest.approx([tau, 1])
    p = []  # of paired permutation tests, by their normal approximation
    for part in (scores[:, chosen], scores):
        pairs = (part[i] - part[j] for i, j in itertools.combinations(range(6), 2))
        p.append([stats.norm.sf(d.sum() / np.sqrt(np.square(d).sum())) for d in pairs])
    expected = 1 - np.abs(np.subtract(*p)).mean()
    assert found["soft_accuracy"] == pytest.approx([expected, 1], abs=1e-5)
    # One score for all systems on the chosen segments, and on all segments.
    tied = np.array([[1.0, 1, 1], [1, 1, 2]])
    assert selection.Judge(tied).agreement([np.arange(2), np.arange(3)])["tau"].tolist() == [0, 1]
    undefined = selection.Judge(tied[:, :2]).agreement([np.arange(2)])["tau"]
    np.testing.assert_array_equal(undefined, [np.nan])


def test_clusters_are_separated_by_significant_differences():
    """Means 0, 0, 1 and 2, with a standard error of the difference of 0.1."""
    scores = np.random.default_rng(3).normal(size=(4, 200)) + np.array([[0], [0], [1], [2]])
    assert stats.ttest_rel(scores[0], scores[1]).pvalue > 0.2
    judge = selection.Judge(scores)
    assert judge.clusters(slice(None)) == 3
    assert judge.clusters(np.arange(1)) == 1
    assert selection.Judge(scores[:2]).clusters(slice(None)) == 1


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
    return estimators.selection_rows(bench_of(scores, values), 3)


def test_segments_that_separate_systems_are_better_than_random_ones(chosen):
    rows = chosen[(chosen.statistic == "soft_accuracy") & (chosen.share == 0.25)]
    rows = rows.set_index("difficulty")
    assert rows.p["knows"] <= 0.05
    assert rows.random_quantile["knows"] > 0.95
    assert 0.01 < rows.p["noise"] < 0.99
    assert rows.value[STRATIFIED] == pytest.approx(rows.random_mean[STRATIFIED], abs=0.01)
    assert rows[~(rows.low <= rows.high)].to_dict("index") == {}
    assert set(rows.chosen) == {75}


def test_too_few_complete_segments_are_no_pool():
    scores = people(np.random.default_rng(10), segments=60)
    scores[0, :20] = np.nan
    with pytest.raises(Missing, match=r"40 segments have human scores .* needs 50"):
        estimators.selection_rows(bench_of(scores, {}), 1)


def test_sets_are_combined_by_their_texts(chosen):
    """Copies of a set under another gold are no further evidence; other campaigns are."""

    def knows(*sets):
        names = ({"set": name, "campaign": campaign, "pair": "en-de"} for name, campaign in sets)
        frame = estimators.summarise_selection(pd.concat([chosen.assign(**n) for n in names]))
        rows = frame[(frame.share == 0.1) & (frame.statistic == "tau")]
        return rows.set_index("difficulty").loc["knows"]

    single, more = knows(("a", "wmt23")), knows(("a", "wmt23"), ("b", "wmt24"))
    assert knows(("a", "wmt23"), ("b", "wmt23")).p == pytest.approx(single.p)
    z = stats.norm.isf(single.p / 2)
    assert more.p == pytest.approx(2 * stats.norm.sf(z * np.sqrt(2)))
    assert (more.sets, more.campaigns, more.pairs) == (2, 2, 1)
    assert single.gain == pytest.approx(single["value"] - single.random_mean)
    assert single.verdict in {estimators.BETTER, estimators.WORSE, "cannot tell"}


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23_pool(request, real, shared):
    """The complete segments of a set of WMT23, values to choose by, and what independent code
    chooses."""
    pair = request.param
    oracle = json.loads((shared / f"oracles/dec.wmt23.{pair}.json").read_text())
    found = read_evaluation_set(real / "wmt23", ImportSettings("wmt23", pair, "refA", "mqm"))
    scores = np.array(found.segment_gold, dtype=float)
    pool = np.flatnonzero(np.isfinite(scores).all(axis=0))
    stored = MetricSettings("stored", {"name": "MetricX-23", "reference": "refA"})
    metric = make_metric("MetricX", pair, stored).evaluate(found, real / "wmt23")[:, pool, 0]
    chrf, total = make_metric("chrF", pair, MetricSettings("chrf")), 0
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
def test_subsets_are_those_of_independent_code(wmt23_pool):
    """The first 20 segments; τ of every method exactly, and random draws within their noise."""
    pool, scores, values, oracle = wmt23_pool
    judge, costs = selection.Judge(scores), np.ones(len(pool))
    for name, first in oracle["subset2evaluate_utility_order_first_20"].items():
        assert (pool[selection.highest(values[name], costs, 20)] + 1).tolist() == first, name
    for share in ("0.1", "0.25"):
        expected = oracle["ranking_by_subset"][share]
        for name, own in values.items():
            chosen = selection.highest(own, costs, expected["n"])
            (tau,) = judge.agreement([chosen])["tau"]
            assert tau == pytest.approx(expected[name], abs=1e-9), (name, share)
        drawn = np.random.default_rng(1).random((selection.DRAWS, len(pool)))
        random = [selection.highest(x, costs, expected["n"]) for x in drawn]
        taus = judge.agreement(random)["tau"]
        noise = expected["random_sd"] * np.sqrt(1 / len(taus) + 1 / 100)
        assert taus.mean() == pytest.approx(expected["random_mean"], abs=4 * noise), share
        assert taus.std() == pytest.approx(expected["random_sd"], rel=0.2), share
