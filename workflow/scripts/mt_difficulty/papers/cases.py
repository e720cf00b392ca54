"""Tables about a few systems or segments: rankings, and case studies with their sentences."""

from typing import Any

import numpy as np

from .tables import Cell, make_cell

CASE_COLUMNS = ("segment", "system", "contribution %")
MARKED_SHARE = 0.1  # of a set's tokens; those are marked as difficult


def ranking_cells(
    item: str,
    table: dict,
    scores: dict[tuple[str, str], dict],
    gold: dict[str, float],
    reasons: dict,
    substitutes: dict[str, str],
) -> list[Cell]:
    """Scores of the best systems, and how their ranks differ from human ones.

    Parameters
    ----------
    scores : dict of (metric, weighting) to dict
        Score by system.
    gold : dict
        Human score by system.
    reasons : dict of (metric, weighting) to str
        Why a score does not exist.
    substitutes : dict of metric to str

    Returns
    -------
    list of Cell
        A column's ΔRank is the human rank less the metric's: positive is ranked above people's.
    """
    cells, human = [], _ranks(gold)
    for row in table["rows"]:
        absent = "" if row["system"] in gold else not_among(row["system"], table["size"])
        for number, column in enumerate(table["columns"]):
            label, key = column["label"], (column["metric"], column["weighting"])
            printed = row["published"][2 * number : 2 * number + 2] or [np.nan, np.nan]
            score = scores.get(key, {}).get(row["system"], np.nan) * column.get("scale", 1)
            change = human.get(row["system"], np.nan) - _ranks(
                scores.get(key, {}), column["higher_is_better"]
            ).get(row["system"], np.nan)
            for name, value, published, digits in (
                (label, score, printed[0], table["digits"]),
                (f"{label} ΔRank", change, printed[1], 0),
            ):
                reason = reasons.get(key) or absent
                substitute = substitutes.get(column["metric"], "")
                cells.append(
                    make_cell(
                        item, row["label"], name, published, digits, value, reason, substitute
                    )
                )
        value, why = gold.get(row["system"], np.nan), reasons.get("gold") or absent
        cells.append(make_cell(item, row["label"], "HUMAN", row["human"], 3, value, why))
    return cells + _sums(table, cells)


def not_among(system: str, size: int) -> str:
    """The reason of a system that is not among the best."""
    return f"{system} is not among the best {size} of this archive"


def not_ranked(system: str) -> str:
    """The reason of a system that a set lacks."""
    return f"{system} is not among the ranked systems"


def with_note(cells: list[Cell], note: str) -> list[Cell]:
    """Cells that say where the archive's systems are not the paper's."""
    return [cell if cell.reason else cell._replace(reason=note) for cell in cells]


def _sums(table: dict, cells: list[Cell]) -> list[Cell]:
    found = []
    printed = [*table.get("sums", []), *[np.nan] * len(table["columns"])]
    for column, published in zip(table["columns"], printed, strict=False):
        name = f"{column['label']} ΔRank"
        changes = [cell for cell in cells if cell.column == name]
        value = np.sum(np.abs([cell.reproduced for cell in changes]))
        reason = next((cell.reason for cell in changes if cell.reason), "")
        total = changes[0]._replace(row="sum(|ΔRank|)", published=published, reproduced=value)
        found.append(total._replace(reason=reason))
    return found


def _ranks(scores: dict[str, float], higher_is_better: bool = True) -> dict[str, int]:
    """Rank by name, 1 for the best; ties in the given order."""
    ordered = sorted(scores, key=lambda name: scores[name], reverse=higher_is_better)
    return {name: rank for rank, name in enumerate(ordered, 1)}


def case_cells(
    item: str,
    table: dict,
    values: dict[tuple[str, int], dict[str, Any]],
    reasons: dict[str, str],
    substitute: str,
) -> list[Cell]:
    """Cells of a case study of segments.

    Parameters
    ----------
    values : dict of (system, segment from 1) to dict
        By the labels of the table: of the plain and the weighted score (segment, system, share),
        the segment's score, the system's, and the segment's share of the weights; and of the
        difficulty its value. A label that is not there has no value.
    reasons : dict of str to str
        Why all values of a label, or of a system, do not exist.
    """
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


def token_case_cells(
    item: str,
    table: dict,
    scores: dict[tuple[str, int], tuple[float, float]],
    reason: str,
    substitute: str,
) -> list[Cell]:
    """Cells of a case study of tokens.

    Parameters
    ----------
    scores : dict of (system, segment from 1) to (float, float)
        The plain and the weighted score of the segment.
    reason : str
        Why scores do not exist.
    """
    cells = []
    for row in table["rows"]:
        ours = scores.get((row["system"], row["segment"]), (np.nan, np.nan))
        why = reason if np.isnan(ours[0]) else ""
        for name, published, value in zip(table["labels"], row["published"], ours, strict=True):
            digits = table["digits"]
            cells.append(
                make_cell(item, row["label"], name, published, digits, value, why, substitute)
            )
    return cells


def mark_difficult(sentence: str, offsets: np.ndarray, difficult: np.ndarray) -> str:
    """A sentence whose words are bold that hold a difficult token.

    Parameters
    ----------
    sentence : str
    offsets : ndarray, (tokens, 2)
    difficult : ndarray of bool, (tokens,)
    """
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
