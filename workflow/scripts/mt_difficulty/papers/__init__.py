"""Tables of the papers (published numbers beside ours), and their audit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet, SetFiles, read_set
from ..difficulty import make_estimator
from ..embedding import Matches, rescaled_matches
from ..errors import Missing
from ..evidence.subsets import CORRELATIONS
from ..scores import ScoredSet
from ..settings import DifficultySettings, ScoreSettings
from ..weighting.base import STANDARD, Parameters
from ..weighting.fitted import TUNED, TUNED_NOTE

if TYPE_CHECKING:
    from ..settings.protocol import ItemInputs, PrintedInputs

READING = "Ours [published]."
SYMBOLS = dict(zip(CORRELATIONS, ("r", "τ", "ρ"), strict=True))


class Cell(NamedTuple):
    """A cell of a paper's table.

    Parameters
    ----------
    item, row, column : str
        Names of the table, row and column.
    published, reproduced : float
        The paper's number and ours. NaN if there is none; of ours, `reason` says why.
    digits : int
        Number of printed decimals.
    reason : str
        Why there is no number of ours, or what a reader must know of it.
    substitute : str
        How our encoder differs from the paper's; empty if it is the same.
    tuned : str
        `yes` if parameters were chosen with human scores of the set.
    origin : {"data", "printed", "given"}
        What our number is computed from; `given` is a printed number that the protocol takes over.
    systems_note : str
        How the number of systems that ours depends on differs from the paper's; empty if it is the
        same, or if ours is the same for any number.
    absolute : str
        `yes` if the paper prints the absolute value. Ours has its sign.
    """

    item: str
    row: str
    column: str
    published: float
    digits: int
    reproduced: float
    reason: str = ""
    substitute: str = ""
    tuned: str = ""
    origin: str = "data"
    systems_note: str = ""
    absolute: str = ""


# Cells of a table, and sentences by row label.
Table = tuple[list[Cell], dict[str, str]]


def make_cell(
    item: str, row: str, column: str, published: float | None, *values: Any, **fields: Any
) -> Cell:
    """Make a cell of a paper's table.

    Parameters
    ----------
    item, row, column : str
        Names of the table, row and column.
    published : float or None
        The paper's number; None, if no number is printed, becomes NaN.
    *values, **fields
        The other fields of `Cell`, in its order or by name.

    Returns
    -------
    Cell
        A cell without a number of ours depends on no systems: its `systems_note` is empty.
    """
    cell = Cell(item, row, column, np.nan if published is None else published, *values, **fields)
    return cell._replace(systems_note="") if np.isnan(cell.reproduced) else cell


def compared(cells: pd.DataFrame) -> pd.Series:
    """Return our numbers as they are compared with the printed ones: without their sign where the
    paper prints absolute values. `cells` is a table of `Cell`s."""
    return cells.reproduced.mask(cells.absolute == "yes", cells.reproduced.abs())


def layout(cells: list[Cell], texts: dict[str, str] | None = None) -> pd.DataFrame:
    """Lay out cells as the printed table: rows × columns of `ours [published]`, in the order of the
    cells. `texts` has a sentence by row label, the last column; its rows come first. `–` is a
    missing number; † a substitute encoder, ‡ another number of systems, § parameters tuned on the
    set; empty: no numbers."""
    texts = texts or {}
    by_label = {(cell.row, cell.column): _in_brackets(cell) for cell in cells}
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys([*texts, *(cell.row for cell in cells)]))
    frame = pd.DataFrame(
        [[row, *(by_label.get((row, column), "") for column in columns)] for row in rows],
        columns=["", *columns],
    )
    if not texts:
        return frame
    return frame.assign(Sentence=[texts.get(row, "") for row in rows])


def _in_brackets(cell: Cell) -> str:
    """Return a cell's numbers as `ours [published]`, ours with its marks; empty without numbers."""
    ours = published = "–"
    if not np.isnan(cell.published):
        published = f"{cell.published:.{cell.digits}f}"
    if not np.isnan(cell.reproduced):
        ours = f"{cell.reproduced:.{cell.digits}f}"
        marks = (("†", cell.substitute), ("‡", cell.systems_note), (TUNED, cell.tuned))
        ours += "".join(mark for mark, applies in marks if applies)
    if published != "–":
        return f"{ours} [{published}]"
    return "" if ours == "–" else ours


