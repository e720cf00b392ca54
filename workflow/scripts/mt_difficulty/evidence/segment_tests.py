"""Permutation tests between all pairs of metrics on segment scores, with the same random masks for
all pairs; results as in `metric_tests`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..statistics.base import Groups, grouped
from .metric_tests import TOLERANCE, Tests, blocks, p_values, total
from .resampling import random_bits

# Groupings of correlations, in the order of results.
CORRELATIONS = ("none", "system")
# Masks that are held at a time: of scores, and of pairs of scores.
BLOCK, PAIR_BLOCK = 128, 64


def correlation_tests(
    scores: np.ndarray,
    gold: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
    threads: int = 1,
) -> Tests:
    """Tests of Pearson's r of segment scores: of all scores at once, and the mean over systems
    (`CORRELATIONS`).

    Every metric's scores are standardised by mean and deviation over those with a human score; a
    random half of them changes sides.

    Parameters
    ----------
    scores : ndarray, (keys, systems, segments)
        Higher is better; a key that lacks a score where there is a human score has NaN.
    gold : ndarray, (systems, segments)
        NaN where there is no human score.
    resamples : int
    rng : Generator
    threads : int
    """
    groups = grouped(gold, "system")
    sums = CorrelationSums(scores.reshape(len(scores), -1)[:, groups.cells], groups)
    values = sums.values()

    def count(block: tuple[slice, np.random.Generator]) -> np.ndarray:
        rows, own = block
        return sums.counts(random_bits((rows.stop - rows.start, groups.gold.size), own), values)

    counts = total(count, _seeded(resamples, BLOCK, rng), threads)
    return Tests(values, p_values(counts, resamples, values))


class CorrelationSums:
    """Sums over systems' segments from which correlations follow, of all keys.

    Parameters
    ----------
    scores : ndarray, (keys, rated)
    groups : Groups
    """

    def __init__(self, scores: np.ndarray, groups: Groups) -> None:
        mean, deviation = scores.mean(axis=1, keepdims=True), scores.std(axis=1, keepdims=True)
        x = (scores - mean) / np.where(deviation > 0, deviation, 1.0)
        y = groups.gold - groups.gold.mean()
        self._parts = [slice(*ends) for ends in pairwise(groups.starts)]
        columns = np.stack([x, x * x, x * y]).transpose(2, 0, 1)
        self._columns, self._shape = columns.reshape(len(y), -1), columns.shape[1:]
        self.totals = np.stack([columns[part].sum(axis=0) for part in self._parts])
        of_gold = np.stack([np.ones_like(y), y, y * y], axis=-1)
        self._gold = np.stack([of_gold[part].sum(axis=0) for part in self._parts])

    def values(self) -> np.ndarray:
        """Correlations of the scores as they are, (2, keys)."""
        from .compiled.segment_tests import correlations

        found = np.empty((2, self._shape[1]))
        correlations(np.zeros(self._gold.shape), self.totals, self._gold, found)
        return found

    def counts(self, kept: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How often differences are reached where scores that are not kept change sides.

        Parameters
        ----------
        kept : ndarray, (resamples, rated)
            1 or 0.
        values : ndarray, (2, keys)

        Returns
        -------
        ndarray of int, (2, keys, keys)
        """
        from .compiled.segment_tests import count_correlations

        sums = [kept[:, part] @ self._columns[part] for part in self._parts]
        shaped = np.stack(sums, axis=1).reshape(len(kept), len(sums), *self._shape)
        return count_correlations(shaped, self.totals, self._gold, values)


def comparison_tests(
    scores: np.ndarray,
    gold: np.ndarray,
    epsilon: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
    threads: int = 1,
) -> Tests:
    """Tests of pairwise accuracy of segment scores with ties (`statistics.acc23`,
    `statistics.acc_eq`), on pairs of systems of the same segment.

    Not scores change sides, but whether a metric orders or ties a pair as people do, each metric
    at its own threshold, which is not calibrated again (the pairs test of the WMT metrics task).

    Parameters
    ----------
    scores : ndarray, (keys, systems, segments)
        Higher is better; a key that lacks a score where there is a human score has NaN.
    gold : ndarray, (systems, segments)
        NaN where there is no human score.
    epsilon : ndarray, (keys,)
        Metric scores tie that differ by no more; 0 for their own ties only.
    resamples : int
    rng : Generator
    threads : int
    """
    agreed, keys = _agreements(scores, gold, epsilon), len(scores)
    if not agreed:  # no segment has two human scores
        return Tests(np.full((1, keys), np.nan), np.full((1, keys, keys), np.nan))
    values = sum(weight * agree.sum(axis=0, dtype=float) for weight, agree in agreed)

    def count(block: tuple[slice, np.random.Generator]) -> np.ndarray:
        rows, own = block
        shapes = [(rows.stop - rows.start, len(agree)) for _, agree in agreed]
        return comparison_counts(agreed, [_signs(shape, own) for shape in shapes], values)

    counts = total(count, _seeded(resamples, PAIR_BLOCK, rng), threads)
    return Tests(values[None], p_values(counts[None], resamples, values[None]))


def comparison_counts(
    agreed: list[tuple[float, np.ndarray]], signs: list[np.ndarray], values: np.ndarray
) -> np.ndarray:
    """How often differences of accuracies are reached where agreements change sides.

    Parameters
    ----------
    agreed : list of (float, ndarray)
        What a pair of systems counts, and whether each key agrees with people, (pairs, keys).
    signs : list of ndarray, (resamples, pairs)
        1 or −1, which exchanges the agreements of two keys.
    values : ndarray, (keys,)

    Returns
    -------
    ndarray of int, (keys, keys)
    """
    # Sums of fewer than 2^24 ones are exact in single precision.
    sums = sum(
        weight * (sign @ agree).astype(float)
        for (weight, agree), sign in zip(agreed, signs, strict=True)
    )
    least = values[:, None] - values
    return (sums[:, :, None] - sums[:, None] >= least - TOLERANCE).sum(axis=0)


def _agreements(
    scores: np.ndarray, gold: np.ndarray, epsilon: np.ndarray
) -> list[tuple[float, np.ndarray]]:
    """By what a pair of systems counts: that weight, and whether keys agree with people, (pairs,
    keys), as 32-bit floats."""
    from ..statistics.compiled.comparisons import agreeing, pair_weights

    groups = grouped(gold, "item")
    sizes = np.diff(groups.starts)
    weights, divisor = pair_weights(sizes)
    of_pair = np.repeat(weights, sizes * (sizes - 1) // 2)
    rated = scores.reshape(len(scores), -1)[:, groups.cells]
    agree = np.stack(
        [agreeing(x, groups.gold, groups.starts, e) for x, e in zip(rated, epsilon, strict=True)],
        axis=1,
    ).astype(np.float32)
    agree[:, ~np.isfinite(rated).all(axis=1)] = np.nan
    return [(weight / divisor, agree[of_pair == weight]) for weight in np.unique(of_pair)]


def _signs(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """1 or −1 with probability 1/2 each, as 32-bit floats."""
    size = shape[0] * shape[1]
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-size // 8)), np.uint8), count=size)
    return 2 * bits.reshape(shape).astype(np.float32) - 1


def _seeded(
    resamples: int, size: int, rng: np.random.Generator
) -> list[tuple[slice, np.random.Generator]]:
    """Blocks of resamples with a generator each, so that results do not depend on threads."""
    parts = blocks(resamples, size)
    return list(zip(parts, rng.spawn(len(parts)), strict=True))
