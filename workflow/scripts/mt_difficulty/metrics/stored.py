"""Metrics that others computed: the archive's `metric-scores`, or a user's file."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.own_files import file_of_set, scores_file
from ..data.score_files import read_segment_scores, read_system_scores, read_user_scores
from ..errors import Missing
from .base import Metric


def is_without_reference(signature: str) -> bool:
    """Whether a signature is that of scores which the archive has of a metric without reference."""
    return re.match(r"stored:[^|]*-src\.(seg|sys)\.score", signature) is not None


class Stored(Metric):
    """Scores from the archive or from a user's file, higher is better; one statistic, the
    segment's score.

    Segment scores where there are any, else the one system score as if the set were a single
    segment: enough for the standard weighting, not for EE. Where the archive has both,
    `system_scores` are its own.

    Parameters
    ----------
    name : str
        The file's name: `ESIM` of the archive's `ESIM-<reference>.seg.score` and
        `ESIM-<reference>.sys.score`, and of `scores/ESIM.tsv` in a set of own files.
    file : str, optional
        The path of a user's file, in which {campaign} and {pair} stand for those of the set; see
        `data.score_files.read_user_scores`.
    reference : str, optional
        Which of the archive's files counts, `src` for a metric without reference; the set's
        reference, or else `src`, by default.
    """

    reads = "stored"

    def __init__(
        self, pair: str, name: str, file: str | None = None, reference: str | None = None
    ) -> None:
        super().__init__(pair)
        self.name, self.file, self.reference = name, file, reference
        self._signature = ""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Stored scores of the systems, (systems, segments or 1, 1).

        Parameters
        ----------
        source : path
            The campaign's folder in the archive, or the user's file.

        Raises
        ------
        Missing
            There are no such scores, or the archive has not those of every ranked system.
        InputError
            A file of another form, or a user's file that lacks scores.
        """
        if source and Path(source).is_file():
            segments = len(evalset.reference)
            scores = read_user_scores(source, evalset.systems, evalset.left_out, segments)
            self._signature = f"stored:{Path(source).name}"
            return scores[:, :, None]
        if source and self.file is None and Path(source).is_dir():
            return self._of_archive(evalset, Path(source))
        # The reasons do not tell where a run stands.
        if self.file is None:
            raise Missing(f"the set has no {self.name} scores ({scores_file('', self.name)})")
        file = file_of_set(self.file, evalset.campaign, evalset.pair)
        raise Missing(f"there is no file {file}")

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        self.evaluate(evalset, source)

    def _of_archive(self, evalset: EvaluationSet, folder: Path) -> np.ndarray:
        of_segments, of_systems = self._files(folder, evalset.reference_name)
        found: list[np.ndarray] = []
        reason = f"the archive has no {self.name} scores of {evalset.campaign} {evalset.pair}"
        scores: dict[Path, dict[str, list[float]]] = {}
        if of_systems:
            of_system = read_system_scores(of_systems)
            scores[of_systems] = {system: [score] for system, score in of_system.items()}
        if of_segments and evalset.reference:  # without texts, segments are not known
            segments = len(evalset.reference)
            scores[of_segments] = read_segment_scores(of_segments, segments, evalset.canary)
        for file, by_system in scores.items():
            if not by_system:
                continue
            values = [by_system.get(system, [math.nan]) for system in evalset.systems]
            absent = [any(map(math.isnan, value)) for value in values]
            if any(absent):  # those of the other level count
                system = evalset.systems[absent.index(True)]
                reason = f"{file.name} has no score, or not all, of system {system}"
            else:
                found.append(np.array(values))
                self._signature = f"stored:{file.name}"
        if not found:
            raise Missing(reason)
        if len(found) > 1:
            self.system_scores = found[0][:, 0]
        return found[-1][:, :, None]

    def _files(self, folder: Path, reference: str) -> tuple[Path | None, Path | None]:
        """The files of segments' and of systems' scores, computed with this reference, or else
        without any (`src`); None for one that is not there."""
        place = folder / "metric-scores" / self.pair
        for name in (self.reference,) if self.reference else filter(None, (reference, "src")):
            files = [place / f"{self.name}-{name}.{level}.score" for level in ("seg", "sys")]
            if any(file.is_file() for file in files):
                of_segments, of_systems = (file if file.is_file() else None for file in files)
                return of_segments, of_systems
        return None, None

    @property
    def signature(self) -> str:
        return self._signature
