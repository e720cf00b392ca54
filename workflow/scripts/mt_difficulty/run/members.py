"""Settings of members of registries (metrics, difficulties, weightings), checked by their
constructors' signatures, and the names by which they refer to each other."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from ..difficulty import ESTIMATORS, make_estimator
from ..errors import InputError, nearest
from ..evidence.subsets import CORRELATIONS
from ..metrics import METRICS
from ..statistics import STATISTICS
from ..weighting import WEIGHTINGS
from . import schema
from .options import options
from .sets import COMBINED, reads_matches

Members = Mapping[str, Mapping[str, Any]]

ANY_PAIR = "en-de"
ENCODER = "encoder"  # of neural metrics: the plan's choice, not the constructor's
DIFFICULTY = "difficulty"  # of weightings: likewise
PARTS = {"segments": "segment", "tokens": "token"}  # that are combined: unit by setting
UNITS = {"segment": "segments", "hypothesis": "hypotheses"}
EQ_11 = "liu2022"  # the easy weight by it


def entry_problems(
    metrics: Members, difficulties: Members, weightings: Members, known: Collection[str]
) -> list[str]:
    """What is wrong with entries of a config or a set, a line each, by kind and name.

    Parameters
    ----------
    metrics, difficulties, weightings : dict of str to dict
        Settings with `type`, by name.
    known : collection of str
        The names of all metrics that there are.
    """
    wrong = {
        "metrics": metric_problems(metrics),
        "difficulties": difficulty_problems(difficulties, known),
        "weightings": weighting_problems(weightings, difficulties),
    }
    return [
        f"{kind}, {name}: {text}"
        for kind, of_kind in wrong.items()
        for name, texts in of_kind.items()
        for text in texts
    ]


def metric_problems(metrics: Members) -> dict[str, list[str]]:
    """What is wrong with types and settings of metrics, sentences by name; fine ones have none.

    Parameters
    ----------
    metrics : dict of str to dict
        Settings with `type`, by name.
    """
    found = {}
    for name, settings in metrics.items():
        own = dict(settings)
        if reads_matches(own):
            own.pop(ENCODER, None)
        if own["type"] == "stored":
            own.setdefault("name", name)  # as `make_metric`
        if problems := list(setting_problems(METRICS, own, {"pair": ANY_PAIR})):
            found[name] = problems
    return found


def statistic_problems(names: Collection[str]) -> Iterator[str]:
    """What is wrong with the names of a config's statistics."""
    for name in names:
        if name not in STATISTICS:
            known = f"{', '.join(STATISTICS)}{nearest(name, STATISTICS)}"
            yield f"no statistic {name}; there are {known}."
    if lacking := [name for name in CORRELATIONS if name not in names]:
        yield f"papers and pages need {', '.join(lacking)} too."


def difficulty_problems(difficulties: Members, metrics: Collection[str]) -> dict[str, list[str]]:
    """What is wrong with difficulties, sentences by name; fine ones have none.

    Parameters
    ----------
    difficulties : dict of str to dict
        Settings with `type`, by name.
    metrics : collection of str
        The names of all metrics that there are.
    """
    found = {name: list(setting_problems(ESTIMATORS, each)) for name, each in difficulties.items()}
    sound = {name: each for name, each in difficulties.items() if not found[name]}
    for name, settings in sound.items():
        reads = make_estimator(settings).reads
        if reads == "difficulty" and not found.get(settings["difficulty"]):
            found[name] += _wrong_mean(settings["difficulty"], sound)
        elif reads in ("statistics", "matches", "consensus") and "metric" in settings:
            found[name] += _unknown("metric", settings["metric"], metrics)
    return {name: texts for name, texts in found.items() if texts}


def _wrong_mean(difficulty: str, known: Members) -> Iterator[str]:
    """What is wrong with a difficulty that another one reads; a chain or a circle is none of
    hypotheses."""
    yield from _unknown("difficulty", difficulty, known)
    if difficulty in known:
        other = make_estimator(known[difficulty])
        if other.unit != "hypothesis" or other.depends_on_systems:
            yield (
                f"difficulty: {difficulty} is no difficulty of single hypotheses, of which a mean "
                "over systems can be taken."
            )


def weighting_problems(weightings: Members, difficulties: Members) -> dict[str, list[str]]:
    """What is wrong with weightings, sentences by name; fine ones have none.

    Parameters
    ----------
    weightings : dict of str to dict
        Settings with `type` and, but for a combined one, `difficulty`, by name.
    difficulties : dict of str to dict
        Settings of all difficulties, by name.
    """
    found = {name: list(_constructor(each)) for name, each in weightings.items()}
    sound = {name: each for name, each in weightings.items() if not found[name]}
    for name, settings in sound.items():
        if settings["type"] == COMBINED:
            named = {part: settings[part] for part in PARTS}
            found[name] += _wrong_parts(named, sound, weightings)
        else:
            found[name] += _wrong_difficulty(settings, difficulties)
    return {name: texts for name, texts in found.items() if texts}


