"""Files of WMT's direct assessment of single texts (`ad-csen-good-stnd-redup.csv`): columns between
spaces or tabs, with a header; scores are raw (0 to 100) or z-scores of the annotators."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import InputError
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
        table: dict[str, list] = {
            name: []
            for name in (
                "login",
                "system",
                "document",
                "item",
                "screen",
                "score",
                "dropped",
                "pair",
                "line",
            )
        }
        pair_names = (columns.get("source"), columns.get("target"))
        for text, line in numbered[1:]:
            fields = text.split()
            check_fields(fields, len(header), path, line)
            segment = fields[columns["segment"]].strip('"')
            parts = SEGMENT_OF_DOCUMENT.fullmatch(segment)
            worker = fields[columns["worker"]].strip('"')
            system = NUMBER_OF_SYSTEM.sub("", name_of_field(fields[columns["system"]]))
            table["login"].append(worker)
            table["system"].append(system)
            table["document"].append(parts["document"] if parts else "")
            table["item"].append(parts["index"] if parts else segment)
            table["screen"].append(_screen(fields, columns, worker, system, table["document"][-1]))
            table["score"].append(number_of(fields[columns["score"]], path, line))
            table["dropped"].append(dropped_by_type(fields[columns["type"]].strip('"')))
            table["pair"].append(
                "-".join(fields[index] for index in pair_names if index is not None)
            )
            table["line"].append(line)
        is_raw = all(score == round(score) and 0 <= score <= 100 for score in table["score"])
        if not table["line"]:
            raise InputError(f"{path}: no ratings, only a header.")
        return FileRatings(
            table=make_table(path, table),
            procedure=DA,
            standardised=not is_raw,
            scale=(0.0, 100.0) if is_raw else None,
        )


def _screen(
    fields: Sequence[str], columns: Mapping[str, int], worker: str, system: str, document: str
) -> str:
    """Return what was rated in one go: one system's translation of a document, which has a number
    of its own (rid), within a task (hit)."""
    numbers = [fields[columns[name]] for name in ("hit", "rid") if name in columns]
    known = [number for number in numbers if number not in ("NA", "")]
    if document:
        known.append(document)
    if not known:
        return ""
    return "/".join([worker, *known, system])
