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
Place = tuple[Any, ...]
Content = dict[str, Any]
UNSET: Any = None  # the default of an optional key; a file cannot say it


def _line(place: Place, text: str, kind: str = "refused", value: Any = None) -> Any:
    error = PydanticCustomError(kind, "{text}", {"text": text})
    return {"type": error, "loc": place, "input": value}


def refused(*problems: str | tuple[Place, str]) -> ValidationError:
    """Return a ValidationError of `problems`: messages, or tuples of config keys and message."""
    lines = [_line((), text) if isinstance(text, str) else _line(*text) for text in problems]
    return ValidationError.from_exception_data("", lines)


def _within(content: Any, place: Place) -> Place:
    """Return the path of keys `place` without the keys that do not exist in nested `content`."""
    path: Place = ()
    for part in place:
        with suppress(LookupError, TypeError):
            path, content = (*path, part), content[part]
    return path


def complaints(check: Callable, content: Any) -> Iterator[tuple[Place, str]]:
    """Run a model's check and yield each problem: its place, and a sentence that begins with the
    place, such as `evaluation_sets[0]: unknown key ...`."""
    try:
        check(content)
        return
    except ValidationError as failed:
        errors = failed.errors(include_url=False)
    by_path: dict[Place, list[Any]] = {}
    for error in errors:
        by_path.setdefault(_within(content, error["loc"]), []).append(error)
    for path, here in by_path.items():
        of_key = here[0]["type"] in ("unknown", "invalid_key") or here[0]["loc"][-1:] == ("[key]",)
        types = [error for error in here if error["type"] in TYPES and not of_key]
        texts = [_text(error) for error in here if error not in types]
        deeper = any(path == longer[: len(path)] != longer for longer in by_path)
        if types and not texts and not deeper:  # no alternative of a union has this type
            kinds = dict.fromkeys(TYPES[error["type"]] for error in types)
            texts = [f"expected {' or '.join(kinds)}, found {types[0]['input']!r}"]
        shown = path[:-1] if of_key else path
        names = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in shown)
        place = "".join(names).removeprefix(".")  # as users write it: evaluation_sets[0].metrics
        yield from ((path, f"{place}: {text}" if place else text) for text in texts)


def _text(error: Any) -> str:
    kind, value, text = error["type"], error["input"], error["msg"]
    if kind in ("refused", "unknown"):
        return text
    if kind in ("string_type", "invalid_key"):
        return f"expected text as a key, found {value!r}. Put the key in quotes."
    if kind == "literal_error":
        return one_of(re.findall(r"'([^']*)'", text), value)
    return f"{text[0].lower()}{text[1:]}; found {value!r}"


def one_of(known: Collection[str], value: Any) -> str:
    return f"expected one of {', '.join(known)}; found {value!r}{nearest(str(value), known)}"


def unknown_key(key: Any, known: Collection[str]) -> str:
    return f"unknown key `{key}`" + (nearest(str(key), known) or f"; there are {', '.join(known)}")


def unknown(kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Yield the message `no <kind> <name>; there are ...` for each name not among `known`."""
    for name in names:
        if name not in known:
            yield f"no {kind} {name}; there are {', '.join(known)}{nearest(name, known)}."


def problems(check: Callable, content: Any, sources: Mapping[str, Any]) -> list[str]:
    """Return a check's errors on config content, sorted, each beginning with its source file."""
    files = [*sources][::-1]
    return sorted(
        {
            f"{max(files, key=lambda file: len(_within(sources[file], path)))}: {text}"
            for path, text in complaints(check, content)
        }
    )


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
        extra = [str(e["loc"][0]) for e in errors if e["type"] == "extra_forbidden"]
        lines = []
        for error in errors:
            kind, place, text = error["type"], error["loc"], error["msg"]
            if kind == "extra_forbidden":
                kind, text = "unknown", unknown_key(place[0], cls.model_fields)
            elif kind == "missing":
                if nearest(str(place[0]), extra):
                    continue
                kind, text, place = "refused", f"the key `{place[0]}` is missing", ()
            elif kind == "union_tag_not_found":
                kind, text = "refused", "the key `kind` is missing"
            elif kind == "union_tag_invalid":
                context = error["ctx"]
                known = re.findall(r"'([^']*)'", context["expected_tags"])
                kind, text, place = "refused", one_of(known, context["tag"]), (*place, "kind")
            lines.append(_line(place, text, kind, error["input"]))
        raise ValidationError.from_exception_data(cls.__name__, lines)


def form(pattern: str, expected: str) -> AfterValidator:
    """Return a validator: a text that does not match the regex `pattern` is an error."""

    def check(value: Any) -> Any:
        if not re.fullmatch(pattern, value):
            raise refused(f"expected {expected}; found {value!r}")
        return value

    return AfterValidator(check)


def unique(values: list[Any]) -> list[Any]:
    if twice := [value for value in values if values.count(value) > 1]:
        raise refused(f"{twice[0]!r} is there twice")
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
