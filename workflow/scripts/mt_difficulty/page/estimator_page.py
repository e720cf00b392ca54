"""The page of the bench of difficulty estimators: what was found, the leaderboard, figures, tables,
and segments to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evidence.changes import MARGIN
from ..evidence.estimators import DEC, STATISTICS, WITHIN
from ..evidence.findings import GROUPS
from .report_tables import number, result_table

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet

TITLE = "Which difficulty estimates agree with human scores?"
METHOD = (
    "DEC is Kendall's τ-b between a difficulty and the negated human scores of a system's "
    "segments, mean over systems (Proietti et al. 2025). Human scores fall with length, so that "
    "DEC mixes difficulty with length: the second value is DEC within ten groups of equal size by "
    "source length in characters, mean over systems and then groups.",
    "Intervals are 95 % percentiles over bootstrap resamples of a set's segments, the same for "
    "difficulties and human scores; values.csv has those over systems, and over both, too. Pairs "
    "of difficulties are compared on the hypotheses that have both, by a paired permutation test: "
    "their ranks among a system's segments are exchanged on random segments, the same for all "
    "systems.",
    "Over sets, values and differences are means, with intervals for exactly these sets, in which "
    "sets that share texts count as one source of error; leaderboard.csv and comparisons.csv have "
    "random-effects means and 95 % prediction intervals for other sets like these, too. Since not "
    "every set has every difficulty, difficulties are ordered by their gain over source length on "
    "the sets that they have. p is adjusted by Holm's method over all pairs of a statistic. A rank "
    "begins where a difficulty of the rank before is significantly better, among those that use "
    "the same information: an estimator that reads outputs or references cannot be used before "
    "translation. Two difficulties differ where the adjusted p is at most 0.05 and the 95 % "
    f"interval of the difference excludes 0; no difference is larger than {MARGIN} where the "
    f"interval lies within ±{MARGIN}.",
    "Difficulties from human scores are ceilings: those of the other systems, or another kind of "
    "human scores of the same hypotheses. Sets that share a campaign and a language pair share "
    "texts.",
    "Choices of segments are judged on those with human scores of every system: the ranking by the "
    "chosen ones is compared with that by all, against 1,000 random choices of the same size. p "
    "over sets is that of the mean normal score of the place among random choices (Stouffer), "
    "adjusted by Holm's method over the difficulties of a budget; sets that share texts count as "
    "one. Difficulties from human scores cannot choose segments that nobody has scored yet.",
    "The map of segments is a continuous two-parameter item response model of human scores: score "
    "= −difficulty + discrimination · ability of the system + noise. Difficult segments of low "
    "discrimination and high noise contribute little to the ranking of systems.",
)
FIGURES = {
    "leaderboard": (
        "Difficulties by DEC",
        "Pooled DEC with 95 % intervals, and DEC within tenths of source length.",
    ),
    "by_set": ("DEC by set", "DEC of every difficulty on every set."),
    "by_system": ("DEC by system", "A dot is a system; the bar is the mean over systems."),
    "items": (
        "Hard or noisy?",
        "Segments by difficulty and discrimination from human scores; the darker, the larger the "
        "variance that the systems' ability does not explain. Where all segments have about the "
        "same discrimination, the systems are too few or their scores too noisy to estimate it; "
        "segments on which all systems have the same score have none.",
    ),
    "selection": (
        "Segments for people",
        "Soft pairwise accuracy between the rankings of systems by the hardest segments and by all "
        "of them, less that of random choices; filled marks differ significantly from random.",
    ),
}
COMPARED = [
    *("statistic", "difficulty", "other", "difference", "low", "high", "p_adjusted", "family"),
    *("verdict", "sets"),
]
CHOSEN = [
    *("share", "statistic", "difficulty", "information", "value", "random_mean", "gain"),
    *("p_adjusted", "family", "verdict", "sets"),
]
SHOWN = 8  # segments of a kind and set
LONGEST = 400  # characters of a text


def describe(
    findings: str,
    images: Mapping[str, str],
    leaderboard: pd.DataFrame,
    comparisons: pd.DataFrame,
    selection: pd.DataFrame,
    values: Mapping[str, pd.DataFrame],
    segments: Mapping[str, tuple[pd.DataFrame, EvaluationSet]],
    absent: Mapping[str, str],
) -> dict[str, Any]:
    """What the template of the page reads.

    Parameters
    ----------
    findings : str
        A paragraph.
    images : dict of str to str
        Data URIs by figure.
    leaderboard, comparisons : DataFrame
        From `estimator_synthesis`.
    selection : DataFrame
        From `selection_table.summarise`.
    values : dict of str to DataFrame
        `estimators/values.csv`, by set.
    segments : dict of str to (DataFrame, EvaluationSet)
        `estimators/segments.csv` and texts, by set.
    absent : dict of str to str
        Why other sets have none.
    """
    return {
        "title": TITLE,
        "findings": findings.strip(),
        "sets": len(values),
        "boards": boards(leaderboard),
        "figures": [
            {"name": name, "heading": heading, "caption": caption, "image": images[name]}
            for name, (heading, caption) in FIGURES.items()
        ],
        "comparisons": result_table(comparisons[COMPARED]),
        "margin": MARGIN,
        "selection": result_table(selection[CHOSEN]),
        "tables": [{"set": name, **set_tables(table)} for name, table in values.items()],
        "segments": [{"set": name, **segment_tables(*each)} for name, each in segments.items()],
        "absent": absent,
        "statistics": STATISTICS,
        "method": METHOD,
        "weightings": [],
    }


def boards(leaderboard: pd.DataFrame) -> list[dict[str, Any]]:
    """A table for each information, from nothing to human scores: both kinds of DEC by difficulty;
    last the difficulties without a value."""
    rows = [{str(key): each for key, each in row.items()} for row in leaderboard.to_dict("records")]
    known = {(row["difficulty"], row["statistic"]): row for row in rows}
    ordered = [row for (_, statistic), row in known.items() if statistic == DEC]
    found: list[dict[str, Any]] = []
    for information, heading in GROUPS.items():
        listed = [
            {
                "name": row["difficulty"],
                "cells": [_cell(known.get((row["difficulty"], each))) for each in (DEC, WITHIN)],
                "sets": str(int(row["sets"])),
            }
            for row in ordered
            if row["information"] == information
        ]
        if listed:
            found.append({"heading": heading, "rows": listed})
    absent = [(row["difficulty"], row["reason"]) for row in ordered if not row["information"]]
    return found + [{"absent": absent}] * bool(absent)


def _cell(row: Mapping[str, Any] | None) -> dict[str, str]:
    if row is None:
        empty = dict.fromkeys(("rank", "interval", "gain_interval"), "")
        return empty | {"value": number(np.nan), "gain": number(np.nan)}
    return {
        "rank": "" if np.isnan(row["rank"]) else f"{row['rank']:.0f}",
        "value": number(row["value"]),
        "interval": _interval(row["low"], row["high"]),
        "gain": number(row["gain"]),
        "gain_interval": _interval(row["gain_low"], row["gain_high"]),
    }


def _interval(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}" * bool(np.isfinite(low))


def set_tables(values: pd.DataFrame) -> dict[str, Any]:
    """A set's other statistics, and DEC by domain."""
    whole = values[values.domain == ""]
    columns = ["difficulty", "information", "statistic", "value", "low", "high", "chance"]
    others = whole[~whole.statistic.isin((DEC, WITHIN))]
    domains = values[values.domain != ""]
    return {
        "others": result_table(others[columns]),
        "domains": result_table(
            domains[["difficulty", "domain", "value", "low", "high", "segments"]]
        )
        if len(domains)
        else None,
        "left_out": whole.loc[
            whole.reason != "", ["difficulty", "statistic", "reason"]
        ].values.tolist(),
    }


