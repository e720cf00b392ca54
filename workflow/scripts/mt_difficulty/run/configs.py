"""The config of a run: YAML files merged over the project's, and all that can be wrong with it.

`python -m mt_difficulty.run.configs FILES` checks files before Snakemake reads them: make does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..data.campaign_files import FILE
from ..data.yaml_files import read_yaml
from ..errors import InputError, explain, printable
from . import schema
from .project import located
from .sets import NO_SETS
from .settings import Config

if TYPE_CHECKING:
    from .plan import Plan
    from .sets import PlannedSet

# Bytes of a path and of a name in it that leave room for the files of results.
LONGEST_PATH, LONGEST_NAME = 3000, 255


def merge(base: dict, changes: dict) -> dict:
    """Snakemake's way: mappings key by key, anything else replaced."""
    both = base | changes
    for key in base.keys() & changes.keys():
        if isinstance(base[key], dict) and isinstance(changes[key], dict):
            both[key] = merge(base[key], changes[key])
    return both


def check_run(
    config: dict, sources: Mapping[str, Any], folder: Path, papers: Path
) -> tuple[Plan | None, list[str]]:
    """The plan of a run, None without one, and all that a run would refuse in its config.

    Parameters
    ----------
    config : dict
        Merged from the `sources`, by file.
    folder : path
        Where it is run.
    papers : path
        The folder of papers' files.
    """
    from . import campaigns, members, outdated, studies
    from .paper_items import metric_types
    from .papers import check_papers
    from .plan import make_plan

    found = problems(config, sources, folder)
    if found:
        return None, found
    if config["archive"] and not (folder / located(config["archive"])).exists():
        found.append(
            f"archive: no such file or folder: {config['archive']}. Name a .tgz or an unpacked "
            "folder, or leave `archive` (ARCHIVE=) empty to download it."
        )
    found += [
        f"config, statistics: {text}" for text in members.statistic_problems(config["statistics"])
    ]
    if "study" in config:
        in_study = studies.study_problems(config["study"], config["weightings"])
        found += [f"config, study: {text}" for text in in_study]
    known, in_papers = check_papers(config["papers"], papers)
    expanded = campaigns.expand(config, folder, papers.parent / FILE)
    found += expanded.problems
    entries = {"evaluation_sets": expanded.entries}
    there = outdated.protocols(folder / config["results"])
    plan, in_plan = make_plan(cast("Config", config | entries), known, expanded.notices, there)
    if expanded.problems and not expanded.entries:
        in_plan = [line for line in in_plan if line != NO_SETS]
    of_papers = {metric for paper in plan.papers for metric in metric_types(plan, paper)}
    metrics = sorted({*config["metrics"], *of_papers})
    stated = members.entry_problems(
        config["metrics"], config["difficulties"], config["weightings"], metrics
    )
    found += [f"config, {line}" for line in stated] + in_papers + in_plan
    plan, of_sets = sound_sets(plan, metrics, stated)
    if not stated and not of_sets:
        of_sets += wrong_items(config, known)
    found += of_sets + absent_estimates(plan, folder) + broken_models(plan, folder)
    return plan, found


def wrong_items(config: dict, papers: Mapping[str, Any]) -> list[str]:
    """What the tables and figures of papers name that there is not, a line each."""
    from .paper_items import item_problems

    return [
        f"{name}: {line}"
        for name, paper in papers.items()
        for line in item_problems(
            paper,
            config["difficulties"] | paper.get("difficulties", {}),
            config["weightings"] | paper.get("weightings", {}),
        )
    ]


def sound_sets(plan: Plan, metrics: list[str], stated: list[str]) -> tuple[Plan, list[str]]:
    """The plan of the sets whose entries are as they should be, and what is wrong with the others,
    each line once and none of those that are stated already."""
    from . import members

    fine: dict[str, PlannedSet] = {}
    lines: dict[str, str] = {}
    for name, each in plan.sets.items():
        of_set = members.entry_problems(each.metrics, each.difficulties, each.weightings, metrics)
        if not of_set:
            fine[name] = each
        for line in of_set:
            lines.setdefault(line, f"{name}: {line}")
    return replace(plan, sets=fine), [text for line, text in lines.items() if line not in stated]


def absent_estimates(plan: Plan, folder: Path) -> list[str]:
    """Difficulties that are read from files which the config names, and of which no set has one."""
    files: dict[str, list[str]] = {}
    for name, planned in plan.sets.items():
        for difficulty in planned.estimated:
            path = plan.estimates_file(name, difficulty)
            if path and planned.difficulties[difficulty].get("file"):
                files.setdefault(difficulty, []).append(path)
    return [
        f"config, difficulties, {difficulty}: no such file: {paths[0]}."
        for difficulty, paths in files.items()
        if not any((folder / path).is_file() for path in paths)
    ]


def broken_models(plan: Plan, folder: Path) -> list[str]:
    """Difficulties whose model a run could not load, a line each; its weights are not read."""
    from ..embedding import regressor

    models = {
        (difficulty, path)
        for name, planned in plan.sets.items()
        for difficulty in planned.estimated
        if (path := plan.model_folder(name, difficulty))
    }
    found = []
    for difficulty, path in sorted(models):
        try:
            regressor.whole(folder / path)
        except InputError as error:
            found.append(f"config, difficulties, {difficulty}: {error}")
    return found


def problems(config: dict, sources: Mapping[str, Any], folder: str | Path) -> list[str]:
    """What is wrong with a config itself, a line each.

    Parameters
    ----------
    config : dict
        Merged from the `sources`, by file.
    folder : path
        Where it is run.
    """
    # Merged into a value of another type, a mapping can vanish.
    found = schema.wrong_types(Config, sources) + schema.problems(config, Config, sources)
    found = sorted(set(found))
    if not found and (reason := unfit(config["results"], folder)):
        found.append(f"{schema.source_of(['results'], sources)}: results: {reason}")
    return found


def unfit(results: str, folder: str | Path) -> str:
    """Why results cannot be written to a path; empty if they can, as far as one sees."""
    path = Path(os.path.normpath(Path(folder, results)))
    longest = max(len(os.fsencode(name)) for name in path.parts)
    if longest > LONGEST_NAME or len(os.fsencode(path)) > LONGEST_PATH:
        return f"the path is too long: at most {LONGEST_NAME} bytes a name, {LONGEST_PATH} in all."
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(path)):
        return f"{results} holds the project itself. Name a folder for results alone."
    while not os.path.exists(path):  # False, too, where one may not look
        path = path.parent
    if not path.is_dir():
        return f"{path} is a file; expected a folder, or one that can be made. Name another."
    if not os.access(path, os.W_OK | os.X_OK):
        return f"{path} is read-only. Allow writing, or name another folder."
    return ""


def main(files: Sequence[str]) -> int:
    """Check files that are merged one over the other, the project's first, and print the folder of
    the results; problems go to stderr."""
    try:
        sources = {file: read_yaml(file) for file in files}
        config = reduce(merge, sources.values())
        lines = problems(config, sources, Path.cwd())
        if not os.access(".", os.W_OK):
            lines.append("this folder is read-only, but Snakemake keeps notes in it: copy it.")
    except InputError as error:
        lines = [str(error)]
    except OSError as error:
        lines = [explain(error)]
    for line in lines:
        print(printable(f"ERROR: {line}"), file=sys.stderr)
    if not lines:
        print(config["results"])
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
