"""chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU computes them."""

import string
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..errors import check_choice
from .base import (
    Metric,
    NgramMetric,
    Sequences,
    each_once,
    number_ngrams,
    number_parts,
    number_tokens,
    sequence_limits,
)

PUNCTUATION = frozenset(string.punctuation)
# Of chrF2: the longest n-grams of characters, and how much more recall counts than precision.
ORDER = 6
BETA = 2


class ChrF(NgramMetric):
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

    names: ClassVar = {
        "chrF": {"average": "corpus"},
        "chrF++": {"average": "corpus", "word_order": 2},
        "chrF-segments": {"average": "segments"},
    }

    def __init__(
        self,
        pair: str,
        average: str = "segments",
        char_order: int = ORDER,
        word_order: int = 0,
        beta: int = BETA,
        *,
        lowercase: bool = False,
    ) -> None:
        check_choice("average", average, ("segments", "corpus"))
        least = {"char_order": (char_order, 1), "word_order": (word_order, 0), "beta": (beta, 1)}
        for name, (value, lowest) in least.items():
            if value < lowest:
                raise ValueError(f"{name} {value}: expected a whole number of at least {lowest}")
        self.average = average
        self.factor = float(beta) ** 2
        self.settings = {
            "char_order": char_order,
            "word_order": word_order,
            "beta": beta,
            "lowercase": lowercase,
        }

    def sacrebleu_metric(self) -> Any:
        from sacrebleu.metrics import CHRF

        return CHRF(**self.settings)

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        """Compute counts of n-grams, or scores of sentences (`average`).

        Parameters
        ----------
        hypotheses : list of list of str
            Systems × segments.
        reference : list of str
            A text for each segment.
        progress : callable
            Wraps the iteration over blocks of segments (tqdm).
        more_references : sequence of list of str
            Further references, a text for each segment.

        Returns
        -------
        ndarray of shape (systems, segments, k)
        """
        counts = super().segment_statistics(hypotheses, reference, progress, more_references)
        if self.average == "segments":
            self.signature += "|aggregation:mean"
            return f_scores(counts, self.factor)[..., None]
        squared = np.full((*counts.shape[:2], 1), self.factor)
        return np.concatenate([counts, squared], axis=-1)

    def count(
        self, scorer: Any, references: list[list[str]], hypotheses: list[list[str]]
    ) -> np.ndarray:
        """Compute counts of n-grams of a block of segments.

        Parameters
        ----------
        scorer : object
            sacreBLEU's metric.
        references, hypotheses : list of list of str
            Texts × segments.

        Returns
        -------
        ndarray of shape (systems, segments, 3 · orders)
            For characters of every order and then words: counts of hypothesis, reference and
            matches. With several references, they are those of the reference that gives the best
            score, the first one of equals.
        """
        texts = [*references, *hypotheses]
        if self.settings["lowercase"]:
            texts = [[segment.lower() for segment in segments] for segments in texts]
        sequences = [(number_characters(texts), self.settings["char_order"])]
        if self.settings["word_order"] > 0:
            words, distinct = number_parts(texts, str.split)
            tokens = number_tokens(words, [separate_punctuation(word) for word in distinct])
            sequences.append((tokens, self.settings["word_order"]))
        of_references = []
        for reference in range(len(references)):
            counts = [
                count_ngrams(of_texts, reference, len(references), order)
                for of_texts, order in sequences
            ]
            of_references.append(np.concatenate(counts, axis=-1))
        by_reference = np.stack(of_references)
        best = f_scores(by_reference, self.factor).argmax(axis=0)
        return np.take_along_axis(by_reference, best[None, ..., None], axis=0)[0]

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Return the mean of sentence scores, (..., 1) to (...), or sacreBLEU's corpus chrF from
        n-gram counts, (..., 3 · orders + 1) to (...). NaN for a group without segments."""
        if sums.shape[-1] == 1:
            return Metric.aggregate(sums, segments)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = sums[..., -1] / segments
        return np.where(segments > 0, f_scores(sums[..., :-1], factor), np.nan)


def number_characters(texts: list[list[str]]) -> Sequences:
    """Return texts × segments as characters without white space, numbered by their code points."""
    # Python and sacreBLEU count more characters as white space than other libraries do.
    segments = ["".join(segment.split()) for of_text in texts for segment in of_text]
    encoded = "".join(segments).encode("utf-32-le", "surrogatepass")
    limits = sequence_limits([len(segment) for segment in segments], len(texts))
    return Sequences(np.frombuffer(encoded, dtype="<u4"), limits)


def separate_punctuation(word: str) -> list[str]:
    """Split a word's last or else first character from it, if it is an ASCII punctuation mark."""
    if len(word) > 1 and word[-1] in PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in PUNCTUATION:
        return [word[0], word[1:]]
    return [word]


