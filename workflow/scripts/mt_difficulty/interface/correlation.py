"""Agreement of metric scores with human scores, in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..errors import InputError, nearest
from .public import public
from .python import Scores
from .settings import RESAMPLES, SEED

COLUMNS = ["metric", "statistic", "systems", "segments", "over", "value", "low", "high"]


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
        no human score, of which a system's human score is the mean. Systems that are not in both
        `scores` and `human` are left out.
    statistics : sequence of str
        Of pearson, spearman, kendall (τ-b; these from −1 to 1) and accuracy (the share of pairs of
        systems that are ordered as by people, 0 to 1); higher is better.
    resamples, seed : int
        Of the bootstrap over segments.

    Returns
    -------
    DataFrame
        A row for each metric, statistic and `over`: what the interval is over. `systems`: others
        that might have been submitted (Fisher's z). With segment scores also `segments`: others
        of the same kind (percentiles of the bootstrap, human scores held); `both`; and, with a
        table of human scores, `joint`: segments, with their human scores. `segments` is how many
        are resampled, 0 without segment scores. NaN where a value or an
        interval is undefined (constant scores, too few systems). `attrs` has the notices: doubts
        about the human scores.

    Raises
    ------
    InputError
        An unknown statistic, fewer than three systems in both tables, or a missing score.
    """
    _check(statistics)
    if isinstance(human, pd.Series) and (twice := human.index[human.index.duplicated()]).size:
        raise InputError(f"human: {twice[0]} occurs twice.")
    if isinstance(scores, Mapping):
        rows = [
            row
            for metric, table in scores.items()
            for row in _of_segments(metric, table, human, list(statistics), resamples, seed)
        ]
        quality = pd.DataFrame({metric: table.mean() for metric, table in scores.items()})
        return _table(rows, quality, human)
    if isinstance(human, pd.DataFrame):
        raise InputError(
            "human: a table of segments needs tables of segment scores, as in LoadedSet."
        )
    table = _system_scores(scores)
    if (twice := table.index[table.index.duplicated()]).size:
        raise InputError(f"scores: {twice[0]} occurs twice.")
    rows = [
        row for name in table.columns for row in _of_systems(table[name], human, list(statistics))
    ]
    return _table(rows, table, human)


def _table(
    rows: list[tuple], quality: pd.DataFrame, human: pd.Series | pd.DataFrame
) -> pd.DataFrame:
    """Rows with doubts about the human scores; of `quality` rows are systems, columns metrics."""
    from ..data.gold_checks import find_doubts

    gold = human if isinstance(human, pd.Series) else human.mean()
    systems = _in_both(quality.index, gold.dropna().index)
    segments = human[systems].to_numpy(float).T if isinstance(human, pd.DataFrame) else None
    table = pd.DataFrame(rows, columns=COLUMNS)
    table.attrs["notices"] = find_doubts(
        systems,
        gold[systems].to_numpy(float),
        np.empty((len(systems), 0)) if segments is None else segments,
        "human",
        {
            str(metric): of_metric.to_numpy(float)
            for metric, of_metric in quality.loc[systems].items()
        },
    )
    return table


def _check(statistics: Sequence[str]) -> None:
    from ..statistics import STATISTICS

    known = [name for name in STATISTICS if STATISTICS[name].reads == "scores"]
    for name in statistics:
        if name not in known:
            hint = nearest(name, known)
            raise InputError(f"no statistic {name}{hint}. There are: {', '.join(known)}.")


def _system_scores(scores: Scores | pd.Series | pd.DataFrame) -> pd.DataFrame:
    """Rows are systems, columns metrics; higher is better."""
    if isinstance(scores, pd.Series):
        return scores.to_frame(scores.name or "score")
    if not isinstance(scores, Scores):
        return scores
    own = scores.scores
    weighted = own.weighting + "-" + own.metric
    names = own.metric.where(own.weighting == "standard", weighted)
    quality = own.score * np.where(own.higher_is_better, 1, -1)
    found = own.assign(name=names, quality=quality).pivot(
        index="system", columns="name", values="quality"
    )
    return found[list(dict.fromkeys(names))]


def _of_systems(scores: pd.Series, human: pd.Series, statistics: list[str]) -> Iterator[tuple]:
    from ..evidence.intervals import over_systems
    from ..statistics import evaluate

    systems = _in_both(scores.index, human.dropna().index)
    own, people = (each.loc[systems].to_numpy(float) for each in (scores, human))
    values = evaluate(statistics, own, people)
    ends = over_systems(statistics, values, len(systems))
    for name, *numbers in zip(statistics, values, *ends, strict=True):
        yield scores.name, name, len(systems), 0, "systems", *numbers


def _of_segments(
    metric: str,
    table: pd.DataFrame,
    human: pd.Series | pd.DataFrame,
    statistics: list[str],
    resamples: int,
    seed: int,
) -> Iterator[tuple]:
    from ..evidence.significance import OVER, Resamples
    from ..metrics.base import Metric
    from ..weighting.base import WeightedMetric

    people = human if isinstance(human, pd.DataFrame) else None
    if people is not None and not people.index.equals(table.index):
        raise InputError(
            f"{metric}: {len(table)} segments, human scores of {len(people)}; expected the same "
            "segments in the same order."
        )
    gold = human if isinstance(human, pd.Series) else human.mean()
    systems = _in_both(table.columns, gold.dropna().index)
    own = table[systems].to_numpy(float).T
    if not np.isfinite(own).all():
        system, segment = np.argwhere(~np.isfinite(own))[0]
        place = f"segment {table.index[segment]} of {systems[system]}"
        raise InputError(f"{metric}: expected a score of {place}, found {own[system, segment]}.")
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


def _in_both(one: pd.Index, other: pd.Index) -> list[str]:
    """Systems that have both kinds of scores, sorted."""
    systems = sorted({*one} & {*other})
    if len(systems) < 3:
        raise InputError(
            f"{len(systems)} systems have scores and human scores; expected 3 or more."
        )
    return systems
