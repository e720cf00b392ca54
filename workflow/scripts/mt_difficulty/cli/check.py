"""`mt-difficulty check`: whether results are what their jobs wrote."""

import argparse

from ..errors import InputError
from ..run import integrity, lock
from . import note


def run(arguments: argparse.Namespace) -> int:
    """Compare every result with its record, and remove those that differ, and pages of results that
    were made again since; 1 if there are any.

    Raises
    ------
    InputError
        There are no records, or a run uses the results.
    """
    results = arguments.results
    with lock.alone(results) as alone:
        if not alone:
            raise InputError(
                f"{results}: a run uses this folder, or its file system has no locks. Check the "
                "results after the run, on a file system with locks."
            )
        known = integrity.records(results)
        if not known:
            raise InputError(
                f"{results}: no records in {results / 'provenance'}. Name the folder "
                "of a run's results."
            )
        found = integrity.outdated_pages(results) | integrity.damaged(results, by_content=True)
        integrity.remove(found, results)
    for path, difference in found.items():
        print(f"{path}: {difference}; removed, the next run makes it again")
    absent = sum(not path.exists() for path in known.keys() - found.keys())
    whole = len(known) - len(found) - absent
    rest = f"; {absent:,} not there" if absent else ""
    if other := integrity.unrecorded(results, known):
        note(f"{len(other):,} other files have no record of how they were made, as {other[0]}")
    print(f"{whole:,} of {len(known):,} results are what their jobs wrote{rest}")
    return int(bool(found))
