"""What earlier runs left in a folder of results: which sets, and pages older than their tables."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from .. import storage
from ..errors import Missing

PROTOCOL = "protocol.json"  # of a set: reference, gold, segments
PAGE_FILES = ("report.html", "report.json", "segments.js")


def protocols(results: str | Path) -> dict[str, dict[str, Any]]:
    """Reference, gold and segments of the sets whose results are there, by name."""
    found = {}
    for file in Path(results).glob(f"*/*/{PROTOCOL}"):
        with suppress(Missing):
            found[str(file.parent.relative_to(results))] = storage.read_json(file)
    return found


def outdated_files(results: str | Path) -> set[Path]:
    """Pages of sets and papers, and tables over papers, that are older than a table of a set that
    they are made from: a run of a part makes only some results again. With a page of a set, the
    index is outdated."""
    from .project import find_project

    results, papers = Path(results), find_project().papers
    newest = {
        file.parent: max(
            (table.stat().st_mtime_ns for table in file.parent.glob("*.csv")), default=0
        )
        for file in results.glob(f"*/*/{PROTOCOL}")
    }
    made_from = {folder / name: [folder] for folder in newest for name in PAGE_FILES}
    ledger: list[Path] = []
    for page in results.glob("papers/*/report.html"):
        entries = yaml.safe_load((papers / f"{page.parent.name}.yaml").read_text("utf-8"))["sets"]
        made_from[page] = [results / entry["campaign"] / entry["pair"] for entry in entries]
        ledger += made_from[page]
    made_from[results / "audit.csv"] = ledger
    held_out = results / "held_out.csv"
    with suppress(FileNotFoundError, Missing):
        made_from[held_out] = [results / name for name in storage.read_table(held_out)["set"]]

    def older(file: Path, sets: list[Path]) -> bool:
        times = [newest.get(folder, 0) for folder in sets]
        return file.exists() and file.stat().st_mtime_ns < max(times, default=0)

    found = {file for file, sets in made_from.items() if older(file, sets)}
    pages = [file.parent for file in found if file.parent in newest]
    index = results / "report.html"
    return found | ({index} if older(index, pages) else set())
