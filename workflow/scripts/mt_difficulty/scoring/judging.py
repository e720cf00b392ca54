"""Metrics on evaluation sets by the statistics of the WMT metrics task: values with intervals,
ranks and clusters among a set's metrics, and other human scores as a ceiling."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import filter as matching
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from ..data import campaign_files, download, own_files
from ..data.build_set import ImportSettings
from ..data.campaign_files import KnownSet, gold_names, pairs_of
from ..data.checks import rated_apart
from ..data.evalset import (
    Arrays,
    Contents,
    EvaluationSet,
    SetFiles,
    describe_left_out,
    language_notices,
)
from ..data.import_set import read_evaluation_set
from ..data.names import COMPRESSED, by_name, name_of, same_name, without_ending
from ..data.score_files import read_scores
from ..data.score_formats import read_metrics
from ..errors import InputError, Missing, errors_of_input
from ..evidence.gains import Resamples, WholeSet, few_systems
from ..evidence.metric_table import (
    ALL,
    DIGITS,
    acc_eq_interval,
    agreement_tables,
    averages,
    is_tested,
)
from ..evidence.subsets import SystemSubsets, correlation_tables
from ..metrics import METRICS, named_metrics
from ..metrics.stored import Stored
from ..plan.base import ARCHIVE, find_project
from ..scores import ScoredSet, counted_segments
from ..settings import MetricSettings, ScoreSettings
from ..statistics import STATISTICS, of_scores
from ..weighting.base import STANDARD, WeightedMetric
from .comparing import few_resamples
from .parameters import (
    OFFICIAL,
    RESAMPLES,
    SEED,
    check_parameters,
    chosen_statistics,
    known_name,
    named,
)
from .texts import DELAY, metric_statistics, score_texts

ROW = ["metric", "segments_of", "statistic", "grouping"]
COLUMNS = [
    *("set", "human", *ROW, "value", "low", "high", "over"),
    *("place", "metrics", "cluster", "systems", "segments", "reason"),
]
OVER = {"both": "segments and systems", "systems": "systems"}
PLACEHOLDER = re.compile(r"\{(?:campaign|pair)\}")
UNTESTED = "no test between metrics: fewer than 95 % of the permutations are defined"
NO_TEST = "metrics are not tested by this statistic"
ArraysByMetric = dict[str, Arrays]  # `statistics` and, where stored, `system_scores`


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
    settings = ImportSettings(
        *name,
        reference=reference,
        gold=gold,
        segment_gold=(gold, known.segment_gold) if gold == known.gold else None,
        outliers=known.outliers,
        drop_outliers=drop_outliers,
    )
    evalset = read_evaluation_set(folder, settings)
    stored = campaign_files.stored_metrics(folder, pair, reference).values()
    return evalset, dict.fromkeys(sorted(settings.arguments["name"] for settings in stored), folder)


def read_folder(
    folder: Path, pair: str, reference: str | None
) -> tuple[EvaluationSet, dict[str, Path]]:
    """Return the set in a user's folder, and the paths of its `scores/*.tsv` by metric name."""
    settings = ImportSettings(folder.name, pair, reference, own_files=True)
    evalset = read_evaluation_set(folder, settings)
    files = own_files.visible(folder / own_files.SCORES)
    return evalset, by_name([file for file in files if file.suffix == ".tsv"], "metrics")


def other_files(folder: Path) -> dict[str, str]:
    """Return the files in `scores/` of a user's folder that are not read, with the reason."""
    files = own_files.visible(folder / own_files.SCORES)
    return {file.name: "not <metric>.tsv" for file in files if file.suffix != ".tsv"}


class MetricFiles(NamedTuple):
    """The files of a user's metric: its scores of segments or systems and, if it has both, its
    system scores in another file. Paths may hold {campaign} and {pair}. `is_named` tells whether
    the user names the metric, instead of the file."""

    scores: str
    of_systems: str = ""
    is_named: bool = False

    def of_set(self, campaign: str, pair: str) -> MetricFiles:
        """Return the files of a set."""
        return self._replace(
            scores=own_files.file_of_set(self.scores, campaign, pair),
            of_systems=own_files.file_of_set(self.of_systems, campaign, pair),
        )


