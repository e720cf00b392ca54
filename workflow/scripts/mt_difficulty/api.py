"""The public interface: score texts, estimate difficulty, choose segments, load evaluation sets as
tables, and correlate metric scores with human scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import pandas as pd

from .data import own_files
from .data.campaign_files import check_pair, pairs_of
from .data.download import find_campaign
from .data.evalset import EvaluationSet, describe_left_out
from .data.gold_checks import find_doubts
from .data.text_files import Sources
from .embedding import baselines
from .errors import InputError, errors_of_input
from .evidence.gains import OVER, Resamples
from .evidence.resampling import over_systems
from .evidence.units import DOCUMENTS, Units, units_of
from .metrics.base import Metric
from .notebooks import as_html
from .scoring.choosing import COSTS, Pool
from .scoring.comparing import few_resamples
from .scoring.differences import COLUMNS as COLUMNS_OF_DIFFERENCES
from .scoring.differences import describe_differences
from .scoring.inputs import (
    DOCUMENT_NAMES,
    Text,
    Texts,
    aligned,
    by_segment,
    distinct,
    numbers,
    read_texts,
    segment_texts,
)
from .scoring.judging import other_files, read_archive_set, read_folder, read_stored
from .scoring.parameters import (
    RESAMPLES,
    SEED,
    check_parameters,
    chosen_statistics,
    known_name,
    named,
    one_name,
)
from .scoring.reporting import better_than, score_report
from .scoring.texts import DEFAULT_DIFFICULTY, ScoredTexts, score_texts
from .statistics import STATISTICS, evaluate
from .storage import write_text
from .weighting.base import STANDARD, WeightedMetric

COLUMNS = [
    "metric",
    "human",
    "statistic",
    "systems",
    "segments",
    "over",
    "unit",
    "units",
    "value",
    "low",
    "high",
]


class Differences(NamedTuple):
    """What differs between two systems, as `Scores.differences` returns it.

    Attributes
    ----------
    scores : DataFrame
        A row for each group and system: grouping (difficulty and document where these are known,
        length, word frequency), group, metric (of words F1, 0 to 100), system, score, and the
        group's number of segments and of words of the reference.
    comparisons : DataFrame
        A row for each group: difference with low and high (95 % bootstrap interval), the two-sided
        p and p_holm (corrected over the groups of a grouping under a metric). NaN with fewer than
        ten documents or segments in the group, p_holm also with too few resamples; this does not
        mean that there is no difference.
    ngrams : DataFrame
        The n-grams of the reference that `system` has in more units than `other` has: how often the
        reference has them, clipped matches of both, units (documents or segments) in which `system`
        has more matches, and in which `other` has, p of a sign test and p_holm (corrected over all
        n-grams of which ten or more units differ; NaN for others). At most 20 for each system.
    resampled : str
        What intervals and tests resample, such as "120 documents".
    """

    scores: pd.DataFrame
    comparisons: pd.DataFrame
    ngrams: pd.DataFrame
    resampled: str

    def __repr__(self) -> str:
        tables = (self.comparisons, self.ngrams)
        return "\n\n".join(table.to_string(index=False) for table in tables)

    def _repr_html_(self) -> str:
        tables = (self.comparisons, self.ngrams)
        return "\n".join(as_html("", table, [], index=False) for table in tables)


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """The scores of systems and comparisons between them, as `score` returns them.

    Attributes
    ----------
    scores : DataFrame
        A row for each metric, weighting and system: score, low and high (95 % bootstrap interval),
        rank (1 is best), better_than (None where it was not tested), effective_segments,
        effective_documents, higher_is_better, signature. NaN if a score is undefined; `notices` say
        why.
    comparisons : DataFrame
        A row for each metric, weighting and ordered pair of systems: difference (score of `system`
        minus that of `other`), wins (share of resamples in which `system` is better), and the
        two-sided p and p_holm (corrected by Holm's method over the pairs of systems under one
        metric and weighting; NaN where it was not tested). p and p_holm are the same in both
        directions.
    difficulty : dict
        The difficulty's name, unit and signature; h and w if EE is among the weightings. Empty
        without weightings.
    notices : list of str
    resampled : str
        What intervals and comparisons resample, such as "120 documents".
    texts : ScoredTexts
        The texts with their scores, from which `to_html` makes a page and `differences` its tables.
    report : dict
        The JSON of `mt-difficulty score`, without the hardest segments.
    unit : {"documents", "segments"}
    seed : int
    resamples : int or None
        As in the call of `score`, for `differences`.

    Examples
    --------
    >>> import mt_difficulty as md
    >>> hypotheses = {"A": ["a cat", "a dog"], "B": ["a cat", "the dog"]}
    >>> result = md.score(hypotheses, ["a cat", "a dog"], weightings=[], lang="en", resamples=0)
    >>> result.scores[["metric", "system", "score"]].round(1).values.tolist()
    [['chrF', 'A', 100.0], ['chrF', 'B', 68.2]]
    >>> result.to_html().startswith("<!DOCTYPE html>")
    True
    """

    scores: pd.DataFrame
    comparisons: pd.DataFrame
    difficulty: dict[str, Any]
    notices: list[str]
    resampled: str
    texts: ScoredTexts
    report: dict[str, Any]
    unit: str
    seed: int
    resamples: int | None

    def _shown_table(self) -> pd.DataFrame:
        """Return the scores as they are shown, the best system of a metric and weighting first."""
        shown = ["metric", "weighting", "system", "score", "low", "high", "rank"]
        table = self.scores
        order = table.groupby(["metric", "weighting"], sort=False).ngroup()
        table = table.assign(order=order).sort_values(["order", "rank"])
        return table[shown].assign(better_than=table.better_than.map(better_than))

    def __repr__(self) -> str:
        return "\n".join([self._shown_table().to_string(index=False), *self.notices])

    def _repr_html_(self) -> str:
        return as_html("", self._shown_table(), self.notices, index=False)

    @overload
    def to_html(self, path: None = None) -> str: ...

    @overload
    def to_html(self, path: str | Path) -> None: ...

    @errors_of_input
    def to_html(self, path: str | Path | None = None) -> str | None:
        """Make the page of `mt-difficulty score --html`: scores, comparisons and segments.

        Parameters
        ----------
        path : path, optional
            A file to write the page to.

        Returns
        -------
        str or None
            The page, in one piece; None if it is written to a file. Without a difficulty (no
            `weightings` and no `difficulty` in the call of `score`) it has no segments.

        Raises
        ------
        InputError
            If the file cannot be written.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import mt_difficulty as md
        >>> result = md.score({"A": ["a cat"], "B": ["a dog"]}, ["a cat"], weightings=[])
        >>> with TemporaryDirectory() as folder:
        ...     result.to_html(Path(folder) / "page.html")
        ...     (Path(folder) / "page.html").read_text(encoding="utf-8") == result.to_html()
        True
        """
        from .page.scored_texts import page_of_texts

        check_parameters(path=path)
        found = describe_differences(self.texts, self.resamples, self.seed, self.unit)
        page = page_of_texts(self.texts, {**self.report, "differences": found})
        if path is None:
            return page
        write_text(path, page)
        return None

    @errors_of_input
    def differences(self, system: str, other: str, *, resamples: int | None = None) -> Differences:
        """Find what differs between two systems: by difficulty, reference length, document and word
        frequency, and in n-grams of the reference.

        Parameters
        ----------
        system, other : str
            Names of the systems. A difference is the score of `system` minus that of `other`.
        resamples : int, optional
            Number of bootstrap resamples and permutations, by default that of the call of `score`;
            0 for no intervals and tests of groups. At most 1,000 are drawn, or as many as the
            largest number of groups needs.

        Returns
        -------
        Differences

        Raises
        ------
        InputError
            If there are no two systems of these names.

        Examples
        --------
        >>> hypotheses = {"A": ["a cat", "a dog"] * 15, "B": ["a cat", "the dog"] * 15}
        >>> result = score(hypotheses, ["a cat", "a dog"] * 15, weightings=[], lang="en")
        >>> found = result.differences("A", "B").ngrams
        >>> found[["ngram", "matches", "other_matches", "p_holm"]].round(4).values.tolist()
        [['a', 30, 15, 0.0001], ['a dog', 15, 0, 0.0001]]
        """
        if resamples is not None:
            check_parameters(resamples=resamples)
        systems = self.texts.evalset.systems
        system = known_name(system, systems, "system")
        other = known_name(other, systems, "system")
        if system == other:
            raise InputError(f"differences: expected two systems, found {system} twice.")
        if resamples is None:
            resamples = self.resamples
        found = describe_differences(
            self.texts, resamples, self.seed, self.unit, pairs=[(system, other)]
        )
        scores, comparisons, ngrams = (
            pd.DataFrame(found[table], columns=columns)
            for table, columns in COLUMNS_OF_DIFFERENCES.items()
        )
        is_of_pair = scores.system.isin([system, other])
        return Differences(
            scores=scores[is_of_pair].reset_index(drop=True),
            comparisons=comparisons,
            ngrams=ngrams,
            resampled=found["resampled"],
        )


@errors_of_input
def score(
    hypotheses: Texts,
    references: Text | Sequence[Text],
    *,
    source: Text | None = None,
    metrics: str | Sequence[str] = ("chrF",),
    weightings: str | Sequence[str] = ("EE",),
    difficulty: str | pd.Series | pd.DataFrame | None = None,
    lang: str | None = None,
    src_lang: str | None = None,
    h: float | str | None = None,
    w: float | str | None = None,
    share: float = 0.1,
    softmax: float | None = None,
    documents: Text | None = None,
    unit: str = DOCUMENTS,
    resamples: int | None = None,
    seed: int = SEED,
    encoder: str | Path | None = None,
    layer: int | None = None,
    baseline: str | float | Sequence[float] = "auto",
    metric_settings: dict[str, dict[str, Any]] | None = None,
) -> Scores:
    """Score systems under metrics and weightings, with intervals and paired comparisons.

    Inputs with an index are aligned by index, other inputs by position.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str, or DataFrame
        The segments of each system; in a table columns are systems.
    references : sequence of str or Series, or a list of such sequences
        One reference, or several for BLEU, chrF and TER; difficulties use the first.
    source : sequence of str or Series, optional
        The source text, which some difficulties and metrics need.
    metrics : str or sequence of str
        BLEU, chrF, chrF++ and TER (sacreBLEU's corpus scores), chrF-segments (mean of the segments'
        chrF), METEOR and WNM (one reference alone), BERTScore (needs `encoder`); in upper or lower
        case.
    weightings : str or sequence of str
        Scores beside the unweighted ones, which are always there: EE (easy and difficult
        hypotheses are two groups with weights of their own), hardest (the hardest hypotheses
        alone), proportional (weights proportional to difficulty), DA (tokens of BERTScore are
        weighted; needs `encoder`), or EE-DA, hardest-DA, proportional-DA. An empty list for none.
    difficulty : str, Series, DataFrame or ndarray
        An estimator's name: chunk_entropy, consensus_entropy, crowd, disagreement, item_response,
        length, random, rarity or readability; a file of estimates; or values, higher is harder: one
        per segment, a table (segments × systems), or an array (systems × segments). By default
        chunk_entropy if there are weightings, else none.
    lang, src_lang : str, optional
        Codes of the target and the source language, such as de.
    h : float or str, optional
        EE's threshold: a hypothesis of at least this difficulty is difficult. A number, or a rule
        such as mean_plus_2sd (default; Eq. 9 of Liu et al. 2022) or quantile_0.9.
    w : float or str, optional
        EE's balance: the easy hypotheses' share in a score, 0 to 1, or `share`, the share of easy
        hypotheses. By default Eq. 11 of Liu et al. (2022) for chunk entropies, else 0.5.
    share : float
        The share of hypotheses that `hardest` scores, 0 to 1.
    softmax : float, optional
        Weights of `proportional` are exp(softmax · difficulty / its standard deviation); by default
        they are the difficulty itself.
    documents : sequence of str or Series, optional
        The document of each segment. With ten documents or more, intervals and tests resample and
        exchange whole documents.
    unit : {"documents", "segments"}
        What is resampled where documents are known; segments are assumed to be independent.
    resamples : int, optional
        Number of bootstrap resamples; 0 for no intervals and comparisons. By default 100 for each
        pair of systems and at least 1,000; above 20,000 they are 50 for each pair, and 100,000 at
        most. With fewer than 40 for each pair, whether a system is better is not tested.
    seed : int
        Seed of the resamples.
    encoder : path, optional
        Folder of a transformer that knows the target language, for BERTScore and DA.
    layer : int, optional
        The encoder's layer whose output is used; by default bert-score's for a model that it knows.
    baseline : {"auto", "computed", "none"}, float or sequence of float
        b, by which DA rescales similarities s as (s − b) / (1 − b), and BERTScore does if it is set
        to rescale: computed (mean scores of random pairs of the references), none, or b (of
        precision, recall and F). `auto` is bert-score's, or computed where it has none.
    metric_settings : dict, optional
        Settings by metric type, such as {"bleu": {"tokenize": "intl"}}.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        If inputs differ in length or labels, a name or setting is unknown, or a metric or
        difficulty lacks an input.

    Examples
    --------
    >>> import mt_difficulty as md
    >>> hypotheses = {"A": ["a cat", "a dog"], "B": ["a cat", "the dog"]}
    >>> result = md.score(hypotheses, ["a cat", "a dog"], weightings=[], lang="en", resamples=0)
    >>> result.scores.score.round(1).tolist()
    [100.0, 68.2]

    With difficulties of our own, EE gives the hard segment, on which B is worse, a weight of 0.6.

    >>> result = md.score(
    ...     hypotheses,
    ...     ["a cat", "a dog"],
    ...     metrics="chrF-segments",
    ...     weightings="EE",
    ...     difficulty=[0.1, 0.9],
    ...     h=0.5,
    ...     w=0.4,
    ...     lang="en",
    ...     resamples=0,
    ... )
    >>> result.scores[["weighting", "system", "score"]].round(1).values.tolist()
    [['standard', 'A', 100.0], ['standard', 'B', 71.1], ['EE', 'A', 100.0], ['EE', 'B', 65.4]]
    """
    metrics = named(metrics, "metrics")
    weightings = named(weightings, "weightings")
    check_parameters(
        lang=lang,
        src_lang=src_lang,
        seed=seed,
        h=h,
        w=w,
        share=share,
        softmax=softmax,
        layer=layer,
    )
    check_parameters(encoder=encoder, unit=unit)
    if resamples is not None:
        check_parameters(resamples=resamples)
    try:
        baseline = baselines.check(baseline)
    except (TypeError, ValueError) as error:
        raise InputError(f"baseline: {error}.") from None
    pair = own_files.pair_of(src_lang, lang)
    evalset, more_references, values, _ = read_texts(
        hypotheses, references, source, difficulty, pair, documents
    )
    scored = score_texts(
        evalset,
        more_references,
        metrics=metrics,
        weightings=weightings,
        difficulty=values,
        difficulty_metric=metrics[0] if metrics else "chrF",
        h=h,
        w=w,
        share=share,
        softmax=softmax,
        encoder=Path(encoder) if encoder else None,
        layer=layer,
        baseline=baseline,
        metric_settings=metric_settings,
    )
    report = score_report(scored, top=0, resamples=resamples, seed=seed, unit=unit)
    return Scores(
        scores=pd.DataFrame(report["scores"]),
        comparisons=pd.DataFrame(report["comparisons"]),
        difficulty=report["difficulty"],
        notices=report["notices"],
        resampled=report["resampled"],
        texts=scored,
        report=report,
        unit=unit,
        seed=seed,
        resamples=resamples,
    )


@errors_of_input
def estimate_difficulty(
    hypotheses: Texts,
    references: Text,
    *,
    source: Text | None = None,
    difficulty: str = DEFAULT_DIFFICULTY,
    metric: str = "chrF",
    lang: str | None = None,
    src_lang: str | None = None,
) -> pd.DataFrame:
    """Estimate the difficulty of every hypothesis.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str, or DataFrame
        The segments of each system; in a table columns are systems.
    references : sequence of str or Series
        One reference.
    source : sequence of str or Series, optional
        The source text, which length, rarity and readability need.
    difficulty : str
        chunk_entropy, consensus_entropy, crowd, disagreement, item_response, length, random, rarity
        or readability; or a file of estimates.
    metric : str
        The metric whose scores `crowd` and `item_response` read: a name as for `score`.
    lang, src_lang : str, optional
        Codes of the target and the source language, such as de.

    Returns
    -------
    DataFrame
        Difficulty, higher is harder: rows are segments (index of the texts, or numbers from 1),
        columns systems. A difficulty of segments is the same for all systems. `attrs` has the
        signature and the notices.

    Raises
    ------
    InputError
        If inputs differ in length or labels, a name is unknown, or the difficulty lacks an input.

    Examples
    --------
    The difficulty `crowd` is the mean score of the systems with the sign reversed.

    >>> import mt_difficulty as md
    >>> hypotheses = {"A": ["a cat", "the dog sleeps"], "B": ["a cat", "a dog snores"]}
    >>> references = ["a cat", "a dog sleeps"]
    >>> frame = md.estimate_difficulty(hypotheses, references, difficulty="crowd", lang="en")
    >>> frame.round(1).values.tolist()
    [[-100.0, -100.0], [-57.1, -57.1]]
    """
    check_parameters(lang=lang, src_lang=src_lang)
    metric = one_name(metric, "metric")
    difficulty = one_name(difficulty, "difficulty")
    evalset, more_references, values, index = read_texts(
        hypotheses, references, source, difficulty, own_files.pair_of(src_lang, lang)
    )
    scored = score_texts(evalset, more_references, difficulty=values, difficulty_metric=metric)
    assert scored.values is not None
    frame = by_segment(scored.values.T, evalset.systems, index)
    frame.attrs = {"signature": scored.difficulty["signature"], "notices": scored.notices}
    return frame


@errors_of_input
def select_segments(
    source: Text,
    budget: float,
    by: str | pd.Series | np.ndarray = "length",
    *,
    cost: str = "segments",
    documents: Text | None = None,
    whole_documents: bool = False,
    src_lang: str | None = None,
    seed: int = SEED,
) -> pd.DataFrame:
    """Choose segments for human evaluation within a budget.

    Inputs with an index are aligned by index, other inputs by position.

    Parameters
    ----------
    source : sequence of str
        The segments to choose from.
    budget : float
        The largest total cost of the chosen segments.
    by : str, or one value for each segment
        random, stratified, length, rarity, readability, or a file of estimates. If values are
        given, such as means of `estimate_difficulty`, the highest are chosen.
    cost : {"segments", "words", "characters"}
        The unit of the budget.
    documents : sequence of str
        The document of each segment.
    whole_documents : bool
        Choose whole documents, by the mean value of their segments.
    src_lang : str, optional
        Code of the source language.
    seed : int
        Seed of random and stratified choices.

    Returns
    -------
    DataFrame
        The chosen segments in the order of the text, with columns value (if `by` has values),
        document (if known) and source; the index is that of the inputs, or numbers from 1.

    Raises
    ------
    InputError
        For an unknown method, or a budget below the cost of any segment.

    Examples
    --------
    >>> import mt_difficulty as md
    >>> source = ["a cat", "a dog sleeps under the table", "a cow"]
    >>> md.select_segments(source, budget=2, by=[0.1, 0.7, 0.2]).index.tolist()
    [2, 3]
    >>> md.select_segments(source, budget=1, by="length").source.tolist()
    ['a dog sleeps under the table']
    """
    check_parameters(src_lang=src_lang, seed=seed, budget=budget)
    if isinstance(by, Path):
        by = str(by)
    cost = known_name(one_name(cost, "cost"), COSTS, "cost")
    if not isinstance(whole_documents, (bool, np.bool_)):
        raise InputError(f"whole_documents {whole_documents!r:.60}: expected True or False.")
    given: dict[str, object] = {"source": source}
    if not isinstance(by, str):
        given["by"] = by
    if documents is not None:
        given["documents"] = documents
    inputs, index = aligned(given)
    lines = segment_texts(inputs["source"], "source")
    document_names = []
    if documents is not None:
        document_names = segment_texts(inputs["documents"], "documents", DOCUMENT_NAMES)
        if len(document_names) != len(lines):
            raise InputError(f"{len(lines)} segments, but documents of {len(document_names)}.")
    if not isinstance(by, str):
        by = numbers(inputs["by"], "by")
    pool = Pool(
        Sources(lines, document_names, [], Path("source")),
        by,
        cost=cost,
        whole_documents=whole_documents,
        src_lang=src_lang,
    )
    frame = pool.chosen(budget, seed)
    return frame if index is None else frame.set_axis(index[frame.index - 1])


# Evaluation sets.


class LoadedSet(NamedTuple):
    """An evaluation set as tables: rows are segments (from 1), columns systems, unless stated.

    Attributes
    ----------
    texts : DataFrame
        Columns source, reference and, if known, document and domain.
    hypotheses : DataFrame
    human : Series
        Human scores by system, higher is better; empty if there are none. `name` names the scores.
    segment_human : DataFrame
        Human scores of hypotheses, NaN for unrated ones; empty if there are none. `attrs["name"]`
        names the scores.
    metrics : DataFrame
        Stored metric scores: rows are systems, columns metrics.
    segment_metrics : dict of str to DataFrame
        Stored segment scores by metric.
    language_pair : str
    notices : list of str
        Reasons why systems, segment-level human scores or metrics are left out; warnings about
        texts and human scores.

    Examples
    --------
    The demo is in a clone of the project.

    >>> import mt_difficulty as md
    >>> demo = md.load_set("demo", "en-de", "data/demo/archive")
    >>> demo.language_pair, demo.hypotheses.shape, demo.human.name
    ('en-de', (260, 12), 'mqm')
    >>> demo.texts.columns.tolist()
    ['source', 'reference', 'document', 'domain']
    """

    texts: pd.DataFrame
    hypotheses: pd.DataFrame
    human: pd.Series
    segment_human: pd.DataFrame
    metrics: pd.DataFrame
    segment_metrics: dict[str, pd.DataFrame]
    language_pair: str
    notices: list[str]

    def _title(self) -> str:
        """Return language pair and size as text."""
        systems = len(self.hypotheses.columns)
        return f"{self.language_pair}: {systems} systems, {len(self.texts)} segments"

    def _shown_table(self) -> pd.DataFrame:
        """Return the scores of systems under the metrics, and the human scores."""
        return self.metrics.assign(**{str(self.human.name or "human"): self.human})

    def __repr__(self) -> str:
        return "\n".join([self._title(), self._shown_table().to_string(), *self.notices])

    def _repr_html_(self) -> str:
        return as_html(self._title(), self._shown_table(), self.notices)


@errors_of_input
def load_set(
    campaign: str,
    pair: str,
    archive: str | Path,
    *,
    reference: str | None = None,
    gold: str | None = None,
) -> LoadedSet:
    """Load an evaluation set of the WMT archive.

    Parameters
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    archive : path
        A .tgz or an unpacked folder of the archive.
    reference, gold : str, optional
        Names of the reference and of the human scores; by default those that are standard for
        the set, or the only ones.

    Returns
    -------
    LoadedSet

    Raises
    ------
    InputError
        If the set does not exist, a file is damaged, or `reference` or `gold` is needed to choose
        among several.

    Examples
    --------
    The demo is in a clone of the project.

    >>> import mt_difficulty as md
    >>> demo = md.load_set("demo", "en-de", "data/demo/archive")
    >>> demo.human.nlargest(2).round(3).to_dict()
    {'juniper': -0.919, 'alder': -1.062}
    """
    check_parameters(campaign=campaign, pair=pair, archive=archive, reference=reference, gold=gold)
    folder = find_campaign(Path(archive) / campaign)
    check_pair(campaign, pair, pairs_of(folder))
    evalset, sources = read_archive_set(folder, pair, reference, gold)
    return _loaded(evalset, sources, {}, evalset.segment_gold_name or evalset.gold_name)


@errors_of_input
def load_folder(
    folder: str | Path, language_pair: str, *, reference: str | None = None
) -> LoadedSet:
    """Load a user's folder as an evaluation set.

    Parameters
    ----------
    folder : path
        A folder with source.txt, reference.txt, systems/<system>.txt and, if they exist, gold.tsv,
        segment_gold.tsv, documents.txt and scores/<metric>.tsv.
    language_pair : str
        Such as en-de.
    reference : str, optional
        The name in reference.<name>.txt; by default the only reference is read.

    Returns
    -------
    LoadedSet

    Raises
    ------
    InputError
        If a file is missing or malformed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import mt_difficulty as md
    >>> texts = {
    ...     "source.txt": "a cat\\na dog\\n",
    ...     "reference.txt": "eine Katze\\nein Hund\\n",
    ...     "systems/A.txt": "eine Katze\\nder Hund\\n",
    ...     "systems/B.txt": "ein Kater\\nein Hund\\n",
    ...     "systems/C.txt": "die Katze\\nein Hund\\n",
    ...     "gold.tsv": "A\\t80\\nB\\t70\\nC\\t75\\n",
    ... }
    >>> with TemporaryDirectory() as folder:
    ...     for name, text in texts.items():
    ...         file = Path(folder, name)
    ...         file.parent.mkdir(exist_ok=True)
    ...         _ = file.write_text(text, encoding="utf-8")
    ...     mine = md.load_folder(folder, "en-de")
    >>> mine.hypotheses.loc[1].to_dict()
    {'A': 'eine Katze', 'B': 'ein Kater', 'C': 'die Katze'}
    >>> mine.human.to_dict()
    {'A': 80.0, 'B': 70.0, 'C': 75.0}
    """
    check_parameters(folder=folder, pair=language_pair, reference=reference)
    evalset, sources = read_folder(Path(folder), language_pair, reference)
    return _loaded(evalset, sources, other_files(Path(folder)), own_files.SEGMENT_GOLD)


def _loaded(
    evalset: EvaluationSet, sources: dict[str, Path], absent: dict[str, str], segment_gold: str
) -> LoadedSet:
    """Return an evaluation set as tables. `sources` are the locations of metric scores by metric,
    `absent` reasons for missing ones, `segment_gold` the name of the segment-level human scores."""
    systems = evalset.systems
    arrays, unreadable = read_stored(evalset, sources)
    absent = absent | unreadable
    metrics = {}
    segment_metrics = {}
    for name, metric_arrays in arrays.items():
        segment_scores = metric_arrays["statistics"][..., 0]
        metrics[name] = metric_arrays.get("system_scores", segment_scores.mean(axis=1))
        if segment_scores.shape[1] == len(evalset.source) > 1:
            segment_metrics[name] = by_segment(segment_scores.T, systems)

    left_out = [(evalset.left_out, "systems"), (absent, "metrics")]
    if evalset.segment_gold_doubt and not evalset.segment_gold:
        left_out.append(({segment_gold: evalset.no_segment_gold}, "human scores"))
    notices = [f"{what} left out: {describe_left_out(names)}." for names, what in left_out if names]
    notices += [notice for notice in evalset.notices if notice not in notices]

    hypotheses = by_segment(np.array(evalset.hypotheses, object).T, systems)
    columns = {"source": evalset.source, "reference": evalset.reference}
    if evalset.documents:
        columns["document"] = evalset.documents
    if evalset.domains:
        columns["domain"] = evalset.domains
    segment_human = pd.DataFrame()
    if evalset.segment_gold:
        segment_human = by_segment(np.array(evalset.segment_gold, float).T, systems)
    segment_human.attrs["name"] = segment_gold
    human = pd.Series(
        evalset.gold,
        index=systems if evalset.gold else [],
        dtype=float,
        name=evalset.gold_name or None,
    )
    return LoadedSet(
        texts=pd.DataFrame(columns, hypotheses.index),
        hypotheses=hypotheses,
        human=human,
        segment_human=segment_human,
        metrics=pd.DataFrame(metrics, index=systems),
        segment_metrics=segment_metrics,
        language_pair=evalset.pair,
        notices=notices,
    )


@errors_of_input
def correlate(
    scores: Scores | pd.Series | pd.DataFrame | Mapping[str, pd.DataFrame],
    human: pd.Series | pd.DataFrame,
    statistics: Sequence[str] = ("pearson", "spearman", "kendall", "accuracy"),
    *,
    documents: Text | None = None,
    unit: str = DOCUMENTS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pd.DataFrame:
    """Correlate system scores with human scores, with 95 % confidence intervals.

    Systems that are not in both `scores` and `human`, or that have no human score, are left out.

    Parameters
    ----------
    scores : Scores, Series, DataFrame or mapping of str to DataFrame
        The result of `score`; or a table of system scores (systems × metrics); or for each metric
        a table of segment scores (segments × systems), whose means are the system scores. Higher
        is better.
    human : Series or DataFrame
        Human scores by system; or, with segment scores, a table (segments × systems), NaN for
        unrated hypotheses, whose means are the systems' human scores. Its segments are aligned
        with those of `scores` by index.
    statistics : sequence of str
        Any of pearson, spearman, kendall (τ-b), which are −1 to 1, and accuracy, 0 to 1 (the share
        of pairs of systems that metric and gold rank alike); higher is better.
    documents : sequence of str or Series, optional
        The document of each segment, aligned with the tables of segment scores.
    unit : {"documents", "segments"}
        What is resampled where ten documents or more are known.
    resamples, seed : int
        Number of resamples and seed of the bootstrap over documents or segments.

    Returns
    -------
    DataFrame
        A row for each metric, statistic and kind of interval, `over`: `systems` (sampling of
        systems, Fisher's z); with segment scores also `segments` (bootstrap percentiles, with
        human scores held fixed) and `both`; with a table of human scores also `joint` (segments
        are resampled with their human scores). `unit` says whether segments are resampled by
        document, and `units` how many are. `human` is the name of the human scores (the
        Series' name or the table's `attrs["name"]`). `segments` is the number of segments
        resampled, 0 without segment scores or resamples. NaN if a value or interval is undefined
        (constant scores, too few systems). `attrs["notices"]` lists what is left out and why, and
        warnings about the human scores.

    Raises
    ------
    InputError
        If fewer than three systems remain, or a score is missing or infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> import mt_difficulty as md
    >>> scores = pd.Series({"A": 30.1, "B": 28.4, "C": 33.0, "D": 25.0}, name="BLEU")
    >>> human = pd.Series({"A": 80.0, "B": 75.0, "C": 82.0, "D": 70.0}, name="DA")
    >>> md.correlate(scores, human, ["kendall"]).value.tolist()
    [1.0]
    """
    check_parameters(resamples=resamples, seed=seed, unit=unit)
    known = [name for name in STATISTICS if STATISTICS[name].reads == "scores"]
    statistics = chosen_statistics(statistics, known)
    gold = _numbers(human, "human", (pd.Series, pd.DataFrame))
    label = gold.name if isinstance(gold, pd.Series) else human.attrs.get("name")
    notices = few_resamples(resamples)
    tables: dict[str, pd.DataFrame] = {}  # segments × systems; of system scores alone one row
    has_segments = isinstance(scores, Mapping)
    if isinstance(scores, Mapping):
        tables, gold = _segment_tables(scores, gold)
    elif isinstance(gold, pd.DataFrame):
        raise InputError(
            "human: a table of segments needs tables of segment scores, as in LoadedSet."
        )
    else:
        system_scores = _system_scores(scores, notices)
        tables = {str(name): system_scores[[name]].T for name in system_scores}
        resamples = 0

    human_means = (gold if isinstance(gold, pd.Series) else gold.mean()).dropna()
    if human_means.nunique() == 1:
        notices.append("the human scores are all equal, so that no statistic is defined.")
    rows: list[dict[str, Any]] = []
    for metric, table in tables.items():
        systems = _common_systems(metric, table, human_means, notices)
        table = table[systems]
        _check_finite(metric, table, has_segments=has_segments)
        if len({*table.to_numpy().T.mean(axis=1)}) == 1:
            notices.append(f"{metric}: its scores are all equal, so that no statistic is defined.")
        if resamples:
            human_scores = gold[systems] if isinstance(gold, pd.DataFrame) else None
            units = units_of(_documents_of(metric, table, documents), len(table), unit)
            values = _resampled_values(
                table, human_means[systems], human_scores, statistics, resamples, seed, units
            )
        else:
            values = _values_over_systems(table, human_means[systems], statistics)
        metric_row = {"metric": metric, "human": label, "systems": len(systems)}
        rows += [metric_row | value for value in values]

    notices += _doubts_about(human_means, str(label or "human"), tables)
    result = pd.DataFrame(rows, columns=COLUMNS)
    result.attrs["notices"] = list(dict.fromkeys(notices))
    return result


def _documents_of(metric: str, table: pd.DataFrame, documents: Text | None) -> list[str]:
    """Return the document of each row of a metric's table; none if documents are unknown."""
    if documents is None:
        return []
    inputs, _ = aligned({f"scores of {metric}": table, "documents": documents})
    names = segment_texts(inputs["documents"], "documents", DOCUMENT_NAMES)
    if len(names) != len(table):
        raise InputError(f"{len(table)} segments, but documents of {len(names)}.")
    return [str(name) for name in names]


