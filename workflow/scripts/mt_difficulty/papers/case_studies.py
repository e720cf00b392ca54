"""Case studies: scores and texts of a few hypotheses, with chunks and difficult tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..difficulty import chunk_entropy
from ..embedding import select
from ..errors import Missing
from ..evidence.subsets import best_systems
from ..weighting import parts
from ..weighting.base import WeightedMetric
from . import Inputs, Table, make_cell, read_or_reason, token_difficulty

if TYPE_CHECKING:
    from ..settings.protocol import CaseTable, TokenCaseTable

CASE_COLUMNS = ("segment", "system", "contribution %")
MARKED_SHARE = 0.1  # of a set's tokens; those are marked as difficult
Piece = tuple[str, int]
NOT_AMONG = "{} is not among the best {} of this archive"
NOT_RANKED = "{} is not among the ranked systems"


def case_study(item: str, table: CaseTable, inputs: Inputs) -> Table:
    """Return the cells and texts of a case study of segments: scores of hypotheses and systems,
    each segment's contribution, difficulties and chunks. The contribution, in percent of the
    system's score, is the segment's share of the weights times its score."""
    name, metric, files = table.set, table.metric, inputs.sets[table.set]
    evalset, absent = read_or_reason(files, "evalset.json")
    arrays, no_difficulty = read_or_reason(files, f"difficulty/{table.difficulty}.npz")
    *scored, difficulty = table.labels
    weightings = dict(zip(scored, ("standard", table.weighting), strict=True))
    reasons = {label: absent or inputs.reason(name, metric, weightings[label]) for label in scored}
    numbers = {}
    if not (no_difficulty or reasons[scored[0]]):
        by_key = inputs.scores(name).of(np.arange(len(evalset.systems)))
        numbers = {
            label: (segment_scores(weighted), weighted.scores(), weighted.segment_shares())
            for label, weighting in weightings.items()
            if (weighted := by_key.get((metric, weighting)))
        }
    others = {label: inputs.other_systems_for(name, weightings[label]) for label in scored}
    of_difficulty = inputs.other_systems_at(name, table.difficulty)
    cells, texts = [], {}
    for row in table.rows:
        printed, system, place = iter(row.published), row.system, None
        unranked = "" if no_difficulty or system in evalset.systems else NOT_RANKED.format(system)
        if not (no_difficulty or unranked):
            place = evalset.systems.index(system), row.segment - 1
            pieces = hypothesis_pieces(evalset, arrays, *place)
            marked = "".join(f"[{text}]" if chunk >= 0 else text for text, chunk in pieces)
            texts[row.label] = re.sub(r"[ \t]+", " ", marked).strip(" ")
        for label in scored:
            values = [np.nan] * 3
            if place and label in numbers:
                segments, systems, shares = numbers[label]
                score, of_system = segments[place], systems[place[0]]
                values = [score, of_system, 100 * shares[place] * score / of_system]
            marks = reasons[label] or unranked, inputs.substitute(name, metric)
            note = others[label]
            for column, value in zip(CASE_COLUMNS, values, strict=True):
                where = item, row.label, f"{label} {column}"
                cells.append(make_cell(*where, next(printed), 3, value, *marks, systems_note=note))
        value = arrays["difficulty"][place] if place else np.nan
        where, why = (item, row.label, difficulty), no_difficulty or unranked
        cells.append(make_cell(*where, next(printed), 3, value, why, systems_note=of_difficulty))
    if table.difficult_segments is not None:
        count = table.difficult_segments
        value, reason = np.nan, NOT_RANKED.format(count.system)
        try:
            counts = inputs.parameters(name, table.weighting)["difficult_hypotheses"]
            value = counts.get(count.system, np.nan)
        except Missing as missing:
            reason = str(missing)
        where, reason = (item, count.label, "difficult segments"), reason * bool(np.isnan(value))
        note = inputs.other_systems_for(name, table.weighting)
        cells.append(make_cell(*where, count.published, 0, value, reason, systems_note=note))
    return cells, texts


def segment_scores(weighted: WeightedMetric) -> np.ndarray:
    """Return metric scores, (systems, segments), each computed on one hypothesis alone."""
    return weighted.aggregate(weighted.statistics, np.ones(weighted.statistics.shape[:2]))


def token_cases(item: str, table: TokenCaseTable, inputs: Inputs) -> Table:
    """Return cells of a table of hypotheses' scores, and texts with difficult words in bold."""
    name, metric, weighting = table.set, table.metric, table.weighting
    evalset, absent = read_or_reason(inputs.sets[name], "evalset.json")
    reason = absent or inputs.reason(name, metric, weighting)
    texts: dict[str, str] = {}
    scores: dict[str, tuple[float, float]] = {}
    if not reason:
        best = best_systems(evalset.gold, table.size)
        among = [evalset.systems[system] for system in best]
        by_key = inputs.scores(name).of(best)
        plain, weighted = (segment_scores(by_key[metric, key]) for key in ("standard", weighting))
        matches, settings = select(inputs.matches(name, metric), best), inputs.settings[name]
        tokens = parts(weighting, settings.weightings).tokens
        estimator = settings.difficulties[settings.weightings[tokens].difficulty]
        difficulty = token_difficulty(evalset, matches, estimator)
        marked = difficulty >= np.quantile(difficulty, 1 - MARKED_SHARE)
        for row in table.rows:
            if row.system not in among:
                reason = NOT_AMONG.format(row.system, table.size)
                continue
            segment, system = row.segment - 1, among.index(row.system)
            case, at = row.label.rsplit(" ", 1)[0], matches.reference_segment == segment
            texts[f"{case} Ref"] = mark_difficult(
                evalset.reference[segment].strip(), matches.reference_offsets[at], marked[at]
            )
            texts[row.label] = evalset.hypotheses[best[system]][segment]
            scores[row.label] = plain[system, segment], weighted[system, segment]
    cells, substitute = [], inputs.substitute(name, metric)
    others = "", inputs.other_systems_for(name, weighting)
    for row in table.rows:
        ours = scores.get(row.label, (np.nan, np.nan))
        why = reason if np.isnan(ours[0]) else ""
        columns = zip(table.labels, row.published, ours, others, strict=True)
        for label, published, value, note in columns:
            place, marks = (item, row.label, label), (why, substitute)
            digits = table.digits
            cells.append(make_cell(*place, published, digits, value, *marks, systems_note=note))
    return cells, texts