def metric_files(scores: str | Sequence[str] | Mapping[str, str]) -> dict[str, MetricFiles]:
    """Return a user's score files by metric.

    Parameters
    ----------
    scores : str, sequence of str, or mapping of str to str
        Paths, by default with names from the file names (`metric_label`). Of two files
        `x.seg.score` and `x.sys.score` of a folder the second has the system scores of the first's
        metric, as in the archive.

    Raises
    ------
    InputError
        If two files give one name.
    """
    if isinstance(scores, Mapping):
        names = [str(name) for name in scores]
        files = named([*scores.values()], "scores")
        pairs = zip(names, files, strict=True)
        return {name: MetricFiles(file, is_named=True) for name, file in pairs}
    by_metric: dict[str, MetricFiles] = {}
    for file in named(scores, "scores"):
        name = metric_label(file)
        if name not in by_metric:
            by_metric[name] = MetricFiles(file)
            continue
        other = by_metric[name]
        levels = {has_system_scores(other.scores), has_system_scores(file)}
        if other.of_systems or len(levels) == 1 or Path(file).parent != Path(other.scores).parent:
            raise InputError(same_name(other.scores, file, name, "metrics"))
        of_systems, of_segments = file, other.scores
        if has_system_scores(other.scores):
            of_systems, of_segments = other.scores, file
        by_metric[name] = MetricFiles(of_segments, of_systems)
    return by_metric


def has_system_scores(file: str) -> bool:
    """Return whether a file has the ending of the archive's system scores."""
    return without_ending(file, COMPRESSED).endswith(".sys.score")


def metric_label(file: str) -> str:
    """Return the name of a metric from its score file.

    It is the file's name without its ending and without the placeholders {campaign} and {pair} and
    the signs beside them; if nothing is left, that of its folder.

    Examples
    --------
    >>> metric_label("mine.{campaign}.{pair}.seg.score"), metric_label("out/{pair}/COMET.v2.tsv")
    ('mine', 'COMET.v2')
    """
    for part in reversed(Path(file).parts):
        pieces = [piece.strip("._- ") for piece in PLACEHOLDER.split(part)]
        if len(pieces) == 1:
            name = name_of(part)
        else:
            name = pieces[0] or name_of(f"x{part[part.rindex('}') + 1 :]}")[1:].strip("._- ")
        if name:
            return name
    return "scores"


def read_stored(
    evalset: EvaluationSet, sources: Mapping[str, Path], files: Mapping[str, MetricFiles] = {}
) -> tuple[Arrays, dict[str, str]]:
    """Read metrics' scores.

    Parameters
    ----------
    evalset : EvaluationSet
    sources : mapping of str to Path
        By metric, a campaign's folder of the archive or a file of the set.
    files : mapping of str to MetricFiles
        Files that a user names, by metric.

    Returns
    -------
    tuple
        The scores, and reasons for missing ones, by metric.
    """
    arrays, absent = Arrays(), dict[str, str]()
    for name in [*sources, *files]:
        try:
            if name in files:
                arrays[name] = _of_user(evalset, name, files[name])
            else:
                arrays[name] = _arrays(Stored(evalset.pair, name), evalset, sources[name])
        except Missing as reason:
            absent[name] = str(reason)
    return arrays, absent


def metrics_in_files(
    evalset: EvaluationSet, files: Mapping[str, MetricFiles]
) -> dict[str, MetricFiles]:
    """Return a user's files by the metrics whose scores they have: a file such as sacreBLEU's JSON
    names its metrics. Raises `InputError` for two metrics of one name."""
    by_metric: dict[str, MetricFiles] = {}
    for name, of_metric in files.items():
        path = Path(of_metric.of_set(evalset.campaign, evalset.pair).scores)
        names = [metric for metric in read_metrics(path) if metric] if path.is_file() else []
        if len(names) > 1 and of_metric.of_systems:
            raise InputError(
                f"{path}: scores of {', '.join(names)}; whose are those of systems in "
                f"{of_metric.of_systems}? Leave that file out."
            )
        if not names or (len(names) == 1 and of_metric.is_named):
            names = [name]
        for metric in names:
            if metric in by_metric:
                raise InputError(
                    f"{by_metric[metric].scores} and {of_metric.scores} both have scores of "
                    f"{metric}. Name one of them."
                )
            by_metric[metric] = of_metric
    return by_metric


