"""Weightings in two groups with parameters that other sets chose, beside a set's own: the table
and what it says."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pandas as pd

from .labels import TUNED, TUNED_NOTE
from .parameters import POINT_COLUMNS, TUNED_COLUMNS, best_point, grid_row
from .subsets import CORRELATIONS

KEYS = ["metric", "weighting", "difficulty"]
PARAMETERS = ("standard", "in force", "equations", "held out", "optimum")
# Origins whose wins are counted: an optimum always wins.
COUNTED = PARAMETERS[1:-1]
# Why nothing is held out, without and with other sets.
NO_POINT = (
    "no other set has correlations of this metric",
    "every point of the grid lacks a group in some other set",
)
HOW_TO_READ = f"""\
Weightings of two groups of segments (such as EE of Liu et al. 2022), over all systems of a set,
with a threshold h and an easy weight w of several origins:

- `in force`: the parameters in use, from the paper or the config, else from the weighting's rules.
- `equations`: Eq. 9 and Eq. 11 of Liu et al. (2022), for the difficulty that they were fitted to.
- `held out`: the quantile of difficulty and the w with the highest mean Pearson's r of the same
  metric and weighting over the other sets. No human score of the set itself is used; other language
  pairs of its campaign, which may share the source, count as other sets.
- `optimum`: the point of the grid with the highest r on the set itself. The grid contains the
  unweighted metric, so the optimum cannot be worse; it is compared with the optimum of permuted
  difficulties, tuned in the same way (tuned random).

{TUNED_NOTE}

