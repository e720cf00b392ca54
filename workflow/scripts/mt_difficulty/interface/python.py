"""The public Python interface: `import mt_difficulty as md`. Tables are pandas DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from ..data.given_texts import given_set, pair_of
from ..errors import InputError, Missing, nearest
from ..libraries import missing_extra
from .settings import DEFAULT_DIFFICULTY, RESAMPLES, SEED, Settings
from .texts import Texts

Given = ParamSpec("Given")
Found = TypeVar("Found")
Texts_ = Mapping[str, Sequence[str]] | pd.DataFrame


class Scores(NamedTuple):
    """Scores of systems.

    Attributes
    ----------
    scores : DataFrame
        A row for each metric, weighting and system: score, low and high (95 % bootstrap interval
        over segments), rank (1 is best), better_than, effective_segments, higher_is_better,
        signature. NaN where a score does not exist; `notices` say why.
    comparisons : DataFrame
        A row for each metric, weighting and ordered pair of systems: difference, wins, p, p_holm
        (corrected over the pairs of systems under one metric and weighting).
    difficulty : dict
        The difficulty's name, unit and signature; h and w where EE is asked for.
    notices : list of str
    """

    scores: pd.DataFrame
    comparisons: pd.DataFrame
    difficulty: dict[str, Any]
    notices: list[str]


class LoadedSet(NamedTuple):
    """An evaluation set; rows of tables are segments, from 1, and columns systems, unless stated.

    Attributes
    ----------
    texts : DataFrame
        Columns source, reference, and document and domain where they are known.
    hypotheses : DataFrame
    human : Series
        Human score by system, higher is better; empty where there is none.
    segment_human : DataFrame
        NaN where a hypothesis has no human score; empty where there are none.
    metrics : DataFrame
        Stored metric scores: rows are systems, columns metrics.
    segment_metrics : dict of str to DataFrame
        Stored segment scores by metric.
    language_pair : str
    """

    texts: pd.DataFrame
    hypotheses: pd.DataFrame
    human: pd.Series
    segment_human: pd.DataFrame
    metrics: pd.DataFrame
    segment_metrics: dict[str, pd.DataFrame]
    language_pair: str


def _public(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function whose errors of input, of missing data and of missing extras are `InputError`."""

    @wraps(function)
    def run(*arguments: Given.args, **options: Given.kwargs) -> Found:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            if (hint := missing_extra(error.name or "")) is None:
                raise
            raise InputError(hint) from None
        except Missing as reason:
            raise InputError(str(reason)) from None
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: no such file or folder.") from None

    return run


@_public
def score(
    hypotheses: Texts_,
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    source: Sequence[str] | None = None,
    metrics: Sequence[str] = ("chrF",),
    weightings: Sequence[str] = ("EE",),
    difficulty: str | pd.Series | pd.DataFrame = DEFAULT_DIFFICULTY,
    lang: str | None = None,
    src_lang: str | None = None,
    h: float | str | None = None,
    w: float | str | None = None,
    share: float = 0.1,
    softmax: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    encoder: str | Path | None = None,
    layer: int | None = None,
    metric_settings: dict[str, dict[str, Any]] | None = None,
) -> Scores:
    """Scores of systems under metrics and weightings, with intervals and paired comparisons.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str, or DataFrame
        Each system's segments.
    references : sequence of str, or of such sequences
        One reference, or several for BLEU, chrF and TER; difficulties use the first.
    metrics, weightings : sequence of str
        As `mt-difficulty score --metric` and `--weighting` name them.
    difficulty : str, Series or DataFrame
        An estimator's name or a file of estimates; or values, higher is harder: one for each
        segment, or a table of segments × systems.
    h, w, share, softmax, resamples, seed, encoder, layer
        As the options of `mt-difficulty score`.
    metric_settings : dict, optional
        Settings by type of metric, such as {"bleu": {"tokenize": "intl"}}.

    Raises
    ------
    InputError
        The texts differ in length; an unknown name; what a metric or difficulty needs is missing.
    """
    from .scores import check_encoder, score_report

    settings = Settings(
        metric=tuple(metrics),
        weighting=tuple(weightings),
        difficulty=_difficulty(difficulty, hypotheses),
        lang=lang,
        src_lang=src_lang,
        h=h,
        w=w,
        share=share,
        softmax=softmax,
        resamples=resamples,
        seed=seed,
        encoder=Path(encoder) if encoder else None,
        layer=layer,
        of_metric=metric_settings,
    )
    check_encoder(settings)
    report = score_report(_texts(hypotheses, references, source, settings), settings, 0)
    scores, comparisons = (pd.DataFrame(report[name]) for name in ("scores", "comparisons"))
    return Scores(scores, comparisons, report["difficulty"], report["notices"])


