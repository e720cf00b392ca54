"""The options of a paper's file: its protocol, its tables and figures, and published cells."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from .options import Difficulties, Member, Size, Weightings, options

Cell = Annotated[float | None, WithJsonSchema({"type": ["number", "null"]})]
Rows = dict[str, list[Cell]]


# What items of a kind must say, beside kind and caption.
TABLES_NEED = {
    "ablation": ["set", "published"],
    "case_study": ["set", "metric", "difficulty", "weighting", "labels", "rows"],
    "correlations": ["columns", "rows"],
    "parameters": ["weighting", "columns", "rows"],
    "ranking": ["set", "size", "columns", "rows"],
    "token_cases": ["set", "metric", "weighting", "labels", "size", "rows"],
}
FIGURES_NEED = {
    "balance_fit": ["sets", "weighting"],
    "chunks": ["set", "difficulty", "hypotheses"],
    "difficulty_scores": ["set", "metric", "difficulty"],
    "score_bars": ["scores"],
    "segment_difficulties": ["sets", "difficulty", "weighting"],
    "token_difficulties": ["set", "metric", "difficulty", "size"],
    "token_heat_map": ["set", "metric", "difficulty", "segment", "size"],
    "top_k": ["set", "metrics"],
}


def needed(of_kinds: dict[str, list[str]]) -> list[dict]:
    """What a schema says of the keys that items of a kind must have."""
    return [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"required": keys}}
        for kind, keys in of_kinds.items()
    ]


@options()
class PaperSet(TypedDict):
    """An evaluation set, as in a config."""

    campaign: str
    pair: str
    reference: str
    gold: str
    systems: int
    """How many there are in the paper."""
    exclude: NotRequired[list[str]]
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Settings of weightings in this set."""
    tuned: NotRequired[list[str]]
    """Weightings whose parameters the authors chose with human scores of this same set."""
    metrics: NotRequired[dict[str, Member]]
    """Of this set alone."""


@options()
class Readability(TypedDict):
    """Of a text, as printed."""

    FR: float
    FKGL: float
    ASL: float
    ASW: float


@options()
class Inputs(TypedDict):
    """Printed numbers of texts that are not public."""

    systems: list[str]
    human: Rows
    scores: dict[str, Rows]
    readability: dict[str, Readability]
    reference: str
    """The text that scores are normalised to."""
    powers: dict[str, float]
    """Of the ratio of syllables per word, by metric."""


@options()
class Threshold(TypedDict):
    """A threshold of the ablation."""

    printed: float
    deviations: float


@options()
class Ablation(TypedDict):
    """Variants of a weighting in groups on one set."""

    set: str
    weighting: str
    thresholds: dict[str, Threshold]
    splits: Annotated[int, Field(ge=1)]


@options(allOf=needed(TABLES_NEED))
class Table(TypedDict):
    """A table: its kind, what that kind reads, and the printed cells, row by row."""

    kind: Literal[
        "ablation",
        "automated_scores",
        "case_study",
        "correlations",
        "examples",
        "human_scores",
        "normalised_scores",
        "parameters",
        "ranking",
        "readability",
        "score_spread",
        "token_cases",
    ]
    caption: str
    digits: NotRequired[int]
    absolute: NotRequired[bool]
    size: NotRequired[Size]
    metric: NotRequired[str]
    weighting: NotRequired[str]
    difficulty: NotRequired[str]
    labels: NotRequired[list[str]]
    """Of the columns of a case study: the plain score, the weighted one, and the difficulty."""
    sums: NotRequired[list]
    draws: NotRequired[int]
    set: NotRequired[str]
    reference: NotRequired[str]
    gains: NotRequired[dict[str, Any]]
    columns: NotRequired[list]
    rows: NotRequired[list]
    published: NotRequired[dict[str, Any]]
    difficult_segments: NotRequired[dict[str, Any]]
    average: NotRequired[list[float]]


@options(allOf=needed(FIGURES_NEED))
class Figure(TypedDict):
    """A figure: its kind, and what that kind draws."""

    kind: Literal[
        "balance_fit",
        "chunks",
        "difficulty_scores",
        "rule_graph",
        "score_bars",
        "segment_difficulties",
        "token_difficulties",
        "token_heat_map",
        "top_k",
    ]
    caption: str
    set: NotRequired[str]
    sets: NotRequired[list[str]]
    metric: NotRequired[str]
    metrics: NotRequired[list[str]]
    weighting: NotRequired[str]
    weightings: NotRequired[list[str]]
    difficulty: NotRequired[str]
    width: NotRequired[Annotated[float, Field(gt=0)]]
    """Of the bins of a difficulty; 20 bins of about as many hypotheses without it."""
    statistic: NotRequired[Literal["pearson", "kendall", "spearman"]]
    segment: NotRequired[Annotated[int, Field(ge=1)]]
    hypotheses: NotRequired[list]
    size: NotRequired[Size]
    published: NotRequired[dict[str, float]]
    scores: NotRequired[str]


