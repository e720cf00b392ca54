"""What in a config or a paper's file is not as its JSON schema asks, in words for people."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from .errors import nearest

TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "nothing",
    "number": "a number",
    "object": "keys and values",
    "string": "text",
}


def problems(content: Any, schema: dict, sources: dict[str, Any]) -> list[str]:
    """Every way in which some content is not what a schema asks for, a line each.

    Parameters
    ----------
    content : dict
    schema : dict
        A JSON schema.
    sources : dict of str to dict
        The files that the content was merged from, by name; a later one overrides an earlier one.

    Returns
    -------
    list of str
        `mine.yaml: evaluation_sets[0]: unknown key ...`.
    """
    found = []
    for error in Draft202012Validator(schema).iter_errors(content):
        path = list(error.absolute_path)
        for key, text in complaints(error):
            file = home([*path, *key], sources)
            place = spell(path)
            found.append(f"{file}: {place}: {text}" if place else f"{file}: {text}")
    return sorted(found)


def complaints(error: ValidationError) -> Iterator[tuple[list, str]]:
    """One error of the schema as the key that it is about, if there is one, and a text."""
    asked, value = error.validator_value, error.instance
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        for key in sorted(map(str, set(value) - set(known))):
            yield [key], f"unknown key `{key}`{nearest(key, known) or listed(known)}"
    elif error.validator == "required":
        (key,) = [key for key in asked if error.message.startswith(repr(key))]
        unknown = set(value) - set(error.schema.get("properties", value))
        if not any(nearest(other, [key]) for other in unknown):
            yield [], f"the key `{key}` is missing"
    elif error.validator == "type":
        kinds = [TYPES[kind] for kind in ([asked] if isinstance(asked, str) else asked)]
        yield [], f"expected {' or '.join(kinds)}, found {value!r}"
    elif error.validator == "enum":
        near = nearest(str(value), asked)
        yield [], f"expected one of {', '.join(map(str, asked))}; found {value!r}{near}"
    elif error.validator == "anyOf":
        keys = (" and ".join(f"`{key}`" for key in option["required"]) for option in asked)
        yield [], f"expected the keys {', or '.join(keys)}"
    else:
        yield [], error.message


def listed(known: list[str]) -> str:
    return f"; there are {', '.join(known)}"


def spell(path: list) -> str:
    """A path as people write it: `evaluation_sets[0].metrics`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def home(path: list, sources: dict[str, Any]) -> str:
    """The file that some place comes from: the last that has it, or, if none does, the last that
    has the place around it."""
    while path:
        for file, content in reversed(sources.items()):
            if has(content, path):
                return file
        path = path[:-1]
    return list(sources)[-1]


def has(content: Any, path: list) -> bool:
    """Whether a path leads to something."""
    try:
        for part in path:
            content = content[part]
    except (KeyError, IndexError, TypeError):
        return False
    return True
