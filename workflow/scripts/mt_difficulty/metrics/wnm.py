"""WNM, the Weighted N-gram Model (Babych & Hartley 2004; Babych, Elliott & Hartley 2004)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.language import target_language
from ..errors import Missing, version
from .base import Metric

ORDERS = 4
SALIENT = 1.0


class WNM(Metric):
    """Recall of n-grams (n = 1 to 4, pooled), each as heavy as its most salient token, 0 to 1.

    A token (BLEU's) weighs its `salience` in the reference document where that is greater than 1,
    else 1; the set's references are the corpus. That orders are pooled and an n-gram takes its
    largest weight is our reading of Babych & Hartley. With fewer than four documents nothing is
    salient. Statistics are the matched weight, and the weight of the reference.

    Parameters
    ----------
    pair : str
        Language pair, such as en-de; BLEU's tokenizer depends on the target language.
    """

    def __init__(self, pair: str) -> None:
        from sacrebleu.metrics import BLEU

        self._tokenizer = BLEU(trg_lang=target_language(pair)).tokenizer
        self.signature = (
            f"nrefs:1|case:mixed|tok:{self._tokenizer.signature()}|side:recall|orders:1-{ORDERS}"
            f"|salient:>{SALIENT:g}|version:sacrebleu-{version('sacrebleu')}"
        )

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Compute matched and possible weight of n-grams.

        Parameters
        ----------
        evalset : EvaluationSet
            The set, with a reference and at least two documents.
        source : path
            Not used.
        progress : callable
            Wraps the iteration over systems (tqdm).

        Returns
        -------
        ndarray of shape (systems, segments, 2)
            Weight of the n-grams that hypothesis and reference share, and weight of the
            reference.

        Raises
        ------
        Missing
            The set has no reference, or fewer than two documents.
        """
        self.check_inputs(evalset, source)
        names, document = np.unique(evalset.documents, return_inverse=True)
        reference = self._tokens(evalset.reference)
        place = {word: i for i, word in enumerate(dict.fromkeys(chain(*reference)))}
        counts = np.zeros((len(names), len(place)))
        for row, tokens in zip(document, reference, strict=True):
            np.add.at(counts[row], [place[token] for token in tokens], 1)
        saliences = salience(counts)
        weights = np.where(saliences > SALIENT, saliences, 1.0).tolist()
        wanted = [ngrams(tokens) for tokens in reference]
        weight = [
            {gram: max(weights[row][place[token]] for token in gram) for gram in grams}
            for row, grams in zip(document, wanted, strict=True)
        ]
        total = [weigh(grams, of) for grams, of in zip(wanted, weight, strict=True)]
        matched = [
            [
                weigh(ngrams(tokens) & grams, of)
                for tokens, grams, of in zip(self._tokens(texts), wanted, weight, strict=True)
            ]
            for texts in progress(evalset.hypotheses)
        ]
        return np.stack(np.broadcast_arrays(matched, total), axis=-1)

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        evalset.require_reference()
        if (documents := len(set(evalset.documents))) < 2:
            raise Missing(
                f"salience needs two documents or more, {evalset.campaign}/{evalset.pair} has "
                f"{documents or 'no list of them'}"
            )

    def _tokens(self, segments: list[str]) -> list[list[str]]:
        return [self._tokenizer(segment.rstrip()).split() for segment in segments]

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute matched weight over reference weight, (..., 2) to (...), 0 to 1; 0 where the
        reference is empty, NaN for a group without segments."""
        matched, possible = sums[..., 0], sums[..., 1]
        with np.errstate(invalid="ignore"):
            score = np.where(possible > 0, matched / possible, 0.0)
        return np.where(segments > 0, score, np.nan)


def salience(counts: np.ndarray) -> np.ndarray:
    """How much more frequent words are in a document than elsewhere, (documents, words), from
    counts of the same shape: S(i, j) = log((P_doc(i, j) − P_corp-doc(i)) · ((N − df_i) / N) /
    P_corp(i)), Babych, Elliott & Hartley 2004, Section 4: relative frequencies of word i in
    document j, in the other documents and in all; df_i of the N documents have the word. NaN where
    the word is not more frequent than elsewhere, or every document has it."""
    total = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = counts / counts.sum(axis=1, keepdims=True)
        outside = (total - counts) / (total.sum() - counts.sum(axis=1, keepdims=True))
        spread = 1 - (counts > 0).mean(axis=0)
        ratio = (inside - outside) * spread / (total / total.sum())
        return np.log(np.where(ratio > 0, ratio, np.nan))


def ngrams(tokens: list[str]) -> Counter[tuple[str, ...]]:
    """Count the n-grams of a text, of 1 to ORDERS tokens."""
    spans = [(i, i + n) for n in range(1, ORDERS + 1) for i in range(len(tokens) - n + 1)]
    return Counter(tuple(tokens[start:end]) for start, end in spans)


def weigh(grams: Counter, weight: dict[tuple[str, ...], float]) -> float:
    """Sum the weights of n-grams, each as often as it is counted."""
    return math.fsum(count * weight[gram] for gram, count in grams.items())
