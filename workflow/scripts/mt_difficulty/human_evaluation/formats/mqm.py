"""Google's tables of MQM errors (TSV, one row an error, with a header)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, shortened
from .base import (
    ATTENTION_CHECKS,
    MQM,
    FileRatings,
    Format,
    check_fields,
    columns_of,
    error_weight,
    make_table,
    name_of_field,
)

NAMES = {
    "system": ("system", "system_id"),
    "document": ("doc", "docname", "document", "doc_name"),
    "index": ("docsegid", "doc_seg_id", "doc_id"),
    "segment": ("globalsegid", "global_seg_id", "seg_id", "segment_id"),
    "rater": ("rater", "annotator", "rater_id"),
    "source": ("source",),
    "category": ("category",),
    "severity": ("severity",),
}
NEEDED = ("system", "rater", "category", "severity")
# Marks around errors in the texts.
MARKS = ("<v>", "</v>")
HANDS_ON_THE_WHEEL = "hotw"


class ErrorTable(Format):
    """A table of MQM errors. The score of a rater for a cell is minus the sum of its weights."""

    description = "Google's MQM table (header `system doc ... seg_id rater source ... severity`)"

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first line is a header with category and severity."""
        names = {field.strip().strip('"').lower() for field in head[0].split("\t")}
        return {"category", "severity"} <= names or (
            len(names & {"rater", "category", "severity", "globalsegid", "seg_id"}) >= 3
        )

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read a table; errors of one rater in one segment of a system make one rating."""
        numbered = [(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        columns = _columns(numbered[0][0], path)
        fewest = 1 + max(columns.values())
        ratings: dict[tuple[str, ...], _Rating] = {}
        for text, line in numbered[1:]:
            fields = text.split("\t")
            check_fields(fields, fewest, path, line)
            values = {name: fields[index].strip() for name, index in columns.items()}
            rating = _Rating(
                rater=values["rater"],
                system=name_of_field(values["system"]),
                document=values.get("document", ""),
                item=values["segment"] if "segment" in values else values["index"],
                is_check=values["severity"].lower().startswith(HANDS_ON_THE_WHEEL),
                source=_unmarked(values.get("source", "")),
                line=line,
            )
            key = (rating.rater, rating.system, rating.document, rating.item, str(rating.is_check))
            ratings.setdefault(key, rating).weight += _weight(values, rating, path)
        rows = [rating.as_row() for rating in ratings.values()]
        return FileRatings(table=make_table(path, rows), procedure=MQM)


@dataclass
class _Rating:
    """What one rater marked in one segment of a system; `line` is that of the first error."""

    rater: str
    system: str
    document: str
    item: str
    is_check: bool
    source: str
    line: int
    weight: float = 0.0

    def as_row(self) -> dict[str, Any]:
        """Return the rating as a row of `FileRatings.table`."""
        return {
            "login": self.rater,
            "system": self.system,
            "document": self.document,
            "item": self.item,
            "screen": f"{self.rater}/{self.document}/{self.system}",
            "score": 0.0 - self.weight,
            "dropped": ATTENTION_CHECKS if self.is_check else "",
            "source": self.source,
            "line": self.line,
        }


def _columns(header: str, path: str | Path) -> dict[str, int]:
    """Return the columns of a table; segments may be numbered in the set or in the document."""
    columns = columns_of(header.split("\t"), NAMES, NEEDED, path)
    if "segment" not in columns and "index" not in columns:
        return columns_of(header.split("\t"), NAMES, ["segment"], path)  # raises the error
    return columns


def _weight(values: Mapping[str, str], rating: _Rating, path: str | Path) -> float:
    """Return the weight of an error; 0 for a check whether raters pay attention."""
    if rating.is_check:
        return 0.0
    weight = error_weight(values["category"], values["severity"])
    if weight is None:
        raise InputError(
            f"{path}, line {rating.line}: unknown severity `{shortened(values['severity'])}`. "
            "Expected Major, Minor, Critical, Neutral or No-error."
        )
    return weight


def _unmarked(text: str) -> str:
    """Return a source text without the marks of errors and quotes around it."""
    for mark in MARKS:
        text = text.replace(mark, "")
    text = text.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"') and '""' in text:
        text = text[1:-1].replace('""', '"')
    return text
