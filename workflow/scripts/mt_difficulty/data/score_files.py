"""Read and write scores by system or segment: human scores, metric scores, difficulty estimates."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..errors import InputError, nearest, shortened
from .names import normal
from .score_formats import LARGEST, NUMBER, Scores, read_metrics, score_lines
from .text_files import is_human, read_lines

# Scores of a perfect translation, by the beginning of the human scores' name.
PERFECT = {"mqm": 0.0, "esa": 100.0, "da-sqm": 100.0, "wmt": 100.0}
ADVICE = "Score the system, or leave it out (`exclude` of its set in a config)."
COLUMNS = (
    "a header with the columns segment, difficulty and, where each hypothesis has an estimate, "
    "system, each once and separated by tabs"
)


def read_only_metric(path: str | Path) -> Scores:
    """Read the scores of the only metric in a file; `InputError` if it has several."""
    metrics = read_metrics(path)
    if len(metrics) != 1:
        raise InputError(f"{path}: scores of {', '.join(metrics)}; expected those of one metric.")
    return next(iter(metrics.values()))


def rated_systems(path: Path) -> list[str]:
    """Return the sorted names of systems with at least one score (not `None`) in a score file."""
    scores = read_only_metric(path).values
    return sorted(system for system in scores if not all(map(math.isnan, scores[system])))


def read_scores(
    path: str | Path, segments: int | None = None, canary: int = 0
) -> dict[str, list[float]]:
    """Read the scores of one metric, or human scores.

    Parameters
    ----------
    path : path
        A file in a format of `score_formats`.
    segments : int, optional
        The number of segments, of which each system must have scores. Without it the file must have
        one score of each system.
    canary : int
        Lines of the archive's files before the first segment (see `Sources`). The file has scores
        for them, too; they are dropped.

    Returns
    -------
    dict of str to list of float
        By system, in the order of the segments; NaN for `None`.

    Raises
    ------
    InputError
        As `read_metrics`, and for a system with a wrong number of scores.
    """
    return checked_scores(read_only_metric(path), path, segments, canary)


def checked_scores(
    scores: Scores, path: str | Path, segments: int | None, canary: int
) -> dict[str, list[float]]:
    """Return scores by system, as `read_scores` does."""
    expected = 1 if segments is None else segments + canary
    values = {}
    check_canary(scores, path, segments, canary)
    for system, of_system in scores.values.items():
        if scores.numbered and len(of_system) < expected:
            of_system = of_system + [math.nan] * (expected - len(of_system))
        check_count(path, system, "scores", len(of_system), segments, canary)
        values[system] = of_system[canary if segments is not None else 0 :]
    return values


def check_canary(scores: Scores, path: str | Path, segments: int | None, canary: int) -> None:
    """Raise `InputError` if a table numbers the segments, instead of the lines of the archive's
    files, which begin with the canary: its first line has a score, the last none."""
    if not (canary and scores.numbered and segments):
        return
    of_canary = any(np.isfinite(values[:canary]).any() for values in scores.values.values())
    if of_canary and max(map(len, scores.values.values())) <= segments:
        raise InputError(
            f"{path}: the number of a segment is its line in the archive's files, which begin with "
            f"the canary: the first of {segments} segments is {canary + 1}. This file has a score "
            f"of segment {canary}, and none of segment {segments + canary}. Add {canary} to all."
        )


def check_count(
    path: str | Path, system: str, what: str, found: int, segments: int | None, canary: int = 0
) -> None:
    """Raise `InputError` unless a system has one line for each segment and line of the canary (see
    `Sources`) or, without `segments`, exactly one line."""
    if segments is None:
        expected, per = 1, "one per system"
    elif canary:
        expected = segments + canary
        per = (
            f"one for each line of the archive's files: the canary, line {canary}, and {segments} "
            "segments"
        )
    else:
        expected, per = segments, "one per segment"
    if found != expected:
        advice = ""
        if canary and found == segments:
            advice = f" Put a score for the canary (None) before the {segments} others."
        raise InputError(
            f"{path}: system {system} has {found} {what}, expected {expected} ({per}).{advice}"
        )


def read_user_scores(
    path: str | Path,
    systems: list[str],
    left_out: Collection[str],
    segments: int,
    canary: int = 0,
    metric: str = "",
) -> np.ndarray:
    """Read a metric's scores from a user's file.

    Parameters
    ----------
    path : path
        A file in a format of `score_formats`: one score for each segment of each system, in order,
        or one for each system.
    systems : list of str
        The systems that need scores.
    left_out : collection of str
        Systems whose scores are skipped.
    segments : int
        Number of segments of the set.
    canary : int
        Lines of the archive's files before the first segment; the file has scores for them, too.
    metric : str
        Whose scores are meant where the file has those of several metrics.

    Returns
    -------
    ndarray
        (systems, segments), or (systems, 1) for scores of systems; higher is better.

    Raises
    ------
    InputError
        For a malformed line, a missing score, an unknown system, or a wrong number of scores.
    """
    metrics = read_metrics(path)
    if not metrics:
        raise InputError(f"{path}: systems, but no scores of a metric.")
    if len(metrics) > 1 and metric not in metrics:
        raise InputError(
            f"{path}: scores of {', '.join(metrics)}; none of them is {metric}"
            f"{nearest(metric, metrics)}. Name one of them."
        )
    scores = metrics[metric] if metric in metrics else next(iter(metrics.values()))
    for system in scores.values:
        if system not in left_out:
            _check_known(f"{path}, line {scores.lines[system][0]}", system, systems)
    count = max((len(scores.values.get(system, ())) for system in systems), default=0)
    of_segments = scores.numbered or count != 1 or segments == 1
    check_canary(scores, path, segments, canary)
    rows = []
    for system in systems:
        values = list(scores.values.get(system, ()))
        expected = segments + canary if of_segments else 1
        if scores.numbered and values:
            values += [math.nan] * (expected - len(values))
        if len(values) != expected:
            raise InputError(_wrong_count(path, system, len(values), segments, canary))
        values = values[canary:] if of_segments else values
        if absent := [number for number, value in enumerate(values, 1) if math.isnan(value)]:
            raise InputError(
                f"{path}: system {system} has no score of {len(absent)} of {len(values)} segments, "
                f"the first of them segment {absent[0]}. A metric needs a score of each. {ADVICE}"
            )
        rows.append(values)
    return np.array(rows)


def _wrong_count(path: str | Path, system: str, found: int, segments: int, canary: int) -> str:
    expected = f"{segments} of every system (one per segment)"
    advice = ADVICE
    if canary:
        expected = (
            f"{segments + canary} of every system (one for each line of the archive's files: the "
            f"canary, line {canary}, and {segments} segments)"
        )
        if found == segments:
            advice = f"Put a score for the canary (None) before the {segments} others."
    return (
        f"{path}: system {system} has {found} scores; expected {expected}, or a single one of "
        f"every system. {advice}"
    )


def _check_known(place: str, system: str, systems: Sequence[str]) -> None:
    if system not in systems:
        raise InputError(
            f"{place}: {shortened(system)} is no system of the set{nearest(system, systems)}. "
            f"There are: {', '.join(systems)}."
        )


# Human scores


def check_gold(path: Path, scores: Iterable[str], outputs: Iterable[str], folder: Path) -> None:
    """Raise `InputError` if a system other than a human translation has scores but no output."""
    unknown = sorted(set(scores) - set(outputs))
    if unknown := [system for system in unknown if not is_human(system)]:
        raise InputError(
            f"{path}: no output in {folder} for {shortened(', '.join(unknown))}"
            f"{nearest(unknown[0], outputs)}. Add the output or remove the score."
        )


def read_segment_gold(
    path: Path, known: Collection[str], outputs: Path, segments: int, canary: int
) -> dict[str, list[float]]:
    """Read segment-level human scores by system; `None` becomes NaN, and a missing file gives {}.
    Raises `InputError` as `read_scores` does, and for systems that are not `known`."""
    scores = read_scores(path, segments, canary) if path.is_file() else {}
    check_gold(path, scores, known, outputs)
    return scores


def read_domain_gold(
    path: Path, known: Collection[str], outputs: Path, left_out: str
) -> dict[str, dict[str, float | None]]:
    """Read human scores by domain (sorted) and system from lines `domain system score`; `None`
    stays None, and a missing file gives {}. The canary's domain, `left_out`, is dropped. Raises
    `InputError` for malformed lines, unknown systems and duplicate scores."""
    scores: dict[str, dict[str, float | None]] = {}
    lines = read_lines(path) if path.is_file() else []
    for number, (domain, system), score in score_lines(lines, path, ["domain", "system"]):
        if system in scores.setdefault(domain, {}):
            raise InputError(
                f"{path}, line {number}: system {system} has a score in {domain} already. Keep one "
                "of them."
            )
        scores[domain][system] = None if math.isnan(score) else score
    check_gold(path, {name for names in scores.values() for name in names}, known, outputs)
    return {domain: scores[domain] for domain in sorted(scores.keys() - {left_out})}


def perfect_score(gold: str) -> float:
    """Return the best possible human score of kind `gold` (mqm: 0); NaN if unbounded or unknown."""
    name = gold.lower()
    scores = (score for start, score in PERFECT.items() if name.startswith(start))
    return math.nan if name.endswith("-z") else next(scores, math.nan)


# Difficulty estimates


def read_estimates(
    path: str | Path,
    systems: list[str],
    left_out: Collection[str],
    segments: int,
    source: Sequence[str] = (),
    canary: int = 0,
) -> np.ndarray:
    """Read difficulty estimates from a user's file.

    Parameters
    ----------
    path : path
        A header, then a line for each segment, or for each segment and system, in any order. The
        columns, between tabs, are `segment` (a number from 1), `difficulty` (higher is harder) and,
        for estimates of hypotheses, `system`. A column `source` must have the source texts, as
        `template` writes them. Other columns are ignored.
    systems : list of str
        The systems that need estimates, if there are estimates of hypotheses.
    left_out : collection of str
        Systems whose estimates are skipped.
    segments : int
        Number of segments of the set.
    source : sequence of str
        Their texts, if they are known.
    canary : int
        Lines of the archive's files before the first segment. Numbers may count these lines: then
        the last one is segments + canary.

    Returns
    -------
    ndarray
        (segments,) or (systems, segments).

    Raises
    ------
    InputError
        For a missing file or column, a malformed line, a different source, an unknown segment or
        system, and a missing or duplicate estimate.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of difficulty estimates.")
    header, *lines = read_lines(path) or [""]
    columns = header.split("\t")
    if not {"segment", "difficulty"} <= set(columns) or len(set(columns)) < len(columns):
        raise InputError(f"{path}, line 1: expected {COLUMNS}; found `{shortened(header)}`.")
    rows = [_fields_of(line, columns, f"{path}, line {n}") for n, line in enumerate(lines, 2)]
    of_systems = systems if "system" in columns else [""]
    first = _number_of_first_segment(rows, segments, canary)
    values = np.full((len(of_systems), segments), np.nan)
    for number, fields in enumerate(rows, 2):
        place = f"{path}, line {number}"
        system = normal(fields.get("system", ""))
        if system in left_out or _is_canary(fields["segment"], first):
            continue
        _check_known(place, system, of_systems)
        segment = _segment_index(fields["segment"], first, segments, place)
        row = of_systems.index(system)
        if source and "source" in fields:
            _check_source(fields["source"], source[segment], fields["segment"], place)
        if not np.isnan(values[row, segment]):
            whose = f" of system {system}" if system else ""
            raise InputError(f"{place}: a second estimate of segment {fields['segment']}{whose}.")
        values[row, segment] = _estimate_of(fields["difficulty"].strip(), place)
    absent = np.argwhere(np.isnan(values))
    if len(absent):
        row, segment = absent[0]
        whose = f" of system {of_systems[row]}" if of_systems[row] else ""
        each = " for each system" if "system" in columns else ""
        raise InputError(
            f"{path}: no estimate of segment {segment + first}{whose}; expected one of each of "
            f"{segments} segments{each}, {len(absent)} are missing."
        )
    return values if "system" in columns else values[0]


