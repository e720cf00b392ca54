"""Exceptions with messages for the user, and functions that check input and format messages."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")
QUOTED = 200  # characters of a file or an argument that a message quotes, at most
# Control and zero-width characters, line separators, direction marks, bytes that are not UTF-8.
UNPRINTABLE = re.compile(
    r"[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


class InputError(Exception):
    """Raised for invalid user input; the message names the file, line or system, and a remedy.

    Examples
    --------
    >>> import mt_difficulty as md
    >>> try:
    ...     md.score({"A": ["a cat"]}, ["a cat"], lang="english")
    ... except md.InputError as error:
    ...     print(error)
    lang 'english': expected a language code such as de, zh or pt_BR.
    """


class Missing(Exception):
    """Raised if data for a result are lacking; the reason is stored in place of the result."""


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Check the value of a setting.

    Parameters
    ----------
    name : str
        Name of the setting, for the message.
    value
    known : iterable of str
        Values that the setting may have.

    Raises
    ------
    ValueError
        If the value is another one.
    """
    choices = list(known)
    if value not in choices:
        raise ValueError(f"{name} {value}: expected one of {', '.join(choices)}")


def nearest(name: str, known: Iterable[str], likeness: float = 0.65) -> str:
    """Return a hint for a message about an unknown name.

    Parameters
    ----------
    name : str
    known : iterable of str
        Names that exist.
    likeness : float
        Least ratio of similarity (difflib), 0 to 1.

    Returns
    -------
    str
        " (did you mean X?)", X the most similar name; empty if none is similar.
    """
    close = difflib.get_close_matches(name, list(known), 1, likeness)
    return f" (did you mean {close[0]}?)" if close else ""


def printable(text: str) -> str:
    """Return the text with control and invisible characters escaped, to print on one line."""
    return UNPRINTABLE.sub(lambda sign: ascii(sign[0])[1:-1], text)


def shortened(text: str, most: int = QUOTED) -> str:
    """Return a text for a message, with at most `most` characters and `…` for what is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def explain(error: OSError) -> str:
    """Return an OSError as "file: reason."; the file is the destination if the error names two."""
    file = error.filename2 or error.filename
    return f"{file}: {error.strerror}." if file else str(error)


def version(package: str) -> str:
    """Return the version of an installed Python package, as text."""
    metadata = import_module("importlib.metadata")  # slow to import
    return metadata.version(package)


def missing_extra(module: str) -> str | None:
    """Return an error text with the pip command for an optional module; None for other modules."""
    for requirement in import_module("importlib.metadata").requires("mt-difficulty") or []:
        extra = re.match(r"([\w.-]+).*extra == .(\w+)", requirement)
        if extra and extra[1].replace("-", "_") == module:
            return f"{extra[1]} is not installed: pip install 'mt-difficulty[{extra[2]}]'."
    return None


def first_names(names: Sequence[str], most: int) -> str:
    """Return at most `most` names as text, the first ones, and how many others there are."""
    text = ", ".join(names[:most])
    others = len(names) - most
    return f"{text} and {others} more" if others > 0 else text


def check_call(
    function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]
) -> None:
    """Check that a function can be called with some arguments.

    Parameters
    ----------
    function : callable
    arguments : sequence
        Arguments by position.
    options : mapping of str to object
        Arguments by name.

    Raises
    ------
    InputError
        For a name that is no parameter of the function, with the most similar one; for a parameter
        without a value, or with two, and for too many arguments by position.
    """
    called = signature(function)
    name_of_function = getattr(function, "__name__", "function")
    parameters = [name for name in called.parameters if name != "self"]
    for name in options:
        if name not in parameters:
            raise InputError(
                f"{name_of_function}: no parameter {name}{nearest(name, parameters)}. "
                f"There are: {', '.join(parameters)}."
            )
    try:
        called.bind(*arguments, **options)
    except TypeError as error:
        by_position = [
            name
            for name in parameters
            if called.parameters[name].kind == Parameter.POSITIONAL_OR_KEYWORD
        ]
        raise InputError(
            f"{name_of_function}: {error}. Given by position or name: {', '.join(by_position)}; "
            "all others by name."
        ) from None


def errors_of_input(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Make a function raise `InputError` for arguments that it does not take, OSErrors, missing
    data or absent optional packages."""

    @wraps(function)
    def run(*arguments: Given.args, **options: Given.kwargs) -> Result:
        check_call(function, arguments, options)
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            hint = missing_extra(error.name or "")
            if hint is None:
                raise
            raise InputError(hint) from None
        except Missing as reason:
            raise InputError(str(reason)) from None
        except BrokenPipeError:  # the reader of stdout has gone
            raise
        except OSError as error:
            raise InputError(explain(error)) from None

    return run
