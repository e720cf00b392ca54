"""Agreement of metric scores with human scores, in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import InputError, nearest
from .alignment import aligned, distinct
from .parameters import shown
from .public import public
from .python import Scores
from .settings import RESAMPLES, SEED

COLUMNS = ["metric", "human", "statistic", "systems", "segments", "over", "value", "low", "high"]


@public
def correlate(
    scores: Scores | pd.Series | pd.DataFrame | Mapping[str, pd.DataFrame],
    human: pd.Series | pd.DataFrame,
    statistics: Sequence[str] = ("pearson", "spearman", "kendall", "accuracy"),
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pd.DataFrame:
    """Agreement of system scores with human scores, with 95 % intervals.

    Parameters
    ----------
    scores : Scores, Series, DataFrame or mapping of str to DataFrame
        From `score`; or system scores, rows are systems and columns metrics, higher is better; or
        for each metric a table of segment scores, rows are segments and columns systems, higher is
        better, of which system scores are means.
    human : Series or DataFrame
        By system; or with segment scores a table of segments × systems, NaN where a hypothesis has
        no human score, of which a system's human score is the mean; its segments are aligned with
        those of `scores` by the index. Systems that are not in both `scores` and `human`, or that
        have no human score, are left out.
    statistics : sequence of str
        Of pearson, spearman, kendall (τ-b; these from −1 to 1) and accuracy (the share of pairs of
        systems that are ordered as by people, 0 to 1); higher is better.
    resamples, seed : int
        Of the bootstrap over segments.

    Returns
    -------
    DataFrame
        A row for each metric, statistic and `over`: what the interval is over. `human` is the name
        of the human scores: that of the Series, or `attrs["name"]` of the table. `systems`: others
        that might have been submitted (Fisher's z). With segment scores also `segments`: others
        of the same kind (percentiles of the bootstrap, human scores held); `both`; and, with a
        table of human scores, `joint`: segments, with their human scores. `segments` is how many
        are resampled, 0 without segment scores or resamples. NaN where a value or an interval is
        undefined (constant scores, too few systems). `attrs["notices"]` says which systems are
        left out and why, which metrics of `Scores`, for an undefined score, and what is doubtful
        about the human scores.

    Raises
    ------
    InputError
        An unknown statistic, fewer than three systems in both tables, a score that is missing
        or no finite number, two systems or metrics of one name, or different segments.
    """
    _check(statistics)
    people = _table(human, "human", (pd.Series, pd.DataFrame))
    name = people.name if isinstance(people, pd.Series) else human.attrs.get("name")
    notices: list[str] = []
    rows: list[tuple] = []
    quality: dict[str, pd.Series] = {}
    if isinstance(scores, Mapping):
        metrics = distinct(scores, "scores")
        for metric, given in zip(metrics, scores.values(), strict=True):
            table = _table(given, metric, (pd.DataFrame,))
            if isinstance(people, pd.DataFrame):
                inputs, _ = aligned({f"scores of {metric}": table, "human": people})
                people = inputs["human"]
            quality[metric] = table.mean()
            rows += _of_segments(metric, table, people, list(statistics), resamples, seed, notices)
    elif isinstance(people, pd.DataFrame):
        raise InputError(
            "human: a table of segments needs tables of segment scores, as in LoadedSet."
        )
    else:
        table = _system_scores(scores, notices)
        for column, own in table.items():
            quality[str(column)] = own
            rows += _of_systems(own, people, list(statistics), notices)
    rows = [(metric, name, *row) for metric, *row in rows]
    found = pd.DataFrame(rows, columns=COLUMNS)
    notices += _gold_doubts(people, pd.DataFrame(quality), str(name or "human"))
    found.attrs["notices"] = list(dict.fromkeys(notices))
    return found


def _gold_doubts(people: pd.Series | pd.DataFrame, quality: pd.DataFrame, name: str) -> list[str]:
    """Doubts about human scores; of `quality` rows are systems, columns metrics."""
    from ..data.gold_checks import find_doubts

    of_systems = people if isinstance(people, pd.Series) else people.mean()
    systems = sorted({*quality.index} & {*of_systems.dropna().index})
    segments = np.empty((len(systems), 0))
    if isinstance(people, pd.DataFrame):
        segments = people[systems].to_numpy(float).T
    values = {str(metric): own.to_numpy(float) for metric, own in quality.loc[systems].items()}
    gold = of_systems[systems].to_numpy(float)
    return find_doubts(systems, gold, segments, name, values)


def _table(given: Any, name: str, kinds: tuple[Any, ...]) -> Any:
    """Scores as numbers, of systems that go by their names as text."""
    if not isinstance(given, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{name}: expected a {expected}, found {shown(given)}.")
    try:
        found = given.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers ({error}).") from None
    if isinstance(given, pd.Series):
        return found.set_axis(distinct(given.index, name))
    return found.set_axis(distinct(given.columns, name), axis=1)


def _check(statistics: Sequence[str]) -> None:
    from ..statistics import STATISTICS

    known = [name for name in STATISTICS if STATISTICS[name].reads == "scores"]
    for name in statistics:
        if name not in known:
            hint = nearest(name, known)
            raise InputError(f"no statistic {name}{hint}. There are: {', '.join(known)}.")


def _system_scores(scores: Any, notices: list[str]) -> pd.DataFrame:
    """Rows are systems, columns metrics; higher is better."""
    if isinstance(scores, pd.Series):
        scores = scores.to_frame("score" if scores.name is None else scores.name)
    if not isinstance(scores, Scores):
        found = _table(scores, "scores", (Scores, pd.Series, pd.DataFrame, Mapping))
        return found.set_axis(distinct(found.index, "scores"))
    own = scores.scores
    weighted = own.weighting + "-" + own.metric
    names = own.metric.where(own.weighting == "standard", weighted)
    quality = own.score * np.where(own.higher_is_better, 1, -1)
    found = own.assign(name=names, quality=quality).pivot(
        index="system", columns="name", values="quality"
    )[list(dict.fromkeys(names))]
    undefined = found.isna().any()
    for name in found.columns[undefined]:
        systems = ", ".join(found.index[found[name].isna()])
        notices.append(f"{name} left out: no score of {systems}.")
    return found.loc[:, ~undefined]


def _of_systems(
    scores: pd.Series, human: pd.Series, statistics: list[str], notices: list[str]
) -> Iterator[tuple]:
    from ..evidence.intervals import over_systems
    from ..statistics import evaluate

    metric = str(scores.name)
    systems = _in_both(metric, scores.index, human, notices)
    own, people = (each.loc[systems].to_numpy(float) for each in (scores, human))
    for system, score in zip(systems, own, strict=True):
        if not np.isfinite(score):
            raise InputError(f"{metric}: expected a score of {system}, found {score}.")
    values = evaluate(statistics, own, people)
    ends = over_systems(statistics, values, len(systems))
    for name, *numbers in zip(statistics, values, *ends, strict=True):
        yield metric, name, len(systems), 0, "systems", *numbers


def _of_segments(
    metric: str,
    table: pd.DataFrame,
    human: pd.Series | pd.DataFrame,
    statistics: list[str],
    resamples: int,
    seed: int,
    notices: list[str],
) -> Iterator[tuple]:
    from ..evidence.significance import OVER, Resamples
    from ..metrics.base import Metric
    from ..weighting.base import WeightedMetric

    people = human if isinstance(human, pd.DataFrame) else None
    gold = human if isinstance(human, pd.Series) else human.mean()
    systems = _in_both(metric, table.columns, gold, notices)
    own = table[systems].to_numpy(float).T
    if not np.isfinite(own).all():
        system, segment = np.argwhere(~np.isfinite(own))[0]
        place = f"segment {table.index[segment]} of {systems[system]}"
        raise InputError(f"{metric}: expected a score of {place}, found {own[system, segment]}.")
    if not resamples:
        means = table[systems].mean().rename(metric)
        yield from _of_systems(means, gold[systems], statistics, notices)
        return
    weighted = WeightedMetric.standard(Metric, own[..., None])
    key = (metric, "standard")
    found = Resamples(
        {key: weighted},
        {key: weighted.scores()},
        gold[systems].to_numpy(float),
        resamples,
        seed,
        statistics,
        None if people is None else people[systems].to_numpy(float).T,
    ).estimates(np.arange(len(systems))[None], [key])[key]
    for over in OVER if people is not None else OVER[:3]:
        ends = found.intervals[over]
        for name, *numbers in zip(statistics, found.value, *ends, strict=True):
            yield metric, name, len(systems), len(table), over, *numbers


def _in_both(metric: str, scored: pd.Index, human: pd.Series, notices: list[str]) -> list[str]:
    """Systems that have both kinds of scores, sorted."""
    from ..data.evalset import describe_left_out

    rated = human.dropna().index
    left_out = dict.fromkeys(sorted({*scored} - {*rated}), "no human score")
    left_out |= dict.fromkeys(sorted({*human.index} - {*scored}), f"no {metric} score")
    systems = sorted({*scored} & {*rated})
    if len(systems) < 3:
        raise InputError(
            f"{metric}: {len(systems)} systems have scores and human scores; expected 3 or more. "
            f"Left out: {describe_left_out(left_out)}."
        )
    if left_out:
        notices.append(f"{metric}: left out {describe_left_out(left_out)}.")
    return systems
