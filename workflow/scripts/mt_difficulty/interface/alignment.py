"""The inputs of one call, row by row the same segments or systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ..errors import InputError


def aligned(inputs: Mapping[str, Any]) -> tuple[dict[str, Any], pd.Index | None]:
    """Inputs with their rows in the same order: those with an index in that of the first of them.

    Lists and arrays, which have no index, go by position.

    Parameters
    ----------
    inputs : mapping of str to Series, DataFrame or anything else
        By the name that messages have.

    Returns
    -------
    dict
        The inputs; those with an index in the order of the first of them.
    Index or None
        That of the first; None without any.

    Raises
    ------
    InputError
        Two indexes have different labels, or the same in another order with a label twice. Segments
        numbered by this package are out of order, beside an input without index.
    """
    found = dict(inputs)
    indexes = {
        name: given.index
        for name, given in found.items()
        if isinstance(given, (pd.Series, pd.DataFrame))
    }
    if not indexes:
        return found, None
    (first, index), *others = indexes.items()
    for name, other in others:
        if other.equals(index):
            continue
        if difference := _difference(first, index, name, other):
            raise InputError(
                f"{first} and {name} have different indexes: {difference}. Give them equal ones, "
                "or lists, which go by position."
            )
        found[name] = found[name].reindex(index)
    plain = [name for name in found if name not in indexes]
    if plain and index.name == "segment" and not index.is_monotonic_increasing:
        raise InputError(
            f"{first}: the segments are out of order, and {plain[0]} has no index to align it by. "
            "Sort by it (sort_index), or give both an index."
        )
    return found, index


def _difference(first: str, index: pd.Index, name: str, other: pd.Index) -> str:
    """What keeps two indexes from being aligned; empty for the same labels, each once."""
    for one, labels, against in ((first, index, other), (name, other, index)):
        if not labels.is_unique:
            return f"{labels[labels.duplicated()][0]} occurs twice in that of {one}"
        if len(alone := labels.difference(against, sort=False)):
            return f"{alone[0]} is in that of {one} alone"
    return ""


def distinct(labels: Iterable[Any], name: str) -> list[str]:
    """Labels as text.

    Raises
    ------
    InputError
        Two are equal as text.
    """
    found = list(map(str, labels))
    for label, count in Counter(found).items():
        if count > 1:
            raise InputError(f"{name}: {label} occurs {count} times.")
    return found
