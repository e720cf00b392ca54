"""chrF (Popović 2015) as sacreBLEU computes it for a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .base import TextMetric

if TYPE_CHECKING:
    from sacrebleu.metrics import CHRF


class ChrF(TextMetric):
    """Mean of sentence chrF2, 0 to 100; one statistic, the sentence's score."""

    def __init__(self, pair: str) -> None:
        self._signature = ""

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        from sacrebleu.metrics import CHRF

        chrf = CHRF(references=[reference])
        self._signature = f"{chrf.get_signature().format()}|aggregation:mean"
        return np.array([_sentence_scores(chrf, system) for system in progress(hypotheses)])

    @property
    def signature(self) -> str:
        return self._signature


def _sentence_scores(chrf: CHRF, system: list[str]) -> list[list[float]]:
    # As in BLEU: the statistics step with cached reference n-grams.
    statistics = chrf._extract_corpus_statistics(system, None)
    return [[chrf._compute_score_from_stats(row).score] for row in statistics]
