"""What the references of evaluation sets have in common, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Missing
from .study_tables import NONE, markdown

if TYPE_CHECKING:
    import pandas as pd

    from ..data.set_files import SetFiles

TITLE = "# Other references"
NO_SETS = (
    'No two evaluation sets of this run differ only in their reference. `reference: "*"` in an '
    "entry of the archive makes one set for each reference; for own files, write one entry per "
    "reference."
)
KINDS = {
    "segments": "segments",
    "segments_within_length": "segments within tenths of length",
    "hypotheses": "hypotheses of a system",
}
# Outcomes that are shown; the others are in the tables of results.
NAMES = {"soft_accuracy": "SPA", "pearson": "r"}


def describe(sets: Mapping[str, SetFiles]) -> str:
    """Findings of every group of sets that differ in their reference alone, as markdown.

    Parameters
    ----------
    sets : dict of str to SetFiles
        `references/agreement.csv` and `references/survival.csv`, by the first set of a group.
    """
    parts = [TITLE, *([] if sets else [NO_SETS])]
    for name, files in sets.items():
        parts.append(f"## {name}")
        try:
            agreement, survival = (
                files.read(f"references/{table}.csv") for table in ("agreement", "survival")
            )
        except Missing as reason:
            parts.append(f"{str(reason)[0].upper()}{str(reason)[1:]}.")
            continue
        names = list(dict.fromkeys([*agreement.reference, *agreement.other]))
        parts.append(" ".join([f"References: {', '.join(names)}.", *_gains(survival)]))
        parts += [markdown(*_agreement_table(agreement)), markdown(*_gains_table(survival))]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _gains(survival: pd.DataFrame) -> Iterator[str]:
    """Sentences on how many gains there are, and how many need their own reference's difficulty."""
    known = survival[survival.gain.notna()]
    above, below = known[known.low > 0], known[known.high < 0]
    mixed = known[(known.least < 0) & (known.most > 0)]
    yield (
        f"Of {len(known)} gains over the unweighted metric (metric × weighting × statistic, mean "
        f"over references), {len(above)} are above 0 and {len(below)} below by their 95 % interval "
        f"(uncorrected); {len(mixed)} have both signs among the references."
    )
    shared = above[above.borrowed.notna()]
    if len(shared):
        lost, kept = shared[shared.loss_low > 0], shared[shared.borrowed_low > 0]
        yield (
            f"For {len(shared)} of those above 0 the difficulty can be taken from another "
            f"reference: {len(kept)} stay above 0 with it, {len(lost)} become smaller; the median "
            f"share of the gain that survives is {shared.share.median():.0%}."
        )


def _agreement_table(agreement: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Mean τ-b over pairs of references, of several with the least and the most."""
    range_of = ", mean (least to most) over pairs of references"
    several = len(agreement[["reference", "other"]].drop_duplicates()) > 1
    head = ["difficulty", *(f"τ-b, {text}{range_of * several}" for text in KINDS.values())]
    rows = []
    for name, own in agreement.groupby("difficulty", sort=False):
        values = [own.value[own.statistic == kind].dropna() for kind in KINDS]
        cells = [
            f"{of.mean():.3f}" + f" ({of.min():.3f} to {of.max():.3f})" * several
            if len(of)
            else NONE
            for of in values
        ]
        rows.append([str(name), *cells])
    return head, rows


def _gains_table(survival: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    head = ["metric", "weighting", "statistic", "gain (95 % interval)", "least to most"]
    head += ["with another reference's difficulty", "loss", "share that survives"]
    rows = []
    known = survival[survival.gain.notna()]
    for name in NAMES:
        for row in known[known.statistic == name].to_dict("records"):
            share = f"{row['share']:.0%}" if np.isfinite(row["share"]) else NONE
            rows.append(
                [
                    *(row["metric"], row["weighting"], NAMES[name]),
                    _span(row, "gain", "low", "high"),
                    f"{signed(row['least'])} to {signed(row['most'])}",
                    _span(row, "borrowed", "borrowed_low", "borrowed_high"),
                    _span(row, "loss", "loss_low", "loss_high"),
                    share,
                ]
            )
    return head, rows


def _span(row: dict, value: str, low: str, high: str) -> str:
    """A value with its interval."""
    if not np.isfinite(row[value]):
        return NONE
    return f"{signed(row[value])} ({signed(row[low])} to {signed(row[high])})"


def signed(value: float) -> str:
    """A number with its sign and four digits."""
    return f"{value:+.4f}".replace("-", "−")
