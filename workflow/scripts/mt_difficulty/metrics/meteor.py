"""METEOR (Lavie & Agarwal 2007) as NLTK computes it."""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import numpy as np

from ..data.language import default_units, tokenize
from .base import TextMetric, each_once


class METEOR(TextMetric):
    """Mean of NLTK's single-reference METEOR, 0 to 1; the statistic is the sentence's score.

    Tokens are separated by white space, or are characters in languages without spaces. Stems and
    synonyms are English (Porter, WordNet 3.0) for all languages, as in NLTK.
    """

    needs_wordnet = True

    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        """Compute METEOR of every hypothesis.

        Parameters
        ----------
        hypotheses : list of list of str
            Systems × segments.
        reference : list of str
            A text for each segment.
        progress : callable
            Wraps the iteration over lists of different translations (tqdm).

        Returns
        -------
        ndarray of shape (systems, segments, 1)
        """
        import nltk
        from nltk.corpus import wordnet
        from nltk.stem.porter import PorterStemmer
        from nltk.translate.meteor_score import single_meteor_score

        # Cache stems and synonyms, which take most of METEOR's time.
        lookups = {
            "stemmer": SimpleNamespace(stem=cache(PorterStemmer().stem)),
            "wordnet": SimpleNamespace(synsets=cache(wordnet.synsets)),
        }
        units = default_units(self.pair, reference)
        self.signature = (
            f"nrefs:1|tok:{units}|wordnet:3.0|aggregation:mean|version:nltk-{nltk.__version__}"
        )
        references = tokenize(reference, units)
        lists, places = each_once(hypotheses)
        systems = (tokenize(texts, units) for texts in progress(lists))
        scores = [
            [single_meteor_score(r, h, **lookups) for r, h in zip(references, texts, strict=True)]
            for texts in systems
        ]
        return np.array(scores)[places][..., None]
