"""Align and check the texts, scores and difficulties passed to the Python interface (api.py)."""

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..errors import InputError, shortened

Text = Sequence[str] | pd.Series
Texts = Mapping[str, Text] | pd.DataFrame


def aligned(inputs: Mapping[str, Any]) -> tuple[dict[str, Any], pd.Index | None]:
    """Align inputs by their labels, or by position.

    Parameters
    ----------
    inputs : mapping of str to Series, DataFrame, list or array
        By the name that messages use.

    Returns
    -------
    tuple
        The inputs, each with the index of the first that has one, and this index; None if no input
        has one.

    Raises
    ------
    InputError
        If labels differ, or repeat in indexes of different order. If some inputs have labels and
        others none, the labels must be the positions in their order: 0, 1, … as pandas gives them,
        or 1, 2, … in an index called `segment`, as this package gives them.
    """
    rows = dict(inputs)
    labels = {
        name: values.index
        for name, values in rows.items()
        if isinstance(values, (pd.Series, pd.DataFrame))
    }
    if not labels:
        return rows, None
    first, index = next(iter(labels.items()))
    for name, others in labels.items():
        if not others.equals(index):
            _check_labels(first, index, name, others)
            rows[name] = rows[name].reindex(index)
    unlabelled = [name for name in rows if name not in labels]
    if unlabelled:
        for name, others in labels.items():
            if not _are_positions(others):
                raise InputError(
                    f"{name} has labels (its index begins {', '.join(map(str, others[:3]))}), and "
                    f"{unlabelled[0]} has none: they cannot be aligned. Give {unlabelled[0]} the "
                    f"same index, or give both as lists in one order."
                )
    return rows, index


def _check_labels(first: str, index: pd.Index, name: str, labels: pd.Index) -> None:
    """Raise `InputError` if two indexes have not the same labels, each once."""
    twice = [*index[index.duplicated()], *labels[labels.duplicated()]]
    alone = [*index.difference(labels, sort=False), *labels.difference(index, sort=False)]
    if twice or alone:
        what = f"{twice[0]} occurs twice" if twice else f"{alone[0]} is in one of them alone"
        raise InputError(
            f"{first} and {name} have different indexes: {what}. Give them equal ones, or lists, "
            "which go by position."
        )


def _are_positions(labels: pd.Index) -> bool:
    """Return whether labels are the positions in their order, from 0, or from 1 where this package
    numbered segments."""
    start = 1 if labels.name == "segment" else 0
    numbers = pd.RangeIndex(start, start + len(labels))
    return pd.api.types.is_integer_dtype(labels) and bool((labels == numbers).all())


def distinct(labels: Iterable[Any], name: str) -> list[str]:
    """Return labels, such as system names, as strings; raises `InputError` if two are equal."""
    texts = [str(label) for label in labels]
    for label in texts:
        if (count := texts.count(label)) > 1:
            raise InputError(f"{name}: {label} occurs {count} times.")
    return texts


def segment_texts(segments: Any, name: str, kinds: tuple[type, ...] = (str,)) -> list:
    """Return segments as a list.

    Raises `InputError` if there are none, if they have no order (a set), or if one is not of a type
    in `kinds`; `name` is what messages call them.
    """
    unordered = isinstance(segments, (str, Mapping, Set, pd.DataFrame))
    if unordered or not isinstance(segments, Iterable):
        found = shortened(repr(segments), 60)
        raise InputError(f"{name}: expected a list or a Series of texts, found {found}.")
    texts = list(segments)
    if not texts:
        raise InputError(f"{name}: expected one segment or more.")
    for number, segment in enumerate(texts, 1):
        if not isinstance(segment, kinds):
            found = shortened(repr(segment), 60)
            raise InputError(f"{name}, segment {number}: expected a text, found {found}.")
    return texts


def numbers(values: Any, name: str) -> np.ndarray:
    """Return values as a float array; masked ones are NaN.

    Raises `InputError` that names the first value that is no number; `name` is what messages call
    them.
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(float), np.nan)
    try:
        if not np.iscomplexobj(values):
            return np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        pass
    for number, value in enumerate(np.asarray(values, object).ravel(), 1):
        if not _is_number(value):
            found = shortened(repr(value), 60)
            raise InputError(f"{name}, value {number}: expected a number, found {found}.")
    raise InputError(f"{name}: expected numbers, found {shortened(repr(values), 60)}.")


def _is_number(value: Any) -> bool:
    """Return whether a value is a real number that a float can hold."""
    if not isinstance(value, (int, float, np.number)):
        return False
    try:
        float(value)
    except (TypeError, OverflowError):
        return False
    return True


def by_segment(
    values: np.ndarray, systems: Sequence[str], index: pd.Index | None = None
) -> pd.DataFrame:
    """Return `values` as a table, segments × systems; by default segments are numbered from 1."""
    if index is None:
        index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))


def read_texts(
    hypotheses: Texts, references: Any, source: Text | None, difficulty: Any, pair: str
) -> tuple[EvaluationSet, list[list[str]], str | np.ndarray | None, pd.Index | None]:
    """Align and check the texts of a call. Returns the evaluation set, further references, the
    difficulty (a name, or values, (segments,) or (systems, segments)), and the segments' index."""
    if not isinstance(hypotheses, (Mapping, pd.DataFrame)):
        expected = "expected a mapping from systems to their segments"
        raise InputError(f"hypotheses: {expected}, found {hypotheses!r:.60}.")
    if not (systems := distinct(hypotheses, "hypotheses")):
        raise InputError("no hypotheses: expected the segments of one system or more.")
    sequences = (list, tuple, pd.Series, np.ndarray)
    several = isinstance(references, (list, tuple)) and bool(references)
    several = several and all(isinstance(text, sequences) for text in references)
    if not several:
        references = [references]
    given = {f"system {name!s}": text for name, text in hypotheses.items()}
    for place, text in enumerate(references, 1):
        given[f"reference {place}"] = text
    if source is not None:
        given["source"] = source
    difficulty = str(difficulty) if isinstance(difficulty, Path) else difficulty
    by_name = difficulty is None or isinstance(difficulty, str)
    if not by_name:
        given["difficulty"] = difficulty
    inputs, index = aligned(given)
    values = inputs.pop("difficulty", difficulty)
    if isinstance(values, pd.DataFrame):
        values = values.set_axis(distinct(values.columns, "difficulty"), axis=1)
        if {*values.columns} != {*systems}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        values = values[systems].to_numpy().T
    if not by_name:
        values = numbers(values, "difficulty")
    lines = {name: segment_texts(segments, name) for name, segments in inputs.items()}
    first, *more_references = (lines[f"reference {i + 1}"] for i in range(len(references)))
    segments = len(next(iter(text for name, text in lines.items() if name.startswith("system "))))
    if several and len(first) != segments == len(references):
        raise InputError(
            f"references: {len(references)} lists of {len(first)} texts, as if each were the "
            "references of one segment. Expected a list for each reference, with a text for each "
            f"of {segments} segments."
        )
    for name, text in lines.items():
        if len(text) != len(first):
            raise InputError(f"{name}: expected {len(first)} segments, found {len(text)}.")
    evalset = EvaluationSet(
        pair=pair,
        reference_name="reference",
        systems=systems,
        source=lines.get("source", []),
        reference=first,
        hypotheses=[lines[f"system {name}"] for name in systems],
    )
    return evalset, more_references, values, index
