"""Compiled inner loops of fast_align's model for long segments; see `difficulty.aligners`.

The sums are those of `compiled.alignment`, in the same order, and so are the links. But nothing is
kept for a cell, a hypothesis token with a reference token of its segment: there is only one number
for each pair of types that share a segment, t(f | e) or the expected count of its links. Wherever
the order of the sums allows it, the tokens of one hypothesis type are taken together, so that the
pairs of this type are at hand in `rows`, one number for each reference type."""

from math import exp
from typing import NamedTuple

from . import Array, njit
from .alignment import ALPHA, P_NULL, _digamma, _normaliser

# After two rounds most cells add too little to change anything, and are left out. As a prior is
# below 1, t bounds what a cell adds: below this share of a sum it does not change the sum,
NO_CHANGE = 2.0**-55
# and counts below this do not change ALPHA, to which they are added.
NO_COUNT = 1e-20

_compiled = njit(cache=True, nogil=True, error_model="numpy")


class Corpus(NamedTuple):
    """Tokens of reference and hypothesis, segment after segment.

    Attributes
    ----------
    reference_ids : ndarray
        (reference tokens,), types; 0 is the null word.
    reference_segment : ndarray
        (reference tokens,), the segment of each token.
    reference_start : ndarray
        (segments + 1,), the first token of each segment.
    by_type : ndarray
        (reference tokens,), the tokens sorted by type.
    type_start : ndarray
        (reference types + 1,), the first token of each type in `by_type`.
    places : ndarray
        (reference tokens,), i / n of the token i of n in its segment.
    ids : ndarray
        (tokens,), hypothesis types.
    segment : ndarray
        (tokens,), the segment of each token.
    start : ndarray
        (segments + 1,), the first token of each segment.
    cell_start : ndarray
        (tokens + 1,), the number of cells before each token.
    by_word : ndarray
        (tokens,), the tokens sorted by type.
    word_start : ndarray
        (types + 1,), the first token of each type in `by_word`.
    distinct : ndarray
        The types of each hypothesis segment, in the order in which they appear.
    distinct_start : ndarray
        (segments + 1,), the first type of each segment in `distinct`.
    powers : ndarray
        A table for `alignment._normaliser` that has no room.
    """

    reference_ids: Array
    reference_segment: Array
    reference_start: Array
    by_type: Array
    type_start: Array
    places: Array
    ids: Array
    segment: Array
    start: Array
    cell_start: Array
    by_word: Array
    word_start: Array
    distinct: Array
    distinct_start: Array
    powers: Array


class Pairs(NamedTuple):
    """Pairs of types that share a segment, without those of the null word: the pairs of the first
    hypothesis type by ascending reference type, then those of the second, and so on.

    Attributes
    ----------
    start : ndarray
        (types + 1,), the first pair of each hypothesis type.
    partners : ndarray
        (pairs,), the reference type.
    values : ndarray
        (pairs,), t(f | e), or the expected count of its links.
    null : ndarray
        (types,), likewise of each hypothesis type with the null word.
    """

    start: Array
    partners: Array
    values: Array
    null: Array


@_compiled
def list_distinct(ids: Array, start: Array, latest: Array, words: Array, words_start: Array) -> int:
    """List the distinct types of each hypothesis segment.

    Parameters
    ----------
    ids, start
        Of `Corpus`.
    latest : ndarray
        (types,), -1 before; working memory.
    words, words_start : ndarray
        Filled with `distinct` and `distinct_start` of `Corpus`.

    Returns
    -------
    int
        Length of `distinct`.
    """
    length = 0
    words_start[0] = 0
    for s in range(len(start) - 1):
        for k in range(start[s], start[s + 1]):
            f = ids[k]
            if latest[f] != s:
                latest[f] = s
                words[length] = f
                length += 1
        words_start[s + 1] = length
    return length


@_compiled
def list_pairs(corpus: Corpus, latest: Array, sizes: Array, start: Array, partners: Array) -> None:
    """Count and list the pairs of types that share a segment.

    Parameters
    ----------
    corpus : Corpus
    latest : ndarray
        (types,), -1 before; working memory.
    sizes : ndarray
        (types,), 0 before; filled with the number of pairs of each hypothesis type.
    start : ndarray
        Of `Pairs`.
    partners : ndarray
        Of `Pairs`, filled unless it is empty.
    """
    for e in range(1, len(corpus.type_start) - 1):
        before = -1
        for k in range(corpus.type_start[e], corpus.type_start[e + 1]):
            s = corpus.reference_segment[corpus.by_type[k]]
            if s == before:
                continue
            before = s
            for i in range(corpus.distinct_start[s], corpus.distinct_start[s + 1]):
                f = corpus.distinct[i]
                if latest[f] != e:
                    latest[f] = e
                    if len(partners) > 0:
                        partners[start[f] + sizes[f]] = e
                    sizes[f] += 1


