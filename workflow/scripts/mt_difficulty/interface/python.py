"""Scores, difficulties and choices of segments of texts in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.sources import given_set, pair_of
from ..errors import InputError, nearest
from .alignment import aligned, distinct
from .loading import by_segment
from .parameters import shown, texts
from .public import notices_in_python, public
from .settings import DEFAULT_DIFFICULTY, RESAMPLES, SEED, Settings
from .texts import Texts

Text = Sequence[str] | pd.Series
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

    Texts and values with an index are aligned by it, the others go by position.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str, or DataFrame
        Each system's segments; of a table columns are systems.
    references : sequence of str or Series, or several of these
        One reference, or several for BLEU, chrF and TER; difficulties use the first.
    metrics, weightings : str or sequence of str
        As `mt-difficulty score --metric` and `--weighting` name them.
    difficulty : str, Series, DataFrame or ndarray
        An estimator's name or a file of estimates; or values, higher is harder: one for each
        segment, or a table of segments × systems; of an array rows are systems.
    h, w, share, softmax, resamples, seed, encoder, layer
        As the options of `mt-difficulty score`.
    metric_settings : dict, optional
        Settings by type of metric, such as {"bleu": {"tokenize": "intl"}}.

    Raises
    ------
    InputError
        The texts differ in length or in the labels of their indexes; two systems of one name; an
        unknown name or setting; what a metric or difficulty needs is missing.
    """
    from .scores import check_encoder, score_report

    given = _aligned(hypotheses, references, source, difficulty)
    settings = Settings(
        metric=metrics,
        weighting=weightings,
        difficulty=given.difficulty,
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
    report = score_report(given.texts(settings), settings, 0)
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
        Rows are segments, with the index of the texts, or numbers from 1 where they have none;
        columns systems. Of a difficulty of segments all columns are equal. `attrs` has the
        signature and the notices.

    Raises
    ------
    InputError
        As for `score`.
    """
    from .difficulty import find_difficulty
    from .metrics import measure

    given = _aligned(hypotheses, references, source, difficulty)
    settings = Settings(metric=(metric,), difficulty=given.difficulty, lang=lang, src_lang=src_lang)
    whole = given.texts(settings)
    found = find_difficulty(settings, whole, cache(partial(measure, whole, settings)))
    frame = by_segment(found.values.T, whole.evalset.systems, given.labels)
    notices = notices_in_python([*whole.notices, *found.notices])
    frame.attrs = {"signature": found.signature, "notices": notices}
    return frame


@public
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
    """Segments to give to people for a budget.

    Texts and values with an index are aligned by it, the others go by position.

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
        Columns value (where `by` has values), document (where known) and source, in the order of
        the text; with the index of the inputs, or numbers of segments from 1 where they have none.

    Raises
    ------
    InputError
        An unknown method, a budget that pays no segment, or indexes of different labels.
    """
    from ..data.sources import Sources
    from .choice import Choice
    from .selection import COSTS, choose

    if cost not in COSTS:
        raise InputError(f"no cost {cost}{nearest(cost, COSTS)}. There are: {', '.join(COSTS)}.")
    inputs: dict[str, Any] = {"source": source}
    inputs |= {} if isinstance(by, str) else {"by": by}
    inputs |= {} if documents is None else {"documents": documents}
    inputs, index = aligned(inputs)
    lines, names = texts(inputs["source"], "source"), []
    if documents is not None:
        names = texts(inputs["documents"], "documents", (str, int, np.integer))
        if len(names) != len(lines):
            raise InputError(f"{len(lines)} segments, but documents of {len(names)}.")
    sources = Sources(lines, names, [], Path("source"))
    pool, chosen = choose(
        sources,
        Choice(
            by=by if isinstance(by, str) else np.asarray(inputs["by"]),
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
    if names:
        columns["document"] = [names[place] for place in chosen]
    columns["source"] = [lines[place] for place in chosen]
    if index is None:
        index = pd.RangeIndex(1, len(lines) + 1, name="segment")
    return pd.DataFrame(columns, index=index[chosen])


class _Aligned(NamedTuple):
    """Texts and difficulty of a call, whose segments are the same row by row.

    `difficulty` is a name, or values, (segments,) or (systems, segments); `labels` is the index of
    the segments, None where no input has one.
    """

    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str]
    difficulty: str | np.ndarray
    labels: pd.Index | None

    def texts(self, settings: Settings) -> Texts:
        pair = pair_of(settings.src_lang, settings.lang)
        names, lines = list(self.systems), list(self.systems.values())
        first, *others = self.references
        return Texts(
            given_set("reference", names, first, lines, self.source, pair), settings, others
        )


def _aligned(hypotheses: Texts_, references: Any, source: Text | None, difficulty: Any) -> _Aligned:
    """The inputs of a call, aligned and checked for what they are and for their lengths."""
    if not isinstance(hypotheses, (Mapping, pd.DataFrame)):
        raise InputError(
            "hypotheses: expected a mapping from systems to their segments, found "
            f"{shown(hypotheses)}."
        )
    columns = list(hypotheses.items())
    systems = distinct((name for name, _ in columns), "hypotheses")
    if not systems:
        raise InputError("no hypotheses: expected the segments of one system or more.")
    if not (isinstance(references, (list, tuple)) and references and _several(references)):
        references = [references]
    of_systems = {name: f"system {name}" for name in systems}
    inputs = {of_systems[name]: own for name, (_, own) in zip(systems, columns, strict=True)}
    inputs |= {f"reference {place}": text for place, text in enumerate(references, 1)}
    inputs |= {} if source is None else {"the source": source}
    inputs |= {} if isinstance(difficulty, str) else {"difficulty": difficulty}
    inputs, index = aligned(inputs)
    values = inputs.pop("difficulty", difficulty)
    if isinstance(values, pd.DataFrame):
        values = values.set_axis(distinct(values.columns, "difficulty"), axis=1)
        if {*values.columns} != {*systems}:
            raise InputError("difficulty: the columns of the table are not the systems.")
        values = values[systems].to_numpy().T
    elif isinstance(values, pd.Series):
        values = values.to_numpy()
    lines = {name: texts(given, name) for name, given in inputs.items()}
    expected = len(lines["reference 1"])
    for name, text in lines.items():
        if len(text) != expected:
            raise InputError(f"{name}: expected {expected} segments, found {len(text)}.")
    return _Aligned(
        {name: lines[label] for name, label in of_systems.items()},
        [lines[f"reference {place}"] for place in range(1, len(references) + 1)],
        lines.get("the source", []),
        values,
        index,
    )


def _several(references: Sequence[Any]) -> bool:
    """Whether these are references, not the segments of one."""
    return all(isinstance(one, (list, tuple, pd.Series, np.ndarray)) for one in references)
