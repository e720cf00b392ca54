"""Google's tables of MQM errors (TSV, one row an error, with a header)."""

from collections.abc import Sequence
from pathlib import Path

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
        header = numbered[0][0].split("\t")
        columns = columns_of(header, NAMES, NEEDED, path)
        if "segment" not in columns and "index" not in columns:
            columns_of(header, NAMES, ["segment"], path)  # raises
        fewest = 1 + max(columns.values())
        weights: dict[tuple[str, ...], float] = {}
        first_lines: dict[tuple[str, ...], int] = {}
        sources: dict[tuple[str, ...], str] = {}
        for text, line in numbered[1:]:
            fields = text.split("\t")
            check_fields(fields, fewest, path, line)
            values = {name: fields[index] for name, index in columns.items()}
            severity = values["severity"].strip()
            is_check = severity.lower().startswith(HANDS_ON_THE_WHEEL)
            weight = 0.0 if is_check else error_weight(values["category"].strip(), severity)
            if weight is None:
                raise InputError(
                    f"{path}, line {line}: unknown severity `{shortened(severity)}`. Expected "
                    "Major, Minor, Critical, Neutral or No-error."
                )
            document = values.get("document", "").strip()
            item = values.get("segment", values.get("index", "")).strip()
            key = (
                values["rater"].strip(),
                name_of_field(values["system"]),
                document,
                item,
                ATTENTION_CHECKS if is_check else "",
            )
            weights[key] = weights.get(key, 0.0) + weight
            if key not in first_lines:
                first_lines[key] = line
                sources[key] = _unmarked(values.get("source", ""))
        raters, systems, documents, items, dropped = (
            zip(*weights, strict=True) if weights else [()] * 5
        )
        table = {
            "login": raters,
            "system": systems,
            "document": documents,
            "item": items,
            "screen": ["/".join(key[:3]) for key in weights],
            "score": [0.0 - total for total in weights.values()],
            "dropped": dropped,
            "source": [sources[key] for key in weights],
            "line": [first_lines[key] for key in weights],
        }
        return FileRatings(table=make_table(path, table), procedure=MQM)


def _unmarked(text: str) -> str:
    """Return a source text without the marks of errors and quotes around it."""
    for mark in MARKS:
        text = text.replace(mark, "")
    text = text.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"') and '""' in text:
        text = text[1:-1].replace('""', '"')
    return text
