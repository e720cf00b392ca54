"""Difficulty estimators over evaluation sets: mean DEC, differences of pairs, ranks.

Two questions have two intervals. Of the mean over the sets at hand: 95 % normal intervals from the
sets' bootstrap errors, those of sets that share texts added as if they were one. Of other sets like
these: the random-effects mean of `synthesis`, which needs more sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .changes import MARGIN, family
from .estimators import BASELINE, DEC, TESTED, WITHIN, ranked
from .intervals import holm
from .synthesis import CLUSTERS, Pooled, random_effects, verdict

if TYPE_CHECKING:
    import pandas as pd

POOLED = (DEC, WITHIN, "dec_pearson", "dec_partial_length")
HIGHER, LOWER = "higher", "lower"
EQUIVALENT = f"no difference larger than {MARGIN}"
OTHERS = ("others", "others_low", "others_high", "prediction_low", "prediction_high", "i2")
LEADERBOARD = [
    *("information", "difficulty", "statistic", "rank", "gain", "gain_low", "gain_high"),
    *("value", "low", "high", *OTHERS, "sets", "campaigns", "pairs", "sets_without", "reason"),
]
COMPARISONS = [
    *("statistic", "difficulty", "other", "difference", "low", "high", "p", "p_adjusted"),
    *("family", "verdict", *OTHERS, "sets", "campaigns", "pairs"),
]


class Mean(NamedTuple):
    """A mean over the sets at hand with its standard error, 95 % interval and two-sided p of 0; and
    the random-effects mean, where there are two sets. NaN where no set has a value."""

    mean: float
    error: float
    low: float
    high: float
    p: float
    others: Pooled | None


def mean_of_sets(rows: pd.DataFrame, column: str) -> Mean:
    """Mean over sets of values with an `error`, `campaign` and `pair`.

    Sets of one campaign and pair share texts: their errors add up as if they were fully
    correlated.
    """
    from scipy.special import ndtr, ndtri

    rows = known(rows, column)
    if rows.empty:
        return Mean(np.nan, np.nan, np.nan, np.nan, np.nan, None)
    mean = float(rows[column].mean())
    of_texts = rows.groupby(list(CLUSTERS))["error"].sum()
    error = float(np.sqrt(np.square(of_texts).sum())) / len(rows)
    half = float(ndtri((1 + 0.95) / 2)) * error
    p = float(2 * ndtr(-abs(mean) / error)) if error > 0 else float(mean == 0)
    try:
        values, errors = rows[column].to_numpy(float), rows["error"].to_numpy(float)
        others = random_effects(values, errors, [rows[name].to_numpy() for name in CLUSTERS])
    except ValueError:
        others = None
    return Mean(mean, error, mean - half, mean + half, p, others)


def known(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows with a value and its error, of which means are made."""
    return rows[np.isfinite(rows[column]) & np.isfinite(rows["error"])]


def _of_others(found: Mean) -> dict[str, float]:
    names = ("mean", "low", "high", "prediction_low", "prediction_high", "i2")
    pooled = found.others
    values = [getattr(pooled, name) if pooled else np.nan for name in names]
    return dict(zip(OTHERS, values, strict=True))


