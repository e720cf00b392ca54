"""The page of the benchmark of difficulty estimators, and its findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..evidence import estimators
from ..evidence.estimators import DEC, STATISTICS, WITHIN
from ..evidence.synthesis import MARGIN, UNKNOWN
from . import paragraph, plain, times
from .tables import Content, result_table

TITLE = "Which difficulty estimates agree with human scores?"
# Names of groups of estimators, by what they use.
GROUPS = {
    "nothing": "nothing",
    "source": "the source",
    "outputs": "system outputs without a reference",
    "reference": "the reference",
    "gold": "human scores (a ceiling)",
    "unstated": "inputs that their files do not state",
}
# Figures by name: heading and caption.
FIGURES = {
    "leaderboard": (
        "Difficulties by DEC",
        "Pooled DEC with 95 % intervals, and DEC within tenths of source length.",
    ),
    "by_set": ("DEC by set", "DEC of every difficulty on every set."),
    "items": (
        "Hard or noisy?",
        "Segments by difficulty and discrimination from human scores; the darker, the larger the "
        "variance that the systems' ability does not explain. Segments on which all systems have "
        "the same score have none.",
    ),
    "selection": (
        "Segments for people",
        "Soft pairwise accuracy between the rankings of systems by the hardest segments and by all "
        "of them, less that of random choices; filled marks differ significantly from random.",
    ),
}
# Columns of the page's tables.
COMPARED = [
    "statistic",
    "difficulty",
    "other",
    "difference",
    "low",
    "high",
    "p_adjusted",
    "family",
    "verdict",
    "sets",
]
CHOSEN = [
    "share",
    "statistic",
    "difficulty",
    "information",
    "value",
    "random_mean",
    "gain",
    "p_adjusted",
    "family",
    "verdict",
    "sets",
]
RANKED = [
    "statistic",
    "difficulty",
    "information",
    "rank",
    "value",
    "low",
    "high",
    "gain_over_length",
    "gain_low",
    "gain_high",
    "sets",
    "reason",
]
OF_SET = [
    "statistic",
    "domain",
    "difficulty",
    "information",
    "value",
    "low",
    "high",
    "chance",
    "segments",
    "reason",
]


def bench_numbers(leaderboard: pd.DataFrame, comparisons: pd.DataFrame) -> Content:
    """Compute the numbers of `findings`: for each kind of input the difficulty with the largest
    gain over source length, and counts of verdicts. The arguments are tables from
    `estimators.leaderboard` and `compare`."""
    known = leaderboard[np.isfinite(leaderboard["value"])]
    of_dec = known[known.statistic == DEC]
    within = known[known.statistic == WITHIN].set_index("difficulty", drop=False).to_dict("index")
    best = []
    for information, group in GROUPS.items():
        rows = of_dec[of_dec.information == information]
        if rows.empty:
            continue
        compared = rows[rows["gain"].notna()].sort_values("gain", ascending=False, kind="stable")
        first = compared.iloc[0].to_dict() if len(compared) else {}
        first["within"] = within.get(first.get("difficulty"))
        best.append({"group": group, "number": len(rows), "best": first})
    return {
        "difficulties": of_dec.difficulty.nunique(),
        "sets": 0 if of_dec.empty else int(of_dec.sets.max()),
        "best": best,
        "verdicts": {
            statistic: rows.verdict[np.isfinite(rows.difference)].value_counts().to_dict()
            for statistic, rows in comparisons.groupby("statistic", sort=False)
        },
    }


def findings(numbers: Content) -> str:
    """Return the findings of the benchmark as one paragraph.

    Parameters
    ----------
    numbers : dict
        As from `bench_numbers`.

    Returns
    -------
    str
        The best difficulty of each kind of input, and how many pairs of difficulties differ.
    """
    if not numbers["difficulties"]:
        return "No difficulty has a DEC on any set."
    sentences = [
        f"{numbers['difficulties']} difficulties, source length among them, on "
        f"{times(numbers['sets'], 'evaluation set')} with human scores of segments, by DEC "
        "(Kendall's τ-b between difficulty and negated human score of a system's segments, mean "
        "over systems and sets; in brackets the 95 % interval for these sets) and by its gain over "
        "source length on the same sets."
    ]
    sentences += [_best_of_group(**entry) for entry in numbers["best"]]
    for statistic, where in ((DEC, "Of all"), (WITHIN, "Within tenths of length")):
        counts = numbers["verdicts"].get(statistic)
        if counts:
            sentences.append(_differing_pairs(where, counts))
    return paragraph(" ".join(sentences))


def _best_of_group(group: str, number: int, best: Mapping[str, Any]) -> str:
    """Say which of the difficulties that use the same input gains most over source length.

    Parameters
    ----------
    group : str
        The input.
    number : int
        How many difficulties use it.
    best : mapping
        The leaderboard's row of the one that gains most, with `within`, its row of DEC within
        tenths of source length or None; without `difficulty` if no gain is known.

    Returns
    -------
    str
    """
    name = best.get("difficulty")
    if not name:
        return f"For none of the {number} that use {group} is a gain known."
    if name == estimators.BASELINE:
        if number == 1:
            return f"Only source length uses {group}."
        if number == 2:
            return f"The other one that uses {group} does not gain over source length."
        return f"None of the {number - 1} others that use {group} gains over source length."
    if number == 1:
        text = f"The one that uses {group}, {name}, gains: "
    else:
        text = f"Of {number} that use {group}, {name} gains most: "
    gain = _span(best["gain"], best["gain_low"], best["gain_high"])
    text += f"{gain}, to {_span(best['value'], best['low'], best['high'])}"
    within = best["within"]
    if within:
        span = _span(within["value"], within["low"], within["high"])
        text += f"; within tenths of source length it has {span}"
    return f"{text}."


def _span(value: float, low: float, high: float) -> str:
    """Format a number and the ends of its interval."""
    return f"{plain(value)} ({plain(low)} to {plain(high)})"


def _differing_pairs(where: str, counts: Mapping[str, int]) -> str:
    """Say how many pairs of difficulties differ, from counts of verdicts."""
    differ = counts.get(estimators.HIGHER, 0) + counts.get(estimators.LOWER, 0)
    text = (
        f"{where}, {differ} of {sum(counts.values())} pairs differ (p ≤ 0.05, adjusted by Holm's "
        "method over these pairs, and the interval excludes 0), "
    )
    if estimators.EQUIVALENT in counts:
        text += f"{counts[estimators.EQUIVALENT]} have {estimators.EQUIVALENT}, "
    return f"{text}and in {counts.get(UNKNOWN, 0)} we cannot tell."


def describe(
    findings: str,
    images: Mapping[str, str],
    leaderboard: pd.DataFrame,
    comparisons: pd.DataFrame,
    selection: pd.DataFrame,
    values: Mapping[str, pd.DataFrame],
    absent: Mapping[str, str],
) -> Content:
    """Describe the benchmark for its page.

    Parameters
    ----------
    findings : str
        A paragraph.
    images : mapping of str to str
        Data URIs of figures by name.
    leaderboard, comparisons, selection : DataFrame
        Tables over all sets.
    values : mapping of str to DataFrame
        The table `estimators/values.csv` of each set.
    absent : mapping of str to str
        Reasons of sets without this table.

    Returns
    -------
    dict
        Variables of the page's template.
    """
    board = leaderboard.rename(columns={"gain": "gain_over_length"})
    board["rank"] = ["" if np.isnan(rank) else f"{rank:.0f}" for rank in board["rank"]]
    board["information"] = board.information.replace(GROUPS)
    return {
        "title": TITLE,
        "findings": findings.strip(),
        "sets": len(values),
        "leaderboard": result_table(board[board.statistic.isin((DEC, WITHIN))][RANKED]),
        "figures": FIGURES,
        "images": images,
        "comparisons": result_table(
            comparisons[COMPARED].rename(columns={"difference": "first less second"})
        ),
        "margin": MARGIN,
        "selection": result_table(selection[CHOSEN]),
        "tables": {
            name: result_table(table.assign(domain=table.domain.replace("", "all"))[OF_SET])
            for name, table in values.items()
        },
        "absent": absent,
        "statistics": STATISTICS,
    }
