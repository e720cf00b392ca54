"""Ablations of the EE weighting (Liu et al. 2022, Table 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..weighting.base import WeightedMetric
from .nulls import shuffled_quality
from .subsets import correlate

if TYPE_CHECKING:
    from ..metrics.base import Metric

COLUMNS = ["metric", "variant", "h", "w", "pearson", "kendall", "spearman"]


def ablate(
    metrics: dict[str, type[Metric]],
    statistics: dict[str, np.ndarray],
    entropy: np.ndarray,
    gold: np.ndarray,
    h: float,
    w: float,
    thresholds: dict[str, float],
    splits: int,
    weighting: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Correlations of every metric under variants of EE.

    Parameters
    ----------
    metrics : dict of str to Metric class
    statistics : dict of str to ndarray, (systems, segments, k)
    entropy : ndarray, (systems, segments)
    gold : ndarray, (systems,)
    h, w : float
    thresholds : dict of str to float
        Further thresholds by their label.
    splits : int
        Random splits for "w/o entropy".
    weighting : str
        What the weighting itself is called.
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        COLUMNS. "w/o entropy" holds means over random splits into groups of the same sizes,
        "w/o difficulty", of no metric, the correlations of a system's mean entropy with gold.
    """
    ee = {
        name: WeightedMetric.standard(metric, statistics[name]).in_groups(entropy >= h, w)
        for name, metric in metrics.items()
    }
    rows, random = [], shuffled_quality(ee, splits, rng)
    for name, one in ee.items():
        plain = one.unweighted().observed_quality()
        rows.append([name, "standard", np.nan, np.nan, *correlate(plain, gold)])
        variants = {weighting: (h, w), **{label: (value, w) for label, value in thresholds.items()}}
        variants |= {"only easy": (h, 1.0), "only difficult": (h, 0.0)}
        for label, (threshold, easy) in variants.items():
            scores = one.in_groups(entropy >= threshold, easy).observed_quality()
            rows.append([name, label, threshold, easy, *correlate(scores, gold)])
        means = np.mean(correlate(random[name], gold), axis=1)
        rows.append([name, "w/o entropy", np.nan, np.nan, *means])
    without_difficulty = correlate(entropy.mean(axis=1), gold)
    rows.append(["", "w/o difficulty", np.nan, np.nan, *without_difficulty])
    return pd.DataFrame(rows, columns=COLUMNS)
