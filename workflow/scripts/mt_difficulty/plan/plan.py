"""Plan a run: its evaluation sets, papers and encoders, for the rules and for `validate`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..data import campaign_files, own_files
from ..data.build_set import ImportSettings
from ..data.campaign_files import SegmentGold
from ..data.language import target_language
from ..data.names import differing_by_case
from ..difficulty import make_estimator
from ..embedding import encoders
from ..embedding.baselines import AUTO, described
from ..errors import InputError
from ..metrics import METRICS, computed_from, reads_matches
from ..settings import (
    DifficultySettings,
    EncoderSettings,
    GoldSettings,
    MetricSettings,
    ScoreSettings,
    Weightings,
    WeightingSettings,
)
from ..settings.study import Study
from ..weighting import parts
from .base import ARCHIVE, located
from .campaigns import Entry, Expanded
from .config import Config, checked_gold
from .papers import Paper, PaperSet

# Fields in which two entries of one set must be equal.
PROTOCOL = ("files", "reference", "gold", "exclude", "ranked_references", "annotations")
# Fields that only one of the entries needs to set, with their defaults.
DEFAULTS = {"segments": "rated", "outliers": "keep", "misaligned": "refuse"}
# Fields by name; settings of one name must be equal in both entries.
NAMED = ("metrics", "layers", "difficulties", "weightings", "parameters")
Parameters = Mapping[str, Mapping[str, Any]]  # arguments of weightings, by name


@dataclass(frozen=True)
class PlannedSet:
    """An evaluation set of a run.

    Attributes
    ----------
    name : str
        The folder of its results: campaign/pair, or longer if another set has this name.
    campaign, pair : str
    metrics : dict of str to MetricSettings
    required : bool
        Whether the config names the set. Then it must have texts, and its page shows more.
    difficulties : dict of str to DifficultySettings
    weightings : dict of str to WeightingSettings
    reference : str, optional
        Name in the archive, or in the folder of own files; "" for none, None if not specified.
    gold : str, optional
        Name of the human scores in the archive; "" for none, None if not specified.
    files : str, optional
        Folder of own files; None for a set of the archive.
    exclude : list of str, optional
        Systems that are left out.
    ranked_references : list of str
        Further references that are ranked as systems.
    segments, misaligned, outliers : str, optional
        As in the config; None if not specified.
    segment_gold : str or sequence of str, optional
        Name of the human scores of segments; of several the first that the archive has.
    outlier_systems : list of str
        Systems that `outliers: drop` leaves out.
    by_pattern : bool
        Whether a pattern of the config selects the set. Then it need not have texts.
    tuned : list of str
        Weightings whose parameters were chosen with the human scores of this set.
    parameters : mapping of str to mapping
        Arguments of weightings for this set, by the weighting's name.
    annotations : list of str
        Files of ratings from which the human scores are computed.
    rating_gold : GoldSettings, optional
        How these ratings become human scores; `gold` is its name.
    layers : dict of str to int
        Layers that a paper uses, by encoder.
    encoders : dict of str to str
        Encoders by neural metric.
    substitutions : dict of str to str
        How a metric's encoder differs from the paper's, by neural metric.
    """

    name: str
    campaign: str
    pair: str
    metrics: dict[str, MetricSettings]
    required: bool
    difficulties: dict[str, DifficultySettings]
    weightings: dict[str, WeightingSettings]
    reference: str | None = None
    gold: str | None = None
    files: str | None = None
    exclude: list[str] | None = None
    ranked_references: list[str] = field(default_factory=list)
    segments: str | None = None
    segment_gold: SegmentGold = None
    misaligned: str | None = None
    outliers: str | None = None
    outlier_systems: list[str] = field(default_factory=list)
    by_pattern: bool = False
    tuned: list[str] = field(default_factory=list)
    parameters: Parameters = field(default_factory=dict)
    annotations: list[str] = field(default_factory=list)
    rating_gold: GoldSettings | None = None
    layers: dict[str, int] = field(default_factory=dict)
    encoders: dict[str, str] = field(default_factory=dict)
    substitutions: dict[str, str] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str]:
        """The `type` (such as `chrf`) of each metric of the set, by the metric's name."""
        return {metric: settings.type for metric, settings in self.metrics.items()}

    @property
    def plotted_metric(self) -> str:
        """The metric whose segment scores are plotted: the first not `stored`, else the first."""
        computed = [name for name in self.metrics if name not in self.stored]
        return [*computed, *self.metrics][0]

    @property
    def in_complexity(self) -> bool:
        """Whether scores are related to readability: not those of a paper's set of stored metrics
        alone, which need not be on a scale of which ratios mean something."""
        return self.required or set(self.metrics) != set(self.stored)

    @property
    def used_encoders(self) -> list[str]:
        """Names of the encoders that the set's metrics use, without duplicates."""
        return list(dict.fromkeys(self.encoders.values()))

    @property
    def estimated(self) -> list[str]:
        """Names of the set's difficulty estimators for segments or hypotheses, not for tokens."""
        return [
            name
            for name, settings in self.difficulties.items()
            if make_estimator(settings).unit != "token"
        ]

    @property
    def all_tuned(self) -> list[str]:
        """Names of weightings tuned on the set's human scores and combinations that contain one."""
        tuned = set(self.tuned)
        return [
            name
            for name in self.weightings
            if not tuned.isdisjoint({name, *parts(name, self.weightings)})
        ]

    @property
    def import_settings(self) -> ImportSettings:
        """How this set is read from the archive or from a user's files."""
        return ImportSettings(
            self.campaign,
            self.pair,
            self.reference,
            gold=self.gold or "",
            segment_gold=self.segment_gold,
            exclude=self.exclude or (),
            ranked_references=self.ranked_references,
            outliers=self.outlier_systems,
            drop_outliers=self.outliers == "drop",
            segments=self.segments or DEFAULTS["segments"],
            misaligned=self.misaligned or DEFAULTS["misaligned"],
            texts_required=self.required and not self.by_pattern,
            own_files=self.files is not None,
            annotations=self.annotations,
            rating_gold=self.rating_gold,
        )

    @cached_property
    def stored(self) -> dict[str, MetricSettings]:
        """Settings, by name, of the metrics whose scores are read from files, not computed."""
        return {
            metric: computed_from(metric, settings)
            for metric, settings in self.metrics.items()
            if METRICS[settings.type].reads == "stored"
        }

    @property
    def commands(self) -> dict[str, MetricSettings]:
        """Settings, by name, of the metrics whose scores a user's program prints."""
        return {
            metric: settings
            for metric, settings in self.metrics.items()
            if METRICS[settings.type].reads == "command"
        }

    def stored_source(self, metric: str, folder: str | Path) -> Path:
        """Return the path of a stored metric's scores: a user's file or the campaign's folder."""
        arguments = self.stored[metric].arguments
        if arguments.get("file"):
            file = own_files.file_of_set(arguments["file"], self.campaign, self.pair)
            return Path(located(file))
        if self.files is None:
            return Path(folder)
        return own_files.table_file(folder, own_files.SCORES, arguments["name"])

    def stored_files(self, metric: str, folder: str | Path) -> list[Path]:
        """Return the files of a stored metric's scores: the user's file, or those in `folder`."""
        source = self.stored_source(metric, folder)
        if source != Path(folder):
            return [source]
        return campaign_files.stored_files(folder, self.pair, self.stored[metric].arguments["name"])


