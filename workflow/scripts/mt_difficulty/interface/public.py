"""What the functions of the public interface share: errors that they raise."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import InputError, Missing
from ..libraries import missing_extra

Given = ParamSpec("Given")
Found = TypeVar("Found")


def public(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function whose errors of input, of missing data and of missing extras are `InputError`."""

    @wraps(function)
    def run(*arguments: Given.args, **options: Given.kwargs) -> Found:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            if (hint := missing_extra(error.name or "")) is None:
                raise
            raise InputError(hint) from None
        except Missing as reason:
            raise InputError(str(reason)) from None
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: no such file or folder.") from None

    return run