def _fields_of(line: str, columns: Sequence[str], place: str) -> dict[str, str]:
    fields = line.split("\t")
    if len(fields) != len(columns):
        raise InputError(
            f"{place}: expected {len(columns)} fields separated by tabs, as in the header; found "
            f"{len(fields)}."
        )
    return dict(zip(columns, fields, strict=True))


def _number_of_first_segment(rows: Sequence[Mapping[str, str]], segments: int, canary: int) -> int:
    """Return the number that a file of estimates gives the first segment: 1, or the line after the
    canary if numbers are those of the archive's lines."""
    numbers = (int(row["segment"]) for row in rows if _is_number(row["segment"]))
    largest = max(numbers, default=0)
    return 1 + canary if segments < largest <= segments + canary else 1


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _is_canary(text: str, first: int) -> bool:
    return _is_number(text) and 0 < int(text) < first


def _segment_index(text: str, first: int, segments: int, place: str) -> int:
    """Return the index of a segment from its number in a file of estimates."""
    index = int(text) - first if _is_number(text) else -1
    if not 0 <= index < segments:
        raise InputError(
            f"{place}: expected a segment from {first} to {segments + first - 1}, found "
            f"`{shortened(text)}`."
        )
    return index


def _check_source(found: str, source: str, number: str, place: str) -> None:
    expected = plain(source).strip()
    if found.strip() != expected:
        raise InputError(
            f"{place}: the source is not that of segment {number}, which begins "
            f"`{expected[:40]}`. Are the estimates those of this set?"
        )


