"""Controls of difficulty weighting: what its gain is worth beside random difficulties, inverted
weights and random metrics."""

from typing import NamedTuple

import numpy as np

from . import token_weighting, weighting
from .correlation import STATISTICS, correlate

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value", "standard"),
    *("shuffled_mean", "shuffled_low", "shuffled_high", "gain_quantile", "inverted"),
    *("random_low", "random_high", "reason"),
]
NOT_LINEAR = "no shuffled difficulty: with softmax or unit range DA is not linear in it"
# Difficulties that are permuted at a time.
BLOCK = 2**22


class Control(NamedTuple):
    """System scores under a weighting's controls.

    shuffled : ndarray, (draws, systems)
        With random difficulties; no draws where these cannot be had.
    inverted : ndarray, (systems,)
        What is easy weighs as what is difficult should, and the other way round.
    reason : str, optional
        Why there are no draws.
    """

    shuffled: np.ndarray
    inverted: np.ndarray
    reason: str | None = None


def no_control(systems):
    """The control of a weighting without scores."""
    return Control(np.empty((0, systems)), np.full(systems, np.nan))


def ee_controls(metrics, statistics, difficult, w, draws, rng):
    """Controls of EE: groups of the same sizes drawn at random (Liu et al.'s "w/o entropy"), and
    the weights w and 1 − w swapped.

    Parameters and NaN are those of `weighting.random_split_scores`.

    Returns
    -------
    dict of str to Control
    """
    shuffled = weighting.random_split_scores(metrics, statistics, difficult, w, draws, rng)
    return {
        name: Control(
            shuffled[name],
            weighting.balanced(
                metric.aggregate(*weighting.group_sums(statistics[name], difficult)), 1 - w
            ),
        )
        for name, metric in metrics.items()
    }


def da_control(matches, settings, leave_one_out, draws, rng):
    """Control of DA: difficulties permuted over the set's reference tokens, and 1 − d for d.

    Parameters
    ----------
    matches : Matches
        Of the systems at hand, whose difficulty counts.
    settings : token_weighting.Settings
    leave_one_out : bool
        A system's difficulties come from the others; one permutation serves all systems.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    Control
        Without draws where the settings are not linear.
    """
    difficulty = token_weighting.token_difficulty(matches.reference_similarity, leave_one_out)
    statistics = token_weighting.segment_scores(matches, 1 - difficulty, settings)
    shuffled = permuted_scores(matches, difficulty, settings, draws * settings.linear, rng)
    inverted = weighting.standard_scores(settings, statistics)
    return Control(shuffled, inverted, None if settings.linear else NOT_LINEAR)


def permuted_scores(matches, difficulty, settings, draws, rng):
    """DA scores with difficulties permuted over the reference tokens of the set.

    Precision and recall are linear in the difficulties, so that blocks of draws are products of
    matrices.

    Parameters
    ----------
    matches : Matches
    difficulty : ndarray, (1 or systems, reference tokens)
    settings : token_weighting.Settings
        Linear ones.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, (draws, systems)
    """
    mass, fixed = token_weighting.masses(matches, settings)
    tokens = difficulty.shape[1]
    sums = np.zeros((draws, len(mass), 2))
    sums[..., 0] = fixed.sum(axis=1)
    step = max(1, BLOCK // max(tokens, 1))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        order = np.array([rng.permutation(tokens) for _ in range(count)])
        sums[start : start + count] += _weigh(difficulty, order, mass)
    return settings.aggregate(sums, np.full(len(mass), fixed.shape[1]))


def _weigh(difficulty, order, mass):
    """Sums of permuted difficulties times masses, (draws, systems, 2)."""
    if len(difficulty) == 1:
        return np.einsum("dt,stc->dsc", difficulty[0][order], mass, optimize=True)
    return np.stack(
        [own[order] @ weight for own, weight in zip(difficulty, mass, strict=True)], axis=1
    )


def random_metric(gold, draws, rng):
    """Correlations with gold, (systems,), of scores that know nothing: `Correlations` of
    (draws,)."""
    return correlate(rng.standard_normal((draws, gold.size)), gold)


def interval(values, level=0.95):
    """Ends of the central range of the values that are not NaN; NaN if all are."""
    values = values[~np.isnan(values)]
    if not values.size:
        return np.nan, np.nan
    return tuple(np.quantile(values, [(1 - level) / 2, (1 + level) / 2]))


def quantile(value, values):
    """Share of the values, NaN left aside, below a value; ties count half. NaN if there are none
    or the value is NaN."""
    values = values[~np.isnan(values)]
    if not values.size or np.isnan(value):
        return np.nan
    ties = np.isclose(values, value, rtol=0, atol=1e-9)
    return float(np.mean(np.where(ties, 0.5, values < value)))


def describe(values, standard, control, gold, random, missing=None):
    """Where the correlations of a weighting stand among its controls.

    Parameters
    ----------
    values, standard : sequence of float, (3,)
        Correlations of the weighting and of the plain metric, by statistic.
    control : Control
        Scores of which higher is better.
    gold : ndarray, (systems,)
    random : Correlations
        Of random metrics.
    missing : str, optional
        Why a value is NaN.

    Yields
    ------
    list
        From `statistic` on, COLUMNS; NaN where there is nothing to compare.
    """
    shuffled, inverted = correlate(control.shuffled, gold), correlate(control.inverted, gold)
    for i, statistic in enumerate(STATISTICS):
        draws = shuffled[i][~np.isnan(shuffled[i])]
        yield [
            statistic,
            values[i],
            standard[i],
            draws.mean() if draws.size else np.nan,
            *interval(draws),
            quantile(values[i], draws),
            inverted[i],
            *interval(random[i]),
            missing if np.isnan(values[i]) else control.reason,
        ]
