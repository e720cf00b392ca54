"""How many segments a weighted score rests on, and sentences where these are few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..weighting.base import WeightedMetric

# Below this many effective segments, or half of a set's, a weighting has a notice: below 100 the
# standard error of a score is above a tenth of the deviation of segment scores, and correlations
# are biased towards 0 by the noise of the scores (docs/statistics.md).
FEWEST = 100
# A group of so few hypotheses of a system reorders systems by chance.
SMALL_GROUP = 10
# So many systems are named.
NAMED = 5


def effective_segments(one: WeightedMetric) -> np.ndarray:
    """Kish's effective number of segments by system, (systems,), as
    `WeightedMetric.effective_segments`; NaN of system scores alone."""
    if one.statistics.shape[1] == 1:
        return np.full(len(one.statistics), np.nan)
    return one.effective_segments()


def notices(name: str, one: WeightedMetric, systems: list[str]) -> Iterator[str]:
    """Sentences on systems whose scores rest on few segments.

    Parameters
    ----------
    name : str
        Of the weighting.
    one : WeightedMetric
        Any metric under it.
    systems : list of str
    """
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
