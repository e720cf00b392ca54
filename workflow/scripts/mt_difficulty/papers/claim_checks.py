"""Checks of claims on the cells of a paper's tables.

Every check takes the chosen cells, with their numbers of one origin as `value` (NaN where there is
none), and its settings; it gives a number (NaN if any cell has none) or Truths. Rows, columns and
items are named as in the paper's tables; `columns` are columns or the heads of groups of columns
(`En→De` of `En→De r`), `statistics` the symbols that end a column's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

BOUNDS: dict[str, Callable] = {
    "above": np.greater,
    "below": np.less,
    "at_least": np.greater_equal,
    "at_most": np.less_equal,
}


@dataclass(frozen=True)
class Truths:
    """Of how many parts a comparison is true, of how many false because both sides are equal, and
    how many have no number."""

    parts: int
    true: int
    equal: int = 0
    unknown: int = 0

    @property
    def known(self) -> int:
        """How many parts have a number."""
        return self.parts - self.unknown

    def text(self) -> str:
        """`true in 1 of 3 that can be computed, equal in 2, 17 of 20 without a number`."""
        computed = " that can be computed" * bool(self.unknown)
        parts = [f"true in {self.true} of {self.known}{computed}"] * bool(self.known)
        parts += [f"equal in {self.equal}"] * bool(self.equal)
        parts += [f"{self.unknown} of {self.parts} without a number"] * bool(self.unknown)
        return ", ".join(parts)


def select(cells: pd.DataFrame, check: dict[str, Any]) -> pd.DataFrame:
    """The published cells that a check is about.

    Raises
    ------
    ValueError
        There is none, or none of a row that the check names.
    """
    found = cells[cells.published.notna() & cells["item"].isin(np.atleast_1d(check["item"]))]
    rows, columns = _names(check)
    if rows:
        found = found[found.row.isin(rows)]
    if columns:
        found = found[found.column.map(lambda name: _is_of(name, columns))]
    if "statistics" in check:
        found = found[found.column.map(lambda name: name.split(" ")[-1] in check["statistics"])]
    absent = [row for row in rows if row not in set(found.row)]
    if found.empty or absent:
        raise ValueError(f"{check}: no published cell {', '.join(absent)}")
    return found


def _names(check: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The rows and columns that a check names."""
    rows, columns = list(check.get("rows", [])), list(check.get("columns", []))
    paired = [name for pair in check.get("pairs", []) for name in pair]
    (columns if check.get("over") == "columns" else rows).extend(paired)
    rows += [cell[0] for cell in check.get("factors", [])]
    columns += [cell[1] for cell in check.get("factors", [])]
    return rows, columns


def _is_of(column: str, names: Sequence[str]) -> bool:
    return any(column == name or column.startswith(f"{name} ") for name in names)


def _pairs(cells: pd.DataFrame, check: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Statistic, first and second value of every pair of rows (or columns) of which both sides are
    published."""
    by_column = check.get("over") == "columns"
    keys = ["item", *(("column", "row") if by_column else ("row", "column"))]
    values = cells.set_index(keys).value.to_dict()
    items = list(dict.fromkeys(cells["item"]))
    places = list(dict.fromkeys(cells.row if by_column else cells.column))
    return [
        (place.split(" ")[-1], values[item, first, place], values[item, second, place])
        for item in items
        for first, second in check["pairs"]
        for place in places
        if (item, first, place) in values and (item, second, place) in values
    ]


def product(cells: pd.DataFrame, check: dict[str, Any]) -> float:
    """A cell, or a product of powers of cells, times `scale`, divided by `per`.

    `factors` are (row, column, exponent); the exponent is 1 where it is left out.
    """
    values = cells.set_index(["row", "column"]).value.to_dict()
    factors = [
        values[row, column] ** (power[0] if power else 1)
        for row, column, *power in check["factors"]
    ]
    return float(np.prod(factors)) * check.get("scale", 1) / check.get("per", 1)


def gain(cells: pd.DataFrame, check: dict[str, Any]) -> float:
    """Mean difference, first minus second row, over all pairs and columns, times `scale` (100).

    With `summed`, the mean over pairs and groups of columns of the sum over the statistics.
    """
    differences = pd.DataFrame(
        [(name, first - second) for name, first, second in _pairs(cells, check)],
        columns=["statistic", "difference"],
    )
    means = differences.groupby("statistic").difference.mean()
    total = np.nan if differences.difference.isna().any() else differences.difference.mean()
    if check.get("summed") and np.isfinite(total):
        total = means.sum()
    return float(total) * check.get("scale", 100)


def higher(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether the first row (or column, `over: columns`) of every pair is higher than the second in
    every place where both are published; with `absolute`, without signs."""
    pairs = np.array([[first, second] for _, first, second in _pairs(cells, check)])
    return _compare(np.abs(pairs) if check.get("absolute") else pairs)


def higher_on_average(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """As `higher`, of each pair's means over the columns of a statistic."""
    means = []
    for pair in check["pairs"]:
        frame = pd.DataFrame(_pairs(cells, check | {"pairs": [pair]}), columns=["name", "a", "b"])
        groups = frame.groupby("name")[["a", "b"]]
        means.append(groups.mean().where(groups.count().eq(groups.size(), axis=0)).to_numpy())
    return _compare(np.concatenate(means))


def _compare(pairs: np.ndarray) -> Truths:
    """Truths of first > second, (pairs, 2)."""
    first, second = pairs.T
    equal = int(np.isclose(first, second, rtol=0, atol=1e-9).sum())
    unknown = int(np.isnan(first - second).sum())
    true = int((first - second > 1e-9).sum())
    return Truths(len(pairs), true, equal, unknown)


def bounded(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether every cell, times `scale` and divided by `per`, is within `above`, `below`,
    `at_least`, `at_most`."""
    values = cells.value.to_numpy(float) * check.get("scale", 1) / check.get("per", 1)
    return within(values, check)


def within(values: np.ndarray, check: dict[str, Any]) -> Truths:
    """Whether values are within the bounds of a check; NaN is without a number."""
    true = ~np.isnan(values)
    for name, compare in BOUNDS.items():
        if name in check:
            true &= compare(values, check[name])
    return Truths(len(values), int(true.sum()), 0, int(np.isnan(values).sum()))


def same_rounded(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether the values of a column are the same, rounded to `decimals`, in all rows of each of
    the `groups`; of the columns with at least two of them."""
    parts = true = unknown = 0
    for rows in check["groups"]:
        for _, column in cells[cells.row.isin(rows)].groupby("column"):
            parts += len(column) > 1
            different = column.value.round(check["decimals"]).dropna().nunique()
            if len(column) > 1 and different < 2:
                unknown += bool(column.value.isna().any())
                true += not column.value.isna().any()
    return Truths(parts, true, 0, unknown)


KINDS: dict[str, Callable[[pd.DataFrame, dict[str, Any]], float | Truths]] = {
    "bounded": bounded,
    "gain": gain,
    "higher": higher,
    "higher_on_average": higher_on_average,
    "product": product,
    "same_rounded": same_rounded,
}
