"""How weightings are named, described and drawn: data for tables, figures and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .counted import MEAN, STANDARD

if TYPE_CHECKING:
    import pandas as pd


# Stands behind whatever is made with parameters that were chosen with human scores of the same set.
TUNED = "§"
TUNED_NOTE = (
    f"{TUNED} made with parameters, such as h and w, that were chosen with human scores of the "
    "same set."
)


class WeightingLabel(NamedTuple):
    """What a reader sees of a weighting.

    `kind` is standard, segments or tokens, by what has weights; `difficulty` names the difficulty,
    empty for none. `uses_gold` says that the difficulty is estimated from human scores, `tuned`
    that the parameters were chosen with those of the same set. `dash` has the lengths of dashes and
    gaps of its lines, in line widths, empty for a solid line, and `line` says the same in words.
    `shown` lines are in charts before anyone chooses; markers are `filled` or hollow.
    """

    name: str
    kind: str
    difficulty: str
    description: str
    dash: tuple[float, ...]
    line: str
    uses_gold: bool = False
    shown: bool = True
    filled: bool = True
    tuned: bool = False

    @property
    def mark(self) -> str:
        """TUNED, or nothing."""
        return TUNED * self.tuned


PLAIN = WeightingLabel(
    STANDARD,
    "standard",
    "",
    "The unweighted metric: all segments have the same weight.",
    (3.7, 1.6),
    "dashed",
    filled=False,
)
KINDS = {"segment": "segments", "token": "tokens"}
# Of weightings in the config's order; after the last, the first comes again.
LINES: tuple[tuple[tuple[float, ...], str], ...] = (
    ((), "solid"),
    ((6.4, 1.6, 1, 1.6), "dash-dotted"),
    ((1, 1.65), "dotted"),
    ((5, 1, 1, 1, 1, 1), "dash-dot-dotted"),
    ((8.0, 1.5), "long-dashed"),
    ((2.0, 1.0), "short-dashed"),
    ((8.0, 1.5, 3.0, 1.5), "long-short-dashed"),
    ((3.0, 1.2, 1.0, 1.2), "short-dash-dotted"),
)
SHOWN = 2  # weightings in charts before anyone chooses, beside the standard one


def describe(weightings: Mapping[str, Mapping[str, Any]]) -> list[WeightingLabel]:
    """The labels of a set's weightings, the standard one first.

    Parameters
    ----------
    weightings : dict of str to dict
        As in `weightings.json`.
    """
    return [PLAIN] + [
        WeightingLabel(
            name,
            KINDS[entry["unit"]],
            entry["difficulty"],
            entry["description"],
            *LINES[place % len(LINES)],
            uses_gold=entry["uses_gold"],
            shown=place < SHOWN,
            tuned=entry["tuned"],
        )
        for place, (name, entry) in enumerate(weightings.items())
    ]


def with_difficulty(
    frame: pd.DataFrame, weightings: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """A table with the column `difficulty` after `weighting`."""
    of = {STANDARD: "", MEAN: ""} | {name: one["difficulty"] for name, one in weightings.items()}
    columns = list(frame.columns)
    columns.insert(columns.index("weighting") + 1, "difficulty")
    return frame.assign(difficulty=frame.weighting.map(of).astype(str))[columns]
