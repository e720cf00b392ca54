"""What the analysis of translation complexity found, for people."""

from typing import Any

import numpy as np
import pandas as pd

from ..difficulty.readability import PARAMETERS
from .complexity_analysis import GROUP, POWERS

HEADINGS = {
    "campaign": "Campaigns of a language pair",
    "domain": "Domains of a set",
    "document": "Documents of a set",
}
NOTE = (
    "r: correlation of a readability parameter with the mean score over the texts of a group "
    "(higher is better: TER is negated). `× p`: factor by which the standard deviation of a "
    "system's scores decreases after normalisation, score × (ASW / ASW of the reference text)^p, "
    "as a geometric mean over the systems; below 1 it increases. `relative`: the same for the "
    "standard deviation divided by the mean, which does not depend on the scale. Different "
    "campaigns also have different systems, so a text's mean score does not depend on the text "
    "only. Syllables are estimated from hyphenation points. The csv files give the reason for "
    "each missing number."
)
# Texts below which a correlation gives no conclusion.
FEWEST = 5
ALONE = (
    "No group has two texts to compare. The results for a single text are in complexity.csv in its "
    "set's folder."
)


def summarise(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> str:
    """The analysis as markdown: a sentence and a table for every level.

    Parameters
    ----------
    types, correlations, spread : DataFrame
        As `complexity_analysis` gives them.
    """
    parts = ["# Translation complexity and scores", NOTE]
    for level, heading in HEADINGS.items():
        own = [frame[frame.level == level] for frame in (types, correlations, spread)]
        if not len(own[0]):
            parts += [f"## {heading}", ALONE]
            continue
        rows = table(*own).to_markdown(index=False, disable_numparse=True)
        parts += [f"## {heading}", sentences(*own[1:]), rows]
    return "\n\n".join(parts) + "\n"


def sentences(correlations: pd.DataFrame, spread: pd.DataFrame) -> str:
    """What normalising did, and how ASW and scores go together, in numbers."""
    found = []
    for power in POWERS:
        rows = spread[(spread.power == power) & spread.ratio.notna()]
        smaller, relative = (rows.ratio > 1).sum(), (rows.relative_ratio > 1).sum()
        found.append(
            f"With p = {power}, normalisation reduces the standard deviation for {smaller} of "
            f"{len(rows)} pairs of system and metric, and relative to the mean for {relative}."
        )
    asw = correlations[(correlations.parameter == "ASW") & correlations.r.notna()]
    few = f" over {_range(asw.texts)} texts" if len(asw) else ""
    found.append(
        f"ASW correlates negatively with the mean score, as in the paper, for "
        f"{(asw.r < 0).sum()} of {len(asw)} pairs of metric and group{few}; with p < 0.05 for "
        f"{((asw.r < 0) & (asw.p < 0.05)).sum()} of them, and positively with p < 0.05 for "
        f"{((asw.r > 0) & (asw.p < 0.05)).sum()}.{_too_few(asw.texts)}"
    )
    return " ".join(found)


def _too_few(texts: pd.Series) -> str:
    """What correlations over fewer than FEWEST texts say; empty where there are none of these."""
    if (few := int((texts < FEWEST).sum())) == 0:
        return ""
    return (
        f" {few} of these {len(texts)} correlations are over fewer than {FEWEST} texts (n in the "
        "table): no conclusion follows from them."
    )


def _range(values: pd.Series) -> str:
    low, high = values.min(), values.max()
    return f"{low}" if low == high else f"{low} to {high}"


def table(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> pd.DataFrame:
    """A row per group and metric, numbers as text."""
    rows, spreads = [], dict(list(spread.groupby(GROUP)))
    known = correlations.set_index([*GROUP, "parameter"]).r.sort_index()
    group: Any  # level, group and metric
    for group, texts in types.groupby(GROUP, sort=False):
        r = known[group]
        row = [*group[1:], len(texts), *(_text(r[parameter], 3) for parameter in PARAMETERS)]
        own = spreads.get(group, spread[:0])
        row.append(own.system.nunique())
        for power in POWERS:
            by = own[own.power == power]
            row += [_text(_mean_ratio(by[column]), 2) for column in ("ratio", "relative_ratio")]
        rows.append(row)
    columns = ["group", "metric", "texts (n)", *(f"r {parameter}" for parameter in PARAMETERS)]
    columns += ["systems"]
    for power in POWERS:
        columns += [f"× p={power}", f"relative p={power}"]
    return pd.DataFrame(rows, columns=columns)


def _mean_ratio(ratios: pd.Series) -> float:
    """The geometric mean: twice and half as stable are as far from 1."""
    known = ratios[ratios > 0]
    return np.exp(np.log(known).mean()) if len(known) else np.nan


def _text(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"
