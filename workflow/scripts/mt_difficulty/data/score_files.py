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
    """Check the number of scores that were read.

    Parameters
    ----------
    scores : Scores
        Of the file.
    path : path
        The file, for messages.
    segments, canary : int
        As in `read_scores`.

    Returns
    -------
    dict of str to list of float
        As of `read_scores`.

    Raises
    ------
    InputError
        For a system with a wrong number of scores.
    """
    check_canary(scores, path, segments, canary)
    expected = 1 if segments is None else segments + canary
    dropped = 0 if segments is None else canary
    values = {}
    for system, system_scores in scores.values.items():
        if scores.numbered and len(system_scores) < expected:
            system_scores = system_scores + [math.nan] * (expected - len(system_scores))
        check_count(path, system, "scores", len(system_scores), segments, canary)
        values[system] = system_scores[dropped:]
    return values


def check_canary(scores: Scores, path: str | Path, segments: int | None, canary: int) -> None:
    """Check that a table numbers the lines of the archive's files, which begin with the canary,
    instead of the segments.

    Parameters
    ----------
    scores : Scores
        Of the file.
    path : path
        The file, for messages.
    segments : int or None
        Number of segments; None for scores of systems.
    canary : int
        Lines of the archive's files before the first segment.

    Raises
    ------
    InputError
        If the first line, the canary, has a score, and the last line has none.
    """
    if not (canary and scores.numbered and segments):
        return
    has_canary_score = any(np.isfinite(values[:canary]).any() for values in scores.values.values())
    if has_canary_score and max(map(len, scores.values.values())) <= segments:
        raise InputError(
            f"{path}: the number of a segment is its line in the archive's files, which begin with "
            f"the canary: the first of {segments} segments is {canary + 1}. This file has a score "
            f"of segment {canary}, and none of segment {segments + canary}. Add {canary} to all."
        )


def check_count(
    path: str | Path, system: str, what: str, found: int, segments: int | None, canary: int = 0
) -> None:
    """Check the number of a system's lines in a file.

    Parameters
    ----------
    path : path
        The file, for messages.
    system : str
    what : str
        What is counted, in the plural, for messages.
    found : int
        Number of lines.
    segments : int or None
        Number of segments, each of which must have a line; None if a system must have one line.
    canary : int
        Lines of the archive's files before the first segment (see `Sources`), which must have a
        line, too.

    Raises
    ------
    InputError
        If the number is another one.
    """
    if segments is None:
        expected = 1
        per = "one per system"
    elif canary:
        expected = segments + canary
        per = (
            f"one for each line of the archive's files: the canary, line {canary}, and {segments} "
            "segments"
        )
    else:
        expected = segments
        per = "one per segment"
    if found == expected:
        return
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
    scores = _scores_of_metric(path, metric)
    for system in scores.values:
        if system not in left_out:
            _check_known(f"{path}, line {scores.lines[system][0]}", system, systems)
    most_scores = max((len(scores.values.get(system, ())) for system in systems), default=0)
    has_segment_scores = scores.numbered or most_scores != 1 or segments == 1
    check_canary(scores, path, segments, canary)
    expected = segments + canary if has_segment_scores else 1
    rows = []
    for system in systems:
        values = list(scores.values.get(system, ()))
        if scores.numbered and values:
            values += [math.nan] * (expected - len(values))
        if len(values) != expected:
            raise InputError(_wrong_count(path, system, len(values), segments, canary))
        if has_segment_scores:
            values = values[canary:]
        _check_complete(path, system, values)
        rows.append(values)
    return np.array(rows)


def _scores_of_metric(path: str | Path, metric: str) -> Scores:
    """Return the scores of a metric in a file or, if the file does not name it, of the only one."""
    metrics = read_metrics(path)
    if not metrics:
        raise InputError(f"{path}: systems, but no scores of a metric.")
    if metric in metrics:
        return metrics[metric]
    if len(metrics) > 1:
        raise InputError(
            f"{path}: scores of {', '.join(metrics)}; none of them is {metric}"
            f"{nearest(metric, metrics)}. Name one of them."
        )
    return next(iter(metrics.values()))


def _check_complete(path: str | Path, system: str, values: Sequence[float]) -> None:
    """Raise `InputError` if a system lacks the score of a segment."""
    missing = [number for number, value in enumerate(values, 1) if math.isnan(value)]
    if missing:
        raise InputError(
            f"{path}: system {system} has no score of {len(missing)} of {len(values)} segments, "
            f"the first of them segment {missing[0]}. A metric needs a score of each. {ADVICE}"
        )