@dataclass(frozen=True)
class Plan:
    """What a run computes.

    Attributes
    ----------
    config : Config
    papers : dict of str to Paper
        Protocols and published cells, by name.
    sets : dict of str to PlannedSet
        Evaluation sets, by name.
    encoders : dict of str to EncoderSettings
        The encoders that sets use, by name.
    notices : list of str
        Sentences on the sets that patterns select and leave out.
    """

    config: Config
    papers: dict[str, Paper]
    sets: dict[str, PlannedSet]
    encoders: dict[str, EncoderSettings]
    notices: list[str] = field(default_factory=list)

    @property
    def results(self) -> str:
        """Path of the folder to which the run writes its results."""
        return os.path.normpath(self.config.results)

    @property
    def study(self) -> Study | None:
        """The study of the config, if it has one."""
        return self.config.study.settings if self.config.study else None

    @property
    def archive(self) -> str:
        """Path of the WMT archive: the config's `archive` or, if empty, the download's path."""
        return located(self.config.archive) or ARCHIVE

    @property
    def checked_sets(self) -> list[str]:
        """Names of synthetic sets with known true difficulty; none if the config has no `truth`."""
        if not self.config.truth:
            return []
        return [name for name, planned in self.sets.items() if planned.files is None]

    @property
    def campaigns(self) -> list[str]:
        """Sorted names of the campaigns whose sets are read from the archive."""
        return sorted({planned.campaign for planned in self.sets.values() if planned.files is None})

    @property
    def needs_wordnet(self) -> bool:
        """Whether a metric of any set, such as METEOR, needs WordNet."""
        metric_types: set[str] = set()
        for planned in self.sets.values():
            metric_types.update(planned.types.values())
        return any(METRICS[name].needs_wordnet for name in metric_types)

    def truth_file(self, name: str) -> str:
        """Return the path of the JSON file with the true difficulty of a synthetic set."""
        return f"{located(self.config.truth)}/{self.sets[name].pair}.json"

    def files(self, name: str, *files: str) -> list[str]:
        """Return the paths of the given files in the results folder of set `name`."""
        return [f"{self.results}/{name}/{file}" for file in files]

    def files_of_all(self, *files: str) -> list[str]:
        """Return the paths of the given files in the results folder of every set."""
        paths = []
        for name in self.sets:
            paths += self.files(name, *files)
        return paths

    def difficulty_file(self, name: str, difficulty: str) -> str:
        """Return the `.npz` path of a set's difficulty values by the named estimator."""
        return f"{self.results}/{name}/difficulty/{difficulty}.npz"

    def difficulty_files(self, name: str) -> list[str]:
        """Return `.npz` paths of a set's difficulties of segments or hypotheses, not of tokens."""
        return [self.difficulty_file(name, difficulty) for difficulty in self.sets[name].estimated]

    def difficulty_sources(self, name: str, difficulty: str) -> list[str]:
        """Return the result file that a difficulty is estimated from, beside the set itself. The
        list is empty if its estimator reads no such file, or the set lacks its metric."""
        planned = self.sets[name]
        settings = planned.difficulties[difficulty]
        metric = settings.metric
        reads = make_estimator(settings).reads
        if reads == "difficulty":
            return [self.difficulty_file(name, settings.difficulty)]
        if reads == "statistics" and metric in planned.metrics:
            return self.files(name, f"statistics/{metric}.npz")
        if reads in ("matches", "consensus") and metric in planned.encoders:
            return self.files(name, f"{reads}/{planned.encoders[metric]}.npz")
        return []

    def difficulty_location(self, name: str, difficulty: str) -> str | None:
        """Return the user's file or model folder that a difficulty is estimated from. None for
        other difficulties, and for sets of the archive without such a file."""
        planned = self.sets[name]
        settings = planned.difficulties[difficulty]
        reads = make_estimator(settings).reads
        if reads == "model":
            return located(settings.folder)
        if reads == "file" and settings.file:
            return located(own_files.file_of_set(settings.file, planned.campaign, planned.pair))
        if reads != "file" or planned.files is None:
            return None
        return str(own_files.table_file(planned.files, own_files.DIFFICULTY, difficulty))

    def score_files(self, name: str) -> list[str]:
        """Return paths of the result files from which a set's system scores are computed."""
        planned = self.sets[name]
        statistics = [f"statistics/{metric}.npz" for metric in planned.metrics]
        matches = [f"matches/{encoder}.npz" for encoder in planned.used_encoders]
        files = self.files(name, "evalset.json", "weightings.json", *statistics, *matches)
        return files + self.difficulty_files(name)

    def score_settings(self, name: str) -> ScoreSettings:
        """Return what the scores of a set are made from."""
        planned = self.sets[name]
        matches = {metric: f"matches/{encoder}.npz" for metric, encoder in planned.encoders.items()}
        return ScoreSettings(planned.metrics, planned.difficulties, planned.weightings, matches)

    def unread(self, name: str) -> list[str]:
        """Return a warning per file in a user's `scores/` or `difficulty/` that no set reads."""
        folder = self.sets[name].files
        if folder is None:
            return []
        read: set[Path] = set()
        for other_name, planned in self.sets.items():
            if planned.files == folder:
                read.update(planned.stored_source(metric, folder) for metric in planned.stored)
                for difficulty in planned.difficulties:
                    location = self.difficulty_location(other_name, difficulty)
                    if location:
                        read.add(Path(location))
        warnings = []
        for what, kind, pattern in (
            ("metric", "stored", "scores/<metric>.tsv"),
            ("difficulty", "file", "difficulty/<name>.tsv"),
        ):
            for path in own_files.visible(Path(folder, pattern).parent):
                if path not in read:
                    warnings.append(f"no {what} reads {path}; those of type {kind} read {pattern}.")
        return warnings


