"""The segments that a page shows one by one, with all that is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..evidence import labels
from ..evidence.influence import Influence, influence
from ..evidence.set_scores import SetScores
from ..metrics import METRICS
from ..weighting.base import WeightedMetric
from . import difficulties
from .report_charts import rounded
from .report_tables import Mark, marked, score_label
from .segment_difficulties import (
    Difficulty,
    digits_of,
    hypothesis_cut,
    numbers,
    read_difficulties,
    reference_cut,
    thresholds,
)
from .segment_view import choose_segments

# Of the segments shown by the first ranking, the share shown by each other one.
FURTHER = 0.5
NO_RANKING = (
    "the set has neither a difficulty of segments or hypotheses nor human scores and segment "
    "scores, by which segments could be chosen"
)


class Move(NamedTuple):
    """What leaving each segment out does to a metric under a weighting."""

    metric: str
    weighting: str
    label: str
    influence: Influence


class View(NamedTuple):
    """What the page says of every segment.

    `difficult` has by weighting what `thresholds` gives, `columns` labels with segment scores
    (systems, segments), `cut` what cuts a hypothesis of a system and a segment into pieces.
    """

    found: EvaluationSet
    order: np.ndarray
    difficulties: list[Difficulty]
    difficult: dict[str, tuple[int, np.ndarray]]
    columns: list[tuple[str, np.ndarray]]
    moves: list[Move]
    cut: Callable[[int, int], list[tuple[str, int]]]

    def common(self) -> dict[str, Any]:
        """What is the same for all segments."""
        return {
            "systems": [self.found.systems[system] for system in self.order],
            "total": len(self.found.reference),
            "source_language": language.source_language(self.found.pair),
            "target_language": language.target_language(self.found.pair),
            "moves": [move.label for move in self.moves],
            "columns": [
                {"label": label, "digits": digits_of(scores)} for label, scores in self.columns
            ],
            "difficulties": [
                {"label": one.label, "unit": one.unit, "digits": one.digits}
                for one in self.difficulties
            ],
            "thresholds": [
                {
                    "weighting": marked(name, self.difficulties[place].uses_gold),
                    "difficulty": place,
                }
                for name, (place, _) in self.difficult.items()
            ],
        }

    def segment(self, segment: int) -> dict[str, Any]:
        """A segment's texts, difficulties, scores and influence."""
        found = self.found
        means = [one.means[segment] for one in self.difficulties]
        return {
            "number": segment + 1,
            "document": found.documents[segment] if found.documents else "",
            "domain": found.domains[segment] if found.domains else "",
            "source": found.source[segment],
            "means": numbers(means, [one.digits for one in self.difficulties]),
            "hard": [int(hard[:, segment].sum()) for _, hard in self.difficult.values()],
            "moves": [
                {
                    "added": rounded([each[segment] for each in move.influence.correlations], 5),
                    "ranks": _rank_changes(move.influence, segment, self.order),
                }
                for move in self.moves
            ],
            "rows": [self._hypothesis(system, segment) for system in self.order],
        }

    def _hypothesis(self, system: int, segment: int) -> dict[str, Any]:
        human = self.found.segment_gold
        own = [one for one in self.difficulties if one.unit == "hypothesis"]
        values = [one.values[system, segment] for one in own]
        return {
            "human": human[system][segment] if human else None,
            "difficulties": numbers(values, [one.digits for one in own]),
            "hard": [bool(hard[system, segment]) for _, hard in self.difficult.values()],
            "scores": [rounded(scores[system, segment], 4) for _, scores in self.columns],
            "pieces": self.cut(system, segment),
        }


def describe_segments(
    found: EvaluationSet, files: SetFiles, settings: dict[str, Any], order: np.ndarray
) -> dict[str, Any]:
    """The hardest segments, and those that move the ranking most, with all that is known of them.

    Parameters
    ----------
    found : EvaluationSet
    files : SetFiles
    settings : dict
        What `SetScores` needs; `types` of the metrics; `shown`, how many segments of the first
        ranking.
    order : ndarray of int, (systems,)
        The best first.

    Returns
    -------
    dict
        Data of the page; only a `reason` where no segments can be shown.
    """
    if found.texts_missing:
        return {"reason": found.texts_missing}
    scores, described = SetScores(files, settings), difficulties.read(files, settings)
    weightings = labels.describe(described["weightings"])
    weighted = scores.of(np.arange(len(found.systems)), everywhere=True)
    scored = {
        (metric, label.name): one
        for metric in settings["metrics"]
        for label in weightings
        if (one := weighted.get((metric, label.name)))
        and one.statistics.shape[1] == len(found.reference)
    }
    gold = difficulties.of_gold({"weightings": [label._asdict() for label in weightings]})
    known = read_difficulties(described["difficulties"], scores, len(found.systems))
    moves = list(_moves(scored, np.array(found.gold), gold, scores.counted))
    rankings = list(_rankings(known, moves, weightings))
    if not rankings:
        return {"reason": NO_RANKING}
    difficult = thresholds(described["weightings"], known)
    columns = _columns(scored, settings["types"], gold)
    chunks, cut = hypothesis_cut(found, files, known)
    view = View(found, order, known, difficult, columns, moves, cut)
    reference, encoder = reference_cut(found, scores, known, settings)
    return view.common() | {
        "listed": _listed(moves, [label.name for label in weightings if label.shown]),
        "rankings": [{key: one[key] for key in ("name", "label", "text")} for one in rankings],
        "chunks": chunks,
        "encoder": encoder,
        "segments": [
            view.segment(segment) | {"places": places, "reference": reference(segment)}
            for segment, places in _choose(rankings, settings["shown"]).items()
        ],
    }


