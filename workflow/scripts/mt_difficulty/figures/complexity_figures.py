"""Figures of translation complexity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "//", "..", "xx", "\\\\")


def draw_score_bars(
    axes: Axes, systems: list[str], scores: dict[str, Sequence[float | None]], label: str
) -> None:
    """Scores of systems on several texts as grouped bars (Babych et al., Figures 1 to 3).

    Parameters
    ----------
    systems : list of str
        A group of bars each.
    scores : dict of str to sequence
        By text, a score for each system; None where there is none.
    label : str
        What the scores are.
    """
    width = 0.8 / len(scores)
    for place, (text, values) in enumerate(scores.items()):
        heights = np.array(values, dtype=float)
        offset = (place - (len(scores) - 1) / 2) * width
        axes.bar(
            np.arange(heights.size) + offset,
            heights,
            width,
            color=COLOURS[place],
            edgecolor="white",
            hatch=HATCHES[place],
            label=text,
        )
    axes.set_xticks(np.arange(len(systems)), systems)
    axes.grid(axis="x", visible=False)
    axes.set_axisbelow(True)
    axes.set(ylabel=label)
    axes.legend(fontsize=7, ncols=len(scores), loc="lower center", bbox_to_anchor=(0.5, 1))
