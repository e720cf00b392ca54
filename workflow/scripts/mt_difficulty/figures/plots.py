"""The figures of sets and papers, drawn on given axes, so that papers and set pages share them."""

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..difficulty.base import deviation
from ..errors import Missing
from ..evidence.subsets import CORRELATIONS, row_label
from ..weighting.fitted import TUNED, TUNED_NOTE, WeightingLabel

# Okabe & Ito's colours, which colour-blind readers distinguish; one per metric.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = "os^Dv<>"
RC = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titley": 1.0,  # fixed, or each file computes the positions of titles again
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.alpha": 0.3,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "mt-difficulty",
    "text.parse_math": False,  # a name may hold dollar signs
}
AXES = dict(zip(CORRELATIONS, ("Pearson's r", "Kendall's τ", "Spearman's ρ"), strict=True))
MOST_TICKS = 12  # of an axis with numbers of systems
NO_TOKENS = "the references have no tokens"
UNITS = {"segment": "segment", "hypothesis": "hypothesis", "token": "reference token"}
BINS = 20  # of about as many hypotheses
# Difficulties of at most this standard deviation, relative to their mean, differ by rounding alone.
EQUAL = 1e-9
# Marker and size by kind of parameters. Shapes can be told apart in grey and when they overlap.
MARKS = {"in force": ("o", 11), "equations": ("s", 5), "optimum": ("*", 12)}


def legend_above(axes: Axes, columns: int) -> None:
    """Draw the legend above the axes, where it hides no data."""
    axes.legend(fontsize=7, ncols=columns, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)


@contextmanager
def or_reason(axes: Axes) -> Iterator[None]:
    """In a `with` block, catch `Missing` (result not computable); write its reason on the axes."""
    try:
        yield
    except Missing as reason:
        write_reason(axes, str(reason))


def write_reason(axes: Axes, reason: str) -> None:
    """Write on empty axes why there is nothing to draw."""
    text = "\n".join(textwrap.wrap(f"not computable: {reason}", 42))
    axes.text(0.5, 0.5, text, fontsize=8, ha="center", va="center", transform=axes.transAxes)
    axes.set(xticks=[], yticks=[])


