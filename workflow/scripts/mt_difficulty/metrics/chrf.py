"""chrF (Popović 2015) as sacreBLEU computes it for a sentence."""

import numpy as np

from .base import TextMetric


class ChrF(TextMetric):
    """Mean of sentence chrF2, 0 to 100; one statistic, the sentence's score."""

    def __init__(self, pair):
        self._signature = None

    def segment_statistics(self, hypotheses, reference, progress=iter):
        from sacrebleu.metrics import CHRF

        chrf = CHRF(references=[reference])
        self._signature = f"{chrf.get_signature().format()}|aggregation:mean"
        return np.array([_sentence_scores(chrf, system) for system in progress(hypotheses)])

    @property
    def signature(self):
        return self._signature


def _sentence_scores(chrf, system):
    # As in BLEU: the statistics step with cached reference n-grams.
    statistics = chrf._extract_corpus_statistics(system, None)
    return [[chrf._compute_score_from_stats(row).score] for row in statistics]
