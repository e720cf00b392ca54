"""Compiled loops: tests between all pairs of metrics (or metrics under weightings, keys), normal
p-values, Kendall's τ-b on resamples, and sums over groups of permuted difficulties."""

import math

import numpy as np

from ..compiled import njit

Array = np.ndarray

TOLERANCE = 1e-12
# Sums of squares below this share of what they are a difference of are rounding.
ROUNDING = 1e-12
# Resamples that go through the tree of `resampled_tau` together.
LANES = 64
# A table of Φ, the distribution function of the standard normal, spans ±REACH with STEPS values per
# unit, 25 kB, which a processor's fastest cache holds. The error of linear interpolation is less
# than 5e-7: 4.7e-7, and 1e-9 beyond the table, where its end stands for all.
REACH, STEPS = 6, 256
TABLE = np.array(
    [0.5 * math.erfc(-step / STEPS / math.sqrt(2)) for step in range(-REACH * STEPS, REACH * STEPS)]
)


@njit(cache=True, nogil=True, error_model="numpy")
def phi(z: float) -> float:
    """Φ(z); NaN for NaN."""
    if np.isnan(z):
        return np.nan
    place = min(max((z + REACH) * STEPS, 0.0), TABLE.size - 1.001)
    step = int(place)
    return TABLE[step] + (place - step) * (TABLE[step + 1] - TABLE[step])


