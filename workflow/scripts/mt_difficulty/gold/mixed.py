"""A mixed model of ratings: systems fixed; segments, documents, annotators and blocks random."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..errors import Missing, check_choice
from .base import (
    LEVEL,
    ROUNDING,
    Cells,
    Gold,
    HumanScores,
    RatingModel,
    connected_parts,
    described_parts,
    differences,
    numbered,
    read_cells,
)
from .ratings import Ratings
from .z import standardised

RESPONSES = ("raw", "z")
SEGMENT, DOCUMENT, ANNOTATOR, BLOCK = "segment", "document", "annotator", "block"
RESIDUAL = "residual"
# Random effects in the order in which they are considered: of two with the same levels the first.
EFFECTS = (SEGMENT, DOCUMENT, ANNOTATOR, BLOCK)
# The simplex ends when ratios of standard deviations and the deviance change by less than this.
RATIO_TOLERANCE = 1e-3
DEVIANCE_TOLERANCE = 1e-4
# Ratio of standard deviations at which the simplex starts, and the least size of its first step.
START = 0.5
SMALLEST_STEP = 0.1
# The simplex starts again where it ended, until the deviance falls by less than this,
RESTART_TOLERANCE = 1e-2
# so many times at most.
MOST_STARTS = 5
# A note is given if a larger share of ratings is of cells that several annotators rated.
MANY_REPEATED = 0.2
# Largest ratio of an effect's standard deviation to that of the residual.
LARGEST_RATIO = 100.0


class Effect(NamedTuple):
    """A random effect.

    Attributes
    ----------
    names : list of str
        Names of the levels.
    level : ndarray of int
        (ratings,), index of the level of each rating.
    """

    names: list[str]
    level: np.ndarray


class Design(NamedTuple):
    """Who rated what.

    Attributes
    ----------
    systems : list of str
    system : ndarray of int
        (ratings,).
    effects : dict of str to Effect
        Random effects of the model.
    group : ndarray of int
        (ratings,), groups of ratings that share no segment, document or block with other groups;
        a document, usually.
    """

    systems: list[str]
    system: np.ndarray
    effects: dict[str, Effect]
    group: np.ndarray


class Stack(NamedTuple):
    """Cross products of groups that have equal numbers of segments and documents.

    The columns of the model that belong to one group only (segments, documents) are `local`. The
    others, which all groups share, are the `border`: annotators, systems and the response; a group
    has those of its own annotators alone.

    Attributes
    ----------
    is_segment : ndarray of bool
        (columns,), whether a local column is a segment; else it is a document.
    columns : ndarray of int
        (groups, columns), level of the segment or document.
    local : ndarray
        (groups, columns, columns).
    border : ndarray
        (groups, columns, border columns).
    border_columns : ndarray of int
        (groups, border columns), index among the border columns of all groups; one more than the
        last fills up groups with fewer annotators.
    block_local, block_border : ndarray
        (groups, blocks, columns) and (groups, blocks, border columns), sums over ratings of blocks.
    block_size : ndarray
        (groups, blocks), number of ratings; 0 fills up groups with fewer blocks.
    """

    is_segment: np.ndarray
    columns: np.ndarray
    local: np.ndarray
    border: np.ndarray
    border_columns: np.ndarray
    block_local: np.ndarray
    block_border: np.ndarray
    block_size: np.ndarray


class Products(NamedTuple):
    """Cross products of all columns of a model.

    Attributes
    ----------
    stacks : list of Stack
    border : ndarray
        (border columns, border columns), sum over all groups.
    annotators, systems, ratings : int
    """

    stacks: list[Stack]
    border: np.ndarray
    annotators: int
    systems: int
    ratings: int


class Solution(NamedTuple):
    """The fit for given variance ratios.

    Attributes
    ----------
    deviance : float
        −2 times the restricted log likelihood, with the residual variance at its maximum.
    variance : float
        Residual variance.
    scores : ndarray
        (systems,).
    covariance : ndarray
        (systems, systems).
    annotators : ndarray
        (annotators,), predicted effects; empty without this effect.
    local : list of ndarray
        By stack, (groups, columns), predicted effects of segments and documents.
    """

    deviance: float
    variance: float
    scores: np.ndarray
    covariance: np.ndarray
    annotators: np.ndarray
    local: list[np.ndarray]


class Mixed(Gold):
    """A linear mixed model, fitted by restricted maximum likelihood (REML).

    score = system + segment + document + annotator + block + residual; a block is what one
    annotator rated of one system's translations of one document. All but the system are random.

    Parameters
    ----------
    response : {"raw", "z"}
        Ratings as given, or standardised by annotator.
    resamples : int
        Resamples of the parametric bootstrap, which gives the degrees of freedom of the errors; 0
        for normal errors.
    seed : int
        Of the bootstrap.

    Notes
    -----
    The model has no effect of a cell (system and segment) that all annotators share: where cells
    are rated by several annotators, errors can be too small, and a note says so. (Simulated with
    three annotators a cell and standard deviations of 8 by cell, 4 by document and system, 15 of
    the residual: 95 % intervals covered 89 %.)

    Ratings that one annotator gave to one cell are averaged first. Errors are those of generalised
    least squares with the estimated variances. With `resamples`, ratings are drawn from the fitted
    model and fitted again; the degrees of freedom are those at which 95 % t intervals of the
    differences of systems cover 95 % of the resamples.
    """

    description = "mixed model of systems, segments, documents, annotators and blocks"

    def __init__(self, response: str = "raw", resamples: int = 0, seed: int = 1) -> None:
        check_choice("response", response, RESPONSES)
        if resamples < 0:
            raise ValueError(f"resamples {resamples}: expected 0 or more")
        if seed < 0:
            raise ValueError(f"seed {seed}: expected 0 or more")
        self.response = response
        self.is_standardised = response == "z"
        self.resamples = resamples
        self.seed = seed

    def fit(self, ratings: Ratings, progress: Callable = iter) -> HumanScores:
        with one_thread_of_blas():
            return self._fit(ratings, progress)

    def _fit(self, ratings: Ratings, progress: Callable) -> HumanScores:
        table = ratings.table
        notes: list[str] = []
        if self.response == "z":
            table, notes = standardised(ratings)
        cells = read_cells(averaged(table))
        check_connected(cells)
        design, design_notes = make_design(cells)
        notes += design_notes + _several_raters_notes(cells)
        products = cross_products(design, cells.score)
        ratios = fit_ratios(products, list(design.effects), progress)
        solution = solve(products, ratios)
        check_residual(solution, ratios, cells.score)
        human = HumanScores(
            systems=cells.systems,
            scores=solution.scores,
            covariance=solution.covariance,
            segments=cells.segments,
            segment_scores=None,
            degrees=None,
            unit="model",
            units=len(cells.score),
            notes=notes,
            model=describe(design, products, ratios, solution),
        )
        if self.resamples:
            degrees = bootstrap_degrees(
                design, human, ratios, solution, self.resamples, self.seed, progress
            )
            human = human._replace(degrees=degrees)
        return human


def one_thread_of_blas() -> AbstractContextManager:
    """Keep BLAS on one thread: the matrices are small, and threads wait for each other on a busy
    CPU."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")


