"""Segments to give to people for a budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..data.sources import Sources
    from .choice import Choice

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
    "discrimination": {
        "type": "item_response",
        "metric": "scores",
        "parameter": "discrimination",
    },
}
COSTS = ("segments", "words", "characters")


def choose(sources: Sources, arguments: Choice) -> tuple[Pool, np.ndarray]:
    """The pool of a source text's segments, and the places of those that are chosen, ascending.

    Raises
    ------
    InputError
        The budget pays no segment; what the choice needs is not there.
    """
    from ..errors import InputError

    pool = Pool(with_documents(sources, arguments), arguments)
    everything = np.arange(len(sources.texts))
    chosen = pool.choose(everything, arguments.budget, np.random.default_rng(arguments.seed))
    if not len(chosen):
        raise InputError(
            f"--budget {arguments.budget:g}: it pays no segment or document. The cheapest segment "
            f"costs {pool.costs.min():.0f} {arguments.cost}."
        )
    return pool, np.sort(chosen)


def with_documents(sources: Sources, arguments: Choice) -> Sources:
    """The sources with the documents that a file names."""
    from ..data.own_files import read_documents
    from ..errors import InputError

    if arguments.documents:
        if not arguments.documents.is_file():
            raise InputError(f"{arguments.documents}: no such file of documents.")
        names = read_documents(arguments.documents, len(sources.texts))
        sources = sources._replace(documents=names)
    if arguments.whole_documents and not sources.documents:
        raise InputError(
            f"--whole-documents: the documents of {arguments.set} are not known. Name a file with "
            "the document of each segment: --documents."
        )
    return sources


class Pool:
    """The segments of which some are chosen.

    Parameters
    ----------
    sources : Sources
    arguments : Choice

    Attributes
    ----------
    costs : ndarray, (segments,)
    values : ndarray, (segments,), optional
        The higher, the sooner a segment is chosen; None for random choices.
    """

    def __init__(self, sources: Sources, arguments: Choice) -> None:
        self.sources, self.by = sources, arguments.by
        self.costs = costs(sources.texts, arguments.cost)
        self.documents = np.array(sources.documents) if arguments.whole_documents else None
        self.values = None
        if isinstance(self.by, np.ndarray):
            self.values = given_values(self.by, len(sources.texts))
        elif self.by not in (RANDOM, STRATIFIED):
            self.values = values(sources, arguments, self.by)

    def choose(
        self,
        segments: np.ndarray,
        budget: float,
        rng: np.random.Generator,
        by: str | np.ndarray | None = None,
    ) -> np.ndarray:
        """Those of some segments, (n,), that a budget pays: places among them."""
        from ..evidence import selection

        own, by = self.costs[segments], self.by if by is None else by
        documents = None if self.documents is None else self.documents[segments]
        units = selection.by_documents(documents, len(segments))
        if isinstance(by, str) and by == STRATIFIED:
            return self._stratified(segments, units, budget, rng)
        if self.values is None or (isinstance(by, str) and by == RANDOM):
            return selection.highest(rng.random(units.max() + 1)[units], own, budget, units)
        return selection.highest(self.values[segments], own, budget, units)

    def _stratified(
        self, segments: np.ndarray, units: np.ndarray, budget: float, rng: np.random.Generator
    ) -> np.ndarray:
        from ..evidence import selection

        prices = np.bincount(units, self.costs[segments])
        first = np.unique(units, return_index=True)[1]
        names = [self.sources.domains, self.sources.documents]
        keys = [np.array(each)[segments[first]] for each in names if each]
        lengths = np.array([len(self.sources.texts[place]) for place in segments], dtype=float)
        keys.append(np.bincount(units, lengths))
        taken = selection.stratified(keys, prices, budget, rng)
        return np.flatnonzero(np.isin(units, taken))


def costs(texts: list[str], unit: str) -> np.ndarray:
    """What each segment costs: 1, or its words or characters, at least 1."""
    if unit == "segments":
        return np.ones(len(texts))
    size: Callable[[str], int] = len if unit == "characters" else lambda text: len(text.split())
    return np.array([max(1, size(text)) for text in texts], dtype=float)


def given_values(found: np.ndarray, segments: int) -> np.ndarray:
    """Values that were given, (segments,).

    Raises
    ------
    InputError
        They are not one finite number for each segment.
    """
    from ..errors import InputError

    if found.shape != (segments,) or not np.isfinite(found).all():
        raise InputError(f"by: expected a finite number for each of {segments} segments.")
    return found


def values(sources: Sources, arguments: Choice, by: str) -> np.ndarray:
    """What segments are chosen by, (segments,): a difficulty's mean over systems.

    Raises
    ------
    InputError
        There is no such method or file; the set lacks what it needs.
    """
    from ..data.estimates import of_systems, read_estimates
    from ..data.sources import read_outputs
    from ..difficulty import estimate, make_estimator
    from ..errors import InputError, Missing, nearest

    settings = BY.get(by)
    if settings is None:
        path = Path(by)
        if not path.is_file():
            raise InputError(
                f"--by {by}: neither a method{nearest(by, BY)} nor a file of "
                f"estimates. The methods are: {', '.join(BY)}."
            )
        systems = list(read_outputs(sources, arguments.hyp or ())) if of_systems(path) else []
        found = read_estimates(path, systems, (), len(sources.texts), sources.texts)
        return found if found.ndim == 1 else found.mean(axis=0)
    scores = read_scores(sources, arguments, by) if settings.get("metric") else None
    texts = evaluation_set(sources, arguments, settings, scores)
    try:
        difficulty = estimate(make_estimator(settings), texts, scores)[1]
    except Missing as reason:
        unknown = texts.pair.startswith("und-")
        hint = " Name the language of the source: --src-lang." * unknown
        raise InputError(f"--by {by}: {reason}.{hint}") from None
    means, largest = difficulty.mean(axis=0), np.finfo(float).max
    return np.nan_to_num(means, nan=-largest, posinf=largest, neginf=-largest)


def read_scores(sources: Sources, arguments: Choice, by: str) -> np.ndarray:
    """A metric's segment scores, (systems, segments)."""
    from ..errors import InputError

    if not arguments.scores:
        raise InputError(f"--by {by} needs a metric's segment scores: --scores FILE.")
    found = scores_by_system(arguments.scores, sources)
    for system, own in found.items():
        if np.isnan(own).all():
            raise InputError(f"{arguments.scores}: no scores of system {system}.")
        if (absent := np.isnan(own).sum()) and BY[by]["type"] == "crowd":
            raise InputError(
                f"{arguments.scores}: no score of system {system} on {absent} of {len(own)} "
                f"segments; --by {by} needs all of them (discrimination does not)."
            )
    return np.array(list(found.values()))


