"""How weightings change a metric's agreement with people: one row for each set, metric and
weighting, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .classical_tests import holm
from .counted import STANDARD
from .synthesis import ALPHA, HARMS, HELPS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

MARGIN = 0.02  # of Pearson's r; what changes less is counted as no effect
EQUIVALENT = f"no effect larger than {MARGIN}"
NOT_JUDGED = "not judged"  # human scores of the set are in it
KEY = ["metric", "weighting", "difficulty"]
# Intervals, the widest first: over segments and systems, or over what there is.
OVER = ("both", "systems", "segments")
SOFT = ("soft", "soft_low", "soft_high")
COLUMNS = [
    *KEY,
    *("systems", "value", "standard", "difference", "low", "high", "over", "p", "detectable"),
    *("effective", "segments", *SOFT, "uses_gold", "tuned", "reason"),
]


def of_set(
    significance: pd.DataFrame,
    agreement: pd.DataFrame | None,
    marks: Mapping[str, tuple[bool, bool]],
) -> pd.DataFrame:
    """What a set's results say of every weighting of every metric, over all systems.

    Parameters
    ----------
    significance, agreement : DataFrame
        As in the files of these names; without the latter there is no soft pairwise accuracy.
    marks : dict of str to (bool, bool)
        Of weightings that use human scores of the set: whether their difficulty does, and whether
        their parameters were chosen with them.

    Returns
    -------
    DataFrame
        With COLUMNS: Pearson's r under the weighting and the standard one, the difference with the
        95 % interval, over what it is, p of the permutation test (of Williams' test, where there
        are no segments), the difference that it detects with 80 % power, effective segments (mean
        over systems) of how many, and the change of soft pairwise accuracy with its interval over
        segments. NaN where there is none.
    """
    rows = significance[(significance.subset == "all") & (significance.statistic == "pearson")]
    rows = rows[rows.difference.notna()].reset_index(drop=True)
    found = rows[KEY].assign(
        systems=rows["size"],
        value=rows.value,
        standard=rows.value - rows.difference,
        difference=rows.difference,
        **_intervals(rows),
        p=rows.permutation_p.fillna(rows.williams_p),
        detectable=rows.detectable,
        effective=rows.effective_mean,
        segments=_of_standard(significance, rows),
        uses_gold=[marks.get(name, (False, False))[0] for name in rows.weighting],
        tuned=[marks.get(name, (False, False))[1] for name in rows.weighting],
        reason=rows.reason,
    )
    return found.merge(_soft(agreement, found), on=KEY, how="left")[COLUMNS]


def _of_standard(significance: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    """How many segments the standard weighting of each row's metric has, all alike."""
    standard = significance[significance.weighting == STANDARD].groupby("metric").effective_mean
    return rows.metric.map(standard.first())


def _intervals(rows: pd.DataFrame) -> dict[str, Any]:
    """The widest interval of each row, and over what it is."""
    low = high = np.full(len(rows), np.nan)
    over = np.full(len(rows), "", dtype=object)
    for name in OVER:
        ends = [rows[f"difference_{name}_{end}"].to_numpy(float) for end in ("low", "high")]
        new = np.isnan(low) & np.isfinite(ends).all(axis=0)
        low, high = np.where(new, ends[0], low), np.where(new, ends[1], high)
        over = np.where(new, name, over)
    return {"low": low, "high": high, "over": over}


def _soft(agreement: pd.DataFrame | None, found: pd.DataFrame) -> pd.DataFrame:
    """The change of soft pairwise accuracy, by KEY."""
    if agreement is None:
        return found[KEY].assign(**dict.fromkeys(SOFT, np.nan))
    rows = agreement[
        (agreement.level == "system")
        & (agreement.subset == "all")
        & (agreement.domain == "")
        & (agreement.statistic == "soft_accuracy")
    ]
    names = {"difference": "soft", "difference_low": "soft_low", "difference_high": "soft_high"}
    return rows.rename(columns=names)[[*KEY, *SOFT]]


def judge(changes: pd.DataFrame) -> pd.DataFrame:
    """The changes with `p_adjusted`, by Holm's method over all that are judged, and a `verdict`.

    Parameters
    ----------
    changes : DataFrame
        With COLUMNS, of one set or of several.

    Returns
    -------
    DataFrame
        A verdict is HELPS or HARMS where the adjusted p is at most ALPHA and the 95 % interval, if
        there is one, excludes 0; EQUIVALENT where it lies within ±MARGIN; NOT_JUDGED where human
        scores of the same set are in the difficulty or the parameters; otherwise UNKNOWN.
    """
    judged = ~(changes.uses_gold.astype(bool) | changes.tuned.astype(bool)).to_numpy()
    adjusted = holm(np.where(judged, changes.p.to_numpy(float), np.nan))
    found = changes.assign(p_adjusted=adjusted)
    rows = zip(judged, found.itertuples(), strict=True)
    verdicts = [_verdict(row) if own else NOT_JUDGED for own, row in rows]
    return found.assign(verdict=verdicts)


def _verdict(row: Any) -> str:
    both_sides = row.low <= 0 <= row.high  # false for NaN
    if row.p_adjusted <= ALPHA and row.difference and not both_sides:
        return HELPS if row.difference > 0 else HARMS
    inside = row.low >= -MARGIN and row.high <= MARGIN  # false for NaN
    return EQUIVALENT if inside else UNKNOWN
