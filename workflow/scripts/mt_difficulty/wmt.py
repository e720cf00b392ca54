"""Metrics on evaluation sets by the statistics of the WMT metrics task: values with intervals,
ranks and clusters among a set's metrics, and other human scores as a ceiling."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import filter as matching
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from . import texts
from .data import campaign_files, download, own_files
from .data.campaign_files import KnownSet, gold_names, pairs_of
from .data.evalset import EvaluationSet, SetFiles, describe_left_out, read_evaluation_set
from .data.score_files import read_scores
from .errors import InputError, Missing, errors_of_input
from .evidence.gains import Resamples, WholeSet
from .evidence.metric_table import ALL, acc_eq_interval, agreement_tables, averages
from .metrics.stored import Stored
from .plan.plan import ARCHIVE, find_project
from .scores import ScoredSet, counted_segments
from .statistics import of_scores
from .texts import AGREEMENT, OFFICIAL, RESAMPLES, SEED, check_parameters, known_name, named
from .weighting.base import STANDARD

ROW = ["metric", "segments_of", "statistic"]
COLUMNS = [
    *("set", "human", *ROW, "value", "low", "high", "over"),
    *("place", "metrics", "cluster", "systems", "segments", "reason"),
]
OVER = {"both": "segments and systems", "systems": "systems"}
Arrays = dict[str, dict[str, Any]]  # `statistics` and, where stored, `system_scores`, by metric


def known_sets() -> dict[tuple[str, str], KnownSet]:
    """Return the WMT archive's sets in `workflow/campaigns.yaml` by (campaign, language pair)."""
    listed = campaign_files.read_campaigns(find_project()[1].parent / campaign_files.FILE)
    return {(entry.campaign, entry.pair): entry for entry in listed}


def read_archive_set(
    folder: Path, pair: str, reference: str | None, gold: str | None, drop_outliers: bool = False
) -> tuple[EvaluationSet, dict[str, Path]]:
    """Read a set in a campaign's folder, by default with its standard reference and human scores,
    or the only ones; `InputError` if there are several. Also return the location of each of its
    stored metrics."""
    name = folder.name, pair
    known = known_sets().get(name, KnownSet(*name, ""))

    def only(names: list[str], what: str) -> str:
        if len(names) == 1:
            return names[0]
        message = f"the archive has no {what} of this language pair."
        if names:
            message = f"choose one of the {what}; there are: {', '.join(names)}."
        raise InputError(f"{folder.name}/{pair}: {message}")

    if reference is None:
        reference = known.reference or only(
            sorted(campaign_files.reference_files(folder, pair)), "references"
        )
    gold = gold or known.gold or only(gold_names(folder, pair), "human scores")
    options: dict[str, Any] = {"outliers": known.outliers, "drop_outliers": drop_outliers}
    options |= {"segment_gold": (gold, known.segment_gold)} if gold == known.gold else {}
    evalset = read_evaluation_set(folder, *name, reference, gold, **options)
    stored = campaign_files.stored_metrics(folder, pair, reference).values()
    return evalset, dict.fromkeys(sorted(settings["name"] for settings in stored), folder)


def read_folder(
    folder: Path, pair: str, reference: str | None
) -> tuple[EvaluationSet, dict[str, Path]]:
    """Return the set in a user's folder, and the paths of its `scores/*.tsv` by metric name."""
    evalset = own_files.read_own_files(folder, folder.name, pair, reference=reference)
    files = own_files.visible(folder / own_files.SCORES)
    return evalset, {file.stem: file for file in files if file.suffix == ".tsv"}


def read_stored(
    evalset: EvaluationSet, sources: Mapping[str, Path], files: Mapping[str, str] | None = None
) -> tuple[Arrays, dict[str, str]]:
    """Read metrics' scores from an archive's folders or from files; `files` are those that a user
    names. Return the scores, and why some are missing, by metric."""
    arrays, absent = Arrays(), dict[str, str]()
    for name, source in sources.items():
        metric = Stored(evalset.pair, name, (files or {}).get(name))
        try:
            arrays[name] = {"statistics": metric.evaluate(evalset, source)}
        except Missing as reason:
            absent[name] = str(reason)
        if metric.system_scores is not None:
            arrays[name]["system_scores"] = metric.system_scores
    return arrays, absent


