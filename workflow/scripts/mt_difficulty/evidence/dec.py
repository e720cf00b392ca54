"""Difficulty estimation correlation (DEC; Proietti et al. 2025): the correlation between difficulty
and negated human score over the segments of a system, on bootstrap resamples.

Difficulties and human scores are (systems, segments), NaN where a hypothesis has none; `counts`,
(segments, resamples), say how often a segment is drawn. Results are (systems, groups, resamples).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..difficulty.base import among_hardest_of_resamples
from .resampling import bootstrap_weights, random_bits
from .units import Units

# The hardest share of the segments whose human scores are looked at.
BUDGET = 0.25
# Degree of the polynomial in the rank of length that partial correlations take out.
DEGREE = 3
# Number of permutations that reach a difference, below which p is that of a normal tail.
FEW = 10


def judged_cases(difficulty: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return a mask, (systems, segments): True where a difficulty value and human score exist."""
    return ~np.isnan(difficulty) & np.isfinite(gold)


def resample_counts(units: Units, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw bootstrap counts of segments, which are drawn by unit.

    Parameters
    ----------
    units : Units
    resamples : int
    rng : Generator

    Returns
    -------
    ndarray
        (segments, 1 + resamples); column 0, the original sample, is all 1.
    """
    drawn = bootstrap_weights(units.size, resamples, rng)
    return np.insert(units.of_segments(drawn).T, 0, 1, axis=1)


def exchange_masks(units: Units, permutations: int, rng: np.random.Generator) -> np.ndarray:
    """Draw masks of paired permutations, which exchange whole units.

    Parameters
    ----------
    units : Units
    permutations : int
    rng : Generator

    Returns
    -------
    ndarray
        (segments, 1 + permutations): 1 is an exchange; column 0, the original sample, is all 0.
    """
    exchanged = random_bits((units.size, permutations), rng).astype(np.uint8)
    return np.insert(units.of_segments(exchanged.T).T, 0, 0, axis=1)


def _by_system(compute: Callable[[int], np.ndarray], systems: int, threads: int) -> np.ndarray:
    """Stack what `compute` returns for each system."""
    with ThreadPoolExecutor(threads) as pool:
        return np.stack(list(pool.map(compute, range(systems))))


def taus(
    difficulty: np.ndarray,
    gold: np.ndarray,
    counts: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Compute Kendall's τ-b of difficulty and negated human score for each system and group.

    Parameters
    ----------
    difficulty, gold : ndarray
        (systems, segments), NaN where a hypothesis has none.
    counts : ndarray
        How often each segment is drawn, (segments, resamples).
    groups : ndarray, optional
        Labels, (segments,); by default all segments are one group.
    threads : int

    Returns
    -------
    ndarray
        (systems, groups, resamples); NaN where a variable is constant.
    """
    from ..compiled.samples import kendall_tau

    groups = np.zeros(gold.shape[1]) if groups is None else groups
    is_judged = judged_cases(difficulty, gold)
    labels = np.unique(groups)

    def taus_of_system(system: int) -> np.ndarray:
        values = np.full((len(labels), counts.shape[1]), np.nan)
        for i, label in enumerate(labels):
            cases = np.flatnonzero(is_judged[system] & (groups == label))
            if not cases.size:
                continue
            values[i] = kendall_tau(
                difficulty[system, cases], -gold[system, cases], counts[cases].T.copy()
            )
        return values

    return _by_system(taus_of_system, len(gold), threads)


def correlations(
    difficulty: np.ndarray,
    gold: np.ndarray,
    counts: np.ndarray,
    threads: int = 1,
    lengths: np.ndarray | None = None,
) -> np.ndarray:
    """Compute Pearson's r between difficulty and negated human score for each system.

    Parameters
    ----------
    difficulty, gold : ndarray
        (systems, segments), NaN where a hypothesis has none.
    counts : ndarray
        How often each segment is drawn, (segments, resamples).
    threads : int
    lengths : ndarray, optional
        Lengths of the sources, (segments,), for a partial rank correlation.

    Returns
    -------
    ndarray
        (systems, 1, resamples); NaN where a variable is constant or a difficulty infinite.

    Notes
    -----
    The partial rank correlation is r between the residuals of both ranks after a polynomial of
    degree DEGREE in the rank of length, fitted once per system. Unlike Kendall's partial τ, this r
    is 0 where length alone causes the correlation.
    """
    is_judged = judged_cases(difficulty, gold)

    def correlations_of_system(system: int) -> np.ndarray:
        cases = is_judged[system]
        x = difficulty[system, cases]
        y = -gold[system, cases]
        drawn = counts[cases]
        if lengths is not None:
            x = _beside_length(x, lengths[cases])
            y = _beside_length(y, lengths[cases])
        if not np.isfinite(x).all() or not x.size:
            return np.full((1, counts.shape[1]), np.nan)
        x = x - x.mean()
        y = y - y.mean()
        n, sx, sy, xx, yy, xy = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y]) @ drawn
        with np.errstate(invalid="ignore", divide="ignore"):
            x_spread = xx - sx * sx / n
            y_spread = yy - sy * sy / n
            varied = (x_spread > 1e-12 * xx) & (y_spread > 1e-12 * yy)
            r = (xy - sx * sy / n) / np.sqrt(x_spread * y_spread)
            return np.where(varied, r, np.nan)[None]

    return _by_system(correlations_of_system, len(gold), threads)


