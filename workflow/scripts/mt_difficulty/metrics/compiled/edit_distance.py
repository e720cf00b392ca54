"""sacreBLEU's edit distance of TER, compiled; its Python code is most of TER's time."""

import math

import numpy as np
from sacrebleu.metrics import lib_ter

from ...compiled import njit

BEAM = lib_ter._BEAM_WIDTH
# Letters of the trace, as sacreBLEU's search for shifts reads them.
KEEP, SUBSTITUTE, DELETE, INSERT = map(
    ord, (lib_ter._OP_NOP, lib_ter._OP_SUB, lib_ter._OP_DEL, lib_ter._OP_INS)
)
FAR = 1 << 30


class EditDistance:
    """What stands in for sacreBLEU's `BeamEditDistance`, whose results it gives.

    Parameters
    ----------
    reference : list of str
        Tokens.
    """

    def __init__(self, reference: list[str]) -> None:
        self._ids = {word: number for number, word in enumerate(reference)}
        self._reference = self._numbers(reference)

    def __call__(self, hypothesis: list[str]) -> tuple[int, str]:
        """Edits that make the hypothesis the reference, and the trace of operations."""
        edits, trace = _distance(self._numbers(hypothesis), self._reference)
        return edits, trace.tobytes().decode("ascii")

    def _numbers(self, words: list[str]) -> np.ndarray:
        return np.array([self._ids.get(word, -1) for word in words], dtype=np.int64)


@njit(cache=True, nogil=True)
def _distance(hypothesis: np.ndarray, reference: np.ndarray) -> tuple[int, np.ndarray]:
    rows, columns = hypothesis.size, reference.size
    cost = np.full((rows + 1, columns + 1), FAR, np.int32)
    done = np.full((rows + 1, columns + 1), INSERT, np.uint8)
    cost[0] = np.arange(columns + 1)
    ratio = columns / rows if rows else 1.0
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(1, rows + 1):
        diagonal = math.floor(i * ratio)
        end = columns + 1 if i == rows else min(columns + 1, diagonal + beam)
        for j in range(max(0, diagonal - beam), end):
            if j == 0:
                cost[i, 0], done[i, 0] = cost[i - 1, 0] + 1, DELETE
                continue
            # Of equal costs the first counts.
            differ = hypothesis[i - 1] != reference[j - 1]
            cost[i, j] = cost[i - 1, j - 1] + differ
            done[i, j] = SUBSTITUTE if differ else KEEP
            if cost[i - 1, j] + 1 < cost[i, j]:
                cost[i, j], done[i, j] = cost[i - 1, j] + 1, DELETE
            if cost[i, j - 1] + 1 < cost[i, j]:
                cost[i, j], done[i, j] = cost[i, j - 1] + 1, INSERT
    return cost[rows, columns], _trace(done)


@njit(cache=True, nogil=True)
def _trace(done: np.ndarray) -> np.ndarray:
    """The operations on the way to the last cell, first to last."""
    i, j = done.shape[0] - 1, done.shape[1] - 1
    found, place = np.empty(i + j, np.uint8), i + j
    while i > 0 or j > 0:
        place -= 1
        found[place] = done[i, j]
        i -= found[place] != INSERT
        j -= found[place] != DELETE
    return found[place:]