@njit(cache=True, nogil=True, error_model="numpy")
def pairwise_permutation_p(quality: Array, linear: Array, squares: Array, segments: int) -> Array:
    """Normal approximation of the one-sided p of paired permutation tests that the first system of
    a pair is not better, (resamples, pairs), in the order of `np.triu_indices`.

    The permuted differences have the variance of the difference + difference² / segments. `quality`
    and `linear`, (resamples, systems), are scores and sums of influence over the segments drawn,
    `squares`, (resamples, pairs), sums of squared differences of influence."""
    found = np.empty(squares.shape)
    systems = quality.shape[1]
    for row in range(len(found)):
        pair = 0
        for a in range(systems):
            for b in range(a + 1, systems):
                shift = linear[row, a] - linear[row, b]
                variance = squares[row, pair] - shift * shift / segments
                difference = quality[row, a] - quality[row, b]
                if difference == 0 and variance <= 0:
                    found[row, pair] = 1.0  # every permutation reaches the difference
                else:
                    spread = max(variance, 0.0) + difference * difference / segments
                    found[row, pair] = phi(-difference / math.sqrt(spread))
                pair += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def system_statistics(
    scores: Array, gold: Array, gold_p: Array, variance: Array, segments: int
) -> Array:
    """Pearson's r, τ-b, ρ, pairwise accuracy and SPA of many scores, (systems, resamples) to
    (5, resamples); for SPA p-values of human scores and variances of differences of scores are
    given, (pairs,) each."""
    systems, resamples = scores.shape
    ranks, gold_ranks = np.zeros((systems, resamples)), np.zeros(systems)
    both, ordered, alike = np.zeros(resamples), np.zeros(resamples), np.zeros(resamples)
    gaps, places = np.zeros(resamples), np.empty(resamples)
    gold_ordered, pair = 0, 0
    for a in range(systems):
        for b in range(a + 1, systems):
            y = 1.0 * (gold[a] > gold[b]) - 1.0 * (gold[a] < gold[b])
            gold_ranks[a] += y
            gold_ranks[b] -= y
            gold_ordered += y != 0
            _compare(scores[a], scores[b], y, ranks[a], ranks[b], both, ordered, alike)
            _add_gaps(scores[a], scores[b], variance[pair], segments, gold_p[pair], places, gaps)
            pair += 1
    found = np.empty((5, resamples))
    _pearson(scores, gold, found[0])
    for r in range(resamples):
        found[1, r] = both[r] / math.sqrt(ordered[r] * gold_ordered)
        found[2, r] = _cosine(ranks[:, r], gold_ranks)
        found[3, r] = alike[r] / gold_ordered
        found[4, r] = 1 - gaps[r] / pair
        if np.isnan(scores[:, r].sum()):
            found[:, r] = np.nan
        elif ordered[r] == 0 or gold_ordered == 0:
            found[:4, r] = np.nan
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _compare(
    x: Array,
    other: Array,
    y: float,
    ranks: Array,
    other_ranks: Array,
    both: Array,
    ordered: Array,
    alike: Array,
) -> None:
    """Adds a pair of systems, whose gold has the sign y, to the sums of every resample."""
    for r in range(x.size):
        sign = 1.0 * (x[r] > other[r]) - 1.0 * (x[r] < other[r])
        ranks[r] += sign
        other_ranks[r] -= sign
        both[r] += sign * y
        ordered[r] += sign * sign
        alike[r] += 1.0 * (sign * y > 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_gaps(
    x: Array,
    other: Array,
    variance: float,
    segments: int,
    gold_p: float,
    places: Array,
    gaps: Array,
) -> None:
    """Adds |p − gold_p| of a pair of systems; p as `pairwise_permutation_p`, of scores that are not
    NaN."""
    top, share = TABLE.size - 1.001, 1.0 / segments
    for r in range(x.size):
        difference = x[r] - other[r]
        z = difference / math.sqrt(variance + difference * difference * share)
        place = (REACH - z) * STEPS
        place = place if place > 0.0 else 0.0  # NaN too
        places[r] = place if place < top else top
    for r in range(x.size):
        step = int(places[r])
        p = TABLE[step] + (places[r] - step) * (TABLE[step + 1] - TABLE[step])
        if variance == 0 and x[r] == other[r]:
            p = 1.0
        gaps[r] += abs(p - gold_p)


@njit(cache=True, nogil=True, error_model="numpy")
def _pearson(scores: Array, gold: Array, found: Array) -> None:
    systems, centred = len(gold), gold - gold.mean()
    spread = (centred * centred).sum()
    for r in range(found.size):
        mean = scores[:, r].mean()
        xy = xx = 0.0
        for s in range(systems):
            x = scores[s, r] - mean
            xy += x * centred[s]
            xx += x * x
        found[r] = xy / math.sqrt(xx * spread)


@njit(cache=True, nogil=True, error_model="numpy")
def _cosine(x: Array, y: Array) -> float:
    xy = xx = yy = 0.0
    for i in range(x.size):
        xy += x[i] * y[i]
        xx += x[i] * x[i]
        yy += y[i] * y[i]
    return xy / math.sqrt(xx * yy)


@njit(cache=True, nogil=True, error_model="numpy")
def count_system(
    own: Array,
    other: Array,
    gold: Array,
    gold_p: Array,
    variance: Array,
    segments: int,
    values: Array,
) -> tuple[Array, Array]:
    """How often the difference of two keys' statistics, the row's to the column's, is reached with
    hypotheses exchanged, and how often it is undefined, (5, keys, keys) each.

    `own` and `other`, (keys, systems, resamples), are what a key adds to its own score, and to the
    score of the key that it is compared with; `gold_p` is (pairs,), `variance` (keys, keys, pairs),
    and `values`, (5, keys), are the statistics of the scores as they are."""
    keys = len(own)
    counts = np.zeros((5, keys, keys), np.int64)
    undefined = np.zeros((5, keys, keys), np.int64)
    for i in range(keys):
        for j in range(i + 1, keys):
            spread = variance[i, j]
            one = system_statistics(own[i] + other[j], gold, gold_p, spread, segments)
            two = system_statistics(own[j] + other[i], gold, gold_p, spread, segments)
            for k in range(5):
                least = values[k, i] - values[k, j]
                for r in range(one.shape[1]):
                    difference = one[k, r] - two[k, r]
                    counts[k, i, j] += difference >= least - TOLERANCE
                    counts[k, j, i] += difference <= least + TOLERANCE
                    undefined[k, i, j] += np.isnan(difference)
                undefined[k, j, i] = undefined[k, i, j]
    return counts, undefined


@njit(cache=True, nogil=True, error_model="numpy")
def correlations(fixed: Array, others: Array, gold: Array, found: Array) -> None:
    """Pearson's r of scores whose sums Σx, Σx², Σxy are `fixed`, (groups, 3), + `others`, (groups,
    3, keys): of all groups' scores together, and the mean of r over the groups that define it, put
    into `found`, (2, keys). `gold`, (groups, 3), has n, Σy, Σy²."""
    keys = others.shape[2]
    total, count, sums = np.zeros(keys), np.zeros(keys), np.zeros((3, keys))
    for g in range(len(gold)):
        n, y, spread = _spread(gold[g, 0], gold[g, 1], gold[g, 2])
        x_g, xx_g, xy_g = others[g]
        for k in range(keys):
            x, xx, xy = fixed[g, 0] + x_g[k], fixed[g, 1] + xx_g[k], fixed[g, 2] + xy_g[k]
            sums[0, k] += x
            sums[1, k] += xx
            sums[2, k] += xy
            own = xx - x * x * n
            is_defined = 1.0 * (own > ROUNDING * xx) * (spread > 0)
            total[k] += is_defined * (xy - x * y) / math.sqrt(own * spread if is_defined else 1.0)
            count[k] += is_defined
    n, y, spread = _spread(gold[:, 0].sum(), gold[:, 1].sum(), gold[:, 2].sum())
    for k in range(keys):
        x, xx, xy = sums[0, k], sums[1, k], sums[2, k]
        own = xx - x * x * n
        varied = own > ROUNDING * xx and spread > 0
        found[0, k] = (xy - x * y) / math.sqrt(own * spread) if varied else np.nan
        found[1, k] = total[k] / count[k]  # NaN without any


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(n: float, y: float, yy: float) -> tuple[float, float, float]:
    """1/n, the mean of y, and Σ(y − mean)²; 0 for that where it is rounding."""
    if n < 2:
        return 1.0, 0.0, 0.0
    spread = yy - y * y / n
    return 1 / n, y / n, spread if spread > ROUNDING * yy else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def count_correlations(sums: Array, totals: Array, gold: Array, values: Array) -> Array:
    """How often the difference of two keys' correlations, the row's to the column's, is reached
    with scores exchanged, (2, keys, keys). `sums`, (resamples, groups, 3, keys), are Σx, Σx², Σxy
    over the scores that keep their side, `totals`, (groups, 3, keys), those over all scores, and
    `values`, (2, keys), the correlations of the scores as they are."""
    keys = sums.shape[3]
    counts = np.zeros((2, keys, keys), np.int64)
    one, two = np.empty((2, keys)), np.empty((2, keys))
    for r in range(len(sums)):
        kept, left = sums[r], totals - sums[r]
        for i in range(keys):
            correlations(kept[:, :, i], left, gold, one)
            correlations(left[:, :, i], kept, gold, two)
            for k in range(2):
                for j in range(keys):
                    least = values[k, i] - values[k, j]
                    # An undefined difference counts.
                    counts[k, i, j] += not (one[k, j] - two[k, j] < least - TOLERANCE)
    return counts


@njit(cache=True, nogil=True, error_model="numpy")
def resampled_tau(
    x: Array, order: Array, starts: Array, counts: Array, tree: Array, sums: Array
) -> Array:
    """Kendall's τ-b, (resamples,), of two variables on resamples of their cases, by a Fenwick tree
    of counts; NaN where a variable has one value.

    Parameters
    ----------
    x : ndarray of int, (cases,)
        Dense ranks of the first variable, from 0.
    order : ndarray of int, (cases,)
        The cases by the second variable, ascending.
    starts : ndarray of int, (values + 1,)
        Where in `order` each value of the second variable begins.
    counts : ndarray of int, (cases, resamples)
        How often each case is drawn. Copies of a case tie in both variables.
    tree : ndarray of int, (values of x + 1, LANES)
        Room for counts, of a type that holds the number of cases drawn, and its negative: the
        smaller, the faster.
    sums : ndarray of int, (2, LANES)
        Room for numbers of pairs, of a type that holds half of its square.
    """
    size, resamples = len(tree) - 1, counts.shape[1]
    found = np.empty(resamples)
    of_rank, own = np.empty_like(tree)[1:], np.zeros((len(x), LANES), tree.dtype)
    below, total, drawn = np.empty_like(tree[0]), np.empty_like(tree[0]), np.empty_like(tree[0])
    difference, tied = sums[0], sums[1]
    for first in range(0, resamples, LANES):
        last = min(first + LANES, resamples)
        own[:, : last - first] = counts[:, first:last]
        tree[:], of_rank[:], total[:], difference[:], tied[:] = 0, 0, 0, 0, 0
        for value in range(len(starts) - 1):
            drawn[:] = 0
            # Cases of smaller y, below and above in x; then the cases of this value join them.
            for place in range(starts[value], starts[value + 1]):
                case = order[place]
                rank = x[case]
                same, times = of_rank[rank], own[case]
                for lane in range(LANES):
                    below[lane] = same[lane] - total[lane]
                node = rank
                while node > 0:
                    row = tree[node]
                    for lane in range(LANES):
                        below[lane] += 2 * row[lane]
                    node -= node & -node
                for lane in range(LANES):
                    difference[lane] += times[lane] * below[lane]
            for place in range(starts[value], starts[value + 1]):
                case = order[place]
                rank = x[case]
                same, times = of_rank[rank], own[case]
                for lane in range(LANES):
                    same[lane] += times[lane]
                    drawn[lane] += times[lane]
                node = rank + 1
                while node <= size:
                    row = tree[node]
                    for lane in range(LANES):
                        row[lane] += times[lane]
                    node += node & -node
            for lane in range(LANES):
                total[lane] += drawn[lane]
                tied[lane] += (drawn[lane] * (drawn[lane] - 1)) >> 1
        for lane in range(last - first):
            cases = np.int64(total[lane])
            pairs, tied_x = cases * (cases - 1) // 2, np.int64(0)
            for rank in range(size):
                tied_x += np.int64(of_rank[rank, lane]) * (of_rank[rank, lane] - 1) // 2
            untied = math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied[lane])
            found[first + lane] = difference[lane] / untied  # 0 / 0 where a variable has one value
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def group_sums(columns: Array, bins: Array, places: Array, sums: Array) -> None:
    """Sums of columns, (systems, segments, k + 1), over the easy and the difficult hypotheses at
    every threshold, for permuted difficulties, put into `sums`, (draws, thresholds, systems, 2, k +
    1). `bins`, (systems, segments), says how many of the ascending thresholds a hypothesis's
    difficulty reaches; segment i of a draw has the bin of segment places[draw, i]."""
    thresholds, width = sums.shape[1], columns.shape[2]
    for draw in range(len(places)):
        for system in range(len(columns)):
            own = np.zeros((thresholds + 1, width))
            for segment in range(columns.shape[1]):
                place = bins[system, places[draw, segment]]
                for k in range(width):
                    own[place, k] += columns[system, segment, k]
            for k in range(width):
                total, easy = own[:, k].sum(), 0.0
                for threshold in range(thresholds):
                    easy += own[threshold, k]
                    sums[draw, threshold, system, 0, k] = easy
                    sums[draw, threshold, system, 1, k] = total - easy
