"""TER (Snover et al. 2006) with sacreBLEU's edit counts."""

import numpy as np

from ..language import default_units
from .base import TextMetric


class TER(TextMetric):
    """Corpus TER in percent, lower is better; statistics are edits and reference length.

    Where the language has no spaces, every Chinese character is a word (sacreBLEU's
    `asian_support`, which splits neither runs of kana nor Thai, Lao, Khmer, Burmese, Tibetan).
    """

    higher_is_better = False

    def __init__(self, pair):
        self._pair, self._signature = pair, None

    def segment_statistics(self, hypotheses, reference, progress=iter):
        from sacrebleu.metrics import TER as SacreTER

        by_character = default_units(self._pair, reference) == "characters"
        ter = SacreTER(normalized=by_character, asian_support=by_character, references=[reference])
        self._signature = ter.get_signature().format()
        return np.array(
            [ter._extract_corpus_statistics(system, None) for system in progress(hypotheses)],
            dtype=float,
        )

    @staticmethod
    def aggregate(sums, segments):
        """Edits over reference length, (..., 2) to (...), as sacreBLEU: 100 for edits against
        an empty reference, 0 for none; NaN for a group without segments."""
        edits, length = sums[..., 0], sums[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(length > 0, 100 * edits / length, np.where(edits > 0, 100.0, 0.0))
        return np.where(segments > 0, score, np.nan)

    @property
    def signature(self):
        return self._signature
