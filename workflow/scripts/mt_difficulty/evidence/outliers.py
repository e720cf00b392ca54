"""Systems that decide a correlation by their distance: left out by median absolute deviation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

LISTED, BY_DEVIATION = "without outliers", "without outliers (MAD)"
# Scales the MAD to a normal distribution's standard deviation, and how many of them are too far.
SCALE, FURTHEST = 1.483, 2.5
# Correlations of fewer systems are not made.
FEWEST = 3


class Inliers(NamedTuple):
    """The systems that remain, as indices, and why they do: `left_out` names the others."""

    subset: str
    chosen: np.ndarray
    left_out: str


def deviates(gold: np.ndarray) -> np.ndarray:
    """Where |score − median| > 2.5 MAD, MAD = 1.483 · median |score − median|, (systems,) of bool
    (the WMT metrics task of 2020, Mathur et al. 2020).

    Nothing deviates where the MAD is 0: more than half of the systems have the same score.
    """
    distance = np.abs(gold - np.median(gold))
    mad = SCALE * np.median(distance)
    return distance > FURTHEST * mad if mad else np.zeros(len(gold), dtype=bool)


def without_outliers(
    systems: Sequence[str], gold: np.ndarray, listed: Collection[str]
) -> Iterator[Inliers]:
    """The systems without those that the archive lists as outliers, and without those that deviate;
    nothing where there are none, or fewer than three others.

    Parameters
    ----------
    systems : sequence of str
    gold : ndarray, (systems,)
    listed : collection of str
    """
    for subset, outlying in (
        (LISTED, np.isin(systems, list(listed))),
        (BY_DEVIATION, deviates(gold)),
    ):
        chosen = np.flatnonzero(~outlying)
        if outlying.any() and len(chosen) >= FEWEST:
            names = ", ".join(np.array(systems)[outlying].tolist())
            yield Inliers(subset, chosen, names)
