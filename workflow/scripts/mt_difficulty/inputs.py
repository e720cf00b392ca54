"""Align and check the texts, scores and difficulties passed to the Python interface (api.py)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .data.evalset import EvaluationSet
from .errors import InputError

Text = Sequence[str] | pd.Series
Texts = Mapping[str, Text] | pd.DataFrame


def aligned(inputs: Mapping[str, Any]) -> tuple[dict[str, Any], pd.Index | None]:
    """Align inputs (by the name used in messages) to the index of the first input that has one.
    Return the inputs and this index. Lists and arrays go by position. Raises `InputError` if labels
    differ, if labels repeat in indexes of different order, or if segments numbered by this package
    are out of order beside an input without an index."""
    rows, index, first, frames = dict(inputs), None, "", (pd.Series, pd.DataFrame)
    indexed = {name: values.index for name, values in rows.items() if isinstance(values, frames)}
    for name, labels in indexed.items():
        if index is None:
            index, first = labels, name
        if labels.equals(index):
            continue
        twice = [*index[index.duplicated()], *labels[labels.duplicated()]]
        alone = [*index.difference(labels, sort=False), *labels.difference(index, sort=False)]
        if twice or alone:
            what = f"{twice[0]} occurs twice" if twice else f"{alone[0]} is in one of them alone"
            raise InputError(
                f"{first} and {name} have different indexes: {what}. Give them equal ones, or "
                "lists, which go by position."
            )
        rows[name] = rows[name].reindex(index)
    numbered = index is not None and index.name == "segment" and not index.is_monotonic_increasing
    if numbered and len(rows) > len(indexed):
        raise InputError(
            f"{first}: the segments are out of order, and others have no index to align them by. "
            "Sort by it (sort_index), or give all an index."
        )
    return rows, index


def distinct(labels: Iterable[Any], name: str) -> list[str]:
    """Return labels, such as system names, as strings; raises `InputError` if two are equal."""
    texts = [str(label) for label in labels]
    for label in texts:
        if (count := texts.count(label)) > 1:
            raise InputError(f"{name}: {label} occurs {count} times.")
    return texts


def segment_texts(segments: Any, name: str, kinds: tuple[type, ...] = (str,)) -> list:
    """Return segments as a list; `InputError` if none, or if one is not of a type in `kinds`."""
    if isinstance(segments, (str, Mapping, pd.DataFrame)) or not isinstance(segments, Iterable):
        raise InputError(f"{name}: expected a list or a Series of texts, found {segments!r:.60}.")
    texts = list(segments)
    if not texts:
        raise InputError(f"{name}: expected one segment or more.")
    for place, segment in enumerate(texts, 1):
        if not isinstance(segment, kinds):
            raise InputError(f"{name}, segment {place}: expected a text, found {segment!r:.60}.")
    return texts


def numbers(values: Any, name: str) -> np.ndarray:
    """Return values as a float array; raises `InputError` naming the first that is no number."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError):
        for place, value in enumerate(np.asarray(values, object).ravel(), 1):
            if not isinstance(value, (int, float, np.number)):
                message = f"{name}, value {place}: expected a number, found {value!r:.60}."
                raise InputError(message) from None
        raise


def by_segment(
    values: np.ndarray, systems: Sequence[str], index: pd.Index | None = None
) -> pd.DataFrame:
    """Return `values` as a table, segments × systems; by default segments are numbered from 1."""
    if index is None:
        index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))


def read_texts(
    hypotheses: Texts, references: Any, source: Text | None, difficulty: Any, pair: str
) -> tuple[EvaluationSet, list[list[str]], str | np.ndarray, pd.Index | None]:
    """Align and check the texts of a call. Returns the evaluation set, further references, the
    difficulty (a name, or values, (segments,) or (systems, segments)), and the segments' index."""
    if not isinstance(hypotheses, (Mapping, pd.DataFrame)):
        expected = "expected a mapping from systems to their segments"
        raise InputError(f"hypotheses: {expected}, found {hypotheses!r:.60}.")
    if not (systems := distinct(hypotheses, "hypotheses")):
        raise InputError("no hypotheses: expected the segments of one system or more.")
    sequences = (list, tuple, pd.Series, np.ndarray)
    several = isinstance(references, (list, tuple)) and bool(references)
    if not (several and all(isinstance(text, sequences) for text in references)):
        references = [references]
    inputs: dict[str, Any] = {f"system {name!s}": text for name, text in hypotheses.items()}
    inputs |= {f"reference {place}": text for place, text in enumerate(references, 1)}
    inputs |= {} if source is None else {"source": source}
    difficulty = str(difficulty) if isinstance(difficulty, Path) else difficulty
    inputs |= {} if isinstance(difficulty, str) else {"difficulty": difficulty}
    inputs, index = aligned(inputs)
    values = inputs.pop("difficulty", difficulty)
    if isinstance(values, pd.DataFrame):
        values = values.set_axis(distinct(values.columns, "difficulty"), axis=1)
        if {*values.columns} != {*systems}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        values = values[systems].to_numpy().T
    if not isinstance(values, str):
        values = numbers(values, "difficulty")
    lines = {name: segment_texts(segments, name) for name, segments in inputs.items()}
    first, *more_references = (lines[f"reference {i + 1}"] for i in range(len(references)))
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
