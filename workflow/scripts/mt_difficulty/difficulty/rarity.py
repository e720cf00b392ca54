"""Difficulty: rarity of the source segment's words, from word frequencies (wordfreq)."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.language import source_language, without_spaces
from ..errors import Missing, version
from .base import Estimator

MOST = 8.0  # above every Zipf frequency: the most frequent word is less than a tenth of a text


class Rarity(Estimator):
    """8 − the mean Zipf frequency of the source segment's words (van Heuven et al. 2014), 0 to 8.

    The Zipf frequency is the base-10 logarithm of a word's occurrences in 10^9 words, by wordfreq;
    0 for a word that wordfreq does not have. A segment without words has a rarity of 0."""

    information = "source"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        import wordfreq

        evalset.require_source()
        code = source_language(evalset.pair)
        if without_spaces(code, evalset.source):
            raise Missing(f"{code} is written without spaces: its words cannot be counted")
        if code not in wordfreq.available_languages():
            raise Missing(f"wordfreq has no word frequencies of {code}")
        self.signature = f"rarity:wordfreq {version('wordfreq')}"
        values = np.zeros(len(evalset.source))
        for segment, text in enumerate(evalset.source):
            words = wordfreq.tokenize(text, code)
            frequencies = [wordfreq.zipf_frequency(word, code) for word in words]
            if frequencies:
                values[segment] = MOST - float(np.mean(frequencies))
        return values
