"""Evaluation sets of the archive and of folders as tables, and the agreement of their metric scores
with their human scores, in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data import campaign_files, own_files
from ..data.campaign_files import check_pair, gold_names, pairs_of, reference_files
from ..data.download import find_campaign
from ..data.evalset import EvaluationSet, describe_left_out, doubts, read_evaluation_set
from ..data.gold_checks import find_doubts
from ..errors import InputError, Missing, nearest
from ..evidence.gains import OVER, Resamples
from ..evidence.intervals import over_systems
from ..metrics.base import Metric
from ..metrics.stored import Stored
from ..run.sets import find_project
from ..statistics import STATISTICS, evaluate
from ..weighting.base import WeightedMetric
from .parameters import RESAMPLES, SEED, public, shown
from .tables import Scores, aligned, by_segment, distinct

COLUMNS = ["metric", "human", "statistic", "systems", "segments", "over", "value", "low", "high"]


class LoadedSet(NamedTuple):
    """An evaluation set; rows of tables are segments, from 1, and columns systems, unless stated.

    Attributes
    ----------
    texts : DataFrame
        Columns source, reference, and document and domain where they are known.
    hypotheses : DataFrame
    human : Series
        Human score by system, higher is better, under the scores' name; empty where there is none.
    segment_human : DataFrame
        NaN where a hypothesis has no human score; empty where there are none. `attrs["name"]` is
        the scores' name.
    metrics : DataFrame
        Stored metric scores: rows are systems, columns metrics.
    segment_metrics : dict of str to DataFrame
        Stored segment scores by metric.
    language_pair : str
    notices : list of str
        What is left out, and why (systems, human scores of segments, metrics); doubts about texts
        and human scores.
    """

    texts: pd.DataFrame
    hypotheses: pd.DataFrame
    human: pd.Series
    segment_human: pd.DataFrame
    metrics: pd.DataFrame
    segment_metrics: dict[str, pd.DataFrame]
    language_pair: str
    notices: list[str]


@public
def load_set(
    campaign: str,
    pair: str,
    archive: str | Path,
    *,
    reference: str | None = None,
    gold: str | None = None,
) -> LoadedSet:
    """An evaluation set of the WMT archive.

    Parameters
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    archive : path
        A .tgz or an unpacked folder of the archive.
    reference, gold : str, optional
        Names of the reference and of the human scores; by default the archive's standard ones, or
        the only ones.

    Raises
    ------
    InputError
        There is no such set, or a file of it is damaged; the reference or the human scores are not
        named and there are several.
    """
    folder = find_campaign(Path(archive) / campaign)
    check_pair(campaign, pair, pairs_of(folder))
    listed = campaign_files.read_campaigns(find_project()[1].parent / campaign_files.FILE)
    known = {(entry.campaign, entry.pair): entry for entry in listed}.get((campaign, pair))

    def only(names: list[str], what: str) -> str:
        if len(names) == 1:
            return names[0]
        message = f"the archive has no {what} of this language pair."
        if names:
            message = f"choose one of the {what}; there are: {', '.join(names)}."
        raise InputError(f"{campaign}/{pair}: {message}")

    if reference is None:
        names = sorted(reference_files(folder, pair))
        reference = known.reference if known else only(names, "references")
    if gold is None:
        gold = known.gold if known else only(gold_names(folder, pair), "human scores")
    segment_gold = (gold, known.segment_gold) if known and gold == known.gold else None
    evalset = read_evaluation_set(
        folder, campaign, pair, reference, gold, segment_gold=segment_gold
    )
    place = folder / "metric-scores" / pair
    files = [*place.glob(f"*-{reference}.*.score"), *place.glob("*-src.*.score")]
    metrics = {file.name.rsplit(".", 2)[0].rsplit("-", 1)[0] for file in files}
    sources = dict.fromkeys(sorted(metrics), folder)
    return _loaded(evalset, sources, {}, evalset.segment_gold_name or evalset.gold_name)


@public
def load_folder(
    folder: str | Path, language_pair: str, *, reference: str | None = None
) -> LoadedSet:
    """An evaluation set of a folder of one's own: source.txt, reference.txt, systems/<system>.txt,
    and, where they exist, gold.tsv, segment_gold.tsv, documents.txt and scores/<metric>.tsv.

    Raises
    ------
    InputError
        A file is missing or of another form.
    """
    folder = Path(folder)
    evalset = own_files.read_own_files(folder, folder.name, language_pair, reference=reference)
    files = own_files.scores_files(folder)
    sources = {file.stem: file for file in files if file.suffix == ".tsv"}
    absent = {file.name: "not <metric>.tsv" for file in files if file.suffix != ".tsv"}
    return _loaded(evalset, sources, absent, own_files.SEGMENT_GOLD)


def _loaded(
    evalset: EvaluationSet, sources: dict[str, Path], absent: dict[str, str], segment_gold: str
) -> LoadedSet:
    """An evaluation set as tables; `sources` are places of metric scores by metric, `absent` why
    others are left out, and `segment_gold` is the name of the human scores of segments."""
    systems, lines = evalset.systems, len(evalset.source)
    metrics, segment_metrics, lacking = {}, {}, {}
    for name, source in sources.items():
        metric = Stored(evalset.pair, name=name)
        try:
            segments = metric.evaluate(evalset, source)[..., 0]
        except Missing as reason:
            lacking[name] = str(reason)
            continue
        of_systems = metric.system_scores
        metrics[name] = segments.mean(axis=1) if of_systems is None else of_systems
        if segments.shape[1] == lines > 1:
            segment_metrics[name] = by_segment(segments.T, systems)

    left_out = [(evalset.left_out, "systems"), (lacking | absent, "metrics")]
    if evalset.segment_gold_doubt and not evalset.segment_gold:
        left_out.append(({segment_gold: evalset.no_segment_gold}, "human scores"))
    notices = [f"{what} left out: {describe_left_out(names)}." for names, what in left_out if names]
    notices += [doubt for doubt in doubts(evalset) if doubt not in notices]

    columns = {"source": evalset.source, "reference": evalset.reference}
    columns |= {"document": evalset.documents} if evalset.documents else {}
    columns |= {"domain": evalset.domains} if evalset.domains else {}
    texts = pd.DataFrame(columns)
    texts.index = pd.RangeIndex(1, len(texts) + 1, name="segment")
    segment_human = pd.DataFrame()
    if evalset.segment_gold:
        segment_human = by_segment(np.array(evalset.segment_gold, float).T, systems)
    segment_human.attrs["name"] = segment_gold
    gold = evalset.gold
    return LoadedSet(
        texts,
        by_segment(np.array(evalset.hypotheses, object).T, systems),
        pd.Series(gold, index=systems if gold else [], dtype=float, name=evalset.gold_name or None),
        segment_human,
        pd.DataFrame(metrics, index=systems),
        segment_metrics,
        evalset.pair,
        notices,
    )


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
    known = [name for name in STATISTICS if STATISTICS[name].reads == "scores"]
    for name in statistics:
        if name not in known:
            hint = nearest(name, known)
            raise InputError(f"no statistic {name}{hint}. There are: {', '.join(known)}.")
    gold = _numbers(human, "human", (pd.Series, pd.DataFrame))
    label = gold.name if isinstance(gold, pd.Series) else human.attrs.get("name")
    notices: list[str] = []
    rows: list[tuple] = []
    quality: dict[str, pd.Series] = {}
    if isinstance(scores, Mapping):
        metrics = distinct(scores, "scores")
        for metric, given in zip(metrics, scores.values(), strict=True):
            table = _numbers(given, metric, (pd.DataFrame,))
            if isinstance(gold, pd.DataFrame):
                inputs, _ = aligned({f"scores of {metric}": table, "human": gold})
                gold = inputs["human"]
            quality[metric] = table.mean()
            rows += _agreement(metric, table, gold, list(statistics), resamples, seed, notices)
    elif isinstance(gold, pd.DataFrame):
        raise InputError(
            "human: a table of segments needs tables of segment scores, as in LoadedSet."
        )
    else:
        for column, of_systems in _system_scores(scores, notices).items():
            metric, quality[str(column)] = str(column), of_systems
            rows += _agreement(metric, of_systems, gold, list(statistics), 0, seed, notices)
    rows = [(metric, label, *row) for metric, *row in rows]
    table = pd.DataFrame(rows, columns=COLUMNS)
    # Doubts about the human scores, also beside the metrics.
    of_systems = gold if isinstance(gold, pd.Series) else gold.mean()
    of_metrics = pd.DataFrame(quality)
    systems = sorted({*of_metrics.index} & {*of_systems.dropna().index})
    segments = np.empty((len(systems), 0))
    if isinstance(gold, pd.DataFrame):
        segments = gold[systems].to_numpy(float).T
    beside = {str(name): column.to_numpy(float) for name, column in of_metrics.loc[systems].items()}
    values = of_systems[systems].to_numpy(float)
    notices += find_doubts(systems, values, segments, str(label or "human"), beside)
    table.attrs["notices"] = list(dict.fromkeys(notices))
    return table


def _numbers(given: Any, name: str, kinds: tuple[Any, ...]) -> Any:
    """Scores as numbers, of systems that go by their names as text."""
    if not isinstance(given, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{name}: expected a {expected}, found {shown(given)}.")
    try:
        numbers = given.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers ({error}).") from None
    if isinstance(given, pd.Series):
        return numbers.set_axis(distinct(given.index, name))
    return numbers.set_axis(distinct(given.columns, name), axis=1)


def _system_scores(scores: Any, notices: list[str]) -> pd.DataFrame:
    """Rows are systems, columns metrics; higher is better."""
    if isinstance(scores, pd.Series):
        scores = scores.to_frame("score" if scores.name is None else scores.name)
    if not isinstance(scores, Scores):
        table = _numbers(scores, "scores", (Scores, pd.Series, pd.DataFrame, Mapping))
        return table.set_axis(distinct(table.index, "scores"))
    rows = scores.scores
    names = rows.metric.where(rows.weighting == "standard", rows.weighting + "-" + rows.metric)
    rows = rows.assign(name=names, quality=rows.score * np.where(rows.higher_is_better, 1, -1))
    table = rows.pivot(index="system", columns="name", values="quality")
    table = table[list(dict.fromkeys(names))]
    undefined = table.isna().any()
    for name in table.columns[undefined]:
        systems = ", ".join(table.index[table[name].isna()])
        notices.append(f"{name} left out: no score of {systems}.")
    return table.loc[:, ~undefined]


def _agreement(
    metric: str,
    scores: Any,
    human: pd.Series | pd.DataFrame,
    statistics: list[str],
    resamples: int,
    seed: int,
    notices: list[str],
) -> Iterator[tuple]:
    """Rows of a metric, of its system scores or of its segment scores (segments × systems)."""
    of_segments, gold_of_segments = isinstance(scores, pd.DataFrame), None
    gold = human if isinstance(human, pd.Series) else human.mean()
    scored, rated = {*(scores.columns if of_segments else scores.index)}, {*gold.dropna().index}
    systems = sorted(scored & rated)
    left_out = dict.fromkeys(sorted(scored - rated), "no human score")
    left_out |= dict.fromkeys(sorted({*gold.index} - scored), f"no {metric} score")
    if len(systems) < 3:
        raise InputError(
            f"{metric}: {len(systems)} systems have scores and human scores; expected 3 or more. "
            f"Left out: {describe_left_out(left_out)}."
        )
    if left_out:
        notices.append(f"{metric}: left out {describe_left_out(left_out)}.")
    table: Any = scores[systems] if of_segments else scores[systems].to_frame().T
    for segment, system in np.argwhere(~np.isfinite(table.to_numpy())):
        place = f"segment {table.index[segment]} of " * of_segments + systems[system]
        score = table.iloc[segment, system]
        raise InputError(f"{metric}: expected a score of {place}, found {score}.")
    gold_of_systems = gold[systems].to_numpy(float)
    if not of_segments or not resamples:
        values = evaluate(statistics, table.mean().to_numpy(), gold_of_systems)
        ends = over_systems(statistics, values, len(systems))
        for name, *numbers in zip(statistics, values, *ends, strict=True):
            yield metric, name, len(systems), 0, "systems", *numbers
        return
    if isinstance(human, pd.DataFrame):
        gold_of_segments = human[systems].to_numpy(float).T
    key, values = (metric, "standard"), table.to_numpy(float).T[..., None]
    weighted = WeightedMetric.standard(Metric, values)
    estimate = Resamples(
        {key: weighted},
        {key: weighted.scores()},
        gold_of_systems,
        resamples,
        seed,
        statistics,
        gold_of_segments,
    ).estimates(np.arange(len(systems))[None], [key])[key]
    for over in OVER[:3] if gold_of_segments is None else OVER:
        for name, *numbers in zip(
            statistics, estimate.value, *estimate.intervals[over], strict=True
        ):
            yield metric, name, len(systems), len(table), over, *numbers
