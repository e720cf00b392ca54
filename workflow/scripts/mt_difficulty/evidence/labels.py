"""How weightings are named, described and drawn: data for tables, figures and the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class WeightingLabel(NamedTuple):
    """What a reader sees of a weighting.

    `kind` is standard, groups (of segments) or tokens; `difficulty` the estimator that it uses,
    empty for none. `dash` has the lengths of dashes and gaps of its lines, in line widths, empty
    for a solid line, and `line` says the same in words. `shown` lines are in charts before anyone
    chooses; markers are `filled` or hollow.
    """

    name: str
    kind: str
    difficulty: str
    description: str
    dash: tuple[float, ...]
    line: str
    shown: bool = True
    filled: bool = True


LABELS = (
    WeightingLabel(
        "standard",
        "standard",
        "",
        "The unweighted metric: every segment weighs the same.",
        (3.7, 1.6),
        "dashed",
        filled=False,
    ),
    WeightingLabel(
        "EE",
        "groups",
        "chunk_entropy",
        "A system’s score as w times its score on easy segments plus 1 − w times that on difficult "
        "ones (Liu et al. 2022).",
        (),
        "solid",
    ),
    WeightingLabel(
        "DA",
        "tokens",
        "token_dissimilarity",
        "A reference token that few systems translate is difficult and weighs more (Zhan et al. "
        "2021).",
        (6.4, 1.6, 1, 1.6),
        "dash-dotted",
    ),
    WeightingLabel(
        "DA-LOO",
        "tokens",
        "token_dissimilarity",
        "DA with the difficulty of tokens taken from the other systems only.",
        (1, 1.65),
        "dotted",
        shown=False,
    ),
    WeightingLabel(
        "EE-DA",
        "tokens",
        "chunk_entropy",
        "EE over the segment scores of DA.",
        (5, 1, 1, 1, 1, 1),
        "dash-dot-dotted",
        shown=False,
    ),
)
# Of weightings that have no label of their own, in turn.
FURTHER = (
    ((8.0, 1.5), "long-dashed"),
    ((2.0, 1.0), "short-dashed"),
    ((8.0, 1.5, 3.0, 1.5), "long-short-dashed"),
    ((3.0, 1.2, 1.0, 1.2), "short-dash-dotted"),
)


def describe(names: Iterable[str]) -> list[WeightingLabel]:
    """The labels of weightings, each once: those of LABELS first, in their order."""
    wanted = list(dict.fromkeys(names))
    known = [label for label in LABELS if label.name in wanted]
    others = [name for name in wanted if name not in {label.name for label in known}]
    return known + [
        WeightingLabel(name, "groups", "", "", *FURTHER[place % len(FURTHER)])
        for place, name in enumerate(others)
    ]


def as_data(names: Iterable[str]) -> list[dict[str, Any]]:
    """The labels of weightings for the page, as JSON can hold them."""
    return [label._asdict() | {"dash": list(label.dash)} for label in describe(names)]
