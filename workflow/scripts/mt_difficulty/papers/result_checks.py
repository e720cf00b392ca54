"""Checks of claims on results of evaluation sets, which the papers print only in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..errors import Missing
from .claim_checks import Truths, within
from .inputs import Inputs


def difficult_share(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> float:
    """Share of a set's hypotheses, or of its segments by mean difficulty over systems, whose
    difficulty is at least the threshold, in percent.

    The threshold is `threshold`, or without it the h that the weighting estimates. Raises `Missing`
    where the set or its difficulty is not there.
    """
    arrays = inputs.sets[check["set"]].read(f"difficulty/{check['difficulty']}.npz")
    h = check.get("threshold")
    if h is None:
        h = inputs.parameters(check["set"], check["weighting"])["estimate"]["h"]
    values = arrays["difficulty"]
    return 100 * float(((values.mean(axis=0) if check["of"] == "segments" else values) >= h).mean())


def mean_error(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> float:
    """Mean absolute difference between published and computed cells of a row; NaN and its reason
    (`Missing`) where a cell could not be computed."""
    found = cells[(cells["item"] == check["item"]) & (cells.row == check["row"])]
    found = found[found.column.isin(check["columns"])]
    absent = found[found.reproduced.isna()]
    if len(absent):
        names = ", ".join(absent.column)
        raise Missing(f"no estimate for {names}: {'; '.join(dict.fromkeys(absent.reason))}")
    return float((found.reproduced - found.published).abs().mean())


def top_systems(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> Truths:
    """Whether a statistic of each metric over the K best systems, as computed, is within the bounds
    for every K from the first to the second of `sizes`; `Missing` where the set is not there."""
    frame = inputs.sets[check["set"]].read("correlations.csv")
    frame = frame[(frame.subset == "top") & (frame.weighting == check["weighting"])]
    values = frame.set_index(["metric", "size"])[check["statistic"]].to_dict()
    low, high = check["sizes"]
    asked = [(metric, size) for metric in check["metrics"] for size in range(low, high + 1)]
    return within(np.array([values.get(key, np.nan) for key in asked]), check)


KINDS: dict[str, Callable[[dict[str, Any], pd.DataFrame, Inputs], float | Truths]] = {
    "difficult_share": difficult_share,
    "mean_error": mean_error,
    "top_systems": top_systems,
}