Cases of one set share its segments, human scores and difficulties, so they are not independent:
count sets, not cases. A set counts as better if the mean difference over its cases is above 0."""
NONE = "No metric of this run has another set on which to choose h and w."


class Surface(NamedTuple):
    """Correlations over the grid, (3, quantiles, w), and the thresholds of its quantiles."""

    grid: np.ndarray
    thresholds: np.ndarray


def hold_out(
    surfaces: dict[str, dict[tuple[str, ...], Surface]],
    rows: dict[str, pd.DataFrame],
    tests: dict[str, Hashable],
) -> pd.DataFrame:
    """Parameters that are chosen on other sets, beside a set's own.

    Parameters
    ----------
    surfaces : dict of str to dict of (metric, weighting, difficulty) to Surface
        By set.
    rows : dict of str to DataFrame
        By set as in `parameters.csv`.
    tests : dict of str to hashable
        What a set's texts are: sets of the same texts are not held out from each other.

    Returns
    -------
    DataFrame
        set, KEYS, POINT_COLUMNS and TUNED_COLUMNS; parameters in the order of PARAMETERS.
    """
    found, columns = [], [*POINT_COLUMNS, *TUNED_COLUMNS]
    for name, own_surfaces in surfaces.items():
        for key, own in own_surfaces.items():
            others = [
                surfaces[other][key].grid[0]
                for other in surfaces
                if tests[other] != tests[name] and key in surfaces[other]
            ]
            # A set on which nothing is defined says nothing about any point.
            others = [other for other in others if not np.isnan(other).all()]
            frame = rows[name]
            frame = frame[(frame.metric == key[0]) & (frame.weighting == key[1])]
            head = [name, *frame[KEYS].iloc[0]]
            point = best_point(np.array(others)) if others else None
            row = grid_row("held out", point, own.grid, own.thresholds, NO_POINT[bool(others)])
            no_draws = ["no", *[np.nan] * (len(TUNED_COLUMNS) - 1)]
            of_set = [*frame[columns].values.tolist(), [*row, *no_draws]]
            of_set = sorted(of_set, key=lambda row: PARAMETERS.index(row[0]))
            found += [[*head, *row] for row in of_set]
    return pd.DataFrame(found, columns=["set", *KEYS, *columns])


def count_wins(
    frame: pd.DataFrame, statistic: str, label: str, other: str = "standard"
) -> tuple[int, int, int, int]:
    """How often a correlation is higher with the parameters `label` than with `other`, of
    PARAMETERS, where every origin that there is gives a correlation, so that counts compare.

    Returns
    -------
    better_sets, sets : int
        Of the mean difference over a set's metrics and weightings. Cases of one set share segments,
        difficulties and human scores, so that sets are the units to count.
    better_cases, cases : int
        Of set, metric and weighting.
    """
    index = ["set", "metric", "weighting"]
    undefined = frame[frame[statistic].isna()].set_index(index).index
    table = frame.pivot(index=index, columns="parameters", values=statistic)
    table = table[~table.index.isin(undefined)].reindex(columns=PARAMETERS)
    gain = (table[label] - table[other]).dropna()
    by_set = gain.groupby("set").mean()
    return int((by_set > 1e-9).sum()), len(by_set), int((gain > 1e-9).sum()), len(gain)


def _count(frame: pd.DataFrame, statistic: str, label: str, other: str = "standard") -> str:
    """`count_wins` as `3 of 4 sets, 6 of 15 cases`; empty where no set has both."""
    found = count_wins(frame, statistic, label, other)
    return "{} of {} sets, {} of {} cases".format(*found) * bool(found[-1])


def describe(frame: pd.DataFrame) -> str:
    """The table of `hold_out` for people, as markdown: what weightings with held-out parameters are
    better than, what tuned values reach beside permuted difficulties that are tuned in the same
    way, and Pearson's r of every case."""
    parts = ["# Held-out parameters", HOW_TO_READ]
    if frame.pearson[frame.parameters == "held out"].notna().any():
        others = {
            "standard": "the unweighted metric",
            "equations": "the equations' parameters",
            "in force": "those in force",
        }
        better = [
            f"{what} in {text}"
            for other, what in others.items()
            if (text := _count(frame, "pearson", "held out", other))
        ]
        parts.append(
            "By Pearson's r, weightings with held-out parameters are better than "
            f"{', than '.join(better)} (cases are sets × metrics × weightings)."
        )
        tuned = set(frame.parameters[frame.tuned == "yes"])
        counts = [
            [weighting, statistic, *(_count(rows, statistic, origin) or "–" for origin in COUNTED)]
            for weighting, rows in frame.groupby("weighting", sort=False)
            for statistic in CORRELATIONS
        ]
        origins = [origin + TUNED * (origin in tuned) for origin in COUNTED]
        columns = ["weighting", "better than unweighted by", *origins]
        parts.append(pd.DataFrame(counts, columns=columns).to_markdown(index=False))
    else:
        parts.append(NONE)
    above = []
    rows = frame[(frame.tuned == "yes") & frame.retuned_quantile.notna()]
    for origin, own in rows.groupby("parameters", sort=False):
        high = own[own.retuned_quantile > 0.95]
        above.append(
            f"`{origin}`{TUNED}: r is above 95 % of tuned random difficulties in {len(high)} of "
            f"{len(own)} cases, in {high.set.nunique()} of {own.set.nunique()} sets."
        )
    table = _correlations(frame).to_markdown(index=False, disable_numparse=True)
    return "\n\n".join([*parts, " ".join(above), "Pearson's r of every case:", table]) + "\n"


def _correlations(frame: pd.DataFrame) -> pd.DataFrame:
    """Pearson's r by set, metric and weighting, and the held-out parameters; tuned values are
    marked, and the optimum stands beside the range of tuned random difficulties."""
    keys = ["set", *KEYS]
    texts = frame.pearson.map("{:.3f}".format, na_action="ignore")
    frame = frame.assign(text=texts + (frame.tuned == "yes").map({True: TUNED, False: ""}))
    table = frame.pivot(index=keys, columns="parameters", values="text")
    table = table.reindex(columns=PARAMETERS)
    best = frame[frame.parameters == "optimum"].set_index(keys)
    table["tuned random"] = [
        np.nan if np.isnan(low) else f"[{low:.3f}, {high:.3f}]"
        for low, high in best.loc[table.index, ["retuned_low", "retuned_high"]].to_numpy()
    ]
    chosen = frame[frame.parameters == "held out"].set_index(keys)[["quantile", "w"]]
    chosen = chosen.map("{:.2f}".format, na_action="ignore").add_prefix("held-out ")
    return table.join(chosen).astype(object).fillna("–").reset_index()
