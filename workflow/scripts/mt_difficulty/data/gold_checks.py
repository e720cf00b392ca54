"""Doubts about human scores: mixed scales, a reversed direction, levels that contradict each other.

Whether segment scores belong to the texts is the question of `gold_fit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

LEAST_RATED = 10  # segments of a system by which its scale is known
HUNDRED = 10.0  # a score above which the scale is no longer 0 to 1
REVERSED = -0.5  # correlation with metric scores below which human scores are doubted
SURE = 2.33  # standard errors: p < 0.01, one-sided
OPPOSITE = 4.0  # standard errors by which a pair of systems is ordered in the other way


def find_doubts(
    systems: Sequence[str],
    gold: np.ndarray,
    segment_gold: np.ndarray,
    name: str,
    quality: Mapping[str, np.ndarray],
    same: bool = True,
) -> list[str]:
    """What is odd about human scores, in sentences that name the systems.

    Parameters
    ----------
    systems : sequence of str
    gold : ndarray, (systems,)
        Higher is better; NaN where there is none.
    segment_gold : ndarray, (systems, segments)
        NaN where a segment is not rated; without segments where there are none.
    name : str
        Of the human scores.
    quality : dict of str to ndarray, (systems,)
        Scores of metrics, higher is better.
    same : bool
        Whether the scores of segments are of the same kind as those of systems.
    """
    rated = np.isfinite(segment_gold)
    lows, highs = (
        np.where(rated.sum(axis=1) >= LEAST_RATED, ends, np.nan)
        for ends in (
            np.where(rated, segment_gold, np.inf).min(axis=1, initial=np.inf),
            np.where(rated, segment_gold, -np.inf).max(axis=1, initial=-np.inf),
        )
    )
    return [
        *_scales(systems, gold, gold, name),
        *_scales(systems, lows, highs, f"{name}, segments"),
        *_direction(gold, quality, name),
        *(_contradictions(systems, gold, segment_gold, name) if same else ()),
        *_disjoint(systems, rated, name),
    ]


def _direction(gold: np.ndarray, quality: Mapping[str, np.ndarray], name: str) -> Iterator[str]:
    """A sentence if the correlation of human scores with every metric is clearly negative."""
    correlations = {}
    for metric, scores in quality.items():
        both = np.isfinite(gold) & np.isfinite(scores)
        people, values = gold[both], scores[both]
        if len(people) < 4 or not people.std() or not values.std():
            return
        r = float(np.corrcoef(people, values)[0, 1])
        if r > REVERSED or np.arctanh(max(r, -1 + 1e-9)) * np.sqrt(len(people) - 3) > -SURE:
            return
        correlations[metric] = f"r = {r:.2f} with {metric} over {len(people)} systems"
    if correlations:
        yield (
            f"{name}: the human scores seem to run the other way, lower being better: "
            f"{', '.join(list(correlations.values())[:3])}. If so, negate them."
        )


def _scales(
    systems: Sequence[str], lows: np.ndarray, highs: np.ndarray, name: str
) -> Iterator[str]:
    """A sentence if some systems have scores from 0 to 100, and others no positive ones or only
    such from 0 to 1."""
    kinds = {
        "0 or less": (lows < 0) & (highs <= 0),
        "0 to 1": (lows >= 0) & (highs <= 1),
        "up to 100": (lows >= 0) & (highs > HUNDRED),
    }
    if kinds["up to 100"].any() and sum(kind.any() for kind in kinds.values()) > 1:
        sides = (
            f"{', '.join(systems[system] for system in np.flatnonzero(kind).tolist())} "
            f"({kind_name}: {lows[kind].min():g} to {highs[kind].max():g})"
            for kind_name, kind in kinds.items()
            if kind.any()
        )
        yield (
            f"{name}: human scores on two scales: {'; '.join(sides)}. Bring them to one scale, or "
            "leave out the systems of the other."
        )


def _contradictions(
    systems: Sequence[str], gold: np.ndarray, segment_gold: np.ndarray, name: str
) -> Iterator[str]:
    """A sentence if pairs of systems are ordered by their scores in one way, and by those of their
    segments clearly in the other way."""
    pairs = []
    for first, second in combinations(range(len(systems) if segment_gold.size else 0), 2):
        better, worse = (first, second) if gold[first] > gold[second] else (second, first)
        gains = segment_gold[better] - segment_gold[worse]
        gains = gains[np.isfinite(gains)]
        if len(gains) < LEAST_RATED or not gold[better] > gold[worse]:
            continue
        error = gains.std() / np.sqrt(len(gains))
        if gains.mean() < -OPPOSITE * error:
            said = (
                f"{systems[better]} ({gold[better]:g}) is better than {systems[worse]} "
                f"({gold[worse]:g}), but worse by {-gains.mean():.3g} in the mean of "
                f"{len(gains):,} segments"
            )
            pairs.append((float(gains.mean()), said))
    if pairs:
        more = f"; and {len(pairs) - 3} more pairs" * (len(pairs) > 3)
        yield (
            f"{name}: human scores of systems and of segments contradict each other: "
            f"{'; '.join(said for _, said in sorted(pairs)[:3])}{more}. Look which is wrong."
        )


def _disjoint(systems: Sequence[str], rated: np.ndarray, name: str) -> Iterator[str]:
    """A sentence if pairs of systems have no rated segment in common."""
    counts = rated.astype(int)
    common, rated_systems = counts @ counts.T, np.flatnonzero(counts.any(axis=1))
    pairs = [
        f"{systems[first]} and {systems[second]}"
        for first, second in combinations(rated_systems.tolist(), 2)
        if not common[first, second]
    ]
    if pairs:
        more = f" and {len(pairs) - 3} more pairs" * (len(pairs) > 3)
        yield (
            f"{name}: no rated segment in common: {'; '.join(pairs[:3])}{more}. Their human scores "
            "are of different texts: differences between them may be those of the segments."
        )
