"""The section of a page of own systems that shows what differs between them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..storage import Content
from .finding import LOOKS, NOT_TESTED, UNKNOWN, axis
from .tables import interval, number, p_value, text_table

ALPHA = 0.05
MOST_PLOTTED = 10  # groups in a plot
DIGITS = 2  # decimals of scores
DIFFERS = "p < 0.05"
# How the dot of a difference looks.
SIGNS = {
    DIFFERS: "equal",
    UNKNOWN: LOOKS[UNKNOWN],
    NOT_TESTED: LOOKS[NOT_TESTED],
}
HEADINGS = {
    "difficulty": "By difficulty of the segment ({difficulty})",
    "length": "By length of the reference segment, in {tokens}",
    "document": "By document",
    "word frequency": "By how often the reference has a word",
}


def describe(differences: Content, systems: list[str], difficulty: str) -> Content:
    """Describe what differs between systems for the page's template.

    Parameters
    ----------
    differences : dict
        As from `scoring.differences.describe_differences`.
    systems : list of str
        In the order of the columns.
    difficulty : str
        What the difficulty is called.

    Returns
    -------
    dict
        `tables` of scores by group; `pairs`, each with the `systems`, `plots` of differences by
        group and a table of `ngrams`; `looks` of the plots' dots; and `tokens`, `which_pairs`,
        `unit`, `resampled`, `resamples` and `needed_resamples`.
    """
    names = ("tokens", "which_pairs", "unit", "resampled", "resamples", "needed_resamples")
    page = {name: differences[name] for name in names}
    headings = {
        grouping: heading.format(tokens=differences["tokens"], difficulty=difficulty)
        for grouping, heading in HEADINGS.items()
    }
    scores = pd.DataFrame(differences["scores"])
    page["tables"] = []
    if len(scores):
        for grouping, rows in scores.groupby("grouping", sort=False):
            table = _score_table(rows, systems)
            title = headings[str(grouping)]
            page["tables"].append({"name": grouping, "title": title, "table": table})
    comparisons = pd.DataFrame(differences["comparisons"])
    ngrams = pd.DataFrame(differences["ngrams"])
    page["pairs"] = []
    for pair in differences["pairs"]:
        described = {
            "systems": [pair["system"], pair["other"]],
            "plots": [],
            "ngrams": _ngram_table(_of_pair(ngrams, pair), pair, differences["unit"]),
            "ngrams_tested": pair["ngrams_tested"],
        }
        for grouping, rows in _of_pair(comparisons, pair).groupby("grouping", sort=False):
            plot = _plot(rows)
            if plot is not None:
                described["plots"].append({"title": headings[str(grouping)], "plot": plot})
        page["pairs"].append(described)
    page["looks"] = {look: name for name, look in SIGNS.items()}
    return page


def _of_pair(rows: pd.DataFrame, pair: Content) -> pd.DataFrame:
    """Return the rows of a table that are about a pair of systems, in either order."""
    if rows.empty:
        return pd.DataFrame(columns=["grouping", "system", "other"])
    systems = [pair["system"], pair["other"]]
    return rows[rows.system.isin(systems) & rows.other.isin(systems)]


def _score_table(rows: pd.DataFrame, systems: list[str]) -> Content:
    """Return a table with a row for each metric and group of a grouping and a column for each
    system."""
    texts = []
    for (metric, group), of_group in rows.groupby(["metric", "group"], sort=False):
        first = of_group.iloc[0]
        by_system = of_group.set_index("system").score
        cells = [number(by_system[system], DIGITS) for system in systems]
        heading = str(metric) if first.higher_is_better else f"{metric} (lower is better)"
        texts.append([heading, str(group), str(first.segments), str(first.words), *cells])
    numeric = ["segments", "words", *systems]
    return text_table(["metric", "group", *numeric], texts, numeric)


def _plot(rows: pd.DataFrame) -> Content | None:
    """Return a forest plot of the differences between two systems in the groups of a grouping under
    the first metric; None for many groups, or if no score differs."""
    rows = rows[rows.metric == rows.metric.iloc[0]].dropna(subset="difference")
    ends = rows[["difference", "low", "high"]].to_numpy(float)
    if not 0 < len(rows) <= MOST_PLOTTED or not np.any(ends[np.isfinite(ends)]):
        return None
    x, ticks = axis(min(0.0, np.nanmin(ends)), max(0.0, np.nanmax(ends)))
    of_groups = []
    for row in rows.to_dict("records"):
        mark: Content = {"x": x(row["difference"]), "look": SIGNS[_sign(row["p_holm"])]}
        if np.isfinite([row["low"], row["high"]]).all():
            mark["low"] = x(row["low"])
            mark["high"] = x(row["high"])
        difference = number(row["difference"], DIGITS)
        of_groups.append(
            {
                "label": row["group"],
                "marks": [mark],
                "median": None,
                "interval": interval(row["low"], row["high"], DIGITS),
                "text": f"+{difference}" if row["difference"] > 0 else difference,
            }
        )
    panels = [{"label": rows.metric.iloc[0], "rows": of_groups}]
    return {"zero": x(0.0), "ticks": ticks, "panels": panels}


def _sign(p: float) -> str:
    """Return what a corrected p says of a difference, a key of SIGNS."""
    if np.isnan(p):
        return NOT_TESTED
    return DIFFERS if p < ALPHA else UNKNOWN


def _ngram_table(rows: pd.DataFrame, pair: Content, unit: str) -> Content:
    """Return a table of the n-grams that one system of a pair has in more units, documents or
    segments, than the other."""
    first, second = pair["system"], pair["other"]
    texts = []
    for row in rows.to_dict("records"):
        matches = [row["matches"], row["other_matches"]]
        units = [row["units"], row["other_units"]]
        if row["system"] == second:
            matches.reverse()
            units.reverse()
        counts = [str(count) for count in (row["in_reference"], *matches, *units)]
        texts.append([row["ngram"], row["system"], *counts, p_value(row["p_holm"])])
    numeric = ["in the reference", f"in {first}", f"in {second}"]
    numeric += [f"{unit} with more in {name}" for name in (first, second)]
    numeric.append("corrected p")
    return text_table(["n-gram", "more often in", *numeric], texts, numeric)
