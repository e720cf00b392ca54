"""Base class of formats of human ratings, and what their readers share."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from ...data.names import normal
from ...data.score_formats import NUMBER
from ...errors import InputError, nearest, shortened

# Evaluation procedures.
DA = "DA"
DA_SQM = "DA+SQM"
ESA = "ESA"
MQM = "MQM"
OTHER = "ratings"

# Names of the official filters.
CONTROLS = "controls"
TUTORIALS = "tutorials"
INCOMPLETE = "incomplete documents"
DUPLICATES = "duplicate documents"
DOCUMENT_SCORES = "document scores"
ATTENTION_CHECKS = "attention checks"
RESET = "reset by the annotator"
NO_SCORE = "without a score"

# The official filter of a rating by the item's type; a rating of another type counts.
DROPPED_TYPES = {
    "REF": CONTROLS,
    "BAD": CONTROLS,
    "BAD_REF": CONTROLS,
    "CHK": CONTROLS,
    "TUT": TUTORIALS,
    "TUTORIAL": TUTORIALS,
    "INCOMPLETE": INCOMPLETE,
    "DUP": DUPLICATES,
    "DOC": DOCUMENT_SCORES,
}
COUNTED_TYPES = ("TGT", "SYSTEM", "REPEAT", "")

COLUMNS = (
    "login",
    "system",
    "document",
    "item",
    "screen",
    "score",
    "dropped",
    "pair",
    "time",
    "source",
    "line",
)
NUMERIC = ("score", "time", "line")


@dataclass
class FileRatings:
    """The ratings of one file, before official filters.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a rating, with the columns

        - `login`: account of the annotator; a file of annotators may map it to a person;
        - `system`, `document`: names as in the file; the document is empty if unknown;
        - `item`: identifies the segment within its document, or in the file where documents are
          unknown;
        - `screen`: what was rated in one go; empty if unknown;
        - `score`: float, higher is better;
        - `dropped`: name of the official filter that drops the rating; empty if it counts;
        - `pair`: language pair, such as en-de; empty if unknown;
        - `time`: end of the annotation in seconds, NaN if unknown;
        - `source`: text of the source segment; empty if unknown;
        - `line`: number of its line in the file.
    procedure : str
        DA, DA+SQM, ESA, MQM or "ratings".
    standardised : bool
        Whether the scores are z-scores of the annotators.
    scale : tuple of float or None
        Lowest and highest score of the scale.
    notices : list of str
        What of the file is not read, a sentence each.
    """

    table: pd.DataFrame
    procedure: str
    standardised: bool = False
    scale: tuple[float, float] | None = None
    notices: list[str] = field(default_factory=list)


class Format:
    """A format of files of ratings.

    Attributes
    ----------
    description : str
        What messages call it.
    """

    description: ClassVar[str]

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first lines of a file, which are not blank, are of this format."""
        raise NotImplementedError

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read the lines of a file; raises `InputError` for a malformed line."""
        raise NotImplementedError


def make_table(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of a file's ratings.

    Parameters
    ----------
    path : path
    rows : sequence of mapping
        A rating each: its columns of `FileRatings.table` that are known.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    InputError
        If there are no ratings.
    """
    if not rows:
        raise InputError(f"{path}: no ratings, only a header.")
    table = pd.DataFrame(index=pd.RangeIndex(len(rows)))
    for name in COLUMNS:
        if name in NUMERIC:
            table[name] = [row.get(name, math.nan) for row in rows]
        else:
            table[name] = pd.Series([row.get(name, "") for row in rows], dtype=object)
    return table


def columns_of(
    header: Sequence[str],
    names: Mapping[str, Sequence[str]],
    needed: Sequence[str],
    path: str | Path,
) -> dict[str, int]:
    """Find the columns of a table by the names in its header, in any case.

    Parameters
    ----------
    header : sequence of str
    names : mapping of str to sequence of str
        The names that a column may have in files, in lower case.
    needed : sequence of str
        Columns that a file must have.
    path : path
        The file, for messages.

    Returns
    -------
    dict of str to int
        Indices of the columns that are there.

    Raises
    ------
    InputError
        If a needed column is missing, or two columns have the same meaning.
    """
    fields = [field.strip().strip('"').lstrip("#").lower() for field in header]
    indices: dict[str, int] = {}
    for column, spellings in names.items():
        for spelling in spellings:
            if fields.count(spelling) > 1:
                raise InputError(f"{path}, line 1: the column {spelling} is there twice. Keep one.")
            if spelling in fields:
                indices[column] = fields.index(spelling)
                break
    for column in needed:
        if column not in indices:
            accepted = " or ".join(names[column])
            raise InputError(
                f"{path}, line 1: no column {accepted}{nearest(names[column][0], fields)}; the "
                f"header has {shortened(', '.join(fields))}. Add the column, or name it so."
            )
    return indices


