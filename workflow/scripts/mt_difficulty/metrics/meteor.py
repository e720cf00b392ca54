"""METEOR (Lavie & Agarwal 2007) as NLTK computes it."""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import numpy as np

from ..data.language import default_units, tokenize
from .base import TextMetric


class METEOR(TextMetric):
    """Mean of NLTK's single-reference METEOR, 0 to 1; one statistic, the sentence's score.

    Tokens are what white space separates, or characters where the language has no spaces.
    Stems and synonyms are English (Porter, WordNet 3.0) whatever the language, as NLTK's are.
    """

    needs_wordnet = True

    def __init__(self, pair: str) -> None:
        super().__init__(pair)
        self._units = ""

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        from nltk.translate.meteor_score import single_meteor_score

        lookups = _cached_lookups()
        self._units = default_units(self.pair, reference)
        references = tokenize(reference, self._units)
        return np.array(
            [
                [
                    [single_meteor_score(r, h, **lookups)]
                    for r, h in zip(references, tokenize(system, self._units), strict=True)
                ]
                for system in progress(hypotheses)
            ]
        )

    @property
    def signature(self) -> str:
        import nltk

        return (
            f"nrefs:1|tok:{self._units}|wordnet:3.0|aggregation:mean"
            f"|version:nltk-{nltk.__version__}"
        )


def _cached_lookups() -> dict[str, SimpleNamespace]:
    """Stemmer and WordNet that look every word up once: most of METEOR's time."""
    from nltk.corpus import wordnet
    from nltk.stem.porter import PorterStemmer

    return {
        "stemmer": SimpleNamespace(stem=cache(PorterStemmer().stem)),
        "wordnet": SimpleNamespace(synsets=cache(wordnet.synsets)),
    }
