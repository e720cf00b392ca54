"""The plan of a run: its evaluation sets, papers and encoders, from a config that was checked.

The rules, the page and `validate` read the same plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import storage
from ..data import own_files
from ..data.language import target_language
from ..data.yaml_files import read_checked_yaml
from ..difficulty import make_estimator
from ..embedding import encoders
from ..errors import InputError, Missing
from ..metrics import METRICS
from .sets import PlannedSet, collect_sets, describe_protocol, expanded, located

if TYPE_CHECKING:
    from .configs import Config
    from .papers import Paper


# Where a downloaded archive is kept.
ARCHIVE = "data/downloads/mt-metrics-eval-v2.tgz"


def merge(base: dict, changes: dict) -> dict:
    """A config merged over another in Snakemake's way: mappings key by key, anything else
    replaced."""
    both = base | changes
    for key in base.keys() & changes.keys():
        if isinstance(base[key], dict) and isinstance(changes[key], dict):
            both[key] = merge(base[key], changes[key])
    return both


def read_papers(names: Iterable[str], folder: Path) -> dict[str, Paper]:
    """The papers that a config names, from files that were checked (`papers.check_papers`)."""
    return {name: read_checked_yaml(folder / f"{name}.yaml") for name in names}  # type: ignore


def protocols(results: str | Path) -> dict[str, dict[str, Any]]:
    """Reference, gold and segments of the sets whose results are there, by name."""
    found = {}
    for file in Path(results).glob("*/*/protocol.json"):
        with suppress(Missing):
            found[str(file.parent.relative_to(results))] = storage.read_json(file)
    return found


@dataclass(frozen=True)
class Plan:
    """What a run consists of; papers, sets and encoders by name."""

    config: Config
    papers: dict[str, Paper]  # protocols and published cells
    sets: dict[str, PlannedSet]
    encoders: dict[str, dict[str, Any]]  # settings of those that sets use, layers included
    reference_texts: dict[str, str]  # by pair the set whose source scores are normalised to
    notices: list[str] = field(default_factory=list)  # what patterns of sets found and left out

    @property
    def results(self) -> str:
        """The folder of the run."""
        return os.path.normpath(self.config["results"])

    @property
    def archive(self) -> str:
        """The archive: the config's, or the downloaded one."""
        return located(self.config["archive"]) or ARCHIVE

    @property
    def metrics(self) -> list[str]:
        """The metrics of all sets, sorted."""
        return sorted({metric for planned in self.sets.values() for metric in planned.metrics})

    @property
    def checked_sets(self) -> list[str]:
        """Sets of a synthetic campaign, of which it is known what is hard."""
        sets = self.sets.items() if "truth" in self.config else ()
        return [name for name, planned in sets if planned.files is None]

    @property
    def campaigns(self) -> list[str]:
        """The campaigns that are read from the archive, sorted."""
        return sorted({each.campaign for each in self.sets.values() if each.files is None})

    @property
    def needs_wordnet(self) -> bool:
        """Whether a metric of a set reads WordNet."""
        kinds = {kind for planned in self.sets.values() for kind in planned.types.values()}
        return any(METRICS[kind].needs_wordnet for kind in kinds)

    def truth_file(self, name: str) -> str:
        """What is hard in a set of a synthetic campaign."""
        return f"{located(self.config['truth'])}/{self.sets[name].pair}.json"

    def files(self, name: str, *files: str) -> list[str]:
        """Paths of a set's results."""
        return [f"{self.results}/{name}/{file}" for file in files]

    def files_of_all(self, *files: str) -> list[str]:
        """Paths of every set's results."""
        return [path for name in self.sets for path in self.files(name, *files)]

    def difficulty_file(self, name: str, difficulty: str) -> str:
        """An estimated difficulty of a set."""
        return f"{self.results}/{name}/difficulty/{difficulty}.npz"

    def difficulty_files(self, name: str) -> list[str]:
        """All estimated difficulties of a set."""
        return [self.difficulty_file(name, each) for each in self.sets[name].estimated]

    def difficulty_sources(self, name: str, difficulty: str) -> list[str]:
        """The result that a difficulty is estimated from beside the set; none where the estimator
        reads no result, or the set lacks the metric that it asks for."""
        planned = self.sets[name]
        settings = planned.difficulties[difficulty]
        reads, metric = make_estimator(settings).reads, str(settings.get("metric"))
        if reads == "difficulty":
            return [self.difficulty_file(name, settings["difficulty"])]
        if reads == "statistics" and metric in planned.metrics:
            return self.files(name, f"statistics/{metric}.npz")
        if reads in ("matches", "consensus") and metric in planned.encoders:
            return self.files(name, f"{reads}/{planned.encoders[metric]}.npz")
        return []

    def encoder_notices(self) -> list[str]:
        """What is odd about the sentences that encoders read, files of all sets."""
        found = []
        for name, planned in self.sets.items():
            found += self.files(name, *(f"matches/{each}.json" for each in planned.used_encoders))
            sources = [x for each in planned.estimated for x in self.difficulty_sources(name, each)]
            found += [
                x.removesuffix(".npz") + ".json" for x in sources if f"{name}/consensus/" in x
            ]
        return list(dict.fromkeys(found))

    def estimates_file(self, name: str, difficulty: str) -> str | None:
        """The user's file that a difficulty of a set is read from; None for one that is not, and
        where a set of the archive has none."""
        planned = self.sets[name]
        settings = planned.difficulties[difficulty]
        if make_estimator(settings).reads != "file":
            return None
        if settings.get("file"):
            path = own_files.file_of_set(settings["file"], planned.campaign, planned.pair)
            return located(path)
        return str(own_files.difficulty_file(planned.files, difficulty)) if planned.files else None

    def model_folder(self, name: str, difficulty: str) -> str | None:
        """The folder of the model that a difficulty of a set is estimated with, if it is."""
        settings = self.sets[name].difficulties[difficulty]
        return located(settings["folder"]) if make_estimator(settings).reads == "model" else None

    def score_files(self, name: str) -> list[str]:
        """What the scores of a set under every weighting are made from; human scores say which
        segments count."""
        planned = self.sets[name]
        statistics = [f"statistics/{metric}.npz" for metric in planned.metrics]
        matches = [f"matches/{encoder}.npz" for encoder in planned.used_encoders]
        files = self.files(name, "evalset.json", "weightings.json", *statistics, *matches)
        return files + self.difficulty_files(name)

    def score_settings(self, name: str) -> dict[str, Any]:
        """What must be known of a set to read these files."""
        planned = self.sets[name]
        matches = {each: f"matches/{encoder}.npz" for each, encoder in planned.encoders.items()}
        return {
            "metrics": planned.metrics,
            "matches": matches,
            "difficulties": planned.difficulties,
            "weightings": expanded(planned.weightings),
        }

    def unread(self, name: str, root: str | Path = "") -> list[str]:
        """A sentence for each file in `scores` and `difficulty` of a set of own files that no set
        of its folder reads: probably its name is wrong. `root` is the folder from which the
        config's paths start."""
        own = self.sets[name].files
        if own is None:
            return []
        read: set[Path] = set()
        for other, planned in self.sets.items():
            if planned.files == own:
                stored = [each for each in planned.metrics if planned.reads_stored(each)]
                estimates = [self.estimates_file(other, each) for each in planned.difficulties]
                read |= {Path(root, planned.stored_source(each, own)) for each in stored}
                read |= {Path(root, file) for file in estimates if file}
        return [
            f"no {what} reads {path}; those of type {kind} read {read_by}."
            for what, kind, read_by, files in (
                ("metric", "stored", "scores/<metric>.tsv", own_files.scores_files),
                ("difficulty", "file", "difficulty/<name>.tsv", own_files.difficulty_files),
            )
            for path in files(Path(root, own))
            if path not in read
        ]


