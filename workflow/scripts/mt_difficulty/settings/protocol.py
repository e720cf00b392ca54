"""A paper's tables, figures and claims as pydantic models of its YAML file, and what rules tell
their scripts of a paper. `kind` of a table, figure or check names its model."""

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
    """A table or figure of a paper.

    Attributes
    ----------
    caption : str
        What it shows, in our words.
    """

    caption: str


class SetColumn(Closed):
    """A column of a table about an evaluation set.

    Attributes
    ----------
    label : str
        Head of the column, as printed.
    set : str
        Name of the set, such as `wmt19/en-de`.
    """

    label: str
    set: str


class SubsetColumn(SetColumn):
    """A group of columns with the correlations r, τ and ρ on a subset of a set's systems.

    Attributes
    ----------
    subset : {"all", "top", "random"}
        Which systems: all of them, the best by human scores, or random ones, whose correlations are
        averaged over draws.
    size : int, optional
        Number of systems of the subset; not used for `all`.
    """

    subset: str
    size: int = UNSET


class ScoreRow(Closed):
    """A row of correlations of a metric under a weighting.

    Attributes
    ----------
    metric, weighting : str
        Names of the metric and the weighting; `standard` is the unweighted metric.
    label : str, optional
        Name of the row; by default that of metric and weighting, such as `EE-BLEU`.
    published : list of float or None, optional
        Printed correlations in the order of the columns, then printed gains if the table has
        `gains`. Without them the row is ours alone.
    """

    metric: str
    weighting: str
    label: str = UNSET
    published: Published = UNSET


class Gains(Closed):
    """Columns of a table with the mean gains of weightings, a column for each of r, τ and ρ.

    Attributes
    ----------
    label : str
        Common head of the columns.
    digits : int
        Number of printed decimals.
    """

    label: str
    digits: int


class CorrelationTable(Item):
    """A table of system-level correlations of metrics with human scores.

    Attributes
    ----------
    columns : list of SubsetColumn
        Sets and subsets of systems; each stands for a column r, τ and ρ.
    rows : list of ScoreRow
        Metrics and weightings.
    gains : Gains, optional
        Columns with the mean gain of a weighting over the table's columns, in percent.
    draws : int, optional
        Number of random subsets that the paper averaged over; required for `random` columns.
    absolute : bool
        Whether the paper prints correlations without their sign.
    digits : int
        Number of printed decimals of correlations.
    """

    kind: Literal["correlations"]
    columns: list[SubsetColumn]
    rows: list[ScoreRow]
    gains: Gains = UNSET
    draws: int = UNSET
    absolute: bool = False
    digits: int = 3


class AgreementColumn(SetColumn):
    """Two columns of a table of agreement: the values of a statistic, and the metrics' ranks by it.

    Attributes
    ----------
    statistic : str
        Name of a statistic of system scores or of segment scores.
    grouping : {"none", "item", "system"}, optional
        Grouping of segment scores; by default the first of the statistic.
    """

    statistic: str
    grouping: Literal["none", "item", "system"] = UNSET


class MetricRow(Closed):
    """A row of a table of agreement or of a matrix: a metric.

    Attributes
    ----------
    metric : str
        Name of the metric.
    label : str, optional
        Name of the row; by default that of the metric.
    published : list of float or None, optional
        Printed numbers. Without them the row is ours alone.
    """

    metric: str
    label: str = UNSET
    published: Published = UNSET

    @property
    def name(self) -> str:
        """The name of the row."""
        return self.label or self.metric


class AgreementTable(Item):
    """A table of the agreement of unweighted metrics with human scores, with ranks.

    Attributes
    ----------
    columns : list of AgreementColumn
        Sets and statistics; each stands for a column of values and one of ranks.
    rows : list of MetricRow
        Metrics. Their numbers are the value and the rank, column after column; then those of the
        `average` if they are printed.
    average : str, optional
        Head of two further columns: the mean over the columns, of correlations as (r + 1) / 2, and
        the rank by it.
    undefined : float, optional
        The value that the paper reports of a statistic that no group defines.
    digits : int
        Number of printed decimals of values.
    """

    kind: Literal["agreement"]
    columns: list[AgreementColumn]
    rows: list[MetricRow]
    average: str = UNSET
    undefined: Number = UNSET
    digits: int = 3


