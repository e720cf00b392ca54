"""Settings of members of registries (metrics, difficulties, weightings), checked by their
constructors' signatures, and the names by which they refer to each other."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from ..difficulty import ESTIMATORS, make_estimator
from ..errors import InputError, nearest
from ..metrics import METRICS
from ..weighting import WEIGHTINGS
from .options import complaints, name_of, options
from .sets import COMBINED, PARTS, reads_matches

Members = Mapping[str, Mapping[str, Any]]

EQ_11 = "liu2022"  # the easy weight by it


def entry_problems(
    metrics: Members, difficulties: Members, weightings: Members, known: Collection[str]
) -> list[str]:
    """What is wrong with entries of a config or a set, settings with `type` by name, a line each;
    `known` are the names of all metrics that there are."""
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
    """What is wrong with types and settings of metrics, sentences by name; fine ones have none."""
    found = {}
    for name, settings in metrics.items():
        own = dict(settings)
        if reads_matches(own):
            own.pop("encoder", None)  # the plan's choice, not the constructor's
        if own["type"] == "stored":
            own.setdefault("name", name)  # as `make_metric`
        if problems := list(setting_problems(METRICS, own, pair="en-de")):
            found[name] = problems
    return found


def difficulty_problems(difficulties: Members, metrics: Collection[str]) -> dict[str, list[str]]:
    """What is wrong with difficulties, sentences by name; fine ones have none."""
    found = {name: list(setting_problems(ESTIMATORS, each)) for name, each in difficulties.items()}
    sound = {name: each for name, each in difficulties.items() if not found[name]}
    for name, settings in sound.items():
        reads, read = make_estimator(settings).reads, settings.get("difficulty", "")
        if reads == "difficulty" and not found.get(read):
            found[name] += unknown("difficulty", [read], sound)
            other = make_estimator(sound[read]) if read in sound else None
            if other and (other.unit != "hypothesis" or other.depends_on_systems):
                found[name].append(
                    f"difficulty: {read} is no difficulty of single hypotheses, of which a mean "
                    "over systems can be taken."
                )
        elif reads in ("statistics", "matches", "consensus") and "metric" in settings:
            found[name] += unknown("metric", [settings["metric"]], metrics)
    return {name: texts for name, texts in found.items() if texts}


def weighting_problems(weightings: Members, difficulties: Members) -> dict[str, list[str]]:
    """What is wrong with weightings, sentences by name; fine ones have none. All but combined ones
    have a `difficulty`."""
    found: dict[str, list[str]] = {}
    for name, settings in weightings.items():
        own, kind = dict(settings), settings["type"]
        difficulty = own.pop("difficulty", None) if kind != COMBINED else ""
        found[name] = list(setting_problems({**WEIGHTINGS, COMBINED: Combined}, own))
        if kind in WEIGHTINGS and not isinstance(difficulty, str):
            needed = f"{kind} needs the name of a difficulty as its `difficulty`."
            found[name].insert(0, needed)
    sound = {name: each for name, each in weightings.items() if not found[name]}
    for name, settings in sound.items():
        if settings["type"] != COMBINED:
            found[name] += _wrong_difficulty(settings, difficulties)
            continue
        for part, unit in PARTS.items():
            named = settings[part]
            found[name] += [f"{part}: {text}" for text in unknown("weighting", [named], weightings)]
            kind = sound[named]["type"] if named in sound else ""
            if kind and (kind == COMBINED or WEIGHTINGS[kind].unit != unit):
                found[name].append(f"{part}: {named} is no weighting of {unit}s.")
    return {name: texts for name, texts in found.items() if texts}


class Combined:
    """What a combined weighting takes: names of a weighting of segments and of one of tokens."""

    def __init__(self, segments: str, tokens: str) -> None: ...


def _wrong_difficulty(settings: Mapping[str, Any], difficulties: Members) -> Iterator[str]:
    name, kind = settings["difficulty"], settings["type"]
    yield from unknown("difficulty", [name], difficulties)
    if name not in difficulties or list(setting_problems(ESTIMATORS, difficulties[name])):
        return
    unit = make_estimator(difficulties[name]).unit
    if WEIGHTINGS[kind].unit == "token" != unit:
        units = {"segment": "segments", "hypothesis": "hypotheses"}[unit]
        yield f"{kind} takes a difficulty of tokens, and {name} is one of {units}."
    elif WEIGHTINGS[kind].unit != "token" == unit:
        yield f"{kind} takes a difficulty of segments or hypotheses, and {name} is one of tokens."
    own = {key: value for key, value in settings.items() if key not in ("type", "difficulty")}
    if getattr(WEIGHTINGS[kind](**own), "easy_weight", None) != EQ_11:
        return
    # Eq. 11 reads means over systems: it was fitted to these, too.
    read, estimator = name, make_estimator(difficulties[name])
    while estimator.reads == "difficulty":
        read = difficulties[read]["difficulty"]
        estimator = make_estimator(difficulties[read])
    if not estimator.has_balance:
        yield (
            f"easy_weight: {EQ_11} (Eq. 11) was fitted to chunk entropies, and {name} is of type "
            f"{difficulties[name]['type']}; set `easy_weight` to share or to a number."
        )


def unknown(kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """A sentence for each name that is not known."""
    for name in names:
        if name not in known:
            yield f"no {kind} {name}; there are {', '.join(known)}{nearest(name, known)}."


def setting_problems(
    registry: Mapping[str, type], settings: Mapping[str, Any], **given: Any
) -> Iterator[str]:
    """What is wrong with one member's type and settings, by its constructor's signature, or, where
    that has nothing against them, by the constructor. `given` are arguments that no config sets."""
    kind = settings["type"]
    if kind not in registry:
        yield f"no type {kind}; there are {', '.join(registry)}{nearest(kind, registry)}."
        return
    asked = options_of(registry[kind], tuple(given))
    known, own = asked.__annotations__, {k: v for k, v in settings.items() if k != "type"}
    for key in sorted(own.keys() - known.keys()):
        yield f"{kind} has no setting {key}; it has {', '.join(known) or 'none'}."
    rest = {key: value for key, value in own.items() if key in known}
    found = sorted(
        f"{name_of(each.path)}: {each.text}" if each.path else each.text
        for each in complaints(rest, asked)
    )
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
    return options(described=False)(TypedDict("Settings", asked))  # type: ignore[operator]
