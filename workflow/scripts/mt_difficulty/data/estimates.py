"""Difficulty estimates that others made, as tab-separated values."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..errors import InputError, nearest
from .score_files import LARGEST, NUMBER
from .text_files import normal, read_segments

EXPECTED = (
    "Expected a header with the columns segment, difficulty and, where each hypothesis has an "
    "estimate, system, each once and separated by tabs"
)


def read_estimates(
    path: str | Path,
    systems: list[str],
    left_out: Collection[str],
    segments: int,
    source: Sequence[str] = (),
) -> np.ndarray:
    """Read estimates: a header that names the columns, then a line for each segment, or for each
    segment and system, in any order.

    Parameters
    ----------
    path : path
        Columns `segment` (its number, from 1) and `difficulty` (a number, higher is harder), with
        `system` where each hypothesis has an estimate; a column `source` must have the segments'
        texts, as `template` writes them; other columns are not read.
    systems : list of str
        Those of the set, of which each needs an estimate of every segment.
    left_out : collection of str
        Systems that may be in the file and are not read.
    segments : int
    source : sequence of str
        Their texts; empty where these are not known.

    Returns
    -------
    ndarray, (segments,) or (systems, segments)

    Raises
    ------
    InputError
        No such file or column; a line of another form; a segment or system that is not the set's,
        has two estimates or none; another source text.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of difficulty estimates.")
    header, *lines = read_segments(path) or [""]
    columns = header.split("\t")
    if not {"segment", "difficulty"} <= set(columns) or len(set(columns)) < len(columns):
        raise InputError(f"{path}, line 1: {EXPECTED}; found `{header}`.")
    rows = systems if "system" in columns else [""]
    values = np.full((len(rows), segments), np.nan)
    for number, line in enumerate(lines, 2):
        place = f"{path}, line {number}"
        fields = line.split("\t")
        if len(fields) != len(columns):
            raise InputError(
                f"{place}: expected {len(columns)} fields separated by tabs, as in the header; "
                f"found {len(fields)}."
            )
        named = dict(zip(columns, fields, strict=True))
        system, segment = normal(named.get("system", "")), named["segment"]
        if system in left_out:
            continue
        if system not in rows:
            raise InputError(
                f"{place}: {system} is no system of the set{nearest(system, systems)}. There are: "
                f"{', '.join(systems)}."
            )
        if not (segment.isascii() and segment.isdigit() and 1 <= int(segment) <= segments):
            raise InputError(
                f"{place}: expected a segment from 1 to {segments}, found `{segment}`."
            )
        row, column = rows.index(system), int(segment) - 1
        if source and "source" in named:
            expected = plain(source[column]).strip()
            if named["source"].strip() != expected:
                raise InputError(
                    f"{place}: the source is not that of segment {segment}, which begins "
                    f"`{expected[:40]}`. Are the estimates those of this set?"
                )
        if not np.isnan(values[row, column]):
            of = f" of system {system}" * bool(system)
            raise InputError(f"{place}: a second estimate of segment {column + 1}{of}.")
        text = named["difficulty"].strip()
        if not text:
            raise InputError(f"{place}: the difficulty is empty. Fill it in.")
        if not NUMBER.fullmatch(text):
            raise InputError(
                f"{place}: expected a number as difficulty, such as 0.5; found `{text}`."
            )
        if abs(float(text)) > LARGEST:
            raise InputError(
                f"{place}: expected a difficulty of at most ±{LARGEST:g}, found `{text}`."
            )
        values[row, column] = float(text)
    if len(absent := np.argwhere(np.isnan(values))):
        row, column = absent[0]
        raise InputError(
            f"{path}: no estimate of segment {column + 1}"
            f"{f' of system {rows[row]}' * bool(rows[row])}; expected one of each of {segments} "
            f"segments{' for each system' * ('system' in columns)}, {len(absent)} are missing."
        )
    return values if "system" in columns else values[0]


def of_systems(path: Path) -> bool:
    """Whether a file's header says that each hypothesis has an estimate."""
    return "system" in next(iter(read_segments(path)), "").split("\t")


def template(texts: list[str], outputs: Mapping[str, list[str]] | None = None) -> str:
    """A file in which to fill in estimates: a line for each segment, or for each segment and
    system, with its texts; tabs in these are spaces.

    Parameters
    ----------
    texts : list of str
        The source segments.
    outputs : dict of str to list of str, optional
        Hypotheses by system, where each is to have an estimate.
    """
    if not outputs:
        rows = [["segment", "difficulty", "source"]]
        rows += [[str(number), "", plain(text)] for number, text in enumerate(texts, 1)]
    else:
        rows = [["segment", "system", "difficulty", "source", "hypothesis"]]
        rows += [
            [str(number), system, "", plain(text), plain(hypotheses[number - 1])]
            for number, text in enumerate(texts, 1)
            for system, hypotheses in outputs.items()
        ]
    return "".join("\t".join(row) + "\n" for row in rows)


def plain(text: str) -> str:
    """A text as a cell of a table: tabs and carriage returns are spaces."""
    return text.replace("\t", " ").replace("\r", " ")
