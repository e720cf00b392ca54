"""A metric's scores that a user has computed: one a segment, or one a system."""

import math
from collections.abc import Collection
from pathlib import Path

import numpy as np

from ..errors import InputError, nearest
from .text_files import score_lines

ADVICE = "Score the system, or leave it out (config, exclude)."


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
    found: dict[str, list[float]] = {system: [] for system in systems}
    for number, system, score in score_lines(path, "\t"):
        place = f"{path}, line {number}"
        if system in left_out:
            continue
        if system not in found:
            raise InputError(
                f"{place}: {system} is no system of the set{nearest(system, systems)}. There are: "
                f"{', '.join(systems)}."
            )
        if math.isnan(score):
            raise InputError(f"{place}: system {system} has no score but None. {ADVICE}")
        found[system].append(score)
    _check_counts(path, {system: len(scores) for system, scores in found.items()}, segments)
    return np.array([found[system] for system in systems])


def _check_counts(path: str | Path, counts: dict[str, int], segments: int) -> None:
    """Raise `InputError` where systems do not have one score each, or each one of every segment."""
    expected = 1 if max(counts.values()) == 1 else segments
    for system, count in counts.items():
        if count == 0:
            raise InputError(f"{path}: no score of system {system}. {ADVICE}")
        if count != expected:
            raise InputError(
                f"{path}: system {system} has {count} score{'s' * (count > 1)}; expected "
                f"{segments} of every system (one per segment), or a single one of every system."
            )
