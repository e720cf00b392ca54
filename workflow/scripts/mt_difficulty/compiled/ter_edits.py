"""The edits of TER, which sacreBLEU searches in Python, as a compiled function."""

import math
from collections.abc import Iterator

import numpy as np
from sacrebleu.metrics import lib_ter

from . import Array, njit

BEAM, MOST_TRIED = lib_ter._BEAM_WIDTH, lib_ter._MAX_SHIFT_CANDIDATES
LONGEST, FARTHEST = lib_ter._MAX_SHIFT_SIZE, lib_ter._MAX_SHIFT_DIST
KEEP, SUBSTITUTE, DELETE, INSERT = range(4)
FAR = 1 << 30


def translation_edit_rate(hypothesis: list[str], reference: list[str]) -> tuple[int, int]:
    """Count the shifts and edits from hypothesis to reference, which sacreBLEU's function of the
    same name finds (Snover et al. 2006). Returns them and the length of the reference in words."""
    if not reference:
        return len(hypothesis), 0
    ids = {word: number for number, word in enumerate(reference)}
    words = np.array([ids.get(word, -1) for word in hypothesis], dtype=np.int64)
    target = np.array([ids[word] for word in reference], dtype=np.int64)
    return int(_edits(words, target)), len(reference)


@njit(cache=True, nogil=True)
def _edits(words: Array, reference: Array) -> int:
    """Shift phrases of the hypothesis while that saves edits, as Tercom does. Returns the number of
    shifts and remaining edits."""
    rows, columns = words.size + 1, reference.size + 1
    cost, done = np.empty((rows, columns), np.int32), np.empty((rows, columns), np.uint8)
    wrong, after = np.empty((2, max(rows, columns)), np.uint8), np.empty(columns, np.int64)
    shifted, best, shifts, tried = np.empty_like(words), np.empty_like(words), 0, 0
    while True:
        edits = _distance(words, reference, cost, done)
        _follow(done, wrong, after)
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
                shift = edits - _distance(shifted, reference, cost, done), length, -start, -goal
                if shift > saved:
                    saved = shift
                    best, shifted = shifted, best
            if tried >= MOST_TRIED:
                break
        if tried >= MOST_TRIED or saved[0] <= 0:
            return shifts + edits
        shifts += 1
        words, best = best, words


@njit(cache=True, nogil=True)
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
def _distance(hypothesis: Array, reference: Array, cost: Array, done: Array) -> int:
    """Return the number of edits from hypothesis to reference. Fills, for the first words of each,
    `cost`, edits, and `done`, the last operation, both (hypothesis words + 1, reference + 1)."""
    rows, columns = hypothesis.size, reference.size
    ratio = columns / rows if rows else 1.0
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(rows + 1):
        for j in range(columns + 1):
            cost[i, j], done[i, j] = FAR if i else j, INSERT
    for i in range(1, rows + 1):
        diagonal = math.floor(i * ratio)
        end = columns + 1 if i == rows else min(columns + 1, diagonal + beam)
        for j in range(max(0, diagonal - beam), end):
            if j == 0:
                cost[i, 0], done[i, 0] = cost[i - 1, 0] + 1, DELETE
                continue
            # With equal costs, the first operation is kept.
            differ = hypothesis[i - 1] != reference[j - 1]
            cost[i, j] = cost[i - 1, j - 1] + differ
            done[i, j] = SUBSTITUTE if differ else KEEP
            if cost[i - 1, j] + 1 < cost[i, j]:
                cost[i, j], done[i, j] = cost[i - 1, j] + 1, DELETE
            if cost[i, j - 1] + 1 < cost[i, j]:
                cost[i, j], done[i, j] = cost[i, j - 1] + 1, INSERT
    return cost[rows, columns]


@njit(cache=True, nogil=True)
def _follow(done: Array, wrong: Array, after: Array) -> None:
    """Follow the operations `done` back. Fill `wrong`, whether each word of the hypothesis and of
    the reference is not kept, and `after`, (reference words + 1,), the number of hypothesis words
    up to each place in the reference."""
    i, j = done.shape[0] - 1, done.shape[1] - 1
    after[0] = 0
    while i > 0 or j > 0:
        operation = done[i, j]
        if operation != DELETE:
            after[j] = i
            wrong[1, j - 1] = operation != KEEP
        if operation != INSERT:
            wrong[0, i - 1] = operation != KEEP
        i, j = i - (operation != INSERT), j - (operation != DELETE)
