"""Averages over evaluation sets, as the WMT metrics task makes them of its tasks: mean statistics
and mean ranks of the metrics that all sets of a group have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from .counted import MEAN, STANDARD

if TYPE_CHECKING:
    import pandas as pd

HEAD = ["level", "statistic", "grouping"]
KEY = ["metric", "weighting"]
COLUMNS = [
    *("group_by", "group", *HEAD, *KEY),
    *("sets", "mean", "weighted_mean", "mean_rank"),
]


class SetFacts(NamedTuple):
    """What sets are grouped by."""

    campaign: str
    pair: str
    gold: str

    @property
    def year(self) -> str:
        """Of the campaign's name, such as 2023 of wmt23.sent; the name where it has none."""
        found = re.match(r"wmt(\d\d)(?!\d)", self.campaign)
        return f"20{found[1]}" if found else self.campaign


def averages(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, SetFacts]) -> pd.DataFrame:
    """Means over the sets of every group.

    Parameters
    ----------
    tables : dict of str to DataFrame
        `agreement.csv` of each set, with metrics under names that sets share.
    facts : dict of str to SetFacts
        By the same names.

    Returns
    -------
    DataFrame
        With COLUMNS. A row is of a metric and weighting that has a value in every set of the group
        that has the statistic; `mean` weighs its sets alike, `weighted_mean` the years alike and
        within a year the sets. `mean_rank` is of ranks of clusters; NaN for domains, which have
        none.
    """
    import pandas as pd

    rows = [
        found.assign(set=name, year=facts[name].year, gold=facts[name].gold, pair=facts[name].pair)
        for name, found in tables.items()
    ]
    if not rows:
        return pd.DataFrame(columns=COLUMNS)
    table = pd.concat(rows, ignore_index=True)
    table = _under_one_name(table[(table.subset == "all") & table.value.notna()])
    whole, domains = table[table.domain == ""], table[table.domain != ""]
    found = [*_of_groups("all", whole.assign(all="all"))]
    for group_by, part in (("year", whole), ("gold", whole), ("pair", whole), ("domain", domains)):
        found += _of_groups(group_by, part)
    return pd.DataFrame(found, columns=COLUMNS)


def _under_one_name(table: pd.DataFrame) -> pd.DataFrame:
    """The mean of segment scores as `standard` where that has no value, as SPA and statistics of
    segments: there it is what `standard` is in a set where the two do not differ."""
    place = ["set", "domain", *HEAD, "metric"]
    standard = table[table.weighting == STANDARD].set_index(place).index
    alone = (table.weighting == MEAN) & ~table.set_index(place).index.isin(standard)
    return table.assign(weighting=table.weighting.mask(alone, STANDARD))


def _of_groups(group_by: str, table: pd.DataFrame) -> Iterator[list]:
    """Rows of every group of one kind."""
    for (group, *head), rows in table.groupby([group_by, *HEAD], sort=False):
        sets = rows.set.nunique()
        weights = _weights(rows)
        for key, of_key in rows.groupby(KEY, sort=False):
            if of_key.set.nunique() == sets:
                weight = of_key.set.map(weights)
                weighted = (of_key.value * weight).sum() / weight.sum()
                yield [
                    *(group_by, group, *head, *key, sets),
                    *(of_key.value.mean(), weighted, of_key["rank"].mean()),
                ]


def _weights(rows: pd.DataFrame) -> dict[str, float]:
    """Weights of sets, the same in all for every year."""
    years = rows.groupby("set").year.first()
    counts = years.value_counts()
    return {str(name): 1 / counts[year] for name, year in years.items()}


def shared_name(metric: str, reference: str) -> str:
    """The name of a stored metric that sets with other references share: `chrF-ref` of
    `chrF-refB`, and any other name as it is."""
    return re.sub(rf"-{re.escape(reference)}\Z", "-ref", metric) if reference else metric
