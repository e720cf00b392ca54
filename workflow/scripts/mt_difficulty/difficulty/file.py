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
        self, file: str | None = None, higher_is_harder: bool = True, uses: str = "unstated"
    ) -> None:
        check_choice("uses", uses, INFORMATION)
        self.file, self.higher_is_harder, self.information = file, higher_is_harder, uses

    def estimate(self, evalset: EvaluationSet, source: str | Path | None) -> np.ndarray:
        evalset.require_texts()
        if source is None or not Path(source).is_file():
            # Reasons must not contain the location of the run.
            if self.file is not None:
                file = file_of_set(self.file, evalset.campaign, evalset.pair)
                reason = f"there is no file {file}"
            elif source is None:
                reason = "the set is of the archive, which has no estimates; name their `file`"
            else:
                place = table_file("", DIFFICULTY, Path(source).stem)
                reason = f"the set has no such estimates ({place})"
            raise Missing(reason)
        segments, texts = len(evalset.reference), evalset.source
        values = read_estimates(
            source, evalset.systems, evalset.left_out, segments, texts, evalset.canary
        )
        self.signature = f"file:{Path(source).name}" + "|sign:turned" * (not self.higher_is_harder)
        return values if self.higher_is_harder else -values
