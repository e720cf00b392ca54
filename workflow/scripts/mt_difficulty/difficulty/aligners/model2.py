"""The arithmetic of fast_align's model, compiled; see `fast_align` for the model itself.

Segments stand one after the other; one of n reference and m hypothesis tokens has n · m cells.
"""

from math import exp, log

import numpy as np

from ...compiled import njit

P_NULL = 0.08
P_LINK = 1.0 - P_NULL
ALPHA = 0.01  # of the symmetric Dirichlet prior over each t(. | e)
TENSION_STEPS, TENSION_RATE, TENSION_MIN, TENSION_MAX = 8, 20.0, 0.1, 14.0

# No fastmath: rounding decides between equal reference words equally far from the diagonal.
_compiled = njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def number_pairs(
    reference_start: np.ndarray,
    segment: np.ndarray,
    by_type: np.ndarray,
    type_start: np.ndarray,
    ids: np.ndarray,
    start: np.ndarray,
    n_types: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Number the (reference type, hypothesis type) pairs that share a segment, row by row.

    Returns the pair of every cell (segments in order, each n by m) and the range of pairs of each
    reference type. The first row, of the null word, holds every hypothesis type.
    """
    lengths, reference_lengths = np.diff(start), np.diff(reference_start)
    cell_end = np.cumsum(lengths * reference_lengths)
    pairs = np.empty((lengths * reference_lengths).sum(), np.uint32)
    pair_start = np.zeros(len(type_start), np.int64)
    latest = np.arange(n_types)  # the latest pair of each hypothesis type
    n_pairs = n_types
    for e in range(len(type_start) - 1):
        for token in by_type[type_start[e] : type_start[e + 1]]:
            s = segment[token]
            row_start = cell_end[s] - (reference_start[s + 1] - token) * lengths[s]
            for cell, f in enumerate(ids[start[s] : start[s + 1]], row_start):
                if latest[f] < pair_start[e]:
                    latest[f] = n_pairs
                    n_pairs += 1
                pairs[cell] = latest[f]
        pair_start[e + 1] = n_pairs
    return pairs, pair_start


@_compiled
def prior(shapes: np.ndarray, tension: float) -> np.ndarray:
    """Return the prior of every link, for one segment of each shape: (n, m) after (n, m)."""
    prior = np.empty((shapes[:, 0] * shapes[:, 1]).sum())
    cell = 0
    for m, n in shapes:
        places = np.arange(1, n + 1) / n
        for j in range(m):
            normaliser = _normaliser(j + 1, m, n, tension) / P_LINK
            for i in range(n):
                distance = abs(places[i] - (j + 1) / m)
                prior[cell + i * m + j] = exp(-tension * distance) / normaliser
        cell += n * m
    return prior


@_compiled
def expect(
    ids: np.ndarray,
    start: np.ndarray,
    reference_start: np.ndarray,
    pairs: np.ndarray,
    shape_start: np.ndarray,
    prior: np.ndarray,
    t: np.ndarray,
    counts: np.ndarray,
) -> float:
    """Add the posterior of every link to `counts`; return the summed feature -|i/n - (j-1)/m|.

    That it takes j from zero, where the prior takes it from one, is the program's first slip.
    """
    feature, cell = 0.0, 0
    for s in range(len(start) - 1):
        words = ids[start[s] : start[s + 1]]
        n, m = reference_start[s + 1] - reference_start[s], len(words)
        cells = pairs[cell : cell + n * m].reshape(n, m)
        links, null = _posteriors(words, cells, prior[shape_start[s] :], t)
        places = np.arange(1, n + 1) / n
        for j in range(m):
            counts[words[j]] += null[j]
            for i in range(n):
                counts[cells[i, j]] += links[i, j]
                feature -= links[i, j] * abs(places[i] - j / m)
        cell += n * m
    return feature


@_compiled
def _posteriors(
    words: np.ndarray, cells: np.ndarray, prior: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of each link of a segment, (n, m), and of none, (m,)."""
    n, m = cells.shape
    links, null = np.empty((n, m)), P_NULL * t[words]
    evidence = null.copy()
    for i in range(n):
        for j in range(m):
            links[i, j] = t[cells[i, j]] * prior[i * m + j]
            evidence[j] += links[i, j]
    return links / evidence, null / evidence


@_compiled
def maximise(pair_start: np.ndarray, counts: np.ndarray, t: np.ndarray) -> None:
    """Set t to the exponential of its posterior mean logarithm, and `counts` to zero."""
    for e in range(len(pair_start) - 1):
        row = slice(pair_start[e], pair_start[e + 1])
        total = 0.0
        for k in range(row.start, row.stop):  # NumPy would sum in another order
            total += counts[k] + ALPHA
        normaliser = _digamma(total)
        unseen = exp(_digamma(ALPHA) - normaliser)  # t of most pairs after the third round
        for k in range(row.start, row.stop):
            x = counts[k] + ALPHA
            t[k] = unseen if x == ALPHA else exp(_digamma(x) - normaliser)
            counts[k] = 0.0


@_compiled
def _digamma(x: float) -> float:
    shift = 0.0
    while x < 7.0:
        shift -= 1.0 / x
        x += 1.0
    x -= 0.5
    y = (1.0 / x) * (1.0 / x)
    z = y * y
    c1, c2, c3, c4 = 1.0 / 24.0, 7.0 / 960.0, 31.0 / 8064.0, 127.0 / 30720.0
    return shift + (log(x) + c1 * y - c2 * z + c3 * z * y - c4 * z * z)


@_compiled
def fit_tension(shapes: np.ndarray, frequency: np.ndarray, feature: float, tension: float) -> float:
    """Climb towards the tension at which the summed feature is expected."""
    n_tokens = (shapes[:, 0] * frequency).sum()
    for _ in range(TENSION_STEPS):
        expected = 0.0
        for k in range(len(frequency)):
            m, n = shapes[k]
            for j in range(1, m + 1):
                # The program's second slip: it divides by the normaliser of swapped lengths.
                mean = _feature_sum(j, m, n, tension) / _normaliser(j, n, m, tension)
                expected += frequency[k] * mean
        tension += TENSION_RATE * (feature / n_tokens - expected / n_tokens)
        tension = min(max(tension, TENSION_MIN), TENSION_MAX)
    return tension


@_compiled
def _feature_sum(j: int, m: int, n: int, tension: float) -> float:
    """Sum h * exp(tension * h), h = -|i/n - j/m|, over i = 1..n, outwards from the diagonal."""
    b = j * n // m
    r = exp(-tension / n)
    below = _series(-abs(b / n - j / m), b, -1.0 / n, r, tension)
    return below + _series(-abs((b + 1) / n - j / m), n - b, -1.0 / n, r, tension)


@_compiled
def _series(h: float, terms: int, slope: float, r: float, tension: float) -> float:
    """Sum `terms` terms h * exp(tension * h), h changing by `slope`, in closed form."""
    if terms == 0:
        return 0.0
    first = exp(tension * h)
    last = first * r ** float(terms)
    ends = (slope * (terms - 1) + h) * last - h * first
    return ends / (r - 1.0) - slope * (last - first * r) / ((r - 1.0) * (r - 1.0))


@_compiled
def _normaliser(j: int, m: int, n: int, tension: float) -> float:
    """Sum exp(-tension * |i/n - j/m|) over i = 1..n, outwards from the diagonal."""
    b = j * n // m
    r = exp(-tension / n)
    below = exp(-tension * abs(b / n - j / m)) * (1.0 - r ** float(b)) / (1.0 - r)
    # Swapped lengths can make n - b negative; unsigned, as in the program, it is endless.
    terms = float(n - b) if b <= n else np.inf
    above = exp(-tension * abs((b + 1) / n - j / m)) * (1.0 - r**terms) / (1.0 - r)
    return below + above


@_compiled
def decode(
    ids: np.ndarray,
    start: np.ndarray,
    reference_start: np.ndarray,
    pairs: np.ndarray,
    shape_start: np.ndarray,
    prior: np.ndarray,
    t: np.ndarray,
) -> np.ndarray:
    """Link each token to the most probable reference token; of equals, to none or the leftmost."""
    links = np.full(len(ids), -1, np.int32)
    cell = 0
    for s in range(len(start) - 1):
        words = ids[start[s] : start[s + 1]]
        n, m = reference_start[s + 1] - reference_start[s], len(words)
        best = P_NULL * t[words]
        for i in range(n):
            for j in range(m):
                p = t[pairs[cell + i * m + j]] * prior[shape_start[s] + i * m + j]
                if p > best[j]:
                    best[j] = p
                    links[start[s] + j] = i
        cell += n * m
    return links
