"""Settings of members of a registry, such as metrics, checked by their constructors' signatures."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from ..errors import InputError, nearest
from ..evidence.correlations import CORRELATIONS
from ..metrics import METRICS
from ..statistics import STATISTICS
from . import schema
from .options import options
from .sets import NEURAL_TYPES

ANY_PAIR = "en-de"
ENCODER = "encoder"  # of neural metrics: the plan's choice, not the constructor's


def metric_problems(metrics: Mapping[str, dict[str, Any]]) -> dict[str, list[str]]:
    """What is wrong with types and settings of metrics, sentences by name; fine ones have none.

    Parameters
    ----------
    metrics : dict of str to dict
        Settings with `type`, by name.
    """
    found = {}
    for name, settings in metrics.items():
        own = dict(settings)
        if own["type"] in NEURAL_TYPES:
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
    asked = options_of(registry[kind], given)
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


def options_of(member: type, given: Collection[str]) -> Any:
    """The parameters of a member's constructor, but for those that are given, as options."""
    hints = get_type_hints(member.__init__)  # type: ignore[misc]
    asked = {
        name: hints[name] if parameter.default is parameter.empty else NotRequired[hints[name]]
        for name, parameter in inspect.signature(member).parameters.items()
        if name not in given
    }
    return options()(TypedDict("Settings", asked))  # type: ignore[operator]
