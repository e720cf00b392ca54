"""The edits of TER, which sacreBLEU searches in Python, as a compiled function."""

import math
from collections.abc import Iterator

import numpy as np

from . import Array, njit

# Limits of sacreBLEU's search: cells beside the diagonal and shifts that are tried, and, as in
# Tercom, words of a phrase that is shifted and places that it is shifted by.
BEAM = 25
MOST_TRIED = 1000
LONGEST = 10
FARTHEST = 50
KEEP, SUBSTITUTE, DELETE, INSERT = range(4)
FAR = 1 << 30


def translation_edit_rate(hypothesis: list[str], reference: list[str]) -> int:
    """Count the shifts and edits from hypothesis to reference, both in words, which sacreBLEU's
    function of the same name finds (Snover et al. 2006)."""
    if not reference:
        return len(hypothesis)
    ids = {word: number for number, word in enumerate(reference)}
    words = np.array([ids.get(word, -1) for word in hypothesis], dtype=np.int64)
    target = np.array([ids[word] for word in reference], dtype=np.int64)
    return int(_edits(words, target))


@njit(cache=True, nogil=True)
def _edits(words: Array, reference: Array) -> int:
    """Shift phrases of the hypothesis while that saves edits, as Tercom does. Returns the number of
    shifts and remaining edits."""
    rows = words.size + 1
    columns = reference.size + 1
    # Only cells near the diagonal are looked at: of costs two rows are kept, of operations a band.
    cost = np.empty((2, columns), np.int32)
    band = np.empty((rows, 2), np.int64)
    done = np.empty((rows, 2 * _beam(words.size, reference.size) + 2), np.uint8)
    wrong = np.empty((2, max(rows, columns)), np.uint8)
    after = np.empty(columns, np.int64)
    shifted = np.empty_like(words)
    best = np.empty_like(words)
    shifts = 0
    tried = 0
    while True:
        edits = _distance(words, reference, cost, done, band)
        _follow(done, band, wrong, after)
        # The shift that saves most edits; among equals the longest phrase, then the first one, then
        # the first goal.
        saved = (0, 0, 0, 0)
        for start, place, length in _phrases(words, reference, wrong):
            if start < after[place + 1] <= start + length:
                continue
            previous = -1
            for k in range(place, place + length + 1):
                goal = after[k]
                if goal == previous:
                    continue
                previous = goal
                _shift(words, start, length, goal, shifted)
                tried += 1
                left = _distance(shifted, reference, cost, done, band)
                shift = edits - left, length, -start, -goal
                if shift > saved:
                    saved = shift
                    best, shifted = shifted, best
            if tried >= MOST_TRIED:
                break
        if tried >= MOST_TRIED or saved[0] <= 0:
            return shifts + edits
        shifts += 1
        words, best = best, words


# Not kept on its own: numba cannot compile `_edits` with a generator that it has read from a file.
@njit(nogil=True)
def _phrases(hypothesis: Array, reference: Array, wrong: Array) -> Iterator[tuple[int, int, int]]:
    """Yield start in hypothesis, start in reference and length of the phrases that both have, with
    a word that is not kept in each."""
    for start in range(hypothesis.size):
        for place in range(max(0, start - FARTHEST), min(reference.size, start + FARTHEST + 1)):
            moved = missed = 0
            for k in range(min(LONGEST, hypothesis.size - start, reference.size - place)):
                if hypothesis[start + k] != reference[place + k]:
                    break
                moved |= wrong[0, start + k]
                missed |= wrong[1, place + k]
                if moved and missed:
                    yield start, place, k + 1


@njit(cache=True, nogil=True)
def _shift(words: Array, start: int, length: int, goal: int, shifted: Array) -> None:
    """Fill `shifted` with the words after `length` of them from `start` moved to before `goal`."""
    place = min(goal - length if goal > start + length else goal, words.size - length)
    for i in range(words.size):
        if place <= i < place + length:
            shifted[i] = words[start + i - place]
        else:
            rest = i if i < place else i - length
            shifted[i] = words[rest if rest < start else rest + length]


@njit(cache=True, nogil=True)
def _beam(rows: int, columns: int) -> int:
    """Return how far from the diagonal edits are looked for, given the lengths of both texts."""
    ratio = columns / rows if rows else 1.0
    return math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM


@njit(cache=True, nogil=True)
def _distance(hypothesis: Array, reference: Array, cost: Array, done: Array, band: Array) -> int:
    """Return the number of edits from hypothesis to reference. Fills `done`, the last operation for
    the first i words of the hypothesis, i > 0, and j of the reference, where j goes from band[i, 0]
    to before band[i, 1]; `band`, (hypothesis words + 1, 2). `cost`, (2, reference words + 1), is
    working memory."""
    rows = hypothesis.size
    columns = reference.size
    ratio = columns / rows if rows else 1.0
    beam = _beam(rows, columns)
    for j in range(columns + 1):
        cost[0, j] = j
    band[0, 0] = 0
    band[0, 1] = columns + 1
    for i in range(1, rows + 1):
        above = (i - 1) % 2
        here = i % 2
        diagonal = math.floor(i * ratio)
        start = max(0, diagonal - beam)
        end = columns + 1 if i == rows else min(columns + 1, diagonal + beam)
        band[i, 0] = start
        band[i, 1] = end
        # Cells beside those of the two rows are too far.
        for j in range(band[i - 1, 1], end):
            cost[above, j] = FAR
        if start > 0:
            cost[here, start - 1] = FAR
            if start == band[i - 1, 0]:
                cost[above, start - 1] = FAR
        for j in range(start, end):
            if j == 0:
                cost[here, 0], done[i, 0] = cost[above, 0] + 1, DELETE
                continue
            # With equal costs, the first operation is kept.
            differ = hypothesis[i - 1] != reference[j - 1]
            least = cost[above, j - 1] + differ
            operation = SUBSTITUTE if differ else KEEP
            if cost[above, j] + 1 < least:
                least = cost[above, j] + 1
                operation = DELETE
            if cost[here, j - 1] + 1 < least:
                least = cost[here, j - 1] + 1
                operation = INSERT
            cost[here, j] = least
            done[i, j - start] = operation
    return cost[rows % 2, columns]


@njit(cache=True, nogil=True)
def _follow(done: Array, band: Array, wrong: Array, after: Array) -> None:
    """Follow the operations `done` back. Fill `wrong`, whether each word of the hypothesis and of
    the reference is not kept, and `after`, (reference words + 1,), the number of hypothesis words
    up to each place in the reference."""
    i = len(band) - 1
    j = after.size - 1
    after[0] = 0
    while i > 0 or j > 0:
        operation = INSERT
        if i > 0 and band[i, 0] <= j < band[i, 1]:
            operation = done[i, j - band[i, 0]]
        if operation != DELETE:
            after[j] = i
            wrong[1, j - 1] = operation != KEEP
        if operation != INSERT:
            wrong[0, i - 1] = operation != KEEP
        i = i - (operation != INSERT)
        j = j - (operation != DELETE)
