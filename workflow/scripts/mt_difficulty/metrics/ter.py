"""TER (Snover et al. 2006) as sacreBLEU computes it."""

from collections.abc import Callable, Sequence
from unittest import mock

import numpy as np

from ..data.language import default_units
from .base import SacreMetric


class TER(SacreMetric):
    """Corpus TER in percent, lower is better; statistics are edits and reference length.

    In languages without spaces, every Chinese character is a word (sacreBLEU's `asian_support`,
    which does not split kana, Thai, Lao, Khmer, Burmese or Tibetan). With several references, edits
    are the fewest over references and length is the mean.

    Parameters
    ----------
    case_sensitive : bool
    """

    kind = "TER"
    higher_is_better = False

    def __init__(self, pair: str, case_sensitive: bool = False) -> None:
        super().__init__(pair)
        self.settings = {"case_sensitive": case_sensitive}

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        from ..compiled.ter_edits import translation_edit_rate

        by_character = default_units(self.pair, reference) == "characters"
        self.settings |= {"normalized": by_character, "asian_support": by_character}
        # sacreBLEU's own function, in Python, takes fifty times as long.
        with mock.patch("sacrebleu.metrics.ter.translation_edit_rate", translation_edit_rate):
            return super().segment_statistics(hypotheses, reference, progress, more_references)

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute TER, edits over reference length in percent, (..., 2) to (...). As in sacreBLEU,
        an empty reference gives 100 with edits and 0 without; NaN for a group without segments."""
        edits, length = sums[..., 0], sums[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(length > 0, 100 * edits / length, np.where(edits > 0, 100.0, 0.0))
        return np.where(segments > 0, score, np.nan)
