"""Compiled replacement of the edit distance in sacreBLEU's TER, which takes most of its time."""

import math

import numpy as np
from sacrebleu.metrics import lib_ter

from . import Array, njit

BEAM = lib_ter._BEAM_WIDTH
# Letters of the trace, as in sacreBLEU.
KEEP, SUBSTITUTE, DELETE, INSERT = map(
    ord, (lib_ter._OP_NOP, lib_ter._OP_SUB, lib_ter._OP_DEL, lib_ter._OP_INS)
)
FAR = 1 << 30


class EditDistance:
    """Compiled edit distance to a reference; same results as sacreBLEU's `BeamEditDistance`."""

    def __init__(self, reference: list[str]) -> None:
        self._ids = {word: number for number, word in enumerate(reference)}
        self._reference = self._numbers(reference)
        self._room: tuple[Array, ...] = ()

    def __call__(self, hypothesis: list[str]) -> tuple[int, str]:
        """Return the number of edits from hypothesis to reference, and one letter per operation."""
        words, reference = self._numbers(hypothesis), self._reference
        if not self._room or len(words) >= len(self._room[0]):
            shape = len(words) + 1, len(reference) + 1
            types = ((shape, np.int32), (shape, np.uint8), (sum(shape), np.uint8))
            self._room = tuple(np.empty(*array) for array in types)
        cost, _, trace = self._room
        start = _distance(words, reference, *self._room)
        edits = cost[len(words), len(reference)]
        return int(edits), trace[start : len(words) + len(reference)].tobytes().decode("ascii")

    def _numbers(self, words: list[str]) -> np.ndarray:
        return np.array([self._ids.get(word, -1) for word in words], dtype=np.int64)


@njit(cache=True, nogil=True)
def _distance(hypothesis: Array, reference: Array, cost: Array, done: Array, trace: Array) -> int:
    """Fill `trace` with the operations of the best path as character codes, which end at the sum
    of the lengths; return where they start. `cost`, of the edits to each cell, and `done`, the last
    operation, have at least a row for each hypothesis word, and one more."""
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
    place, i, j = rows + columns, rows, columns
    while i > 0 or j > 0:
        place -= 1
        trace[place] = done[i, j]
        i -= trace[place] != INSERT
        j -= trace[place] != DELETE
    return place