def make_plan(
    config: Config, papers: Mapping[str, Paper], entries: Expanded
) -> tuple[Plan, list[str]]:
    """Plan a run.

    Parameters
    ----------
    config : Config
        Checked.
    papers : mapping of str to Paper
        The papers of the config, by name.
    entries : Expanded
        The evaluation sets of the config, with their name patterns expanded.

    Returns
    -------
    tuple of Plan and list of str
        The plan, from which sets with errors are left out, and the errors.
    """
    problems = list(entries.problems)
    planned_sets, paper_problems = _sets_of_papers(config, papers)
    problems += paper_problems
    paper_sets = set(planned_sets)
    for entry in entries.entries:
        try:
            _add_config_set(planned_sets, config, entry)
        except InputError as error:
            problems.append(str(error))
    if not planned_sets and not config.papers and not problems:
        problems.append("config: no evaluation set; name one in evaluation_sets or papers.")

    sets: dict[str, PlannedSet] = {}
    used_encoders: dict[str, EncoderSettings] = {}
    for name, planned in planned_sets.items():
        try:
            planned = _with_metrics_of_run(config, planned)
            encoders_by_metric = {
                metric: _encoder_of(config, planned, metric)
                for metric, settings in planned.metrics.items()
                if reads_matches(settings)
            }
            used_encoders |= {
                encoder: encoder_settings(config, encoder)
                for encoder in encoders_by_metric.values()
            }
            substitutions = {}
            if name in paper_sets:
                substitutions = _substitutions(config, planned, encoders_by_metric)
            sets[name] = replace(
                _filled(planned), encoders=encoders_by_metric, substitutions=substitutions
            )
        except InputError as error:
            problems.append(str(error))

    if not problems:
        problems += _reference_text_problems(config, sets)
    problems += _results_problems(config, sets)
    problems += _case_problems(sets, used_encoders)
    plan = Plan(config, dict(papers), sets, used_encoders, entries.notices)
    return plan, list(dict.fromkeys(problems))


