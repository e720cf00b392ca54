"""Files of WMT's direct assessment of single texts (`ad-csen-good-stnd-redup.csv`): columns between
spaces or tabs, with a header; scores are raw (0 to 100) or z-scores of the annotators."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .base import (
    DA,
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
    "hit_id": ("hitid",),
    "worker": ("workerid",),
    "source": ("input.src", "src"),
    "target": ("input.trg", "trg"),
    "hit": ("hit",),
    "system": ("sys_id", "sys"),
    "rid": ("rid",),
    "type": ("type",),
    "segment": ("sid",),
    "score": ("score",),
}
NEEDED = ("worker", "system", "type", "segment", "score")
# A system's number within its set, `Online-W.2`, is no part of its name.
NUMBER_OF_SYSTEM = re.compile(r"\.\d+$")
# `bn-hi-0-71-1000434.1_1`: document, index within it, index in the task.
SEGMENT_OF_DOCUMENT = re.compile(r"(?P<document>.+)\.(?P<index>\d+)_\d+")


class DirectAssessment(Format):
    """Ratings of WMT's direct assessment, by workers of a crowd."""

    description = "WMT's direct assessment (header `HITId WorkerId ... sys_id rid type sid score`)"

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first line is the header of direct assessment."""
        names = {field.strip('"').lower() for field in head[0].split()}
        return len(names & {"hitid", "workerid", "sys_id", "rid", "sid"}) >= 3

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read a file; the scores are raw if all are whole numbers from 0 to 100."""
        numbered = [(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        header = numbered[0][0].split()
        columns = columns_of(header, NAMES, NEEDED, path)
        rows = []
        for text, line in numbered[1:]:
            fields = text.split()
            check_fields(fields, len(header), path, line)
            values = {name: fields[index].strip('"') for name, index in columns.items()}
            rows.append(_rating(values, path, line))
        is_raw = all(row["score"] == round(row["score"]) for row in rows) and all(
            0 <= row["score"] <= 100 for row in rows
        )
        return FileRatings(
            table=make_table(path, rows),
            procedure=DA,
            standardised=not is_raw,
            scale=(0.0, 100.0) if is_raw else None,
        )


def _rating(values: Mapping[str, str], path: str | Path, line: int) -> dict[str, Any]:
    """Return a rating by the values of its columns."""
    segment = values["segment"]
    document = ""
    parts = SEGMENT_OF_DOCUMENT.fullmatch(segment)
    if parts:
        document = parts["document"]
        segment = parts["index"]
    system = NUMBER_OF_SYSTEM.sub("", name_of_field(values["system"]))
    pair = ""
    if "source" in values and "target" in values:
        pair = f"{values['source']}-{values['target']}"
    return {
        "login": values["worker"],
        "system": system,
        "document": document,
        "item": segment,
        "screen": _screen(values, system, document),
        "score": number_of(values["score"], path, line),
        "dropped": dropped_by_type(values["type"]),
        "pair": pair,
        "line": line,
    }


def _screen(values: Mapping[str, str], system: str, document: str) -> str:
    """Return what was rated in one go: one system's translation of a document, which has a number
    of its own (rid), within a task (hit)."""
    known = [values.get("hit", ""), values.get("rid", ""), document]
    known = [name for name in known if name not in ("NA", "")]
    if not known:
        return ""
    return "/".join([values["worker"], *known, system])
