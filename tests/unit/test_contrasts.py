"""A study on one set: the joint bootstrap against loops that draw, fit and score every
resample, and contrasts against scores and correlations that are put together by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset, settings_of
from scipy import stats
from test_metric_table import arrays_of, set_scores

from mt_difficulty.evidence import study
from mt_difficulty.evidence.nulls import permutations
from mt_difficulty.evidence.parameters import surface
from mt_difficulty.evidence.resampling import paired_permutation, resampled_scores
from mt_difficulty.evidence.study import OUTCOMES, Joint, StudyScores, linear_influence
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics.base import Metric
from mt_difficulty.metrics.bleu import BLEU
from mt_difficulty.settings import WeightingSettings
from mt_difficulty.settings.study import Contrast, Study
from mt_difficulty.weighting import make_weighting
from mt_difficulty.weighting.base import WeightedMetric

SYSTEMS, SEGMENTS, SCORED = 6, 120, 90
NAMES = [f"S{i}" for i in range(SYSTEMS)]
RNG = np.random.default_rng(11)
QUALITY = np.linspace(0, 1, SYSTEMS)[:, None]
PEOPLE = QUALITY + RNG.normal(size=(SYSTEMS, SEGMENTS))
CHRF = 10 * QUALITY + RNG.normal(0, 9, (SYSTEMS, SEGMENTS)) + 50
TER = RNG.integers(1, 9, (SYSTEMS, SEGMENTS, 2)) + 0.0
DIFFICULTY = np.round(RNG.random((SYSTEMS, SEGMENTS)), 2)
LENGTHS = RNG.integers(8, 40, (SYSTEMS, SCORED, 1)) - np.arange(4)
MATCHES = RNG.binomial(LENGTHS, [0.6, 0.4, 0.3, 0.2])
COUNTS = np.concatenate([LENGTHS[..., :1], LENGTHS[..., :1] - 1, MATCHES, LENGTHS], axis=-1) * 1.0
# Of the segments, the first SCORED have human scores.
SAMPLE = study.Sample(
    np.arange(SYSTEMS),
    np.arange(SCORED),
    np.arange(SCORED, SEGMENTS),
    PEOPLE[:, :SCORED],
    PEOPLE[:, :SCORED].mean(axis=1),
    single_segments(SEGMENTS),
    np.arange(SEGMENTS),
)
BASES = {
    "mean": WeightedMetric.standard(Metric, CHRF[:, :SCORED, None]),
    "BLEU": WeightedMetric.standard(BLEU, COUNTS),
}
FITTED = {
    "Eq. 9": {"type": "EE", "easy_weight": 0.4},
    "hypotheses": {"type": "EE", "threshold": "hypotheses_0.8", "easy_weight": 0.4},
    "proportional": {"type": "proportional"},
    "softmax": {"type": "proportional", "softmax": 0.5},
    "hardest": {"type": "hardest", "share": 0.3},
}


@pytest.mark.parametrize("name", FITTED)
def test_a_resample_is_a_set_of_the_segments_drawn(name):
    """Its weighting is fitted to it, and its scores are those of its segments."""
    weighting, joint = make_weighting(WeightingSettings.of(FITTED[name])), Joint(SAMPLE, 40, seed=1)
    quality = joint.refitted(weighting, DIFFICULTY, joint.together(BASES), NAMES)
    for row in range(0, 40, 7):
        drawn = np.repeat(np.arange(SCORED), joint.counts[row])
        others = np.repeat(np.arange(SCORED, SEGMENTS), joint.unscored[row])
        difficulty = DIFFICULTY[:, np.concatenate([drawn, others])]
        parameters = weighting.fit(difficulty, NAMES, "difficulty")
        for metric, base in BASES.items():
            statistics = base.statistics[:, np.concatenate([drawn, others * 0])]
            weighed = weighting.apply(base._replace(statistics=statistics), difficulty, parameters)
            expected = weighed.select(segments=slice(0, len(drawn))).observed_quality()
            case = f"{metric}, resample {row}"
            np.testing.assert_allclose(quality[metric][row], expected, rtol=1e-9, err_msg=case)


def test_without_an_encoder_weightings_of_tokens_give_no_scores():
    nothing = (joint := Joint(SAMPLE, 5, seed=1)).together({})
    assert nothing.quality(nothing.totals[:, :, None], np.ones(1)) == {}
    assert (
        joint.refitted(make_weighting(WeightingSettings("hardest")), DIFFICULTY, nothing, NAMES)
        == {}
    )


@pytest.mark.parametrize("name", ["Eq. 9", "proportional", "hardest"])
def test_influence_is_the_jackknifes(name):
    fit = make_weighting(WeightingSettings.of(FITTED[name])).fitted(DIFFICULTY, NAMES)
    weighted = BASES["mean"]._replace(weights=fit.weights[:, :SCORED], shares=fit.shares)
    quality, influence = linear_influence(weighted)
    np.testing.assert_allclose(quality, weighted.observed_quality(), rtol=1e-12)
    # The jackknife leaves a segment out, which in a group of g segments differs by g / (g - 1).
    assert np.corrcoef(influence.ravel(), weighted.influence().ravel())[0, 1] > 0.999
    np.testing.assert_allclose(influence.sum(axis=1), 0, atol=1e-6)
    bleu, jackknife = linear_influence(BASES["BLEU"])[1], BASES["BLEU"].influence()
    assert np.corrcoef(bleu.ravel(), jackknife.ravel())[0, 1] > 0.995
    np.testing.assert_allclose(bleu.std(), jackknife.std(), rtol=0.05)


def test_observed_outcomes_are_those_of_other_programs():
    """SPA with 5,000 permutations for metric and people, PA by pairs, τ-b and r by SciPy."""
    quality, influence = linear_influence(BASES["mean"])
    outcomes = Joint(SAMPLE).outcomes(quality[None], influence)[0]
    values = dict(zip(OUTCOMES, outcomes, strict=True))
    swapped = np.random.default_rng(0).integers(0, 2, (5000, SCORED)).astype(float)
    people = WeightedMetric.standard(Metric, SAMPLE.segment_gold[..., None])
    first, second = np.triu_indices(SYSTEMS, 1)
    p = [paired_permutation(own, swapped)[first, second] for own in (BASES["mean"], people)]
    assert values["soft_accuracy"] == pytest.approx(1 - np.abs(p[0] - p[1]).mean(), abs=0.01)
    gold = SAMPLE.gold
    assert values["kendall"] == pytest.approx(stats.kendalltau(quality, gold)[0], abs=1e-12)
    assert values["pearson"] == pytest.approx(stats.pearsonr(quality, gold)[0], abs=1e-12)
    same = (quality[first] > quality[second]) == (gold[first] > gold[second])
    assert values["accuracy"] == pytest.approx(same.mean(), abs=1e-12)


def evalset(rated):
    texts = [f"text {i}" for i in range(80)]
    people = [[float(i * s) if i < rated else None for i in range(80)] for s in range(3)]
    return replace(make_evalset([texts] * 3, texts), gold=[0.1, 0.2, 0.3], segment_gold=people)


def test_segments_with_all_human_scores_are_scored():
    """With too few of them, human scores of systems are those of the archive."""
    sample = study.sample_of(evalset(60))
    assert (len(sample.segments), len(sample.unscored)) == (60, 20)
    np.testing.assert_allclose(sample.gold, np.arange(60).mean() * np.arange(3))
    sample = study.sample_of(evalset(20))
    assert sample.segment_gold is None
    assert sample.gold.tolist() == [0.1, 0.2, 0.3]
    fixed = Joint(sample, 10, seed=0)
    np.testing.assert_array_equal(fixed.gold, np.broadcast_to(sample.gold, fixed.gold.shape))
    metric = WeightedMetric.standard(Metric, np.random.default_rng(0).random((3, 20, 1)))
    (quality,) = resampled_scores([metric], fixed.counts)
    outcomes = fixed.outcomes(quality, linear_influence(metric)[1])
    np.testing.assert_array_equal(np.isnan(outcomes[:, 0]), True)
    np.testing.assert_array_equal(np.isfinite(outcomes[:, 1:]), True)


def test_repeats_of_a_text_have_codes_of_their_own_that_other_sets_share():
    texts, fewer = ["a", "b", "a", "a"], ["b", "a", "a"]
    codes, others = (
        study.unit_codes(make_evalset([source] * 2, source), single_segments(len(source))).tolist()
        for source in (texts, fewer)
    )
    assert len(set(codes)) == 4
    assert others == [codes[1], codes[0], codes[2]]


def test_draws_are_a_bootstrap_that_sets_of_the_same_segments_share():
    """Counts are multinomial; means of two sets covary by the segments that both have."""
    texts, values = np.arange(600), np.random.default_rng(0).normal(size=600)
    some = np.arange(0, 600, 4)
    whole, part = (study.draw_units(codes, 4000, seed=1) for codes in (texts, some))
    np.testing.assert_array_equal(whole.sum(axis=1), 600)
    covariance = np.cov(whole[:, :40].T)
    np.testing.assert_allclose(np.diag(covariance), 1 - 1 / 600, atol=0.12)
    np.testing.assert_allclose(covariance[~np.eye(40, dtype=bool)].mean(), -1 / 600, atol=0.002)
    means = whole @ values / 600, part @ values[some] / 150
    assert means[0].std() == pytest.approx(values.std() / np.sqrt(600), rel=0.05)
    inside = values[some] - values.mean()
    expected = inside @ (values[some] - values[some].mean()) / (600 * 150)
    assert np.cov(*means)[0, 1] == pytest.approx(expected, rel=0.15)


EE = {"type": "EE", "difficulty": "given", "threshold": "hypotheses_0.8", "easy_weight": 0.4}
# Above what some system's hypotheses reach.
HIGH = float(DIFFICULTY.max(axis=1).min()) + 0.005
WEIGHTINGS = {"EE": EE, "half": EE | {"threshold": 0.5}, "high": EE | {"threshold": HIGH}}
NULLS = ["permuted", "permuted_length", "random_subset"]
STUDY = Study(
    tiers={"surface": ["chrF", "TER"]},
    contrasts={
        "EE": Contrast("EE", primary=True, nulls=NULLS),
        "EE or half": Contrast("EE", "half"),
        "elsewhere": Contrast("elsewhere"),
        "high": Contrast("high", primary=True, nulls=NULLS),
    },
    resamples=200,
    nulls=20,
)


def made(outliers=()):
    texts = ["x" * (1 + i % 17) for i in range(SEGMENTS)]
    gold = {"segment_gold": PEOPLE.tolist(), "gold": PEOPLE.mean(axis=1).tolist()}
    found = replace(make_evalset([texts] * SYSTEMS, texts), outliers=list(outliers), **gold)
    rng, types = np.random.default_rng(12), {"chrF": {"type": "chrf"}, "TER": {"type": "ter"}}
    statistics = {"chrF": CHRF[..., None], "TER": TER}
    for name, segments in (("Random", SEGMENTS), ("HuaweiTSC_EE", 1)):
        types[name] = {"type": "stored"}
        statistics[name] = rng.random((SYSTEMS, segments, 1))
    statistics = {name: arrays_of(values, NAMES) for name, values in statistics.items()}
    scores = set_scores(found, statistics, types, WEIGHTINGS, DIFFICULTY)
    scores.difficulties = {"given": {"type": "file", "missing": "", "uses_gold": False}}
    weightings = settings_of(weightings=WEIGHTINGS).weightings
    return StudyScores(scores, found, weightings, {"elsewhere": "no other set"}, STUDY, seed=4)


@pytest.fixture(scope="module")
def scores():
    return made()


@pytest.fixture(scope="module")
def tables(scores):
    return study.contrast_tables(scores)


@pytest.fixture(scope="module")
def effects(tables):
    return tables["effects"]


def ee(scores, h, difficulty=DIFFICULTY):
    """EE of a mean by its equation."""
    easy = difficulty < h
    means = [np.where(side, scores, 0).sum(axis=1) / side.sum(axis=1) for side in (easy, ~easy)]
    return 0.4 * means[0] + 0.6 * means[1]


def of(effects, contrast, metric, statistic):
    rows = effects[(effects.contrast == contrast) & (effects.metric == metric)]
    return rows[rows.statistic == statistic].iloc[0]


@pytest.mark.parametrize("statistic", ["pearson", "kendall"])
@pytest.mark.parametrize("name", ["EE", "EE or half"])
def test_effects_are_differences_of_correlations(effects, name, statistic):
    h, gold = np.quantile(DIFFICULTY, 0.8, method="lower"), PEOPLE.mean(axis=1)
    other = CHRF.mean(axis=1) if name == "EE" else ee(CHRF, 0.5)
    function = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[statistic]
    row = of(effects, name, "chrF", statistic)
    expected = function(ee(CHRF, h), gold)[0] - function(other, gold)[0]
    assert row.effect == pytest.approx(expected, abs=1e-9)
    assert row.value - row.plain == pytest.approx(row.effect, abs=1e-12)
    assert row.low <= row.high
    assert row.error > 0


def test_a_tier_is_the_mean_of_its_metrics(effects):
    tiers = effects[(effects.metric == study.MEAN) & (effects.contrast == "EE")]
    assert set(tiers.tier) == {"surface"}  # metrics without a tier have no mean
    assert study.OTHER in set(effects.tier)
    for statistic in OUTCOMES:
        alone = [of(effects, "EE", metric, statistic).effect for metric in ("chrF", "TER")]
        effect = of(tiers, "EE", study.MEAN, statistic).effect
        assert effect == pytest.approx(np.mean(alone)), statistic


def test_the_error_is_that_of_resamples_drawn_by_hand(scores, effects):
    """With the segments that the resamples draw, and h estimated on each of them."""
    values = []
    for counts in scores.joint.counts:
        drawn = np.repeat(np.arange(SEGMENTS), counts)
        h, gold = np.quantile(DIFFICULTY[:, drawn], 0.8, method="lower"), PEOPLE[:, drawn]
        sides = ee(CHRF[:, drawn], h, DIFFICULTY[:, drawn]), CHRF[:, drawn].mean(axis=1)
        rs = [stats.pearsonr(side, gold.mean(axis=1))[0] for side in sides]
        values.append(rs[0] - rs[1])
    row = of(effects, "EE", "chrF", "pearson")
    assert row.error == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    ends = row.effect - 1.96 * row.error, row.effect + 1.96 * row.error
    assert (row.low, row.high) == pytest.approx(ends)


def test_outliers_are_left_out_and_told_apart(effects):
    rows = pd.DataFrame(study.effect_rows(made(["S0"]), "EE"), columns=study.EFFECTS)
    row = of(rows, "EE", "chrF", "pearson")
    h = np.quantile(DIFFICULTY[1:], 0.8, method="lower")
    expected = stats.pearsonr(ee(CHRF[1:], h, DIFFICULTY[1:]), PEOPLE[1:].mean(axis=1))[0]
    assert row.value == pytest.approx(expected, abs=1e-9)
    whole = of(effects, "EE", "chrF", "pearson")
    assert row.effect_with_outliers == pytest.approx(whole.effect, abs=1e-9)
    assert np.isnan(whole.effect_with_outliers)


def test_nulls_keep_what_they_say(scores, tables):
    weighted = scores.scored["EE", "chrF"].weighted
    size = round(weighted.effective_segments().mean())
    for draw, null in enumerate(study.null_weights(scores, "random_subset", weighted)):
        first = np.broadcast_to(null["weights"][:1], null["weights"].shape)
        np.testing.assert_array_equal(null["weights"], first, err_msg=f"draw {draw}")
        assert (null["weights"][0].sum(), null["shares"].tolist()) == (size, [1.0]), f"draw {draw}"
    lengths = pd.Series([len(text) for text in scores.evalset.source])
    tenths = ((lengths.rank(method="first") - 1) * 10 // SEGMENTS).to_numpy()
    for draw, null in enumerate(study.null_weights(scores, "permuted_length", weighted)):
        assert null["shares"].tolist() == weighted.shares.tolist(), f"draw {draw}"
        for tenth in range(10):
            moved, before = (
                np.sort(weights[:, tenths == tenth, 1])
                for weights in (null["weights"], weighted.weights)
            )
            case = f"draw {draw}, tenth {tenth}"
            np.testing.assert_array_equal(moved, before, err_msg=case)
    rows = tables["nulls"]
    draws = rows.groupby(["tier", "null", "statistic"]).size().to_dict()
    assert draws == dict.fromkeys(draws, 20)
    assert set(rows.null) == {"permuted", "permuted_length", "random_subset"}


def test_effects_of_nulls_are_gains_over_the_plain_metric(scores, tables):
    """Means over the tier's two metrics; a draw gives segments the weights of other segments."""
    weighted, gold = scores.scored["EE", "chrF"].weighted, PEOPLE.mean(axis=1)
    rows = tables["nulls"]
    rows = rows[(rows.contrast == "EE") & (rows.null == "permuted") & (rows.statistic == "pearson")]

    def r(weights, shares):
        sums = np.einsum("sig,sik->sgk", weights, TER)
        quality = (
            np.einsum("sig,si->sg", weights, CHRF) / weights.sum(axis=1) @ shares,
            -(sums[..., 0] / sums[..., 1]) @ shares,
        )
        return np.mean([stats.pearsonr(x, gold)[0] for x in quality])

    plain = r(np.ones((SYSTEMS, SEGMENTS, 1)), np.ones(1))
    for draw, null in enumerate(study.null_weights(scores, "permuted", weighted)):
        row, case = rows[rows.draw == draw].iloc[0], f"draw {draw}"
        assert row.effect == pytest.approx(r(**null) - plain, abs=1e-9), case
        assert not np.array_equal(null["weights"], weighted.weights), case
        columns = (
            np.sort(each.sum(axis=0), axis=0) for each in (null["weights"], weighted.weights)
        )
        np.testing.assert_array_equal(*columns, err_msg=case)


