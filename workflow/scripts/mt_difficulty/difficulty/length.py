"""Length of the source segment."""

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..errors import Missing
from .base import Estimator

COUNTS = ("characters", "all_characters", "words")


class Length(Estimator):
    """Characters of the source segment, or its words.

    Parameters
    ----------
    count : {"characters", "all_characters", "words"}
        Characters without white space, or with it; or what white space separates.
    """

    information = "source"

    def __init__(self, count: str = "characters") -> None:
        if count not in COUNTS:
            raise ValueError(f"count {count}: expected one of {', '.join(COUNTS)}")
        self.count = count

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_source()
        if self.count == "all_characters":
            return np.array([len(segment) for segment in evalset.source], dtype=float)
        code = language.source_language(evalset.pair)
        if self.count == "words" and language.without_spaces(code, evalset.source):
            raise Missing(f"{code} is written without spaces between words")
        tokens = language.tokenize(evalset.source, self.count)
        return np.array([len(segment) for segment in tokens], dtype=float)

    @property
    def signature(self) -> str:
        return f"length:{self.count}"