@_public
def estimate_difficulty(
    hypotheses: Texts_,
    references: Sequence[str],
    *,
    source: Sequence[str] | None = None,
    difficulty: str = DEFAULT_DIFFICULTY,
    metric: str = "chrF",
    lang: str | None = None,
    src_lang: str | None = None,
) -> pd.DataFrame:
    """Difficulty of every hypothesis, higher is harder.

    Parameters
    ----------
    difficulty : str
        An estimator's name, or a file of estimates.
    metric : str
        Of which `crowd` and `item_response` are made.

    Returns
    -------
    DataFrame
        Rows are segments, from 1; columns systems. Of a difficulty of segments all columns are
        equal. `attrs` has the signature and the notices.

    Raises
    ------
    InputError
        As for `score`.
    """
    from .difficulty import find_difficulty
    from .metrics import measure

    settings = Settings(metric=(metric,), difficulty=difficulty, lang=lang, src_lang=src_lang)
    texts = _texts(hypotheses, references, source, settings)
    found = find_difficulty(settings, texts, cache(partial(measure, texts, settings)))
    frame = _by_segment(found.values.T, texts.evalset.systems)
    frame.attrs = {"signature": found.signature, "notices": [*texts.notices, *found.notices]}
    return frame


@_public
def select_segments(
    source: Sequence[str],
    budget: float,
    by: str | pd.Series | np.ndarray = "length",
    *,
    cost: str = "segments",
    documents: Sequence[str] = (),
    whole_documents: bool = False,
    src_lang: str | None = None,
    seed: int = SEED,
) -> pd.DataFrame:
    """Segments to give to people for a budget.

    Parameters
    ----------
    source : sequence of str
    budget : float
    by : str, or one value for each segment
        random, stratified, length, rarity, readability, or a file of estimates; of values the
        highest are chosen, such as means of `estimate_difficulty`.
    cost : {"segments", "words", "characters"}
        What the budget counts.
    documents : sequence of str
        The document of each segment.
    whole_documents : bool
        Choose documents by the mean of their segments.

    Returns
    -------
    DataFrame
        Columns value (where `by` has values), document (where known) and source, by segment, from
        1, in the order of the text.

    Raises
    ------
    InputError
        An unknown method, or a budget that pays no segment.
    """
    from ..data.sources import Sources
    from .choice import Choice
    from .selection import COSTS, choose

    if cost not in COSTS:
        raise InputError(f"no cost {cost}{nearest(cost, COSTS)}. There are: {', '.join(COSTS)}.")
    if documents and len(documents) != len(source):
        raise InputError(f"{len(source)} segments, but documents of {len(documents)}.")
    sources = Sources(list(source), list(documents), [], Path("source"))
    values = by if isinstance(by, str) else np.asarray(by, float)
    pool, chosen = choose(
        sources,
        Choice(
            by=values,
            budget=budget,
            cost=cost,
            whole_documents=whole_documents,
            src_lang=src_lang,
            seed=seed,
        ),
    )
    columns: dict[str, Any] = {}
    if pool.values is not None:
        columns["value"] = pool.values[chosen]
    if documents:
        columns["document"] = [documents[place] for place in chosen]
    columns["source"] = [source[place] for place in chosen]
    return pd.DataFrame(columns, index=pd.Index(chosen + 1, name="segment"))


