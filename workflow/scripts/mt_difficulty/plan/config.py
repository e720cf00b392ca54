"""Configs as pydantic models; `config.yaml` describes the keys."""

import inspect
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_type_hints

import pydantic
from pydantic import AfterValidator, Field, PlainValidator, model_validator

from ..data.text_files import read_yaml
from ..difficulty import ESTIMATORS, make_estimator
from ..errors import InputError
from ..evidence.subsets import CORRELATIONS
from ..metrics import METRICS
from ..settings import (
    Difficulties,
    DifficultySettings,
    MetricSettings,
    Weightings,
    WeightingSettings,
)
from ..settings import study as study_settings
from ..settings.validation import (
    A_NAME,
    LONGEST,
    NAME,
    UNSET,
    Closed,
    Content,
    Draws,
    Name,
    NonEmpty,
    Place,
    Resamples,
    Size,
    form,
    problems,
    refused,
    unique,
    unknown,
)
from ..statistics import STATISTICS
from ..weighting import WEIGHTINGS, make_weighting, parts
from ..weighting.base import STANDARD
from .base import located, merge

# Members of registries

REGISTRIES: dict[str, Mapping[str, type]] = {
    "metric": METRICS,
    "difficulty": ESTIMATORS,
    "weighting": WEIGHTINGS,
}
EQ_11 = "liu2022"  # the `easy_weight` that stands for Eq. 11
UNITS = {"segment": "segments", "hypothesis": "hypotheses", "token": "tokens"}


@cache
def settings_model(kind: str, name: str) -> type[Closed]:
    """Make a pydantic model of a metric's, difficulty's or weighting's config of type `name`."""
    member: Any = REGISTRIES[kind][name]
    fields: Content = {"type": (str, ...)}
    if kind == "weighting" and not member.parts:
        fields["difficulty"] = (str, ...)
    hints = get_type_hints(member.__init__)
    for key, parameter in inspect.signature(member).parameters.items():
        needed = parameter.default is parameter.empty and (kind, key) != ("metric", "name")
        fields[key] = (hints[key], ... if needed else None)
    if kind == "metric":
        del fields["pair"]
        if member.reads == "matches":
            fields["encoder"] = (str | dict[str, str], None)
    return pydantic.create_model(name, __base__=Closed, **fields)


def check_member(kind: str, settings: Content) -> Content:
    """Check and return the config entry of a metric, difficulty or weighting; raises if invalid."""
    name, known = settings.get("type"), REGISTRIES[kind]
    if not isinstance(name, str):
        text = "the key `type` is missing" if name is None else f"expected text, found {name!r}"
        raise refused((("type",), text))
    if name not in known:
        raise refused(*unknown("type", [name], known))
    settings_model(kind, name).model_validate(settings)
    arguments = {"pair": "en-de", "name": name} | settings
    parameters = inspect.signature(known[name]).parameters
    try:
        if settings.keys() & parameters.keys():  # else there is nothing to check
            known[name](**{key: arguments[key] for key in arguments.keys() & parameters.keys()})
    except (ValueError, InputError) as error:
        raise refused(((), str(error))) from None
    return settings


check_weighting = partial(check_member, "weighting")
CONTENT = pydantic.TypeAdapter(Content)


def checked_metric(content: Any) -> MetricSettings:
    return MetricSettings.of(check_member("metric", CONTENT.validate_python(content, strict=True)))


def checked_difficulty(content: Any) -> DifficultySettings:
    content = CONTENT.validate_python(content, strict=True)
    return DifficultySettings.of(check_member("difficulty", content))


def checked_weighting(content: Any) -> WeightingSettings:
    return WeightingSettings.of(check_weighting(CONTENT.validate_python(content, strict=True)))


Metric = Annotated[MetricSettings, PlainValidator(checked_metric)]
Difficulty = Annotated[DifficultySettings, PlainValidator(checked_difficulty)]
Weighting = Annotated[WeightingSettings, PlainValidator(checked_weighting)]
# By name; the names `difficulty` (plots) and `standard` (unweighted metric) are reserved.
NOT_DIFFICULTY = form(rf"(?!difficulty\Z){NAME}", f"{A_NAME}, and not difficulty")
NOT_STANDARD = form(rf"(?!standard\Z){NAME}", f"{A_NAME}, and not standard")
DifficultiesByName = dict[Annotated[str, NOT_DIFFICULTY], Difficulty]
WeightingsByName = dict[Annotated[str, NOT_STANDARD], Weighting]