def _columns(
    scored: dict[tuple[str, str], WeightedMetric], types: dict[str, str], gold: dict[str, Mark]
) -> list[tuple[str, np.ndarray]]:
    """Segment scores with their labels, on the scale of the metric. Weights of segments change
    none: equal ones stand once."""
    found: dict[tuple[str, str], np.ndarray] = {}
    for (name, weighting), one in scored.items():
        metric = METRICS[types[name]]
        if one.aggregate is metric.aggregate:
            scores = metric.segment_scores(one.statistics)
        else:
            scores = one.aggregate(one.statistics, np.ones(one.statistics.shape[:2]))
        if not any(np.array_equal(scores, found[key]) for key in found if key[0] == name):
            found[name, weighting] = scores
    return [
        (score_label({"metric": name, "weighting": weighting}, gold), scores)
        for (name, weighting), scores in found.items()
    ]


def _moves(
    scored: dict[tuple[str, str], WeightedMetric],
    gold: np.ndarray,
    uses_gold: dict[str, Mark],
    counted: np.ndarray,
) -> Iterator[Move]:
    """What leaving segments out does, by metric and weighting, where every system has a score;
    nothing where a segment does not count. Nothing without human scores."""
    for (metric, weighting), one in scored.items() if gold.size else ():
        segments, of_counted = one.statistics.shape[1], one.select(segments=counted)
        if np.isfinite(of_counted.scores()).all():
            label = score_label({"metric": metric, "weighting": weighting}, uses_gold)
            moved = influence(of_counted, gold).at(counted, segments)
            yield Move(metric, weighting, label, moved)


def _rankings(
    known: list[Difficulty], moves: list[Move], weightings: list[labels.WeightingLabel]
) -> Iterator[dict[str, Any]]:
    """By what segments are ranked: the mean of every difficulty of segments or hypotheses, and
    under every weighting the mean over metrics of how much each segment moves r.

    Of each its name, what stands in the list of rankings and in the text of a segment, and values.
    """
    for one in known:
        if one.unit != "token":
            text = f"hardest by mean {one.label}"
            name = f"difficulty {one.name}"
            yield {"name": name, "label": text, "text": text, "values": one.means}
    for label in weightings:
        found = [
            move.influence.correlations.pearson for move in moves if move.weighting == label.name
        ]
        if found:
            metrics = f"{marked(label.name, label.uses_gold, label.tuned)} metrics"
            yield {
                "name": f"weighting {label.name}",
                "label": f"moves the ranking most, {metrics}",
                "text": f"that move {metrics} most",
                "values": np.mean(np.abs(found), axis=0),
            }


def _choose(rankings: list[dict[str, Any]], shown: int) -> dict[int, dict[str, int]]:
    """The segments that are shown, with their places in the rankings."""
    values = {ranking["name"]: ranking["values"] for ranking in rankings}
    counts = dict.fromkeys(values, int(FURTHER * shown)) | {rankings[0]["name"]: shown}
    return choose_segments(values, counts)


def _listed(moves: list[Move], shown: list[str]) -> list[dict[str, Any]]:
    """The columns of the list of segments: r of the first metric, and the place of its move."""
    return [
        {"label": f"r of {move.label} without it", "move": place}
        for place, move in enumerate(moves)
        if move.metric == moves[0].metric and move.weighting in shown
    ]


def _rank_changes(moved: Influence, segment: int, order: np.ndarray) -> list[list[int]]:
    """Systems, as places in `order`, that change their rank: [place, rank, rank without]."""
    return [
        [place, int(moved.ranks[system]), int(moved.ranks[system] + change)]
        for place, system in enumerate(order)
        if (change := moved.changes[system, segment]) and np.isfinite(change)
    ]
