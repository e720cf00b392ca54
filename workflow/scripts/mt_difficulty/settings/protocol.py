"""A paper's tables, figures and claims as pydantic models of its YAML file, and what rules tell
their scripts of a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pydantic
from pydantic import Field

from . import ScoreSettings
from .validation import UNSET, Closed, NonEmpty

Number = int | float
Published = list[Number | None]  # printed numbers, in the order of a table's columns; None for none
Names = list[str]
NameOrNames = str | list[str]


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


class Gains(Closed):
    """Columns of a table with the mean gains of weightings, a column for each statistic."""

    label: str
    digits: int


class CorrelationTable(Item):
    kind: Literal["correlations"]
    columns: list[SubsetColumn]
    rows: list[ScoreRow]
    gains: Gains = UNSET
    draws: int = UNSET  # of the random subsets of the paper
    absolute: bool = False
    digits: int = 3


class ParameterRow(Closed):
    parameter: str
    published: Published


class ParameterTable(Item):
    kind: Literal["parameters"]
    weighting: str
    columns: list[SetColumn]
    rows: list[ParameterRow]
    digits: int = 2


class AblationNumbers(Closed):
    """The numbers that an ablation prints of a metric: h, w, r, τ and ρ by variant."""

    model_config = pydantic.ConfigDict(extra="allow")  # the variants
    __pydantic_extra__: dict[str, Published]

    metric: str

    @property
    def variants(self) -> dict[str, Published]:
        """The printed numbers, by variant."""
        return self.__pydantic_extra__


class AblationTable(Item):
    """Correlations under the variants of the paper's `ablation`."""

    kind: Literal["ablation"]
    set: str
    published: AblationNumbers


class RankedColumn(Closed):
    label: str
    metric: str
    weighting: str
    scale: Number = 1


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
    digits: int
    sums: Published = Field([])


class Hypothesis(Closed):
    """A segment, counted from 1, as a system translates it."""

    label: str
    segment: int
    system: str


class CaseRow(Hypothesis):
    """A hypothesis of a case study."""

    published: Published


class DifficultSegments(Closed):
    """The number of a system's segments that are difficult."""

    label: str
    system: str
    published: Number


class CaseTable(Item):
    kind: Literal["case_study"]
    set: str
    metric: str
    difficulty: str
    weighting: str
    labels: Names
    rows: list[CaseRow]
    difficult_segments: DifficultSegments = UNSET


class TokenCaseTable(Item):
    kind: Literal["token_cases"]
    set: str
    metric: str
    weighting: str
    labels: Names
    size: int
    rows: list[CaseRow]
    digits: int


class TextRow(Closed):
    """A row about a metric's scores of a text, one score for each system."""

    metric: str
    text: str
    published: Published


class AutomatedScoreRow(TextRow):
    """A row with correlations of a metric and human scores over systems."""

    human: list[str | None]  # names of human scores, in the order of `published`


class AutomatedScoreTable(Item):
    kind: Literal["automated_scores"]
    digits: int
    rows: list[AutomatedScoreRow]


class NormalisedScoreTable(Item):
    kind: Literal["normalised_scores"]
    digits: int
    rows: list[TextRow]


class ExampleRow(Closed):
    label: str
    hypothesis: str
    deficiency: str
    published: Published


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
    average: Published


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


