"""The page of a study: findings first, then figures, then tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evidence.findings import questions_table
from ..evidence.study import MEAN, PRIMARY, overall
from .tables import number, text_table

if TYPE_CHECKING:
    import pandas as pd

FIGURES = {
    "forest": (
        "Effect by evaluation set",
        "Change of soft pairwise accuracy by the first primary contrast, of the tier that most "
        "sets have, with 95 % intervals; below the random-effects mean with its interval and the "
        "95 % prediction interval of a new set.",
    ),
    "gain_by_tier": (
        "Effect by contrast and tier of metrics",
        "Pooled change of soft pairwise accuracy with 95 % intervals.",
    ),
    "gain_by_gap": (
        "Effect by the gap between two systems",
        "Share of pairs of systems that a metric orders as people do: change in fifths of all "
        "pairs by the difference of their human scores, in standard deviations over systems.",
    ),
    "gain_by_effective_size": (
        "Effect by effective sample size",
        "Change of soft pairwise accuracy on each set against the share of its segments that are "
        "effective (Kish).",
    ),
    "tuned_and_null": (
        "Tuned values and their null",
        "Pearson's r when h and w are searched on the set's own human scores, and the same "
        "search with permuted difficulties.",
    ),
}
TABLES = {
    "synthesis": (
        "Pooled contrasts",
        "Mean change of soft pairwise accuracy, of all sets and by phase: on these sets (fixed), "
        "and random-effects means for new campaigns. synthesis.csv has the other statistics.",
    ),
    "power": (
        "Which effects the study could have found",
        "Probability that an effect that all sets have in common is found, with the errors of "
        "these sets: by the mean over these sets (fixed power), and by the random-effects mean, "
        "where effects of sets differ by as much as they did here. Changes below the margin count "
        "as no effect.",
    ),
    "nulls": (
        "Nulls",
        "Pooled effects on soft pairwise accuracy, and those under the null distribution: mean and "
        "95 % range. p is two-sided, adjusted by Holm's method over the rows of a contrast.",
    ),
    "pairs": ("Pairs of systems", "Mixed model of agreement, and mean gains by gap."),
    "rankings": (
        "Human rankings on difficult segments",
        "Pearson's r between human system scores on the hardest tenth of the rated segments and "
        "on the others, compared with random tenths; and within segments between a "
        "hypothesis's difficulty and its human score.",
    ),
    "submissions": (
        "Submissions",
        "System scores of metrics in the archive, and the unweighted and weighted metrics of the "
        "same sets.",
    ),
    "effects": (
        "Effects by set",
        "Means over each tier's metrics, soft pairwise accuracy; effects.csv has every metric and "
        "statistic.",
    ),
    "left_out": ("Sets without scores", ""),
}
# What the page shows of tables of all statistics.
SHOWN = {
    "effects": [
        *("set", "gold", "phase", "contrast", "tier", "plain", "value", "effect", "low", "high"),
        *("effect_with_outliers", "effective_segments", "systems", "segments", "reason"),
    ],
    "synthesis": [
        *("contrast", "tier", "phase", "fixed_verdict", "fixed_effect", "fixed_low", "fixed_high"),
        *("fixed_p_adjusted", "verdict", "effect", "low", "high", "p", "p_adjusted", "family"),
        *("against_chance", "prediction_low", "prediction_high", "i2", "sets", "campaigns"),
        *("pairs", "sets_without"),
    ],
    "nulls": [
        *("contrast", "tier", "null", "sets", "effect", "null_mean", "null_low", "null_high"),
        *("p", "p_adjusted"),
    ],
}


def describe(
    study: Mapping[str, Any],
    findings: str,
    images: Mapping[str, str],
    tables: Mapping[str, pd.DataFrame],
    registration: Mapping[str, Any],
) -> dict[str, Any]:
    """What the template of a study's page reads: the study's part of the config, a paragraph of
    findings, data URIs by figure, tables by TABLES, and the `checksum` of the study with `earlier`
    ones."""
    effects = tables["effects"]
    head, rows = questions_table(overall(tables["synthesis"]), study["contrasts"])
    tables = {**tables, "effects": effects[effects.metric == MEAN]}
    for name, columns in SHOWN.items():
        tables[name] = tables[name][tables[name].statistic == PRIMARY][columns]
    return {
        "title": study["title"],
        "findings": findings.strip(),
        "questions": text_table(head, rows),
        "figures": [
            {"name": name, "heading": heading, "caption": caption, "image": images[name]}
            for name, (heading, caption) in FIGURES.items()
        ],
        "tables": [
            {"name": name, "heading": heading, "caption": caption, "table": as_texts(tables[name])}
            for name, (heading, caption) in TABLES.items()
        ],
        "registration": registration,
        "sets": effects.set.nunique(),
    }


def as_texts(frame: pd.DataFrame) -> dict[str, Any]:
    """A table as headings and texts; columns without a value are left out."""
    frame = frame.replace("", np.nan).dropna(axis="columns", how="all")
    texts, numeric = [], []
    for name, column in frame.items():
        if column.dtype.kind not in "iuf":
            texts.append([one if isinstance(one, str) else number(np.nan) for one in column])
            continue
        numeric.append(str(name).replace("_", " "))
        known = column.dropna()
        # Counts have no decimals, other numbers three.
        count = (known % 1 == 0).all() and (known > 1).any()
        texts.append([number(value, 0 if count else 3) for value in column])
    headings = [str(name).replace("_", " ") for name in frame]
    return text_table(headings, [list(row) for row in zip(*texts, strict=True)], numeric)
