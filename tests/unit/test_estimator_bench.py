"""The bench of difficulty estimators on one set, over sets, in words, and on its page."""

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from scipy import stats

from mt_difficulty.errors import Missing
from mt_difficulty.evidence import dec, estimators
from mt_difficulty.evidence.estimators import (
    BASELINE,
    COLUMNS,
    DEC,
    WITHIN,
    Bench,
    Estimate,
)
from mt_difficulty.evidence.findings import bench_findings as findings
from mt_difficulty.evidence.selection import COLUMNS as SELECTION
from mt_difficulty.evidence.selection import summarise

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
    other = np.where(
        rng.random(people.shape) < 0.5, np.nan, -people + rng.normal(size=people.shape)
    )
    estimates = {
        "truth": Estimate(np.broadcast_to(truth, people.shape), "source"),
        "noise": Estimate(np.broadcast_to(rng.normal(size=SEGMENTS), people.shape), "source"),
        "annotators": Estimate(other, "gold"),
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
    assert list(rows.columns) == COLUMNS
    for name, each in estimates.items():
        taus, rs = [], []
        for x, y in zip(each.values, -people, strict=True):
            there = np.isfinite(x) & np.isfinite(y)
            taus.append(stats.kendalltau(x[there], y[there]).statistic)
            rs.append(stats.pearsonr(x[there], y[there]).statistic)
        found = row(rows, difficulty=name, statistic=DEC, domain="")
        assert found.value == pytest.approx(np.mean(taus), abs=1e-12)
        r = row(rows, difficulty=name, statistic="dec_pearson", domain="")
        assert r.value == pytest.approx(np.mean(rs), abs=1e-9)
        own = bench.system_rows().set_index(["difficulty", "statistic"]).loc[(name, DEC)]
        np.testing.assert_allclose(own.value, taus, atol=1e-12)
        assert found.low < found.value < found.high
        assert found.both_high - found.both_low > found.systems_high - found.systems_low


def test_hardest_segments_stand_beside_chance(judged):
    bench, _, people = judged
    rows = bench.rows()
    chance = np.nanmean(np.nanmean(people, axis=1))
    for name in ("truth", "noise"):
        found = row(rows, difficulty=name, statistic="average_score", domain="")
        assert found.chance == pytest.approx(chance)
    assert row(rows, difficulty="truth", statistic="average_score", domain="").high < chance
    noise = row(rows, difficulty="noise", statistic="average_score", domain="")
    assert noise.low < chance < noise.high
    perfect = row(rows, difficulty="truth", statistic="perfect", domain="")
    assert (
        perfect.value
        < perfect.chance
        == pytest.approx(np.mean([(own[np.isfinite(own)] == 0).mean() for own in people]))
    )


def test_a_difficulty_that_is_not_there_says_why(judged):
    found = row(judged[0].rows(), difficulty="theirs")
    assert found.reason == "there is no file"
    assert np.isnan(found.value)


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


def test_the_bench_needs_human_scores_of_segments_and_a_source():
    with pytest.raises(Missing, match="the set has no human scores of segments"):
        Bench(make_set(segment_gold=[])[0], {}, {}, 10, 1)
    found, *_ = make_set()
    with pytest.raises(Missing, match="no source text"):
        Bench(type(found)(**{**vars(found), "source": []}), {}, {}, 10, 1)


def sets_of(values, errors, **columns):
    frame = pd.DataFrame({"value": values, "error": errors})
    campaigns = [f"wmt{i}" for i in range(len(values))]
    defaults = {"set": campaigns, "campaign": campaigns, "pair": "en-de"}
    return frame.assign(**defaults | columns)


def test_a_mean_over_sets_has_the_error_of_independent_texts():
    found = estimators.mean_of_sets(sets_of([0.1, 0.3], [0.03, 0.04]), "value")
    assert found["mean"] == pytest.approx(0.2)
    assert found["error"] == pytest.approx(np.hypot(0.03, 0.04) / 2)
    assert found["high"] - found["mean"] == pytest.approx(1.959964 * found["error"], rel=1e-6)
    assert found["p"] == pytest.approx(2 * stats.norm.sf(0.2 / found["error"]))
    assert found["others"] == pytest.approx(0.2, abs=0.02)


def test_sets_that_share_texts_count_as_one_source_of_error():
    rows = sets_of([0.1, 0.3], [0.03, 0.04], campaign="wmt23")
    assert estimators.mean_of_sets(rows, "value")["error"] == pytest.approx(0.07 / 2)


@pytest.fixture(scope="module")
def over_sets(judged):
    """Return the leaderboard and comparisons of two sets, of which one lacks a difficulty."""
    bench, estimates, _ = judged
    found, *_ = make_set()
    fewer = {name: each for name, each in estimates.items() if name != "noise"}
    other = Bench(found, fewer, {"noise": "none"}, RESAMPLES, 8)
    frames = []
    for table in ("values", "tests"):
        parts = []
        for name, one in (("a/en-de", bench), ("b/en-fr", other)):
            campaign, pair = name.split("/")
            part = one.rows() if table == "values" else one.tests
            parts.append(part.assign(set=name, campaign=campaign, pair=pair))
        frames.append(pd.concat(parts, ignore_index=True))
    comparisons = estimators.compare(frames[1])
    return estimators.leaderboard(frames[0], comparisons), comparisons


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
    assert row(comparisons, statistic=DEC, difficulty=BASELINE, other="noise").p == one.p
    absent = row(whole, difficulty="theirs")
    assert (absent.reason, absent.sets) == ("1 × there is no file", 0)


def test_verdicts_follow_p_and_the_margin(over_sets):
    comparisons = over_sets[1]
    assert set(comparisons.verdict) <= {
        *(estimators.HIGHER, estimators.LOWER),
        *(estimators.EQUIVALENT, "cannot tell"),
    }
    found = row(comparisons, statistic=DEC, difficulty="truth", other="noise")
    assert found.verdict == estimators.HIGHER
    small, beside = comparisons.p_adjusted <= 0.05, comparisons.low * comparisons.high > 0
    assert (small & ~beside).any()
    assert (comparisons.verdict.isin(["higher", "lower"]) == (small & beside)).all()
    sizes = comparisons.groupby("statistic").family.agg(["first", "nunique", "size"])
    assert (sizes["nunique"] == 1).all()
    assert sizes["first"][DEC] == f"Holm, {sizes['size'][DEC]} comparisons by dec"


def test_a_difficulty_of_one_value_is_none_and_one_of_few_tenths_has_no_value_within(judged):
    found, truth, people = make_set()
    length = np.array([len(text) for text in found.source], dtype=float)
    few = np.where(length > np.quantile(length, 0.8), truth, 0.0)
    estimates = {
        name: Estimate(np.broadcast_to(own, people.shape), "source")
        for name, own in {"constant": np.ones(SEGMENTS), "few": few, "truth": truth}.items()
    }
    bench = Bench(found, estimates, {}, 50, 1)
    rows, reason = bench.rows(), "it varies in less than half of the tenths of the systems"
    assert row(rows, difficulty="constant").reason == estimators.CONSTANT
    assert row(rows, difficulty="few", statistic=DEC, domain="").value > 0
    within = row(rows, difficulty="few", statistic=WITHIN, domain="")
    assert np.isnan(within.value)
    assert within.reason == reason
    tested = row(bench.tests, statistic=WITHIN, difficulty="few", other="truth")
    assert np.isnan(tested[["value", "difference", "p"]].astype(float)).all()


def test_findings_name_the_best_of_each_information(over_sets):
    none = summarise(pd.DataFrame(columns=[*SELECTION, "set", "campaign", "pair"]))
    text = findings(*over_sets, none)
    assert "on 2 evaluation sets" in text
    assert "use the source, truth gains most:" in text
    assert "human scores (a ceiling), annotators, gains" in text
    assert "pairs differ (p ≤ 0.05" in text
    assert "Within tenths of length" in text
