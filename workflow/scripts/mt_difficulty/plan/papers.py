"""Files of papers: their sets, tables, figures and claims, as pydantic models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ..data.text_files import read_yaml
from ..errors import InputError, nearest
from ..weighting.base import STANDARD
from .base import Members
from .config import Difficulties, Metric, Weightings
from .validation import UNSET, Closed, Content, NonEmpty, problems, unknown

Published = list[Any]  # printed numbers, in the order of a table's columns
Number = int | float
Names = list[str]
ItemName = str | list[str]  # of one table or figure, or of several


# Tables


class Item(Closed):
    """A table or figure of a paper."""

    caption: str


class SetColumn(Closed):
    """A column of a table about an evaluation set."""

    label: str
    set: str


class SubsetColumn(SetColumn):
    """A column of correlations on a subset of systems."""

    subset: str
    size: int = UNSET


class ScoreRow(Closed):
    """A row of correlations of a metric under a weighting."""

    metric: str
    weighting: str
    label: str = UNSET
    published: Published = UNSET


class CorrelationTable(Item):
    kind: Literal["correlations"]
    columns: list[SubsetColumn]
    rows: list[ScoreRow]
    gains: Content = UNSET
    draws: int = UNSET
    absolute: bool = UNSET
    digits: int = UNSET


class ParameterRow(Closed):
    parameter: str
    published: Published


class ParameterTable(Item):
    kind: Literal["parameters"]
    weighting: str
    columns: list[SetColumn]
    rows: list[ParameterRow]
    digits: int = UNSET


class AblationTable(Item):
    """Correlations under the variants of the paper's `ablation`."""

    kind: Literal["ablation"]
    set: str
    published: Content


class RankedColumn(Closed):
    label: str
    metric: str
    weighting: str
    scale: Number = UNSET


class RankedRow(Closed):
    label: str
    system: str
    published: Published
    human: Number = UNSET


class RankingTable(Item):
    """Scores of the best systems, and differences of ranks."""

    kind: Literal["ranking"]
    set: str
    size: int
    columns: list[RankedColumn]
    rows: list[RankedRow]
    digits: int = UNSET
    sums: list[Any] = UNSET


class CaseRow(Closed):
    """A segment and system of a case study."""

    label: str
    segment: int
    system: str
    published: Published = UNSET


class CaseTable(Item):
    kind: Literal["case_study"]
    set: str
    metric: str = UNSET
    difficulty: str
    weighting: str
    labels: Names
    rows: list[CaseRow]
    difficult_segments: Content = UNSET


class TokenCaseTable(Item):
    kind: Literal["token_cases"]
    set: str
    metric: str
    weighting: str
    labels: Names
    size: int
    rows: list[CaseRow]
    digits: int = UNSET


class ScoreOfText(Closed):
    metric: str
    text: str
    published: Published
    human: Published = UNSET


class AutomatedScoreTable(Item):
    kind: Literal["automated_scores"]
    digits: int
    rows: list[ScoreOfText]


class NormalisedScoreTable(Item):
    kind: Literal["normalised_scores"]
    digits: int
    rows: list[ScoreOfText]


class ExampleRow(Closed):
    label: str
    hypothesis: str
    deficiency: str
    published: Published = UNSET


class ExampleTable(Item):
    """Hypotheses that a paper prints, with scores."""

    kind: Literal["examples"]
    reference: str
    rows: list[ExampleRow]


class HumanScoreTable(Item):
    kind: Literal["human_scores"]


class ReadabilityRow(Closed):
    label: str
    metric: str
    system: str
    published: Published


class ReadabilityTable(Item):
    kind: Literal["readability"]
    digits: int
    rows: list[ReadabilityRow]
    average: list[Any]


class SpreadRow(Closed):
    label: str
    metric: str
    raw: Published
    normalised: Published
    improved: Number = UNSET


class SpreadTable(Item):
    kind: Literal["score_spread"]
    digits: int
    rows: list[SpreadRow]


Table = Annotated[
    AblationTable
    | AutomatedScoreTable
    | CaseTable
    | CorrelationTable
    | ExampleTable
    | HumanScoreTable
    | NormalisedScoreTable
    | ParameterTable
    | RankingTable
    | ReadabilityTable
    | SpreadTable
    | TokenCaseTable,
    Field(discriminator="kind"),
]


# Figures


class BalanceFigure(Item):
    """Easy weights over shares of difficult hypotheses, with a linear fit."""

    kind: Literal["balance_fit"]
    sets: Names
    weighting: str
    published: Content = UNSET


class ChunkFigure(Item):
    kind: Literal["chunks"]
    set: str
    difficulty: str
    hypotheses: list[Any]


class DifficultyScoreFigure(Item):
    """Segment scores over difficulty."""

    kind: Literal["difficulty_scores"]
    set: str
    metric: str
    difficulty: str
    width: Number = UNSET
    published: Content = UNSET