def _of_user(evalset: EvaluationSet, name: str, files: MetricFiles) -> Arrays:
    """Return the scores of a metric in a user's files."""
    place = files.of_set(evalset.campaign, evalset.pair)
    arrays = _arrays(Stored(evalset.pair, name, files.scores), evalset, Path(place.scores))
    if place.of_systems and Path(place.of_systems).is_file():
        stored = Stored(evalset.pair, name, files.of_systems)
        of_systems = stored.evaluate(evalset, Path(place.of_systems))
        if of_systems.shape[1] > 1:
            raise InputError(f"{place.of_systems}: expected one score of each system.")
        arrays["system_scores"] = of_systems[:, 0, 0]
    return arrays


def _arrays(metric: Stored, evalset: EvaluationSet, source: Path) -> Arrays:
    """Return a stored metric's arrays as in `statistics/<metric>.npz`."""
    arrays: Arrays = {"statistics": metric.evaluate(evalset, source)}
    if metric.system_scores is not None:
        arrays["system_scores"] = metric.system_scores
    if metric.no_segments:
        arrays["no_segments"] = metric.no_segments
    return arrays


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
            if names and (not standard or standard in names):
                sets.append((folder, pair))
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
    lang: str | None = None,
    src_lang: str | None = None,
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
        Files of metrics' scores, with {campaign} and {pair} for those of a set. Such a metric is
        treated as the archive's: its system scores are means over all segments, or those of
        `x.sys.score` if this file is named beside `x.seg.score`.
    metrics : str or sequence of str, optional
        Metrics of the set, or metrics that are computed from its texts (BLEU, chrF, chrF++,
        chrF-segments, TER, METEOR). By default all of the set, or none with `scores`.
    difficulty, statistics, reference, gold, lang, src_lang, resamples, seed
        As the options of `mt-difficulty correlate`.

    Returns
    -------
    DataFrame
        A row for each set, metric and statistic: value, 95 % interval (`over` says what is
        resampled), place among the `metrics` metrics of the set, cluster of significance, and the
        reason for what is missing. `segments_of` is easy or hard for the rows that a difficulty
        adds. Rows with the metric `human scores …` are the set's other human scores. Rows with the
        set `wmt23` or `all` are means over the sets; in `all` campaigns weigh equally.
        `attrs["notices"]` lists what is left out, and warnings.

    Raises
    ------
    InputError
        For an unknown set, metric or setting, a bad file, or two metrics of one name.
    """
    check_parameters(archive=archive, resamples=resamples, seed=seed)
    check_parameters(reference=reference, gold=gold, lang=lang, src_lang=src_lang)
    if not resamples:
        raise InputError("resamples 0: SPA and clusters need resamples; expected 1 or more.")
    statistics = chosen_statistics(statistics, STATISTICS)
    asked = list(dict.fromkeys(named(() if metrics is None else metrics, "metrics")))
    files = metric_files(scores)
    of_patterns = [find_sets(pattern, Path(archive), gold) for pattern in named(sets, "sets")]

    of_sets, draws = dict[str, list[pd.DataFrame]](), (resamples, seed)
    rows, notices, shown_anywhere = [], few_resamples(resamples), dict[str, None]()
    for folder, pair in dict.fromkeys(chain(*of_patterns)):
        name = f"{folder.name}/{pair}" if pair else str(folder)
        steps = partial(tqdm, desc=name, unit="test", delay=DELAY, leave=False, disable=None)
        try:
            if pair:
                evalset, sources = read_archive_set(
                    folder, pair, reference=reference, gold=gold, drop_outliers=True
                )
            else:
                evalset, sources = read_folder(folder, own_files.pair_of(src_lang, lang), reference)
            of_set = metrics_in_files(evalset, files)
            found = _read_scores(evalset, sources, of_set, asked)
            if not pair and (others := other_files(folder)):
                found.notices.append(f"metrics left out: {describe_left_out(others)}")
            parts = _in_parts(evalset, difficulty)
            table, agreement = _measured(parts, found, statistics, draws, steps)
        except Missing as reason:
            notices.append(f"{name} left out: {reason}")
            continue
        shown_anywhere |= dict.fromkeys(found.shown)
        notices += [f"{name}: {notice}" for notice in found.notices]
        if notice := _rated_apart(evalset, found):
            notices.append(f"{name}: {notice}")
        tables = [table]
        for label, rated_set, of_other in _other_gold(folder, evalset) if pair else ():
            other = SetScores({label: of_other}, {label: "stored"}, [label], [])
            table, _ = _measured(rated_set, other, statistics, draws)
            tables.append(table.drop(columns=["place", "metrics", "cluster"]))
        rows += [table.assign(set=name, human=evalset.gold_label) for table in tables]
        about = {"set": name, "year": evalset.campaign, "gold": evalset.gold_name, "pair": pair}
        of_sets.setdefault(evalset.campaign, []).append(agreement.assign(**about))
    if not rows:
        raise InputError(" ".join(f"{notice.removesuffix('.')}." for notice in notices))
    groups = {name: tables for name, tables in of_sets.items() if len(tables) > 1}
    if len(of_sets) > 1:
        groups["all"] = [*chain(*of_sets.values())]
    for name, tables in groups.items():
        mean = _means(tables)
        rows.append(mean[mean.metric.isin(list(shown_anywhere))].assign(set=name))
    result = pd.concat([table.reindex(columns=COLUMNS) for table in rows], ignore_index=True)
    result.attrs["notices"] = notices
    return result


class SetScores(NamedTuple):
    """The scores of a set's metrics: arrays as in `statistics/<metric>.npz` and the type of each
    metric, by name; the names of those to show; and notices."""

    arrays: ArraysByMetric
    types: dict[str, str]
    shown: list[str]
    notices: list[str]


def _read_scores(
    evalset: EvaluationSet,
    sources: dict[str, Path],
    files: Mapping[str, MetricFiles],
    asked: list[str],
) -> SetScores:
    """Read the scores of a set's metrics and a user's, and compute those of the metrics asked for
    that are neither.

    Raises `Missing` without human scores or metrics to show, `InputError` for an unknown metric and
    for a user's metric that is called like one of the set.
    """
    computed = {
        name: settings.type
        for name, settings in named_metrics().items()
        if METRICS[settings.type].reads == "texts"
    }
    known = [*sources, *files, *(name for name in computed if name not in sources)]
    wanted = [known_name(name, known, "metric") for name in asked]
    _check_names(sources, files, [name for name in wanted if name in computed])
    arrays, absent = read_stored(evalset, sources, files)
    types = dict.fromkeys(arrays, "stored")
    of_user = [name for name in arrays if name not in sources]
    for name in dict.fromkeys(wanted):
        if name in computed and name not in (*sources, *files):
            try:
                arrays[name] = _computed(evalset, name)
                types[name] = computed[name]
            except Missing as reason:
                absent[name] = str(reason)
    wanted = list(dict.fromkeys([*of_user, *(name for name in files if name in absent), *wanted]))
    left_out = dict.fromkeys(absent[name] for name in wanted or absent if name in absent)
    shown = [name for name in wanted or sources if name in arrays]
    if not evalset.gold or not shown:
        lacking = "metric scores" if evalset.gold else "human scores of the systems"
        raise Missing("; ".join(left_out) or f"expected {lacking}, found none")
    return SetScores(arrays, types, shown, _notices_of_set(evalset, types, left_out))


def _check_names(
    sources: Mapping[str, Path], files: Mapping[str, MetricFiles], computed: Sequence[str]
) -> None:
    """Raise `InputError` if a metric in a user's file is called like one of the set, or like one
    that is to be computed."""
    for name, of_metric in files.items():
        if name in sources:
            place = sources[name]
            where = f"scores/{place.name}" if place.is_file() else "its metric-scores"
            raise InputError(
                f"{of_metric.scores}: the set has a metric {name} already ({where}). Rename the "
                "file."
            )
        if name in computed:
            raise InputError(
                f"{of_metric.scores}: it has scores of {name}, and -m {name} computes others. "
                "Leave one of them out."
            )


def _notices_of_set(
    evalset: EvaluationSet, types: Mapping[str, str], left_out: Collection[str]
) -> list[str]:
    """Return what is to be said of a set and its metrics.

    Parameters
    ----------
    evalset : EvaluationSet
    types : mapping of str to str
        Type of each metric that has scores, by name.
    left_out : collection of str
        Reasons why metrics have none.
    """
    notices = []
    if evalset.left_out:
        notices.append(f"systems left out: {describe_left_out(evalset.left_out)}")
    if left_out:
        notices.append(f"metrics left out: {'; '.join(left_out)}")
    if len(types) == 1:
        notices.append(
            f"{next(iter(types))} is the only metric of this set, so that it has no rank; -m BLEU "
            "chrF computes metrics to compare it with"
        )
    computed = {name: MetricSettings(kind) for name, kind in types.items() if kind != "stored"}
    if computed:
        notices += language_notices(evalset, computed)
    return [*notices, *evalset.notices]


def _rated_apart(evalset: EvaluationSet, scores: SetScores) -> str:
    """Return a warning, by the first metric with segment scores, if systems were rated on different
    segments (`checks.rated_apart`)."""
    segment_gold = np.array(evalset.segment_gold, float)
    for name in scores.shown:
        statistics = scores.arrays[name]["statistics"]
        if segment_gold.size and statistics.shape[1] == len(evalset.reference):
            kind = METRICS[scores.types[name]]
            quality = kind.segment_quality(statistics)
            return rated_apart(quality, np.array(evalset.gold), segment_gold, name)
    return ""


def _computed(evalset: EvaluationSet, name: str) -> Arrays:
    """Compute a metric from a set's texts. In a set of the archive its system scores are over all
    segments, as the archive's are."""
    evalset.require_reference()
    arrays = dict(metric_statistics(name, evalset, (), {}, None))
    if not evalset.own_files:
        kind = METRICS[named_metrics()[name].type]
        statistics = arrays["statistics"]
        arrays["system_scores"] = WeightedMetric.standard(kind, statistics).scores()
    return arrays


