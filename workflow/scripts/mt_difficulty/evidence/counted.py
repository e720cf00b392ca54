"""Which segments of a set count, and what a weighting is compared with."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..data.evalset import EvaluationSet

STANDARD = "standard"
# The mean of a stored metric's segment scores, where the archive's system scores are others.
MEAN = "standard (mean)"
PLAIN = (STANDARD, MEAN)
SYSTEM_SCORES_ONLY = (
    "only system scores are stored, or the set has one segment: no segments to resample"
)
# Share of the systems' spread up to which a mean and a stored system score are the same number:
# files may have six digits.
SAME = 1e-5


def counted_segments(found: EvaluationSet) -> np.ndarray:
    """Indices of the segments over which system scores are taken, ascending.

    With `segments: rated` those with a human score of at least one ranked system, as human scores
    of systems were made; all of them with `segments: all`, and where no segment has a human score.
    """
    everything = np.arange(len(found.reference))
    if found.segments == "all" or not found.segment_gold:
        return everything
    rated = np.isfinite(np.array(found.segment_gold, dtype=float)).any(axis=0)
    return everything[rated] if rated.any() else everything


def rated_by_all(found: EvaluationSet) -> int:
    """How many segments have a human score of every ranked system."""
    if not found.segment_gold:
        return 0
    return int(np.isfinite(np.array(found.segment_gold, dtype=float)).all(axis=0).sum())


def describe_counted(found: EvaluationSet) -> str:
    """Which segments system scores are taken over, for people; empty where all of them count and
    none has to be told."""
    segments, counted, by_all = len(found.reference), len(counted_segments(found)), 0
    if found.segment_gold:
        by_all = rated_by_all(found)
    if not found.segment_gold or by_all == segments:
        return ""
    every = f"; {by_all} have one of every system" * (by_all != counted or found.segments == "all")
    if counted == segments and found.segments == "all":
        return f"scores over all {segments} segments, as the set is read{every}"
    return f"scores over the {counted} of {segments} segments with human scores{every}"


def baseline(metric: str, keys: Container[tuple[str, str]]) -> tuple[str, str]:
    """The key of a metric that its weightings are compared with: of the same segment scores."""
    return (metric, MEAN if (metric, MEAN) in keys else STANDARD)


def same_scores(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether system scores, (systems,), are the same but for rounding."""
    scale = max(np.ptp(other), SAME * np.abs(other).max())
    return bool(np.abs(one - other).max() <= SAME * scale)
