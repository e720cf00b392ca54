"""The evaluation sets of a run: those of its papers and those of its config, merged."""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import campaign_files, own_files
from ..data.campaign_files import SegmentGold
from ..difficulty import make_estimator
from ..errors import InputError, nearest
from ..metrics import METRICS, constructor_settings

if TYPE_CHECKING:
    from .configs import Config
    from .papers import Paper

# The checkout that this package is in, if it is in one.
CHECKOUT = Path(__file__).resolve().parents[4]
# What two entries of one set must agree in, and what in whichever names both of them have.
PROTOCOL = {"files", "reference", "gold", "exclude"}
# What they may leave to each other.
CHOICES = ("segments", "outliers", "segment_gold", "misaligned")
DEFAULTS = {"segments": "rated", "outliers": "keep", "misaligned": "refuse"}
NAMED = ("metrics", "layers", "difficulties", "weightings", "parameters")
NO_SETS = "config: no evaluation set; name one in evaluation_sets or papers."
COMBINED = "combined"  # the type of weighting that names two others instead of a difficulty
PARTS = {"segments": "segment", "tokens": "token"}  # under which it names them, and their units


def find_project() -> tuple[Path, Path]:
    """The config and the folder of papers of the project in this folder, else of the one that this
    package is in; of a package that was installed elsewhere, what came with it."""
    for folder in (Path.cwd(), CHECKOUT):
        if (folder / "workflow/papers").is_dir() and (folder / "config.yaml").is_file():
            return folder / "config.yaml", folder / "workflow/papers"
    installed = Path(sysconfig.get_path("data"), "share/mt-difficulty")
    return installed / "config.yaml", installed / "papers"


def located(path: str) -> str:
    """A path of the config, with the folders that `~` and `{project}` stand for, the latter the
    checkout; other relative paths start from the folder of the run."""
    if path.startswith("{project}/"):
        return str(CHECKOUT / path.removeprefix("{project}/"))
    return os.path.expanduser(path)


def reads_matches(settings: Mapping[str, Any]) -> bool:
    """Whether a metric is made from token matches, and so needs an encoder."""
    kind = settings["type"]
    return kind in METRICS and METRICS[kind].reads == "matches"


@dataclass(frozen=True)
class PlannedSet:
    """An evaluation set of a run: what `configs.EvaluationSet` says, with all settings by name.

    `reference` and `gold` are names in the archive, of which a gold of "" is none, or `files` is a
    folder of own files, and `reference` one of its references.
    """

    name: str  # the folder of its results: campaign/pair, or longer where another set has this one
    campaign: str
    pair: str
    metrics: dict[str, dict[str, Any]]
    required: bool  # by the config: then it must have texts, and the page shows more of it
    difficulties: dict[str, dict[str, Any]]
    weightings: dict[str, dict[str, Any]]
    reference: str | None = None
    gold: str | None = None
    files: str | None = None
    exclude: list[str] | None = None
    segments: str = "rated"
    segment_gold: SegmentGold = None  # of several names the first that the archive has
    misaligned: str = "refuse"
    outliers: str = "keep"
    outlier_systems: list[str] = field(default_factory=list)
    found: bool = False  # by a pattern: then it need not have texts
    tuned: list[str] = field(default_factory=list)
    encoders: dict[str, str] = field(default_factory=dict)  # by neural metric
    substitutions: dict[str, str] = field(default_factory=dict)  # what cells say of these encoders

    @property
    def types(self) -> dict[str, str]:
        """Types of the metrics, by name."""
        return {metric: settings["type"] for metric, settings in self.metrics.items()}

    @property
    def neural(self) -> list[str]:
        """Metrics that need an encoder."""
        return [metric for metric, settings in self.metrics.items() if reads_matches(settings)]

    @property
    def plotted_metric(self) -> str:
        """The metric whose segment scores are plotted: the first that is no stored one, which may
        have scores of systems alone, if there is one."""
        kinds = self.types.items()
        computed = [metric for metric, kind in kinds if METRICS[kind].reads != "stored"]
        return [*computed, *self.metrics][0]

    @property
    def used_encoders(self) -> list[str]:
        """Encoders of the neural metrics, each once."""
        return list(dict.fromkeys(self.encoders.values()))

    @property
    def estimated(self) -> list[str]:
        """Difficulties that have a file: those of segments and hypotheses. Those of tokens are
        estimated from matches wherever they are used."""
        units = {name: make_estimator(each).unit for name, each in self.difficulties.items()}
        return [name for name, unit in units.items() if unit != "token"]

    @property
    def all_tuned(self) -> list[str]:
        """Weightings that are tuned on this set, or lie over one that is."""
        return [
            name
            for name, each in self.weightings.items()
            if {name, *(each.get(part) for part in PARTS)} & set(self.tuned)
        ]

    @property
    def import_settings(self) -> dict[str, Any]:
        """How the set is read, as arguments of `read_evaluation_set` or `read_own_files`."""
        names = ["pair", "reference", "gold", "exclude"]
        found = {name: value for name in names if (value := getattr(self, name)) is not None}
        found |= {"segments": self.segments, "misaligned": self.misaligned}
        if self.files is None:
            found |= {
                "texts_required": self.required and not self.found,
                "segment_gold": self.segment_gold,
                "outliers": self.outlier_systems,
                "drop_outliers": self.outliers == "drop",
            }
        return found

    def reads_stored(self, metric: str) -> bool:
        """Whether a metric reads scores that others computed."""
        return METRICS[self.types[metric]].reads == "stored"

    def stored_source(self, metric: str, folder: str | Path) -> Path:
        """Where a metric reads such scores, given the folder of the campaign or of own files: in
        the campaign's folder, or a user's file."""
        own = constructor_settings(metric, self.metrics[metric])
        if own.get("file"):
            return Path(located(own_files.file_of_set(own["file"], self.campaign, self.pair)))
        if self.files is not None:
            return own_files.scores_file(folder, own["name"])
        return Path(folder)

    def stored_files(self, metric: str, folder: str | Path) -> list[Path]:
        """The files that such scores may be read from."""
        source = self.stored_source(metric, folder)
        if source != Path(folder):
            return [source]
        name = constructor_settings(metric, self.metrics[metric])["name"]
        return campaign_files.stored_files(folder, self.pair, name)


