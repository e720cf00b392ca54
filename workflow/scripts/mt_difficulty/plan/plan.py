"""Plan a run: its evaluation sets, papers and encoders, for the rules and for `validate`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..data import campaign_files, own_files
from ..data.build_set import ImportSettings
from ..data.campaign_files import SegmentGold
from ..data.language import target_language
from ..data.names import differing_by_case
from ..difficulty import make_estimator
from ..embedding import encoders
from ..errors import InputError
from ..metrics import METRICS, computed_from, reads_matches
from ..settings import (
    DifficultySettings,
    EncoderSettings,
    MetricSettings,
    ScoreSettings,
    Weightings,
    WeightingSettings,
)
from ..settings.study import Study
from ..weighting import parts
from .base import ARCHIVE, located
from .campaigns import Entry, Expanded
from .config import Config
from .papers import Paper, PaperSet

# Two entries of one set must have equal PROTOCOL. DEFAULTS may be set by either entry. In NAMED,
# names that both entries have must have equal settings.
PROTOCOL = ("files", "reference", "gold", "exclude")
DEFAULTS = {"segments": "rated", "outliers": "keep", "misaligned": "refuse"}
Parameters = Mapping[str, Mapping[str, Any]]  # arguments of weightings, by name
NAMED = ("metrics", "layers", "difficulties", "weightings", "parameters")


@dataclass(frozen=True)
class PlannedSet:
    """An evaluation set of a run. `reference` and `gold` are names in the archive, "" for none. For
    own files, `files` is the folder and `reference` a name in it. None means not specified."""

    name: str  # the folder of its results: campaign/pair, or longer where another set has this one
    campaign: str
    pair: str
    metrics: dict[str, MetricSettings]
    required: bool  # by the config: then it must have texts, and the page shows more of it
    difficulties: dict[str, DifficultySettings]
    weightings: dict[str, WeightingSettings]
    reference: str | None = None
    gold: str | None = None
    files: str | None = None
    exclude: list[str] | None = None
    segments: str | None = None
    segment_gold: SegmentGold = None  # of several names the first that the archive has
    misaligned: str | None = None
    outliers: str | None = None
    outlier_systems: list[str] = field(default_factory=list)
    by_pattern: bool = False  # then it need not have texts
    tuned: list[str] = field(default_factory=list)
    parameters: Parameters = field(default_factory=dict)  # of weightings, by name
    layers: dict[str, int] = field(default_factory=dict)  # of encoders, by a paper
    encoders: dict[str, str] = field(default_factory=dict)  # by neural metric
    substitutions: dict[str, str] = field(default_factory=dict)  # what cells say of these encoders

    @property
    def types(self) -> dict[str, str]:
        """The `type` (such as `chrf`) of each metric of the set, by the metric's name."""
        return {metric: settings.type for metric, settings in self.metrics.items()}

    @property
    def plotted_metric(self) -> str:
        """The metric whose segment scores are plotted: the first not `stored`, else the first."""
        return [*(name for name in self.metrics if name not in self.stored), *self.metrics][0]

    @property
    def used_encoders(self) -> list[str]:
        """Names of the encoders that the set's metrics use, without duplicates."""
        return list(dict.fromkeys(self.encoders.values()))

    @property
    def estimated(self) -> list[str]:
        """Names of the set's difficulty estimators for segments or hypotheses, not for tokens."""
        return [name for name, x in self.difficulties.items() if make_estimator(x).unit != "token"]

    @property
    def all_tuned(self) -> list[str]:
        """Names of weightings tuned on the set's human scores and combinations that contain one."""
        tuned, every = set(self.tuned), self.weightings
        return [name for name in every if {name, *parts(name, every)} & tuned]

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
            outliers=self.outlier_systems,
            drop_outliers=self.outliers == "drop",
            segments=self.segments or DEFAULTS["segments"],
            misaligned=self.misaligned or DEFAULTS["misaligned"],
            texts_required=self.required and not self.by_pattern,
            own_files=self.files is not None,
        )

    @property
    def stored(self) -> dict[str, MetricSettings]:
        """Settings, by name, of the metrics whose scores are read from files, not computed."""
        return {
            metric: computed_from(metric, settings)
            for metric, settings in self.metrics.items()
            if METRICS[settings.type].reads == "stored"
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
        if (source := self.stored_source(metric, folder)) != Path(folder):
            return [source]
        return campaign_files.stored_files(folder, self.pair, self.stored[metric].arguments["name"])


@dataclass(frozen=True)
class Plan:
    """What a run computes: its config, and its papers, evaluation sets and encoders by name."""

    config: Config
    papers: dict[str, Paper]  # protocols and published cells
    sets: dict[str, PlannedSet]
    encoders: dict[str, EncoderSettings]  # those that sets use
    notices: list[str] = field(default_factory=list)  # what patterns of sets found and left out

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
        sets = self.sets.items() if self.config.truth else ()
        return [name for name, planned in sets if planned.files is None]

    @property
    def campaigns(self) -> list[str]:
        """Sorted names of the campaigns whose sets are read from the archive."""
        return sorted({planned.campaign for planned in self.sets.values() if planned.files is None})

    @property
    def needs_wordnet(self) -> bool:
        """Whether a metric of any set, such as METEOR, needs WordNet."""
        kinds = {kind for planned in self.sets.values() for kind in planned.types.values()}
        return any(METRICS[kind].needs_wordnet for kind in kinds)

    def truth_file(self, name: str) -> str:
        """Return the path of the JSON file with the true difficulty of a synthetic set."""
        return f"{located(self.config.truth)}/{self.sets[name].pair}.json"

    def files(self, name: str, *files: str) -> list[str]:
        """Return the paths of the given files in the results folder of set `name`."""
        return [f"{self.results}/{name}/{file}" for file in files]

    def files_of_all(self, *files: str) -> list[str]:
        """Return the paths of the given files in the results folder of every set."""
        return [path for name in self.sets for path in self.files(name, *files)]

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
        reads, metric = make_estimator(settings).reads, settings.metric
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
        for name, planned in self.sets.items():
            if planned.files == folder:
                locations = [self.difficulty_location(name, x) for x in planned.difficulties]
                read |= {planned.stored_source(metric, folder) for metric in planned.stored}
                read |= {Path(file) for file in locations if file}
        return [
            f"no {what} reads {path}; those of type {kind} read {place}."
            for what, kind, place in (
                ("metric", "stored", "scores/<metric>.tsv"),
                ("difficulty", "file", "difficulty/<name>.tsv"),
            )
            for path in own_files.visible(Path(folder, place).parent)
            if path not in read
        ]


def make_plan(
    config: Config, papers: Mapping[str, Paper], entries: Expanded
) -> tuple[Plan, list[str]]:
    """Return the run's plan, from which sets with errors are left out, and a list of the errors."""
    problems, sets = list(entries.problems), {}
    known: dict[str, PlannedSet] = {}
    for paper in papers.values():
        for of_paper in paper.sets:
            try:
                _add_paper_set(known, of_paper, paper)
            except InputError as error:
                problems.append(str(error))
    for name, planned in known.items():  # with what the config has beside the papers'
        weightings = config.weightings | planned.weightings
        known[name] = replace(
            planned,
            difficulties=config.difficulties | planned.difficulties,
            weightings=_with_parameters(weightings, planned.parameters),
        )
    of_papers = set(known)
    for entry in entries.entries:
        try:
            _add_config_set(known, config, entry)
        except InputError as error:
            problems.append(str(error))
    if not known and not config.papers and not problems:
        problems.append("config: no evaluation set; name one in evaluation_sets or papers.")

    encoders_used: dict[str, EncoderSettings] = {}
    for name, planned in known.items():
        try:
            neural = [metric for metric, x in planned.metrics.items() if reads_matches(x)]
            left_out = () if config.neural else neural
            metrics = {key: x for key, x in planned.metrics.items() if key not in left_out}
            if planned.required and not metrics:
                raise InputError(
                    f"config, evaluation_sets: {name} has no metrics but neural ones, which this "
                    "run leaves out (neural: false)."
                )
            used = {key: _encoder_of(config, planned, key) for key in neural if key in metrics}
            encoders_used |= {key: encoder_settings(config, key) for key in used.values()}
            compared = used if name in of_papers else ()
            texts = {metric: _substitution(config, planned, metric) for metric in compared}
            texts = {metric: text for metric, text in texts.items() if text}
            changes: Any = {"metrics": metrics, "encoders": used, "substitutions": texts}
            sets[name] = replace(_filled(planned), **changes)
        except InputError as error:
            problems.append(str(error))

    # Reference texts of complexity must be sets of the language pair.
    reference_texts = config.complexity.reference_texts or {}
    for pair, name in reference_texts.items() if not problems else ():
        of_pair = [key for key, planned in sets.items() if planned.pair == pair]
        if name not in of_pair:
            problems.append(
                f"config, complexity, reference_texts: {name} is no set of {pair}; "
                f"there are: {', '.join(of_pair) or 'none'}."
            )
    named = [("evaluation_sets", [*sets]), ("encoders", [*encoders_used])]
    for planned in sets.values():
        kinds = ("metrics", "difficulties", "weightings")
        named += [(kind, [*getattr(planned, kind)]) for kind in kinds]
    results = Path(config.results).resolve()
    problems += [
        f"config, results: {config.results} is the folder of {planned.name}'s own files. Name "
        "another one."
        for planned in sets.values()
        if planned.files is not None and results == Path(planned.files).resolve()
    ]
    if config.archive and results.is_relative_to(Path(located(config.archive)).resolve()):
        problems.append(
            f"config, results: {config.results} lies in the archive, which is read. Name another "
            "folder."
        )
    problems += [
        f"config, {kind}: {first} and {second} differ in capital letters alone, which not every "
        "file system tells apart. Rename one of them."
        for kind, names in named
        for first, second in differing_by_case(names)
    ]
    problems = list(dict.fromkeys(problems))
    return Plan(config, dict(papers), sets, encoders_used, entries.notices), problems


def _filled(planned: PlannedSet) -> PlannedSet:
    """Return a set with the values of DEFAULTS for those settings that are None."""
    stated: Any = {key: getattr(planned, key) or DEFAULTS[key] for key in DEFAULTS}
    return replace(planned, **stated)


def _add_paper_set(sets: dict[str, PlannedSet], entry: PaperSet, paper: Paper) -> None:
    """Add a paper's set to `sets` as `campaign/pair`; `InputError` if another paper's differs."""
    name = entry.name
    planned = PlannedSet(
        name,
        entry.campaign,
        entry.pair,
        paper.metrics | entry.metrics,
        required=False,
        difficulties=paper.difficulties,
        weightings=paper.weightings,
        reference=entry.reference,
        gold=entry.gold,
        exclude=entry.exclude,
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
    weightings, metrics = config.weightings, config.metrics
    if entry.weightings is not None:
        weightings = {weighting: weightings[weighting] for weighting in entry.weightings}
    if entry.metrics is not None:
        metrics = {metric: metrics[metric] for metric in entry.metrics}
    same: Any = ("reference", "gold", "exclude", "segment_gold", "outlier_systems", "by_pattern")
    planned = PlannedSet(
        name,
        entry.campaign,
        entry.pair,
        metrics | entry.stored,
        True,
        config.difficulties,
        _with_parameters(weightings, entry.parameters),
        files=located(entry.files) if entry.files is not None else None,
        **{key: getattr(entry, key) for key in (*same, "tuned", *DEFAULTS)},
    )
    known = sets.get(name)
    if known and not _agree(known, _filled(planned) if known.required else planned):
        suffixes = [planned.reference or "no_reference", planned.gold]
        if planned.files is not None:
            suffixes = [Path(planned.files).name, planned.reference]
        choices = (planned.segments, planned.outliers, planned.misaligned)
        suffixes += [choice for choice in choices if choice in ("all", "drop", "use")]
        name += "." + re.sub(r"[^\w.-]", "_", ".".join(filter(None, suffixes)))
    if name in sets and sets[name].required:
        raise InputError(f"config, evaluation_sets: {name} is named twice.")
    sets[name] = replace(_filled(_merged(sets.get(name), planned)), name=name)


def _merged(first: PlannedSet | None, second: PlannedSet) -> PlannedSet:
    """Merge two entries of a set; where both specify a value, the second takes precedence."""
    if first is None:
        return second
    stated = {key: value for key, value in vars(second).items() if value not in (None, [])}
    named = {key: getattr(first, key) | getattr(second, key) for key in NAMED}
    tuned = list(dict.fromkeys([*first.tuned, *second.tuned]))
    return replace(first, **stated | named | {"tuned": tuned})


def _agree(first: PlannedSet, second: PlannedSet) -> bool:
    """Return whether two entries of a set have equal PROTOCOL and no conflicting settings."""
    if any(getattr(first, key) != getattr(second, key) for key in PROTOCOL):
        return False
    pairs = [(getattr(first, key), getattr(second, key)) for key in ("segment_gold", *DEFAULTS)]
    for kind in NAMED:
        ours, theirs = getattr(first, kind), getattr(second, kind)
        pairs += [(ours[name], theirs[name]) for name in ours.keys() & theirs.keys()]
    return all(ours == theirs or None in (ours, theirs) for ours, theirs in pairs)


def _with_parameters(
    weightings: Weightings, parameters: Parameters
) -> dict[str, WeightingSettings]:
    """Return each weighting's settings, updated by its parameters for one set."""
    return {
        name: WeightingSettings.of(settings.entry() | dict(parameters.get(name, {})))
        for name, settings in weightings.items()
    }


def _encoder_of(config: Config, planned: PlannedSet, metric: str, substituted: bool = True) -> str:
    """Return the encoder of a set's metric. The order of precedence is: a substitute for the pair
    or target language; the metric's own for the language, or `other`; bert-score's default. Raises
    `InputError` if the config lacks the encoder."""
    known, language = config.encoders, target_language(planned.pair)
    substitutes = config.substitute_encoders if substituted else {}
    if substitute := substitutes.get(planned.pair) or substitutes.get(language):
        return substitute
    stated = planned.metrics[metric].encoder or {}
    choice = stated if isinstance(stated, str) else stated.get(language) or stated.get("other")
    if not choice:
        from bert_score.utils import lang2model  # which imports PyTorch

        choice = lang2model[language]
    for key, encoder in known.items():
        if choice in (key, encoder.model):
            return key
    raise InputError(
        f"config, metrics, {metric}: {planned.name} needs encoder {choice}; config.encoders has: "
        f"{', '.join(known)}."
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
            f"config, encoders, {name}: bert-score knows no layer of {model}; set `layer`."
        )
    settings = EncoderSettings(name, model, layer, **stated)
    if settings.folder:
        return settings._replace(folder=located(settings.folder), hub="", revision="")
    if settings.hidden_size and not settings.hub:
        return settings._replace(seed=config.seed)
    return settings


def _substitution(config: Config, planned: PlannedSet, metric: str) -> str:
    """Return how a metric's encoder, layer or precision differs from the paper's; else empty."""
    used = _encoder_of(config, planned, metric)
    wanted = _encoder_of(config, planned, metric, substituted=False)
    settings = encoder_settings(config, used)
    layer = planned.layers.get(wanted) or encoder_settings(config, wanted).layer
    if used == wanted and (settings.layer, settings.dtype) == (layer, "float32"):
        return ""
    how = f"layer {settings.layer}, {settings.dtype}"
    return f"encoder {used} ({how}), not the paper's {wanted} (layer {layer}, float32)"
