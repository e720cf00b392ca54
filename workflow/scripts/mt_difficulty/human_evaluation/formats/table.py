"""A plain table of ratings with a header: annotator, system, segment and score; document, item
type, screen, time, language pair and source text if known; columns in any order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.text_formats import csv_fields
from ...errors import InputError
from .base import (
    OTHER,
    FileRatings,
    Format,
    check_fields,
    columns_of,
    dropped_by_type,
    make_table,
    name_of_field,
    number_of,
    seconds_of,
)

NAMES = {
    "login": ("annotator", "annotator_id", "rater", "user", "user_id", "login", "worker"),
    "system": ("system", "system_id", "system_name", "sys"),
    "item": ("segment", "segment_id", "seg_id", "seg", "item", "item_id"),
    "other_item": ("item", "item_id"),  # taken where the segment is empty
    "score": ("score", "rating"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "screen": ("screen",),
    "type": ("type", "item_type", "itemtype"),
    "time": ("time", "end", "end_time"),
    "pair": ("pair", "language_pair", "lp"),
    "source": ("source",),
}
NEEDED = ("login", "system", "item", "score")
SEPARATORS = ("\t", ",", ";")


class Table(Format):
    """A table between tabs, commas or semicolons."""

    description = "a table with the columns annotator, system, segment, score (and document, type)"

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first line is a header with at least two of the needed columns."""
        names = {field.strip().lower() for field in _split(head[0], _separator(head[0]))}
        needed = [column for column in NEEDED if names.intersection(NAMES[column])]
        others = {"category", "severity", "itemtype", "sid", "rid"}
        return len(needed) >= 2 and not names & others

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read the table."""
        numbered = [(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        separator = _separator(numbered[0][0])
        header = _split(numbered[0][0], separator)
        columns = columns_of(header, NAMES, NEEDED, path)
        rows = []
        for text, line in numbered[1:]:
            fields = _split(text, separator)
            check_fields(fields, len(header), path, line)
            values = {name: name_of_field(fields[index]) for name, index in columns.items()}
            rows.append(_rating(values, path, line))
        return FileRatings(make_table(path, rows), procedure=OTHER)


def _rating(values: dict[str, str], path: str | Path, line: int) -> dict[str, Any]:
    """Return a rating by the values of its columns."""
    item = values["item"] or values.get("other_item", "")
    for name, value in (("login", values["login"]), ("system", values["system"]), ("item", item)):
        if not value:
            raise InputError(
                f"{path}, line {line}: no {NAMES[name][0]}. Fill it in, or remove the line."
            )
    screen = values.get("screen", "")
    if not screen and values.get("document"):
        screen = f"{values['login']}/{values['document']}/{values['system']}"
    return {
        **values,
        "item": item,
        "screen": screen,
        "score": number_of(values["score"], path, line),
        "dropped": dropped_by_type(values.get("type", "")),
        "time": seconds_of(values.get("time", "")),
        "line": line,
    }


def _separator(header: str) -> str:
    """Return what separates the columns: the first separator that the header has."""
    return next((separator for separator in SEPARATORS if separator in header), "\t")


def _split(line: str, separator: str) -> list[str]:
    """Return the fields of a line; those between commas or semicolons may be quoted."""
    return line.split("\t") if separator == "\t" else csv_fields(line, separator)
