"""Correlations of a weighting in two groups over all thresholds and easy weights, drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..evidence.labels import TUNED
from .plots import draw_reason, in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches around each panel, and for the legend.
LEFT, RIGHT, ABOVE, BELOW, LEGEND = 0.6, 0.85, 0.3, 0.5, 0.5
# Marker and size: distinct by shape, in grey and where one lies on another.
MARKS = {"in force": ("o", 11), "equations": ("s", 5), "optimum": ("*", 12)}


class Surface(NamedTuple):
    """Pearson's r of a metric under a weighting, (quantiles, w), and points of it.

    `difficulty` is the name of the weighting's, `points` has (quantile, w) by the name of the
    parameters: those of MARKS are drawn. `tuned` are the names of points that were chosen with the
    human scores of the set.
    """

    title: str
    difficulty: str
    pearson: np.ndarray
    points: dict[str, tuple[float, float]]
    tuned: Collection[str] = ()


def draw_surfaces(
    panels: Sequence[Axes], quantiles: np.ndarray, w: np.ndarray, surfaces: Sequence[Surface]
) -> None:
    """A panel for each surface and a legend for all, in a figure without a layout engine.

    Parameters
    ----------
    panels : sequence of axes
        At least as many as surfaces; the others stay empty.
    quantiles, w : ndarray
        The grid.
    surfaces : sequence of Surface
    """
    figure: Any = panels[0].figure
    for axes, surface in zip(panels, surfaces, strict=False):
        draw_surface(axes, quantiles, w, surface)
    for axes in panels[len(surfaces) :]:
        axes.set_axis_off()
    marked: dict[Any, Any] = {}
    for axes in panels:
        marked |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(
        marked.values(),
        marked.keys(),
        loc="lower center",
        ncols=len(MARKS),
        title=f"white line: r of the unweighted metric; {TUNED} tuned on this set",
    )
    # All panels are alike: measuring their texts would take half of the time.
    grid: Any = panels[0].get_gridspec()
    rows, columns = grid.get_geometry()
    width, height = figure.get_size_inches()
    inside = width / columns - LEFT - RIGHT, (height - LEGEND) / rows - BELOW - ABOVE
    figure.subplots_adjust(
        left=LEFT / width,
        right=1 - RIGHT / width,
        bottom=(LEGEND + BELOW) / height,
        top=1 - ABOVE / height,
        wspace=(LEFT + RIGHT) / inside[0],
        hspace=(BELOW + ABOVE) / inside[1],
    )


def draw_surface(axes: Axes, quantiles: np.ndarray, w: np.ndarray, surface: Surface) -> None:
    """Pearson's r over the threshold, as a quantile of the difficulty, and the easy weight w, with
    a line where it is that of the unweighted metric.

    Parameters
    ----------
    axes : Axes
    quantiles, w : ndarray
        The grid; its point (0, 0) is the unweighted metric.
    surface : Surface
        NaN where a group is empty: left white. Points outside of what is drawn are left out.
    """
    pearson, title = surface.pearson, surface.title
    if not np.isfinite(pearson).any():
        return draw_reason(axes, f"{title}: constant scores, or no difficult or easy hypotheses")
    # At w = 1 the difficult hypotheses, and so higher thresholds, do not matter.
    drawn = quantiles[np.isfinite(pearson[:, :-1]).any(axis=1)]
    last = drawn.max(initial=quantiles[1])
    # Thresholds with hardly any difficult hypothesis must not take all colours.
    image = axes.pcolormesh(
        quantiles, w, pearson.T, cmap="cividis", vmin=np.nanquantile(pearson, 0.1), rasterized=True
    )
    if np.nanmin(pearson) < pearson[0, 0] < np.nanmax(pearson):
        levels = [pearson[0, 0]]
        axes.contour(quantiles, w, pearson.T, levels=levels, colors="white", linewidths=0.9)
    style: dict[str, Any] = {
        "color": "white",
        "markeredgecolor": "black",
        "linestyle": "none",
        "clip_on": False,
    }
    for name, (marker, size) in MARKS.items():
        x, y = surface.points.get(name, (np.nan, np.nan))
        if 0 <= x <= last and 0 <= y <= 1:
            axes.plot(
                x, y, marker, label=name + TUNED * (name in surface.tuned), markersize=size, **style
            )
    name = in_words(surface.difficulty)
    axes.set(
        xlim=(0, last),
        ylim=(0, 1),
        xlabel=f"threshold, a quantile of {name}",
        ylabel="easy weight w",
    )
    axes.grid(False)
    axes.locator_params(nbins=5)
    axes.set_title(title, fontsize=8)
    beside = axes.inset_axes((1.03, 0, 0.05, 1))
    axes.figure.colorbar(image, cax=beside, label="Pearson's r", extend="min")
    beside.locator_params(nbins=4)
