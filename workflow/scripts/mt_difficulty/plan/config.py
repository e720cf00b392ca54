"""Configs as pydantic models; `config.yaml` describes the keys."""

import inspect
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_type_hints

import pydantic
from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, model_validator

from ..data.text_files import read_yaml
from ..difficulty import ESTIMATORS, make_estimator
from ..difficulty.base import Estimator
from ..embedding import baselines
from ..errors import InputError
from ..evidence.subsets import CORRELATIONS
from ..evidence.units import Unit
from ..gold import GOLDS
from ..metrics import METRICS, metric_settings
from ..settings import (
    Difficulties,
    DifficultySettings,
    GoldSettings,
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
    complaints,
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
    "gold": GOLDS,
}
EQ_11 = "liu2022"  # the `easy_weight` that stands for Eq. 11
UNITS = {"segment": "segments", "hypothesis": "hypotheses", "token": "tokens"}


@cache
def settings_model(kind: str, name: str) -> type[Closed]:
    """Make a pydantic model of a metric's, difficulty's, weighting's or gold's config of type
    `name`."""
    member: Any = REGISTRIES[kind][name]
    fields: Content = {"type": (str, ...)}
    if kind == "weighting" and not member.parts:
        fields["difficulty"] = (str, ...)
    hints = get_type_hints(member.__init__)
    for key, parameter in inspect.signature(member).parameters.items():
        is_name = kind == "metric" and key == "name"  # which is the entry's key by default
        is_required = parameter.default is parameter.empty and not is_name
        fields[key] = (hints[key], ... if is_required else None)
    if kind == "metric":
        del fields["pair"]
        if member.reads == "matches":
            fields["encoder"] = (NonEmpty | dict[str, str], None)
    return pydantic.create_model(name, __base__=Closed, **fields)


def check_member(kind: str, settings: Content) -> Content:
    """Check and return the config entry of a metric, difficulty, weighting or gold; raises if
    invalid."""
    name = settings.get("type")
    known = REGISTRIES[kind]
    if not isinstance(name, str):
        text = "the key `type` is missing" if name is None else f"expected text, found {name!r}"
        raise refused((("type",), text))
    if name not in known:
        raise refused(*unknown("type", [name], known))
    settings_model(kind, name).model_validate(settings)
    parameters = inspect.signature(known[name]).parameters
    # Metrics also need a language pair and a name; their other settings are valid for any.
    values = {"pair": "en-de", "name": name} | settings
    arguments = {key: values[key] for key in values.keys() & parameters.keys()}
    try:
        if settings.keys() & parameters.keys():  # else there is nothing to check
            known[name](**arguments)
    except (ValueError, InputError) as error:
        raise refused(((), str(error))) from None
    return settings


check_weighting = partial(check_member, "weighting")
CONTENT = pydantic.TypeAdapter(Content)


def checked_metric(content: Any) -> MetricSettings:
    """Return the settings of a metric's entry; raises if it is invalid."""
    content = CONTENT.validate_python(content, strict=True)
    return metric_settings(check_member("metric", content))


def checked_difficulty(content: Any) -> DifficultySettings:
    """Return the settings of a difficulty's entry; raises if it is invalid."""
    content = CONTENT.validate_python(content, strict=True)
    return DifficultySettings.of(check_member("difficulty", content))


def checked_weighting(content: Any) -> WeightingSettings:
    """Return the settings of a weighting's entry; raises if it is invalid."""
    return WeightingSettings.of(check_weighting(CONTENT.validate_python(content, strict=True)))


def checked_gold(content: Any) -> GoldSettings:
    """Return the settings of a gold, by its name or its entry; raises if it is invalid."""
    if isinstance(content, str):
        content = {"type": content}
    return GoldSettings.of(check_member("gold", CONTENT.validate_python(content, strict=True)))


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
    """Yield a line for each name in valid settings that is unknown or of the wrong kind.

    Parameters
    ----------
    difficulties : mapping of str to DifficultySettings
    weightings : mapping of str to WeightingSettings
    metrics : collection of str
        Names of all metrics.
    """
    estimators = {name: make_estimator(settings) for name, settings in difficulties.items()}
    for name, settings in difficulties.items():
        for problem in _difficulty_problems(name, settings, estimators, metrics):
            yield f"difficulties, {name}: {problem}"
    for name, weighting in weightings.items():
        if WEIGHTINGS[weighting.type].parts:
            problems = _part_problems(weighting, weightings)
        else:
            problems = _weighted_difficulty_problems(weighting, difficulties, estimators)
        for problem in problems:
            yield f"weightings, {name}: {problem}"


