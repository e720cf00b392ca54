"""Figures of the bench of difficulty estimators, drawn on given axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Missing
from ..evidence.estimators import DEC, WITHIN
from .plots import COLOURS, MARKERS, legend_above

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SHOWN = {DEC: "DEC", WITHIN: "DEC within tenths of source length"}
AGREEMENT = "soft pairwise accuracy with the ranking by all segments"
ROW = 0.26  # inches of a difficulty
COLUMNS = 2  # of panels of sets
NO_VALUE = "no difficulty has a value"
NO_SETS = "no set has human scores of segments"
DEC_AXIS = "DEC (τ-b of difficulty and negated human score)"


def drawings(
    ranked: pd.DataFrame, chosen: pd.DataFrame, of_sets: Mapping[str, Mapping[str, pd.DataFrame]]
) -> dict[str, tuple[Callable[[Any], None], dict[str, Any]]]:
    """The figures of the bench: by name, what draws it on panels, and their number and size.
    `ranked` and `chosen` are from `estimators.leaderboard` and `selection.summarise`; `of_sets`
    has tables by set of the kinds `values`, `by_system` and `segments`."""
    values, segments = of_sets["values"], of_sets["segments"]
    systems = {name: rows[rows.statistic == DEC] for name, rows in of_sets["by_system"].items()}
    chosen = chosen[chosen.statistic == "soft_accuracy"]
    most = max((table.difficulty.nunique() for table in values.values()), default=1)
    high = 1.4 + ROW * max(most, 2)
    wide = 1.6 + 0.42 * max(len(values), 3)

    def of_each(draw: Callable, tables: Mapping, size: tuple[float, float]) -> tuple:
        """A panel for each set."""

        def draw_all(panels: Sequence[Axes]) -> None:
            for axes in panels[len(tables) :]:
                axes.set_axis_off()
            if not tables:
                raise Missing(NO_SETS)
            for axes, (name, table) in zip(panels, tables.items(), strict=False):
                draw(axes, table, name)

        rows = max(1, -(-len(tables) // COLUMNS))
        return draw_all, {"rows": rows, "columns": COLUMNS, "size": size}

    return {
        "leaderboard": (lambda axes: leaderboard(axes[0], ranked, SHOWN), {"size": (6.4, high)}),
        "by_set": (lambda axes: by_set(axes, values), {"columns": 2, "size": (wide, high + 0.8)}),
        "by_system": of_each(by_system, systems, (3.8, high)),
        "items": of_each(items, segments, (3.8, 2.8)),
        "selection": (lambda axes: selection(axes[0], chosen, AGREEMENT), {"size": (6.4, high)}),
    }


def by_set(panels: Sequence[Axes], values: Mapping[str, pd.DataFrame]) -> None:
    """DEC by difficulty and set, with and without control of length."""
    import pandas as pd

    if not values:
        raise Missing(NO_SETS)
    rows = pd.concat([table.assign(set=name) for name, table in values.items()])
    names = list(dict.fromkeys(rows.difficulty[rows["value"].notna()]))
    for axes, (statistic, title) in zip(panels, SHOWN.items(), strict=True):
        whole = rows[(rows.statistic == statistic) & (rows.domain == "")]
        table = whole.pivot(index="difficulty", columns="set", values="value")
        matrix(axes, table.reindex(index=names, columns=list(values)), title)


def leaderboard(axes: Axes, ranked: pd.DataFrame, shown: dict[str, str]) -> None:
    """Values with intervals, a line for each difficulty of `estimators.leaderboard` in the order
    of the first statistic, a mark for each statistic, by what the legend calls them. Raises
    `Missing` without a finite value."""
    rows = ranked[np.isfinite(ranked["value"])]
    first = rows[rows.statistic == next(iter(shown))]
    if first.empty:
        raise Missing(NO_VALUE)
    names = first.difficulty.tolist()
    for which, (statistic, label) in enumerate(shown.items()):
        group = rows[(rows.statistic == statistic) & rows.difficulty.isin(names)]
        places = -np.array([names.index(name) for name in group.difficulty]) - 0.24 * which
        axes.hlines(places, group.low, group.high, color=COLOURS[which], linewidth=1)
        style: dict[str, Any] = {"marker": MARKERS[which], "color": COLOURS[which]}
        axes.plot(group["value"], places, linestyle="", markersize=4, label=label, **style)
    labels = [f"{row.difficulty} ({row.information})" for row in first.itertuples()]
    axes.set_yticks(-np.arange(len(names)) - 0.12, labels, fontsize=7)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel=DEC_AXIS, ylim=(-len(names), 0.7))
    axes.grid(axis="y", visible=False)
    legend_above(axes, 2)


def selection(axes: Axes, rows: pd.DataFrame, statistic: str) -> None:
    """Gains of choices of segments over random ones by budget (`selection.summarise`), a line
    for each difficulty; filled where the difference is significant. `statistic` is what the axis
    calls the value. Raises `Missing` without choices."""
    if rows.empty:
        raise Missing("no set has enough segments with human scores of every system")
    names = rows.groupby("difficulty")["gain"].mean().sort_values(ascending=False).index.tolist()
    for which, (share, group) in enumerate(rows.groupby("share")):
        places = -np.array([names.index(name) for name in group.difficulty]) - 0.2 * which
        style: dict[str, Any] = {"marker": MARKERS[which], "color": COLOURS[which], "linestyle": ""}
        sure = (group.p_adjusted <= 0.05).to_numpy()
        axes.plot(group.gain[sure], places[sure], markersize=5, **style)
        axes.plot(group.gain[~sure], places[~sure], markersize=5, markerfacecolor="none", **style)
        axes.plot([], [], label=f"{share:.0%} of the segments", **style)
    axes.set_yticks(-np.arange(len(names)) - 0.2, names, fontsize=7)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel=f"{statistic} less that of random choices", ylim=(-len(names), 0.7))
    legend_above(axes, 3)


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
    """DEC of every system, a line for each difficulty, with the mean as a bar; `rows` are of one
    set and statistic, with `difficulty`, `system`, `value`."""
    rows = rows[np.isfinite(rows["value"])]
    if rows.empty:
        raise Missing(NO_VALUE)
    means = rows.groupby("difficulty")["value"].mean().sort_values(ascending=False)
    places = {name: -place for place, name in enumerate(means.index)}
    lines = rows.difficulty.map(places)
    axes.plot(rows["value"], lines, linestyle="", marker="o", markersize=2.5, alpha=0.6)
    axes.plot(means, [places[name] for name in means.index], "|", color="black", markersize=9)
    axes.set_yticks(list(places.values()), list(places), fontsize=6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="DEC")
    axes.set_title(title, fontsize=8, loc="left")


def items(axes: Axes, segments: pd.DataFrame, title: str) -> None:
    """Map of the segments (`estimators.segment_rows`): difficulty and discrimination by the item
    response model of human scores; the darker, the more scores vary beside what ability explains.
    Raises `Missing` without such a model."""
    rows = segments[np.isfinite(segments["item_difficulty"])]
    if rows.empty:
        raise Missing("too few human scores for an item response model")
    rows = rows.iloc[np.argsort(rows["noise"].to_numpy())]
    style: dict[str, Any] = {"s": 4, "cmap": "viridis_r", "linewidths": 0, "rasterized": True}
    x, y = rows["item_difficulty"], rows["discrimination"]
    drawn = axes.scatter(x, y, c=rows["noise"], **style)
    axes.figure.colorbar(drawn, ax=axes, label="noise", pad=0.02)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="difficulty (minus the expected human score)", ylabel="discrimination")
    axes.set_title(title, fontsize=8, loc="left")
