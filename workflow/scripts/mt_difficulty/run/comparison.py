"""What differs between two runs: how they were made, and the values of their results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import storage
from ..data.contents import checksum
from ..errors import InputError, Missing

if TYPE_CHECKING:
    import pandas as pd

# What a run says of itself; of the ledger, audit.csv has the values.
OF_RUNS = ("logs", "provenance", "claims.json", "ro-crate-metadata.json", "workflow")
# Columns of text that say something of a row; the others of text, and NUMBERED, name it.
SAID = {"reason", "evidence", "signature", "left_out", "tuned", "status", "statement", "value"}
NUMBERED = ["size", "draw", "power", "level"]
# Values of a JSON object that name it in a list.
NAMING = ("name", "system", "metric", "weighting", "difficulty", "statistic", "over", "against")


def compare_runs(a: Path, b: Path, tolerance: float) -> dict[str, Any]:
    """Compare the results of two runs.

    Parameters
    ----------
    a, b : path
        Folders of results.
    tolerance : float
        Numbers x and y are equal if |x - y| <= tolerance · max(1, |x|, |y|): an absolute difference
        for numbers up to 1, a relative one for larger ones.

    Returns
    -------
    dict
        same (no file, row or value differs beyond the tolerance), made_from (as from
        `compare_records`), files_only_in_a, files_only_in_b, values (a `compare_tables` for each
        table, JSON file or file of arrays that differs), bytes (other files that differ: pages,
        figures, texts; they do not count for `same`).

    Raises
    ------
    InputError
        One of the folders has no records of a run, or a file is damaged.
    """
    files = [_files(folder) for folder in (a, b)]
    both = sorted(files[0] & files[1])
    differing = [file for file in both if checksum(a / file) != checksum(b / file)]
    values: list[dict[str, Any]] = []
    other = []
    for file in differing:
        if Path(file).suffix not in READERS:
            other.append(file)
            continue
        found = compare_tables(_read(a / file), _read(b / file), tolerance)
        if any(found.values()):
            values.append({"file": file, **found})
    only = {"files_only_in_a": files[0] - files[1], "files_only_in_b": files[1] - files[0]}
    return {
        "same": not (values or any(only.values())),
        "made_from": compare_records(read_records(a), read_records(b)),
        **{key: sorted(each) for key, each in only.items()},
        "values": values,
        "bytes": other,
    }


def _files(folder: Path) -> set[str]:
    """Results, by their path in the folder."""
    paths = (path.relative_to(folder) for path in folder.rglob("[!.]*") if path.is_file())
    return {path.as_posix() for path in paths if path.parts[0] not in OF_RUNS}


def read_records(results: Path) -> dict[str, dict[str, Any]]:
    """What the jobs of a run say of themselves, by the job's name.

    Raises
    ------
    InputError
        There are no records.
    """
    folder = results / "provenance"
    files = sorted(folder.rglob("[!.]*.json"))
    if not files:
        raise InputError(f"{results}: no records in {folder}. Name the folder of a run's results.")
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in files]
    return {name: storage.read_json(path) for name, path in zip(names, files, strict=True)}


def outside_inputs(records: Mapping[str, dict[str, Any]]) -> dict[tuple[str, str], str]:
    """SHA-256 of the files that a run read and did not make, by job and file."""
    made = {file for record in records.values() for file in record["outputs"]}
    return {
        (job, file): sha256
        for job, record in records.items()
        for file, sha256 in record["inputs"].items()
        if file not in made
    }


def compare_records(a: Mapping[str, dict], b: Mapping[str, dict]) -> dict[str, Any]:
    """What two runs were made from that differs; of jobs that both had.

    Returns
    -------
    dict
        inputs (files that neither made: file, a, b, each a SHA-256 or None, and jobs), settings
        (setting, a, b, jobs), versions (library, a, b), code (rules of which it differs),
        jobs_only_in_a, jobs_only_in_b.
    """
    jobs = sorted(a.keys() & b.keys())
    read = [outside_inputs(run) for run in (a, b)]
    inputs: dict[tuple, list[str]] = {}
    for job, file in sorted(set().union(*read)):
        sides = tuple(side.get((job, file)) for side in read)
        if job in jobs and sides[0] != sides[1]:
            inputs.setdefault((file, *sides), []).append(job)
    settings: dict[tuple, list[str]] = {}
    for job in jobs:
        stated = [dict(_leaves(run[job]["params"])) for run in (a, b)]
        for name in sorted(stated[0].keys() | stated[1].keys()):
            one, other = (json.dumps(side.get(name)) for side in stated)
            if one != other and name != "code":
                settings.setdefault((name, one, other), []).append(job)
    versions = [_versions(run) for run in (a, b)]
    libraries = sorted(versions[0].keys() | versions[1].keys())
    return {
        "inputs": [
            {"file": file, "a": one, "b": other, "jobs": names}
            for (file, one, other), names in inputs.items()
        ],
        "settings": [
            {"setting": name, "a": json.loads(one), "b": json.loads(other), "jobs": names}
            for (name, one, other), names in settings.items()
        ],
        "versions": [
            {"library": name, "a": versions[0].get(name), "b": versions[1].get(name)}
            for name in libraries
            if versions[0].get(name) != versions[1].get(name)
        ],
        "code": sorted({a[job]["rule"] for job in jobs if a[job]["code"] != b[job]["code"]}),
        "jobs_only_in_a": sorted(a.keys() - b.keys()),
        "jobs_only_in_b": sorted(b.keys() - a.keys()),
    }


def _versions(records: Mapping[str, dict]) -> dict[str, str]:
    """The versions of libraries in a run; of results that were made at different times several."""
    found: dict[str, set[str]] = {}
    for record in records.values():
        for library, version in record["versions"].items():
            found.setdefault(library, set()).add(version)
    return {library: ", ".join(sorted(versions)) for library, versions in found.items()}


def compare_tables(a: pd.DataFrame, b: pd.DataFrame, tolerance: float) -> dict[str, list]:
    """Compare two tables row by row, joined by the columns that name a row, in whatever order.

    Returns
    -------
    dict
        columns_only_in_a, columns_only_in_b; rows_only_in_a, rows_only_in_b (the columns that name
        the row); changes (row, column, a, b), texts first, then
        numbers, the largest differences first.
    """
    columns = [column for column in a.columns if column in b.columns]
    keys = [c for c in columns if c not in SAID and (_is_text(a[c]) or _is_text(b[c]))]
    keys += [column for column in NUMBERED if column in columns and column not in keys]
    # Rows of one name are joined in their order; without names, all are.
    sides = [
        x.assign(nth=x.groupby(keys or (lambda _: 0), dropna=False).cumcount()) for x in (a, b)
    ]
    joined = sides[0].merge(sides[1], "outer", [*keys, "nth"], suffixes=("", "\0"), indicator=True)
    in_both = joined[joined._merge == "both"]
    changes = []
    for column in (column for column in columns if column not in keys):
        one, other = in_both[column], in_both[f"{column}\0"]
        different = _differ(one, other, tolerance)
        rows = in_both.loc[different, keys].to_dict("records")
        pairs = zip(rows, one[different].tolist(), other[different].tolist(), strict=True)
        changes += [{"row": row, "column": column, "a": x, "b": y} for row, x, y in pairs]
    return {
        "columns_only_in_a": [column for column in a.columns if column not in columns],
        "columns_only_in_b": [column for column in b.columns if column not in columns],
        "rows_only_in_a": joined.loc[joined._merge == "left_only", keys].to_dict("records"),
        "rows_only_in_b": joined.loc[joined._merge == "right_only", keys].to_dict("records"),
        "changes": sorted(changes, key=_size, reverse=True),
    }


def _is_text(column: pd.Series) -> bool:
    return column.dtype.kind not in "biuf"


def _differ(one: pd.Series, other: pd.Series, tolerance: float) -> np.ndarray:
    """Which values differ; two that do not exist are equal."""
    if _is_text(one) or _is_text(other):
        return np.array([_changed(*pair, tolerance) for pair in zip(one, other, strict=True)], bool)
    x, y = one.to_numpy(float), other.to_numpy(float)
    return ~_equal(x, y, tolerance)


def _equal(x: Any, y: Any, tolerance: float) -> Any:
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(x, y))
        near = apart <= tolerance * np.maximum(1, np.maximum(np.abs(x), np.abs(y)))
    return (near & np.isfinite(apart)) | np.equal(x, y) | (np.isnan(x) & np.isnan(y))


def _changed(x: Any, y: Any, tolerance: float) -> bool:
    if type(x) is type(y) and x == y:
        return False
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (x, y))
    if not numbers:
        return type(x) is not type(y) or x != y
    return not _equal(x, y, tolerance)


def _size(change: dict[str, Any]) -> float:
    """How far two values are apart: of text, or where one does not exist, farthest."""
    try:
        apart = abs(change["a"] - change["b"])
    except TypeError:
        return float("inf")
    return apart if apart == apart else float("inf")


def _read_json(path: Path) -> pd.DataFrame:
    """The values of a JSON file, a row each, by their place in it."""
    return _frame(list(_leaves(storage.read_json(path))))


def _leaves(content: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(content, dict) and content:
        for key, value in content.items():
            yield from _leaves(value, f"{place}, {key}" if place else str(key))
    elif isinstance(content, list) and content:
        for number, value in enumerate(content):
            yield from _leaves(value, f"{place}[{_name(value) or number}]")
    else:
        yield place, content


def _name(content: Any) -> str:
    """The name of a list's element, so that elements are joined by it and not by their place."""
    if not isinstance(content, dict):
        return ""
    return ", ".join(content[key] for key in NAMING if content.get(key))


def _read_arrays(path: Path) -> pd.DataFrame:
    """The elements of a file of arrays, a row each, by name and index."""
    rows: list[tuple[str, Any]] = []
    for name, array in storage.read_arrays(path).items():
        rows.append((f"{name}, shape", str(array.shape)))
        flat = array.ravel().tolist()
        rows += [(f"{name}[{index}]", value) for index, value in enumerate(flat)]
    return _frame(rows)


def _frame(rows: list[tuple[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    places, values = zip(*rows, strict=True) if rows else ((), ())
    return pd.DataFrame({"place": pd.Series(places, dtype=object), "value": _objects(values)})


def _objects(values: tuple) -> np.ndarray:
    """Values of any type as they are; lists and dictionaries are empty ones."""
    found = np.empty(len(values), dtype=object)
    found[:] = [str(value) if isinstance(value, (list, dict)) else value for value in values]
    return found


READERS = {".csv": storage.read_table, ".json": _read_json, ".npz": _read_arrays}


def _read(path: Path) -> pd.DataFrame:
    """A file's values; of a result that cannot exist the reason."""
    try:
        return READERS[path.suffix](path)
    except Missing as missing:
        return _frame([("missing", str(missing))])