def collect_sets(
    config: Config, papers: Mapping[str, Paper], there: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The sets of papers and config as entries, by name, and why others are none; `there` as in
    `make_plan`."""
    sets: dict[str, dict[str, Any]] = {}
    problems: list[str] = []

    def attempt(add: Callable, entries: Iterable[Any], *arguments: Any) -> None:
        for entry in entries:
            try:
                add(sets, config, entry, *arguments)
            except InputError as error:
                problems.append(str(error))

    for paper in papers.values():
        attempt(_add_paper_set, paper["sets"], paper, there)
    for name, entry in sets.items():  # what the config has beside the papers'
        weightings = config["weightings"] | entry["weightings"]
        entry["difficulties"] = config["difficulties"] | entry["difficulties"]
        try:
            place = f"config, papers: {name}"
            entry["weightings"] = _with_parameters(place, weightings, entry)
        except InputError as error:
            problems.append(str(error))
    attempt(_add_config_set, config["evaluation_sets"], there)
    if not sets and not config["papers"] and not problems:
        problems.append(NO_SETS)
    return sets, problems


def _add_paper_set(
    sets: dict, config: Config, entry: dict, paper: Paper, there: Mapping[str, Mapping]
) -> None:
    """Add a set in campaign/pair; two papers may share it where what they state agrees."""
    name = f"{entry['campaign']}/{entry['pair']}"
    metrics = _computed(paper["metrics"] | entry.get("metrics", {}), config)
    own = {key: paper.get(key, {}) for key in ("layers", "difficulties", "weightings")}
    stated = own | {"parameters": {}, "segments": "all"} | entry | {"metrics": metrics}
    known = sets.get(name, {"required": False})
    if not _agree(known, stated):
        raise InputError(f"config, papers: two papers differ on {name}; run one of them.")
    if _differs(stated, there.get(name, {})):
        folder = f"{config['results']}/{name}"
        raise InputError(
            f"config, papers: {folder} has {describe_protocol(there[name])}, the paper's set "
            f"{describe_protocol(stated)}. Name another folder in `results`, or delete {folder}."
        )
    sets[name] = known | stated | {key: known.get(key, {}) | stated[key] for key in NAMED}
    sets[name]["tuned"] = list(dict.fromkeys([*known.get("tuned", ()), *entry.get("tuned", ())]))


def _add_config_set(sets: dict, config: Config, entry: dict, there: Mapping[str, Mapping]) -> None:
    """Add a set in campaign/pair, or, where it differs from a set of this or an earlier run that is
    there, in a folder of its own: a paper's numbers are always those of its protocol."""
    name = f"{entry['campaign']}/{entry['pair']}"
    place = f"config, evaluation_sets: {name}"
    there_are = config["weightings"]
    chosen = entry.get("weightings", list(there_are))
    _check_weightings(place, chosen, there_are)
    for each in chosen:
        named = [str(there_are[each].get(part)) for part in PARTS]
        absent = [part for part in named if part in there_are and part not in chosen]
        if there_are[each]["type"] == COMBINED and absent:
            raise InputError(
                f"{place}: weightings: {each} combines {' and '.join(named)}; name "
                f"{' and '.join(absent)}, too."
            )
    weightings = _with_parameters(place, {each: there_are[each] for each in chosen}, entry)
    entry = {key: value for key, value in entry.items() if key != "parameters"} | {
        "metrics": _metrics_of_entry(name, entry, config),
        "difficulties": config["difficulties"],
        "weightings": weightings,
    }
    if "files" in entry:
        entry["files"] = located(entry["files"])
    known = sets.get(name, entry)
    stated = entry if not known.get("required") else DEFAULTS | entry
    differs = not _agree(known, stated) or PROTOCOL & known.keys() != PROTOCOL & entry.keys()
    if differs or _differs(known | entry, there.get(name, {})):
        parts = [entry.get("reference") or "no_reference", entry.get("gold")]
        if "files" in entry:
            parts = [Path(entry["files"]).name, entry.get("reference")]
        parts += [entry[key] for key in CHOICES if entry.get(key) in ("all", "drop", "use")]
        name += "." + re.sub(r"[^\w.-]", "_", ".".join(filter(None, parts)))
    known = sets.get(name, {"required": False})
    if known["required"]:
        raise InputError(f"config, evaluation_sets: {name} is named twice.")
    merged = {key: known.get(key, {}) | entry[key] for key in entry.keys() & set(NAMED)}
    tuned = dict.fromkeys([*known.get("tuned", ()), *entry.get("tuned", ())])
    sets[name] = DEFAULTS | known | entry | merged | {"required": True, "tuned": list(tuned)}


def _with_parameters(place: str, weightings: Mapping[str, dict], entry: dict) -> dict[str, dict]:
    """Weightings with the settings that an entry gives them in its set."""
    parameters = entry.get("parameters", {})
    _check_weightings(f"{place}: parameters", parameters, weightings)
    _check_weightings(f"{place}: tuned", entry.get("tuned", ()), weightings)
    return {name: each | parameters.get(name, {}) for name, each in weightings.items()}


def _check_weightings(place: str, names: Iterable[str], known: Mapping[str, Any]) -> None:
    for name in names:
        if name not in known:
            there = f"{', '.join(known)}{nearest(name, known)}"
            raise InputError(f"{place}: no weighting {name}; there are {there}.")


def expanded(weightings: Mapping[str, dict]) -> dict[str, dict]:
    """Weightings as jobs take them: a combined one is that of segments, `over` that of tokens."""
    return {
        name: weightings[each["segments"]] | {"over": each["tokens"]}
        if each["type"] == COMBINED
        else each
        for name, each in weightings.items()
    }


def _metrics_of_entry(name: str, entry: dict, config: Config) -> dict[str, dict]:
    known = config["metrics"]
    stored = entry.get("stored", {})
    for metric in entry.get("metrics", ()):
        if metric not in known:
            raise InputError(
                f"config, evaluation_sets: no metric {metric}; config.metrics has: "
                f"{', '.join(known)}{nearest(metric, known)}."
            )
    named = {metric: known[metric] for metric in entry.get("metrics", known)}
    if clash := sorted(named.keys() & stored.keys()):
        raise InputError(
            f"config, evaluation_sets: {name}: {clash[0]} is the name of a metric of the config "
            "and, by `stored`, of one of the archive. Rename the config's."
        )
    if not (metrics := _computed(named | stored, config)):
        raise InputError(
            f"config, evaluation_sets: {name} has no metrics but neural ones, which this run "
            "leaves out (neural: false)."
        )
    return metrics


def _computed(metrics: Mapping[str, dict], config: Config) -> dict[str, dict]:
    """The metrics that are computed: without neural ones those that need no encoder."""
    neural = config["neural"]
    return {name: each for name, each in metrics.items() if neural or not reads_matches(each)}


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two entries agree in whatever both of them say."""
    both = one.keys() & other.keys()
    said = [(one, other, key) for key in both & {*PROTOCOL, *CHOICES}]
    for kind in both & set(NAMED):
        said += [(one[kind], other[kind], name) for name in one[kind].keys() & other[kind].keys()]
    return all(mine[key] == theirs[key] for mine, theirs, key in said)


def _differs(entry: Mapping[str, Any], there: Mapping[str, Any]) -> bool:
    """Whether a set of an earlier run, if any, has another reference, gold or segments."""
    return any(entry.get(key, DEFAULTS.get(key)) != value for key, value in there.items())


def describe_protocol(entry: Mapping[str, Any]) -> str:
    """The reference, gold and segments of a set, in words."""
    segments = entry.get("segments", DEFAULTS["segments"])
    return (
        f"reference {entry.get('reference') or 'none'}, gold {entry.get('gold') or 'none'}, "
        f"segments {segments}"
    )
