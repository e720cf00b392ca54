"""EE's correlations over all thresholds and balances, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .plots import draw_reason

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Marker and size: told apart by shape, in grey and where one lies on another.
MARKS = {"in force": ("o", 11), "equations": ("s", 5), "optimum": ("*", 12)}


def draw_surfaces(
    panels: Sequence[Axes],
    h: np.ndarray,
    w: np.ndarray,
    pearson: dict[str, np.ndarray],
    points: dict[str, dict[str, tuple[float, float]]],
) -> None:
    """A panel for each metric and a legend for all.

    Parameters
    ----------
    panels : sequence of axes
        At least as many as metrics; the others stay empty.
    h, w : ndarray
        The grid.
    pearson : dict of str to ndarray, (h, w)
        By metric.
    points : dict of str to dict of str to (h, w)
        By metric, the points of MARKS; others are not drawn.
    """
    for axes, (metric, values) in zip(panels, pearson.items(), strict=False):
        draw_surface(axes, h, w, values, points[metric], metric)
    for axes in panels[len(pearson) :]:
        axes.set_axis_off()
    panels[0].figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(MARKS),
        title="white line: r of the plain metric",
    )


def draw_surface(
    axes: Axes,
    h: np.ndarray,
    w: np.ndarray,
    pearson: np.ndarray,
    points: dict[str, tuple[float, float]],
    title: str,
) -> None:
    """Pearson's r over h and w, with a line where it is that of the plain metric.

    Parameters
    ----------
    axes : Axes
    h, w : ndarray
        The grid; its point (0, 0) is the plain metric.
    pearson : ndarray, (h, w)
        NaN where a group is empty: left white.
    points : dict of str to (h, w)
        Those outside of what is drawn are left out.
    title : str
    """
    if not np.isfinite(pearson).any():
        return draw_reason(axes, f"{title}: constant scores, or no difficult or easy hypotheses")
    # At w = 1 the difficult hypotheses, and so higher thresholds, do not matter.
    last = h[np.isfinite(pearson[:, :-1]).any(axis=1)].max(initial=h[1])
    # Thresholds with hardly any difficult hypothesis must not take all colours.
    image = axes.pcolormesh(
        h, w, pearson.T, cmap="cividis", vmin=np.nanquantile(pearson, 0.1), rasterized=True
    )
    if np.nanmin(pearson) < pearson[0, 0] < np.nanmax(pearson):
        axes.contour(h, w, pearson.T, levels=[pearson[0, 0]], colors="white", linewidths=0.9)
    style: dict[str, Any] = {
        "color": "white",
        "markeredgecolor": "black",
        "linestyle": "none",
        "clip_on": False,
    }
    for name, (marker, size) in MARKS.items():
        x, y = points[name]
        if 0 <= x <= last and 0 <= y <= 1:
            axes.plot(x, y, marker, label=name, markersize=size, **style)
    axes.set(xlim=(0, last), ylim=(0, 1), xlabel="threshold h", ylabel="balance w")
    axes.grid(False)
    axes.set_title(title, fontsize=8)
    axes.figure.colorbar(image, ax=axes, label="Pearson's r", extend="min", pad=0.02)