def _sets_of_papers(
    config: Config, papers: Mapping[str, Paper]
) -> tuple[dict[str, PlannedSet], list[str]]:
    """Return the sets of papers by name, with the config's difficulties and weightings beside the
    papers' own; and errors."""
    sets: dict[str, PlannedSet] = {}
    problems = []
    for paper in papers.values():
        for entry in paper.sets:
            try:
                _add_paper_set(sets, entry, paper)
            except InputError as error:
                problems.append(str(error))
    for name, planned in sets.items():
        weightings = config.weightings | planned.weightings
        chosen = _weightings_of_papers(papers, name)
        if chosen is not None:
            weightings = {key: weightings[key] for key in weightings if key in chosen}
        sets[name] = replace(
            planned,
            difficulties=config.difficulties | planned.difficulties,
            weightings=_with_parameters(weightings, planned.parameters),
        )
    return sets, problems


def _weightings_of_papers(papers: Mapping[str, Paper], name: str) -> list[str] | None:
    """Return the names of the weightings that papers have on a set; None if one has all."""
    chosen: list[str] = []
    for paper in papers.values():
        for entry in paper.sets:
            if entry.name != name:
                continue
            if entry.weightings is None:
                return None
            chosen += entry.weightings
    return chosen


def _with_metrics_of_run(config: Config, planned: PlannedSet) -> PlannedSet:
    """Return a set without its neural metrics if the run leaves them out; `InputError` if a set of
    the config then has no metric."""
    metrics = planned.metrics
    if not config.neural:
        metrics = {name: x for name, x in metrics.items() if not reads_matches(x)}
    if planned.required and not metrics:
        raise InputError(
            f"config, evaluation_sets: {planned.name} has no metrics but neural ones, which this "
            "run leaves out (neural: false)."
        )
    return replace(planned, metrics=metrics)


