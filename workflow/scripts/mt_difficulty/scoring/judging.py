"""Metrics on evaluation sets by the statistics of the WMT metrics task: values with intervals,
ranks and clusters among a set's metrics; other human scores as a ceiling, and scores that are the
same for all translations of a segment (sentinels) as what the difficulty of segments alone gets."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import filter as matching
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from ..data import campaign_files, download, own_files
from ..data.build_set import ImportSettings
from ..data.campaign_files import KnownSet, gold_names, pairs_of
from ..data.evalset import (
    Arrays,
    Contents,
    EvaluationSet,
    SetFiles,
    describe_left_out,
    documents_of,
    language_notices,
)
from ..data.gold_checks import rated_apart
from ..data.names import COMPRESSED, by_name, name_of, same_name, without_ending
from ..data.score_files import read_scores
from ..data.score_formats import read_metrics
from ..data.text_files import read_documents
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
from ..evidence.sentinels import NOT_FINITE, SAME, mean_difficulty
from ..evidence.subsets import SystemSubsets, correlation_tables
from ..evidence.units import DOCUMENTS
from ..gold import ADJUSTED
from ..human_evaluation.set_scores import read_set
from ..metrics import METRICS, named_metrics
from ..metrics.stored import Stored
from ..plan.base import ARCHIVE
from ..scores import ScoredSet, counted_segments
from ..settings import GoldSettings, MetricSettings, ScoreSettings
from ..statistics import STATISTICS, of_scores
from ..weighting.base import STANDARD, WeightedMetric
from .annotating import gold_settings
from .archive_texts import known_sets, only_name, standard_reference
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

# Columns that identify a row of a set's table.
ROW = ["metric", "segments_of", "statistic", "grouping"]
COLUMNS = [
    "set",
    "human",
    *ROW,
    "value",
    "low",
    "high",
    "over",
    "place",
    "metrics",
    "cluster",
    "systems",
    "segments",
    "units",
    "reason",
]
# Values of the column `over`, by kind of interval and unit.
OVER = {"both": "{unit} and systems", "systems": "systems"}
PLACEHOLDER = re.compile(r"\{(?:campaign|pair)\}")
UNTESTED = "no test between metrics: fewer than 95 % of the permutations are defined"
NO_TEST = "metrics are not tested by this statistic"
# Names of scores that are the same for all translations of a segment begin with it.
SENTINEL = "sentinel: "
ArraysByMetric = dict[str, Arrays]  # `statistics` and, where stored, `system_scores`


def read_archive_set(
    folder: Path,
    pair: str,
    reference: str | None,
    gold: str | None,
    *,
    drop_outliers: bool = False,
    annotations: Sequence[str] = (),
    rating_gold: GoldSettings | None = None,
) -> tuple[EvaluationSet, dict[str, Path]]:
    """Read an evaluation set of the archive.

    Parameters
    ----------
    folder : Path
        The campaign's folder.
    pair : str
        The language pair.
    reference, gold : str, optional
        Names of the reference and of the human scores; by default those that are standard for the
        set, or the only ones.
    drop_outliers : bool
        Whether to leave out the systems that the official toolkit leaves out of correlations.
    annotations : sequence of str
        Files of ratings from which the human scores are computed.
    rating_gold : GoldSettings, optional
        How these ratings become human scores; then `gold` does not count.

    Returns
    -------
    tuple
        The set; and the folder of the scores of each of its stored metrics, by metric.

    Raises
    ------
    InputError
        If there are several references or human scores to choose from, or none.
    """
    campaign = folder.name
    known = known_sets().get((campaign, pair), KnownSet(campaign, pair, ""))
    if reference is None:
        reference = standard_reference(folder, pair)
    if rating_gold:
        gold = rating_gold.name
    elif not gold:
        gold = known.gold or only_name(gold_names(folder, pair), "human scores", folder, pair)
    settings = ImportSettings(
        campaign,
        pair,
        reference=reference,
        gold=gold,
        segment_gold=(gold, known.segment_gold) if gold == known.gold else None,
        outliers=known.outliers,
        drop_outliers=drop_outliers,
        annotations=annotations,
        rating_gold=rating_gold,
    )
    evalset = read_set(folder, settings)
    stored = campaign_files.stored_metrics(folder, pair, reference).values()
    metrics = sorted(metric.arguments["name"] for metric in stored)
    return evalset, dict.fromkeys(metrics, folder)


def read_folder(
    folder: Path,
    pair: str,
    reference: str | None,
    annotations: Sequence[str] = (),
    rating_gold: GoldSettings | None = None,
) -> tuple[EvaluationSet, dict[str, Path]]:
    """Read a user's folder as an evaluation set.

    Parameters
    ----------
    folder : Path
    pair : str
        The language pair.
    reference : str, optional
        The name in `reference.<name>.txt`; by default the only reference is read.
    annotations : sequence of str
        Files of ratings from which the human scores are computed, not from gold.tsv.
    rating_gold : GoldSettings, optional
        How these ratings become human scores.

    Returns
    -------
    tuple
        The set; and the paths of its `scores/*.tsv`, by metric.
    """
    settings = ImportSettings(
        folder.name,
        pair,
        reference,
        gold=rating_gold.name if rating_gold else "",
        own_files=True,
        annotations=annotations,
        rating_gold=rating_gold,
    )
    evalset = read_set(folder, settings)
    files = own_files.visible(folder / own_files.SCORES)
    return evalset, by_name([file for file in files if file.suffix == ".tsv"], "metrics")


def other_files(folder: Path) -> dict[str, str]:
    """Return the files in `scores/` of a user's folder that are not read, with the reason."""
    files = own_files.visible(folder / own_files.SCORES)
    return {file.name: "not <metric>.tsv" for file in files if file.suffix != ".tsv"}


