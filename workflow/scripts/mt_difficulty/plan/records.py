"""Check that Snakemake has its records of how a folder's results were made.

Snakemake keeps the settings and code of every result in `.snakemake`. For results that were copied
without these records, it cannot tell which ones changed settings make outdated.
"""

from __future__ import annotations

import os
import shlex
import uuid
from pathlib import Path

from ..errors import InputError

# A file in the folder of the results; it holds the name of a file in RECORDS.
ID = ".records"
# A folder with a file for each folder of results; the file holds the path of the results.
RECORDS = Path(".snakemake/mt-difficulty-results")
LOGS = "logs"
README = "README.md"
# A folder with one of these files, at any depth, holds results.
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
    """Mark a folder without results: from now on Snakemake keeps records of it.

    Parameters
    ----------
    results : str
        The folder of the results, as in the config.
    """
    if _is_known(results):
        return
    name = uuid.uuid4().hex
    contents = {RECORDS / name: results, Path(results, ID): name}
    for file, text in contents.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")


def _is_known(results: str) -> bool:
    """Return whether Snakemake has records of the results in this folder."""
    id_file = Path(results, ID)
    if not id_file.is_file():
        return False
    record = RECORDS / id_file.read_text(encoding="utf-8").strip()
    return record.is_file() and record.read_text(encoding="utf-8").rstrip("\n") == results


def _files_of(results: str) -> list[str]:
    """Return the names of the files in a folder and its subfolders, without logs, the project's
    README and subfolders that hold the results of another run."""
    names = []
    for folder, subfolders, files in os.walk(results):
        if ID in files and folder != results:
            subfolders.clear()
            continue
        names += sorted({*files} - {ID, README})
        subfolders[:] = [name for name in subfolders if name != LOGS]
    return names
