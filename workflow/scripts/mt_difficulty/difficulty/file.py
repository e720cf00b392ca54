"""Difficulty read from a TSV file, such as estimates by sentinel-src, PreCOMET or an LLM."""

from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.own_files import DIFFICULTY, file_of_set, table_file
from ..data.score_files import read_estimates
from ..errors import Missing, check_choice
from .base import INFORMATION, Estimator


class File(Estimator):
    """Values of a TSV file, one per segment or one per hypothesis.

    Parameters
    ----------
    file : str, optional
        Path of the file; {campaign} and {pair} are replaced by those of the set. The default is
        `difficulty/<the difficulty's name>.tsv` in a set of own files.
    higher_is_harder : bool
        False for quality estimates; the sign of the values is then changed.
    uses : {"nothing", "source", "outputs", "reference", "gold", "unstated"}
        Data from which the estimates were made.
    """

    unit = "hypothesis"
    reads = "file"

    def __init__(
        self, file: str | None = None, *, higher_is_harder: bool = True, uses: str = "unstated"
    ) -> None:
        check_choice("uses", uses, INFORMATION)
        self.file = file
        self.higher_is_harder = higher_is_harder
        self.information = uses

    def estimate(self, evalset: EvaluationSet, source: str | Path | None) -> np.ndarray:
        evalset.require_texts()
        if source is None or not Path(source).is_file():
            raise Missing(self._reason_of_no_file(evalset, source))
        values = read_estimates(
            source,
            systems=evalset.systems,
            left_out=evalset.left_out,
            segments=len(evalset.reference),
            source=evalset.source,
            canary=evalset.canary,
        )
        self.signature = f"file:{Path(source).name}"
        if self.higher_is_harder:
            return values
        self.signature += "|sign:turned"
        return -values

    def _reason_of_no_file(self, evalset: EvaluationSet, source: str | Path | None) -> str:
        """Return the reason for missing estimates, without the location of the run."""
        if self.file is not None:
            file = file_of_set(self.file, evalset.campaign, evalset.pair)
            return f"there is no file {file}"
        if source is None:
            return "the set is of the archive, which has no estimates; name their `file`"
        table = table_file("", DIFFICULTY, Path(source).stem)
        return f"the set has no such estimates ({table})"