def _wrong_count(path: str | Path, system: str, found: int, segments: int, canary: int) -> str:
    """Return the error text for a system with a wrong number of scores."""
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


def _check_known(location: str, system: str, systems: Sequence[str]) -> None:
    """Raise `InputError`, with file and line, if a system is not one of the set."""
    if system not in systems:
        raise InputError(
            f"{location}: {shortened(system)} is no system of the set{nearest(system, systems)}. "
            f"There are: {', '.join(systems)}."
        )


# Human scores


def check_gold(path: Path, scores: Iterable[str], outputs: Iterable[str], folder: Path) -> None:
    """Check that systems with human scores have outputs; human translations need none.

    Parameters
    ----------
    path : Path
        File of human scores, for messages.
    scores, outputs : iterable of str
        Systems that have scores, and those that have outputs.
    folder : Path
        Folder of the outputs, for messages.

    Raises
    ------
    InputError
        If a system has a score but no output.
    """
    without_output = sorted(set(scores) - set(outputs))
    without_output = [system for system in without_output if not is_human(system)]
    if without_output:
        raise InputError(
            f"{path}: no output in {folder} for {shortened(', '.join(without_output))}"
            f"{nearest(without_output[0], outputs)}. Add the output or remove the score."
        )


def read_segment_gold(
    path: Path, known: Collection[str], outputs: Path, segments: int, canary: int
) -> dict[str, list[float]]:
    """Read segment-level human scores.

    Parameters
    ----------
    path : Path
        File of the scores.
    known : collection of str
        Systems that may have scores.
    outputs : Path
        Folder of their outputs, for messages.
    segments : int
        Number of segments.
    canary : int
        Lines of the archive's files before the first segment.

    Returns
    -------
    dict of str to list of float
        By system, in the order of the segments; NaN for `None`. Empty if the file is missing.

    Raises
    ------
    InputError
        As `read_scores`, and for systems that are not `known`.
    """
    scores = read_scores(path, segments, canary) if path.is_file() else {}
    check_gold(path, scores, known, outputs)
    return scores


def read_domain_gold(
    path: Path, known: Collection[str], outputs: Path, left_out: str
) -> dict[str, dict[str, float | None]]:
    """Read human scores by domain.

    Parameters
    ----------
    path : Path
        File with lines `domain system score`.
    known : collection of str
        Systems that may have scores.
    outputs : Path
        Folder of their outputs, for messages.
    left_out : str
        The domain of the canary, which is dropped.

    Returns
    -------
    dict of str to dict of str to float
        By domain (sorted) and system; None for `None`. Empty if the file is missing.

    Raises
    ------
    InputError
        For malformed lines, unknown systems and duplicate scores.
    """
    scores: dict[str, dict[str, float | None]] = {}
    lines = read_lines(path) if path.is_file() else []
    for number, (domain, system), score in score_lines(lines, path, ["domain", "system"]):
        if system in scores.setdefault(domain, {}):
            raise InputError(
                f"{path}, line {number}: system {system} has a score in {domain} already. Keep one "
                "of them."
            )
        scores[domain][system] = None if math.isnan(score) else score
    systems = {system for domain_scores in scores.values() for system in domain_scores}
    check_gold(path, systems, known, outputs)
    return {domain: scores[domain] for domain in sorted(scores.keys() - {left_out})}


def perfect_score(gold: str) -> float:
    """Return the best possible human score of kind `gold` (mqm: 0); NaN if unbounded or unknown."""
    name = gold.lower()
    if name.endswith("-z"):
        return math.nan
    for start, score in PERFECT.items():
        if name.startswith(start):
            return score
    return math.nan


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
    columns, rows = _read_estimate_rows(path)
    has_system_column = "system" in columns
    rated_systems = systems if has_system_column else [""]
    first = _number_of_first_segment(rows, segments, canary)
    values = np.full((len(rated_systems), segments), np.nan)
    for number, fields in enumerate(rows, 2):
        location = f"{path}, line {number}"
        system = normal(fields.get("system", ""))
        if system in left_out or _is_canary(fields["segment"], first):
            continue
        _check_known(location, system, rated_systems)
        segment = _segment_index(fields["segment"], first, segments, location)
        if source and "source" in fields:
            _check_source(fields["source"], source[segment], fields["segment"], location)
        cell = (rated_systems.index(system), segment)
        if not np.isnan(values[cell]):
            whose = f" of system {system}" if system else ""
            raise InputError(
                f"{location}: a second estimate of segment {fields['segment']}{whose}."
            )
        values[cell] = _estimate_of(fields["difficulty"].strip(), location)
    _check_all_estimated(values, systems if has_system_column else None, first, path)
    return values if has_system_column else values[0]


