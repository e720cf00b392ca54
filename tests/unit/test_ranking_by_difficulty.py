"""Human rankings by difficulty against loops, and where the truth is known."""

import numpy as np
import pytest
from scipy import stats

from mt_difficulty.evidence import controls
from mt_difficulty.evidence.nulls import permutations


def plain_r(people, inside):
    """r of mean human scores inside and outside."""
    own, rest = np.nanmean(people[:, inside], axis=1), np.nanmean(people[:, ~inside], axis=1)
    return stats.pearsonr(own, rest)[0]


def make(seed, systems=6, segments=45):
    rng = np.random.default_rng(seed)
    people = rng.standard_normal((systems, segments)) + rng.standard_normal((systems, 1))
    people[rng.random(people.shape) < 0.2] = np.nan
    people[:, 7] = np.nan  # nobody rated it
    return rng.random((systems, segments)), people


def test_it_is_r_between_means_on_the_hardest_tenth_and_on_the_rest():
    difficulty, people = make(1)
    found = controls.rank_by_difficulty(difficulty, people, 20, np.random.default_rng(2))
    rated = np.arange(45) != 7
    difficulty, people = difficulty[:, rated], people[:, rated]
    inside = np.isin(np.arange(44), np.argsort(-difficulty.mean(axis=0))[:4])
    assert (found.segments, found.hardest) == (44, 4)
    assert found.r == pytest.approx(plain_r(people, inside))
    orders = permutations(44, 20, np.random.default_rng(2))
    assert found.random == pytest.approx([plain_r(people, order < 4) for order in orders])


def test_within_segments_both_are_differences_to_the_segments_mean():
    difficulty, people = make(3)
    difficulty[0, 0] = np.inf
    count, r = controls.within_segments(difficulty, people)
    x, y = [], []
    for d, p in zip(difficulty.T, people.T, strict=True):
        there = np.isfinite(d) & np.isfinite(p)
        x += list(d[there] - d[there].mean()) if there.any() else []
        y += list(p[there] - p[there].mean()) if there.any() else []
    assert count == len(x)
    assert r == pytest.approx(stats.pearsonr(x, y)[0])


def test_a_difficulty_of_segments_says_nothing_within_them():
    difficulty, people = make(4)
    difficulty[:] = difficulty[0]
    found = controls.rank_by_difficulty(difficulty, people, 20, np.random.default_rng(0))
    assert np.isnan(found.within_r)
    row = dict(zip(controls.RANKING_COLUMNS, found.row("length"), strict=True))
    assert row["reason"] == controls.ALIKE
    assert row["random_low"] < row["random_mean"] < row["random_high"]


def test_segments_on_which_people_rank_the_other_way_are_found():
    rng = np.random.default_rng(5)
    quality = np.linspace(-1, 1, 8)[:, None]
    difficulty = np.broadcast_to(rng.random(300), (8, 300))
    sign = np.where(difficulty > np.quantile(difficulty, 0.9), -1, 1)
    people = sign * quality + 0.3 * rng.standard_normal((8, 300))
    found = controls.rank_by_difficulty(difficulty, people, 500, rng)
    row = dict(zip(controls.RANKING_COLUMNS, found.row("x"), strict=True))
    assert row["r"] < -0.9
    assert row["random_quantile"] == 0
    assert row["random_low"] > 0.9
