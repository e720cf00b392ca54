"""`mt-difficulty estimates`: files in which others fill in difficulty estimates."""

import argparse
from pathlib import Path

from .. import storage
from ..data.estimates import template
from ..data.sources import read_outputs, read_sources
from ..errors import InputError
from ..run.plan import ARCHIVE
from . import show


def run(arguments: argparse.Namespace) -> int:
    """Write the file to fill in."""
    if arguments.out and arguments.out.is_file():
        raise InputError(
            f"{arguments.out}: the file is there, and may hold estimates. Name another one, or "
            "remove it."
        )
    sources = read_sources(arguments.set, arguments.archive or Path(ARCHIVE))
    outputs = read_outputs(sources, arguments.hyp or ()) if arguments.of_hypotheses else {}
    write(template(sources.texts, outputs), arguments.out)
    return 0


def write(text: str, path: Path | None) -> None:
    """Write a text to a file, or to stdout."""
    if path is None:
        show(text)
    else:
        storage.write_text(path, text)
