"""Compiled loops: correlations and p-values on resamples, and sums in permuted groups."""

import math

import numpy as np

from . import Array, njit

STATISTICS = ("pearson", "kendall", "spearman", "accuracy")  # columns of `mean_correlations`
LANES = 64  # resamples whose correlations are computed side by side
# The normal distribution function Φ over ±REACH; linear interpolation has an error below 5e-7.
REACH = 6
STEPS = 256  # per unit of z
TABLE = np.array(
    [0.5 * math.erfc(-step / STEPS / math.sqrt(2)) for step in range(-REACH * STEPS, REACH * STEPS)]
)


def mean_correlations(scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """Compute mean correlations of scores and gold over subsets of systems.

    Parameters
    ----------
    scores : ndarray
        (resamples, systems), higher is better.
    gold : ndarray
        (resamples, systems) or, the same for all resamples, (systems,); higher is better.
    subsets : ndarray
        (subsets, size), indices of systems. Two draws of one system, or systems of equal gold, are
        no pair.

    Returns
    -------
    ndarray
        (resamples, 4), mean r, τ-b, ρ and pairwise accuracy (Kocmi et al. 2021) over subsets.
        Subsets with constant or undefined scores or gold are left out; NaN if none is left.
    """
    count, size = subsets.shape
    gold = np.asarray(gold, float)
    if gold.ndim == 1:
        gold = np.repeat(gold[None], LANES, axis=0)
    # Working memory: for each subset's gold and, in the last row, for the scores in a subset.
    values = np.empty((count + 1, size, LANES))
    signs = np.empty((count + 1, size * (size - 1) // 2, LANES), np.int8)
    ranks = np.empty((count + 1, size, LANES), np.int32)
    squares = np.empty((count + 1, 3, LANES))
    means = np.empty((len(scores), 4))
    _means(
        np.ascontiguousarray(scores.T, float),
        np.ascontiguousarray(gold.T, float),
        subsets,
        means,
        (values, signs, ranks, squares),
    )
    return means


# Numerical kernel: its loops share working memory, and are fast only within one function.
@njit(cache=True, nogil=True, error_model="numpy")
def _means(  # noqa: C901
    scores: Array, gold: Array, subsets: Array, means: Array, sides: tuple
) -> None:
    """Fill `means`, (resamples, 4), with mean r, τ-b, ρ and pairwise accuracy over subsets.
    `scores` and `gold` are (systems, resamples), of which LANES are computed side by side, in loops
    that are simple enough for the processor's vector instructions."""
    values, signs, ranks, squares = sides
    x = len(subsets)  # row of the scores
    tau = np.empty(LANES, np.int32)
    alike = np.empty(LANES, np.int32)
    is_defined = np.empty(LANES, np.int32)
    sums = np.ones((5, LANES))
    totals = np.empty((5, LANES))
    for start in range(0, len(means), LANES):
        lanes = min(LANES, len(means) - start)
        totals[:] = 0.0
        for s in range(len(subsets)):
            if start < gold.shape[1]:
                _prepare(gold, start, lanes, subsets[s], values[s], signs[s], ranks[s], squares[s])
            _prepare(scores, start, lanes, subsets[s], values[x], signs[x], ranks[x], squares[x])
            for k in range(lanes):
                sums[0, k] = 0.0
                sums[2, k] = 0.0
                tau[k] = 0
                alike[k] = 0
            for a in range(subsets.shape[1]):
                for k in range(lanes):
                    sums[0, k] += values[x, a, k] * values[s, a, k]
                    sums[2, k] += ranks[x, a, k] * ranks[s, a, k]
            for pair in range(signs.shape[1]):
                for k in range(lanes):
                    product = signs[x, pair, k] * signs[s, pair, k]
                    tau[k] += product
                    alike[k] += int(product > 0)
            for k in range(lanes):
                # Sums of squared signs are 0 where one side is constant.
                constant = (squares[x, 1, k] == 0) | (squares[s, 1, k] == 0)
                is_defined[k] = not (constant | np.isnan(sums[0, k]))
                sums[1, k] = 2 * tau[k]
                sums[3, k] = 2 * alike[k] / squares[s, 1, k]
            for i in range(3):
                for k in range(lanes):
                    sums[i, k] /= math.sqrt(squares[x, i, k] * squares[s, i, k])
            for i in range(5):
                for k in range(lanes):
                    totals[i, k] += sums[i, k] if is_defined[k] else 0.0
        for k in range(lanes):
            for i in range(4):
                means[start + k, i] = totals[i, k] / totals[4, k]  # NaN without a subset


@njit(cache=True, nogil=True, error_model="numpy")
def _prepare(
    columns: Array,
    start: int,
    lanes: int,
    subset: Array,
    values: Array,
    signs: Array,
    ranks: Array,
    squares: Array,
) -> None:
    """Fill in the centred values of a subset, signs of pairwise differences, their sums (twice the
    centred ranks), and the sums of squares of all three over ordered pairs."""
    size = len(subset)
    mean = np.zeros(LANES)
    top = np.zeros(LANES)
    untied = np.zeros(LANES, np.int32)
    pair = 0
    for statistic in range(3):
        for k in range(lanes):
            squares[statistic, k] = 0.0
    for a in range(size):
        for k in range(lanes):
            ranks[a, k] = 0
            values[a, k] = columns[subset[a], start + k]
    for a in range(size):
        for k in range(lanes):
            mean[k] += values[a, k] / size
        for b in range(a + 1, size):
            for k in range(lanes):
                sign = int(values[a, k] > values[b, k]) - int(values[a, k] < values[b, k])
                signs[pair, k] = sign
                ranks[a, k] += sign
                ranks[b, k] -= sign
                untied[k] += sign * sign
            pair += 1
    for a in range(size):
        for k in range(lanes):
            top[k] = max(top[k], abs(values[a, k] - mean[k]))
    for k in range(lanes):  # a power of two, so that squares are neither infinite nor 0
        top[k] = math.ldexp(1.0, -max(math.frexp(top[k])[1], -1000))
    for a in range(size):
        for k in range(lanes):
            values[a, k] = (values[a, k] - mean[k]) * top[k]
            squares[0, k] += values[a, k] * values[a, k]
            squares[2, k] += ranks[a, k] * ranks[a, k]
    for k in range(lanes):
        squares[1, k] = 2 * untied[k]


@njit(cache=True, nogil=True, error_model="numpy")
def phi(z: float) -> float:
    """Return the standard normal CDF at z, interpolated in a table; NaN if z is NaN."""
    if np.isnan(z):
        return np.nan
    position = min(max((z + REACH) * STEPS, 0.0), TABLE.size - 1.001)
    step = int(position)
    return TABLE[step] + (position - step) * (TABLE[step + 1] - TABLE[step])


@njit(cache=True, nogil=True, error_model="numpy")
def pairwise_permutation_p(quality: Array, linear: Array, squares: Array, segments: int) -> Array:
    """Approximate one-sided p-values of paired permutation tests between systems by a normal
    distribution.

    Parameters
    ----------
    quality : ndarray
        (resamples, systems), scores; higher is better.
    linear : ndarray
        (resamples, systems), sums of influence over drawn segments.
    squares : ndarray
        (resamples, pairs), sums of squared differences of influence over drawn segments.
    segments : int
        Number of segments.

    Returns
    -------
    ndarray
        (resamples, pairs), with pairs in the order of `np.triu_indices`. p is small if the first
        system is better, 1 if two systems are equal on all segments, NaN if a score is NaN.
    """
    p = np.empty(squares.shape)
    systems = quality.shape[1]
    for row in range(len(p)):
        pair = 0
        for a in range(systems):
            for b in range(a + 1, systems):
                shift = linear[row, a] - linear[row, b]
                variance = squares[row, pair] - shift * shift / segments
                difference = quality[row, a] - quality[row, b]
                if difference == 0 and variance <= 0:
                    p[row, pair] = 1.0  # every permutation reaches the difference
                else:
                    spread = max(variance, 0.0) + difference * difference / segments
                    p[row, pair] = phi(-difference / math.sqrt(spread))
                pair += 1
    return p


def kendall_tau(first: np.ndarray, second: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Compute Kendall's τ-b of two variables on resamples of their cases.

    Parameters
    ----------
    first, second : ndarray
        (cases,).
    counts : ndarray
        How often each case is drawn, (resamples, cases) of uint8.

    Returns
    -------
    ndarray
        (resamples,); NaN where a variable is constant, or has NaN.
    """
    if np.isnan(first).any() or np.isnan(second).any():
        return np.full(len(counts), np.nan)
    ranks = [np.unique(values, return_inverse=True)[1].ravel() for values in (first, second)]
    # The tree is built over the variable with fewer distinct values.
    x, y = sorted(ranks, key=np.max)
    order = np.argsort(y, kind="stable")
    starts = np.searchsorted(y[order], np.arange(y.max() + 2))
    # Rounding may lead beyond ±1.
    return np.clip(resampled_tau(x, order, starts, counts), -1.0, 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def resampled_tau(x: Array, order: Array, starts: Array, counts: Array) -> Array:
    """Compute Kendall's τ-b of two variables x and y on resamples of their cases, with a Fenwick
    tree of counts.

    Parameters
    ----------
    x : ndarray
        (cases,), dense ranks of x, from 0.
    order : ndarray
        (cases,), indices that sort the cases by y.
    starts : ndarray
        (values of y + 1,), the start of each value of y in `order`.
    counts : ndarray
        (resamples, cases), how often a case is drawn.

    Returns
    -------
    ndarray
        (resamples,); NaN if a variable is constant.
    """
    size = x.max() + 1
    tau = np.empty(len(counts))
    tree = np.empty(size + 1, np.int64)
    rank_counts = np.empty(size, np.int64)
    for row in range(len(counts)):
        tree[:] = 0
        rank_counts[:] = 0
        total = 0
        difference = 0
        tied_y = 0
        for value in range(len(starts) - 1):
            before = total
            # Count earlier cases (smaller y) below and above in x; then add the cases of this y.
            for i in range(starts[value], starts[value + 1]):
                node = x[order[i]]
                below = rank_counts[node] - before
                while node > 0:
                    below += 2 * tree[node]
                    node -= node & -node
                difference += counts[row, order[i]] * below
            for i in range(starts[value], starts[value + 1]):
                times = counts[row, order[i]]
                node = x[order[i]] + 1
                rank_counts[node - 1] += times
                total += times
                while node <= size:
                    tree[node] += times
                    node += node & -node
            tied_y += (total - before) * (total - before - 1) // 2
        pairs = total * (total - 1) // 2
        tied_x = (rank_counts * (rank_counts - 1) // 2).sum()
        untied = math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y)
        tau[row] = difference / untied  # 0 / 0 where a variable has one value
    return tau


@njit(cache=True, nogil=True, error_model="numpy")
def group_sums(columns: Array, bins: Array, places: Array, sums: Array) -> None:
    """Sum columns over easy and difficult hypotheses at every threshold, for permuted difficulties.

    Parameters
    ----------
    columns : ndarray
        (systems, segments, k + 1).
    bins : ndarray
        (systems, segments), the number of ascending thresholds that a hypothesis's difficulty
        reaches.
    places : ndarray
        (draws, segments); in a draw, segment i takes the bin of segment places[draw, i].
    sums : ndarray
        (draws, thresholds, systems, 2, k + 1), filled with the sums of easy and difficult
        hypotheses.
    """
    thresholds = sums.shape[1]
    width = columns.shape[2]
    for draw in range(len(places)):
        for system in range(len(columns)):
            bin_sums = np.zeros((thresholds + 1, width))
            for segment in range(columns.shape[1]):
                b = bins[system, places[draw, segment]]
                for k in range(width):
                    bin_sums[b, k] += columns[system, segment, k]
            for k in range(width):
                total = easy = 0.0
                for threshold in range(thresholds + 1):
                    total += bin_sums[threshold, k]
                for threshold in range(thresholds):
                    easy += bin_sums[threshold, k]
                    sums[draw, threshold, system, 0, k] = easy
                    sums[draw, threshold, system, 1, k] = total - easy