def mark_difficult(sentence: str, offsets: np.ndarray, difficult: np.ndarray) -> str:
    """Put ** around words with a difficult token; `offsets`, (tokens, 2): start and end."""

    def bold(word: re.Match) -> str:
        hard = any(max(a, word.start()) < min(b, word.end()) for a, b in offsets[difficult])
        return f"**{word[0]}**" if hard else word[0]

    return " ".join(re.sub(r"\S+", bold, sentence).split())


def units(evalset: EvaluationSet) -> str:
    """Return which units the word alignment of a set links: `words` or `characters`."""
    return language.default_units(evalset.pair, evalset.reference)


def hypothesis_tokens(evalset: EvaluationSet, system: int, segment: int) -> list[str]:
    """Split a hypothesis into the units that its word alignment links: words or characters."""
    return chunk_entropy.tokenize([evalset.hypotheses[system][segment]], units(evalset))[0]


def hypothesis_pieces(
    evalset: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> list[Piece]:
    """Cut a hypothesis into chunks, as `chunk_pieces` does; `arrays` are from
    `chunk_entropy.align_set`, and indices count from 0."""
    tokens = hypothesis_tokens(evalset, system, segment)
    chunks = chunks_of(arrays["links"], arrays["lengths"], system, segment)
    return chunk_pieces(evalset.hypotheses[system][segment], tokens, chunks)


def chunks_of(links: np.ndarray, lengths: np.ndarray, system: int, segment: int) -> np.ndarray:
    """Return the chunk index of every token of a hypothesis, from 0; -1 for an unmatched token.
    `links` has the reference token of each token of all hypotheses, system after system, -1 for
    none. `lengths`, (systems, segments), are in tokens."""
    end = np.cumsum(lengths).reshape(lengths.shape)[system, segment]
    matched = links[end - lengths[system, segment] : end] >= 0
    begins = matched & ~np.concatenate([[False], matched[:-1]])
    return np.where(matched, np.cumsum(begins) - 1, -1)


def chunk_pieces(sentence: str, tokens: list[str], chunks: np.ndarray) -> list[Piece]:
    """Cut a sentence at the borders of chunks into (text, chunk); joined texts give the sentence.
    `tokens` are substrings in order, `chunks` their indices from `chunks_of`. White space between
    chunks and unmatched tokens have chunk -1."""
    spans: list[tuple[int, int, int]] = []
    end = 0
    for token, chunk in zip(tokens, chunks.tolist(), strict=True):
        start = sentence.index(token, end)
        end = start + len(token)
        if spans and chunk == spans[-1][2] >= 0:
            spans[-1] = (spans[-1][0], end, chunk)
        elif chunk >= 0:
            spans.append((start, end, chunk))
    return cut(sentence, spans, -1)


def cut(sentence: str, spans: list[tuple], nothing: int | None) -> list[tuple]:
    """Cut a sentence into (text, value) at spans (start, end, value); `nothing` is the value
    between spans. Text in overlapping spans (bytes of one character) belongs to the first span."""
    pieces, place = [], 0
    for start, end, value in [*spans, (len(sentence), len(sentence), nothing)]:
        start = max(start, place)
        pieces += [(sentence[place:start], nothing), (sentence[start:end], value)]
        place = max(place, end)
    return [piece for piece in pieces if piece[0]]
