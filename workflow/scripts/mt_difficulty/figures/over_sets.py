"""The figures of a study and of the benchmark of difficulty estimators, drawn on given axes. Each
function raises `Missing` if there is no finite value."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..errors import Missing
from ..evidence.estimators import DEC, WITHIN
from ..evidence.study import EVERY_PHASE, MEAN, PRIMARY
from .plots import COLOURS, MARKERS, legend_above

Style = dict[str, Any]  # keyword arguments of matplotlib
# Functions that draw on panels, and the number and size of these, by name of the plot.
Drawings = dict[str, tuple[Callable[[Any], None], Style]]

# Sizes in inches.
WIDTH = 6.4  # of a figure
STUDY_HEIGHT = 2.2  # of a study's figure without rows
STUDY_ROW = 0.19  # of a row of a study's figure
BENCH_HEIGHT = 1.4  # of a figure of the benchmark without rows
BENCH_ROW = 0.26  # of a difficulty in a figure of the benchmark
COLUMNS = 2  # of panels of sets
EFFECT = "change of soft pairwise accuracy"
TUNED = {"value": "tuned", "null_mean": "tuned null, mean", "plain": "unweighted metric"}
SHOWN = {DEC: "DEC", WITHIN: "DEC within tenths of source length"}
AGREEMENT = "soft pairwise accuracy with the ranking by all segments"
DEC_AXIS = "DEC (τ-b of difficulty and negated human score)"
NO_VALUE = "no difficulty has a value"
NO_SETS = "no set has human scores of segments"


def drawings_of_study(tables: Mapping[str, pd.DataFrame], contrast: str) -> Drawings:
    """Return drawing functions for a study's figures; all but `gain_by_tier` show one contrast.
    `tables` has the study's `effects`, `synthesis`, `pairs` and `tuned`."""
    effects = tables["effects"]
    pooled = tables["synthesis"]
    pooled = pooled[(pooled.statistic == PRIMARY) & (pooled.phase == EVERY_PHASE)]
    effects = effects[(effects.contrast == contrast) & (effects.statistic == PRIMARY)]
    means = effects[(effects.metric == MEAN) & np.isfinite(effects.effect)]
    pairs = tables["pairs"][tables["pairs"].contrast == contrast]
    tuned = tables["tuned"][tables["tuned"].contrast == contrast]
    # The forest plot shows the sets of the tier with the most sets, and the means of all tiers.
    tiers = pooled[(pooled.contrast == contrast) & np.isfinite(pooled.effect)]
    tiers = tiers.sort_values("sets", ascending=False, kind="stable")
    shown = means[means.tier.isin(tiers.tier.head(1))]
    forest_height = STUDY_HEIGHT + STUDY_ROW * (len(shown) + 2 * len(tiers))
    tuned_height = STUDY_HEIGHT + STUDY_ROW * len(tuned)
    return {
        "forest": (lambda axes: forest(axes[0], shown, tiers), {"size": (WIDTH, forest_height)}),
        "gain_by_tier": (lambda axes: gain_by_tier(axes[0], pooled), {"size": (7, 5)}),
        "gain_by_gap": (lambda axes: gain_by_gap(axes[0], pairs), {}),
        "tuned_and_null": (
            lambda axes: tuned_and_null(axes[0], tuned),
            {"size": (WIDTH, tuned_height)},
        ),
    }


