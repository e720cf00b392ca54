"""EE weighting (Liu et al. 2022): threshold h, balance w, and scores of the two groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Threshold(NamedTuple):
    """Mean μ and standard deviation σ of the mean entropies, and the threshold h."""

    mu: float
    sigma: float
    h: float


class Balance(NamedTuple):
    """Eq. 11 and what enters it; NaN where undefined."""

    difficult: int
    ratio_count: float
    ratio_entropy: float
    w: float


def mean_entropy(entropy: np.ndarray) -> np.ndarray:
    """Eq. 8: mean over systems, (systems, segments) to (segments,)."""
    return entropy.mean(axis=0)


def usable(means: np.ndarray, zero_segments: str) -> np.ndarray:
    """The mean entropies that estimate a threshold, (segments,) to (m,).

    Infinite ones never count; those equal to zero only for `zero_segments="keep"`. The
    authors' program drops them.
    """
    finite = means[np.isfinite(means)]
    return finite[finite != 0] if zero_segments == "drop" else finite


def threshold_by_deviation(means: np.ndarray, deviations: float = 2.0) -> Threshold:
    """Eq. 9: h = μ + 2σ of the mean entropies, (m,); σ is the population's. NaN if m = 0."""
    if means.size == 0:
        return Threshold(np.nan, np.nan, np.nan)
    mu, sigma = means.mean(), means.std()
    return Threshold(mu, sigma, mu + deviations * sigma)


def threshold_by_rank(means: np.ndarray, alpha: float = 0.05) -> float:
    """Eq. 5: the least mean entropy which a share below alpha of the others, (m,), exceeds.

    NaN if no segment qualifies (fewer than two segments).
    """
    if means.size < 2:
        return np.nan
    ordered = np.sort(means)
    exceeding = ordered.size - np.searchsorted(ordered, ordered, side="right")
    return ordered[exceeding / (ordered.size - 1) < alpha][0]


def balance(means: np.ndarray, h: float) -> Balance:
    """Eq. 11: w = R_N / (9.62 R_H + R_N − 22.23) for a threshold h.

    Parameters
    ----------
    means : ndarray, (segments,)
        Usable mean entropies; those of at least h are the difficult segments D_s.

    Returns
    -------
    Balance
        All NaN if a group is empty. w is an estimate by a line through five sets: it can leave
        [0, 1], and is infinite where the denominator is 0.
    """
    hard = means >= h
    difficult = int(hard.sum())
    if difficult in (0, means.size):
        return Balance(difficult, np.nan, np.nan, np.nan)
    ratio_count = (means.size - difficult) / difficult
    ratio_entropy = means[~hard].sum() / means[hard].sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        w = np.float64(ratio_count) / (9.62 * ratio_entropy + ratio_count - 22.23)
    return Balance(difficult, ratio_count, ratio_entropy, float(w))


def ee_signature(h: float, w: float, entropy_signature: str) -> str:
    """What EE adds to a metric's signature."""
    return f"|EE|h:{h:.4g}|w:{w:.4g}|{entropy_signature}"
