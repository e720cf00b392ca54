"""Resampling and tests of scores, which are recomputed from sums of segment statistics; soft
pairwise accuracy (SPA; Thompson et al. 2024) on resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

import numpy as np

from ..weighting.base import WeightedMetric
from .units import Units, single_segments

# Resamples that are held in memory at a time; fewer for more segments.
BLOCK = 1000
# Resamples times segments that are held in memory at a time.
BLOCK_SIZE = 2**22
# Numbers in sums over pairs of systems; they fit in the processor's cache.
PAIR_BLOCK = 2**17
# Share of resamples that must be defined for an interval.
DEFINED = 0.95
# Statistics that differ by less are equal up to rounding.
TOLERANCE = 1e-12
# The same for statistics that are read from a table, where they have twelve digits.
TABLE_TOLERANCE = 1e-11
# Permutations for p-values between systems, as in the published program of SPA.
PERMUTATIONS = 1000
# Rated segments needed for SPA: with few, all p-values are near 1/2. In random subsets of n = 10,
# 20, 50, 100 segments of WMT23, metrics' ranks have ρ = 0.5, 0.6, 0.7, 0.8 with those of all.
MINIMUM_SEGMENTS = 50
# The two-sided 95 % point of the normal distribution.
NORMAL = 1.959963984540054
# Systems needed for 90 % coverage of an interval over systems, at correlations of 0.8 and 0.95.
MINIMUM_SYSTEMS = {"pearson": 4, "spearman": 6, "kendall": 12, "accuracy": 12}


def blocks(resamples: int, segments: int, most: int = BLOCK) -> Iterator[slice]:
    """Divide resamples of segments into blocks that fit in memory.

    Parameters
    ----------
    resamples, segments : int
    most : int
        Largest number of resamples in a block. If memory allows fewer, their number is a multiple
        of 32, so that random bits are drawn in the same order: a generator makes 32 at a time.

    Yields
    ------
    slice
        Resamples of a block.
    """
    size = BLOCK_SIZE // max(1, segments)
    rows = most if size >= most else max(32, size // 32 * 32)
    for start in range(0, resamples, rows):
        yield slice(start, min(start + rows, resamples))


def bootstrap_weights(segments: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw bootstrap resamples of segments.

    Parameters
    ----------
    segments, resamples : int
    rng : Generator

    Returns
    -------
    ndarray
        How often each segment is drawn, (resamples, segments) of uint8.
    """
    weights = np.empty((resamples, segments), dtype=np.uint8)
    for rows in blocks(resamples, segments):
        block = weights[rows]
        drawn = rng.integers(segments, size=block.shape)
        drawn += np.arange(len(block))[:, None] * segments
        block[:] = np.bincount(drawn.ravel(), minlength=block.size).reshape(block.shape)
    return weights


