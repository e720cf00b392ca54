"""BLEU (Papineni et al. 2002) with sacreBLEU's n-gram statistics."""

import numpy as np

from ..data.language import target_language
from .base import SacreMetric


class BLEU(SacreMetric):
    """Corpus BLEU, 0 to 100; statistics are hypothesis length, reference length, four counts
    of matched and four of all n-grams.

    Parameters
    ----------
    tokenize : str, optional
        A sacreBLEU tokenizer; by default sacreBLEU's choice for the target language.
    lowercase : bool
    """

    kind = "BLEU"

    def __init__(self, pair: str, tokenize: str | None = None, lowercase: bool = False) -> None:
        from sacrebleu.metrics import BLEU as SacreBLEU

        if tokenize not in (None, *SacreBLEU.TOKENIZERS):
            known = ", ".join(SacreBLEU.TOKENIZERS)
            raise ValueError(f"tokenize: expected one of {known}; found {tokenize!r}")
        self.settings = {"tokenize": tokenize, "lowercase": lowercase, "force": True}
        self.settings["trg_lang"] = target_language(pair)

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute corpus BLEU with sacreBLEU's exponential smoothing, (..., 10) to (...); NaN for a
        group without segments."""
        return _bleu(sums, segments, effective_order=False)

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Return sentence BLEU, 0 to 100, with effective order, from n-gram counts and lengths."""
        return _bleu(statistics, np.ones(statistics.shape[:-1]), effective_order=True)


def _bleu(sums: np.ndarray, segments: np.ndarray, effective_order: bool) -> np.ndarray:
    # n-gram orders are the first axis, because numpy sums slowly over a short last axis.
    hypothesis, reference, *counts = np.moveaxis(sums, -1, 0)
    matched, total = np.array(counts[:4]), np.array(counts[4:])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        precision, none = matched / total, matched == 0
        if none.any():
            # Exponential smoothing: each further order without a match halves the precision.
            precision = np.where(none, 1 / (2.0 ** np.cumsum(none, axis=0) * total), precision)
        possible = total > 0
        log_precision = sum(np.where(possible, np.log(precision), 0.0))
        orders = possible.sum(axis=0) if effective_order else 4
        brevity = np.minimum(0.0, 1 - reference / hypothesis)
        score = 100 * np.exp(brevity + log_precision / orders)
    scoreable = ~none.all(axis=0)
    if not effective_order:
        scoreable &= possible.all(axis=0)
    return np.where(segments > 0, np.where(scoreable, score, 0.0), np.nan)
