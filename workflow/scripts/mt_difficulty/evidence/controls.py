"""Controls of difficulty weighting: what its gain is worth beside random difficulties, inverted
weights and random metrics."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..embedding.matching import Matches
from ..statistics import evaluate
from ..weighting import tokens as token_weighting
from ..weighting.base import WeightedMetric
from ..weighting.tokens import Tokens
from .resampling import interval
from .subset_scores import coefficients

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value", "standard"),
    *("shuffled_mean", "shuffled_low", "shuffled_high", "gain_quantile"),
    *("permuted_mean", "permuted_low", "permuted_high", "permuted_quantile"),
    *("inverted", "random_low", "random_high", "reason"),
]
NOT_LINEAR = "no shuffled difficulty: with softmax or unit range DA is not linear in it"
# Difficulties that are permuted at a time.
BLOCK = 2**22


class Control(NamedTuple):
    """System scores under a weighting's controls; higher is better.

    shuffled : ndarray, (draws, systems)
        With random difficulties, for EE drawn for every system on its own; no draws where these
        cannot be had.
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


def ee_controls(
    weighteds: dict[Any, WeightedMetric], draws: int, rng: np.random.Generator
) -> dict[Any, Control]:
    """Controls of EE: random groups, and the weights w and 1 − w swapped.

    Parameters and NaN are those of `random_splits`.

    Returns
    -------
    dict to Control
        By the same keys.
    """
    shuffled = random_splits(weighteds, draws, rng)
    permuted = random_splits(weighteds, draws, rng, alike=True)
    return {
        key: Control(
            shuffled[key], permuted[key], one._replace(shares=one.shares[::-1]).observed_quality()
        )
        for key, one in weighteds.items()
    }


def random_splits(
    weighteds: dict[Any, WeightedMetric], draws: int, rng: np.random.Generator, alike: bool = False
) -> dict[Any, np.ndarray]:
    """EE scores when each system's groups are drawn at random, sizes kept (Liu et al. 2022, Table
    4, "w/o entropy").

    Parameters
    ----------
    weighteds : dict to WeightedMetric
        All with the same weights; one draw serves all.
    draws : int
    rng : numpy.random.Generator
    alike : bool
        The segments change places in the same way for all systems, so that groups overlap between
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


def da_controls(
    matches: Matches, settings: Tokens, draws: int, rng: np.random.Generator
) -> dict[str, Control]:
    """Controls of DA: difficulties permuted over the set's reference tokens, and 1 − d for d.

    Parameters
    ----------
    matches : Matches
        Of the systems at hand, whose difficulty counts.
    settings : token_weighting.Tokens
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to Control
        Of DA and DA-LOO; without draws where the settings are not linear.
    """
    difficulties = {
        weighting: token_weighting.token_difficulty(matches.reference_similarity, others)
        for weighting, others in (("DA", False), ("DA-LOO", True))
    }
    draws *= settings.linear
    shuffled = permuted_scores(matches, list(difficulties.values()), settings, draws, rng)
    found = {}
    for (weighting, difficulty), scores in zip(difficulties.items(), shuffled, strict=True):
        statistics = token_weighting.segment_scores(matches, 1 - difficulty, settings)
        inverted = WeightedMetric(settings.aggregate, statistics).observed_quality()
        reason = None if settings.linear else NOT_LINEAR
        # Token difficulty is the same for all systems, or nearly so: one permutation serves both.
        found[weighting] = Control(scores, scores, inverted, reason)
    return found


def permuted_scores(
    matches: Matches,
    difficulties: list[np.ndarray],
    settings: Tokens,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """DA scores with difficulties permuted over the reference tokens of the set.

    Precision and recall are linear in the difficulties, so that blocks of draws are products of
    matrices.

    Parameters
    ----------
    matches : Matches
    difficulties : list of ndarray, (1 or systems, reference tokens)
        One permutation serves all of them and all systems.
    settings : token_weighting.Tokens
        Linear ones.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, (difficulties, draws, systems)
    """
    mass, fixed = coefficients(matches, settings)
    tokens = mass.shape[1]
    sums = np.zeros((len(difficulties), draws, len(mass), 2))
    sums[..., 0] = fixed.sum(axis=1)
    step = max(1, BLOCK // max(tokens, 1))
    for start in range(0, draws, step):
        block = sums[:, start : start + step]
        order = np.array([rng.permutation(tokens) for _ in range(block.shape[1])])
        for own, difficulty in zip(block, difficulties, strict=True):
            own += _weigh(difficulty, order, mass)
    return settings.aggregate(sums, np.full(len(mass), fixed.shape[1]))


def _weigh(difficulty: np.ndarray, order: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Sums of permuted difficulties times masses, (draws, systems, 2)."""
    first, alike = difficulty[0][order], len(difficulty) == 1
    drawn = (first if alike else own[order] for own in np.broadcast_to(difficulty, mass.shape[:2]))
    # A product for each system: equal systems have equal scores on every processor.
    return np.stack([own @ weight for own, weight in zip(drawn, mass, strict=True)], axis=1)


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
        yield [
            statistic,
            values[i],
            standard[i],
            *(number for draws in drawn for number in _place(values[i], draws[:, i])),
            inverted[i],
            *map(float, interval(random[:, i])),
            missing if np.isnan(values[i]) else control.reason,
        ]


def _place(value: float, draws: np.ndarray) -> tuple[float, ...]:
    """Mean and 95 % range of the draws, and the share of them below a value; NaN of none."""
    draws = draws[~np.isnan(draws)]
    draws = draws if draws.size else np.array([np.nan])
    return draws.mean(), *map(float, interval(draws)), quantile(value, draws)
