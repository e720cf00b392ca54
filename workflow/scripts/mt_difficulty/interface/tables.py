"""Tables and texts that Python gives: row by row the same segments or systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..errors import InputError
from .parameters import shown


class Scores(NamedTuple):
    """Scores of systems.

    Attributes
    ----------
    scores : DataFrame
        A row for each metric, weighting and system: score, low and high (95 % bootstrap interval
        over segments), rank (1 is best), better_than, effective_segments, higher_is_better,
        signature. NaN where a score does not exist; `notices` say why.
    comparisons : DataFrame
        A row for each metric, weighting and ordered pair of systems: difference, wins, p, p_holm
        (corrected over the pairs of systems under one metric and weighting).
    difficulty : dict
        The difficulty's name, unit and signature; h and w where EE is asked for.
    notices : list of str
    """

    scores: pd.DataFrame
    comparisons: pd.DataFrame
    difficulty: dict[str, Any]
    notices: list[str]


def aligned(inputs: Mapping[str, Any]) -> tuple[dict[str, Any], pd.Index | None]:
    """Inputs by the name that messages have, with their rows in the same order, and the index of
    the first that has one: the others with an index take its order; lists and arrays, which have
    none, go by position.

    Raises `InputError` where two indexes have different labels, or the same in another order with a
    label twice, or segments numbered by this package are out of order beside an input without
    index."""
    rows = dict(inputs)
    indexes = {
        name: given.index
        for name, given in rows.items()
        if isinstance(given, (pd.Series, pd.DataFrame))
    }
    if not indexes:
        return rows, None
    (first, index), *others = indexes.items()
    for name, other in others:
        if other.equals(index):
            continue
        for this, labels, that in ((first, index, other), (name, other, index)):
            difference = ""
            if not labels.is_unique:
                difference = f"{labels[labels.duplicated()][0]} occurs twice in that of {this}"
            elif len(alone := labels.difference(that, sort=False)):
                difference = f"{alone[0]} is in that of {this} alone"
            if difference:
                raise InputError(
                    f"{first} and {name} have different indexes: {difference}. Give them equal "
                    "ones, or lists, which go by position."
                )
        rows[name] = rows[name].reindex(index)
    plain = [name for name in rows if name not in indexes]
    if plain and index.name == "segment" and not index.is_monotonic_increasing:
        raise InputError(
            f"{first}: the segments are out of order, and {plain[0]} has no index to align it by. "
            "Sort by it (sort_index), or give both an index."
        )
    return rows, index


def distinct(labels: Iterable[Any], name: str) -> list[str]:
    """Labels as text; `InputError` where two are equal as text."""
    texts = list(map(str, labels))
    for label, count in Counter(texts).items():
        if count > 1:
            raise InputError(f"{name}: {label} occurs {count} times.")
    return texts


def segment_texts(given: Any, name: str, kinds: tuple[type, ...] = (str,)) -> list:
    """The texts of one input, one a segment; `InputError` where it is no sequence of texts, or
    empty."""
    if isinstance(given, (str, Mapping, pd.DataFrame)) or not isinstance(given, Iterable):
        raise InputError(f"{name}: expected a list or a Series of texts, found {shown(given)}.")
    texts = list(given)
    if not texts:
        raise InputError(f"{name}: expected one segment or more.")
    for place, segment in enumerate(texts, 1):
        if not isinstance(segment, kinds):
            raise InputError(f"{name}, segment {place}: expected a text, found {shown(segment)}.")
    return texts


def by_segment(
    values: np.ndarray, systems: Sequence[str], index: pd.Index | None = None
) -> pd.DataFrame:
    """A table of segments, numbered from 1 where they have no index, and systems."""
    if index is None:
        index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))