def _difficulty_problems(
    name: str,
    settings: DifficultySettings,
    estimators: Mapping[str, Estimator],
    metrics: Collection[str],
) -> Iterator[str]:
    """Yield problems of the difficulty or metric that a difficulty is estimated from."""
    reads = estimators[name].reads
    if reads == "difficulty":
        read = settings.difficulty
        yield from unknown("difficulty", [read], estimators)
        estimator = estimators.get(read)
        if estimator and (estimator.unit != "hypothesis" or estimator.depends_on_systems):
            yield f"difficulty: {read} is no difficulty of single hypotheses."
    elif settings.metric and reads != "campaign":
        yield from unknown("metric", [settings.metric], metrics)


def _part_problems(weighting: WeightingSettings, weightings: Weightings) -> Iterator[str]:
    """Yield problems of the weightings of segments and tokens that a weighting combines."""
    for part, unit in WEIGHTINGS[weighting.type].parts.items():
        name = weighting.arguments[part]
        for problem in unknown("weighting", [name], weightings):
            yield f"{part}: {problem}"
        if name in weightings:
            part_type = WEIGHTINGS[weightings[name].type]
            if part_type.parts or part_type.unit != unit:
                yield f"{part}: {name} is no weighting of {unit}s."


def _weighted_difficulty_problems(
    weighting: WeightingSettings,
    difficulties: Difficulties,
    estimators: Mapping[str, Estimator],
) -> Iterator[str]:
    """Yield problems of the difficulty that a weighting weights by."""
    name = weighting.difficulty
    if name not in difficulties:
        yield from unknown("difficulty", [name], difficulties)
        return
    estimator = estimators[name]
    weights_tokens = WEIGHTINGS[weighting.type].unit == "token"
    if weights_tokens != (estimator.unit == "token"):
        expected = "tokens" if weights_tokens else "segments or hypotheses"
        yield (
            f"{weighting.type} takes a difficulty of {expected}, and {name} is one of "
            f"{UNITS[estimator.unit]}."
        )
    # Eq. 11 also applies to means of chunk entropies over systems.
    averaged = estimators.get(difficulties[name].difficulty, estimator)
    easy_weight = getattr(make_weighting(weighting), "easy_weight", None)
    if easy_weight == EQ_11 and not averaged.has_balance:
        yield (
            f"easy_weight: {EQ_11} (Eq. 11) was fitted to chunk entropies, and {name}"
            f" is of type {difficulties[name].type}; set `easy_weight` to share or to a number."
        )


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
# Keys of sets of the archive alone: own files state these in other ways.
NOT_OWN = {"gold", "outliers", "segment_gold", "stored"}
A_FOLDER = "a path without control characters, braces and angle brackets"


def fit(results: str) -> str:
    """Return the folder `results`; raise if it holds the project or cannot be written to."""
    path = Path(os.path.abspath(results))
    existing = next(folder for folder in (path, *path.parents) if os.path.exists(folder))
    if Path.cwd().is_relative_to(os.path.realpath(path)):
        raise refused(f"{results} holds the project itself. Name a folder for results alone.")
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise refused(
            f"{existing} is a file or read-only; expected a folder that can be written to."
        )
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
    problems = list(unknown("statistic", unique(names), STATISTICS))
    absent = [name for name in CORRELATIONS if name not in names]
    if absent:
        problems.append(f"papers and pages need {', '.join(absent)} too.")
    if problems:
        raise refused(*problems)
    return names


