"""The nulls of weightings on the page of a set."""

import pandas as pd

from ..evidence.nulls import NULLS


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `controls.csv` that the page shows, those of all systems; columns of the null
    have names of their own."""
    names = {name: f"null_{name}" for name in ("mean", "low", "high", "quantile")}
    return frame[frame.subset == "all"].drop(columns="subset").rename(columns=names)


def terms(frame: pd.DataFrame) -> dict[str, str]:
    """The nulls that there are, by name, with what they are."""
    there = set(frame.null)
    return {null: text for null, text in NULLS.items() if null in there}