def averaged(table: pd.DataFrame) -> pd.DataFrame:
    """Average the ratings that an annotator gave to a cell. The document and screen are those of
    the first by name."""
    keys = ["annotator", "system", "segment"]
    table = table.sort_values([*keys, "document", "screen", "score"], kind="stable")
    groups = table.groupby(keys, sort=True)
    first = groups[["document", "screen"]].first()
    return first.assign(score=groups.score.mean()).reset_index()


def check_connected(cells: Cells) -> None:
    """Check that systems can be compared on the segments that they share, and that systems and
    annotators can be told apart.

    Parameters
    ----------
    cells : Cells

    Raises
    ------
    Missing
        If no chain of segments connects all systems, or if every system has an annotator of its
        own.
    """
    parts = connected_parts(cells.systems, cells.system, cells.segment)
    if len(parts) == len(cells.systems):
        raise Missing(
            "every system was rated on other segments: scores cannot be adjusted for segments"
        )
    if len(parts) > 1:
        raise Missing(f"no segments connect these systems: {described_parts(parts)}")
    annotators, annotator = numbered(cells.table.annotator)
    parts = connected_parts(cells.systems, cells.system, annotator)
    if len(parts) == len(cells.systems) == len(annotators):
        raise Missing(
            "every system was rated by one annotator of its own: systems and annotators cannot be "
            "told apart"
        )


