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
    AgreementTable,
    AutomatedScoreTable,
    Cause,
    CellCheck,
    Check,
    Claim,
    CorrelationTable,
    HumanScoreTable,
    MatrixTable,
    Method,
    NormalisedScoreTable,
    PaperFigure,
    PaperTable,
    PrintedInputs,
    RankingTable,
    ReadabilityTable,
    ScoreBarFigure,
    SpreadTable,
    sets_of,
)
from ..settings.validation import UNSET, Closed, Content, problems, unknown
from ..weighting.base import STANDARD
from .config import DifficultiesByName, Metric, WeightingsByName

# Tables and figures that are made from numbers that the paper prints.
PRINTED_ITEMS = (
    HumanScoreTable,
    AutomatedScoreTable,
    ReadabilityTable,
    NormalisedScoreTable,
    SpreadTable,
    ScoreBarFigure,
)


class PaperSet(Closed):
    """A set in a paper's YAML file: keys as for a set in a config, and the number of systems.

    Attributes
    ----------
    campaign, pair, reference, gold : str
        Names of the campaign, language pair, reference and human scores in the archive.
    systems : int, optional
        Number of systems in the paper, if it is known.
    exclude : list of str, optional
        Systems to leave out.
    ranked_references : list of str
        Further references that the paper ranks as systems.
    weightings : list of str, optional
        Names of weightings; by default all of the paper and the config.
    parameters : dict of str to dict
        Settings of weightings on this set alone, by weighting.
    tuned : list of str
        Weightings whose parameters the paper chose with human scores of the same set.
    metrics : dict of str to MetricSettings
        Metrics that the paper has on this set alone, by name.
    """

    campaign: str
    pair: str
    reference: str
    gold: str
    systems: int = UNSET
    exclude: list[str] = UNSET
    ranked_references: list[str] = Field([])
    weightings: list[str] = UNSET
    parameters: dict[str, Content] = Field({})
    tuned: list[str] = Field([])
    metrics: dict[str, Metric] = Field({})

    @property
    def name(self) -> str:
        """The set's name, such as `wmt19/en-de`."""
        return f"{self.campaign}/{self.pair}"


class Paper(Closed):
    """Content of a paper's YAML file: sets, metrics, weightings, published numbers and claims.

    Attributes
    ----------
    title, authors : str
        As on its title page.
    year : int
        Year of publication.
    method : Method
        The paper's own method.
    sets : list of PaperSet
        The paper's evaluation sets.
    metrics : dict of str to MetricSettings
        Metrics that the paper has on all its sets, by name.
    layers : dict of str to int
        Layers of encoders that are not bert-score's defaults, by encoder.
    tables : dict of str to PaperTable
        Tables by name, such as table2.
    figures : dict of str to PaperFigure
        Figures by name, such as figure1.
    inputs : PrintedInputs, optional
        Published numbers that the paper's other numbers are computed from.
    difficulties : dict of str to DifficultySettings
        Those that differ from the config's.
    weightings : dict of str to WeightingSettings
        Those that differ from the config's.
    ablation : Ablation, optional
        An ablation of a weighting in groups.
    causes : list of Cause
        Known causes of differences between our numbers and the published ones.
    claims : list of Claim
        Claims of the text, captions and conclusions.
    """

    title: str
    authors: str
    year: int
    method: Method
    sets: list[PaperSet]
    metrics: dict[str, Metric]
    layers: dict[str, Annotated[int, Field(ge=0)]] = Field({})
    tables: dict[str, PaperTable]
    figures: dict[str, PaperFigure]
    inputs: PrintedInputs = UNSET
    difficulties: DifficultiesByName = Field({})
    weightings: WeightingsByName = Field({})
    ablation: Ablation = UNSET
    causes: list[Cause] = Field([])
    claims: list[Claim] = Field([])

    @property
    def items(self) -> dict[str, PaperTable | PaperFigure]:
        """The paper's tables and figures, by name."""
        return {**self.tables, **self.figures}

    @property
    def checks(self) -> list[Check]:
        """The checks of the paper's claims: each claim's `check`, then all its `beside`."""
        checks = [claim.check for claim in self.claims if claim.check is not None]
        for claim in self.claims:
            checks += claim.beside.values()
        return checks


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Paper], list[str]]:
    """Read papers from `<folder>/<name>.yaml`; return valid ones by name, and error messages."""
    papers: dict[str, Paper] = {}
    messages: list[str] = []
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    for name in names:
        if name not in known:
            names = f"{', '.join(known)}{nearest(name, known)}"
            messages.append(f"config, papers: no paper {name}. There are: {names}.")
            continue
        path = folder / f"{name}.yaml"
        try:
            content = read_yaml(path)
            errors = problems(Paper.model_validate, content, {os.path.relpath(path): content})
        except InputError as error:
            errors = [str(error)]
        messages += errors
        if not errors:
            papers[name] = Paper.model_validate(content)
    return papers, messages


def paper_problems(
    paper: Paper, difficulties: Difficulties, weightings: Weightings
) -> Iterator[str]:
    """Yield a sentence for each name in a valid paper that is not defined, with its place.

    Parameters
    ----------
    paper : Paper
    difficulties : mapping of str to DifficultySettings
        Valid ones of the paper and the config, by name.
    weightings : mapping of str to WeightingSettings
        Valid ones of the paper and the config, by name.
    """
    sets = [entry.name for entry in paper.sets]
    items = paper.items
    for cells in paper.method.cells:
        for text in unknown("item", as_list(cells.item), items):
            yield f"method: {text}"
    for check in paper.checks:
        named_items = as_list(check.item) if isinstance(check, CellCheck) else []
        for text in unknown("item", named_items, items):
            yield f"claims: {text}"
        for text in unknown("set", sets_of(check), sets):
            yield f"claims: {text}"
    for entry in paper.sets:
        named = [*entry.parameters, *entry.tuned, *(entry.weightings or [])]
        for text in unknown("weighting", named, weightings):
            yield f"sets: {text}"
    members: dict[str, Closed] = dict(items)
    if paper.ablation is not None:
        members["ablation"] = paper.ablation
    for name, member in members.items():
        for text in _item_problems(paper, member, difficulties, weightings):
            yield f"{name}: {text}"


def _item_problems(
    paper: Paper, item: Closed, difficulties: Difficulties, weightings: Weightings
) -> Iterator[str]:
    """Yield a sentence for each name in a table, figure or ablation that is not defined."""
    yield from unknown("set", sets_of(item), [entry.name for entry in paper.sets])
    yield from unknown("metric", named_in(item, "metric"), metrics_on(paper, sets_of(item)))
    yield from unknown("weighting", named_in(item, "weighting"), [STANDARD, *weightings])
    yield from unknown("difficulty", named_in(item, "difficulty"), difficulties)
    if isinstance(item, AblationTable) and paper.ablation is None:
        yield "a table of kind ablation needs the paper's `ablation`."
    if isinstance(item, PRINTED_ITEMS) and paper.inputs is None:
        yield f"an item of kind {item.kind} needs the paper's `inputs`."


def as_list(names: str | list[str]) -> list[str]:
    """Return one or several names as a list."""
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
    members = [item]
    if isinstance(item, CorrelationTable | AgreementTable | MatrixTable):
        members += item.rows
    elif isinstance(item, RankingTable):
        members += item.columns
    elif isinstance(item, AblationTable):
        members.append(item.published)
    names = [getattr(member, kind, None) for member in members]
    names += getattr(item, f"{kind}s", None) or []
    return list(dict.fromkeys(filter(None, names)))
