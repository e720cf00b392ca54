"""The figures of a study and of the benchmark of difficulty estimators, drawn on given axes. Each
function raises `Missing` if there is no finite value."""

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

# By the figure's name: the function that draws it on panels, and their number and size.
Style = dict[str, Any]  # keyword arguments of matplotlib
# Functions that draw on panels, and the number and size of these, by name of the plot.
Drawings = dict[str, tuple[Callable[[Any], None], Style]]

WIDTH, LEAST, ROW = 6.4, 2.2, 0.16  # inches of a study: width, height of no rows, of each row
BENCH_ROW = 0.26  # inches of a difficulty
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
    effects, pooled = tables["effects"], tables["synthesis"]
    pooled = pooled[(pooled.statistic == PRIMARY) & (pooled.phase == EVERY_PHASE)]
    effects = effects[(effects.contrast == contrast) & (effects.statistic == PRIMARY)]
    means = effects[(effects.metric == MEAN) & np.isfinite(effects.effect)]
    pairs, tuned = (tables[kind][tables[kind].contrast == contrast] for kind in ("pairs", "tuned"))
    # The forest plot shows the tier with the most sets.
    most = pooled[(pooled.contrast == contrast) & np.isfinite(pooled.effect)]
    most = most.sort_values("sets", ascending=False, kind="stable").head(1)
    shown = means[means.tier.isin(most.tier)]
    sizes = [{"size": (WIDTH, LEAST + ROW * rows)} for rows in (len(shown) + 1, len(tuned))]
    return {
        "forest": (lambda axes: forest(axes[0], shown, most), sizes[0]),
        "gain_by_tier": (lambda axes: gain_by_tier(axes[0], pooled), {"size": (7, 5)}),
        "gain_by_gap": (lambda axes: gain_by_gap(axes[0], pairs), {}),
        "tuned_and_null": (lambda axes: tuned_and_null(axes[0], tuned), sizes[1]),
    }


