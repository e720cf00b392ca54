"""Stretches of flagged lines: find the most likely damaged one, and list lines in messages."""

from collections.abc import Sequence

import numpy as np

# Probability of a flag where nothing is wrong (at least), and in a damaged stretch of which nearly
# all lines are damaged, or some.
BY_CHANCE = 0.05
NEARLY_ALL = 0.8
SOME = 0.3
LEAST_EVIDENCE = 15.0  # log-likelihood ratio from which on a stretch is reported
NAMED_RUNS = 5  # runs of lines that a message lists


def best_stretch(gains: np.ndarray) -> tuple[float, int, int]:
    """Find the run of consecutive lines with the largest sum of gains, (segments,). Returns the
    sum, the first index and the index after the last; the run is empty if no sum exceeds 0."""
    sums = np.append(0.0, np.cumsum(gains))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    first = int(np.argmin(sums[: end + 1]))
    return float(sums[end] - sums[first]), first, end


def likely_stretch(
    flags: np.ndarray, by_chance: float = 0.0, shares: Sequence[float] = (NEARLY_ALL, SOME)
) -> np.ndarray:
    """Return the flagged lines of the most likely damaged stretch.

    Parameters
    ----------
    flags : ndarray
        (lines,) of bool.
    by_chance : float
        The share of lines that are flagged where nothing is wrong.
    shares : sequence of float
        The shares of flagged lines in a damaged stretch.

    Returns
    -------
    ndarray
        Their indices; empty if no stretch has the log-likelihood ratio LEAST_EVIDENCE against
        flags by chance.
    """
    chance = max(BY_CHANCE, by_chance)
    most_evidence = LEAST_EVIDENCE
    lines = np.empty(0, int)
    for share in shares:
        if share <= chance:
            continue
        flag_gain = np.log(share / chance)
        no_flag_gain = np.log((1 - share) / (1 - chance))
        evidence, first, end = best_stretch(np.array(np.where(flags, flag_gain, no_flag_gain)))
        if evidence >= most_evidence:
            most_evidence = evidence
            lines = first + np.flatnonzero(flags[first:end])
    return lines


def runs_of(lines: Sequence[int] | np.ndarray) -> list[list[int]]:
    """Split ascending line indices into runs of consecutive indices."""
    if not len(lines):
        return []
    run_starts = np.flatnonzero(np.diff(lines) > 1) + 1
    return [run.tolist() for run in np.split(lines, run_starts)]


def listed_lines(lines: Sequence[int] | np.ndarray, most: int = NAMED_RUNS) -> str:
    """Return 0-based line indices as text, numbered from 1: `lines 3, 7 to 9 and 2 more places`."""
    runs = []
    for run in runs_of(lines):
        first = f"{run[0] + 1:,}"
        last = f"{run[-1] + 1:,}"
        runs.append(first if len(run) == 1 else f"{first} to {last}")
    noun = "line" if len(lines) == 1 else "lines"
    text = f"{noun} {', '.join(runs[:most])}"
    unlisted = len(runs) - most
    if unlisted > 0:
        places = "place" if unlisted == 1 else "places"
        text += f" and {unlisted:,} more {places}"
    return text