def segment_tables(rows: pd.DataFrame, found: EvaluationSet) -> dict[str, Any]:
    """Segments that people find much harder, or much easier, than the best estimator expects; the
    most discriminating ones; and hard ones that do not discriminate."""
    surprise = rows["human_place"] - rows["place"]
    hard = rows[rows["human_place"] > 0.75]
    kinds = {
        "harder for people than expected": rows.assign(by=surprise),
        "easier for people than expected": rows.assign(by=-surprise),
        "separate systems best": rows.assign(by=(rows["discrimination"] / rows["noise"])),
        "hard and noisy: separate systems least": hard.assign(
            by=-(hard["discrimination"] / hard["noise"])
        ),
    }
    tables = []
    for kind, own in kinds.items():
        chosen = own[np.isfinite(own["by"])].sort_values("by", ascending=False, kind="stable")
        listed = [_segment(row, found) for row in chosen.head(SHOWN).itertuples()]
        tables.append({"kind": kind, "segments": listed})
    name = rows["estimator"].iloc[0] if len(rows) else ""
    return {"estimator": name, "kinds": tables}


def _segment(row: Any, found: EvaluationSet) -> dict[str, str]:
    text = found.source[int(row.segment) - 1]
    return {
        "number": row.segment,
        "domain": row.domain,
        "source": text if len(text) <= LONGEST else f"{text[:LONGEST]}…",
        "human_score": number(row.human_score, 2),
        "human_place": number(row.human_place, 2),
        "place": number(row.place, 2),
        "discrimination": number(row.discrimination, 2),
        "noise": number(row.noise, 2),
    }