class ScoreBarFigure(Item):
    kind: Literal["score_bars"]
    scores: str


class SegmentDifficultyFigure(Item):
    kind: Literal["segment_difficulties"]
    sets: Names
    difficulty: str
    weighting: str


class TokenDifficultyFigure(Item):
    kind: Literal["token_difficulties"]
    set: str
    metric: str
    difficulty: str
    size: int


class HeatMapFigure(Item):
    kind: Literal["token_heat_map"]
    set: str
    metric: str
    difficulty: str
    segment: int
    size: int


class TopFigure(Item):
    """A statistic over the best systems, for falling numbers of them."""

    kind: Literal["top_k"]
    set: str
    metrics: Names
    weightings: Names = UNSET
    statistic: str = UNSET


Figure = Annotated[
    BalanceFigure
    | ChunkFigure
    | DifficultyScoreFigure
    | HeatMapFigure
    | ScoreBarFigure
    | SegmentDifficultyFigure
    | TokenDifficultyFigure
    | TopFigure,
    Field(discriminator="kind"),
]


# Checks of claims (`papers.audit.check_cells`)


class Cells(Closed):
    """Cells of an item, or of several; without rows or columns, all of them."""

    item: ItemName
    row: Any = UNSET
    column: Any = UNSET


class CellCheck(Closed):
    """A check of published cells."""

    item: ItemName
    rows: Names = UNSET
    columns: Names = UNSET
    statistics: Names = UNSET


class Bounds(Closed):
    """What values of a check must be."""

    above: Number = UNSET
    below: Number = UNSET
    at_least: Number = UNSET
    at_most: Number = UNSET


class PairCheck(CellCheck):
    """A check of the differences between the rows, or columns, of pairs."""

    pairs: list[Names]
    over: Literal["rows", "columns"] = UNSET
    absolute: bool = UNSET
    average: bool = UNSET


class BoundedCheck(PairCheck, Bounds):
    """A check that values, or differences of pairs, are within bounds."""

    kind: Literal["bounded"]
    pairs: list[Names] = UNSET
    scale: Number = UNSET
    per: Number = UNSET
    groups: list[Names] = UNSET
    decimals: int = UNSET


class HigherCheck(PairCheck):
    kind: Literal["higher"]


class GainCheck(PairCheck):
    kind: Literal["gain"]
    summed: bool = UNSET
    scale: Number = UNSET
    digits: int = UNSET


class ProductCheck(CellCheck):
    kind: Literal["product"]
    factors: list[list[Any]]
    scale: Number = UNSET
    per: Number = UNSET
    digits: int = UNSET


class ErrorCheck(CellCheck):
    kind: Literal["mean_error"]
    digits: int = UNSET


class ShareCheck(Closed):
    kind: Literal["difficult_share"]
    set: str
    difficulty: str
    of: str
    weighting: str = UNSET
    threshold: Number = UNSET
    digits: int = UNSET


class TopCheck(Bounds):
    kind: Literal["top_systems"]
    set: str
    metrics: Names
    weighting: str
    statistic: str
    sizes: list[int]


Check = Annotated[
    BoundedCheck | ErrorCheck | GainCheck | HigherCheck | ProductCheck | ShareCheck | TopCheck,
    Field(discriminator="kind"),
]


# A paper


class Cause(Cells):
    """Why cells differ from the paper's by at most `within`, and what shows it."""

    within: Number
    reason: str
    evidence: str


class PrintedInputs(Closed):
    """Printed numbers of texts that are not public (`complexity_tables.score_arrays`)."""

    systems: Any
    human: Any
    scores: Any
    readability: Any
    reference: Any
    powers: Any


class Ablation(Closed):
    """An ablation of a weighting in groups on one set."""

    set: str
    weighting: str
    thresholds: Any
    splits: Any


class PaperSet(Closed):
    """A set in a paper's YAML file: keys as for a set in a config, and the number of systems."""

    campaign: str
    pair: str
    reference: str
    gold: str
    systems: int
    exclude: list[str] = UNSET
    parameters: dict[str, Content] = Field({})
    tuned: list[str] = Field([])
    metrics: dict[str, Metric] = Field({})  # of this set alone


class Claim(Closed):
    """A number or statement from a paper's text or captions, and how to check it."""

    id: str
    where: str  # section, table or figure
    statement: str
    published: float = UNSET  # the number that is claimed; none of a comparison
    digits: int = UNSET
    check: Check = UNSET  # without it, `reason` says why
    beside: dict[str, Check] = Field({})  # what else is printed, by label
    reason: str = UNSET
    evidence: str = UNSET


