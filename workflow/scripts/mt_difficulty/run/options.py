"""What options of a config and of a paper's file are made of: texts of some form, mappings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import ConfigDict, Field, WithJsonSchema, with_config


def options(described: bool = True, /, **schema: Any) -> Callable:
    """Make a TypedDict of options: it takes no other keys, and their docstrings describe them.

    Parameters
    ----------
    described : bool
        False for one that is made on the spot, and has no source to look for docstrings in.
    schema : keyword arguments
        What its JSON schema says beside.
    """
    return with_config(
        ConfigDict(
            extra="forbid", use_attribute_docstrings=described, json_schema_extra=dict(schema)
        )
    )


def text(pattern: str, expected: str, **schema: Any) -> WithJsonSchema:
    """A text of some form; `expected` says which, after "expected"."""
    return WithJsonSchema(
        {"type": "string", "pattern": rf"^{pattern}\Z", "expected": expected} | schema
    )


def keyed(pattern: str, expected: str) -> Any:
    """A mapping whose keys have some form."""
    form: dict[str, Any] = {"pattern": rf"^{pattern}\Z", "expected": expected}
    return Field(json_schema_extra={"propertyNames": form})


def named(taken: str) -> Any:
    """A mapping whose keys are names, of which one is taken."""
    return keyed(rf"(?!{taken}\Z){A_NAME[0]}", f"{A_NAME[1]}, and not {taken}")


A_NAME = (
    "[A-Za-z0-9][A-Za-z0-9_.+-]*",
    "a name of letters, digits, `_`, `.`, `+` and `-`, of which the first is a letter or a digit",
)
A_PAIR = ("[A-Za-z0-9_]+-[A-Za-z0-9_]+", "source and target language, such as en-de")
A_PAIR_PATTERN = (
    r"[A-Za-z0-9_*?\[\]!]*[-*?][A-Za-z0-9_*?\[\]!-]*",
    "source and target language, such as en-de, or a pattern of them, such as *-de",
)
A_PAIR_OR_LANGUAGE = (
    "([A-Za-z]{2,3}|[A-Za-z0-9_]+-[A-Za-z0-9_]+)",
    "a language or a pair of them, such as de or en-de",
)

NonEmpty = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=3)]
Draws = Annotated[int, Field(ge=1, le=100_000)]
Resamples = Annotated[int, Field(ge=100, le=100_000)]


# A member of a registry, such as a metric, with settings; those are checked against what the member
# takes, so that a new one needs no line here.
Member = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}
    ),
]
# By name; those of plots and of the weighting that needs no entry are taken.
Difficulties = Annotated[dict[str, Member], named("difficulty")]
Weightings = Annotated[dict[str, Member], named("standard")]
