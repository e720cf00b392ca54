"""Files of papers: their options (protocol, tables and figures, published cells), and what is wrong
with one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..data.yaml_files import read_yaml
from ..difficulty import make_estimator
from ..difficulty.chunk_entropy import ChunkEntropy
from ..errors import InputError, nearest
from ..papers.used_settings import weighs_tokens
from ..weighting import make_weighting
from ..weighting.groups import Groups
from . import members
from . import options as schema
from .options import Difficulties, Member, Size, Weightings, of_kind, options
from .outputs import (
    CHUNK_KINDS,
    DIFFICULTY_KINDS,
    GROUP_KINDS,
    TOKEN_KINDS,
    checks_of_claims,
    sets_of,
)
from .plan import read_papers
from .sets import expanded, reads_matches

Rows = dict[str, list[float | None]]
# The kinds of tables, figures and checks, and what each must say beside kind and caption.
TABLES: dict[str, list[str]] = {
    "ablation": ["set", "published"],
    "automated_scores": [],
    "case_study": ["set", "metric", "difficulty", "weighting", "labels", "rows"],
    "correlations": ["columns", "rows"],
    "examples": [],
    "human_scores": [],
    "normalised_scores": [],
    "parameters": ["weighting", "columns", "rows"],
    "ranking": ["set", "size", "columns", "rows"],
    "readability": [],
    "score_spread": [],
    "token_cases": ["set", "metric", "weighting", "labels", "size", "rows"],
}
FIGURES: dict[str, list[str]] = {
    "balance_fit": ["sets", "weighting"],
    "chunks": ["set", "difficulty", "hypotheses"],
    "difficulty_scores": ["set", "metric", "difficulty"],
    "rule_graph": [],
    "score_bars": ["scores"],
    "segment_difficulties": ["sets", "difficulty", "weighting"],
    "token_difficulties": ["set", "metric", "difficulty", "size"],
    "token_heat_map": ["set", "metric", "difficulty", "segment", "size"],
    "top_k": ["set", "metrics"],
}
CHECKS = {
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


@options()
class PaperSet(TypedDict):
    """An evaluation set, as in a config."""

    campaign: str
    pair: str
    reference: str
    gold: str
    systems: int  # how many there are in the paper
    exclude: NotRequired[list[str]]
    parameters: NotRequired[dict[str, dict[str, Any]]]  # settings of weightings in this set
    tuned: NotRequired[list[str]]
    """Weightings whose parameters the authors chose with human scores of this same set."""
    metrics: NotRequired[dict[str, Member]]  # of this set alone


@options()
class Inputs(TypedDict):
    """Printed numbers of texts that are not public."""

    systems: list[str]
    human: Rows
    scores: dict[str, Rows]
    readability: dict[str, dict[Literal["FR", "FKGL", "ASL", "ASW"], float]]  # of texts, as printed
    reference: str  # the text that scores are normalised to
    powers: dict[str, float]  # of the ratio of syllables per word, by metric


@options()
class Ablation(TypedDict):
    """Variants of a weighting in groups on one set."""

    set: str
    weighting: str
    thresholds: dict[str, dict[Literal["printed", "deviations"], float]]
    splits: Annotated[int, Field(ge=1)]


@options()
class Table(TypedDict):
    """A table: its kind, what that kind reads, and the printed cells, row by row."""

    kind: str
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


@options()
class Figure(TypedDict):
    """A figure: its kind, and what that kind draws."""

    kind: str
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
    within: float  # the largest difference that the cause explains
    reason: str
    evidence: str  # what shows it


@options()
class Check(TypedDict):
    """How a claim is checked: the kind of check, and the cells or results that it reads."""

    kind: str
    item: NotRequired[Any]  # a table or figure, or a list of them
    row: NotRequired[str]
    rows: NotRequired[list[str]]
    columns: NotRequired[list[str]]  # columns, or heads of groups of columns
    statistics: NotRequired[list[Literal["r", "τ", "ρ"]]]
    pairs: NotRequired[list[list[str]]]  # of each pair the first is compared with the second
    over: NotRequired[Literal["rows", "columns"]]  # what the pairs are of; rows without it
    absolute: NotRequired[bool]
    summed: NotRequired[bool]  # gains are summed over the statistics
    factors: NotRequired[list[list]]  # row, column and, if not 1, exponent of each factor
    scale: NotRequired[float]
    per: NotRequired[float]
    above: NotRequired[float]
    below: NotRequired[float]
    at_least: NotRequired[float]
    at_most: NotRequired[float]
    groups: NotRequired[list[list[str]]]  # of rows that are compared with each other
    decimals: NotRequired[int]
    digits: NotRequired[int]  # of a value beside a claim
    set: NotRequired[str]
    difficulty: NotRequired[str]
    weighting: NotRequired[str]
    threshold: NotRequired[float]
    of: NotRequired[Literal["hypotheses", "segments"]]
    metrics: NotRequired[list[str]]
    statistic: NotRequired[Literal["pearson", "kendall", "spearman"]]
    sizes: NotRequired[list[Size]]  # the least and the largest K


@options()
class Claim(TypedDict):
    """A number or statement of a paper's text or captions."""

    id: str
    where: str  # section, table or figure
    statement: str  # in our words
    published: NotRequired[float]  # the number that is claimed; none of a comparison
    digits: NotRequired[int]
    check: NotRequired[Annotated[Check, of_kind(CHECKS)]]
    """None where nothing can check it; `reason` says why."""
    beside: NotRequired[dict[str, Annotated[Check, of_kind(CHECKS)]]]
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
    metrics: dict[str, Member]  # of all its sets
    layers: NotRequired[dict[str, Annotated[int, Field(ge=0)]]]
    """Of the encoders of its metrics, by their names in a config (bert-score's layers)."""
    tables: dict[str, Annotated[Table, of_kind(TABLES)]]
    figures: dict[str, Annotated[Figure, of_kind(FIGURES)]]
    inputs: NotRequired[Inputs]
    difficulties: NotRequired[Difficulties]
    """Of all its sets, where they differ from a config's, whose others apply, too."""
    weightings: NotRequired[Weightings]  # as the difficulties
    ablation: NotRequired[Ablation]
    causes: NotRequired[list[Cause]]  # of differences, as far as they are known
    claims: NotRequired[list[Claim]]  # of text, captions and conclusions


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Paper], list[str]]:
    """Papers whose files have no problem, and the problems of the others, a line each."""
    papers: dict[str, Paper] = {}
    problems: list[str] = []
    for name in names:
        try:
            found = _problems(name, folder)
        except InputError as error:
            found = [str(error)]
        problems += found
        if not found:
            papers |= read_papers([name], folder)
    return papers, problems


