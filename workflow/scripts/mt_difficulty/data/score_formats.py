"""Formats of scores: the archive's `system score` lines, tables with a header, and what
comet-score, sacreBLEU and Google's MQM repository write. Exports of annotation tools are recognised
by name."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError, shortened
from .names import name_of, normal
from .text_files import read_text, split_lines
from .text_formats import csv_fields

# float() also accepts 1_000, ١٢ and nan.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
# With larger scores, products of sums of squares could overflow a float.
LARGEST = 1e100
MOST_SEGMENTS = 1_000_000
NO_SCORE = "None"

# A system may be called `{x}`, as JSON begins.
_SCORE_LINE = re.compile(rf".+\t\s*({NUMBER.pattern}|{NO_SCORE})\s*", re.IGNORECASE | re.ASCII)
# A line of comet-score: `oak.txt <tab> Segment 3 <tab> score: 0.8123`; a system's has no segment.
COMET_LINE = re.compile(
    r"(?P<file>.+?)\t(Segment (?P<segment>\d+)\t)?score: (?P<score>\S+)(\tvariance: \S+)?"
)
_COMET_REST = re.compile(r"Predictions saved in: ")
COMET_KEY = "COMET"
# sacreBLEU's metrics of which lower scores are better.
ERROR_RATES = ("TER",)
# Columns of a table with a header.
SYSTEM_COLUMNS = ("system", "system_id", "system_name", "sys")
SEGMENT_COLUMNS = ("seg_id", "segment", "segment_id", "seg")
# Columns, or keys of JSON objects, of annotation tools' exports.
ANNOTATIONS = [
    ("a table of MQM error annotations", {"rater", "category", "severity"}),
    ("annotations of Pearmut", {"annotation", "user_id"}),
    ("annotations of WMT's direct assessment", {"HITId", "WorkerId"}),
]
# The kind of item in an Appraise export, its fourth or fifth field.
_APPRAISE = re.compile(r"(?:[^,]*,){2,4}(?:TGT|REF|BAD|CHK|TUT\w*|DOC\w*)\d*,\w{2,8},\w{2,8},-?\d")


@dataclass
class Scores:
    """Scores of one metric, or human scores.

    Attributes
    ----------
    values : dict of str to list of float
        By system, in the order of the segments; a single one if only systems are scored. NaN for a
        score that is absent.
    lines : dict of str to list of int
        The line of the file that has each of these scores.
    numbered : bool
        Whether the file numbers segments: segments that it does not list have no score.
    """

    values: dict[str, list[float]] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    numbered: bool = False

    def add(self, system: str, score: float, line: int) -> None:
        """Add the next score of a system.

        Parameters
        ----------
        system : str
        score : float
            NaN for a score that is absent.
        line : int
            Number of its line in the file.
        """
        self.values.setdefault(system, []).append(score)
        self.lines.setdefault(system, []).append(line)


def score_of(text: str, path: str | Path, line: int, form: str, found: str) -> float:
    """Return a score as a number.

    Parameters
    ----------
    text : str
    path : path
    line : int
        File, and number of the line, for messages.
    form : str
        What was expected in the line, for messages.
    found : str
        The line, for messages.

    Returns
    -------
    float
        NaN for `None`.

    Raises
    ------
    InputError
        If the text is neither a number nor `None`, or beyond ±1e100.
    """
    if text == NO_SCORE:
        return math.nan
    if NUMBER.fullmatch(text) and abs(float(text)) <= LARGEST:
        return float(text)
    raise InputError(
        f"{path}, line {line}: expected `{form}` with a finite number or None, found "
        f"`{shortened(found)}`."
    )


def json_score(value: Any, location: str) -> float:
    """Return a score of a JSON file as a number, NaN for null or NaN.

    Raises `InputError`, with the location in the file, for anything else that is no number of at
    most ±1e100.
    """
    if value is None:
        return math.nan
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and (math.isnan(value) or abs(value) <= LARGEST):
        return float(value)
    raise InputError(f"{location}: expected a finite number, found {shortened(repr(value))}.")


def score_lines(
    lines: Sequence[str], path: str | Path, labels: Sequence[str] = ("system",)
) -> Iterator[tuple[int, list[str], float]]:
    """Read lines of labels and a score.

    Parameters
    ----------
    lines : sequence of str
        Blank ones are skipped. The score is the last field; between fields there are tabs, or white
        space in a line without tabs. Names may hold spaces.
    path : path
    labels : sequence of str
        What stands before the score: `system`, or `domain` and `system`.

    Yields
    ------
    tuple
        The line's number, its labels, and the score, NaN for `None`.

    Raises
    ------
    InputError
        For a malformed line, or a score that is no finite number of at most ±1e100.
    """
    form = " <tab> ".join([*labels, "score"])
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line:
            continue
        if "\t" in line:
            *names, text = [part.strip() for part in line.split("\t") if part.strip()]
        else:
            *names, text = line.split()
        if len(names) > len(labels) and "\t" not in line:  # spaces in the system's name
            last = len(labels) - 1
            names = [*names[:last], " ".join(names[last:])]
        if len(names) != len(labels) or not all(names):
            raise InputError(
                f"{path}, line {number}: expected `{form}` with a finite number or None, found "
                f"`{shortened(line)}`."
            )
        score = score_of(text, path, number, form, line)
        yield number, [*names[:-1], normal(names[-1])], score


def read_metrics(path: str | Path) -> dict[str, Scores]:
    """Read the scores of a file in any of the formats.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict of str to Scores
        By metric; the name is "" where the file names none. Higher is better, as far as the format
        says so.

    Raises
    ------
    InputError
        For another format, which is named if it is known, or a malformed line.
    """
    text = read_text(path)
    lines = split_lines(text)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip()[:1] in ("{", "[") and not _SCORE_LINE.fullmatch(first):
        return _read_json(text, path)
    _refuse_annotations(first, path)
    if COMET_LINE.fullmatch(first):
        return {"": _read_comet(lines, path)}
    columns = _header(first)
    if columns:
        return {"": _read_table(lines, columns, path)}
    scores = Scores()
    for number, (system,), score in score_lines(lines, path):
        scores.add(system, score, number)
    return {"": scores}


def _refuse_annotations(first: str, path: str | Path) -> None:
    """Raise `InputError` if the first line is that of an annotation tool's export."""
    columns = {*re.split(r"[\t,; ]", first)}
    kinds = [kind for kind, names in ANNOTATIONS if names <= columns]
    if _APPRAISE.match(first):
        kinds.append("an export of Appraise")
    if kinds:
        raise InputError(_annotations(path, kinds[0]))


