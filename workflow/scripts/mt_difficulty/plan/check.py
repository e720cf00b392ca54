"""Check a run's config and papers, and plan the run."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..data import campaign_files
from ..difficulty import make_estimator
from ..errors import InputError
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
    """Return the plan of a run (None if it cannot be made) and the problems of its config, as
    sentences. `content` is the merged config; `sources` are the merged files' contents, by file
    name; `papers` is the folder of papers' files."""
    from ..embedding.encoding import check_regressor

    if problems := problems_of(Config.model_validate, content, sources):
        return None, problems
    config = Config.model_validate(content)
    known, problems = check_papers(config.papers, papers)
    plan, in_plan = make_plan(config, known, expand(config, papers.parent / campaign_files.FILE))
    problems += in_plan

    # Check the names in entries; each problem is listed once.
    of_papers = {metric for paper in plan.papers for metric in metric_types(plan, paper)}
    metrics = sorted({*config.metrics, *of_papers})
    places = {"config, ": (config.difficulties, config.weightings)}
    for name, planned in plan.sets.items():
        places[f"{name}: "] = planned.difficulties, planned.weightings
    named: dict[str, str] = {}
    for place, kinds in places.items():
        lines = [
            f"weightings, {weighting}: {text}"
            for weighting, settings in kinds[1].items()  # with parameters of the set
            for _, text in complaints(check_weighting, settings.entry())
        ]
        for line in lines or reference_problems(*kinds, metrics):
            named.setdefault(line, place)
    if named:
        return None, problems + [f"{place}{line}" for line, place in named.items()]
    for name, paper in known.items():
        difficulties = config.difficulties | paper.difficulties
        weightings = config.weightings | paper.weightings
        in_paper = paper_problems(paper, difficulties, weightings)
        problems += [f"workflow/papers/{name}.yaml: {line}" for line in in_paper]

    # Check for files that the config names but no set has, and models that cannot be loaded.
    for difficulty, settings in config.difficulties.items():
        place = f"config, difficulties, {difficulty}"
        if make_estimator(settings).reads == "model":
            try:
                check_regressor(Path(located(settings.folder)))  # its weights are not read
            except InputError as error:
                problems.append(f"{place}: {error}")
        elif settings.type == "file" and settings.file:
            files = [plan.difficulty_location(name, difficulty) for name in plan.sets]
            if files and not any(file and os.path.isfile(file) for file in files):
                problems.append(f"{place}: no such file: {files[0]}.")
    return plan, problems
