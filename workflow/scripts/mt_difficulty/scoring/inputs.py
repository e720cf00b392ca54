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
DOCUMENT_NAMES = (str, int, np.integer)  # types of documents' names


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
    for name, other_index in labels.items():
        if not other_index.equals(index):
            _check_labels(first, index, name, other_index)
            rows[name] = rows[name].reindex(index)
    unlabelled = [name for name in rows if name not in labels]
    if unlabelled:
        for name, other_index in labels.items():
            if not _are_positions(other_index):
                beginning = ", ".join(map(str, other_index[:3]))
                raise InputError(
                    f"{name} has labels (its index begins {beginning}), and "
                    f"{unlabelled[0]} has none: they cannot be aligned. Give {unlabelled[0]} the "
                    f"same index, or give both as lists in one order."
                )
    return rows, index


def _check_labels(first: str, index: pd.Index, name: str, labels: pd.Index) -> None:
    """Raise `InputError` if two indexes have not the same labels, each once."""
    repeated = [*index[index.duplicated()], *labels[labels.duplicated()]]
    unshared = [*index.difference(labels, sort=False), *labels.difference(index, sort=False)]
    if repeated:
        difference = f"{repeated[0]} occurs twice"
    elif unshared:
        difference = f"{unshared[0]} is in one of them alone"
    else:
        return
    raise InputError(
        f"{first} and {name} have different indexes: {difference}. Give them equal ones, or lists, "
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
        count = texts.count(label)
        if count > 1:
            raise InputError(f"{name}: {label} occurs {count} times.")
    return texts


def segment_texts(segments: Any, name: str, kinds: tuple[type, ...] = (str,)) -> list:
    """Return segments as a list.

    Parameters
    ----------
    segments : object
        What a user gives, such as a list or a Series.
    name : str
        What messages call them.
    kinds : tuple of type
        Types that a segment may have.

    Raises
    ------
    InputError
        If there are none, if they have no order (a set), or if one has another type.
    """
    unordered = isinstance(segments, (str, Mapping, Set, pd.DataFrame))
    if unordered or not isinstance(segments, Iterable):
        given = shortened(repr(segments), 60)
        raise InputError(f"{name}: expected a list or a Series of texts, found {given}.")
    texts = list(segments)
    if not texts:
        raise InputError(f"{name}: expected one segment or more.")
    for number, segment in enumerate(texts, 1):
        if not isinstance(segment, kinds):
            given = shortened(repr(segment), 60)
            raise InputError(f"{name}, segment {number}: expected a text, found {given}.")
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
            given = shortened(repr(value), 60)
            raise InputError(f"{name}, value {number}: expected a number, found {given}.")
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
    """Return values of hypotheses as a table.

    Parameters
    ----------
    values : ndarray
        (segments, systems).
    systems : sequence of str
    index : Index, optional
        Labels of the segments; by default they are numbered from 1.
    """
    if index is None:
        index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))


def read_texts(
    hypotheses: Texts,
    references: Any,
    source: Text | None,
    difficulty: Any,
    pair: str,
    documents: Text | None = None,
) -> tuple[EvaluationSet, list[list[str]], str | np.ndarray | None, pd.Index | None]:
    """Align and check the texts of a call.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str, or DataFrame
        The segments of each system.
    references : sequence of str or Series, or a list of such sequences
        One reference, or several.
    source : sequence of str or Series, optional
    difficulty : str, Path, Series, DataFrame or ndarray, optional
        A name, a file, or values: one for each segment, a table (segments × systems), or an array
        (systems × segments).
    pair : str
        The language pair, such as en-de.
    documents : sequence of str or Series, optional
        The document of each segment.

    Returns
    -------
    evalset : EvaluationSet
        The texts, with the first reference.
    more_references : list of list of str
        Further references.
    difficulty : str, ndarray or None
        A name, or values, (segments,) or (systems, segments).
    index : Index or None
        Labels of the segments, if an input has some.

    Raises
    ------
    InputError
        If inputs have wrong types or differ in length, labels or systems.
    """
    if not isinstance(hypotheses, (Mapping, pd.DataFrame)):
        expected = "expected a mapping from systems to their segments"
        raise InputError(f"hypotheses: {expected}, found {hypotheses!r:.60}.")
    systems = distinct(hypotheses, "hypotheses")
    if not systems:
        raise InputError("no hypotheses: expected the segments of one system or more.")
    several_references = _is_list_of_references(references)
    if not several_references:
        references = [references]
    if isinstance(difficulty, Path):
        difficulty = str(difficulty)
    has_values = difficulty is not None and not isinstance(difficulty, str)

    # The inputs by the names that messages use.
    given = {f"system {name!s}": segments for name, segments in hypotheses.items()}
    for number, segments in enumerate(references, 1):
        given[f"reference {number}"] = segments
    optional = {
        "source": source,
        "difficulty": difficulty if has_values else None,
        "documents": documents,
    }
    given |= {name: values for name, values in optional.items() if values is not None}
    inputs, index = aligned(given)
    document_names = []
    if documents is not None:
        document_names = segment_texts(inputs.pop("documents"), "documents", DOCUMENT_NAMES)
    if has_values:
        difficulty = _difficulty_values(inputs.pop("difficulty"), systems)
    lines = {name: segment_texts(segments, name) for name, segments in inputs.items()}

    first = lines["reference 1"]
    more_references = [lines[f"reference {i}"] for i in range(2, len(references) + 1)]
    if several_references:
        _check_references(len(references), len(first), len(lines[f"system {systems[0]}"]))
    _check_lengths(lines, len(first))
    if documents is not None:
        _check_lengths({"documents": document_names}, len(first))
    evalset = EvaluationSet(
        pair=pair,
        reference_name="reference",
        systems=systems,
        source=lines.get("source", []),
        reference=first,
        hypotheses=[lines[f"system {name}"] for name in systems],
        documents=[str(name) for name in document_names],
    )
    return evalset, more_references, difficulty, index


def _is_list_of_references(references: Any) -> bool:
    """Return whether a user gives several references: a list of sequences of texts."""
    if not isinstance(references, (list, tuple)) or not references:
        return False
    sequences = (list, tuple, pd.Series, np.ndarray)
    return all(isinstance(texts, sequences) for texts in references)


def _check_references(references: int, texts: int, segments: int) -> None:
    """Raise `InputError` if several references seem to be lists of one segment's references.

    `references` is the number of lists, `texts` the number of texts in the first, and `segments`
    the number of segments of a system."""
    if texts != segments == references:
        raise InputError(
            f"references: {references} lists of {texts} texts, as if each were the "
            "references of one segment. Expected a list for each reference, with a text for each "
            f"of {segments} segments."
        )


def _check_lengths(lines: Mapping[str, Sequence[str]], segments: int) -> None:
    """Raise `InputError` for the first input that has not as many segments as the reference."""
    for name, texts in lines.items():
        if len(texts) != segments:
            raise InputError(f"{name}: expected {segments} segments, found {len(texts)}.")


def _difficulty_values(values: Any, systems: list[str]) -> np.ndarray:
    """Return a user's values of difficulty, (segments,) or (systems, segments)."""
    if isinstance(values, pd.DataFrame):
        values = values.set_axis(distinct(values.columns, "difficulty"), axis=1)
        if {*values.columns} != {*systems}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        values = values[systems].to_numpy().T
    return numbers(values, "difficulty")
