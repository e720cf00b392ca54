"""The segments that a page shows one by one, with all that is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..errors import Missing
from ..evidence.correlations import row_label
from ..evidence.influence import Influence, influence
from ..metrics import METRICS
from ..papers import cases
from ..papers.chunks import hypothesis_pieces
from ..weighting import tokens as token_weighting
from ..weighting.base import WeightedMetric
from ..weighting.groups import mean_entropy
from .report_charts import rounded
from .segment_view import choose_segments, difficulty_pieces

# Of the segments shown by mean entropy, the share shown by how far they move r under a weighting.
MOVING = 0.5
# What the scores of segment statistics are called, without and with groups of segments.
WEIGHTINGS = {"statistics": ("standard", "EE"), "DA": ("DA", "EE-DA")}


class Scored(NamedTuple):
    """Segment statistics of one metric, plain or weighted by tokens; `weightings` names what its
    scores over all segments and over groups of them are."""

    name: str
    metric: Any
    statistics: np.ndarray
    weightings: tuple[str, str]
    sign: int

    def label(self, weighting: str) -> str:
        return row_label({"metric": self.name, "weighting": weighting})

    def segment_scores(self) -> np.ndarray:
        """(systems, segments), on the scale of the metric."""
        if hasattr(self.metric, "segment_scores"):
            return self.metric.segment_scores(self.statistics)
        return self.metric.aggregate(self.statistics, np.ones(self.statistics.shape[:2]))


class Move(NamedTuple):
    """What leaving each segment out does to a metric under a weighting."""

    metric: str
    weighting: str
    label: str
    influence: Influence


def describe_segments(
    found: EvaluationSet, files: SetFiles, settings: dict[str, Any], order: np.ndarray
) -> dict[str, Any] | None:
    """The hardest segments, and those that move the ranking most, with all that is known of them.

    Parameters
    ----------
    found : EvaluationSet
    files : SetFiles
    settings : dict
        `shown`, how many of the hardest; `types` of the metrics; `DA`.
    order : ndarray of int, (systems,)
        The best first.

    Returns
    -------
    dict or None
        Data of the page; None for a set without texts.
    """
    try:
        arrays = files.read(files.in_folder("entropy")[0])
        parameters = files.read("difficulty.json")
    except Missing:
        return None
    entropy, h, w = arrays["entropy"], parameters["h"], parameters["w"]
    scored = list(_read_scored(files, settings, entropy.shape[1]))
    gold = np.array(found.gold)
    moves = [move for one in scored for move in _moves(one, gold, entropy, h, w)]
    means = mean_entropy(entropy)
    rankings = _rankings(means, moves)
    counts = dict.fromkeys(rankings, int(MOVING * settings["shown"]))
    chosen = choose_segments(rankings, counts | {"entropy": settings["shown"]})
    reference, encoder = _reference_pieces(found, files)
    columns = [(one.label(one.weightings[0]), one.segment_scores()) for one in scored]
    segments = []
    for segment, places in chosen.items():
        entry = _describe(found, segment, order, columns, moves) | {"places": places}
        entry |= {"mean": rounded(means[segment], 3), "reference": reference(segment)}
        entry["hard"] = None if h is None else int((entropy[:, segment] >= h).sum())
        for system, row in zip(order, entry["rows"], strict=True):
            row["entropy"] = rounded(entropy[system, segment], 3)
            row["hard"] = bool(h is not None and entropy[system, segment] >= h)
            row["pieces"] = hypothesis_pieces(found, arrays, system, segment)
        segments.append(entry)
    return {
        "systems": [found.systems[system] for system in order],
        "columns": [{"label": label, "digits": _digits(scores)} for label, scores in columns],
        "moves": [move.label for move in moves],
        "listed": _listed(scored, moves),
        "rankings": [_describe_ranking(name) for name in rankings],
        "total": len(found.reference),
        "h": h,
        "encoder": encoder,
        "source_language": language.source_language(found.pair),
        "target_language": language.target_language(found.pair),
        "segments": segments,
    }


def _read_scored(files: SetFiles, settings: dict[str, Any], segments: int) -> Iterator[Scored]:
    """The set's metrics that have segment scores."""
    tokens = token_weighting.Tokens(**settings["DA"])
    for name, kind in settings["types"].items():
        for folder, weightings in WEIGHTINGS.items():
            arrays = files.optional(f"{folder}/{name}.npz")
            if arrays is None or arrays["statistics"].shape[1] != segments:
                continue
            metric = METRICS[kind] if folder == "statistics" else tokens
            sign = 1 if METRICS[kind].higher_is_better else -1
            yield Scored(name, metric, arrays["statistics"], weightings, sign)


