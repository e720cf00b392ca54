"""A continuous two-parameter item response model of segment scores (Mellenbergh 1994)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from .base import Estimator, deviation

PARAMETERS = ("difficulty", "discrimination", "noise")
# Convergence: the largest change of an ability, in standard deviations over systems.
TOLERANCE, ITERATIONS = 1e-8, 1000
# Degrees of freedom of the prior of residual variances.
PRIOR_DF = 4.0
# Residual variance below this share of the scores' is rounding.
LEAST = 1e-8
LEAST_SYSTEMS = 3
# A discrimination below this, in standard deviations of scores, is none.
NONE = 1e-6


class Items(NamedTuple):
    """Parameters of segments and systems, on the scores' scale; NaN for a segment that has scores
    of fewer than two systems, or a system without scores.

    A segment whose scores are all equal takes no part in the fit: its discrimination and noise are
    0, and their errors NaN.

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
        """Fisher information of a segment about ability, discrimination² / noise², (segments,); 0
        where all scores are equal."""
        noise = np.where(self.noise == 0, np.inf, self.noise)
        return np.square(self.discrimination / noise)


def fit_items(scores: np.ndarray) -> Items:
    """Fit score = −difficulty + discrimination · ability + e, e ~ N(0, noise²), by expectation and
    maximisation with empirical Bayes priors.

    Ability is N(0, 1) over systems; discrimination is N(m, t²) over segments, with m and t² ≤ m²
    estimated; noise² has a scaled inverse χ² prior with PRIOR_DF degrees of freedom, whose scale is
    the mean over segments. Where segments have no ability in common, discriminations are 0. With
    scores of all systems, difficulty is minus their mean. Errors are taken to be normal: of scores
    with rare heavy errors, as in MQM, the mean over segments can tell abilities better.

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
    judged = there.sum(axis=0) >= 2
    low, high = (np.where(there, scores, each) for each in (np.inf, -np.inf))
    equal = judged & (low.min(axis=0) == high.max(axis=0))
    used, rows = judged & ~equal, there.any(axis=1)
    if rows.sum() < LEAST_SYSTEMS or judged.sum() < 2:
        raise Missing(
            f"the item response model needs scores of {LEAST_SYSTEMS} systems and two segments; "
            f"{rows.sum()} systems have scores, and {judged.sum()} segments those of two systems"
        )
    rows &= there[:, used].any(axis=1)
    if rows.sum() < LEAST_SYSTEMS or used.sum() < 2:
        raise Missing(
            "all systems have the same score on every segment, or on all but one, or on all that "
            "three of them are scored on"
        )
    own, known = scores[np.ix_(rows, used)], there[np.ix_(rows, used)]
    scale = deviation(own - np.nanmean(own, axis=0))
    # In the place of their segments and systems, on the scores' scale.
    whole = []
    fitted = _fit(np.where(known, own, 0.0) / scale, known)
    for name, values in zip(Items._fields, fitted, strict=True):
        of_systems = name.startswith("ability")
        full = np.full(len(rows if of_systems else used), np.nan)
        full[rows if of_systems else used] = values if of_systems else values * scale
        whole.append(full)
    found = Items(*whole)
    found.difficulty[equal] = -high.max(axis=0)[equal]
    found.discrimination[equal] = found.noise[equal] = 0.0
    return found


def _fit(y: np.ndarray, known: np.ndarray) -> Items:
    """Parameters of scores without gaps in rows and columns; `y` is 0 where not `known`."""
    there = known.astype(float)
    n = there.sum(axis=0)
    centred = np.where(known, y - y.sum(axis=0) / n, 0.0)
    ability = centred.sum(axis=1) / there.sum(axis=1)
    ability -= ability.mean()
    ability /= max(np.sqrt(np.square(ability).mean()), LEAST)
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
        floor = noise2.mean()
        # Of maximal likelihood given the spread: a mean of `slope` would not move where that is 0.
        trust = sxx / (noise2 + sxx * spread)
        mean = float((trust * sxy).sum() / max((trust * sxx).sum(), LEAST))
        # No more than the mean's square: segments mostly discriminate in one direction. Else the
        # ability is that of a few segments that one system fails.
        spread = max(min(float(np.mean(np.square(slope - mean) + weight)), mean**2), LEAST)
        # Systems.
        precision = 1 + there @ (np.square(slope) / noise2)
        moved = np.where(known, y - level, 0.0) @ (slope / noise2) / precision
        variance = 1 / precision
        # Mean 0 and expected square 1 over systems fix the scale that segments and systems share.
        moved -= moved.mean()
        factor = np.sqrt(np.mean(np.square(moved) + variance))
        moved, variance = moved / factor, variance / factor**2
        change, ability = np.abs(moved - ability).max(), moved
        if change < TOLERANCE:
            break
    if slope.mean() < 0:
        slope, ability = -slope, -ability
    slope = np.where(np.abs(slope) < NONE, 0.0, slope)
    error = np.sqrt(noise2 * (1 / n + np.square(centre) / np.maximum(sxx, LEAST)))
    return Items(
        *(-level, error, slope, np.sqrt(weight), np.sqrt(noise2), ability, np.sqrt(variance))
    )


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
            evalset.require_segment_gold()
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
