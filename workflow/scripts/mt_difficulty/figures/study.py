"""The figures of a study, drawn on given axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Missing
from ..evidence.study import MEAN, PRIMARY, overall
from .plots import COLOURS, MARKERS, legend_above

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

WIDTH, LEAST, ROW = 6.4, 2.2, 0.16  # inches: width, height of no rows, and of each row
NONE = "no set has a value"
EFFECT = "change of {}"
STATISTICS = {
    "soft_accuracy": "soft pairwise accuracy",
    "accuracy": "pairwise accuracy",
    "kendall": "Kendall's τ",
    "pearson": "Pearson's r",
}
TUNED = {"value": "tuned", "null_mean": "tuned null, mean", "plain": "unweighted metric"}


def drawings(
    tables: Mapping[str, pd.DataFrame], contrast: str
) -> dict[str, tuple[Callable[[Any], None], dict[str, Any]]]:
    """The figures of a study, those of one contrast of this one: by name, what draws it on
    panels, and its size; `tables` are `effects`, `synthesis`, `pairs` and `tuned` of the study."""
    effects, pooled = tables["effects"], overall(tables["synthesis"])
    effects = effects[(effects.contrast == contrast) & (effects.statistic == PRIMARY)]
    means = effects[(effects.metric == MEAN) & np.isfinite(effects.effect)]
    pairs, tuned = (tables[kind][tables[kind].contrast == contrast] for kind in ("pairs", "tuned"))
    # The forest plot is of the tier that most sets have.
    most = pooled[(pooled.contrast == contrast) & np.isfinite(pooled.effect)]
    most = most.sort_values("sets", ascending=False, kind="stable").head(1)
    shown = means[means.tier.isin(most.tier)]
    lines = len(shown) + shown["campaign"].nunique()
    sizes = [{"size": _size(rows)} for rows in (lines, len(tuned))]
    return {
        "forest": (lambda axes: forest(axes[0], shown, most), sizes[0]),
        "gain_by_tier": (lambda axes: gain_by_tier(axes[0], pooled), {"size": (7, 5)}),
        "gain_by_gap": (lambda axes: gain_by_gap(axes[0], pairs), {}),
        "gain_by_effective_size": (lambda axes: gain_by_effective_size(axes[0], means), {}),
        "tuned_and_null": (lambda axes: tuned_and_null(axes[0], tuned), sizes[1]),
    }


def _size(lines: int) -> tuple[float, float]:
    """Width and height in inches of a figure with a line for each row."""
    return WIDTH, LEAST + ROW * lines


def forest(axes: Axes, effects: pd.DataFrame, pooled: pd.DataFrame) -> None:
    """Forest plot of one contrast, tier and statistic: a row per set and gold with an interval
    (without a value it has no mark), and the row of `synthesis.pool`: a diamond over `low` to
    `high`, and a line over the prediction interval. Raises `Missing` without a finite effect."""
    if not np.isfinite(effects["effect"]).any():
        raise Missing(NONE)
    golds = list(dict.fromkeys(effects["gold"]))
    labels, place = [], 0
    for campaign, group in effects.groupby("campaign", sort=True):
        labels.append((place, str(campaign), True))
        for row in group.sort_values(["pair", "gold"]).to_dict("records"):
            place -= 1
            labels.append((place, f"{row['pair']}, {row['gold']}", False))
            style = _style(golds.index(row["gold"]))
            axes.plot(row["effect"], place, linestyle="", **style, zorder=3)
            ends = [row["low"], row["high"]]
            axes.plot(ends, [place, place], color=style["color"], linewidth=1)
        place -= 1
    mean = pooled.iloc[0]
    ends = [mean["prediction_low"], mean["prediction_high"]]
    axes.plot(ends, [place, place], color="black", linewidth=0.8, linestyle="--")
    x = [mean["low"], mean["effect"], mean["high"], mean["effect"]]
    axes.fill(x, np.array([0, 0.4, 0, -0.4]) + place, color="black", zorder=3)
    labels.append((place, "mean", True))
    axes.axvline(0, color="black", linewidth=0.8)
    axes.axvspan(-mean["margin"], mean["margin"], color="black", alpha=0.06, linewidth=0)
    axes.set_yticks([each[0] for each in labels], [each[1] for each in labels], fontsize=6)
    for tick, (_, _, bold) in zip(axes.get_yticklabels(), labels, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
    axes.set(xlabel=EFFECT.format(STATISTICS[effects["statistic"].iloc[0]]), ylim=(place - 1, 1))
    axes.grid(axis="y", visible=False)
    for which, gold in enumerate(golds):
        axes.plot([], [], linestyle="", **_style(which), label=gold)
    legend_above(axes, 4)


def _style(which: int) -> dict[str, Any]:
    colour, marker = COLOURS[which % len(COLOURS)], MARKERS[which % len(MARKERS)]
    return {"color": colour, "marker": marker, "markersize": 4}


def _bars(
    axes: Axes, x: Any, rows: pd.DataFrame, value: str, which: int, label: Any, **options: Any
) -> None:
    """Values with their intervals."""
    around = [rows[value] - rows["low"], rows["high"] - rows[value]]
    axes.errorbar(x, rows[value], around, label=label, **_style(which), **options)


def gain_by_tier(axes: Axes, pooled: pd.DataFrame) -> None:
    """Pooled effects (rows of `synthesis.pool`, of one statistic and phase) with intervals by tier,
    a mark per contrast. Raises `Missing` without a finite effect."""
    rows = pooled[np.isfinite(pooled["effect"])]
    if rows.empty:
        raise Missing(NONE)
    tiers = list(dict.fromkeys(rows["tier"]))
    contrasts = list(dict.fromkeys(rows["contrast"]))
    for which, contrast in enumerate(contrasts):
        group = rows[rows["contrast"] == contrast]
        shift = (which - (len(contrasts) - 1) / 2) * 0.7 / len(contrasts)
        places = np.array([tiers.index(tier) for tier in group["tier"]]) + shift
        _bars(axes, places, group, "effect", which, contrast, linestyle="", elinewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(tiers)), tiers)
    axes.set(xlabel="metrics", ylabel=EFFECT.format(STATISTICS[rows["statistic"].iloc[0]]))
    legend_above(axes, 4)


def gain_by_gap(axes: Axes, pairs: pd.DataFrame) -> None:
    """Mean gain in fifths of the gap between human scores, a line per tier; `pairs` are rows of one
    contrast from `pair_model`. Raises `Missing` without a gain."""
    rows = pairs[(pairs["kind"] == "quintile") & np.isfinite(pairs["estimate"])]
    if rows.empty:
        raise Missing("no pairs of systems have a gain")
    tiers = rows["tier"].nunique()
    for which, (tier, group) in enumerate(rows.groupby("tier", sort=False)):
        places = group["gap"] + (which - (tiers - 1) / 2) * 0.02
        _bars(axes, places, group, "estimate", which, tier, linewidth=1)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(
        xlabel="gap between human scores (standard deviations over systems)",
        ylabel="gain in pairs ordered as by people",
    )
    legend_above(axes, 4)


def gain_by_effective_size(axes: Axes, effects: pd.DataFrame) -> None:
    """Effects of sets, of one statistic, against the share of segments that the weights leave
    (Kish's n_eff / n), a mark per contrast. Raises `Missing` without a finite effect."""
    rows = effects[np.isfinite(effects["effect"]) & np.isfinite(effects["effective_segments"])]
    if rows.empty:
        raise Missing(NONE)
    options: dict[str, Any] = {"linestyle": "", "elinewidth": 0.5, "alpha": 0.7}
    for which, (contrast, group) in enumerate(rows.groupby("contrast", sort=False)):
        shares = group["effective_segments"] / group["segments"]
        _bars(axes, shares, group, "effect", which, contrast, **options)
    axes.axhline(0, color="black", linewidth=0.8)
    ylabel = EFFECT.format(STATISTICS[rows["statistic"].iloc[0]])
    axes.set(xlabel="effective segments / segments", ylabel=ylabel)
    legend_above(axes, 4)


def tuned_and_null(axes: Axes, tuned: pd.DataFrame) -> None:
    """Values tuned on their own human scores, a row per set and metric as `study.TUNED`, beside
    random difficulties tuned in the same way. Raises `Missing` without a finite value."""
    rows = tuned[np.isfinite(tuned["value"])]
    if rows.empty:
        raise Missing("no value is tuned on its own human scores")
    places = -np.arange(len(rows))
    axes.hlines(places, rows["null_low"], rows["null_high"], color=COLOURS[5], linewidth=4)
    for which, (column, label) in enumerate(TUNED.items()):
        axes.plot(rows[column], places, linestyle="", **_style(which), label=label)
    axes.plot([], [], color=COLOURS[5], linewidth=4, label="tuned null, 95 %")
    axes.set_yticks(places, [f"{row.set}, {row.metric}" for row in rows.itertuples()], fontsize=6)
    axes.set(xlabel="Pearson's r with human scores", ylim=(places[-1] - 1, 1))
    legend_above(axes, 4)
