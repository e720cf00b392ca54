"""Whether results are what their jobs wrote, by the records in `<results>/provenance`, and whether
Snakemake's notes of this project say how."""

import base64
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .. import storage
from ..data.contents import checksum
from ..data.downloads import damaged_files
from ..errors import Missing
from . import lock

# Snakemake's, a file for each result: what it was made from, and the result's time then.
NOTES = Path(".snakemake/metadata")
CLOCK = 2.0  # s, the coarsest that file systems and archives keep
EXPORT = "export"  # the folder of results that one job makes as a whole
NAMED = 10  # damaged files that are named one by one
# What the jobs that render pages write.
PAGES = ("report.html", "report.json", "made.html", "segments.js", "findings.js")


class Record(NamedTuple):
    """Size in bytes and SHA-256 of a result when its job wrote it."""

    size: int
    sha256: str


def records(results: str | Path) -> dict[Path, Record]:
    """The records of a folder of results, by file; a damaged file of records has none.

    A record of a file outside of the folder is left out: what differs is removed.
    """
    found: dict[Path, Record] = {}
    for job in _jobs(results):
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            found |= {
                Path(results, name): Record(int(job["sizes"][name]), sha256)
                for name, sha256 in job["outputs"].items()
                if not {"..", "/"} & set(Path(name).parts)
            }
    return found


def _jobs(results: str | Path) -> Iterator[Any]:
    """The content of the records, the oldest first: of a rule that was renamed an older record may
    be left."""
    files = Path(results, "provenance").rglob("*.json")
    for path in sorted(files, key=lambda path: path.stat().st_mtime):
        with suppress(ValueError):
            yield json.loads(path.read_text(encoding="utf-8"))


def outdated(results: str | Path) -> set[Path]:
    """Results of which something that they were made from, however indirectly, was made again since
    with other bytes, by the records: a run of a part makes only some results again."""
    jobs: dict[str, tuple[int, str, dict[str, str]]] = {}
    for number, job in enumerate(_jobs(results)):
        with suppress(LookupError, TypeError, AttributeError):
            inputs = job["inputs"]
            jobs |= {name: (number, sha256, inputs) for name, sha256 in job["outputs"].items()}
    # By result the number of the latest job that made something again that it was made from.
    found: dict[str, int] = {}

    def made_again(name: str, read: str) -> int:
        number, sha256, _ = jobs.get(name, (-1, read, {}))
        return max(number if sha256 != read else -1, found.get(name, -1))

    while True:
        latest = {
            name: max((made_again(*item) for item in inputs.items()), default=-1)
            for name, (_, _, inputs) in jobs.items()
        }
        newer = {n: at for n, at in latest.items() if at > max(jobs[n][0], found.get(n, -1))}
        if not newer:
            return {Path(results, name) for name in found}
        found |= newer


def outdated_pages(results: str | Path) -> dict[Path, str]:
    """The pages among the outdated results, and what is wrong with them."""
    reason = "it shows results that have been made again since"
    return {p: reason for p in sorted(outdated(results)) if p.name in PAGES and p.exists()}


def protocols(results: str | Path) -> dict[str, dict[str, Any]]:
    """What the sets are whose results are there: reference, human scores and segments, by name."""
    found = {}
    for path in Path(results, "provenance/import_evalset").glob("*.json"):
        with suppress(OSError, ValueError, LookupError, Missing):
            job = json.loads(path.read_text(encoding="utf-8"))
            (file,) = job["outputs"]
            storage.check_present(Path(results, file))
            settings = job["params"]["entry"]
            names = ("reference", "gold", "segments")
            found[os.path.dirname(file)] = {name: settings.get(name) for name in names}
    return found