def _substitutions(config: Config, planned: PlannedSet, metrics: Iterable[str]) -> dict[str, str]:
    """Return how metrics' encoders differ from the paper's, by metric; without those that do not
    differ."""
    substitutions = {}
    for metric in metrics:
        difference = _substitution(config, planned, metric)
        if difference:
            substitutions[metric] = difference
    return substitutions


def _reference_text_problems(config: Config, sets: Mapping[str, PlannedSet]) -> Iterator[str]:
    """Yield an error for each reference text of `complexity` that is no set of its pair."""
    reference_texts = config.complexity.reference_texts or {}
    for pair, name in reference_texts.items():
        pair_sets = [key for key, planned in sets.items() if planned.pair == pair]
        if name not in pair_sets:
            yield (
                f"config, complexity, reference_texts: {name} is no set of {pair}; "
                f"there are: {', '.join(pair_sets) or 'none'}."
            )


def _results_problems(config: Config, sets: Mapping[str, PlannedSet]) -> Iterator[str]:
    """Yield errors if results would be written to a folder of own files or to the archive."""
    results = Path(config.results).resolve()
    for planned in sets.values():
        if planned.files is not None and results == Path(planned.files).resolve():
            yield (
                f"config, results: {config.results} is the folder of {planned.name}'s own files. "
                "Name another one."
            )
    if config.archive and results.is_relative_to(Path(located(config.archive)).resolve()):
        yield (
            f"config, results: {config.results} lies in the archive, which is read. Name another "
            "folder."
        )


def _case_problems(sets: Mapping[str, PlannedSet], encoders: Iterable[str]) -> Iterator[str]:
    """Yield an error for every two names that differ in capital letters alone: they are names of
    files, which would overwrite each other in some file systems."""
    names_by_kind = [("evaluation_sets", list(sets)), ("encoders", list(encoders))]
    for planned in sets.values():
        names_by_kind += [
            ("metrics", list(planned.metrics)),
            ("difficulties", list(planned.difficulties)),
            ("weightings", list(planned.weightings)),
        ]
    for kind, names in names_by_kind:
        for first, second in differing_by_case(names):
            yield (
                f"config, {kind}: {first} and {second} differ in capital letters alone, which not "
                "every file system tells apart. Rename one of them."
            )