def _in_parts(evalset: EvaluationSet, difficulty: str | None) -> EvaluationSet:
    """Return the set with two domains, hard segments (mean difficulty above the median) and easy
    ones; without a difficulty none."""
    evalset = replace(evalset, domains=[], domain_gold={})
    if difficulty is None:
        return evalset
    file = own_files.file_of_set(str(difficulty), evalset.campaign, evalset.pair)
    scored = score_texts(evalset, difficulty=file)
    assert scored.values is not None
    values = scored.values.mean(axis=0)
    median = np.median(values[counted_segments(evalset)])
    return replace(evalset, domains=["hard" if value > median else "easy" for value in values])


def _measured(
    evalset: EvaluationSet,
    scores: SetScores,
    statistics: Sequence[str],
    draws: tuple[int, int],
    progress: Callable = iter,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure how well a set's metrics agree with human scores, by the workflow's computations of
    `agreement.csv` and `significance.csv`.

    Parameters
    ----------
    evalset : EvaluationSet
        With two domains, hard and easy, if these are measured, too.
    scores : SetScores
    statistics : sequence of str
    draws : tuple of int
        Number of resamples, and seed.
    progress : callable
        Wraps the iteration over tests (tqdm).

    Returns
    -------
    tuple of DataFrame
        Rows (COLUMNS) of the metrics to show; and the set's `agreement.csv`.
    """
    whole = _whole_set(evalset, scores, statistics, draws)
    agreement, _ = agreement_tables(whole, progress, subsets=False)
    # As in `averages`, the mean of segment scores where the stored score has no value.
    table = agreement.assign(over="segments", systems=len(whole.gold))
    table = table.rename(columns={"domain": "segments_of", "rank": "cluster"})
    order = table.value.isna().sort_values(kind="stable").index
    table = table.loc[order].drop_duplicates(ROW).astype({"low": float, "high": float})
    table = _ranked(table)
    rows = product(scores.shown, table.segments_of.unique(), _with_groupings(statistics))
    index = pd.MultiIndex.from_tuples([(*row[:2], *row[2]) for row in rows], names=ROW)
    # Cells of a sorted index are found without a search.
    table = table.set_index(ROW).reindex(index).sort_index()
    table = _with_intervals(table, whole, scores.shown, statistics).reindex(index)
    has_none = table.cluster.isna() & table.value.notna() & (table.reason == "")
    untested = has_none & (table.index.get_level_values("segments_of") == "")
    reasons = [
        UNTESTED if is_tested(statistic, grouping) else NO_TEST
        for _, _, statistic, grouping in table.index
    ]
    table["reason"] = table.reason.mask(untested, pd.Series(reasons, table.index))
    return table.reset_index(), agreement


def _with_groupings(statistics: Sequence[str]) -> list[tuple[str, str]]:
    """Return statistics with the groupings of segments in which each is computed; "" for those of
    systems."""
    return [
        (name, grouping)
        for name in statistics
        for grouping in getattr(STATISTICS[name], "groupings", ("",))
    ]


def _whole_set(
    evalset: EvaluationSet,
    scores: SetScores,
    statistics: Sequence[str],
    draws: tuple[int, int],
) -> WholeSet:
    """Return a set's metrics, without weightings, with what their tables share."""
    about = {"systems": evalset.systems, "signature": ""}
    contents: Contents = {
        f"statistics/{name}.npz": about | arrays for name, arrays in scores.arrays.items()
    }
    contents["weightings.json"] = {"difficulties": {}, "weightings": {}}
    contents["evalset.json"] = evalset
    metrics = {name: MetricSettings(scores.types[name]) for name in scores.arrays}
    scored = ScoredSet(SetFiles("", contents), ScoreSettings(metrics))
    everything = SystemSubsets("all", np.arange(len(evalset.systems))[None])
    correlations, *_ = correlation_tables(
        scored, np.array(evalset.gold), of_scores(statistics), [everything]
    )
    return WholeSet(scored, evalset, correlations, {}, statistics, *draws)


def _with_intervals(
    table: pd.DataFrame, whole: WholeSet, shown: Sequence[str], statistics: Sequence[str]
) -> pd.DataFrame:
    """Add the intervals of correlations and of acc_eq to a table with the index ROW."""
    cells: Any = table.loc
    keys, ends = [(metric, STANDARD) for metric in shown], ["low", "high", "over"]
    if names := of_scores(statistics):
        weighteds = {key: whole.weighteds[key] for key in keys}
        resampled = Resamples(
            weighteds,
            {key: weighted.observed_quality() for key, weighted in weighteds.items()},
            whole.gold,
            *whole.draws,
            names,
            whole.segment_gold,
            {key: whole.bootstrapped[key] for key in keys if key in whole.bootstrapped},
        )
        size = len(whole.gold)
        values = whole.observed("all", size)
        estimates = resampled.estimates(np.arange(size)[None], keys, values)
        for row in estimates.to_dict("records"):
            place = row["metric"], "", row["statistic"], ""
            over = "both" if np.isfinite(row["both_low"]) else "systems"
            cells[place, ends] = row[f"{over}_low"], row[f"{over}_high"], OVER[over]
            if np.isnan(row[f"{over}_low"]) and not cells[place, "reason"]:
                cells[place, "reason"] = few_systems(row["statistic"])
    for metric in shown if "acc_eq" in statistics else ():
        place = metric, "", "acc_eq", "item"
        of_metric = cells[place]
        if np.isfinite(of_metric.value):
            quality, epsilon = whole.scores.segment_quality(metric), float(of_metric.epsilon)
            low, high = acc_eq_interval(quality, whole.segment_gold, epsilon, *whole.draws)
            cells[place, ends] = low, high, "segments"
    return table


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Add columns: `place`, a value's rank (1 is highest), and `metrics`, the number of metrics.
    Values that are equal but for rounding have the same place."""
    rounded = table.assign(value=table.value.round(DIGITS))
    values = rounded.groupby(["segments_of", "statistic", "grouping"]).value
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
) -> Iterator[tuple[str, EvaluationSet, Arrays]]:
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
