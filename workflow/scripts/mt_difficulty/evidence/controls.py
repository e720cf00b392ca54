"""Controls of difficulty weighting: where a weighting's statistics stand among those of its
nulls."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..statistics import evaluate
from ..weighting.base import WeightedMetric
from .nulls import (
    effective_size,
    permutations,
    permuted_quality,
    shuffled_quality,
    subset_quality,
)
from .resampling import interval
from .surface import TUNED_COLUMNS

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value", "standard", "tuned"),
    *("null", "mean", "low", "high", "quantile", "gain_over_plain_share", "draws", "reason"),
]
UNDEFINED = "under this null all systems have the same score, or a system has none"
# Differences of statistics up to this are rounding.
TOLERANCE = 1e-9
# Scores of systems by null, (draws, systems), or why there are none.
Nulls = dict[str, np.ndarray | str]


def segment_nulls(
    weighteds: Mapping[Any, WeightedMetric],
    difficulty: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    deciles: np.ndarray | None,
) -> dict[Any, Nulls]:
    """System scores under the nulls of weightings of segments, but for `retuned`.

    Parameters
    ----------
    weighteds : dict to WeightedMetric
        Under one weighting.
    difficulty : ndarray, (systems, segments)
    draws : int
    rng : numpy.random.Generator
    deciles : ndarray of int, (segments,), optional
        Of source length; without them `permuted_length` is left out.

    Returns
    -------
    dict to dict of str to ndarray or str
        By the same keys, and by names of `NULLS`; of one draw where nothing is random.
    """
    segments = difficulty.shape[1]
    found = {"permuted": permuted_quality(weighteds, permutations(segments, draws, rng))}
    if not (difficulty == difficulty[0]).all():
        found["shuffled"] = shuffled_quality(weighteds, draws, rng)
    if deciles is not None:
        places = permutations(segments, draws, rng, deciles)
        found["permuted_length"] = permuted_quality(weighteds, places)
    return {
        key: {null: scores[key] for null, scores in found.items()}
        | {"random_subset": _random_subset(one, draws, rng)}
        | {"swapped": one.inverted(difficulty).observed_quality()[None]}
        for key, one in weighteds.items()
    }


def _random_subset(one: WeightedMetric, draws: int, rng: np.random.Generator) -> np.ndarray | str:
    size = effective_size(one)
    if not size:
        return "the effective number of segments is undefined: a weighted group is empty"
    return subset_quality({"": one.unweighted()}, size, draws, rng)[""]


def quantile(value: float, values: np.ndarray) -> float:
    """Share of the values, NaN left aside, below a value; ties count half. NaN if there are none
    or the value is NaN."""
    values = values[~np.isnan(values)]
    if not values.size or np.isnan(value):
        return np.nan
    ties = np.isclose(values, value, rtol=0, atol=TOLERANCE)
    return float(np.mean(np.where(ties, 0.5, values < value)))


def tuned_columns(rows: pd.DataFrame, tuned: Container[str], draws: np.ndarray) -> pd.DataFrame:
    """Rows of parameters with their mark, and r beside that of tuned random difficulty.

    Parameters
    ----------
    rows : DataFrame
        `parameters` and `pearson`.
    tuned : container of str
        Parameters that were chosen with human scores of the set.
    draws : ndarray, (draws,)
        Pearson's r of `retuned`.

    Returns
    -------
    DataFrame
        TUNED_COLUMNS of `surface`: yes or no, mean and 95 % range of the draws, and the share of
        them below the row's r; NaN where the row is not tuned.
    """
    found = []
    for name, value in zip(rows.parameters, rows.pearson, strict=True):
        place = [np.nan] * 4
        if name in tuned:
            place = _place(value, np.nan, draws)[:4]
        found.append(["yes" if name in tuned else "no", *place])
    return pd.DataFrame(found, columns=TUNED_COLUMNS, index=rows.index)


def describe(
    values: Sequence[float],
    standard: Sequence[float],
    tuned: bool,
    nulls: Nulls,
    gold: np.ndarray,
    statistics: Sequence[str],
    missing: str | None = None,
) -> Iterator[list]:
    """Where the statistics of a weighting stand among its nulls.

    Parameters
    ----------
    values, standard : sequence of float, (statistics,)
        Of the weighting and of the unweighted metric.
    tuned : bool
        Whether the weighting's parameters were chosen with human scores of the set.
    nulls : dict of str to ndarray or str
        By name, scores of systems, or why there are none.
    gold : ndarray, (systems,)
    statistics : sequence of str
        Of the registry; those that read scores.
    missing : str, optional
        Why a value is NaN.

    Yields
    ------
    list
        From `statistic` on, COLUMNS, for every statistic and null; NaN where there is nothing to
        compare.
    """
    drawn = {
        null: evaluate(statistics, scores, gold)
        for null, scores in nulls.items()
        if not isinstance(scores, str)
    }
    for i, statistic in enumerate(statistics):
        for null, scores in nulls.items():
            draws = drawn[null][:, i] if null in drawn else np.empty(0)
            place = _place(values[i], standard[i], draws)
            reason = scores if isinstance(scores, str) else None
            if null in drawn and np.isnan(place[0]):
                reason = UNDEFINED
            head = [statistic, values[i], standard[i], "yes" if tuned else "no", null]
            yield [*head, *place, missing if np.isnan(values[i]) else reason]


def _place(value: float, standard: float, draws: np.ndarray) -> list[float]:
    """Mean and 95 % range of the draws, the share of them below a value, that above the
    unweighted metric, and how many are defined; NaN of none. One draw has no range or shares."""
    defined = draws[~np.isnan(draws)]
    if len(draws) <= 1:
        return [defined.mean() if defined.size else np.nan, *[np.nan] * 4, len(defined)]
    if not defined.size:
        return [*[np.nan] * 5, 0]
    above = np.nan if np.isnan(standard) else float((defined > standard + TOLERANCE).mean())
    low, high = map(float, interval(defined))
    return [defined.mean(), low, high, quantile(value, defined), above, len(defined)]
