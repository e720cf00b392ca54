"""What stands beside a paper's correlations: intervals, tests, and statistics of pairs."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..evidence.intervals import holm
from ..evidence.labels import TUNED, TUNED_NOTE
from ..evidence.subsets import row_label
from .cells import SYMBOLS

# The statistics that these tables hold; a run may have others, or lack those of pairs.
NAMES = SYMBOLS | {"accuracy": "pairwise accuracy", "soft_accuracy": "soft pairwise accuracy"}
TESTS = ("permutation_p", "williams_p")
INTERVALS = ("segments", "systems", "both")
COLUMNS = [
    *("row", "column", "metric", "weighting", "difficulty", "statistic", "value"),
    *(f"{over}_{end}" for over in INTERVALS for end in ("low", "high")),
    *("difference", "permutation_p", "permutation_p_holm", "williams_p", "williams_p_holm"),
    *("tuned", "shuffled_quantile", "permuted_quantile", "retuned_quantile", "reason"),
]
KEYS = ["metric", "weighting", "subset", "size", "statistic"]
# Nulls among which a value's place stands.
NULLS = ("shuffled", "permuted", "retuned")
QUANTILES = [f"{null}_quantile" for null in NULLS]
NOTES = (
    "95 % intervals: over segments by bootstrap; over systems, and over both, by the variance of "
    "each statistic if there are enough systems for reliable coverage (docs/statistics.md). Human "
    "scores, h, w and token difficulties are fixed. Δ is the difference to the standard weighting, "
    "p is that of PERM-BOTH and of Williams' test, two-sided; in brackets after Holm's correction "
    "over all rows, columns and statistics of this table. Random subsets are those that were "
    "resampled, fewer than in the table itself. The last columns are the quantile of a value in "
    "the distribution under random difficulties (0 to 1; 0.5 is no better than chance): shuffled "
    "for each system separately; permuted with the same permutation for all systems; and, for "
    "tuned h and w, permuted with h and w searched again on the same human scores (retuned). "
    f"{TUNED_NOTE}"
)


def statistics_rows(table: dict, results: dict[str, tuple[pd.DataFrame, Callable]]) -> pd.DataFrame:
    """The statistics of every row, column and correlation of a table, COLUMNS; Holm's correction
    is over all tests of one kind in the table. `results` has by set rows of significance.csv
    with the places among the nulls (see `join`), and the reason why a (metric, weighting) has
    none."""
    columns = [name for name in COLUMNS if not name.endswith("_holm")]
    rows = []
    for row in table["rows"]:
        for column in table["columns"]:
            significance, reason_of = results[column["set"]]
            place = {"row": row_label(row), "column": column["label"]}
            key = {name: row[name] for name in ("metric", "weighting")}
            found = significance[
                significance.statistic.isin(list(NAMES))
                & (significance[list(key)] == pd.Series(key)).all(axis=1)
                & (significance.subset == column["subset"])
            ]
            if column["subset"] != "all":
                found = found[found["size"] == column["size"]]
            if found.empty:
                absent = {
                    "difficulty": "",
                    "statistic": "pearson",
                    "reason": reason_of(*key.values()),
                }
                rows.append(place | key | absent)
            rows += [each | place for each in found.to_dict("records")]
    frame = pd.DataFrame(rows, columns=columns)
    for test in TESTS:
        frame[f"{test}_holm"] = holm(frame[test].to_numpy(float))
    return frame[COLUMNS]


def join(significance: pd.DataFrame, controls: pd.DataFrame) -> pd.DataFrame:
    """Rows of significance.csv with `tuned` and QUANTILES, their places among the nulls of
    controls.csv: NaN where there are none, "" for `tuned`."""
    # An empty table's columns have no type.
    controls = controls.astype(significance[KEYS].dtypes)
    found = significance.merge(
        controls[[*KEYS, "tuned"]].drop_duplicates(), on=KEYS, how="left"
    ).fillna({"tuned": ""})
    for null, name in zip(NULLS, QUANTILES, strict=True):
        own = controls.loc[controls.null == null, [*KEYS, "quantile"]]
        found = found.merge(own.rename(columns={"quantile": name}), on=KEYS, how="left")
    return found


def printed(frame: pd.DataFrame) -> pd.DataFrame:
    """The statistics as printed, (rows,) of text: intervals in brackets, p with Holm's."""
    return pd.DataFrame(
        [
            {
                "": row["row"] + TUNED * (row["tuned"] == "yes"),
                "column": row["column"],
                "statistic": NAMES[row["statistic"]],
                "value": _number(row["value"]),
                **{over: _interval(row, over) for over in INTERVALS},
                "Δ": _number(row["difference"], "+.3f"),
                "p (PERM-BOTH)": _p(row, "permutation_p"),
                "p (Williams)": _p(row, "williams_p"),
                **{
                    f"among {null}": _number(row[name])
                    for null, name in zip(NULLS, QUANTILES, strict=True)
                },
                "note": row["reason"],
            }
            for row in frame.to_dict("records")
        ]
    )


def _number(value: float, form: str = ".3f") -> str:
    return "" if np.isnan(value) else f"{value:{form}}"


def _interval(row: dict, over: str) -> str:
    low, high = row[f"{over}_low"], row[f"{over}_high"]
    return "" if np.isnan(low) else f"[{low:.3f}, {high:.3f}]"


def _p(row: dict, test: str) -> str:
    both = [f"{p:.4f}" if p < 0.001 else f"{p:.3f}" for p in (row[test], row[f"{test}_holm"])]
    return "" if np.isnan(row[test]) else f"{both[0]} ({both[1]})"


def summary(frame: pd.DataFrame) -> str:
    """One sentence: how many differences to the standard weighting there are, and how many tests
    reach 0.05 before and after Holm's correction."""
    parts = []
    for test, name in zip(TESTS, ("PERM-BOTH", "Williams' test"), strict=True):
        p, corrected = frame[test].dropna(), frame[f"{test}_holm"].dropna()
        parts.append(
            f"{name}: p < 0.05 in {(p < 0.05).sum()} of {len(p)} tests, "
            f"{(corrected < 0.05).sum()} after Holm's correction"
        )
    return "; ".join(parts) + "."
