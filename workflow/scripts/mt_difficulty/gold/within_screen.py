"""Differences of systems that an annotator saw side by side."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..errors import Missing
from .base import (
    Gold,
    HumanScores,
    connected_parts,
    described_parts,
    listed,
    numbered,
    read_cells,
)
from .ratings import Ratings

# Eigenvalues below this share of the largest are 0.
SINGULAR = 1e-9


class Normal(NamedTuple):
    """Normal equations of the systems' effects, by screen.

    Attributes
    ----------
    products : ndarray
        (screens, systems, systems), X'X after centring in each screen and segment.
    responses : ndarray
        (screens, systems), X'y.
    """

    products: np.ndarray
    responses: np.ndarray


class WithinScreen(Gold):
    """Least squares of score ~ system + (screen × segment); errors by screen.

    Whatever a screen's annotator and a segment of it add to all ratings of the segment cancels. The
    covariance is the jackknife's over screens. The scores have the mean of the ratings that were
    used.
    """

    description = "differences of systems within screens"

    def fit(self, ratings: Ratings, progress: Callable = iter) -> HumanScores:
        table, notes = comparable(ratings.table)
        cells = read_cells(table)
        screens, screen = numbered(cells.table.screen)
        group = screen * len(cells.segments) + cells.segment
        parts = connected_parts(cells.systems, cells.system, group)
        if len(parts) > 1:
            raise Missing(
                "no chain of screens with several systems connects these systems: "
                f"{described_parts(parts)}"
            )
        normal = normal_equations(cells.system, len(cells.systems), group, screen, cells.score)
        total = normal.products.sum(axis=0)
        effects = np.linalg.pinv(total, rcond=SINGULAR, hermitian=True) @ normal.responses.sum(0)
        covariance, hanging = jackknife(normal)
        if hanging.any():
            names = [cells.systems[index] for index in np.flatnonzero(hanging)]
            notes.append(
                f"No errors: connected to the others by one screen only ({listed(names)})."
            )
        screens_of_system = cells.table.groupby("system").screen.nunique()[cells.systems]
        return HumanScores(
            systems=cells.systems,
            scores=cells.score.mean() + effects,
            covariance=covariance,
            segments=cells.segments,
            segment_scores=None,
            degrees=np.maximum(screens_of_system.to_numpy(float) - 1, 1),
            unit="screen",
            units=len(screens),
            notes=notes,
        )


def comparable(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the ratings of segments of which a screen shows several systems' translations.

    Parameters
    ----------
    table : pandas.DataFrame
        As `Ratings.table`.

    Returns
    -------
    table : pandas.DataFrame
    notes : list of str
        How many ratings were left out.

    Raises
    ------
    Missing
        If there are none, or none of a system.
    """
    if (table.screen == "").all():
        raise Missing("screens are unknown: nothing says what was rated side by side")
    numbers = table.groupby(["screen", "segment"]).system.transform("nunique")
    kept = table[(numbers > 1) & (table.screen != "")]
    if kept.empty:
        raise Missing("no screen has translations of a segment by several systems")
    lost = sorted(set(table.system) - set(kept.system))
    if lost:
        raise Missing(f"never rated side by side with another system: {listed(lost)}")
    notes = []
    if len(kept) < len(table):
        notes.append(
            f"{len(table) - len(kept)} ratings are left out: their screens show the segment of no "
            "other system."
        )
    return kept, notes


def normal_equations(
    system: np.ndarray, systems: int, group: np.ndarray, screen: np.ndarray, score: np.ndarray
) -> Normal:
    """Sum the normal equations by screen after absorbing the groups.

    Parameters
    ----------
    system : ndarray of int
        (ratings,).
    systems : int
        Number of systems.
    group : ndarray of int
        (ratings,), screen and segment.
    screen : ndarray of int
        (ratings,).
    score : ndarray
        (ratings,).

    Returns
    -------
    Normal
    """
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    screen_of_group = screen[first]
    groups = len(first)
    counts = np.bincount(group * systems + system, minlength=groups * systems)
    counts = counts.reshape(groups, systems).astype(float)
    sizes = counts.sum(axis=1)
    centred = score - (np.bincount(group, score) / sizes)[group]
    cell_sums = np.bincount(group * systems + system, centred, minlength=groups * systems)
    responses = np.zeros((screen.max() + 1, systems))
    np.add.at(responses, screen_of_group, cell_sums.reshape(groups, systems))
    # X'X of a group: a diagonal of counts minus the product of counts over the size.
    products = np.zeros((screen.max() + 1, systems, systems))
    outer = -counts[:, :, None] * (counts / sizes[:, None])[:, None, :]
    diagonal = np.arange(systems)
    outer[:, diagonal, diagonal] += counts
    np.add.at(products, screen_of_group, outer)
    return Normal(products, responses)


def jackknife(normal: Normal) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the covariance of effects from fits without one screen each.

    Parameters
    ----------
    normal : Normal

    Returns
    -------
    covariance : ndarray
        (systems, systems); NaN for systems that one screen connects to the others.
    hanging : ndarray of bool
        (systems,), which systems these are.
    """
    screens, systems = normal.responses.shape
    products = normal.products.sum(axis=0) - normal.products
    responses = normal.responses.sum(axis=0) - normal.responses
    values, vectors = np.linalg.eigh(products)
    is_zero = values <= SINGULAR * values[:, -1:]
    inverse = np.where(is_zero, 0.0, 1 / np.where(is_zero, 1.0, values))
    rotated = np.einsum("gsk,gs->gk", vectors, responses)
    effects = np.einsum("gsk,gk->gs", vectors, inverse * rotated)
    hanging = np.zeros(systems, bool)
    is_unconnected = is_zero.sum(axis=1) > 1
    for product in products[is_unconnected]:
        hanging |= _unconnected(product)
    if is_unconnected.all():
        return np.full((systems, systems), np.nan), np.ones(systems, bool)
    deviations = effects[~is_unconnected] - effects[~is_unconnected].mean(axis=0)
    covariance = deviations.T @ deviations * (screens - 1) / screens
    covariance[hanging] = np.nan
    covariance[:, hanging] = np.nan
    return covariance, hanging


def _unconnected(product: np.ndarray) -> np.ndarray:
    """Return which systems are not in the largest connected part, (systems,) of bool."""
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(np.abs(product) > SINGULAR, directed=False)
    return component != np.bincount(component).argmax()
