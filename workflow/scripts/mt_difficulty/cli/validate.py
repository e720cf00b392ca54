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
from .tables import WIDTH

# What model families call the number of a model's layers.
DEPTHS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer")


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
    plan, problems = configs.check_run(config, sources, Path.cwd(), papers)
    last = ""
    if plan:
        checked = Checked(plan, Path.cwd())
        problems += checked.problems
        for notice in dict.fromkeys(checked.notices):
            note(notice)
        if count := checked.without_texts:
            last += f", but the archive has no texts of {count} set{'s' * (count > 1)}"
        if count := checked.unseen:
            last += f" in the config; {count} set{'s' * (count > 1)} of the archive not checked"
    problems = list(dict.fromkeys(problems))
    for problem in problems:
        tell(f"ERROR: {problem}")
    print(f"{len(problems) or 'no'} problem{'s' * (len(problems) != 1)} found{last}")
    return int(bool(problems))


class Checked:
    """The data of a plan's sets, checked campaign by campaign; prints what would be done.
    `without_texts` and `unseen` are how many sets have no texts in the archive, and how many could
    not be looked at without it."""

    def __init__(self, plan: Plan, root: Path) -> None:
        self.plan, self.root = plan, root
        self.problems: list[str] = []
        self.notices = [*plan.notices]
        self.without_texts = self.unseen = 0
        for path in dict.fromkeys(plan.truth_file(name) for name in plan.checked_sets):
            if not (root / path).is_file():
                self.problems.append(f"config, truth: no such file: {path}.")
        for planned in plan.sets.values():
            if planned.files is not None:
                self._check_set(planned, root / planned.files)
        folder = archive = root / plan.archive
        if archive.exists():
            try:
                folder = download.unpacked(archive, plan.campaigns)
            except InputError as error:
                self.problems.append(str(error))
        elif plan.campaigns and not plan.config["archive"]:
            self.notices.append(f"{archive} is not here: a run downloads it, 0.9 GB.")
        of_archive = [planned for planned in plan.sets.values() if planned.files is None]
        for campaign in plan.campaigns:
            sets = [planned for planned in of_archive if planned.campaign == campaign]
            self.unseen += len(sets) * (not archive.exists())
            try:
                if folder.is_dir():
                    download.find_campaign(folder / campaign)
            except Missing as missing:
                required = any(planned.required and not planned.found for planned in sets)
                (self.problems if required else self.notices).append(str(missing))
                self.without_texts += 0 if required else len(sets)
            for planned in sets:
                self._check_set(planned, folder / campaign)

    def _problem(self, planned: PlannedSet, error: InputError, folder: Path) -> None:
        """Note an error of a set, with the archive's paths in place of temporary folders'."""
        message = str(error)
        if planned.files is None:
            message = message.replace(str(folder), folder.name)
        self.problems.append(f"{planned.name}: {message}")

    def _check_set(self, planned: PlannedSet, folder: Path) -> None:
        """Check one set, and print its plan."""
        name, root = planned.name, self.root
        loaded = self._read(planned, folder)
        self._describe(planned, loaded)
        for encoder in planned.used_encoders:
            try:
                self._check_encoder(encoder)
            except InputError as error:
                self.problems.append(str(error))
        if loaded is None:
            return
        # A run goes on without metrics and difficulties that lack something.
        for metric, settings in planned.metrics.items():
            source = folder
            if planned.reads_stored(metric):
                source = root / planned.stored_source(metric, folder)
            try:
                make_metric(metric, loaded.pair, settings).check_inputs(loaded, source)
            except Missing as missing:
                if str(missing) != loaded.texts_missing:  # which is a notice already
                    self.notices.append(f"{name}: no scores of {metric}: {missing}")
            except InputError as error:
                self._problem(planned, error, folder)
        self.notices += [f"{name}: {notice}" for notice in self.plan.unread(name, root)]
        if loaded.reference:
            for difficulty in planned.difficulties:
                try:
                    self._check_difficulty(planned, difficulty, loaded, folder)
                except Missing as missing:
                    self.notices.append(f"{name}: no difficulty {difficulty}: {missing}")
                except InputError as error:
                    self._problem(planned, error, folder)
            self.notices += [f"{name}: {notice}" for notice in evalset.notices(loaded)]

    def _read(self, planned: PlannedSet, folder: Path) -> EvaluationSet | None:
        """The evaluation set; None if it cannot be read."""
        name, campaign, settings = planned.name, planned.campaign, planned.import_settings
        in_folder = planned.files is not None
        if not in_folder and not folder.is_dir():
            return None
        try:
            if in_folder:
                loaded = own_files.read_own_files(folder, campaign, **settings)
            else:
                loaded = evalset.read_evaluation_set(folder, campaign, **settings)
                if loaded.gold and not loaded.texts_missing:  # error spans, for its page
                    size = loaded.systems, len(loaded.reference), loaded.canary
                    read_ratings(folder, loaded.pair, loaded.gold_name, *size)
        except InputError as error:
            self._problem(planned, error, folder)
            return None
        except Missing as missing:
            self.notices.append(f"{name}: {missing}")
            self.without_texts += 1
            return None
        if in_folder and not loaded.gold:
            self.notices.append(f"{name}: no correlations, {evalset.NO_GOLD}.")
        if loaded.texts_missing:
            self.notices.append(f"{name}: {loaded.texts_missing}")
            self.without_texts += 1
        return loaded

    def _check_difficulty(
        self, planned: PlannedSet, difficulty: str, loaded: EvaluationSet, folder: Path
    ) -> None:
        """Check a difficulty that others made, or that human scores give."""
        estimator = make_estimator(planned.difficulties[difficulty])
        if estimator.reads == "file":
            file = self.plan.estimates_file(planned.name, difficulty)
            estimator.estimate(loaded, self.root / file if file else None)
        elif estimator.reads == "campaign":
            if planned.files is not None:
                raise Missing("it is read from the archive, and the set is of own files")
            estimator.estimate(loaded, folder)
        elif estimator.uses_gold:
            estimator.estimate(loaded, None)

    def _check_encoder(self, name: str) -> None:
        """Check that an encoder's folder has a whole model with the layer that is used."""
        settings = self.plan.encoders[name]
        if "folder" in settings:
            folder = self.root / settings["folder"]
            encoders.whole(name, folder)
        elif "hub" in settings:
            folder = self.root / encoders.hub_folder(name, settings["revision"])
            if not encoders.arrived(folder):
                hub = settings["hub"]
                self.notices.append(f"encoder {name} is not here: a run fetches {hub}.")
                return
        else:
            return
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        depth = next((config[key] for key in DEPTHS if isinstance(config.get(key), int)), None)
        if depth is not None and settings["layer"] > depth:
            raise InputError(
                f"encoder {folder}: there is no layer {settings['layer']}, only 0 to {depth} "
                "(config, encoders: layer)."
            )

    def _describe(self, planned: PlannedSet, loaded: EvaluationSet | None) -> None:
        """Print what a set consists of."""
        reference = planned.reference
        if planned.files is None:
            gold = loaded.gold_label if loaded else planned.gold
            given = f"reference {reference}, " if reference else "no reference, "
            given += f"gold {gold}" if planned.gold else "no human scores"
        else:
            given = f"files {planned.files}" + f", reference {reference}" * bool(reference)
        print(f"{planned.name}: {printable(given)}")
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
            settings = self.plan.encoders[encoder]
            print(f"  encoder: {encoder}, layer {settings['layer']}, {settings['dtype']}")
        print(f"  difficulties: {', '.join(planned.difficulties)}")
        print(f"  weightings: {', '.join(['standard', *planned.weightings])}")