def _annotations(path: str | Path, kind: str) -> str:
    """Return the error text for an annotation tool's export."""
    return (
        f"{path}: {kind}. They are not read as scores: give one score for each segment of each "
        "system, in lines `system <tab> score`."
    )


# comet-score


def _read_comet(lines: Sequence[str], path: str | Path) -> Scores:
    """Return the segment scores that comet-score printed or, if there are none, the systems'."""
    segment_scores = Scores()
    system_scores = Scores()
    form = "score: 0.8"
    for number, line in enumerate(lines, 1):
        if not line.strip() or _COMET_REST.match(line):
            continue
        parts = COMET_LINE.fullmatch(line)
        if parts is None:
            raise InputError(
                f"{path}, line {number}: expected comet-score's `file <tab> Segment 0 <tab> score: "
                f"0.8`, found `{shortened(line)}`."
            )
        score = score_of(parts["score"].replace("nan", NO_SCORE), path, number, form, line)
        system = name_of(parts["file"])
        if parts["segment"] is None:
            system_scores.add(system, score, number)
            continue
        expected = len(segment_scores.values.get(system, ()))
        if int(parts["segment"]) != expected:
            raise InputError(
                f"{path}, line {number}: expected segment {expected} of {system}, found "
                f"{parts['segment']}. Are these the scores of one run of comet-score?"
            )
        segment_scores.add(system, score, number)
    return segment_scores if segment_scores.values else system_scores


# JSON


def _read_json(text: str, path: str | Path) -> dict[str, Scores]:
    """Return the scores that comet-score's `--to_json` or sacreBLEU writes."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if _is_comet(content):
        return {"": _read_comet_json(content, path)}
    if _is_sacrebleu(content):
        return _read_sacrebleu(content, path)
    first = text.lstrip().partition("\n")[0]
    if isinstance(content, dict) and {"score", "name", "signature"} <= content.keys():
        raise InputError(
            f"{path}: sacreBLEU's JSON of one system, which does not name it. Score several "
            "systems at once (-i a.txt b.txt c.txt --format json)."
        )
    try:
        keys = set(json.loads(first))
    except (ValueError, TypeError, RecursionError):
        keys = set()
    for kind, names in ANNOTATIONS:
        if names <= keys:
            raise InputError(_annotations(path, kind))
    raise InputError(
        f"{path}: JSON, but neither of comet-score (--to_json) nor of sacreBLEU (several systems, "
        f"--format json); found `{shortened(first)}`. Give lines `system <tab> score`."
    )


def _is_comet(content: Any) -> bool:
    """Return whether the content of a JSON file is what comet-score writes: a list of objects, of
    which the first has a score, for each file."""
    if not isinstance(content, dict) or not content:
        return False
    for rows in content.values():
        if not isinstance(rows, list) or not rows:
            return False
        if not all(isinstance(row, dict) for row in rows) or COMET_KEY not in rows[0]:
            return False
    return True


def _read_comet_json(content: Mapping[str, list[dict[str, Any]]], path: str | Path) -> Scores:
    """Return the segment scores of comet-score's JSON."""
    scores = Scores()
    for file, rows in content.items():
        system = name_of(file)
        if system in scores.values:
            raise InputError(f"{path}: two files are called {system}. Rename one and score again.")
        for number, row in enumerate(rows):
            location = f"{path}: {COMET_KEY} of {file}, segment {number}"
            scores.add(system, json_score(row.get(COMET_KEY), location), number + 1)
    return scores


