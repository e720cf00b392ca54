"""The registry of formats of human ratings: each module of this folder defines one subclass of
`Format`, which recognises files by their content."""

import json
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError, shortened
from ...registry import Registry
from .base import Format

# Lines at the top of a file that its format is recognised by.
HEAD = 5
FORMATS: Registry[type[Format]] = Registry(__name__, Format)


def is_campaign(lines: Sequence[str]) -> bool:
    """Return whether a file is a campaign of Pearmut: a JSON object with `info` and `data`."""
    if not lines or not lines[0].lstrip().startswith("{"):
        return False
    try:
        content = json.loads("\n".join(lines))
    except ValueError:
        return False
    return {"info", "data"} <= content.keys()


def format_of(lines: Sequence[str], path: str | Path) -> type[Format]:
    """Return the format of a file of ratings.

    Parameters
    ----------
    lines : sequence of str
        Lines of the file; blank ones at the top do not count.
    path : path
        The file, for messages.

    Returns
    -------
    type
        A subclass of `Format`.

    Raises
    ------
    InputError
        If the file is empty or of no known format; the message lists the known ones.
    """
    head = [line for line in lines if line.strip()][:HEAD]
    if not head:
        raise InputError(f"{path}: the file is empty; expected ratings of annotators.")
    for form in FORMATS.values():
        if form.recognises(head):
            return form
    if is_campaign(lines):
        raise InputError(
            f"{path}: a campaign of Pearmut, which says what is to be rated. Expected its ratings: "
            "JSON lines with user_id, item and annotation, which Pearmut writes as annotators rate."
        )
    known = "; ".join(form.description for form in FORMATS.values())
    raise InputError(
        f"{path}, line 1: not a known format of ratings: `{shortened(head[0])}`. Known ones: "
        f"{known}."
    )
