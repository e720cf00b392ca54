"""Base classes of metrics, which compute statistics per segment and a score from their sums."""

from abc import ABC, abstractmethod
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from ..data.evalset import EvaluationSet

BLOCK = 200_000  # characters of a reference in a block of segments
Segment = TypeVar("Segment")


class Metric(ABC):
    """Base class of metrics. The constructor takes the language pair and the config's settings.

    Attributes
    ----------
    higher_is_better : bool
        Direction of scores.
    signature : str
        Settings and versions in the form of sacreBLEU's signatures; `evaluate` sets it.
    reads : {"texts", "matches", "stored", "command"}
        The input: texts of the set; token matches of an encoder, to which token weightings apply;
        scores of others, found by the constructor's `name`; or what a user's program prints.
    needs_wordnet : bool
        Whether NLTK must find WordNet.
    names : mapping of str to mapping
        The metric's names on the command line and in Python, with the settings that each stands
        for; if empty, the name of the class, without settings.
    system_scores : ndarray of shape (systems,), optional
        Stored scores of systems, which can differ from those of `aggregate`; `evaluate` may set
        them.
    no_segments : str
        Why the metric has scores of systems alone; empty if it has scores of segments. `evaluate`
        may set it.

    Notes
    -----
    A metric is computed in two steps: `evaluate` computes statistics of every segment, and
    `aggregate` computes scores from their sums. So the corpus score of any selection or resample of
    segments is computed from one array of statistics.
    """

    higher_is_better = True
    signature: str
    reads: ClassVar[str] = "texts"
    needs_wordnet: ClassVar[bool] = False
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    system_scores: np.ndarray | None = None
    no_segments: str = ""

    def __init__(self, pair: str) -> None:
        self.pair = pair

    @abstractmethod
    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Compute statistics of every system and segment.

        Parameters
        ----------
        evalset : EvaluationSet
        source : path
            What the metric reads beside the texts: the file of matches, or, for stored scores, the
            campaign's folder or the user's file.
        progress : callable
            Wraps the iteration over systems or blocks of segments (tqdm).

        Returns
        -------
        ndarray
            (systems, segments, k).

        Raises
        ------
        Missing, InputError
            If the set lacks what the metric needs, or has it in another form.
        """

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        """Raise the same exception as `evaluate` if the metric's texts or files are absent."""
        evalset.require_reference()

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute scores, (...), from statistics summed over segments, (..., k), and the number of
        segments, (...). By default this is the mean; NaN without segments."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[..., 0] / segments

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Compute a score for each segment from its statistics, which are on the last axis."""
        return cls.aggregate(statistics, np.ones(statistics.shape[:-1]))

    @classmethod
    def segment_quality(cls, statistics: np.ndarray) -> np.ndarray:
        """Compute a score for each segment, of which higher is better, as `segment_scores`."""
        scores = cls.segment_scores(statistics)
        return scores if cls.higher_is_better else -scores


class TextMetric(Metric):
    """A metric computed from texts, the hypotheses and the reference."""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Compute statistics of every system and segment from texts.

        Parameters
        ----------
        evalset : EvaluationSet
            The set, with a reference.
        source : path
            Not used.
        progress : callable
            Wraps an iteration that takes long (tqdm).

        Returns
        -------
        ndarray of shape (systems, segments, k)

        Raises
        ------
        Missing
            The set has no reference.
        """
        evalset.require_reference()
        return self.segment_statistics(evalset.hypotheses, evalset.reference, progress)

    @abstractmethod
    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        """Compute statistics of every hypothesis.

        Parameters
        ----------
        hypotheses : list of list of str
            Systems × segments.
        reference : list of str
            A text for each segment.
        progress : callable
            Wraps an iteration that takes long (tqdm).

        Returns
        -------
        ndarray
            (systems, segments, k).
        """


class NgramMetric(TextMetric):
    """A metric that counts n-grams as sacreBLEU does, and has its signature.

    Further references are given to `segment_statistics` as `more_references`, one list of segments
    each.

    Attributes
    ----------
    settings : dict of str to object
        Arguments of sacreBLEU's metric.
    """

    settings: dict[str, Any]

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        """Compute statistics of every hypothesis, and set the signature.

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
        references = [reference, *more_references]
        scorer = self.sacrebleu_metric()
        statistics = []
        for block in progress(text_blocks(reference)):
            of_block = self.count(
                scorer,
                [texts[block] for texts in references],
                [texts[block] for texts in hypotheses],
            )
            statistics.append(of_block)
        # sacreBLEU's signature has the number of references, once it has scored something.
        scorer.corpus_score([""], [[""]] * len(references))
        self.signature = scorer.get_signature().format()
        return np.concatenate(statistics, axis=1)

    @abstractmethod
    def sacrebleu_metric(self) -> Any:
        """Return sacreBLEU's metric with the settings of this one."""

    @abstractmethod
    def count(
        self, scorer: Any, references: list[list[str]], hypotheses: list[list[str]]
    ) -> np.ndarray:
        """Compute statistics of a block of segments.

        Parameters
        ----------
        scorer : object
            sacreBLEU's metric from `sacrebleu_metric`.
        references, hypotheses : list of list of str
            Texts × segments.

        Returns
        -------
        ndarray of shape (systems, segments, k)
            Statistics whose sums over segments `aggregate` takes, such as counts of n-grams.
        """


