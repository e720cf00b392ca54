"""Length of the source segment."""

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..errors import Missing
from .base import Estimator


class Length(Estimator):
    """Characters of the source segment, white space aside, or its words.

    Parameters
    ----------
    count : {"characters", "words"}
        Words are what white space separates.
    """

    def __init__(self, count: str = "characters") -> None:
        if count not in ("characters", "words"):
            raise ValueError(f"count {count}: expected characters or words")
        self.count = count

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_source()
        code = language.source_language(evalset.pair)
        if self.count == "words" and language.without_spaces(code, evalset.source):
            raise Missing(f"{code} is written without spaces between words")
        tokens = language.tokenize(evalset.source, self.count)
        return np.array([len(segment) for segment in tokens], dtype=float)

    @property
    def signature(self) -> str:
        return f"length:{self.count}"
