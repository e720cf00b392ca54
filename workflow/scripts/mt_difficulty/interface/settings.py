"""What texts are scored with: the settings that the command line and Python share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DEFAULT_DIFFICULTY = "chunk_entropy"
RESAMPLES, SEED = 1000, 2022
MOST_RESAMPLES = 100_000  # a byte for each of these and each segment
MOST = 2**63 - 1  # of other whole numbers
MOST_SOFTMAX = 100  # beyond it one hypothesis decides


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of scores and difficulties of texts.

    Attributes
    ----------
    metric : sequence of str
        Names of metrics, in any case.
    weighting : sequence of str
        Weightings beside the standard one.
    difficulty : str or ndarray, (segments,) or (systems, segments)
        An estimator's name, a file of estimates, or values.
    h : float or str, optional
        EE's threshold, or a rule for it.
    w : float or str, optional
        EE's easy weight, 0 to 1, or `share`.
    share : float
        Of hypotheses that `hardest` scores.
    softmax : float, optional
        Of `proportional`.
    resamples, seed : int
        Of the bootstrap.
    lang, src_lang : str, optional
        Target and source language.
    encoder : path, optional
        Folder of a transformer; `layer` is the layer whose output is used.
    of_metric : dict
        Settings of metrics by type, such as {"bleu": {"tokenize": "intl"}}.
    """

    metric: Sequence[str] = ("chrF",)
    weighting: Sequence[str] = ()
    difficulty: str | np.ndarray = DEFAULT_DIFFICULTY
    h: float | str | None = None
    w: float | str | None = None
    share: float = 0.1
    softmax: float | None = None
    resamples: int = RESAMPLES
    seed: int = SEED
    lang: str | None = None
    src_lang: str | None = None
    encoder: Path | None = None
    layer: int | None = None
    of_metric: dict[str, dict] | None = None