def make_design(cells: Cells) -> tuple[Design, list[str]]:
    """Choose the random effects that the ratings can tell apart.

    Parameters
    ----------
    cells : Cells
        One rating for each annotator and cell.

    Returns
    -------
    design : Design
    notes : list of str
        Which effects were left out and why.
    """
    candidates, notes = _candidates(cells)
    annotator = candidates[ANNOTATOR].level
    if len(connected_parts(cells.systems, cells.system, annotator)) > 1:
        notes.append(
            "Some systems share no annotators with others: their differences rest on the "
            "estimated variance of annotators."
        )
    effects: dict[str, Effect] = {}
    for name, effect in candidates.items():
        reason = _reason_to_leave_out(effect, effects, cells)
        if reason:
            notes.append(f"Without an effect of the {name}: {reason}.")
        else:
            effects[name] = effect
    return Design(cells.systems, cells.system, effects, _groups(cells, effects)), notes


def _candidates(cells: Cells) -> tuple[dict[str, Effect], list[str]]:
    """Return all random effects that can be read from the ratings, and notes."""
    table = cells.table
    annotators, annotator = numbered(table.annotator)
    candidates = {
        SEGMENT: Effect(cells.segments, cells.segment),
        ANNOTATOR: Effect(annotators, annotator),
    }
    notes = []
    is_unknown = (table.document == "").to_numpy()
    if is_unknown.all():
        notes.append("Documents are unknown: without effects of documents and blocks.")
        return candidates, notes
    if is_unknown.any():
        notes.append(f"{is_unknown.sum()} ratings of unknown document: each segment is one.")
    # A name of an unknown document, which no known document has.
    names = np.where(is_unknown, "\0" + table.segment, table.document)
    documents, document = numbered(pd.Series(names))
    block = (annotator * len(documents) + document) * len(cells.systems) + cells.system
    _, block = np.unique(block, return_inverse=True)
    block_names = [str(number) for number in range(block.max() + 1)]
    candidates[DOCUMENT] = Effect(documents, document)
    candidates[BLOCK] = Effect(block_names, block)
    return {name: candidates[name] for name in EFFECTS}, notes


def _reason_to_leave_out(effect: Effect, earlier: dict[str, Effect], cells: Cells) -> str:
    """Return why an effect cannot be estimated beside earlier ones; empty if it can."""
    levels = len(effect.names)
    if levels == 1:
        return "there is one level only"
    if levels == len(effect.level):
        return "each level has one rating"
    for name, other in earlier.items():
        pairs = np.unique(effect.level * len(other.names) + other.level)
        if len(pairs) == levels == len(other.names):
            return f"it has the same levels as the {name}"
    pairs = np.unique(effect.level * len(cells.systems) + cells.system)
    if len(pairs) == levels == len(cells.systems):
        return "it has the same levels as the system"
    return ""


def _several_raters_notes(cells: Cells) -> list[str]:
    """Say that errors can be too small if many cells were rated by several annotators."""
    cell = cells.system * len(cells.segments) + cells.segment
    _, index, numbers = np.unique(cell, return_inverse=True, return_counts=True)
    share = (numbers[index] > 1).mean()
    if share <= MANY_REPEATED:
        return []
    return [
        f"{share:.0%} of the ratings are of cells that several annotators rated; errors can be too "
        "small, since what these annotators agree on beyond system, segment and document is not in "
        "the model."
    ]


