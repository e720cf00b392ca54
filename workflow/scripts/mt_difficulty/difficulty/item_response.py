"""Difficulty by a continuous two-parameter item response model of scores (Mellenbergh 1994)."""

from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing, check_choice
from .base import OverSystems, deviation

PARAMETERS = ("difficulty", "discrimination", "noise")
# The fit ends when no ability changes by more than TOLERANCE, or after ITERATIONS.
TOLERANCE = 1e-8
ITERATIONS = 1000
PRIOR_DF = 4.0  # degrees of freedom of the prior of residual variances
LEAST = 1e-8  # residual variance below this share of the scores' is rounding
LEAST_SYSTEMS = 3
NONE = 1e-6  # a discrimination below this, in standard deviations of scores, is none


class Items(NamedTuple):
    """Parameters of segments and systems, on the scale of the scores.

    NaN for segments with scores of fewer than two systems, and systems without scores. Segments
    with equal scores are not fitted: discrimination and noise are 0, their errors NaN.

    Attributes
    ----------
    difficulty, difficulty_error : ndarray
        (segments,), minus the expected score of a system of mean ability, and its standard error.
    discrimination, discrimination_error : ndarray
        (segments,), expected gain in score per standard deviation of ability, and its standard
        error.
    noise : ndarray
        (segments,), standard deviation of scores around what ability explains.
    ability : ndarray
        (systems,), mean 0 and standard deviation 1 over systems; higher is better.
    """

    difficulty: np.ndarray
    difficulty_error: np.ndarray
    discrimination: np.ndarray
    discrimination_error: np.ndarray
    noise: np.ndarray
    ability: np.ndarray


def fit_items(scores: np.ndarray) -> Items:
    """Fit a continuous two-parameter item response model to scores.

    Parameters
    ----------
    scores : ndarray
        (systems, segments), higher is better; NaN is missing.

    Returns
    -------
    Items

    Raises
    ------
    Missing
        For scores of fewer than LEAST_SYSTEMS systems or two segments, or equal ones.

    Notes
    -----
    The model is score = −difficulty + discrimination · ability + e, e ~ N(0, noise²). It is fitted
    by expectation and maximisation with empirical Bayes priors: ability is N(0, 1); discrimination
    N(m, t²) with m and t² ≤ m² estimated; noise² has a scaled inverse χ² prior with PRIOR_DF
    degrees of freedom, whose scale is the mean over segments. With rare heavy errors, as in MQM,
    mean scores can estimate abilities better.
    """
    is_known = np.isfinite(scores)
    is_judged = is_known.sum(axis=0) >= 2
    lowest = np.where(is_known, scores, np.inf).min(axis=0)
    highest = np.where(is_known, scores, -np.inf).max(axis=0)
    is_equal = is_judged & (lowest == highest)
    is_fitted = is_judged & ~is_equal
    has_scores = is_known.any(axis=1)
    if has_scores.sum() < LEAST_SYSTEMS or is_judged.sum() < 2:
        raise Missing(
            f"the item response model needs scores of {LEAST_SYSTEMS} systems and two segments; "
            f"{has_scores.sum()} systems have scores, and {is_judged.sum()} segments those of two "
            "systems"
        )
    has_scores &= is_known[:, is_fitted].any(axis=1)
    if has_scores.sum() < LEAST_SYSTEMS or is_fitted.sum() < 2:
        raise Missing(
            "all systems have the same score on every segment, or on all but one, or on all that "
            "three of them are scored on"
        )

    fitted_cells = np.ix_(has_scores, is_fitted)
    values = scores[fitted_cells]
    known = is_known[fitted_cells]
    scale = deviation(values - np.nanmean(values, axis=0))
    fitted = _fit(np.where(known, values, 0.0) / scale, known)
    parameters = {}
    for name, fitted_values in fitted._asdict().items():
        if name == "ability":
            parameters[name] = _spread(fitted_values, has_scores)
        else:
            parameters[name] = _spread(fitted_values * scale, is_fitted)
    parameters["difficulty"][is_equal] = -highest[is_equal]
    parameters["discrimination"][is_equal] = 0.0
    parameters["noise"][is_equal] = 0.0
    return Items(**parameters)


