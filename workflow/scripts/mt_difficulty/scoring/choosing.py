"""Choose segments of a source text for human evaluation within a budget."""

from __future__ import annotations

from collections.abc import Sequence
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

RANDOM, STRATIFIED = "random", "stratified"
# Settings of the difficulty that each method chooses by.
BY = {
    "random": None,
    "stratified": None,
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
    """The segments of a source text, to choose from by a method, a file of estimates, or values,
    (segments,), highest first. `hypotheses` are files, by default those of the set; `scores` is a
    file of a metric's segment scores. `costs`, (segments,), are 1 or numbers of words or characters
    of the source; `values`, (segments,), are None for random and stratified choices. Raises
    `InputError` for an unknown method or file, or if the set lacks what the method needs."""

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
        self.sources, self.cost = sources, cost
        self.costs = np.ones(len(sources.texts))
        if cost != "segments":
            sizes = [len(text if cost == "characters" else text.split()) for text in sources.texts]
            self.costs = np.maximum(1.0, sizes)
        if whole_documents and not sources.documents:
            raise InputError(
                "whole_documents: the documents of the segments are not known. Give the document "
                "of each segment (documents)."
            )
        self.documents = np.array(sources.documents) if whole_documents else None
        self.ties = selection.tie_breakers(sources.texts)
        self.values, self.stratifies = None, isinstance(by, str) and by == STRATIFIED
        if isinstance(by, np.ndarray):
            if by.shape != (count := self.costs.size,) or not np.isfinite(by).all():
                raise InputError(f"by: expected a finite number for each of {count} segments.")
            self.values = by
        elif by not in (RANDOM, STRATIFIED):
            self.values = _values(sources, by, hypotheses, scores, src_lang)

    def chosen(self, budget: float, seed: int) -> pd.DataFrame:
        """Choose among all segments. Returns the chosen ones in the order of the text, indexed by
        number (from 1), with value, source and, where known, domain and document."""
        places = self.choose(np.arange(len(self.costs)), budget, np.random.default_rng(seed))
        if not len(places):
            units = selection.by_documents(self.documents, len(self.costs))
            cheapest = np.bincount(units, self.costs).min()
            what = "segment" if self.documents is None else "document"
            raise InputError(
                f"budget {budget:g}: it pays for no {what}. The cheapest {what} costs "
                f"{cheapest:.0f} {self.cost}."
            )
        import pandas as pd

        columns = {"value": self.values, "domain": self.sources.domains}
        columns |= {"document": self.sources.documents, "source": self.sources.texts}
        there = {name: x for name, x in columns.items() if x is not None and len(x)}
        index = pd.RangeIndex(1, len(self.costs) + 1, name="segment")
        return pd.DataFrame(there, index=index).iloc[np.sort(places)]

    def choose(
        self, segments: np.ndarray, budget: float, rng: np.random.Generator, at_random: bool = False
    ) -> np.ndarray:
        """Choose from `segments`, an index array, within a budget; return positions in it."""
        costs = self.costs[segments]
        documents = None if self.documents is None else self.documents[segments]
        units = selection.by_documents(documents, len(segments))
        if self.stratifies and not at_random:
            first = np.unique(units, return_index=True)[1]
            names = [self.sources.domains, self.sources.documents]
            keys = [np.array(labels)[segments[first]] for labels in names if labels]
            lengths = [float(len(self.sources.texts[place])) for place in segments]
            keys.append(np.bincount(units, lengths))
            taken = selection.stratified(keys, np.bincount(units, costs), budget, rng)
            return np.flatnonzero(np.isin(units, taken))
        if self.values is None or at_random:
            values = rng.random(units.max() + 1)[units]
        else:
            values = self.values[segments]
        return selection.highest(values, costs, budget, units, self.ties[segments])


def _values(
    sources: Sources, by: str, files: Sequence[Path], file: Path | None, src_lang: str | None
) -> np.ndarray:
    """Return each segment's difficulty by the method `by`, (segments,), averaged over systems."""
    settings = BY.get(by) or DifficultySettings("file", {"file": by})
    estimator_input: Any = None
    outputs = {"": sources.texts}  # of which estimators of the source read none
    if by not in BY:
        estimator_input = Path(by)
        if not estimator_input.is_file():
            raise InputError(
                f"by {by}: neither a method{nearest(by, BY)} nor a file of estimates. The methods "
                f"are: {', '.join(BY)}."
            )
        if has_systems(estimator_input):
            outputs = read_outputs(sources, files)
    elif settings.metric:
        if not file:
            raise InputError(
                f"by {by}: it needs a metric's segment scores (scores), or values of your own."
            )
        by_name = scores_by_system(file, sources)
        for system, values in by_name.items():
            absent = np.isnan(values).sum()
            if absent == len(values) or (absent and settings.type == "crowd"):
                raise InputError(
                    f"{file}: no score of system {system} on {absent} of {len(values)} segments."
                )
        estimator_input = np.array(list(by_name.values()))
        outputs = dict.fromkeys(by_name, sources.texts)
    elif make_estimator(settings).information == "outputs":
        outputs = read_outputs(sources, files)
    source, _, target = sources.pair.partition("-")
    texts = EvaluationSet(
        pair=pair_of(src_lang or source, target),
        systems=list(outputs),
        source=sources.texts,
        reference=[""] * len(sources.texts),
        hypotheses=list(outputs.values()),
        canary=sources.canary,
    )
    difficulty = estimated(f"by {by}", make_estimator(settings), texts, estimator_input)[1]
    largest = np.finfo(float).max
    return np.nan_to_num(difficulty.mean(axis=0), nan=-largest, posinf=largest, neginf=-largest)


def scores_by_system(path: Path, sources: Sources) -> dict[str, np.ndarray]:
    """Read a metric's segment scores of each MT system, by name: (segments,), NaN where missing."""
    if not path.is_file():
        raise InputError(f"{path}: no such file of segment scores.")
    scores, human = read_scores(path, len(sources.texts), sources.canary), references(sources)
    systems = {x: np.array(scores[x]) for x in sorted(scores) if not is_human(x, human)}
    if len(systems) < 2:
        raise InputError(f"{path}: scores of {len(systems)} systems; a choice needs those of two.")
    return systems
