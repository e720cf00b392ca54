"""Files of papers as pydantic models, and checks of the names in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ..data.text_files import read_yaml
from ..errors import InputError, nearest
from ..settings import Difficulties, Metrics, Weightings
from ..settings.protocol import (
    Ablation,
    AblationTable,
    Cause,
    CellCheck,
    Check,
    Claim,
    CorrelationTable,
    Method,
    PaperFigure,
    PaperTable,
    PrintedInputs,
    RankingTable,
    sets_of,
)
from ..settings.validation import UNSET, Closed, Content, problems, unknown
from ..weighting.base import STANDARD
from .config import DifficultiesByName, Metric, WeightingsByName


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

    @property
    def name(self) -> str:
        """The set's name, such as `wmt19/en-de`."""
        return f"{self.campaign}/{self.pair}"


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
    tables: dict[str, PaperTable]
    figures: dict[str, PaperFigure]
    inputs: PrintedInputs = UNSET
    difficulties: DifficultiesByName = Field({})  # where they differ from a config's
    weightings: WeightingsByName = Field({})
    ablation: Ablation = UNSET
    causes: list[Cause] = Field([])  # of differences, as far as they are known
    claims: list[Claim] = Field([])  # of text, captions and conclusions

    @property
    def items(self) -> dict[str, PaperTable | PaperFigure]:
        """The paper's tables and figures, by name."""
        return {**self.tables, **self.figures}

    @property
    def checks(self) -> list[Check]:
        """The checks of the paper's claims: each claim's `check`, then all its `beside`."""
        checks = [claim.check for claim in self.claims if claim.check is not None]
        return checks + [check for claim in self.claims for check in claim.beside.values()]


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Paper], list[str]]:
    """Read papers from `<folder>/<name>.yaml`; return valid ones by name, and error messages."""
    papers: dict[str, Paper] = {}
    wrong: list[str] = []
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    for name in names:
        if name not in known:
            there = f"{', '.join(known)}{nearest(name, known)}"
            wrong.append(f"config, papers: no paper {name}. There are: {there}.")
            continue
        path = folder / f"{name}.yaml"
        try:
            content = read_yaml(path)
            lines = problems(Paper.model_validate, content, {os.path.relpath(path): content})
        except InputError as error:
            lines = [str(error)]
        wrong += lines
        if not lines:
            papers[name] = Paper.model_validate(content)
    return papers, wrong


def paper_problems(
    paper: Paper, difficulties: Difficulties, weightings: Weightings
) -> Iterator[str]:
    """Yield a sentence for each name in a valid paper that is not defined, with its place.
    `difficulties` and `weightings` are those of the paper and the config, valid ones."""
    sets, items = [entry.name for entry in paper.sets], paper.items
    for cells in paper.method.cells:
        yield from (f"method: {text}" for text in unknown("item", as_list(cells.item), items))
    for check in paper.checks:
        named = as_list(check.item) if isinstance(check, CellCheck) else []
        yield from (f"claims: {text}" for text in unknown("item", named, items))
        yield from (f"claims: {text}" for text in unknown("set", sets_of(check), sets))
    for entry in paper.sets:
        named = [*entry.parameters, *entry.tuned]
        yield from (f"sets: {text}" for text in unknown("weighting", named, weightings))
    entries: dict[str, Closed] = dict(items)
    if paper.ablation is not None:
        entries["ablation"] = paper.ablation
    for name, item in entries.items():
        texts = list(unknown("set", sets_of(item), sets))
        for kind, known in (
            ("metric", metrics_on(paper, sets_of(item))),
            ("weighting", [STANDARD, *weightings]),
            ("difficulty", difficulties),
        ):
            texts += unknown(kind, named_in(item, kind), known)
        if isinstance(item, AblationTable) and paper.ablation is None:
            texts.append("a table of kind ablation needs the paper's `ablation`.")
        yield from (f"{name}: {text}" for text in texts)


def as_list(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def metrics_on(paper: Paper, sets: Iterable[str]) -> Metrics:
    """Return the metrics that a paper has on any of the sets, those of all its sets included."""
    metrics = dict(paper.metrics)
    for entry in paper.sets:
        if entry.name in sets:
            metrics |= entry.metrics
    return metrics


def named_in(item: Closed, kind: str) -> list[str]:
    """Return the names of a `kind` (metric, weighting or difficulty) in a table, figure or ablation
    and in its rows or columns, each once."""
    entries = [item]
    if isinstance(item, CorrelationTable):
        entries += item.rows
    elif isinstance(item, RankingTable):
        entries += item.columns
    elif isinstance(item, AblationTable):
        entries.append(item.published)
    names = [getattr(entry, kind, None) for entry in entries]
    names += getattr(item, f"{kind}s", None) or []
    return list(dict.fromkeys(filter(None, names)))