def to_markdown(frame: pd.DataFrame, *paragraphs: str, notes: Sequence[str] = ()) -> str:
    """Return a table as Markdown, with `paragraphs` above and `notes` below it."""
    table = frame.to_markdown(index=False, disable_numparse=True)
    return "\n\n".join([*paragraphs, table, *notes]) + "\n"


def to_latex(frame: pd.DataFrame, caption: str, label: str, notes: Sequence[str] = ()) -> str:
    """Return a LaTeX table; it needs booktabs and, for Greek letters, XeLaTeX or LuaLaTeX.

    Parameters
    ----------
    frame : DataFrame
        The table from `layout`.
    caption : str
        The printed caption.
    label : str
        Name of the table in references.
    notes : sequence of str
        Sentences after the caption.

    Returns
    -------
    str
    """
    text = " ".join([caption, READING, *notes])
    body = frame.to_latex(index=False, escape=True, caption=text, label=f"tab:{label}")
    body = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", body)
    return f"% Needs \\usepackage{{booktabs}} and XeLaTeX or LuaLaTeX.\n{body}"


def notes(cells: list[Cell]) -> list[str]:
    """Return the notes below a table, if any: † on substitute encoders, ‡ on other numbers of
    systems, § on tuned weightings."""
    substitutes = dict.fromkeys(cell.substitute for cell in cells if cell.substitute)
    systems = dict.fromkeys(cell.systems_note for cell in cells if cell.systems_note)
    texts = [f"† {substitute}; not compared with the paper." for substitute in substitutes]
    texts += [f"‡ {of_set}; not compared with the paper." for of_set in systems]
    if any(cell.tuned for cell in cells):
        texts.append(TUNED_NOTE)
    return texts


