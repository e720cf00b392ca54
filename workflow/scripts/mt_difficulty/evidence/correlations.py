"""r, τ-b and ρ, the correlations that the papers print, and the labels of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..statistics.kendall import Kendall
from ..statistics.pearson import Pearson
from ..statistics.spearman import Spearman


class Correlations(NamedTuple):
    """Pearson r, Kendall τ-b and Spearman ρ, in [-1, 1]; NaN where one side is constant."""

    pearson: np.ndarray
    kendall: np.ndarray
    spearman: np.ndarray


CORRELATIONS = Correlations._fields


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlations:
    """Correlate scores with gold over the last axis.

    Parameters
    ----------
    scores, gold : ndarray, (..., systems)
        Broadcast against each other; for both, higher is better.

    Returns
    -------
    Correlations
        Arrays of the leading shape; NaN where scores or gold are constant or NaN.
    """
    return Correlations(*(statistic()(scores, gold) for statistic in (Pearson, Kendall, Spearman)))


def row_label(row: Mapping[str, Any]) -> str:
    """A row's own label, or `EE-BLEU` for the EE weighting of BLEU, `BLEU` for the standard one."""
    if "label" in row:
        return row["label"]
    return (
        row["metric"] if row["weighting"] == "standard" else f"{row['weighting']}-{row['metric']}"
    )
