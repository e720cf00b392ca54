"""The figures of a study, drawn on given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import Missing
from .plots import COLOURS, MARKERS

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


def forest_size(rows: pd.DataFrame) -> tuple[float, float]:
    """Width and height in inches of a forest plot, or of `tuned_and_null`: a line per row, and one
    per campaign where rows have one."""
    heads = rows["campaign"].nunique() if "campaign" in rows else 0
    return WIDTH, LEAST + ROW * (len(rows) + heads)


def forest(axes: Axes, effects: pd.DataFrame, pooled: pd.Series) -> None:
    """Forest plot of one contrast, tier and statistic.

    Parameters
    ----------
    axes : Axes
    effects : DataFrame
        A row per set and gold, with `campaign`, `pair`, `gold`, `statistic`, `effect`, `low`,
        `high`. A row without a value is listed without a mark.
    pooled : Series
        The row of `synthesis.pool`: a diamond over `low` to `high`, and a line over the prediction
        interval.

    Raises
    ------
    Missing
        No effect is finite.
    """
    if not np.isfinite(effects["effect"]).any():
        raise Missing(NONE)
    golds = list(dict.fromkeys(effects["gold"]))
    labels, place = [], 0
    for campaign, group in effects.groupby("campaign", sort=True):
        labels.append((place, str(campaign), True))
        for row in group.sort_values(["pair", "gold"]).itertuples():
            place -= 1
            labels.append((place, f"{row.pair}, {row.gold}", False))
            which = golds.index(row.gold)
            _mark(axes, row, place, which)
        place -= 1
    _diamond(axes, pooled, place)
    labels.append((place, "mean", True))
    axes.axvline(0, color="black", linewidth=0.8)
    axes.axvspan(-pooled["margin"], pooled["margin"], color="black", alpha=0.06, linewidth=0)
    axes.set_yticks([each[0] for each in labels], [each[1] for each in labels], fontsize=6)
    for tick, (_, _, bold) in zip(axes.get_yticklabels(), labels, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
    axes.set(xlabel=EFFECT.format(STATISTICS[effects["statistic"].iloc[0]]), ylim=(place - 1, 1))
    axes.grid(axis="y", visible=False)
    for which, gold in enumerate(golds):
        axes.plot([], [], linestyle="", **_style(which), label=gold)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Above the axes, where it hides no mark."""
    axes.legend(fontsize=7, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)


def _style(which: int) -> dict:
    return {
        "color": COLOURS[which % len(COLOURS)],
        "marker": MARKERS[which % len(MARKERS)],
        "markersize": 4,
    }


def _mark(axes: Axes, row: tuple, place: float, which: int) -> None:
    """An effect with its interval; nothing without a value."""
    axes.plot(row.effect, place, linestyle="", **_style(which), zorder=3)  # type: ignore[attr-defined]
    ends = [row.low, row.high]  # type: ignore[attr-defined]
    axes.plot(ends, [place, place], color=COLOURS[which % len(COLOURS)], linewidth=1)


def _diamond(axes: Axes, pooled: pd.Series, place: float) -> None:
    low, mean, high = pooled["low"], pooled["effect"], pooled["high"]
    ends = [pooled["prediction_low"], pooled["prediction_high"]]
    axes.plot(ends, [place, place], color="black", linewidth=0.8, linestyle="--")
    axes.fill([low, mean, high, mean], np.array([0, 0.4, 0, -0.4]) + place, color="black", zorder=3)


def gain_by_tier(axes: Axes, pooled: pd.DataFrame) -> None:
    """Pooled effects with intervals by tier, a mark per contrast.

    Parameters
    ----------
    axes : Axes
    pooled : DataFrame
        Rows of `synthesis.pool`, of one statistic and phase.

    Raises
    ------
    Missing
        No effect is finite.
    """
    rows = pooled[np.isfinite(pooled["effect"])]
    if rows.empty:
        raise Missing(NONE)
    tiers = list(dict.fromkeys(rows["tier"]))
    contrasts = list(dict.fromkeys(rows["contrast"]))
    for which, contrast in enumerate(contrasts):
        own = rows[rows["contrast"] == contrast]
        shift = (which - (len(contrasts) - 1) / 2) * 0.7 / len(contrasts)
        places = np.array([tiers.index(tier) for tier in own["tier"]]) + shift
        around = [own["effect"] - own["low"], own["high"] - own["effect"]]
        axes.errorbar(
            places,
            own["effect"],
            around,
            linestyle="",
            elinewidth=1,
            **_style(which),
            label=contrast,
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(tiers)), tiers)
    axes.set(xlabel="metrics", ylabel=EFFECT.format(STATISTICS[rows["statistic"].iloc[0]]))
    _legend(axes)