def reference_problems(
    difficulties: Difficulties, weightings: Weightings, metrics: Collection[str]
) -> Iterator[str]:
    """Yield a line for each name in valid difficulties and weightings that is unknown or of the
    wrong kind. `metrics` are the names of all metrics."""
    estimators = {name: make_estimator(settings) for name, settings in difficulties.items()}
    for name, settings in difficulties.items():
        texts: list[str] = []
        if estimators[name].reads == "difficulty":
            read = settings.difficulty
            texts += unknown("difficulty", [read], difficulties)
            inner = estimators.get(read)
            if inner and (inner.unit != "hypothesis" or inner.depends_on_systems):
                texts.append(f"difficulty: {read} is no difficulty of single hypotheses.")
        elif settings.metric and estimators[name].reads != "campaign":
            texts += unknown("metric", [settings.metric], metrics)
        yield from (f"difficulties, {name}: {text}" for text in texts)
    for name, weighting in weightings.items():
        kind, difficulty = WEIGHTINGS[weighting.type], weighting.difficulty
        texts = []
        for part, unit in kind.parts.items():
            named = weighting.arguments[part]
            texts += (f"{part}: {text}" for text in unknown("weighting", [named], weightings))
            of_part = WEIGHTINGS[weightings[named].type] if named in weightings else None
            if of_part and (of_part.parts or of_part.unit != unit):
                texts.append(f"{part}: {named} is no weighting of {unit}s.")
        if not kind.parts:
            texts += unknown("difficulty", [difficulty], difficulties)
        if estimator := estimators.get(difficulty):
            if (kind.unit == "token") != (estimator.unit == "token"):
                takes = "tokens" if kind.unit == "token" else "segments or hypotheses"
                is_one = f"and {difficulty} is one of {UNITS[estimator.unit]}."
                texts.append(f"{weighting.type} takes a difficulty of {takes}, {is_one}")
            # Eq. 11 was fitted to means over systems, so these are allowed, too.
            read = difficulties[difficulty].difficulty
            easy_weight = getattr(make_weighting(weighting), "easy_weight", None)
            if easy_weight == EQ_11 and not estimators.get(read, estimator).has_balance:
                of_type = difficulties[difficulty].type
                texts.append(
                    f"easy_weight: {EQ_11} (Eq. 11) was fitted to chunk entropies, and {difficulty}"
                    f" is of type {of_type}; set `easy_weight` to share or to a number."
                )
        yield from (f"weightings, {name}: {text}" for text in texts)


# Configs

FOLDERS = ("complexity", "estimators", "export", "logs", "papers", "study")
CAMPAIGN_PATTERN = (
    rf"(?!({'|'.join(FOLDERS)})\Z)[A-Za-z0-9*?\[][A-Za-z0-9._*?\[\]!-]{{0,{LONGEST - 1}}}"
)
A_CAMPAIGN = (
    "a name of up to 80 letters, digits, `.`, `_` and `-`, of which the first is a letter or a "
    f"digit, and not {', '.join(FOLDERS[:-1])} or {FOLDERS[-1]}, which are folders of the results"
)
A_PAIR = ("[A-Za-z0-9_]+-[A-Za-z0-9_]+", "source and target language, such as en-de")
A_PAIR_PATTERN = (
    r"[A-Za-z0-9_*?\[\]!]*[-*?][A-Za-z0-9_*?\[\]!-]*",
    "source and target language, such as en-de, or a pattern of them, such as *-de",
)
A_PAIR_OR_LANGUAGE = (
    "([A-Za-z]{2,3}|[A-Za-z0-9_]+-[A-Za-z0-9_]+)",
    "a language or a pair of them, such as de or en-de",
)
NOT_OWN = {"gold", "outliers", "segment_gold", "stored"}  # what own files have otherwise
A_FOLDER = "a path without control characters, braces and angle brackets"


def fit(results: str) -> str:
    """Return the folder `results`; raise if it holds the project or cannot be written to."""
    path = Path(os.path.abspath(results))
    there = next(place for place in (path, *path.parents) if os.path.exists(place))
    if Path.cwd().is_relative_to(os.path.realpath(path)):
        raise refused(f"{results} holds the project itself. Name a folder for results alone.")
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise refused(f"{there} is a file or read-only; expected a folder that can be written to.")
    return results


