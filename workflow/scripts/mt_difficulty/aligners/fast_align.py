"""Word alignment by ``fast_align -d -o -v``, forward: a reparameterised IBM Model 2.

Dyer, Chahuneau & Smith 2013, "A Simple, Fast, and Effective Reparameterization of IBM Model 2".
Position j of m in the hypothesis is linked to position i of n in the reference, or to none, with a
prior proportional to exp(-tension * |i/n - j/m|), which favours the diagonal, and a translation
probability t(f | e), estimated by variational Bayes. The program's constants, closed forms and two
slips in fitting the tension are kept, so that links agree with its own line for line.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from math import exp, log
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

NULL = "<eps>"  # the null word; a reference token spelt like it is the null word, as in the program
P_NULL = 0.08
P_LINK = 1.0 - P_NULL
ALPHA = 0.01  # of the symmetric Dirichlet prior over each t(. | e)
ROUNDS = 4
START_TENSION = 4.0
TENSION_STEPS, TENSION_RATE, TENSION_MIN, TENSION_MAX = 8, 20.0, 0.1, 14.0
Links = NDArray[np.int32]

# No fastmath: rounding decides between equal reference words equally far from the diagonal.
_compiled = njit(cache=True, nogil=True, error_model="numpy")


def tokens(line: str) -> list[str]:
    """Split a line at spaces and tabs only, as fast_align does: other white space is text.

    A tab only separates; the program also reads it as the ``|||`` between the sides.
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def align(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[Links]:
    """Link each hypothesis token to at most one reference token (Dyer, Chahuneau & Smith 2013).

    Each system is aligned with the reference on its own, on one thread, so that links do not
    depend on `threads`. A segment with an empty side has no links and no influence on the others
    (at an empty reference, the program loses all links of the system).

    Parameters
    ----------
    reference
        L tokenised segments.
    hypotheses
        S systems of L tokenised segments each.
    threads
        Number of systems aligned at a time.

    Returns
    -------
    list of int32 arrays
        For each system, of shape (tokens in all its segments,): the index, from zero, of the
        linked reference token within the segment; -1 for none.
    """
    indexed = _index_reference(reference)
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(partial(_align_system, indexed), hypotheses))


class _Reference(NamedTuple):
    start: NDArray[np.int64]  # (L + 1,) range of tokens of each segment
    segment: NDArray[np.int64]  # (tokens,) segment of each token
    by_type: NDArray[np.int64]  # (tokens,) tokens sorted by type
    type_start: NDArray[np.int64]  # (types + 1,) range in `by_type` of each type; 0 is null


def _index_reference(segments: list[list[str]]) -> _Reference:
    types = {NULL: 0}
    ids = _index(segments, types)
    return _Reference(
        start=_starts([len(words) for words in segments]),
        segment=np.repeat(np.arange(len(segments)), [len(words) for words in segments]),
        by_type=np.argsort(ids, kind="stable"),
        type_start=_starts(np.bincount(ids, minlength=len(types))),
    )


def _index(segments: list[list[str]], types: dict[str, int]) -> NDArray[np.int32]:
    """Return the type of every token, numbering new types in order of appearance."""
    words = list(chain.from_iterable(segments))
    for word in dict.fromkeys(words):
        types.setdefault(word, len(types))
    return np.fromiter(map(types.__getitem__, words), np.int32, len(words))


def _starts(lengths: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def _align_system(reference: _Reference, hypothesis: list[list[str]]) -> Links:
    alignable = np.diff(reference.start) > 0
    links = np.full(sum(map(len, hypothesis)), -1, np.int32)
    kept = [words if keep else [] for words, keep in zip(hypothesis, alignable, strict=True)]
    links[np.repeat(alignable, [len(words) for words in hypothesis])] = _estimate(reference, kept)
    return links


def _estimate(reference: _Reference, hypothesis: list[list[str]]) -> Links:
    """Fit the model by variational EM, then take each token's best link."""
    types: dict[str, int] = {}
    ids = _index(hypothesis, types)
    start = _starts([len(words) for words in hypothesis])
    pairs, pair_start = _number_pairs(*reference, ids, start, len(types))
    shapes = np.stack((np.diff(start), np.diff(reference.start)), axis=1)
    shapes, shape, frequency = np.unique(shapes, axis=0, return_inverse=True, return_counts=True)
    corpus = (ids, start, reference.start, pairs, _starts(shapes.prod(axis=1))[shape])
    t, counts = np.full(pair_start[-1], 1e-9), np.zeros(pair_start[-1])
    tension = START_TENSION
    prior = _prior(shapes, tension)
    for round_ in range(ROUNDS):
        feature = _expect(*corpus, prior, t, counts)
        if round_ > 0:
            tension = _fit_tension(shapes, frequency, feature, tension)
            prior = _prior(shapes, tension)
        _maximise(pair_start, counts, t)
    return _decode(*corpus, prior, t)


@_compiled
def _number_pairs(
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
def _prior(shapes: np.ndarray, tension: float) -> np.ndarray:
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
def _expect(
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
def _maximise(pair_start: np.ndarray, counts: np.ndarray, t: np.ndarray) -> None:
    """Set t to the exponential of its posterior mean logarithm, and `counts` to zero."""
    for e in range(len(pair_start) - 1):
        row = slice(pair_start[e], pair_start[e + 1])
        normaliser = _digamma((counts[row] + ALPHA).sum())
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
def _fit_tension(
    shapes: np.ndarray, frequency: np.ndarray, feature: float, tension: float
) -> float:
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
def _decode(
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
