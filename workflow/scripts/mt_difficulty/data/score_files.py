"""Read and write scores by system or segment: human scores, metric scores, difficulty estimates."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..errors import InputError, nearest
from .text_files import is_human, normal, read_segments

# float() also accepts 1_000, ١٢ and nan.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
# With larger scores, products of sums of squares could overflow a float.
LARGEST = 1e100
# Scores of a perfect translation, by the beginning of the human scores' name.
PERFECT = {"mqm": 0.0, "esa": 100.0, "da-sqm": 100.0, "wmt": 100.0}
ADVICE = "Score the system, or leave it out (`exclude` of its set in a config)."
COLUMNS = (
    "a header with the columns segment, difficulty and, where each hypothesis has an estimate, "
    "system, each once and separated by tabs"
)


def score_lines(
    path: str | Path, separator: str | None = None, labels: Sequence[str] = ("system",)
) -> Iterator[tuple[int, list[str], float]]:
    """Yield the line number, labels and score of every non-blank line; NaN for `None`.

    The labels are the fields before the score: `system`, or `domain` and `system`. Fields are
    separated by white space, or by `separator` if names may hold spaces. Raises `InputError` for a
    malformed line and for a score that is not a number or is beyond ±1e100."""
    form = (" <tab> " if separator else " ").join([*labels, "score"])
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        *names, text = line.split(separator)
        text = text.strip()
        scored = NUMBER.fullmatch(text)
        score = float(text) if scored else math.nan
        if len(names) != len(labels) or abs(score) > LARGEST or not (scored or text == "None"):
            raise InputError(
                f"{path}, line {number}: expected `{form}` "
                f"with a finite number or None, found `{line.strip()}`."
            )
        yield number, [*names[:-1], normal(names[-1])], score


def rated_systems(path: Path, separator: str | None = None) -> list[str]:
    """Return the sorted names of systems with at least one score (not `None`) in a score file."""
    lines = score_lines(path, separator)
    return sorted({system for _, (system,), score in lines if not math.isnan(score)})


def read_scores(
    path: str | Path, segments: int | None = None, canary: int = 0, separator: str | None = None
) -> dict[str, list[float]]:
    """Read scores by system from a `.seg.score` file: lines `system score`, one for each segment
    after the lines of the canary (see `Sources`), which are dropped. Without `segments` it is a
    `.sys.score` file with one line for each system. `None` becomes NaN. Raises `InputError` like
    `score_lines`, and for a system with a wrong number of scores."""
    scores: dict[str, list[float]] = {}
    for _, (system,), score in score_lines(path, separator):
        scores.setdefault(system, []).append(score)
    for system, values in scores.items():
        check_count(path, system, "scores", len(values), segments, canary)
    return {system: values[canary:] for system, values in scores.items()}


def check_count(
    path: str | Path, system: str, what: str, lines: int, segments: int | None, canary: int = 0
) -> None:
    """Raise `InputError` unless a system has one line for each segment and line of the canary (see
    `Sources`) or, without `segments`, exactly one line."""
    expected = 1 if segments is None else segments + canary
    if lines != expected:
        per = "one per segment" + f" and {canary} of the canary" * bool(canary)
        per = "one per system" if segments is None else per
        raise InputError(
            f"{path}: system {system} has {lines} {what}, expected {expected} ({per})."
        )


def read_user_scores(
    path: str | Path, systems: list[str], left_out: Collection[str], segments: int
) -> np.ndarray:
    """Read a metric's scores from a user's file, (systems, segments or 1), higher is better. Lines
    are `system <tab> score`: one for each segment of a system, in order, or one for each system.
    Systems in `left_out` are skipped. Raises `InputError` for a malformed line, a missing score, an
    unknown system, or a wrong number of scores."""
    scores: dict[str, list[float]] = {system: [] for system in systems}
    for number, (system,), score in score_lines(path, "\t"):
        if system in left_out:
            continue
        place = f"{path}, line {number}"
        _check_known(place, system, systems)
        if math.isnan(score):
            raise InputError(f"{place}: system {system} has no score but None. {ADVICE}")
        scores[system].append(score)
    expected = 1 if max(map(len, scores.values())) == 1 else segments
    for system, values in scores.items():
        if len(values) != expected:
            raise InputError(
                f"{path}: system {system} has {len(values)} scores; expected {segments} of every "
                f"system (one per segment), or a single one of every system. {ADVICE}"
            )
    return np.array([scores[system] for system in systems])


def _check_known(place: str, system: str, systems: Sequence[str]) -> None:
    if system not in systems:
        raise InputError(
            f"{place}: {system} is no system of the set{nearest(system, systems)}. There are: "
            f"{', '.join(systems)}."
        )


# Human scores


def check_gold(path: Path, scores: Iterable[str], outputs: Iterable[str], folder: Path) -> None:
    """Raise `InputError` if a system other than a human translation has scores but no output."""
    unknown = sorted(set(scores) - set(outputs))
    if unknown := [system for system in unknown if not is_human(system)]:
        raise InputError(
            f"{path}: no output in {folder} for {', '.join(unknown)}"
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
    lines = score_lines(path, labels=["domain", "system"]) if path.is_file() else ()
    for number, (domain, system), score in lines:
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
) -> np.ndarray:
    """Read difficulty estimates from a user's file, (segments,) or (systems, segments). After a
    header it has a line for each segment, or for each segment and system, in any order.

    The columns are `segment` (a number from 1), `difficulty` (higher is harder) and, for estimates
    of hypotheses, `system`. An optional column `source` must equal the source texts, as written by
    `template`, if these are known. Other columns and systems in `left_out` are ignored. Raises
    `InputError` for a missing file or column, a malformed line, a different source, an unknown
    segment or system, and a missing or duplicate estimate."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of difficulty estimates.")
    header, *lines = read_segments(path) or [""]
    columns = header.split("\t")
    if not {"segment", "difficulty"} <= set(columns) or len(set(columns)) < len(columns):
        raise InputError(f"{path}, line 1: expected {COLUMNS}; found `{header}`.")
    rows = systems if "system" in columns else [""]
    numbers = {str(number + 1): number for number in range(segments)}
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
        _check_known(place, system, rows)
        row, column, text = rows.index(system), numbers.get(segment, 0), named["difficulty"].strip()
        expected = plain(source[column]).strip() if source and "source" in named else None
        problem = ""
        if segment not in numbers:
            problem = f"expected a segment from 1 to {segments}, found `{segment}`."
        elif expected not in (None, named.get("source", "").strip()):
            problem = f"the source is not that of segment {segment}, which begins "
            problem += f"`{expected[:40]}`. Are the estimates those of this set?"
        elif not np.isnan(values[row, column]):
            of_system = f" of system {system}" * bool(system)
            problem = f"a second estimate of segment {column + 1}{of_system}."
        elif not NUMBER.fullmatch(text) or abs(float(text)) > LARGEST:
            problem = f"expected a number as difficulty, such as 0.5, of at most ±{LARGEST:g}; "
            problem += f"found `{text}`."
        if problem:
            raise InputError(f"{place}: {problem}")
        values[row, column] = float(text)
    if len(absent := np.argwhere(np.isnan(values))):
        row, column = absent[0]
        of_system = f" of system {rows[row]}" * bool(rows[row])
        raise InputError(
            f"{path}: no estimate of segment {column + 1}{of_system}; expected one of each of "
            f"{segments} segments{' for each system' * ('system' in columns)}, {len(absent)} are "
            "missing."
        )
    return values if "system" in columns else values[0]


def of_systems(path: Path) -> bool:
    """Return whether a file of difficulties has a column `system`, so a value per hypothesis."""
    return "system" in next(iter(read_segments(path)), "").split("\t")


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
