"""The segments of a set, with all that is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..evidence import labels
from ..evidence.counted import STANDARD
from ..evidence.resampling import Influence, influence
from ..evidence.set_scores import SetScores
from ..metrics import METRICS
from ..papers.case_studies import units
from ..weighting.base import WeightedMetric
from . import difficulties, hardest_share
from .report_charts import rounded
from .report_tables import Mark, marked, score_label
from .segment_difficulties import (
    Difficulty,
    digits_of,
    read_difficulties,
    reference_tokens,
    thresholds,
)
from .segment_file import whole
from .segment_texts import errors, links, places, texts
from .segment_view import choose_segments, ranked

# Of the segments of the first ranking whose influence is told, the share told of each other one.
FURTHER = 0.5
HUMAN_DIGITS, MOVE_DIGITS = 2, 4
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


def describe_segments(
    found: EvaluationSet, files: SetFiles, settings: dict[str, Any], order: np.ndarray
) -> dict[str, Any]:
    """All segments with their texts, difficulties and scores, and what the hardest ones, and those
    that move the ranking most, do to it.

    Parameters
    ----------
    found : EvaluationSet
    files : SetFiles
    settings : dict
        What `SetScores` needs; `types` of the metrics; `shown`, of how many segments of the first
        ranking the influence is told.
    order : ndarray of int, (systems,)
        The best first.

    Returns
    -------
    dict
        Data of the page; only a `reason` where no segments can be shown. Numbers are whole, as
        from `segment_file.whole`, with their `digits`; segments and systems go by their places.
    """
    if found.texts_missing:
        return {"reason": found.texts_missing}
    scores, described = SetScores(files, settings), difficulties.read(files, settings)
    weightings = labels.describe(described["weightings"])
    scored = _scored(scores, settings["metrics"], weightings, len(found.reference))
    gold = difficulties.of_gold({"weightings": [label._asdict() for label in weightings]})
    known = read_difficulties(described["difficulties"], scores, len(found.systems))
    moves = list(_moves(scored, np.array(found.gold), gold, scores.counted))
    rankings = list(_rankings(known, moves, weightings))
    if not rankings:
        return {"reason": NO_RANKING}
    chosen = choose_segments(
        {one["name"]: one["values"] for one in rankings}, _counts(rankings, settings["shown"])
    )
    return {
        "systems": [found.systems[system] for system in order],
        "total": len(found.reference),
        "source_language": language.source_language(found.pair),
        "target_language": language.target_language(found.pair),
        "documents": places(found.documents),
        "domains": places(found.domains),
        "units": units(found),
        "texts": texts(found, order),
        "human": _human(found, order),
        "columns": list(_columns(scores, scored, settings["types"], gold, order)),
        "difficulties": [_difficulty(one, order) for one in known],
        "thresholds": list(_thresholds(thresholds(described["weightings"], known), known, order)),
        "rankings": [_ranking(one) for one in rankings],
        "moves": [move.label for move in moves],
        "influence": {
            str(segment): [_influence(move.influence, segment, order) for move in moves]
            for segment in chosen
            if moves
        },
        "listed": _listed(moves, [label.name for label in weightings if label.shown]),
        "links": links(found, files, known, order),
        "tokens_of": reference_tokens(found, scores, known, settings),
        "errors": errors(found, files, order),
        "hardest": _hardest(found, scores, known, order),
    }


def _scored(
    scores: SetScores,
    metrics: Iterable[str],
    weightings: list[labels.WeightingLabel],
    segments: int,
) -> dict[tuple[str, str], WeightedMetric]:
    """Metrics under weightings, of all segments; those that have segment scores."""
    weighted = scores.of(np.arange(len(scores.systems)), everywhere=True)
    return {
        (metric, label.name): one
        for metric in metrics
        for label in weightings
        if (one := weighted.get((metric, label.name))) and one.statistics.shape[1] == segments
    }


def _human(found: EvaluationSet, order: np.ndarray) -> dict[str, Any] | None:
    """Human scores of segments; None of a set without."""
    if not found.segment_gold:
        return None
    values = np.array(found.segment_gold, dtype=float)[order]
    return {"digits": HUMAN_DIGITS, "values": whole(values, HUMAN_DIGITS)}


def _difficulty(one: Difficulty, order: np.ndarray) -> dict[str, Any]:
    """A difficulty's means over systems, and where hypotheses have their own, their values."""
    own = whole(one.values[order], one.digits) if one.unit == "hypothesis" else None
    means = whole(one.means, one.digits)
    head = {"label": one.label, "unit": one.unit, "digits": one.digits}
    return head | {"means": means, "values": own}


