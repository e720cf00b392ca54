"""Estimates that others made: sentinel-src, PreCOMET, an LLM as a judge, annotators."""

from pathlib import Path

import numpy as np

from ..data.estimates import read_estimates
from ..data.evalset import EvaluationSet
from ..data.own_files import difficulty_file, file_of_set
from ..errors import Missing
from .base import INFORMATION, Estimator


class File(Estimator):
    """Values of a TSV file, one a segment or one a hypothesis.

    `data.estimates` has the file's form.

    Parameters
    ----------
    file : str, optional
        Its path, in which {campaign} and {pair} stand for those of the set; by default
        `difficulty/<the difficulty's name>.tsv` in a set of own files.
    higher_is_harder : bool
        False for a file of quality estimates, whose sign is turned.
    uses : {"nothing", "source", "outputs", "reference", "gold", "unstated"}
        What the estimates were made from.
    """

    unit = "hypothesis"
    reads = "file"

    def __init__(
        self, file: str | None = None, higher_is_harder: bool = True, uses: str = "unstated"
    ) -> None:
        if uses not in INFORMATION:
            raise ValueError(f"uses {uses}: expected one of {', '.join(INFORMATION)}")
        self.file, self.higher_is_harder, self.information = file, higher_is_harder, uses
        self._signature = ""

    def estimate(self, evalset: EvaluationSet, source: str | Path | None) -> np.ndarray:
        evalset.require_texts()
        if source is None or not Path(source).is_file():
            raise Missing(self._no_file(evalset, source))
        segments, texts = len(evalset.reference), evalset.source
        values = read_estimates(source, evalset.systems, evalset.left_out, segments, texts)
        sign = "" if self.higher_is_harder else "|sign:turned"
        self._signature = f"file:{Path(source).name}{sign}"
        return values if self.higher_is_harder else -values

    def _no_file(self, evalset: EvaluationSet, source: str | Path | None) -> str:
        """The reason, which does not tell where a run stands."""
        if self.file is not None:
            return f"there is no file {file_of_set(self.file, evalset.campaign, evalset.pair)}"
        if source is None:
            return "the set is of the archive, which has no estimates; name their `file`"
        return f"the set has no such estimates ({difficulty_file('', Path(source).stem)})"

    @property
    def signature(self) -> str:
        return self._signature