def _problems(name: str, folder: Path) -> list[str]:
    path = folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(each.stem for each in folder.glob("*.yaml"))
        hint = nearest(name, known)
        return [f"config, papers: no paper {name}. There are: {', '.join(known)}{hint}."]
    paper: Any = read_yaml(path)
    place = os.path.relpath(path)
    if found := schema.problems(paper, Paper, {place: paper}):
        return found
    sets = [f"{entry['campaign']}/{entry['pair']}" for entry in paper["sets"]]
    items = {**paper["tables"], **paper["figures"]}
    for item, content in (items | {"ablation": paper.get("ablation", {})}).items():
        found += [f"{place}: {item}: {x}" for x in members.unknown("set", sets_of(content), sets)]
    for check in checks_of_claims(paper):
        named = check.get("item", [])
        named = [named] if isinstance(named, str) else named
        problems = [*members.unknown("item", named, items)]
        problems += members.unknown("set", [check["set"]] if "set" in check else [], sets)
        found += [f"{place}: claims: {problem}" for problem in problems]
    for metrics in [paper["metrics"], *(entry.get("metrics", {}) for entry in paper["sets"])]:
        wrong = members.metric_problems(metrics)
        found += [f"{place}: metrics, {name}: {text}" for name in wrong for text in wrong[name]]
    return found


def item_problems(
    paper: Paper, difficulties: Mapping[str, dict], weightings: Mapping[str, dict]
) -> list[str]:
    """What the tables and figures of a paper name that there is not, or that is of another kind,
    in sentences that begin with the item.

    The paper has the form of `Paper`, and its sets are there; `difficulties` and `weightings` are
    settings of the paper's and of the config's, without problems.
    """
    found: list[str] = []
    weightings = expanded(weightings)
    items: dict[str, Any] = {**paper["tables"], **paper["figures"]}
    if "ablation" in paper:
        items["ablation"] = {"kind": "ablation", **paper["ablation"]}
    for name, item in items.items():
        metrics, sets = dict(paper["metrics"]), sets_of(item)
        for entry in paper["sets"]:
            if f"{entry['campaign']}/{entry['pair']}" in sets:
                metrics |= entry.get("metrics", {})
        rows = {"correlations": "rows", "ranking": "columns"}.get(item["kind"], "")
        entries = [item, *item.get(rows, [])]
        if item["kind"] == "ablation":
            entries.append(item.get("published", {}))
        problems: list[str] = []
        for what, known in (
            ("metric", metrics),
            ("weighting", {"standard": {}, **weightings}),
            ("difficulty", difficulties),
        ):
            named = [entry[what] for entry in entries if what in entry] + item.get(f"{what}s", [])
            problems += members.unknown(what, dict.fromkeys(named), known)
        if not problems:
            if item["kind"] == "ablation" and "ablation" not in paper:
                problems.append("a table of kind ablation needs the paper's `ablation`.")
            problems += _of_other_kinds(item, metrics, difficulties, weightings)
        found += [f"{name}: {problem}" for problem in problems]
    return found


def _of_other_kinds(
    item: Any,
    metrics: Mapping[str, dict],
    difficulties: Mapping[str, dict],
    weightings: Mapping[str, dict],
) -> Iterator[str]:
    """What an item names that its kind can not show."""
    kind, weighting, difficulty = item["kind"], item.get("weighting"), item.get("difficulty")
    if weighting == "standard":
        yield "the standard weighting has no difficulty; name another one."
    elif weighting:
        grouped = isinstance(make_weighting(weightings[weighting]), Groups)
        if not grouped and (kind in GROUP_KINDS or "difficult_segments" in item):
            yield f"{weighting} is no weighting in groups."
        if kind == "token_cases" and not weighs_tokens(weightings, weighting):
            yield f"{weighting} is no weighting of tokens."
    if difficulty:
        estimator = make_estimator(difficulties[difficulty])
        if kind in TOKEN_KINDS and estimator.unit != "token":
            yield f"{difficulty} is no difficulty of tokens."
        if kind in DIFFICULTY_KINDS and estimator.unit == "token":
            yield f"{difficulty} is a difficulty of tokens."
        elif kind in CHUNK_KINDS and not isinstance(estimator, ChunkEntropy):
            yield f"{difficulty} has no chunks."
    if kind in (*TOKEN_KINDS, "token_cases") and not reads_matches(metrics[item["metric"]]):
        yield f"{item['metric']} has no token matches."