def _constructor(settings: Mapping[str, Any]) -> Iterator[str]:
    own, kind = dict(settings), settings["type"]
    difficulty = own.pop(DIFFICULTY, None) if kind != COMBINED else ""
    if kind in WEIGHTINGS and not isinstance(difficulty, str):
        yield f"{kind} needs the name of a difficulty as its `{DIFFICULTY}`."
    yield from setting_problems({**WEIGHTINGS, COMBINED: Combined}, own)


class Combined:
    """What a combined weighting takes: names of a weighting of segments and of one of tokens."""

    def __init__(self, segments: str, tokens: str) -> None: ...


def _wrong_parts(named: Mapping[str, str], sound: Members, known: Members) -> Iterator[str]:
    for part, name in named.items():
        for text in _unknown("weighting", name, known):
            yield f"{part}: {text}"
        if name in sound:
            kind = sound[name]["type"]
            if kind == COMBINED or WEIGHTINGS[kind].unit != PARTS[part]:
                yield f"{part}: {name} is no weighting of {PARTS[part]}s."


def _wrong_difficulty(settings: Mapping[str, Any], difficulties: Members) -> Iterator[str]:
    name, kind = settings[DIFFICULTY], settings["type"]
    yield from _unknown("difficulty", name, difficulties)
    if name not in difficulties or list(setting_problems(ESTIMATORS, difficulties[name])):
        return
    estimator = make_estimator(difficulties[name])
    unit = estimator.unit
    if WEIGHTINGS[kind].unit == "token" != unit:
        yield f"{kind} takes a difficulty of tokens, and {name} is one of {UNITS[unit]}."
    elif WEIGHTINGS[kind].unit != "token" == unit:
        yield f"{kind} takes a difficulty of segments or hypotheses, and {name} is one of tokens."
    own = {key: value for key, value in settings.items() if key not in ("type", DIFFICULTY)}
    easy_weight = getattr(WEIGHTINGS[kind](**own), "easy_weight", None)
    if easy_weight == EQ_11 and not _has_balance(name, difficulties):
        yield (
            f"easy_weight: {EQ_11} (Eq. 11) was fitted to chunk entropies, and {name} is of type "
            f"{difficulties[name]['type']}; set `easy_weight` to share or to a number."
        )


def _has_balance(name: str, difficulties: Members) -> bool:
    """Whether Eq. 11 was fitted to a difficulty; it reads means over systems, so that it was to
    these, too."""
    estimator = make_estimator(difficulties[name])
    if estimator.reads == "difficulty":
        return _has_balance(difficulties[name]["difficulty"], difficulties)
    return estimator.has_balance


def _unknown(kind: str, name: str, known: Collection[str]) -> Iterator[str]:
    if name not in known:
        yield f"no {kind} {name}; there are {', '.join(known)}{nearest(name, known)}."


def setting_problems(
    registry: Mapping[str, type],
    settings: Mapping[str, Any],
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[str]:
    """What is wrong with one member's type and settings, by its constructor's signature, or, where
    that has nothing against them, by the constructor.

    Parameters
    ----------
    registry : mapping of str to type
        The members by type.
    settings : dict
        With `type`.
    given : dict, optional
        Arguments that no config sets.
    """
    kind = settings["type"]
    if kind not in registry:
        yield f"no type {kind}; there are {', '.join(registry)}{nearest(kind, registry)}."
        return
    asked = options_of(registry[kind], tuple(given))
    known, own = asked.__annotations__, {k: v for k, v in settings.items() if k != "type"}
    for key in sorted(own.keys() - known.keys()):
        yield f"{kind} has no setting {key}; it has {', '.join(known) or 'none'}."
    rest = {key: value for key, value in own.items() if key in known}
    found = schema.complaints_of(rest, asked)
    if own and rest == own and not found:  # without settings there is nothing to refuse
        try:
            registry[kind](**given, **own)
        except (ValueError, InputError) as error:
            found = [str(error).removesuffix(".")]
    yield from (f"{problem}." for problem in found)


@cache
def options_of(member: type, given: tuple[str, ...]) -> Any:
    """The parameters of a member's constructor, but for those that are given, as options."""
    hints = get_type_hints(member.__init__)  # type: ignore[misc]
    asked = {
        name: hints[name] if parameter.default is parameter.empty else NotRequired[hints[name]]
        for name, parameter in inspect.signature(member).parameters.items()
        if name not in given
    }
    return options(False)(TypedDict("Settings", asked))  # type: ignore[operator]
