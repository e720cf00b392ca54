"""chrF (Popović 2015) as sacreBLEU computes it for a sentence, by fastchrf."""

from collections.abc import Callable

import numpy as np

from .base import TextMetric


class ChrF(TextMetric):
    """Mean of sentence chrF2, 0 to 100; one statistic, the sentence's score."""

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
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

    @property
    def signature(self) -> str:
        from importlib import metadata

        from sacrebleu.metrics import CHRF

        settings = CHRF(references=[[""]]).get_signature().format()
        return f"{settings}|aggregation:mean|fastchrf:{metadata.version('fastchrf')}"


def _without_spaces(segment: str) -> str:
    """White space is what Python takes for it, as in sacreBLEU; Rust knows less of it."""
    return "".join(segment.split())