def leaderboard(values: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """LEADERBOARD, by statistic, information and falling gain over source length on the same sets.

    Parameters
    ----------
    values : DataFrame
        Rows of `estimators.Bench.rows` of all sets, with `set`, `campaign` and `pair`.
    comparisons : DataFrame
        From `compare`.
    """
    import pandas as pd

    gains = _gains(comparisons)
    whole = values[(values.domain == "") & values.statistic.isin(POOLED)]
    rows = []
    for key, own in whole.groupby(["difficulty", "statistic"], sort=False):
        difficulty, statistic = map(str, key)
        found, used = mean_of_sets(own, "value"), known(own, "value")
        # A set that has no such difficulty does not say what it is made from.
        facts = used if len(used) else own
        gain = gains.get((statistic, difficulty), [np.nan] * 3)
        rows.append(
            {
                "information": facts.information.iloc[0],
                "difficulty": difficulty,
                "statistic": statistic,
                **dict(zip(("gain", "gain_low", "gain_high"), gain, strict=True)),
                **{"value": found.mean, "low": found.low, "high": found.high},
                **_of_others(found),
                **{f"{name}s": used[name].nunique() for name in ("set", *CLUSTERS)},
                "sets_without": whole.set.nunique() - len(used),
                "reason": _reasons(own),
            }
        )
    frame = pd.DataFrame(rows, columns=LEADERBOARD)
    frame["rank"] = _ranks(frame, comparisons)
    order = {name: place for place, name in enumerate(POOLED)}
    keys = frame.assign(place=frame.statistic.map(order), by=-frame.gain, then=-frame["value"])
    keys = keys.sort_values(["place", "information", "by", "then", "difficulty"], kind="stable")
    return keys[LEADERBOARD]


def _gains(comparisons: pd.DataFrame) -> dict[tuple[str, str], list[float]]:
    """Differences to source length with their intervals; its own is 0."""
    found = {(statistic, BASELINE): [0.0, 0.0, 0.0] for statistic in TESTED}
    for row in comparisons.to_dict("records"):
        if row["difficulty"] == BASELINE:
            ends = [-row["difference"], -row["high"], -row["low"]]
            found[row["statistic"], row["other"]] = ends
    return found


def _reasons(rows: pd.DataFrame) -> str:
    counts = rows.loc[rows.reason != "", "reason"].value_counts()
    return "; ".join(f"{count} × {reason}" for reason, count in counts.items())


def compare(tests: pd.DataFrame) -> pd.DataFrame:
    """Mean differences of every pair of difficulties, COMPARISONS.

    Parameters
    ----------
    tests : DataFrame
        Rows of `estimators.Bench.tests` of all sets, with `set`, `campaign` and `pair`.

    Returns
    -------
    DataFrame
        p of one set is that of its permutation test, of several sets a normal one; adjusted by
        Holm's method over the pairs of a statistic, as `family` says. The verdict, as in
        `synthesis.verdict`, is of the first difficulty, on the sets at hand.
    """
    import pandas as pd

    rows = []
    for key, own in tests.groupby(["statistic", "difficulty", "other"], sort=False):
        found, used = mean_of_sets(own, "difference"), known(own, "difference")
        rows.append(
            {
                **dict(zip(("statistic", "difficulty", "other"), key, strict=True)),
                **{"difference": found.mean, "low": found.low, "high": found.high},
                "p": float(used.p.iloc[0]) if len(used) == 1 else found.p,
                **_of_others(found),
                **{f"{name}s": used[name].nunique() for name in ("set", *CLUSTERS)},
            }
        )
    frame = pd.DataFrame(rows, columns=COMPARISONS)
    frame["p_adjusted"], frame["family"] = frame["p_adjusted"].astype(float), ""
    for statistic, own in frame[frame["p"].notna()].groupby("statistic"):
        frame.loc[own.index, "p_adjusted"] = holm(own["p"].to_numpy(float))
        frame.loc[own.index, "family"] = family(len(own), f"by {statistic}")
    words = HIGHER, LOWER, EQUIVALENT
    frame["verdict"] = [
        verdict(row["difference"], row["low"], row["high"], row["p_adjusted"], MARGIN, words)
        for row in frame.to_dict("records")
    ]
    return frame


def _ranks(frame: pd.DataFrame, comparisons: pd.DataFrame) -> np.ndarray:
    """Clusters of significance among the difficulties of one information, by falling gain."""
    ranks = np.full(len(frame), np.nan)
    for statistic in TESTED:
        places = np.flatnonzero(frame.statistic == statistic)
        own = frame.iloc[places].set_index("difficulty")
        tests = comparisons[comparisons.statistic == statistic]
        found = ranked(dict(own["gain"]), dict(own["information"]), tests)
        ranks[places] = [found.get(name, np.nan) for name in own.index]
    return ranks