PaperTable = Annotated[
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


class FitFigure(Item):
    """A figure with a linear fit, whose r can be printed in it."""

    published: dict[str, Number] = Field({})  # by label


class BalanceFigure(FitFigure):
    """Easy weights over shares of difficult hypotheses, with a linear fit."""

    kind: Literal["balance_fit"]
    sets: Names
    weighting: str


class ChunkFigure(Item):
    kind: Literal["chunks"]
    set: str
    difficulty: str
    hypotheses: list[Hypothesis]


class DifficultyScoreFigure(FitFigure):
    """Segment scores over difficulty."""

    kind: Literal["difficulty_scores"]
    set: str
    metric: str
    difficulty: str
    width: Number = UNSET


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
    statistic: str = "pearson"


PaperFigure = Annotated[
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

    item: NameOrNames
    row: NameOrNames | None = None
    column: NameOrNames | None = None


class CellCheck(Closed):
    """A check of published cells."""

    item: NameOrNames
    rows: Names = Field([])
    columns: Names = Field([])
    statistics: Names = UNSET


class ValueCheck(Closed):
    """A check that gives a number, printed with `digits` decimals. All others are comparisons."""

    digits: int = 2


class Bounds(Closed):
    """What values of a check must be."""

    above: Number = UNSET
    below: Number = UNSET
    at_least: Number = UNSET
    at_most: Number = UNSET


class PairCheck(CellCheck):
    """A check of the differences between the rows, or columns, of pairs."""

    pairs: list[Names]
    over: Literal["rows", "columns"] = "rows"
    absolute: bool = False
    average: bool = False


class BoundedCheck(PairCheck, Bounds):
    """A check that values, or differences of pairs, are within bounds."""

    kind: Literal["bounded"]
    pairs: list[Names] = UNSET
    scale: Number = 1
    per: Number = 1
    groups: list[Names] = UNSET
    decimals: int = UNSET


class HigherCheck(PairCheck):
    kind: Literal["higher"]


class GainCheck(PairCheck, ValueCheck):
    kind: Literal["gain"]
    summed: bool = False
    scale: Number = 100


class ProductCheck(CellCheck, ValueCheck):
    kind: Literal["product"]
    factors: list[list[Any]]  # row, column and, where it is not 1, exponent
    scale: Number = 1
    per: Number = 1


class ErrorCheck(CellCheck, ValueCheck):
    kind: Literal["mean_error"]


class ShareCheck(ValueCheck):
    kind: Literal["difficult_share"]
    set: str
    difficulty: str
    of: str
    weighting: str = UNSET
    threshold: Number = UNSET


class TopCheck(Bounds):
    kind: Literal["top_systems"]
    set: str
    metrics: Names
    weighting: str
    statistic: str
    sizes: list[int]


CheckOfCells = BoundedCheck | ErrorCheck | GainCheck | HigherCheck | ProductCheck
CheckOfSet = ShareCheck | TopCheck
Check = Annotated[CheckOfCells | CheckOfSet, Field(discriminator="kind")]


class Claim(Closed):
    """A number or statement from a paper's text or captions, and how to check it."""

    id: str
    where: str  # section, table or figure
    statement: str
    published: float = UNSET  # the number that is claimed; none of a comparison
    digits: int = 0
    check: Check = UNSET  # without it, `reason` says why
    beside: dict[str, Check] = Field({})  # what else is printed, by label
    reason: str = ""
    evidence: str = ""


# A paper


class Cause(Cells):
    """Why cells differ from the paper's by at most `within`, and what shows it."""

    within: Number
    reason: str
    evidence: str


class Method(Closed):
    """A paper's own method: its name, and the printed cells that are its numbers."""

    name: NonEmpty
    cells: Annotated[list[Cells], Field(min_length=1)]
    without_data: NonEmpty = UNSET  # why none of its numbers is computed from data
    analysis: Literal["complexity"] = UNSET  # of the run's own sets, a folder of the results


class Readability(Closed):
    """The readability of a text: Flesch's reading ease, grade level by Flesch and Kincaid, words
    per sentence, and syllables per word."""

    FR: Number
    FKGL: Number
    ASL: Number
    ASW: Number


class PrintedInputs(Closed):
    """Printed numbers of texts that are not public (`complexity_tables.score_arrays`)."""

    systems: Names
    human: dict[str, Published]  # by name; of each system
    scores: dict[str, dict[str, Published]]  # by metric and text; of each system
    readability: dict[str, Readability]  # by text
    reference: str  # the text that scores are normalised to
    powers: dict[str, Number]  # by metric


class Threshold(Closed):
    """A threshold µ + `deviations` · σ of an ablation, and the number that the paper prints."""

    printed: Number
    deviations: Number


class Ablation(Closed):
    """An ablation of a weighting in groups on one set."""

    set: str
    weighting: str
    thresholds: dict[str, Threshold]  # by variant
    splits: int


def sets_of(entry: Closed) -> list[str]:
    """Return the names of the sets that a table, figure, check of a claim or ablation is about."""
    columns = getattr(entry, "columns", [])  # those of a check are names
    names = [getattr(entry, "set", None), *getattr(entry, "sets", [])]
    names += [getattr(column, "set", None) for column in columns]
    return list(dict.fromkeys(filter(None, names)))


# What scripts are told of a paper


class ItemInputs(TypedDict):
    """Fields of `papers.Inputs` that come from the paper and the run: `sets` are names. It is a
    dict because Snakemake compares no other objects when it looks for changed parameters."""

    sets: list[str]
    systems: dict[str, int]
    types: dict[str, str]
    left_out: dict[str, str]
    substitutes: dict[str, dict[str, str]]
    tuned: dict[str, list[str]]
    settings: dict[str, ScoreSettings]
    printed: PrintedInputs  # None if the paper has none


@dataclass(frozen=True)
class PaperSummary:
    """What pages say of a paper: names of its sets and metrics, captions by table and figure."""

    title: str
    authors: str
    year: int
    method: Method
    sets: list[str]
    metrics: list[str]
    tables: dict[str, str]
    figures: dict[str, str]
