"""What the bench of difficulty estimators found, in sentences composed from its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .estimator_synthesis import EQUIVALENT, HIGHER, LOWER
from .estimators import BASELINE, DEC, WITHIN
from .selection_table import BETTER, WORSE
from .synthesis import UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

SHARE = 0.25  # the budget that findings tell
# Names of groups of estimators, by what they use.
GROUPS = {
    "nothing": "nothing",
    "source": "the source",
    "outputs": "system outputs without a reference",
    "reference": "the reference",
    "gold": "human scores (a ceiling)",
    "unstated": "inputs that their files do not state",
}


def findings(leaderboard: pd.DataFrame, comparisons: pd.DataFrame, selection: pd.DataFrame) -> str:
    """One paragraph: the best estimator of each information by gain over length, and
    how many differences are decided.

    Parameters
    ----------
    leaderboard, comparisons : DataFrame
        From `estimator_synthesis`.
    selection : DataFrame
        From `selection_table.summarise`.
    """
    known = leaderboard[np.isfinite(leaderboard["value"])]
    whole = known[known.statistic == DEC]
    if whole.empty:
        return "No difficulty has a DEC on any set."
    sets, names = int(whole.sets.max()), whole.difficulty.nunique()
    said = [
        f"{names} difficulties, source length among them, on {sets} evaluation "
        f"set{'s' * (sets != 1)} with human scores of segments, by DEC (Kendall's τ-b between "
        "difficulty and negated human score of a system's segments, mean over systems and sets; "
        "in brackets the 95 % interval for these sets) and by its gain over source length on the "
        "same sets."
    ]
    within = known[known.statistic == WITHIN].set_index("difficulty")
    for information, group in GROUPS.items():
        own = whole[whole.information == information]
        compared = own[own["gain"].notna()]
        if len(compared):
            said.append(_best(compared.loc[compared["gain"].idxmax()], group, within, len(own)))
        elif len(own):
            said.append(f"For none of the {len(own)} that use {group} is a gain known.")
    said += [_decided(comparisons, statistic) for statistic in (DEC, WITHIN)]
    return " ".join(filter(None, [*said, _chosen(selection)]))


def _best(row: pd.Series, group: str, within: pd.DataFrame, count: int) -> str:
    if row.difficulty == BASELINE:
        if count == 1:
            return f"Only source length uses {group}."
        return f"None of the {count - 1} others that use {group} gains over source length."
    start = f"Of {count} that use {group}, {row.difficulty} gains most"
    text = start if count > 1 else f"The one that uses {group}, {row.difficulty}, gains"
    text += f": {_span(row, 'gain', 'gain_')}, to {_span(row)}"
    if row.difficulty in within.index:
        text += f"; within tenths of source length it has {_span(within.loc[row.difficulty])}"
    return f"{text}."


def _span(row: pd.Series, value: str = "value", ends: str = "") -> str:
    low, high = _number(row[f"{ends}low"]), _number(row[f"{ends}high"])
    return f"{_number(row[value])} ({low} to {high})"


def _number(value: float) -> str:
    return f"{value:.3f}".replace("-", "−") if np.isfinite(value) else "–"


def _chosen(selection: pd.DataFrame) -> str:
    """Whether the hardest quarter of the segments ranks systems as all do, better than random."""
    own = selection[(selection.share == SHARE) & (selection.statistic == "soft_accuracy")]
    own = own[own.p.notna() & (own.information != "gold")]
    if own.empty:
        return ""
    best, counts = own.sort_values("gain").iloc[-1], own.verdict.value_counts()
    return (
        f"Selecting {SHARE:.0%} of the segments for human evaluation: for "
        f"{int(counts.get(BETTER, 0))} of {len(own)} difficulties without human scores the hardest "
        "segments rank systems better than random segments, for "
        f"{int(counts.get(WORSE, 0))} worse (soft pairwise accuracy with the ranking by all "
        f"segments, adjusted p ≤ 0.05); the largest gain is that of {best.difficulty}: "
        f"{_number(best['value'])} against {_number(best.random_mean)}."
    )


def _decided(comparisons: pd.DataFrame, statistic: str) -> str:
    own = comparisons[(comparisons.statistic == statistic) & np.isfinite(comparisons.difference)]
    if own.empty:
        return ""
    counts = own.verdict.value_counts()
    differ = int(counts.get(HIGHER, 0) + counts.get(LOWER, 0))
    where = "Within tenths of length" if statistic == WITHIN else "Of all"
    return (
        f"{where}, {differ} of {len(own)} pairs differ (p ≤ 0.05, adjusted by Holm's method over "
        "these pairs, and the interval excludes 0), "
        f"{int(counts.get(EQUIVALENT, 0))} have {EQUIVALENT}, and of "
        f"{int(counts.get(UNKNOWN, 0))} we {UNKNOWN}."
    )
