"""Check a run's config and papers, and plan the run."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..data import campaign_files
from ..difficulty import make_estimator
from ..errors import InputError
from ..settings import Weightings
from ..settings.validation import complaints
from ..settings.validation import problems as problems_of
from .base import located
from .campaigns import expand
from .config import Config, check_weighting, reference_problems
from .outputs import metric_types
from .papers import check_papers, paper_problems
from .plan import Plan, make_plan


def check_run(
    content: dict, sources: Mapping[str, Any], papers: Path
) -> tuple[Plan | None, list[str]]:
    """Check a run's config and papers, and plan the run.

    Parameters
    ----------
    content : dict
        The merged config.
    sources : mapping of str to object
        Contents of the merged files, by file name, for messages.
    papers : Path
        The folder of papers' files.

    Returns
    -------
    tuple of (Plan or None) and list of str
        The plan, None if it cannot be made; and the problems, as sentences.
    """
    problems = problems_of(Config.model_validate, content, sources)
    if problems:
        return None, problems
    config = Config.model_validate(content)
    known, problems = check_papers(config.papers, papers)
    entries = expand(config, papers.parent / campaign_files.FILE)
    plan, plan_problems = make_plan(config, known, entries)
    problems += plan_problems
    name_problems = _name_problems(plan)
    if name_problems:
        return None, problems + name_problems
    for name, paper in known.items():
        difficulties = config.difficulties | paper.difficulties
        weightings = config.weightings | paper.weightings
        for problem in paper_problems(paper, difficulties, weightings):
            problems.append(f"workflow/papers/{name}.yaml: {problem}")
    problems += _file_problems(plan)
    return plan, problems


def environment_problems(plan: Plan) -> list[str]:
    """Return the problems of a run without conda: metrics that name a conda environment. Snakemake
    would run them without it.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    list of str
    """
    metrics = {
        metric
        for planned in plan.sets.values()
        for metric, settings in planned.commands.items()
        if settings.arguments.get("environment")
    }
    return [
        f"config, metrics, {metric}: environment: used with conda alone. Start the run by "
        "`snakemake --software-deployment-method conda`, or leave `environment` out and name the "
        "program in `command` by its path."
        for metric in sorted(metrics)
    ]


def _name_problems(plan: Plan) -> list[str]:
    """Return problems of the names in difficulties and weightings of the config and of each set. A
    problem of several sets is listed once, for the first."""
    metrics = set(plan.config.metrics)
    for paper in plan.papers:
        metrics.update(metric_types(plan, paper))
    members = {"config, ": (plan.config.difficulties, plan.config.weightings)}
    for name, planned in plan.sets.items():
        members[f"{name}: "] = (planned.difficulties, planned.weightings)
    places: dict[str, str] = {}  # by problem
    for place, (difficulties, weightings) in members.items():
        problems = list(_setting_problems(weightings))
        if not problems:
            problems = list(reference_problems(difficulties, weightings, sorted(metrics)))
        for problem in problems:
            places.setdefault(problem, place)
    return [f"{place}{problem}" for problem, place in places.items()]


def _setting_problems(weightings: Weightings) -> Iterator[str]:
    """Yield invalid settings of weightings, such as those with a set's parameters."""
    for name, settings in weightings.items():
        for _, problem in complaints(check_weighting, settings.entry()):
            yield f"weightings, {name}: {problem}"


def _file_problems(plan: Plan) -> Iterator[str]:
    """Yield difficulties of the config whose model cannot be loaded, or whose file no set has."""
    from ..embedding.encoding import check_regressor

    for difficulty, settings in plan.config.difficulties.items():
        entry = f"config, difficulties, {difficulty}"
        if make_estimator(settings).reads == "model":
            try:
                check_regressor(Path(located(settings.folder)))  # without reading its weights
            except InputError as error:
                yield f"{entry}: {error}"
        elif settings.type == "file" and settings.file:
            files = [plan.difficulty_location(name, difficulty) for name in plan.sets]
            if files and not any(file and os.path.isfile(file) for file in files):
                yield f"{entry}: no such file: {files[0]}."