def number_of(text: str, path: str | Path, line: int, what: str = "score") -> float:
    """Return a field as a number.

    Parameters
    ----------
    text : str
        The field.
    path : path
        The file, for messages.
    line : int
        Number of the line, from 1.
    what : str
        What messages call the field.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If it is no number, or not finite.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and NUMBER.fullmatch(text.strip()):
        return value
    raise InputError(
        f"{path}, line {line}: expected a number as {what}, found `{shortened(text)}`. Correct or "
        "remove the line."
    )


def check_fields(fields: Sequence[str], expected: int, path: str | Path, line: int) -> None:
    """Check the number of fields of a line.

    Parameters
    ----------
    fields : sequence of str
    expected : int
        Fields of the header, or those that the format asks for.
    path : path
        The file, for messages.
    line : int
        Number of the line, from 1.

    Raises
    ------
    InputError
        If there are fewer.
    """
    if len(fields) < expected:
        raise InputError(
            f"{path}, line {line}: expected {expected} fields, found {len(fields)}. Is the file "
            "whole?"
        )


def dropped_by_type(item_type: str) -> str:
    """Return the official filter that drops items of a type; empty if they count."""
    known = item_type.strip().upper().rstrip("0123456789")
    if known in COUNTED_TYPES:
        return ""
    return DROPPED_TYPES.get(known, f"items of type {item_type.strip()}")


def seconds_of(text: str) -> float:
    """Return a time as a number; NaN if it is none, such as a date."""
    return float(text) if NUMBER.fullmatch(text.strip()) else math.nan


def name_of_field(text: str) -> str:
    """Return a name of a file's field: without quotes and spaces around it, normalised."""
    return normal(text.strip().strip('"'))


# MQM

# Google's weights of errors (Freitag et al. 2021, Table 4); the score is minus their sum.
WEIGHTS = {"major": 5.0, "critical": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
# Appraise's severity of a span that the annotator marked but did not judge.
WEIGHTS["undecided"] = 0.0
PUNCTUATION_WEIGHT = 0.1
NON_TRANSLATION_WEIGHT = 25.0


def error_weight(
    category: str, severity: str, light_punctuation: Sequence[str] = ("minor",)
) -> float | None:
    """Return the weight of an MQM error.

    Parameters
    ----------
    category : str
        Such as `Fluency/Punctuation`.
    severity : str
        Major, Minor, Critical, Neutral or No-error, in any case.
    light_punctuation : sequence of str
        Severities with which an error of punctuation has the weight 0.1.

    Returns
    -------
    float or None
        Major and critical 5, minor 1, minor punctuation 0.1, non-translation 25, source issue and
        creative reinterpretation 0; None for an unknown severity.
    """
    category = category.lower()
    severity = severity.strip().lower().replace(" ", "-").replace("_", "-")
    if severity in ("", "nan", "none"):
        severity = "no-error"
    if severity not in WEIGHTS:
        return None
    if "reinterpretation" in category or category.startswith("source issue"):
        return 0.0
    if WEIGHTS[severity] and "non-translation" in category:
        return NON_TRANSLATION_WEIGHT
    if severity in light_punctuation and category.endswith("punctuation"):
        return PUNCTUATION_WEIGHT
    return WEIGHTS[severity]


def read_spans(text: str, path: str | Path, line: int) -> list[dict[str, Any]]:
    """Return the error spans of a field with JSON.

    Parameters
    ----------
    text : str
        The field.
    path : path
        The file, for messages.
    line : int
        Number of the line, from 1.

    Returns
    -------
    list of dict

    Raises
    ------
    InputError
        If it is no JSON list of objects.
    """
    if text.strip() in ("", "[]"):
        return []
    try:
        spans = json.loads(text)
    except ValueError:
        spans = None
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise InputError(
            f"{path}, line {line}: expected a JSON list of error spans, found "
            f"`{shortened(text)}`. Correct or remove the line."
        )
    return spans
