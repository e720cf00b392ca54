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
from math import exp
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
    lengths = np.stack((np.diff(start), np.diff(reference.start)), axis=1)
    lengths, multiplicity = np.unique(lengths, axis=0, return_counts=True)
    corpus = (ids, start, reference.start, pairs)
    t, counts = np.full(pair_start[-1], 1e-9), np.zeros(pair_start[-1])
    tension = START_TENSION
    for round_ in range(ROUNDS):
        feature = _expect(*corpus, t, tension, counts)
        if round_ > 0:
            tension = _fit_tension(lengths, multiplicity, feature, tension)
        _maximise(pair_start, counts, t)
    return _decode(*corpus, t, tension)


@_compiled
def _number_pairs(reference_start, segment, by_type, type_start, ids, start, n_types):
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
            cell = cell_end[s] - (reference_start[s + 1] - token) * lengths[s]
            for f in ids[start[s] : start[s + 1]]:
                if latest[f] < pair_start[e]:
                    latest[f] = n_pairs
                    n_pairs += 1
                pairs[cell] = latest[f]
                cell += 1
        pair_start[e + 1] = n_pairs
    return pairs, pair_start


@_compiled
def _expect(ids, start, reference_start, pairs, t, tension, counts):
    """Add the posterior of every link to `counts`; return the summed feature -|i/n - (j-1)/m|.

    That it takes j from zero, where the prior takes it from one, is the program's first slip.
    """
    distance, cell = 0.0, 0
    for s in range(len(start) - 1):
        n, m = reference_start[s + 1] - reference_start[s], start[s + 1] - start[s]
        cells = pairs[cell : cell + n * m]
        cell += n * m
        weights, share = _link_weights(ids[start[s] : start[s + 1]], n, cells, t, tension, counts)
        for i in range(n):
            for j in range(m):
                posterior = weights[i * m + j] * share[j]
                distance += posterior * abs((i + 1) / n - j / m)
                counts[cells[i * m + j]] += posterior
    return -distance


@_compiled
def _link_weights(words, n, cells, t, tension, counts):
    """Weigh the links of one segment, and add the null word's posteriors to `counts`.

    Returns weights (n * m,) and the factors (m,) that make posteriors of them. The prior is the
    lesser of exp(tension * (j/m - i/n)) and its inverse: no cell needs its own exponential.
    """
    m = len(words)
    weights = np.empty(n * m)
    prior, share = np.zeros(m), np.zeros(m)
    decay = np.array([exp(-tension * ((j + 1) / m)) for j in range(m)])
    growth = 1.0 / decay
    for i in range(n):
        row_decay = exp(-tension * ((i + 1) / n))
        row_growth = 1.0 / row_decay
        for j in range(m):
            past, before = row_decay * growth[j], row_growth * decay[j]
            diagonal = past if past < before else before
            weights[i * m + j] = t[cells[i * m + j]] * diagonal
            prior[j] += diagonal
            share[j] += weights[i * m + j]
    for j in range(m):
        null = P_NULL * t[words[j]]
        scale = P_LINK / prior[j]
        evidence = null + scale * share[j]
        counts[words[j]] += null / evidence
        share[j] = scale / evidence
    return weights, share


@_compiled
def _maximise(pair_start, counts, t):
    """Set t to the exponential of its posterior mean logarithm, and `counts` to zero."""
    for e in range(len(pair_start) - 1):
        row = slice(pair_start[e], pair_start[e + 1])
        total = _exp_digamma(counts[row].sum() + ALPHA * len(counts[row]))
        unseen = _exp_digamma(ALPHA) / total  # t of most pairs after the third round
        for k in range(pair_start[e], pair_start[e + 1]):
            x = counts[k] + ALPHA
            t[k] = unseen if x == ALPHA else _exp_digamma(x) / total
            counts[k] = 0.0


@_compiled
def _exp_digamma(x):
    top, bottom = 0.0, 1.0  # of 1/x + 1/(x+1) + ..., the recurrence up to where the series holds
    while x < 7.0:
        top = top * x + bottom
        bottom *= x
        x += 1.0
    x -= 0.5
    y = 1.0 / (x * x)
    series = y * (1.0 / 24.0 - y * (7.0 / 960.0 - y * (31.0 / 8064.0 - y * (127.0 / 30720.0))))
    return x * exp(series - top / bottom)


@_compiled
def _fit_tension(lengths, multiplicity, feature, tension):
    """Climb towards the tension at which the summed feature is expected."""
    n_tokens = (lengths[:, 0] * multiplicity).sum()
    for _ in range(TENSION_STEPS):
        expected = 0.0
        for k in range(len(multiplicity)):
            m, n = lengths[k]
            for j in range(1, m + 1):
                # The program's second slip: it divides by the normaliser of swapped lengths.
                mean = _feature_sum(j, m, n, tension) / _normaliser(j, n, m, tension)
                expected += multiplicity[k] * mean
        tension += TENSION_RATE * (feature - expected) / n_tokens
        tension = min(max(tension, TENSION_MIN), TENSION_MAX)
    return tension


@_compiled
def _feature_sum(j, m, n, tension):
    """Sum h * exp(tension * h), h = -|i/n - j/m|, over i = 1..n, outwards from the diagonal."""
    b = j * n // m
    r = exp(-tension / n)
    below = _series(-abs(b / n - j / m), b, -1.0 / n, r, tension)
    return below + _series(-abs((b + 1) / n - j / m), n - b, -1.0 / n, r, tension)


@_compiled
def _series(h, terms, slope, r, tension):
    """Sum `terms` terms h * exp(tension * h), h changing by `slope`, in closed form."""
    first = exp(tension * h)
    last = first * r ** float(terms)
    ends = (slope * (terms - 1) + h) * last - h * first
    return ends / (r - 1.0) - slope * (last - first * r) / (r - 1.0) ** 2.0


@_compiled
def _normaliser(j, m, n, tension):
    """Sum exp(-tension * |i/n - j/m|) over i = 1..n, in closed form.

    With lengths swapped, j may exceed m and the upper series have a negative number of terms:
    unsigned, as in the program, as good as infinite.
    """
    b = j * n // m
    r = exp(-tension / n)
    total = exp(-tension * abs(b / n - j / m)) * (1.0 - r ** float(b)) / (1.0 - r)
    terms = float(n - b) if b <= n else np.inf
    first = exp(-tension * abs((b + 1) / n - j / m))
    return total + first * (1.0 - r**terms) / (1.0 - r)


@_compiled
def _decode(ids, start, reference_start, pairs, t, tension):
    """Link each token to the most probable reference token; of equals, to none or the leftmost."""
    links = np.full(len(ids), -1, np.int32)
    cell = 0
    for s in range(len(start) - 1):
        n, m = reference_start[s + 1] - reference_start[s], start[s + 1] - start[s]
        for j in range(m):
            normaliser = _normaliser(j + 1, m, n, tension) / P_LINK
            best = P_NULL * t[ids[start[s] + j]]
            for i in range(n):
                p = t[pairs[cell + i * m + j]]
                if p * (1.0 / normaliser) > best:  # else it cannot win, even on the diagonal
                    p *= exp(-tension * abs((i + 1) / n - (j + 1) / m)) / normaliser
                    if p > best:
                        best = p
                        links[start[s] + j] = i
        cell += n * m
    return links
