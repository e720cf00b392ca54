"""Sets that differ in their reference alone: what is compared across references."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plan import Plan

TABLES = ("agreement", "gains", "survival")


def groups(plan: Plan) -> dict[str, list[str]]:
    """Sets that differ in their reference alone, by the first of them."""
    found: dict[tuple, list[str]] = {}
    for name, each in plan.sets.items():
        if each.reference:
            key = each.campaign, each.pair, each.gold, each.files, str(each.segment_gold)
            choices = each.segments, each.outliers, *(each.exclude or ())
            found.setdefault((*key, *choices), []).append(name)
    return {names[0]: names for names in found.values() if len(names) > 1}


def files_of_group(plan: Plan, first: str) -> list[str]:
    """What the scores of a group's sets are made from; nothing of a set without other
    references."""
    return [file for name in groups(plan).get(first, ()) for file in plan.score_files(name)]


def table_files(plan: Plan, table: str) -> list[str]:
    """A table of every group."""
    return [file for name in groups(plan) for file in plan.files(name, f"references/{table}.csv")]


def findings_text(plan: Plan) -> str:
    """What was found, which a run prints at its end."""
    return f"{plan.results}/references.md"
