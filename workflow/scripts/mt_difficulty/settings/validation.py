"""Pydantic models of config files, and error messages that users understand."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

import pydantic
from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ..errors import nearest

TYPES = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys and values",
    "none_required": "nothing",
    "string_type": "text",
}
Place = tuple[Any, ...]  # a path of keys in a config
Content = dict[str, Any]
UNSET: Any = None  # the default of an optional key; a file cannot say it


def _line(place: Place, text: str, kind: str = "refused", value: Any = None) -> Any:
    """Return an error as pydantic lists it."""
    error = PydanticCustomError(kind, "{text}", {"text": text})
    return {"type": error, "loc": place, "input": value}


def refused(*problems: str | tuple[Place, str]) -> ValidationError:
    """Return a ValidationError of `problems`: messages, or tuples of config keys and message."""
    lines = [_line((), text) if isinstance(text, str) else _line(*text) for text in problems]
    return ValidationError.from_exception_data("", lines)


def _within(content: Any, place: Place) -> Place:
    """Return the path of keys `place` without the keys that do not exist in nested `content`."""
    path: Place = ()
    for key in place:
        with suppress(LookupError, TypeError):
            content = content[key]
            path = (*path, key)
    return path


def complaints(check: Callable, content: Any) -> Iterator[tuple[Place, str]]:
    """Run a model's check and yield each problem: its path of keys, and a sentence that begins with
    the path, such as `evaluation_sets[0]: unknown key ...`."""
    try:
        check(content)
        return
    except ValidationError as failed:
        errors = failed.errors(include_url=False)
    by_path: dict[Place, list[Any]] = {}
    for error in errors:
        by_path.setdefault(_within(content, error["loc"]), []).append(error)
    for path, errors_of_path in by_path.items():
        has_deeper = any(path == longer[: len(path)] != longer for longer in by_path)
        is_of_key = _is_of_key(errors_of_path[0])
        # Errors of a key are shown for the mapping that has the key.
        location = _as_written(path[:-1] if is_of_key else path)
        for text in _texts(errors_of_path, is_of_key=is_of_key, has_deeper=has_deeper):
            yield path, f"{location}: {text}" if location else text


def _is_of_key(error: Any) -> bool:
    """Return whether an error is about a key of a mapping, not about its value."""
    return error["type"] in ("unknown", "invalid_key") or error["loc"][-1:] == ("[key]",)


def _as_written(path: Place) -> str:
    """Return a path of keys as users write it: evaluation_sets[0].metrics."""
    names = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(names).removeprefix(".")


def _texts(errors: list[Any], *, is_of_key: bool, has_deeper: bool) -> list[str]:
    """Return the messages of the errors at one path. Errors of types count only if no alternative
    of a union has the type: without other errors here, or at a deeper path (`has_deeper`)."""
    of_types = [error for error in errors if error["type"] in TYPES and not is_of_key]
    texts = [_text(error) for error in errors if error not in of_types]
    if of_types and not texts and not has_deeper:
        kinds = dict.fromkeys(TYPES[error["type"]] for error in of_types)
        texts = [f"expected {' or '.join(kinds)}, found {of_types[0]['input']!r}"]
    return texts


def _text(error: Any) -> str:
    """Return the message of an error."""
    kind = error["type"]
    value = error["input"]
    text = error["msg"]
    if kind in ("refused", "unknown"):
        return text
    if kind in ("string_type", "invalid_key"):
        return f"expected text as a key, found {value!r}. Put the key in quotes."
    if kind == "literal_error":
        return one_of(re.findall(r"'([^']*)'", text), value)
    return f"{text[0].lower()}{text[1:]}; found {value!r}"


def one_of(known: Collection[str], value: Any) -> str:
    """Return the message for a value that is not among the known ones."""
    return f"expected one of {', '.join(known)}; found {value!r}{nearest(str(value), known)}"


def unknown_key(key: Any, known: Collection[str]) -> str:
    """Return the message for a key that is not among the known ones."""
    return f"unknown key `{key}`" + (nearest(str(key), known) or f"; there are {', '.join(known)}")


def unknown(kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Yield the message `no <kind> <name>; there are ...` for each unknown name.

    Parameters
    ----------
    kind : str
        What the names are of, such as `metric`.
    names : iterable of str
        Names in a config.
    known : collection of str
        Names that exist.

    Yields
    ------
    str
    """
    for name in names:
        if name not in known:
            yield f"no {kind} {name}; there are {', '.join(known)}{nearest(name, known)}."


