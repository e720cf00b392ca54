"""Difficulty by a continuous two-parameter item response model of scores (Mellenbergh 1994)."""

from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing, check_choice
from .base import OverSystems, deviation

PARAMETERS = ("difficulty", "discrimination", "noise")
TOLERANCE, ITERATIONS = 1e-8, 1000  # of the largest change of an ability
PRIOR_DF = 4.0  # degrees of freedom of the prior of residual variances
LEAST = 1e-8  # residual variance below this share of the scores' is rounding
LEAST_SYSTEMS = 3
NONE = 1e-6  # a discrimination below this, in standard deviations of scores, is none


class Items(NamedTuple):
    """Parameters of segments, (segments,), and systems, (systems,), on the scale of the scores. NaN
    for segments with scores of fewer than two systems, and systems without scores. Segments with
    equal scores are not fitted: discrimination and noise are 0, their errors NaN."""

    difficulty: np.ndarray  # minus the expected score of a system of mean ability
    difficulty_error: np.ndarray
    discrimination: np.ndarray  # expected gain in score per standard deviation of ability
    discrimination_error: np.ndarray
    noise: np.ndarray  # standard deviation of scores around what ability explains
    ability: np.ndarray  # mean 0, standard deviation 1 over systems; higher is better


def fit_items(scores: np.ndarray) -> Items:
    """Fit score = −difficulty + discrimination · ability + e, e ~ N(0, noise²), to scores,
    (systems, segments), NaN if missing, by expectation and maximisation with empirical Bayes
    priors. Ability is N(0, 1); discrimination N(m, t²) with m and t² ≤ m² estimated; noise² has a
    scaled inverse χ² prior with PRIOR_DF degrees of freedom, whose scale is the mean over segments.
    With rare heavy errors, as in MQM, mean scores can estimate abilities better. Raises `Missing`
    for scores of fewer than LEAST_SYSTEMS systems or two segments, or equal ones."""
    there = np.isfinite(scores)
    judged = there.sum(axis=0) >= 2
    low, high = (np.where(there, scores, end) for end in (np.inf, -np.inf))
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
    values, known = scores[np.ix_(rows, used)], there[np.ix_(rows, used)]
    scale = deviation(values - np.nanmean(values, axis=0))
    fitted = _fit(np.where(known, values, 0.0) / scale, known)
    parameters = {}  # in the place of their segments and systems, on the scores' scale
    for name, of_name in fitted._asdict().items():
        place, unit = (rows, 1.0) if name == "ability" else (used, scale)
        parameters[name] = np.full(place.size, np.nan)
        parameters[name][place] = of_name * unit
    parameters["difficulty"][equal] = -high.max(axis=0)[equal]
    parameters["discrimination"][equal] = parameters["noise"][equal] = 0.0
    return Items(**parameters)


def _fit(y: np.ndarray, known: np.ndarray) -> Items:
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
        # Segments: regress scores on ability, given the ability's mean and variance.
        first, second = ability @ there, (np.square(ability) + variance) @ there
        slope_y = ability @ y
        centre = first / n
        sxx = second - first * centre
        sxy = slope_y - centre * y.sum(axis=0)
        weight = 1 / (sxx / noise2 + 1 / spread)
        slope = weight * (sxy / noise2 + mean / spread)
        level = y.sum(axis=0) / n - slope * centre
        residual = np.where(known, y - level - np.outer(ability, slope), 0.0)
        squares = np.square(residual).sum(axis=0) + np.square(slope) * (variance @ there)
        squares += weight * sxx  # of the slope's own uncertainty
        noise2 = np.maximum((squares + PRIOR_DF * floor) / (n + PRIOR_DF), LEAST)
        floor = noise2.mean()
        # Maximum likelihood given `spread`; the mean of `slope` would not move if `spread` were 0.
        trust = sxx / (noise2 + sxx * spread)
        mean = float((trust * sxy).sum() / max((trust * sxx).sum(), LEAST))
        # At most mean²: most segments discriminate in the same direction. Otherwise a few segments
        # that one system fails could determine the ability.
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
    return Items(-level, error, slope, np.sqrt(weight), np.sqrt(noise2), ability)


class ItemResponse(OverSystems):
    """A parameter of a continuous two-parameter item response model of a metric's segment scores,
    or of human scores, over the systems at hand.

    Parameters
    ----------
    metric : str, optional
        Name of a metric of the set with segment scores; by default human scores are used.
    parameter : {"difficulty", "discrimination", "noise"}
    """

    reads: str | None = "statistics"

    def __init__(self, metric: str | None = None, parameter: str = "difficulty") -> None:
        super().__init__()
        check_choice("parameter", parameter, PARAMETERS)
        self.metric, self.parameter = metric, parameter
        self.signature = f"item_response:{metric or 'gold'}|parameter:{parameter}"
        if metric is None:
            self.reads, self.uses_gold, self.information = None, True, "gold"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray | None) -> np.ndarray:
        if self.metric is None:
            evalset.require_segment_gold()
            source = np.array(evalset.segment_gold, dtype=float)
        assert source is not None
        fit_items(source)  # raises what is wrong with the scores of all systems
        return source

    def over(self, values: np.ndarray) -> np.ndarray:
        return getattr(fit_items(values), self.parameter)
