"""What holds in the tables of every evaluation set, whatever its texts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from .. import storage
from ..data import evalset
from ..errors import Missing
from ..evidence.correlations import CORRELATIONS
from ..statistics import STATISTICS

Tables = dict[str, pd.DataFrame]  # of one set, by file
# Tables with a row a system, by the columns that name systems.
SYSTEMS = {
    "system_scores.csv": ["system"],
    "system_intervals.csv": ["system"],
    "system_comparisons.csv": ["system", "other"],
}
# Tables of numbers that are there, or have a reason, by the columns of the numbers; of correlations
# all that the run has.
REASONS = {
    "correlations.csv": STATISTICS,
    "significance.csv": ["value"],
    "agreement.csv": ["value"],
    "controls.csv": ["value"],
    "parameters.csv": CORRELATIONS,
}
KEYS = ["metric", "weighting", "subset", "size"]
# Between a correlation in two tables, which print 12 digits.
TOLERANCE = 1e-9


def broken(folder: str | Path, metrics: Sequence[str]) -> list[str]:
    """What does not hold in a set's tables, a line each.

    Parameters
    ----------
    folder : path
        The set's results.
    metrics : sequence of str
        Those that the run computes.
    """
    folder = Path(folder)
    try:
        systems = set(evalset.load(folder / "evalset.json").systems)
    except Missing:
        return []  # every table says why there is none
    tables = {}
    for name in (*SYSTEMS, *REASONS, "missing.csv"):
        with suppress(Missing):  # with its reason
            tables[name] = storage.read_table(folder / name)
    found = [
        *_systems(tables, systems),
        *_standard_scores(tables, systems, metrics),
        *_reasons(tables),
        *_same_correlations(tables),
    ]
    return [f"{folder / name}: {problem}" for name, problem in found]


def _systems(tables: Tables, systems: set[str]) -> Iterator[tuple[str, str]]:
    """Each metric under each weighting has the set's systems."""
    for name, columns in SYSTEMS.items():
        if name not in tables:
            continue
        for (metric, weighting), rows in tables[name].groupby(["metric", "weighting"]):
            for column in columns:
                found = set(rows[column])
                if different := found ^ systems:
                    yield name, f"{weighting} {metric}: not the set's systems: {_listed(different)}"


def _standard_scores(
    tables: Tables, systems: set[str], metrics: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Each metric has a standard score of each system, or a reason."""
    scores, missing = tables["system_scores.csv"], tables["missing.csv"]
    explained = set(missing[missing.weighting == "standard"].metric)
    standard = scores[(scores.weighting == "standard") & scores.score.notna()]
    for metric in metrics:
        absent = systems - set(standard[standard.metric == metric].system)
        if absent and metric not in explained:
            yield "system_scores.csv", f"{metric}: no score and no reason for {_listed(absent)}"


def _reasons(tables: Tables) -> Iterator[tuple[str, str]]:
    """A number that is not there has a reason."""
    for name, columns in REASONS.items():
        rows = tables.get(name, pd.DataFrame())
        for column in rows.columns.intersection(list(columns), sort=False):
            bare = rows[rows[column].isna() & (rows.reason == "")]
            if len(bare):
                yield name, f"no {column} and no reason in {len(bare)} rows ({_first(bare)})"


def _same_correlations(tables: Tables) -> Iterator[tuple[str, str]]:
    """A correlation is the same beside its interval; random subsets are other draws there."""
    if not {"correlations.csv", "significance.csv"} <= tables.keys():
        return
    plain, tested = tables["correlations.csv"], tables["significance.csv"]
    tested = tested[(tested.statistic == "pearson") & (tested.subset != "random")]
    both = tested.merge(plain, on=KEYS)
    # Without rows the columns are of no type.
    one, other = both.value.to_numpy(float), both.pearson.to_numpy(float)
    apart = both[~np.isclose(one, other, rtol=0, atol=TOLERANCE, equal_nan=True)]
    if len(both) < len(tested) or len(apart):
        yield "significance.csv", f"not the r of correlations.csv ({_first(apart)})"


def _listed(names: set) -> str:
    return ", ".join(sorted(map(str, names)))


def _first(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "rows without a counterpart"
    return " ".join(str(rows.iloc[0][key]) for key in KEYS if key in rows)