def scores_by_system(path: Path, sources: Sources) -> dict[str, np.ndarray]:
    """Segment scores of systems, sorted by name, NaN for None; human translations left out."""
    from ..data.score_files import read_segment_scores
    from ..data.sources import references
    from ..data.text_files import is_human
    from ..errors import InputError

    if not path.is_file():
        raise InputError(f"{path}: no such file of segment scores.")
    scores = read_segment_scores(path, len(sources.texts), sources.canary)
    known = references(sources)
    found = {
        name: np.array(own) for name, own in sorted(scores.items()) if not is_human(name, known)
    }
    if len(found) < 2:
        raise InputError(f"{path}: scores of {len(found)} systems; a choice needs those of two.")
    return found


def evaluation_set(
    sources: Sources, arguments: Choice, settings: dict, scores: np.ndarray | None
) -> Any:
    """The texts as estimators take them; without a reference."""
    from ..data.evalset import EvaluationSet
    from ..data.sources import read_outputs
    from ..difficulty import make_estimator

    texts = sources.texts
    outputs: dict[str, list[str]] = {"": texts}
    if scores is not None:
        outputs = {str(place): texts for place in range(len(scores))}
    elif make_estimator(settings).information == "outputs":
        outputs = read_outputs(sources, arguments.hyp or ())
    source, _, target = sources.pair.partition("-")
    pair = f"{arguments.src_lang or source or 'und'}-{target or 'und'}"
    return EvaluationSet(
        campaign="",
        pair=pair,
        reference_name="",
        gold_name="",
        systems=list(outputs),
        gold=[],
        source=texts,
        reference=[""] * len(texts),
        hypotheses=list(outputs.values()),
    )
