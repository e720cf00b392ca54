"""Character n-grams that a hypothesis shares with its reference, compiled: chrF's counts."""

from typing import NamedTuple

import numpy as np
from numba import njit

ORDERS = 6
CODE_BITS = 21  # of a Unicode code point


class Texts(NamedTuple):
    """Segments without white space, one after the other: code points, and where each ends."""

    codes: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, segments: list[str]) -> "Texts":
        """Segments as sacreBLEU's chrF reads them; white space is what `str.split` takes for it."""
        stripped = ["".join(segment.split()) for segment in segments]
        codes = np.frombuffer("".join(stripped).encode("utf-32-le"), dtype=np.uint32)
        return cls(codes.astype(np.int64), np.cumsum([0, *map(len, stripped)])[1:])

    @property
    def ngrams(self) -> np.ndarray:
        """How many n-grams every segment has, (segments, ORDERS)."""
        lengths = np.diff(self.ends, prepend=0)
        return np.maximum(lengths[:, None] - np.arange(ORDERS), 0)


def matches(hypotheses: Texts, reference: Texts) -> np.ndarray:
    """N-grams of each hypothesis that its reference has, each at most as often as there.

    Returns
    -------
    ndarray of int, (segments, ORDERS)
    """
    return _matches(*hypotheses, *reference)


@njit(cache=True, nogil=True)
def _matches(
    codes: np.ndarray, ends: np.ndarray, reference: np.ndarray, reference_ends: np.ndarray
) -> np.ndarray:
    found = np.zeros((ends.size, ORDERS), np.int64)
    start = reference_start = 0
    for segment in range(ends.size):
        trie, counts = _index(reference[reference_start : reference_ends[segment]])
        for first in range(start, ends[segment]):
            node = 0
            for order in range(min(ORDERS, ends[segment] - first)):
                node = _child(trie, node, codes[first + order])
                if trie[node] == 0:
                    break  # nor has the reference a longer n-gram
                if counts[node] > 0:
                    counts[node] -= 1
                    found[segment, order] += 1
        start, reference_start = ends[segment], reference_ends[segment]
    return found


@njit(cache=True, nogil=True)
def _index(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A trie of all n-grams, and how often each occurs. A node is a place of a hash table that
    holds the node of the n-gram without its last character, and that character; 0 is the root."""
    size = 16
    while size < 2 * ORDERS * codes.size:
        size *= 2
    trie, counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for first in range(codes.size):
        node = 0
        for code in codes[first : first + ORDERS]:
            parent = node
            node = _child(trie, parent, code)
            trie[node] = _key(parent, code)
            counts[node] += 1
    return trie, counts


@njit(cache=True, nogil=True)
def _child(trie: np.ndarray, node: int, code: int) -> int:
    """The node of an n-gram that is longer by a character, or the free place for it."""
    key, last = _key(node, code), trie.size - 1
    place = (key * 0x9E3779B97F4A7C1 >> 32) & last
    while place == 0 or (trie[place] != key and trie[place] != 0):
        place = (place + 1) & last
    return place


@njit(cache=True, nogil=True)
def _key(node: int, code: int) -> int:
    return (node << CODE_BITS | code) + 1
