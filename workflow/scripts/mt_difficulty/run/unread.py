"""Files of others in a folder of own files that nothing reads: probably their names are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..data import own_files
from . import stored_scores

if TYPE_CHECKING:
    from .plan import Plan

OF_METRICS = "no metric reads {}; those of type stored read scores/<metric>.tsv."
OF_DIFFICULTIES = "no difficulty reads {}; those of type file read difficulty/<name>.tsv."


def notices(plan: Plan, name: str, root: str | Path = "") -> list[str]:
    """A sentence for each file in a set's `scores` and `difficulty` that no set of the folder
    reads; none for a set of the archive.

    Parameters
    ----------
    root : path, optional
        The folder from which the config's paths start.
    """
    planned = plan.sets[name]
    if planned.files is None:
        return []
    folder = Path(root, planned.files)
    of_folder = [name for name, each in plan.sets.items() if each.files == planned.files]
    read = {Path(root, file) for each in of_folder for file in _read(plan, each)}
    return [
        text.format(path)
        for text, files in (
            (OF_METRICS, own_files.scores_files(folder)),
            (OF_DIFFICULTIES, own_files.difficulty_files(folder)),
        )
        for path in files
        if path not in read
    ]


def _read(plan: Plan, name: str) -> list[str | Path]:
    """The files of others that a set reads."""
    planned = plan.sets[name]
    stored = [each for each in planned.metrics if stored_scores.are_read(planned, each)]
    scores = [stored_scores.location(planned, each, planned.files or "") for each in stored]
    estimates = [plan.estimates_file(name, each) for each in planned.difficulties]
    return [file for file in (*scores, *estimates) if file]
