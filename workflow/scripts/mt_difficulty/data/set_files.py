"""The result files of one evaluation set, as a job reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import storage
from ..errors import Missing
from . import evalset

READERS = {".csv": storage.read_table, ".json": storage.read_json, ".npz": storage.read_arrays}


@dataclass(frozen=True)
class SetFiles:
    """What a job was given of an evaluation set.

    `contents` has, by the path in the set's folder, an evaluation set, a table, arrays, what a JSON
    file holds, the text of any other file, or the `Missing` of a file that only says why there is
    no result.
    """

    name: str
    contents: dict[str, Any] = field(default_factory=dict)

    def __contains__(self, file: str) -> bool:
        return file in self.contents

    def read(self, file: str) -> Any:
        """A file's content; raises `Missing` with the reason where there is none."""
        found = self.contents[file]
        if isinstance(found, Missing):
            raise Missing(str(found))
        return found

    def optional(self, file: str) -> Any:
        """A file's content; None where there is none, or no such file."""
        found = self.contents.get(file)
        return None if isinstance(found, Missing) else found

    def reason(self, file: str) -> str:
        """Why a file has no content; empty where it has."""
        found = self.contents.get(file)
        return str(found) if isinstance(found, Missing) else ""

    def missing_scores(self) -> dict[tuple[str, str], str]:
        """Why there are no scores, by metric and weighting, as in `missing.csv`."""
        rows = self.read("missing.csv").itertuples()
        return {(row.metric, row.weighting): row.reason for row in rows}

    def in_folder(self, folder: str) -> list[str]:
        """The files of a folder, in the order in which they were given."""
        return [file for file in self.contents if file.startswith(f"{folder}/")]


def read_set(name: str, files: Iterable[str]) -> SetFiles:
    """Read those of a job's files that lie in the folder of a set."""
    contents: dict[str, Any] = {}
    for file in files:
        if f"/{name}/" not in file:
            continue
        path, place = Path(file), file.rpartition(f"/{name}/")[2]
        try:
            storage.check_present(path)
            if path.name in ("evalset.json", "texts.json"):
                contents[place] = evalset.load(path)
            elif path.suffix in READERS:
                contents[place] = READERS[path.suffix](path)
            else:
                contents[place] = path.read_text(encoding="utf-8")
        except Missing as missing:
            contents[place] = missing
    return SetFiles(name, contents)


def read_tables(
    names: Iterable[str], files: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Tables of the sets that have one, by the sets' names, and why others have none."""
    found, absent = {}, {}
    for name, file in zip(names, files, strict=True):
        try:
            found[name] = storage.read_table(file)
        except Missing as reason:
            absent[name] = str(reason)
    return found, absent
