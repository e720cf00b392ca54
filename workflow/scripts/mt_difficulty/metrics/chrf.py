"""chrF (Popović 2015) with sacreBLEU's definition; default sentence scores are by fastchrf."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from ..errors import check_choice, version
from .base import Metric, SacreMetric, each_once

DEFAULTS = {"char_order": 6, "word_order": 0, "beta": 2, "lowercase": False}


class ChrF(SacreMetric):
    """Mean of sentence chrF2, 0 to 100, or corpus chrF. The statistic is the sentence's score; for
    corpus chrF, n-gram counts of hypothesis, reference and matches for every order, and β².

    Parameters
    ----------
    average : {"segments", "corpus"}
        Mean of sentence scores, or corpus chrF from n-gram counts summed over segments, which is
        sacreBLEU's system score.
    char_order, word_order : int
        Longest n-grams of characters and of words; chrF++ has `word_order: 2`.
    beta : int
        β of the F score: recall counts β times as much as precision.
    lowercase : bool
    """

    kind = "CHRF"
    names: ClassVar = {
        "chrF": {"average": "corpus"},
        "chrF++": {"average": "corpus", "word_order": 2},
        "chrF-segments": {"average": "segments"},
    }

    def __init__(
        self,
        pair: str,
        average: str = "segments",
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
    ) -> None:
        check_choice("average", average, ("segments", "corpus"))
        least = {"char_order": (char_order, 1), "word_order": (word_order, 0), "beta": (beta, 1)}
        for name, (value, lowest) in least.items():
            if value < lowest:
                raise ValueError(f"{name} {value}: expected a whole number of at least {lowest}")
        self.average = average
        self.settings = dict(zip(DEFAULTS, (char_order, word_order, beta, lowercase), strict=True))

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        if self.average == "segments" and self.settings == DEFAULTS and not more_references:
            from fastchrf import aggregate_chrf
            from sacrebleu.metrics import CHRF

            signature = CHRF(references=[[""]]).get_signature().format()
            self.signature = f"{signature}|aggregation:mean|fastchrf:{version('fastchrf')}"
            # Remove white space in Python, as sacreBLEU does; Rust recognises fewer characters.
            lists, places = each_once(hypotheses)
            systems = [["".join(text.split()) for text in texts] for texts in progress(lists)]
            references = [["".join(text.split())] for text in reference]
            # With one reference, this equals `pairwise_chrf`, but is faster.
            segments = [list(texts) for texts in zip(*systems, strict=True)]
            scores = aggregate_chrf(segments, references, remove_whitespace=False)
            return np.array(scores, dtype=float).T[places][..., None]
        counts = super().segment_statistics(hypotheses, reference, progress, more_references)
        squared = np.full((*counts.shape[:2], 1), float(self.settings["beta"]) ** 2)
        statistics = np.concatenate([counts, squared], axis=-1)
        if self.average == "corpus":
            return statistics
        self.signature += "|aggregation:mean"
        return self.segment_scores(statistics)[..., None]

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the mean of sentence scores, (..., 1) to (...), or sacreBLEU's corpus chrF from
        n-gram counts, (..., 3 · orders + 1) to (...). NaN for a group without segments."""
        if sums.shape[-1] == 1:
            return Metric.aggregate(sums, segments)
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