def present(archive: str) -> str:
    """Return `archive`; raise if it is neither an existing path nor empty (to be downloaded)."""
    if archive and not Path(located(archive)).exists():
        raise refused(
            f"no such file or folder: {archive}. Name a .tgz or an unpacked folder, or leave "
            "`archive` (ARCHIVE=) empty to download it."
        )
    return archive


def known_statistics(names: list[str]) -> list[str]:
    """Return `names`; raise if a statistic is unknown or named twice, or if r, τ or ρ is absent."""
    texts = list(unknown("statistic", unique(names), STATISTICS))
    if lacking := [name for name in CORRELATIONS if name not in names]:
        texts.append(f"papers and pages need {', '.join(lacking)} too.")
    if texts:
        raise refused(*texts)
    return names


class EvaluationSet(Closed):
    """A config entry of `evaluation_sets`: one set, or a name pattern for sets of the archive."""

    campaign: Annotated[str, form(CAMPAIGN_PATTERN, A_CAMPAIGN)]
    pair: Annotated[str, form(*A_PAIR_PATTERN)] = UNSET
    reference: str = UNSET
    gold: str = UNSET
    segment_gold: NonEmpty = UNSET
    misaligned: Literal["refuse", "use"] = UNSET
    segments: Literal["rated", "all"] = UNSET
    outliers: Literal["keep", "drop"] = UNSET
    stored: NonEmpty | list[NonEmpty] = UNSET
    files: NonEmpty = UNSET
    exclude: list[str] = UNSET
    metrics: list[str] = UNSET
    weightings: list[str] = UNSET
    parameters: dict[str, Content] = Field({})
    tuned: list[str] = Field([])

    @model_validator(mode="after")
    def _of_own_files(self) -> Self:
        """Return the entry; if it has `files`, refuse keys and patterns for archive sets alone."""
        if self.files is None:
            return self
        if further := sorted(self.model_fields_set & NOT_OWN):
            raise refused(f"there is no key `{further[0]}` beside `files`")
        if self.pair is None:
            raise refused("the key `pair` is missing")
        for key in ("campaign", "pair"):
            if set("*?[") & set(value := getattr(self, key)):
                raise refused(((key,), f"own files are of one {key}; found the pattern {value!r}"))
        return self


class Encoder(Closed):
    """A config's encoder: weights are from a `folder`, from the Hugging Face `hub`, or random."""

    folder: NonEmpty = UNSET
    hub: NonEmpty = UNSET
    revision: NonEmpty = UNSET
    hidden_size: Annotated[int, Field(ge=1)] = UNSET
    layers: Annotated[int, Field(ge=0)] = UNSET
    model: NonEmpty = UNSET
    layer: Annotated[int, Field(ge=0)] = UNSET
    dtype: Literal["float32", "bfloat16", "float16"] = UNSET
    device: Literal["auto", "cpu", "cuda"] = UNSET

    @model_validator(mode="after")
    def _of_a_kind(self) -> Self:
        kinds = (["hub", "revision"], ["folder"], ["hidden_size", "layers"])
        if not any(self.model_fields_set >= set(kind) for kind in kinds):
            texts = (" and ".join(f"`{key}`" for key in kind) for kind in kinds)
            raise refused(f"expected the keys {', or '.join(texts)}")
        random = self.folder is None and self.hub is None
        if random and self.layer is not None and self.layer > self.layers:
            raise refused((("layer",), f"there is no layer {self.layer}, only 0 to {self.layers}"))
        return self


class RandomSubsets(Closed):
    sizes: Annotated[list[Size], AfterValidator(unique)]
    draws: Draws


class Significance(Closed):
    resamples: Resamples
    top: Annotated[list[Size], AfterValidator(unique)]
    draws: Draws


class Controls(Closed):
    draws: Resamples


class Complexity(Closed):
    reference_texts: dict[Annotated[str, form(*A_PAIR)], str] | None


class Contrast(Closed):
    """A study's comparison of `weighting` with another weighting, `against`."""

    weighting: NonEmpty
    against: NonEmpty = STANDARD
    question: NonEmpty
    primary: bool = False
    nulls: list[Literal["permuted", "permuted_length", "random_subset"]] = Field([])


