"""Estimates that others made: sentinel-src, PreCOMET, an LLM as a judge, annotators."""

from pathlib import Path

import numpy as np

from ..data.estimates import read_estimates
from ..data.evalset import EvaluationSet
from .base import Estimator


class File(Estimator):
    """Values of a TSV file, one a segment or one a hypothesis.

    `data.estimates` has the file's form.

    Parameters
    ----------
    file : str
        Its path; {campaign} and {pair} stand for those of the set.
    higher_is_harder : bool
        False for a file of quality estimates, whose sign is turned.
    """

    unit = "hypothesis"
    reads = "file"

    def __init__(self, file: str, higher_is_harder: bool = True) -> None:
        self.file, self.higher_is_harder = file, higher_is_harder
        self._signature = ""

    def estimate(self, evalset: EvaluationSet, source: str | Path) -> np.ndarray:
        evalset.require_texts()
        segments = len(evalset.reference)
        values = read_estimates(source, evalset.systems, evalset.left_out, segments)
        sign = "" if self.higher_is_harder else "|sign:turned"
        self._signature = f"file:{Path(source).name}{sign}"
        return values if self.higher_is_harder else -values

    @property
    def signature(self) -> str:
        return self._signature
