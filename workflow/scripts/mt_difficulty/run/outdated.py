"""What earlier runs left in a folder of results: which sets, and pages older than their tables."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

import yaml

from .. import storage
from ..errors import Missing

PROTOCOL = "protocol.json"  # of a set: reference, gold, segments
PAGE_FILES = ("report.html", "report.json", "segments.js")
TABLES = ("correlations.csv", "significance.csv", "agreement.csv", "controls.csv", "parameters.csv")
SCORED = ("evalset.json", "weightings.json", "statistics/*.npz")


def protocols(results: str | Path) -> dict[str, dict[str, Any]]:
    """Reference, gold and segments of the sets whose results are there, by name."""
    found = {}
    for file in Path(results).glob(f"*/*/{PROTOCOL}"):
        with suppress(Missing):
            found[str(file.parent.relative_to(results))] = storage.read_json(file)
    return found


def outdated_files(results: str | Path) -> set[Path]:
    """Pages of sets that are older than one of their tables; pages and tables over papers and sets
    that are older than what the scores of one of their sets are made from; and with a page of a
    set the index. A run of a part makes only some results again."""
    from .project import find_project

    results, papers = Path(results), find_project().papers
    sets = [file.parent for file in results.glob(f"*/*/{PROTOCOL}")]
    tables = {folder: _newest(folder, TABLES) for folder in sets}
    scored = {folder: _newest(folder, SCORED) for folder in sets}
    limits = {folder / name: tables[folder] for folder in sets for name in PAGE_FILES}
    of_papers = []
    for page in results.glob("papers/*/report.html"):
        file = papers / f"{page.parent.name}.yaml"
        entries = yaml.safe_load(file.read_text("utf-8"))["sets"] if file.exists() else []
        folders = [results / entry["campaign"] / entry["pair"] for entry in entries]
        limits[page] = max((scored.get(folder, 0) for folder in folders), default=0)
        of_papers.append(limits[page])
    limits[results / "audit.csv"] = max(of_papers, default=0)
    held_out = results / "held_out.csv"
    with suppress(FileNotFoundError, Missing):
        names = storage.read_table(held_out)["set"]
        limits[held_out] = max((scored.get(results / name, 0) for name in names), default=0)
    found = {file for file, limit in limits.items() if _time(file) < limit}
    of_sets = [limits[file] for file in found if file.parent in tables]
    index = results / "report.html"
    return found | ({index} if _time(index) < max(of_sets, default=0) else set())


def _newest(folder: Path, patterns: tuple[str, ...]) -> float:
    files = (file for pattern in patterns for file in folder.glob(pattern))
    return max(map(_time, files), default=0)


def _time(file: Path) -> float:
    """When a file was written; infinitely late where it is not there."""
    return file.stat().st_mtime_ns if file.exists() else inf
