"""Difficulty: chrF disagreement between the systems' hypotheses of a segment."""

from itertools import permutations

import numpy as np

from ..data.evalset import EvaluationSet
from ..metrics.base import text_blocks
from ..metrics.chrf import pairwise_chrf
from .base import Estimator


class Disagreement(Estimator):
    """1 − the mean chrF between the hypotheses of the systems at hand, 0 to 1; each pair counts in
    both directions, as chrF is not symmetric. 0 where there is one system."""

    information = "outputs"
    depends_on_systems = True

    def __init__(self) -> None:
        self.signature = "disagreement|chrF2"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_texts()
        systems, segments = len(evalset.hypotheses), len(evalset.hypotheses[0])
        values = np.empty((systems, systems, segments))
        for block in text_blocks(evalset.hypotheses[0]):
            values[..., block] = pairwise_chrf([texts[block] for texts in evalset.hypotheses])
        return values / 100

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
