"""What the level of a leave-one-out difficulty does to system scores, without its order."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ..difficulty.base import OTHERS
from ..storage import Content

LEVEL = (
    "Leaving a system out of its own difficulty raises the difficulty of what it translates as the "
    "reference does, so that the level of its difficulties alone may reward closeness to the "
    "reference. With permuted difficulties, which keep this level, mean r (95 % range) is"
)


def leaves_one_out(described: Content, weighting: str) -> bool:
    """Return whether a weighting of tokens is by difficulties that leave out the system itself.

    Parameters
    ----------
    described : dict
        The content of `weightings.json`.
    weighting : str
        Name of the weighting.
    """
    entry = described["weightings"].get(weighting)
    if entry is None or entry["unit"] != "token":
        return False
    difficulty = described["difficulties"].get(entry["difficulty"])  # none of a combined weighting
    return difficulty is not None and OTHERS in difficulty["signature"]


def level_note(rows: pd.DataFrame, labels: Iterable[str]) -> str:
    """Say what permuted leave-one-out difficulties of tokens give instead of the real ones.

    Parameters
    ----------
    rows : DataFrame
        Rows of `controls.csv` (`permuted`).
    labels : iterable of str
        What each row is of, such as a metric or a column of a table.

    Returns
    -------
    str
        Empty without rows.
    """
    measured = [
        f"{row.mean:.3f} ({row.low:.3f} to {row.high:.3f}) against {row.value:.3f} ({label})"
        for row, label in zip(rows.itertuples(), labels, strict=True)
    ]
    return f"{LEVEL} {', '.join(measured)}." if measured else ""


def permuted(controls: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `controls.csv` of r under permuted difficulties that have values."""
    is_permuted = (controls.null == "permuted") & (controls.statistic == "pearson")
    return controls[is_permuted & controls["mean"].notna()]
