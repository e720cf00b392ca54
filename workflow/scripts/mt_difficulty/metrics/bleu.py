"""BLEU (Papineni et al. 2002) with sacreBLEU's n-gram statistics."""

from collections.abc import Callable, Sequence

import numpy as np

from .base import TextMetric


class BLEU(TextMetric):
    """Corpus BLEU, 0 to 100; statistics are hypothesis length, reference length, four counts
    of matched and four of all n-grams.

    Parameters
    ----------
    tokenize : str, optional
        A sacreBLEU tokenizer; by default sacreBLEU's choice for the target language.
    lowercase : bool
    """

    def __init__(self, pair: str, tokenize: str | None = None, lowercase: bool = False) -> None:
        from sacrebleu.metrics import BLEU as SacreBLEU

        from ..data.language import target_language

        if tokenize not in (None, *SacreBLEU.TOKENIZERS):
            known = ", ".join(SacreBLEU.TOKENIZERS)
            raise ValueError(f"tokenize: expected one of {known}; found {tokenize!r}")
        self._make = lambda **options: SacreBLEU(
            tokenize=tokenize,
            lowercase=lowercase,
            trg_lang=target_language(pair),
            force=True,
            **options,
        )
        self._signature = ""

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        others: Sequence[list[str]] = (),
    ) -> np.ndarray:
        bleu = self._make(references=[reference, *others])
        self._signature = bleu.get_signature().format()
        # The step that sacreBLEU's own bootstrap starts from: the public methods would tokenise
        # the reference anew for every system.
        return np.array(
            [bleu._extract_corpus_statistics(system, None) for system in progress(hypotheses)],
            dtype=float,
        )

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Corpus BLEU with exponential smoothing, as sacreBLEU computes it.

        Parameters
        ----------
        sums : ndarray, (..., 10)
        segments : ndarray, (...)

        Returns
        -------
        ndarray, (...)
            0 to 100; NaN for a group without segments.
        """
        return _bleu(sums, segments, effective_order=False)

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Sentence BLEU: sacreBLEU's effective order, (..., 10) to (...)."""
        return _bleu(statistics, np.ones(statistics.shape[:-1]), effective_order=True)

    @property
    def signature(self) -> str:
        return self._signature


def _bleu(sums: np.ndarray, segments: np.ndarray, effective_order: bool) -> np.ndarray:
    # Orders come first: numpy is slow at sums over a short last axis.
    hypothesis, reference, *counts = np.moveaxis(sums, -1, 0)
    matched, total = np.array(counts[:4]), np.array(counts[4:])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        precision, none = matched / total, matched == 0
        if none.any():
            # Each order without a match halves the stand-in for its precision once more.
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
