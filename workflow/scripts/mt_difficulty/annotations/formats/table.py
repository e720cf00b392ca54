"""A plain table of ratings with a header: annotator, system, segment and score; document, item
type, screen, time, language pair and source text if known; columns in any order."""

from collections.abc import Sequence
from pathlib import Path

from ...data.score_formats import NUMBER
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
        table: dict[str, list] = {name: [] for name in columns}
        table["line"] = []
        for text, line in numbered[1:]:
            fields = _split(text, separator)
            check_fields(fields, len(header), path, line)
            for name, index in columns.items():
                field = fields[index]
                if name == "score":
                    table[name].append(number_of(field, path, line))
                elif name == "time":
                    is_number = NUMBER.fullmatch(field.strip())
                    table[name].append(float(field) if is_number else float("nan"))
                else:
                    table[name].append(name_of_field(field))
            table["line"].append(line)
        others = table.pop("other_item", [])
        for index, other in enumerate(others):
            table["item"][index] = table["item"][index] or other
        if "type" in table:
            table["dropped"] = [dropped_by_type(kind) for kind in table.pop("type")]
        if "screen" not in table and "document" in table:
            parts = zip(table["login"], table["document"], table["system"], strict=True)
            table["screen"] = ["/".join(part) if part[1] else "" for part in parts]
        for column in ("login", "system", "item"):
            if "" in table[column]:
                line = table["line"][table[column].index("")]
                raise InputError(
                    f"{path}, line {line}: no {NAMES[column][0]}. Fill it in, or remove the line."
                )
        return FileRatings(make_table(path, table), procedure=OTHER)


def _separator(header: str) -> str:
    """Return what separates the columns: the first separator that the header has."""
    return next((separator for separator in SEPARATORS if separator in header), "\t")


def _split(line: str, separator: str) -> list[str]:
    """Return the fields of a line; those between commas or semicolons may be quoted."""
    return line.split("\t") if separator == "\t" else csv_fields(line, separator)
