"""What in a config or a paper's file is not as its options ask, in words for people."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic import TypeAdapter

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


@cache
def validator_of(asked: type) -> Draft202012Validator:
    """What checks a mapping of options: the JSON schema that pydantic makes of them."""
    return Draft202012Validator(TypeAdapter(asked).json_schema())


def problems(content: Any, asked: type, sources: Mapping[str, Any]) -> list[str]:
    """Every way in which some content is not what its options ask for, a line each.

    Parameters
    ----------
    content : dict
    asked : type
        The options: `settings.Config` or `paper_settings.Paper`.
    sources : dict of str to dict
        The files that the content was merged from, by name; a later one overrides an earlier one.

    Returns
    -------
    list of str
        `mine.yaml: evaluation_sets[0]: unknown key ...`.
    """
    errors = list(validator_of(asked).iter_errors(content))
    found = [describe(path, text, sources) for path, text in no_json(content)]
    unknown = {
        (name_of(error.absolute_path), key) for error in errors for key in unknown_keys(error)
    }
    for error in errors:
        path = list(error.absolute_path)
        for key, text in complaints(error):
            place = name_of(path)
            if is_misspelt(error, key, place, unknown):
                continue
            whole = [*path, key] if key in unknown_keys(error) else path
            found.append(describe(path, text, sources, whole))
    return sorted(found)


def complaints_of(content: Any, asked: type) -> list[str]:
    """The problems of some options without their file, sorted."""
    return [problem.removeprefix("x: ") for problem in problems(content, asked, {"x": content})]


def wrong_types(asked: type, sources: Mapping[str, Any]) -> list[str]:
    """Values of another type than the options', file by file, as `problems` says it."""
    return sorted(
        describe(error.absolute_path, text, {file: content})
        for file, content in sources.items()
        for error in validator_of(asked).iter_errors(content)
        if error.validator == "type" and "propertyNames" not in error.schema_path
        for _, text in complaints(error)
    )


def describe(
    path: Sequence[Any], text: str, sources: Mapping[str, Any], whole: Sequence[Any] = ()
) -> str:
    """A problem with its file, which is that of the `whole` path where one is given, and place."""
    file, place = source_of(whole or path, sources), name_of(path)
    return f"{file}: {place}: {text}" if place else f"{file}: {text}"


def no_json(content: Any, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """What YAML can say and no schema sees, with its place: keys that are no text (an unquoted `no`
    is false), and numbers that are not finite."""
    if isinstance(content, Mapping):
        for key in content:
            if not isinstance(key, str):
                yield path, f"expected text as a key, found {key!r}. Put the key in quotes."
    if isinstance(content, float) and not math.isfinite(content):
        yield path, f"expected a finite number, found {content!r}"
    if isinstance(content, (Mapping, list)):
        items = content.items() if isinstance(content, Mapping) else enumerate(content)
        for key, item in items:
            yield from no_json(item, (*path, key))


def complaints(error: ValidationError) -> Iterator[tuple[str | None, str]]:
    """One error of the schema as the key that it is about, or None, and a text."""
    asked, value = error.validator_value, error.instance
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        for key in unknown_keys(error):
            yield key, f"unknown key `{key}`{nearest(key, known) or listed(known)}"
    elif error.validator == "required":
        (key,) = [key for key in asked if error.message.startswith(repr(key))]
        yield key, f"the key `{key}` is missing"
    elif "propertyNames" in error.schema_path and error.validator == "enum":
        yield value, f"there is no key `{value}` here{listed(asked)}"
    elif error.validator == "type":
        if "enum" in error.schema:
            return  # which says more
        kinds = [TYPES[kind] for kind in ([asked] if isinstance(asked, str) else asked)]
        yield None, f"expected {' or '.join(kinds)}, found {value!r}"
    elif error.validator == "enum":
        near = nearest(str(value), asked)
        yield None, f"expected one of {', '.join(map(str, asked))}; found {value!r}{near}"
    elif error.validator == "anyOf" and "required" not in asked[0]:
        kinds = [TYPES[option["type"]] for option in asked]
        yield None, f"expected {' or '.join(kinds)}, found {value!r}"
    elif error.validator == "anyOf":
        keys = (" and ".join(f"`{key}`" for key in option["required"]) for option in asked)
        yield None, f"expected the keys {', or '.join(keys)}"
    elif error.validator in ("pattern", "not") and "expected" in error.schema:
        yield None, f"expected {error.schema['expected']}; found {value!r}"
    else:
        yield None, error.message


def unknown_keys(error: ValidationError) -> list[str]:
    """The keys that a closed mapping has too many."""
    if error.validator != "additionalProperties":
        return []
    return sorted(map(str, set(error.instance) - set(error.schema["properties"])))


def is_misspelt(
    error: ValidationError, key: str | None, place: str, unknown: Collection[tuple[str, str]]
) -> bool:
    """Whether a key that is missing, or has no place, is one that was misspelt."""
    if error.validator == "additionalProperties" or key is None:
        return False
    here = [other for where, other in unknown if where == place]
    return key in here or any(nearest(other, [key]) for other in here)


def listed(known: Iterable[str]) -> str:
    return f"; there are {', '.join(known)}"


def name_of(path: Iterable[str | int]) -> str:
    """A path as people write it: `evaluation_sets[0].metrics`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def source_of(path: Sequence[Any], sources: Mapping[str, Any]) -> str:
    """The file that some place comes from: the last that has it, or, if none does, the last that
    has the place around it."""
    while path:
        for file, content in reversed(list(sources.items())):
            if leads_somewhere(content, path):
                return file
        path = path[:-1]
    return list(sources)[-1]


def leads_somewhere(content: Any, path: Iterable[Any]) -> bool:
    """Whether a path leads to something."""
    try:
        for part in path:
            content = content[part]
    except (KeyError, IndexError, TypeError):
        return False
    return True