def bin_means(
    difficulty: np.ndarray, scores: np.ndarray, width: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bin hypotheses by difficulty.

    Parameters
    ----------
    difficulty : ndarray of shape (systems, segments)
        Hypotheses of infinite or NaN difficulty are left out; at least one is finite.
    scores : ndarray of shape (systems, segments)
        Segment scores.
    width : float, optional
        Width of a bin. Bins are centred at 0, ±width, ±2·width, … Without it, bins are separated by
        BINS − 1 quantiles.

    Returns
    -------
    x : ndarray of shape (bins,)
        Centres of the bins; without `width`, mean difficulties. Empty bins are left out.
    means : ndarray of shape (bins,)
        Mean scores.
    counts : ndarray of int, shape (bins,)
        Numbers of hypotheses.
    """
    is_finite = np.isfinite(difficulty)
    values = difficulty[is_finite]
    finite_scores = scores[is_finite]
    if width:
        bins = np.floor(values / width + 0.5).astype(int)
    else:
        borders = np.quantile(values, np.arange(1, BINS) / BINS)
        bins = np.searchsorted(borders, values, side="right")
    occupied, index, counts = np.unique(bins, return_inverse=True, return_counts=True)
    means = np.bincount(index, finite_scores) / counts
    x = occupied * width if width else np.bincount(index, values) / counts
    return x, means, counts


def linear_fit(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the fitted y and r of a linear fit: NaN below two points; r NaN for constant y."""
    if len(x) < 2:
        return np.full(len(x), np.nan), np.nan
    # Squares of probabilities such as 1e-310 would be 0. A power of 2 changes no digit.
    _, exponent = np.frexp(np.abs(x).max())
    scaled = np.ldexp(x, -exponent)
    slope, intercept = np.polyfit(scaled, y, 1)
    r = np.nan if np.ptp(y) == 0 else np.corrcoef(scaled, y)[0, 1]
    return slope * scaled + intercept, r


def axis_label(name: str, difficulty: Mapping[str, Any], *, mean: bool = False) -> str:
    """Return an axis label for a difficulty, such as `chunk entropy of the hypothesis`.

    Parameters
    ----------
    name : str
        Name of the difficulty.
    difficulty : mapping
        Its entry in `weightings.json`.
    mean : bool
        Whether values are means over systems.

    Returns
    -------
    str
    """
    label = f"{name.replace('_', ' ')} of the {UNITS[difficulty['unit']]}"
    if mean:
        label = f"mean {name.replace('_', ' ')} of the {UNITS['segment']}"
    return f"{label} (from human scores)" if difficulty["uses_gold"] else label


def draw_difficulty_scores(
    axes: Axes,
    difficulty: np.ndarray,
    scores: np.ndarray,
    metric: str,
    label: str,
    width: float | None = None,
) -> float:
    """Draw the mean segment score by difficulty with a linear fit (Liu et al., Figure 1).

    Parameters
    ----------
    axes : Axes
        The panel.
    difficulty, scores : ndarray of shape (systems, segments)
        Difficulties of hypotheses and their segment scores.
    metric : str
        Name of the metric.
    label : str
        Axis label of the difficulty.
    width : float, optional
        Width of a bin (`bin_means`).

    Returns
    -------
    float
        r of the fit; NaN if all difficulties or means are equal.

    Raises
    ------
    Missing
        No difficulty is finite.
    """
    if not np.isfinite(difficulty).any():
        raise Missing(f"the {label} is finite nowhere")
    x, means, counts = bin_means(difficulty, scores, width)
    fitted, r = linear_fit(x, means)
    axes.scatter(x, means, s=12 + 60 * counts / counts.max(), color=COLOURS[0], zorder=3)
    if len(counts) == 1:
        fit = "no linear fit: one value of difficulty"
    elif np.isnan(r):
        fit = "linear fit, equal scores"
    else:
        fit = f"linear fit, r = {r:.3f}".replace("-", "−")
    axes.plot(x, fitted, color=COLOURS[1])
    axes.set(xlabel=label, ylabel=f"mean segment {metric}")
    axes.set_title(f"{metric} by {label}\n{fit}", fontsize=8, loc="left")
    return r


def top_k_title(name: str, labels: Sequence[WeightingLabel], statistic: str = "pearson") -> str:
    """Return the title of a plot over the K best systems of a set; if a weighting is tuned, also
    what its mark § means."""
    title = f"{name}: {AXES[statistic]} over the K best systems"
    if any(label.tuned for label in labels):
        title += "\n" + textwrap.fill(TUNED_NOTE, 90)
    return title


def draw_top_k(
    axes: Axes,
    correlations: pd.DataFrame,
    metrics: Sequence[str],
    title: str,
    labels: Sequence[WeightingLabel],
    statistic: str = "pearson",
) -> None:
    """Draw a correlation over the K best systems, for falling K (Liu et al., Figure 3; Zhan et al.,
    Figure 2), a line for each metric and weighting.

    Parameters
    ----------
    axes : Axes
        The panel.
    correlations : DataFrame
        The table `correlations.csv`.
    metrics : sequence of str
        Names of metrics.
    title : str
        Title of the panel.
    labels : sequence of WeightingLabel
        Weightings.
    statistic : str
        Name of the correlation.

    Raises
    ------
    Missing
        There are no correlations.
    """
    top = correlations[correlations.subset == "top"]
    if top.empty:
        raise Missing("no metric has scores")
    for index, metric in enumerate(metrics):
        for label in labels:
            rows = top[(top.metric == metric) & (top.weighting == label.name)]
            if rows.empty:
                continue
            axes.plot(
                rows["size"],
                rows[statistic],
                color=COLOURS[index % len(COLOURS)],
                marker=MARKERS[index % len(MARKERS)],
                markersize=3.5,
                clip_on=False,
                label=row_label({"metric": metric, "weighting": label.name}) + label.mark,
                linestyle=(0, label.dash) if label.dash else "-",
                fillstyle="full" if label.filled else "none",
            )
    low, high = axes.get_ylim()
    if low < 0 < high:
        axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="K best systems by human score", ylabel=AXES[statistic])
    sizes = sorted(set(top["size"]))
    step = math.ceil(len(sizes) / MOST_TICKS)
    axes.set_xticks(sizes[::step])
    axes.invert_xaxis()
    axes.set_title(title, fontsize=8, loc="left")
    axes.legend(
        fontsize=7, handlelength=4, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False
    )


