"""BLEU (Papineni et al. 2002) as sacreBLEU computes it."""

from typing import Any

import numpy as np

from ..data.language import target_language
from .base import NgramMetric, Sequences, number_ngrams, number_parts, number_tokens

ORDER = 4
# sacreBLEU's tokenizer that splits every word, whatever the words beside it.
WORD_TOKENIZER = "13a"


class BLEU(NgramMetric):
    """Corpus BLEU, 0 to 100; statistics are hypothesis length, reference length, four counts
    of matched and four of all n-grams.

    Parameters
    ----------
    tokenize : str, optional
        A sacreBLEU tokenizer; by default sacreBLEU's choice for the target language.
    lowercase : bool
    """

    def __init__(self, pair: str, tokenize: str | None = None, *, lowercase: bool = False) -> None:
        from sacrebleu.metrics import BLEU as SacreBLEU

        if tokenize not in (None, *SacreBLEU.TOKENIZERS):
            known = ", ".join(SacreBLEU.TOKENIZERS)
            raise ValueError(f"tokenize: expected one of {known}; found {tokenize!r}")
        self.settings = {"tokenize": tokenize, "lowercase": lowercase, "force": True}
        self.settings["trg_lang"] = target_language(pair)
        self._tokens_of_words: dict[str, list[str]] = {}

    def sacrebleu_metric(self) -> Any:
        from sacrebleu.metrics import BLEU as SacreBLEU

        return SacreBLEU(**self.settings)

    def count(
        self, scorer: Any, references: list[list[str]], hypotheses: list[list[str]]
    ) -> np.ndarray:
        """Compute lengths and counts of n-grams of a block of segments.

        Parameters
        ----------
        scorer : object
            sacreBLEU's metric.
        references, hypotheses : list of list of str
            Texts × segments.

        Returns
        -------
        ndarray of shape (systems, segments, 10)
            Hypothesis length, length of the closest reference, matched n-grams and all n-grams of
            the hypothesis, of 1 to 4 tokens.
        """
        from ..compiled.ngrams import clipped_matches

        texts = self.tokens(scorer.tokenizer, [*references, *hypotheses])
        lengths = texts.lengths()
        of_references, of_hypotheses = np.split(texts.limits, [len(references)])
        matched = clipped_matches(texts.tokens, of_references, of_hypotheses, ORDER)
        reference_lengths, hypothesis_lengths = np.split(lengths, [len(references)])
        closest = closest_lengths(reference_lengths, hypothesis_lengths)
        total = number_ngrams(hypothesis_lengths, ORDER)
        both = np.stack([hypothesis_lengths, closest], axis=-1)
        return np.concatenate([both, matched, total], axis=-1).astype(float)

    def tokens(self, tokenizer: Any, texts: list[list[str]]) -> Sequences:
        """Return the tokens of texts × segments. Each line is tokenized once, or each word."""
        if self.settings["lowercase"]:
            texts = [[segment.lower() for segment in segments] for segments in texts]
        if tokenizer.signature() != WORD_TOKENIZER:
            lines, distinct = number_parts(texts, lambda segment: [segment.rstrip()])
            return number_tokens(lines, [tokenizer(line).split() for line in distinct])
        words, distinct = number_parts(texts, lambda segment: segment.rstrip().split(" "))
        known = self._tokens_of_words
        new = [word for word in distinct if word not in known]
        known.update(zip(new, tokens_of_words(tokenizer, new), strict=True))
        return number_tokens(words, [known[word] for word in distinct])

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute corpus BLEU with sacreBLEU's exponential smoothing, (..., 10) to (...); NaN for a
        group without segments."""
        return _bleu(sums, segments, effective_order=False)

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Return sentence BLEU, 0 to 100, with effective order, from n-gram counts and lengths."""
        return _bleu(statistics, np.ones(statistics.shape[:-1]), effective_order=True)


def tokens_of_words(tokenizer: Any, words: list[str]) -> list[list[str]]:
    """Return the tokens of each word by one call of a tokenizer, which is faster than many."""
    text = " ".join(words)
    # A private-use character that no word has is a token of its own between words.
    mark = next(chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text)
    of_words: list[list[str]] = [[]]
    for token in tokenizer(f" {mark} ".join(words)).split():
        if token == mark:
            of_words.append([])
        else:
            of_words[-1].append(token)
    return of_words if words else []


def closest_lengths(references: np.ndarray, hypotheses: np.ndarray) -> np.ndarray:
    """Return the reference length that is closest to each hypothesis length, the smaller one of
    two; (references, segments) and (systems, segments) to (systems, segments)."""
    ordered = np.sort(references, axis=0)[:, None]
    nearest = np.abs(ordered - hypotheses).argmin(axis=0)
    return np.take_along_axis(ordered[:, 0], nearest, axis=0)


def _bleu(sums: np.ndarray, segments: np.ndarray, *, effective_order: bool) -> np.ndarray:
    # n-gram orders are the first axis, because numpy sums slowly over a short last axis.
    hypothesis, reference, *counts = np.moveaxis(sums, -1, 0)
    matched = np.array(counts[:4])
    total = np.array(counts[4:])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        precision = matched / total
        none = matched == 0
        if none.any():
            # Exponential smoothing: each further order without a match halves the precision.
            precision = np.where(none, 1 / (2.0 ** np.cumsum(none, axis=0) * total), precision)
        possible = total > 0
        log_precision = sum(np.where(possible, np.log(precision), 0.0))
        orders = possible.sum(axis=0) if effective_order else 4
        brevity = np.minimum(0.0, 1 - reference / hypothesis)
        score = 100 * np.exp(brevity + log_precision / orders)
    scoreable = ~none.all(axis=0)
    if not effective_order:
        scoreable &= possible.all(axis=0)
    return np.where(segments > 0, np.where(scoreable, score, 0.0), np.nan)
