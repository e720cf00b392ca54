"""Nulls: what they keep, the search that is repeated, and their size where the truth is known."""

import numpy as np
import pytest
from scipy import stats

from mt_difficulty.evidence import nulls, parameters
from mt_difficulty.evidence.nulls import quantile
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric


def plain_metric(rng, name="chrf", shape=(6, 80)):
    if name == "bleu":
        values = np.sort(rng.integers(1, 30, (*shape, 10)), axis=2)[..., ::-1].astype(float)
    else:
        values = rng.random((*shape, {"chrf": 1, "ter": 2}[name]))
    return WeightedMetric.standard(METRICS[name], values)


def test_permutations_stay_within_groups():
    groups = np.array([2, 0, 2, 1, 0, 2, 1, 0])
    places = nulls.permutations(8, 500, np.random.default_rng(0), groups)
    assert (np.sort(places, axis=1) == np.arange(8)).all()
    assert (groups[places] == groups).all()
    assert len({*places[:, 0]}) == 3  # every place of the group
    # Without groups every place is about as frequent everywhere.
    free = nulls.permutations(8, 4000, np.random.default_rng(0))
    counts = [np.bincount(column, minlength=8) for column in free.T]
    assert stats.chisquare(np.ravel(counts)).pvalue > 0.001


def test_deciles_of_length_are_of_equal_size_and_in_order():
    lengths = np.random.default_rng(1).integers(1, 6, 25)
    found = nulls.length_deciles(lengths)
    assert sorted(np.bincount(found)) == [2] * 5 + [3] * 5
    order = np.argsort(lengths, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_a_random_subset_is_the_plain_metric_on_its_segments():
    rng = np.random.default_rng(2)
    plains = {name: plain_metric(rng, name) for name in ("chrf", "bleu", "ter")}
    found = nulls.subset_quality(plains, 7, 5, np.random.default_rng(4))
    orders = nulls.permutations(80, 5, np.random.default_rng(4))
    for draw, order in enumerate(orders):
        chosen = np.flatnonzero(order < 7)
        assert len(chosen) == 7
        for name, one in plains.items():
            expected = one.select(segments=chosen).observed_quality()
            np.testing.assert_allclose(found[name][draw], expected, rtol=1e-9)


def test_the_effective_size_is_kishs():
    plain = plain_metric(np.random.default_rng(3), shape=(2, 10))
    difficult = np.zeros((2, 10), bool)
    difficult[:, :2] = True
    # Weights 0.5/8 and 0.5/2: 1 / (8 · 0.0625² + 2 · 0.25²) = 6.4.
    assert nulls.effective_size(plain.in_groups(difficult, 0.5)) == 6
    assert nulls.effective_size(plain) == 10
    assert nulls.effective_size(plain.in_groups(np.zeros((2, 10), bool), 0.5)) == 0


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
@pytest.mark.parametrize("of_segments", [False, True])
def test_retuned_is_the_best_point_of_the_surface_of_permuted_difficulties(name, of_segments):
    rng = np.random.default_rng(5)
    plain, gold = plain_metric(rng, name), rng.random(6)
    difficulty = rng.choice([0, 0.1, 0.4, 0.9, np.inf], (6, 80))
    if of_segments:
        difficulty[:] = difficulty[0]
    places = nulls.permutations(80, parameters.BLOCK + 2, rng)
    found = parameters.retuned(plain, difficulty, gold, places)
    for draw, order in enumerate(places):
        grid = parameters.surface(plain, difficulty[:, order], gold)
        point = parameters.best_point(grid[:1])
        np.testing.assert_allclose(found[draw], grid[(slice(None), *point)], atol=1e-9)


def test_where_no_point_is_defined_nothing_is_tuned():
    rng = np.random.default_rng(6)
    plain = plain_metric(rng, shape=(4, 20))
    alike = plain._replace(statistics=np.ones((4, 20, 1)))
    places = nulls.permutations(20, 3, rng)
    found = parameters.retuned(alike, rng.random((4, 20)), np.arange(4.0), places)
    assert np.isnan(found).all()


def simulated(rng, systems=10, segments=60):
    """A mean metric whose quality is human quality and noise, and a difficulty that knows nothing:
    unweighted metric, difficulty, gold."""
    gold = rng.standard_normal(systems)
    scores = gold[:, None] + 4 * rng.standard_normal((systems, segments))
    scores += rng.standard_normal(segments)  # easy and hard segments
    difficulty = np.broadcast_to(rng.random(segments), (systems, segments))
    return WeightedMetric.standard(METRICS["chrf"], scores[..., None]), difficulty, gold


def test_without_an_effect_the_value_stands_anywhere_and_only_retuned_keeps_its_size():
    """200 simulated sets without an effect, 59 draws each. At given parameters quantiles among
    `permuted` are uniform: a one-sided 5 % test rejects in 5 % (within 4 standard errors, 6.2
    points). Of tuned parameters `permuted` rejects far more often, and `retuned` in 5 %."""
    rng, fixed, tuned, tuned_alike = np.random.default_rng(7), [], [], []
    for _ in range(200):
        plain, difficulty, gold = simulated(rng)
        places = nulls.permutations(difficulty.shape[1], 59, rng)
        given = plain.in_groups(difficulty >= np.quantile(difficulty, 0.8), 0.35)
        permuted = nulls.permuted_quality({"": given}, places)[""]
        value = correlate(given.observed_quality(), gold).pearson
        fixed.append(quantile(value, correlate(permuted, gold).pearson))
        grid = parameters.surface(plain, difficulty, gold)
        point = parameters.best_point(grid[:1])
        h, w = parameters.thresholds(difficulty)[point[0]], parameters.W[point[1]]
        best = plain.in_groups(difficulty >= h, w)
        value, permuted = grid[0][point], nulls.permuted_quality({"": best}, places)[""]
        tuned.append(quantile(value, correlate(permuted, gold).pearson))
        retuned = parameters.retuned(plain, difficulty, gold, places)[:, 0]
        tuned_alike.append(quantile(value, retuned))
    assert stats.kstest(fixed, "uniform").pvalue > 0.001
    sizes = [np.mean(np.array(found) > 0.95) for found in (fixed, tuned, tuned_alike)]
    assert sizes[0] == pytest.approx(0.05, abs=0.062)
    assert sizes[1] > 0.2
    assert sizes[2] == pytest.approx(0.05, abs=0.062)


def test_an_effect_that_is_there_stands_above_both_nulls():
    """On hard segments the metric agrees with people, on easy ones it is noise."""
    rng = np.random.default_rng(8)
    gold = rng.standard_normal(12)
    difficulty = np.broadcast_to(rng.random(200), (12, 200))
    hard = difficulty > 0.8
    scores = np.where(hard, gold[:, None], 0) + 2 * rng.standard_normal((12, 200))
    plain = WeightedMetric.standard(METRICS["chrf"], scores[..., None])
    places = nulls.permutations(200, 200, rng)
    one = plain.in_groups(hard, 0.1)
    value = correlate(one.observed_quality(), gold).pearson
    permuted = correlate(nulls.permuted_quality({"": one}, places)[""], gold).pearson
    retuned = parameters.retuned(plain, difficulty, gold, places)[:, 0]
    best = np.nanmax(parameters.surface(plain, difficulty, gold)[0])
    assert quantile(value, permuted) > 0.95
    assert quantile(best, retuned) > 0.95
