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
    """Make cells of printed inputs.

    Parameters
    ----------
    item, row : str
        Names of the table and the row.
    columns : sequence of str
        Names of columns.
    values : iterable of float or None
        Printed numbers; None is a cell that the paper leaves empty.

    Returns
    -------
    list of Cell
        Decimals are counted in the paper's file, which has no trailing zeros.
    """
    cells = []
    for column, value in zip(columns, values, strict=False):
        if value is not None:
            digits = len(str(value).partition(".")[2])
            cells.append(Cell(item, row, column, value, digits, np.nan, PRINTED, origin="given"))
    return cells


def computed_cells(
    item: str,
    row: str,
    columns: Sequence[str],
    published: Sequence[float | None],
    digits: int,
    values: Sequence[float] | np.ndarray,
) -> list[Cell]:
    """Make cells of numbers computed from printed ones.

    Parameters
    ----------
    item, row : str
        Names of the table and the row.
    columns : sequence of str
        Names of columns.
    published : sequence of float or None
        Printed numbers; without one there is no cell.
    digits : int
        Number of printed decimals.
    values : sequence of float
        Computed numbers.

    Returns
    -------
    list of Cell
    """
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
    pairs = np.array([x, y], dtype=float)
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    return np.corrcoef(pairs)[0, 1] if pairs.size else np.nan


def human_score_cells(item: str, table: HumanScoreTable, inputs: PrintedInputs) -> list[Cell]:
    """Make the cells of Table 1 of Babych et al. (2004).

    Parameters
    ----------
    item : str
        Name of the table.
    table : HumanScoreTable
        The printed table.
    inputs : PrintedInputs
        Numbers that the paper prints.

    Returns
    -------
    list of Cell
        The human scores as printed.
    """
    cells = []
    for name, scores in inputs.human.items():
        cells += given_cells(item, name, inputs.systems, scores)
    return cells


def automated_score_cells(
    item: str, table: AutomatedScoreTable, inputs: PrintedInputs
) -> list[Cell]:
    """Make the cells of Babych et al.'s Table 2.

    Parameters
    ----------
    item : str
        Name of the table.
    table : AutomatedScoreTable
        The printed table.
    inputs : PrintedInputs
        Numbers that the paper prints.

    Returns
    -------
    list of Cell
        Metric scores as printed, and their r with human scores.
    """
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
        cells += computed_cells(
            item,
            f"r {row.metric}-{row.text}",
            TEXT_COLUMNS,
            row.published,
            table.digits,
            correlations,
        )
    return cells


def readability_cells(item: str, table: ReadabilityTable, inputs: PrintedInputs) -> list[Cell]:
    """Make the cells of Babych et al.'s Table 3.

    Parameters
    ----------
    item : str
        Name of the table.
    table : ReadabilityTable
        The printed table.
    inputs : PrintedInputs
        Numbers that the paper prints.

    Returns
    -------
    list of Cell
        Readability parameters as printed, and their r with printed scores. The reasons of FR and
        FKGL cells add the values that the printed ASL and ASW imply.
    """
    cells = []
    texts = inputs.readability
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
    correlations = []
    for row in table.rows:
        scores_of_systems, _, _ = score_arrays(inputs, row.metric)
        scores = scores_of_systems[:, inputs.systems.index(row.system)]
        of_row = [pearson(parameter, scores) for parameter in parameters]
        correlations.append(of_row)
        cells += computed_cells(item, row.label, PARAMETERS, row.published, table.digits, of_row)
    means = np.mean(correlations, axis=0)
    cells += computed_cells(item, "r Average", PARAMETERS, table.average, table.digits, means)
    return cells


def normalised_score_cells(
    item: str, table: NormalisedScoreTable, inputs: PrintedInputs
) -> list[Cell]:
    """Make the cells of Babych et al.'s Table 4.

    Parameters
    ----------
    item : str
        Name of the table.
    table : NormalisedScoreTable
        The printed table.
    inputs : PrintedInputs
        Numbers that the paper prints.

    Returns
    -------
    list of Cell
        The readability factor C of each text, and C × scores.
    """
    cells = []
    texts = list(inputs.readability)
    for row in table.rows:
        text = texts.index(row.text)
        _, factors, normalised = score_arrays(inputs, row.metric)
        values = [*factors[text], *normalised[text]]
        cells += computed_cells(
            item,
            f"{row.metric}-{row.text}",
            ["C", *inputs.systems][: len(values)],
            row.published,
            table.digits,
            values,
        )
    return cells


def score_spread_cells(item: str, table: SpreadTable, inputs: PrintedInputs) -> list[Cell]:
    """Make the cells of Babych et al.'s Table 5.

    Parameters
    ----------
    item : str
        Name of the table.
    table : SpreadTable
        The printed table.
    inputs : PrintedInputs
        Numbers that the paper prints.

    Returns
    -------
    list of Cell
        Standard deviations of a system's scores over texts, their mean over systems, and the ratio
        of the raw to the normalised mean.
    """
    cells = []
    for row in table.rows:
        raw, _, normalised = score_arrays(inputs, row.metric)
        means = []
        for prefix, published, scores in (
            ("", row.raw, raw),
            ("N-", row.normalised, normalised),
        ):
            deviations = np.nanstd(scores, axis=0, ddof=1)
            mean = deviations.mean()
            means.append(mean)
            cells += computed_cells(
                item,
                f"{prefix}{row.label}-stdev",
                [*inputs.systems[: deviations.size], "Average"],
                published,
                table.digits,
                [*deviations, mean],
            )
        cells += computed_cells(
            item,
            f"{row.label} improved *X",
            ["Average"],
            [row.improved],
            table.digits,
            [means[0] / means[1]],
        )
    return cells


# Each function takes tables of its kind alone.
KINDS: dict[str, Callable[[str, Any, PrintedInputs], list[Cell]]] = {
    "automated_scores": automated_score_cells,
    "human_scores": human_score_cells,
    "normalised_scores": normalised_score_cells,
    "readability": readability_cells,
    "score_spread": score_spread_cells,
}
