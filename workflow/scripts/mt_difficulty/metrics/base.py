"""What every metric provides: segment statistics, and a score from their sums."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..data.evalset import EvaluationSet


class Metric(ABC):
    """A metric as two functions: statistics of an evaluation set, a score from their sums.

    Parameters
    ----------
    pair : str
        Language pair, from which a metric derives what its settings leave open.
    settings : keyword arguments
        The metric's own, as in the config.

    Attributes
    ----------
    reads : {"texts", "matches", "stored"}
        What it is made from: texts; token matches of an encoder, which weightings of tokens can
        weigh; or scores that others computed, which go by the constructor's `name`.
    needs_wordnet : bool
        Whether NLTK must find WordNet.
    system_scores : ndarray, (systems,), optional
        After `evaluate`, scores of systems that others computed and that need not be those of
        `aggregate`.
    """

    higher_is_better = True
    reads: ClassVar[str] = "texts"
    needs_wordnet: ClassVar[bool] = False
    system_scores: np.ndarray | None = None

    def __init__(self, pair: str) -> None:
        self.pair = pair

    @abstractmethod
    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Statistics of every system and segment of an evaluation set.

        Parameters
        ----------
        evalset : EvaluationSet
        source : path
            What a metric reads beside the texts: the file of matches; or, for stored scores, the
            campaign's folder in the archive or the user's file.
        progress : callable
            Wraps the iteration over systems (tqdm).

        Returns
        -------
        ndarray, (systems, segments, k)

        Raises
        ------
        Missing
            The set lacks what the metric needs.
        InputError
            It has that in another form.
        """

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        """Raise what `evaluate` would for want of inputs, without computing.

        Parameters
        ----------
        source : path
            As for `evaluate`; for a metric that reads matches, anything.

        Raises
        ------
        Missing
            The set lacks what the metric needs.
        InputError
            It has that in another form.
        """
        evalset.require_reference()

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Scores from summed statistics: here the mean over segments.

        Parameters
        ----------
        sums : ndarray, (..., k)
            Statistics summed over the segments of a group.
        segments : ndarray, (...)
            How many segments were summed.

        Returns
        -------
        ndarray, (...)
            NaN for a group without segments.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[..., 0] / segments

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Score of every segment on its own, (..., k) to (...)."""
        return cls.aggregate(statistics, np.ones(statistics.shape[:-1]))

    @property
    @abstractmethod
    def signature(self) -> str:
        """The settings and versions that made the score, as sacreBLEU prints them."""


class TextMetric(Metric):
    """A metric computed from hypotheses and a reference, or several of them where
    `segment_statistics` takes `others`."""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        evalset.require_reference()
        return self.segment_statistics(evalset.hypotheses, evalset.reference, progress)

    @abstractmethod
    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        """Statistics of every system and segment.

        Parameters
        ----------
        hypotheses : list of list of str
            Systems × segments.
        reference : list of str
            Segments.

        Returns
        -------
        ndarray, (systems, segments, k)
        """
