"""Clipped matches of n-grams, which BLEU and chrF count, as a compiled function."""

import numpy as np

from . import Array, njit

FREE = -1  # in a table, a slot without n-gram
TOKEN_BITS = 32
MULTIPLIER = -7046029254386353131  # of Fibonacci hashing: 2^64 over the golden ratio, as an int64


def clipped_matches(
    tokens: np.ndarray, references: np.ndarray, hypotheses: np.ndarray, order: int
) -> np.ndarray:
    """Count the n-grams of hypotheses that the references have, too.

    An n-gram counts at most as often as it occurs in the reference that has it most often.

    Parameters
    ----------
    tokens : np.ndarray
        (tokens of all texts,), each token as a number from 0 to 2³¹ - 1.
    references, hypotheses : np.ndarray
        (texts, segments + 1), indices of `tokens`: where each segment starts, and where the last
        one ends.
    order : int
        Number of tokens of the longest n-grams.

    Returns
    -------
    np.ndarray
        (hypotheses, segments, order), matches of n-grams of 1, 2, …, `order` tokens.
    """
    segments = references.shape[1] - 1
    longest = int(np.diff(references).sum(axis=0).max(initial=0))
    size = _table_size(longest * order)
    # The tables of a segment take the first slots of these.
    keys = np.empty(size, np.int64)
    counts = np.empty((3, size), np.int32)
    matches = np.zeros((len(hypotheses), segments, order), np.int64)
    _count(tokens.astype(np.int32), references, hypotheses, keys, counts, matches)
    return matches


@njit(cache=True, nogil=True)
def _count(
    tokens: Array, references: Array, hypotheses: Array, keys: Array, counts: Array, matches: Array
) -> None:
    """Fill `matches`. `keys`, (slots,), and `counts`, (3, slots), are working memory.

    The n-grams of a segment's references are a tree: an n-gram's parent is the n-gram without its
    last token. A hash table holds the tree; an n-gram's slot is its number."""
    segments = matches.shape[1]
    order = matches.shape[2]
    most = counts[0]
    left = counts[1]
    for segment in range(segments):
        length = 0
        for text in range(len(references)):
            length += references[text, segment + 1] - references[text, segment]
        size = _table_size(length * order)
        _fill_table(tokens, references, segment, order, size, keys, counts)
        for text in range(len(hypotheses)):
            for slot in range(size):
                left[slot] = most[slot]
            end = hypotheses[text, segment + 1]
            for start in range(hypotheses[text, segment], end):
                slot = size  # of the empty n-gram
                for n in range(min(order, end - start)):
                    key = (slot << TOKEN_BITS) | tokens[start + n]
                    slot = _find(keys, size, key)
                    if keys[slot] == FREE:
                        break  # Longer n-grams are not in a reference, either.
                    if left[slot] > 0:
                        left[slot] -= 1
                        matches[text, segment, n] += 1


@njit(cache=True, nogil=True)
def _fill_table(
    tokens: Array,
    references: Array,
    segment: int,
    order: int,
    size: int,
    keys: Array,
    counts: Array,
) -> None:
    """Put the n-grams of a segment's references into the first `size` slots of `keys`. counts[0]
    gets each n-gram's largest count in a reference."""
    most = counts[0]
    here = counts[2]
    for slot in range(size):
        keys[slot] = FREE
        most[slot] = 0
    for text in range(len(references)):
        for slot in range(size):
            here[slot] = 0
        end = references[text, segment + 1]
        for start in range(references[text, segment], end):
            slot = size  # of the empty n-gram
            for n in range(min(order, end - start)):
                key = (slot << TOKEN_BITS) | tokens[start + n]
                slot = _find(keys, size, key)
                keys[slot] = key
                here[slot] += 1
                most[slot] = max(most[slot], here[slot])


@njit(cache=True, nogil=True)
def _find(keys: Array, size: int, key: int) -> int:
    """Return the slot of a key, or the free slot where it belongs. `size` is a power of two."""
    slot = ((key * MULTIPLIER) >> TOKEN_BITS) & (size - 1)
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + 1) & (size - 1)
    return slot


@njit(cache=True, nogil=True)
def _table_size(ngrams: int) -> int:
    """Return the smallest power of two that is at least twice the number of n-grams, and 2."""
    size = 2
    while size < 2 * ngrams:
        size *= 2
    return size
