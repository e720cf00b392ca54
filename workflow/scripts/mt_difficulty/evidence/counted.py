"""Which segments of a set count, what a weighting is compared with, and on how many segments its
scores rest."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..weighting.base import WeightedMetric

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
# Below this many effective segments, or half of a set's, a weighting has a notice: below 100 the
# standard error of a score is above a tenth of the deviation of segment scores, and correlations
# are biased towards 0 by the noise of the scores (docs/statistics.md).
FEWEST = 100
# A group of so few hypotheses of a system reorders systems by chance.
SMALL_GROUP = 10
# So many systems are named.
NAMED = 5


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


def describe_counted(found: EvaluationSet) -> str:
    """Which segments system scores are taken over, for people; empty where all of them count and
    none has to be told."""
    segments, counted = len(found.reference), len(counted_segments(found))
    if not found.segment_gold:
        return ""
    by_all = int(np.isfinite(np.array(found.segment_gold, dtype=float)).all(axis=0).sum())
    if by_all == segments:
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


def effective_segments(one: WeightedMetric) -> np.ndarray:
    """Kish's effective number of segments by system, (systems,), as
    `WeightedMetric.effective_segments`; NaN of system scores alone."""
    if one.statistics.shape[1] == 1:
        return np.full(len(one.statistics), np.nan)
    return one.effective_segments()


def notices(name: str, one: WeightedMetric, systems: list[str]) -> Iterator[str]:
    """Sentences on systems whose scores under a weighting, named `name`, rest on few segments;
    `one` is any metric under it."""
    effective, segments = effective_segments(one), one.statistics.shape[1]
    bound = min(FEWEST, segments // 2)
    few = effective < bound
    if few.any():
        yield (
            f"{name} leaves fewer than {bound} effective segments (Kish) of {segments}: "
            f"{_listed(systems, effective, few)}."
        )
    if one.weights is not None and len(one.shares) > 1:
        sizes = (one.weights[..., one.shares > 0] > 0).sum(axis=1).min(axis=1)
        small = (sizes > 0) & (sizes <= SMALL_GROUP)
        if small.any():
            yield (
                f"{name} has a group of 1 to {SMALL_GROUP} hypotheses, which can reorder systems "
                f"by chance: {_listed(systems, sizes, small)}."
            )


def _listed(systems: list[str], numbers: np.ndarray, chosen: np.ndarray) -> str:
    """Systems with their numbers, the lowest first; the rest are counted."""
    order = [place for place in np.argsort(numbers, kind="stable") if chosen[place]]
    named = [f"{systems[place]} {numbers[place]:.0f}" for place in order[:NAMED]]
    rest = len(order) - len(named)
    more = f" and {rest} more system" + "s" * (rest > 1)
    return ", ".join(named) + more * bool(rest)