class MatrixTable(Item):
    """Pearson's r between metrics over the scores of all hypotheses of a set.

    Attributes
    ----------
    set : str
        Name of the set.
    rows : list of MetricRow
        Metrics. Their numbers are r with each metric of the rows below.
    digits : int
        Number of printed decimals.
    """

    kind: Literal["metric_matrix"]
    set: str
    rows: list[MetricRow]
    digits: int = 3


class ParameterRow(Closed):
    """A row of a table of parameters.

    Attributes
    ----------
    parameter : {"h", "w"}
        The threshold or the easy weight of EE.
    published : list of float or None
        Printed values in the order of the columns.
    """

    parameter: str
    published: Published


class ParameterTable(Item):
    """A table of the parameters of a weighting in two groups, by set.

    Attributes
    ----------
    weighting : str
        Name of the weighting.
    columns : list of SetColumn
        A set for each column.
    rows : list of ParameterRow
        A parameter for each row.
    digits : int
        Number of printed decimals.
    """

    kind: Literal["parameters"]
    weighting: str
    columns: list[SetColumn]
    rows: list[ParameterRow]
    digits: int = 2


class AblationNumbers(Closed):
    """The printed numbers of an ablation of one metric.

    All keys but `metric` are names of variants, such as `only easy`. The value of each is a list of
    the printed h, w, r, τ and ρ.

    Attributes
    ----------
    metric : str
        Name of the metric.
    """

    model_config = pydantic.ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Published]

    metric: str

    @property
    def variants(self) -> dict[str, Published]:
        """The printed numbers, by variant."""
        return self.__pydantic_extra__


class AblationTable(Item):
    """Correlations under the variants of the paper's `ablation`.

    Attributes
    ----------
    set : str
        Name of the set.
    published : AblationNumbers
        The metric and its printed numbers by variant.
    """

    kind: Literal["ablation"]
    set: str
    published: AblationNumbers


class RankedColumn(Closed):
    """A column of a metric's scores, followed by one of differences of ranks.

    Attributes
    ----------
    label : str
        Head of the column.
    metric, weighting : str
        Names of the metric and the weighting.
    scale : float
        Factor of our scores that gives the printed unit, such as 100 for percent.
    """

    label: str
    metric: str
    weighting: str
    scale: Number = 1


class RankedRow(Closed):
    """A row of a ranking: a system.

    Attributes
    ----------
    label, system : str
        Name of the system as printed, and as in the archive.
    published : list of float or None
        Printed score and difference of ranks (ΔRank), column after column.
    human : float, optional
        Printed human score.
    """

    label: str
    system: str
    published: Published
    human: Number = UNSET


class RankingTable(Item):
    """Scores of the best systems, and differences of ranks.

    Attributes
    ----------
    set : str
        Name of the set.
    size : int
        Number of best systems by human scores that are ranked.
    columns : list of RankedColumn
        Metrics and weightings.
    rows : list of RankedRow
        Systems.
    digits : int
        Number of printed decimals of scores.
    sums : list of float or None
        Printed sums of |ΔRank| over the systems, one for each of `columns`.
    """

    kind: Literal["ranking"]
    set: str
    size: int
    columns: list[RankedColumn]
    rows: list[RankedRow]
    digits: int
    sums: Published = Field([])


class Hypothesis(Closed):
    """A segment, counted from 1, as a system translates it.

    Attributes
    ----------
    label : str
        Name of the hypothesis in the paper's item, such as `Case 1 MSRA`.
    segment : int
        Number of the segment in the set, from 1.
    system : str
        Name of the system in the archive.
    """

    label: str
    segment: int
    system: str


