"""`mt-difficulty select`: segments to give to people for a budget."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path


def run(arguments: argparse.Namespace) -> int:
    """Write the chosen segments; with scores to judge by, print what the choice does."""
    from ..data.sources import files_of, read_sources
    from ..errors import InputError
    from ..interface.choice import Choice
    from ..interface.selection import choose
    from ..run.plan import ARCHIVE
    from .choice_formats import FORMATS
    from .estimates import write
    from .judge_selection import report

    if arguments.judge and not arguments.judge.is_file():
        raise InputError(f"{arguments.judge}: no such file of segment scores.")
    known = {field.name for field in fields(Choice)}
    asked = Choice(**{name: value for name, value in vars(arguments).items() if name in known})
    sources = read_sources(asked.set, arguments.archive or Path(ARCHIVE))
    named = (arguments.by, asked.documents, asked.scores, asked.judge, *(asked.hyp or ()))
    read = [*files_of(sources), *(Path(file) for file in named if file)]
    if arguments.out and arguments.out.is_file():
        for file in filter(Path.exists, read):
            if file.samefile(arguments.out):
                raise InputError(f"--out {arguments.out}: {file} is read. Name another file.")
    pool, chosen = choose(sources, asked)
    written = FORMATS[arguments.format](pool.sources, arguments, chosen, pool.values)
    write(written, arguments.out)
    if asked.judge:
        # Where the choice itself goes to stdout, the report does not.
        print(report(pool, arguments), file=sys.stdout if arguments.out else sys.stderr)
    return 0
