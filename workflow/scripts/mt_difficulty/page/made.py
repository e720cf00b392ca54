"""How results were made: the records of the jobs that made them, for the page beside a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from . import row_names


def describe(
    name: str,
    records: Iterable[Mapping[str, Any]],
    wanted: Iterable[str],
    folder: str,
    pages: Iterable[str] = (),
    scores: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """What the page shows of the jobs that results come from.

    Parameters
    ----------
    name : str
        What the results are of.
    records : iterable of dict
        As the jobs write them: rule, inputs, outputs, params, versions, code, made_from.
    wanted : iterable of str
        The results, from the results' folder, whose jobs and their inputs' jobs are shown.
    folder : str
        Of the page, likewise, with a slash at its end where it has a name.
    pages : iterable of str
        Folders whose files have such a page of their own, likewise.
    scores : DataFrame, optional
        As in `system_scores.csv`: each metric and weighting gets a part.

    Returns
    -------
    dict
        `name`; `jobs`; `written`, the files; and `scores`: metric, weighting, signature, and the
        inputs that they have in common with the job that made them.
    """
    made_by = {file: record for record in records for file in record["outputs"]}
    jobs = list(_chain(made_by, wanted))
    there = {file for record in jobs for file in record["outputs"]}

    def files(sums: Mapping[str, str]) -> list[dict[str, str]]:
        return [
            {
                "file": file.removeprefix(folder),
                "sum": found,
                "place": place(file, folder, there, pages),
            }
            for file, found in sorted(sums.items())
        ]

    described = [
        {
            "rule": record["rule"],
            "outputs": [
                file | {"id": row_names.file_anchor(file["file"])}
                for file in files(record["outputs"])
            ],
            "inputs": files(record["inputs"]),
            "params": json.dumps(record["params"], indent=1, ensure_ascii=False, sort_keys=True),
            "versions": record["versions"],
            "code": record["code"],
            "made_from": record["made_from"],
        }
        for record in jobs
    ]
    record = made_by.get(f"{folder}system_scores.csv")
    found = [] if scores is None or record is None else list(_scores(scores, record, files))
    written = [file["file"] for job in described for file in job["outputs"]]
    return {"name": name, "jobs": described, "scores": found, "written": written}


def _chain(
    made_by: Mapping[str, Mapping[str, Any]], wanted: Iterable[str]
) -> Iterator[Mapping[str, Any]]:
    """The jobs of the wanted files and of what they read, each once, results first."""
    seen, files = set(), sorted(wanted)
    while files:
        record = made_by.get(files.pop(0))
        if record and record["made_from"] not in seen:
            seen.add(record["made_from"])
            files += sorted(record["inputs"])
            yield record


def place(file: str, folder: str, there: set[str], pages: Iterable[str]) -> str:
    """Where it says how a file was made: here, on the page of another folder, or nowhere."""
    if file in there:
        return f"#{row_names.file_anchor(file.removeprefix(folder))}"
    for other in pages:
        if file.startswith(other) and other != folder:
            anchor = row_names.file_anchor(file.removeprefix(other))
            return f"{'../' * folder.count('/')}{other}{row_names.MADE}#{anchor}"
    return ""


def _scores(
    scores: pd.DataFrame, record: Mapping[str, Any], files: Any
) -> Iterator[dict[str, Any]]:
    """Metrics under weightings with what their scores were made from."""
    names = ["metric", "weighting", "difficulty", "signature"]
    for metric, weighting, difficulty, signature in scores[names].drop_duplicates().to_numpy(str):
        own = {f"statistics/{metric}.npz"}
        own |= {f"difficulty/{part}.npz" for part in difficulty.split("+")}
        used = {
            file: found
            for file, found in record["inputs"].items()
            if not any(f"/{kind}/" in file for kind in ("statistics", "difficulty"))
            or file.endswith(tuple(own))
        }
        yield {
            "id": row_names.score_anchor(metric, weighting),
            "metric": str(metric),
            "weighting": str(weighting),
            "signature": str(signature),
            "inputs": files(used),
            "versions": record["versions"],
        }