def _thresholds(
    difficult: dict[str, tuple[int, np.ndarray]], known: list[Difficulty], order: np.ndarray
) -> Iterator[dict[str, Any]]:
    """Weightings that have a threshold: label, the place of the difficulty, and for each segment a
    text with 1 for every system whose hypothesis is difficult, and 0 for the others."""
    for name, (place, hard) in difficult.items():
        rows = ["".join(map(str, row)) for row in hard[order].T.astype(int).tolist()]
        label = marked(name, known[place].uses_gold)
        yield {"weighting": label, "difficulty": place, "hard": rows}


def _ranking(one: dict[str, Any]) -> dict[str, Any]:
    """A ranking with its segments, the first ones first."""
    return {key: one[key] for key in ("name", "label", "text")} | {"order": ranked(one["values"])}


def _hardest(
    found: EvaluationSet, scores: SetScores, known: list[Difficulty], order: np.ndarray
) -> dict[str, Any] | None:
    """Rankings on the hardest of the segments that count."""
    counted, segments = scores.counted, len(found.reference)
    people = np.array(found.segment_gold, dtype=float)[:, counted] if found.segment_gold else None
    return hardest_share.describe(
        [one._replace(values=one.values[:, counted]) for one in known],
        {
            name: one.select(segments=counted)
            for name, one in scores.plain.items()
            if one.statistics.shape[1] == segments
        },
        people,
        np.array(found.gold),
        order,
    )


def _columns(
    scores: SetScores,
    scored: dict[tuple[str, str], WeightedMetric],
    types: dict[str, str],
    gold: dict[str, Mark],
    order: np.ndarray,
) -> Iterator[dict[str, Any]]:
    """Segment scores with their labels, on the scale of the metric: of each metric, and of it under
    each weighting of tokens. Weights of segments change none."""
    seen = set()
    for (name, weighting), one in scored.items():
        tokens, metric = scores.tokens_of(weighting) or STANDARD, METRICS[types[name]]
        if (name, tokens) in seen:
            continue
        seen.add((name, tokens))
        if one.aggregate is metric.aggregate:
            values = metric.segment_scores(one.statistics)
        else:
            values = one.aggregate(one.statistics, np.ones(one.statistics.shape[:2]))
        digits = digits_of(values)
        yield {
            "label": score_label({"metric": name, "weighting": tokens}, gold),
            "digits": digits,
            "higher": metric.higher_is_better,
            "values": whole(values[order], digits),
        }


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


def _counts(rankings: list[dict[str, Any]], shown: int) -> dict[str, int]:
    """Of how many segments of each ranking the influence is told."""
    counts = {ranking["name"]: int(FURTHER * shown) for ranking in rankings}
    return counts | {rankings[0]["name"]: shown}


def _listed(moves: list[Move], shown: list[str]) -> list[dict[str, Any]]:
    """The columns of the list of segments: what leaving each out adds to r of the first metric."""
    return [
        {
            "label": f"Δr of {move.label} without it",
            "digits": MOVE_DIGITS,
            "values": whole(move.influence.correlations.pearson, MOVE_DIGITS),
        }
        for move in moves
        if move.metric == moves[0].metric and move.weighting in shown
    ]


def _influence(moved: Influence, segment: int, order: np.ndarray) -> dict[str, Any]:
    """What leaving a segment out adds to each correlation, and systems, as places in `order`, that
    change their rank: [place, rank, rank without]."""
    return {
        "added": rounded([each[segment] for each in moved.correlations], 5),
        "ranks": [
            [place, int(moved.ranks[system]), int(moved.ranks[system] + change)]
            for place, system in enumerate(order)
            if (change := moved.changes[system, segment]) and np.isfinite(change)
        ],
    }
