"""Permutation tests of a weighting against the standard one: what they exchange, p, and the
smallest difference that they find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..weighting.base import WeightedMetric, combine
from . import resampling
from .counted import PLAIN, baseline

Key = tuple[str, str]
Sides = tuple[np.ndarray, np.ndarray]
# Two-sided tests count a difference as large as the observed one up to rounding.
TOLERANCE = 1e-12
# Level of the tests, two-sided, and the normal quantile of the power at which differences are
# called detectable: 80 %.
LEVEL = 0.05
POWER_80 = 0.8416212335729143


class Exchanged(NamedTuple):
    """Scores of weightings and of their standard after exchanges, (resamples, systems) each.

    Attributes
    ----------
    halves : dict of (metric, weighting) to two ndarrays
        Each side re-scored on its half of the hypotheses.
    contributions : dict of (metric, weighting) to two ndarrays
        Contributions of segments exchanged; of metrics that are means alone.
    """

    halves: dict[Key, Sides]
    contributions: dict[Key, Sides]


def exchange(
    weighteds: Mapping[Key, WeightedMetric], resamples: int, rng: np.random.Generator
) -> Exchanged:
    """PERM-BOTH (Deutsch et al. 2021): a random half of the hypotheses changes sides between a
    weighting and its standard.

    `halves`: a side's score is the mean of what its own weighting gives for one half of a system's
    hypotheses and the other's gives for the other half, by their numbers. Each half is scored and
    its weights are normalised on its own; scores are standardised by mean and deviation of the
    metric's own segment scores. For means over segments with equal weights this is the published
    test; for EE it is not.

    `contributions`: the published test of the matrix of `contribution` against that of segment
    scores, each standardised by its own mean and deviation.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems and segments.
    """
    contributed = {
        key: contribution(one)
        for key, one in weighteds.items()
        if key[1] not in PLAIN and is_mean(one)
    }
    metrics = [*weighteds.values(), *contributed.values()]
    first, second, share = resampling.random_halves(metrics, resamples, rng)
    scaled = []
    for one, *both in zip(metrics, first, second, strict=True):
        mean, deviation = one.segment_scale
        scaled.append([(half - mean) / deviation for half in both])
    halves = dict(zip(weighteds, scaled, strict=False))
    of_contributions = dict(zip(contributed, scaled[len(weighteds) :], strict=True))

    def sides(own: list[np.ndarray], other: list[np.ndarray]) -> Sides:
        return (
            (1 - share) * own[1] + share * other[0],
            (1 - share) * other[1] + share * own[0],
        )

    pairs = {key: baseline(key[0], weighteds) for key in weighteds if key[1] not in PLAIN}
    pairs = {key: standard for key, standard in pairs.items() if standard in weighteds}
    return Exchanged(
        {key: sides(halves[key], halves[standard]) for key, standard in pairs.items()},
        {
            key: sides(of_contributions[key], halves[standard])
            for key, standard in pairs.items()
            if key in of_contributions
        },
    )


def is_mean(one: WeightedMetric) -> bool:
    """Whether a score is a weighted mean of one statistic, and every system has one."""
    return (
        one.statistics.shape[2] == 1  # only means have one statistic
        and bool(np.isfinite(one.effective_segments()).all())
    )


def contribution(one: WeightedMetric) -> WeightedMetric:
    """What every segment adds to a weighted mean, as a metric under the standard weighting.

    n · Σ_g share_g · weight_ig / Σ_i weight_ig · score_i, of which the mean over the n segments is
    the score.
    """
    weights = np.ones((*one.statistics.shape[:2], 1)) if one.weights is None else one.weights
    segments = weights.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = combine(weights / weights.sum(axis=1, keepdims=True), one.shares)
    return one.unweighted()._replace(statistics=segments * share[..., None] * one.statistics)


def permutation_p(difference: np.ndarray, permuted: np.ndarray) -> np.ndarray:
    """Two-sided p with +1: how often the permutations that are defined reach |difference|.

    Parameters
    ----------
    difference : ndarray, (statistics,)
    permuted : ndarray, (resamples, statistics)
        NaN where a permutation leaves a score undefined.

    Returns
    -------
    ndarray, (statistics,)
        NaN where the difference is, or fewer than DEFINED of the permutations are defined.
    """
    defined = np.isfinite(permuted).sum(axis=0)
    reached = np.abs(permuted) >= np.abs(difference) - TOLERANCE  # false for NaN
    p = (1 + reached.sum(axis=0)) / (1 + defined)
    enough = defined >= resampling.DEFINED * len(permuted)
    return np.where(enough & ~np.isnan(difference), p, np.nan)


def detectable(permuted: np.ndarray, resampled: np.ndarray) -> np.ndarray:
    """The smallest |difference| that a permutation test finds with 80 % power at 5 %, two-sided.

    c + z₀.₈ · s: c is the 95 % quantile of the |permuted differences|, beyond which the test
    rejects, and s the standard deviation of the difference on resampled segments. The normal
    distribution is assumed for the latter, and the other tail neglected.

    Parameters
    ----------
    permuted, resampled : ndarray, (resamples, statistics)

    Returns
    -------
    ndarray, (statistics,)
        On the scale of the difference, 0 or more; NaN where more than 5 % of either are undefined.
    """
    kept = [values[np.isfinite(values).all(axis=1)] for values in (permuted, resampled)]
    if any(
        len(rows) < resampling.DEFINED * len(values)
        for rows, values in zip(kept, (permuted, resampled), strict=True)
    ):
        return np.full(permuted.shape[1], np.nan)
    critical = np.quantile(np.abs(kept[0]), 1 - LEVEL, axis=0, method="higher")
    return critical + POWER_80 * kept[1].std(axis=0, ddof=1)