class Method(Closed):
    """A paper's own method: its name, and the printed cells that are its numbers."""

    name: NonEmpty
    cells: Annotated[list[Cells], Field(min_length=1)]
    without_data: NonEmpty = UNSET  # why none of its numbers is computed from data
    analysis: Literal["complexity"] = UNSET  # of the run's own sets, a folder of the results


class Paper(Closed):
    """Content of a paper's YAML file: sets, metrics, weightings, published numbers and claims."""

    title: str
    authors: str
    year: int
    method: Method
    sets: list[PaperSet]
    metrics: dict[str, Metric]  # of all its sets
    layers: dict[str, Annotated[int, Field(ge=0)]] = Field(
        {}
    )  # of encoders, where not bert-score's
    tables: dict[str, Table]
    figures: dict[str, Figure]
    inputs: PrintedInputs = UNSET
    difficulties: Difficulties = Field({})  # where they differ from a config's
    weightings: Weightings = Field({})
    ablation: Ablation = UNSET
    causes: list[Cause] = Field([])  # of differences, as far as they are known
    claims: list[Claim] = Field([])  # of text, captions and conclusions


# The structure of a paper's file


def items_of(paper: Mapping[str, Any]) -> dict[str, Any]:
    """Return the YAML entries of a paper's tables and figures, by table or figure name."""
    return {**paper["tables"], **paper["figures"]}


def names_of_sets(paper: Mapping[str, Any]) -> list[str]:
    """Return the names of a paper's evaluation sets, such as `wmt19/en-de`."""
    return [f"{entry['campaign']}/{entry['pair']}" for entry in paper["sets"]]


def sets_of(item: Any) -> list[str]:
    """Return the set names in the YAML entry of a paper's table or figure or of a claim check."""
    names = [item["set"]] if "set" in item else list(item.get("sets", []))
    names += [column["set"] for column in item.get("columns", []) if "set" in column]
    return list(dict.fromkeys(names))


def checks_of_claims(paper: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return settings of a paper's claim checks: each claim's `check`, then all its `beside`."""
    claims = paper.get("claims", [])
    checks: list[Any] = [claim["check"] for claim in claims if "check" in claim]
    return [*checks, *(check for claim in claims for check in claim.get("beside", {}).values())]


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Read papers from `<folder>/<name>.yaml`; return valid ones by name, and error messages."""
    papers: Content = {}
    wrong: list[str] = []
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    for name in names:
        if name not in known:
            there = f"{', '.join(known)}{nearest(name, known)}"
            wrong.append(f"config, papers: no paper {name}. There are: {there}.")
            continue
        path = folder / f"{name}.yaml"
        try:
            paper = read_yaml(path)
            lines = problems(Paper.model_validate, paper, {os.path.relpath(path): paper})
        except InputError as error:
            lines = [str(error)]
        wrong += lines
        if not lines:
            papers[name] = paper
    return papers, wrong


def paper_problems(paper: Any, difficulties: Members, weightings: Members) -> Iterator[str]:
    """Yield a sentence for each name in a valid paper that is not defined, with its place.
    `difficulties` and `weightings` are those of the paper and the config, valid ones."""
    sets, items = names_of_sets(paper), items_of(paper)
    for cells in paper["method"]["cells"]:
        named = cells["item"] if isinstance(cells["item"], list) else [cells["item"]]
        yield from (f"method: {text}" for text in unknown("item", named, items))
    for check in checks_of_claims(paper):
        named = check.get("item", [])
        named = [named] if isinstance(named, str) else named
        yield from (f"claims: {text}" for text in unknown("item", named, items))
        yield from (f"claims: {text}" for text in unknown("set", sets_of(check), sets))
    for entry in paper["sets"]:
        named = [*entry.get("parameters", ()), *entry.get("tuned", ())]
        yield from (f"sets: {text}" for text in unknown("weighting", named, weightings))
    if "ablation" in paper:
        items["ablation"] = {"kind": "ablation", **paper["ablation"]}
    for name, item in items.items():
        metrics, of_item = dict(paper["metrics"]), sets_of(item)
        for of_set, entry in zip(sets, paper["sets"], strict=True):
            metrics |= entry.get("metrics", {}) if of_set in of_item else {}
        rows = {"correlations": "rows", "ranking": "columns"}.get(item["kind"], "")
        entries = [item, *item.get(rows, [])]
        entries += [item.get("published", {})] * (item["kind"] == "ablation")
        texts = list(unknown("set", of_item, sets))
        for what, known in (
            ("metric", metrics),
            ("weighting", {STANDARD: {}, **weightings}),
            ("difficulty", difficulties),
        ):
            named = [entry[what] for entry in entries if what in entry] + item.get(f"{what}s", [])
            texts += unknown(what, dict.fromkeys(named), known)
        if item["kind"] == "ablation" and "ablation" not in paper:
            texts.append("a table of kind ablation needs the paper's `ablation`.")
        yield from (f"{name}: {text}" for text in texts)
