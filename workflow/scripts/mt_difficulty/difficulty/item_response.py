"""A continuous two-parameter item response model of segment scores (Mellenbergh 1994)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from .base import Estimator

PARAMETERS = ("difficulty", "discrimination", "noise")
# Convergence: the largest change of an ability, in standard deviations over systems.
TOLERANCE, ITERATIONS = 1e-8, 1000
# Degrees of freedom of the prior of residual variances.
PRIOR_DF = 4.0
# Residual variance below this share of the scores' is rounding.
LEAST = 1e-8
LEAST_SYSTEMS = 3


class Items(NamedTuple):
    """Parameters of segments and systems, on the scores' scale; NaN for a segment that has scores
    of fewer than two systems, or a system without scores.

    Attributes
    ----------
    difficulty, difficulty_error : ndarray, (segments,)
        Minus the expected score of a system of mean ability, with its standard error.
    discrimination, discrimination_error : ndarray, (segments,)
        Expected gain in score per standard deviation of ability.
    noise : ndarray, (segments,)
        Standard deviation of scores around what ability explains.
    ability, ability_error : ndarray, (systems,)
        Mean 0 and standard deviation 1 in the population of systems; higher is better.
    """

    difficulty: np.ndarray
    difficulty_error: np.ndarray
    discrimination: np.ndarray
    discrimination_error: np.ndarray
    noise: np.ndarray
    ability: np.ndarray
    ability_error: np.ndarray

    @property
    def information(self) -> np.ndarray:
        """Fisher information of a segment about ability, discrimination² / noise², (segments,)."""
        return np.square(self.discrimination / self.noise)


def fit_items(scores: np.ndarray) -> Items:
    """Fit score = −difficulty + discrimination · ability + e, e ~ N(0, noise²), by expectation and
    maximisation with empirical Bayes priors.

    Ability is N(0, 1) over systems; discrimination is N(m, t²) and noise² scaled inverse χ² with
    PRIOR_DF degrees of freedom over segments, with m, t² and the scale estimated. Without priors a
    segment that all systems score alike would have infinite information. With scores of all
    systems, difficulty is minus their mean.

    Parameters
    ----------
    scores : ndarray, (systems, segments)
        Higher is better; NaN where there is none, which is taken to be missing at random.

    Raises
    ------
    Missing
        Fewer than LEAST_SYSTEMS systems or two segments have scores, or all scores of every segment
        are equal.
    """
    there = np.isfinite(scores)
    used, rows = there.sum(axis=0) >= 2, there.any(axis=1)
    if rows.sum() < LEAST_SYSTEMS or used.sum() < 2:
        raise Missing(
            f"the item response model needs scores of {LEAST_SYSTEMS} systems and two segments; "
            f"{rows.sum()} systems have scores, and {used.sum()} segments those of two systems"
        )
    own, known = scores[np.ix_(rows, used)], there[np.ix_(rows, used)]
    scale = np.nanstd(own - np.nanmean(own, axis=0))
    if not scale > 0:
        raise Missing("all systems have the same score on every segment")
    found = _fit(np.where(known, own, 0.0) / scale, known)
    return _spread(found, scale, used, rows)


def _fit(y: np.ndarray, known: np.ndarray) -> Items:
    """Parameters of scores without gaps in rows and columns; `y` is 0 where not `known`."""
    there = known.astype(float)
    n = there.sum(axis=0)
    centred = np.where(known, y - y.sum(axis=0) / n, 0.0)
    ability = _standard(centred.sum(axis=1) / there.sum(axis=1))
    variance = np.zeros(len(y))
    noise2 = np.full(y.shape[1], max(np.square(centred).sum() / n.sum(), LEAST))
    # The first priors are wide.
    mean, spread, floor = 0.0, 1.0, noise2.mean()
    for _ in range(ITERATIONS):
        # Segments: a regression on ability, of which mean and variance are known.
        first, second = ability @ there, (np.square(ability) + variance) @ there
        slope_y = ability @ y
        centre = first / n
        sxx = second - first * centre
        sxy = slope_y - centre * y.sum(axis=0)
        weight = 1 / (sxx / noise2 + 1 / spread)
        slope = weight * (sxy / noise2 + mean / spread)
        level = y.sum(axis=0) / n - slope * centre
        residual = np.where(known, y - level - np.outer(ability, slope), 0.0)
        rest = np.square(residual).sum(axis=0) + np.square(slope) * (variance @ there)
        rest += weight * sxx  # of the slope's own uncertainty
        noise2 = np.maximum((rest + PRIOR_DF * floor) / (n + PRIOR_DF), LEAST)
        floor = 1 / np.mean(1 / noise2)
        mean = float(slope.mean())
        spread = max(float(np.mean(np.square(slope - mean) + weight)), LEAST)
        # Systems.
        precision = 1 + there @ (np.square(slope) / noise2)
        moved = np.where(known, y - level, 0.0) @ (slope / noise2) / precision
        variance = 1 / precision
        # Mean 0 and variance 1 over systems fix the scale that segments and systems share.
        moved, factor = _standard(moved), np.sqrt(np.mean(np.square(moved - moved.mean())))
        variance = variance / max(factor, LEAST) ** 2
        change, ability = np.abs(moved - ability).max(), moved
        if change < TOLERANCE:
            break
    if slope.mean() < 0:
        slope, ability = -slope, -ability
    error = np.sqrt(noise2 * (1 / n + np.square(centre) / np.maximum(sxx, LEAST)))
    return Items(
        *(-level, error, slope, np.sqrt(weight), np.sqrt(noise2), ability, np.sqrt(variance))
    )


def _standard(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    return centred / max(np.sqrt(np.square(centred).mean()), LEAST)


def _spread(found: Items, scale: float, used: np.ndarray, rows: np.ndarray) -> Items:
    """Parameters in the place of their segments and systems, on the scores' scale."""
    whole = []
    for name, values in zip(Items._fields, found, strict=True):
        mask = rows if name.startswith("ability") else used
        full = np.full(len(mask), np.nan)
        full[mask] = values if name.startswith("ability") else values * scale
        whole.append(full)
    return Items(*whole)


class ItemResponse(Estimator):
    """A parameter of a continuous two-parameter item response model of a metric's segment scores,
    or of human scores, over the systems at hand.

    Parameters
    ----------
    metric : str, optional
        Name of a metric of the set with segment scores; human scores without it.
    parameter : {"difficulty", "discrimination", "noise"}
    """

    reads: str | None = "statistics"
    depends_on_systems = True

    def __init__(self, metric: str | None = None, parameter: str = "difficulty") -> None:
        if parameter not in PARAMETERS:
            raise ValueError(f"parameter {parameter}: expected one of {', '.join(PARAMETERS)}")
        self.metric, self.parameter = metric, parameter
        if metric is None:
            self.reads, self.uses_gold, self.information = None, True, "gold"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray | None) -> np.ndarray:
        """Segment scores, (systems, segments), as they are given: higher is better."""
        scores = source
        if self.metric is None:
            if not evalset.segment_gold:
                raise Missing("the set has no human scores of segments")
            scores = np.array(evalset.segment_gold, dtype=float)
        assert scores is not None
        fit_items(scores)
        return scores

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        found = getattr(fit_items(values[np.sort(systems)]), self.parameter)
        return np.broadcast_to(found, (len(systems), values.shape[1]))

    @property
    def signature(self) -> str:
        return f"item_response:{self.metric or 'gold'}|parameter:{self.parameter}"
