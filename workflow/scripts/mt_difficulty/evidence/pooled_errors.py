"""Standard errors of weighted means of effects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def hartung_knapp(effects: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Standard error and degrees of freedom by Hartung & Knapp (2001), with a scale of at least 1
    (Knapp & Hartung 2003).

    Parameters
    ----------
    effects, weights : ndarray, (studies,)
        Weights are inverse variances.
    """
    total, df = weights.sum(), len(effects) - 1
    residuals = effects - weights @ effects / total
    scale = weights @ residuals**2 / df
    return float(np.sqrt(max(1.0, scale) / total)), float(df)


def joint_noise(errors: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Errors of sets as they occur together, (sets, resamples), from effects on resamples.

    Parameters
    ----------
    errors : ndarray, (sets,)
        Standard errors, which the rows are scaled to.
    draws : ndarray, (sets, resamples)
        Effects; the same resample of sets that share segments draws these alike. NaN where one is
        undefined: its error is 0.
    """
    noise = np.nan_to_num(draws - np.nanmean(draws, axis=1, keepdims=True))
    spread = noise.std(axis=1)
    return noise * np.divide(errors, spread, out=np.zeros(len(errors)), where=spread > 0)[:, None]


def cluster_robust(
    effects: np.ndarray, weights: np.ndarray, clusters: Sequence[np.ndarray]
) -> tuple[float, float] | None:
    """Standard error and degrees of freedom of a weighted mean by CR2 over one or two ways of
    clusters; None where no way has two clusters.

    With two ways the variance is the sum of both less that of their intersections, and at least
    the larger of both.

    Parameters
    ----------
    effects, weights : ndarray, (studies,)
    clusters : sequence of ndarray, (studies,)
    """
    codes = [np.unique(labels, return_inverse=True)[1] for labels in clusters]
    codes = [each for each in codes if each.max() > 0]
    if not codes:
        return None
    ways = [_one_way(effects, weights, each) for each in codes]
    variance = max(way[0] for way in ways)
    if len(codes) == 2:
        both = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()
        shared = _one_way(effects, weights, both)[0]
        variance = max(variance, ways[0][0] + ways[1][0] - shared)
    return float(np.sqrt(variance)), min(way[1] for way in ways)


def _one_way(effects: np.ndarray, weights: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 variance of a weighted mean and its Satterthwaite degrees of freedom (Bell & McCaffrey
    2002), for independent effects of variance 1/weight as the working model."""
    total = weights.sum()
    sums = np.bincount(codes, weights * (effects - weights @ effects / total))
    shares = np.bincount(codes, weights) / total
    variance = (sums**2 / (1 - shares)).sum() / total**2
    cross = np.outer(shares, shares) / np.sqrt(np.outer(1 - shares, 1 - shares))
    np.fill_diagonal(cross, shares)
    return float(variance), float(1 / (cross**2).sum())
