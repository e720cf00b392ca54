"""Human scores of systems with their errors, and the statements that follow from them.

Also the base class of golds, the form in which golds read ratings, and errors by document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..errors import Missing, first_names
from ..evidence.resampling import holm
from ..evidence.units import MINIMUM_DOCUMENTS
from ..statistics.contrasts import contrast_p, contrasts
from .ratings import Ratings

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
# A message names at most this number of systems or annotators.
NAMED = 5
# Errors and variances below this share of the scores, or of their squares, are rounding.
ROUNDING = 1e-12


class RatingModel(NamedTuple):
    """What a model of ratings says beside the scores of systems.

    Attributes
    ----------
    variances : dict of str to float
        Variance by source (segment, document, annotator, block, residual); a source that was left
        out is absent.
    shares : dict of str to float
        The same as shares of their sum.
    severity : dict of str to float
        By annotator: how much lower than the average annotator this one rates (best linear
        unbiased prediction); empty if annotators were left out.
    difficulty : dict of str to float
        By segment: how much lower than on average its translations are rated, document included;
        empty if segments and documents were left out.
    severity_received, difficulty_received : ndarray
        (systems,), means of the two over the ratings of each system; NaN if they were left out.
    """

    variances: dict[str, float]
    shares: dict[str, float]
    severity: dict[str, float]
    difficulty: dict[str, float]
    severity_received: np.ndarray
    difficulty_received: np.ndarray


class HumanScores(NamedTuple):
    """Human scores of systems.

    Attributes
    ----------
    systems : list of str
        Names, sorted.
    scores : ndarray
        (systems,), higher is better.
    covariance : ndarray
        (systems, systems), of the errors of the scores; it is meant for contrasts, such as the
        difference of two systems. NaN for systems with too few ratings.
    segments : list of str
        Identifiers of the rated segments.
    segment_scores : ndarray or None
        (systems, segments), NaN where unrated; None if the gold gives no scores of segments.
    degrees : float, ndarray or None
        Degrees of freedom of the errors, of all or (systems,); None for normal errors. Those of a
        difference are the smaller ones.
    unit : str
        What was taken as independent: "document", "segment", "screen"; "model" if the errors are
        those of a model of ratings.
    units : int
        Number of these units; of a model the number of ratings.
    notes : list of str
        What was left out or assumed, as sentences.
    model : RatingModel or None
    """

    systems: list[str]
    scores: np.ndarray
    covariance: np.ndarray
    segments: list[str]
    segment_scores: np.ndarray | None
    degrees: float | np.ndarray | None
    unit: str
    units: int
    notes: list[str]
    model: RatingModel | None = None


class Gold(ABC):
    """A way in which ratings become human scores. The constructor takes the config's settings.

    Attributes
    ----------
    description : str
        What it does in a few words.
    is_standardised : bool
        Whether the scores are in standard deviations of the annotators, not on the ratings' scale.
    """

    description: ClassVar[str]
    is_standardised: bool = False

    @abstractmethod
    def fit(self, ratings: Ratings, progress: Callable = iter) -> HumanScores:
        """Compute human scores.

        Parameters
        ----------
        ratings : Ratings
        progress : callable
            Wraps an iteration that takes long (tqdm).

        Returns
        -------
        HumanScores

        Raises
        ------
        Missing
            If the design of the ratings does not allow it; the message says why.
        """


class Cells(NamedTuple):
    """Ratings as numbers, in an order that does not depend on that of the files.

    Attributes
    ----------
    systems, segments : list of str
        Names, sorted; segments that are line numbers are sorted as numbers.
    system, segment : ndarray of int
        (ratings,), indices in these lists.
    table : pandas.DataFrame
        The ratings, in the same order.
    score : ndarray
        (ratings,).
    """

    systems: list[str]
    segments: list[str]
    system: np.ndarray
    segment: np.ndarray
    table: pd.DataFrame
    score: np.ndarray


def read_cells(table: pd.DataFrame) -> Cells:
    """Sort and number ratings.

    Parameters
    ----------
    table : pandas.DataFrame
        As `Ratings.table`.

    Returns
    -------
    Cells

    Raises
    ------
    Missing
        If there are ratings of fewer than two systems, or scores that are not finite.
    """
    if not np.isfinite(table.score.to_numpy(float)).all():
        raise Missing("a rating is not a finite number")
    columns = ["annotator", "system", "segment", "document", "screen", "score"]
    table = table.sort_values(columns, kind="stable", ignore_index=True)
    systems, system = numbered(table.system)
    segments, segment = numbered(table.segment)
    if len(systems) < 2:
        raise Missing(f"ratings of {len(systems)} system: at least two are needed")
    return Cells(systems, segments, system, segment, table, table.score.to_numpy(float))


def numbered(names: pd.Series) -> tuple[list[str], np.ndarray]:
    """Return the sorted different names, and the index of each name among them. Names that are all
    whole numbers are sorted as numbers."""
    different = list(names.unique())
    if all(name.isdecimal() for name in different):
        different.sort(key=lambda name: (int(name), name))
    else:
        different.sort()
    import pandas as pd

    return different, pd.Index(different).get_indexer(names)


def cell_means(cells: Cells) -> np.ndarray:
    """Return the mean rating of each cell, (systems, segments); NaN where unrated."""
    shape = (len(cells.systems), len(cells.segments))
    index = cells.system * shape[1] + cells.segment
    size = shape[0] * shape[1]
    counts = np.bincount(index, minlength=size)
    sums = np.bincount(index, cells.score, minlength=size)
    with np.errstate(invalid="ignore"):
        return (sums / counts).reshape(shape)


def mean_scores(cells: Cells, notes: Sequence[str] = ()) -> HumanScores:
    """Average ratings over the annotations of a cell, then over a system's rated segments, with
    errors by document.

    Parameters
    ----------
    cells : Cells
    notes : sequence of str
        Notes on the ratings.

    Returns
    -------
    HumanScores
        Errors by segment if fewer than MINIMUM_DOCUMENTS documents are known; a note says so.
    """
    segment_scores = cell_means(cells)
    unit, units, unit_notes = independent_units(cells)
    covariance, degrees = covariance_of_means(segment_scores, units)
    unit_notes += _too_few_notes(cells.systems, covariance, unit)
    return HumanScores(
        systems=cells.systems,
        scores=np.nanmean(segment_scores, axis=1),
        covariance=covariance,
        segments=cells.segments,
        segment_scores=segment_scores,
        degrees=degrees,
        unit=unit,
        units=len(np.unique(units)),
        notes=[*notes, *unit_notes],
    )


def _too_few_notes(systems: list[str], covariance: np.ndarray, unit: str) -> list[str]:
    """Say which systems have no errors because one unit alone has their ratings."""
    is_unknown = np.isnan(np.diag(covariance))
    if not is_unknown.any():
        return []
    names = [system for system, unknown in zip(systems, is_unknown, strict=True) if unknown]
    return [f"No errors: ratings in one {unit} only ({listed(names)})."]


def independent_units(cells: Cells) -> tuple[str, np.ndarray, list[str]]:
    """Return what is taken as independent.

    Parameters
    ----------
    cells : Cells

    Returns
    -------
    unit : str
        "document", or "segment" if fewer than MINIMUM_DOCUMENTS documents are known.
    units : ndarray of int
        (segments,), the unit of each segment. Documents that share a segment are one unit, and a
        segment of unknown document is a unit.
    notes : list of str
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    segments = len(cells.segments)
    is_known = (cells.table.document != "").to_numpy()
    documents, document = numbered(cells.table.document[is_known])
    alone = np.arange(segments)
    if not documents:
        return "segment", alone, ["Documents are unknown: assumes independent segments."]
    nodes = segments + len(documents)
    edges = (np.ones(is_known.sum()), (cells.segment[is_known], segments + document))
    graph = coo_array(edges, shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    units = component[:segments]
    number = len(np.unique(units[np.unique(cells.segment[is_known])]))
    if number < MINIMUM_DOCUMENTS:
        note = (
            f"{number} documents are too few to compute errors from: assumes independent segments."
        )
        return "segment", alone, [note]
    return "document", units, []


def covariance_of_means(
    segment_scores: np.ndarray, units: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the covariance of system means if units of segments are independent.

    Parameters
    ----------
    segment_scores : ndarray
        (systems, segments), NaN where unrated.
    units : ndarray of int
        (segments,), the unit of each segment.

    Returns
    -------
    covariance : ndarray
        (systems, systems); NaN for systems that are rated in one unit only.
    degrees : ndarray
        (systems,), one less than the number of units with ratings of a system; NaN below 1.

    Notes
    -----
    A unit d adds e_sd = Σ_{i in d} (y_si − ȳ_s) / n_s to the mean of system s. The covariance is
    Σ_d e_sd e_td, each e_sd times √(D_s / (D_s − 1)), D_s the number of units with ratings of s.
    Where two systems share their segments, the difficulty of the segments cancels in e_sd − e_td:
    the error of their difference is that of their differences by document.
    """
    is_rated = np.isfinite(segment_scores)
    numbers = is_rated.sum(axis=1)
    means = np.nanmean(segment_scores, axis=1)
    deviations = np.where(is_rated, segment_scores - means[:, None], 0.0) / numbers[:, None]
    _, unit = np.unique(units, return_inverse=True)
    membership = np.zeros((unit.max() + 1, len(unit)))
    membership[unit, np.arange(len(unit))] = 1.0
    contributions = deviations @ membership.T
    unit_numbers = ((is_rated @ membership.T) > 0).sum(axis=1).astype(float)
    unit_numbers[unit_numbers < 2] = np.nan
    contributions *= np.sqrt(unit_numbers / (unit_numbers - 1))[:, None]
    return contributions @ contributions.T, unit_numbers - 1


def connected_parts(systems: Sequence[str], system: np.ndarray, shared: np.ndarray) -> list[list]:
    """Return the parts of the systems that are connected by what they share.

    Parameters
    ----------
    systems : sequence of str
    system : ndarray of int
        (ratings,), index of the rated system.
    shared : ndarray of int
        (ratings,), index of the segment, annotator or other thing that systems share.

    Returns
    -------
    list of list of str
        Names of the systems by part, the largest part first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = len(systems) + int(shared.max()) + 1
    edges = (np.ones(len(system)), (system, len(systems) + shared))
    _, component = connected_components(coo_array(edges, shape=(nodes, nodes)), directed=False)
    parts: dict[int, list[str]] = {}
    for name, number in zip(systems, component[: len(systems)], strict=True):
        parts.setdefault(number, []).append(name)
    return sorted(parts.values(), key=lambda part: (-len(part), part))


def described_parts(parts: Sequence[Sequence[str]]) -> str:
    """Name the systems of unconnected parts."""
    return "; ".join(listed(part) for part in parts[:NAMED])


def listed(names: Sequence[str]) -> str:
    """Name the first NAMED of some names, and how many others there are."""
    return first_names(names, NAMED)


def differences(human: HumanScores) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences of scores and their standard errors.

    Parameters
    ----------
    human : HumanScores

    Returns
    -------
    difference, error : ndarray
        (systems, systems), of the row's system to the column's.
    """
    return contrasts(human.scores, human.covariance)


def one_sided_p(human: HumanScores) -> np.ndarray:
    """Test differences of systems.

    Parameters
    ----------
    human : HumanScores

    Returns
    -------
    ndarray
        (systems, systems), one-sided p for the row's system being no better than the column's. 0.5
        on the diagonal, and where scores are equal without any error; NaN where errors are unknown
        or 0.
    """
    return contrast_p(human.scores, human.covariance, human.degrees)


def two_sided_p(human: HumanScores) -> np.ndarray:
    """Return two-sided p-values of the differences of systems, (systems, systems); NaN as in
    `one_sided_p`."""
    p = one_sided_p(human)
    return 2 * np.minimum(p, 1 - p)


def critical_value(degrees: float | np.ndarray | None, level: float = LEVEL) -> Any:
    """Return the two-sided critical value of t or, without degrees of freedom, of a normal
    variable; of the shape of `degrees`."""
    from scipy.special import ndtri, stdtrit

    quantile = 1 - level / 2
    return ndtri(quantile) if degrees is None else stdtrit(degrees, quantile)


def holm_p(p: np.ndarray) -> np.ndarray:
    """Adjust p-values of all pairs of systems for their number by Holm's method.

    Parameters
    ----------
    p : ndarray
        (systems, systems), two-sided and symmetric; NaN is not tested and not counted.

    Returns
    -------
    ndarray
        (systems, systems); the diagonal is 1.
    """
    rows, columns = np.triu_indices(len(p), 1)
    adjusted = holm(p[rows, columns])
    result = np.ones(p.shape)
    result[rows, columns] = adjusted
    result[columns, rows] = adjusted
    return result


def intervals(human: HumanScores, level: float = LEVEL) -> np.ndarray:
    """Compute intervals of scores for a comparison of systems.

    Parameters
    ----------
    human : HumanScores
    level : float
        Error probability; 0.05 for 95 % intervals.

    Returns
    -------
    ndarray
        (systems, 2), lower and upper end; NaN for a system without an error. The error is that of
        the difference to the mean of all systems: what all systems share, such as the difficulty
        of the texts, is not in it.
    """
    # A system without an error does not take the others' intervals away.
    known = np.flatnonzero(np.isfinite(np.diag(human.covariance)))
    centring = np.eye(len(known)) - 1 / max(len(known), 1)
    variances = np.full(len(human.systems), np.nan)
    covariance = human.covariance[np.ix_(known, known)]
    variances[known] = np.maximum(np.diag(centring @ covariance @ centring.T), 0.0)
    half = critical_value(human.degrees, level) * np.sqrt(variances)
    return np.stack([human.scores - half, human.scores + half], axis=1)


def better(human: HumanScores, level: float = LEVEL) -> np.ndarray:
    """Return which systems are better than which by simultaneous contrasts (two-sided, Holm).

    Parameters
    ----------
    human : HumanScores
    level : float
        Probability that any statement is false.

    Returns
    -------
    ndarray of bool
        (systems, systems), whether the row's system is better than the column's.
    """
    is_different = holm_p(two_sided_p(human)) <= level
    return is_different & (human.scores[:, None] > human.scores)


def rank_ranges(human: HumanScores, level: float = LEVEL) -> np.ndarray:
    """Return the range of ranks of each system by simultaneous contrasts.

    Parameters
    ----------
    human : HumanScores
    level : float
        Probability that any range is wrong.

    Returns
    -------
    ndarray of int
        (systems, 2), the best and the worst rank, from 1.
    """
    is_better = better(human, level)
    best = 1 + is_better.sum(axis=0)
    worst = len(human.systems) - is_better.sum(axis=1)
    return np.stack([best, worst], axis=1)


def clusters(human: HumanScores, level: float = LEVEL) -> np.ndarray:
    """Return the cluster of each system: every system of a cluster is better than every system of
    the clusters below, by simultaneous contrasts.

    Parameters
    ----------
    human : HumanScores
    level : float
        Probability that any statement is false.

    Returns
    -------
    ndarray of int
        (systems,), from 1, the best.
    """
    is_better = better(human, level)
    order = np.argsort(-human.scores, kind="stable")
    result = np.ones(len(order), int)
    cluster = 1
    for position in range(1, len(order)):
        above = order[:position]
        below = order[position:]
        if is_better[np.ix_(above, below)].all():
            cluster += 1
        result[order[position]] = cluster
    return result


def statements(human: HumanScores, level: float = LEVEL) -> pd.DataFrame:
    """Return a table of scores, intervals, ranges of ranks and clusters, the best system first.

    Parameters
    ----------
    human : HumanScores
    level : float
        Error probability.

    Returns
    -------
    pandas.DataFrame
        Columns system, score, low, high, best_rank, worst_rank, cluster.
    """
    ends = intervals(human, level)
    ranks = rank_ranges(human, level)
    columns: dict[str, Any] = {
        "system": human.systems,
        "score": human.scores,
        "low": ends[:, 0],
        "high": ends[:, 1],
        "best_rank": ranks[:, 0],
        "worst_rank": ranks[:, 1],
        "cluster": clusters(human, level),
    }
    import pandas as pd

    table = pd.DataFrame(columns)
    return table.sort_values(["score", "system"], ascending=[False, True], ignore_index=True)
