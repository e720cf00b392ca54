"""chrF (Popović 2015) as sacreBLEU computes it for a sentence."""

from collections.abc import Callable

import numpy as np

from .base import TextMetric

BETA = 2


class ChrF(TextMetric):
    """Mean of sentence chrF2, 0 to 100; one statistic, the sentence's score."""

    def __init__(self, pair: str) -> None:
        super().__init__(pair)

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        from .compiled.character_ngrams import Texts, matches

        wanted = Texts.of(reference)
        systems = (Texts.of(system) for system in progress(hypotheses))
        scores = [
            f_scores(matches(system, wanted), system.ngrams, wanted.ngrams) for system in systems
        ]
        return np.array(scores)[..., None]

    @property
    def signature(self) -> str:
        from sacrebleu.metrics import CHRF

        settings = CHRF(beta=BETA, references=[[""]]).get_signature().format()
        return f"{settings}|aggregation:mean"


def f_scores(matched: np.ndarray, hypothesis: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """F of the mean precision and the mean recall over the orders that both sides have.

    Parameters
    ----------
    matched, hypothesis, reference : ndarray, (..., orders)
        Counts of n-grams.

    Returns
    -------
    ndarray, (...)
        0 to 100; 0 where a side is empty. Bit by bit what sacreBLEU prints.
    """
    both = (hypothesis > 0) & (reference > 0)
    precision = np.where(both, matched / np.maximum(hypothesis, 1), 0)
    recall = np.where(both, matched / np.maximum(reference, 1), 0)
    orders = np.maximum(both.sum(axis=-1), 1)
    # Summed from the lowest order on.
    p, r = (np.cumsum(side, axis=-1)[..., -1] / orders for side in (precision, recall))
    with np.errstate(invalid="ignore"):
        return np.where(p + r > 0, 100 * ((1 + BETA**2) * p * r / (BETA**2 * p + r)), 0.0)
