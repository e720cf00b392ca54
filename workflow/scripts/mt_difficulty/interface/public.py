"""What the functions of the public interface share: errors and notices in Python's words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import InputError, Missing, explain
from ..libraries import missing_extra
from .parameters import check_parameters

Given = ParamSpec("Given")
Found = TypeVar("Found")
# What messages of the command line name, and its parameter in Python.
PARAMETERS = {
    "--scores FILE": "values of your own as `by`",
    "--documents": "documents",
    "--budget": "budget",
    "--by": "by",
    "--difficulty": "difficulty",
    "--encoder FOLDER --layer N": "encoder and layer",
    "--encoder": "encoder",
    "--h": "h",
    "--hyp": "hypotheses",
    "--lang": "lang",
    "--layer": "layer",
    "--metric": "metrics",
    "--resamples": "resamples",
    "--src": "source",
    "--src FILE": "source",
    "--src-lang": "src_lang",
    "--w": "w",
    "--weighting": "weightings",
    "--whole-documents": "whole_documents",
}
_OPTION = re.compile("|".join(rf"{name}(?![\w-])" for name in sorted(PARAMETERS, reverse=True)))


def in_python(message: str) -> str:
    """A message with parameters instead of the command line's options."""
    return _OPTION.sub(lambda option: PARAMETERS[option[0]], message)


def notices_in_python(notices: Iterable[str]) -> list[str]:
    """The same of notices."""
    return list(map(in_python, notices))


def public(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function whose parameters are checked, and whose errors of input, of files, of missing data
    and of missing extras are `InputError`."""
    signature = inspect.signature(function)

    @wraps(function)
    def run(*arguments: Given.args, **options: Given.kwargs) -> Found:
        given = signature.bind(*arguments, **options)
        try:
            check_parameters(given)
            return function(*given.args, **given.kwargs)
        except ModuleNotFoundError as error:
            if (hint := missing_extra(error.name or "")) is None:
                raise
            raise InputError(hint) from None
        except (InputError, Missing) as reason:
            raise InputError(in_python(str(reason))) from None
        except OSError as error:
            raise InputError(explain(error)) from None

    return run
