"""Ablations of the EE weighting (Liu et al. 2022, Table 4)."""

import numpy as np
import pandas as pd

from . import weighting
from .correlation import correlate

COLUMNS = ["metric", "variant", "h", "w", "pearson", "kendall", "spearman"]


def ablate(metrics, statistics, entropy, gold, h, w, thresholds, splits, rng):
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
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        COLUMNS. "w/o entropy" holds means over random splits into groups of the same sizes,
        "w/o difficulty", of no metric, the correlations of a system's mean entropy with gold.
    """
    unweighted = random_split_correlations(metrics, statistics, entropy >= h, gold, w, splits, rng)
    rows = []
    for name, metric in metrics.items():
        sign = 1 if metric.higher_is_better else -1
        plain = sign * weighting.standard_scores(metric, statistics[name])
        rows.append([name, "standard", np.nan, np.nan, *correlate(plain, gold)])
        variants = {"EE": (h, w), **{label: (value, w) for label, value in thresholds.items()}}
        variants |= {"only easy": (h, 1.0), "only difficult": (h, 0.0)}
        for label, (threshold, easy) in variants.items():
            scores = sign * weighting.ee_scores(metric, statistics[name], entropy, threshold, easy)
            rows.append([name, label, threshold, easy, *correlate(scores, gold)])
        rows.append([name, "w/o entropy", np.nan, np.nan, *unweighted[name]])
    without_difficulty = correlate(entropy.mean(axis=1), gold)
    rows.append(["", "w/o difficulty", np.nan, np.nan, *without_difficulty])
    return pd.DataFrame(rows, columns=COLUMNS)


def random_split_correlations(metrics, statistics, difficult, gold, w, splits, rng):
    """Mean correlations when each system's groups are drawn at random, sizes kept.

    Parameters
    ----------
    difficult : ndarray of bool, (systems, segments)
        Only its row sums are used.

    Returns
    -------
    dict of str to ndarray, (3,)
        Pearson, Kendall, Spearman by metric.
    """
    counts = difficult.sum(axis=1)
    totals = {name: values.sum(axis=1) for name, values in statistics.items()}
    scores = {name: [] for name in metrics}
    for _ in range(splits):
        chosen = _random_rows(difficult.shape[1], counts, rng)
        for name, metric in metrics.items():
            hard = np.stack(
                [
                    values[rows].sum(axis=0)
                    for values, rows in zip(statistics[name], chosen, strict=True)
                ]
            )
            sums = np.stack([totals[name] - hard, hard])
            sizes = np.stack([difficult.shape[1] - counts, counts])
            scores[name].append(weighting.balanced(metric.aggregate(sums, sizes), w))
    return {
        name: np.mean(
            correlate(np.array(scores[name]) * (1 if metric.higher_is_better else -1), gold),
            axis=1,
        )
        for name, metric in metrics.items()
    }


def _random_rows(segments, counts, rng):
    """For each system, `counts` segments drawn without replacement."""
    return [rng.choice(segments, count, replace=False, shuffle=False) for count in counts]
