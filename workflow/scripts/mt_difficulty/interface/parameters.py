"""What the parameters of the public functions may be: the one check of them, for Python and for the
command line. Texts and tables are checked where they are read."""

from __future__ import annotations

import inspect
import operator
import os
import re
from collections.abc import Callable
from functools import wraps
from math import inf, nextafter
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_type_hints

import numpy as np

from ..errors import InputError, Missing, explain, nearest
from ..libraries import missing_extra

Given = ParamSpec("Given")
Result = TypeVar("Result")

RESAMPLES, SEED = 1000, 2022
MOST_RESAMPLES = 100_000  # a byte for each of these and each segment
MOST = 2**63 - 1  # of other whole numbers
MOST_SOFTMAX = 100  # beyond it one hypothesis decides


def public(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function whose parameters are checked, and whose errors of input, of files, of missing data
    and of missing extras are `InputError`."""
    signature = inspect.signature(function)

    @wraps(function)
    def run(*arguments: Given.args, **options: Given.kwargs) -> Result:
        given = signature.bind(*arguments, **options)
        try:
            for name, value in given.arguments.items():
                if name in CHECKS and value is not signature.parameters[name].default:
                    given.arguments[name] = check_parameter(name, value)
            return function(*given.args, **given.kwargs)
        except ModuleNotFoundError as error:
            if (hint := missing_extra(error.name or "")) is None:
                raise
            raise InputError(hint) from None
        except Missing as reason:
            raise InputError(str(reason)) from None
        except OSError as error:
            raise InputError(explain(error)) from None

    return run


def check_parameter(name: str, value: Any) -> Any:
    """The value of a parameter in the form that functions take; `InputError` where it takes no such
    value."""
    expected, check = CHECKS[name]
    try:
        return check(value)
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise InputError(f"{name} {shown(value)}: expected {expected}.") from None


def shown(value: Any) -> str:
    """A value in a message."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of thousands of digits
        return "of thousands of digits"
    return text if len(text) <= 60 else f"{text[:60]}…"


def _whole(most: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not 0 <= (number := operator.index(value)) <= most:
            raise ValueError
        return number

    return check


def _number(low: float, high: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        if isinstance(value, (bool, str)) or not low <= (number := float(value)) <= high:
            raise ValueError
        return number

    return check


def _threshold(value: Any) -> float | str:
    from ..weighting.groups import Groups

    if isinstance(value, str):
        Groups(value)
        return value
    return _number(-inf, inf)(value)


def _text(value: Any, pattern: str = r"(?s).*") -> str:
    if not re.fullmatch(pattern, value):
        raise ValueError
    return value


def _names(value: Any, least: int = 0) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(map(_text, value))
    if len(names) < least:
        raise ValueError
    return names


def _values(value: Any) -> Any:
    """A name or a file; or numbers, which keep their index."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    numbers = value.astype(float) if hasattr(value, "astype") else np.asarray(value, float)
    if not numbers.ndim:
        raise ValueError
    return numbers


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _of_metrics(value: Any) -> dict[str, dict[str, Any]]:
    """Settings by type of metric, of which each is one of its constructor's."""
    from ..metrics import METRICS
    from .texts import KINDS

    types = list(dict.fromkeys(kind for kind, _ in KINDS.values()))
    for kind, settings in value.items():
        if kind not in types:
            known = ", ".join(types)
            hint = nearest(str(kind), types)
            raise InputError(f"metric_settings: no type {kind}{hint}. There are: {known}.")
        # But for what the metric's name settles, whatever the name.
        settled = set.intersection(
            *(set(names) for type_, names in KINDS.values() if type_ == kind)
        )
        hints = get_type_hints(METRICS[kind].__init__)
        hints = {name: hints[name] for name in hints.keys() - {"pair", "return"} - settled}
        for name, setting in settings.items():
            if name not in hints:
                raise InputError(
                    f"metric_settings, {kind}: no setting {name}{nearest(str(name), hints)}. "
                    f"There are: {', '.join(sorted(hints)) or 'none'}."
                )
            whole = hints[name] is int
            if not isinstance(setting, hints[name]) or (whole and not 0 <= setting <= 100):
                expected = "a whole number from 0 to 100" if whole else f"{hints[name]}"
                raise InputError(
                    f"metric_settings, {kind}, {name} {shown(setting)}: expected {expected}."
                )
    return {kind: dict(settings) for kind, settings in value.items()}


def _each(names: str, expected: str, check: Callable[[Any], Any]) -> dict[str, Any]:
    return dict.fromkeys(names.split(), (expected, check))


# What is expected, in words, and its check, by parameter.
CHECKS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **_each("campaign cost gold language_pair metric pair reference", "a text", _text),
    **_each("archive encoder folder", "a path", Path),
    **_each("by difficulty", "a name, a file, or numbers", _values),
    **_each("metrics statistics", "one name or more", lambda value: _names(value, 1)),
    **_each("weightings", "names", _names),
    **_each(
        "lang src_lang",
        "a language code such as de, zh or pt_BR",
        lambda value: _text(value, r"[a-z]{2,3}(_\w+)*"),
    ),
    **_each("layer seed", f"a whole number from 0 to {MOST}", _whole(MOST)),
    "resamples": (f"a whole number from 0 to {MOST_RESAMPLES}", _whole(MOST_RESAMPLES)),
    "budget": ("a number above 0", _number(nextafter(0, 1), inf)),
    "h": (
        "a number, mean_plus_2sd, rank_0.05, quantile_0.9, hypotheses_0.9, or one of these rules "
        "with another number",
        _threshold,
    ),
    "metric_settings": ("a mapping from types of metrics to their settings", _of_metrics),
    "share": ("a number above 0, at most 1", _number(nextafter(0, 1), 1)),
    "softmax": (
        f"a number from -{MOST_SOFTMAX} to {MOST_SOFTMAX}",
        _number(-MOST_SOFTMAX, MOST_SOFTMAX),
    ),
    "w": (
        "a number from 0 to 1, or `share`",
        lambda value: _text(value, "share") if isinstance(value, str) else _number(0, 1)(value),
    ),
    "whole_documents": ("True or False", _bool),
}
