"""The section of a set's page on the human evaluation that its human scores come from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..human_evaluation.statements import range_of_ranks
from ..storage import Content
from . import finding, tables

# Official scores of these names are on the scale of the ratings.
RAW_SCORES = ("mean", "by_domain")
HEADINGS = ["system", "official", "adjusted", "95 % interval", "ranks", "cluster"]


def section(described: Content) -> Content:
    """Make the section's plot and tables.

    Parameters
    ----------
    described : dict
        `human_evaluation.json` of the set.

    Returns
    -------
    dict
        `sentence`, `plot` (None if there is nothing to see), `table`, `shares`, `design`, `notes`
        and `annotators`, a table.
    """
    numbers = dict.fromkeys(("official", "score", "low", "high"), float)
    systems = pd.DataFrame(described["systems"]).astype(numbers)  # None stands for NaN in files
    rows = []
    for row in systems.to_dict("records"):
        rows.append(
            [
                row["system"],
                tables.number(row["official"]),
                tables.number(row["score"]),
                tables.interval(row["low"], row["high"]),
                range_of_ranks(row["best_rank"], row["worst_rank"]),
                str(row["cluster"]),
            ]
        )
    annotators = [
        [row["annotator"], tables.number(row["severity"], 1)] for row in described["annotators"]
    ]
    return {
        "sentence": described["sentence"],
        "plot": finding.score_plot(_plotted(described, systems), systems.system.tolist()),
        "table": tables.text_table(HEADINGS, rows, HEADINGS[1:]),
        "shares": described["shares"],
        "design": described["design"],
        "notes": described["notes"],
        "annotators": tables.text_table(["annotator", "severity"], annotators, ["severity"]),
    }


def _plotted(described: Content, systems: pd.DataFrame) -> pd.DataFrame:
    """Return the scores that the plot shows, as `score_plot` reads them: the adjusted ones, and
    the official ones if they are on the same scale."""
    gold = described["gold"]
    panels = []
    official_is_standardised = described["ordered_by"] not in RAW_SCORES
    if official_is_standardised == described["is_standardised"]:
        official = systems.assign(score=systems.official, low=np.nan, high=np.nan)
        panels.append(official.assign(weighting="official"))
    panels.append(systems.assign(weighting=f"{gold}, with 95 % interval"))
    return pd.concat(panels).assign(metric="human")
