"""What the parameters of the public functions may be; texts and tables are checked with each other,
where they are read."""

from __future__ import annotations

import inspect
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from math import inf, nextafter
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd

from ..errors import InputError, nearest
from .settings import MOST, MOST_RESAMPLES, MOST_SOFTMAX


def check_parameters(given: inspect.BoundArguments) -> None:
    """Bring the parameters of a call into the form of `CHECKS`.

    Raises
    ------
    InputError
        A value is another one than its parameter takes.
    """
    for name, value in given.arguments.items():
        if name in CHECKS and value is not given.signature.parameters[name].default:
            expected, check = CHECKS[name]
            try:
                given.arguments[name] = check(value)
            except (AttributeError, OverflowError, TypeError, ValueError):
                raise InputError(f"{name} {shown(value)}: expected {expected}.") from None


def shown(value: Any) -> str:
    """A value in a message."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of thousands of digits
        return "of thousands of digits"
    return text if len(text) <= 60 else f"{text[:60]}…"


def texts(given: Any, name: str, kinds: tuple[type, ...] = (str,)) -> list:
    """The texts of one input, one a segment.

    Raises
    ------
    InputError
        It is no sequence of texts, or empty.
    """
    if isinstance(given, (str, Mapping, pd.DataFrame)) or not isinstance(given, Iterable):
        raise InputError(f"{name}: expected a list or a Series of texts, found {shown(given)}.")
    found = list(given)
    if not found:
        raise InputError(f"{name}: expected one segment or more.")
    for place, segment in enumerate(found, 1):
        if not isinstance(segment, kinds):
            raise InputError(f"{name}, segment {place}: expected a text, found {shown(segment)}.")
    return found


def _whole(most: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not 0 <= (found := operator.index(value)) <= most:
            raise ValueError
        return found

    return check


def _number(low: float, high: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        if isinstance(value, (bool, str)) or not low <= (found := float(value)) <= high:
            raise ValueError
        return found

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


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(_text, value))


def _some_names(value: Any) -> tuple[str, ...]:
    if not (found := _names(value)):
        raise ValueError
    return found


def _values(value: Any) -> str | np.ndarray | pd.Series | pd.DataFrame:
    """A name or a file; or numbers, which keep their index."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return value.astype(float)
    if not (found := np.asarray(value, float)).ndim:
        raise ValueError
    return found


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _of_metrics(value: Any) -> dict[str, dict[str, Any]]:
    """Settings by type of metric, of which each is one of its constructor's."""
    from ..metrics import METRICS
    from .metrics import KINDS

    types = list(dict.fromkeys(kind for kind, _ in KINDS.values()))
    for kind, settings in value.items():
        if kind not in types:
            raise InputError(
                f"metric_settings: no type {kind}{nearest(str(kind), types)}. There are: "
                f"{', '.join(types)}."
            )
        known = get_type_hints(METRICS[kind].__init__)
        # A setting that goes by the metric's name, whatever the name.
        by_name = set.intersection(*(set(own) for one, own in KINDS.values() if one == kind))
        known = {name: known[name] for name in known.keys() - {"pair", "return"} - by_name}
        for name, setting in settings.items():
            if name not in known:
                raise InputError(
                    f"metric_settings, {kind}: no setting {name}{nearest(str(name), known)}. "
                    f"There are: {', '.join(sorted(known)) or 'none'}."
                )
            expected, check = OF_TYPES[known[name]]
            try:
                check(setting)
            except (TypeError, ValueError):
                raise InputError(
                    f"metric_settings, {kind}, {name} {shown(setting)}: expected {expected}."
                ) from None
    return {kind: dict(settings) for kind, settings in value.items()}


Checks = dict[Any, tuple[str, Callable[[Any], Any]]]
A_TEXT = ("a text", _text)
A_PATH = ("a path", Path)
A_BOOL = ("True or False", _bool)
A_LANGUAGE = (
    "a language code such as de, zh or pt_BR",
    lambda value: _text(value, r"[a-z]{2,3}(_\w+)*"),
)
SOME_NAMES = ("one name or more", _some_names)
VALUES = ("a name, a file, or numbers", _values)
OF_TYPES: Checks = {
    bool: A_BOOL,
    int: ("a whole number from 0 to 100", _whole(100)),
    str | None: ("a text or None", lambda value: value is None or _text(value)),
}
CHECKS: Checks = {
    "archive": A_PATH,
    "budget": ("a number above 0", _number(nextafter(0, 1), inf)),
    "by": VALUES,
    "campaign": A_TEXT,
    "cost": A_TEXT,
    "difficulty": VALUES,
    "encoder": A_PATH,
    "folder": A_PATH,
    "gold": A_TEXT,
    "h": (
        "a number, mean_plus_2sd, rank_0.05, quantile_0.9, hypotheses_0.9, or one of these rules "
        "with another number",
        _threshold,
    ),
    "lang": A_LANGUAGE,
    "language_pair": A_TEXT,
    "layer": (f"a whole number from 0 to {MOST}", _whole(MOST)),
    "metric": A_TEXT,
    "metric_settings": ("a mapping from types of metrics to their settings", _of_metrics),
    "metrics": SOME_NAMES,
    "pair": A_TEXT,
    "reference": A_TEXT,
    "resamples": (f"a whole number from 0 to {MOST_RESAMPLES}", _whole(MOST_RESAMPLES)),
    "seed": (f"a whole number from 0 to {MOST}", _whole(MOST)),
    "share": ("a number above 0, at most 1", _number(nextafter(0, 1), 1)),
    "softmax": (
        f"a number from -{MOST_SOFTMAX} to {MOST_SOFTMAX}",
        _number(-MOST_SOFTMAX, MOST_SOFTMAX),
    ),
    "src_lang": A_LANGUAGE,
    "statistics": SOME_NAMES,
    "w": (
        "a number from 0 to 1, or `share`",
        lambda value: _text(value, "share") if isinstance(value, str) else _number(0, 1)(value),
    ),
    "weightings": ("names", _names),
    "whole_documents": A_BOOL,
}
