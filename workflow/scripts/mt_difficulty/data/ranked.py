"""Which systems are ranked: outputs, human scores and what the config excludes, side by side."""

import math
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from ..errors import InputError, nearest

# WMT's names for human translations that were scored as systems.
HUMAN = re.compile(r"ref[a-z]?|human([-_.].*)?", re.IGNORECASE)


def check_any_score(path: Path, scores: dict[str, float], advice: str) -> None:
    """Raise `InputError` where human scores are None for all systems."""
    if all(math.isnan(score) for score in scores.values()):
        raise InputError(f"{path}: no system has a score. {advice}")


def check_gold(path: Path, scores: dict[str, float], outputs: Iterable[str], folder: Path) -> None:
    """Raise `InputError` where the human scores of a file are of a system without output."""
    unknown = sorted(set(scores) - set(outputs))
    if unknown:
        raise InputError(
            f"{path}: no output in {folder} for {listed(unknown)}"
            f"{nearest(unknown[0], outputs)}. Add the output or remove the score."
        )


def check_excluded(
    exclude: Iterable[str], outputs: Collection[str], campaign: str, pair: str
) -> None:
    """Raise `InputError` where the config excludes a system that is not there."""
    for system in exclude:
        if system not in outputs:
            raise InputError(
                f"config, {campaign}/{pair}, exclude: no system {system}{nearest(system, outputs)}."
            )


def is_human(system: str, references: Collection[str]) -> bool:
    """Whether an output is a human translation, by its name or as one of the references."""
    return system in references or HUMAN.fullmatch(system) is not None


def leave_out(
    outputs: Iterable[str],
    scores: dict[str, float],
    references: Collection[str],
    exclude: Collection[str],
    gold: str,
    outliers: Collection[str] = (),
) -> dict[str, str]:
    """Why an output takes no part in the ranking: the first reason that applies."""
    reasons = {}
    for system in sorted(outputs):
        if is_human(system, references):
            reasons[system] = "a human translation"
        elif system in exclude:
            reasons[system] = "excluded by config"
        elif system in outliers:
            reasons[system] = "an outlier by the official toolkit's list"
        elif system not in scores or math.isnan(scores[system]):
            reasons[system] = f"no {gold} score"
    return reasons


def describe_left_out(left_out: dict[str, str]) -> str:
    """What takes no part in the ranking, and why."""
    return listed(f"{system} ({reason})" for system, reason in left_out.items()) or "none"


def listed(names: Iterable[str]) -> str:
    """Names in one line."""
    return ", ".join(names)
