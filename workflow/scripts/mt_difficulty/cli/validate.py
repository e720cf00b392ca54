"""`mt-difficulty validate`: check a config and its data."""

import argparse
import json
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path

from ..data import download, evalset
from ..data.evalset import EvaluationSet
from ..data.import_set import read_error_spans, read_evaluation_set
from ..data.text_files import read_yaml
from ..difficulty import make_estimator
from ..embedding import encoders
from ..errors import InputError, Missing, printable
from ..metrics import make_metric
from ..plan.base import find_project, merge
from ..plan.check import check_run
from ..plan.plan import Plan, PlannedSet
from ..scores import describe_counted
from ..settings import EncoderSettings
from . import tell
from .report import WIDTH

# Names of the number of layers in the configs of model families.
DEPTHS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer")
Finding = InputError | Missing  # a problem, or a notice


def validate(arguments: argparse.Namespace) -> int:
    """Run `validate`: print a run's plan, and problems to stderr; return 1 on problems, else 0."""
    project, papers = find_project()
    sources = {"config.yaml": read_yaml(project)}
    sources |= {str(config): read_yaml(config) for config in arguments.config}
    if arguments.archive:
        sources["--archive"] = {"archive": str(arguments.archive.absolute())}
    sources |= {"--no-neural": {"neural": False}} if arguments.no_neural else {}
    sources |= {"--no-papers": {"papers": []}} if arguments.no_papers else {}
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
    print(f"{len(problems) or 'no'} problem{'s' * (len(problems) != 1)} found")
    return int(bool(problems))


def check_data(plan: Plan) -> Iterator[Finding]:
    """Print each set's plan; yield `InputError` for errors in its data, `Missing` for warnings."""
    for path in dict.fromkeys(plan.truth_file(name) for name in plan.checked_sets):
        if not Path(path).is_file():
            yield InputError(f"config, truth: no such file: {path}.")
    for planned in plan.sets.values():
        if planned.files is not None:
            yield from check_set(plan, planned, Path(planned.files))
    folder = archive = Path(plan.archive).absolute()
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
        sets = [x for x in plan.sets.values() if x.files is None and x.campaign == campaign]
        try:
            if folder.is_dir():
                download.find_campaign(folder / campaign)
        except Missing as missing:
            required = any(planned.required and not planned.by_pattern for planned in sets)
            yield InputError(str(missing)) if required else missing
        for planned in sets:
            yield from check_set(plan, planned, folder / campaign)


def check_set(plan: Plan, planned: PlannedSet, folder: Path) -> Iterator[Finding]:
    """Print a set's plan; yield `InputError` for errors in its data, `Missing` for warnings."""
    name, is_own, loaded = planned.name, planned.files is not None, None

    def of_set(error: InputError) -> InputError:
        """Prefix an error with the set's name; shorten a campaign folder's path to its name."""
        message = str(error) if is_own else str(error).replace(str(folder), folder.name)
        return InputError(f"{name}: {message}")

    settings = planned.import_settings
    try:
        if is_own or folder.is_dir():
            loaded = read_evaluation_set(folder, settings)
            with suppress(Missing):  # of the segment browser alone
                read_error_spans(folder, loaded, settings)
    except InputError as error:
        yield of_set(error)
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

    # A run leaves out metrics and difficulties that lack an input.
    members = [("scores of", metric) for metric in planned.metrics]
    members += [("difficulty", x) for x in planned.difficulties if loaded.reference]
    for what, member in members:
        try:
            if what == "scores of":
                stored = member in planned.stored
                source = planned.stored_source(member, folder) if stored else folder
                metric = make_metric(member, loaded.pair, planned.metrics[member])
                metric.check_inputs(loaded, source)
                continue
            estimator = make_estimator(planned.difficulties[member])
            if estimator.reads == "campaign" and is_own:
                raise Missing("it is read from the archive, and the set is of own files")
            file = plan.difficulty_location(name, member) if estimator.reads == "file" else None
            if estimator.reads in ("file", "campaign") or estimator.uses_gold:
                estimator.estimate(loaded, folder if estimator.reads == "campaign" else file)
        except Missing as missing:
            if str(missing) != loaded.texts_missing:  # which is a notice already
                yield Missing(f"{name}: no {what} {member}: {missing}")
        except InputError as error:
            yield of_set(error)
    doubts = []
    if loaded.reference:
        doubts = [*loaded.notices, *evalset.language_notices(loaded, planned.metrics)]
    yield from (Missing(f"{name}: {notice}") for notice in [*plan.unread(name), *doubts])


def check_encoder(name: str, settings: EncoderSettings) -> None:
    """Raise an error unless the encoder's folder holds a complete model with the chosen layer."""
    if settings.folder:
        folder = Path(settings.folder)
        encoders.whole(name, folder)
    elif settings.hub:
        folder = Path(encoders.hub_folder(name, settings.revision))
        if not encoders.arrived(folder):
            raise Missing(f"encoder {name} is not here: a run fetches {settings.hub}.")
    else:
        return
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    depth = next((config[key] for key in DEPTHS if isinstance(config.get(key), int)), None)
    if depth is not None and settings.layer > depth:
        raise InputError(
            f"encoder {folder}: there is no layer {settings.layer}, only 0 to {depth} "
            "(config, encoders: layer)."
        )


def print_set(plan: Plan, planned: PlannedSet, loaded: EvaluationSet | None) -> None:
    """Print a set's plan: texts, systems, metrics, encoders, difficulty estimators, weightings."""
    texts = [f"reference {planned.reference}" if planned.reference else "no reference"]
    if planned.files is None:
        gold = loaded.gold_label if loaded else planned.gold
        texts.append(f"gold {gold}" if planned.gold else "no human scores")
    else:
        texts = [f"files {planned.files}", *texts[: bool(planned.reference)]]
    print(f"{planned.name}: {printable(', '.join(texts))}")
    if loaded:
        segments = f"{len(loaded.reference):,} segments" if loaded.reference else "scores only"
        print(f"  {len(loaded.systems)} systems, {segments}")
        if counted := describe_counted(loaded):
            print(f"  {counted}")
        for why in dict.fromkeys(loaded.left_out.values()):
            systems = (name for name, reason in loaded.left_out.items() if reason == why)
            line = printable(f"  left out, {why}: {', '.join(systems)}")
            print(textwrap.fill(line, WIDTH, subsequent_indent="    "))
    print(f"  metrics: {', '.join(planned.metrics)}")
    for encoder in planned.used_encoders:
        settings = plan.encoders[encoder]
        print(f"  encoder: {encoder}, layer {settings.layer}, {settings.dtype}")
    print(f"  difficulties: {', '.join(planned.difficulties)}")
    print(f"  weightings: {', '.join(['standard', *planned.weightings])}")
