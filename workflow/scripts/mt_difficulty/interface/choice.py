"""What segments are chosen with: the settings that the command line and Python share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Settings of a choice of segments.

    Attributes
    ----------
    by : str or ndarray, (segments,)
        A method, a file of estimates, or values of which the highest are chosen.
    budget : float
        What the choice may cost.
    cost : {"segments", "words", "characters"}
        What the budget counts, of the source.
    set : str
        The name of the source text, for messages.
    hyp : sequence of path
        Files of hypotheses.
    documents : path, optional
        File of the document of each segment.
    whole_documents : bool
    scores, judge : path, optional
        Files of segment scores.
    src_lang : str, optional
    seed : int
    """

    by: str | np.ndarray
    budget: float
    cost: str = "segments"
    set: str = "the source"
    hyp: Sequence[Path] = ()
    documents: Path | None = None
    whole_documents: bool = False
    scores: Path | None = None
    judge: Path | None = None
    src_lang: str | None = None
    seed: int = 2022