def draw_segment_difficulties(axes: Axes, means: np.ndarray, label: str, title: str = "") -> None:
    """Draw the distribution of mean segment difficulties, with N(μ, σ) and its tails beyond 2σ (Liu
    et al., Figure 4).

    Parameters
    ----------
    axes : Axes
        The panel.
    means : ndarray of shape (segments,)
        Finite mean difficulties.
    label : str
        Axis label of the difficulty.
    title : str
        First line of the title; without it, that the panel shows a distribution.

    Raises
    ------
    Missing
        There are no segments.
    """
    if not means.size:
        raise Missing(f"no {label} counts: each is infinite, or dropped as 0")
    mu = means.mean()
    sigma = deviation(means)
    differ = sigma > EQUAL * abs(mu)
    axes.hist(means if differ else means[:1], bins=40, density=True, color=COLOURS[5], alpha=0.6)
    if differ:
        x = np.linspace(min(means.min(), mu - 3 * sigma), max(means.max(), mu + 3 * sigma), 300)
        density = np.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        axes.plot(x, density, color=COLOURS[0])
        for tail in (x <= mu - 2 * sigma, x >= mu + 2 * sigma):
            axes.fill_between(x[tail], density[tail], color=COLOURS[1], alpha=0.5)
    axes.axvline(mu + 2 * sigma, color=COLOURS[1], linewidth=1)
    shown = title or f"distribution of {label}"
    text = f"{shown}\nμ = {mu:.3f}, σ = {sigma:.3f}, μ + 2σ = {mu + 2 * sigma:.3f}"
    axes.set_title(text, fontsize=8, loc="left")
    axes.set(xlabel=label, ylabel="density")


def draw_token_difficulties(axes: Axes, difficulties: dict[str, np.ndarray], label: str) -> None:
    """Draw densities of token difficulties (Zhan et al., Figure 3).

    Parameters
    ----------
    axes : Axes
        The panel.
    difficulties : dict of str to ndarray of shape (tokens,)
        Difficulties by name of the line.
    label : str
        Axis label of the difficulty.

    Raises
    ------
    Missing
        There are no tokens.
    """
    tokens = np.concatenate(list(difficulties.values()))
    if not tokens.size:
        raise Missing(NO_TOKENS)
    low, high = np.quantile(tokens, [0, 0.999])
    for colour, (name, values) in zip(COLOURS, difficulties.items(), strict=False):
        axes.hist(
            values,
            color=colour,
            label=name,
            bins=60,
            range=(low, high),
            density=True,
            histtype="step",
        )
    axes.set(xlabel=label, ylabel="density")
    axes.set_title(f"distribution of {label}", fontsize=8, loc="left")
    if len(difficulties) > 1:
        axes.legend()


def draw_balance_fit(axes: Axes, points: dict[str, tuple[float, float]], difficulty: str) -> float:
    """Draw the two sides of Eq. 10 for each set, and the line of Eq. 11 (Liu et al., Figure 5).

    Parameters
    ----------
    axes : Axes
        The panel.
    points : dict of str to (float, float)
        R_H and (1−w)·R_N/w by set.
    difficulty : str
        Name of the difficulty.

    Returns
    -------
    float
        r of the points; NaN for fewer than three.
    """
    x, y = np.array([*points.values()]).reshape(-1, 2).T
    span = np.linspace(0, max([10, *x * 1.2]), 50)
    axes.plot(span, 9.62 * span - 22.23, color=COLOURS[1], label="Eq. 11: 9.62 R_H − 22.23")
    axes.scatter(x, y, color=COLOURS[0], zorder=3)
    for name, point in points.items():
        axes.annotate(name, point, xytext=(4, 4), textcoords="offset points", fontsize=8)
    label = f"ratio of total {difficulty.replace('_', ' ')}, easy to difficult (R_H)"
    axes.set(xlabel=label, ylabel="(1 − w) R_N / w")
    axes.legend()
    return linear_fit(x, y)[1] if len(x) > 2 else np.nan


