"""Validate configs and files of papers with pydantic models, and word the errors for users.

`config.yaml` describes the keys of a config."""

import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial, reduce
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_type_hints

import pydantic
from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ..data.text_files import read_yaml
from ..difficulty import ESTIMATORS, make_estimator
from ..errors import InputError, nearest
from ..evidence.subsets import CORRELATIONS
from ..metrics import METRICS
from ..statistics import STATISTICS
from ..weighting import WEIGHTINGS, make_weighting, parts
from ..weighting.base import STANDARD
from . import outputs
from .plan import Members, located, merge

# Errors

TYPES = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys and values",
    "none_required": "nothing",
    "string_type": "text",
}
Place = tuple[Any, ...]
Content = dict[str, Any]
UNSET: Any = None  # the default of an optional key; a file cannot say it


def _line(place: Place, text: str, kind: str = "refused", value: Any = None) -> Any:
    error = PydanticCustomError(kind, "{text}", {"text": text})
    return {"type": error, "loc": place, "input": value}


def refused(*problems: str | tuple[Place, str]) -> ValidationError:
    """Return a ValidationError of `problems`: messages, or tuples of config keys and message."""
    lines = [_line((), text) if isinstance(text, str) else _line(*text) for text in problems]
    return ValidationError.from_exception_data("", lines)


def _within(content: Any, place: Place) -> Place:
    """Return the path of keys `place` without the keys that do not exist in nested `content`."""
    path: Place = ()
    for part in place:
        with suppress(LookupError, TypeError):
            path, content = (*path, part), content[part]
    return path


def complaints(check: Callable, content: Any) -> Iterator[tuple[Place, str]]:
    """Run a model's check and yield each problem: its place, and a sentence that begins with the
    place, such as `evaluation_sets[0]: unknown key ...`."""
    try:
        check(content)
        return
    except ValidationError as failed:
        errors = failed.errors(include_url=False)
    by_path: dict[Place, list[Any]] = {}
    for error in errors:
        by_path.setdefault(_within(content, error["loc"]), []).append(error)
    for path, here in by_path.items():
        of_key = here[0]["type"] in ("unknown", "invalid_key") or here[0]["loc"][-1:] == ("[key]",)
        types = [error for error in here if error["type"] in TYPES and not of_key]
        texts = [_text(error) for error in here if error not in types]
        deeper = any(path == longer[: len(path)] != longer for longer in by_path)
        if types and not texts and not deeper:  # no alternative of a union has this type
            kinds = dict.fromkeys(TYPES[error["type"]] for error in types)
            texts = [f"expected {' or '.join(kinds)}, found {types[0]['input']!r}"]
        shown = path[:-1] if of_key else path
        names = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in shown)
        place = "".join(names).removeprefix(".")  # as users write it: evaluation_sets[0].metrics
        yield from ((path, f"{place}: {text}" if place else text) for text in texts)


def _text(error: Any) -> str:
    kind, value, text = error["type"], error["input"], error["msg"]
    if kind in ("refused", "unknown"):
        return text
    if kind in ("string_type", "invalid_key"):
        return f"expected text as a key, found {value!r}. Put the key in quotes."
    if kind == "literal_error":
        return one_of(re.findall(r"'([^']*)'", text), value)
    return f"{text[0].lower()}{text[1:]}; found {value!r}"


def one_of(known: Collection[str], value: Any) -> str:
    return f"expected one of {', '.join(known)}; found {value!r}{nearest(str(value), known)}"


def unknown_key(key: Any, known: Collection[str]) -> str:
    return f"unknown key `{key}`" + (nearest(str(key), known) or f"; there are {', '.join(known)}")


