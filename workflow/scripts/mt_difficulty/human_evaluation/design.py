"""The design of a human evaluation: who rated which systems on which segments, and whether scores
can be adjusted for annotators and segments."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..gold.ratings import Ratings

# Steps of the least-squares solver, at most.
STEPS = 500
# Digits after the point that the solver determines.
DIGITS = 6


@dataclass
class Design:
    """The design of a human evaluation.

    Attributes
    ----------
    systems, annotators, segments, documents, ratings : int
        Numbers; documents are 0 if unknown.
    cells : int
        Rated cells (system and segment).
    share_rated : float
        Share of the systems × segments cells that are rated, 0 to 1.
    segments_of_all : int
        Segments that are rated for all systems.
    repeats : int
        Ratings of a cell by an annotator who has rated it before.
    parts : int
        Connected parts of the ratings: two ratings are connected if they share a system, segment or
        annotator.
    parts_by_segments : list of list of str
        Groups of systems that are connected by common segments.
    screens, blocks : int
        What an annotator rated in one go, and combinations of annotator, document and system; 0 if
        unknown.
    shares : pandas.DataFrame
        Share of each system's ratings that an annotator gave: systems × annotators.
    severity : pandas.Series
        By annotator, points by which he scores lower than the average annotator on the same systems
        and segments (least squares: score ~ system + segment + annotator).
    difficulty : pandas.Series
        By system, points by which the segments that were rated for it are harder than those of all
        ratings; NaN if systems share no segments.
    reasons : list of str
        Why scores cannot be adjusted for segments and annotators; empty if they can.
    """

    systems: int
    annotators: int
    segments: int
    documents: int
    ratings: int
    cells: int
    share_rated: float
    segments_of_all: int
    repeats: int
    parts: int
    parts_by_segments: list[list[str]]
    screens: int
    blocks: int
    shares: pd.DataFrame
    severity: pd.Series
    difficulty: pd.Series
    reasons: list[str]

    @property
    def is_adjustable(self) -> bool:
        """Whether scores can be adjusted for segments and annotators."""
        return not self.reasons


def describe_design(ratings: Ratings) -> Design:
    """Describe the design of a human evaluation.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    Design
    """
    table = ratings.table
    cells = table.drop_duplicates(["system", "segment"])
    systems = table.system.nunique()
    segments = table.segment.nunique()
    documents = set(table.document) - {""}
    parts_by_segments = _systems_by_segments(cells)
    parts = _connected_parts(table, ["system", "segment", "annotator"])[0]
    reasons = _reasons(table, cells, parts, parts_by_segments)
    severity, difficulty = _additive_effects(table)
    if len(parts_by_segments) > 1:
        difficulty[:] = np.nan
    blocks = table[table.document != ""][["annotator", "document", "system"]].drop_duplicates()
    counts = table.groupby(["system", "annotator"]).size().unstack(fill_value=0)
    return Design(
        systems=systems,
        annotators=table.annotator.nunique(),
        segments=segments,
        documents=len(documents),
        ratings=len(table),
        cells=len(cells),
        share_rated=len(cells) / (systems * segments),
        segments_of_all=int((cells.groupby("segment").size() == systems).sum()),
        repeats=int(table.duplicated(["annotator", "system", "segment"]).sum()),
        parts=parts,
        parts_by_segments=parts_by_segments,
        screens=len(set(table.screen) - {""}),
        blocks=len(blocks),
        shares=counts.div(counts.sum(axis=1), axis=0),
        severity=severity,
        difficulty=difficulty,
        reasons=reasons,
    )


def _connected_parts(table: pd.DataFrame, columns: list[str]) -> tuple[int, np.ndarray]:
    """Return the number of connected parts of ratings that share a value in one of the columns, and
    the part of each rating, from 0."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    nodes = []
    count = 0
    for column in columns:
        codes, values = pd.factorize(table[column])
        nodes.append(codes + count)
        count += len(values)
    # Each rating is an edge from its first node to each of its other nodes.
    first = np.concatenate([nodes[0]] * (len(nodes) - 1))
    others = np.concatenate(nodes[1:])
    edges = coo_matrix((np.ones(len(first)), (first, others)), shape=(count, count))
    parts, labels = connected_components(edges, directed=False)
    return int(parts), labels[nodes[0]]


def _systems_by_segments(cells: pd.DataFrame) -> list[list[str]]:
    """Return the groups of systems that are connected by common segments, the largest first."""
    _, part = _connected_parts(cells, ["system", "segment"])
    groups = cells.assign(part=part).groupby("part").system.unique()
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def _reasons(
    table: pd.DataFrame, cells: pd.DataFrame, parts: int, parts_by_segments: list[list[str]]
) -> list[str]:
    """Return the reasons why scores cannot be adjusted for segments and annotators."""
    reasons = []
    systems = table.system.nunique()
    if systems < 2:
        return [f"only one system is rated, {table.system.iloc[0]}"]
    if cells.groupby("segment").size().max() == 1:
        reasons.append(
            "every system is rated on other segments: a difference between systems cannot be told "
            "from one between segments"
        )
    elif len(parts_by_segments) > 1:
        groups = "; ".join(", ".join(group) for group in parts_by_segments)
        reasons.append(
            f"the systems fall into {len(parts_by_segments)} groups without common segments "
            f"({groups}): they cannot be compared between groups"
        )
    by_annotator = table.drop_duplicates(["annotator", "system"]).groupby("annotator").size()
    if by_annotator.max() == 1:
        reasons.append(
            "every system is rated by other annotators: a difference between systems cannot be "
            "told from one between annotators"
        )
    elif parts > 1 and len(parts_by_segments) == 1:
        reasons.append(f"the ratings fall into {parts} parts without a common annotator or segment")
    return reasons


def _additive_effects(table: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the severity of each annotator, and the difficulty of the segments that each system
    was rated on, by least squares: score ~ system + segment + annotator."""
    from scipy.sparse import csr_matrix, hstack
    from scipy.sparse.linalg import lsqr

    rows = np.arange(len(table))
    blocks = []
    codes = {}
    names = {}
    for column in ("system", "segment", "annotator"):
        codes[column], names[column] = pd.factorize(table[column], sort=True)
        ones = np.ones(len(table))
        shape = (len(table), len(names[column]))
        blocks.append(csr_matrix((ones, (rows, codes[column])), shape=shape))
    scores = table.score.to_numpy(float)
    solution = lsqr(
        hstack(blocks).tocsr(), scores - scores.mean(), atol=1e-10, btol=1e-10, iter_lim=STEPS
    )[0]
    ends = np.cumsum([len(names[column]) for column in names])
    segment_effects = solution[ends[0] : ends[1]]
    annotator_effects = solution[ends[1] :]
    of_ratings = annotator_effects[codes["annotator"]]
    severity = pd.Series(of_ratings.mean() - annotator_effects, index=names["annotator"])
    difficulties = segment_effects[codes["segment"]].mean() - segment_effects[codes["segment"]]
    difficulty = pd.Series(difficulties).groupby(table.system.to_numpy()).mean()
    return (
        severity.round(DIGITS).rename_axis("annotator"),
        difficulty.round(DIGITS).rename_axis("system") + 0.0,  # no negative zeros
    )
