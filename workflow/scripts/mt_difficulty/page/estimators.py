"""The page of the benchmark of difficulty estimators, and the numbers in its findings
(estimators_findings.txt.j2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..evidence import estimators
from ..evidence.estimators import DEC, STATISTICS, WITHIN
from ..evidence.synthesis import MARGIN
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
    """Compute the numbers that estimators_findings.txt.j2 shows: for each kind of input the
    difficulty with the largest gain over source length, and counts of verdicts. The arguments are
    tables from `estimators.leaderboard` and `compare`."""
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
        "baseline": estimators.BASELINE,
        "verdicts": {
            statistic: rows.verdict[np.isfinite(rows.difference)].value_counts().to_dict()
            for statistic, rows in comparisons.groupby("statistic", sort=False)
        },
        "equivalent": estimators.EQUIVALENT,
    }


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