def _spread(values: np.ndarray, is_fitted: np.ndarray) -> np.ndarray:
    """Return the values of fitted segments or systems among all of them; NaN for the others."""
    spread = np.full(is_fitted.size, np.nan)
    spread[is_fitted] = values
    return spread


# Numerical kernel: the steps of one iteration read best in one function, in the order of the model.
def _fit(y: np.ndarray, known: np.ndarray) -> Items:
    """Fit the model to scores of standard deviation 1, (systems, segments), 0 where not `known`."""
    weights = known.astype(float)
    n = weights.sum(axis=0)
    centred = np.where(known, y - y.sum(axis=0) / n, 0.0)
    ability = centred.sum(axis=1) / weights.sum(axis=1)
    ability -= ability.mean()
    ability /= max(np.sqrt(np.square(ability).mean()), LEAST)
    variance = np.zeros(len(y))
    noise2 = np.full(y.shape[1], max(np.square(centred).sum() / n.sum(), LEAST))
    # The first priors are wide.
    mean = 0.0
    spread = 1.0
    floor = noise2.mean()
    for _ in range(ITERATIONS):
        # Segments: regress scores on ability, given the ability's mean and variance.
        ability_sum = ability @ weights
        square_sum = (np.square(ability) + variance) @ weights
        centre = ability_sum / n
        sxx = square_sum - ability_sum * centre
        sxy = ability @ y - centre * y.sum(axis=0)
        slope_variance = 1 / (sxx / noise2 + 1 / spread)
        slope = slope_variance * (sxy / noise2 + mean / spread)
        level = y.sum(axis=0) / n - slope * centre
        residual = np.where(known, y - level - np.outer(ability, slope), 0.0)
        squares = np.square(residual).sum(axis=0) + np.square(slope) * (variance @ weights)
        squares += slope_variance * sxx  # of the slope's own uncertainty
        noise2 = np.maximum((squares + PRIOR_DF * floor) / (n + PRIOR_DF), LEAST)
        floor = noise2.mean()
        # Maximum likelihood given `spread`; the mean of `slope` would not move if `spread` were 0.
        trust = sxx / (noise2 + sxx * spread)
        mean = float((trust * sxy).sum() / max((trust * sxx).sum(), LEAST))
        # At most mean²: most segments discriminate in the same direction. Otherwise a few segments
        # that one system fails could determine the ability.
        slope_square = float(np.mean(np.square(slope - mean) + slope_variance))
        spread = max(min(slope_square, mean**2), LEAST)
        # Systems.
        precision = 1 + weights @ (np.square(slope) / noise2)
        new_ability = np.where(known, y - level, 0.0) @ (slope / noise2) / precision
        variance = 1 / precision
        # Mean 0 and expected square 1 over systems fix the scale that segments and systems share.
        new_ability -= new_ability.mean()
        factor = np.sqrt(np.mean(np.square(new_ability) + variance))
        new_ability = new_ability / factor
        variance = variance / factor**2
        change = np.abs(new_ability - ability).max()
        ability = new_ability
        if change < TOLERANCE:
            break
    if slope.mean() < 0:
        slope = -slope
        ability = -ability
    difficulty_variance = noise2 * (1 / n + np.square(centre) / np.maximum(sxx, LEAST))
    return Items(
        difficulty=-level,
        difficulty_error=np.sqrt(difficulty_variance),
        discrimination=np.where(np.abs(slope) < NONE, 0.0, slope),
        discrimination_error=np.sqrt(slope_variance),
        noise=np.sqrt(noise2),
        ability=ability,
    )


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
        self.metric = metric
        self.parameter = parameter
        self.signature = f"item_response:{metric or 'gold'}|parameter:{parameter}"
        if metric is None:
            self.reads = None
            self.uses_gold = True
            self.information = "gold"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray | None) -> np.ndarray:
        if self.metric is None:
            evalset.require_segment_gold()
            source = np.array(evalset.segment_gold, dtype=float)
        assert source is not None
        fit_items(source)  # raises `Missing` for scores of all systems that cannot be fitted
        return source

    def over(self, values: np.ndarray) -> np.ndarray:
        return getattr(fit_items(values), self.parameter)
