"""Settings of members of a registry, such as metrics, checked by their constructors' signatures."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from ..errors import nearest
from ..metrics import METRICS
from . import schema
from .options import options
from .sets import NEURAL_TYPES

ENCODER = "encoder"  # of neural metrics: the plan's choice, not the constructor's


def metric_problems(metrics: Mapping[str, dict[str, Any]], place: str = "config") -> list[str]:
    """What is wrong with types and settings of metrics, a sentence each.

    Parameters
    ----------
    metrics : dict of str to dict
        Settings with `type`, by name.
    place : str
        Where they stand.
    """
    found = []
    for name, settings in metrics.items():
        own = dict(settings)
        if own["type"] in NEURAL_TYPES:
            own.pop(ENCODER, None)
        problems = setting_problems(METRICS, own, given={"pair"}, defaults={"name"})
        found += [f"{place}, metrics, {name}: {problem}" for problem in problems]
    return found


def setting_problems(
    registry: Mapping[str, type],
    settings: Mapping[str, Any],
    given: Collection[str] = (),
    defaults: Collection[str] = (),
) -> Iterator[str]:
    """What is wrong with one member's type and settings.

    Parameters
    ----------
    registry : mapping of str to callable
        The members by type.
    settings : dict
        With `type`.
    given : collection of str
        Parameters that no config sets.
    defaults : collection of str
        Parameters that a config may leave out though the constructor has no default.
    """
    kind = settings["type"]
    if kind not in registry:
        yield f"no type {kind}; there are {', '.join(registry)}{nearest(kind, registry)}."
        return
    asked = options_of(registry[kind], given, defaults)
    known, own = asked.__annotations__, {k: v for k, v in settings.items() if k != "type"}
    for key in own.keys() - known.keys():
        yield f"{kind} has no setting {key}; it has {', '.join(known) or 'none'}."
    rest = {key: value for key, value in own.items() if key in known}
    yield from (f"{problem}." for problem in schema.complaints_of(rest, asked))


def options_of(member: type, given: Collection[str], defaults: Collection[str]) -> Any:
    """The parameters of a member's constructor as options."""
    hints = get_type_hints(member.__init__)  # type: ignore[misc]
    asked = {
        name: NotRequired[hints[name]]
        if name in defaults or parameter.default is not parameter.empty
        else hints[name]
        for name, parameter in inspect.signature(member).parameters.items()
        if name not in given
    }
    return options()(TypedDict("Settings", asked))  # type: ignore[operator]
