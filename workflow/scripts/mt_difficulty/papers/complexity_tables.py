"""The tables of Babych, Elliott & Hartley 2004, computed from the numbers that they print.

Every function takes a table's name, its entry in the paper's file and the file's `inputs`, and
gives a list of cells. Numbers are rounded only to be printed: that is how all of the paper's
follow.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from ..difficulty.readability import grade_level, normalise, reading_ease
from .cells import Cell

PRINTED = "the paper's texts are not public; the printed value is an input"
PARAMETERS = ("FR", "FKGL", "ASL", "ASW")
TEXT_COLUMNS = ("[flu]", "[ade/usl]")


def given_cells(
    item: str, row: str, columns: Sequence[str], values: Iterable[float | None]
) -> list[Cell]:
    """Cells of printed inputs; None is a cell that the paper leaves empty. They have as many
    decimals as in the paper's file, which has no trailing zeros."""
    return [
        Cell(
            *(item, row, column, value, len(str(value).partition(".")[2]), np.nan, PRINTED),
            origin="given",
        )
        for column, value in zip(columns, values, strict=False)
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
    """Cells of computed numbers beside the published ones."""
    return [
        Cell(item, row, column, printed, digits, value, origin="printed")
        for column, printed, value in zip(columns, published, values, strict=True)
        if printed is not None
    ]


def score_array(inputs: dict, metric: str) -> np.ndarray:
    """A metric's printed scores, (texts, systems); NaN where there is none."""
    return np.array(list(inputs["scores"][metric].values()), dtype=float)


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r over the places where both sides have a number."""
    known = ~(np.isnan(x) | np.isnan(y))
    return np.corrcoef(x[known], y[known])[0, 1]


def normalised_array(inputs: dict, metric: str) -> np.ndarray:
    """A metric's normalised scores, (texts, systems), Section 6."""
    reference = inputs["readability"][inputs["reference"]]["ASW"]
    asw = np.array([[text["ASW"]] for text in inputs["readability"].values()], dtype=float)
    return normalise(score_array(inputs, metric), asw, reference, inputs["powers"][metric])


def human_score_cells(item: str, table: dict, inputs: dict) -> list[Cell]:
    """Table 1: nothing is computed."""
    cells = []
    for row, values in inputs["human"].items():
        cells += given_cells(item, row, inputs["systems"], values)
    return cells


def automated_score_cells(item: str, table: dict, inputs: dict) -> list[Cell]:
    """Table 2: printed scores; Pearson's r with human scores over the systems."""
    cells = []
    for metric, texts in inputs["scores"].items():
        for text, values in texts.items():
            cells += given_cells(item, f"{metric}-{text}", inputs["systems"], values)
    for row in table["rows"]:
        scores = np.array(inputs["scores"][row["metric"]][row["text"]], dtype=float)
        human = [inputs["human"].get(name, [None] * 5)[: scores.size] for name in row["human"]]
        values = [pearson(scores, np.array(h, dtype=float)) if any(h) else np.nan for h in human]
        place = item, f"r {row['metric']}-{row['text']}", TEXT_COLUMNS, row["published"]
        cells += computed_cells(*place, table["digits"], values)
    return cells


def readability_cells(item: str, table: dict, inputs: dict) -> list[Cell]:
    """Table 3: the printed parameters, and r of them and the printed scores. FR and FKGL say beside
    the reason what the printed ASL and ASW would make them."""
    cells, correlations = [], []
    for text, printed in inputs["readability"].items():
        asl, asw = printed["ASL"], printed["ASW"]
        implied = {"FR": reading_ease(asl, asw), "FKGL": grade_level(asl, asw)}
        for cell in given_cells(item, text, PARAMETERS, (printed[name] for name in PARAMETERS)):
            if cell.column in implied:
                value = f"{implied[cell.column]:.{cell.digits}f}"
                cell = cell._replace(reason=f"{PRINTED} (ASL and ASW as printed give {value})")
            cells.append(cell)
    for row in table["rows"]:
        scores = score_array(inputs, row["metric"])[:, inputs["systems"].index(row["system"])]
        texts = inputs["readability"].values()
        values = [np.array([text[name] for text in texts], dtype=float) for name in PARAMETERS]
        correlations.append([pearson(parameter, scores) for parameter in values])
        place = item, row["label"], PARAMETERS, row["published"], table["digits"]
        cells += computed_cells(*place, correlations[-1])
    place = item, "r Average", PARAMETERS, table["average"], table["digits"]
    return cells + computed_cells(*place, np.mean(correlations, axis=0))


def normalised_score_cells(item: str, table: dict, inputs: dict) -> list[Cell]:
    """Table 4: C = (ASW / ASW of the reference)^p, and C × score."""
    cells, places = [], list(inputs["readability"])
    reference = inputs["readability"][inputs["reference"]]["ASW"]
    for row in table["rows"]:
        metric, text = row["metric"], row["text"]
        asw, power = inputs["readability"][text]["ASW"], inputs["powers"][metric]
        values = normalised_array(inputs, metric)[places.index(text)]
        columns = ["C", *inputs["systems"][: values.size]]
        place = item, f"{metric}-{text}", columns, row["published"], table["digits"]
        cells += computed_cells(*place, [float(normalise(1, asw, reference, power)), *values])
    return cells


def score_spread_cells(item: str, table: dict, inputs: dict) -> list[Cell]:
    """Table 5: sample standard deviations over the texts that a system has, their mean over the
    systems, and the ratio of these means."""
    cells, digits = [], table["digits"]
    for row in table["rows"]:
        means, label = [], row["label"]
        for start, name, scores in (
            ("", "raw", score_array),
            ("N-", "normalised", normalised_array),
        ):
            values = np.nanstd(scores(inputs, row["metric"]), axis=0, ddof=1)
            means.append(values.mean())
            columns = [*inputs["systems"][: values.size], "Average"]
            place = item, f"{start}{label}-stdev", columns, row[name]
            cells += computed_cells(*place, digits, [*values, means[-1]])
        place = item, f"{label} improved *X", ["Average"], [row["improved"]]
        cells += computed_cells(*place, digits, [means[0] / means[1]])
    return cells


KINDS = {
    "automated_scores": automated_score_cells,
    "human_scores": human_score_cells,
    "normalised_scores": normalised_score_cells,
    "readability": readability_cells,
    "score_spread": score_spread_cells,
}