def _groups(cells: Cells, effects: dict[str, Effect]) -> np.ndarray:
    """Number the groups of ratings that share segments, documents or blocks, (ratings,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    levels = [effects[name].level for name in (SEGMENT, DOCUMENT, BLOCK) if name in effects]
    if not levels:
        return np.zeros(len(cells.score), int)
    ratings = len(cells.score)
    rows = np.tile(np.arange(ratings), len(levels))
    columns = []
    nodes = ratings
    for level in levels:
        columns.append(nodes + level)
        nodes += level.max() + 1
    edges = (np.ones(len(rows)), (rows, np.concatenate(columns)))
    _, component = connected_components(coo_array(edges, shape=(nodes, nodes)), directed=False)
    _, group = np.unique(component[:ratings], return_inverse=True)
    return group


def cross_products(design: Design, score: np.ndarray) -> Products:
    """Compute the cross products of a model's columns.

    Parameters
    ----------
    design : Design
    score : ndarray
        (ratings,).

    Returns
    -------
    Products
    """
    annotators = len(design.effects[ANNOTATOR].names) if ANNOTATOR in design.effects else 0
    systems = len(design.systems)
    ratings = len(score)
    border = np.zeros((ratings, annotators + systems + 1))
    rows = np.arange(ratings)
    if annotators:
        border[rows, design.effects[ANNOTATOR].level] = 1.0
    border[rows, annotators + design.system] = 1.0
    border[:, -1] = score

    order = np.argsort(design.group, kind="stable")
    starts = np.flatnonzero(np.diff(design.group[order])) + 1
    by_shape: dict[tuple[int, int], list[Stack]] = {}
    for members in np.split(order, starts):
        group = _group_products(design, members, border[members])
        shape = (int(group.is_segment.sum()), len(group.is_segment))
        by_shape.setdefault(shape, []).append(group)
    stacks = [_stacked(groups, border.shape[1]) for _, groups in sorted(by_shape.items())]
    return Products(stacks, border.T @ border, annotators, systems, ratings)


def _group_products(design: Design, members: np.ndarray, border: np.ndarray) -> Stack:
    """Compute the cross products of one group, as a stack without its first axis."""
    border_columns = np.flatnonzero(border.any(axis=0))
    border = border[:, border_columns]
    columns = [np.empty(0, int)]
    matrices = [np.empty((len(members), 0))]
    is_segment = [np.empty(0, bool)]
    for name in (SEGMENT, DOCUMENT):
        if name in design.effects:
            levels, local_level = np.unique(
                design.effects[name].level[members], return_inverse=True
            )
            columns.append(levels)
            matrices.append(np.eye(len(levels))[local_level])
            is_segment.append(np.full(len(levels), name == SEGMENT))
    local = np.concatenate(matrices, axis=1)
    membership = np.empty((0, len(members)))
    if BLOCK in design.effects:
        blocks, block = np.unique(design.effects[BLOCK].level[members], return_inverse=True)
        membership = np.eye(len(blocks))[:, block]
    return Stack(
        is_segment=np.concatenate(is_segment),
        columns=np.concatenate(columns),
        local=local.T @ local,
        border=local.T @ border,
        border_columns=border_columns,
        block_local=membership @ local,
        block_border=membership @ border,
        block_size=membership.sum(axis=1),
    )


def _stacked(groups: list[Stack], no_column: int) -> Stack:
    """Stack the cross products of groups of the same shape; `no_column` fills up the indices of
    border columns, and 0 everything else."""
    blocks = max(len(group.block_size) for group in groups)
    columns = max(len(group.border_columns) for group in groups)

    def filled(values: np.ndarray, shape: tuple[int, ...], fill: int = 0) -> np.ndarray:
        result = np.full(shape, fill, dtype=values.dtype)
        result[tuple(slice(size) for size in values.shape)] = values
        return result

    local = len(groups[0].is_segment)
    return Stack(
        is_segment=groups[0].is_segment,
        columns=np.stack([group.columns for group in groups]),
        local=np.stack([group.local for group in groups]),
        border=np.stack([filled(group.border, (local, columns)) for group in groups]),
        border_columns=np.stack(
            [filled(group.border_columns, (columns,), no_column) for group in groups]
        ),
        block_local=np.stack([filled(group.block_local, (blocks, local)) for group in groups]),
        block_border=np.stack([filled(group.block_border, (blocks, columns)) for group in groups]),
        block_size=np.stack([filled(group.block_size, (blocks,)) for group in groups]),
    )


def fit_ratios(
    products: Products,
    effects: list[str],
    progress: Callable = iter,
    start: dict[str, float] | None = None,
    most_starts: int = MOST_STARTS,
) -> dict[str, float]:
    """Estimate the ratios of the effects' standard deviations to the residual's by REML.

    Parameters
    ----------
    products : Products
    effects : list of str
        Names of the random effects.
    progress : callable
        Wraps an iteration over the evaluations of the likelihood.
    start : dict of str to float, optional
        Where the simplex starts.
    most_starts : int
        How often the simplex starts at most.

    Returns
    -------
    dict of str to float
        By effect, 0 to LARGEST_RATIO.
    """
    from scipy.optimize import minimize

    if not effects:
        return {}
    evaluations = iter(progress(count()))

    def ratios_of(values: np.ndarray) -> dict[str, float]:
        """Return ratios of the values that are optimised, which may have any sign: a simplex that
        is cut off at 0 would stay there."""
        ratios = np.minimum(np.abs(values), LARGEST_RATIO)
        return dict(zip(effects, ratios.tolist(), strict=True))

    def deviance(values: np.ndarray) -> float:
        next(evaluations)
        return solve(products, ratios_of(values), only_deviance=True).deviance

    best = np.full(len(effects), START)
    if start is not None:
        best = np.array([start[name] for name in effects])
    lowest = np.inf
    for _ in range(most_starts):
        sizes = np.maximum(np.abs(best) / 2, SMALLEST_STEP)
        options = {
            "initial_simplex": np.concatenate([best[None], best + np.diag(sizes)]),
            "xatol": RATIO_TOLERANCE,
            "fatol": DEVIANCE_TOLERANCE,
            "maxfev": 400 * len(effects),
        }
        result = minimize(deviance, best, method="Nelder-Mead", options=options)
        best = result.x
        if result.fun > lowest - RESTART_TOLERANCE:
            break
        lowest = result.fun
    return ratios_of(best)


def solve(products: Products, ratios: dict[str, float], *, only_deviance: bool = False) -> Solution:
    """Compute the likelihood and the fit for given variance ratios.

    Parameters
    ----------
    products : Products
    ratios : dict of str to float
        By random effect, its standard deviation over the residual's.
    only_deviance : bool
        Whether to leave out predicted effects and the covariance, for speed.

    Returns
    -------
    Solution

    Notes
    -----
    Random effects are scaled to the residual's standard deviation, u = ratio · v, so that the model
    equations are Z'R⁻¹Z times ratios plus the identity (Bates et al. 2015, Eq. 18), which holds for
    a ratio of 0, too. R⁻¹ = I − w J by block, w = r² / (1 + r² n), absorbs the effect of blocks
    of n ratings. Segments and documents are eliminated group by group; annotators, systems and
    the response are left.
    """
    annotators = products.annotators
    size = len(products.border)
    eliminated_border = np.zeros((size + 1, size + 1))
    block_ratio = ratios.get(BLOCK, 0.0)
    log_determinant = 0.0
    eliminated = []
    for stack in products.stacks:
        weight = block_ratio**2 / (1 + block_ratio**2 * stack.block_size)
        weighted_local = np.swapaxes(stack.block_local * weight[..., None], 1, 2)
        weighted_border = np.swapaxes(stack.block_border * weight[..., None], 1, 2)
        local = stack.local - weighted_local @ stack.block_local
        local_border = stack.border - weighted_local @ stack.block_border
        log_determinant += np.log1p(block_ratio**2 * stack.block_size).sum()

        scale = np.where(stack.is_segment, ratios.get(SEGMENT, 0.0), ratios.get(DOCUMENT, 0.0))
        local = local * scale[:, None] * scale + np.eye(len(scale))
        local_border = local_border * scale[:, None]
        root = np.linalg.cholesky(local)
        log_determinant += 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum()
        reduced = np.linalg.solve(root, local_border)
        of_groups = weighted_border @ stack.block_border + np.swapaxes(reduced, 1, 2) @ reduced
        indices = (stack.border_columns[:, :, None], stack.border_columns[:, None, :])
        np.add.at(eliminated_border, indices, of_groups)
        eliminated.append((root, reduced, scale))

    border = products.border - eliminated_border[:-1, :-1]
    border[:annotators] *= ratios.get(ANNOTATOR, 0.0)
    border[:, :annotators] *= ratios.get(ANNOTATOR, 0.0)
    border[:annotators, :annotators] += np.eye(annotators)
    root = np.linalg.cholesky(border[:-1, :-1])
    log_determinant += 2 * np.log(np.diag(root)).sum()
    reduced_response = np.linalg.solve(root, border[:-1, -1])
    degrees = products.ratings - products.systems
    squares = border[-1, -1] - reduced_response @ reduced_response
    # Of equal ratings rounding errors are left.
    variance = max(squares, np.finfo(float).eps * products.border[-1, -1]) / degrees
    deviance = log_determinant + degrees * (1 + np.log(2 * np.pi * variance))
    if only_deviance:
        nothing = np.empty(0)
        return Solution(deviance, variance, nothing, nothing, nothing, [])

    effects = np.linalg.solve(root.T, reduced_response)
    inverse = np.linalg.inv(root[annotators:, annotators:])
    annotator_effects = ratios.get(ANNOTATOR, 0.0) * effects[:annotators]
    scores = effects[annotators:]
    # The last one is that of no column.
    coefficients = np.concatenate([-annotator_effects, -scores, [1.0, 0.0]])
    local_effects = []
    for stack, (local_root, reduced, scale) in zip(products.stacks, eliminated, strict=True):
        residual = reduced @ coefficients[stack.border_columns][..., None]
        scaled = np.linalg.solve(np.swapaxes(local_root, 1, 2), residual)[..., 0]
        local_effects.append(scale * scaled)
    return Solution(
        deviance=deviance,
        variance=variance,
        scores=scores,
        covariance=variance * inverse.T @ inverse,
        annotators=annotator_effects,
        local=local_effects,
    )


def check_residual(solution: Solution, ratios: dict[str, float], score: np.ndarray) -> None:
    """Check that ratings leave a residual.

    Parameters
    ----------
    solution : Solution
    ratios : dict of str to float
        Ratios of the standard deviations of effects to that of the residual.
    score : ndarray
        (ratings,).

    Raises
    ------
    Missing
        If there is none, as of equal ratings.
    """
    is_rounding = solution.variance <= ROUNDING * np.square(score).mean()
    is_at_bound = max(ratios.values(), default=0.0) >= LARGEST_RATIO
    if is_rounding or is_at_bound or np.ptp(score) == 0:
        raise Missing(
            "system, segment, document, annotator and block explain the ratings without a "
            "residual, so that errors are unknown"
        )


def describe(
    design: Design, products: Products, ratios: dict[str, float], solution: Solution
) -> RatingModel:
    """Return variances by source, and predicted severity and difficulty.

    Parameters
    ----------
    design : Design
    products : Products
    ratios : dict of str to float
        By random effect, its standard deviation over the residual's.
    solution : Solution

    Returns
    -------
    RatingModel
    """
    variances = {name: ratio**2 * solution.variance for name, ratio in ratios.items()}
    variances[RESIDUAL] = solution.variance
    total = sum(variances.values())
    ratings_of_system = np.bincount(design.system, minlength=len(design.systems))

    def received(values: np.ndarray) -> np.ndarray:
        """Average values of ratings, (ratings,), by system."""
        return np.bincount(design.system, values, minlength=len(design.systems)) / ratings_of_system

    unknown = np.full(len(design.systems), np.nan)
    severity: dict[str, float] = {}
    severity_received = unknown
    if ANNOTATOR in design.effects:
        names, level = design.effects[ANNOTATOR]
        severity = dict(zip(names, (-solution.annotators).tolist(), strict=True))
        severity_received = received(-solution.annotators[level])

    of_ratings = np.zeros(len(design.system))
    difficulty: dict[str, float] = {}
    difficulty_received = unknown
    for name in (SEGMENT, DOCUMENT):
        if name in design.effects:
            values = _local_effects(products, solution, len(design.effects[name].names), name)
            of_ratings -= values[design.effects[name].level]
            difficulty_received = received(of_ratings)
    if SEGMENT in design.effects:
        names, level = design.effects[SEGMENT]
        number = np.bincount(level)
        means = np.bincount(level, of_ratings) / number
        difficulty = dict(zip(names, means.tolist(), strict=True))
    return RatingModel(
        variances={name: float(variance) for name, variance in variances.items()},
        shares={name: float(variance / total) for name, variance in variances.items()},
        severity=severity,
        difficulty=difficulty,
        severity_received=severity_received,
        difficulty_received=difficulty_received,
    )


def _local_effects(products: Products, solution: Solution, levels: int, name: str) -> np.ndarray:
    """Collect the predicted effects of segments or documents from the stacks, (levels,)."""
    values = np.zeros(levels)
    for stack, effects in zip(products.stacks, solution.local, strict=True):
        is_chosen = stack.is_segment if name == SEGMENT else ~stack.is_segment
        values[stack.columns[:, is_chosen]] = effects[:, is_chosen]
    return values


def bootstrap_degrees(
    design: Design,
    human: HumanScores,
    ratios: dict[str, float],
    solution: Solution,
    resamples: int,
    seed: int,
    progress: Callable = iter,
) -> float | None:
    """Find degrees of freedom of the errors by a parametric bootstrap.

    Parameters
    ----------
    design : Design
    human : HumanScores
        Of the fit.
    ratios : dict of str to float
        By random effect, its standard deviation over the residual's.
    solution : Solution
        Of the fit.
    resamples : int
    seed : int
    progress : callable
        Wraps the iteration over resamples.

    Returns
    -------
    float or None
        Degrees at which 95 % t intervals of differences of systems cover 95 % of the resampled
        differences, over all pairs; None if normal intervals do.
    """
    rng = np.random.default_rng(seed)
    deviation = np.sqrt(solution.variance)
    pairs = np.triu_indices(len(human.systems), 1)
    statistics = []
    for _ in progress(range(resamples)):
        score = solution.scores[design.system]
        score = score + deviation * rng.normal(size=len(score))
        for name, effect in design.effects.items():
            drawn = ratios[name] * deviation * rng.normal(size=len(effect.names))
            score += drawn[effect.level]
        products = cross_products(design, score)
        drawn_ratios = fit_ratios(products, list(design.effects), start=ratios, most_starts=1)
        drawn_fit = solve(products, drawn_ratios)
        drawn_human = human._replace(scores=drawn_fit.scores, covariance=drawn_fit.covariance)
        difference, error = differences(drawn_human)
        true_difference = human.scores[:, None] - human.scores
        statistics.append(np.abs((difference - true_difference)[pairs] / error[pairs]))
    return degrees_of_quantile(float(np.quantile(statistics, 1 - LEVEL)))


def degrees_of_quantile(quantile: float) -> float | None:
    """Return the degrees of freedom at which t has a two-sided 5 % critical value; None where it is
    no larger than the normal one, and 1 at least."""
    from scipy.optimize import brentq
    from scipy.special import ndtri, stdtrit

    upper = 1 - LEVEL / 2
    most = 1e4
    if quantile <= stdtrit(most, upper):
        return None
    if quantile >= stdtrit(1.0, upper):
        return 1.0
    assert quantile > ndtri(upper)
    return float(brentq(lambda degrees: stdtrit(degrees, upper) - quantile, 1.0, most))
