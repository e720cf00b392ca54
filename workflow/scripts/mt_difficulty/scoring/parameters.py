"""Names and settings that users give to the command line and Python: what they may be."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, nearest
from ..evidence.units import UNITS

RESAMPLES = 1000
SEED = 2022
MOST_RESAMPLES = 100_000
# The statistics of the metrics task's official tables.
OFFICIAL = ("pearson", "kendall", "soft_accuracy", "acc_eq")
NUMBER = (int, float, np.integer, np.floating)
LANGUAGE_CODE = re.compile(r"[a-zA-Z]{2,3}(_\w+)*")
# Settings of which None is no value.
REQUIRED = ("archive", "budget", "campaign", "folder", "pair", "resamples", "seed", "share")


def named(names: Any, what: str) -> list[str]:
    """Return one or more names as a list of str; `InputError` if any is neither str nor path."""
    if isinstance(names, (str, Path)):
        names = [names]
    if not isinstance(names, Collection) or not all(isinstance(x, (str, Path)) for x in names):
        raise InputError(f"{what}: expected a name or a list of names, found {names!r:.60}.")
    return [str(name) for name in names]


def one_name(name: Any, what: str) -> str:
    """Return a name as str; `InputError` if it is neither str nor path."""
    if not isinstance(name, (str, Path)):
        raise InputError(f"{what}: expected a name, found {name!r:.60}.")
    return str(name)


def known_name(name: str, known: Collection[str], what: str) -> str:
    """Return a name as it is spelt among the known ones, ignoring case.

    Parameters
    ----------
    name : str
    known : collection of str
    what : str
        What messages call such a name, such as `metric`.

    Raises
    ------
    InputError
        If it is not among them; the message names a similar one.
    """
    if name in known:
        return name
    by_lower_case = {known_spelling.lower(): known_spelling for known_spelling in known}
    spelling = by_lower_case.get(name) or by_lower_case.get(name.lower())
    if spelling is None:
        hint = nearest(name, known) or nearest(name.upper(), known)
        raise InputError(f"no {what} {name}{hint}. There are: {', '.join(known) or 'none'}.")
    return spelling


def chosen_statistics(statistics: Any, known: Collection[str]) -> list[str]:
    """Return the names of statistics as in `known`; `InputError` for an unknown one, or if there
    are none."""
    names = [known_name(name, known, "statistic") for name in named(statistics, "statistics")]
    if not names:
        raise InputError(f"statistics: expected one or more of {', '.join(known)}.")
    return names


def check_parameters(**parameters: Any) -> None:
    """Check settings by their names.

    Parameters
    ----------
    **parameters
        Values by name. None is accepted but for `REQUIRED` names.

    Raises
    ------
    InputError
        For a value of a wrong kind, or out of range.
    """
    for name, value in parameters.items():
        if value is None and name not in REQUIRED:
            continue
        is_valid, expected = _is_valid(name, value)
        if not is_valid or isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} {value!r:.60}: expected {expected}.")


def _is_valid(name: str, value: Any) -> tuple[bool, str]:
    """Return whether the value of a setting is a possible one, and what is expected."""
    is_number = isinstance(value, NUMBER) and bool(np.isfinite(value))
    is_whole = isinstance(value, (int, np.integer))
    if name in ("share", "softmax"):
        return is_number, "a finite number"
    if name in ("h", "w"):
        return is_number or isinstance(value, str), "a finite number or the name of a rule"
    if name == "budget":
        return is_number and value > 0, "a number above 0"
    if name == "unit":
        return isinstance(value, str) and value in UNITS, f"one of {', '.join(UNITS)}"
    if name in ("encoder", "archive", "folder", "documents", "path"):
        return isinstance(value, (str, Path)), "a path"
    if name in ("campaign", "pair", "reference", "gold"):
        return isinstance(value, str), "a name"
    if name in ("lang", "src_lang"):
        return bool(LANGUAGE_CODE.fullmatch(str(value))), "a language code such as de, zh or pt_BR"
    most = MOST_RESAMPLES if name == "resamples" else 2**63 - 1
    return is_whole and 0 <= value <= most, f"a whole number from 0 to {most}"