def gain_by_gap(axes: Axes, pairs: pd.DataFrame) -> None:
    """Mean gain in fifths of the gap between human scores, a line per tier.

    Parameters
    ----------
    axes : Axes
    pairs : DataFrame
        Rows of one contrast from `pair_model`.

    Raises
    ------
    Missing
        No fifth has a gain.
    """
    rows = pairs[(pairs["kind"] == "quintile") & np.isfinite(pairs["estimate"])]
    if rows.empty:
        raise Missing("no pairs of systems have a gain")
    tiers = list(dict.fromkeys(rows["tier"]))
    for which, (tier, own) in enumerate(rows.groupby("tier", sort=False)):
        around = [own["estimate"] - own["low"], own["high"] - own["estimate"]]
        shift = (which - (len(tiers) - 1) / 2) * 0.02
        axes.errorbar(
            own["gap"] + shift, own["estimate"], around, linewidth=1, label=tier, **_style(which)
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(
        xlabel="gap between human scores (standard deviations over systems)",
        ylabel="gain in pairs ordered as by people",
    )
    _legend(axes)


def gain_by_effective_size(axes: Axes, effects: pd.DataFrame) -> None:
    """Effects of sets against the share of segments that the weights leave (Kish's n_eff / n), a
    mark per contrast.

    Parameters
    ----------
    axes : Axes
    effects : DataFrame
        Rows of one statistic, with `contrast`, `segments`, `effective_segments`, `effect`, `low`,
        `high`.

    Raises
    ------
    Missing
        No effect is finite.
    """
    rows = effects[np.isfinite(effects["effect"]) & np.isfinite(effects["effective_segments"])]
    if rows.empty:
        raise Missing(NONE)
    for which, (contrast, own) in enumerate(rows.groupby("contrast", sort=False)):
        around = [own["effect"] - own["low"], own["high"] - own["effect"]]
        axes.errorbar(
            own["effective_segments"] / own["segments"],
            own["effect"],
            around,
            linestyle="",
            elinewidth=0.5,
            alpha=0.7,
            label=contrast,
            **_style(which),
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(
        xlabel="effective segments / segments",
        ylabel=EFFECT.format(STATISTICS[rows["statistic"].iloc[0]]),
    )
    _legend(axes)


def tuned_and_null(axes: Axes, tuned: pd.DataFrame) -> None:
    """Values tuned on their own human scores, beside random difficulties tuned in the same way.

    Parameters
    ----------
    axes : Axes
    tuned : DataFrame
        A row per set and metric, with `set`, `metric`, `plain`, `value`, and `null_mean`,
        `null_low`, `null_high` of the tuned null.

    Raises
    ------
    Missing
        No value is finite.
    """
    rows = tuned[np.isfinite(tuned["value"])]
    if rows.empty:
        raise Missing("no value is tuned on its own human scores")
    places = -np.arange(len(rows))
    axes.hlines(places, rows["null_low"], rows["null_high"], color=COLOURS[5], linewidth=4)
    for which, (column, label) in enumerate(_TUNED.items()):
        axes.plot(rows[column], places, linestyle="", **_style(which), label=label)
    axes.plot([], [], color=COLOURS[5], linewidth=4, label="tuned null, 95 %")
    axes.set_yticks(places, [f"{row.set}, {row.metric}" for row in rows.itertuples()], fontsize=6)
    axes.set(xlabel="Pearson's r with human scores", ylim=(places[-1] - 1, 1))
    _legend(axes)


_TUNED = {"value": "tuned", "null_mean": "tuned null, mean", "plain": "unweighted metric"}