def drawings_of_bench(
    ranked: pd.DataFrame, chosen: pd.DataFrame, of_sets: Mapping[str, Mapping[str, pd.DataFrame]]
) -> Drawings:
    """Return drawing functions for the benchmark's figures. `ranked` and `chosen` are from
    `estimators.leaderboard` and `summarise_selection`. `of_sets` has tables by set for each of the
    kinds `values` and `segments`."""
    values, segments = of_sets["values"], of_sets["segments"]
    chosen = chosen[chosen.statistic == "soft_accuracy"]
    most = max((table.difficulty.nunique() for table in values.values()), default=1)
    high, wide = 1.4 + BENCH_ROW * max(most, 2), 1.6 + 0.42 * max(len(values), 3)
    rows = {"rows": max(1, -(-len(values) // COLUMNS)), "columns": COLUMNS}
    return {
        "leaderboard": (lambda axes: leaderboard(axes[0], ranked), {"size": (6.4, high)}),
        "by_set": (partial(by_set, values=values), {"columns": 2, "size": (wide, high + 0.8)}),
        "items": (partial(items, tables=segments), rows | {"size": (3.8, 2.8)}),
        "selection": (lambda axes: selection(axes[0], chosen), {"size": (6.4, high)}),
    }


def finite(rows: pd.DataFrame, column: str, reason: str = "no set has a value") -> pd.DataFrame:
    """Return the rows with a finite value in `column`; if none, raise `Missing` with `reason`."""
    rows = rows[np.isfinite(rows[column].astype(float))]
    if rows.empty:
        raise Missing(reason)
    return rows


def _style(which: int) -> Style:
    colour, marker = COLOURS[which % len(COLOURS)], MARKERS[which % len(MARKERS)]
    return {"color": colour, "marker": marker, "markersize": 4}


def _bars(
    axes: Axes, x: Any, rows: pd.DataFrame, value: str, which: int, label: Any, **options: Any
) -> None:
    """Plot column `value` with error bars, `low` to `high`, in colour and marker no. `which`."""
    around = [rows[value] - rows["low"], rows["high"] - rows[value]]
    axes.errorbar(x, rows[value], around, label=label, **_style(which), **options)


def _label_rows(axes: Axes, places: Any, labels: Sequence[str], size: int, label: str) -> None:
    """Label the rows (y axis) of a plot, from top to bottom, and the x axis."""
    axes.set_yticks(places, labels, fontsize=size)
    axes.set(xlabel=label, ylim=(min(places) - 1, 1))
    axes.grid(axis="y", visible=False)


def forest(axes: Axes, effects: pd.DataFrame, pooled: pd.DataFrame) -> None:
    """Draw a forest plot of one contrast, tier and statistic, a row for each set. The last row is
    the pooled effect (`synthesis.pool`), a diamond; dashed: its prediction interval."""
    rows = finite(effects, "effect").sort_values(["campaign", "pair", "gold"])
    places = -np.arange(len(rows) + 1)
    for which, (gold, group) in enumerate(rows.groupby("gold", sort=False)):
        at, style = places[:-1][(rows["gold"] == gold).to_numpy()], _style(which)
        axes.hlines(at, group["low"], group["high"], color=style["color"], linewidth=1)
        axes.plot(group["effect"], at, linestyle="", label=gold, **style)
    mean, last = pooled.iloc[0], places[-1]
    ends = [mean["prediction_low"], mean["prediction_high"]]
    axes.plot(ends, [last, last], color="black", linewidth=0.8, linestyle="--")
    x = [mean["low"], mean["effect"], mean["high"], mean["effect"]]
    axes.fill(x, np.array([0, 0.4, 0, -0.4]) + last, color="black", zorder=3)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.axvspan(-mean["margin"], mean["margin"], color="black", alpha=0.06, linewidth=0)
    labels = (rows["campaign"] + " " + rows["pair"] + ", " + rows["gold"]).tolist()
    _label_rows(axes, places, [*labels, "mean"], 6, EFFECT)
    legend_above(axes, 4)


def gain_by_tier(axes: Axes, pooled: pd.DataFrame) -> None:
    """Plot gains pooled over sets, by metric tier (x axis) and by weightings compared (colour)."""
    rows = finite(pooled, "effect")
    tiers, contrasts = (list(dict.fromkeys(rows[name])) for name in ("tier", "contrast"))
    for which, contrast in enumerate(contrasts):
        group = rows[rows["contrast"] == contrast]
        shift = (which - (len(contrasts) - 1) / 2) * 0.7 / len(contrasts)
        places = group["tier"].map(tiers.index) + shift
        _bars(axes, places, group, "effect", which, contrast, linestyle="", elinewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(tiers)), tiers)
    axes.set(xlabel="metrics", ylabel=EFFECT)
    legend_above(axes, 4)


def gain_by_gap(axes: Axes, pairs: pd.DataFrame) -> None:
    """Draw the gain in pairs of systems ordered as by human scores, by fifths of the gap between
    human scores. A line is a tier; `pairs` are rows of one contrast from `synthesis.pair_model`."""
    rows = finite(pairs[pairs["kind"] == "quintile"], "estimate", "no pairs of systems have a gain")
    tiers = rows["tier"].nunique()
    for which, (tier, group) in enumerate(rows.groupby("tier", sort=False)):
        places = group["gap"] + (which - (tiers - 1) / 2) * 0.02
        _bars(axes, places, group, "estimate", which, tier, linewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("gap between human scores (standard deviations over systems)")
    axes.set_ylabel("gain in pairs ordered as by people")
    legend_above(axes, 4)


def tuned_and_null(axes: Axes, tuned: pd.DataFrame) -> None:
    """Draw values tuned on their own human scores beside random difficulties tuned in the same way.
    `tuned` is `study/tuned.csv`, a row for each set and metric."""
    rows = finite(tuned, "value", "no value is tuned on its own human scores")
    places = -np.arange(len(rows))
    axes.hlines(
        places,
        rows["null_low"],
        rows["null_high"],
        color=COLOURS[5],
        linewidth=4,
        label="tuned null, 95 %",
    )
    for which, (column, label) in enumerate(TUNED.items()):
        axes.plot(rows[column], places, linestyle="", **_style(which), label=label)
    labels = (rows["set"] + ", " + rows["metric"]).tolist()
    _label_rows(axes, places, labels, 6, "Pearson's r with human scores")
    legend_above(axes, 4)


def leaderboard(axes: Axes, ranked: pd.DataFrame) -> None:
    """Draw DEC with intervals, without and with control for source length. Each difficulty has a
    row, in the order of `ranked` (`estimators.leaderboard`)."""
    rows = ranked[np.isfinite(ranked["value"])]
    first = finite(rows[rows.statistic == DEC], "value", NO_VALUE)
    names = first.difficulty.tolist()
    for which, (statistic, label) in enumerate(SHOWN.items()):
        group = rows[(rows.statistic == statistic) & rows.difficulty.isin(names)]
        places = -group.difficulty.map(names.index).to_numpy(float) - 0.24 * which
        axes.hlines(places, group.low, group.high, color=COLOURS[which], linewidth=1)
        axes.plot(group["value"], places, linestyle="", label=label, **_style(which))
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
    for which, (share, group) in enumerate(rows.groupby("share")):
        places = -group.difficulty.map(names.index).to_numpy(float) - 0.2 * which
        for sure, fill in ((True, "full"), (False, "none")):
            shown = ((group.p_adjusted <= 0.05) == sure).to_numpy()
            style = _style(which) | {"linestyle": "", "fillstyle": fill}
            axes.plot(group.gain[shown], places[shown], **style)
        axes.plot([], [], label=f"{share:.0%} of the segments", linestyle="", **_style(which))
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
        whole = finite(rows[(rows.statistic == statistic) & (rows.domain == "")], "value", NO_VALUE)
        table = whole.pivot(index="difficulty", columns="set", values="value")
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
