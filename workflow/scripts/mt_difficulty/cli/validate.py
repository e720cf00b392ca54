"""`mt-difficulty validate`: check a config and its data."""

import argparse
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path

from ..data import download, evalset
from ..data.evalset import EvaluationSet
from ..data.import_set import read_error_spans
from ..data.text_files import read_yaml
from ..difficulty import make_estimator
from ..embedding import baselines, encoders
from ..errors import InputError, Missing, printable
from ..human_evaluation.set_scores import read_set
from ..metrics import make_metric
from ..plan.base import find_project, merge
from ..plan.check import check_run
from ..plan.plan import Plan, PlannedSet
from ..scores import describe_counted
from ..settings import EncoderSettings
from . import tell
from .report import WIDTH

Finding = InputError | Missing  # a problem, or a notice


def validate(arguments: argparse.Namespace) -> int:
    """Run `validate`: print a run's plan, and problems to stderr; return 1 on problems, else 0."""
    project, papers = find_project()
    sources = {"config.yaml": read_yaml(project)}
    for config in arguments.config:
        sources[str(config)] = read_yaml(config)
    if arguments.archive:
        sources["--archive"] = {"archive": str(arguments.archive.absolute())}
    if arguments.no_neural:
        sources["--no-neural"] = {"neural": False}
    if arguments.no_papers:
        sources["--no-papers"] = {"papers": []}
    plan, problems = check_run(reduce(merge, sources.values()), sources, papers)
    if plan:
        findings = list(check_data(plan))
        problems += [str(finding) for finding in findings if isinstance(finding, InputError)]
        notices = [str(finding) for finding in findings if isinstance(finding, Missing)]
        for notice in dict.fromkeys([*plan.notices, *notices]):
            tell(f"notice: {notice}")
    problems = list(dict.fromkeys(problems))
    for problem in problems:
        tell(f"ERROR: {problem}")
    noun = "problem" if len(problems) == 1 else "problems"
    print(f"{len(problems) or 'no'} {noun} found")
    return int(bool(problems))


def check_data(plan: Plan) -> Iterator[Finding]:
    """Print each set's plan; yield `InputError` for errors in its data, `Missing` for warnings."""
    for path in dict.fromkeys(plan.truth_file(name) for name in plan.checked_sets):
        if not Path(path).is_file():
            yield InputError(f"config, truth: no such file: {path}.")
    for planned in plan.sets.values():
        if planned.files is not None:
            yield from check_set(plan, planned, Path(planned.files))
    archive = Path(plan.archive).absolute()
    folder = archive
    if archive.exists():
        try:
            folder = download.unpacked(archive, plan.campaigns)
        except InputError as error:
            yield error
    elif plan.campaigns and not plan.config.archive:
        count = sum(planned.files is None for planned in plan.sets.values())
        yield Missing(
            f"{archive} is not here: a run downloads it, 0.9 GB. Its {count} sets are not checked."
        )
    for campaign in plan.campaigns:
        yield from check_campaign(plan, campaign, folder)


def check_campaign(plan: Plan, campaign: str, archive: Path) -> Iterator[Finding]:
    """Print the plan of a campaign's sets, and check their data.

    Parameters
    ----------
    plan : Plan
    campaign : str
    archive : Path
        The unpacked folder of the archive; it need not exist.

    Yields
    ------
    InputError or Missing
        For errors, and for warnings.
    """
    sets = [
        planned
        for planned in plan.sets.values()
        if planned.files is None and planned.campaign == campaign
    ]
    try:
        if archive.is_dir():
            download.find_campaign(archive / campaign)
    except Missing as missing:
        # Only sets that the config names one by one have to exist.
        is_error = any(planned.required and not planned.by_pattern for planned in sets)
        yield InputError(str(missing)) if is_error else missing
    for planned in sets:
        yield from check_set(plan, planned, archive / campaign)


def check_set(plan: Plan, planned: PlannedSet, folder: Path) -> Iterator[Finding]:
    """Print a set's plan, and check its data.

    Parameters
    ----------
    plan : Plan
    planned : PlannedSet
    folder : Path
        The campaign's folder in the archive, or the folder of own files.

    Yields
    ------
    InputError or Missing
        For errors, and for warnings.
    """
    name = planned.name
    is_own = planned.files is not None
    loaded = None
    try:
        if is_own or folder.is_dir():
            loaded = read_set(folder, planned.import_settings)
            # Only the segment browser needs error spans, so that their absence is no warning.
            with suppress(Missing):
                read_error_spans(folder, loaded, planned.import_settings)
    except InputError as error:
        yield _error_of_set(planned, folder, error)
    except Missing as missing:
        yield Missing(f"{name}: {missing}")
    print_set(plan, planned, loaded)
    for encoder in planned.used_encoders:
        try:
            check_encoder(encoder, plan.encoders[encoder])
        except (InputError, Missing) as finding:
            yield finding
    if loaded is None:
        return
    if is_own and not loaded.gold:
        yield Missing(f"{name}: no correlations, {evalset.NO_GOLD}.")
    if loaded.texts_missing:
        yield Missing(f"{name}: {loaded.texts_missing}")
    yield from _check_metrics(planned, folder, loaded)
    if loaded.reference:
        yield from _check_difficulties(plan, planned, folder, loaded)
    notices = plan.unread(name)
    if loaded.reference:
        notices += loaded.notices
        notices += evalset.language_notices(loaded, planned.metrics)
    for notice in notices:
        yield Missing(f"{name}: {notice}")


