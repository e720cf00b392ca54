"""`mt-difficulty export`: a run's scores as files in the layout of the official archive."""

import argparse

from ..errors import InputError, nearest
from ..run.export import export_sets, finished_sets
from . import note


def run(arguments: argparse.Namespace) -> int:
    """Write the chosen scores, and print the files."""
    runs = finished_sets(arguments.results)
    sets = [finished for name, finished in runs.items() if name in (arguments.set or runs)]
    metrics, weightings = arguments.metric, arguments.weighting
    for option, names, known in (
        ("set", arguments.set, list(runs)),
        ("metric", metrics, [name for finished in sets for name in finished.metrics]),
        ("weighting", weightings, [name for finished in sets for name in finished.weightings]),
    ):
        for name in names or ():
            if name not in known:
                raise InputError(
                    f"--{option} {name}: the run has none of this name; it has "
                    f"{', '.join(dict.fromkeys(known))}{nearest(name, known)}."
                )
    lines, notes = export_sets(
        arguments.out,
        sets,
        lambda key: (not metrics or key[0] in metrics) and (not weightings or key[1] in weightings),
    )
    print(*lines, sep="\n")
    for line in notes:
        note(line)
    return 0
