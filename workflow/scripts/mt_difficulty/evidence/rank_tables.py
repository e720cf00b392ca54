"""Ranks of metrics and which differences are significant, as the WMT metrics task prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
HEAD = ["level", "statistic", "grouping"]
EXPLAINED = f"""\
The metrics of a set in order of decreasing statistic: rank, value, and a matrix. The sign in a
metric's row and the column of a lower metric says whether it agrees significantly better with human
scores (>) or not (=), or that there is no p (?): one-sided permutation test (PERM-BOTH), p <=
{LEVEL}, not adjusted for the number of comparisons. A new rank begins where a metric of the
previous rank is significantly better."""


def rank_tables(agreement: pd.DataFrame, tests: pd.DataFrame) -> str:
    """A text with a table for every statistic that has tests.

    Parameters
    ----------
    agreement, tests : DataFrame
        As `agreement.csv` and `metric_tests.csv`.
    """
    whole = agreement[(agreement.subset == "all") & (agreement.domain == "")]
    parts = [EXPLAINED]
    for head, pairs in tests.groupby(HEAD, sort=False):
        rows = whole[(whole[HEAD] == list(head)).all(axis=1)]
        table = "\n".join(_lines(rows[rows["rank"].notna()], pairs))
        parts.append(f"{' '.join(filter(None, map(str, head)))}\n{table}")
    return "\n\n".join(parts) + "\n"


def _lines(rows: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[str]:
    """A line for each metric and weighting, the best first."""
    better, other = _keys(pairs), _keys(pairs, "other", "other_weighting")
    order = list(dict.fromkeys([*better, *other]))
    p = dict(zip(zip(better, other, strict=True), pairs.p, strict=True))
    known = dict(zip(_keys(rows), rows[["rank", "value"]].to_numpy(), strict=True))
    order = [key for key in order if key in known]
    width = max((len(key) for key in order), default=0)
    for place, key in enumerate(order):
        tests = [p[key, below] for below in order[place + 1 :]]
        signs = [">" if test <= LEVEL else "=" if test > LEVEL else "?" for test in tests]
        rank, value = known[key]
        matrix = " ".join(["."] * (place + 1) + signs)
        yield f"{key:<{width}} {rank:>3.0f} {value:10.7f}  {matrix}"


def _keys(frame: pd.DataFrame, metric: str = "metric", weighting: str = "weighting") -> list[str]:
    names = zip(frame[metric], frame[weighting], strict=True)
    return [name if under == "standard" else f"{name}, {under}" for name, under in names]
