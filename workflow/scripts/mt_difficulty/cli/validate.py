"""`mt-difficulty validate`: check a config and its data."""

import argparse
import textwrap
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from ..data import download, evalset
from ..data.evalset import EvaluationSet
from ..data.import_set import read_error_spans
from ..data.text_files import read_yaml
from ..difficulty import make_estimator
from ..embedding import baselines, encoders
from ..errors import InputError, Missing, first_names, printable
from ..human_evaluation.set_scores import read_set
from ..metrics import make_metric
from ..plan.base import find_project, merge
from ..plan.check import check_run
from ..plan.plan import Plan, PlannedSet
from ..scores import describe_counted
from ..settings import EncoderSettings
from ..weighting import parts
from ..weighting.base import STANDARD
from . import tell
from .report import WIDTH

Finding = InputError | Missing  # a problem, or a notice
# Sets that a heading names, and metrics, difficulties and weightings that follow it, at most.
NAMED = 4
LISTED = 12


@dataclass
class CheckedSet:
    """An evaluation set and what a run can compute of it.

    Attributes
    ----------
    planned : PlannedSet
    loaded : EvaluationSet, optional
        The set, if its files could be read.
    absent : str
        Why the set cannot be run, "" if it can.
    findings : list of InputError or Missing
        Errors, and warnings.
    lacking : set of str
        Metrics and difficulties that the set has no data for.
    """

    planned: PlannedSet
    loaded: EvaluationSet | None = None
    absent: str = ""
    findings: list[Finding] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics that can be computed."""
        return [name for name in self.planned.metrics if name not in self.lacking]

    @property
    def difficulties(self) -> list[str]:
        """Names of the difficulties that can be estimated: of tokens only with an encoder, none
        without texts."""
        planned = self.planned
        if self.loaded and not self.loaded.reference:
            return []
        names = planned.difficulties if planned.encoders else planned.estimated
        return [name for name in names if name not in self.lacking]

    @property
    def weightings(self) -> list[str]:
        """Names of the weightings whose difficulties can be estimated."""
        names = [STANDARD]
        known = set(self.difficulties)
        for name in self.planned.weightings:
            of_parts = [part for part in parts(name, self.planned.weightings) if part]
            if known.issuperset(self.planned.weightings[part].difficulty for part in of_parts):
                names.append(name)
        return names


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
    absent: list[CheckedSet] = []
    if plan:
        findings = check_files(plan)
        sets, findings_of_data = check_data(plan)
        findings += findings_of_data
        absent = [checked for checked in sets if checked.absent]
        print_plan(plan, sets)
        problems += [str(finding) for finding in findings if isinstance(finding, InputError)]
        notices = [str(finding) for finding in findings if isinstance(finding, Missing)]
        for notice in dict.fromkeys([*plan.notices, *notices]):
            tell(f"notice: {notice}")
    problems = list(dict.fromkeys(problems))
    for problem in problems:
        tell(f"ERROR: {problem}")
    if problems or not absent:
        noun = "problem" if len(problems) == 1 else "problems"
        print(f"{len(problems) or 'no'} {noun} found")
    if plan and absent:
        print_absent(absent, len(plan.sets))
    return int(bool(problems))


def check_files(plan: Plan) -> list[Finding]:
    """Return errors for files that are missing beside the data of sets: known difficulties and
    encoders."""
    findings: list[Finding] = []
    for path in dict.fromkeys(plan.truth_file(name) for name in plan.checked_sets):
        if not Path(path).is_file():
            findings.append(InputError(f"config, truth: no such file: {path}."))
    used = [name for planned in plan.sets.values() for name in planned.used_encoders]
    for encoder in dict.fromkeys(used):
        try:
            check_encoder(encoder, plan.encoders[encoder])
        except (InputError, Missing) as finding:
            findings.append(finding)
    return findings


def check_data(plan: Plan) -> tuple[list[CheckedSet], list[Finding]]:
    """Check the data of all sets.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    sets : list of CheckedSet
    findings : list of InputError or Missing
        Errors and warnings, on sets and on the archive.
    """
    findings: list[Finding] = []
    sets = [
        check_set(plan, planned, Path(planned.files))
        for planned in plan.sets.values()
        if planned.files is not None
    ]
    archive = Path(plan.archive).absolute()
    folder = archive
    if archive.exists():
        try:
            folder = download.unpacked(archive, plan.campaigns)
        except InputError as error:
            findings.append(error)
    elif plan.campaigns and not plan.config.archive:
        count = sum(planned.files is None for planned in plan.sets.values())
        findings.append(
            Missing(
                f"{archive} is not here: a run downloads it, 0.9 GB. Its {count} sets are not "
                "checked."
            )
        )
    for campaign in plan.campaigns:
        of_campaign, finding = check_campaign(plan, campaign, folder)
        sets += of_campaign
        if finding:
            findings.append(finding)
    for checked in sets:
        findings += checked.findings
    return sets, findings


def check_campaign(
    plan: Plan, campaign: str, archive: Path
) -> tuple[list[CheckedSet], InputError | None]:
    """Check the data of a campaign's sets.

    Parameters
    ----------
    plan : Plan
    campaign : str
    archive : Path
        The unpacked folder of the archive; it need not exist.

    Returns
    -------
    sets : list of CheckedSet
    error : InputError, optional
        If the archive lacks the campaign, and the config names one of its sets.
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
        absent = [CheckedSet(planned, absent=str(missing)) for planned in sets]
        return absent, InputError(str(missing)) if is_error else None
    return [check_set(plan, planned, archive / campaign) for planned in sets], None


