"""Segments of a set: what people's scores say of each by an item response model, beside what a
difficulty estimator expects of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..difficulty.item_response import PARAMETERS, fit_items
from ..errors import Missing
from . import dec
from .estimators import DEC, Bench

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = [
    *("segment", "domain", "human_score", "item_difficulty", "item_difficulty_error"),
    *("discrimination", "discrimination_error", "noise", "estimator", "estimated", "place"),
    *("human_place",),
]


def best_estimator(bench: Bench) -> str:
    """The difficulty of highest DEC of those that use no human scores; "" where there is none."""
    known = {}
    for name, each in bench.estimates.items():
        value = dec.mean_over_systems(bench.resampled(name, DEC)[..., :1])[0]
        if each.information != "gold" and np.isfinite(value):
            known[name] = value
    return max(known, key=lambda name: known[name], default="")


def segment_rows(bench: Bench, segments: np.ndarray) -> pd.DataFrame:
    """A row for each segment with human scores.

    Parameters
    ----------
    bench : Bench
    segments : ndarray of int, (rated,)
        Their numbers in the set, from 1.

    Returns
    -------
    DataFrame
        COLUMNS. `human_score` is the mean; then the parameters of the item response model of
        human scores, on their scale; `estimated`, the mean difficulty over systems by the best
        `estimator` that uses no human scores; `place` and `human_place`, the shares of segments
        that are easier by it, and by people. NaN where there is no such value.
    """
    import pandas as pd

    people = bench.judged.people
    frame = pd.DataFrame({"segment": segments, "domain": bench.domains})
    frame["human_score"] = np.nanmean(people, axis=0)
    try:
        items = fit_items(people)
    except Missing:
        items = None
    named = dict(zip(PARAMETERS, ("item_difficulty", *PARAMETERS[1:]), strict=True))
    for parameter, column in named.items():
        frame[column] = getattr(items, parameter) if items else np.nan
        if parameter != "noise":
            frame[f"{column}_error"] = getattr(items, f"{parameter}_error") if items else np.nan
    name = best_estimator(bench)
    frame["estimator"] = name
    frame["estimated"], frame["place"] = np.nan, np.nan
    if name:
        estimated = np.nanmean(bench.estimates[name].values, axis=0)
        frame["estimated"], frame["place"] = estimated, _places(estimated)
    frame["human_place"] = _places(-frame["human_score"].to_numpy())
    return frame[COLUMNS]


def _places(values: np.ndarray) -> np.ndarray:
    """Share of the others that are smaller, ties count half; NaN does not count."""
    from scipy.stats import rankdata

    others = np.count_nonzero(~np.isnan(values)) - 1
    return (rankdata(values, nan_policy="omit") - 1) / max(others, 1)
