"""The bench of difficulty estimators on one set, over sets, in words, and on its page."""

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from scipy import stats

from mt_difficulty.evidence import dec, estimators
from mt_difficulty.evidence.estimators import BASELINE, DEC, WITHIN, Bench, Estimate

SEGMENTS, SYSTEMS = 60, 4
RESAMPLES = 1000


def make_set(**changes):
    """Sources of growing length in two domains; a fifth of the segments has no human scores."""
    rng = np.random.default_rng(1)
    source = ["x" * (5 + 3 * place) for place in rng.permutation(SEGMENTS)]
    truth = np.array([len(text) for text in source]) / 50 + rng.normal(size=SEGMENTS)
    people = np.minimum(0, np.round(-truth + rng.normal(size=(SYSTEMS, SEGMENTS))))
    people[:, ::5] = np.nan
    people[0, 1] = np.nan
    options = {
        "segment_gold": [[None if np.isnan(x) else x for x in row] for row in people],
        "domains": ["news", "social"] * (SEGMENTS // 2),
    }
    found = make_evalset([source] * SYSTEMS, source, **options | changes)
    return found, truth, people


@pytest.fixture(scope="module")
def judged():
    """Return the bench, the truth and human scores."""
    found, truth, people = make_set()
    rng = np.random.default_rng(2)
    noisy, there = -people + rng.normal(size=people.shape), rng.random(people.shape) < 0.5
    noise = rng.normal(size=SEGMENTS)
    estimates = {
        "truth": Estimate(np.broadcast_to(truth, people.shape), "source"),
        "noise": Estimate(np.broadcast_to(noise, people.shape), "source"),
        "annotators": Estimate(np.where(there, noisy, np.nan), "gold"),
    }
    bench = Bench(found, estimates, {"theirs": "there is no file"}, RESAMPLES, 7)
    return bench, estimates, people


def row(frame, **where):
    rows = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(rows) == 1, where
    return rows.iloc[0]


def test_values_are_those_of_scipy(judged):
    bench, estimates, people = judged
    rows = bench.rows()
    for name, estimate in estimates.items():
        taus, rs = [], []
        for x, y in zip(estimate.values, -people, strict=True):
            there = np.isfinite(x) & np.isfinite(y)
            taus.append(stats.kendalltau(x[there], y[there]).statistic)
            rs.append(stats.pearsonr(x[there], y[there]).statistic)
        found = row(rows, difficulty=name, statistic=DEC, domain="")
        assert found.value == pytest.approx(np.mean(taus), abs=1e-12), name
        r = row(rows, difficulty=name, statistic="dec_pearson", domain="")
        assert r.value == pytest.approx(np.mean(rs), abs=1e-9), name
        own = bench.system_rows().set_index(["difficulty", "statistic"]).loc[(name, DEC)]
        np.testing.assert_allclose(own.value, taus, atol=1e-12, err_msg=name)
        assert found.low < found.value < found.high, name
        over_systems = found.systems_high - found.systems_low
        assert found.both_high - found.both_low > over_systems, name


def test_hardest_segments_stand_beside_chance(judged):
    bench, estimates, people = judged
    rows = bench.rows()
    means = rows[rows.statistic == "average_score"]
    truth, noise = (row(means, difficulty=name, domain="") for name in ("truth", "noise"))
    assert truth.chance == noise.chance == pytest.approx(np.nanmean(np.nanmean(people, axis=1)))
    # Chance is the mean over the hypotheses that have a difficulty.
    some = np.where(np.isnan(estimates["annotators"].values), np.nan, people)
    annotators = row(means, difficulty="annotators", domain="")
    assert annotators.chance == pytest.approx(np.nanmean(np.nanmean(some, axis=1)))
    assert truth.high < truth.chance
    assert noise.low < noise.chance < noise.high
    perfect = row(rows, difficulty="truth", statistic="perfect", domain="")
    shares = [(scores[np.isfinite(scores)] == 0).mean() for scores in people]
    assert perfect.value < perfect.chance == pytest.approx(np.mean(shares))
    absent = row(rows, difficulty="theirs")
    assert np.isnan(absent.value)
    assert absent.reason == "there is no file"


def test_pairs_are_compared_on_the_hypotheses_that_have_both(judged):
    bench, estimates, people = judged
    found = row(bench.tests, statistic=DEC, difficulty="truth", other="annotators")
    there = dec.judged_cases(estimates["annotators"].values, people)
    assert found.hypotheses == there.sum()
    taus = [
        stats.kendalltau(x[own], -y[own]).statistic
        for x, y, own in zip(estimates["truth"].values, people, there, strict=True)
    ]
    assert found.value == pytest.approx(np.mean(taus), abs=1e-12)
    assert found.difference == pytest.approx(found.value - found.other_value)
    assert found.low < found.difference < found.high


def test_the_interval_of_a_difference_is_of_the_hypotheses_that_have_both(judged):
    """Kendall's τ-b of every resample, in loops, where both have values."""
    _, estimates, people = judged
    bench = Bench(make_set()[0], estimates, {}, 40, 7)
    found = row(bench.tests, statistic=DEC, difficulty="truth", other="annotators")
    truth, others = (estimates[name].values for name in ("truth", "annotators"))
    there, rated = np.isfinite(others) & np.isfinite(people), np.isfinite(people).any(axis=0)
    differences = []
    for counts in bench.counts.T[1:]:
        places = np.repeat(np.flatnonzero(rated), counts)
        taus = []
        for system, scores in enumerate(-people):
            own = places[there[system, places]]
            taus.append([stats.kendalltau(x[system, own], scores[own])[0] for x in (truth, others)])
        differences.append(np.subtract(*np.mean(taus, axis=0)))
    ends = np.percentile(differences, [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=1e-12)
    assert found.error == pytest.approx(np.std(differences, ddof=1))


def test_segments_have_their_place_by_the_best_estimator_and_by_people(judged):
    """`annotators` has the highest DEC, but reads human scores; of the others `truth` has."""
    bench, estimates, people = judged
    found = estimators.segment_rows(bench)
    rated = np.isfinite(people).any(axis=0)
    truth, human = estimates["truth"].values[0, rated], np.nanmean(people[:, rated], axis=0)
    assert found.segment.tolist() == (np.flatnonzero(rated) + 1).tolist()
    assert set(found.estimator) == {"truth"}
    for column, values in (("place", truth), ("human_place", -human)):
        below = [((values < x).sum() + ((values == x).sum() - 1) / 2) for x in values]
        expected = np.array(below) / (rated.sum() - 1)
        np.testing.assert_allclose(found[column], expected, err_msg=column)


def sets_of(values, errors, **columns):
    frame = pd.DataFrame({"value": values, "error": errors})
    campaigns = [f"wmt{i}" for i in range(len(values))]
    defaults = {"set": campaigns, "campaign": campaigns, "pair": "en-de", "reason": ""}
    return frame.assign(**defaults | columns)


def test_a_mean_over_sets_has_the_error_of_independent_texts():
    """Sets that share texts count as one source of error."""
    found = estimators.mean_of_sets(sets_of([0.1, 0.3], [0.03, 0.04]), "value")
    assert found["mean"] == pytest.approx(0.2)
    assert found["error"] == pytest.approx(np.hypot(0.03, 0.04) / 2)
    assert found["high"] - found["mean"] == pytest.approx(1.959964 * found["error"], rel=1e-6)
    assert found["p"] == pytest.approx(2 * stats.norm.sf(0.2 / found["error"]))
    assert found["others"] == pytest.approx(0.2, abs=0.02)
    shared = sets_of([0.1, 0.3], [0.03, 0.04], campaign="wmt23")
    assert estimators.mean_of_sets(shared, "value")["error"] == pytest.approx(0.07 / 2)


@pytest.fixture(scope="module")
def over_sets(judged):
    """Return the leaderboard and comparisons of two sets, of which one lacks a difficulty."""
    bench, estimates, _ = judged
    fewer = {name: estimate for name, estimate in estimates.items() if name != "noise"}
    benches = bench, Bench(make_set()[0], fewer, {"noise": "none"}, RESAMPLES, 8)
    facts = [
        {"set": "a/en-de", "campaign": "a", "pair": "en-de"},
        {"set": "b/en-fr", "campaign": "b", "pair": "en-fr"},
    ]
    values, tests = (
        pd.concat([table.assign(**fact) for table, fact in zip(tables, facts, strict=True)])
        for tables in ([of_set.rows() for of_set in benches], [of_set.tests for of_set in benches])
    )
    comparisons = estimators.compare(tests)
    return estimators.leaderboard(values, comparisons), comparisons


def test_the_leaderboard_is_ordered_by_the_gain_over_length_on_the_same_sets(over_sets, judged):
    ranked, comparisons = over_sets
    whole = ranked[ranked.statistic == DEC]
    source = whole[whole.information == "source"]
    assert source.difficulty.tolist()[0] == "truth"
    assert source.gain.is_monotonic_decreasing
    assert row(whole, difficulty=BASELINE).gain == 0
    one = row(judged[0].tests, statistic=DEC, difficulty=BASELINE, other="noise")
    found = row(whole, difficulty="noise")
    assert (found.sets, found.sets_without) == (1, 1)
    assert found.gain == pytest.approx(-one.difference)
    ends = found.gain_low, found.gain_high
    assert ends == pytest.approx(
        tuple(-row(comparisons, difficulty=BASELINE, other="noise", statistic=DEC)[["high", "low"]])
    )
    assert row(comparisons, statistic=DEC, difficulty=BASELINE, other="noise").p == one.p
    higher = row(comparisons, statistic=DEC, difficulty="truth", other="noise")
    tests = (comparisons.statistic == DEC).sum()
    assert (higher.verdict, higher.family) == ("higher", f"Holm, {tests} comparisons by dec")
    absent = row(whole, difficulty="theirs")
    assert (absent.reason, absent.sets) == ("1 × there is no file", 0)


def test_a_difficulty_of_one_value_is_none_and_one_of_few_tenths_has_no_value_within(judged):
    found, truth, people = make_set()
    length = np.array([len(text) for text in found.source], dtype=float)
    few = np.where(length > np.quantile(length, 0.8), truth, 0.0)
    estimates = {
        name: Estimate(np.broadcast_to(own, people.shape), "source")
        for name, own in {"constant": np.ones(SEGMENTS), "few": few, "truth": truth}.items()
    }
    bench = Bench(found, estimates, {}, 50, 1)
    rows = bench.rows()
    assert row(rows, difficulty="constant").reason == estimators.CONSTANT
    assert row(rows, difficulty="few", statistic=DEC, domain="").value > 0
    within = row(rows, difficulty="few", statistic=WITHIN, domain="")
    assert np.isnan(within.value)
    assert within.reason == "it varies in less than half of the tenths of the systems"
