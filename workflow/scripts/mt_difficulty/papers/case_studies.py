"""Case studies of weightings: a few hypotheses, their scores and their texts, with the chunks of
hypotheses and the difficult tokens of references."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..difficulty import chunk_entropy
from ..embedding.matches import select
from ..errors import Missing
from ..evidence.subsets import best_systems
from ..weighting.base import WeightedMetric, combine
from .cells import Cell, make_cell
from .inputs import Inputs, read_or_reason, token_difficulty
from .used_settings import of_tokens

CASE_COLUMNS = ("segment", "system", "contribution %")
MARKED_SHARE = 0.1  # of a set's tokens; those are marked as difficult
Piece = tuple[str, int]


def not_among(system: str, size: int) -> str:
    """The reason of a system that is not among the best."""
    return f"{system} is not among the best {size} of this archive"


def not_ranked(system: str) -> str:
    """The reason of a system that a set lacks."""
    return f"{system} is not among the ranked systems"


def with_note(cells: list[Cell], note: str) -> list[Cell]:
    """Cells that say where the archive's systems are not the paper's."""
    return [cell if cell.reason else cell._replace(reason=note) for cell in cells]


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
    values: dict[tuple[str, int], dict[str, Any]] = {}
    texts: dict[str, str] = {}
    for row in [] if no_difficulty else table["rows"]:
        if row["system"] not in found.systems:
            reasons[row["system"]] = not_ranked(row["system"])
            continue
        place = found.systems.index(row["system"]), row["segment"] - 1
        values[row["system"], row["segment"]] = {difficulty: arrays["difficulty"][place]}
        texts[row["label"]] = mark_chunks(hypothesis_pieces(found, arrays, *place))
    if values and not reasons[plain]:
        by_key = inputs.scores(name, table).of(np.arange(len(found.systems)))
        for label, weighting in ((plain, "standard"), (weighted, table["weighting"])):
            if (metric, weighting) not in by_key:
                continue
            one = by_key[metric, weighting]
            numbers = segment_scores(one), one.scores(), segment_shares(one)
            for (system, segment), ours in values.items():
                place = found.systems.index(system), segment - 1
                ours[label] = numbers[0][place], numbers[1][place[0]], numbers[2][place]
    cells = case_cells(item, table, values, reasons, inputs.substitute(name, metric))
    if "difficult_segments" in table:
        count = table["difficult_segments"]
        value, reason = np.nan, not_ranked(count["system"])
        try:
            counts = inputs.parameters(name, table["weighting"])["difficult_hypotheses"]
            value = counts.get(count["system"], np.nan)
        except Missing as missing:
            reason = str(missing)
        reason = reason * bool(np.isnan(value))
        label, published = "difficult segments", count["published"]
        cells.append(make_cell(item, count["label"], label, published, 0, value, reason))
    return cells, texts


def case_cells(
    item: str,
    table: dict,
    values: dict[tuple[str, int], dict[str, Any]],
    reasons: dict[str, str],
    substitute: str,
) -> list[Cell]:
    """Cells of a case study of segments. `values`, by (system, segment from 1), has by the labels
    of the table: of the plain and the weighted score the segment's score, the system's, and the
    segment's share of the weights; and of the difficulty its value. `reasons` says why all values
    of a label, or of a system, do not exist."""
    cells = []
    *scored, difficulty = table["labels"]
    for row in table["rows"]:
        ours = values.get((row["system"], row["segment"]), {})
        absent, printed = reasons.get(row["system"], ""), iter(row["published"])
        for label in scored:
            score, system, share = ours.get(label, [np.nan] * 3)
            numbers = score, system, 100 * share * score / system
            for column, value in zip(CASE_COLUMNS, numbers, strict=True):
                name, why = f"{label} {column}", reasons.get(label) or absent
                cells.append(
                    make_cell(item, row["label"], name, next(printed), 3, value, why, substitute)
                )
        value, why = ours.get(difficulty, np.nan), reasons.get(difficulty) or absent
        cells.append(make_cell(item, row["label"], difficulty, next(printed), 3, value, why))
    return cells


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
    name, metric, weighting = table["set"], table["metric"], table["weighting"]
    found, absent = read_or_reason(inputs.sets[name], "evalset.json")
    reason = absent or inputs.reason(name, metric, weighting)
    texts: dict[str, str] = {}
    scores: dict[str, tuple[float, float]] = {}
    if not reason:
        best = best_systems(found.gold, table["size"])
        among = [found.systems[system] for system in best]
        by_key = inputs.scores(name, table).of(best)
        plain, weighted = (segment_scores(by_key[metric, key]) for key in ("standard", weighting))
        matches, settings = select(inputs.matches(name, metric), best), inputs.settings[name]
        # Of the difficulty that weighs the tokens.
        lower = settings["weightings"][of_tokens(settings["weightings"], weighting)]
        settings = settings["difficulties"][lower["difficulty"]]
        difficulty = token_difficulty(found, matches, settings)
        marked = difficulty >= np.quantile(difficulty, 1 - MARKED_SHARE)
        for row in table["rows"]:
            if row["system"] not in among:
                reason = not_among(row["system"], table["size"])
                continue
            segment, system = row["segment"] - 1, among.index(row["system"])
            case, own = row["label"].rsplit(" ", 1)[0], matches.reference_segment == segment
            texts[f"{case} Ref"] = mark_difficult(
                found.reference[segment].strip(), matches.reference_offsets[own], marked[own]
            )
            texts[row["label"]] = found.hypotheses[best[system]][segment]
            scores[row["label"]] = plain[system, segment], weighted[system, segment]
    cells, substitute = [], inputs.substitute(name, metric)
    for row in table["rows"]:
        ours = scores.get(row["label"], (np.nan, np.nan))
        why = reason if np.isnan(ours[0]) else ""
        for label, published, value in zip(table["labels"], row["published"], ours, strict=True):
            place = item, row["label"], label
            cells.append(make_cell(*place, published, table["digits"], value, why, substitute))
    return (cells if absent else with_note(cells, inputs.note(name))), texts


def mark_difficult(sentence: str, offsets: np.ndarray, difficult: np.ndarray) -> str:
    """A sentence whose words are bold that hold a difficult token; offsets, (tokens, 2)."""
    marked = np.zeros(len(sentence), dtype=bool)
    for start, end in offsets[difficult]:
        marked[start:end] = True
    words, place = [], 0
    for word in sentence.split():
        place = sentence.index(word, place)
        hard = marked[place : place + len(word)].any()
        words.append(f"**{word}**" if hard else word)
        place += len(word)
    return " ".join(words)


def units(found: EvaluationSet) -> str:
    """The units that a set is aligned by: words or characters."""
    return language.default_units(found.pair, found.reference)


def hypothesis_tokens(found: EvaluationSet, system: int, segment: int) -> list[str]:
    """A hypothesis in the units that the set is aligned by."""
    return chunk_entropy.tokenize([found.hypotheses[system][segment]], units(found))[0]


def hypothesis_pieces(
    found: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> list[Piece]:
    """A hypothesis in its chunks, as from `chunk_pieces`; `arrays` as from
    `chunk_entropy.align_set`, indices from 0."""
    tokens = hypothesis_tokens(found, system, segment)
    chunks = chunks_of(arrays["links"], arrays["lengths"], system, segment)
    return chunk_pieces(found.hypotheses[system][segment], tokens, chunks)


def chunks_of(links: np.ndarray, lengths: np.ndarray, system: int, segment: int) -> np.ndarray:
    """The chunk of every token of a hypothesis, from 0; -1 for a token that is not matched.
    `links` are the reference token of each token of all hypotheses, systems one after the other,
    -1 for none; `lengths` are (systems, segments)."""
    end = np.cumsum(lengths).reshape(lengths.shape)[system, segment]
    matched = links[end - lengths[system, segment] : end] >= 0
    begins = matched & ~np.concatenate([[False], matched[:-1]])
    return np.where(matched, np.cumsum(begins) - 1, -1)


def chunk_pieces(sentence: str, tokens: list[str], chunks: np.ndarray) -> list[tuple[str, int]]:
    """A sentence cut where chunks begin and end: texts that join to the sentence, with their
    chunk, as from `chunks_of` for its tokens, which are substrings in order; white space between
    chunks is of none (-1)."""
    starts, place = [], 0
    for token in tokens:
        place = sentence.index(token, place)
        starts.append(place)
        place += len(token)
    spans: list[tuple[int, int, int]] = []
    for start, token, chunk in zip(starts, tokens, chunks, strict=True):
        end = start + len(token)
        if spans and chunk == spans[-1][2] >= 0:
            spans[-1] = (spans[-1][0], end, int(chunk))
        elif chunk >= 0:
            spans.append((start, end, int(chunk)))
    return cut(sentence, spans, -1)


def mark_chunks(pieces: list[Piece]) -> str:
    """A sentence with brackets around its chunks; `pieces` as from `chunk_pieces`."""
    parts = [f"[{text}]" if chunk >= 0 else text for text, chunk in pieces]
    return re.sub(r"[ \t]+", " ", "".join(parts)).strip(" ")


def cut(sentence: str, spans: list[tuple], nothing: int | None) -> list[tuple]:
    """The sentence's texts in and between spans; those that overlap (bytes of one character)
    are given to the first."""
    pieces, place = [], 0
    for start, end, value in spans:
        start = max(start, place)
        if start > place:
            pieces.append((sentence[place:start], nothing))
        if end > start:
            pieces.append((sentence[start:end], value))
            place = end
    if place < len(sentence):
        pieces.append((sentence[place:], nothing))
    return pieces
