"""The plan of a run: its evaluation sets, papers and encoders, from a config that was checked.

The rules, the page and `validate` read the same plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..data import own_files
from ..difficulty import make_estimator
from ..errors import InputError
from ..metrics import METRICS
from .encoder_choice import encoder_settings, substitution, used_encoder, wanted_encoder
from .project import located
from .sets import PlannedSet, collect_sets, describe_protocol, expanded

if TYPE_CHECKING:
    from .paper_settings import Paper
    from .settings import Config


# Where a downloaded archive is kept.
ARCHIVE = "data/downloads/mt-metrics-eval-v2.tgz"


@dataclass(frozen=True)
class Plan:
    """What a run consists of.

    Attributes
    ----------
    papers : dict of str to dict
        Protocols and published cells, by the papers' names.
    sets : dict of str to PlannedSet
        By name.
    encoders : dict of str to dict
        Settings of the encoders that sets use, layers included.
    reference_texts : dict of str to str
        By pair the set whose source scores are normalised to.
    notices : list of str
        What patterns of sets found and left out.
    """

    config: Config
    papers: dict[str, Paper]
    sets: dict[str, PlannedSet]
    encoders: dict[str, dict[str, Any]]
    reference_texts: dict[str, str]
    notices: list[str] = field(default_factory=list)

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
        (path,) = self.files(name, f"difficulty/{difficulty}.npz")
        return path

    def difficulty_files(self, name: str) -> list[str]:
        """All estimated difficulties of a set."""
        return [self.difficulty_file(name, each) for each in self.sets[name].estimated]

    def difficulty_sources(self, name: str, difficulty: str) -> list[str]:
        """The result that a difficulty is estimated from beside the set; none where the estimator
        reads no result, or the set lacks the metric that it asks for."""
        planned = self.sets[name]
        settings = planned.difficulties[difficulty]
        reads, metric = make_estimator(settings).reads, settings.get("metric")
        if reads == "difficulty":
            return [self.difficulty_file(name, settings["difficulty"])]
        if reads == "statistics" and metric in planned.metrics:
            return self.files(name, f"statistics/{metric}.npz")
        if reads in ("matches", "consensus") and metric in planned.encoders:
            return self.files(name, f"{reads}/{planned.encoders[str(metric)]}.npz")
        return []

    def encoder_notices(self) -> list[str]:
        """What is odd about the sentences that encoders read, files of all sets."""
        found = []
        for name, planned in self.sets.items():
            found += self.files(name, *(f"matches/{each}.json" for each in planned.used_encoders))
            for difficulty in planned.estimated:
                if make_estimator(planned.difficulties[difficulty]).reads == "consensus":
                    sources = self.difficulty_sources(name, difficulty)
                    found += [source.removesuffix(".npz") + ".json" for source in sources]
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
        if planned.files is None:
            return None
        return str(own_files.difficulty_file(planned.files, difficulty))

    def model_folder(self, name: str, difficulty: str) -> str | None:
        """The folder of the model that a difficulty of a set is estimated with; None for one that
        is estimated otherwise."""
        settings = self.sets[name].difficulties[difficulty]
        if make_estimator(settings).reads != "model":
            return None
        return located(settings["folder"])

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

    def matches_file(self, name: str, metric: str) -> str:
        """The token matches of a set's neural metric."""
        (path,) = self.files(name, f"matches/{self.sets[name].encoders[metric]}.npz")
        return path


def make_plan(
    config: Config,
    papers: Mapping[str, Paper],
    notices: Sequence[str] = (),
    there: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Plan, list[str]]:
    """The plan of a config, and what it cannot have, a sentence each.

    Parameters
    ----------
    config : dict
        Without problems (`configs.problems`), each of its sets an entry of its own
        (`campaigns.expand`).
    papers : dict of str to dict
        Files of the papers that the config names (`papers.read_papers`).
    notices : sequence of str
        What patterns of sets found and left out.
    there : dict of str to dict, optional
        What the sets are whose results are there (`outdated.protocols`): a set that differs from
        one of its name gets a folder of its own.

    Returns
    -------
    plan : Plan
        Of the sets that have no problem.
    problems : list of str
    """
    there = there or {}
    entries, problems = collect_sets(config, papers, there)
    of_papers = {f"{e['campaign']}/{e['pair']}" for paper in papers.values() for e in paper["sets"]}
    sets, encoders = {}, {}
    for name, entry in entries.items():
        try:
            sets[name] = _plan_set(config, name, entry, name in of_papers)
            for encoder in sets[name].used_encoders:
                encoders[encoder] = encoder_settings(config, encoder)
        except InputError as error:
            sets.pop(name, None)
            problems.append(str(error))
    texts = config["complexity"]["reference_texts"] or {}
    if not problems:
        problems += _misplaced_texts(texts, sets)
    plan = Plan(config, dict(papers), sets, encoders, texts, [*notices, *_moved(sets, there)])
    return plan, list(dict.fromkeys(problems))


def _plan_set(config: Config, name: str, entry: dict[str, Any], of_paper: bool) -> PlannedSet:
    """A set with its encoders.

    Raises
    ------
    InputError
        The config lacks an encoder, or a layer of it.
    """
    known = {key: entry[key] for key in PlannedSet.__annotations__.keys() & entry.keys()}
    neural = PlannedSet(name=name, **known).neural
    used = {metric: used_encoder(config, name, entry, metric) for metric in neural}
    for encoder in used.values():
        encoder_settings(config, encoder)
    found = {}
    for metric, encoder in used.items() if of_paper else ():
        wanted = wanted_encoder(config, name, entry, metric)
        if text := substitution(config, encoder, wanted, entry["layers"]):
            found[metric] = text
    return PlannedSet(name=name, **known, encoders=used, substitutions=found)


def _moved(sets: Mapping[str, PlannedSet], there: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Which sets have a folder of their own because an earlier run has results in theirs."""
    for name, planned in sets.items():
        place = f"{planned.campaign}/{planned.pair}"
        if place in there and place not in sets:
            known = describe_protocol(there[place])
            yield f"{place} has results with {known}; the set of this run is {name}."


def _misplaced_texts(texts: Mapping[str, str], sets: Mapping[str, PlannedSet]) -> list[str]:
    """Texts that scores are normalised to must be sets of the pair."""
    problems = []
    for pair, name in texts.items():
        if name not in sets or sets[name].pair != pair:
            known = ", ".join(key for key, planned in sets.items() if planned.pair == pair)
            problems.append(
                f"config, complexity, reference_texts: {name} is no set of {pair}; "
                f"there are: {known or 'none'}."
            )
    return problems