@_compiled
def weigh(
    corpus: Corpus,
    pairs: Pairs,
    tension: float,
    feature: float,
    tokens: Array,
    cells: Array,
    evidence: Array,
    row: Array,
) -> None:
    """First part of the E step, for consecutive hypothesis tokens.

    Parameters
    ----------
    corpus : Corpus
    pairs : Pairs
    tension : float
    feature : float
        Sum of -|i/n - (j-1)/m| over the links of the tokens before.
    tokens : ndarray
        Consecutive hypothesis tokens, sorted by type.
    cells : ndarray
        Filled with t · prior of their cells, in the order of the text.
    evidence : ndarray
        (tokens,), filled with the sum for each token.
    row : ndarray
        (reference types,), working memory.
    """
    offset = corpus.cell_start[tokens.min()]
    f = -1
    least = NO_CHANGE * min(1.0, -feature)
    for token in tokens:
        if corpus.ids[token] != f:
            f = corpus.ids[token]
            _spread(pairs, f, row)
        s = corpus.segment[token]
        first = corpus.reference_start[s]
        last = corpus.reference_start[s + 1]
        place, normaliser = _prior(corpus, token, tension)
        total = P_NULL * pairs.null[f]
        cell = corpus.cell_start[token] - offset
        for i in range(first, last):
            link = row[corpus.reference_ids[i]]
            if link < least * total:
                link = 0.0
            else:
                link *= exp(-tension * abs(corpus.places[i] - place)) / normaliser
                total += link
            cells[cell] = link
            cell += 1
        evidence[token] = total


@_compiled
def _spread(pairs: Pairs, f: int, row: Array) -> None:
    """Write the values of a hypothesis type's pairs to `row`, by reference type."""
    row[0] = pairs.null[f]
    for pair in range(pairs.start[f], pairs.start[f + 1]):
        row[pairs.partners[pair]] = pairs.values[pair]


@_compiled
def _prior(corpus: Corpus, token: int, tension: float) -> tuple[float, float]:
    """Return j / m of a hypothesis token, and the normaliser of the prior of its links."""
    s = corpus.segment[token]
    n = corpus.reference_start[s + 1] - corpus.reference_start[s]
    m = corpus.start[s + 1] - corpus.start[s]
    j = token - corpus.start[s] + 1
    r = exp(-tension / n)
    return j / m, _normaliser(j, m, n, tension, r, corpus.powers) / (1.0 - P_NULL)


@_compiled
def add_feature(
    corpus: Corpus, first: int, last: int, cells: Array, evidence: Array, feature: float
) -> float:
    """Second part of the E step, in the order of the text: sum the distances of links from the
    diagonal.

    Parameters
    ----------
    corpus : Corpus
    first, last : int
        The tokens from `first` to before `last` are added.
    cells, evidence : ndarray
        Of `weigh`.
    feature : float
        Sum over the tokens before.

    Returns
    -------
    float
        Sum of -|i/n - (j-1)/m| over links.
    """
    offset = corpus.cell_start[first]
    for token in range(first, last):
        s = corpus.segment[token]
        reference = corpus.reference_start[s]
        n = corpus.reference_start[s + 1] - reference
        cell = corpus.cell_start[token] - offset
        place = (token - corpus.start[s]) / (corpus.start[s + 1] - corpus.start[s])
        for i in range(n):
            if cells[cell + i] > 0.0:
                link = cells[cell + i] / evidence[token]
                feature -= link * abs(corpus.places[reference + i] - place)
    return feature


@_compiled
def count(
    corpus: Corpus,
    pairs: Pairs,
    tension: float,
    is_first: bool,  # noqa: FBT001 (numba has no keyword-only parameters)
    words: tuple[int, int],
    evidence: Array,
    rows: Array,
    links: Array,
) -> None:
    """Third part of the E step: replace t of the pairs of some hypothesis types by the expected
    count of their links.

    Parameters
    ----------
    corpus : Corpus
    pairs : Pairs
        Its values and null are replaced.
    tension : float
    is_first : bool
        Whether this is the first round, in which the evidence is not known, but filled in.
    words : tuple of int
        The hypothesis types from words[0] to before words[1] are counted.
    evidence : ndarray
        (tokens,), of `weigh`.
    rows : ndarray
        (2, reference types), working memory.
    links : ndarray
        (longest reference segment,), working memory.
    """
    probabilities = rows[0]
    counts = rows[1]
    for f in range(words[0], words[1]):
        first = corpus.word_start[f]
        end = corpus.word_start[f + 1]
        bound = 0.0  # of the count of a pair, for a t of 1
        if not is_first:
            for k in range(first, end):
                token = corpus.by_word[k]
                cells = corpus.cell_start[token + 1] - corpus.cell_start[token]
                bound += cells / evidence[token]
        _spread(pairs, f, probabilities)
        counts[0] = 0.0
        for pair in range(pairs.start[f], pairs.start[f + 1]):
            counts[pairs.partners[pair]] = 0.0
            if not is_first and pairs.values[pair] * bound < NO_COUNT:
                probabilities[pairs.partners[pair]] = 0.0
        for k in range(first, end):
            token = corpus.by_word[k]
            _links_of(corpus, token, tension, probabilities, links)
            s = corpus.segment[token]
            reference = corpus.reference_start[s]
            n = corpus.reference_start[s + 1] - reference
            if is_first:
                evidence[token] = P_NULL * pairs.null[f]
                for i in range(n):
                    evidence[token] += links[i]
            counts[0] += P_NULL * pairs.null[f] / evidence[token]
            for i in range(n):
                if links[i] > 0.0:
                    counts[corpus.reference_ids[reference + i]] += links[i] / evidence[token]
        pairs.null[f] = counts[0]
        for pair in range(pairs.start[f], pairs.start[f + 1]):
            pairs.values[pair] = counts[pairs.partners[pair]]


