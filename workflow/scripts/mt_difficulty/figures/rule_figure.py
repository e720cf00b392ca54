"""A workflow's rules as a graph, drawn on given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_rule_graph(axes: Axes, names: dict[Any, str], edges: list[tuple]) -> None:
    """A workflow's rules, layered from first to last (Liu et al.'s Figure 2 as it is run here).

    Parameters
    ----------
    names : dict of node to str
    edges : list of (node, node)
        From a rule to one that uses its output.
    """
    edges = _direct(edges)
    layers = _layers(names, edges)
    places = _places(layers, edges)
    for start, end in edges:
        axes.annotate(
            "",
            xy=places[end],
            xytext=places[start],
            arrowprops={"arrowstyle": "->", "color": "#777777", "shrinkA": 8, "shrinkB": 11},
        )
    for node, place in places.items():
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": COLOURS[0]}
        axes.text(*place, names[node], ha="center", va="center", fontsize=7, bbox=box)
    width = max(map(len, layers))
    axes.set(xlim=(-width / 2, width / 2 + 0.3), ylim=(-len(layers) + 0.5, 0.5))
    axes.axis("off")


def _direct(edges: list[tuple]) -> list[tuple]:
    """The edges that no longer path implies."""
    after: dict[Any, set] = {}
    for start, end in edges:
        after.setdefault(start, set()).add(end)

    def reached(node: Any) -> set:
        return set().union(*({n} | reached(n) for n in after.get(node, ())))

    return [
        (start, end)
        for start, end in edges
        if not any(end in reached(other) for other in after[start] - {end})
    ]


def _layers(names: dict[Any, str], edges: list[tuple]) -> list[list]:
    """Nodes by the length of the longest path that leads to them."""
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for start, end in edges:
            depth[end] = max(depth[end], depth[start] + 1)
    return [
        sorted((n for n in names if depth[n] == d), key=lambda n: names[n])
        for d in range(max(depth.values()) + 1)
    ]


def _places(layers: list[list], edges: list[tuple]) -> dict[Any, tuple[float, float]]:
    """Node positions: each layer is ordered by the mean position of what leads to it."""
    places: dict[Any, tuple[float, float]] = {}
    for row, layer in enumerate(layers):

        def wish(node: Any) -> float:
            before = [places[start][0] for start, end in edges if end == node and start in places]
            return float(np.mean(before)) if before else 0.0

        # Every other layer stands aside, so that no edge runs behind a rule between its ends.
        for column, node in enumerate(sorted(layer, key=wish)):
            places[node] = (column - (len(layer) - 1) / 2 + 0.3 * (row % 2), -row)
    return places
