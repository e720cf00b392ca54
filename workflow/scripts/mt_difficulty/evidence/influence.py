"""How far each segment moves a ranking: scores, ranks and correlations without it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..weighting.base import WeightedMetric
from .subsets import Correlations, correlate


class Influence(NamedTuple):
    """What changes when a segment is left out, for every segment.

    `ranks` (systems,) on all segments, 1 is the best; `changes` (systems, segments) is positive
    where a system falls; `correlations` has arrays of (segments,), what is added to each
    correlation with gold. NaN where a score is.
    """

    ranks: np.ndarray
    changes: np.ndarray
    correlations: Correlations

    def at(self, places: np.ndarray, segments: int) -> Influence:
        """The same for segments at their places among others, which change nothing."""
        changes = np.zeros((len(self.changes), segments))
        changes[:, places] = self.changes
        added = np.zeros((len(self.correlations), segments))
        added[:, places] = self.correlations
        return Influence(self.ranks, changes, Correlations(*added))


def influence(weighted: WeightedMetric, gold: np.ndarray) -> Influence:
    """What leaving each segment out does to the ranking and to its agreement with gold, (systems,).
    The weights of the other segments stay what they are."""
    scores, without = weighted.observed_quality(), weighted.quality_without_each_segment()
    whole, parts = correlate(scores, gold), correlate(without.T, gold)
    added = Correlations(*(part - one for one, part in zip(whole, parts, strict=True)))
    # Sums of hundreds of segments: what differs only in the last digits is the same score.
    digits = 12 - int(np.ceil(np.log10(np.abs(np.nan_to_num(scores)).max() + 1e-12)))
    before, after = _ranks(scores[:, None].round(digits)), _ranks(without.round(digits))
    return Influence(before[:, 0], after - before, added)


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks over the first axis: 1 + how many score higher; NaN beside NaN."""
    higher = sum((other > scores).astype(float) for other in scores)
    return np.where(np.isnan(scores).any(axis=0), np.nan, 1 + higher)