@options()
class Cause(TypedDict):
    """Why cells differ from the paper's."""

    item: Any
    row: NotRequired[Any]
    column: NotRequired[Any]
    within: float
    """The largest difference that the cause explains."""
    reason: str
    evidence: str
    """What shows it."""


CHECKS_NEED = {
    "bounded": ["item"],
    "difficult_share": ["set", "difficulty", "of"],
    "gain": ["item", "pairs"],
    "higher": ["item", "pairs"],
    "higher_on_average": ["item", "pairs"],
    "mean_error": ["item", "row", "columns"],
    "product": ["item", "factors"],
    "same_rounded": ["item", "groups", "decimals"],
    "top_systems": ["set", "metrics", "weighting", "statistic", "sizes"],
}


@options(allOf=needed(CHECKS_NEED))
class Check(TypedDict):
    """How a claim is checked: the kind of check, and the cells or results that it reads."""

    kind: Literal[
        "bounded",
        "difficult_share",
        "gain",
        "higher",
        "higher_on_average",
        "mean_error",
        "product",
        "same_rounded",
        "top_systems",
    ]
    item: NotRequired[Any]
    """A table or figure, or a list of them."""
    row: NotRequired[str]
    rows: NotRequired[list[str]]
    columns: NotRequired[list[str]]
    """Columns, or heads of groups of columns."""
    statistics: NotRequired[list[Literal["r", "τ", "ρ"]]]
    pairs: NotRequired[list[list[str]]]
    """Of each pair the first is compared with the second."""
    over: NotRequired[Literal["rows", "columns"]]
    """What the pairs are of; rows without it."""
    absolute: NotRequired[bool]
    summed: NotRequired[bool]
    """Gains are summed over the statistics."""
    factors: NotRequired[list[list]]
    """Row, column and, if not 1, exponent of each factor."""
    scale: NotRequired[float]
    per: NotRequired[float]
    above: NotRequired[float]
    below: NotRequired[float]
    at_least: NotRequired[float]
    at_most: NotRequired[float]
    groups: NotRequired[list[list[str]]]
    """Of rows that are compared with each other."""
    decimals: NotRequired[int]
    digits: NotRequired[int]
    """Of a value beside a claim."""
    set: NotRequired[str]
    difficulty: NotRequired[str]
    weighting: NotRequired[str]
    threshold: NotRequired[float]
    of: NotRequired[Literal["hypotheses", "segments"]]
    metrics: NotRequired[list[str]]
    statistic: NotRequired[Literal["pearson", "kendall", "spearman"]]
    sizes: NotRequired[list[Size]]
    """The least and the largest K."""


@options()
class Claim(TypedDict):
    """A number or statement of a paper's text or captions."""

    id: str
    where: str
    """Section, table or figure."""
    statement: str
    """In our words."""
    published: NotRequired[float]
    """The number that is claimed; none of a comparison."""
    digits: NotRequired[int]
    check: NotRequired[Check]
    """None where nothing can check it; `reason` says why."""
    beside: NotRequired[dict[str, Check]]
    """What else is computed, and printed as evidence, by its label."""
    reason: NotRequired[str]
    evidence: NotRequired[str]


@options()
class Paper(TypedDict):
    """A paper's protocol and published cells."""

    title: str
    authors: str
    year: int
    sets: list[PaperSet]
    metrics: dict[str, Member]
    """Of all its sets."""
    layers: NotRequired[dict[str, Annotated[int, Field(ge=0)]]]
    """Of the encoders of its metrics, by their names in a config (bert-score's layers)."""
    tables: dict[str, Table]
    figures: dict[str, Figure]
    inputs: NotRequired[Inputs]
    difficulties: NotRequired[Difficulties]
    """Of all its sets, where they differ from a config's, whose others apply, too."""
    weightings: NotRequired[Weightings]
    """As the difficulties."""
    ablation: NotRequired[Ablation]
    causes: NotRequired[list[Cause]]
    """Of differences, as far as they are known."""
    claims: NotRequired[list[Claim]]
    """Of text, captions and conclusions."""