class EvaluationSet(Closed):
    """A config entry of `evaluation_sets`: one set, or a name pattern for sets of the archive.

    Attributes
    ----------
    campaign : str
        Name in the archive, or a pattern such as `wmt2*`.
    pair : str, optional
        Language pair, or a pattern such as `*-de`; by default every pair of the archive's
        campaigns.
    reference : str, optional
        Name of the reference; `*` for one set per reference, empty for none.
    gold : str or dict, optional
        Name of the human scores; empty for none. With `annotations`: the way in which ratings
        become scores, or its type and settings, such as {type: mixed, response: z}.
    segment_gold : str, optional
        Name of the segments' human scores; by default that of `gold`.
    misaligned : {"refuse", "use"}, optional
        What to do with human scores of segments that are not in the order of the texts.
    segments : {"rated", "all"}, optional
        Segments that system scores are computed over; rated ones have human scores.
    outliers : {"keep", "drop"}, optional
        Whether systems that the official toolkit lists as outliers are ranked.
    stored : str or list of str, optional
        Patterns of the metrics whose scores the archive stores.
    files : str, optional
        A folder of own files instead of the archive.
    annotations : list of str, optional
        Files of ratings from which the human scores are computed, by default by the gold mixed.
    exclude : list of str, optional
        Systems to leave out.
    metrics, weightings : list of str, optional
        Names of the config's metrics and weightings; by default all of them.
    parameters : dict of str to dict
        Settings of weightings in this set alone, by weighting.
    tuned : list of str
        Weightings whose parameters were chosen with human scores of the same set.
    """

    campaign: Annotated[str, form(CAMPAIGN_PATTERN, A_CAMPAIGN)]
    pair: Annotated[str, form(*A_PAIR_PATTERN)] = UNSET
    reference: str = UNSET
    gold: str | Content = UNSET
    segment_gold: NonEmpty = UNSET
    misaligned: Literal["refuse", "use"] = UNSET
    segments: Literal["rated", "all"] = UNSET
    outliers: Literal["keep", "drop"] = UNSET
    stored: NonEmpty | list[NonEmpty] = UNSET
    files: NonEmpty = UNSET
    annotations: list[NonEmpty] = UNSET
    exclude: list[str] = UNSET
    metrics: list[str] = UNSET
    weightings: list[str] = UNSET
    parameters: dict[str, Content] = Field({})
    tuned: list[str] = Field([])

    @model_validator(mode="after")
    def _of_annotations(self) -> Self:
        """Return the entry; if it has `annotations`, refuse other human scores and patterns."""
        if self.annotations is None:
            if isinstance(self.gold, dict):
                text = f"expected the name of human scores, found {self.gold!r}; settings need the"
                raise refused((("gold",), f"{text} key `annotations`"))
            return self
        if not self.annotations:
            raise refused((("annotations",), "expected one file of ratings or more"))
        for file in self.annotations:
            if not Path(located(file)).is_file():
                raise refused((("annotations",), f"no such file: {file}"))
        if self.segment_gold is not None:
            raise refused("there is no key `segment_gold` beside `annotations`")
        if isinstance(self.gold, str) and self.gold not in GOLDS:
            known = ", ".join(GOLDS)
            raise refused((("gold",), f"of annotations it is one of {known}; found {self.gold!r}"))
        if self.gold is not None:
            wrong = [(("gold",), text) for _, text in complaints(checked_gold, self.gold)]
            if wrong:
                raise refused(*wrong)
        for key in ("campaign", "pair"):
            if not getattr(self, key) or set("*?[") & set(getattr(self, key)):
                raise refused(((key,), f"annotations are of one {key}; name it"))
        return self

    @model_validator(mode="after")
    def _of_own_files(self) -> Self:
        """Return the entry; if it has `files`, refuse keys and patterns for archive sets alone."""
        if self.files is None:
            return self
        not_own = NOT_OWN - {"gold"} if self.annotations else NOT_OWN
        wrong_keys = sorted(self.model_fields_set & not_own)
        if wrong_keys:
            raise refused(f"there is no key `{wrong_keys[0]}` beside `files`")
        if self.pair is None:
            raise refused("the key `pair` is missing")
        for key in ("campaign", "pair"):
            value = getattr(self, key)
            if set("*?[") & set(value):
                raise refused(((key,), f"own files are of one {key}; found the pattern {value!r}"))
        return self


def checked_baseline(content: Any) -> str | list[float]:
    """Return an encoder's setting `baseline`; raises if it is invalid."""
    try:
        return baselines.check(content)
    except (TypeError, ValueError) as error:
        raise refused(str(error)) from None