def drawings_of_bench(
    ranked: pd.DataFrame, chosen: pd.DataFrame, of_sets: Mapping[str, Mapping[str, pd.DataFrame]]
) -> Drawings:
    """Return drawing functions for the benchmark's figures.

    Parameters
    ----------
    ranked : DataFrame
        The table of `estimators.leaderboard`.
    chosen : DataFrame
        The table of `estimators.summarise_selection`.
    of_sets : mapping of str to mapping of str to DataFrame
        Tables by set for each of the kinds `values` and `segments`.

    Returns
    -------
    dict of str to (callable, dict)
        By name of the figure: a function that draws it on panels, and their number and size.
    """
    values = of_sets["values"]
    segments = of_sets["segments"]
    chosen = chosen[chosen.statistic == "soft_accuracy"]
    difficulties = max((table.difficulty.nunique() for table in values.values()), default=1)
    height = BENCH_HEIGHT + BENCH_ROW * max(difficulties, 2)
    width_of_sets = 1.6 + 0.42 * max(len(values), 3)
    rows = max(1, math.ceil(len(values) / COLUMNS))
    return {
        "leaderboard": (lambda axes: leaderboard(axes[0], ranked), {"size": (WIDTH, height)}),
        "by_set": (
            partial(by_set, values=values),
            {"columns": 2, "size": (width_of_sets, height + 0.8)},
        ),
        "items": (
            partial(items, tables=segments),
            {"rows": rows, "columns": COLUMNS, "size": (3.8, 2.8)},
        ),
        "selection": (lambda axes: selection(axes[0], chosen), {"size": (WIDTH, height)}),
    }


def finite(rows: pd.DataFrame, column: str, reason: str = "no set has a value") -> pd.DataFrame:
    """Select the rows with a finite value in a column.

    Parameters
    ----------
    rows : DataFrame
        The table.
    column : str
        Name of the column.
    reason : str
        Message of the error.

    Returns
    -------
    DataFrame

    Raises
    ------
    Missing
        There are no such rows.
    """
    rows = rows[np.isfinite(rows[column].astype(float))]
    if rows.empty:
        raise Missing(reason)
    return rows


