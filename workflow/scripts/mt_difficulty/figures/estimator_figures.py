"""Figures of the bench of difficulty estimators, drawn on given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Missing
from .plots import COLOURS, MARKERS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ROW = 0.26  # inches of a difficulty
NO_VALUE = "no difficulty has a value"
DEC_AXIS = "DEC (τ-b of difficulty and negated human score)"


def height(rows: int) -> float:
    """Inches of a figure with a line for each of some difficulties."""
    return 1.4 + ROW * max(rows, 2)


def leaderboard(axes: Axes, ranked: pd.DataFrame, shown: dict[str, str]) -> None:
    """Values with intervals, a line for each difficulty, a mark for each statistic.

    Parameters
    ----------
    axes : Axes
    ranked : DataFrame
        From `estimator_synthesis.leaderboard`; the order of the first statistic counts.
    shown : dict of str to str
        Statistics, with what the legend calls them.

    Raises
    ------
    Missing
        No value is finite.
    """
    rows = ranked[np.isfinite(ranked["value"])]
    first = rows[rows.statistic == next(iter(shown))]
    if first.empty:
        raise Missing(NO_VALUE)
    names = first.difficulty.tolist()
    for which, (statistic, label) in enumerate(shown.items()):
        own = rows[(rows.statistic == statistic) & rows.difficulty.isin(names)]
        places = -np.array([names.index(name) for name in own.difficulty]) - 0.24 * which
        axes.hlines(places, own.low, own.high, color=COLOURS[which], linewidth=1)
        axes.plot(
            own["value"],
            places,
            linestyle="",
            marker=MARKERS[which],
            markersize=4,
            color=COLOURS[which],
            label=label,
        )
    labels = [f"{row.difficulty} ({row.information})" for row in first.itertuples()]
    axes.set_yticks(-np.arange(len(names)) - 0.12, labels, fontsize=7)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel=DEC_AXIS, ylim=(-len(names), 0.7))
    axes.grid(axis="y", visible=False)
    axes.legend(fontsize=7, ncols=2, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)


def selection(axes: Axes, rows: pd.DataFrame, statistic: str) -> None:
    """Gains of choices of segments over random ones by budget, a line for each difficulty; filled
    where the difference is significant.

    Parameters
    ----------
    axes : Axes
    rows : DataFrame
        From `selection_table.summarise`.
    statistic : str
        What the axis calls the value.

    Raises
    ------
    Missing
        There are no choices.
    """
    if rows.empty:
        raise Missing("no set has enough segments with human scores of every system")
    names = rows.groupby("difficulty")["gain"].mean().sort_values(ascending=False).index.tolist()
    for which, (share, own) in enumerate(rows.groupby("share")):
        places = -np.array([names.index(name) for name in own.difficulty]) - 0.2 * which
        style: dict[str, Any] = {"marker": MARKERS[which], "color": COLOURS[which], "linestyle": ""}
        sure = (own.p_adjusted <= 0.05).to_numpy()
        axes.plot(own.gain[sure], places[sure], markersize=5, **style)
        axes.plot(own.gain[~sure], places[~sure], markersize=5, markerfacecolor="none", **style)
        axes.plot([], [], label=f"{share:.0%} of the segments", **style)
    axes.set_yticks(-np.arange(len(names)) - 0.2, names, fontsize=7)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel=f"{statistic} less that of random choices", ylim=(-len(names), 0.7))
    axes.legend(fontsize=7, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)


def matrix(axes: Axes, values: pd.DataFrame, title: str) -> None:
    """Values by difficulty (rows) and set (columns), as numbers on colours; Missing without any."""
    numbers = values.to_numpy(float)
    if not np.isfinite(numbers).any():
        raise Missing(NO_VALUE)
    limit = max(float(np.nanmax(np.abs(numbers))), 1e-9)
    axes.imshow(numbers, cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), value in np.ndenumerate(numbers):
        if np.isfinite(value):
            text = f"{value:.2f}".replace("-", "−")
            colour = "white" if abs(value) > 0.7 * limit else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=5, color=colour)
    axes.set_xticks(range(len(values.columns)), values.columns, rotation=60, ha="right", fontsize=6)
    axes.set_yticks(range(len(values)), values.index, fontsize=6)
    axes.grid(visible=False)
    axes.set_title(title, fontsize=8, loc="left")


def by_system(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    """DEC of every system, a line for each difficulty, with the mean as a bar.

    Parameters
    ----------
    axes : Axes
    rows : DataFrame
        Of one set and statistic, with `difficulty`, `system`, `value`.
    title : str
    """
    rows = rows[np.isfinite(rows["value"])]
    if rows.empty:
        raise Missing(NO_VALUE)
    means = rows.groupby("difficulty")["value"].mean().sort_values(ascending=False)
    places = {name: -place for place, name in enumerate(means.index)}
    own = rows.difficulty.map(places)
    axes.plot(rows["value"], own, linestyle="", marker="o", markersize=2.5, alpha=0.6)
    axes.plot(means, [places[name] for name in means.index], "|", color="black", markersize=9)
    axes.set_yticks(list(places.values()), list(places), fontsize=6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="DEC")
    axes.set_title(title, fontsize=8, loc="left")


def items(axes: Axes, segments: pd.DataFrame, title: str) -> None:
    """Map of the segments: difficulty and discrimination by the item response model of human
    scores; the darker, the more scores vary beside what ability explains.

    Parameters
    ----------
    axes : Axes
    segments : DataFrame
        From `estimator_segments.segment_rows`.
    title : str

    Raises
    ------
    Missing
        There is no item response model of the set.
    """
    rows = segments[np.isfinite(segments["item_difficulty"])]
    if rows.empty:
        raise Missing("too few human scores for an item response model")
    order = np.argsort(rows["noise"].to_numpy())
    rows = rows.iloc[order]
    drawn = axes.scatter(
        rows["item_difficulty"],
        rows["discrimination"],
        c=rows["noise"],
        s=4,
        cmap="viridis_r",
        linewidths=0,
        rasterized=True,
    )
    axes.figure.colorbar(drawn, ax=axes, label="noise", pad=0.02)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="difficulty (minus the expected human score)", ylabel="discrimination")
    axes.set_title(title, fontsize=8, loc="left")
