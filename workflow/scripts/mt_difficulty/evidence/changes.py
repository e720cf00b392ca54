"""How weightings change a metric's agreement with people: one row for each set, metric and
weighting, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .counted import STANDARD, SYSTEM_SCORES_ONLY
from .intervals import holm
from .synthesis import ALPHA, HARMS, HELPS, UNKNOWN, verdict

if TYPE_CHECKING:
    import pandas as pd

MARGIN = 0.02  # of Pearson's r; what changes less is counted as no effect
EQUIVALENT = f"no effect larger than {MARGIN}"
NOT_JUDGED = "not judged"  # human scores of the set are in it
KEY = ["metric", "weighting", "difficulty"]
# Intervals, the widest first: over segments and systems, or over what there is.
OVER = ("both", "systems", "segments")
SOFT = ("soft", "soft_low", "soft_high")
# Of the null of `controls.csv` that keeps the weights and permutes the difficulties.
RANDOM = ("random", "random_low", "random_high")
COLUMNS = [
    *KEY,
    *("systems", "value", "standard", "difference", "low", "high", "over", "p", "detectable"),
    *("effective", "segments", *SOFT, *RANDOM, "uses_gold", "tuned"),
    "reason",
]


def of_set(
    significance: pd.DataFrame,
    agreement: pd.DataFrame | None,
    controls: pd.DataFrame | None,
    marks: Mapping[str, tuple[bool, bool]],
) -> pd.DataFrame:
    """What a set's results say of every weighting of every metric, over all systems.

    Parameters
    ----------
    significance, agreement, controls : DataFrame
        As in the files of these names; without `agreement` there is no soft pairwise accuracy,
        without `controls` no difference under random difficulty.
    marks : dict of str to (bool, bool)
        Of weightings that use human scores of the set: whether their difficulty does, and whether
        their parameters were chosen with them.

    Returns
    -------
    DataFrame
        With COLUMNS: Pearson's r under the weighting and the standard one, the difference with the
        95 % interval, over what it is, p of the permutation test (of Williams' test, where there
        are no segments), the difference that it detects with 80 % power, effective segments (mean
        over systems) of how many, the change of soft pairwise accuracy with its interval over
        segments, and mean and 95 % range of the difference under random difficulty. NaN where there
        is none.
    """
    rows = significance[(significance.subset == "all") & (significance.statistic == "pearson")]
    rows = rows[rows.difference.notna()].reset_index(drop=True)
    standard = significance[significance.weighting == STANDARD].groupby("metric").effective_mean
    low = high = np.full(len(rows), np.nan)
    over = np.full(len(rows), "", dtype=object)
    for name in OVER:
        ends = [rows[f"difference_{name}_{end}"].to_numpy(float) for end in ("low", "high")]
        new = np.isnan(low) & np.isfinite(ends).all(axis=0)
        low, high = np.where(new, ends[0], low), np.where(new, ends[1], high)
        over = np.where(new, name, over)
    found = rows[KEY].assign(
        systems=rows["size"],
        value=rows.value,
        standard=rows.value - rows.difference,
        difference=rows.difference,
        low=low,
        high=high,
        over=over,
        p=rows.permutation_p.where(rows.reason != SYSTEM_SCORES_ONLY, rows.williams_p),
        detectable=rows.detectable,
        effective=rows.effective_mean,
        segments=rows.metric.map(standard.first()),
        uses_gold=[marks.get(name, (False, False))[0] for name in rows.weighting],
        tuned=[marks.get(name, (False, False))[1] for name in rows.weighting],
        reason=rows.reason,
    )
    soft, random = (found[KEY].assign(**dict.fromkeys(names, np.nan)) for names in (SOFT, RANDOM))
    if agreement is not None:
        of_set = (agreement.level == "system") & (agreement.subset == "all")
        whole = (agreement.domain == "") & (agreement.statistic == "soft_accuracy")
        differences = ("difference", "difference_low", "difference_high")
        names = dict(zip(differences, SOFT, strict=True))
        soft = agreement[of_set & whole].rename(columns=names)[[*KEY, *SOFT]]
    if controls is not None:
        of_set = (controls.subset == "all") & (controls.statistic == "pearson")
        drawn = controls[of_set & (controls.null == "permuted")]
        values = zip(RANDOM, ("mean", "low", "high"), strict=True)
        gains = {name: drawn[value] - drawn.standard for name, value in values}
        random = drawn[KEY].assign(**gains)
    found = found.merge(soft, on=KEY, how="left").merge(random, on=KEY, how="left")
    return found[COLUMNS]


def judge(changes: pd.DataFrame) -> pd.DataFrame:
    """The changes of one set or of several, with `set` and COLUMNS, and with verdicts.

    Added are `p_adjusted`, by Holm's method over all changes of a set that are judged and tested;
    `family`, this correction in words; `verdict`, as in `synthesis.verdict`, or NOT_JUDGED where
    human scores of the same set are in the difficulty or the parameters; and `note`, why a verdict
    is UNKNOWN though p is small or absent, and where random difficulty does as much as the
    change."""
    judged = ~(changes.uses_gold.astype(bool) | changes.tuned.astype(bool))
    found = changes.assign(p_adjusted=changes.p.astype(float).where(judged))
    found["family"] = ""
    for name, own in found[found.p_adjusted.notna()].groupby("set"):
        found.loc[own.index, "p_adjusted"] = holm(own.p_adjusted.to_numpy())
        found.loc[own.index, "family"] = family(len(own), f"of {name}")
    words = HELPS, HARMS, EQUIVALENT
    rows = zip(judged, found.to_dict("records"), strict=True)
    found["verdict"] = [
        verdict(row["difference"], row["low"], row["high"], row["p_adjusted"], MARGIN, words)
        if of_set
        else NOT_JUDGED
        for of_set, row in rows
    ]
    return found.assign(note=[_note(row) for row in found.itertuples()])


def family(tests: int, of: str) -> str:
    """The comparisons over which Holm's method corrects p, in words."""
    return f"Holm, {tests} comparison{'s' * (tests != 1)} {of}"


def _note(row: Any) -> str:
    if row.verdict == UNKNOWN:
        if np.isnan(row.p_adjusted):
            return row.reason or "no p"
        if row.p_adjusted <= ALPHA:
            return "the interval includes 0"
        if row.p <= ALPHA:
            return f"p is above {ALPHA} after correction"
        return "no interval" * bool(np.isnan(row.low))
    loses = row.verdict == HARMS and row.difference >= row.random_low
    if loses or (row.verdict == HELPS and row.difference <= row.random_high):
        change, does = ("loss", "loses") if loses else ("gain", "gains")
        why = " (fewer segments count)" * bool(loses and row.effective < row.segments)
        alike = f"random difficulty {does} as much{why}"
        return f"the {change} need not concern difficulty, because {alike}"
    return ""