def damaged(
    results: str | Path, expected: Iterable[str] = (), by_content: bool = False
) -> dict[Path, str]:
    """Results that are not what their jobs wrote.

    Parameters
    ----------
    results : path
    expected : iterable of str
        Files that a run makes: what exists without a record is damaged, too.
    by_content : bool
        Compare SHA-256, not only sizes.

    Returns
    -------
    dict of Path to str
        How each differs. A result that is not there is no damage.
    """
    known = records(results)
    found = {path: _difference(path, record, by_content) for path, record in known.items()}
    for path in map(Path, expected):
        if path not in known and path.exists():
            found[path] = "no record says how it was made"
    return {path: difference for path, difference in found.items() if difference}


def unnoted(expected: Iterable[str]) -> dict[Path, str]:
    """Results that Snakemake's notes of this project do not describe: it could not tell that their
    inputs or settings are others now.

    Notes are lost with `.snakemake`, or where a power cut empties them; and another copy of the
    project, which has its own, may have written the same results.
    """
    found = {}
    for path in filter(Path.exists, map(Path, expected)):
        try:
            note = json.loads(_note_of(path).read_text(encoding="utf-8"))
            done = float(note["endtime"])
        except (OSError, ValueError, LookupError, TypeError):
            found[path] = "Snakemake has lost its note of how it was made"
            continue
        if abs(path.stat().st_mtime - done) > CLOCK:
            found[path] = "it was written since, not by a run of this copy of the project"
    return found


def _note_of(path: Path) -> Path:
    """Where Snakemake's note of a result is: names that are too long are cut into folders."""
    name = base64.urlsafe_b64encode(os.fsencode(path)).decode()
    length = os.pathconf(NOTES, "PC_NAME_MAX") - 1
    parts = [name[start : start + length] for start in range(0, len(name), length)]
    return NOTES.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])


def remove_damaged(
    results: str | Path, expected: Sequence[str], download: str | Path, dry: bool
) -> list[str]:
    """Remove results and a download that are not what was written, as after a power cut, so that
    the next run makes them again; nothing while another run is at work.

    Parameters
    ----------
    results : path
        A folder in which no run ever was holds files of the user's, which stay.
    expected : sequence of str
        Files that a run makes.
    download : path
        A folder with the list of `downloads.list_sizes`; it is removed as a whole.
    dry : bool
        Remove nothing.

    Returns
    -------
    list of str
        What is removed, in sentences.

    Raises
    ------
    OSError
        A file cannot be removed.
    """
    if not any(Path(results, name).exists() for name in ("logs/run.lock", "provenance")):
        return []
    with lock.alone(results) as alone:
        if not alone:
            return []
        found = outdated_pages(results) | unnoted(expected) | damaged(results, expected)
        spoilt = damaged_files(Path(download))
        if not dry:
            remove(found, results)
            if spoilt:
                shutil.rmtree(download)
    reasons = found | dict.fromkeys(spoilt, "not the file that was fetched")
    lines = [f"{path}: {reason}; it is made again" for path, reason in reasons.items()]
    more = len(lines) - NAMED
    return lines[:NAMED] + [f"{more} more files are made again"] * (more > 0)


def unrecorded(results: str | Path, known: Iterable[Path]) -> list[Path]:
    """Files in a folder of results without a record: a user's own, or of a damaged record."""
    files = {path for path in Path(results).rglob("[!.]*") if path.is_file()}
    own = ("logs", "provenance")
    found = {path for path in files if path.relative_to(results).parts[0] not in own}
    return sorted(found - set(known))


def remove(paths: Iterable[Path], results: str | Path) -> None:
    """Remove results, so that the next run makes them: those of a folder that one job makes as a
    whole."""
    for path in paths:
        path.unlink(missing_ok=True)
        if path.is_relative_to(folder := Path(results, EXPORT)):
            shutil.rmtree(folder, ignore_errors=True)


def _difference(path: Path, record: Record, by_content: bool) -> str:
    if not path.is_file():
        return ""
    size = path.stat().st_size
    if size != record.size:
        return f"{size:,} bytes instead of {record.size:,}"
    if by_content and checksum(path) != record.sha256:
        return "its bytes have changed"
    return ""