def check_set(plan: Plan, planned: PlannedSet, folder: Path) -> CheckedSet:
    """Check the data of a set.

    Parameters
    ----------
    plan : Plan
    planned : PlannedSet
    folder : Path
        The campaign's folder in the archive, or the folder of own files.

    Returns
    -------
    CheckedSet
    """
    name = planned.name
    is_own = planned.files is not None
    checked = CheckedSet(planned)
    findings = checked.findings
    try:
        if is_own or folder.is_dir():
            loaded = read_set(folder, planned.import_settings)
            checked.loaded = loaded
            # Only the segment browser needs error spans, so that their absence is no warning.
            with suppress(Missing):
                read_error_spans(folder, loaded, planned.import_settings)
    except InputError as error:
        findings.append(_error_of_set(planned, folder, error))
    except Missing as missing:
        checked.absent = str(missing)
    if checked.loaded is None:
        return checked
    loaded = checked.loaded
    if is_own and not loaded.gold:
        findings.append(Missing(f"{name}: no correlations, {evalset.NO_GOLD}."))
    if loaded.texts_missing:
        findings.append(Missing(f"{name}: {loaded.texts_missing}"))
    _check_metrics(checked, folder)
    if loaded.reference:
        _check_difficulties(plan, checked, folder)
    notices = plan.unread(name)
    if loaded.reference:
        notices += loaded.notices
        notices += evalset.language_notices(loaded, planned.metrics)
    findings += [Missing(f"{name}: {notice}") for notice in notices]
    return checked


def _error_of_set(planned: PlannedSet, folder: Path, error: InputError) -> InputError:
    """Prefix an error with the set's name; shorten a campaign folder's path to its name."""
    message = str(error)
    if planned.files is None:
        message = message.replace(str(folder), folder.name)
    return InputError(f"{planned.name}: {message}")


def _check_metrics(checked: CheckedSet, folder: Path) -> None:
    """Add a warning for each metric that lacks an input, which a run leaves out, and errors."""
    planned = checked.planned
    loaded = checked.loaded
    if loaded is None:
        return
    for name, settings in planned.metrics.items():
        try:
            source = folder
            if name in planned.stored:
                source = planned.stored_source(name, folder)
            make_metric(name, loaded.pair, settings).check_inputs(loaded, source)
        except Missing as missing:
            checked.lacking.add(name)
            if str(missing) != loaded.texts_missing:  # which is a warning already
                finding = Missing(f"{planned.name}: no scores of {name}: {missing}")
                checked.findings.append(finding)
        except InputError as error:
            checked.findings.append(_error_of_set(planned, folder, error))


