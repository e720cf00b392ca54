"""Compiled Kendall's τ-b on resamples: a Fenwick tree of counts, for many resamples at once."""

import math

import numpy as np

from ...compiled import njit

# Resamples that go through the tree together.
LANES = 64


@njit(cache=True, nogil=True, error_model="numpy")
def resampled_tau(
    x: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    tree: np.ndarray,
    sums: np.ndarray,
) -> np.ndarray:
    """Kendall's τ-b of two variables on resamples of their cases.

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

    Returns
    -------
    ndarray, (resamples,)
        NaN where a variable has one value.
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