def _doubts_about(human: pd.Series, name: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return warnings about human scores, by themselves and compared with the metrics' scores."""
    metric_means = pd.DataFrame({metric: table.mean() for metric, table in tables.items()})
    systems = sorted({*metric_means.index} & {*human.index})
    compared = {
        str(metric): means.to_numpy() for metric, means in metric_means.loc[systems].items()
    }
    return find_doubts(systems, human[systems].to_numpy(), name, compared)


def _segment_tables(
    scores: Mapping[str, pd.DataFrame], gold: pd.Series | pd.DataFrame
) -> tuple[dict[str, pd.DataFrame], pd.Series | pd.DataFrame]:
    """Return tables of segment scores, segments × systems, by metric; and the human scores, which,
    if they are of segments, are aligned with each table."""
    tables = {}
    for metric, table in zip(distinct(scores, "scores"), scores.values(), strict=True):
        tables[metric] = _numbers(table, metric, (pd.DataFrame,))
        if isinstance(gold, pd.DataFrame):
            inputs, _ = aligned({f"scores of {metric}": tables[metric], "human": gold})
            gold = inputs["human"]
    return tables, gold


def _common_systems(
    metric: str, table: pd.DataFrame, human: pd.Series, notices: list[str]
) -> list[str]:
    """Return the sorted systems that have metric scores and human scores; `notices` names others.
    Raises `InputError` for fewer than three."""
    scored = {*table.columns}
    rated = {*human.index}
    systems = sorted(scored & rated)
    left_out = dict.fromkeys(sorted(scored - rated), "no human score")
    left_out |= dict.fromkeys(sorted(rated - scored), f"no {metric} score")
    if len(systems) < 3:
        raise InputError(
            f"{metric}: {len(systems)} systems have scores and human scores; expected 3 or "
            f"more. Left out: {describe_left_out(left_out)}."
        )
    if left_out:
        notices.append(f"{metric}: left out {describe_left_out(left_out)}.")
    return systems


def _check_finite(metric: str, table: pd.DataFrame, *, has_segments: bool) -> None:
    """Raise `InputError` for the first score, system by system, that is missing or infinite."""
    values = table.to_numpy().T
    for system, segment in np.argwhere(~np.isfinite(values)):
        hypothesis = table.columns[system]
        if has_segments:
            hypothesis = f"segment {table.index[segment]} of {hypothesis}"
        value = values[system, segment]
        raise InputError(f"{metric}: expected a score of {hypothesis}, found {value}.")


def _values_over_systems(
    table: pd.DataFrame, human: pd.Series, statistics: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield each statistic of a metric's mean scores, with its interval over systems."""
    values = evaluate(statistics, table.to_numpy().T.mean(axis=1), human.to_numpy())
    lows, highs = over_systems(statistics, values, len(human))
    for name, value, low, high in zip(statistics, values, lows, highs, strict=True):
        yield {
            "statistic": name,
            "segments": 0,
            "over": "systems",
            "unit": "",
            "units": np.nan,
            "value": value,
            "low": low,
            "high": high,
        }


def _resampled_values(
    table: pd.DataFrame,
    human_means: pd.Series,
    human_scores: pd.DataFrame | None,
    statistics: list[str],
    resamples: int,
    seed: int,
    units: Units,
) -> Iterator[dict[str, Any]]:
    """Yield each statistic of a metric's segment scores, with each kind of interval.

    `table` and, if human scores are of segments, `human_scores` are segments × systems.
    """
    key = ("metric", STANDARD)
    weighted = WeightedMetric.standard(Metric, table.to_numpy().T[..., None])
    scores = weighted.scores()
    targets = human_means.to_numpy()
    resampled = Resamples(
        weighteds={key: weighted},
        observed={key: scores},
        gold=targets,
        resamples=resamples,
        seed=seed,
        statistics=statistics,
        units=units,
        segment_gold=None if human_scores is None else human_scores.to_numpy().T,
    )
    everyone = np.arange(len(targets))
    observed = {key: evaluate(statistics, scores, targets)}
    estimates = resampled.estimates(everyone[None], [key], observed)
    kinds = OVER[:3] if human_scores is None else OVER  # without human scores of segments no joint
    for over in kinds:
        for row in estimates.to_dict("records"):
            yield {
                "statistic": row["statistic"],
                "segments": len(table),
                "over": over,
                "unit": "" if over == "systems" else units.kind,
                "units": np.nan if over == "systems" else units.size,
                "value": row["value"],
                "low": row[f"{over}_low"],
                "high": row[f"{over}_high"],
            }


def _numbers(scores: Any, name: str, kinds: tuple[Any, ...]) -> Any:
    """Return a Series or table as floats with names as text; `InputError` if this is impossible."""
    if not isinstance(scores, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{name}: expected a {expected}, found {scores!r:.60}.")
    try:
        numbers = scores.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers ({error}).") from None
    if isinstance(scores, pd.Series):
        return numbers.set_axis(distinct(scores.index, name))
    return numbers.set_axis(distinct(scores.columns, name), axis=1)


def _system_scores(scores: Any, notices: list[str]) -> pd.DataFrame:
    """Return scores, systems × metrics, higher is better; `notices` names metrics without any."""
    if isinstance(scores, pd.Series):
        scores = scores.to_frame("score" if scores.name is None else scores.name)
    if not isinstance(scores, Scores):
        table = _numbers(scores, "scores", (Scores, pd.Series, pd.DataFrame, Mapping))
        return table.set_axis(distinct(table.index, "scores"))
    rows = scores.scores
    names = rows.metric.where(rows.weighting == STANDARD, rows.weighting + "-" + rows.metric)
    signs = np.where(rows.higher_is_better, 1, -1)
    rows = rows.assign(name=names, quality=rows.score * signs)
    table = rows.pivot(index="system", columns="name", values="quality")[[*names.unique()]]
    undefined = table.isna().any()
    for name in table.columns[undefined]:
        systems = ", ".join(table.index[table[name].isna()])
        notices.append(f"{name} left out: no score of {systems}.")
    return table.loc[:, ~undefined]
