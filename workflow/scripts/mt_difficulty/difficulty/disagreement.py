"""Difficulty: chrF disagreement between the systems' hypotheses of a segment."""

from itertools import permutations

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import version
from .base import Estimator

BLOCK = 500  # segments that are compared at a time


class Disagreement(Estimator):
    """1 − the mean chrF between the hypotheses of the systems at hand, 0 to 1; each pair counts in
    both directions, as chrF is not symmetric. 0 where there is one system."""

    information = "outputs"
    depends_on_systems = True

    def __init__(self) -> None:
        self.signature = f"disagreement|chrF:fastchrf {version('fastchrf')}"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        from fastchrf import pairwise_chrf

        evalset.require_texts()
        segments = list(zip(*evalset.hypotheses, strict=True))
        values = np.empty((len(evalset.hypotheses), len(evalset.hypotheses), len(segments)))
        for start in range(0, len(segments), BLOCK):
            block = segments[start : start + BLOCK]
            distinct = [list(dict.fromkeys(texts)) for texts in block]
            block_chrf = pairwise_chrf(distinct, distinct)
            for segment, (texts, known, chrf) in enumerate(
                zip(block, distinct, block_chrf, strict=True), start
            ):
                text_of = [known.index(text) for text in texts]
                matrix = np.array(chrf, dtype=float)[np.ix_(text_of, text_of)]
                values[..., segment] = matrix / 100
        return values

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        count = len(systems)
        segments = values.shape[-1]
        if count < 2:
            return np.zeros((count, segments))
        total = np.zeros(segments)
        # Sums in one order, whatever the subset's, are equal to the last digit.
        for first, second in permutations(np.sort(systems), 2):
            total += values[first, second]
        return np.broadcast_to(1 - total / (count * (count - 1)), (count, segments))
