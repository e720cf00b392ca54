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

BUDGET = 0.25  # the hardest share of the segments whose human scores are looked at
DEGREE = 3  # of the curve in the rank of length that partial correlations take out
FEW = 10  # permutations that reach a difference, below which p is that of a normal tail


def judged_cases(difficulty: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return a mask, (systems, segments): True where a difficulty value and human score exist."""
    return ~np.isnan(difficulty) & np.isfinite(gold)


def resample_counts(segments: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw bootstrap counts, (segments, 1 + resamples); column 0, the original sample, is all 1."""
    counts = np.ones((segments, 1 + resamples), dtype=np.uint8)
    counts[:, 1:] = bootstrap_weights(segments, resamples, rng).T
    return counts


def exchange_masks(segments: int, permutations: int, rng: np.random.Generator) -> np.ndarray:
    """Draw paired-permutation masks, (segments, 1 + permutations): 1 is a swap; column 0 is 0."""
    return np.insert(random_bits((segments, permutations), rng), 0, 0, axis=1).astype(np.uint8)


def _by_system(compute: Callable[[int], np.ndarray], systems: int, threads: int) -> np.ndarray:
    with ThreadPoolExecutor(threads) as pool:
        return np.stack(list(pool.map(compute, range(systems))))


def taus(
    difficulty: np.ndarray,
    gold: np.ndarray,
    counts: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Return Kendall's τ-b of difficulty and negated human score over the segments of each system
    and group. `counts`, (segments, resamples), says how often each segment is drawn; `groups`,
    (segments,), are labels. NaN where a variable is constant."""
    from ..compiled.samples import resampled_tau

    groups = np.zeros(gold.shape[1]) if groups is None else groups
    there, labels = judged_cases(difficulty, gold), np.unique(groups)

    def of_system(system: int) -> np.ndarray:
        of_groups = np.full((len(labels), counts.shape[1]), np.nan)
        for place, label in enumerate(labels):
            cases = np.flatnonzero(there[system] & (groups == label))
            if not cases.size:
                continue
            sides = difficulty[system, cases], -gold[system, cases]
            dense = (np.unique(values, return_inverse=True)[1].ravel() for values in sides)
            # The tree is built over the variable with fewer distinct values.
            x, y = sorted(dense, key=np.max)
            order = np.argsort(y, kind="stable")
            starts = np.searchsorted(y[order], np.arange(y.max() + 2))
            of_groups[place] = resampled_tau(x, order, starts, counts[cases].T.copy())
        return of_groups

    return _by_system(of_system, len(gold), threads)


def correlations(
    difficulty: np.ndarray,
    gold: np.ndarray,
    counts: np.ndarray,
    threads: int = 1,
    lengths: np.ndarray | None = None,
) -> np.ndarray:
    """Compute Pearson's r between difficulty and negated human score over the segments of each
    system; NaN where a variable is constant or a difficulty infinite. With `lengths` of the
    sources, (segments,), compute a partial rank correlation: r between the residuals of both ranks
    after a polynomial of degree DEGREE in the rank of length, fitted once per system. Unlike
    Kendall's partial τ, this r is 0 where length alone causes the correlation."""
    there = judged_cases(difficulty, gold)

    def of_system(system: int) -> np.ndarray:
        cases = there[system]
        x, y, drawn = difficulty[system, cases], -gold[system, cases], counts[cases]
        if lengths is not None:
            x, y = (_beside_length(values, lengths[cases]) for values in (x, y))
        if not np.isfinite(x).all() or not x.size:
            return np.full((1, counts.shape[1]), np.nan)
        x, y = x - x.mean(), y - y.mean()
        n, sx, sy, xx, yy, xy = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y]) @ drawn
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = xx - sx * sx / n, yy - sy * sy / n
            varied = (spread[0] > 1e-12 * xx) & (spread[1] > 1e-12 * yy)
            r = (xy - sx * sy / n) / np.sqrt(spread[0] * spread[1])
            return np.where(varied, r, np.nan)[None]

    return _by_system(of_system, len(gold), threads)


