"""`mt-difficulty validate`: check a config and its data."""

import argparse
import json
import textwrap
from functools import reduce
from pathlib import Path

from ..data import download, evalset, own_files
from ..data.evalset import EvaluationSet
from ..data.ratings import read_ratings
from ..data.yaml_files import read_yaml
from ..difficulty import make_estimator
from ..embedding import encoders
from ..errors import InputError, Missing, printable
from ..evidence.counted import describe_counted
from ..metrics import make_metric
from ..run import configs
from ..run.plan import Plan
from ..run.sets import PlannedSet, find_project
from . import note, tell
from .text import WIDTH

# What model families call the number of a model's layers.
DEPTHS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer")


class Findings:
    """What the checks find: problems, notices, of how many sets the archive has no texts, and how
    many could not be looked at without it."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.without_texts = self.unseen = 0


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, and every problem on stderr; 1 if there is one."""
    project, papers = find_project()
    sources = {"config.yaml": read_yaml(project)}
    sources |= {str(config): read_yaml(config) for config in arguments.config}
    if arguments.archive:
        sources["--archive"] = {"archive": str(arguments.archive.absolute())}
    if arguments.no_neural:
        sources["--no-neural"] = {"neural": False}
    if arguments.no_papers:
        sources["--no-papers"] = {"papers": []}
    config = reduce(configs.merge, sources.values())
    findings = Findings()
    plan, findings.problems = configs.check_run(config, sources, Path.cwd(), papers)
    if plan:
        check_plan(Path.cwd(), plan, findings)
    print_findings(findings)
    return int(bool(findings.problems))


def check_plan(root: Path, plan: Plan, findings: Findings) -> None:
    """Check the data of a plan's sets, campaign by campaign, and print what would be done."""
    archive = root / plan.archive
    findings.notices += plan.notices
    truths = dict.fromkeys(plan.truth_file(name) for name in plan.checked_sets)
    missing = [path for path in truths if not (root / path).is_file()]
    findings.problems += [f"config, truth: no such file: {path}." for path in missing]
    for planned in plan.sets.values():
        if planned.files is not None:
            check_set(root, plan, planned, root / planned.files, findings)
    if plan.campaigns and not plan.config["archive"] and not archive.exists():
        findings.notices.append(f"{archive} is not here: a run downloads it, 0.9 GB.")
    folder = archive
    if archive.exists():
        try:
            folder = download.unpacked(archive, plan.campaigns)
        except InputError as error:
            findings.problems.append(str(error))
    for campaign in plan.campaigns:
        of_archive = (each for each in plan.sets.values() if each.files is None)
        sets = [planned for planned in of_archive if planned.campaign == campaign]
        findings.unseen += len(sets) * (not archive.exists())
        if folder.is_dir():
            find_campaign(folder / campaign, sets, findings)
        for planned in sets:
            check_set(root, plan, planned, folder / campaign, findings)


def find_campaign(folder: Path, sets: list[PlannedSet], findings: Findings) -> None:
    """Say that the archive lacks a campaign."""
    try:
        download.find_campaign(folder)
    except Missing as missing:
        required = any(planned.required and not planned.found for planned in sets)
        (findings.problems if required else findings.notices).append(str(missing))
        findings.without_texts += 0 if required else len(sets)


def check_set(
    root: Path, plan: Plan, planned: PlannedSet, folder: Path, findings: Findings
) -> None:
    """Check one set, and print its plan."""
    name = planned.name
    if planned.files is not None:
        found = read_own_set(planned, folder, findings)
    else:
        found = read_set(planned, folder, findings) if folder.is_dir() else None
    describe(plan, planned, found)
    for encoder in planned.used_encoders:
        try:
            check_encoder(root, encoder, plan.encoders[encoder], findings)
        except InputError as error:
            findings.problems.append(str(error))
    if found:
        check_metrics(root, planned, found, folder, findings)
        findings.notices += [f"{name}: {notice}" for notice in plan.unread(name, root)]
    if found and found.reference:
        for difficulty in planned.difficulties:
            check_difficulty(root, plan, planned, difficulty, found, folder, findings)
        findings.notices += [f"{name}: {notice}" for notice in evalset.notices(found)]


def read_own_set(planned: PlannedSet, folder: Path, findings: Findings) -> EvaluationSet | None:
    """The evaluation set of own files; None if they cannot be read."""
    try:
        found = own_files.read_own_files(folder, planned.campaign, **planned.import_settings)
    except InputError as error:
        findings.problems.append(f"{planned.name}: {error}")
        return None
    if not found.gold:
        findings.notices.append(f"{planned.name}: no correlations, {evalset.NO_GOLD}.")
    return found


def read_set(planned: PlannedSet, folder: Path, findings: Findings) -> EvaluationSet | None:
    """The evaluation set; None if it cannot be read."""
    name = planned.name
    try:
        found = evalset.read_evaluation_set(folder, planned.campaign, **planned.import_settings)
    except InputError as error:
        findings.problems.append(f"{name}: {archive_paths(error, folder)}")
        return None
    except Missing as missing:
        findings.notices.append(f"{name}: {missing}")
        findings.without_texts += 1
        return None
    check_ratings(planned, folder, found, findings)
    findings.without_texts += bool(found.texts_missing)
    findings.notices += [f"{name}: {found.texts_missing}"] * bool(found.texts_missing)
    return found