class CaseRow(Hypothesis):
    """A hypothesis of a case study.

    Attributes
    ----------
    published : list of float or None
        Printed numbers in the order of the table's columns.
    """

    published: Published


class DifficultSegments(Closed):
    """The number of a system's segments that are difficult.

    Attributes
    ----------
    label, system : str
        Name of the system as printed, and as in the archive.
    published : int
        Printed number of segments.
    """

    label: str
    system: str
    published: Number


class CaseTable(Item):
    """A case study of segments under a weighting in groups of segments.

    Attributes
    ----------
    set : str
        Name of the set.
    metric : str
        Name of the metric.
    difficulty : str
        Name of the difficulty, whose value is printed for each hypothesis.
    weighting : str
        Name of the weighting.
    labels : list of str
        Heads of the columns: of the unweighted scores, the weighted scores and the difficulty.
    rows : list of CaseRow
        Hypotheses. Their numbers are the segment's score, the system's score and the contribution
        in percent (unweighted, then weighted), and the difficulty.
    difficult_segments : DifficultSegments, optional
        A printed number of difficult segments.
    """

    kind: Literal["case_study"]
    set: str
    metric: str
    difficulty: str
    weighting: str
    labels: Names
    rows: list[CaseRow]
    difficult_segments: DifficultSegments = UNSET


class TokenCaseTable(Item):
    """A case study of segments under a weighting of tokens.

    Attributes
    ----------
    set : str
        Name of the set.
    metric : str
        Name of the metric.
    weighting : str
        Name of the weighting.
    labels : list of str
        Heads of the two columns: of the unweighted and the weighted segment scores.
    size : int
        Number of best systems by human scores, from which token difficulties are estimated.
    rows : list of CaseRow
        Hypotheses with their two scores.
    digits : int
        Number of printed decimals.
    """

    kind: Literal["token_cases"]
    set: str
    metric: str
    weighting: str
    labels: Names
    size: int
    rows: list[CaseRow]
    digits: int


class TextRow(Closed):
    """A row about a metric's scores of a text, one score for each system.

    Attributes
    ----------
    metric, text : str
        Names of the metric and the text in `PrintedInputs.scores`.
    published : list of float or None
        Printed numbers in the order of the table's columns.
    """

    metric: str
    text: str
    published: Published


class AutomatedScoreRow(TextRow):
    """A row with correlations of a metric and human scores over systems.

    Attributes
    ----------
    human : list of str or None
        Names of human scores (`PrintedInputs.human`), in the order of `published`; None for an
        empty column.
    """

    human: list[str | None]


class AutomatedScoreTable(Item):
    """Printed metric scores, and their correlations with human scores (Table 2 of Babych et al.).

    Attributes
    ----------
    digits : int
        Number of printed decimals of correlations.
    rows : list of AutomatedScoreRow
        A metric and a text for each row.
    """

    kind: Literal["automated_scores"]
    digits: int
    rows: list[AutomatedScoreRow]


class NormalisedScoreTable(Item):
    """Scores normalised by a text's readability (Table 4 of Babych et al.).

    Attributes
    ----------
    digits : int
        Number of printed decimals.
    rows : list of TextRow
        A metric and a text for each row; its numbers are the factor C and the normalised score of
        each system.
    """

    kind: Literal["normalised_scores"]
    digits: int
    rows: list[TextRow]


class ExampleRow(Closed):
    """A hypothesis that a paper prints, with its score.

    Attributes
    ----------
    label : str
        Name of the hypothesis.
    hypothesis : str
        Its text.
    deficiency : str
        What is wrong with it, such as `adequacy`; `-` for nothing.
    published : list of float
        Printed score, a list of one number.
    """

    label: str
    hypothesis: str
    deficiency: str
    published: Published


class ExampleTable(Item):
    """Hypotheses that a paper prints, with scores.

    Attributes
    ----------
    reference : str
        Text of the reference of all hypotheses.
    rows : list of ExampleRow
        The hypotheses.
    """

    kind: Literal["examples"]
    reference: str
    rows: list[ExampleRow]


