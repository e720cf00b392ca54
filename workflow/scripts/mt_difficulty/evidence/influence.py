"""How far each segment moves a ranking: scores, ranks and correlations without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..statistics.correlation import Correlations, correlate
from ..weighting import group_weighting

if TYPE_CHECKING:
    from ..metrics.base import Metric
    from ..weighting.token_weighting import Settings


class Influence(NamedTuple):
    """What changes when a segment is left out, for every segment.

    `ranks` (systems,) on all segments, 1 is the best; `changes` (systems, segments) is positive
    where a system falls; `correlations` has arrays of (segments,), what is added to each
    correlation with gold. NaN where a score is.
    """

    ranks: np.ndarray
    changes: np.ndarray
    correlations: Correlations


def scores_without(
    metric: type[Metric] | Metric | Settings,
    statistics: np.ndarray,
    difficult: np.ndarray | None = None,
    w: float = 1.0,
) -> np.ndarray:
    """System scores on all segments but one.

    Statistics are sums over segments, so that a segment's own need only be taken away, for a mean
    and for corpus BLEU alike. The threshold h and the balance w stay what they are.

    Parameters
    ----------
    metric : Metric, its class, or token_weighting.Settings
        Its `aggregate` makes scores of sums.
    statistics : ndarray, (systems, segments, k)
    difficult : ndarray of bool, (systems, segments), optional
        For EE scores (Eq. 7): the hypotheses of the difficult group.
    w : float
        Weight of the easy group.

    Returns
    -------
    ndarray, (systems, segments)
        The scale of the metric; NaN where a group of the system has no other segment.
    """
    if difficult is None:
        sums = statistics.sum(axis=1, keepdims=True) - statistics
        return metric.aggregate(sums, np.full(sums.shape[:2], statistics.shape[1] - 1))
    sums, segments = group_weighting.group_sums(statistics, difficult)
    groups = np.stack([~difficult, difficult])
    sums = sums[:, :, None] - groups[..., None] * statistics
    return group_weighting.balanced(metric.aggregate(sums, segments[..., None] - groups), w)


def influence(scores: np.ndarray, without: np.ndarray, gold: np.ndarray) -> Influence:
    """What leaving a segment out does to the ranking and to its agreement with gold.

    Parameters
    ----------
    scores : ndarray, (systems,)
        On all segments; higher is better.
    without : ndarray, (systems, segments)
        On all segments but one, as from `scores_without`; higher is better.
    gold : ndarray, (systems,)

    Returns
    -------
    Influence
    """
    whole, parts = correlate(scores, gold), correlate(without.T, gold)
    added = Correlations(*(part - one for one, part in zip(whole, parts, strict=True)))
    # Sums of hundreds of segments: what differs only in the last digits is the same score.
    digits = 12 - int(np.ceil(np.log10(np.abs(np.nan_to_num(scores)).max() + 1e-12)))
    before, after = _ranks(scores[:, None].round(digits)), _ranks(without.round(digits))
    return Influence(before[:, 0], after - before, added)


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks over the first axis: 1 + how many score higher; NaN beside NaN."""
    from scipy.stats import rankdata

    return rankdata(-scores, method="min", axis=0, nan_policy="propagate").astype(float)