def random_bits(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw an array of this shape with 0 or 1, equally probable, as float32."""
    size = int(np.prod(shape))
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-size // 8)), np.uint8), count=size)
    return bits.reshape(shape).astype(np.float32)


def summed(
    arrays: Iterable[np.ndarray], units: Units | None = None
) -> Callable[[np.ndarray], list[np.ndarray]]:
    """Prepare sums of metrics' columns over resampled units.

    Parameters
    ----------
    arrays : iterable of ndarray
        `WeightedMetric.columns` of metrics, segments first: (segments, ..., groups, k). Groups must
        be of one scale, such as 0 and 1.
    units : Units, optional
        What is resampled; by default single segments.

    Returns
    -------
    callable
        From whole weights, (resamples, units), of at most the number of units in all, to a list of
        sums, (resamples, ..., groups, k) each.

    Notes
    -----
    Equal columns are summed once; the last group is all groups minus the others, since most metrics
    are also summed without groups. Whole numbers with sums below 2^24 are summed in single
    precision: exactly, faster.
    """
    numbers: dict[bytes, int] = {}  # of columns, by checksum
    columns: list[np.ndarray] = []  # of single or double precision
    indices = []
    shapes = []
    for array in arrays:
        shapes.append(array.shape[1:])
        index = np.empty(array.shape[1:], int)
        for *cell, group, statistic in np.ndindex(index.shape):
            if group < array.shape[-2] - 1:
                column = np.ascontiguousarray(array[:, *cell, group, statistic], float)
            else:
                column = array[:, *cell, :, statistic].sum(axis=-1, dtype=float)
            if units is not None:
                column = units.sums(column)
            checksum = sha256(column.data).digest()
            if checksum not in numbers:
                numbers[checksum] = len(numbers)
                columns.append(_narrow(column))
            index[*cell, group, statistic] = numbers[checksum]
        indices.append(index.ravel())
    is_single = np.array([column.dtype == np.float32 for column in columns], bool)
    size = len(columns[0])
    single = np.array([x for x in columns if x.dtype == np.float32]).reshape(-1, size).T
    double = np.array([x for x in columns if x.dtype == np.float64]).reshape(-1, size)
    columns.clear()

    def sums(weights: np.ndarray) -> list[np.ndarray]:
        """Sum all metrics' columns with weights, (resamples, units)."""
        column_sums = np.empty((len(weights), len(is_single)))
        column_sums[:, is_single] = weights.astype(np.float32, copy=False) @ single
        if double.size:
            # The quicker order of the product.
            column_sums[:, ~is_single] = (double @ weights.astype(float).T).T
        metric_sums = []
        for index, shape in zip(indices, shapes, strict=True):
            metric_sum = column_sums[:, index].reshape(-1, *shape)
            metric_sum[..., -1, :] -= metric_sum[..., :-1, :].sum(axis=-2)
            metric_sums.append(metric_sum)
        return metric_sums

    return sums


def _narrow(column: np.ndarray) -> np.ndarray:
    """Return a column of whole numbers with sums below 2^24 in single precision, others as is."""
    largest_sum = np.abs(column).max(initial=0) * len(column)
    is_exact = (column == np.rint(column)).all() and largest_sum < 2**24
    return column.astype(np.float32) if is_exact else column


def resampled_scores(
    metrics: Sequence[WeightedMetric], weights: np.ndarray, units: Units | None = None
) -> list[np.ndarray]:
    """Score systems on weighted segments or, with `units`, on weighted documents.

    Parameters
    ----------
    metrics : sequence of WeightedMetric
        Of the same segments.
    weights : ndarray
        How often each unit is drawn, (resamples, units).
    units : Units, optional
        What is weighted; by default single segments.

    Returns
    -------
    list of ndarray
        Scores of each metric, (resamples, systems); higher is better.
    """
    sums = summed((np.moveaxis(metric.columns, 1, 0) for metric in metrics), units)
    scores = [np.empty((len(weights), len(metric.statistics))) for metric in metrics]
    for rows in blocks(len(weights), weights.shape[1]):
        block_sums = sums(weights[rows])
        for metric, metric_scores, metric_sums in zip(metrics, scores, block_sums, strict=True):
            metric_scores[rows] = metric.quality(metric_sums)
    return scores


def interval(values: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return the percentile interval over axis 0, low and high, (...) each; NaN where less than the
    share DEFINED of the values is defined."""
    tail = 100 * (1 - level) / 2
    enough = np.isfinite(values).mean(axis=0) >= DEFINED
    low, high = np.nanpercentile(np.where(enough, values, 0.0), [tail, 100 - tail], axis=0)
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def score_interval(
    weighted: WeightedMetric, bootstrapped: np.ndarray, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the percentile interval of every system's score.

    Parameters
    ----------
    weighted : WeightedMetric
    bootstrapped : ndarray
        Its scores of `resampled_scores`, (resamples, systems).
    level : float
        Coverage, 0 to 1.

    Returns
    -------
    tuple of ndarray
        Low and high, (systems,) each, on the metric's own scale.
    """
    ends = weighted.sign * np.array(interval(bootstrapped, level))
    low, high = np.sort(ends, axis=0) + 0.0  # no -0.0
    return low, high


def paired_bootstrap(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compare systems by a paired bootstrap (Jurafsky & Martin, 13.6) of scores on the same
    resamples, (resamples, systems), higher is better. Returns wins, (systems, systems), the share
    of resamples where the row's system scores higher than the column's, if both have a score, and
    one-sided p, the share where it does not, with +1. NaN below the share DEFINED of resamples."""
    is_known = np.isfinite(scores).astype(float)
    both = is_known.T @ is_known
    both[both < max(1, DEFINED * len(scores))] = np.nan
    systems = np.ascontiguousarray(scores.T)
    wins = np.array([[np.count_nonzero(a > b) for b in systems] for a in systems])
    return wins / both, (1 + both - wins) / (1 + both)


def random_halves(
    metrics: list[WeightedMetric],
    resamples: int,
    rng: np.random.Generator,
    units: Units | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split each system's segments into random halves and score both.

    Parameters
    ----------
    metrics : list of WeightedMetric
        Of the same systems and segments; all have the same halves.
    resamples : int
    rng : Generator
    units : Units, optional
        What is in one half as a whole; by default single segments.

    Returns
    -------
    first, second : ndarray
        Scores of both halves, (metrics, resamples, systems), standardised by mean and standard
        deviation of the metric's segment scores; NaN where a weighted group is empty.
    share : ndarray
        Share of segments in the first half, (resamples, systems).
    """
    columns = [metric.columns for metric in metrics]
    scales = [metric.segment_scale for metric in metrics]
    systems, segments = columns[0].shape[:2]
    ones = np.ones((systems, segments, 1, 1))
    units = units or single_segments(segments)
    first_sums = [
        summed(system_columns, units) for system_columns in zip(*columns, ones, strict=True)
    ]
    totals = [metric_columns.sum(axis=1) for metric_columns in columns]
    first = np.empty((len(metrics), resamples, systems))
    second = np.empty((len(metrics), resamples, systems))
    share = np.empty((resamples, systems))
    # Bits are drawn for BLOCK resamples of one system, then of the next.
    for start in range(0, resamples, BLOCK):
        for system in range(systems):
            for part in blocks(min(BLOCK, resamples - start), units.size):
                rows = slice(start + part.start, start + part.stop)
                in_first = random_bits((rows.stop - rows.start, units.size), rng)
                *metric_sums, count = first_sums[system](in_first)
                share[rows, system] = count[:, 0, 0] / segments
                for i, sums in enumerate(metric_sums):
                    mean, deviation = scales[i]
                    quality = metrics[i].quality
                    rest = totals[i][system] - sums
                    first[i, rows, system] = (quality(sums) - mean) / deviation
                    second[i, rows, system] = (quality(rest) - mean) / deviation
    return first, second, share


def exchanged(
    halves: tuple[np.ndarray, np.ndarray, np.ndarray], i: int, j: int
) -> tuple[np.ndarray, np.ndarray]:
    """Exchange the first halves of the segments between two metrics (PERM-BOTH; Deutsch et al.
    2021).

    Parameters
    ----------
    halves : tuple of ndarray
        Result of `random_halves`.
    i, j : int
        Indices of the metrics.

    Returns
    -------
    tuple of ndarray
        Both metrics' scores, (resamples, systems) each: the mean of the two halves' scores,
        weighted by their numbers of segments.
    """
    first, second, share = halves
    scores_i = (1 - share) * second[i] + share * first[j]
    scores_j = (1 - share) * second[j] + share * first[i]
    return scores_i, scores_j


def paired_permutation(
    weighted: WeightedMetric,
    swapped: np.ndarray,
    units: Units | None = None,
    pairs: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Test the differences between systems by paired permutations.

    Parameters
    ----------
    weighted : WeightedMetric
    swapped : ndarray
        1 where two systems exchange their hypotheses of a unit, else 0, (permutations, units).
    units : Units, optional
        What is exchanged; by default single segments.
    pairs : tuple of ndarray, optional
        Indices of the first and of the second system of each pair to test; by default all pairs.

    Returns
    -------
    ndarray
        One-sided p, (systems, systems), that the row's system is not better than the column's: the
        share of permutations with at least the observed difference, without +1 (Thompson et al.
        2024). 1/2 on the diagonal; NaN where a score is NaN, where fewer than the share DEFINED of
        the permutations leave both systems a score, and for pairs that are not to be tested.
    """
    columns = weighted.columns
    quality = weighted.observed_quality()
    total = columns.sum(axis=1)
    sums_of = summed([np.moveaxis(columns, 1, 0)], units)
    row, column = np.triu_indices(len(columns), 1) if pairs is None else pairs
    observed = quality[row] - quality[column]
    at_least, at_most, defined = np.zeros((3, row.size))
    for rows in blocks(len(swapped), swapped.shape[1], BLOCK // 10):
        masks = swapped[rows]
        (sums,) = sums_of(masks)
        step = max(1, PAIR_BLOCK // (len(masks) * total[0].size))
        for first in range(0, row.size, step):
            block = slice(first, first + step)
            i, j = row[block], column[block]
            change = sums[:, j] - sums[:, i]
            permuted = weighted.quality(total[i] + change) - weighted.quality(total[j] - change)
            defined[block] += np.isfinite(permuted).sum(axis=0)
            at_least[block] += (permuted >= observed[block] - TOLERANCE).sum(axis=0)
            at_most[block] += (permuted <= observed[block] + TOLERANCE).sum(axis=0)
    defined[np.isnan(observed) | (defined < DEFINED * len(swapped))] = np.nan
    p = np.full((len(columns), len(columns)), np.nan)
    np.fill_diagonal(p, 0.5)
    p[row, column] = at_least / defined
    p[column, row] = at_most / defined
    return p


def p_values(weighted: WeightedMetric, resamples: int, seed: int) -> np.ndarray:
    """Compute p-values between systems by `paired_permutation` of single segments, as soft pairwise
    accuracy is defined.

    Parameters
    ----------
    weighted : WeightedMetric
    resamples : int
        Number of permutations, at most PERMUTATIONS.
    seed : int
        Metrics and human scores of as many segments have the same permutations.

    Returns
    -------
    ndarray
        p, (systems, systems).
    """
    rng = np.random.default_rng([seed, 3])
    segments = weighted.statistics.shape[1]
    swapped = random_bits((min(resamples, PERMUTATIONS), segments), rng)
    return paired_permutation(weighted, swapped)


def normal_p(quality: np.ndarray, influence: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Approximate paired permutation tests between systems on every resample.

    Parameters
    ----------
    quality : ndarray
        Scores, (resamples, systems), higher is better.
    influence : ndarray
        What a segment adds to a score to first order, (systems, segments): of a mean, (score_i −
        mean) / n.
    weights : ndarray
        w_i, how often a segment is drawn, (resamples, segments); n in all.

    Returns
    -------
    ndarray
        One-sided p, (resamples, pairs of systems), as `samples.pairwise_permutation_p`.

    Notes
    -----
    The approximation is normal. With δ the difference of two systems' scores and e_i of their
    influence, p = Φ(−δ / √(V + δ²/n)), V = Σ_i w_i e_i² − (Σ_i w_i e_i)²/n.
    """
    from ..compiled.samples import pairwise_permutation_p

    scale = np.abs(influence).max() or 1.0
    centred = (influence - influence.mean(axis=1, keepdims=True)) / scale
    row, column = np.triu_indices(len(influence), 1)
    squares = np.square((centred[row] - centred[column]).T, dtype=np.float32)
    squares = weights.astype(np.float32) @ squares
    return pairwise_permutation_p(quality / scale, weights @ centred.T, squares, influence.shape[1])


def as_many_segments(counts: np.ndarray) -> np.ndarray:
    """Scale how often segments are drawn, (resamples, segments), so that there are as many in every
    resample as in the sample: resamples of documents differ in their number of segments."""
    segments = counts.shape[1]
    return counts * (segments / counts.sum(axis=1, keepdims=True))


def bootstrap_soft_accuracy(
    quality: np.ndarray,
    influence: np.ndarray,
    gold_scores: np.ndarray,
    weights: np.ndarray,
    units: Units | None = None,
) -> np.ndarray:
    """Compute SPA of metrics on resampled segments.

    Parameters
    ----------
    quality : ndarray
        Scores, (keys, resamples, systems), higher is better.
    influence : ndarray
        (keys, systems, segments), as for `normal_p`.
    gold_scores : ndarray
        Human scores, (systems, segments).
    weights : ndarray
        How often a unit is drawn, (resamples, units).
    units : Units, optional
        What is drawn; by default single segments. The p-values of SPA always take segments as
        independent: that is its definition.

    Returns
    -------
    ndarray
        (keys, resamples); NaN where a score is.

    Notes
    -----
    SPA is lower on resamples than on the segments: by 0.02 with 50 segments and 0.01 with 200 in
    simulations of 10 systems.
    """
    segments = gold_scores.shape[1]
    spa = np.empty(quality.shape[:2])
    gold_influence = (gold_scores - gold_scores.mean(axis=1, keepdims=True)) / segments
    units = units or single_segments(segments)
    for rows in blocks(len(weights), segments):
        drawn = as_many_segments(units.of_segments(weights[rows]))
        gold_p = normal_p(drawn @ gold_scores.T / segments, gold_influence, drawn)
        for key, key_influence in enumerate(influence):
            p = normal_p(quality[key, rows], key_influence, drawn)
            spa[key, rows] = 1 - np.abs(p - gold_p).mean(axis=1)
    return spa


# Intervals and tests by formula


def over_systems(
    statistics: Sequence[str], value: np.ndarray, systems: int, resampled: np.ndarray | None = None
) -> np.ndarray:
    """Compute 95 % intervals over systems, as if these were a random sample.

    Parameters
    ----------
    statistics : sequence of str
    value : ndarray
        The statistics, (statistics,).
    systems : int
        Number of systems, n.
    resampled : ndarray, optional
        The statistics on resampled segments, (resamples, statistics), for an interval over systems
        and segments.

    Returns
    -------
    ndarray
        Low and high, (2, statistics). NaN for fewer systems than MINIMUM_SYSTEMS, for other
        statistics, and where the value or more than 5 % of `resampled` are undefined.

    Notes
    -----
    Intervals are computed on Fisher's z = artanh. The variance of z is 1 / (n − 3) for r (Fisher
    1921), 0.437 / (n − 4) for τ (Fieller, Hartley & Pearson 1957) and for 2 PA − 1, which is τ
    without ties, and (1 + ρ² / 2) / (n − 3) for ρ (Bonett & Wright 2000). The variance of z over
    `resampled` is added.
    """
    ends = np.full((2, len(statistics)), np.nan)
    for i, name in enumerate(statistics):
        if systems >= MINIMUM_SYSTEMS.get(name, np.inf) and np.isfinite(value[i]):
            samples = None if resampled is None else resampled[:, i]
            ends[:, i] = _fisher_interval(name, value[i], systems, samples)
    return ends


def _fisher_interval(
    name: str, value: float, systems: int, samples: np.ndarray | None
) -> tuple[float, float]:
    """Return the interval of one statistic, as `over_systems`, from its values on resamples."""
    # Perfect correlation is moved inwards by half the statistic's smallest step: z is finite.
    if name == "pearson":
        step = TOLERANCE
    elif name == "spearman":
        step = 6 / (systems * (systems**2 - 1))
    else:
        step = 2 / (systems * (systems - 1))
    correlation = np.append(value, [] if samples is None else samples)
    if name == "accuracy":
        correlation = 2 * correlation - 1
    transformed = np.arctanh(np.clip(correlation, step - 1, 1 - step))
    z = transformed[0]
    variance = 1 / (systems - 3)
    if name == "spearman":
        variance *= 1 + np.tanh(z) ** 2 / 2
    elif name in ("kendall", "accuracy"):
        variance = 0.437 / (systems - 4)
    if samples is not None:
        drawn = transformed[1:]
        known = drawn[np.isfinite(drawn)]
        variance += known.var() if known.size >= DEFINED * len(drawn) else np.nan
    half = NORMAL * np.sqrt(variance)
    # Extend the interval to the value where z was clipped.
    low = min(np.tanh(z - half), correlation[0])
    high = max(np.tanh(z + half), correlation[0])
    if name == "accuracy":
        return (1 + low) / 2, (1 + high) / 2
    return low, high


def difference(
    value: np.ndarray,
    ends: np.ndarray,
    baseline: np.ndarray,
    baseline_ends: np.ndarray,
    correlation: np.ndarray,
) -> np.ndarray:
    """Compute the 95 % interval of the difference of two statistics of the same systems (MOVER, Zou
    2007).

    Parameters
    ----------
    value, baseline : ndarray
        The statistics, (statistics,); the difference is `value` − `baseline`.
    ends, baseline_ends : ndarray
        Their intervals, (2, statistics).
    correlation : ndarray
        Correlation of the two over samples, (statistics,), as of `correlation_of`.

    Returns
    -------
    ndarray
        Low and high, (2, statistics); NaN where an argument is NaN.
    """
    x = np.stack([value - ends[0], ends[1] - value])
    y = np.stack([baseline_ends[1] - baseline, baseline - baseline_ends[0]])
    below, above = np.sqrt(np.maximum(x**2 + y**2 - 2 * correlation * x * y, 0))
    return value - baseline + np.stack([-below, above])


def correlation_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute Pearson's r between the columns of `first` and those of `second`, (resamples,
    statistics) to (statistics,), over rows where both are defined; 0 if one is constant."""
    both = np.isfinite(first) & np.isfinite(second)
    count = np.maximum(both.sum(axis=0), 1)
    x = _centred(first, both, count)
    y = _centred(second, both, count)
    scale = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.divide((x * y).sum(axis=0), scale, out=np.zeros(len(scale)), where=scale > TOLERANCE)


def _centred(values: np.ndarray, known: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Subtract from each column the mean of its `count` known values; others become 0."""
    values = np.where(known, values, 0.0)
    return np.where(known, values - values.sum(axis=0) / count, 0.0)


def williams(scores: np.ndarray, baseline: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Test that two dependent Pearson correlations are equal (Williams' test).

    Parameters
    ----------
    scores, baseline : ndarray
        Two metrics' scores, (systems,).
    gold : ndarray
        Human scores, (systems,), with which both correlate.

    Returns
    -------
    tuple of float
        t (n − 3 degrees of freedom; positive: `scores` correlates better) and two-sided p. NaN for
        fewer than four systems, a constant or undefined side, or `scores` and `baseline` correlated
        perfectly.

    Notes
    -----
    Williams (1959); used for metrics by Graham & Baldwin (2014).
    """
    from scipy.special import stdtr

    n = len(gold)
    sides = np.array([scores, baseline, gold])
    if n < 4 or not np.isfinite(sides).all() or (np.ptp(sides, axis=1) == 0).any():
        return np.nan, np.nan
    r = np.corrcoef(sides)
    first, second, between = r[0, 2], r[1, 2], r[0, 1]
    k = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    spread = 2 * k * (n - 1) / (n - 3) + ((first + second) / 2) ** 2 * (1 - between) ** 3
    if between > 1 - TOLERANCE or spread <= 0:
        return np.nan, np.nan
    t = (first - second) * np.sqrt((n - 1) * (1 + between) / spread)
    return float(t), float(2 * stdtr(n - 3, -abs(t)))


def holm(p: np.ndarray) -> np.ndarray:
    """Apply Holm's step-down correction to a family of p-values, (tests,). NaN values stay NaN and
    do not count as tests."""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")  # NaN last
    factors = np.maximum(np.isfinite(p).sum() - np.arange(p.size), 0)
    adjusted = np.full(p.size, np.nan)
    adjusted[order] = np.maximum.accumulate(np.minimum(1, p[order] * factors))
    return adjusted