def make_plan(
    config: Config,
    papers: Mapping[str, Paper],
    notices: Sequence[str] = (),
    there: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Plan, list[str]]:
    """The plan of a config's sets that have no problem, and the problems, a sentence each.

    The config was checked (`configs.problems`) and each of its entries is of one set
    (`campaigns.expand`). `there` says what the sets are whose results are there (`protocols`): a
    set that differs from one of its name gets a folder of its own.
    """
    there = there or {}
    entries, problems = collect_sets(config, papers, there)
    of_papers = {f"{e['campaign']}/{e['pair']}" for paper in papers.values() for e in paper["sets"]}
    sets: dict[str, PlannedSet] = {}
    used_settings: dict[str, dict[str, Any]] = {}
    for name, entry in entries.items():
        known = {key: entry[key] for key in PlannedSet.__annotations__.keys() & entry.keys()}
        try:
            neural = PlannedSet(name=name, **known).neural
            used = {metric: used_encoder(config, name, entry, metric) for metric in neural}
            settings = {encoder: encoder_settings(config, encoder) for encoder in used.values()}
            substitutes = {}
            for metric, encoder in used.items() if name in of_papers else ():
                wanted = wanted_encoder(config, name, entry, metric)
                if text := substitution(config, encoder, wanted, entry["layers"]):
                    substitutes[metric] = text
        except InputError as error:
            problems.append(str(error))
        else:
            used_settings |= settings
            sets[name] = PlannedSet(name=name, **known, encoders=used, substitutions=substitutes)

    # Texts that scores are normalised to must be sets of the pair.
    texts = config["complexity"]["reference_texts"] or {}
    for pair, name in texts.items() if not problems else ():
        if name not in sets or sets[name].pair != pair:
            of_pair = ", ".join(key for key, planned in sets.items() if planned.pair == pair)
            problems.append(
                f"config, complexity, reference_texts: {name} is no set of {pair}; "
                f"there are: {of_pair or 'none'}."
            )

    # Sets with a folder of their own because an earlier run has results in theirs.
    moved = []
    for name, planned in sets.items():
        place = f"{planned.campaign}/{planned.pair}"
        if place in there and place not in sets:
            results = describe_protocol(there[place])
            moved.append(f"{place} has results with {results}; the set of this run is {name}.")
    plan = Plan(config, dict(papers), sets, used_settings, texts, [*notices, *moved])
    return plan, list(dict.fromkeys(problems))