def count_ngrams(texts: Sequences, reference: int, references: int, order: int) -> np.ndarray:
    """Count n-grams of 1, 2, …, `order` tokens against one reference.

    Parameters
    ----------
    texts : Sequences
        Those of the references, and then of the systems.
    reference, references : int
        Index of the reference, and the number of references.
    order : int

    Returns
    -------
    np.ndarray
        (systems, segments, 3 · order), for every order n-grams of the hypothesis, of the reference,
        and matches. Where the reference has no n-gram of an order, those of the hypothesis are 0.
    """
    from ..compiled.ngrams import clipped_matches

    limits = texts.limits
    matched = clipped_matches(
        texts.tokens, limits[reference : reference + 1], limits[references:], order
    )
    ngrams = number_ngrams(texts.lengths(), order)
    of_hypothesis = np.where(ngrams[reference] > 0, ngrams[references:], 0)
    return stack_counts(of_hypothesis, ngrams[reference], matched)


def stack_counts(
    of_hypothesis: np.ndarray, of_reference: np.ndarray, matched: np.ndarray
) -> np.ndarray:
    """Return counts of n-grams, (..., orders) each, as `f_scores` takes them, (..., 3 · orders)."""
    counts = np.broadcast_arrays(of_hypothesis, of_reference, matched)
    return np.stack(counts, axis=-1).astype(float).reshape(*matched.shape[:-1], -1)


def pairwise_chrf(hypotheses: list[list[str]]) -> np.ndarray:
    """Compute sentence chrF2 between the hypotheses of all systems.

    Parameters
    ----------
    hypotheses : list of list of str
        Systems × segments.

    Returns
    -------
    np.ndarray
        (systems, systems, segments), chrF, 0 to 100, of the first system's hypotheses with the
        second system's as the reference.

    Examples
    --------
    >>> pairwise_chrf([["a cat"], ["a cat"], ["a dog"]])[0, :, 0].round(1)
    array([100. , 100. ,   6.2])
    """
    from ..compiled.ngrams import clipped_matches

    texts, places = each_once(hypotheses)
    tokens, limits = number_characters(texts)
    ngrams = number_ngrams(np.diff(limits, axis=1), ORDER)
    chrf = np.empty((len(texts), len(texts), limits.shape[1] - 1))
    for i in range(len(texts)):
        # Matches are the same in both directions.
        matched = clipped_matches(tokens, limits[i : i + 1], limits[i:], ORDER)
        chrf[i, i:] = f_scores(stack_counts(ngrams[i], ngrams[i:], matched), BETA**2)
        chrf[i:, i] = f_scores(stack_counts(ngrams[i:], ngrams[i], matched), BETA**2)
    systems, segments = places
    return chrf[systems[:, None], systems, segments]


def f_scores(counts: np.ndarray, factor: float | np.ndarray) -> np.ndarray:
    """Compute chrF, 0 to 100, from mean precision and recall over orders.

    Orders without n-grams of the hypothesis or of the reference are left out. The sums and products
    are those of sacreBLEU, in the same order, so that rounding does not differ.

    Parameters
    ----------
    counts : np.ndarray
        (..., 3 · orders), n-grams of hypothesis and reference, and matches, of every order.
    factor : float or np.ndarray
        β², a number or (...).

    Returns
    -------
    np.ndarray
        (...), 0 where nothing matches.
    """
    hypothesis, reference, both = np.moveaxis(counts.reshape(*counts.shape[:-1], -1, 3), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        there = (hypothesis > 0) & (reference > 0)
        orders = there.sum(axis=-1)
        precision = sum(np.moveaxis(np.where(there, both / hypothesis, 0.0), -1, 0)) / orders
        recall = sum(np.moveaxis(np.where(there, both / reference, 0.0), -1, 0)) / orders
        score = (1 + factor) * precision * recall / (factor * precision + recall)
    return 100 * np.nan_to_num(score, nan=0.0)
