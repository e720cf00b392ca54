"""Compiled loops: correlations and p-values on resamples, and sums in permuted groups."""

import math

import numpy as np

from . import Array, njit

STATISTICS = ("pearson", "kendall", "spearman", "accuracy")  # columns of `mean_correlations`
LANES = 64  # resamples whose correlations are computed side by side
# The normal distribution function Φ over ±REACH; linear interpolation has an error below 5e-7.
REACH, STEPS = 6, 256
TABLE = np.array(
    [0.5 * math.erfc(-step / STEPS / math.sqrt(2)) for step in range(-REACH * STEPS, REACH * STEPS)]
)


def mean_correlations(scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """Compute the mean r, τ-b, ρ and pairwise accuracy (Kocmi et al. 2021) over subsets of systems,
    (resamples, 4). Subsets with constant or undefined scores or gold are left out; NaN if none is
    left. `scores` and `gold` are (resamples, systems), or `gold` (systems,), higher is better;
    `subsets` (subsets, size). Two draws of one system, or systems of equal gold, are no pair."""
    (count, size), means = subsets.shape, np.empty((len(scores), 4))
    gold = np.asarray(gold, float)
    gold = np.repeat(gold[None], LANES, axis=0) if gold.ndim == 1 else gold
    # Of each subset's gold and, in the last row, of the scores in a subset.
    values, ranks = np.empty((count + 1, size, LANES)), np.empty((count + 1, size, LANES), np.int32)
    signs = np.empty((count + 1, size * (size - 1) // 2, LANES), np.int8)
    sides = values, signs, ranks, np.empty((count + 1, 3, LANES))
    columns, of_gold = (np.ascontiguousarray(side.T, float) for side in (scores, gold))
    _means(columns, of_gold, subsets, means, sides)
    return means


@njit(cache=True, nogil=True, error_model="numpy")
def _means(scores: Array, gold: Array, subsets: Array, means: Array, sides: tuple) -> None:
    """Fill `means`, (resamples, 4), with mean r, τ-b, ρ and pairwise accuracy over subsets.
    `scores` and `gold` are (systems, resamples), of which LANES are computed side by side, in loops
    that are simple enough for the processor's vector instructions."""
    values, signs, ranks, squares = sides
    x, (tau, alike, kept) = len(subsets), np.empty((3, LANES), np.int32)
    sums, totals = np.ones((5, LANES)), np.empty((5, LANES))
    for start in range(0, len(means), LANES):
        lanes = min(LANES, len(means) - start)
        totals[:] = 0.0
        for s in range(len(subsets)):
            if start < gold.shape[1]:
                _prepare(gold, start, lanes, subsets[s], values[s], signs[s], ranks[s], squares[s])
            _prepare(scores, start, lanes, subsets[s], values[x], signs[x], ranks[x], squares[x])
            for k in range(lanes):
                sums[0, k], sums[2, k], tau[k], alike[k] = 0.0, 0.0, 0, 0
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
                kept[k] = not (constant | np.isnan(sums[0, k]))
                sums[1, k], sums[3, k] = 2 * tau[k], 2 * alike[k] / squares[s, 1, k]
            for i in range(3):
                for k in range(lanes):
                    sums[i, k] /= math.sqrt(squares[x, i, k] * squares[s, i, k])
            for i in range(5):
                for k in range(lanes):
                    totals[i, k] += sums[i, k] if kept[k] else 0.0
        for k in range(lanes):
            for i in range(4):
                means[start + k, i] = totals[i, k] / totals[4, k]  # NaN without any


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
    size, pair, mean, top = len(subset), 0, np.zeros(LANES), np.zeros(LANES)
    untied = np.zeros(LANES, np.int32)
    for statistic in range(3):
        for k in range(lanes):
            squares[statistic, k] = 0.0
    for a in range(size):
        for k in range(lanes):
            ranks[a, k], values[a, k] = 0, columns[subset[a], start + k]
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
    place = min(max((z + REACH) * STEPS, 0.0), TABLE.size - 1.001)
    step = int(place)
    return TABLE[step] + (place - step) * (TABLE[step + 1] - TABLE[step])


@njit(cache=True, nogil=True, error_model="numpy")
def pairwise_permutation_p(quality: Array, linear: Array, squares: Array, segments: int) -> Array:
    """Approximate one-sided p-values of paired permutation tests between systems by a normal
    distribution, (resamples, pairs), with pairs in the order of `np.triu_indices`. p is small if
    the first system is better, 1 if two systems are equal on all segments, NaN if a score is NaN.
    `quality`, (resamples, systems), are scores; `linear`, of this shape, and `squares`, (resamples,
    pairs), are sums over drawn segments of influence and of its squared differences."""
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


@njit(cache=True, nogil=True, error_model="numpy")
def resampled_tau(x: Array, order: Array, starts: Array, counts: Array) -> Array:
    """Compute Kendall's τ-b, (resamples,), of two variables x and y on resamples of their cases,
    with a Fenwick tree of counts; NaN if a variable is constant. `x`, (cases,), has dense ranks of
    x, from 0; `order` sorts the cases by y; `starts`, (values of y + 1,), has the start of each
    value of y in `order`; `counts`, (resamples, cases), how often a case is drawn."""
    size, tau = x.max() + 1, np.empty(len(counts))
    tree, of_rank = np.empty(size + 1, np.int64), np.empty(size, np.int64)
    for row in range(len(counts)):
        tree[:], of_rank[:], total, difference, tied_y = 0, 0, 0, 0, 0
        for value in range(len(starts) - 1):
            before = total
            # Count earlier cases (smaller y) below and above in x; then add the cases of this y.
            for place in range(starts[value], starts[value + 1]):
                node = x[order[place]]
                below = of_rank[node] - before
                while node > 0:
                    below += 2 * tree[node]
                    node -= node & -node
                difference += counts[row, order[place]] * below
            for place in range(starts[value], starts[value + 1]):
                times, node = counts[row, order[place]], x[order[place]] + 1
                of_rank[node - 1] += times
                total += times
                while node <= size:
                    tree[node] += times
                    node += node & -node
            tied_y += (total - before) * (total - before - 1) // 2
        pairs = total * (total - 1) // 2
        tied_x = (of_rank * (of_rank - 1) // 2).sum()
        untied = math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y)
        tau[row] = difference / untied  # 0 / 0 where a variable has one value
    return tau


@njit(cache=True, nogil=True, error_model="numpy")
def group_sums(columns: Array, bins: Array, places: Array, sums: Array) -> None:
    """Sum columns, (systems, segments, k + 1), over easy and difficult hypotheses at every
    threshold, for permuted difficulties; writes into `sums`, (draws, thresholds, systems, 2, k +
    1). `bins`, (systems, segments), is the number of ascending thresholds that a hypothesis's
    difficulty reaches. In a draw, segment i takes the bin of segment places[draw, i]."""
    thresholds, width = sums.shape[1], columns.shape[2]
    for draw in range(len(places)):
        for system in range(len(columns)):
            of_bin = np.zeros((thresholds + 1, width))
            for segment in range(columns.shape[1]):
                place = bins[system, places[draw, segment]]
                for k in range(width):
                    of_bin[place, k] += columns[system, segment, k]
            for k in range(width):
                total = easy = 0.0
                for threshold in range(thresholds + 1):
                    total += of_bin[threshold, k]
                for threshold in range(thresholds):
                    easy += of_bin[threshold, k]
                    sums[draw, threshold, system, 0, k] = easy
                    sums[draw, threshold, system, 1, k] = total - easy