def _read_estimate_rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns of a file of estimates, and its lines as fields by column."""
    if not path.is_file():
        raise InputError(f"{path}: no such file of difficulty estimates.")
    header, *lines = read_lines(path) or [""]
    columns = header.split("\t")
    has_needed = {"segment", "difficulty"} <= set(columns)
    if not has_needed or len(set(columns)) < len(columns):
        raise InputError(f"{path}, line 1: expected {COLUMNS}; found `{shortened(header)}`.")
    rows = []
    for number, line in enumerate(lines, 2):
        rows.append(_fields_of(line, columns, f"{path}, line {number}"))
    return columns, rows


def _fields_of(line: str, columns: Sequence[str], location: str) -> dict[str, str]:
    """Return the fields of a line by column; `location` is file and line number, for messages."""
    fields = line.split("\t")
    if len(fields) != len(columns):
        raise InputError(
            f"{location}: expected {len(columns)} fields separated by tabs, as in the header; "
            f"found {len(fields)}."
        )
    return dict(zip(columns, fields, strict=True))


def _check_all_estimated(
    values: np.ndarray, systems: Sequence[str] | None, first: int, path: Path
) -> None:
    """Raise `InputError` if a cell of the estimates, (systems, segments), is NaN. `systems` is None
    where segments have estimates; `first` is the number of the first segment."""
    missing = np.argwhere(np.isnan(values))
    if not len(missing):
        return
    system, segment = missing[0]
    whose = ""
    for_each = ""
    if systems is not None:
        whose = f" of system {systems[system]}"
        for_each = " for each system"
    raise InputError(
        f"{path}: no estimate of segment {segment + first}{whose}; expected one of each of "
        f"{values.shape[1]} segments{for_each}, {len(missing)} are missing."
    )


def _number_of_first_segment(rows: Sequence[Mapping[str, str]], segments: int, canary: int) -> int:
    """Return the number that a file of estimates gives the first segment: 1, or the line after the
    canary if numbers are those of the archive's lines."""
    numbers = (int(row["segment"]) for row in rows if _is_number(row["segment"]))
    largest = max(numbers, default=0)
    counts_canary = segments < largest <= segments + canary
    return 1 + canary if counts_canary else 1


def _is_number(text: str) -> bool:
    """Return whether a field is the number of a segment."""
    return text.isdecimal() and len(text) < 10


def _is_canary(text: str, first: int) -> bool:
    """Return whether a number is that of a line before the first segment."""
    return _is_number(text) and 0 < int(text) < first


def _segment_index(text: str, first: int, segments: int, location: str) -> int:
    """Return the index of a segment from its number in a file of estimates."""
    index = int(text) - first if _is_number(text) else -1
    if not 0 <= index < segments:
        raise InputError(
            f"{location}: expected a segment from {first} to {segments + first - 1}, found "
            f"`{shortened(text)}`."
        )
    return index


def _check_source(found: str, source: str, number: str, location: str) -> None:
    """Raise `InputError` if the source in a line is not that of the segment."""
    expected = plain(source).strip()
    if found.strip() != expected:
        raise InputError(
            f"{location}: the source is not that of segment {number}, which begins "
            f"`{expected[:40]}`. Are the estimates those of this set?"
        )


def _estimate_of(text: str, location: str) -> float:
    """Return an estimate as a number, or raise `InputError`."""
    if not NUMBER.fullmatch(text) or abs(float(text)) > LARGEST:
        raise InputError(
            f"{location}: expected a number as difficulty, such as 0.5, of at most ±{LARGEST:g}; "
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
        if not outputs:
            rows.append([str(number), "", text])
            continue
        for system, lines in outputs.items():
            rows.append([str(number), system, "", text, lines[number - 1]])
    return "".join("\t".join(map(plain, row)) + "\n" for row in rows)


def plain(text: str) -> str:
    """Return the text with tabs and carriage returns replaced by spaces, for a TSV field."""
    return text.replace("\t", " ").replace("\r", " ")