def find_sets(pattern: str, archive: Path, gold: str | None) -> list[tuple[Path, str]]:
    """Find the sets of the archive that match a pattern and have human scores, or a single set:
    the folder of the campaign, and the pair; or a folder of own files, with an empty pair."""
    if Path(pattern).is_dir():
        return [(Path(pattern), "")]
    of_campaigns, _, of_pairs = pattern.partition("/")
    if not of_pairs or not archive.exists():
        missing = f"the archive {archive} is not here" if of_pairs else "no CAMPAIGN/PAIR"
        raise InputError(f"{pattern}: neither a folder nor a set of an archive: {missing}.")
    known = known_sets()
    campaigns = matching(dict.fromkeys(name for name, _ in known), of_campaigns) or [of_campaigns]
    top, sets = download.unpacked(archive, campaigns), []
    for campaign in campaigns:
        if len(campaigns) > 1 and not (top / campaign).is_dir():
            continue
        folder = download.find_campaign(top / campaign)
        if not {*pattern} & {*"*?["}:
            campaign_files.check_pair(campaign, of_pairs, pairs_of(folder))
            return [(folder, of_pairs)]
        for pair in matching(pairs_of(folder), of_pairs):
            names = gold_names(folder, pair)
            standard = gold or known.get((campaign, pair), KnownSet("", "", "")).gold
            sets += [(folder, pair)] * (standard in names if standard else bool(names))
    if not sets:
        raise InputError(f"{pattern}: {archive} has no such set with human scores.")
    return sets