def _style(index: int) -> Style:
    """Return the colour and marker of a group of rows."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 4,
    }


def _bars(
    axes: Axes, x: Any, rows: pd.DataFrame, value: str, index: int, label: Any, **options: Any
) -> None:
    """Plot column `value` with error bars, `low` to `high`, in the style of group `index`."""
    lengths = [rows[value] - rows["low"], rows["high"] - rows[value]]
    axes.errorbar(x, rows[value], lengths, label=label, **_style(index), **options)


def _label_rows(axes: Axes, y: Any, labels: Sequence[str], size: int, label: str) -> None:
    """Label the rows (y axis) of a plot, from top to bottom, and the x axis."""
    axes.set_yticks(y, labels, fontsize=size)
    axes.set(xlabel=label, ylim=(min(y) - 1, 1))
    axes.grid(axis="y", visible=False)


def forest(axes: Axes, effects: pd.DataFrame, pooled: pd.DataFrame) -> None:
    """Draw a forest plot of one contrast and statistic: the sets of one tier of metrics, and below
    them the means of all tiers.

    Parameters
    ----------
    axes : Axes
        The panel.
    effects : DataFrame
        Effects of one tier, a row for each set.
    pooled : DataFrame
        Pooled effects (`synthesis.pool`), a row for each tier. A tier has two diamonds: the mean of
        these sets, and that of new campaigns.

    Raises
    ------
    Missing
        No effect is finite.
    """
    rows = finite(effects, "effect").sort_values(["campaign", "pair", "gold"])
    y = -np.arange(len(rows))
    axes.hlines(y, rows["low"], rows["high"], color=COLOURS[0], linewidth=1.2)
    axes.plot(rows["effect"], y, linestyle="", color=COLOURS[0], marker="o", markersize=4)
    axes.axhline(y[-1] - 0.75, color="black", linewidth=0.5)
    labels = (rows["campaign"] + " " + rows["pair"] + ", " + rows["gold"]).tolist()
    last = y[-1] - 0.5
    for mean in pooled.to_dict("records"):
        _diamond(axes, last - 1, mean, "fixed_", COLOURS[0])
        _diamond(axes, last - 2, mean, "", COLOURS[5])
        labels += [f"{mean['tier']}: mean of {mean['sets']} sets", "of new campaigns"]
        last -= 2
    of_means = y[-1] - 1.5 - np.arange(2 * len(pooled))
    axes.axvline(0, color="black", linewidth=0.8)
    margin = pooled["margin"].iloc[0]
    axes.axvspan(-margin, margin, color="black", alpha=0.06, linewidth=0)
    _label_rows(axes, [*y, *of_means], labels, 8, EFFECT)
    first = rows.iloc[0]
    title = f"{first['contrast']}: {first['tier']} metrics by set, and means by kind of metric"
    axes.set_title(title, fontsize=9, loc="left")


def _diamond(axes: Axes, y: float, mean: Mapping[Any, Any], start: str, colour: str) -> None:
    """Draw a pooled effect and its interval, the columns of a row from `synthesis.pool` that begin
    with `start`, as a diamond."""
    low, effect, high = (mean[f"{start}{name}"] for name in ("low", "effect", "high"))
    height = np.array([0, 0.38, 0, -0.38])
    axes.fill([low, effect, high, effect], y + height, color=colour, zorder=3)


def gain_by_tier(axes: Axes, pooled: pd.DataFrame) -> None:
    """Plot gains pooled over sets, by metric tier (x axis) and by weightings compared (colour)."""
    rows = finite(pooled, "effect")
    tiers = list(dict.fromkeys(rows["tier"]))
    contrasts = list(dict.fromkeys(rows["contrast"]))
    for index, contrast in enumerate(contrasts):
        group = rows[rows["contrast"] == contrast]
        shift = (index - (len(contrasts) - 1) / 2) * 0.7 / len(contrasts)
        x = group["tier"].map(tiers.index) + shift
        _bars(axes, x, group, "effect", index, contrast, linestyle="", elinewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(tiers)), tiers)
    axes.set(xlabel="metrics", ylabel=EFFECT)
    legend_above(axes, 4)


def gain_by_gap(axes: Axes, pairs: pd.DataFrame) -> None:
    """Draw the gain in pairs of systems ordered as by human scores, by fifths of the gap between
    human scores. A line is a tier; `pairs` are rows of one contrast from `synthesis.pair_model`."""
    rows = finite(pairs[pairs["kind"] == "quintile"], "estimate", "no pairs of systems have a gain")
    tiers = rows["tier"].nunique()
    for index, (tier, group) in enumerate(rows.groupby("tier", sort=False)):
        x = group["gap"] + (index - (tiers - 1) / 2) * 0.02
        _bars(axes, x, group, "estimate", index, tier, linewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("gap between human scores (standard deviations over systems)")
    axes.set_ylabel("gain in pairs ordered as by people")
    legend_above(axes, 4)


def tuned_and_null(axes: Axes, tuned: pd.DataFrame) -> None:
    """Draw values tuned on their own human scores beside random difficulties tuned in the same way.
    `tuned` is `study/tuned.csv`, a row for each set and metric."""
    rows = finite(tuned, "value", "no value is tuned on its own human scores")
    y = -np.arange(len(rows))
    axes.hlines(
        y,
        rows["null_low"],
        rows["null_high"],
        color=COLOURS[5],
        linewidth=4,
        label="tuned null, 95 %",
    )
    for index, (column, label) in enumerate(TUNED.items()):
        axes.plot(rows[column], y, linestyle="", **_style(index), label=label)
    labels = (rows["set"] + ", " + rows["metric"]).tolist()
    _label_rows(axes, y, labels, 7, "Pearson's r with human scores")
    legend_above(axes, 4)


def leaderboard(axes: Axes, ranked: pd.DataFrame) -> None:
    """Draw DEC with intervals, without and with control for source length. Each difficulty has a
    row, in the order of `ranked` (`estimators.leaderboard`)."""
    rows = ranked[np.isfinite(ranked["value"])]
    first = finite(rows[rows.statistic == DEC], "value", NO_VALUE)
    names = first.difficulty.tolist()
    for index, (statistic, label) in enumerate(SHOWN.items()):
        group = rows[(rows.statistic == statistic) & rows.difficulty.isin(names)]
        y = -group.difficulty.map(names.index).to_numpy(float) - 0.24 * index
        axes.hlines(y, group.low, group.high, color=COLOURS[index], linewidth=1)
        axes.plot(group["value"], y, linestyle="", label=label, **_style(index))
    labels = (first.difficulty + " (" + first.information + ")").tolist()
    axes.axvline(0, color="black", linewidth=0.8)
    _label_rows(axes, -np.arange(len(names)) - 0.12, labels, 7, DEC_AXIS)
    legend_above(axes, 2)


def selection(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the gain of selecting segments by difficulty over random selection, a row per difficulty
    (`estimators.summarise_selection`). Marks differ by budget; filled means significant."""
    if rows.empty:
        raise Missing("no set has enough segments with human scores of every system")
    names = rows.groupby("difficulty")["gain"].mean().sort_values(ascending=False).index.tolist()
    for index, (share, group) in enumerate(rows.groupby("share")):
        y = -group.difficulty.map(names.index).to_numpy(float) - 0.2 * index
        for is_significant, fill in ((True, "full"), (False, "none")):
            shown = ((group.p_adjusted <= 0.05) == is_significant).to_numpy()
            style = _style(index) | {"linestyle": "", "fillstyle": fill}
            axes.plot(group.gain[shown], y[shown], **style)
        axes.plot([], [], label=f"{share:.0%} of the segments", linestyle="", **_style(index))
    axes.axvline(0, color="black", linewidth=0.8)
    label = f"{AGREEMENT} less that of random choices"
    _label_rows(axes, -np.arange(len(names)) - 0.2, names, 7, label)
    legend_above(axes, 3)


