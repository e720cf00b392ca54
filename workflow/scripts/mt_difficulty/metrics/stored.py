"""Metrics that others computed: the archive's `metric-scores`."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.text_files import read_segment_scores, read_system_scores
from ..errors import Missing
from .base import Metric


class Stored(Metric):
    """Scores from the archive, higher is better; one statistic, the segment's score.

    Segment scores where the archive has them, else the one system score as if the set were
    a single segment: enough for the standard weighting, not for EE.

    Parameters
    ----------
    name : str
        The file's name before `-<reference>`: `ESIM` of `ESIM-ref.sys.score`.
    """

    reads = "stored"

    def __init__(self, pair: str, name: str) -> None:
        self.pair, self.name = pair, name
        self._signature = ""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Stored scores of the systems, (systems, segments or 1, 1).

        Raises
        ------
        Missing
            The archive has no such scores, or not those of every ranked system.
        InputError
            A file of another form.
        """
        if not source:
            raise Missing("scores of others are read from the archive, and the set is of own files")
        segments, file = len(evalset.reference), self._file(source, evalset.reference_name, "seg")
        if segments and file:
            scores = read_segment_scores(file, segments)
        elif file := self._file(source, evalset.reference_name, "sys"):
            scores = {system: [score] for system, score in read_system_scores(file).items()}
        else:
            raise Missing(
                f"the archive has no {self.name} scores of {evalset.campaign} {evalset.pair}"
            )
        for system in evalset.systems:
            if system not in scores or any(map(math.isnan, scores[system])):
                raise Missing(f"{file.name} has no score, or not all, of system {system}")
        self._signature = f"stored:{file.name}"
        return np.array([scores[system] for system in evalset.systems])[:, :, None]

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        self.evaluate(evalset, source)

    def _file(self, folder: str | Path, reference: str, level: str) -> Path | None:
        """The file computed with this reference, or else without any (`src`)."""
        for name in (reference, "src"):
            file = Path(folder) / "metric-scores" / self.pair / f"{self.name}-{name}.{level}.score"
            if file.is_file():
                return file
        return None

    @property
    def signature(self) -> str:
        return self._signature
