"""Case studies: scores and texts of a few hypotheses, with chunks and difficult tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..difficulty import chunk_entropy
from ..embedding import select
from ..errors import Missing
from ..evidence.subsets import best_systems
from ..scores import ScoredSet
from ..weighting import parts
from ..weighting.base import WeightedMetric
from . import Cell, Inputs, Table, make_cell, read_or_reason, token_difficulty

if TYPE_CHECKING:
    from ..settings.protocol import CaseTable, DifficultSegments, TokenCaseTable

CASE_COLUMNS = ("segment", "system", "contribution %")
MARKED_SHARE = 0.1  # of a set's tokens; those are marked as difficult
Piece = tuple[str, int]
NOT_AMONG = "{} is not among the best {} of this archive"
NOT_RANKED = "{} is not among the ranked systems"


class CaseScores(NamedTuple):
    """Scores of a metric under one weighting.

    Parameters
    ----------
    segments : ndarray of shape (systems, segments)
        Scores of hypotheses.
    systems : ndarray of shape (systems,)
        Scores of systems.
    shares : ndarray of shape (systems, segments)
        Shares of segments in the weights of their system.
    """

    segments: np.ndarray
    systems: np.ndarray
    shares: np.ndarray

    def row(self, system: int, segment: int) -> list[float]:
        """Return the values of CASE_COLUMNS for a hypothesis."""
        score = self.segments[system, segment]
        of_system = self.systems[system]
        contribution = 100 * self.shares[system, segment] * score / of_system
        return [score, of_system, contribution]


def case_study(item: str, table: CaseTable, inputs: Inputs) -> Table:
    """Make the table of a case study of segments, with chunks marked in their texts.

    Parameters
    ----------
    item : str
        Name of the table.
    table : CaseTable
        The printed table, which names set, metric and hypotheses.
    inputs : Inputs
        Results of the set.

    Returns
    -------
    cells : list of Cell
        Scores of hypotheses and systems, contributions and difficulties. A contribution, in percent
        of the system's score, is the segment's share of the weights times its score.
    texts : dict of str to str
        Hypotheses by row label.
    """
    evalset, absent = read_or_reason(inputs.sets[table.set], "evalset.json")
    difficulty_file = f"difficulty/{table.difficulty}.npz"
    arrays, no_difficulty = read_or_reason(inputs.sets[table.set], difficulty_file)
    columns = _case_columns(table, inputs, evalset, absent, no_difficulty)
    cells: list[Cell] = []
    texts = {}
    for row in table.rows:
        index = None  # of the hypothesis: system and segment
        unranked = ""
        if not no_difficulty and row.system in evalset.systems:
            index = evalset.systems.index(row.system), row.segment - 1
            texts[row.label] = _with_brackets(hypothesis_pieces(evalset, arrays, *index))
        elif not no_difficulty:
            unranked = NOT_RANKED.format(row.system)
        printed = iter(row.published)
        cells += _score_cells(item, row.label, printed, columns, index, unranked)
        cells.append(
            make_cell(
                item,
                row.label,
                table.labels[-1],
                next(printed),
                3,
                arrays["difficulty"][index] if index else np.nan,
                no_difficulty or unranked,
                systems_note=inputs.other_systems_at(table.set, table.difficulty),
            )
        )
    if table.difficult_segments is not None:
        cells.append(_difficult_segments(item, table, table.difficult_segments, inputs))
    return cells, texts


class _CaseColumns(NamedTuple):
    """Columns of a case study with scores under one weighting. `scores` are None if there are none;
    the texts are fields of `Cell`."""

    label: str
    scores: CaseScores | None
    reason: str
    substitute: str
    systems_note: str


def _case_columns(
    table: CaseTable,
    inputs: Inputs,
    evalset: EvaluationSet | None,
    absent: str,
    no_difficulty: str,
) -> list[_CaseColumns]:
    """Return the columns of unweighted and of weighted scores; `absent` and `no_difficulty` are the
    reasons why there is no set or no difficulty."""
    name = table.set
    *labels, _ = table.labels
    weightings = dict(zip(labels, ("standard", table.weighting), strict=True))
    reasons = {
        label: absent or inputs.reason(name, table.metric, weighting)
        for label, weighting in weightings.items()
    }
    scores: dict[str, CaseScores] = {}
    if evalset is not None and not (no_difficulty or reasons[labels[0]]):
        systems = len(evalset.systems)
        scores = _case_scores(inputs.scores(name), systems, table.metric, weightings)
    columns = []
    for label, weighting in weightings.items():
        columns.append(
            _CaseColumns(
                label,
                scores=scores.get(label),
                reason=reasons[label],
                substitute=inputs.substitute(name, table.metric),
                systems_note=inputs.other_systems_for(name, weighting),
            )
        )
    return columns


def _score_cells(
    item: str,
    row: str,
    printed: Iterator[float | None],
    columns: list[_CaseColumns],
    index: tuple[int, int] | None,
    unranked: str,
) -> list[Cell]:
    """Return the cells with scores and contribution of a hypothesis. `index` has its system and
    segment, None if it is unknown; `unranked` is the reason if the system is not ranked."""
    cells = []
    for weighted in columns:
        values = [np.nan] * len(CASE_COLUMNS)
        if index and weighted.scores:
            values = weighted.scores.row(*index)
        for column, value in zip(CASE_COLUMNS, values, strict=True):
            cells.append(
                make_cell(
                    item,
                    row,
                    f"{weighted.label} {column}",
                    next(printed),
                    3,
                    value,
                    weighted.reason or unranked,
                    weighted.substitute,
                    systems_note=weighted.systems_note,
                )
            )
    return cells


def _case_scores(
    scores: ScoredSet, systems: int, metric: str, weightings: dict[str, str]
) -> dict[str, CaseScores]:
    """Return the scores of a metric by label of its weighting, of those that have scores."""
    by_key = scores.of(np.arange(systems))
    of_metric = {}
    for label, weighting in weightings.items():
        weighted = by_key.get((metric, weighting))
        if weighted:
            of_metric[label] = CaseScores(
                segments=segment_scores(weighted),
                systems=weighted.scores(),
                shares=weighted.segment_shares(),
            )
    return of_metric


def _with_brackets(pieces: list[Piece]) -> str:
    """Return a hypothesis with brackets around its chunks."""
    marked = "".join(f"[{text}]" if chunk >= 0 else text for text, chunk in pieces)
    return re.sub(r"[ \t]+", " ", marked).strip(" ")


def _difficult_segments(
    item: str, table: CaseTable, printed: DifficultSegments, inputs: Inputs
) -> Cell:
    """Return the cell with the number of a system's difficult segments."""
    count = np.nan
    reason = NOT_RANKED.format(printed.system)
    try:
        counts = inputs.parameters(table.set, table.weighting)["difficult_hypotheses"]
        count = counts.get(printed.system, np.nan)
    except Missing as missing:
        reason = str(missing)
    return make_cell(
        item,
        printed.label,
        "difficult segments",
        printed.published,
        0,
        count,
        reason if np.isnan(count) else "",
        systems_note=inputs.other_systems_for(table.set, table.weighting),
    )