def _beside_length(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return residuals, (cases,), of the values' ranks after a polynomial in the length's rank."""
    from scipy.stats import rankdata

    if not values.size:
        return values
    rank, by = rankdata(values), rankdata(lengths)
    curve = np.linalg.qr(np.vander(2 * by / len(by) - 1, DEGREE + 1))[0]
    rank = rank - rank.mean()
    left = rank - curve @ (curve.T @ rank)
    return left if np.square(left).sum() > 1e-12 * np.square(rank).sum() else np.zeros(len(left))


def hardest_scores(difficulty: np.ndarray, gold: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Average the human scores of the hardest segments of each system, (systems, 1, resamples): a
    share BUDGET of its rated segments. Segments that are equally difficult where the line is drawn
    share what is left."""
    there = judged_cases(difficulty, gold)
    means = np.empty((len(gold), 1, counts.shape[1]))
    # Systems with the same difficulties of the same segments are computed together.
    alike: dict[bytes, list[int]] = {}
    for system, known in enumerate(there):
        of_system = np.where(known, difficulty[system], np.nan)
        alike.setdefault(of_system.tobytes(), []).append(system)
    for same in alike.values():
        known = np.flatnonzero(there[same[0]])
        if not len(known):
            means[same, 0] = np.nan
            continue
        drawn = counts[known].T
        number = np.ceil(BUDGET * drawn.sum(axis=1))
        weights = among_hardest_of_resamples(difficulty[same[0], known], drawn, number)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[same, 0] = gold[same][:, known] @ weights.T / number
    return means


def mean_over_systems(values: np.ndarray, drawn: np.ndarray | None = None) -> np.ndarray:
    """Average finite values over systems, then over groups: (systems, groups, resamples) to
    (resamples,), NaN without any. `drawn`, (resamples, systems), says how often a system counts."""
    times = np.ones((1, len(values))) if drawn is None else drawn.astype(float)
    times, known = np.broadcast_to(times, (values.shape[2], len(values))), np.isfinite(values)
    sums = np.einsum("rs,sgr->gr", times, np.where(known, values, 0.0))
    numbers = np.einsum("rs,sgr->gr", times, known.astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_groups, defined = sums / numbers, numbers > 0
        return np.where(defined, of_groups, 0.0).sum(axis=0) / defined.sum(axis=0)


def exchange_test(
    first: np.ndarray,
    second: np.ndarray,
    gold: np.ndarray,
    masks: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> tuple[float, float, float, int]:
    """Paired permutation test of the difference in DEC between two difficulties, over all segments
    or within `groups`, on hypotheses that have both: the difficulties' ranks within a system are
    exchanged on random segments (`exchange_masks`), the same for all systems. Returns both DEC,
    two-sided p (with +1) and the number of hypotheses. If fewer than FEW permutations reach the
    difference, p is of a normal distribution with their variance, if smaller; NaN without DEC."""
    from scipy.special import ndtr
    from scipy.stats import rankdata

    there = judged_cases(first, gold) & judged_cases(second, gold)
    # Both difficulties are concatenated; a permutation takes one case of each segment's two.
    sides = (np.where(there, values, np.nan) for values in (first, second))
    cases = np.concatenate([rankdata(v, axis=1, nan_policy="omit") for v in sides], axis=1)
    scores = np.tile(np.where(there, gold, np.nan), 2)
    double = None if groups is None else np.tile(groups, 2)
    taken = np.concatenate([1 - masks, masks]).astype(np.uint8)
    of_systems = (taus(cases, scores, drawn, double, threads) for drawn in (taken, 1 - taken))
    means = list(map(mean_over_systems, of_systems))
    # The first column is the original data.
    differences = means[0] - means[1]
    reached = ~(np.abs(differences[1:]) < abs(differences[0]) - 1e-12)
    p = (1 + reached.sum()) / (1 + reached.size)
    spread = np.sqrt(np.mean(np.square(differences[1:])))
    if reached.sum() < FEW and spread > 0:
        p = min(p, 2 * ndtr(-abs(differences[0]) / spread))
    p = float(p) if np.isfinite(differences[0]) else np.nan
    return float(means[0][0]), float(means[1][0]), p, int(there.sum())
