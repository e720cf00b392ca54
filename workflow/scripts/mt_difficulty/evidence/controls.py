"""Controls of difficulty weighting: what its gain is worth beside random difficulties, inverted
weights and random metrics."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..embedding.matches import Matches
from ..statistics import evaluate
from ..weighting.base import WeightedMetric, Weighting
from ..weighting.tokens import Tokens
from .resampling import interval
from .subset_scores import coefficients

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value", "standard"),
    *("shuffled_mean", "shuffled_low", "shuffled_high", "gain_quantile"),
    *("permuted_mean", "permuted_low", "permuted_high", "permuted_quantile"),
    *("inverted", "random_low", "random_high", "reason"),
]
UNDEFINED = "under a control all systems have the same score, or one has none"
NOT_LINEAR = "no shuffled difficulty: scores are not linear in it (softmax, or unit range)"
# Difficulties that are permuted at a time.
BLOCK = 2**22


class Control(NamedTuple):
    """System scores under a weighting's controls; higher is better.

    shuffled : ndarray, (draws, systems)
        With random difficulties. Those of hypotheses are permuted within each system; those of
        segments once for all systems, so that this equals `permuted`. No draws where these cannot
        be had.
    permuted : ndarray, (draws, systems)
        With difficulties that change places alike for all systems, so that what is difficult for
        several of them stays so.
    inverted : ndarray, (systems,)
        What is easy weighs as what is difficult should, and the other way round.
    reason : str, optional
        Why there are no draws.
    """

    shuffled: np.ndarray
    permuted: np.ndarray
    inverted: np.ndarray
    reason: str | None = None


def no_control(systems: int) -> Control:
    """The control of a weighting without scores."""
    none = np.empty((0, systems))
    return Control(none, none, np.full(systems, np.nan))


def segment_controls(
    weighteds: dict[Any, WeightedMetric],
    difficulty: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> dict[Any, Control]:
    """Controls of a weighting of segments: its weights at random places, and for inverted
    difficulty.

    Parameters and NaN are those of `permuted_weights`.

    Parameters
    ----------
    difficulty : ndarray, (systems, segments)

    Returns
    -------
    dict to Control
        By the same keys.
    """
    of_segments = (difficulty == difficulty[0]).all()
    shuffled = permuted_weights(weighteds, draws, rng, alike=of_segments)
    permuted = shuffled
    if not of_segments:
        permuted = permuted_weights(weighteds, draws, rng, alike=True)
    return {
        key: Control(shuffled[key], permuted[key], one.inverted(difficulty).observed_quality())
        for key, one in weighteds.items()
    }


def permuted_weights(
    weighteds: dict[Any, WeightedMetric], draws: int, rng: np.random.Generator, alike: bool = False
) -> dict[Any, np.ndarray]:
    """Scores when each system's weights change places at random: for weights in groups, when these
    are drawn at random, sizes kept (Liu et al. 2022, Table 4, "w/o entropy").

    Parameters
    ----------
    weighteds : dict to WeightedMetric
        All with the same weights; one draw serves all.
    draws : int
    rng : numpy.random.Generator
    alike : bool
        The segments change places in the same way for all systems, so that weights agree between
        systems as they do.

    Returns
    -------
    dict to ndarray, (draws, systems)
        Higher is better; NaN for a system of which a weighted group is empty.
    """
    if not weighteds:
        return {}
    columns = [one.unweighted().columns[:, :, 0] for one in weighteds.values()]
    together = np.concatenate(columns, axis=-1)
    weights = np.asarray(next(iter(weighteds.values())).weights)
    sums = np.empty((draws, len(weights), weights.shape[2], together.shape[-1]))
    places = np.tile(np.arange(weights.shape[1], dtype=np.int32), (draws, 1))
    for system, own in enumerate(weights):
        if system == 0 or not alike:
            places = rng.permuted(places, axis=1)
        for group, weight in enumerate(own.T):
            sums[:, system, group] = weight[places] @ together[system]
    ends = np.cumsum([own.shape[-1] for own in columns])[:-1]
    return {
        key: one.quality(own)
        for (key, one), own in zip(weighteds.items(), np.split(sums, ends, axis=-1), strict=True)
    }


def token_control(
    matches: Matches,
    weighting: Weighting,
    parameters: dict[str, Any],
    difficulty: np.ndarray,
    segments: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> Control:
    """The control of a weighting of tokens: difficulties permuted over the set's reference tokens,
    and 1 − d for d.

    Parameters
    ----------
    matches : Matches
        Of the systems at hand, whose difficulty counts.
    weighting : Weighting
    parameters : dict
        The weighting's, from its `fit`.
    difficulty : ndarray, (1 or systems, reference tokens)
        About 0 to 1.
    segments : ndarray of int
        Indices of those that count.
    draws : int
        None where scores are not linear in the difficulty.
    rng : numpy.random.Generator
    """
    other = weighting.apply(matches, 1 - difficulty, parameters).select(segments=segments)
    inverted = other.observed_quality()
    if not (isinstance(weighting, Tokens) and weighting.linear):
        return no_control(len(inverted))._replace(inverted=inverted, reason=NOT_LINEAR)
    scores = permuted_scores(matches, difficulty, weighting, segments, draws, rng)
    # Token difficulty is the same for all systems, or nearly so: one permutation serves both.
    return Control(scores, scores, inverted)


def permuted_scores(
    matches: Matches,
    difficulty: np.ndarray,
    settings: Tokens,
    segments: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """DA scores with difficulties permuted over the reference tokens of the set.

    Precision and recall are linear in the difficulties, so that blocks of draws are products of
    matrices.

    Parameters
    ----------
    matches : Matches
    difficulty : ndarray, (1 or systems, reference tokens)
        One permutation serves all systems.
    settings : Tokens
        Linear ones.
    segments : ndarray of int
        Indices of those that count; the other segments' tokens take no part.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, (draws, systems)
    """
    slopes, fixed = coefficients(matches, settings)
    inside = np.isin(matches.reference_segment, segments)
    slopes, difficulty, fixed = slopes[:, inside], difficulty[:, inside], fixed[:, segments]
    tokens = slopes.shape[1]
    sums = np.zeros((draws, len(slopes), 2))
    sums[..., 0] = fixed.sum(axis=1)
    step = max(1, BLOCK // max(tokens, 1))
    for start in range(0, draws, step):
        block = sums[start : start + step]
        order = np.array([rng.permutation(tokens) for _ in range(len(block))])
        block += _weigh(difficulty, order, slopes)
    return settings.aggregate(sums, np.full(len(slopes), fixed.shape[1]))


def _weigh(difficulty: np.ndarray, order: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Sums of permuted difficulties times slopes, (draws, systems, 2)."""
    first, alike = difficulty[0][order], len(difficulty) == 1
    everywhere = np.broadcast_to(difficulty, slopes.shape[:2])
    drawn = (first if alike else own[order] for own in everywhere)
    # A product for each system: equal systems have equal scores on every processor.
    return np.stack([own @ weight for own, weight in zip(drawn, slopes, strict=True)], axis=1)


