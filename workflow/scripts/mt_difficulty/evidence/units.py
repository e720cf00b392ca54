"""What statements about new texts resample, swap and permute: documents, or single segments.

Segments of a document are alike, and people rate documents in one go. Tests that treat segments as
independent call differences between equal systems significant too often (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet, documents_of

Unit = Literal["documents", "segments"]
DOCUMENTS: Unit = "documents"
SEGMENTS: Unit = "segments"
UNITS = (DOCUMENTS, SEGMENTS)
# With fewer documents, intervals by document cover the truth in less than 90 %
# (bench/documents.py).
MINIMUM_DOCUMENTS = 10
UNKNOWN = "no documents are known"
TOO_FEW = "{} too few to resample; {} are needed"
CHOSEN = "chosen by unit: segments"


class Units(NamedTuple):
    """Units of a set's segments that are resampled together.

    Attributes
    ----------
    kind : {"documents", "segments"}
    numbers : ndarray of int
        The number of each segment's unit, (segments,), from 0.
    size : int
        Number of units.
    why_segments : str
        Why segments are the units; empty for documents.
    """

    kind: Unit
    numbers: np.ndarray
    size: int
    why_segments: str = ""

    @property
    def text(self) -> str:
        """The units as text for results, such as "120 documents"."""
        text = resampled_text(self.size, self.kind)
        return f"{text} ({self.why_segments})" if self.why_segments else text

    def select(self, positions: np.ndarray) -> Units:
        """Return the units of some segments, or of tokens in segments.

        Parameters
        ----------
        positions : ndarray of int
            Indices of segments; a segment may occur more than once, as of its tokens.

        Returns
        -------
        Units
            Single items, if the units are single segments.
        """
        if self.kind == SEGMENTS:
            return single_segments(len(positions), self.why_segments)
        numbers, selected = np.unique(self.numbers[positions], return_inverse=True)
        return Units(DOCUMENTS, selected.ravel(), len(numbers))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sum values over the segments of each unit, (segments, ...) to (units, ...)."""
        if self.kind == SEGMENTS:
            return values
        order = np.argsort(self.numbers, kind="stable")
        starts = np.searchsorted(self.numbers[order], np.arange(self.size))
        return np.add.reduceat(values[order], starts, axis=0)

    def of_segments(self, weights: np.ndarray) -> np.ndarray:
        """Give each segment the weight of its unit, (resamples, units) to (resamples, segments)."""
        return weights if self.kind == SEGMENTS else weights[:, self.numbers]

    def effective(self, shares: np.ndarray) -> np.ndarray:
        """Compute Kish's effective number of units from segments' shares in a score.

        Parameters
        ----------
        shares : ndarray
            (systems, segments).

        Returns
        -------
        ndarray
            (systems,); NaN where a share is.
        """
        unit_shares = self.sums(shares.T)
        with np.errstate(invalid="ignore", divide="ignore"):
            return unit_shares.sum(axis=0) ** 2 / np.square(unit_shares).sum(axis=0)


def resampled_text(size: float, kind: str) -> str:
    """Return what is resampled as text, such as "120 documents", with the assumption that it makes.

    Parameters
    ----------
    size : float
        Number of units.
    kind : {"documents", "segments"}
    """
    text = f"{size:,.0f} {kind}"
    return text if kind == DOCUMENTS else f"{text}, assumed to be independent"


def units_of(documents: Sequence[str], segments: int, unit: str = DOCUMENTS) -> Units:
    """Return the units of segments: their documents where these are known and enough.

    Parameters
    ----------
    documents : sequence of str
        The document of each segment, (segments,); empty if unknown.
    segments : int
        Number of segments.
    unit : {"documents", "segments"}
        What to resample if documents are known.

    Returns
    -------
    Units
    """
    if unit == SEGMENTS:
        return single_segments(segments, CHOSEN)
    if not len(documents):
        return single_segments(segments, UNKNOWN)
    units = whole_documents(documents)
    if units.size < MINIMUM_DOCUMENTS:
        number = "1 document is" if units.size == 1 else f"{units.size} documents are"
        return single_segments(segments, TOO_FEW.format(number, MINIMUM_DOCUMENTS))
    return units


def units_of_set(evalset: EvaluationSet, segments: np.ndarray, unit: str = DOCUMENTS) -> Units:
    """Return the units of some segments of a set, as `units_of`.

    Parameters
    ----------
    evalset : EvaluationSet
    segments : ndarray of int
        Indices of the segments.
    unit : {"documents", "segments"}
        What to resample if documents are known.

    Returns
    -------
    Units
    """
    return units_of(documents_of(evalset, segments), len(segments), unit)


def whole_documents(documents: Sequence[str]) -> Units:
    """Return documents as units, however few; `documents` has the document of each segment."""
    names, numbers = np.unique(np.asarray(documents, str), return_inverse=True)
    return Units(DOCUMENTS, numbers.ravel(), len(names))


def single_segments(segments: int, why: str = UNKNOWN) -> Units:
    """Return single segments as units, and why they are."""
    return Units(SEGMENTS, np.arange(segments), segments, why)
