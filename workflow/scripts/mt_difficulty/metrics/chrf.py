"""chrF (Popović 2015) as sacreBLEU computes it; means of sentence scores by fastchrf."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from .base import TextMetric

Average = Literal["segments", "corpus"]


class ChrF(TextMetric):
    """Mean of sentence chrF2, 0 to 100; one statistic, the sentence's score. With `average: corpus`
    chrF of the whole text, whose statistics are n-grams in hypothesis, in reference and in both for
    every order, and β².

    Parameters
    ----------
    average : {"segments", "corpus"}
        The mean of sentence scores, or one score from the counts of all segments, which is
        sacreBLEU's score of a system.
    char_order, word_order : int
        Longest n-grams of characters and of words; chrF++ has `word_order: 2`.
    beta : int
        Weight of recall.
    lowercase : bool
    """

    def __init__(
        self,
        pair: str,
        average: Average = "segments",
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
    ) -> None:
        if average not in get_args(Average):
            raise ValueError(f"average: expected segments or corpus; found {average!r}")
        self.average = average
        self._settings: dict[str, Any] = {
            "char_order": char_order,
            "word_order": word_order,
            "beta": beta,
            "lowercase": lowercase,
        }
        self._fast = (char_order, word_order, beta, lowercase) == (6, 0, 2, False)
        self._references = 1

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        others: Sequence[list[str]] = (),
    ) -> np.ndarray:
        self._references = 1 + len(others)
        self._fast = self._fast and not others
        if self.average == "segments" and self._fast:
            return _sentence_scores(hypotheses, reference, progress)
        chrf = self._sacrebleu([reference, *others])
        counts = np.array(
            [chrf._extract_corpus_statistics(system, None) for system in progress(hypotheses)],
            dtype=float,
        )
        squared = np.full((*counts.shape[:2], 1), float(self._settings["beta"]) ** 2)
        statistics = np.concatenate([counts, squared], axis=-1)
        if self.average == "corpus":
            return statistics
        return self.segment_scores(statistics)[..., None]

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """The mean of sentence scores, (..., 1) to (...), or sacreBLEU's corpus chrF of counts,
        (..., 3 · orders + 1) to (...); 0 to 100, NaN for a group without segments."""
        if sums.shape[-1] == 1:
            return TextMetric.aggregate(sums, segments)
        counts = np.moveaxis(sums[..., :-1], -1, 0)
        hypothesis, reference, both = (counts[part::3] for part in range(3))
        with np.errstate(divide="ignore", invalid="ignore"):
            there = (hypothesis > 0) & (reference > 0)
            orders = there.sum(axis=0)
            precision = np.where(there, both / hypothesis, 0.0).sum(axis=0) / orders
            recall = np.where(there, both / reference, 0.0).sum(axis=0) / orders
            factor = sums[..., -1] / segments
            score = 100 * (1 + factor) * precision * recall / (factor * precision + recall)
        return np.where(segments > 0, np.nan_to_num(score, nan=0.0), np.nan)

    def _sacrebleu(self, references: list[list[str]]):  # type: ignore[no-untyped-def]
        from sacrebleu.metrics import CHRF

        return CHRF(references=references, **self._settings)

    @property
    def signature(self) -> str:
        from importlib import metadata

        signature = self._sacrebleu([[""]] * self._references).get_signature().format()
        if self.average == "corpus":
            return signature
        signature += "|aggregation:mean"
        if self._fast:
            signature += f"|fastchrf:{metadata.version('fastchrf')}"
        return signature


def _sentence_scores(
    hypotheses: list[list[str]], reference: list[str], progress: Callable
) -> np.ndarray:
    """Sentence chrF2 of every system and segment, (systems, segments, 1)."""
    from fastchrf import aggregate_chrf

    systems = [list(map(_without_spaces, system)) for system in progress(hypotheses)]
    references = [[_without_spaces(segment)] for segment in reference]
    # Each distinct hypothesis of a segment once. Of one reference it is what `pairwise_chrf`
    # gives, faster.
    distinct = [list(dict.fromkeys(texts)) for texts in zip(*systems, strict=True)]
    found = aggregate_chrf(distinct, references, remove_whitespace=False)
    scores = [dict(zip(*pair, strict=True)) for pair in zip(distinct, found, strict=True)]
    rows = [[own[text] for own, text in zip(scores, system, strict=True)] for system in systems]
    return np.array(rows, dtype=float)[..., None]


def _without_spaces(segment: str) -> str:
    """White space is what Python takes for it, as in sacreBLEU; Rust knows less of it."""
    return "".join(segment.split())
