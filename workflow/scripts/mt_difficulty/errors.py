"""The two ways in which work stops with something to tell the user, and how it is reported."""

import difflib
import errno
import re
from collections.abc import Iterable

FULL = (errno.ENOSPC, errno.EDQUOT)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
# Control characters, line separators, marks of writing direction or of no width, and bytes of file
# names that are not UTF-8.
UNPRINTABLE = re.compile(
    r"[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


class InputError(Exception):
    """Bad input: the message names the file, the line or system, and what to do."""


class Missing(Exception):
    """A result that cannot exist, with the reason; it travels in place of the result."""


def nearest(name: str, known: Iterable[str], likeness: float = 0.65) -> str:
    """A question after the known name that is most like this one; empty if none is."""
    found = difflib.get_close_matches(name, list(known), 1, likeness)
    return f" (did you mean {found[0]}?)" if found else ""


def printable(text: str) -> str:
    """A text on one line, in which nothing acts on a terminal: escaped as Python writes it."""
    return UNPRINTABLE.sub(lambda sign: ascii(sign[0])[1:-1], text)


def explain(error: OSError) -> str:
    """What an OSError says, with what to do about a full disk or a folder that is read-only."""
    # Of a file that is copied, the copy.
    file = error.filename2 or error.filename
    if file is None:
        return str(error)
    text = f"{file}: {error.strerror}."
    if error.errno in FULL:
        text += " The disk, or your share of it, is full: make room, then run again."
    elif error.errno in CLOSED:
        text += " Allow it, or name another folder (config, results)."
    return text
