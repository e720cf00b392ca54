"""Typed options of a config or a paper's file, checked by pydantic, with errors in plain words.

A file stays the mapping that YAML gives: TypedDicts describe its keys, pydantic checks them, and
the docstrings of the keys are the comments of config.yaml.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from ..errors import nearest

TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "nothing",
    "number": "a number",
    "object": "keys and values",
    "string": "text",
}
Path = tuple[Any, ...]


def options(described: bool = True, extra: Any = "forbid") -> Callable:
    """Make a TypedDict of options: it takes no other keys, and their docstrings describe them,
    unless it is made on the spot and has no source to look for docstrings in."""
    return with_config(
        ConfigDict(extra=extra, strict=True, use_attribute_docstrings=described, title="options")
    )


def refuse(text: str, key: str | None = None) -> PydanticCustomError:
    """An error of a value, or of one of its keys."""
    return PydanticCustomError("refused", "{text}", {"text": text, "key": key})


def checked(is_fine: Callable[[Any], Any], expected: str) -> AfterValidator:
    """A value of some form; `expected` says which, after "expected"."""

    def check(value: Any) -> Any:
        if not is_fine(value):
            raise refuse(f"expected {expected}; found {value!r}")
        return value

    return AfterValidator(check)


def form(pattern: str, expected: str) -> AfterValidator:
    """A text of some form."""
    return checked(re.compile(pattern).fullmatch, expected)


def of_kind(needed: Mapping[str, Sequence[str]]) -> AfterValidator:
    """A mapping whose `kind` is one of these, with the keys that this kind needs."""

    def check(item: Any) -> Any:
        if item["kind"] not in needed:
            raise refuse(one_of(needed, item["kind"]), "kind")
        if absent := [key for key in needed[item["kind"]] if key not in item]:
            raise refuse(" and ".join(f"the key `{key}` is missing" for key in absent))
        return item

    return AfterValidator(check)


A_NAME = (
    "a name of letters, digits, `_`, `.`, `+` and `-`, of which the first is a letter or a digit"
)
NAME = "[A-Za-z0-9][A-Za-z0-9_.+-]*"
Name = Annotated[str, form(NAME, A_NAME)]
NonEmpty = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=3)]
UNIQUE = checked(lambda values: len(values) == len(set(values)), "each value once")
Draws = Annotated[int, Field(ge=1, le=100_000)]
Resamples = Annotated[int, Field(ge=100, le=100_000)]

if TYPE_CHECKING:
    Member = dict[str, Any]
else:

    @options(False, "allow")
    class Member(TypedDict):
        """A member of a registry, such as a metric; its constructor says which settings it takes
        (`members`), so that a new member needs no line here."""

        type: str


# By name; those of plots and of the weighting that needs no entry are taken.
Difficulties = dict[
    Annotated[str, form(rf"(?!difficulty\Z){NAME}", f"{A_NAME}, and not difficulty")], Member
]
Weightings = dict[
    Annotated[str, form(rf"(?!standard\Z){NAME}", f"{A_NAME}, and not standard")], Member
]


@cache
def adapter(asked: Any) -> TypeAdapter:
    return TypeAdapter(asked)


@cache
def schema_of(asked: Any) -> dict[str, Any]:
    return adapter(asked).json_schema()


def schema_at(asked: Any, path: Path) -> dict[str, Any]:
    """The JSON schema of a place."""
    here = schema_of(asked)
    for part in path:
        inner: Any = {}
        for each in here.get("anyOf", [here]):
            each = resolve(asked, each)
            inside = each.get("items") or each.get("additionalProperties") or {}
            inner = each.get("properties", {}).get(part) or inside or inner
        here = resolve(asked, inner if isinstance(inner, dict) else {})
    return here


def resolve(asked: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with that of the mapping that it refers to."""
    if "$ref" not in schema:
        return schema
    return schema_of(asked)["$defs"][schema["$ref"].rpartition("/")[2]] | schema


def one_of(known: Any, value: Any) -> str:
    return f"expected one of {', '.join(known)}; found {value!r}{nearest(str(value), known)}"


class Complaint(NamedTuple):
    """What is wrong at a place: an `unknown` or `missing` key, the `type` or the `value`."""

    path: Path
    about: str
    text: str
    key: str = ""