@errors_of_input
def correlate_sets(
    sets: str | Sequence[str],
    archive: str | Path = ARCHIVE,
    *,
    scores: str | Sequence[str] | Mapping[str, str] = (),
    metrics: str | Sequence[str] | None = None,
    difficulty: str | None = None,
    statistics: str | Sequence[str] = OFFICIAL,
    reference: str | None = None,
    gold: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pd.DataFrame:
    """Compare metrics with human scores by the statistics of the WMT metrics task.

    Parameters
    ----------
    sets : str or sequence of str
        Sets of the archive (wmt23/en-de), patterns (`wmt2[2-5]/*`), or folders of own files.
    archive : path
        A .tgz or an unpacked folder of the archive.
    scores : str, sequence of str, or mapping of names to str
        Files of metrics' scores, with {campaign} and {pair} for those of a set.
    metrics, difficulty, statistics, reference, gold, resamples, seed
        As the options of `mt-difficulty correlate`.

    Returns
    -------
    DataFrame
        A row for each set, metric and statistic: value, 95 % interval (`over` says what is
        resampled), place among the `metrics` metrics of the set, cluster of significance among
        those with segment scores. `segments_of` is easy or hard for the rows that a difficulty
        adds. Rows with the metric `human scores …` are the set's other human scores. Rows with the
        set `wmt23` or `all` are means over the sets; in `all` campaigns weigh equally.
        `attrs["notices"]` lists what is left out.
    """
    options: dict[str, Any] = {"reference": reference, "gold": gold}
    check_parameters(archive=archive, resamples=resamples, seed=seed, **options)
    if not resamples:
        raise InputError("resamples 0: SPA and clusters need resamples; expected 1 or more.")
    statistics = [known_name(x, AGREEMENT, "statistic") for x in named(statistics, "statistics")]
    asked = named(() if metrics is None else metrics, "metrics")
    names = scores if isinstance(scores, Mapping) else {}
    names = names or {_label(file): file for file in named(scores, "scores")}
    files = dict(zip(names, named([*names.values()], "scores"), strict=True))
    of_patterns = [find_sets(pattern, Path(archive), gold) for pattern in named(sets, "sets")]

    of_sets, draws = dict[str, list[pd.DataFrame]](), (resamples, seed)
    rows, notices = [], list[str]()
    for folder, pair in dict.fromkeys(chain(*of_patterns)):
        name = f"{folder.name}/{pair}" if pair else str(folder)
        steps = partial(tqdm, desc=name, unit="test", delay=texts.DELAY, leave=False, disable=None)
        try:
            if pair:
                evalset, sources = read_archive_set(folder, pair, **options, drop_outliers=True)
            else:
                evalset, sources = read_folder(folder, own_files.pair_of(None, None), reference)
            arrays, shown, odd = _read_scores(evalset, sources, files, asked)
            parts = _in_parts(evalset, difficulty)
            table, agreement = _measured(parts, arrays, shown, statistics, draws, steps)
        except Missing as reason:
            notices.append(f"{name} left out: {reason}")
            continue
        notices += [f"{name}: {notice}" for notice in odd]
        tables = [table]
        for label, rated_set, of_other in _other_gold(folder, evalset) if pair else ():
            table, _ = _measured(rated_set, {label: of_other}, [label], statistics, draws)
            tables.append(table.drop(columns=["place", "metrics", "cluster"]))
        rows += [table.assign(set=name, human=evalset.gold_label) for table in tables]
        about = {"set": name, "year": evalset.campaign, "gold": evalset.gold_name, "pair": pair}
        of_sets.setdefault(evalset.campaign, []).append(agreement.assign(**about))
    if not rows:
        raise InputError(f"{'; '.join(notices)}.")
    groups = {name: tables for name, tables in of_sets.items() if len(tables) > 1}
    groups |= {"all": [*chain(*of_sets.values())]} if len(of_sets) > 1 else {}
    for name, tables in groups.items():
        mean = _means(tables)
        rows.append(mean[mean.metric.isin(rows[0].metric)].assign(set=name))
    result = pd.concat([table.reindex(columns=COLUMNS) for table in rows], ignore_index=True)
    result.attrs["notices"] = notices
    return result


def _label(file: str) -> str:
    """Return a metric's name: its score file's name up to {campaign}, {pair} or the first dot."""
    start, *more = re.split(r"[/._-]*\{", file, maxsplit=1)
    return (Path(start).name if more else Path(start).name.partition(".")[0]) or "scores"


def _read_scores(
    evalset: EvaluationSet, sources: dict[str, Path], files: Mapping[str, str], asked: list[str]
) -> tuple[Arrays, list[str], list[str]]:
    """Read the scores of a set's metrics; return these with the metrics to show and notices.
    Raises `Missing` without human scores or metrics to show."""
    wanted = [*files, *(known_name(name, sources, "metric") for name in asked)]
    filled = {x: own_files.file_of_set(y, evalset.campaign, evalset.pair) for x, y in files.items()}
    sources |= {name: Path(file) for name, file in filled.items()}
    arrays, absent = read_stored(evalset, sources, files)
    left_out = dict.fromkeys(absent[name] for name in wanted or absent if name in absent)
    shown = [name for name in wanted or sources if name in arrays]
    if not evalset.gold or not shown:
        lacking = "metric scores" if evalset.gold else "human scores of the systems"
        raise Missing("; ".join(left_out) or f"expected {lacking}, found none")
    notices = [f"systems left out: {describe_left_out(evalset.left_out)}"] * bool(evalset.left_out)
    notices += [f"metrics left out: {'; '.join(left_out)}"] * bool(left_out)
    return arrays, shown, [*notices, *evalset.notices]


def _in_parts(evalset: EvaluationSet, difficulty: str | None) -> EvaluationSet:
    """Return the set with two domains, hard segments (mean difficulty above the median) and easy
    ones; without a difficulty none."""
    evalset = replace(evalset, domains=[], domain_gold={})
    if difficulty is None:
        return evalset
    file = own_files.file_of_set(str(difficulty), evalset.campaign, evalset.pair)
    values = texts.score_texts(evalset, difficulty=file).values.mean(axis=0)
    median = np.median(values[counted_segments(evalset)])
    return replace(evalset, domains=["hard" if value > median else "easy" for value in values])


def _measured(
    evalset: EvaluationSet,
    arrays: Arrays,
    shown: Sequence[str],
    statistics: Sequence[str],
    draws: tuple[int, int],
    progress: Callable = iter,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return rows (COLUMNS) of the metrics `shown`, by the workflow's computations of
    `agreement.csv` and `significance.csv`; and the set's `agreement.csv`."""
    about = {"systems": evalset.systems, "signature": ""}
    contents: dict[str, Any] = {f"statistics/{x}.npz": about | y for x, y in arrays.items()}
    contents |= {"weightings.json": {"difficulties": {}, "weightings": {}}, "evalset.json": evalset}
    settings: dict[str, Any] = {"metrics": {metric: {"type": "stored"} for metric in arrays}}
    settings |= {"matches": {}, "difficulties": {}, "weightings": {}}
    scored = ScoredSet(SetFiles("", contents), settings)
    whole = WholeSet(scored, evalset, {}, statistics, *draws)
    agreement, _ = agreement_tables(whole, progress, subsets=False)
    # As in `averages`, the mean of segment scores where the stored score has no value.
    table = agreement.assign(over="segments", systems=len(whole.gold))
    table = table.rename(columns={"domain": "segments_of", "rank": "cluster"})
    order = table.value.isna().sort_values(kind="stable").index
    table = table.loc[order].drop_duplicates(ROW).astype({"low": float, "high": float})
    table = _ranked(table)
    index = pd.MultiIndex.from_product([shown, table.segments_of.unique(), statistics], names=ROW)
    table = table.set_index(ROW).reindex(index)
    cells: Any = table.loc

    # Intervals of correlations and of acc_eq.
    keys, ends = [(metric, STANDARD) for metric in shown], ["low", "high", "over"]
    weighteds = {key: whole.weighteds[key] for key in keys}
    bootstrapped = {key: whole.bootstrapped[key] for key in keys if key in whole.bootstrapped}
    observed = {key: weighted.observed_quality() for key, weighted in weighteds.items()}
    if names := of_scores(statistics):
        drawn = whole.gold, *draws, names, whole.segment_gold, bootstrapped
        everyone = np.arange(len(whole.gold))[None]
        estimates = Resamples(weighteds, observed, *drawn).estimates(everyone, keys)
        for row in estimates.to_dict("records"):
            over = "both" if np.isfinite(row["both_low"]) else "systems"
            interval = row[f"{over}_low"], row[f"{over}_high"], OVER[over]
            cells[(row["metric"], "", row["statistic"]), ends] = interval
    for metric in shown if "acc_eq" in statistics else ():
        of_metric = cells[metric, "", "acc_eq"]
        if np.isfinite(of_metric.value):
            scores, epsilon = scored.segment_quality(metric), float(of_metric.epsilon)
            interval = *acc_eq_interval(scores, whole.segment_gold, epsilon, *draws), "segments"
            cells[(metric, "", "acc_eq"), ends] = interval
    return table.reset_index(), agreement


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Add columns: `place`, a value's rank (1 is highest), and `metrics`, the number of metrics."""
    values = table.groupby(["segments_of", "statistic"]).value
    place = values.rank("min", ascending=False)
    return table.assign(place=place, metrics=values.transform("count"))


def _means(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return rows (COLUMNS) with means of statistics over sets, from the sets' `agreement.csv`."""
    means = averages(tables)
    means = means[means.group_by.isin([ALL, "domain"])]
    means = means.assign(segments_of=means.group.where(means.group_by == "domain", ""))
    means["human"] = means.sets.map("mean of {} sets".format)
    return _ranked(means.rename(columns={"weighted_mean": "value", "mean_rank": "cluster"}))


def _other_gold(
    folder: Path, evalset: EvaluationSet
) -> Iterator[tuple[str, EvaluationSet, dict[str, Any]]]:
    """Return the set's other human scores, but for parts of its own (mqm-col1 of mqm) and scales of
    the same ratings: a name, the set with the systems and segments that both have scored, and
    these scores, as those of a metric."""
    pair, size, gold = evalset.pair, len(evalset.reference), evalset.gold_name
    for name in gold_names(folder, pair):
        same = name in (gold, evalset.segment_gold_name)
        if same or name.startswith(f"{gold}-") or gold.startswith(f"{name}-"):
            continue
        scores = campaign_files.read_gold(folder, pair, name, True)
        file, unrated = campaign_files.score_file(folder, pair, name, "seg"), [math.nan] * size
        of_segments = read_scores(file, size, evalset.canary) if file.is_file() else {}
        both = [i for i, x in enumerate(evalset.systems) if math.isfinite(scores.get(x, math.nan))]
        if len(both) < 3:
            continue
        systems, of_set = [evalset.systems[i] for i in both], evalset.segment_gold or []
        human = np.array([of_set[i] if of_set else unrated for i in both], float)
        other_scores = np.array([of_segments.get(system, unrated) for system in systems])
        rated = np.flatnonzero(np.isfinite(human + other_scores).all(axis=0))
        of_systems = np.array([scores[system] for system in systems])
        arrays = {"statistics": of_systems[:, None, None]}
        if len(rated) > 1:
            arrays = {"statistics": other_scores[:, rated, None], "system_scores": of_systems}
        restricted = replace(
            _in_parts(evalset, None),
            systems=systems,
            gold=[evalset.gold[i] for i in both],
            reference=[evalset.reference[i] for i in rated],
            segment_gold=human[:, rated].tolist() if arrays.keys() > {"statistics"} else [],
        )
        yield f"human scores {name}", restricted, arrays