def problems(check: Callable, content: Any, sources: Mapping[str, Any]) -> list[str]:
    """List the errors of a config.

    Parameters
    ----------
    check : callable
        Validates content; raises `ValidationError`.
    content : object
        The merged content.
    sources : mapping of str to object
        Contents of the merged files by name.

    Returns
    -------
    list of str
        Sorted messages, each beginning with the file that has the error.
    """
    texts = set()
    for path, text in complaints(check, content):
        # The file with most of the path's keys; of several, the last, which is merged over others.
        depths = {file: len(_within(sources[file], path)) for file in reversed([*sources])}
        file = max(depths, key=lambda file: depths[file])
        texts.add(f"{file}: {text}")
    return sorted(texts)


class Closed(pydantic.BaseModel):
    """Base class of pydantic models of config mappings; an unknown key is an error."""

    # Models are built when a file is first checked: jobs, which get checked ones, build none.
    model_config = pydantic.ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )

    @model_validator(mode="wrap")
    @classmethod
    def _name_keys(cls, content: Any, handler: Callable) -> Any:
        """Return the checked model; errors name unknown and missing keys (a misspelt key once)."""
        try:
            return handler(content)
        except ValidationError as failed:
            errors = failed.errors(include_url=False)
        extra = [str(error["loc"][0]) for error in errors if error["type"] == "extra_forbidden"]
        lines = []
        for error in errors:
            kind, place, value = error["type"], error["loc"], error["input"]
            if kind == "extra_forbidden":
                text = unknown_key(place[0], cls.model_fields)
                line = _line(place, text, "unknown", value)
            elif kind == "missing":
                if nearest(str(place[0]), extra):
                    continue
                line = _line((), f"the key `{place[0]}` is missing", value=value)
            elif kind == "union_tag_not_found":
                line = _line(place, "the key `kind` is missing", value=value)
            elif kind == "union_tag_invalid":
                context = error["ctx"]
                known = re.findall(r"'([^']*)'", context["expected_tags"])
                text = one_of(known, context["tag"])
                line = _line((*place, "kind"), text, value=value)
            else:
                line = _line(place, error["msg"], kind, value)
            lines.append(line)
        raise ValidationError.from_exception_data(cls.__name__, lines)


def form(pattern: str, expected: str) -> AfterValidator:
    """Return a validator: a text that does not match the regex `pattern` is an error."""

    def check(value: Any) -> Any:
        if not re.fullmatch(pattern, value):
            raise refused(f"expected {expected}; found {value!r}")
        return value

    return AfterValidator(check)


def unique(values: list[Any]) -> list[Any]:
    """Return the values; an error if a value is listed twice."""
    for value in values:
        if values.count(value) > 1:
            raise refused(f"{value!r} is there twice")
    return values


A_NAME = (
    "a name of up to 80 letters, digits, `_`, `.`, `+` and `-`, of which the first is a letter or "
    "a digit"
)
# Names are parts of file names, such as <campaign>.<pair>.<metric>.log.
LONGEST = 80
NAME = f"[A-Za-z0-9][A-Za-z0-9_.+-]{{0,{LONGEST - 1}}}"
Name = Annotated[str, form(NAME, A_NAME)]
NonEmpty = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=3)]
Draws = Annotated[int, Field(ge=1, le=100_000)]
Resamples = Annotated[int, Field(ge=100, le=100_000)]
