"""Difficulty as a metric (sentinels; Perrella et al. 2024): how well a score that is the same for
all translations of a segment agrees with human scores of segments, by statistic and grouping,
beside the metrics of the set.

The score of a difficulty is the segment's mean difficulty over systems with its sign turned. The
difficulty may be estimated from translations or human scores (`information`). Without grouping, and
by system, the score gets credit for knowing which segments are difficult. By segment (grouping
`item`) it has none: its correlation is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..statistics import STATISTICS
from ..statistics.acc_eq import AccEq, calibrate
from ..statistics.base import SegmentCorrelation, SegmentStatistic, grouped
from ..tables import TABLES
from . import dec
from .estimators import Estimate
from .metric_table import DIGITS, segment_accuracies
from .resampling import interval
from .units import DOCUMENTS, units_of_set

COLUMNS = TABLES["sentinels/agreement.csv"].names(without=["set"])
# Statistics of segment scores, each with its groupings.
STATISTIC_NAMES = ("segment_pearson", "segment_kendall", "acc_eq")
DIFFICULTY = "difficulty"
METRIC = "metric"
SAME = "the score is the same for every system"
CONSTANT = "the scores are constant in every group"
NOT_FINITE = "not every compared segment has a finite score"
YES = "yes"
NO = "no"
# More resamples hardly change an interval, and each takes a sort of all scores.
MOST_RESAMPLES = 1000


class Score(NamedTuple):
    """Scores of segments.

    Attributes
    ----------
    values : ndarray
        (systems, segments), higher is better.
    kind : {"difficulty", "metric"}
        Whether it is a difficulty with its sign turned, or a metric.
    information : str
        What the difficulty is estimated from; empty for a metric.
    """

    values: np.ndarray
    kind: str
    information: str = ""


def score_of(estimate: Estimate) -> Score:
    """Return a difficulty as a score of segments that is the same for every system.

    The score of a leave-one-out difficulty, such as the human scores of the other systems
    (`human`), is a mean over all systems, the judged one included: with human scores that are
    noise, its r without grouping is about 1/√(number of systems).
    """
    values = np.broadcast_to(-mean_difficulty(estimate.values), estimate.values.shape)
    return Score(values, DIFFICULTY, estimate.information)


def mean_difficulty(values: np.ndarray) -> np.ndarray:
    """Average difficulties, (systems, segments), over the systems that have one. NaN where none
    has, and where one is infinite."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        means = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
    return np.where(np.isinf(values).any(axis=0), np.nan, means)


def sentinel_rows(
    evalset: EvaluationSet,
    scores: Mapping[str, Score],
    absent: Mapping[str, str],
    resamples: int,
    seed: int,
    unit: str = DOCUMENTS,
) -> pd.DataFrame:
    """Measure how well scores of segments agree with human scores.

    Parameters
    ----------
    evalset : EvaluationSet
    scores : mapping of str to Score
        Difficulties and metrics by name.
    absent : mapping of str to str
        Reasons for difficulties and metrics without scores.
    resamples : int
        Number of bootstrap resamples, of which at most MOST_RESAMPLES are drawn.
    seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.

    Returns
    -------
    DataFrame
        Columns COLUMNS. `same_for_systems` says whether the score is a sentinel
        (`is_same_for_systems`). `metric_rank` is 1 + the number of the set's other metrics with a
        higher value. Intervals are over the same resamples for all scores; tie thresholds of acc*eq
        are not calibrated again.

    Raises
    ------
    Missing
        Without human scores of segments.
    """
    evalset.require_segment_gold()
    gold = np.array(evalset.segment_gold, dtype=float)
    rated = np.isfinite(gold).any(axis=0)
    gold = gold[:, rated]
    units = units_of_set(evalset, np.flatnonzero(rated), unit)
    rng = np.random.default_rng([seed, 11])
    counts = dec.resample_counts(units, min(resamples, MOST_RESAMPLES), rng)
    of_rated = {name: score.values[:, rated] for name, score in scores.items()}
    same = {name: is_same_for_systems(values, gold) for name, values in of_rated.items()}

    rows = []
    for statistic in STATISTIC_NAMES:
        for grouping in cast(type[SegmentStatistic], STATISTICS[statistic]).groupings:
            drawn = {
                name: resampled_statistic(statistic, grouping, values, gold, counts)
                for name, values in of_rated.items()
            }
            metrics = {name: drawn[name] for name in drawn if scores[name].kind == METRIC}
            for name, values in drawn.items():
                others = [metrics[metric] for metric in metrics if metric != name]
                rows.append(
                    {
                        "score_name": name,
                        "kind": scores[name].kind,
                        "information": scores[name].information,
                        "same_for_systems": YES if same[name] else NO,
                        "statistic": statistic,
                        "grouping": grouping,
                        **_summary(values),
                        **_ranks(values, others),
                        "unit": units.kind,
                        "units": units.size,
                        "segments": gold.shape[1],
                        "hypotheses": np.isfinite(gold).sum(),
                        "reason": _reason(
                            values, of_rated[name], gold, same_for_systems=same[name]
                        ),
                    }
                )
    for name, reason in absent.items():
        rows.append({"score_name": name, "reason": reason})
    return pd.DataFrame(rows, columns=COLUMNS)


