"""`mt-difficulty crate`: a run's results as an RO-Crate."""

import argparse
from pathlib import Path

from . import show
from .help_texts import RESULTS

CRATE = """\
Describe the results of a finished run, and how each was made, as a Workflow Run Crate 0.5 (an
RO-Crate): RESULTS/ro-crate-metadata.json, and a copy of the workflow's Snakefile. Every job is an
action with its inputs, its settings, its code, the versions of its libraries and its results,
each file with its SHA-256. Files that the run read but did not make are named, not copied. The same
results give the same bytes: there are no times of jobs, and the date of publication, which a crate
must have, is 1970-01-01, or that of SOURCE_DATE_EPOCH (seconds since 1970)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mt-difficulty crate`."""
    parser.add_argument("results", type=Path, metavar="RESULTS", help=RESULTS)


def run(arguments: argparse.Namespace) -> int:
    """Write the crate's metadata, and print its path.

    Raises
    ------
    InputError
        There are no records of a run, or a result is not what its job wrote.
    """
    from ..run.crate import write_crate

    show(f"{write_crate(arguments.results)}\n")
    return 0
