"""Rows of scores as both tables of text and of LaTeX show them."""

import numpy as np

from ..interface.difficulty import OF_TOKENS, printed
from ..interface.settings import DEFAULT_DIFFICULTY

# Difficulties that a heading does not name: none, EE's and DA's.
USUAL = ("", DEFAULT_DIFFICULTY, OF_TOKENS)


def measures(report: dict) -> list[list[dict]]:
    """Rows of scores, a list for each metric and weighting, the best system first."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in report["scores"]:
        groups.setdefault((row["metric"], row["weighting"]), []).append(row)
    worst = len(report["systems"]) + 1
    return [sorted(rows, key=lambda row: row["rank"] or worst) for rows in groups.values()]


def heading(row: dict) -> str:
    """Metric and weighting of a row, and the difficulty where it is not the weighting's own."""
    by = "" if row["difficulty"] in USUAL else f" by {row['difficulty']}"
    return f"{row['metric']}, {row['weighting']}{by}"


def measured(report: dict) -> str:
    """What the difficulty of hard segments is, in words."""
    about = report["difficulty"]
    return "mean " * (about["unit"] == "hypothesis") + printed(about["name"])


def numbers(report: dict) -> dict[str, int]:
    """Every system's number: its place under the first metric, unweighted."""
    return {row["system"]: place for place, row in enumerate(measures(report)[0], 1)}


def score_format(rows: list[dict], digits: int | None) -> str:
    """Digits after the point: those asked for, or two for scores up to 100, four for those up to
    1."""
    if digits is not None:
        return f".{digits}f"
    return ".2f" if max(abs(np.nan_to_num(row["score"])) for row in rows) > 2 else ".4f"


def ranges(values: list[int]) -> str:
    """Numbers as `1, 3-5`."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def defined(value: float, form: str) -> str:
    """A number, or a dash where there is none."""
    return "-" if np.isnan(value) else format(value, form)