def unknown(kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Yield the message `no <kind> <name>; there are ...` for each name not among `known`."""
    for name in names:
        if name not in known:
            yield f"no {kind} {name}; there are {', '.join(known)}{nearest(name, known)}."


def problems(check: Callable, content: Any, sources: Mapping[str, Any]) -> list[str]:
    """Return a check's errors on config content, sorted, each beginning with its source file."""
    files = [*sources][::-1]
    return sorted(
        {
            f"{max(files, key=lambda file: len(_within(sources[file], path)))}: {text}"
            for path, text in complaints(check, content)
        }
    )


class Closed(pydantic.BaseModel):
    """Base class of pydantic models of config mappings; an unknown key is an error."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _name_keys(cls, content: Any, handler: Callable) -> Any:
        """Return the checked model; errors name unknown and missing keys (a misspelt key once)."""
        try:
            return handler(content)
        except ValidationError as failed:
            errors = failed.errors(include_url=False)
        extra = [str(e["loc"][0]) for e in errors if e["type"] == "extra_forbidden"]
        lines = []
        for error in errors:
            kind, place, text = error["type"], error["loc"], error["msg"]
            if kind == "extra_forbidden":
                kind, text = "unknown", unknown_key(place[0], cls.model_fields)
            elif kind == "missing":
                if nearest(str(place[0]), extra):
                    continue
                kind, text, place = "refused", f"the key `{place[0]}` is missing", ()
            lines.append(_line(place, text, kind, error["input"]))
        raise ValidationError.from_exception_data(cls.__name__, lines)


def form(pattern: str, expected: str) -> AfterValidator:
    """Return a validator: a text that does not match the regex `pattern` is an error."""

    def check(value: Any) -> Any:
        if not re.fullmatch(pattern, value):
            raise refused(f"expected {expected}; found {value!r}")
        return value

    return AfterValidator(check)


def unique(values: list[Any]) -> list[Any]:
    if twice := [value for value in values if values.count(value) > 1]:
        raise refused(f"{twice[0]!r} is there twice")
    return values


A_NAME = (
    "a name of up to 80 letters, digits, `_`, `.`, `+` and `-`, of which the first is a letter or "
    "a digit"
)
# Names are parts of file names, such as <campaign>.<pair>.<metric>.log.
LONGEST = 80
NAME = f"[A-Za-z0-9][A-Za-z0-9_.+-]{{0,{LONGEST - 1}}}"
Name = Annotated[str, form(NAME, A_NAME)]
NonEmpty = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=3)]
Draws = Annotated[int, Field(ge=1, le=100_000)]
Resamples = Annotated[int, Field(ge=100, le=100_000)]

# Members of registries

REGISTRIES: dict[str, Mapping[str, type]] = {
    "metric": METRICS,
    "difficulty": ESTIMATORS,
    "weighting": WEIGHTINGS,
}
EQ_11 = "liu2022"  # the easy weight by it
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
Metric = Annotated[Content, AfterValidator(partial(check_member, "metric"))]
Difficulty = Annotated[Content, AfterValidator(partial(check_member, "difficulty"))]
Weighting = Annotated[Content, AfterValidator(check_weighting)]
# By name; the names `difficulty` (plots) and `standard` (unweighted metric) are reserved.
NOT_DIFFICULTY = form(rf"(?!difficulty\Z){NAME}", f"{A_NAME}, and not difficulty")
NOT_STANDARD = form(rf"(?!standard\Z){NAME}", f"{A_NAME}, and not standard")
Difficulties = dict[Annotated[str, NOT_DIFFICULTY], Difficulty]
Weightings = dict[Annotated[str, NOT_STANDARD], Weighting]


def reference_problems(
    difficulties: Members, weightings: Members, metrics: Collection[str]
) -> Iterator[str]:
    """Yield a line for each name in valid difficulties and weightings that is unknown or of the
    wrong kind. `metrics` are the names of all metrics."""
    estimators = {name: make_estimator(settings) for name, settings in difficulties.items()}
    for name, settings in difficulties.items():
        texts: list[str] = []
        if estimators[name].reads == "difficulty":
            read = settings["difficulty"]
            texts += unknown("difficulty", [read], difficulties)
            inner = estimators.get(read)
            if inner and (inner.unit != "hypothesis" or inner.depends_on_systems):
                texts.append(f"difficulty: {read} is no difficulty of single hypotheses.")
        elif "metric" in settings and estimators[name].reads != "campaign":
            texts += unknown("metric", [settings["metric"]], metrics)
        yield from (f"difficulties, {name}: {text}" for text in texts)
    for name, settings in weightings.items():
        kind, difficulty = WEIGHTINGS[settings["type"]], settings.get("difficulty", "")
        texts = []
        for part, unit in kind.parts.items():
            named = settings[part]
            texts += (f"{part}: {text}" for text in unknown("weighting", [named], weightings))
            of_part = WEIGHTINGS[weightings[named]["type"]] if named in weightings else None
            if of_part and (of_part.parts or of_part.unit != unit):
                texts.append(f"{part}: {named} is no weighting of {unit}s.")
        if not kind.parts:
            texts += unknown("difficulty", [difficulty], difficulties)
        if estimator := estimators.get(difficulty):
            if (kind.unit == "token") != (estimator.unit == "token"):
                takes = "tokens" if kind.unit == "token" else "segments or hypotheses"
                is_one = f"and {difficulty} is one of {UNITS[estimator.unit]}."
                texts.append(f"{settings['type']} takes a difficulty of {takes}, {is_one}")
            # Eq. 11 was fitted to means over systems, so these are allowed, too.
            read = difficulties[difficulty].get("difficulty", "")
            easy_weight = getattr(make_weighting(settings), "easy_weight", None)
            if easy_weight == EQ_11 and not estimators.get(read, estimator).has_balance:
                of_type = difficulties[difficulty]["type"]
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
    parameters: dict[str, Content] = {}
    tuned: list[str] = []

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
    nulls: list[Literal["permuted", "permuted_length", "random_subset"]] = []


class Study(Closed):
    """The config's study: comparisons of weightings, each over all evaluation sets of the run."""

    title: NonEmpty
    development: list[NonEmpty]
    tiers: dict[Name, list[NonEmpty]]
    contrasts: dict[Name, Contrast]
    submissions: list[NonEmpty] = UNSET
    elsewhere: dict[Name, NonEmpty] = {}
    margin: Annotated[float, Field(gt=0)]
    resamples: Resamples
    nulls: Draws


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
    difficulties: Difficulties
    weightings: Weightings
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
            if weightings.get(base, {}).get("type", "EE") != "EE":
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


# Files of papers

# The kinds of tables, figures and checks, with their required keys beside kind and caption.
TABLES = {
    "ablation": "set published",
    "case_study": "set metric difficulty weighting labels rows",
    "correlations": "columns rows",
    "parameters": "weighting columns rows",
    "ranking": "set size columns rows",
    "token_cases": "set metric weighting labels size rows",
    **dict.fromkeys(("automated_scores", "examples", "human_scores", "normalised_scores"), ""),
    **dict.fromkeys(("readability", "score_spread"), ""),
}
FIGURES = {
    "balance_fit": "sets weighting",
    "chunks": "set difficulty hypotheses",
    "difficulty_scores": "set metric difficulty",
    "score_bars": "scores",
    "segment_difficulties": "sets difficulty weighting",
    "token_difficulties": "set metric difficulty size",
    "token_heat_map": "set metric difficulty segment size",
    "top_k": "set metrics",
}
CHECKS = {
    "bounded": "item",
    "difficult_share": "set difficulty of",
    "gain": "item pairs",
    "higher": "item pairs",
    "mean_error": "item",
    "product": "item factors",
    "top_systems": "set metrics weighting statistic sizes",
}
# All keys of tables and figures beside kind and caption, and those of checks beside kind.
OF_ITEMS = (
    "set sets metric metrics weighting weightings difficulty reference scores labels columns rows "
    "sums hypotheses published gains difficult_segments digits draws absolute average segment "
    "width size statistic"
)
OF_CHECKS = (
    "item set metrics weighting difficulty rows columns statistic statistics pairs groups over "
    "absolute average summed factors scale per above below at_least at_most threshold decimals "
    "digits of sizes"
)


def with_keys(
    needed: str, further: str = "", kinds: Mapping[str, str] | None = None
) -> AfterValidator:
    """Return a validator of mappings that require the keys `needed` and allow the keys `further`.
    If `kinds` is given, the mapping's `kind` must be among them and adds required keys."""

    def check(entry: Content) -> Content:
        must = needed.split()
        if kinds:
            if (kind := str(entry.get("kind"))) not in kinds:
                raise refused((("kind",), one_of(kinds, kind)))
            must += kinds[kind].split()
        known = dict.fromkeys([*must, *further.split()])
        texts = [f"the key `{key}` is missing" for key in must if key not in entry]
        texts += [unknown_key(key, known) for key in entry if key not in known]
        if texts:
            raise refused(*texts)
        return entry

    return AfterValidator(check)


class PaperSet(Closed):
    """A set in a paper's YAML file: keys as for a set in a config, and the number of systems."""

    campaign: str
    pair: str
    reference: str
    gold: str
    systems: int
    exclude: list[str] = UNSET
    parameters: dict[str, Content] = {}
    tuned: list[str] = []
    metrics: dict[str, Metric] = {}  # of this set alone


Table = Annotated[Content, with_keys("kind caption", OF_ITEMS, TABLES)]
Figure = Annotated[Content, with_keys("kind caption", OF_ITEMS, FIGURES)]
Check = Annotated[Content, with_keys("kind", OF_CHECKS, CHECKS)]
# Why cells differ from the paper's by at most `within`, and what shows it.
Cause = Annotated[Content, with_keys("item within reason evidence", "row column")]
# Cells of an item, or of several; without rows or columns, all of them.
Cells = Annotated[Content, with_keys("item", "row column")]
# Printed numbers of texts that are not public (`complexity_tables.score_arrays`).
INPUTS = with_keys("systems human scores readability reference powers")
ABLATION = with_keys("set weighting thresholds splits")  # of a weighting in groups on one set


class Claim(Closed):
    """A number or statement from a paper's text or captions, and how to check it."""

    id: str
    where: str  # section, table or figure
    statement: str
    published: float = UNSET  # the number that is claimed; none of a comparison
    digits: int = UNSET
    check: Check = UNSET  # without it, `reason` says why
    beside: dict[str, Check] = {}  # what else is printed, by label
    reason: str = UNSET
    evidence: str = UNSET


class Method(Closed):
    """A paper's own method: its name, and the printed cells that are its numbers."""

    name: NonEmpty
    cells: Annotated[list[Cells], Field(min_length=1)]
    without_data: NonEmpty = UNSET  # why none of its numbers is computed from data
    analysis: Literal["complexity"] = UNSET  # of the run's own sets, a folder of the results


class Paper(Closed):
    """Content of a paper's YAML file: sets, metrics, weightings, published numbers and claims."""

    title: str
    authors: str
    year: int
    method: Method
    sets: list[PaperSet]
    metrics: dict[str, Metric]  # of all its sets
    layers: dict[str, Annotated[int, Field(ge=0)]] = {}  # of encoders, where not bert-score's
    tables: dict[str, Table]
    figures: dict[str, Figure]
    inputs: Annotated[Content, INPUTS] = UNSET
    difficulties: Difficulties = {}  # where they differ from a config's
    weightings: Weightings = {}
    ablation: Annotated[Content, ABLATION] = UNSET
    causes: list[Cause] = []  # of differences, as far as they are known
    claims: list[Claim] = []  # of text, captions and conclusions


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Read papers from `<folder>/<name>.yaml`; return valid ones by name, and error messages."""
    papers: Content = {}
    wrong: list[str] = []
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    for name in names:
        if name not in known:
            there = f"{', '.join(known)}{nearest(name, known)}"
            wrong.append(f"config, papers: no paper {name}. There are: {there}.")
            continue
        path = folder / f"{name}.yaml"
        try:
            paper = read_yaml(path)
            lines = problems(Paper.model_validate, paper, {os.path.relpath(path): paper})
        except InputError as error:
            lines = [str(error)]
        wrong += lines
        if not lines:
            papers[name] = paper
    return papers, wrong


def paper_problems(paper: Any, difficulties: Members, weightings: Members) -> Iterator[str]:
    """Yield a sentence for each name in a valid paper that is not defined, with its place.
    `difficulties` and `weightings` are those of the paper and the config, valid ones."""
    sets, items = outputs.names_of_sets(paper), outputs.items_of(paper)
    for cells in paper["method"]["cells"]:
        named = cells["item"] if isinstance(cells["item"], list) else [cells["item"]]
        yield from (f"method: {text}" for text in unknown("item", named, items))
    for check in outputs.checks_of_claims(paper):
        named = check.get("item", [])
        named = [named] if isinstance(named, str) else named
        yield from (f"claims: {text}" for text in unknown("item", named, items))
        yield from (f"claims: {text}" for text in unknown("set", outputs.sets_of(check), sets))
    for entry in paper["sets"]:
        named = [*entry.get("parameters", ()), *entry.get("tuned", ())]
        yield from (f"sets: {text}" for text in unknown("weighting", named, weightings))
    if "ablation" in paper:
        items["ablation"] = {"kind": "ablation", **paper["ablation"]}
    for name, item in items.items():
        metrics, of_item = dict(paper["metrics"]), outputs.sets_of(item)
        for of_set, entry in zip(sets, paper["sets"], strict=True):
            metrics |= entry.get("metrics", {}) if of_set in of_item else {}
        rows = {"correlations": "rows", "ranking": "columns"}.get(item["kind"], "")
        entries = [item, *item.get(rows, [])]
        entries += [item.get("published", {})] * (item["kind"] == "ablation")
        texts = list(unknown("set", of_item, sets))
        for what, known in (
            ("metric", metrics),
            ("weighting", {STANDARD: {}, **weightings}),
            ("difficulty", difficulties),
        ):
            named = [entry[what] for entry in entries if what in entry] + item.get(f"{what}s", [])
            texts += unknown(what, dict.fromkeys(named), known)
        if item["kind"] == "ablation" and "ablation" not in paper:
            texts.append("a table of kind ablation needs the paper's `ablation`.")
        yield from (f"{name}: {text}" for text in texts)


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
