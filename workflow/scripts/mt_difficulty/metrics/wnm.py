"""WNM, the Weighted N-gram Model (Babych & Hartley 2004; Babych, Elliott & Hartley 2004)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.language import target_language
from ..errors import InputError, Missing
from .base import Metric

ORDERS = 4
SALIENT = 1.0
Side = Literal["recall", "precision", "f"]
SIDES = get_args(Side)


class WNM(Metric):
    """Matches of n-grams (n = 1 to 4, pooled), each as heavy as its most salient token, 0 to 1.

    A token's salience in a reference document is `salience`, with the set's references as the
    corpus. A token weighs its salience where that is greater than 1, and otherwise 1 as in BLEU:
    where it is at most 1, where it is undefined, and where the reference document lacks the token
    (which only precision sees). An n-gram matches as often as hypothesis and reference both have
    it. Tokens are BLEU's. The thresholds are those of Babych & Hartley; that the orders are pooled
    and an n-gram takes its largest weight is our reading of what they leave open. A token of a
    single document has salience log(N − 1) where N documents are equally long, so that with fewer
    than four nothing is salient.

    Statistics are two sums: the matched weight, and the weight of what could have matched: all of
    the reference (recall, the paper's choice), of the hypothesis (precision) or the mean of both
    (F1).

    Parameters
    ----------
    side : {"recall", "precision", "f"}, optional
    """

    def __init__(self, pair: str, side: Side = "recall") -> None:
        from sacrebleu.metrics import BLEU

        if side not in SIDES:
            raise InputError(f"config, metrics, wnm: no side {side}; there are {', '.join(SIDES)}.")
        self.side = side
        self._bleu = BLEU(trg_lang=target_language(pair))

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Statistics of every system and segment, (systems, segments, 2).

        Raises
        ------
        Missing
            The set has no texts, or fewer than two documents.
        """
        self.check_inputs(evalset, source)
        names, document = np.unique(evalset.documents, return_inverse=True)
        tokens = self._tokenize(evalset.reference)
        words = {word: place for place, word in enumerate(sorted(set().union(*tokens)))}
        reference = _encode(tokens, words)
        counts = np.zeros((len(names), len(words) + 1))
        np.add.at(counts, (document[reference.segment], reference.word), 1)
        weights = weigh(salience(counts))
        found = []
        for system in progress(evalset.hypotheses):
            hypothesis = _encode(self._tokenize(system), words)
            matched, ours, theirs = weighted_matches(hypothesis, reference, weights, document)
            possible = {"recall": theirs, "precision": ours, "f": (ours + theirs) / 2}
            found.append(np.stack([matched, possible[self.side]], axis=-1))
        return np.array(found)

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        evalset.require_reference()
        if (documents := len(set(evalset.documents))) < 2:
            raise Missing(
                f"salience needs two documents or more, {evalset.campaign}/{evalset.pair} has "
                f"{documents or 'no list of them'}"
            )

    def _tokenize(self, segments: list[str]) -> list[list[str]]:
        return [self._bleu.tokenizer(segment.rstrip()).split() for segment in segments]

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Matched weight over what could have matched, (..., 2) to (...), 0 to 1; 0 where nothing
        could, NaN for a group without segments."""
        matched, possible = sums[..., 0], sums[..., 1]
        with np.errstate(invalid="ignore"):
            score = np.where(possible > 0, matched / possible, 0.0)
        return np.where(segments > 0, score, np.nan)

    @property
    def signature(self) -> str:
        import sacrebleu

        return (
            f"nrefs:1|case:mixed|tok:{self._bleu.tokenizer.signature()}|side:{self.side}"
            f"|orders:1-{ORDERS}|salient:>{SALIENT:g}|version:sacrebleu-{sacrebleu.__version__}"
        )


class Tokens(NamedTuple):
    """Tokens of a text, one after the other: word and segment of each."""

    word: np.ndarray
    segment: np.ndarray


def _encode(tokens: list[list[str]], words: dict[str, int]) -> Tokens:
    """Lists of tokens as arrays; a token that is not among the words is the last one,
    len(words)."""
    word = [words.get(token, len(words)) for segment in tokens for token in segment]
    segment = np.repeat(np.arange(len(tokens)), [len(segment) for segment in tokens])
    return Tokens(np.array(word, dtype=np.int64), segment)


def salience(counts: np.ndarray) -> np.ndarray:
    """How much more frequent words are in a document than elsewhere.

    S(i, j) = log((P_doc(i, j) − P_corp-doc(i)) · ((N − df_i) / N) / P_corp(i)), Babych, Elliott &
    Hartley 2004, Section 4, with the natural logarithm: relative frequencies of word i in document
    j, in the other documents and in all; df_i of the N documents have the word.

    Parameters
    ----------
    counts : ndarray, (documents, words)

    Returns
    -------
    ndarray, (documents, words)
        NaN where the logarithm is undefined: the word is not more frequent than elsewhere, or every
        document has it.
    """
    total = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = counts / counts.sum(axis=1, keepdims=True)
        outside = (total - counts) / (total.sum() - counts.sum(axis=1, keepdims=True))
        spread = 1 - (counts > 0).mean(axis=0)
        ratio = (inside - outside) * spread / (total / total.sum())
        return np.log(np.where(ratio > 0, ratio, np.nan))


def weigh(saliences: np.ndarray) -> np.ndarray:
    """Weights of words: the salience where it is greater than SALIENT, else 1 (also for NaN)."""
    return np.where(saliences > SALIENT, saliences, 1.0)


def weighted_matches(
    hypothesis: Tokens, reference: Tokens, weights: np.ndarray, document: np.ndarray
) -> np.ndarray:
    """Weights of the n-grams of every segment that match, and of all in either text.

    Parameters
    ----------
    hypothesis, reference : Tokens
    weights : ndarray, (documents, words)
    document : ndarray, (segments,)

    Returns
    -------
    ndarray, (3, segments)
        Matched, hypothesis, reference; summed over the orders.
    """
    word, segment = (np.concatenate(pair) for pair in zip(hypothesis, reference, strict=True))
    ours = np.arange(word.size) < hypothesis.word.size
    text, weight = 2 * segment + ours, weights[document[segment], word]
    # By the place where an n-gram begins: what tells it from others of its segment, its weight.
    key, highest, totals = segment.copy(), np.zeros(word.size), np.zeros((3, document.size))
    for more in range(ORDERS):
        start = np.flatnonzero(text[more:] == text[: -more or None])
        highest[start] = np.maximum(highest[start], weight[start + more])
        pairs = key[start] * weights.shape[1] + word[start + more]
        _, first, same = np.unique(pairs, return_index=True, return_inverse=True)
        key[start] = same
        counts = [
            np.bincount(same[side], minlength=first.size) for side in (ours[start], ~ours[start])
        ]
        weighted = np.array([np.minimum(*counts), *counts]) * highest[start[first]]
        owner = segment[start[first]]
        totals += [np.bincount(owner, row, document.size) for row in weighted]
    return totals