def _check_difficulties(plan: Plan, checked: CheckedSet, folder: Path) -> None:
    """Add a warning for each difficulty that lacks an input, which a run leaves out, and errors.
    Only difficulties that are read from files or use human scores are estimated."""
    planned = checked.planned
    loaded = checked.loaded
    if loaded is None:
        return
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
            checked.lacking.add(name)
            if str(missing) != loaded.texts_missing:  # which is a warning already
                finding = Missing(f"{planned.name}: no difficulty {name}: {missing}")
                checked.findings.append(finding)
        except InputError as error:
            checked.findings.append(_error_of_set(planned, folder, error))


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


def print_plan(plan: Plan, sets: Sequence[CheckedSet]) -> None:
    """Print a line for each set, then what is computed of them: metrics, encoders, difficulties
    and weightings, each list with the sets that have it.

    Parameters
    ----------
    plan : Plan
    sets : sequence of CheckedSet
    """
    for checked in sets:
        parts_of_line = _texts_of(checked)
        if checked.absent:
            parts_of_line.append("cannot be run")
        print(f"{checked.planned.name}: {printable('; '.join(parts_of_line))}")
    runnable = [checked for checked in sets if not checked.absent]
    for kind in ("metrics", "difficulties", "weightings"):
        names_of_sets: dict[tuple[str, ...], list[str]] = {}
        for checked in runnable:
            names_of_sets.setdefault(tuple(getattr(checked, kind)), []).append(checked.planned.name)
        for members, names in names_of_sets.items():
            where = "" if len(names) == len(runnable) else f" of {first_names(names, NAMED)}"
            if members:
                print_filled(f"{kind}{where}: {first_names(members, LISTED)}")
    encoders_used = [name for checked in runnable for name in checked.planned.used_encoders]
    for encoder in dict.fromkeys(encoders_used):
        settings = plan.encoders[encoder]
        baseline = baselines.described(settings.baseline)
        print_filled(f"encoder: {encoder}, layer {settings.layer}, {settings.dtype}, {baseline}")


def print_absent(absent: Sequence[CheckedSet], count: int) -> None:
    """Print which of `count` sets cannot be run, with the reasons."""
    names_by_reason: dict[str, list[str]] = {}
    for checked in absent:
        names_by_reason.setdefault(checked.absent, []).append(checked.planned.name)
    noun = "set" if count == 1 else "sets"
    print(f"{len(absent)} of {count} {noun} cannot be run:")
    for reason, names in names_by_reason.items():
        print_filled(f"  {', '.join(names)}: {reason}")


def print_filled(text: str) -> None:
    """Print a text in lines of at most 100 columns."""
    print(
        textwrap.fill(
            printable(text),
            WIDTH,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _texts_of(checked: CheckedSet) -> list[str]:
    """Return what a set is read from (reference and human scores, or the folder of own files) and,
    if it could be read, its systems and segments."""
    planned = checked.planned
    loaded = checked.loaded
    described = []
    if planned.files is not None:
        described.append(f"files {planned.files}")
        if planned.reference:
            described.append(f"reference {planned.reference}")
    else:
        described.append(f"reference {planned.reference}" if planned.reference else "no reference")
        gold = loaded.gold_label if loaded else planned.gold
        described.append(f"gold {gold}" if planned.gold else "no human scores")
    texts = [", ".join(described)]
    if loaded:
        segments = f"{len(loaded.reference):,} segments" if loaded.reference else "scores only"
        texts.append(f"{len(loaded.systems)} systems, {segments}")
        counted = describe_counted(loaded)
        if counted:
            texts.append(counted)
        for reason, number in Counter(loaded.left_out.values()).items():
            texts.append(f"{number} left out, {reason}")
    return texts
