"""Case studies of weightings: a few hypotheses, their scores and their texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..embedding.matches import select
from ..errors import Missing
from ..evidence.subsets import best_systems
from ..weighting.base import WeightedMetric, combine
from . import cases, chunks, tables
from .inputs import Inputs, read_or_reason, token_difficulty
from .tables import Cell
from .used_settings import of_tokens

Values = dict[tuple[str, int], dict[str, Any]]


def case_study(
    item: str, table: dict[str, Any], inputs: Inputs
) -> tuple[list[Cell], dict[str, str]]:
    """A case study of segments: scores, weights, difficulties and chunks of hypotheses."""
    name, metric, files = table["set"], table["metric"], inputs.sets[table["set"]]
    plain, weighted, difficulty = table["labels"]
    found, absent = read_or_reason(files, "evalset.json")
    arrays, no_difficulty = read_or_reason(files, f"difficulty/{table['difficulty']}.npz")
    reasons = {
        plain: absent or inputs.reason(name, metric, "standard"),
        weighted: absent or inputs.reason(name, metric, table["weighting"]),
        difficulty: no_difficulty,
    }
    values: Values = {}
    texts: dict[str, str] = {}
    for row in [] if no_difficulty else table["rows"]:
        if row["system"] not in found.systems:
            reasons[row["system"]] = cases.not_ranked(row["system"])
            continue
        place = found.systems.index(row["system"]), row["segment"] - 1
        values[row["system"], row["segment"]] = {difficulty: arrays["difficulty"][place]}
        texts[row["label"]] = chunks.mark_chunks(chunks.hypothesis_pieces(found, arrays, *place))
    if values and not reasons[plain]:
        _add_scores(values, table, found, inputs)
    cells = cases.case_cells(item, table, values, reasons, inputs.substitute(name, metric))
    if "difficult_segments" in table:
        cells.append(_count_cell(item, table, inputs))
    return cells, texts


def _count_cell(item: str, table: dict[str, Any], inputs: Inputs) -> Cell:
    """How many segments are difficult for a system."""
    count, counts = table["difficult_segments"], {}
    reason = cases.not_ranked(count["system"])
    try:
        counts = inputs.parameters(table["set"], table["weighting"])["difficult_hypotheses"]
    except Missing as missing:
        reason = str(missing)
    ours = counts.get(count["system"], np.nan)
    reason = reason * bool(np.isnan(ours))
    label = "difficult segments"
    return tables.make_cell(item, count["label"], label, count["published"], 0, ours, reason)


def _add_scores(
    values: Values, table: dict[str, Any], found: EvaluationSet, inputs: Inputs
) -> None:
    """Add scores of segments and systems, and the segments' shares, to a case study's values."""
    by_key = inputs.scores(table["set"], table).of(np.arange(len(found.systems)))
    for label, weighting in zip(table["labels"], ("standard", table["weighting"]), strict=False):
        if (table["metric"], weighting) not in by_key:
            continue
        one = by_key[table["metric"], weighting]
        segments, systems, shares = segment_scores(one), one.scores(), segment_shares(one)
        for (system, segment), ours in values.items():
            place = found.systems.index(system)
            ours[label] = (
                segments[place, segment - 1],
                systems[place],
                shares[place, segment - 1],
            )


def segment_scores(one: WeightedMetric) -> np.ndarray:
    """Score of every segment on its own, (systems, segments)."""
    return one.aggregate(one.statistics, np.ones(one.statistics.shape[:2]))


def segment_shares(one: WeightedMetric) -> np.ndarray:
    """Share of every segment in its system's weights, (systems, segments); NaN where a group with
    a share is empty."""
    weights = one.weights
    if weights is None:
        weights = np.ones((*one.statistics.shape[:2], 1))
    with np.errstate(invalid="ignore"):
        return combine(weights / weights.sum(axis=1, keepdims=True), one.shares)


def token_cases(
    item: str, table: dict[str, Any], inputs: Inputs
) -> tuple[list[Cell], dict[str, str]]:
    """A case study of tokens: scores of hypotheses, and references with their difficult tokens."""
    name, metric, files = table["set"], table["metric"], inputs.sets[table["set"]]
    found, absent = read_or_reason(files, "evalset.json")
    reason = absent or inputs.reason(name, metric, table["weighting"])
    texts: dict[str, str] = {}
    scores: dict[tuple[str, int], tuple[float, float]] = {}
    if not reason:
        best = best_systems(found.gold, table["size"])
        among = [found.systems[system] for system in best]
        by_key = inputs.scores(name, table).of(best)
        plain = segment_scores(by_key[metric, "standard"])
        weighted = segment_scores(by_key[metric, table["weighting"]])
        matches = select(inputs.matches(name, metric), best)
        difficulty = token_difficulty(found, matches, _settings_of_tokens(table, inputs))
        marked = difficulty >= np.quantile(difficulty, 1 - cases.MARKED_SHARE)
        for row in table["rows"]:
            if row["system"] not in among:
                reason = cases.not_among(row["system"], table["size"])
                continue
            segment, system = row["segment"] - 1, among.index(row["system"])
            case, own = row["label"].rsplit(" ", 1)[0], matches.reference_segment == segment
            texts[f"{case} Ref"] = cases.mark_difficult(
                found.reference[segment].strip(), matches.reference_offsets[own], marked[own]
            )
            texts[row["label"]] = found.hypotheses[best[system]][segment]
            scores[row["system"], row["segment"]] = (
                plain[system, segment],
                weighted[system, segment],
            )
    substitute = inputs.substitute(name, metric)
    cells = cases.token_case_cells(item, table, scores, reason, substitute)
    return (cells if absent else cases.with_note(cells, inputs.note(name))), texts


def _settings_of_tokens(table: dict[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The settings of the difficulty that weighs a table's tokens."""
    settings = inputs.settings[table["set"]]
    weighting = of_tokens(settings["weightings"], table["weighting"])
    return settings["difficulties"][settings["weightings"][weighting]["difficulty"]]