def _filled(planned: PlannedSet) -> PlannedSet:
    """Return a set with the values of DEFAULTS for those settings that are None."""
    values: Any = {key: getattr(planned, key) or DEFAULTS[key] for key in DEFAULTS}
    return replace(planned, **values)


def _add_paper_set(sets: dict[str, PlannedSet], entry: PaperSet, paper: Paper) -> None:
    """Add a paper's set to `sets` as `campaign/pair`; `InputError` if another paper's differs."""
    name = entry.name
    planned = PlannedSet(
        name=name,
        campaign=entry.campaign,
        pair=entry.pair,
        metrics=paper.metrics | entry.metrics,
        required=False,
        difficulties=paper.difficulties,
        weightings=paper.weightings,
        reference=entry.reference,
        gold=entry.gold,
        exclude=entry.exclude,
        ranked_references=entry.ranked_references,
        segments="all",
        tuned=entry.tuned,
        parameters=entry.parameters,
        layers=paper.layers,
    )
    if name in sets and not _agree(sets[name], planned):
        raise InputError(f"config, papers: two papers differ on {name}; run one of them.")
    sets[name] = _merged(sets.get(name), planned)


def _add_config_set(sets: dict[str, PlannedSet], config: Config, entry: Entry) -> None:
    """Add a config's set as `campaign/pair`, or a longer name if a different set is named so."""
    name = f"{entry.campaign}/{entry.pair}"
    weightings = config.weightings
    if entry.weightings is not None:
        weightings = {weighting: weightings[weighting] for weighting in entry.weightings}
    metrics = config.metrics
    if entry.metrics is not None:
        metrics = {metric: metrics[metric] for metric in entry.metrics}
    gold: Any = entry.gold
    rating_gold = None
    if entry.annotations:
        rating_gold = checked_gold(gold)
        gold = rating_gold.name
    planned = PlannedSet(
        name=name,
        campaign=entry.campaign,
        pair=entry.pair,
        metrics=metrics | entry.stored,
        required=True,
        difficulties=config.difficulties,
        weightings=_with_parameters(weightings, entry.parameters),
        reference=entry.reference,
        gold=gold,
        files=None if entry.files is None else located(entry.files),
        exclude=entry.exclude,
        segments=entry.segments,
        segment_gold=entry.segment_gold,
        misaligned=entry.misaligned,
        outliers=entry.outliers,
        outlier_systems=entry.outlier_systems,
        by_pattern=entry.by_pattern,
        tuned=entry.tuned,
        annotations=[located(file) for file in entry.annotations or ()],
        rating_gold=rating_gold,
    )
    known = sets.get(name)
    if known is not None:
        compared = _filled(planned) if known.required else planned
        if not _agree(known, compared):
            name = f"{name}.{_suffix(planned)}"
    if name in sets and sets[name].required:
        raise InputError(f"config, evaluation_sets: {name} is named twice.")
    sets[name] = replace(_filled(_merged(sets.get(name), planned)), name=name)


def _suffix(planned: PlannedSet) -> str:
    """Return what the name of a set has beside campaign/pair if another set is named so."""
    if planned.files is None:
        settings = [planned.reference or "no_reference", planned.gold]
    else:
        settings = [Path(planned.files).name, planned.reference]
    for choice in (planned.segments, planned.outliers, planned.misaligned):
        if choice in ("all", "drop", "use"):
            settings.append(choice)
    return re.sub(r"[^\w.-]", "_", ".".join(filter(None, settings)))


def _merged(first: PlannedSet | None, second: PlannedSet) -> PlannedSet:
    """Merge two entries of a set; where both specify a value, the second takes precedence."""
    if first is None:
        return second
    values = {key: value for key, value in vars(second).items() if value not in (None, [])}
    for key in NAMED:
        values[key] = getattr(first, key) | getattr(second, key)
    values["tuned"] = list(dict.fromkeys([*first.tuned, *second.tuned]))
    return replace(first, **values)


