"""Segments to give to people for a budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, Missing, nearest

if TYPE_CHECKING:
    from ..data.sources import Sources

RANDOM, STRATIFIED = "random", "stratified"
# Settings of the difficulties whose hardest segments are chosen.
BY: dict[str, dict[str, Any]] = {
    RANDOM: {},
    STRATIFIED: {},
    "length": {"type": "length"},
    "rarity": {"type": "rarity"},
    "readability": {"type": "readability"},
    "disagreement": {"type": "disagreement"},
    "consensus_entropy": {"type": "consensus_entropy"},
    "crowd": {"type": "crowd", "metric": "scores"},
    "variance": {"type": "crowd", "metric": "scores", "statistic": "variance"},
    "consistency": {"type": "crowd", "metric": "scores", "statistic": "consistency"},
    "discrimination": {"type": "item_response", "metric": "scores", "parameter": "discrimination"},
}
COSTS = ("segments", "words", "characters")


class Pool:
    """The segments of a source text, of which some are chosen: by a method, a file of estimates, or
    values of which the highest are chosen, (segments,); `hypotheses` are files, by default those of
    the set, `scores` is a file of a metric's segment scores. `costs`, (segments,), are 1, or words
    or characters of the source, at least 1; `values`, (segments,): the higher, the sooner a segment
    is chosen; None for random choices.

    Raises `InputError` where there is no such method or file, or the set lacks what it needs."""

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
        self.sources, self.cost, self.src_lang = sources, cost, src_lang
        self.hypotheses, self.scores = hypotheses, scores
        self.costs = np.ones(len(sources.texts))
        if cost != "segments":
            sizes = [len(text if cost == "characters" else text.split()) for text in sources.texts]
            self.costs = np.maximum(1.0, sizes)
        if whole_documents and not sources.documents:
            raise InputError(
                "whole_documents: the documents of the segments are not known. Give the document "
                "of each segment."
            )
        self.documents = np.array(sources.documents) if whole_documents else None
        self.values, self.stratifies = None, isinstance(by, str) and by == STRATIFIED
        if isinstance(by, np.ndarray):
            if by.shape != (len(sources.texts),) or not np.isfinite(by).all():
                raise InputError(
                    f"by: expected a finite number for each of {len(sources.texts)} segments."
                )
            self.values = by
        elif by not in (RANDOM, STRATIFIED):
            self.values = self._values_of(by)

    def chosen(self, budget: float, seed: int) -> np.ndarray:
        """The places of the segments that are chosen of all, ascending."""
        everything = np.arange(len(self.costs))
        places = self.choose(everything, budget, np.random.default_rng(seed))
        if not len(places):
            raise InputError(
                f"budget {budget:g}: it pays no segment or document. The cheapest segment costs "
                f"{self.costs.min():.0f} {self.cost}."
            )
        return np.sort(places)

    def choose(
        self, segments: np.ndarray, budget: float, rng: np.random.Generator, at_random: bool = False
    ) -> np.ndarray:
        """Those of some segments, (n,), that a budget pays, by the method or at random: places
        among them."""
        from ..evidence import selection

        costs = self.costs[segments]
        documents = None if self.documents is None else self.documents[segments]
        units = selection.by_documents(documents, len(segments))
        if self.stratifies and not at_random:
            first = np.unique(units, return_index=True)[1]
            names = [self.sources.domains, self.sources.documents]
            keys = [np.array(labels)[segments[first]] for labels in names if labels]
            lengths = np.array([len(self.sources.texts[place]) for place in segments], dtype=float)
            keys.append(np.bincount(units, lengths))
            taken = selection.stratified(keys, np.bincount(units, costs), budget, rng)
            return np.flatnonzero(np.isin(units, taken))
        if self.values is None or at_random:
            values = rng.random(units.max() + 1)[units]
        else:
            values = self.values[segments]
        return selection.highest(values, costs, budget, units)

    def _values_of(self, by: str) -> np.ndarray:
        """What segments are chosen by, (segments,): a difficulty's mean over systems."""
        from ..data.estimates import of_systems, read_estimates
        from ..data.sources import given_set, read_outputs
        from ..difficulty import estimate, make_estimator

        texts, settings = self.sources.texts, BY.get(by)
        if settings is None:
            path = Path(by)
            if not path.is_file():
                raise InputError(
                    f"by {by}: neither a method{nearest(by, BY)} nor a file of estimates. The "
                    f"methods are: {', '.join(BY)}."
                )
            systems = list(read_outputs(self.sources, self.hypotheses)) if of_systems(path) else []
            estimates = read_estimates(path, systems, (), len(texts), texts)
            return estimates if estimates.ndim == 1 else estimates.mean(axis=0)
        scores = self._read_scores(by) if "metric" in settings else None
        estimator = make_estimator(settings)
        outputs: dict[str, list[str]] = {"": texts}  # of which estimators of the source read none
        if scores is not None:
            outputs = {str(place): texts for place in range(len(scores))}
        elif estimator.information == "outputs":
            outputs = read_outputs(self.sources, self.hypotheses)
        source, _, target = self.sources.pair.partition("-")
        pair = f"{self.src_lang or source or 'und'}-{target or 'und'}"
        lines = [""] * len(texts)
        evalset = given_set("", list(outputs), lines, list(outputs.values()), texts, pair)
        try:
            difficulty = estimate(estimator, evalset, scores)[1]
        except Missing as reason:
            unknown = pair.startswith("und-")
            hint = " Name the source language." * unknown
            raise InputError(f"by {by}: {reason}.{hint}") from None
        largest = np.finfo(float).max
        return np.nan_to_num(difficulty.mean(axis=0), nan=-largest, posinf=largest, neginf=-largest)

    def _read_scores(self, by: str) -> np.ndarray:
        """A metric's segment scores, (systems, segments)."""
        if not self.scores:
            raise InputError(
                f"by {by} needs a metric's segment scores: a file of them, or values of your own."
            )
        scores = scores_by_system(self.scores, self.sources)
        for system, values in scores.items():
            absent = np.isnan(values).sum()
            if absent == len(values):
                raise InputError(f"{self.scores}: no scores of system {system}.")
            if absent and BY[by]["type"] == "crowd":
                raise InputError(
                    f"{self.scores}: no score of system {system} on {absent} of {len(values)} "
                    f"segments; {by} needs all of them (discrimination does not)."
                )
        return np.array(list(scores.values()))


def scores_by_system(path: Path, sources: Sources) -> dict[str, np.ndarray]:
    """Segment scores of systems, sorted by name, NaN for None; human translations left out."""
    from ..data.score_files import read_segment_scores
    from ..data.sources import references
    from ..data.text_files import is_human

    if not path.is_file():
        raise InputError(f"{path}: no such file of segment scores.")
    scores = read_segment_scores(path, len(sources.texts), sources.canary)
    known = references(sources)
    of_systems = {
        name: np.array(values)
        for name, values in sorted(scores.items())
        if not is_human(name, known)
    }
    if len(of_systems) < 2:
        raise InputError(
            f"{path}: scores of {len(of_systems)} systems; a choice needs those of two."
        )
    return of_systems