def used_encoder(config: Config, name: str, entry: dict[str, Any], metric: str) -> str:
    """The encoder of a set's metric: a substitute for the pair or the target language, if there is
    one. Raises `InputError` where the config has no such encoder."""
    for key in (entry["pair"], target_language(entry["pair"])):
        if substitute := config["substitute_encoders"].get(key):
            if substitute not in config["encoders"]:
                raise InputError(
                    f"config, substitute_encoders: no encoder {substitute}; config.encoders has: "
                    f"{', '.join(config['encoders'])}."
                )
            return substitute
    return wanted_encoder(config, name, entry, metric)


def wanted_encoder(config: Config, name: str, entry: dict[str, Any], metric: str) -> str:
    """The encoder that a metric asks for: by name, or by target language, with `other` for all that
    are not named; else bert-score's default for the language. Raises `InputError` where the config
    has no such encoder."""
    language = target_language(entry["pair"])
    choice = entry["metrics"][metric].get("encoder", {})
    if isinstance(choice, dict):
        choice = choice.get(language) or choice.get("other") or encoders.default_model(language)
    for key, settings in config["encoders"].items():
        if choice in (key, settings.get("model")):
            return key
    raise InputError(
        f"config, metrics, {metric}: {name} needs encoder {choice}; config.encoders has: "
        f"{', '.join(config['encoders'])}."
    )


def encoder_settings(config: Config, key: str) -> dict[str, Any]:
    """An encoder's settings, with bert-score's layer where none is given. Raises `InputError` where
    bert-score knows none, or random weights have no such layer."""
    defaults = {"model": key, "dtype": "float32", "device": "auto"}
    entry: dict[str, Any] = {**defaults, **config["encoders"][key]}
    if "folder" in entry:
        entry["folder"] = located(entry["folder"])
    model = entry["model"]
    if "layer" not in entry:
        entry["layer"] = entry["layers"] if "layers" in entry else encoders.default_layer(model)
    if entry["layer"] is None:
        raise InputError(
            f"config, encoders, {key}: bert-score knows no layer of {model}; set `layer`."
        )
    if "folder" in entry:  # takes precedence over hub and revision
        return {key: value for key, value in entry.items() if key not in ("hub", "revision")}
    if "hidden_size" in entry and "hub" not in entry:
        if entry["layer"] > entry["layers"]:
            raise InputError(
                f"config, encoders, {key}: there is no layer {entry['layer']}, only 0 to "
                f"{entry['layers']}."
            )
        entry["seed"] = config["seed"]
    return entry


def substitution(config: Config, used: str, wanted: str, layers: Mapping[str, int]) -> str:
    """What a cell says that was not made with the paper's encoder, layer and precision; empty
    otherwise. `layers` are the paper's, by encoder; bert-score is asked for one that is not there.
    """
    settings = encoder_settings(config, used)
    if wanted in layers:
        layer = layers[wanted]
    else:
        asked = encoder_settings(config, wanted)
        layer = encoders.default_layer(asked["model"]) or asked["layer"]
    if used == wanted and (settings["layer"], settings["dtype"]) == (layer, "float32"):
        return ""
    how = f"layer {settings['layer']}, {settings['dtype']}"
    return f"encoder {used} ({how}), not the paper's {wanted} (layer {layer}, float32)"