class HumanScoreTable(Item):
    """The human scores of `PrintedInputs` (Table 1 of Babych et al.)."""

    kind: Literal["human_scores"]


class ReadabilityRow(Closed):
    """Correlations of readability parameters with the scores of a system over texts.

    Attributes
    ----------
    label : str
        Name of the row.
    metric, system : str
        Names of the metric and the system in `PrintedInputs`.
    published : list of float or None
        Printed correlations with FR, FKGL, ASL and ASW.
    """

    label: str
    metric: str
    system: str
    published: Published


class ReadabilityTable(Item):
    """Readability of the texts, and its correlations with metric scores (Table 3 of Babych et al.).

    Attributes
    ----------
    digits : int
        Number of printed decimals of correlations.
    rows : list of ReadabilityRow
        A metric and a system for each row.
    average : list of float or None
        Printed means of the correlations over the rows.
    """

    kind: Literal["readability"]
    digits: int
    rows: list[ReadabilityRow]
    average: Published


class SpreadRow(Closed):
    """Standard deviations of a metric's scores over texts.

    Attributes
    ----------
    label : str
        Name of the metric as printed.
    metric : str
        Name of the metric in `PrintedInputs.scores`.
    raw, normalised : list of float or None
        Printed standard deviations of raw and of normalised scores: one for each system, then their
        mean.
    improved : float, optional
        Printed ratio of the raw to the normalised mean.
    """

    label: str
    metric: str
    raw: Published
    normalised: Published
    improved: Number = UNSET


class SpreadTable(Item):
    """Standard deviations of raw and normalised scores over texts (Table 5 of Babych et al.).

    Attributes
    ----------
    digits : int
        Number of printed decimals.
    rows : list of SpreadRow
        A metric for each row.
    """

    kind: Literal["score_spread"]
    digits: int
    rows: list[SpreadRow]


