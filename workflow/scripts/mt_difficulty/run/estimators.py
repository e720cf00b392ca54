"""The bench of difficulty estimators: what its jobs read and make."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plan import Plan

# Tables of each set, and of all of them.
SET_TABLES = ("values", "by_system", "tests", "segments", "selection")
# Those of sets that figures are drawn from.
DRAWN = ("values", "by_system", "segments")
TABLES = ("leaderboard", "comparisons", "selection")
FIGURES = ("leaderboard", "by_set", "by_system", "items", "selection")


def set_files(plan: Plan, table: str) -> list[str]:
    """A table of every set."""
    return plan.files_of_all(f"estimators/{table}.csv")


def findings_text(plan: Plan) -> str:
    """What was found, which a run prints at its end."""
    return f"{plan.results}/estimators/findings.txt"


def figure_files(plan: Plan, end: str) -> list[str]:
    """The figures in one format."""
    return [f"{plan.results}/estimators/{name}.{end}" for name in FIGURES]


def outputs(plan: Plan) -> list[str]:
    """What the bench makes."""
    tables = [f"{plan.results}/estimators/{name}.csv" for name in TABLES]
    figures = [file for end in ("svg", "pdf") for file in figure_files(plan, end)]
    page = f"{plan.results}/estimators/report.html"
    sets = [file for table in SET_TABLES for file in set_files(plan, table)]
    return [*sets, *tables, *figures, findings_text(plan), page]
