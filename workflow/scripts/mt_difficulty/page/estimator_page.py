"""The page of the bench of difficulty estimators: what was found, the leaderboard, figures, tables,
and segments to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evidence.changes import MARGIN
from ..evidence.estimators import DEC, STATISTICS, WITHIN
from ..evidence.findings import GROUPS
from .tables import DASH, number, result_table, text_table

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet

TITLE = "Which difficulty estimates agree with human scores?"
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
KINDS = {"DEC": DEC, "DEC within length": WITHIN}
NUMBERS = {
    "human_score": "human score",
    "human_place": "place by people",
    "place": "expected place",
    "discrimination": "discrimination",
    "noise": "noise",
}
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
    """What the template of the page reads. `images` are data URIs by figure; `leaderboard` and
    `comparisons` are from `estimators`, `selection` from `selection.summarise`; `values` and
    `segments` (with the texts) are `estimators/values.csv` and `segments.csv` by set, `absent` says
    why other sets have none."""
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
    }


def boards(leaderboard: pd.DataFrame) -> list[dict[str, Any]]:
    """A table for each information, from nothing to human scores: both kinds of DEC by difficulty;
    last the difficulties without a value."""
    rows: list[dict[Any, Any]] = leaderboard.to_dict("records")
    known = {(row["difficulty"], row["statistic"]): row for row in rows}
    ordered = [row for row in rows if row["statistic"] == DEC]
    ranks = [f"rank by {kind}" for kind in KINDS]
    headings = ["difficulty"]
    for rank, kind in zip(ranks, KINDS, strict=True):
        headings += [rank, kind, f"gain over length, {kind}"]
    boards: list[dict[str, Any]] = []
    for information, heading in GROUPS.items():
        listed = []
        for row in ordered:
            if row["information"] == information:
                dec, within = (
                    _cells(known.get((row["difficulty"], one))) for one in KINDS.values()
                )
                listed.append([row["difficulty"], *dec, *within, str(int(row["sets"]))])
        if listed:
            table = text_table([*headings, "sets"], listed, [*headings[1:], "sets"])
            boards.append({"heading": heading, "table": table})
    absent = [(row["difficulty"], row["reason"]) for row in ordered if not row["information"]]
    return boards + [{"absent": absent}] * bool(absent)


def _cells(row: Mapping[str, Any] | None) -> list[str]:
    """Rank, value and gain of a difficulty; values with their intervals."""
    if row is None:
        return ["", DASH, DASH]
    texts = ["" if np.isnan(row["rank"]) else f"{row['rank']:.0f}"]
    for name, low, high in (("value", "low", "high"), ("gain", "gain_low", "gain_high")):
        ends = f"{number(row[low])} to {number(row[high])}" if np.isfinite(row[low]) else ""
        texts.append(f"{number(row[name])} ({ends})" if ends else number(row[name]))
    return texts


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


def segment_tables(rows: pd.DataFrame, evalset: EvaluationSet) -> dict[str, Any]:
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
        listed = []
        for row in chosen.head(SHOWN).to_dict("records"):
            source = evalset.source[int(row["segment"]) - 1]
            source = source if len(source) <= LONGEST else f"{source[:LONGEST]}…"
            numbers = [number(row[name], 2) for name in NUMBERS]
            listed.append([str(row["segment"]), row["domain"], *numbers, source])
        headings = ["segment", "domain", *NUMBERS.values()]
        table = text_table([*headings, "source"], listed, ["segment", *NUMBERS.values()])
        tables.append({"kind": kind, "table": table})
    return {"estimator": rows["estimator"].iloc[0] if len(rows) else "", "kinds": tables}