PaperTable = Annotated[
    AblationTable
    | AgreementTable
    | AutomatedScoreTable
    | CaseTable
    | CorrelationTable
    | ExampleTable
    | HumanScoreTable
    | MatrixTable
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
    """A figure with a linear fit, whose r can be printed in it.

    Attributes
    ----------
    published : dict of str to float
        Printed numbers by label.
    """

    published: dict[str, Number] = Field({})


class BalanceFigure(FitFigure):
    """Easy weights over shares of difficult hypotheses, with a linear fit.

    Attributes
    ----------
    sets : list of str
        Names of sets; each is a point.
    weighting : str
        Name of a weighting in two groups (EE).
    """

    kind: Literal["balance_fit"]
    sets: Names
    weighting: str


class ChunkFigure(Item):
    """Hypotheses with their chunks of matched tokens.

    Attributes
    ----------
    set : str
        Name of the set.
    difficulty : str
        Name of a chunk entropy, whose word alignments define the chunks.
    hypotheses : list of Hypothesis
        What is shown.
    """

    kind: Literal["chunks"]
    set: str
    difficulty: str
    hypotheses: list[Hypothesis]


class DifficultyScoreFigure(FitFigure):
    """Mean segment scores over difficulty, with a linear fit.

    Attributes
    ----------
    set : str
        Name of the set.
    metric : str
        Name of the metric.
    difficulty : str
        Name of the difficulty.
    width : float, optional
        Width of the bins of difficulty; by default bins have equal numbers of hypotheses.
    """

    kind: Literal["difficulty_scores"]
    set: str
    metric: str
    difficulty: str
    width: Number = UNSET


class ScoreBarFigure(Item):
    """Printed scores as bars, by system and text.

    Attributes
    ----------
    scores : str
        `human`, or the name of a metric in `PrintedInputs.scores`.
    """

    kind: Literal["score_bars"]
    scores: str


class SegmentDifficultyFigure(Item):
    """Distributions of segment difficulties, a panel for each set.

    Attributes
    ----------
    sets : list of str
        Names of sets.
    difficulty : str
        Name of the difficulty.
    weighting : str
        Name of the weighting whose threshold is marked.
    """

    kind: Literal["segment_difficulties"]
    sets: Names
    difficulty: str
    weighting: str


class TokenDifficultyFigure(Item):
    """Densities of token difficulties of all systems and of the best ones.

    Attributes
    ----------
    set : str
        Name of the set.
    metric : str
        Name of the metric whose token matches are used.
    difficulty : str
        Name of a difficulty of tokens.
    size : int
        Number of best systems by human scores.
    """

    kind: Literal["token_difficulties"]
    set: str
    metric: str
    difficulty: str
    size: int


class HeatMapFigure(Item):
    """A heat map of the token difficulties of a segment.

    Attributes
    ----------
    set : str
        Name of the set.
    metric : str
        Name of the metric whose token matches are used.
    difficulty : str
        Name of a difficulty of tokens.
    segment : int
        Number of the segment in the set, from 1.
    size : int
        Number of best systems by human scores, which are shown.
    """

    kind: Literal["token_heat_map"]
    set: str
    metric: str
    difficulty: str
    segment: int
    size: int


class TopFigure(Item):
    """A statistic over the best systems, for falling numbers of them.

    Attributes
    ----------
    set : str
        Name of the set.
    metrics : list of str
        Names of metrics.
    weightings : list of str, optional
        Names of weightings, `standard` among them; by default all of the set.
    statistic : str
        Name of a statistic.
    """

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
    """Cells of an item, or of several.

    Attributes
    ----------
    item : str or list of str
        Names of tables or figures, such as `table2`.
    row, column : str or list of str, optional
        Names of rows and columns; by default all of them.
    """

    item: NameOrNames
    row: NameOrNames | None = None
    column: NameOrNames | None = None


class CellCheck(Closed):
    """A check of published cells.

    Attributes
    ----------
    item : str or list of str
        Names of tables or figures.
    rows : list of str
        Names of rows; all of them if empty.
    columns : list of str
        Names of columns or heads of groups of columns (`En→De` of `En→De r`); all of them if empty.
    statistics : list of str, optional
        Symbols at the end of names of columns, such as r; by default all.
    """

    item: NameOrNames
    rows: Names = Field([])
    columns: Names = Field([])
    statistics: Names = UNSET


class ValueCheck(Closed):
    """A check that gives a number. All other checks are comparisons.

    Attributes
    ----------
    digits : int
        Number of decimals of the number.
    """

    digits: int = 2


class Bounds(Closed):
    """What values of a check must be; bounds that are not given are not checked.

    Attributes
    ----------
    above, below : float, optional
        Values must be greater, or less.
    at_least, at_most : float, optional
        The same, or equal.
    """

    above: Number = UNSET
    below: Number = UNSET
    at_least: Number = UNSET
    at_most: Number = UNSET


class PairCheck(CellCheck):
    """A check of the differences between the rows, or columns, of pairs.

    Attributes
    ----------
    pairs : list of list of str
        Names of two rows, or columns; the second is subtracted from the first.
    over : {"rows", "columns"}
        What the names of `pairs` are of.
    absolute : bool
        Whether signs of numbers are ignored.
    average : bool
        Whether differences are averaged over the columns of a statistic.
    """

    pairs: list[Names]
    over: Literal["rows", "columns"] = "rows"
    absolute: bool = False
    average: bool = False


class BoundedCheck(PairCheck, Bounds):
    """A check that values, or differences of pairs, or ranges within groups are within bounds.

    Attributes
    ----------
    pairs : list of list of str, optional
        Names of two rows, or columns, whose differences are checked instead of values.
    scale, per : float
        Values are multiplied by `scale` and divided by `per`. Differences and ranges are not.
    groups : list of list of str, optional
        Groups of rows; the range of each group's values is checked, by column.
    decimals : int, optional
        Number of decimals to which values of groups are rounded first; required with `groups`.
    """

    kind: Literal["bounded"]
    pairs: list[Names] = UNSET
    scale: Number = 1
    per: Number = 1
    groups: list[Names] = UNSET
    decimals: int = UNSET


class HigherCheck(PairCheck):
    """A check that the first row, or column, of each pair is higher than the second."""

    kind: Literal["higher"]


class GainCheck(PairCheck, ValueCheck):
    """The mean difference of pairs.

    Attributes
    ----------
    summed : bool
        Whether the means of the statistics are added up.
    scale : float
        Factor of the result; 100 gives percent.
    """

    kind: Literal["gain"]
    summed: bool = False
    scale: Number = 100


class ProductCheck(CellCheck, ValueCheck):
    """A product of powers of cells.

    Attributes
    ----------
    factors : list of list
        Row, column and, where it is not 1, exponent of each factor.
    scale, per : float
        The product is multiplied by `scale` and divided by `per`.
    """

    kind: Literal["product"]
    factors: list[list[Any]]
    scale: Number = 1
    per: Number = 1


class ErrorCheck(CellCheck, ValueCheck):
    """The mean absolute difference between our numbers and the published ones."""

    kind: Literal["mean_error"]


class ShareCheck(ValueCheck):
    """The percentage of a set's segments or hypotheses that are difficult.

    Attributes
    ----------
    set : str
        Name of the set.
    difficulty : str
        Name of the difficulty.
    of : {"hypotheses", "segments"}
        What is counted. A segment's difficulty is the mean over systems.
    weighting : str, optional
        Name of the weighting whose estimated threshold is used if there is no `threshold`.
    threshold : float, optional
        Least difficulty of what is difficult.
    """

    kind: Literal["difficult_share"]
    set: str
    difficulty: str
    of: str
    weighting: str = UNSET
    threshold: Number = UNSET


class TopCheck(Bounds):
    """A check that a statistic over the K best systems is within bounds, for several K.

    Attributes
    ----------
    set : str
        Name of the set.
    metrics : list of str
        Names of metrics.
    weighting : str
        Name of the weighting.
    statistic : str
        Name of the statistic.
    sizes : list of int
        Smallest and largest K; all numbers between them are checked.
    """

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
    """A number or statement from a paper's text or captions, and how to check it.

    Attributes
    ----------
    id : str
        Name of the claim, unique in the paper.
    where : str
        Section, table or figure.
    statement : str
        What the paper claims, in our words.
    published : float, optional
        The number that is claimed; a comparison has none.
    digits : int
        Number of printed decimals of `published`.
    check : Check, optional
        How it is checked. Without it, `reason` says why it is not.
    beside : dict of str to Check
        Further checks, by label, whose results are printed as evidence.
    reason : str
        A remark on the result, or why there is no check.
    evidence : str
        What shows the reason.
    """

    id: str
    where: str
    statement: str
    published: float = UNSET
    digits: int = 0
    check: Check = UNSET
    beside: dict[str, Check] = Field({})
    reason: str = ""
    evidence: str = ""


# A paper


class Cause(Cells):
    """Why cells differ from the paper's.

    Attributes
    ----------
    within : float
        Largest absolute difference that the cause explains.
    reason : str
        The cause.
    evidence : str
        What shows it.
    """

    within: Number
    reason: str
    evidence: str


class Method(Closed):
    """A paper's own method.

    Attributes
    ----------
    name : str
        Name of the method, such as EE.
    cells : list of Cells
        The printed cells that are numbers of the method; at least one entry.
    without_data : str, optional
        Why none of its numbers is computed from data.
    analysis : {"complexity", "sentinels"}, optional
        Folder of the results with the same analysis of the run's own sets.
    token_weighting : str, optional
        The method, if it is a weighting of tokens: the paper's page begins with what it does, and
        what the same does without difficulty.
    """

    name: NonEmpty
    cells: Annotated[list[Cells], Field(min_length=1)]
    without_data: NonEmpty = UNSET
    analysis: Literal["complexity", "sentinels"] = UNSET
    token_weighting: NonEmpty = UNSET


class Readability(Closed):
    """The readability of a text.

    Attributes
    ----------
    FR : float
        Flesch's reading ease; higher is easier.
    FKGL : float
        Grade level by Flesch and Kincaid; higher is harder.
    ASL : float
        Words per sentence.
    ASW : float
        Syllables per word.
    """

    FR: Number
    FKGL: Number
    ASL: Number
    ASW: Number


class PrintedInputs(Closed):
    """Printed numbers of texts that are not public (`complexity_tables.score_arrays`).

    Attributes
    ----------
    systems : list of str
        Names of systems, in the order of lists of scores. A list can end early.
    human : dict of str to list of float or None
        Human scores of systems by name of the text and the quality, such as `wp [ade]`.
    scores : dict of str to dict of str to list of float or None
        Metric scores of systems by metric and text.
    readability : dict of str to Readability
        Readability of the source by text.
    reference : str
        Name of the text that scores are normalised to.
    powers : dict of str to float
        Power of the ratio of ASW by metric.
    """

    systems: Names
    human: dict[str, Published]
    scores: dict[str, dict[str, Published]]
    readability: dict[str, Readability]
    reference: str
    powers: dict[str, Number]


class Threshold(Closed):
    """A threshold µ + `deviations` · σ of an ablation, and the number that the paper prints.

    Attributes
    ----------
    printed : float
        The printed threshold.
    deviations : float
        Number of standard deviations above the mean.
    """

    printed: Number
    deviations: Number


class Ablation(Closed):
    """An ablation of a weighting in groups on one set.

    Attributes
    ----------
    set : str
        Name of the set.
    weighting : str
        Name of the weighting.
    thresholds : dict of str to Threshold
        Thresholds by name of the variant.
    splits : int
        Number of random divisions of the segments into groups, over which the variant without
        entropy is averaged.
    """

    set: str
    weighting: str
    thresholds: dict[str, Threshold]
    splits: int


def sets_of(entry: Closed) -> list[str]:
    """Return the names of the sets that a table, figure, check of a claim or ablation is about."""
    columns = getattr(entry, "columns", [])  # those of a check are names
    names = [getattr(entry, "set", None), *getattr(entry, "sets", [])]
    names += [getattr(column, "set", None) for column in columns]
    return list(dict.fromkeys(filter(None, names)))


# What scripts are told of a paper


class ItemInputs(TypedDict):
    """Fields of `papers.Inputs` that come from the paper and the run.

    It is a dict because Snakemake compares no other objects when it looks for changed parameters.

    Attributes
    ----------
    sets : list of str
        Names of the sets that the item reads.
    systems : dict of str to int
        Number of systems in the paper by set.
    types : dict of str to str
        Types of metrics by name.
    left_out : dict of str to str
        Why a metric is absent, by metric.
    substitutes : dict of str to dict of str to str
        By set and metric, the encoder that is used instead of the paper's.
    tuned : dict of str to list of str
        Weightings fitted to the set's human scores, by set.
    settings : dict of str to ScoreSettings
        Settings of metrics, difficulties and weightings by set.
    printed : PrintedInputs
        Numbers that the paper prints; None if the paper's file has none.
    """

    sets: list[str]
    systems: dict[str, int]
    types: dict[str, str]
    left_out: dict[str, str]
    substitutes: dict[str, dict[str, str]]
    tuned: dict[str, list[str]]
    settings: dict[str, ScoreSettings]
    printed: PrintedInputs


@dataclass(frozen=True)
class PaperSummary:
    """What pages say of a paper beside its numbers.

    Attributes
    ----------
    title, authors : str
        As on its title page.
    year : int
        Year of publication.
    method : Method
        The paper's own method.
    sets : list of str
        Names of its sets.
    metrics : list of str
        Names of the metrics that it has on all sets.
    tables, figures : dict of str to str
        Captions by name, such as table2.
    top_sizes : dict of str to list of int
        By set, of how many best systems its tables print correlations.
    """

    title: str
    authors: str
    year: int
    method: Method
    sets: list[str]
    metrics: list[str]
    tables: dict[str, str]
    figures: dict[str, str]
    top_sizes: dict[str, list[int]]