def is_same_for_systems(scores: np.ndarray, gold: np.ndarray) -> bool:
    """Return whether a score tells segments apart, but not the translations of a segment.

    Parameters
    ----------
    scores, gold : ndarray
        (systems, segments); human scores are NaN where absent.

    Returns
    -------
    bool
        False for a constant score, and without a finite score of a rated hypothesis.
    """
    rated = np.isfinite(gold)
    of_rated = scores[rated]
    if not np.isfinite(of_rated).all() or (of_rated == of_rated[0]).all():
        return False
    highest = np.where(rated, scores, -np.inf).max(axis=0)
    lowest = np.where(rated, scores, np.inf).min(axis=0)
    return bool((highest == lowest).all())


def resampled_statistic(
    statistic: str, grouping: str, scores: np.ndarray, gold: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Compute a statistic on the original segments (first) and on resamples.

    Parameters
    ----------
    statistic, grouping : str
    scores, gold : ndarray
        (systems, segments); human scores are NaN where absent.
    counts : ndarray
        How often each segment is drawn, (segments, 1 + resamples).

    Returns
    -------
    ndarray
        (1 + resamples,); NaN where undefined, and without a finite score of a rated hypothesis.
    """
    if not np.isfinite(scores[np.isfinite(gold)]).all():
        return np.full(counts.shape[1], np.nan)
    if grouping == "item":
        return _mean_of_segments(_values_of_segments(statistic, scores, gold), counts)
    is_pearson = statistic == "segment_pearson"
    if grouping == "system":
        correlate = dec.correlations if is_pearson else dec.taus
        # DEC is between difficulty and human scores with their sign turned.
        return dec.mean_over_systems(correlate(-scores, gold, counts))
    if is_pearson:
        return pooled_pearson(scores, gold, counts)
    times = np.tile(counts, (len(gold), 1))
    return dec.taus(-scores.reshape(1, -1), gold.reshape(1, -1), times)[0, 0]


def _values_of_segments(statistic: str, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return a statistic of each segment, (segments,); NaN where it is undefined."""
    groups = grouped(gold, "item")
    member = STATISTICS[statistic]()
    if isinstance(member, AccEq):
        _, epsilon = calibrate(scores.ravel()[groups.cells], groups)
        return segment_accuracies(scores, gold, epsilon)
    assert isinstance(member, SegmentCorrelation)
    return member.of_groups(scores.ravel()[groups.cells], groups)


def _mean_of_segments(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Average the known values of segments with weights, (segments, 1 + resamples)."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (values[known] @ counts[known]) / counts[known].sum(axis=0)


def pooled_pearson(scores: np.ndarray, gold: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Compute Pearson's r over all hypotheses of resampled segments.

    Parameters
    ----------
    scores, gold : ndarray
        (systems, segments); human scores are NaN where absent.
    counts : ndarray
        How often each segment is drawn, (segments, resamples).

    Returns
    -------
    ndarray
        (resamples,); NaN where a side is constant.
    """
    rated = np.isfinite(gold)
    x = np.where(rated, scores - scores[rated].mean(), 0.0)
    y = np.where(rated, gold - gold[rated].mean(), 0.0)
    moments = np.stack([rated, x, y, x * x, y * y, x * y]).astype(float).sum(axis=1)
    n, sx, sy, xx, yy, xy = moments @ counts
    x_spread = xx - sx * sx / n
    y_spread = yy - sy * sy / n
    varied = (x_spread > 1e-12 * xx) & (y_spread > 1e-12 * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (xy - sx * sy / n) / np.sqrt(x_spread * y_spread)
    return np.where(varied, r, np.nan)


def _summary(values: np.ndarray) -> dict[str, float]:
    """Return the value on the original segments and its 95 % interval, by column."""
    low, high = map(float, interval(values[1:]))
    if np.isnan(values[0]):
        low = high = np.nan
    return {"value": float(values[0]), "low": low, "high": high}


def _ranks(values: np.ndarray, others: list[np.ndarray]) -> dict[str, float]:
    """Return the rank among other metrics, its 95 % interval, and the number of metrics, by
    column. Metrics whose value is undefined do not count. A resample in which one of the values is
    undefined has no rank."""
    known = [other for other in others if np.isfinite(other[0])]
    columns = ("metric_rank", "metric_rank_low", "metric_rank_high")
    if np.isnan(values[0]) or not known:
        return dict.fromkeys(columns, np.nan) | {"metrics": len(known)}
    # Values that are equal but for rounding have the same rank.
    higher = np.round(known, DIGITS) > np.round(values, DIGITS)
    ranks = 1 + higher.sum(axis=0).astype(float)
    is_undefined = np.isnan([values, *known]).any(axis=0)
    ranks = np.where(is_undefined, np.nan, ranks)
    low, high = map(float, interval(ranks[1:]))
    numbers = dict(zip(columns, (float(ranks[0]), low, high), strict=True))
    return numbers | {"metrics": len(known)}


def _reason(
    values: np.ndarray, scores: np.ndarray, gold: np.ndarray, *, same_for_systems: bool
) -> str:
    """Return why a statistic has no value; "" if it has."""
    if np.isfinite(values[0]):
        return ""
    if not np.isfinite(scores[np.isfinite(gold)]).all():
        return NOT_FINITE
    return SAME if same_for_systems else CONSTANT
