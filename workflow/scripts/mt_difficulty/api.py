"""Scores, difficulties and choices of segments of texts in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .data.sources import Sources, given_set, pair_of
from .errors import InputError, nearest
from .interface.difficulty import find_difficulty
from .interface.parameters import RESAMPLES, SEED, public, shown
from .interface.scores import check_encoder, score_report
from .interface.selection import COSTS, Pool
from .interface.tables import Scores, aligned, by_segment, distinct, segment_texts
from .interface.texts import DEFAULT_DIFFICULTY, Settings, Texts

Text = Sequence[str] | pd.Series
Texts_ = Mapping[str, Text] | pd.DataFrame


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
    evalset, others, values, _ = _read_texts(
        hypotheses, references, source, difficulty, pair_of(src_lang, lang)
    )
    settings = Settings(
        metric=metrics,
        weighting=weightings,
        difficulty=values,
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
        metric_settings=metric_settings,
    )
    check_encoder(settings)
    report = score_report(Texts(evalset, settings, others), 0)
    scores, comparisons = (pd.DataFrame(report[name]) for name in ("scores", "comparisons"))
    return Scores(scores, comparisons, report["difficulty"], report["notices"])


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
    evalset, others, values, index = _read_texts(
        hypotheses, references, source, difficulty, pair_of(src_lang, lang)
    )
    settings = Settings(metric=(metric,), difficulty=values, lang=lang, src_lang=src_lang)
    texts = Texts(evalset, settings, others)
    estimated = find_difficulty(texts)
    frame = by_segment(estimated.values.T, evalset.systems, index)
    notices = [*texts.notices, *estimated.notices]
    frame.attrs = {"signature": estimated.signature, "notices": notices}
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
    if cost not in COSTS:
        raise InputError(f"no cost {cost}{nearest(cost, COSTS)}. There are: {', '.join(COSTS)}.")
    inputs: dict[str, Any] = {"source": source}
    inputs |= {} if isinstance(by, str) else {"by": by}
    inputs |= {} if documents is None else {"documents": documents}
    inputs, index = aligned(inputs)
    lines, names = segment_texts(inputs["source"], "source"), []
    if documents is not None:
        names = segment_texts(inputs["documents"], "documents", (str, int, np.integer))
        if len(names) != len(lines):
            raise InputError(f"{len(lines)} segments, but documents of {len(names)}.")
    pool = Pool(
        Sources(lines, names, [], Path("source")),
        by if isinstance(by, str) else np.asarray(inputs["by"]),
        cost=cost,
        whole_documents=whole_documents,
        src_lang=src_lang,
    )
    chosen = pool.chosen(budget, seed)
    columns: dict[str, Any] = {} if pool.values is None else {"value": pool.values[chosen]}
    if names:
        columns["document"] = [names[place] for place in chosen]
    columns["source"] = [lines[place] for place in chosen]
    if index is None:
        index = pd.RangeIndex(1, len(lines) + 1, name="segment")
    return pd.DataFrame(columns, index=index[chosen])


def _read_texts(
    hypotheses: Texts_, references: Any, source: Text | None, difficulty: Any, pair: str
) -> tuple[Any, list[list[str]], str | np.ndarray, pd.Index | None]:
    """The inputs of a call, aligned and checked: the evaluation set, further references, the
    difficulty (a name, or values, (segments,) or (systems, segments)), and the segments' index."""
    if not isinstance(hypotheses, (Mapping, pd.DataFrame)):
        raise InputError(
            "hypotheses: expected a mapping from systems to their segments, found "
            f"{shown(hypotheses)}."
        )
    columns = list(hypotheses.items())
    systems = distinct((name for name, _ in columns), "hypotheses")
    if not systems:
        raise InputError("no hypotheses: expected the segments of one system or more.")
    sequences = (list, tuple, pd.Series, np.ndarray)
    several = isinstance(references, (list, tuple)) and bool(references)
    if not (several and all(isinstance(each, sequences) for each in references)):
        references = [references]
    named = zip(systems, columns, strict=True)
    inputs = {f"system {name}": given for name, (_, given) in named}
    inputs |= {f"reference {place}": text for place, text in enumerate(references, 1)}
    inputs |= {} if source is None else {"source": source}
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
    lines = {name: segment_texts(given, name) for name, given in inputs.items()}
    expected = len(lines["reference 1"])
    for name, text in lines.items():
        if len(text) != expected:
            raise InputError(f"{name}: expected {expected} segments, found {len(text)}.")
    outputs = [lines[f"system {name}"] for name in systems]
    first, *others = (lines[f"reference {place}"] for place in range(1, len(references) + 1))
    evalset = given_set("reference", systems, first, outputs, lines.get("source", []), pair)
    return evalset, others, values, index
