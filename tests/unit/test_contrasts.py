"""Contrasts of a study on a set against scores and correlations that are put together by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from scipy import stats
from test_agreement import arrays_of, set_scores

from mt_difficulty.evidence import study
from mt_difficulty.evidence.joint import OUTCOMES
from mt_difficulty.evidence.study import OTHER, StudyScores

SYSTEMS, SEGMENTS = 6, 120
RNG = np.random.default_rng(11)
QUALITY = np.linspace(0, 1, SYSTEMS)[:, None]
PEOPLE = QUALITY + RNG.normal(size=(SYSTEMS, SEGMENTS))
CHRF = 10 * QUALITY + RNG.normal(0, 9, (SYSTEMS, SEGMENTS)) + 50
TER = RNG.integers(1, 9, (SYSTEMS, SEGMENTS, 2)) + 0.0
DIFFICULTY = np.round(RNG.random((SYSTEMS, SEGMENTS)), 2)
EE = {"type": "groups", "difficulty": "given", "threshold": "hypotheses_0.8", "easy_weight": 0.4}
# Above what some system's hypotheses reach.
HIGH = float(DIFFICULTY.max(axis=1).min()) + 0.005
WEIGHTINGS = {"EE": EE, "half": EE | {"threshold": 0.5}, "high": EE | {"threshold": HIGH}}
STUDY = {
    "tiers": {"surface": ["chrF", "TER"]},
    "contrasts": {
        "EE": {
            "weighting": "EE",
            "primary": True,
            "nulls": ["permuted", "permuted_length", "random_subset"],
        },
        "EE or half": {"weighting": "EE", "against": "half"},
        "elsewhere": {"weighting": "elsewhere"},
        "high": {"weighting": "high", "primary": True, "nulls": ["random_subset"]},
    },
    "resamples": 200,
    "nulls": 20,
}


def made(outliers=()):
    texts = ["x" * (1 + i % 17) for i in range(SEGMENTS)]
    found = replace(
        make_evalset([texts] * SYSTEMS, texts),
        segment_gold=PEOPLE.tolist(),
        gold=PEOPLE.mean(axis=1).tolist(),
        outliers=list(outliers),
    )
    names = found.systems
    statistics = {
        "chrF": arrays_of(CHRF[..., None], names),
        "TER": arrays_of(TER, names),
        "Random": arrays_of(RNG.random((SYSTEMS, SEGMENTS, 1)), names),
        "HuaweiTSC_EE": arrays_of(RNG.random((SYSTEMS, 1, 1)), names),
    }
    types = {"chrF": {"type": "chrf"}, "TER": {"type": "ter"}}
    types |= {name: {"type": "stored"} for name in ("Random", "HuaweiTSC_EE")}
    described = {"type": "file", "missing": "", "uses_gold": False}
    scores = set_scores(found, statistics, types, WEIGHTINGS, DIFFICULTY)
    scores.difficulties = {"given": described}
    return StudyScores(scores, found, WEIGHTINGS, {"elsewhere": "no other set"}, STUDY, seed=4)


@pytest.fixture(scope="module")
def scores():
    return made()


@pytest.fixture(scope="module")
def known(scores):
    return {one.name: one for one in study.contrasts(scores, STUDY)}


@pytest.fixture(scope="module")
def effects(scores, known):
    rows = [row for one in known.values() for row in study.effect_rows(scores, one)]
    return pd.DataFrame(rows, columns=study.EFFECTS)


def ee(scores, h, systems=slice(None)):
    """EE of a mean by its equation."""
    easy = DIFFICULTY[systems] < h
    means = [
        np.where(side, scores[systems], 0).sum(axis=1) / side.sum(axis=1) for side in (easy, ~easy)
    ]
    return 0.4 * means[0] + 0.6 * means[1]


def of(effects, contrast, metric, statistic):
    rows = effects[(effects.contrast == contrast) & (effects.metric == metric)]
    return rows[rows.statistic == statistic].iloc[0]


def test_effects_are_differences_of_correlations(effects):
    h = np.quantile(DIFFICULTY, 0.8, method="lower")
    gold, plain = PEOPLE.mean(axis=1), CHRF.mean(axis=1)
    for name, other in (("EE", plain), ("EE or half", ee(CHRF, 0.5))):
        for statistic, function in (("pearson", stats.pearsonr), ("kendall", stats.kendalltau)):
            row = of(effects, name, "chrF", statistic)
            expected = function(ee(CHRF, h), gold)[0] - function(other, gold)[0]
            assert row.effect == pytest.approx(expected, abs=1e-9)
            assert row.value - row.plain == pytest.approx(row.effect, abs=1e-12)
            assert row.low <= row.high
            assert row.error > 0


def test_a_tier_is_the_mean_of_its_metrics(effects):
    for statistic in OUTCOMES:
        each = [of(effects, "EE", metric, statistic).effect for metric in ("chrF", "TER")]
        tiers = effects[(effects.metric == study.MEAN) & (effects.contrast == "EE")]
        row = tiers[(tiers.tier == "surface") & (tiers.statistic == statistic)].iloc[0]
        assert row.effect == pytest.approx(np.mean(each), abs=1e-9)
    assert set(tiers.tier) == {"surface"}  # metrics without a tier have no mean
    assert OTHER in set(effects.tier)


def test_what_has_no_effect_says_why(effects):
    assert "system scores" in of(effects, "EE", "HuaweiTSC_EE", "pearson").reason
    assert of(effects, "elsewhere", "chrF", "pearson").reason == "no other set"
    assert "no difficult or no easy hypothesis" in of(effects, "high", "chrF", "pearson").reason
    means = effects[(effects.contrast == "elsewhere") & (effects.metric == study.MEAN)]
    assert set(means.reason) == {"no other set"}
    assert means.effect.isna().all()


def test_the_error_is_that_of_resamples_drawn_by_hand(scores, effects):
    """With the segments that the resamples draw, and h estimated on each of them."""
    joint, values = scores.joint, []
    for counts in joint.counts.astype(int):
        drawn = np.repeat(np.arange(SEGMENTS), counts)
        difficulty, own = DIFFICULTY[:, drawn], CHRF[:, drawn]
        easy = difficulty < np.quantile(difficulty, 0.8, method="lower")
        sides = [np.where(side, own, 0).sum(axis=1) / side.sum(axis=1) for side in (easy, ~easy)]
        gold = PEOPLE[:, drawn].mean(axis=1)
        weighted = stats.pearsonr(0.4 * sides[0] + 0.6 * sides[1], gold)[0]
        values.append(weighted - stats.pearsonr(own.mean(axis=1), gold)[0])
    row = of(effects, "EE", "chrF", "pearson")
    assert row.error == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    assert row.high - row.effect == pytest.approx(1.96 * row.error)
    assert row.effect - row.low == pytest.approx(1.96 * row.error)


def test_outliers_are_left_out_and_told_apart(effects):
    outlying = made(["S0"])
    (one, *_) = study.contrasts(outlying, STUDY)
    rows = pd.DataFrame(study.effect_rows(outlying, one), columns=study.EFFECTS)
    row = of(rows, "EE", "chrF", "pearson")
    h = np.quantile(DIFFICULTY[1:], 0.8, method="lower")
    gold = PEOPLE[1:].mean(axis=1)
    expected = stats.pearsonr(ee(CHRF, h, slice(1, None)), gold)[0]
    assert row.value == pytest.approx(expected, abs=1e-9)
    assert row.effect_with_outliers == pytest.approx(
        of(effects, "EE", "chrF", "pearson").effect, abs=1e-9
    )


def test_nulls_keep_what_they_say(scores, known):
    weighted = scores.scored["EE", "chrF"].weighted
    rng = np.random.default_rng(0)
    size = round(weighted.effective_segments().mean())
    for weights, shares in study._null_weights(scores, "random_subset", weighted, 5, rng):
        assert (weights == weights[:1]).all()
        assert weights[0].sum() == size
        assert shares.tolist() == [1.0]
    tenths = pd.Series([len(text) for text in scores.found.source]).rank(method="first")
    tenths = ((tenths - 1) * 10 // SEGMENTS).to_numpy()
    for weights, shares in study._null_weights(scores, "permuted_length", weighted, 5, rng):
        assert shares.tolist() == weighted.shares.tolist()
        for tenth in range(10):
            inside = tenths == tenth
            for system in range(SYSTEMS):
                moved, own = weights[system, inside, 1], weighted.weights[system, inside, 1]
                assert sorted(moved) == sorted(own)
    rows = pd.DataFrame(study.null_rows(scores, known["EE"], 20), columns=study.NULL_DRAWS)
    assert (rows.groupby(["tier", "null", "statistic"]).size() == 20).all()
    assert set(rows.null) == {"permuted", "permuted_length", "random_subset"}


def test_pairs_agree_where_scores_and_people_have_one_order(scores, known):
    rows = pd.DataFrame(study.pair_rows(scores, known["EE"]), columns=study.PAIRS)
    rows = rows[rows.metric == "chrF"].set_index(["system", "other"])
    gold, plain = PEOPLE.mean(axis=1), CHRF.mean(axis=1)
    for i in range(SYSTEMS):
        for j in range(i + 1, SYSTEMS):
            row = rows.loc[f"S{i}", f"S{j}"]
            assert row.agrees_plain == float((plain[i] > plain[j]) == (gold[i] > gold[j]))
            assert row.gap == pytest.approx(abs(gold[i] - gold[j]) / gold.std())
    assert not list(study.pair_rows(scores, known["EE or half"]))