def _agree(first: PlannedSet, second: PlannedSet) -> bool:
    """Return whether two entries of a set have equal PROTOCOL and no conflicting settings."""
    if any(getattr(first, key) != getattr(second, key) for key in PROTOCOL):
        return False
    pairs = [(getattr(first, key), getattr(second, key)) for key in ("segment_gold", *DEFAULTS)]
    for field_name in NAMED:
        first_settings = getattr(first, field_name)
        second_settings = getattr(second, field_name)
        for name in first_settings.keys() & second_settings.keys():
            pairs.append((first_settings[name], second_settings[name]))
    return all(a == b or None in (a, b) for a, b in pairs)


def _with_parameters(
    weightings: Weightings, parameters: Parameters
) -> dict[str, WeightingSettings]:
    """Return each weighting's settings, updated by its parameters for one set."""
    updated = {}
    for name, settings in weightings.items():
        entry = settings.entry() | dict(parameters.get(name, {}))
        updated[name] = WeightingSettings.of(entry)
    return updated


def _encoder_of(
    config: Config, planned: PlannedSet, metric: str, *, substituted: bool = True
) -> str:
    """Return the encoder of a set's metric. The order of precedence is: a substitute for the pair
    or target language; the metric's own for the language, or `other`; bert-score's default. Raises
    `InputError` if the config lacks the encoder."""
    language = target_language(planned.pair)
    substitutes = config.substitute_encoders if substituted else {}
    substitute = substitutes.get(planned.pair) or substitutes.get(language)
    if substitute:
        return substitute
    stated = planned.metrics[metric].encoder or {}
    if isinstance(stated, str):
        encoder: str | None = stated
    else:
        encoder = stated.get(language) or stated.get("other")
    if not encoder:
        from bert_score.utils import lang2model  # imported here because it imports PyTorch

        encoder = lang2model[language]
    for name, known in config.encoders.items():
        if encoder in (name, known.model):
            return name
    raise InputError(
        f"config, metrics, {metric}: {planned.name} needs encoder {encoder}; config.encoders has: "
        f"{', '.join(config.encoders)}."
    )


def encoder_settings(config: Config, name: str) -> EncoderSettings:
    """Return an encoder's settings with defaults; `InputError` if no layer is set or known."""
    stated = config.encoders[name].model_dump(exclude_none=True)
    model = stated.pop("model", name)
    layer = stated.pop("layer", stated.get("layers"))
    if layer is None:
        layer = encoders.default_layer(model)
    if layer is None:
        raise InputError(
            f"config, encoders, {name}: bert-score knows no layer of {model}; set `layer`. "
            f"{encoders.CHOOSE_LAYER}"
        )
    settings = EncoderSettings(name, model, layer, **stated)
    if settings.folder:
        return settings._replace(folder=located(settings.folder), hub="", revision="")
    if settings.hidden_size and not settings.hub:
        return settings._replace(seed=config.seed)
    return settings


def _substitution(config: Config, planned: PlannedSet, metric: str) -> str:
    """Return how a metric's encoder, layer, precision or, if it rescales scores, baseline differs
    from the paper's; else empty."""
    used = _encoder_of(config, planned, metric)
    settings = encoder_settings(config, used)
    paper_encoder = _encoder_of(config, planned, metric, substituted=False)
    paper_layer = planned.layers.get(paper_encoder) or encoder_settings(config, paper_encoder).layer
    is_same_layer = settings.layer == paper_layer
    baseline = ""
    if planned.metrics[metric].arguments.get("rescale") and settings.baseline != AUTO:
        baseline = f", {described(settings.baseline)}"
    if used == paper_encoder and is_same_layer and settings.dtype == "float32" and not baseline:
        return ""
    how = f"layer {settings.layer}, {settings.dtype}{baseline}"
    return f"encoder {used} ({how}), not the paper's {paper_encoder} (layer {paper_layer}, float32)"
