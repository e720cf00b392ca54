"""`mt-difficulty export`: a run's scores as files in the layout of the official archive."""

import argparse
from collections.abc import Iterable

from ..errors import InputError, nearest
from ..run.export import export_sets, finished_sets
from . import note


def run(arguments: argparse.Namespace) -> int:
    """Write the chosen scores, and print the files.

    Raises
    ------
    InputError
        There is no finished run, or no such set, metric or weighting in it.
    """
    known = finished_sets(arguments.results)
    check("--set", arguments.set, known)
    sets = [each for name, each in known.items() if name in (arguments.set or known)]
    metrics, weightings = arguments.metric, arguments.weighting
    check("--metric", metrics, dict.fromkeys(m for each in sets for m in each.metrics))
    check("--weighting", weightings, dict.fromkeys(w for each in sets for w in each.weightings))
    lines, notes = export_sets(
        arguments.out,
        sets,
        lambda key: (not metrics or key[0] in metrics) and (not weightings or key[1] in weightings),
    )
    print(*lines, sep="\n")
    for line in notes:
        note(line)
    return 0


def check(option: str, names: Iterable[str] | None, known: Iterable[str]) -> None:
    """Raise `InputError` where a name is not among those of the run."""
    known = list(known)
    for name in names or ():
        if name not in known:
            raise InputError(
                f"{option} {name}: the run has none of this name; it has {', '.join(known)}"
                f"{nearest(name, known)}."
            )