def check_ratings(
    planned: PlannedSet, folder: Path, found: EvaluationSet, findings: Findings
) -> None:
    """Check the error spans of a set's raters, which a run reads for its page."""
    if found.gold and not found.texts_missing:
        segments, canary = len(found.reference), found.canary
        try:
            read_ratings(folder, found.pair, found.gold_name, found.systems, segments, canary)
        except InputError as error:
            findings.problems.append(f"{planned.name}: {archive_paths(error, folder)}")


def check_metrics(
    root: Path, planned: PlannedSet, found: EvaluationSet, folder: Path, findings: Findings
) -> None:
    """Check what metrics need of a set; a run goes on without those that lack something."""
    sources = {
        name: root / planned.stored_source(name, folder)
        for name in planned.metrics
        if planned.reads_stored(name)
    }
    for name, settings in planned.metrics.items():
        try:
            make_metric(name, found.pair, settings).check_inputs(found, sources.get(name, folder))
        except Missing as missing:
            if str(missing) != found.texts_missing:  # which is a notice already
                findings.notices.append(f"{planned.name}: no scores of {name}: {missing}")
        except InputError as error:
            own = planned.files is not None
            message = str(error) if own else archive_paths(error, folder)
            findings.problems.append(f"{planned.name}: {message}")


def check_difficulty(
    root: Path,
    plan: Plan,
    planned: PlannedSet,
    difficulty: str,
    found: EvaluationSet,
    folder: Path,
    findings: Findings,
) -> None:
    """Check a difficulty that others made, or that human scores give; a run goes on without one
    that is not there."""
    estimator = make_estimator(planned.difficulties[difficulty])
    try:
        if estimator.reads == "file":
            file = plan.estimates_file(planned.name, difficulty)
            estimator.estimate(found, root / file if file else None)
        elif estimator.reads == "campaign":
            if planned.files is not None:
                raise Missing("it is read from the archive, and the set is of own files")
            estimator.estimate(found, folder)
        elif estimator.uses_gold:
            estimator.estimate(found, None)
    except Missing as missing:
        findings.notices.append(f"{planned.name}: no difficulty {difficulty}: {missing}")
    except InputError as error:
        findings.problems.append(f"{planned.name}: {archive_paths(error, folder)}")


def archive_paths(error: Exception, folder: Path) -> str:
    """A message with the archive's paths instead of those of the temporary folder."""
    return str(error).replace(str(folder), folder.name)


def check_encoder(root: Path, name: str, settings: dict, findings: Findings) -> None:
    """Check that an encoder's folder has a whole model with the layer that is used.

    Raises
    ------
    InputError
        A folder without a whole model, or a model without that layer.
    """
    if "folder" in settings:
        folder = root / settings["folder"]
        encoders.whole(name, folder)
    elif "hub" in settings:
        folder = root / encoders.hub_folder(name, settings["revision"])
        if not encoders.arrived(folder):
            findings.notices.append(f"encoder {name} is not here: a run fetches {settings['hub']}.")
            return
    else:
        return
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    depth = next((config[key] for key in DEPTHS if isinstance(config.get(key), int)), None)
    if depth is not None and settings["layer"] > depth:
        raise InputError(
            f"encoder {folder}: there is no layer {settings['layer']}, only 0 to {depth} (config, "
            "encoders: layer)."
        )


def describe(plan: Plan, planned: PlannedSet, found: EvaluationSet | None) -> None:
    """Print what a set consists of."""
    given = f"files {planned.files}" + f", reference {planned.reference}" * bool(planned.reference)
    if planned.files is None:
        given = f"reference {planned.reference}, " if planned.reference else "no reference, "
        gold = found.gold_label if found else planned.gold
        given += f"gold {gold}" if planned.gold else "no human scores"
    print(f"{planned.name}: {printable(given)}")
    if found:
        segments = f"{len(found.reference):,} segments" if found.reference else "scores only"
        print(f"  {len(found.systems)} systems, {segments}")
        if counted := describe_counted(found):
            print(f"  {counted}")
        for why in dict.fromkeys(found.left_out.values()):
            systems = ", ".join(name for name, reason in found.left_out.items() if reason == why)
            line = printable(f"  left out, {why}: {systems}")
            print(textwrap.fill(line, WIDTH, subsequent_indent="    "))
    print(f"  metrics: {', '.join(planned.metrics)}")
    for encoder in planned.used_encoders:
        settings = plan.encoders[encoder]
        print(f"  encoder: {encoder}, layer {settings['layer']}, {settings['dtype']}")
    print(f"  difficulties: {', '.join(planned.difficulties)}")
    print(f"  weightings: {', '.join(['standard', *planned.weightings])}")


def print_findings(findings: Findings) -> None:
    """Print what is odd or wrong, and how many problems there are."""
    for notice in dict.fromkeys(findings.notices):
        note(notice)
    problems = dict.fromkeys(findings.problems)
    for problem in problems:
        tell(f"ERROR: {problem}")
    last = f"{len(problems) or 'no'} problem{'s' * (len(problems) != 1)} found"
    if count := findings.without_texts:
        last += f", but the archive has no texts of {count} set{'s' * (count > 1)}"
    if count := findings.unseen:
        last += f" in the config; {count} set{'s' * (count > 1)} of the archive not checked"
    print(last)