def complaints(content: Any, asked: Any) -> Iterator[Complaint]:
    """What is wrong with some content, by the type of its options."""
    yield from (Complaint(path, "value", said) for path, said in _unsound(content))
    try:
        adapter(asked).validate_python(content)
        return
    except ValidationError as failed:
        errors = failed.errors(include_url=False)
    alternatives: dict[Path, list[Complaint]] = {}  # of places that may hold one or the other
    for error in errors:
        kind, place, value = error["type"], error["loc"], error["input"]
        about = error.get("ctx", {})
        if kind == "invalid_key" or (place[-1] == "[key]" and kind == "string_type"):
            continue  # `_unsound` has it
        if kind in ("extra_forbidden", "missing"):
            path, key = _follow(place[:-1], content)[0], str(place[-1])
            known = list(schema_at(asked, path)["properties"])
            if kind == "missing":
                yield Complaint(path, "missing", f"the key `{key}` is missing", key)
            else:
                says = nearest(key, known) or f"; there are {', '.join(known)}"
                yield Complaint(path, "unknown", f"unknown key `{key}`{says}", key)
            continue
        path, union = _follow(place[:-2] if place[-1] == "[key]" else place, content)
        schema = schema_at(asked, path)
        if "text" in about:
            path, said = path + (about["key"],) * bool(about["key"]), about["text"]
        elif kind.endswith("_type"):
            kinds = [resolve(asked, each)["type"] for each in schema.get("anyOf", [schema])]
            said = f"expected {' or '.join(TYPES[each] for each in kinds)}, found {value!r}"
        elif kind == "literal_error":
            said = one_of(schema["enum"], value)
        elif kind == "greater_than":
            said = f"{value} is not above {about['gt']:g}"
        elif kind == "greater_than_equal":
            said = f"{value} is less than the minimum of {about['ge']}"
        elif kind == "less_than_equal":
            said = f"{value} is greater than the maximum of {about['le']}"
        elif kind == "string_too_short":
            said = "expected text that is not empty"
        else:
            said = error["msg"]
        found = Complaint(path, "type" if kind.endswith("_type") else "value", said)
        if union is None:
            yield found
        else:
            alternatives.setdefault(union, []).append(found)
    for union, each in alternatives.items():
        inside = [found for found in each if found.path != union or found.about != "type"]
        yield from dict.fromkeys(inside or each)


def _unsound(content: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """What YAML can say and no option is, with its place: keys that are no text (an unquoted `no`
    is false), and numbers that are not finite."""
    if isinstance(content, Mapping):
        for key in content:
            if not isinstance(key, str):
                yield path, f"expected text as a key, found {key!r}. Put the key in quotes."
    if isinstance(content, float) and not math.isfinite(content):
        yield path, f"expected a finite number, found {content!r}"
    if isinstance(content, (Mapping, list)):
        for key, item in content.items() if isinstance(content, Mapping) else enumerate(content):
            yield from _unsound(item, (*path, key))


def _follow(place: Sequence[Any], content: Any) -> tuple[Path, Path | None]:
    """The path of an error in the content, and, of one that pydantic reports for an alternative,
    that of the place that has alternatives: the names of these lead nowhere."""
    path: Path = ()
    union = None
    for part in place:
        mapped = isinstance(content, Mapping) and part in content
        if mapped or (isinstance(content, list) and isinstance(part, int)):
            content, path = content[part], (*path, part)
        else:
            union = path
    return path, union


def problems(content: Any, asked: Any, sources: Mapping[str, Any]) -> list[str]:
    """Every way in which some content is not what its options ask for, sorted, a line each, such
    as `mine.yaml: evaluation_sets[0]: unknown key ...`.

    The content was merged from `sources`, by file; a later one overrides an earlier one. Values of
    another type are looked for file by file, too: merged into these, a mapping can vanish.
    """
    found = list(complaints(content, asked))
    lines = {
        described(file, each.path, each.text)
        for file, part in sources.items()
        for each in complaints(part, asked)
        if each.about == "type"
    }
    for path, about, said, key in found:
        unknown = [other.key for other in found if (other.path, other.about) == (path, "unknown")]
        misspelt = about == "missing" and any(nearest(other, [key]) for other in unknown)
        if not misspelt:
            whole = (*path, key) if about == "unknown" else path
            lines.add(described(source_of(whole, sources), path, said))
    return sorted(lines)


def described(file: str, path: Path, said: str) -> str:
    place = name_of(path)
    return f"{file}: {place}: {said}" if place else f"{file}: {said}"


def name_of(path: Path) -> str:
    """A path as people write it: `evaluation_sets[0].metrics`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def source_of(path: Path, sources: Mapping[str, Any]) -> str:
    """The file that some place comes from: the last that has it, or, if none does, the last that
    has the place around it."""
    while path:
        for file, content in reversed(list(sources.items())):
            if _follow(path, content)[0] == path:
                return file
        path = path[:-1]
    return list(sources)[-1]
