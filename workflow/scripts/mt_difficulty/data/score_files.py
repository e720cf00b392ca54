"""Files of scores: of metrics and of people, one a system, a domain or a segment."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import storage
from ..errors import InputError, nearest
from .text_files import HUMAN, listed, normal, read_segments

if TYPE_CHECKING:
    from .evalset import EvaluationSet

# float() takes more: 1_000, ١٢, nan.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
# Sums of squares of larger scores, and products of such sums, can be too large for a float.
LARGEST = 1e100
# Scores of a perfect translation, by how the names of human scores begin.
PERFECT = {"mqm": 0.0, "esa": 100.0, "da-sqm": 100.0, "wmt": 100.0}
OWN_REFERENCE = re.compile(r"reference\.(?:(.+)\.)?txt")
ADVICE = "Score the system, or leave it out (config, exclude)."


def read_system_scores(path: str | Path, separator: str | None = None) -> dict[str, float]:
    """Read a `.sys.score` file: `system score` a line, tabs or spaces; NaN for `None`.

    Where a separator is given, names may hold spaces, also first and last.

    Raises
    ------
    InputError
        A line of another form, a score that is no number or beyond ±1e100, a system named twice.
    """
    scores = {}
    for number, system, score in score_lines(path, separator):
        if system in scores:
            raise InputError(
                f"{path}, line {number}: system {system} has a score already. Keep one of them."
            )
        scores[system] = score
    return scores


def read_segment_scores(
    path: str | Path, segments: int, canary: int = 0, separator: str | None = None
) -> dict[str, list[float]]:
    """Read a `.seg.score` file: a block of lines per system; NaN for `None`.

    Parameters
    ----------
    segments : int
        How many scores of each system are returned.
    canary : int
        How many lines of each block stand before them and are of no segment.
    separator : str, optional
        As for `read_system_scores`.

    Raises
    ------
    InputError
        As for system scores, or a system with another number of scores.
    """
    scores: dict[str, list[float]] = {}
    for _, system, score in score_lines(path, separator):
        scores.setdefault(system, []).append(score)
    for system, values in scores.items():
        check_block(path, system, "scores", len(values), segments, canary)
    return {system: values[canary:] for system, values in scores.items()} if canary else scores


def check_block(
    path: str | Path, system: str, what: str, lines: int, segments: int, canary: int
) -> None:
    """Raise `InputError` where a system has not a line per segment and per line of the canary."""
    if lines != segments + canary:
        each = "one per segment" + f" and {canary} of the canary" * bool(canary)
        raise InputError(
            f"{path}: system {system} has {lines} {what}, expected {segments + canary} ({each})."
        )


def score_lines(path: str | Path, separator: str | None = None) -> Iterator[tuple[int, str, float]]:
    """Number, system and score of every line that is not blank; the score is NaN for `None`.

    Raises
    ------
    InputError
        A line of another form, or a score that is no number or beyond ±1e100.
    """
    for number, (system,), score in labelled_scores(path, ["system"], separator):
        yield number, system, score


def labelled_scores(
    path: str | Path, labels: list[str], separator: str | None = None
) -> Iterator[tuple[int, list[str], float]]:
    """The same with what stands before the score: `system`, or `domain` and `system`."""
    form = (" <tab> " if separator else " ").join([*labels, "score"])
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        *names, text = line.split(separator)
        text = text.strip()
        scored = NUMBER.fullmatch(text)
        score = float(text) if scored else math.nan
        if len(names) != len(labels) or math.isinf(score) or not (scored or text == "None"):
            raise InputError(
                f"{path}, line {number}: expected `{form}` "
                f"with a finite number or None, found `{line.strip()}`."
            )
        if abs(score) > LARGEST:
            raise InputError(
                f"{path}, line {number}: system {names[-1]} has the score {text}; expected one "
                f"between -{LARGEST:g} and {LARGEST:g}. Probably the file is damaged: take "
                "another copy."
            )
        yield number, [*names[:-1], normal(names[-1])], score


def read_user_scores(
    path: str | Path, systems: list[str], left_out: Collection[str], segments: int
) -> np.ndarray:
    """Read a file of scores: `system <tab> score` a line, higher is better.

    Parameters
    ----------
    path : path
        A line for each segment of each system, those of a system in the order of the segments; or
        one line for each system.
    systems : list of str
        Those of the set, each of which needs its scores.
    left_out : collection of str
        Systems that may be in the file and are not read.
    segments : int

    Returns
    -------
    ndarray, (systems, segments or 1)

    Raises
    ------
    InputError
        A line of another form, or without a score; a system that is not the set's, or that has no
        scores, or neither one nor one for each segment.
    """
    scores: dict[str, list[float]] = {system: [] for system in systems}
    for number, system, score in score_lines(path, "\t"):
        place = f"{path}, line {number}"
        if system in left_out:
            continue
        if system not in scores:
            raise InputError(
                f"{place}: {system} is no system of the set{nearest(system, systems)}. There are: "
                f"{', '.join(systems)}."
            )
        if math.isnan(score):
            raise InputError(f"{place}: system {system} has no score but None. {ADVICE}")
        scores[system].append(score)
    expected = 1 if max(map(len, scores.values())) == 1 else segments
    for system, values in scores.items():
        if not values:
            raise InputError(f"{path}: no score of system {system}. {ADVICE}")
        if len(values) != expected:
            raise InputError(
                f"{path}: system {system} has {len(values)} score{'s' * (len(values) > 1)}; "
                f"expected {segments} of every system (one per segment), or a single one of every "
                "system."
            )
    return np.array([scores[system] for system in systems])


def check_any_score(path: Path, scores: dict[str, float], advice: str) -> None:
    """Raise `InputError` where human scores are None for all systems."""
    if all(math.isnan(score) for score in scores.values()):
        raise InputError(f"{path}: no system has a score. {advice}")


def check_gold(path: Path, scores: Iterable[str], outputs: Iterable[str], folder: Path) -> None:
    """Raise `InputError` where the human scores of a file are of a system without output."""
    unknown = sorted(set(scores) - set(outputs))
    if unknown:
        raise InputError(
            f"{path}: no output in {folder} for {listed(unknown)}"
            f"{nearest(unknown[0], outputs)}. Add the output or remove the score."
        )


def read_segment_gold(
    path: Path, known: Collection[str], outputs: Path, segments: int, canary: int
) -> dict[str, list[float]]:
    """Human scores of segments by system, NaN for `None`; empty where there is no such file.

    Parameters
    ----------
    known : collection of str
        Systems that have an output in the folder `outputs`.
    canary : int
        Lines of each system that stand before those of segments.

    Raises
    ------
    InputError
        A line of another form, a system that is neither known nor human, or one with another
        number of scores.
    """
    if not path.is_file():
        return {}
    for number, system, _ in score_lines(path):
        _check_system(path, number, system, known, outputs)
    return read_segment_scores(path, segments, canary)


def read_domain_gold(
    path: Path,
    known: Collection[str],
    outputs: Path,
    systems: list[str],
    domains: Collection[str],
    left_out: Collection[str],
) -> dict[str, list[float | None]]:
    """Human scores by domain and system, `domain system score` a line.

    Parameters
    ----------
    known : collection of str
        Systems that have an output in the folder `outputs`.
    systems : list of str
        The ranked ones.
    domains : collection of str
        Those of the segments; where none are known, any is taken.
    left_out : collection of str
        Domains that are not returned: those of a canary.

    Returns
    -------
    dict
        By domain, sorted, the ranked systems' scores in their order, None where there is none;
        empty where there is no such file.

    Raises
    ------
    InputError
        A line of another form, an unknown domain or system, or a second score of one.
    """
    scores: dict[str, dict[str, float | None]] = {}
    lines = labelled_scores(path, ["domain", "system"]) if path.is_file() else ()
    for number, (domain, system), score in lines:
        _check_system(path, number, system, known, outputs)
        if domains and domain not in domains and domain not in left_out:
            raise InputError(
                f"{path}, line {number}: no segment is of the domain {domain}"
                f"{nearest(domain, domains)}. There are: {listed(sorted(domains))}."
            )
        of_domain = scores.setdefault(domain, {})
        if system in of_domain:
            raise InputError(
                f"{path}, line {number}: system {system} has a score in {domain} already. Keep "
                "one of them."
            )
        of_domain[system] = None if math.isnan(score) else score
    return {
        domain: [scores[domain].get(system) for system in systems]
        for domain in sorted(scores.keys() - set(left_out))
    }


def _check_system(
    path: Path, number: int, system: str, known: Collection[str], outputs: Path
) -> None:
    """Human scores may have a system that has an output, or is a human translation."""
    if system not in known and not HUMAN.fullmatch(system):
        raise InputError(
            f"{path}, line {number}: no output in {outputs} for "
            f"{system}{nearest(system, known)}. Add the output or remove the scores."
        )


def perfect_score(gold: str) -> float:
    """The score of a perfect translation on the scale of human scores, by their name; NaN where the
    scale has none (z-scores) or is not known."""
    name = gold.lower()
    if name.endswith("-z"):
        return math.nan
    return next((score for start, score in PERFECT.items() if name.startswith(start)), math.nan)


def folder_of(out: str | Path, found: EvaluationSet) -> Path:
    """Where the archive has the metric scores of a set."""
    return Path(out, found.campaign, "metric-scores", found.pair)


def base_name(metric: str, weighting: str) -> str:
    """The metric's name in the archive: `BLEU`, `EE_BLEU`.

    The toolkit takes what follows the last dash of `<name>-<reference>` for the reference, and a
    dot for the end of the name: characters other than letters, digits, `_` and `+` become `_`.
    """
    name = metric if weighting == "standard" else f"{weighting}_{metric}"
    return re.sub(r"[^A-Za-z0-9_+]", "_", name)


def reference_label(found: EvaluationSet) -> str:
    """The reference's name in the archive: as it is there, of own files the name in
    `reference.<name>.txt`, refA for `reference.txt`; without dash and dot. src where there is
    none."""
    own = OWN_REFERENCE.fullmatch(found.reference_name)
    name = (own[1] or "refA") if own else found.reference_name or "src"
    return re.sub(r"[^A-Za-z0-9_+]", "_", name)


def system_labels(systems: Sequence[str]) -> list[str]:
    """The systems as the toolkit reads them: white space, which ends a name, becomes `_`.

    Raises
    ------
    InputError
        Two systems would have one name.
    """
    labels = [re.sub(r"\s", "_", system) for system in systems]
    for label, system in zip(labels, systems, strict=True):
        if labels.count(label) > 1:
            raise InputError(
                f"system `{system}`: with `_` for white space another system is called {label}, "
                "too. Rename the system's file."
            )
    return labels


def write_system_scores(path: str | Path, systems: Sequence[str], quality: np.ndarray) -> None:
    """Write a `.sys.score` file: `system <tab> score` a line.

    Parameters
    ----------
    systems : sequence of str
        As from `system_labels`.
    quality : ndarray, (systems,)
        Higher is better; a system of NaN has no line.
    """
    pairs = zip(systems, quality, strict=True)
    lines = [f"{system}\t{_number(score)}\n" for system, score in pairs if not np.isnan(score)]
    storage.write_text(path, "".join(lines))


def write_segment_scores(
    path: str | Path, systems: Sequence[str], quality: np.ndarray, canary: int = 0
) -> None:
    """Write a `.seg.score` file: a block of one line per segment for each system.

    Parameters
    ----------
    systems : sequence of str
        As from `system_labels`.
    quality : ndarray, (systems, segments)
        Higher is better, all finite.
    canary : int
        How many lines of the archive's texts come before the segments: 0 is written for each.
    """
    blocks = [
        "".join(f"{system}\t{_number(score)}\n" for score in [*[0.0] * canary, *scores])
        for system, scores in zip(systems, quality, strict=True)
    ]
    storage.write_text(path, "".join(blocks))


def _number(score: float) -> str:
    """The shortest text that is read as the same number; no minus before 0."""
    return repr(float(score) + 0.0)
