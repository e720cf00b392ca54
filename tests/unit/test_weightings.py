"""Weightings and what a weighted metric gives, against loops from the definitions."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting import WEIGHTINGS
from mt_difficulty.weighting.base import WeightedMetric

SYSTEMS = ["ash", "elm", "oak"]
seeds = st.integers(0, 10**6)
quick = settings(max_examples=40, deadline=None)


def random_set(seed, kind="chrf"):
    """Statistics and difficulties of three systems."""
    rng = np.random.default_rng(seed)
    shape = 3, int(rng.integers(5, 20))
    if kind == "bleu":
        statistics = np.sort(rng.integers(1, 30, (*shape, 10)), axis=2)[..., ::-1].astype(float)
    else:
        statistics = rng.random((*shape, 1 if kind == "chrf" else 2))
    return WeightedMetric.standard(METRICS[kind], statistics), rng.random(shape)


def weigh(name, standard, difficulty, **options):
    weighting = WEIGHTINGS[name](**options)
    parameters = weighting.fit(difficulty, SYSTEMS, "difficulty")
    return weighting.apply(standard, difficulty, parameters), parameters


@quick
@given(seeds, st.sampled_from(["chrf", "bleu", "ter"]), st.floats(0.05, 0.95))
def test_groups_are_ee(seed, kind, w):
    standard, difficulty = random_set(seed, kind)
    h = float(np.median(difficulty))
    found, _ = weigh("groups", standard, difficulty, threshold=h, easy_weight=w)
    expected = naive.ee_scores(METRICS[kind], standard.statistics, difficulty, h, w)
    np.testing.assert_allclose(found.scores(), expected, rtol=1e-9)


@quick
@given(seeds)
def test_groups_that_weigh_their_shares_are_the_plain_mean(seed):
    standard, difficulty = random_set(seed)
    difficulty[:] = difficulty[0]  # of segments
    options = {"threshold": float(np.median(difficulty)), "easy_weight": "share"}
    found, parameters = weigh("groups", standard, difficulty, **options)
    np.testing.assert_allclose(found.scores(), standard.scores(), rtol=1e-9)
    assert parameters["w_from"] == "share"
    assert any("are the unweighted ones" in notice for notice in parameters["notices"])
    difficulty[0] = difficulty[0] + 1  # now of hypotheses
    _, parameters = weigh("groups", standard, difficulty, **options)
    assert not any("are the unweighted ones" in notice for notice in parameters["notices"])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean_plus_2sd", lambda d: d.mean() + 2 * d.std()),
        ("mean_plus_0.5sd", lambda d: d.mean() + 0.5 * d.std()),
        ("quantile_0.9", lambda d: np.quantile(d, 0.9)),
        (
            "rank_0.2",
            lambda d: min(x for i, x in enumerate(d) if (np.delete(d, i) > x).mean() < 0.2),
        ),
    ],
)
def test_thresholds_follow_their_rules(rule, expected):
    standard, difficulty = random_set(5)
    _, parameters = weigh("groups", standard, difficulty, threshold=rule, easy_weight=0.5)
    assert parameters["h"] == pytest.approx(expected(difficulty.mean(axis=0)))


@quick
@given(seeds, st.sampled_from(["chrf", "bleu"]), st.floats(0.01, 1))
def test_hardest_is_the_score_of_the_hardest_share(seed, kind, share):
    standard, difficulty = random_set(seed, kind)
    difficulty = difficulty.round(1)  # with ties
    found, parameters = weigh("hardest", standard, difficulty, share=share)
    count = max(1, int(np.ceil(round(share * difficulty.shape[1], 9))))
    for system, rows in enumerate(standard.statistics):
        order = sorted(range(len(rows)), key=lambda i: (-difficulty[system, i], i))[:count]
        expected = METRICS[kind].aggregate(rows[order].sum(axis=0), np.array(count))
        assert found.scores()[system] == pytest.approx(expected)
    assert parameters["effective_segments"] == count
    np.testing.assert_allclose(found.effective_segments(), count)


@quick
@given(seeds, st.sampled_from([{}, {"power": 2.5}, {"softmax": 1.5}]))
def test_proportional_scores_are_weighted_means(seed, options):
    standard, difficulty = random_set(seed)
    found, parameters = weigh("proportional", standard, difficulty, **options)
    if "softmax" in options:
        weights = np.exp(1.5 * difficulty / difficulty.std())
    else:
        weights = difficulty ** options.get("power", 1)
    expected = (weights * standard.statistics[..., 0]).sum(axis=1) / weights.sum(axis=1)
    np.testing.assert_allclose(found.scores(), expected, rtol=1e-9)
    kish = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    np.testing.assert_allclose(found.effective_segments(), kish)
    assert parameters["effective_segments"] == pytest.approx(dict(zip(SYSTEMS, kish, strict=True)))


@pytest.mark.parametrize(
    ("difficulty", "options", "reason"),
    [
        (-np.ones((3, 4)), {}, "below 0"),
        (np.full((3, 4), np.inf), {}, "infinite"),
        (np.ones((3, 4)), {"softmax": 1.0}, "the same for all"),
    ],
)
def test_weights_that_cannot_be_say_why(difficulty, options, reason):
    standard = WeightedMetric(Metric.aggregate, np.ones((3, 4, 1)))
    with pytest.raises(Missing, match=reason):
        weigh("proportional", standard, difficulty, **options)


@quick
@given(seeds, st.sampled_from(["groups", "hardest", "proportional"]))
def test_the_score_without_a_segment_is_that_of_the_others(seed, name):
    """The weights of the others stay what they are."""
    standard, difficulty = random_set(seed, "bleu")
    options = {"groups": {"threshold": 0.5, "easy_weight": 0.3}, "hardest": {"share": 0.5}}
    found, _ = weigh(name, standard, difficulty, **options.get(name, {}))
    without = found.quality_without_each_segment()
    for segment in range(difficulty.shape[1]):
        rest = found.select(segments=np.arange(difficulty.shape[1]) != segment)
        np.testing.assert_allclose(without[:, segment], rest.observed_quality(), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("groups", {"threshold": "mean"}),
        ("groups", {"easy_weight": "eq11"}),
        ("groups", {"easy_weight": 1.5}),
        ("groups", {"zero_segments": "maybe"}),
        ("hardest", {"share": 0}),
        ("hardest", {"share": 1.1}),
        ("proportional", {"power": 1, "softmax": 1}),
        ("tokens", {"unseen": "two"}),
    ],
)
def test_unknown_settings_are_errors(name, options):
    with pytest.raises(ValueError, match="expected"):
        WEIGHTINGS[name](**options)
