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
COMPARED = "statistic difficulty other difference low high p_adjusted family verdict sets".split()
CHOSEN = (
    "share statistic difficulty information value random_mean gain p_adjusted family verdict sets"
).split()
RANKED = (
    "statistic difficulty information rank value low high gain_over_length gain_low gain_high sets "
    "reason"
).split()
OF_SET = ("statistic domain difficulty information value low high chance segments reason").split()


def bench_numbers(leaderboard: pd.DataFrame, comparisons: pd.DataFrame) -> Content:
    """Compute the numbers that estimators_findings.txt.j2 shows: for each kind of input the
    difficulty with the largest gain over source length, and counts of verdicts. The arguments are
    tables from `estimators.leaderboard` and `compare`."""
    known = leaderboard[np.isfinite(leaderboard["value"])]
    whole = known[known.statistic == DEC]
    within = known[known.statistic == WITHIN].set_index("difficulty", drop=False).to_dict("index")
    best = []
    for information, group in GROUPS.items():
        rows = whole[whole.information == information]
        compared = rows[rows["gain"].notna()].sort_values("gain", ascending=False, kind="stable")
        first = compared.iloc[0].to_dict() if len(compared) else {}
        first["within"] = within.get(first.get("difficulty"))
        best += [{"group": group, "number": len(rows), "best": first}] * bool(len(rows))
    return {
        "difficulties": whole.difficulty.nunique(),
        "sets": 0 if whole.empty else int(whole.sets.max()),
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
    """Return the variables of the page's template. `images` maps figures to data URIs.
    `leaderboard`, `comparisons` and `selection` are tables over all sets. `values` maps a set to
    its `estimators/values.csv`, and `absent` maps a set without this file to the reason."""
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
