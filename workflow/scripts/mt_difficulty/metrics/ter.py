"""TER (Snover et al. 2006) with sacreBLEU's edit counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..data.language import default_units
from .base import TextMetric

if TYPE_CHECKING:
    from .compiled.edit_distance import EditDistance


class TER(TextMetric):
    """Corpus TER in percent, lower is better; statistics are edits and reference length.

    Where the language has no spaces, every Chinese character is a word (sacreBLEU's
    `asian_support`, which splits neither runs of kana nor Thai, Lao, Khmer, Burmese, Tibetan).
    Of several references the one of fewest edits counts, and their mean length.

    Parameters
    ----------
    case_sensitive : bool
    """

    higher_is_better = False

    def __init__(self, pair: str, case_sensitive: bool = False) -> None:
        super().__init__(pair)
        self._case_sensitive = case_sensitive
        self._signature = ""

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        others: Sequence[list[str]] = (),
    ) -> np.ndarray:
        from sacrebleu.metrics import TER as SacreTER

        from .compiled.edit_distance import EditDistance

        by_character = default_units(self.pair, reference) == "characters"
        ter = SacreTER(
            normalized=by_character,
            asian_support=by_character,
            case_sensitive=self._case_sensitive,
            references=[[""]] * (1 + len(others)),
        )
        self._signature = ter.get_signature().format()

        def tokens(segments: list[str]) -> list[list[str]]:
            return [ter.tokenizer(segment.rstrip()).split() for segment in segments]

        sides = [
            [(words, EditDistance(words)) for words in tokens(one)] for one in (reference, *others)
        ]
        wanted = list(zip(*sides, strict=True))
        return np.array(
            [
                [
                    [
                        min(_edits(words, *side) for side in of_segment),
                        sum(len(side[0]) for side in of_segment) / len(of_segment),
                    ]
                    for words, of_segment in zip(tokens(system), wanted, strict=True)
                ]
                for system in progress(hypotheses)
            ],
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


def _edits(hypothesis: list[str], reference: list[str], distance: EditDistance) -> int:
    """Edits and shifts: sacreBLEU's `translation_edit_rate`, with an edit distance of ours."""
    from sacrebleu.metrics import lib_ter

    shifts = candidates = 0
    while True:
        gain, shifted, candidates = lib_ter._shift(hypothesis, reference, distance, candidates)
        if gain <= 0 or candidates >= lib_ter._MAX_SHIFT_CANDIDATES:
            return shifts + distance(hypothesis)[0]
        shifts, hypothesis = shifts + 1, shifted