@_compiled
def _links_of(
    corpus: Corpus, token: int, tension: float, probabilities: Array, links: Array
) -> None:
    """Fill `links` with t · prior of a hypothesis token's cells; t is 0 for cells left out."""
    place, normaliser = _prior(corpus, token, tension)
    s = corpus.segment[token]
    reference = corpus.reference_start[s]
    for i in range(corpus.reference_start[s + 1] - reference):
        link = probabilities[corpus.reference_ids[reference + i]]
        if link > 0.0:
            distance = abs(corpus.places[reference + i] - place)
            link *= exp(-tension * distance) / normaliser
        links[i] = link


@_compiled
def normalise(corpus: Corpus, pairs: Pairs, latest: Array, listed: Array, norms: Array) -> None:
    """First part of the M step: sum the counts of each reference type.

    Parameters
    ----------
    corpus : Corpus
    pairs : Pairs
    latest, listed : ndarray
        (types,), -1 and 0 before; working memory.
    norms : ndarray
        (2, reference types), filled with the digamma function of the sum, and with t of a pair
        without links.
    """
    for e in range(len(corpus.type_start) - 1):
        total = 0.0
        before = -1
        if e == 0:
            for f in range(len(pairs.null)):
                total += pairs.null[f] + ALPHA
        for k in range(corpus.type_start[e], corpus.type_start[e + 1]) if e > 0 else range(0):
            s = corpus.reference_segment[corpus.by_type[k]]
            if s == before:
                continue
            before = s
            for i in range(corpus.distinct_start[s], corpus.distinct_start[s + 1]):
                f = corpus.distinct[i]
                if latest[f] != e:
                    latest[f] = e
                    total += pairs.values[pairs.start[f] + listed[f]] + ALPHA
                    listed[f] += 1
        if total > 0.0:
            norms[0, e] = _digamma(total)
            norms[1, e] = exp(_digamma(ALPHA) - norms[0, e])


@_compiled
def maximise(pairs: Pairs, words: tuple[int, int], norms: Array) -> None:
    """Second part of the M step: replace the counts of some hypothesis types by translation
    probabilities, by variational Bayes.

    Parameters
    ----------
    pairs : Pairs
        Its values and null are replaced.
    words : tuple of int
        The hypothesis types from words[0] to before words[1] are meant.
    norms : ndarray
        Of `normalise`.
    """
    for f in range(words[0], words[1]):
        pairs.null[f] = _probability(pairs.null[f], norms[0, 0], norms[1, 0])
        for pair in range(pairs.start[f], pairs.start[f + 1]):
            e = pairs.partners[pair]
            pairs.values[pair] = _probability(pairs.values[pair], norms[0, e], norms[1, e])


@_compiled
def _probability(count: float, norm: float, unseen: float) -> float:
    """Return the translation probability of a pair from its count."""
    x = count + ALPHA
    return unseen if x == ALPHA else exp(_digamma(x) - norm)


@_compiled
def decode(
    corpus: Corpus,
    pairs: Pairs,
    tension: float,
    words: tuple[int, int],
    row: Array,
    links: Array,
) -> None:
    """Link the tokens of some hypothesis types as `alignment.decode` does.

    Parameters
    ----------
    corpus : Corpus
    pairs : Pairs
    tension : float
    words : tuple of int
        The hypothesis types from words[0] to before words[1] are linked.
    row : ndarray
        (reference types,), working memory.
    links : ndarray
        (tokens,), -1 before; filled with the index of the reference token in its segment.
    """
    for f in range(words[0], words[1]):
        _spread(pairs, f, row)
        for k in range(corpus.word_start[f], corpus.word_start[f + 1]):
            token = corpus.by_word[k]
            place, normaliser = _prior(corpus, token, tension)
            best = P_NULL * pairs.null[f]
            s = corpus.segment[token]
            reference = corpus.reference_start[s]
            for i in range(corpus.reference_start[s + 1] - reference):
                t = row[corpus.reference_ids[reference + i]]
                if t > best:  # else t · prior is not larger, either
                    distance = abs(corpus.places[reference + i] - place)
                    p = t * (exp(-tension * distance) / normaliser)
                    if p > best:
                        best = p
                        links[token] = i