def test_pairs_agree_where_scores_and_people_have_one_order(tables):
    rows = tables["pairs"]
    assert set(rows.contrast) == {"EE"}  # the other primary one has no scores
    rows = rows[rows.metric == "chrF"].set_index(["system", "other"])
    gold, plain = PEOPLE.mean(axis=1), CHRF.mean(axis=1)
    for i, j in zip(*np.triu_indices(SYSTEMS, 1), strict=True):
        row, pair = rows.loc[f"S{i}", f"S{j}"], f"S{i} and S{j}"
        assert row.agrees_plain == float((plain[i] > plain[j]) == (gold[i] > gold[j])), pair
        assert row.gap == pytest.approx(abs(gold[i] - gold[j]) / gold.std()), pair


def test_tuning_is_compared_with_tuning_to_permuted_difficulties(scores, tables):
    """The highest r over all h and w, of the difficulty and of 20 permutations of it."""
    row = tables["tuned"][tables["tuned"].metric == "chrF"].iloc[0]
    gold, plain = PEOPLE.mean(axis=1), WeightedMetric.standard(Metric, CHRF[..., None])
    rng = np.random.default_rng([scores.seed, 6, scores.texts])
    best, *drawn = (
        np.nanmax(surface(plain, DIFFICULTY[:, order], gold)[0])
        for order in (np.arange(SEGMENTS), *permutations(single_segments(SEGMENTS), 20, rng))
    )
    assert row.plain == pytest.approx(stats.pearsonr(CHRF.mean(axis=1), gold)[0])
    assert row.value == pytest.approx(best)
    assert row["quantile"] == np.mean(np.array(drawn) < best)
    expected = np.mean(drawn), *np.percentile(drawn, [2.5, 97.5])
    assert (row.null_mean, row.null_low, row.null_high) == pytest.approx(expected)
