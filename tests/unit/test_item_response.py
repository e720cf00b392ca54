"""The item response model: it recovers simulated parameters, and what is known without it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.difficulty.item_response import ItemResponse, fit_items
from mt_difficulty.errors import Missing

seeds = st.integers(0, 10**6)


def simulate(rng, systems=15, segments=2000, noise=0.3, missing=0.0):
    """Scores and the parameters that made them; abilities have mean 0 and deviation 1."""
    ability = rng.normal(size=systems)
    ability = (ability - ability.mean()) / ability.std()
    difficulty, discrimination = rng.normal(size=segments), rng.gamma(6, 1 / 6, size=segments)
    spread = noise * rng.gamma(20, 1 / 20, size=segments)
    scores = -difficulty + np.outer(ability, discrimination)
    scores += spread * rng.normal(size=scores.shape)
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, difficulty, discrimination, ability


def r(x, y):
    there = np.isfinite(x) & np.isfinite(y)
    return np.corrcoef(x[there], y[there])[0, 1]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_simulated_parameters_are_recovered(missing):
    """Also by their standard errors: 95 % intervals hold 90 to 98 % of the simulated values."""
    simulated = simulate(np.random.default_rng(1), noise=0.6 - missing, missing=missing)
    scores, difficulty, discrimination, ability = simulated
    found = fit_items(scores)
    assert found.ability == pytest.approx(ability, abs=0.15)
    assert np.median(found.noise) == pytest.approx(0.6 - missing, abs=0.05)
    # Not only up to a scale.
    assert np.polyfit(discrimination, found.discrimination, 1)[0] == pytest.approx(1, abs=0.15)
    for name, truth in (("difficulty", difficulty), ("discrimination", discrimination)):
        assert r(getattr(found, name), truth) > 0.9, name
        distance = np.abs(getattr(found, name) - truth) / getattr(found, f"{name}_error")
        assert 0.9 < (distance[np.isfinite(distance)] < 1.96).mean() < 0.98, name


@given(seeds)
def test_with_all_scores_difficulty_is_minus_the_mean(seed):
    scores = np.random.default_rng(seed).normal(size=(5, 30))
    np.testing.assert_allclose(fit_items(scores).difficulty, -scores.mean(axis=0), atol=1e-9)


def test_a_missing_system_does_not_make_a_segment_harder():
    """Segments of equal difficulty, half of them without the three best systems."""
    rng = np.random.default_rng(3)
    ability = np.linspace(-2, 2, 8)
    scores = ability[:, None] + 0.1 * rng.normal(size=(8, 400))
    scores[-3:, :200] = np.nan
    found = fit_items(scores)
    difference = found.difficulty[:200].mean() - found.difficulty[200:].mean()
    by_means = -np.nanmean(scores, axis=0)
    assert by_means[:200].mean() - by_means[200:].mean() > 0.5
    assert abs(difference) < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_abilities_of_rare_heavy_errors_are_no_single_systems(seed):
    """Error counts as in MQM: most hypotheses have none, few have one that weighs 25."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=13)
    rate = 0.6 * rng.gamma(1, 1, size=400) * np.exp(-0.4 * ability)[:, None]
    weights = rng.choice([1, 5, 25], p=[0.65, 0.33, 0.02], size=(*rate.shape, 20))
    counts = np.minimum(rng.poisson(rate), 20)
    scores = -np.where(np.arange(20) < counts[..., None], weights, 0).sum(axis=-1).astype(float)
    scores[:, rng.random(400) < 0.6] = 0.0
    found = fit_items(scores)
    assert r(found.ability, ability) > 0.8
    varied = found.noise > 0
    information = (found.discrimination[varied] / found.noise[varied]) ** 2
    assert information.max() < 0.1 * information.sum()


def test_too_few_scores_have_no_model():
    with pytest.raises(Missing, match="2 systems have scores, and 4 segments"):
        fit_items(np.array([[1.0, 2, 3, 4], [2.0, 3, 4, 5], [np.nan] * 4]))
    with pytest.raises(Missing, match="same score on every segment"):
        fit_items(np.tile(np.arange(4.0), (3, 1)))
    scores = np.random.default_rng(5).normal(size=(4, 6))
    scores[1:, 2] = np.nan
    found = fit_items(scores)
    assert np.isnan(found.difficulty[2])
    np.testing.assert_array_equal(np.isfinite(np.delete(found.difficulty, 2)), True)


@pytest.mark.parametrize("parameter", ["difficulty", "discrimination", "noise"])
def test_as_a_difficulty_it_is_of_the_systems_at_hand(parameter):
    scores = np.random.default_rng(6).normal(size=(6, 20))
    estimator = ItemResponse("chrF", parameter)
    systems = np.array([4, 0, 2])
    found = estimator.difficulty(estimator.estimate(None, scores), systems)
    expected = getattr(fit_items(scores[[0, 2, 4]]), parameter)
    np.testing.assert_array_equal(found, np.broadcast_to(expected, (3, 20)))


def test_a_parameter_that_the_model_lacks_is_refused():
    with pytest.raises(ValueError, match="parameter slope: expected one of difficulty"):
        ItemResponse("chrF", "slope")