class Encoder(Closed):
    """A config's encoder: weights are from a `folder`, from the Hugging Face `hub`, or random.

    Attributes
    ----------
    folder : str, optional
        A folder with config.json, a tokenizer and *.safetensors.
    hub, revision : str, optional
        Repository on the hub, and its version.
    hidden_size, layers : int, optional
        Width (1 or more) and number of layers of a model with random weights.
    model : str, optional
        The model's name in bert-score; by default the encoder's own name.
    layer : int, optional
        Layer whose output is used, from 0; by default the last of random weights, else
        bert-score's.
    dtype : {"float32", "bfloat16", "float16"}, optional
        Precision of the weights.
    device : {"auto", "cpu", "cuda"}, optional
        Where it runs; auto is a GPU if there is one.
    baseline : {"auto", "computed", "none"}, float or list of float, optional
        The baseline by which similarities are rescaled (`embedding.baselines`).
    """

    folder: NonEmpty = UNSET
    hub: NonEmpty = UNSET
    revision: NonEmpty = UNSET
    hidden_size: Annotated[int, Field(ge=1)] = UNSET
    layers: Annotated[int, Field(ge=0)] = UNSET
    model: NonEmpty = UNSET
    layer: Annotated[int, Field(ge=0)] = UNSET
    dtype: Literal["float32", "bfloat16", "float16"] = UNSET
    device: Literal["auto", "cpu", "cuda"] = UNSET
    baseline: Annotated[Any, BeforeValidator(checked_baseline)] = UNSET

    @model_validator(mode="after")
    def _of_a_kind(self) -> Self:
        """Return the encoder; refuse one without the keys of any kind, or without its layer."""
        kinds = (["hub", "revision"], ["folder"], ["hidden_size", "layers"])
        if not any(self.model_fields_set >= set(kind) for kind in kinds):
            texts = [f"`{'` and `'.join(kind)}`" for kind in kinds]
            raise refused(f"expected the keys {', or '.join(texts)}")
        is_random = self.folder is None and self.hub is None
        if is_random and self.layer is not None and self.layer > self.layers:
            raise refused((("layer",), f"there is no layer {self.layer}, only 0 to {self.layers}"))
        return self


class RandomSubsets(Closed):
    """The config's random subsets of systems.

    Attributes
    ----------
    sizes : list of int
        Numbers of systems in a subset, 3 or more, each once.
    draws : int
        Number of subsets of each size, 1 to 100,000.
    """

    sizes: Annotated[list[Size], AfterValidator(unique)]
    draws: Draws


class Significance(Closed):
    """The config's settings of intervals and tests.

    Attributes
    ----------
    resamples : int
        Number of bootstrap and permutation resamples, 100 to 100,000.
    unit : {"documents", "segments"}
        What is resampled where documents are known.
    top : list of int
        Sizes of the subsets of best systems that have intervals and tests, 3 or more, each once.
    draws : int
        Number of random subsets that have intervals and tests, 1 to 100,000.
    """

    resamples: Resamples
    unit: Unit
    top: Annotated[list[Size], AfterValidator(unique)]
    draws: Draws


class Controls(Closed):
    """The config's settings of permuted and random difficulties.

    Attributes
    ----------
    draws : int
        Number of draws of each null, 100 to 100,000.
    """

    draws: Resamples


class Complexity(Closed):
    """The config's settings of translation complexity.

    Attributes
    ----------
    reference_texts : dict of str to str, optional
        The set whose source is the reference text, by language pair. For other pairs it is the text
        with the median number of syllables per word.
    """

    reference_texts: dict[Annotated[str, form(*A_PAIR)], str] | None


class Contrast(Closed):
    """A study's comparison of `weighting` with another weighting, `against`.

    Attributes
    ----------
    weighting, against : str
        Names of weightings; `standard` is the unweighted metric.
    question : str
        What the comparison answers.
    primary : bool
        Whether it is one of the study's main questions, which share a correction of p.
    nulls : list of {"permuted", "permuted_length", "random_subset"}
        Null models that it is compared with; only for a weighting of segments.
    """

    weighting: NonEmpty
    against: NonEmpty = STANDARD
    question: NonEmpty
    primary: bool = False
    nulls: list[Literal["permuted", "permuted_length", "random_subset"]] = Field([])


class Study(Closed):
    """The config's study: comparisons of weightings, each over all evaluation sets of the run.

    Attributes
    ----------
    title : str
        Title of the study's page.
    development : list of str
        Patterns of the campaigns on which the project was developed.
    tiers : dict of str to list of str
        Groups of metrics: patterns of their names.
    contrasts : dict of str to Contrast
        Comparisons by name.
    submissions : list of str, optional
        Patterns of the metrics whose archived scores are shown for comparison.
    elsewhere : dict of str to str
        Weightings with parameters from other sets: the weighting in two groups of each.
    margin : float
        Largest effect that counts as none; above 0.
    resamples : int
        Number of bootstrap resamples, 100 to 100,000.
    nulls : int
        Number of draws of each null model, 1 to 100,000.
    """

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


Problem = tuple[Place, str]  # the keys of an entry, and what is wrong with it


