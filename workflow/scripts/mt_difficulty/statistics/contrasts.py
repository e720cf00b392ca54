"""Differences of scores whose errors have a known covariance."""

from __future__ import annotations

import numpy as np

# Errors below this share of the scores are rounding.
ROUNDING = 1e-12


def contrasts(scores: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences of scores, (systems,), and their standard errors from the covariance
    of the scores' errors, (systems, systems): (systems, systems) each."""
    difference = scores[:, None] - scores
    variances = np.diag(covariance)
    squared = variances[:, None] + variances - 2 * covariance
    np.fill_diagonal(squared, 0.0)
    error = np.sqrt(np.maximum(squared, 0.0))
    is_rounding = error <= ROUNDING * np.abs(scores).max()
    return difference, np.where(is_rounding, 0.0, error)


def contrast_p(
    scores: np.ndarray, covariance: np.ndarray, degrees: float | np.ndarray | None
) -> np.ndarray:
    """Test differences of scores from the covariance of their errors.

    Parameters
    ----------
    scores : ndarray
        (systems,), higher is better.
    covariance : ndarray
        (systems, systems), of their errors.
    degrees : float, ndarray or None
        Degrees of freedom of the errors, of all or (systems,); None for normal errors. Those of a
        difference are the smaller ones.

    Returns
    -------
    ndarray
        (systems, systems), as of `one_sided_p`.
    """
    difference, error = contrasts(scores, covariance)
    is_equal = (difference == 0) & (error == 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(error > 0, difference / error, np.nan)
    if isinstance(degrees, np.ndarray):
        degrees = np.minimum.outer(degrees, degrees)
    return np.where(is_equal, 0.5, tail(statistic, degrees))


def tail(statistic: np.ndarray, degrees: float | np.ndarray | None) -> np.ndarray:
    """Return the probability of a t or, without degrees of freedom, normal variable to exceed a
    statistic."""
    from scipy.special import ndtr, stdtr

    if degrees is None:
        return ndtr(-statistic)
    return stdtr(degrees, -statistic)