def draw_surfaces(
    panels: Sequence[Axes], grid: Mapping[str, np.ndarray], points: pd.DataFrame
) -> None:
    """Draw a panel (`draw_surface`) for each metric and weighting of a grid, with one legend.

    Parameters
    ----------
    panels : sequence of Axes
        Panels; those left over stay empty.
    grid : mapping of str to ndarray
        Arrays of `surface.npz`.
    points : DataFrame
        The table `parameters.csv`.
    """
    handles: dict[Any, Any] = {}
    for index, axes in enumerate(panels):
        if index >= len(grid["metrics"]):
            axes.set_axis_off()
            continue
        metric, weighting = grid["metrics"][index], grid["weightings"][index]
        title = row_label({"metric": metric, "weighting": weighting})
        of_panel = points[(points.metric == metric) & (points.weighting == weighting)]
        with or_reason(axes):
            draw_surface(axes, grid, index, title, of_panel)
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles[label] = handle
    figure: Any = panels[0].figure
    title = f"white line: r of the unweighted metric; {TUNED} tuned on this set"
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=len(MARKS),
        title=title,
    )


def draw_surface(
    axes: Axes, grid: Mapping[str, np.ndarray], index: int, title: str, points: pd.DataFrame
) -> None:
    """Draw Pearson's r by threshold (a quantile of difficulty) and easy weight w.

    A white line marks r of the unweighted metric, the grid's point (0, 0). Points where a group is
    empty (NaN) stay white.

    Parameters
    ----------
    axes : Axes
        The panel.
    grid : mapping of str to ndarray
        Arrays of `surface.npz`.
    index : int
        Index of the metric and weighting in the grid.
    title : str
        Title of the panel.
    points : DataFrame
        Rows of `parameters.csv`. Those that are named in MARKS are drawn if they lie inside.

    Raises
    ------
    Missing
        No r is finite.
    """
    quantiles = grid["quantiles"]
    w = grid["w"]
    pearson = grid["correlations"][index][0]
    if not np.isfinite(pearson).any():
        raise Missing(f"{title}: constant scores, or no difficult or easy hypotheses")
    # At w = 1 the difficult hypotheses, and so higher thresholds, do not matter.
    last = quantiles[np.isfinite(pearson[:, :-1]).any(axis=1)].max(initial=quantiles[1])
    # Thresholds with hardly any difficult hypothesis must not take all colours.
    image = axes.pcolormesh(
        quantiles, w, pearson.T, cmap="cividis", vmin=np.nanquantile(pearson, 0.1), rasterized=True
    )
    axes.figure.colorbar(image, ax=axes, label="Pearson's r", extend="min")
    if np.nanmin(pearson) < pearson[0, 0] < np.nanmax(pearson):
        axes.contour(quantiles, w, pearson.T, [pearson[0, 0]], colors="white", linewidths=0.9)
    for name, (marker, size) in MARKS.items():
        point: Any
        for point in points[points.parameters == name].itertuples():
            if 0 <= point.quantile <= last and 0 <= point.w <= 1:
                axes.plot(
                    point.quantile,
                    point.w,
                    marker,
                    clip_on=False,
                    color="white",
                    markeredgecolor="black",
                    linestyle="none",
                    label=f"{name}{TUNED}" if point.tuned == "yes" else name,
                    markersize=size,
                )
    name = points.difficulty.iloc[0].replace("_", " ")
    axes.set(xlim=(0, last), ylim=(0, 1), ylabel="easy weight w")
    axes.set_xlabel(f"threshold, a quantile of {name}")
    axes.grid(visible=False)
    axes.set_title(title, fontsize=8, loc="left")