def segment_scores(weighted: WeightedMetric) -> np.ndarray:
    """Return metric scores, (systems, segments), each computed on one hypothesis alone."""
    return weighted.aggregate(weighted.statistics, np.ones(weighted.statistics.shape[:2]))


def token_cases(item: str, table: TokenCaseTable, inputs: Inputs) -> Table:
    """Make a table of hypotheses' scores, with difficult words of the references in bold.

    Parameters
    ----------
    item : str
        Name of the table.
    table : TokenCaseTable
        The printed table, which names set, metric and hypotheses.
    inputs : Inputs
        Results of the set.

    Returns
    -------
    cells : list of Cell
        Scores of the hypotheses.
    texts : dict of str to str
        References and hypotheses by row label.
    """
    name = table.set
    metric = table.metric
    weighting = table.weighting
    evalset, absent = read_or_reason(inputs.sets[name], "evalset.json")
    reason = absent or inputs.reason(name, metric, weighting)
    texts: dict[str, str] = {}
    scores: dict[str, tuple[float, float]] = {}
    if not reason:
        best = best_systems(evalset.gold, table.size)
        best_names = [evalset.systems[system] for system in best]
        by_key = inputs.scores(name).of(best)
        plain = segment_scores(by_key[metric, "standard"])
        weighted = segment_scores(by_key[metric, weighting])
        matches = select(inputs.matches(name, metric), best)
        settings = inputs.settings[name]
        tokens = parts(weighting, settings.weightings).tokens
        estimator = settings.difficulties[settings.weightings[tokens].difficulty]
        difficulty = token_difficulty(evalset, matches, estimator)
        is_marked = difficulty >= np.quantile(difficulty, 1 - MARKED_SHARE)
        for row in table.rows:
            if row.system not in best_names:
                reason = NOT_AMONG.format(row.system, table.size)
                continue
            segment, system = row.segment - 1, best_names.index(row.system)
            case = row.label.rsplit(" ", 1)[0]
            of_segment = matches.reference_segment == segment
            texts[f"{case} Ref"] = mark_difficult(
                evalset.reference[segment].strip(),
                matches.reference_offsets[of_segment],
                is_marked[of_segment],
            )
            texts[row.label] = evalset.hypotheses[best[system]][segment]
            scores[row.label] = plain[system, segment], weighted[system, segment]
    cells = []
    # The unweighted score does not depend on the other systems.
    systems_notes = "", inputs.other_systems_for(name, weighting)
    for row in table.rows:
        ours = scores.get(row.label, (np.nan, np.nan))
        columns = zip(table.labels, row.published, ours, systems_notes, strict=True)
        for label, published, value, note in columns:
            cells.append(
                make_cell(
                    item,
                    row.label,
                    label,
                    published,
                    table.digits,
                    value,
                    reason if np.isnan(ours[0]) else "",
                    inputs.substitute(name, metric),
                    systems_note=note,
                )
            )
    return cells, texts


