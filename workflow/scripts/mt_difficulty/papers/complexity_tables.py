"""The tables of Babych, Elliott & Hartley 2004, computed from the numbers that they print.

Functions of KINDS take a table's name, the table and the `inputs` of the paper's file. Numbers are
rounded only for printing, which reproduces the paper's numbers."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..difficulty.readability import grade_level, normalise, reading_ease
from ..settings.protocol import (
    AutomatedScoreTable,
    HumanScoreTable,
    NormalisedScoreTable,
    PrintedInputs,
    Published,
    ReadabilityTable,
    SpreadTable,
)
from . import Cell

PRINTED = "the paper's texts are not public; the printed value is an input"
PARAMETERS = ("FR", "FKGL", "ASL", "ASW")
TEXT_COLUMNS = ("[flu]", "[ade/usl]")


def given_cells(
    item: str, row: str, columns: Sequence[str], values: Iterable[float | None]
) -> list[Cell]:
    """Make cells of printed inputs; None is a cell that the paper leaves empty. Decimals are
    counted in the paper's file, which has no trailing zeros."""
    places = [(c, v, len(str(v).partition(".")[2])) for c, v in zip(columns, values, strict=False)]
    return [
        Cell(item, row, column, value, digits, np.nan, PRINTED, origin="given")
        for column, value, digits in places
        if value is not None
    ]


def computed_cells(
    item: str,
    row: str,
    columns: Sequence[str],
    published: Sequence[float | None],
    digits: int,
    values: Sequence[float] | np.ndarray,
) -> list[Cell]:
    """Return a cell, with computed and published number, per column that has a published number."""
    return [
        Cell(item, row, column, printed, digits, value, origin="printed")
        for column, printed, value in zip(columns, published, values, strict=True)
        if printed is not None
    ]


def score_arrays(inputs: PrintedInputs, metric: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three arrays of a metric: printed scores, (texts, systems), NaN for none; factors C =
    (ASW / ASW of the reference)^p, (texts, 1); normalised scores, C × score (Section 6)."""
    scores = np.array(list(inputs.scores[metric].values()), dtype=float)
    asw = np.array([[text.ASW] for text in inputs.readability.values()], dtype=float)
    reference = inputs.readability[inputs.reference].ASW
    factors = normalise(1, asw, reference, inputs.powers[metric])
    return scores, factors, factors * scores


def pearson(x: ArrayLike | Published, y: ArrayLike | Published) -> float:
    """Return Pearson's r of x and y over the pairs without NaN or None; NaN if there is no such
    pair."""
    both = np.array([x, y], dtype=float)
    both = both[:, ~np.isnan(both).any(axis=0)]
    return np.corrcoef(both)[0, 1] if both.size else np.nan


def human_score_cells(item: str, table: HumanScoreTable, inputs: PrintedInputs) -> list[Cell]:
    """Return the cells of Table 1 of Babych et al. (2004): the human scores as printed."""
    cells = []
    for name, scores in inputs.human.items():
        cells += given_cells(item, name, inputs.systems, scores)
    return cells


def automated_score_cells(
    item: str, table: AutomatedScoreTable, inputs: PrintedInputs
) -> list[Cell]:
    """Return the cells of Babych et al.'s Table 2: metric scores, and their r with human scores."""
    cells = []
    for metric, texts in inputs.scores.items():
        for text, values in texts.items():
            cells += given_cells(item, f"{metric}-{text}", inputs.systems, values)
    for row in table.rows:
        scores = inputs.scores[row.metric][row.text]
        correlations = []
        for name in row.human:
            human: Published = [None] * len(scores)
            if name is not None:
                human = inputs.human[name][: len(scores)]
            correlations.append(pearson(scores, human))
        place = item, f"r {row.metric}-{row.text}", TEXT_COLUMNS, row.published
        cells += computed_cells(*place, table.digits, correlations)
    return cells


def readability_cells(item: str, table: ReadabilityTable, inputs: PrintedInputs) -> list[Cell]:
    """Make the cells of Table 3: printed readability parameters, and their r with printed scores.
    The reasons of FR and FKGL cells add the values that the printed ASL and ASW imply."""
    cells, correlations, texts = [], [], inputs.readability
    for text, printed in texts.items():
        asl, asw = np.array([printed.ASL, printed.ASW], dtype=float)
        implied = {"FR": reading_ease(asl, asw), "FKGL": grade_level(asl, asw)}
        values = [getattr(printed, name) for name in PARAMETERS]
        for cell in given_cells(item, text, PARAMETERS, values):
            if cell.column in implied:
                value = f"{implied[cell.column]:.{cell.digits}f}"
                cell = cell._replace(reason=f"{PRINTED} (ASL and ASW as printed give {value})")
            cells.append(cell)
    parameters = [[getattr(text, name) for text in texts.values()] for name in PARAMETERS]
    for row in table.rows:
        of_metric, *_ = score_arrays(inputs, row.metric)
        scores = of_metric[:, inputs.systems.index(row.system)]
        correlations.append([pearson(parameter, scores) for parameter in parameters])
        place = item, row.label, PARAMETERS, row.published, table.digits
        cells += computed_cells(*place, correlations[-1])
    place = item, "r Average", PARAMETERS, table.average, table.digits
    return cells + computed_cells(*place, np.mean(correlations, axis=0))


def normalised_score_cells(
    item: str, table: NormalisedScoreTable, inputs: PrintedInputs
) -> list[Cell]:
    """Return cells of Babych et al.'s Table 4: readability factor C of a text, and C × scores."""
    cells, texts = [], list(inputs.readability)
    for row in table.rows:
        metric, at = row.metric, texts.index(row.text)
        _, factors, normalised = score_arrays(inputs, metric)
        values = [*factors[at], *normalised[at]]
        columns = ["C", *inputs.systems][: len(values)]
        place = item, f"{metric}-{row.text}", columns, row.published, table.digits
        cells += computed_cells(*place, values)
    return cells


def score_spread_cells(item: str, table: SpreadTable, inputs: PrintedInputs) -> list[Cell]:
    """Make the cells of Table 5: standard deviations of a system's scores over texts, their mean
    over systems, and the ratio of the raw to the normalised mean."""
    cells, digits = [], table.digits
    for row in table.rows:
        means, label = [], row.label
        raw, _, normalised = score_arrays(inputs, row.metric)
        for start, published, scores in (("", row.raw, raw), ("N-", row.normalised, normalised)):
            values = np.nanstd(scores, axis=0, ddof=1)
            means.append(values.mean())
            columns = [*inputs.systems[: values.size], "Average"]
            place = item, f"{start}{label}-stdev", columns, published
            cells += computed_cells(*place, digits, [*values, means[-1]])
        place = item, f"{label} improved *X", ["Average"], [row.improved]
        cells += computed_cells(*place, digits, [means[0] / means[1]])
    return cells


# Each function takes tables of its kind alone.
KINDS: dict[str, Callable[[str, Any, PrintedInputs], list[Cell]]] = {
    "automated_scores": automated_score_cells,
    "human_scores": human_score_cells,
    "normalised_scores": normalised_score_cells,
    "readability": readability_cells,
    "score_spread": score_spread_cells,
}
