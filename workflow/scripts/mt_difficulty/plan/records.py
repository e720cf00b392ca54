"""Whether Snakemake has its records of how a folder's results were made.

Snakemake keeps the settings and code of every result in `.snakemake`. Of results that were copied
without it, it does not know that other settings make other ones.
"""

from __future__ import annotations

import os
import shlex
import uuid
from pathlib import Path

from ..errors import InputError

ID = ".records"  # in the results
RECORDS = Path(".snakemake/mt-difficulty-results")  # a file by ID, with the path of the results
LOGS, README = "logs", "README.md"
# A folder with one of these, here or below, holds results.
RESULTS = frozenset({"run.json", "evalset.json", "system_scores.csv", "summary.txt", "audit.csv"})


def check_records(results: str) -> None:
    """Raise `InputError` if a folder has results of which Snakemake has no records.

    Parameters
    ----------
    results : str
        The folder of the results, as in the config.
    """
    if _is_known(results):
        return
    files = _files_of(results)
    if files and not RESULTS.intersection(files):
        raise InputError(
            f"{results}: the folder of the results holds other files, such as {files[0]}. Name an "
            "empty folder, or one that does not exist, as `results`."
        )
    if files:
        raise InputError(
            f"{results}: Snakemake has no records of how these results were made: they were copied "
            "without .snakemake or to another folder, or made by an older version. It could not "
            "tell which of them other settings change. Copy .snakemake, too, or remove them, then "
            f"run again: rm -r {shlex.quote(results)}"
        )


def keep_records(results: str) -> None:
    """Mark a folder without results as one of which Snakemake has records from now on.

    Parameters
    ----------
    results : str
        The folder of the results, as in the config.
    """
    if _is_known(results):
        return
    name = uuid.uuid4().hex
    for file, text in ((RECORDS / name, results), (Path(results, ID), name)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")


def _is_known(results: str) -> bool:
    mark = Path(results, ID)
    if not mark.is_file():
        return False
    record = RECORDS / mark.read_text(encoding="utf-8").strip()
    return record.is_file() and record.read_text(encoding="utf-8").rstrip("\n") == results


def _files_of(results: str) -> list[str]:
    """Return the names of the files in a folder and below it that are not logs or the project's
    README, nor those of another run below it."""
    names = []
    for folder, below, files in os.walk(results):
        if ID in files and folder != results:
            below.clear()
            continue
        names += sorted({*files} - {ID, README})
        below[:] = [name for name in below if name != LOGS]
    return names
