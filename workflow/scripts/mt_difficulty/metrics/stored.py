"""Stored metric scores, read from the archive's folder `metric-scores` or a user's file."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.own_files import SCORES, file_of_set, table_file
from ..data.score_files import read_scores, read_user_scores
from ..errors import Missing
from .base import Metric


def is_without_reference(signature: str) -> bool:
    """Return whether a metric is reference-free: its signature names an archived `-src` file, or a
    command that takes no reference."""
    if signature.startswith("command:"):
        return "{reference}" not in signature
    return re.match(r"stored:[^|]*-src\.(seg|sys)\.score", signature) is not None


class Stored(Metric):
    """Scores from the archive or from a user's file, higher is better; the statistic is the
    segment's score.

    A metric with system scores only is treated as having one segment; EE cannot be applied to it.
    `system_scores` are the archive's or, where only segment scores of a set of the archive are
    stored, their means over all segments, also those without human scores: the archive's system
    scores are such means, and a metric in a user's file must be treated as one in the archive.

    Parameters
    ----------
    name : str
        Name in the file name: `ESIM` for `ESIM-<reference>.seg.score` and
        `ESIM-<reference>.sys.score` in the archive, or `scores/ESIM.tsv` in a set of own files.
    file : str, optional
        Path of a user's file; {campaign} and {pair} are replaced by those of the set. See
        `data.score_files.read_user_scores`.
    reference : str, optional
        Reference in the archive's file name; `src` for a metric without reference. By default the
        set's reference, or else `src`.
    """

    reads = "stored"

    def __init__(
        self, pair: str, name: str, file: str | None = None, reference: str | None = None
    ) -> None:
        super().__init__(pair)
        self.name = name
        self.file = file
        self.reference = reference

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Read stored scores.

        Parameters
        ----------
        evalset : EvaluationSet
            The set, whose systems and segments are read.
        source : path
            The campaign's folder, or the user's file.
        progress : callable
            Not used.

        Returns
        -------
        ndarray of shape (systems, segments, 1)
            Scores of the systems as one segment if segments have none.

        Raises
        ------
        Missing
            There are no scores of the metric, or not of every system.
        """
        if source and Path(source).is_file():
            segments = len(evalset.reference)
            scores = read_user_scores(
                source,
                evalset.systems,
                evalset.left_out,
                segments,
                canary=evalset.canary,
                metric=self.name,
            )
            self.signature = f"stored:{Path(source).name}"
            if scores.shape[1] > 1 and not evalset.own_files:
                self.system_scores = scores.mean(axis=1)
            return scores[:, :, None]
        if source and self.file is None and Path(source).is_dir():
            return self._of_archive(evalset, Path(source))
        # Reasons must not contain the location of the run.
        if self.file is None:
            place = table_file("", SCORES, self.name)
            raise Missing(f"the set has no {self.name} scores ({place})")
        raise Missing(f"there is no file {file_of_set(self.file, evalset.campaign, evalset.pair)}")

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        self.evaluate(evalset, source)

    def _of_archive(self, evalset: EvaluationSet, folder: Path) -> np.ndarray:
        """Return the statistics from the files of a campaign in the archive."""
        segment_file, system_file = self._archive_files(evalset, folder)
        scores: dict[str, dict[str, list[float]]] = {}
        if system_file.is_file():
            scores[system_file.name] = read_scores(system_file)
        if segment_file.is_file() and evalset.reference:  # without texts, segments are not known
            segments = len(evalset.reference)
            scores[segment_file.name] = read_scores(segment_file, segments, evalset.canary)
        reason = f"the archive has no {self.name} scores of {evalset.campaign} {evalset.pair}"
        complete: list[np.ndarray] = []
        for file, scores_in_file in scores.items():
            if not scores_in_file:
                continue
            absent = _absent_scores(file, scores_in_file, evalset.systems)
            if not absent:
                values = [scores_in_file[system] for system in evalset.systems]
                complete.append(np.array(values))
                self.signature = f"stored:{file}"
                continue
            # Scores of the other level count.
            reason = absent
            if file == segment_file.name:
                self.no_segments = absent
        if not complete:
            raise Missing(reason)
        if len(complete) > 1:
            self.system_scores = complete[0][:, 0]
        elif complete[0].shape[1] > 1:
            self.system_scores = complete[0].mean(axis=1)
        return complete[-1][:, :, None]

    def _archive_files(self, evalset: EvaluationSet, folder: Path) -> tuple[Path, Path]:
        """Return the files of segment scores and of system scores, which may not exist: those that
        were computed with the set's reference, or else without any (src)."""
        names = [self.reference] if self.reference else [evalset.reference_name, "src"]
        segment_file = system_file = folder
        for name in filter(None, names):
            stem = folder / "metric-scores" / self.pair / f"{self.name}-{name}"
            segment_file = Path(f"{stem}.seg.score")
            system_file = Path(f"{stem}.sys.score")
            if segment_file.is_file() or system_file.is_file():
                break
        return segment_file, system_file


def _absent_scores(file: str, scores: Mapping[str, Sequence[float]], systems: Sequence[str]) -> str:
    """Return which system's scores a file lacks, the first one; empty if it lacks none."""
    for system in systems:
        if system not in scores:
            return f"{file} has no score of system {system}"
        absent = int(np.isnan(scores[system]).sum())
        if absent:
            return f"{file} lacks {absent} of {len(scores[system])} scores of system {system}"
    return ""