def _error_of_set(planned: PlannedSet, folder: Path, error: InputError) -> InputError:
    """Prefix an error with the set's name; shorten a campaign folder's path to its name."""
    message = str(error)
    if planned.files is None:
        message = message.replace(str(folder), folder.name)
    return InputError(f"{planned.name}: {message}")


def _check_metrics(planned: PlannedSet, folder: Path, loaded: EvaluationSet) -> Iterator[Finding]:
    """Yield a warning for each metric that lacks an input, which a run leaves out, and errors."""
    for name, settings in planned.metrics.items():
        try:
            source = folder
            if name in planned.stored:
                source = planned.stored_source(name, folder)
            make_metric(name, loaded.pair, settings).check_inputs(loaded, source)
        except Missing as missing:
            if str(missing) != loaded.texts_missing:  # which is a warning already
                yield Missing(f"{planned.name}: no scores of {name}: {missing}")
        except InputError as error:
            yield _error_of_set(planned, folder, error)


def _check_difficulties(
    plan: Plan, planned: PlannedSet, folder: Path, loaded: EvaluationSet
) -> Iterator[Finding]:
    """Yield a warning for each difficulty that lacks an input, which a run leaves out, and errors.
    Only difficulties that are read from files or use human scores are estimated."""
    for name, settings in planned.difficulties.items():
        try:
            estimator = make_estimator(settings)
            source: str | Path | None = None
            if estimator.reads == "campaign":
                if planned.files is not None:
                    raise Missing("it is read from the archive, and the set is of own files")
                source = folder
            elif estimator.reads == "file":
                source = plan.difficulty_location(planned.name, name)
            if estimator.reads in ("file", "campaign") or estimator.uses_gold:
                estimator.estimate(loaded, source)
        except Missing as missing:
            if str(missing) != loaded.texts_missing:  # which is a warning already
                yield Missing(f"{planned.name}: no difficulty {name}: {missing}")
        except InputError as error:
            yield _error_of_set(planned, folder, error)


def check_encoder(name: str, settings: EncoderSettings) -> None:
    """Raise an error unless the encoder's folder holds a complete model with the chosen layer."""
    if settings.folder:
        folder = Path(settings.folder)
        encoders.checked_files(name, folder)
    elif settings.hub:
        folder = Path(encoders.hub_folder(name, settings.revision))
        if not encoders.arrived(folder):
            raise Missing(f"encoder {name} is not here: a run fetches {settings.hub}.")
    else:
        return
    depth = encoders.depth(folder)
    if depth is not None and settings.layer > depth:
        raise InputError(
            f"encoder {folder}: there is no layer {settings.layer}, only 0 to {depth} "
            "(config, encoders: layer)."
        )


def print_set(plan: Plan, planned: PlannedSet, loaded: EvaluationSet | None) -> None:
    """Print a set's plan: texts, systems, metrics, encoders, difficulty estimators, weightings.

    Parameters
    ----------
    plan : Plan
    planned : PlannedSet
    loaded : EvaluationSet, optional
        The set, if its files could be read.
    """
    print(f"{planned.name}: {printable(', '.join(_texts_of(planned, loaded)))}")
    if loaded:
        segments = f"{len(loaded.reference):,} segments" if loaded.reference else "scores only"
        print(f"  {len(loaded.systems)} systems, {segments}")
        counted = describe_counted(loaded)
        if counted:
            print(f"  {counted}")
        for reason in dict.fromkeys(loaded.left_out.values()):
            systems = [name for name, why in loaded.left_out.items() if why == reason]
            line = printable(f"  left out, {reason}: {', '.join(systems)}")
            print(textwrap.fill(line, WIDTH, subsequent_indent="    "))
    print(f"  metrics: {', '.join(planned.metrics)}")
    for encoder in planned.used_encoders:
        settings = plan.encoders[encoder]
        baseline = baselines.described(settings.baseline)
        print(f"  encoder: {encoder}, layer {settings.layer}, {settings.dtype}, {baseline}")
    print(f"  difficulties: {', '.join(planned.difficulties)}")
    print(f"  weightings: {', '.join(['standard', *planned.weightings])}")


def _texts_of(planned: PlannedSet, loaded: EvaluationSet | None) -> list[str]:
    """Return what a set is read from: reference and human scores, or the folder of own files."""
    if planned.files is not None:
        texts = [f"files {planned.files}"]
        if planned.reference:
            texts.append(f"reference {planned.reference}")
        return texts
    reference = f"reference {planned.reference}" if planned.reference else "no reference"
    if not planned.gold:
        return [reference, "no human scores"]
    gold = loaded.gold_label if loaded else planned.gold
    return [reference, f"gold {gold}"]