def _moves(
    scored: Scored, gold: np.ndarray, entropy: np.ndarray, h: float | None, w: float | None
) -> Iterator[Move]:
    """What leaving segments out does, by weighting; with groups only where h and w are and every
    system has both. Nothing without human scores."""
    if not gold.size:
        return
    standard, grouped = scored.weightings
    plain = WeightedMetric(
        scored.metric.aggregate, scored.statistics, higher_is_better=scored.sign > 0
    )
    yield Move(scored.name, standard, scored.label(standard), influence(plain, gold))
    if h is not None and w is not None:
        in_groups = plain.in_groups(entropy >= h, w)
        if np.isfinite(in_groups.scores()).all():
            moved = influence(in_groups, gold)
            yield Move(scored.name, grouped, scored.label(grouped), moved)


def _rankings(means: np.ndarray, moves: list[Move]) -> dict[str, np.ndarray]:
    """By what segments are ranked: mean entropy, and the mean over metrics of how much each moves
    r, without and with groups."""
    found = {"entropy": means}
    for name in WEIGHTINGS["statistics"]:
        values = [
            np.abs(move.influence.correlations.pearson) for move in moves if move.weighting == name
        ]
        if values:
            found[name] = np.mean(values, axis=0)
    return found


def _describe_ranking(name: str) -> dict[str, str]:
    """A ranking of segments: its name, and what stands in the list of rankings and in the text of
    a segment."""
    if name == "entropy":
        text = "hardest by mean entropy"
        return {"name": name, "label": text, "text": text}
    label = f"moves the ranking most, {name} metrics"
    return {"name": name, "label": label, "text": f"that move {name} metrics most"}


def _listed(scored: list[Scored], moves: list[Move]) -> list[dict[str, Any]]:
    """The columns of the list of segments: r of the first metric, and the place of its move."""
    if not moves:
        return []
    first, places = scored[0], {move.label: place for place, move in enumerate(moves)}
    labels = [first.label(weighting) for weighting in first.weightings]
    return [{"label": f"r of {name} without it", "move": places.get(name)} for name in labels]


def _describe(
    found: EvaluationSet,
    segment: int,
    order: np.ndarray,
    columns: list[tuple[str, np.ndarray]],
    moves: list[Move],
) -> dict[str, Any]:
    """A segment's texts, scores and influence."""
    human = found.segment_gold
    return {
        "number": segment + 1,
        "document": found.documents[segment] if found.documents else "",
        "domain": found.domains[segment] if found.domains else "",
        "source": found.source[segment],
        "moves": [
            {
                "added": rounded([each[segment] for each in move.influence.correlations], 5),
                "ranks": _rank_changes(move.influence, segment, order),
            }
            for move in moves
        ],
        "rows": [
            {
                "human": human[system][segment] if human else None,
                "scores": [rounded(scores[system, segment], 4) for _, scores in columns],
            }
            for system in order
        ],
    }


def _rank_changes(moved: Influence, segment: int, order: np.ndarray) -> list[list[int]]:
    """Systems, as places in `order`, that change their rank: [place, rank, rank without]."""
    return [
        [place, int(moved.ranks[system]), int(moved.ranks[system] + change)]
        for place, system in enumerate(order)
        if (change := moved.changes[system, segment]) and np.isfinite(change)
    ]


def _reference_pieces(
    found: EvaluationSet, files: SetFiles
) -> tuple[Callable[[int], list], dict[str, Any] | None]:
    """What cuts a segment's reference into tokens with their difficulty, and the encoder's name;
    without matches the reference in one piece, and None."""
    path = next((file for file in files.in_folder("matches") if file.endswith(".npz")), None)
    try:
        if path is None:
            raise Missing("no encoder")
        matches, _ = token_weighting.rescaled_matches(files.read(path))
        difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
        if not difficulty.size:
            raise Missing("the references have no tokens")
    except Missing:
        return lambda segment: [(found.reference[segment], None)], None
    ends = np.cumsum(matches.reference_lengths)
    hard = float(np.quantile(difficulty, 1 - cases.MARKED_SHARE))

    def pieces(segment: int) -> list[tuple[str, float | None]]:
        own = slice(ends[segment] - matches.reference_lengths[segment], ends[segment])
        text = found.reference[segment].strip()
        return difficulty_pieces(text, matches.reference_offsets[own], difficulty[own])

    scale = {"low": float(np.quantile(difficulty, 0.05)), "high": float(difficulty.max())}
    name = path.removeprefix("matches/").removesuffix(".npz")
    return pieces, {"name": name, "hard": round(hard, 2), **scale}


def _digits(scores: np.ndarray) -> int:
    """How many digits tell a metric's segment scores apart."""
    return 1 if np.nanmax(np.abs(scores)) > 5 else 3