class Study(Closed):
    """The config's study: comparisons of weightings, each over all evaluation sets of the run."""

    title: NonEmpty
    development: list[NonEmpty]
    tiers: dict[Name, list[NonEmpty]]
    contrasts: dict[Name, Contrast]
    submissions: list[NonEmpty] = UNSET
    elsewhere: dict[Name, NonEmpty] = Field({})
    margin: Annotated[float, Field(gt=0)]
    resamples: Resamples
    nulls: Draws

    @property
    def settings(self) -> study_settings.Study:
        """The study as its jobs take it."""
        contrasts = {
            name: study_settings.Contrast(**contrast.model_dump())
            for name, contrast in self.contrasts.items()
        }
        return study_settings.Study(
            contrasts,
            self.tiers,
            self.resamples,
            self.nulls,
            margin=self.margin,
            title=self.title,
            development=self.development,
            submissions=self.submissions or (),
            elsewhere=self.elsewhere,
        )


class Config(Closed):
    results: Annotated[str, form(r"[^\x00-\x1f\x7f{}<>]+", A_FOLDER), AfterValidator(fit)]
    archive: Annotated[str, AfterValidator(present)]
    archive_urls: list[str]
    archive_sha256: Annotated[
        str, form("([0-9a-f]{64})?", "64 digits and letters from a to f, or nothing")
    ]
    papers: list[str]
    evaluation_sets: list[EvaluationSet]
    metrics: dict[Name, Metric]
    difficulties: DifficultiesByName
    weightings: WeightingsByName
    neural: bool
    encoders: dict[Name, Encoder]
    substitute_encoders: dict[Annotated[str, form(*A_PAIR_OR_LANGUAGE)], str]
    statistics: Annotated[list[str], AfterValidator(known_statistics)]
    random_subsets: RandomSubsets
    significance: Significance
    controls: Controls
    complexity: Complexity
    seed: Annotated[int, Field(ge=0)]
    study: Study = UNSET
    truth: str = UNSET

    @model_validator(mode="after")
    def _names(self) -> Self:
        """Return the config; refuse names of encoders, metrics or weightings that it lacks."""
        wrong: list[tuple[Place, str]] = []
        weightings = self.weightings

        def check(place: Place, kind: str, names: Iterable[str], known: Collection[str]) -> None:
            wrong.extend((place, text) for text in unknown(kind, names, known))

        for key, encoder in self.substitute_encoders.items():
            check(("substitute_encoders", key), "encoder", filter(None, [encoder]), self.encoders)
        for number, entry in enumerate(self.evaluation_sets):
            chosen = weightings if entry.weightings is None else entry.weightings
            for key, kind, known in (
                ("metrics", "metric", self.metrics),
                ("weightings", "weighting", weightings),
                ("parameters", "weighting", chosen),
                ("tuned", "weighting", chosen),
            ):
                check(("evaluation_sets", number, key), kind, getattr(entry, key) or (), known)
            for name in weightings.keys() & set(chosen):
                absent = [part for part in parts(name, weightings) if part not in ("", *chosen)]
                if absent:
                    text = f"{name} combines others; name {' and '.join(absent)}, too."
                    wrong.append((("evaluation_sets", number, "weightings"), text))
        for name, base in self.study.elsewhere.items() if self.study else ():
            place: Place = ("study", "elsewhere", name)
            if name in weightings:
                wrong.append((place, f"{name} is a weighting of the config. Name it otherwise."))
            check(place, "weighting", [base], weightings)
            if base in weightings and weightings[base].type != "EE":
                wrong.append((place, f"{base} is no weighting in two groups (type: EE)."))
        for name, contrast in self.study.contrasts.items() if self.study else ():
            place, weighting = ("study", "contrasts", name), contrast.weighting
            every = [STANDARD, *weightings, *self.study.elsewhere]
            check(place, "weighting", [weighting, contrast.against], every)
            of_tokens = weighting in weightings and parts(weighting, weightings).tokens
            if contrast.nulls and (weighting == STANDARD or of_tokens):
                wrong.append((place, f"nulls need a weighting of segments; {weighting} is none."))
        if wrong:
            raise refused(*wrong)
        return self


def check_files(files: Sequence[str]) -> tuple[str, list[str]]:
    """Merge and check config files before Snakemake reads them.

    Parameters
    ----------
    files : sequence of str
        The project's first; each is merged over those before it.

    Returns
    -------
    tuple
        The folder of the results, and the problems, each of which names its file.
    """
    sources = {file: read_yaml(file) for file in files}
    merged = reduce(merge, sources.values())
    lines = problems(Config.model_validate, merged, sources)
    if not os.access(".", os.W_OK):
        lines.append("this folder is read-only, but Snakemake keeps notes in it: copy it.")
    return str(merged["results"]), lines
