"""The page of a study, and the numbers in its findings (study_findings.txt.j2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..evidence.study import EVERY_PHASE, MEAN, PRIMARY
from ..evidence.synthesis import HARMS, HELPS
from ..settings.study import Contrast, Study
from . import signed
from .tables import DASH, Content, result_table, text_table

QUESTIONS = (
    "contrast",
    "compared",
    "question",
    "metrics",
    "sets",
    "on these sets",
    "on new campaigns",
)

# Figures by name: heading and caption.
FIGURES = {
    "forest": (
        "Effect by evaluation set",
        "Change of soft pairwise accuracy by the first primary contrast, of the tier that most "
        "sets have, with 95 % intervals; below, the means of all tiers with their 95 % intervals, "
        "on these sets (dark) and on new campaigns (light).",
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
    "tuned_and_null": (
        "Tuned values and their null",
        "Pearson's r when h and w are searched on the set's own human scores, and the same search "
        "with permuted difficulties.",
    ),
}
# Result tables by name: heading, and how to read the table.
RESULTS = {
    "synthesis": (
        "Pooled contrasts",
        "Mean change of soft pairwise accuracy, of all sets and by phase: on these sets (fixed), "
        "and random-effects means for new campaigns. synthesis.csv has the other statistics.",
    ),
    "power": (
        "Which effects the study could have found",
        "Probability that an effect that all sets have in common is found, with the errors of "
        "these sets: by the mean over these sets (fixed power), and by the random-effects mean.",
    ),
    "nulls": (
        "Nulls",
        "Pooled effects on soft pairwise accuracy, and those under the null distribution: mean and "
        "95 % range. p is two-sided, adjusted by Holm's method over the rows of a contrast.",
    ),
    "pairs": ("Pairs of systems", "Mixed model of agreement, and mean gains by gap."),
    "rankings": (
        "Human rankings on difficult segments",
        "Pearson's r between human system scores on the hardest tenth of the rated segments and on "
        "the others, compared with random tenths; and within segments between a hypothesis's "
        "difficulty and its human score.",
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

# Columns that the page shows of tables with all statistics.
SHOWN = {
    "effects": "set gold phase contrast tier plain value effect low high effect_with_outliers "
    "effective_segments systems segments reason",
    "synthesis": "contrast tier phase fixed_verdict fixed_effect fixed_low fixed_high "
    "fixed_p_adjusted verdict effect low high p p_adjusted family against_chance prediction_low "
    "prediction_high i2 sets campaigns pairs sets_without",
    "nulls": "contrast tier null sets effect null_mean null_low null_high p p_adjusted",
}


def answer(row: Mapping[Any, Any], start: str = "") -> str:
    """Format a pooled effect, its interval and its verdict. If a weighting helps or harms, add the
    comparison with random difficulties (`against_chance`). `start` is a prefix of column names."""
    verdict = row[f"{start}verdict"]
    if HELPS in verdict or HARMS in verdict:
        verdict = f"{verdict} ({row['against_chance']})"
    if not np.isfinite(row[f"{start}effect"]):
        return f"{verdict} ({row['reason']})"
    error = row[f"{start}error"]
    effect = signed(row[f"{start}effect"], error)
    low = signed(row[f"{start}low"], error)
    high = signed(row[f"{start}high"], error)
    verdict = verdict.replace("the margin", format(row["margin"], "g"))
    return f"{effect} ({low} to {high}): {verdict}"


def study_numbers(
    effects: pd.DataFrame, pooled: pd.DataFrame, contrasts: Mapping[str, Contrast]
) -> Content:
    """Compute the numbers that study_findings.txt.j2 shows.

    Parameters
    ----------
    effects : DataFrame
        The table `study/effects.csv`.
    pooled : DataFrame
        The table of `synthesis.pool`, of the primary outcome and one phase, with `against_chance`.
    contrasts : mapping of str to Contrast
        The study's contrasts by name.

    Returns
    -------
    dict
        The study's size, and primary contrasts by tier.
    """
    used = effects[np.isfinite(effects["effect"]) & (effects["metric"] != MEAN)]
    primary = {}
    for name, contrast in contrasts.items():
        if not contrast.primary:
            continue
        of_contrast = effects[effects["contrast"] == name]
        is_absent = of_contrast["effect"].isna().all()
        primary[name] = {
            "absent": of_contrast["reason"].mode()[0] if is_absent else "",
            "tiers": pooled[pooled["contrast"] == name].to_dict("records"),
        }
    return {
        "sizes": {name: used[name].nunique() for name in ("metric", "set", "campaign")},
        "valued": used[used["statistic"] == PRIMARY]["set"].nunique(),
        "primary": primary,
        "answer": answer,
    }


def describe(
    study: Study,
    findings: str,
    images: Mapping[str, str],
    tables: Mapping[str, pd.DataFrame],
    registration: Mapping[str, Any],
) -> Content:
    """Describe a study for its page.

    Parameters
    ----------
    study : Study
        The study's part of the config.
    findings : str
        A paragraph.
    images : mapping of str to str
        Data URIs of figures by name.
    tables : mapping of str to DataFrame
        Result tables by name.
    registration : mapping
        The study's `checksum` and `earlier` checksums.

    Returns
    -------
    dict
        Variables of the page's template.
    """
    effects = tables["effects"]
    pooled = tables["synthesis"]
    overall = pooled[(pooled.statistic == PRIMARY) & (pooled.phase == EVERY_PHASE)]
    questions = []
    for name, contrast in study.contrasts.items():
        answers = [
            [row["tier"], str(row["sets"]), answer(row, "fixed_"), answer(row)]
            for row in overall[overall["contrast"] == name].to_dict("records")
        ]
        # A row for each tier; only the first one repeats the question.
        question = [f"{contrast.weighting} against {contrast.against}", contrast.question]
        for of_tier in answers or [[DASH] * 4]:
            questions.append([name, *question, *of_tier])
            question = ["", ""]
    tables = {**tables, "effects": effects[effects.metric == MEAN]}
    for name, columns in SHOWN.items():
        tables[name] = tables[name][tables[name].statistic == PRIMARY][columns.split()]
    return {
        "title": study.title,
        "findings": findings.strip(),
        "questions": text_table(QUESTIONS, questions),
        "parts": FIGURES | RESULTS,
        "images": images,
        "results": {name: result_table(table) for name, table in tables.items()},
        "registration": registration,
        "sets": effects.set.nunique(),
    }