class Sequences(NamedTuple):
    """Texts × segments as sequences of tokens, which are numbers.

    Attributes
    ----------
    tokens : ndarray of int, shape (tokens of all texts,)
        Numbers of tokens, text after text.
    limits : ndarray of int, shape (texts, segments + 1)
        Indices in `tokens` where each segment starts, and where the last one ends.
    """

    tokens: np.ndarray
    limits: np.ndarray

    def lengths(self) -> np.ndarray:
        """Return the number of tokens of each segment, (texts, segments)."""
        return np.diff(self.limits, axis=1)


def sequence_limits(lengths: Sequence[int], texts: int) -> np.ndarray:
    """Return `Sequences.limits` from the numbers of tokens of all segments, text after text."""
    segments = len(lengths) // texts
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return ends[segments * np.arange(texts)[:, None] + np.arange(segments + 1)]


def number_parts(
    texts: list[list[Segment]], split: Callable[[Segment], list[str]]
) -> tuple[Sequences, list[str]]:
    """Split texts × segments into parts, which are numbered.

    Returns
    -------
    Sequences
        The parts' numbers; equal parts have the same number in all texts.
    list of str
        The different parts, by number.
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # the next number
    parts = array("q")
    lengths = []
    for segments in texts:
        for segment in segments:
            of_segment = split(segment)
            parts.extend(map(numbers.__getitem__, of_segment))
            lengths.append(len(of_segment))
    limits = sequence_limits(lengths, len(texts))
    return Sequences(np.array(parts, dtype=np.int64), limits), list(numbers)


def number_tokens(parts: Sequences, tokens_of_parts: list[list[str]]) -> Sequences:
    """Replace parts by their tokens, which are given for each number of a part."""
    of_parts, _ = number_parts([tokens_of_parts], lambda tokens: tokens)
    starts = of_parts.limits[0, :-1]
    counts = of_parts.lengths()[0]
    repeats = counts[parts.tokens]
    ends = np.concatenate([[0], np.cumsum(repeats)])
    # A token's index in its part, and where the part's tokens start.
    index = np.arange(ends[-1]) - np.repeat(ends[:-1], repeats)
    tokens = of_parts.tokens[np.repeat(starts[parts.tokens], repeats) + index]
    return Sequences(tokens, ends[parts.limits])


def number_ngrams(lengths: np.ndarray, order: int) -> np.ndarray:
    """Return how many n-grams of 1, 2, …, `order` tokens sequences have, (..., order), from their
    lengths, (...)."""
    return np.maximum(lengths[..., None] - np.arange(order), 0)


def text_blocks(reference: list[str]) -> list[slice]:
    """Divide segments into blocks of at most BLOCK characters of the reference, or of one segment.
    The tokens of all systems' translations of a block are in memory at a time."""
    ends = np.cumsum([len(segment) for segment in reference])
    blocks = []
    start = 0
    while start < len(reference):
        most = BLOCK + (ends[start - 1] if start else 0)
        end = max(start + 1, int(np.searchsorted(ends, most, side="right")))
        blocks.append(slice(start, end))
        start = end
    return blocks


def each_once(hypotheses: list[list[str]]) -> tuple[list[list[str]], tuple[np.ndarray, ...]]:
    """Keep each translation of a segment once: systems often have the same one. Returns lists of a
    text for each segment, empty where no other translation is left, and the indices (list, segment)
    of every hypothesis, (systems, segments)."""
    numbers = [
        {text: number for number, text in enumerate(dict.fromkeys(texts))}
        for texts in zip(*hypotheses, strict=True)
    ]
    lists = [list(texts) for texts in zip_longest(*numbers, fillvalue="")]
    of_systems = [[of[x] for of, x in zip(numbers, texts, strict=True)] for texts in hypotheses]
    return lists, (np.array(of_systems), np.arange(len(numbers)))
