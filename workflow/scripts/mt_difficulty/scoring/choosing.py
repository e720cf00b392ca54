"""Choose segments of a source text for human evaluation within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.own_files import pair_of, read_outputs, references
from ..data.score_files import has_systems, read_scores
from ..data.text_files import Sources, is_human
from ..difficulty import make_estimator
from ..errors import InputError, nearest
from ..evidence import selection
from ..settings import DifficultySettings
from .texts import estimated

if TYPE_CHECKING:
    import pandas as pd

RANDOM = "random"
STRATIFIED = "stratified"
# Settings of the difficulty that each method chooses by.
BY = {
    RANDOM: None,
    STRATIFIED: None,
    "length": DifficultySettings("length"),
    "rarity": DifficultySettings("rarity"),
    "readability": DifficultySettings("readability"),
    "disagreement": DifficultySettings("disagreement"),
    "consensus_entropy": DifficultySettings("consensus_entropy"),
    "crowd": DifficultySettings("crowd", {"metric": "scores"}),
    "variance": DifficultySettings("crowd", {"metric": "scores", "statistic": "variance"}),
    "consistency": DifficultySettings("crowd", {"metric": "scores", "statistic": "consistency"}),
    "discrimination": DifficultySettings(
        "item_response", {"metric": "scores", "parameter": "discrimination"}
    ),
}
COSTS = ("segments", "words", "characters")


class Pool:
    """The segments of a source text, from which some are chosen, the highest values first.

    Parameters
    ----------
    sources : Sources
    by : str or ndarray
        A method of BY, a file of estimates, or values, (segments,).
    cost : {"segments", "words", "characters"}
        The unit of the budget.
    whole_documents : bool
        Whether to choose whole documents, by the mean value of their segments.
    hypotheses : sequence of Path
        Files of systems' outputs, by default those of the set.
    scores : Path, optional
        A file of a metric's segment scores, which some methods need.
    src_lang : str, optional
        Code of the source language.

    Attributes
    ----------
    costs : ndarray
        (segments,), 1 or numbers of words or characters of the source.
    values : ndarray or None
        (segments,); None for random and stratified choices.

    Raises
    ------
    InputError
        For an unknown method or file, or if the set lacks what the method needs.
    """

    def __init__(
        self,
        sources: Sources,
        by: str | np.ndarray,
        *,
        cost: str = "segments",
        whole_documents: bool = False,
        hypotheses: Sequence[Path] = (),
        scores: Path | None = None,
        src_lang: str | None = None,
    ) -> None:
        self.sources = sources
        self.cost = cost
        self.costs = _costs(sources.texts, cost)
        if whole_documents and not sources.documents:
            raise InputError(
                "whole_documents: the documents of the segments are not known. Give the document "
                "of each segment (documents)."
            )
        self.documents = np.array(sources.documents) if whole_documents else None
        self.ties = selection.tie_breakers(sources.texts)
        self.values = None
        self.stratifies = isinstance(by, str) and by == STRATIFIED
        if isinstance(by, np.ndarray):
            count = self.costs.size
            if by.shape != (count,) or not np.isfinite(by).all():
                raise InputError(f"by: expected a finite number for each of {count} segments.")
            self.values = by
        elif by not in (RANDOM, STRATIFIED):
            self.values = _values(sources, by, hypotheses, scores, src_lang)

    def chosen(self, budget: float, seed: int) -> pd.DataFrame:
        """Choose among all segments. Returns the chosen ones in the order of the text, indexed by
        number (from 1), with value, source and, where known, domain and document."""
        everything = np.arange(len(self.costs))
        indices = self.choose(everything, budget, np.random.default_rng(seed))
        if not len(indices):
            units = selection.by_documents(self.documents, len(self.costs))
            cheapest = np.bincount(units, self.costs).min()
            what = "segment" if self.documents is None else "document"
            raise InputError(
                f"budget {budget:g}: it pays for no {what}. The cheapest {what} costs "
                f"{cheapest:.0f} {self.cost}."
            )
        import pandas as pd

        columns: dict[str, Any] = {}
        if self.values is not None:
            columns["value"] = self.values
        if self.sources.domains:
            columns["domain"] = self.sources.domains
        if self.sources.documents:
            columns["document"] = self.sources.documents
        columns["source"] = self.sources.texts
        index = pd.RangeIndex(1, len(self.costs) + 1, name="segment")
        return pd.DataFrame(columns, index=index).iloc[np.sort(indices)]

    def choose(
        self,
        segments: np.ndarray,
        budget: float,
        rng: np.random.Generator,
        *,
        at_random: bool = False,
    ) -> np.ndarray:
        """Choose from some of the segments within a budget.

        Parameters
        ----------
        segments : ndarray
            Indices of the segments to choose from.
        budget : float
        rng : Generator
        at_random : bool
            Whether to choose at random instead of by the method.

        Returns
        -------
        ndarray
            Positions in `segments`.
        """
        costs = self.costs[segments]
        documents = None if self.documents is None else self.documents[segments]
        units = selection.by_documents(documents, len(segments))
        if self.stratifies and not at_random:
            # Units, which are segments or documents, are sorted by domain, document and length.
            first_segments = np.unique(units, return_index=True)[1]
            keys = []
            for labels in (self.sources.domains, self.sources.documents):
                if labels:
                    keys.append(np.array(labels)[segments[first_segments]])
            lengths = [float(len(self.sources.texts[index])) for index in segments]
            keys.append(np.bincount(units, lengths))
            sample = selection.stratified(keys, np.bincount(units, costs), budget, rng)
            return np.flatnonzero(np.isin(units, sample))
        if self.values is None or at_random:
            values = rng.random(units.max() + 1)[units]
        else:
            values = self.values[segments]
        return selection.highest(values, costs, budget, units, self.ties[segments])


def _costs(texts: Sequence[str], cost: str) -> np.ndarray:
    """Return the cost of each segment, (segments,), at least 1, in units of the budget."""
    if cost == "characters":
        return np.maximum(1.0, [len(text) for text in texts])
    if cost == "words":
        return np.maximum(1.0, [len(text.split()) for text in texts])
    return np.ones(len(texts))


def _values(
    sources: Sources,
    by: str,
    hypotheses: Sequence[Path],
    scores: Path | None,
    src_lang: str | None,
) -> np.ndarray:
    """Return each segment's difficulty by the method `by`, (segments,), averaged over systems."""
    settings = BY.get(by) or DifficultySettings("file", {"file": by})
    estimator_input: Any = None
    outputs = {"": sources.texts}  # estimators that read the source alone do not read outputs
    if by not in BY:
        estimator_input = Path(by)
        if not estimator_input.is_file():
            raise InputError(
                f"by {by}: neither a method{nearest(by, BY)} nor a file of estimates. The methods "
                f"are: {', '.join(BY)}."
            )
        if has_systems(estimator_input):
            outputs = read_outputs(sources, hypotheses)
    elif settings.metric:
        if not scores:
            raise InputError(
                f"by {by}: it needs a metric's segment scores (scores), or values of your own."
            )
        metric_scores = scores_by_system(scores, sources)
        _check_scores(scores, metric_scores, all_needed=settings.type == "crowd")
        estimator_input = np.array(list(metric_scores.values()))
        outputs = dict.fromkeys(metric_scores, sources.texts)
    elif make_estimator(settings).information == "outputs":
        outputs = read_outputs(sources, hypotheses)
    source, _, target = sources.pair.partition("-")
    texts = EvaluationSet(
        pair=pair_of(src_lang or source, target),
        systems=list(outputs),
        source=sources.texts,
        reference=[""] * len(sources.texts),
        hypotheses=list(outputs.values()),
        canary=sources.canary,
    )
    _, difficulty = estimated(f"by {by}", make_estimator(settings), texts, estimator_input)
    largest = np.finfo(float).max
    return np.nan_to_num(difficulty.mean(axis=0), nan=-largest, posinf=largest, neginf=-largest)


def _check_scores(path: Path, scores: Mapping[str, np.ndarray], *, all_needed: bool) -> None:
    """Raise `InputError` if a system has no segment scores, or lacks some and all are needed."""
    for system, values in scores.items():
        absent = np.isnan(values).sum()
        if absent == len(values) or (absent and all_needed):
            raise InputError(
                f"{path}: no score of system {system} on {absent} of {len(values)} segments."
            )


def scores_by_system(path: Path, sources: Sources) -> dict[str, np.ndarray]:
    """Read a metric's segment scores of each MT system, by name: (segments,), NaN where missing."""
    if not path.is_file():
        raise InputError(f"{path}: no such file of segment scores.")
    scores = read_scores(path, len(sources.texts), sources.canary)
    human = references(sources)
    systems = {name: np.array(scores[name]) for name in sorted(scores) if not is_human(name, human)}
    if len(systems) < 2:
        raise InputError(f"{path}: scores of {len(systems)} systems; a choice needs those of two.")
    return systems
