"""`mt-difficulty diff`: what differs between two runs."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..storage import to_json
from . import show

NAMED = 10  # changes, rows and files that are named one by one
TOLERANCE = 1e-9
DIFF = """\
Compare the results of two runs: which inputs, settings, versions of libraries and code differ, by
the records that each run keeps of its jobs; which files, rows and values differ. Rows of tables and
objects in JSON lists are joined by their names, not by their place. Numbers x and y are equal if
|x - y| <= TOLERANCE * max(1, |x|, |y|). Pages, figures and other files without values are compared
by their bytes, and listed, but do not count as a difference.

Exit code 0: no file, row or value differs; 1: some do (or bad input: then stdout is empty)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mt-difficulty diff`."""
    for side in ("A", "B"):
        parser.add_argument(
            f"results_{side.lower()}",
            type=Path,
            metavar=f"RESULTS_{side}",
            help="the folder of a run's results, such as results/demo",
        )
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=TOLERANCE,
        metavar="TOLERANCE",
        help="by how much numbers may differ: absolutely up to 1, relatively above; at least 0 "
        f"(default: {TOLERANCE:g})",
    )
    parser.add_argument(
        "--format",
        default="text",
        choices=["text", "json"],
        help="text, with the largest differences of each file; or json, with all (default: text)",
    )


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Print what differs; 1 if a file, row or value does.

    Raises
    ------
    InputError
        A folder has no records of a run, or a file is damaged.
    """
    from ..run.comparison import compare_runs

    folders = (arguments.results_a, arguments.results_b)
    found = compare_runs(*folders, arguments.tolerance)
    if arguments.format == "json":
        heads = {"a": str(folders[0]), "b": str(folders[1]), "tolerance": arguments.tolerance}
        show(to_json(heads | found, sort_keys=False) + "\n")
    else:
        show("\n".join(_lines(found)) + "\n")
    return int(not found["same"])


def _lines(found: dict[str, Any]) -> Iterator[str]:
    made = found["made_from"]
    yield from _section(
        "Inputs",
        [f"{each['file']}: {_sha(each['a'])} → {_sha(each['b'])}" for each in made["inputs"]],
    )
    yield from _section(
        "Settings",
        [
            f"{each['setting']}: {_text(each['a'])} → {_text(each['b'])} ({_jobs(each['jobs'])})"
            for each in made["settings"]
        ],
    )
    yield from _section(
        "Versions",
        [f"{x['library']}: {x['a'] or 'none'} → {x['b'] or 'none'}" for x in made["versions"]],
    )
    yield from _section("Code that rules load", made["code"])
    for side in "ab":
        yield from _section(f"Jobs only in {side.upper()}", made[f"jobs_only_in_{side}"])
        yield from _section(f"Files only in {side.upper()}", found[f"files_only_in_{side}"])
    for table in found["values"]:
        yield from _section(table["file"], list(_table(table)), most=4 * NAMED + 4)
    yield from _section("Other bytes: pages, figures, texts", found["bytes"])
    count = len(found["values"])
    yield (
        "No file, row or value differs."
        if found["same"]
        else f"Values differ in {count} file{'s' * (count != 1)}."
        if count
        else "Files differ."
    )


def _section(head: str, lines: list[str], most: int = NAMED) -> Iterator[str]:
    if lines:
        yield head
        yield from (f"  {line}" for line in lines[:most])
        if len(lines) > most:
            yield f"  and {len(lines) - most:,} more: --format json names all"
        yield ""


def _table(table: dict[str, Any]) -> Iterator[str]:
    for side in "ab":
        if columns := table[f"columns_only_in_{side}"]:
            yield f"columns only in {side.upper()}: {', '.join(columns)}"
        rows = table[f"rows_only_in_{side}"]
        if rows:
            yield f"{len(rows):,} rows only in {side.upper()}, as {_row(rows[0])}"
    changes = table["changes"]
    if changes:
        yield f"{len(changes):,} value{'s' * (len(changes) != 1)} changed"
    for change in changes[:NAMED]:
        sides = f"{_text(change['a'])} → {_text(change['b'])}"
        yield f"  {_row(change['row'])}: {change['column']} {sides}"


def _row(row: dict[str, Any]) -> str:
    return ", ".join(str(value) for value in row.values() if value != "") or "the row"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value, ensure_ascii=False)


def _sha(value: str | None) -> str:
    return value[:12] if value else "not read"


def _jobs(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} jobs, as {names[0]}"