def _estimate_of(text: str, place: str) -> float:
    if not NUMBER.fullmatch(text) or abs(float(text)) > LARGEST:
        raise InputError(
            f"{place}: expected a number as difficulty, such as 0.5, of at most ±{LARGEST:g}; "
            f"found `{shortened(text)}`."
        )
    return float(text)


def has_systems(path: Path) -> bool:
    """Return whether a file of difficulties has a column `system`, so a value per hypothesis."""
    header = next(iter(read_lines(path)), "")
    return "system" in header.split("\t")


def template(texts: list[str], outputs: Mapping[str, list[str]] | None = None) -> str:
    """Return the text of a file for estimates to be filled in: a line for each segment or, with
    hypotheses by system, each segment and system. Tabs in texts become spaces."""
    rows = [["segment", "difficulty", "source"]]
    if outputs:
        rows = [["segment", "system", "difficulty", "source", "hypothesis"]]
    for number, text in enumerate(texts, 1):
        cells = [[s, "", text, lines[number - 1]] for s, lines in (outputs or {}).items()]
        rows += [[str(number), *row] for row in cells or [["", text]]]
    return "".join("\t".join(map(plain, row)) + "\n" for row in rows)


def plain(text: str) -> str:
    """Return the text with tabs and carriage returns replaced by spaces, for a TSV field."""
    return text.replace("\t", " ").replace("\r", " ")
