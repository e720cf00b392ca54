"""TER (Snover et al. 2006) with sacreBLEU's edit counts."""

from collections.abc import Callable

import numpy as np

from ..data.language import default_units
from .base import TextMetric


class TER(TextMetric):
    """Corpus TER in percent, lower is better; statistics are edits and reference length.

    Where the language has no spaces, every Chinese character is a word (sacreBLEU's
    `asian_support`, which splits neither runs of kana nor Thai, Lao, Khmer, Burmese, Tibetan).
    """

    higher_is_better = False

    def __init__(self, pair: str) -> None:
        super().__init__(pair)
        self._signature = ""

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        from sacrebleu.metrics import TER as SacreTER

        by_character = default_units(self.pair, reference) == "characters"
        ter = SacreTER(normalized=by_character, asian_support=by_character, references=[reference])
        self._signature = ter.get_signature().format()
        return np.array(
            [ter._extract_corpus_statistics(system, None) for system in progress(hypotheses)],
            dtype=float,
        )

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Edits over reference length, (..., 2) to (...), as sacreBLEU: 100 for edits against
        an empty reference, 0 for none; NaN for a group without segments."""
        edits, length = sums[..., 0], sums[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(length > 0, 100 * edits / length, np.where(edits > 0, 100.0, 0.0))
        return np.where(segments > 0, score, np.nan)

    @property
    def signature(self) -> str:
        return self._signature