@dataclass(frozen=True)
class Inputs:
    """Results and settings for an item (table, figure, claims) of a paper.

    Parameters
    ----------
    sets : dict of str to SetFiles
        Result files of each set.
    paper_files : SetFiles
        Result files of the paper.
    systems : dict of str to int
        The paper's number of systems by set.
    types : dict of str to str
        Types of metrics by name.
    left_out : dict of str to str
        Why a metric is absent, by metric.
    substitutes : dict of str to dict of str to str
        By set and metric, the encoder that is used instead of the paper's.
    tuned : mapping of str to collection of str
        Weightings fitted to the set's human scores, by set.
    settings : dict of str to ScoreSettings
        Settings of metrics, difficulties and weightings by set.
    printed : PrintedInputs, optional
        Numbers that the paper prints.
    """

    sets: dict[str, SetFiles]
    paper_files: SetFiles = field(default_factory=lambda: SetFiles(""))
    systems: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    substitutes: dict[str, dict[str, str]] = field(default_factory=dict)
    tuned: Mapping[str, Collection[str]] = field(default_factory=dict)
    settings: dict[str, ScoreSettings] = field(default_factory=dict)
    printed: PrintedInputs | None = None

    def other_systems(self, name: str) -> str:
        """Return how the number of a set's ranked systems differs from the paper's; "" if it is the
        same, if there is no such set, or if the paper does not give a number."""
        evalset = self.sets[name].optional("evalset.json")
        expected = self.systems.get(name)
        if evalset is None or expected in (None, len(evalset.systems)):
            return ""
        return f"{len(evalset.systems)} systems in this archive, {expected} in the paper"

    def other_systems_for(self, name: str, weighting: str) -> str:
        """Return `other_systems` of a set for scores that depend on its other systems; "" if a
        system's scores under the weighting are the same whichever other systems there are. They
        are so for the unweighted metric, and for difficulties that are estimated for each system
        alone with parameters that are given, not fitted."""
        described = self.sets[name].optional("weightings.json")
        if weighting == STANDARD or described is None:
            return ""
        entry = described["weightings"][weighting]
        origins = [text for key, text in entry["parameters"].items() if key.endswith("_from")]
        if not origins or any(origin != "given" for origin in origins):
            return self.other_systems(name)
        return self.other_systems_at(name, entry["difficulty"])

    def other_systems_at(self, name: str, difficulty: str) -> str:
        """Return `other_systems` of a set for a difficulty that is estimated over systems; "" for
        one that is estimated for each system alone. A combined weighting's two difficulties, joined
        by +, count as estimated over systems."""
        described = self.sets[name].optional("weightings.json") or {"difficulties": {}}
        entry = described["difficulties"].get(difficulty)
        if entry is not None and not entry["depends_on_systems"]:
            return ""
        return self.other_systems(name)

    def reason(self, name: str, metric: str, weighting: str) -> str:
        """Say why a metric has no scores.

        Parameters
        ----------
        name : str
            Name of the set.
        metric, weighting : str
            Names of the metric and the weighting.

        Returns
        -------
        str
            Empty if the metric has scores.
        """
        missing = self.sets[name].missing_scores()
        return self.left_out.get(metric) or missing.get((metric, weighting), "")

    def parameters(self, name: str, weighting: str) -> Parameters:
        """Return a weighting's parameters and `notices` on a set; raises `Missing` without them."""
        entry = self.sets[name].read("weightings.json")["weightings"][weighting]
        if not entry["parameters"]:
            raise Missing(entry["missing"])
        return entry["parameters"] | {"notices": entry["notices"]}

    def scores(self, name: str) -> ScoredSet:
        """Return a set's metric scores under the weightings that the table or figure uses."""
        settings = self.settings[name]
        files = self.sets[name]
        described = {}
        for kind, entries in files.read("weightings.json").items():
            used = getattr(settings, kind)
            described[kind] = {key: entry for key, entry in entries.items() if key in used}
        contents = files.contents | {"weightings.json": described}
        return ScoredSet(replace(files, contents=contents), settings)

    def matches(self, name: str, metric: str) -> Matches:
        """Return a metric's token similarities on a set; raises `Missing` if there are none."""
        if metric in self.left_out:
            raise Missing(self.left_out[metric])
        return rescaled_matches(self.sets[name].read(self.settings[name].matches[metric]))[0]

    def substitute(self, name: str, metric: str) -> str:
        """Return how a metric's encoder on a set differs from the paper's; "" if it is the same."""
        return self.substitutes.get(name, {}).get(metric, "")


def read_inputs(files: Iterable[Any], paper: str, fields: ItemInputs) -> Inputs:
    """Read what an item of a paper is made from.

    Parameters
    ----------
    files : iterable of path
        Result files.
    paper : str
        Name of the paper.
    fields : ItemInputs
        The other fields of `Inputs`.

    Returns
    -------
    Inputs
    """
    paths = list(map(str, files))
    sets = {name: read_set(name, paths) for name in fields["sets"]}
    return Inputs(
        sets=sets,
        paper_files=read_set(f"papers/{paper}", paths),
        systems=fields["systems"],
        types=fields["types"],
        left_out=fields["left_out"],
        substitutes=fields["substitutes"],
        tuned=fields["tuned"],
        settings=fields["settings"],
        printed=fields["printed"],
    )


def read_or_reason(files: SetFiles, file: str) -> tuple[Any, str]:
    """Return a result file's content and "", or None and the reason why the result is missing."""
    try:
        return files.read(file), ""
    except Missing as reason:
        return None, str(reason)


def token_difficulty(
    evalset: EvaluationSet, matches: Matches, settings: DifficultySettings
) -> np.ndarray:
    """Estimate a difficulty of reference tokens from the systems of the matches.

    Parameters
    ----------
    evalset : EvaluationSet
        Texts of the set.
    matches : Matches
        Token matches.
    settings : DifficultySettings
        The estimator.

    Returns
    -------
    ndarray of shape (tokens,)
        Higher is harder; values that differ between systems are averaged.
    """
    estimator = make_estimator(settings)
    values = estimator.estimate(evalset, matches)
    return estimator.difficulty(values, np.arange(len(values))).mean(axis=0)
