"""Files of papers: protocols, tables, figures and published cells."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.yaml_files import read_checked_yaml, read_yaml
from ..errors import InputError, nearest
from .paper_items import checks_of_claims, sets_of

if TYPE_CHECKING:
    from .paper_settings import Paper


def read_papers(names: Iterable[str], folder: Path) -> dict[str, Paper]:
    """The papers that a config names, from files that were checked."""
    return {name: read_checked_yaml(folder / f"{name}.yaml") for name in names}  # type: ignore


def check_papers(names: Iterable[str], folder: Path) -> tuple[dict[str, Paper], list[str]]:
    """Papers whose files have no problem, and the problems of the others, a line each."""
    papers: dict[str, Paper] = {}
    problems: list[str] = []
    for name in names:
        try:
            found = _problems(name, folder)
        except InputError as error:
            found = [str(error)]
        problems += found
        if not found:
            papers |= read_papers([name], folder)
    return papers, problems


def _problems(name: str, folder: Path) -> list[str]:
    from . import members, schema
    from .paper_settings import Paper

    path = folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(each.stem for each in folder.glob("*.yaml"))
        hint = nearest(name, known)
        return [f"config, papers: no paper {name}. There are: {', '.join(known)}{hint}."]
    paper: Any = read_yaml(path)
    place = os.path.relpath(path)
    found = sorted(schema.problems(paper, Paper, {place: paper}))
    if not found:
        found += _unknown_sets(paper, place) + _unknown_in_claims(paper, place)
        for metrics in [paper["metrics"], *(entry.get("metrics", {}) for entry in paper["sets"])]:
            wrong = members.metric_problems(metrics)
            found += [f"{place}: metrics, {name}: {text}" for name in wrong for text in wrong[name]]
    return found


def _unknown_in_claims(paper: Paper, place: str) -> list[str]:
    """Claims that name a table, figure or set which the paper's file lacks."""
    items = [*paper["tables"], *paper["figures"]]
    sets = [f"{entry['campaign']}/{entry['pair']}" for entry in paper["sets"]]
    found = []
    for check in checks_of_claims(paper):
        named = check.get("item", [])
        asked = [("item", name, items) for name in ([named] if isinstance(named, str) else named)]
        if "set" in check:
            asked.append(("set", check["set"], sets))
        for what, name, known in asked:
            if name not in known:
                hint = nearest(name, known)
                there = ", ".join(known)
                found.append(f"{place}: claims: no {what} {name}; there are {there}{hint}.")
    return found


def _unknown_sets(paper: dict, place: str) -> list[str]:
    """Tables and figures that name a set which is none of the paper's."""
    known = [f"{entry['campaign']}/{entry['pair']}" for entry in paper["sets"]]
    items = {**paper["tables"], **paper["figures"], "ablation": paper.get("ablation", {})}
    return [
        f"{place}: {item}: no set {name}; there are {', '.join(known)}{nearest(name, known)}."
        for item, content in items.items()
        for name in sets_of(content)
        if name not in known
    ]
