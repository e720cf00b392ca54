"""Difficulty: length of the source segment in characters or words."""

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..errors import Missing, check_choice
from .base import Estimator


class Length(Estimator):
    """Characters of the source segment, or its words.

    Parameters
    ----------
    count : {"characters", "all_characters", "words"}
        Characters without or with white space, or words separated by white space.
    """

    information = "source"

    def __init__(self, count: str = "characters") -> None:
        check_choice("count", count, ("characters", "all_characters", "words"))
        self.count = count
        self.signature = f"length:{count}"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_source()
        if self.count == "all_characters":
            return np.array([len(segment) for segment in evalset.source], dtype=float)
        code = language.source_language(evalset.pair)
        if self.count == "words" and language.without_spaces(code, evalset.source):
            raise Missing(f"{code} is written without spaces between words")
        tokens = language.tokenize(evalset.source, self.count)
        return np.array([len(segment) for segment in tokens], dtype=float)
