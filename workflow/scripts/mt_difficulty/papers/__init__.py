"""Tables of the papers (published numbers beside ours), and their audit."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet, SetFiles, read_set
from ..difficulty import make_estimator
from ..embedding import Matches, rescaled_matches
from ..errors import Missing
from ..evidence.subsets import CORRELATIONS
from ..scores import ScoredSet
from ..weighting.fitted import TUNED, TUNED_NOTE

READING = "Ours [published]."
SYMBOLS = dict(zip(CORRELATIONS, ("r", "τ", "ρ"), strict=True))


class Cell(NamedTuple):
    """A cell of a paper's table. `published` is NaN if the paper has no number, `reproduced` if we
    have none (`reason` says why). `digits` counts printed decimals. `substitute` names the encoder
    used instead of the paper's, if any. `tuned` is yes if parameters were chosen with human scores
    of the set. `origin` is `data` or `printed`, from which our number is computed, or `given` for a
    published number that the protocol takes over."""

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


# Cells of a table, and sentences by row label.
Table = tuple[list[Cell], dict[str, str]]


def make_cell(
    item: str, row: str, column: str, published: float | None, *values: Any, **fields: Any
) -> Cell:
    """Return a `Cell` of a paper's table; `published` None (no number printed) becomes NaN."""
    return Cell(item, row, column, np.nan if published is None else published, *values, **fields)


def layout(cells: list[Cell], texts: dict[str, str] | None = None) -> pd.DataFrame:
    """Lay out cells as the printed table: rows × columns of `ours [published]`, in the order of the
    cells. `texts` has a sentence by row label, the last column; its rows come first. `–` is a
    missing number; † a substitute encoder, § parameters tuned on the set; empty: no numbers."""
    values: dict[tuple[str, str], str] = {}
    for cell in cells:
        ours, published = (
            "–" if np.isnan(value) else f"{value:.{cell.digits}f}"
            for value in (cell.reproduced, cell.published)
        )
        if ours != "–":
            ours += "†" * bool(cell.substitute) + TUNED * bool(cell.tuned)
        text = ours if published == "–" else f"{ours} [{published}]"
        values[cell.row, cell.column] = "" if text == "–" else text
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys([*(texts or {}), *(cell.row for cell in cells)]))
    frame = pd.DataFrame(
        [[row, *(values.get((row, column), "") for column in columns)] for row in rows],
        columns=["", *columns],
    )
    return frame.assign(Sentence=[texts.get(row, "") for row in rows]) if texts else frame


def to_markdown(frame: pd.DataFrame, *paragraphs: str, notes: Sequence[str] = ()) -> str:
    """Return a table as Markdown, with `paragraphs` above and `notes` below it."""
    table = frame.to_markdown(index=False, disable_numparse=True)
    return "\n\n".join([*paragraphs, table, *notes]) + "\n"


def to_latex(frame: pd.DataFrame, caption: str, label: str, notes: Sequence[str] = ()) -> str:
    """Return a LaTeX table; it needs booktabs and, for Greek letters, XeLaTeX or LuaLaTeX."""
    text = " ".join([caption, READING, *notes])
    body = frame.to_latex(index=False, escape=True, caption=text, label=f"tab:{label}")
    body = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", body)
    return f"% Needs \\usepackage{{booktabs}} and XeLaTeX or LuaLaTeX.\n{body}"


def notes(cells: list[Cell]) -> list[str]:
    """Return the notes below a table, if any: † on substitute encoders, § on tuned weightings."""
    substitutes = dict.fromkeys(cell.substitute for cell in cells if cell.substitute)
    texts = [f"† {substitute}; not compared with the paper." for substitute in substitutes]
    return texts + [TUNED_NOTE] * any(cell.tuned for cell in cells)


@dataclass(frozen=True)
class Inputs:
    """Results and settings for an item (table, figure, claims) of a paper. `paper_files` and `sets`
    are result files of the paper and of each set, `printed` numbers that the paper prints. By set:
    `systems`, the paper's number of systems; `tuned`, weightings fitted to the set's human scores;
    `substitutes`, the encoder used for a metric instead of the paper's; and `settings` of metrics,
    difficulties and weightings. By metric: `types`, and `left_out`, why it is absent."""

    sets: dict[str, SetFiles]
    paper_files: SetFiles = field(default_factory=lambda: SetFiles(""))
    systems: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    substitutes: dict[str, dict[str, str]] = field(default_factory=dict)
    tuned: dict[str, Collection[str]] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, Any] = field(default_factory=dict)

    def note(self, name: str) -> str:
        """Return a note if set `name` has another number of systems than in the paper, else ""."""
        there, expected = len(self.sets[name].read("evalset.json").systems), self.systems[name]
        return f"{there} systems in this archive, {expected} in the paper" * (there != expected)

    def reason(self, name: str, metric: str, weighting: str) -> str:
        """Return why a metric has no scores under a weighting on a set; "" if it has scores."""
        missing = self.sets[name].missing_scores()
        return self.left_out.get(metric) or missing.get((metric, weighting), "")

    def parameters(self, name: str, weighting: str) -> dict[str, Any]:
        """Return a weighting's parameters and `notices` on a set; raises `Missing` without them."""
        entry = self.sets[name].read("weightings.json")["weightings"][weighting]
        if not entry["parameters"]:
            raise Missing(entry["missing"])
        return entry["parameters"] | {"notices": entry["notices"]}

    def scores(self, name: str) -> ScoredSet:
        """Return a set's metric scores under the weightings that the table or figure uses."""
        settings, files = self.settings[name], self.sets[name]
        described = {
            kind: {key: entry for key, entry in entries.items() if key in settings[kind]}
            for kind, entries in files.read("weightings.json").items()
        }
        contents = files.contents | {"weightings.json": described}
        return ScoredSet(replace(files, contents=contents), settings)

    def matches(self, name: str, metric: str) -> Matches:
        """Return a metric's token similarities on a set; raises `Missing` if there are none."""
        if metric in self.left_out:
            raise Missing(self.left_out[metric])
        return rescaled_matches(self.sets[name].read(self.settings[name]["matches"][metric]))[0]

    def substitute(self, name: str, metric: str) -> str:
        """Return how a metric's encoder on a set differs from the paper's; "" if it is the same."""
        return self.substitutes.get(name, {}).get(metric, "")


def read_inputs(files: Iterable[Any], paper: str, fields: Mapping[str, Any]) -> Inputs:
    """Return a paper's `Inputs`: results read from the paths `files`, the rest from `fields`."""
    paths = list(map(str, files))
    sets = {name: read_set(name, paths) for name in fields["sets"]}
    return Inputs(**{**fields, "sets": sets}, paper_files=read_set(f"papers/{paper}", paths))


def read_or_reason(files: SetFiles, file: str) -> tuple[Any, str]:
    """Return a result file's content and "", or None and the reason why the result is missing."""
    try:
        return files.read(file), ""
    except Missing as reason:
        return None, str(reason)


def token_difficulty(
    evalset: EvaluationSet, matches: Matches, settings: Mapping[str, Any]
) -> np.ndarray:
    """Return a difficulty of reference tokens, (tokens,), estimated by its settings from the
    systems of the matches; values that differ between systems are averaged."""
    estimator = make_estimator(settings)
    values = estimator.estimate(evalset, matches)
    return estimator.difficulty(values, np.arange(len(values))).mean(axis=0)
