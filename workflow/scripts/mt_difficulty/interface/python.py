"""Scores, difficulties and choices of segments of texts in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from ..data.given_texts import given_set, pair_of
from ..errors import InputError, nearest
from .loading import by_segment
from .public import notices_in_python, public
from .settings import DEFAULT_DIFFICULTY, RESAMPLES, SEED, Settings
from .texts import Texts

Text = Sequence[str] | pd.Series
Table = TypeVar("Table", pd.Series, pd.DataFrame)
Texts_ = Mapping[str, Text] | pd.DataFrame


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


@public
def score(
    hypotheses: Texts_,
    references: Text | Sequence[Text],
    *,
    source: Text | None = None,
    metrics: str | Sequence[str] = ("chrF",),
    weightings: str | Sequence[str] = ("EE",),
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
        Each system's segments; of a table columns are systems.
    references : sequence of str or Series, or several of these
        One reference, or several for BLEU, chrF and TER; difficulties use the first.
    metrics, weightings : str or sequence of str
        As `mt-difficulty score --metric` and `--weighting` name them.
    difficulty : str, Series or DataFrame
        An estimator's name or a file of estimates; or values, higher is harder: one for each
        segment, or a table of segments × systems, whose rows are numbered as the segments.
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
        metric=_names(metrics),
        weighting=_names(weightings),
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
    notices = notices_in_python(report["notices"])
    return Scores(scores, comparisons, report["difficulty"], notices)


@public
def estimate_difficulty(
    hypotheses: Texts_,
    references: Text,
    *,
    source: Text | None = None,
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
    frame = by_segment(found.values.T, texts.evalset.systems)
    notices = notices_in_python([*texts.notices, *found.notices])
    frame.attrs = {"signature": found.signature, "notices": notices}
    return frame


@public
def select_segments(
    source: Text,
    budget: float,
    by: str | pd.Series | np.ndarray = "length",
    *,
    cost: str = "segments",
    documents: Text = (),
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
    texts, documents = list(source), list(documents)
    if documents and len(documents) != len(texts):
        raise InputError(f"{len(texts)} segments, but documents of {len(documents)}.")
    sources = Sources(texts, documents, [], Path("source"))
    values = by if isinstance(by, str) else _values(by, "by")
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
    columns["source"] = [texts[place] for place in chosen]
    return pd.DataFrame(columns, index=pd.Index(chosen + 1, name="segment"))


def _texts(
    hypotheses: Texts_,
    references: Text | Sequence[Text],
    source: Text | None,
    settings: Settings,
) -> Texts:
    """Texts as the command line has them, checked for their lengths."""
    whole: Any = list(references)
    whole = [whole] if not whole or isinstance(whole[0], str) else [*map(list, whole)]
    if not whole[0]:
        raise InputError("no reference: expected one segment or more.")
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
    evalset = given_set("reference", systems, whole[0], lines, named.get("the source", []), pair)
    return Texts(evalset, settings, whole[1:])


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _difficulty(given: str | pd.Series | pd.DataFrame, hypotheses: Texts_) -> Any:
    """An estimator's name, or values, (segments,) or (systems, segments)."""
    if isinstance(given, str):
        return given
    if isinstance(given, pd.DataFrame):
        if {*given.columns} != {*hypotheses}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        return _by_number(given, "difficulty")[list(hypotheses)].to_numpy(float).T
    return _values(given, "difficulty")


def _values(given: pd.Series | np.ndarray, name: str) -> np.ndarray:
    """A value for each segment, (segments,), in the order of the text."""
    if isinstance(given, pd.Series):
        given = _by_number(given, name)
    return np.asarray(given, float)


def _by_number(given: Table, name: str) -> Table:
    """Rows in the order of the segments: pandas keeps their numbers when it sorts by another."""
    count: int = len(given)
    found: Table = given.sort_index()
    if [*found.index] not in ([*range(1, count + 1)], [*range(count)]):
        raise InputError(
            f"{name}: expected the segments' numbers as index, 1 to {count} or 0 to {count - 1}."
        )
    return found