def mark_difficult(sentence: str, offsets: np.ndarray, difficult: np.ndarray) -> str:
    """Put ** around words with a difficult token.

    Parameters
    ----------
    sentence : str
        The sentence.
    offsets : ndarray of shape (tokens, 2)
        First character of each token, and the one after its last.
    difficult : ndarray of bool, shape (tokens,)
        Whether a token is difficult.

    Returns
    -------
    str
        The sentence with single spaces between words.
    """

    def bold(word: re.Match) -> str:
        is_difficult = any(
            max(start, word.start()) < min(end, word.end()) for start, end in offsets[difficult]
        )
        return f"**{word[0]}**" if is_difficult else word[0]

    return " ".join(re.sub(r"\S+", bold, sentence).split())


def units(evalset: EvaluationSet) -> str:
    """Return which units the word alignment of a set links: `words` or `characters`."""
    return language.default_units(evalset.pair, evalset.reference)


def hypothesis_tokens(evalset: EvaluationSet, system: int, segment: int) -> list[str]:
    """Split a hypothesis into the units that its word alignment links: words or characters.

    Parameters
    ----------
    evalset : EvaluationSet
        The set with the hypothesis.
    system, segment : int
        Indices from 0.

    Returns
    -------
    list of str
    """
    return chunk_entropy.tokenize([evalset.hypotheses[system][segment]], units(evalset))[0]


def hypothesis_pieces(
    evalset: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> list[Piece]:
    """Cut a hypothesis into chunks, as `chunk_pieces` does.

    Parameters
    ----------
    evalset : EvaluationSet
        The set with the hypothesis.
    arrays : dict of str to ndarray
        Word alignments from `chunk_entropy.align_set`.
    system, segment : int
        Indices from 0.

    Returns
    -------
    list of (str, int)
    """
    tokens = hypothesis_tokens(evalset, system, segment)
    chunks = chunks_of(arrays["links"], arrays["lengths"], system, segment)
    return chunk_pieces(evalset.hypotheses[system][segment], tokens, chunks)


def chunks_of(links: np.ndarray, lengths: np.ndarray, system: int, segment: int) -> np.ndarray:
    """Number the chunks of a hypothesis.

    Parameters
    ----------
    links : ndarray of int, shape (tokens of all hypotheses,)
        The reference token of each token, system after system; -1 for none.
    lengths : ndarray of int, shape (systems, segments)
        Lengths of the hypotheses in tokens.
    system, segment : int
        Indices from 0.

    Returns
    -------
    ndarray of int, shape (tokens,)
        The chunk of every token of the hypothesis, from 0; -1 for an unmatched token.
    """
    end = np.cumsum(lengths).reshape(lengths.shape)[system, segment]
    matched = links[end - lengths[system, segment] : end] >= 0
    begins = matched & ~np.concatenate([[False], matched[:-1]])
    return np.where(matched, np.cumsum(begins) - 1, -1)


def chunk_pieces(sentence: str, tokens: list[str], chunks: np.ndarray) -> list[Piece]:
    """Cut a sentence at the borders of chunks.

    Parameters
    ----------
    sentence : str
        The sentence.
    tokens : list of str
        Substrings of the sentence in their order.
    chunks : ndarray of int, shape (tokens,)
        Their chunks (`chunks_of`).

    Returns
    -------
    list of (str, int)
        Texts, which together are the sentence, and their chunks; -1 for white space between chunks
        and for unmatched tokens.
    """
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
    """Cut a sentence at the borders of spans.

    Parameters
    ----------
    sentence : str
        The sentence.
    spans : list of (int, int, object)
        First character, the one after the last, and a value. Text in overlapping spans (bytes of
        one character) belongs to the first span.
    nothing : int, optional
        The value of text between spans.

    Returns
    -------
    list of (str, object)
        Texts, which together are the sentence, and their values.
    """
    pieces = []
    position = 0
    for start, end, value in [*spans, (len(sentence), len(sentence), nothing)]:
        start = max(start, position)
        pieces += [(sentence[position:start], nothing), (sentence[start:end], value)]
        position = max(position, end)
    return [piece for piece in pieces if piece[0]]