class Config(Closed):
    """A run's config; `config.yaml` describes the keys in full.

    Attributes
    ----------
    results : str
        Folder of the results.
    archive : str
        The WMT archive: a .tgz or an unpacked folder; empty to download it.
    archive_urls : list of str
        URLs of the archive, tried in this order.
    archive_sha256 : str
        Expected SHA-256 of the download; empty for none.
    papers : list of str
        Papers to reproduce: names of files of `workflow/papers`.
    evaluation_sets : list of EvaluationSet
        Sets in addition to those of the papers.
    metrics : dict of str to MetricSettings
        Metrics by name.
    difficulties : dict of str to DifficultySettings
        Difficulty estimators by name.
    weightings : dict of str to WeightingSettings
        Weightings by name, in addition to the unweighted metric.
    neural : bool
        Whether metrics and estimators that need a neural network are computed.
    encoders : dict of str to Encoder
        Encoders by name.
    substitute_encoders : dict of str to str
        Encoders that replace others, by pair or target language; empty for no substitute.
    statistics : list of str
        Statistics of meta-evaluation, which include Pearson's r, Kendall's τ and Spearman's ρ.
    random_subsets : RandomSubsets
        Random subsets of systems.
    significance : Significance
        Intervals and tests.
    controls : Controls
        Null distributions of gains.
    complexity : Complexity
        Translation complexity.
    seed : int
        Seed of all random numbers, 0 or more.
    study : Study, optional
        Comparisons of weightings over all sets.
    truth : str, optional
        Folder with the segments and tokens that are difficult by construction, of synthetic
        campaigns.
    """

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
        problems = [*self._encoder_problems(), *self._set_problems()]
        if self.study:
            problems += self._elsewhere_problems(self.study)
            problems += self._contrast_problems(self.study)
        if problems:
            raise refused(*problems)
        return self

    def _encoder_problems(self) -> Iterator[Problem]:
        """Yield unknown encoders among the substitutes; an empty one stands for no substitute."""
        for key, encoder in self.substitute_encoders.items():
            if encoder:
                place: Place = ("substitute_encoders", key)
                yield from _unknown_at(place, "encoder", [encoder], self.encoders)

    def _set_problems(self) -> Iterator[Problem]:
        """Yield unknown metrics and weightings of sets, and combinations without their parts."""
        for number, entry in enumerate(self.evaluation_sets):
            place: Place = ("evaluation_sets", number)
            chosen: Collection[str] = self.weightings
            if entry.weightings is not None:
                chosen = entry.weightings
            metrics = entry.metrics or ()
            yield from _unknown_at((*place, "metrics"), "metric", metrics, self.metrics)
            weightings = entry.weightings or ()
            yield from _unknown_at((*place, "weightings"), "weighting", weightings, self.weightings)
            yield from _unknown_at((*place, "parameters"), "weighting", entry.parameters, chosen)
            yield from _unknown_at((*place, "tuned"), "weighting", entry.tuned, chosen)
            for name in self.weightings.keys() & set(chosen):
                absent = [x for x in parts(name, self.weightings) if x not in ("", *chosen)]
                if absent:
                    text = f"{name} combines others; name {' and '.join(absent)}, too."
                    yield (*place, "weightings"), text

    def _elsewhere_problems(self, study: Study) -> Iterator[Problem]:
        """Yield problems of weightings that the study makes with parameters of other sets."""
        for name, base in study.elsewhere.items():
            place: Place = ("study", "elsewhere", name)
            if name in self.weightings:
                yield place, f"{name} is a weighting of the config. Name it otherwise."
            yield from _unknown_at(place, "weighting", [base], self.weightings)
            if base in self.weightings and self.weightings[base].type != "EE":
                yield place, f"{base} is no weighting in two groups (type: EE)."

    def _contrast_problems(self, study: Study) -> Iterator[Problem]:
        """Yield unknown weightings of contrasts, and null distributions that do not exist."""
        known = [STANDARD, *self.weightings, *study.elsewhere]
        for name, contrast in study.contrasts.items():
            place: Place = ("study", "contrasts", name)
            weighting = contrast.weighting
            yield from _unknown_at(place, "weighting", [weighting, contrast.against], known)
            is_of_tokens = False
            if weighting in self.weightings:
                is_of_tokens = bool(parts(weighting, self.weightings).tokens)
            if contrast.nulls and (weighting == STANDARD or is_of_tokens):
                yield place, f"nulls need a weighting of segments; {weighting} is none."


def _unknown_at(
    place: Place, kind: str, names: Iterable[str], known: Collection[str]
) -> Iterator[Problem]:
    """Yield the place and a message for each name not among `known`."""
    for text in unknown(kind, names, known):
        yield place, text


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