def random_metric(
    gold: np.ndarray, draws: int, rng: np.random.Generator, statistics: Sequence[str]
) -> np.ndarray:
    """Statistics of scores that know nothing against gold, (systems,): (draws, statistics)."""
    return evaluate(statistics, rng.standard_normal((draws, gold.size)), gold)


def quantile(value: float, values: np.ndarray) -> float:
    """Share of the values, NaN left aside, below a value; ties count half. NaN if there are none
    or the value is NaN."""
    values = values[~np.isnan(values)]
    if not values.size or np.isnan(value):
        return np.nan
    ties = np.isclose(values, value, rtol=0, atol=1e-9)
    return float(np.mean(np.where(ties, 0.5, values < value)))


def describe(
    values: Sequence[float],
    standard: Sequence[float],
    control: Control,
    gold: np.ndarray,
    random: np.ndarray,
    statistics: Sequence[str],
    missing: str | None = None,
) -> Iterator[list]:
    """Where the statistics of a weighting stand among its controls.

    Parameters
    ----------
    values, standard : sequence of float, (statistics,)
        Of the weighting and of the plain metric.
    control : Control
    gold : ndarray, (systems,)
    random : ndarray, (draws, statistics)
        Of random metrics.
    statistics : sequence of str
        Of the registry; those that read scores.
    missing : str, optional
        Why a value is NaN.

    Yields
    ------
    list
        From `statistic` on, COLUMNS; NaN where there is nothing to compare.
    """
    inverted = evaluate(statistics, control.inverted, gold)
    drawn = [evaluate(statistics, each, gold) for each in (control.shuffled, control.permuted)]
    for i, statistic in enumerate(statistics):
        places = [number for draws in drawn for number in _place(values[i], draws[:, i])]
        reason = control.reason
        if np.isnan([*places, inverted[i]]).any():
            reason = reason or UNDEFINED
        yield [
            statistic,
            values[i],
            standard[i],
            *places,
            inverted[i],
            *map(float, interval(random[:, i])),
            missing if np.isnan(values[i]) else reason,
        ]


def _place(value: float, draws: np.ndarray) -> tuple[float, ...]:
    """Mean and 95 % range of the draws, and the share of them below a value; NaN of none."""
    draws = draws[~np.isnan(draws)]
    draws = draws if draws.size else np.array([np.nan])
    return draws.mean(), *map(float, interval(draws)), quantile(value, draws)
