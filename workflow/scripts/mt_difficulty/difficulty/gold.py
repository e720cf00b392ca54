"""Difficulty: minus human scores of the archive other than the set's gold, per hypothesis."""

from pathlib import Path

import numpy as np

from ..data.campaign_files import score_file
from ..data.evalset import EvaluationSet
from ..data.order_checks import segment_gold_doubt
from ..data.score_files import read_segment_gold
from ..errors import Missing
from .base import Estimator


class Gold(Estimator):
    """Minus other human scores of every hypothesis, such as those of another annotation or
    protocol; NaN for a hypothesis without one.

    Parameters
    ----------
    name : str
        Name of the human scores in `human-scores/<pair>.<name>.seg.score` of the archive.
    """

    unit = "hypothesis"
    reads = "campaign"
    information = "gold"
    uses_gold = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.signature = f"gold:{name}|uses:gold"

    def files(self, folder: Path, pair: str) -> list[Path]:
        path = score_file(folder, pair, self.name, "seg")
        return [path] if path.is_file() else []

    def estimate(self, evalset: EvaluationSet, source: str | Path) -> np.ndarray:
        evalset.require_texts()
        if self.name in (evalset.gold_name, evalset.segment_gold_name):
            raise Missing(f"{self.name} is the set's own gold")
        files = self.files(Path(source), evalset.pair)
        if not files:
            raise Missing(f"the archive has no {self.name} scores of segments")
        segments = len(evalset.reference)
        scores = read_segment_gold(
            files[0],
            known={*evalset.systems, *evalset.left_out},
            outputs=Path(source) / "system-outputs" / evalset.pair,
            segments=segments,
            canary=evalset.canary,
        )
        unrated = [np.nan] * segments
        values = np.array([scores.get(system, unrated) for system in evalset.systems], dtype=float)
        if np.isnan(values).all():
            raise Missing(f"no hypothesis has {self.name} scores")
        doubt = segment_gold_doubt(values, evalset.hypotheses, evalset.reference, evalset.source)
        if doubt and evalset.misaligned == "refuse":
            raise Missing(f"the {self.name} scores do not belong to the texts: {doubt}")
        return -values
