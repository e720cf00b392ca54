"""Compiled inner loops of fast_align's model; see `difficulty.aligners`.

Segments are concatenated. A segment with n reference and m hypothesis tokens has n · m cells.
`model`, (pairs, 2), has t(f | e) of each pair of types, and the expected count of its links."""

from math import exp, log

from . import Array, njit

P_NULL = 0.08
ALPHA = 0.01  # of the symmetric Dirichlet prior over each t(. | e)

# No fastmath: between equal words equally far from the diagonal, rounding errors decide.
_compiled = njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def number_pairs(
    segment: Array,
    row_start: Array,
    by_type: Array,
    type_start: Array,
    ids: Array,
    start: Array,
    latest: Array,
    pairs: Array,
    pair_start: Array,
) -> None:
    """Number the (reference type, hypothesis type) pairs that share a segment. The null word pairs
    with all types.

    Parameters
    ----------
    segment : ndarray
        (reference tokens,), segment of each token.
    row_start : ndarray
        (reference tokens + 1,), first cell of each token.
    by_type : ndarray
        (reference tokens,), the tokens sorted by type.
    type_start : ndarray
        (reference types + 1,), first token of each type in `by_type`.
    ids : ndarray
        (tokens,), hypothesis types.
    start : ndarray
        (segments + 1,), first hypothesis token of each segment.
    latest : ndarray
        (hypothesis types,), the types in order; overwritten.
    pairs : ndarray
        (cells,), filled with the pair number of every cell.
    pair_start : ndarray
        (reference types + 1,), 0 before; filled with each reference type's first pair number.
    """
    n_pairs = len(latest)
    for e in range(len(type_start) - 1):
        for i in range(type_start[e], type_start[e + 1]):
            token = by_type[i]
            s = segment[token]
            cell = row_start[token]
            for k in range(start[s], start[s + 1]):
                f = ids[k]
                if latest[f] < pair_start[e]:
                    latest[f] = n_pairs
                    n_pairs += 1
                pairs[cell] = latest[f]
                cell += 1
        pair_start[e + 1] = n_pairs


@_compiled
def fill_prior(shapes: Array, tension: float, powers: Array, prior: Array) -> None:
    """Compute the priors of links.

    Parameters
    ----------
    shapes : ndarray
        (shapes, 2), pairs of lengths m of hypothesis and n of reference segments.
    tension : float
        The prior is proportional to exp(-tension * |i/n - j/m|).
    powers : ndarray
        Table of `_power`.
    prior : ndarray
        (Σ n · m,), filled with n × m priors per pair of lengths.
    """
    cell = 0
    for k in range(len(shapes)):
        m = shapes[k, 0]
        n = shapes[k, 1]
        r = exp(-tension / n)
        for j in range(m):
            normaliser = _normaliser(j + 1, m, n, tension, r, powers) / (1.0 - P_NULL)
            for i in range(n):
                distance = abs((i + 1) / n - (j + 1) / m)
                prior[cell + i * m + j] = exp(-tension * distance) / normaliser
        cell += n * m


@_compiled
def expect(corpus: tuple, alone: Array, prior: Array, model: Array, room: tuple) -> float:
    """E step: add the posterior of every link to the counts.

    Parameters
    ----------
    corpus : tuple of ndarray
        ids, (tokens,), hypothesis types; start, (segments + 1,), first hypothesis token of each
        segment; reference_start, likewise; pairs, (cells,), number of each cell's pair of types;
        shape_start, (segments,), first prior of the segment's pair of lengths.
    alone : ndarray
        (reference tokens,) of bool, whether no other token of the segment has the type. (The null
        word is not alone.)
    prior : ndarray
        Of `fill_prior`.
    model : ndarray
        (pairs, 2), t(f | e) and the expected count, which is added to.
    room : tuple of ndarray
        Working memory: (cells of a segment,), (tokens of a segment,), (tokens of a segment,).

    Returns
    -------
    float
        Sum of -|i/n - (j-1)/m| over links.

    Notes
    -----
    The program's first error is kept: here j counts from zero, in the prior from one. Also kept is
    the order of its sums, by hypothesis token; the rows of reference types that are `alone` in
    their segment are added one by one: faster.
    """
    ids, start, reference_start, pairs, shape_start = corpus
    links, evidence, places = room
    feature = 0.0
    cell = 0
    for s in range(len(start) - 1):
        n = reference_start[s + 1] - reference_start[s]
        m = start[s + 1] - start[s]
        for c in range(n * m):
            links[c] = model[pairs[cell + c], 0] * prior[shape_start[s] + c]
        for j in range(m):
            evidence[j] = P_NULL * model[ids[start[s] + j], 0]
        for i in range(n):
            for j in range(m):
                evidence[j] += links[i * m + j]
        for i in range(n):
            for j in range(m):
                links[i * m + j] /= evidence[j]
            if alone[reference_start[s] + i]:
                for c in range(i * m, i * m + m):
                    model[pairs[cell + c], 1] += links[c]
            places[i] = (i + 1) / n
        for j in range(m):
            word = ids[start[s] + j]
            model[word, 1] += P_NULL * model[word, 0] / evidence[j]
            for i in range(n):
                link = links[i * m + j]
                if not alone[reference_start[s] + i]:
                    model[pairs[cell + i * m + j], 1] += link
                feature -= link * abs(places[i] - j / m)
        cell += n * m
    return feature