def _beside_length(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return residuals, (cases,), of the values' ranks after a polynomial in the length's rank."""
    import pandas as pd

    if not values.size:
        return values
    rank = pd.Series(values).rank().to_numpy()
    length_rank = pd.Series(lengths).rank().to_numpy()
    curve = np.linalg.qr(np.vander(2 * length_rank / len(length_rank) - 1, DEGREE + 1))[0]
    rank = rank - rank.mean()
    residuals = rank - curve @ (curve.T @ rank)
    if np.square(residuals).sum() > 1e-12 * np.square(rank).sum():
        return residuals
    return np.zeros(len(residuals))


def hardest_scores(difficulty: np.ndarray, gold: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Average the human scores of the hardest segments of each system.

    Parameters
    ----------
    difficulty, gold : ndarray
        (systems, segments), NaN where a hypothesis has none.
    counts : ndarray
        How often each segment is drawn, (segments, resamples).

    Returns
    -------
    ndarray
        (systems, 1, resamples): means over a share BUDGET of a system's rated segments. Equally
        difficult segments at the boundary share the rest of the budget.
    """
    is_judged = judged_cases(difficulty, gold)
    means = np.empty((len(gold), 1, counts.shape[1]))
    # Systems with the same difficulties of the same segments are computed together.
    systems_alike: dict[bytes, list[int]] = {}
    for system, judged in enumerate(is_judged):
        values = np.where(judged, difficulty[system], np.nan)
        systems_alike.setdefault(values.tobytes(), []).append(system)
    for systems in systems_alike.values():
        judged_segments = np.flatnonzero(is_judged[systems[0]])
        if not len(judged_segments):
            means[systems, 0] = np.nan
            continue
        drawn = counts[judged_segments].T
        number = np.ceil(BUDGET * drawn.sum(axis=1))
        values = difficulty[systems[0], judged_segments]
        weights = among_hardest_of_resamples(values, drawn, number)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[systems, 0] = gold[systems][:, judged_segments] @ weights.T / number
    return means


def mean_over_systems(values: np.ndarray, drawn: np.ndarray | None = None) -> np.ndarray:
    """Average finite values over systems, then over groups: (systems, groups, resamples) to
    (resamples,), NaN without any. `drawn`, (resamples, systems), says how often a system counts."""
    times = np.ones((1, len(values))) if drawn is None else drawn.astype(float)
    times = np.broadcast_to(times, (values.shape[2], len(values)))
    known = np.isfinite(values)
    sums = np.einsum("rs,sgr->gr", times, np.where(known, values, 0.0))
    numbers = np.einsum("rs,sgr->gr", times, known.astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        group_means = sums / numbers
        is_defined = numbers > 0
        return np.where(is_defined, group_means, 0.0).sum(axis=0) / is_defined.sum(axis=0)


def exchange_test(
    first: np.ndarray,
    second: np.ndarray,
    gold: np.ndarray,
    masks: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> tuple[float, float, float, int]:
    """Test the difference in DEC between two difficulties by paired permutations.

    The difficulties' ranks within a system are exchanged on random units, the same for all
    systems; only hypotheses that have both difficulties count.

    Parameters
    ----------
    first, second : ndarray
        Difficulties, (systems, segments), NaN where a hypothesis has none.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent.
    masks : ndarray
        Result of `exchange_masks`.
    groups : ndarray, optional
        Labels, (segments,), within which DEC is computed; by default over all segments.
    threads : int

    Returns
    -------
    tuple
        Both DEC, two-sided p (with +1; NaN without DEC) and the number of hypotheses. If fewer than
        FEW permutations reach the difference, p is of a normal distribution with their variance, if
        that is smaller.
    """
    import pandas as pd
    from scipy.special import ndtr

    is_judged = judged_cases(first, gold) & judged_cases(second, gold)
    # Both difficulties are concatenated; a permutation takes one case of each segment's two.
    ranks = [
        pd.DataFrame(np.where(is_judged, values, np.nan)).rank(axis=1).to_numpy()
        for values in (first, second)
    ]
    cases = np.concatenate(ranks, axis=1)
    scores = np.tile(np.where(is_judged, gold, np.nan), 2)
    groups_twice = None if groups is None else np.tile(groups, 2)
    taken = np.concatenate([1 - masks, masks]).astype(np.uint8)
    first_dec = mean_over_systems(taus(cases, scores, taken, groups_twice, threads))
    second_dec = mean_over_systems(taus(cases, scores, 1 - taken, groups_twice, threads))
    # The first column is the original data.
    differences = first_dec - second_dec
    reached = ~(np.abs(differences[1:]) < abs(differences[0]) - 1e-12)
    p = (1 + reached.sum()) / (1 + reached.size)
    spread = np.sqrt(np.mean(np.square(differences[1:])))
    if reached.sum() < FEW and spread > 0:
        p = min(p, 2 * ndtr(-abs(differences[0]) / spread))
    p = float(p) if np.isfinite(differences[0]) else np.nan
    return float(first_dec[0]), float(second_dec[0]), p, int(is_judged.sum())
