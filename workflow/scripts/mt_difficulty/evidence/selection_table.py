"""How well the segments of highest difficulty rank the systems of a set, by difficulty and budget,
and over sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Missing
from . import selection
from .changes import family
from .estimators import Bench
from .intervals import holm
from .soft_accuracy import MINIMUM_SEGMENTS
from .synthesis import ALPHA, CLUSTERS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

# Budgets, as shares of the segments.
SHARES = (0.1, 0.25, 0.5)
STATISTICS = ("tau", "soft_accuracy")
STRATIFIED = "stratified sample"
RESAMPLES = 200  # of the segments, for intervals
SAMPLES = 200  # of these, whose mean stands in the table
COLUMNS = [
    *("difficulty", "information", "share", "chosen", "statistic", "value", "low", "high"),
    *("random_mean", "random_low", "random_high", "random_quantile", "p", "clusters"),
    "clusters_all",
]
SUMMARY = [
    *("share", "statistic", "difficulty", "information", "gain", "value", "random_mean"),
    *("p", "p_adjusted", "family", "verdict", "sets", "campaigns", "pairs"),
]
BETTER, WORSE = "better than random", "worse than random"
FEW = "{} segments have human scores of every system; a choice of segments needs {}"


def selection_rows(bench: Bench, seed: int) -> pd.DataFrame:
    """COLUMNS of every difficulty and budget, on the segments that have human scores of every
    system.

    Parameters
    ----------
    bench : Bench
    seed : int
        Of random choices and of the intervals' resamples, the same for all difficulties.

    Returns
    -------
    DataFrame
        The hardest segments by mean difficulty over systems, beside `selection.DRAWS` random
        choices; and the mean of SAMPLES stratified ones (by domain and length), whose `low` and
        `high` are those of single samples.

    Raises
    ------
    Missing
        Fewer than MINIMUM_SEGMENTS segments have human scores of every system.
    """
    import pandas as pd

    complete = np.flatnonzero(np.isfinite(bench.judged.people).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        raise Missing(FEW.format(len(complete), MINIMUM_SEGMENTS))
    judge = selection.Judge(bench.judged.people[:, complete])
    costs = np.ones(len(complete))
    rng = np.random.default_rng([seed, 9])
    resampled = selection.Resampled(judge.people, RESAMPLES, rng)
    rows: list[list] = []
    for share in SHARES:
        budget = max(2, int(share * len(complete)))
        draws = selection.random_choices(costs, budget, None, rng)
        random = {"tau": judge.taus(draws), "soft_accuracy": judge.soft_accuracies(draws)}
        for name, each in bench.estimates.items():
            values = each.values[:, complete]
            if np.isnan(values).any():  # of some hypotheses alone
                continue
            head = [name, each.information, share, budget]
            found = _rows(judge, values.mean(axis=0), budget, random, resampled)
            rows += [[*head, *row] for row in found]
        keys = [bench.domains[complete], bench.judged.lengths[complete]]
        samples = [selection.stratified(keys, costs, budget, rng) for _ in range(SAMPLES)]
        head = [STRATIFIED, "source", share, budget]
        rows += [[*head, *row] for row in _stratified_rows(judge, samples, random)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(
    judge: selection.Judge,
    values: np.ndarray,
    budget: int,
    random: dict[str, np.ndarray],
    resampled: selection.Resampled,
) -> Iterator[list]:
    def choose(segments: np.ndarray) -> np.ndarray:
        return np.argsort(-values[segments], kind="stable")[:budget]

    found = judge.ranking(choose(np.arange(len(values))))
    intervals = resampled.intervals(choose)
    for statistic, ends in zip(STATISTICS, intervals, strict=True):
        beside = selection.compared(getattr(found, statistic), random[statistic])
        yield [statistic, beside.value, *ends, *beside[1:], found.clusters, judge.clusters]


def _stratified_rows(
    judge: selection.Judge, samples: list[np.ndarray], random: dict[str, np.ndarray]
) -> Iterator[list]:
    found = {"tau": judge.taus(samples), "soft_accuracy": judge.soft_accuracies(samples)}
    for statistic in STATISTICS:
        values = found[statistic]
        ends = map(float, np.percentile(values, [2.5, 97.5]))
        beside = selection.compared(float(values.mean()), random[statistic])[1:4]
        empty = [np.nan] * 3
        yield [statistic, float(values.mean()), *ends, *beside, *empty, judge.clusters]


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Choices over sets, SUMMARY: mean value and gain over random choices; p, two-sided, of the
    mean normal score of the place among random choices.

    Sets of one campaign and pair share texts: the mean of their normal scores counts as one. p is
    adjusted by Holm's method over the difficulties of a budget and statistic.

    Parameters
    ----------
    rows : DataFrame
        COLUMNS of all sets, with `set`, `campaign` and `pair`.
    """
    import pandas as pd

    found = []
    keys = ["share", "statistic", "difficulty"]
    for key, own in rows.groupby(keys, sort=False):
        found.append(
            {
                **dict(zip(keys, key, strict=True)),
                "information": own.information.iloc[0],
                "gain": float((own["value"] - own.random_mean).mean()),
                "value": float(own["value"].mean()),
                "random_mean": float(own.random_mean.mean()),
                "p": _combined(own),
                "sets": own.set.nunique(),
                **{f"{name}s": own[name].nunique() for name in CLUSTERS},
            }
        )
    frame = pd.DataFrame(found, columns=SUMMARY)
    frame["p_adjusted"], frame["family"] = frame["p_adjusted"].astype(float), ""
    for _, own in frame[frame["p"].notna()].groupby(["share", "statistic"]):
        frame.loc[own.index, "p_adjusted"] = holm(own["p"].to_numpy(float))
        of = f"by {own.statistic.iloc[0]}, {100 * own.share.iloc[0]:.0f} % of the segments"
        frame.loc[own.index, "family"] = family(len(own), of)
    frame["verdict"] = [_verdict(row) for row in frame.to_dict("records")]
    return frame.sort_values(["share", "statistic", "gain"], ascending=[True, False, False])


def _combined(rows: pd.DataFrame) -> float:
    """Two-sided p of Stouffer's sum of normal scores, one for each campaign and pair."""
    from scipy.special import ndtr, ndtri

    if rows.random_quantile.isna().any():
        return np.nan
    least = 0.5 / selection.DRAWS
    scores = ndtri(np.clip(rows.random_quantile.to_numpy(), least, 1 - least))
    means = rows.assign(score=scores).groupby(list(CLUSTERS))["score"].mean()
    return float(2 * ndtr(-abs(means.sum()) / np.sqrt(len(means))))


def _verdict(row: dict) -> str:
    if not np.isfinite(row["p_adjusted"]):
        return ""
    if row["p_adjusted"] > ALPHA:
        return UNKNOWN
    return BETTER if row["gain"] > 0 else WORSE
