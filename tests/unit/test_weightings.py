"""Weightings and what a weighted metric gives, against loops from the definitions and from Eq. 4 to
11 of Liu et al."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.settings import WeightingSettings
from mt_difficulty.weighting import EE as group_weighting
from mt_difficulty.weighting import WEIGHTINGS, make_weighting
from mt_difficulty.weighting.base import Resamples, WeightedMetric, notices
from mt_difficulty.weighting.EE import EE

SYSTEMS = ["ash", "elm", "oak"]
seeds = st.integers(0, 10**6)


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


def test_all_systems_are_selected_without_a_copy():
    standard, _ = random_set(1)
    assert np.shares_memory(standard.select(np.arange(3)).statistics, standard.statistics)
    for places in ([0, 2], [2, 1, 0], [0, 1], [False, True, True]):
        found = standard.select(np.array(places)).statistics
        expected = standard.statistics[np.array(places)]
        np.testing.assert_array_equal(found, expected, err_msg=str(places))


@given(seeds, st.sampled_from(["chrf", "bleu", "ter"]), st.floats(0.05, 0.95))
def test_groups_are_ee(seed, kind, w):
    standard, difficulty = random_set(seed, kind)
    h = float(np.median(difficulty))
    found, _ = weigh("EE", standard, difficulty, threshold=h, easy_weight=w)
    expected = naive.ee_scores(METRICS[kind], standard.statistics, difficulty, h, w)
    np.testing.assert_allclose(found.scores(), expected, rtol=1e-9)


@given(seeds)
def test_groups_that_weigh_their_shares_are_the_plain_mean(seed):
    standard, difficulty = random_set(seed)
    difficulty[:] = difficulty[0]  # of segments
    options = {"threshold": float(np.median(difficulty)), "easy_weight": "share"}
    found, parameters = weigh("EE", standard, difficulty, **options)
    np.testing.assert_allclose(found.scores(), standard.scores(), rtol=1e-9)
    assert parameters["w_from"] == "share"
    assert "are the unweighted ones" in "\n".join(parameters["notices"])
    difficulty[0] = difficulty[0] + 1  # now of hypotheses
    _, parameters = weigh("EE", standard, difficulty, **options)
    assert "are the unweighted ones" not in "\n".join(parameters["notices"])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean_plus_2sd", lambda d: d.mean() + 2 * d.std()),
        ("mean_plus_0.5sd", lambda d: d.mean() + 0.5 * d.std()),
        ("quantile_0.9", lambda d: np.quantile(d, 0.9)),
    ],
)
def test_thresholds_follow_their_rules(rule, expected):
    standard, difficulty = random_set(5)
    _, parameters = weigh("EE", standard, difficulty, threshold=rule, easy_weight=0.5)
    assert parameters["h"] == pytest.approx(expected(difficulty.mean(axis=0)))


@given(seeds, st.sampled_from(["chrf", "bleu"]), st.floats(0.01, 1))
def test_hardest_is_the_score_of_the_hardest_share(seed, kind, share):
    standard, difficulty = random_set(seed, kind)
    difficulty = difficulty.round(1)  # with ties
    found, parameters = weigh("hardest", standard, difficulty, share=share)
    count = max(1, int(np.ceil(round(share * difficulty.shape[1], 9))))
    sizes = list(parameters["effective_segments"].values())
    expected, expected_sizes = [], []
    for system, rows in enumerate(standard.statistics):
        weights = naive.among_hardest(difficulty[system], count)
        expected.append(METRICS[kind].aggregate(weights @ rows, np.array(count)))
        expected_sizes.append(count**2 / np.square(weights).sum())
    assert found.scores() == pytest.approx(np.array(expected))
    assert sizes == pytest.approx(expected_sizes)
    np.testing.assert_allclose(found.effective_segments(), sizes)


def test_a_share_of_whole_hypotheses_is_not_rounded_up():
    """7 % of 100 are 7, although 0.07 · 100 is 7.000000000000001."""
    scores = np.arange(100.0)[None]
    standard = WeightedMetric.standard(Metric, scores[..., None])
    found = make_weighting(WeightingSettings("hardest", {"share": 0.07})).apply(
        standard, scores, {}
    )
    assert found.scores() == pytest.approx([np.mean([93, 94, 95, 96, 97, 98, 99])])


def test_the_order_of_lines_does_not_decide_which_are_hardest():
    """Among equally difficult ones, in scores, in resamples, and where weights are inverted."""
    rng = np.random.default_rng(3)
    difficulty, scores = rng.integers(3, size=(2, 40)).astype(float), rng.random((2, 40, 1))
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=5)
    order = rng.permutation(40)
    hardest, results = make_weighting(WeightingSettings("hardest", {"share": 0.3})), []
    for places in (np.arange(40), order):
        metric = WeightedMetric.standard(Metric, scores[:, places])
        weighted = hardest.apply(metric, difficulty[:, places], {})
        inverted = weighted.inverted(difficulty[:, places])
        terms, drawn = weighted.terms, counts[:, places]
        totals = np.einsum("rs,isk->rik", drawn, terms)
        resamples = Resamples(difficulty[:, places], terms, drawn, totals, ["a", "b"])
        sums, _ = hardest.resampled_sums(resamples)
        results.append([weighted.scores(), inverted.scores(), sums])
    names = ("scores", "inverted", "resamples")
    for name, first, second in zip(names, *results, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-12, err_msg=name)


def test_a_group_of_up_to_ten_hypotheses_is_noticed():
    """Systems have 10, 11 and 0 difficult hypotheses of 400; none has few effective segments."""
    difficult = np.arange(400) < np.array([[10], [11], [0]])
    plain = WeightedMetric.standard(Metric, np.ones((3, 400, 1)))
    (found,) = notices("EE", plain.in_groups(difficult, 0.9), SYSTEMS)
    assert "a group of 1 to 10 hypotheses" in found
    assert found.endswith("by chance: ash 10.")


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


@given(seeds, st.sampled_from(["EE", "proportional"]))
def test_the_score_without_a_segment_is_that_of_the_others(seed, name):
    """The weights of the others stay what they are."""
    standard, difficulty = random_set(seed, "bleu")
    options = {"threshold": 0.5, "easy_weight": 0.3} if name == "EE" else {}
    found, _ = weigh(name, standard, difficulty, **options)
    without = found.quality_without_each_segment()
    for segment in range(difficulty.shape[1]):
        rest = found.select(segments=np.arange(difficulty.shape[1]) != segment)
        quality, case = rest.observed_quality(), f"without segment {segment}"
        np.testing.assert_allclose(without[:, segment], quality, rtol=1e-9, err_msg=case)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("EE", {"threshold": "mean"}),
        ("EE", {"easy_weight": "eq11"}),
        ("EE", {"easy_weight": 1.5}),
        ("EE", {"zero_segments": "maybe"}),
        ("hardest", {"share": 0}),
        ("hardest", {"share": 1.1}),
        ("proportional", {"power": 1, "softmax": 1}),
        ("DA", {"unseen": "two"}),
    ],
)
def test_unknown_settings_are_errors(name, options):
    with pytest.raises(ValueError, match="expected"):
        WEIGHTINGS[name](**options)


values = st.floats(0, 1, width=32)


@given(arrays(float, st.integers(2, 40), elements=values), st.sampled_from([0.02, 0.05, 0.3]))
def test_eq_5_is_the_least_entropy_that_few_exceed(means, alpha):
    few = [value for i, value in enumerate(means) if (value < np.delete(means, i)).mean() < alpha]
    assert group_weighting.threshold(means, f"rank_{alpha}", means[None]) == min(few)


def test_eq_11_by_hand():
    # Three easy segments of total entropy 6, one difficult of 2: R_N = 3, R_H = 3.
    found = group_weighting.balance(np.array([3.0, 2.0, 1.0, 2.0]), h=3.0)
    assert found["difficult"] == 1
    assert found["ratio_count"] == 3.0
    assert found["ratio_entropy"] == pytest.approx(5 / 3)
    assert found["w"] == pytest.approx(3 / (9.62 * 5 / 3 + 3 - 22.23))


def test_eq_11_at_its_pole_is_outside_0_1_not_an_error():
    # R_N = 1 and R_H = (22.23 - 1) / 9.62 make the denominator 0 to rounding.
    found = group_weighting.balance(np.array([(22.23 - 1) / 9.62, 1.0]), h=1.5)
    assert found["ratio_count"] == 1.0
    assert not 0 <= found["w"] <= 1


TWO = ["a", "b"]


def spread(hard):
    """40 segments of entropy 0.1 to 0.2, of which `hard` have 0.9 in both systems."""
    entropy = np.tile(np.linspace(0.1, 0.2, 40), (2, 1))
    entropy[:, :hard] = 0.9
    return entropy


def test_estimates_with_and_without_zero_segments():
    entropy = spread(2)
    entropy[:, -10:] = 0
    means = entropy.mean(axis=0)
    for zeros, counted in (("drop", means[means > 0]), ("keep", means)):
        found = EE(zero_segments=zeros).fit(entropy, TWO)
        estimate = found["estimate"]
        h = counted.mean() + 2 * counted.std()
        assert found["h"] == estimate["h"] == pytest.approx(h), zeros
        assert estimate["ratio_count"] == (len(counted) - 2) / 2, zeros
        assert found["difficult_hypotheses"] == {"a": 2, "b": 2}, zeros


def test_a_balance_outside_0_1_is_reported_and_undefined():
    # R_N = 2, R_H of about 0.33: the denominator is negative.
    entropy = np.tile([0.1, 0.1, 0.9], (2, 1))
    found = EE(0.5).fit(entropy, TWO)
    assert np.isnan(found["w"])
    assert found["notices"][0].startswith("Eq. 11 gives w = -")


@pytest.mark.parametrize(("h", "which"), [(2.0, "difficult"), (0.0, "easy")])
def test_an_empty_group_is_reported(h, which):
    found = EE(h).fit(spread(2), TWO)
    assert found["notices"][0] == f"no segment is {which} at h = {h:.3f}: Eq. 11 is undefined."
    assert found["notices"][1] == f"no {which} hypothesis at h = {h:.3f}: a, b; no score."
    assert np.isnan(found["w"])


@pytest.mark.parametrize("entropy", [np.zeros((2, 3)), np.full((2, 3), np.inf)])
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_an_undefined_threshold_is_reported_alone(entropy):
    found = EE().fit(entropy, TWO)
    assert np.isnan(found["h"])
    assert found["notices"][-1].startswith("h is undefined: too few segments")