def by_set(panels: Sequence[Axes], values: Mapping[str, pd.DataFrame]) -> None:
    """Draw heat maps of DEC (τ-b of difficulty and negated human score) by difficulty and set,
    first without, then with control for source length."""
    if not values:
        raise Missing(NO_SETS)
    rows = pd.concat([table.assign(set=name) for name, table in values.items()])
    names = list(dict.fromkeys(rows.difficulty[rows["value"].notna()]))
    for axes, (statistic, title) in zip(panels, SHOWN.items(), strict=True):
        all_domains = finite(
            rows[(rows.statistic == statistic) & (rows.domain == "")], "value", NO_VALUE
        )
        table = all_domains.pivot(index="difficulty", columns="set", values="value")
        numbers = table.reindex(index=names, columns=list(values)).to_numpy(float)
        limit = max(float(np.nanmax(np.abs(numbers))), 1e-9)
        axes.imshow(numbers, cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
        for (row, column), value in np.ndenumerate(numbers):
            if np.isfinite(value):
                text = f"{value:.2f}".replace("-", "−")
                colour = "white" if abs(value) > 0.7 * limit else "black"
                axes.text(column, row, text, ha="center", va="center", fontsize=5, color=colour)
        axes.set_xticks(range(len(values)), list(values), rotation=60, ha="right", fontsize=6)
        axes.set_yticks(range(len(names)), names, fontsize=6)
        axes.grid(visible=False)
        axes.set_title(title, fontsize=8, loc="left")


def items(panels: Sequence[Axes], tables: Mapping[str, pd.DataFrame]) -> None:
    """Draw a panel for each set: segments (`estimators.segment_rows`) by difficulty and
    discrimination in an item response model of human scores. Darker points have more residual
    variation. Panels left over are hidden."""
    for axes in panels[len(tables) :]:
        axes.set_axis_off()
    if not tables:
        raise Missing(NO_SETS)
    reason = "too few human scores for an item response model"
    for axes, (name, table) in zip(panels, tables.items(), strict=False):
        rows = finite(table, "item_difficulty", reason).sort_values("noise", kind="stable")
        drawn = axes.scatter(
            rows.item_difficulty,
            rows.discrimination,
            c=rows.noise,
            s=4,
            cmap="viridis_r",
            linewidths=0,
            rasterized=True,
        )
        axes.figure.colorbar(drawn, ax=axes, label="noise", pad=0.02)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(xlabel="difficulty (minus the expected human score)", ylabel="discrimination")
        axes.set_title(name, fontsize=8, loc="left")