@_compiled
def maximise(pair_start: Array, model: Array) -> None:
    """M step: set translation probabilities in `model` by variational Bayes; reset counts to 0."""
    for e in range(len(pair_start) - 1):
        total = 0.0
        for k in range(pair_start[e], pair_start[e + 1]):  # NumPy would sum in another order
            total += model[k, 1] + ALPHA
        normaliser = _digamma(total)
        unseen = exp(_digamma(ALPHA) - normaliser)  # t of most pairs after the third round
        for k in range(pair_start[e], pair_start[e + 1]):
            x = model[k, 1] + ALPHA
            model[k, 0] = unseen if x == ALPHA else exp(_digamma(x) - normaliser)
            model[k, 1] = 0.0


@_compiled
def _digamma(x: float) -> float:
    """Return the digamma function, by the program's asymptotic series."""
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
def expected_feature(shapes: Array, frequency: Array, tension: float, powers: Array) -> float:
    """Return minus the prior's mean distance from the diagonal, summed over hypothesis tokens.

    Parameters
    ----------
    shapes : ndarray
        (shapes, 2), pairs of lengths of hypothesis and reference segments.
    frequency : ndarray
        (shapes,), number of segments of these lengths.
    tension : float
    powers : ndarray
        Table of `_power`.

    Returns
    -------
    float
    """
    expected = 0.0
    for k in range(len(frequency)):
        m = shapes[k, 0]
        n = shapes[k, 1]
        r = exp(-tension / n)
        swapped = exp(-tension / m)
        for j in range(1, m + 1):
            b = j * n // m
            below = _series(-abs(b / n - j / m), b, n, tension, r, powers)
            above = _series(-abs((b + 1) / n - j / m), n - b, n, tension, r, powers)
            # The program's second error: it swaps the lengths in the normaliser.
            mean = (below + above) / _normaliser(j, n, m, tension, swapped, powers)
            expected += frequency[k] * mean
    return expected


@_compiled
def _series(h: float, terms: int, n: int, tension: float, r: float, powers: Array) -> float:
    """Return Σ h · exp(tension · h) over the values h, h − 1/n, …, `terms` in number."""
    if terms == 0:
        return 0.0
    slope = -1.0 / n
    first = exp(tension * h)
    last = first * _power(r, n, terms, powers)
    ends = (slope * (terms - 1) + h) * last - h * first
    return ends / (r - 1.0) - slope * (last - first * r) / ((r - 1.0) * (r - 1.0))


@_compiled
def _normaliser(j: int, m: int, n: int, tension: float, r: float, powers: Array) -> float:
    """Return the sum of exp(-tension * |i/n - j/m|) over reference positions i = 1 to n."""
    b = j * n // m
    below = exp(-tension * abs(b / n - j / m)) * (1.0 - _power(r, n, b, powers)) / (1.0 - r)
    # With swapped lengths n - b can be negative, in the program a huge unsigned number.
    last = _power(r, n, n - b, powers) if b <= n else 0.0
    above = exp(-tension * abs((b + 1) / n - j / m)) * (1.0 - last) / (1.0 - r)
    return below + above


@_compiled
def _power(r: float, n: int, exponent: int, powers: Array) -> float:
    """Return r ** exponent, kept in the table `powers` by n and exponent, where it has room."""
    if n >= len(powers) or exponent >= len(powers):
        return r ** float(exponent)
    if powers[n, exponent] == 0.0:
        powers[n, exponent] = r ** float(exponent)
    return powers[n, exponent]


@_compiled
def decode(corpus: tuple, prior: Array, model: Array, best: Array, links: Array) -> None:
    """Link each token to the most probable reference token; ties go to none, then the leftmost.

    Parameters
    ----------
    corpus, prior, model
        As of `expect`.
    best : ndarray
        (tokens of a segment,), working memory.
    links : ndarray
        (tokens,), -1 before; filled with the index of the reference token in its segment.
    """
    ids, start, reference_start, pairs, shape_start = corpus
    cell = 0
    for s in range(len(start) - 1):
        n = reference_start[s + 1] - reference_start[s]
        m = start[s + 1] - start[s]
        for j in range(m):
            best[j] = P_NULL * model[ids[start[s] + j], 0]
        for i in range(n):
            for j in range(m):
                p = model[pairs[cell], 0] * prior[shape_start[s] + i * m + j]
                if p > best[j]:
                    best[j] = p
                    links[start[s] + j] = i
                cell += 1