@_public
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
        There is no such set, or a file of it is damaged.
    """
    from ..data.unpacked import find_campaign
    from .archive_set import read_archive_set

    folder = find_campaign(Path(archive) / campaign)
    found, stored = read_archive_set(folder, campaign, pair, reference, gold)
    return _loaded(found, stored)


@_public
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
    from .archive_set import read_folder_set

    return _loaded(*read_folder_set(Path(folder), language_pair, reference))


@_public
def correlate(
    scores: pd.Series | pd.DataFrame,
    human: pd.Series,
    statistics: Sequence[str] = ("pearson", "spearman", "kendall", "accuracy"),
) -> pd.DataFrame:
    """Agreement of system scores with human scores, with 95 % intervals over systems.

    Parameters
    ----------
    scores : Series or DataFrame
        Rows are systems, columns metrics; higher is better.
    human : Series
        By system; systems that are not in both tables are left out.
    statistics : sequence of str
        Of pearson, spearman, kendall, accuracy, acc23.

    Returns
    -------
    DataFrame
        Columns metric, statistic, systems, value, low and high; NaN where a value or an interval is
        undefined (constant scores, too few systems).

    Raises
    ------
    InputError
        An unknown statistic, or fewer than three systems in both tables.
    """
    from ..evidence.intervals import over_systems
    from ..statistics import STATISTICS, evaluate

    for name in statistics:
        if name not in STATISTICS or STATISTICS[name].reads != "scores":
            known = [each for each in STATISTICS if STATISTICS[each].reads == "scores"]
            hint = nearest(name, known)
            raise InputError(f"no statistic {name}{hint}. There are: {', '.join(known)}.")
    table = scores.to_frame(scores.name or "score") if isinstance(scores, pd.Series) else scores
    systems = sorted(set(table.index) & set(human.dropna().index))
    if len(systems) < 3:
        raise InputError(f"{len(systems)} systems have scores and human scores; expected 3.")
    gold, rows = human.loc[systems].to_numpy(float), []
    for metric in table.columns:
        own = table.loc[systems, metric].to_numpy(float)
        values = evaluate(list(statistics), own, gold)
        ends = over_systems(list(statistics), values, len(systems))
        for name, *numbers in zip(statistics, values, *ends, strict=True):
            rows.append((metric, name, len(systems), *numbers))
    return pd.DataFrame(rows, columns=["metric", "statistic", "systems", "value", "low", "high"])


def _texts(
    hypotheses: Texts_,
    references: Sequence[str] | Sequence[Sequence[str]],
    source: Sequence[str] | None,
    settings: Settings,
) -> Texts:
    """Texts as the command line has them, checked for their lengths."""
    if not len(references):
        raise InputError("no reference: expected one segment or more.")
    alone = isinstance(references[0], str)
    whole: Any = [list(references)] if alone else [*map(list, references)]
    given = {str(system): list(own) for system, own in hypotheses.items()}
    if not given:
        raise InputError("no hypotheses: expected the segments of one system or more.")
    named = {f"system {name}": text for name, text in given.items()}
    named |= {f"reference {i}": text for i, text in enumerate(whole[1:], 2)}
    named |= {"the source": list(source)} if source is not None else {}
    expected = len(whole[0])
    for name, text in named.items():
        if len(text) != expected:
            raise InputError(f"{name}: expected {expected} segments, found {len(text)}.")
    for name, text in ({"reference 1": whole[0]} | named).items():
        for place, segment in enumerate(text, 1):
            if not isinstance(segment, str):
                raise InputError(f"{name}, segment {place}: expected a text, found {segment!r}.")
    pair = pair_of(settings.src_lang, settings.lang)
    systems, lines = list(given), list(given.values())
    evalset = given_set("reference", systems, whole[0], lines, list(source or ()), pair)
    return Texts(evalset, settings, whole[1:])


def _difficulty(given: str | pd.Series | pd.DataFrame, hypotheses: Texts_) -> Any:
    """An estimator's name, or values, (segments,) or (systems, segments)."""
    if isinstance(given, str):
        return given
    if isinstance(given, pd.DataFrame):
        if {*map(str, given.columns)} != {*map(str, hypotheses)}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        return given[list(hypotheses)].to_numpy(float).T
    return np.asarray(given, float)


def _by_segment(values: np.ndarray, systems: Sequence[str]) -> pd.DataFrame:
    index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))


def _loaded(found: Any, stored: dict[str, tuple[np.ndarray, np.ndarray]]) -> LoadedSet:
    """An evaluation set as tables; `stored` are system and segment scores by metric."""
    columns = {"source": found.source, "reference": found.reference}
    columns |= {"document": found.documents} if found.documents else {}
    columns |= {"domain": found.domains} if found.domains else {}
    texts = pd.DataFrame(columns)
    texts.index = pd.RangeIndex(1, len(texts) + 1, name="segment")
    systems, segments = found.systems, len(texts)
    people = np.array(found.segment_gold, float) if found.segment_gold else np.empty((0, 0))
    return LoadedSet(
        texts,
        _by_segment(np.array(found.hypotheses, object).T, systems),
        pd.Series(found.gold, index=systems if found.gold else [], dtype=float, name="human"),
        _by_segment(people.T, systems) if people.size else pd.DataFrame(),
        pd.DataFrame({name: of_systems for name, (of_systems, _) in stored.items()}, index=systems),
        {
            name: _by_segment(own.T, systems)
            for name, (_, own) in stored.items()
            if own.shape[1] == segments > 1
        },
        found.pair,
    )


__all__ = [
    "LoadedSet",
    "Scores",
    "correlate",
    "estimate_difficulty",
    "load_folder",
    "load_set",
    "score",
    "select_segments",
]