class MetricFiles(NamedTuple):
    """The files of a user's metric. Paths may hold {campaign} and {pair}.

    Attributes
    ----------
    scores : str
        Its scores of segments or systems.
    system_scores : str
        Its system scores, if it has both and they are in another file; else empty.
    is_named : bool
        Whether the user names the metric; else its name is made from the file's.
    """

    scores: str
    system_scores: str = ""
    is_named: bool = False

    def for_set(self, campaign: str, pair: str) -> MetricFiles:
        """Return the files of one set."""
        return self._replace(
            scores=own_files.file_of_set(self.scores, campaign, pair),
            system_scores=own_files.file_of_set(self.system_scores, campaign, pair),
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
        earlier = by_metric[name]
        has_one_of_systems = has_system_scores(earlier.scores) != has_system_scores(file)
        is_same_folder = Path(file).parent == Path(earlier.scores).parent
        if earlier.system_scores or not has_one_of_systems or not is_same_folder:
            raise InputError(same_name(earlier.scores, file, name, "metrics"))
        if has_system_scores(file):
            by_metric[name] = MetricFiles(earlier.scores, system_scores=file)
        else:
            by_metric[name] = MetricFiles(file, system_scores=earlier.scores)
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
    signs = "._- "
    for part in reversed(Path(file).parts):
        before_placeholder = PLACEHOLDER.split(part)[0].strip(signs)
        if not PLACEHOLDER.search(part):
            name = name_of(part)
        elif before_placeholder:
            name = before_placeholder
        else:
            after_placeholder = part[part.rindex("}") + 1 :]
            # `name_of` removes endings; with an x before it, `.tsv` is an ending, not the name.
            name = name_of(f"x{after_placeholder}")[1:].strip(signs)
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
    arrays: ArraysByMetric = {}
    absent: dict[str, str] = {}
    for name in [*sources, *files]:
        try:
            if name in files:
                arrays[name] = _read_user_metric(evalset, name, files[name])
            else:
                metric = Stored(evalset.pair, name)
                arrays[name] = _stored_arrays(metric, evalset, sources[name])
        except Missing as reason:
            absent[name] = str(reason)
    return arrays, absent


def metrics_in_files(
    evalset: EvaluationSet, files: Mapping[str, MetricFiles]
) -> dict[str, MetricFiles]:
    """Return a user's files by the metrics whose scores they have: a file such as sacreBLEU's JSON
    names its metrics. Raises `InputError` for two metrics of one name."""
    by_metric: dict[str, MetricFiles] = {}
    for name, user_files in files.items():
        path = Path(user_files.for_set(evalset.campaign, evalset.pair).scores)
        metrics = [metric for metric in read_metrics(path) if metric] if path.is_file() else []
        if len(metrics) > 1 and user_files.system_scores:
            raise InputError(
                f"{path}: scores of {', '.join(metrics)}; whose are those of systems in "
                f"{user_files.system_scores}? Leave that file out."
            )
        if not metrics or (len(metrics) == 1 and user_files.is_named):
            metrics = [name]
        for metric in metrics:
            if metric in by_metric:
                raise InputError(
                    f"{by_metric[metric].scores} and {user_files.scores} both have scores of "
                    f"{metric}. Name one of them."
                )
            by_metric[metric] = user_files
    return by_metric


def _read_user_metric(evalset: EvaluationSet, name: str, files: MetricFiles) -> Arrays:
    """Return the scores of a metric in a user's files."""
    set_files = files.for_set(evalset.campaign, evalset.pair)
    metric = Stored(evalset.pair, name, files.scores)
    arrays = _stored_arrays(metric, evalset, Path(set_files.scores))
    if set_files.system_scores and Path(set_files.system_scores).is_file():
        system_metric = Stored(evalset.pair, name, files.system_scores)
        system_scores = system_metric.evaluate(evalset, Path(set_files.system_scores))
        if system_scores.shape[1] > 1:
            raise InputError(f"{set_files.system_scores}: expected one score of each system.")
        arrays["system_scores"] = system_scores[:, 0, 0]
    return arrays


def _stored_arrays(metric: Stored, evalset: EvaluationSet, source: Path) -> Arrays:
    """Return a stored metric's arrays as in `statistics/<metric>.npz`."""
    arrays: Arrays = {"statistics": metric.evaluate(evalset, source)}
    if metric.system_scores is not None:
        arrays["system_scores"] = metric.system_scores
    if metric.no_segments:
        arrays["no_segments"] = metric.no_segments
    return arrays


def find_sets(pattern: str, archive: Path, gold: str | None) -> list[tuple[Path, str]]:
    """Find the sets of the archive that match a pattern and have human scores, or a single set.

    Parameters
    ----------
    pattern : str
        A folder of own files; a set of the archive, such as wmt23/en-de; or a pattern of sets, such
        as `wmt2[2-5]/*`.
    archive : Path
        A .tgz or an unpacked folder of the archive.
    gold : str, optional
        Name of the human scores that a pattern's sets must have; by default the standard ones of
        each set.

    Returns
    -------
    list of (Path, str)
        The folder of the campaign, and the language pair, which is empty for a folder of own files.

    Raises
    ------
    InputError
        If there is no such set.
    """
    if Path(pattern).is_dir():
        return [(Path(pattern), "")]
    campaign_pattern, _, pair_pattern = pattern.partition("/")
    if not pair_pattern or not archive.exists():
        missing = f"the archive {archive} is not here" if pair_pattern else "no CAMPAIGN/PAIR"
        raise InputError(f"{pattern}: neither a folder nor a set of an archive: {missing}.")
    known = known_sets()
    known_campaigns = dict.fromkeys(campaign for campaign, _ in known)
    campaigns = matching(known_campaigns, campaign_pattern) or [campaign_pattern]
    unpacked = download.unpacked(archive, campaigns)
    if set("*?[").isdisjoint(pattern):
        (campaign,) = campaigns
        folder = download.find_campaign(unpacked / campaign)
        campaign_files.check_pair(campaign, pair_pattern, pairs_of(folder))
        return [(folder, pair_pattern)]
    sets = []
    for campaign in campaigns:
        if len(campaigns) > 1 and not (unpacked / campaign).is_dir():
            continue
        folder = download.find_campaign(unpacked / campaign)
        for pair in matching(pairs_of(folder), pair_pattern):
            standard = known.get((campaign, pair), KnownSet(campaign, pair, "")).gold
            if _has_gold(folder, pair, gold or standard):
                sets.append((folder, pair))
    if not sets:
        raise InputError(f"{pattern}: {archive} has no such set with human scores.")
    return sets


def _has_gold(folder: Path, pair: str, gold: str) -> bool:
    """Return whether a set has the human scores `gold` or, if this is empty, any."""
    names = gold_names(folder, pair)
    return gold in names if gold else bool(names)


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
    gold: str | Mapping[str, Any] | None = None,
    lang: str | None = None,
    src_lang: str | None = None,
    annotations: str | Sequence[str] = (),
    documents: str | Path | None = None,
    unit: str = DOCUMENTS,
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
    difficulty : str, optional
        The name of an estimator, as for `estimate_difficulty`, or a file of estimates, with
        {campaign} and {pair}. It adds the statistics on hard segments (mean difficulty above the
        set's median) and on easy ones.
    statistics : str or sequence of str
        Of system scores pearson, spearman, kendall (τ-b), accuracy, and soft_accuracy (SPA); of
        segment scores acc_eq and acc23 (accuracy with ties), segment_pearson and segment_kendall.
        By default pearson, kendall, soft_accuracy and acc_eq, those of the metrics task's official
        tables.
    reference, gold : str, optional
        Names of the reference and of the human scores; by default those that are standard for the
        set, or the only ones.
    lang, src_lang : str, optional
        Codes of the target and the source language of folders of own files.
    annotations : path or sequence of path
        Files of ratings of one set, from which its human scores are computed;
        `gold` then is the way in which ratings become scores: mean, z, within_screen or (by
        default) mixed, or such a type with settings, as {"type": "mixed", "response": "z"}. SPA
        takes the p of human scores from their errors.
    documents : path, optional
        A file with the document of each segment, one a line, with {campaign} and {pair} for those
        of a set; by default those of the set.
    unit : {"documents", "segments"}
        What is resampled for intervals where documents are known. Tests between metrics, and soft
        pairwise accuracy, take segments as independent, as the official ones do.
    resamples : int
        Number of bootstrap resamples and permutations, at least 1.
    seed : int

    Returns
    -------
    DataFrame
        A row for each set, metric and statistic: value, 95 % interval (`over` says what is
        resampled, `units` how many documents or segments), place among the `metrics` metrics of the
        set, cluster of significance, and the reason for what is missing. `segments_of` is easy or
        hard for the rows that a difficulty adds. Rows with the metric `human scores …` are the
        set's other human scores. With segment_pearson or segment_kendall, rows with the metric
        `sentinel: …` are mean difficulties of segments, with their sign turned, in a metric's
        place: source length, and `difficulty`. Rows with the set `wmt23` or `all` are means over
        the sets; in `all` campaigns weigh equally. `attrs["notices"]` lists what is left out, and
        warnings.

    Raises
    ------
    InputError
        For an unknown set, metric or setting, a bad file, or two metrics of one name.

    Examples
    --------
    The demo is in a clone of the project.

    >>> import mt_difficulty as md
    >>> found = md.correlate_sets(
    ...     "demo/en-de", "data/demo/archive", metrics="Oracle-noisy", statistics=["pearson"]
    ... )
    >>> found[["set", "metric", "statistic", "value"]].round(3).values.tolist()
    [['demo/en-de', 'Oracle-noisy', 'pearson', 0.936]]
    """
    check_parameters(archive=archive, resamples=resamples, seed=seed)
    check_parameters(reference=reference, lang=lang, src_lang=src_lang)
    check_parameters(documents=documents, unit=unit)
    if not resamples:
        raise InputError("resamples 0: SPA and clusters need resamples; expected 1 or more.")
    statistics = chosen_statistics(statistics, STATISTICS)
    requested = list(dict.fromkeys(named(() if metrics is None else metrics, "metrics")))
    files = metric_files(scores)
    rating_files = named(annotations, "annotations")
    rating_gold = gold_settings(gold or ADJUSTED) if rating_files else None
    gold_name: Any = None if rating_files else gold
    check_parameters(gold=gold_name)
    found_sets = _named_sets(named(sets, "sets"), Path(archive), gold_name, rating_files)
    choice = SetChoice(
        reference=reference,
        gold=gold_name,
        own_pair=own_files.pair_of(src_lang, lang),
        annotations=rating_files,
        rating_gold=rating_gold,
        documents=documents,
    )

    if documents is not None:
        for folder, pair in found_sets:
            _documents_file(str(documents), folder.name, pair or choice.own_pair)
    draws = Draws(resamples, seed, unit)
    notices = few_resamples(resamples)
    rows: list[pd.DataFrame] = []
    shown_metrics: list[str] = []
    agreement_by_campaign: dict[str, list[pd.DataFrame]] = {}
    for folder, pair in found_sets:
        name = f"{folder.name}/{pair}" if pair else str(folder)
        progress = partial(tqdm, desc=name, unit="test", delay=DELAY, leave=False, disable=None)
        try:
            evalset, sources, unread = _read_chosen_set(folder, pair, choice)
            set_scores = _read_scores(
                evalset, sources, metrics_in_files(evalset, files), requested, unread
            )
            set_in_domains = _in_domains(evalset, difficulty)
            table, agreement = _measured(set_in_domains, set_scores, statistics, draws, progress)
        except Missing as reason:
            notices.append(f"{name} left out: {reason}")
            continue
        shown_metrics += set_scores.shown
        notices += [f"{name}: {notice}" for notice in set_scores.notices]
        warning = _rated_apart(evalset, set_scores)
        if warning:
            notices.append(f"{name}: {warning}")
        tables = [table]
        if pair:
            tables += _other_gold_tables(folder, evalset, statistics, draws)
        tables += _sentinel_tables(set_in_domains, difficulty, statistics, draws)
        rows += [table.assign(set=name, human=evalset.gold_label) for table in tables]
        agreement = agreement.assign(
            set=name, year=evalset.campaign, gold=evalset.gold_name, pair=pair
        )
        agreement_by_campaign.setdefault(evalset.campaign, []).append(agreement)
    if not rows:
        raise InputError(" ".join(f"{notice.removesuffix('.')}." for notice in notices))
    rows += _tables_of_means(agreement_by_campaign, shown_metrics)
    result = pd.concat([table.reindex(columns=COLUMNS) for table in rows], ignore_index=True)
    result.attrs["notices"] = notices
    return result


class SetChoice(NamedTuple):
    """What a user chooses of the sets to read.

    Attributes
    ----------
    reference, gold : str, optional
    own_pair : str
        The language pair of folders of own files.
    annotations : sequence of str
        Files of ratings that human scores come from.
    rating_gold : GoldSettings, optional
        How these ratings become human scores.
    documents : path, optional
        A file with the document of each segment.
    """

    reference: str | None
    gold: str | None
    own_pair: str
    annotations: Sequence[str]
    rating_gold: GoldSettings | None
    documents: str | Path | None


def _named_sets(
    patterns: Sequence[str], archive: Path, gold: str | None, annotations: Sequence[str]
) -> list[tuple[Path, str]]:
    """Return folder and language pair of the sets that the patterns name, each once. Raises
    `InputError` for several sets with annotations."""
    found: dict[tuple[Path, str], None] = {}
    for pattern in patterns:
        found |= dict.fromkeys(find_sets(pattern, archive, None if annotations else gold))
    if annotations and len(found) > 1:
        raise InputError("annotations: name the one set that they are of.")
    return list(found)


def _read_chosen_set(
    folder: Path, pair: str, choice: SetChoice
) -> tuple[EvaluationSet, dict[str, Path], dict[str, str]]:
    """Return a set, where its stored metrics' scores are, and files that are not read, with the
    reason. `pair` is empty for a folder of own files."""
    unread: dict[str, str] = {}
    if pair:
        evalset, sources = read_archive_set(
            folder,
            pair,
            reference=choice.reference,
            gold=choice.gold,
            drop_outliers=True,
            annotations=choice.annotations,
            rating_gold=choice.rating_gold,
        )
    else:
        evalset, sources = read_folder(
            folder, choice.own_pair, choice.reference, choice.annotations, choice.rating_gold
        )
        unread = other_files(folder)
    if choice.documents is not None:
        evalset = _with_documents(evalset, str(choice.documents))
    return evalset, sources, unread


def _tables_of_means(
    agreement_by_campaign: Mapping[str, list[pd.DataFrame]], metrics: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Yield rows with means over each campaign of several sets and, if there are several campaigns,
    over all sets, of the given metrics."""
    groups = {name: tables for name, tables in agreement_by_campaign.items() if len(tables) > 1}
    if len(agreement_by_campaign) > 1:
        groups["all"] = list(chain(*agreement_by_campaign.values()))
    for name, tables in groups.items():
        means = _means(tables)
        yield means[means.metric.isin(metrics)].assign(set=name)


def _with_documents(evalset: EvaluationSet, pattern: str) -> EvaluationSet:
    """Return the set with the documents of a user's file; `pattern` is its path, with {campaign}
    and {pair} for those of the set."""
    file = _documents_file(pattern, evalset.campaign, evalset.pair)
    (documents,) = read_documents(file, len(evalset.reference), canary=evalset.canary)
    return replace(evalset, documents=documents)


def _documents_file(pattern: str, campaign: str, pair: str) -> Path:
    """Return the file with the documents of a set; `InputError` if there is none."""
    file = Path(own_files.file_of_set(pattern, campaign, pair))
    if not file.is_file():
        raise InputError(f"{file}: no such file.")
    return file


def _other_gold_tables(
    folder: Path, evalset: EvaluationSet, statistics: Sequence[str], draws: Draws
) -> Iterator[pd.DataFrame]:
    """Yield rows that compare each of a set's other human scores with its own, as if the others
    were a metric; they have no rank among metrics."""
    for label, rated_set, arrays in _other_gold(folder, evalset):
        scores = SetScores({label: arrays}, {label: "stored"}, [label], [])
        table, _ = _measured(rated_set, scores, statistics, draws)
        yield table.drop(columns=["place", "metrics", "cluster"])


def _sentinel_tables(
    evalset: EvaluationSet, difficulty: str | None, statistics: Sequence[str], draws: Draws
) -> Iterator[pd.DataFrame]:
    """Yield rows of difficulties with their sign turned in a metric's place, which are the same for
    all translations of a segment: source length, where the set has sources, and, if there is one,
    the mean of the user's difficulty over systems. None without a correlation of segment scores;
    they have no rank among metrics."""
    of_segments = [name for name in statistics if STATISTICS[name].reads == "segment_scores"]
    if not {"segment_pearson", "segment_kendall"}.intersection(of_segments):
        return
    if not evalset.segment_gold:
        return
    difficulties = {}
    if evalset.source:
        difficulties["source length"] = np.array([len(text) for text in evalset.source], float)
    if difficulty is not None:
        difficulties[metric_label(difficulty)] = _mean_difficulty(evalset, difficulty)
    for name, values in difficulties.items():
        label = f"{SENTINEL}{name}"
        quality = np.broadcast_to(-values, (len(evalset.systems), len(values)))
        arrays = {"statistics": quality[:, :, None].copy()}
        scores = SetScores({label: arrays}, {label: "stored"}, [label], [])
        table, _ = _measured(evalset, scores, of_segments, draws)
        is_undefined = table.value.isna() & (table.grouping == "item")
        table["reason"] = table.reason.mask(is_undefined, SAME)
        yield table.drop(columns=["place", "metrics", "cluster"])


class Draws(NamedTuple):
    """What is drawn for intervals and tests.

    Attributes
    ----------
    resamples, seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.
    """

    resamples: int
    seed: int
    unit: str


class SetScores(NamedTuple):
    """The scores of a set's metrics.

    Attributes
    ----------
    arrays : dict of str to dict
        As in `statistics/<metric>.npz`, by metric.
    types : dict of str to str
        Types, such as `chrf` or `stored`, by metric.
    shown : list of str
        The metrics to show.
    notices : list of str
    """

    arrays: ArraysByMetric
    types: dict[str, str]
    shown: list[str]
    notices: list[str]


def _read_scores(
    evalset: EvaluationSet,
    sources: dict[str, Path],
    files: Mapping[str, MetricFiles],
    requested: list[str],
    unread: Mapping[str, str],
) -> SetScores:
    """Read the scores of a set's metrics and a user's, and compute those of the requested metrics
    that are neither. `unread` are files that are no scores, with the reason, for a notice.

    Raises `Missing` without human scores or metrics to show, `InputError` for an unknown metric and
    for a user's metric that is called like one of the set.
    """
    computable = _types_of_text_metrics()
    known = [*sources, *files, *(name for name in computable if name not in sources)]
    requested = [known_name(name, known, "metric") for name in requested]
    _check_names(sources, files, computable.keys() & set(requested))
    arrays, absent = read_stored(evalset, sources, files)
    types = dict.fromkeys(arrays, "stored")
    user_metrics = [name for name in arrays if name not in sources]
    user_metrics += [name for name in files if name in absent]
    for name in dict.fromkeys(requested):
        if name in computable and name not in sources and name not in files:
            try:
                arrays[name] = _computed(evalset, name)
                types[name] = computable[name]
            except Missing as reason:
                absent[name] = str(reason)
    scores = _shown_scores(evalset, arrays, types, absent, [*user_metrics, *requested], sources)
    if unread:
        scores.notices.append(f"metrics left out: {describe_left_out(unread)}")
    return scores


def _types_of_text_metrics() -> dict[str, str]:
    """Return the types of the metrics that are computed from texts alone, by name."""
    return {
        name: settings.type
        for name, settings in named_metrics().items()
        if METRICS[settings.type].reads == "texts"
    }


def _shown_scores(
    evalset: EvaluationSet,
    arrays: ArraysByMetric,
    types: dict[str, str],
    absent: Mapping[str, str],
    chosen: Sequence[str],
    sources: Collection[str],
) -> SetScores:
    """Return a set's scores with the names of the metrics to show: the chosen ones, or by default
    those of the set (`sources`). Raises `Missing` without human scores or metrics to show."""
    names = list(dict.fromkeys(chosen))
    reasons = dict.fromkeys(absent[name] for name in names or absent if name in absent)
    shown = [name for name in names or sources if name in arrays]
    if not evalset.gold or not shown:
        lacking = "expected human scores of the systems, found none"
        if evalset.gold:
            lacking = (
                "it has no metric scores. Name metrics to compute (metrics, -m BLEU chrF) or files "
                "of scores (scores, --scores)"
            )
        raise Missing("; ".join(reasons) or lacking)
    return SetScores(arrays, types, shown, _notices_of_set(evalset, types, reasons))


def _check_names(
    sources: Mapping[str, Path], files: Mapping[str, MetricFiles], computed: Collection[str]
) -> None:
    """Raise `InputError` if a metric in a user's file is called like one of the set, or like one
    that is to be computed."""
    for name, user_files in files.items():
        if name in sources:
            source = sources[name]
            where = f"scores/{source.name}" if source.is_file() else "its metric-scores"
            raise InputError(
                f"{user_files.scores}: the set has a metric {name} already ({where}). Rename the "
                "file."
            )
        if name in computed:
            raise InputError(
                f"{user_files.scores}: it has scores of {name}, and -m {name} computes others. "
                "Leave one of them out."
            )


def _notices_of_set(
    evalset: EvaluationSet, types: Mapping[str, str], left_out: Collection[str]
) -> list[str]:
    """Return notices and warnings about a set and its metrics.

    Parameters
    ----------
    evalset : EvaluationSet
    types : mapping of str to str
        Type of each metric that has scores, by name.
    left_out : collection of str
        Reasons why other metrics have no scores.
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


def _in_domains(evalset: EvaluationSet, difficulty: str | None) -> EvaluationSet:
    """Return the set with two domains, hard segments (mean difficulty above the median) and easy
    ones; without a difficulty none."""
    evalset = replace(evalset, domains=[], domain_gold={})
    if difficulty is None:
        return evalset
    means = _mean_difficulty(evalset, difficulty)
    median = np.median(means[counted_segments(evalset)])
    return replace(evalset, domains=["hard" if mean > median else "easy" for mean in means])


def _mean_difficulty(evalset: EvaluationSet, difficulty: str) -> np.ndarray:
    """Return the means over systems of a difficulty, (segments,). Raises `Missing` if a segment
    from which scores are computed has none."""
    file = own_files.file_of_set(str(difficulty), evalset.campaign, evalset.pair)
    scored = score_texts(evalset, difficulty=file)
    assert scored.values is not None
    means = mean_difficulty(scored.values)
    if not np.isfinite(means[counted_segments(evalset)]).all():
        raise Missing(f"difficulty {metric_label(difficulty)}: {NOT_FINITE}")
    return means


def _measured(
    evalset: EvaluationSet,
    scores: SetScores,
    statistics: Sequence[str],
    draws: Draws,
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
    draws : Draws
    progress : callable
        Wraps the iteration over tests (tqdm).

    Returns
    -------
    tuple of DataFrame
        Rows (COLUMNS) of the metrics to show; and the set's `agreement.csv`.
    """
    set_metrics = _set_metrics(evalset, scores, statistics, draws)
    agreement, _ = agreement_tables(set_metrics, progress, subsets=False)
    # The only intervals in this table are those of soft pairwise accuracy.
    table = agreement.assign(over=agreement.unit, systems=len(set_metrics.gold))
    table = table.rename(columns={"domain": "segments_of", "rank": "cluster"})
    # As in `averages`, the mean of segment scores replaces a stored score without a value.
    order = table.value.isna().sort_values(kind="stable").index
    table = table.loc[order].drop_duplicates(ROW).astype({"low": float, "high": float})
    table = _ranked(table)
    cells = []
    for metric in scores.shown:
        for domain in table.segments_of.unique():
            for statistic, grouping in _with_groupings(statistics):
                cells.append((metric, domain, statistic, grouping))
    index = pd.MultiIndex.from_tuples(cells, names=ROW)
    # pandas finds the cells of a sorted index without a search.
    table = table.set_index(ROW).reindex(index).sort_index()
    table = _with_intervals(table, set_metrics, scores.shown, statistics).reindex(index)
    lacks_cluster = table.cluster.isna() & table.value.notna() & (table.reason == "")
    untested = lacks_cluster & (table.index.get_level_values("segments_of") == "")
    reasons = [
        UNTESTED if is_tested(statistic, grouping) else NO_TEST
        for _, _, statistic, grouping in table.index
    ]
    table["reason"] = table.reason.mask(untested, pd.Series(reasons, table.index))
    return table.reset_index(), agreement


def _with_groupings(statistics: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of a statistic and a grouping of segments in which it is computed; the grouping
    is "" for statistics of system scores."""
    pairs = []
    for name in statistics:
        for grouping in getattr(STATISTICS[name], "groupings", ("",)):
            pairs.append((name, grouping))
    return pairs


def _set_metrics(
    evalset: EvaluationSet,
    scores: SetScores,
    statistics: Sequence[str],
    draws: Draws,
) -> WholeSet:
    """Return a set's metrics, without weightings, with the samples that their tables share."""
    contents: Contents = {
        "evalset.json": evalset,
        "weightings.json": {"difficulties": {}, "weightings": {}},
    }
    for name, arrays in scores.arrays.items():
        file = f"statistics/{name}.npz"
        contents[file] = {"systems": evalset.systems, "signature": "", **arrays}
    metrics = {name: MetricSettings(scores.types[name]) for name in scores.arrays}
    scored = ScoredSet(SetFiles("", contents), ScoreSettings(metrics))
    all_systems = SystemSubsets("all", np.arange(len(evalset.systems))[None])
    correlations, *_ = correlation_tables(
        scored, np.array(evalset.gold), of_scores(statistics), [all_systems]
    )
    return WholeSet(
        scores=scored,
        evalset=evalset,
        correlations=correlations,
        missing={},
        statistics=statistics,
        resamples=draws.resamples,
        seed=draws.seed,
        unit=draws.unit,
    )


def _with_intervals(
    table: pd.DataFrame, set_metrics: WholeSet, shown: Sequence[str], statistics: Sequence[str]
) -> pd.DataFrame:
    """Add the intervals of correlations and of acc_eq to a table with the index ROW."""
    cells: Any = table.loc
    correlations = of_scores(statistics)
    if correlations:
        for row in _correlation_intervals(set_metrics, shown, correlations).to_dict("records"):
            cell = (row["metric"], "", row["statistic"], "")
            over = "both" if np.isfinite(row["both_low"]) else "systems"
            low = row[f"{over}_low"]
            high = row[f"{over}_high"]
            kind = OVER[over].format(unit=set_metrics.units.kind)
            size = set_metrics.units.size if over == "both" else np.nan
            cells[cell, ["low", "high", "over", "units"]] = (low, high, kind, size)
            if np.isnan(low) and not cells[cell, "reason"]:
                cells[cell, "reason"] = few_systems(row["statistic"])
    if "acc_eq" in statistics:
        for metric in shown:
            cell = (metric, "", "acc_eq", "item")
            row = cells[cell]
            if np.isfinite(row.value):
                low, high = acc_eq_interval(
                    set_metrics.scores.segment_quality(metric),
                    set_metrics.segment_gold,
                    float(row.epsilon),
                    *set_metrics.draws,
                    set_metrics.units_of,
                )
                units = set_metrics.units_of(set_metrics.rated_twice)
                numbers = (low, high, units.kind, units.size)
                cells[cell, ["low", "high", "over", "units"]] = numbers
    return table


def _correlation_intervals(
    set_metrics: WholeSet, shown: Sequence[str], statistics: Sequence[str]
) -> pd.DataFrame:
    """Return intervals of correlations of system scores over segments and systems, by metric."""
    keys = [(metric, STANDARD) for metric in shown]
    weighteds = {key: set_metrics.weighteds[key] for key in keys}
    bootstrapped = set_metrics.bootstrapped
    resamples, seed = set_metrics.draws
    resampled = Resamples(
        weighteds=weighteds,
        observed={key: weighted.observed_quality() for key, weighted in weighteds.items()},
        gold=set_metrics.gold,
        resamples=resamples,
        seed=seed,
        statistics=statistics,
        units=set_metrics.units,
        segment_gold=set_metrics.resampled_gold,
        bootstrapped={key: bootstrapped[key] for key in keys if key in bootstrapped},
    )
    systems = len(set_metrics.gold)
    observed = set_metrics.observed("all", systems)
    return resampled.estimates(np.arange(systems)[None], keys, observed)


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Add columns: `place`, a value's rank (1 is highest), and `metrics`, the number of metrics.
    Values that are equal but for rounding have the same place."""
    rounded = table.assign(value=table.value.round(DIGITS))
    values = rounded.groupby(["segments_of", "statistic", "grouping"]).value
    ranks = values.rank("min", ascending=False)
    return table.assign(place=ranks, metrics=values.transform("count"))


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
    """Yield the set's other human scores: a name; the set, restricted to the systems and segments
    that both have scored; and the scores, as those of a metric.

    Parts of the set's own scores (mqm-col1 of mqm) and scales of the same ratings are left out.
    """
    gold = evalset.gold_name
    for name in gold_names(folder, evalset.pair):
        is_own = name in (gold, evalset.segment_gold_name)
        is_part = name.startswith(f"{gold}-") or gold.startswith(f"{name}-")
        if is_own or is_part:
            continue
        scores = campaign_files.read_gold(folder, evalset.pair, name, required=True)
        file = campaign_files.score_file(folder, evalset.pair, name, "seg")
        segment_scores = {}
        if file.is_file():
            segment_scores = read_scores(file, len(evalset.reference), evalset.canary)
        systems = [
            index
            for index, system in enumerate(evalset.systems)
            if math.isfinite(scores.get(system, math.nan))
        ]
        if len(systems) >= 3 and not _are_of_same_ratings(evalset, systems, segment_scores):
            restricted, arrays = _restricted(evalset, systems, scores, segment_scores)
            yield f"human scores {name}", restricted, arrays


def _are_of_same_ratings(
    evalset: EvaluationSet, systems: Sequence[int], segment_scores: Mapping[str, Sequence[float]]
) -> bool:
    """Return whether a set's human scores come from annotations, and other human scores of segments
    may be of the same ratings: of the same hypotheses but for 5 %, or 95 % of them with the same
    score."""
    if not evalset.gold_covariance or not evalset.segment_gold or not segment_scores:
        return False
    own = np.array([evalset.segment_gold[index] for index in systems], float)
    unrated = [math.nan] * own.shape[1]
    names = [evalset.systems[index] for index in systems]
    others = np.array([segment_scores.get(name, unrated) for name in names])
    both = np.isfinite(own + others)
    if not both.any():
        return False
    either = np.isfinite(own) | np.isfinite(others)
    same_hypotheses = both.sum() >= 0.95 * either.sum()
    same_scores = np.isclose(own[both], others[both], atol=1e-6).mean() > 0.95
    return bool(same_hypotheses or same_scores)


def _restricted(
    evalset: EvaluationSet,
    systems: Sequence[int],
    scores: Mapping[str, float],
    segment_scores: Mapping[str, Sequence[float]],
) -> tuple[EvaluationSet, Arrays]:
    """Return a set restricted to some systems and to the segments that its own and other human
    scores have of all of these; and the other scores, as those of a metric.

    `systems` are indices, `scores` and `segment_scores` the other human scores by system.
    """
    unrated = [math.nan] * len(evalset.reference)
    names = [evalset.systems[index] for index in systems]
    other_scores = np.array([segment_scores.get(system, unrated) for system in names])
    own_scores = np.full(other_scores.shape, np.nan)
    if evalset.segment_gold:
        own_scores = np.array([evalset.segment_gold[index] for index in systems], float)
    rated = np.flatnonzero(np.isfinite(own_scores + other_scores).all(axis=0))
    system_scores = np.array([scores[system] for system in names])
    arrays = {"statistics": system_scores[:, None, None]}
    restricted_gold = []
    if len(rated) > 1:
        arrays = {"statistics": other_scores[:, rated, None], "system_scores": system_scores}
        restricted_gold = own_scores[:, rated].tolist()
    restricted = replace(
        _in_domains(evalset, None),
        systems=names,
        documents=documents_of(evalset, rated),
        gold=[evalset.gold[index] for index in systems],
        reference=[evalset.reference[index] for index in rated],
        segment_gold=restricted_gold,
        gold_covariance=[],
        gold_degrees=[],
    )
    return restricted, arrays
