"""Difficulty: minus a metric's segment scores in the archive, such as quality estimates."""

from pathlib import Path

import numpy as np

from ..data.campaign_files import stored_files
from ..data.evalset import EvaluationSet
from ..errors import Missing
from ..metrics.stored import Stored as StoredMetric
from ..metrics.stored import is_without_reference
from .base import Estimator


class Stored(Estimator):
    """Minus the stored segment score of every hypothesis.

    Parameters
    ----------
    name : str
        Name of the metric in `metric-scores/<pair>/<name>-src.seg.score` of the archive.
    """

    unit = "hypothesis"
    reads = "campaign"

    def __init__(self, name: str) -> None:
        self.name = name

    def files(self, folder: Path, pair: str) -> list[Path]:
        return stored_files(folder, pair, self.name)

    def estimate(self, evalset: EvaluationSet, source: str | Path) -> np.ndarray:
        metric = StoredMetric(evalset.pair, self.name)
        scores = metric.evaluate(evalset, source)[:, :, 0]
        if scores.shape[1] != len(evalset.source):
            raise Missing(f"the archive has {self.name} scores of systems only")
        self.signature = metric.signature
        self.information = "reference"
        if is_without_reference(metric.signature):
            # A metric that reads the source alone gives all systems the same score.
            is_of_source = (scores == scores[:1]).all()
            self.information = "source" if is_of_source else "outputs"
        return -scores