def _is_sacrebleu(content: Any) -> bool:
    """Return whether the content of a JSON file is what sacreBLEU writes of several systems."""
    if not isinstance(content, list) or not content:
        return False
    return all(isinstance(row, dict) and "system" in row for row in content)


def _read_sacrebleu(content: Sequence[dict[str, Any]], path: str | Path) -> dict[str, Scores]:
    """Return the system scores of sacreBLEU's JSON by metric; TER is negated."""
    metrics: dict[str, Scores] = {}
    for row in content:
        system = name_of(str(row["system"]).removeprefix("Baseline: "))
        for metric, result in row.items():
            if metric == "system":
                continue
            value: Any = result.get("score") if isinstance(result, dict) else result
            location = f"{path}: {metric} of {system}"
            if _is_number(value):
                value = float(value)
            score = json_score(value, location)
            if metric in ERROR_RATES:
                score = -score
            scores = metrics.setdefault(metric, Scores())
            if system in scores.values:
                raise InputError(f"{location}: a second score. Rename one system and score again.")
            scores.add(system, score, 1)
    return metrics


def _is_number(value: Any) -> bool:
    """Return whether a value is a text that is a number."""
    return isinstance(value, str) and NUMBER.fullmatch(value) is not None


# Tables with a header


def _header(first: str) -> list[str]:
    """Return the columns of a header with a system and a score; empty for another line."""
    columns = [name.strip().lower() for name in _split(first, _separator(first))]
    has_system = any(name in columns for name in SYSTEM_COLUMNS)
    return columns if has_system and _score_columns(columns) else []


def _separator(header: str) -> str | None:
    """Return what separates the fields of a table: a tab, a comma, or None for white space."""
    for separator in ("\t", ","):
        if separator in header:
            return separator
    return None


def _split(line: str, separator: str | None) -> list[str]:
    """Return the fields of a table's line."""
    if separator == ",":
        return csv_fields(line)
    return line.split(separator)


def _score_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns of scores."""
    return [name for name in columns if name == "score" or name.endswith("_score")]


def _read_table(lines: Sequence[str], columns: list[str], path: str | Path) -> Scores:
    """Return the scores of a table with a header: system, score and, for scores of segments, their
    number in the archive's files or the own texts, from 1. Google's `*.avg_seg_scores.tsv` are such
    tables."""
    score_columns = _score_columns(columns)
    if len(score_columns) > 1:
        raise InputError(
            f"{path}, line 1: {len(score_columns)} columns of scores: {', '.join(score_columns)}. "
            "Keep one."
        )
    score_column = columns.index(score_columns[0])
    system_column = next(columns.index(name) for name in SYSTEM_COLUMNS if name in columns)
    segment_columns = [columns.index(name) for name in SEGMENT_COLUMNS if name in columns]
    header = next(line for line in lines if line.strip())
    separator = _separator(header)
    form = ", ".join(columns)

    scores = Scores(numbered=bool(segment_columns))
    line_by_cell: dict[tuple[str, int], int] = {}
    for line_number, line in enumerate(lines, 1):
        if not line.strip() or line is header:
            continue
        fields = [field.strip() for field in _split(line, separator)]
        if len(fields) != len(columns):
            raise InputError(
                f"{path}, line {line_number}: expected the fields {form} as in the header, found "
                f"`{shortened(line)}`."
            )
        system = normal(fields[system_column])
        score = score_of(fields[score_column], path, line_number, form, line)
        if not segment_columns:
            scores.add(system, score, line_number)
            continue
        segment = _segment_number(fields[segment_columns[0]], path, line_number)
        first_line = line_by_cell.setdefault((system, segment), line_number)
        if first_line != line_number:
            raise InputError(
                f"{path}, line {line_number}: a second score of segment {segment} of {system}, as "
                f"in line {first_line}. Keep one."
            )
        _put(scores, system, segment - 1, score, line_number)
    return scores


def _segment_number(text: str, path: str | Path, line: int) -> int:
    """Return the number of a segment, from 1, or raise `InputError`."""
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 1 <= number <= MOST_SEGMENTS:
        raise InputError(
            f"{path}, line {line}: expected the number of a segment, 1 to {MOST_SEGMENTS:,}, found "
            f"`{shortened(text)}`."
        )
    return number


def _put(scores: Scores, system: str, segment: int, score: float, line: int) -> None:
    """Add the score of a segment by its index; segments before it that are not there get NaN."""
    values = scores.values.setdefault(system, [])
    lines = scores.lines.setdefault(system, [])
    missing = segment + 1 - len(values)
    values += [math.nan] * missing
    lines += [0] * missing
    values[segment] = score
    lines[segment] = line
