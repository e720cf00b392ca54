"""The ledger: how every reproduced cell compares with the published one."""

from typing import Any

import numpy as np
import pandas as pd

COLUMNS = [
    *("paper", "item", "row", "column", "origin", "published", "reproduced", "difference"),
    *("status", "reason", "evidence"),
]
STATUSES = (
    *("reproduced", "close", "differs", "derived", "input", "other encoder", "not computable"),
    *("holds", "does not hold", "partly computable"),  # of claims
)
CLOSE = 0.02
UNEXPLAINED = "cause not found yet"


def status(
    published: float, reproduced: float, digits: int, substitute: str = "", origin: str = "data"
) -> str:
    """How a reproduced number compares with the published one.

    `reproduced`: computed from data and equal at the printed precision, give or take 1 in the last
    digit (a whole number must be equal); `derived`: the same, computed from numbers or sentences
    that the paper prints; `close`: at most 0.02, and 20 in the last digit, apart; `differs`;
    `input`: the protocol takes the printed number over; `other encoder`: made with a substitute for
    the paper's, so that it claims nothing; `not computable`: there is no number.
    """
    if origin == "given":
        return "input"
    if np.isnan(reproduced):
        return "not computable"
    if substitute:
        return "other encoder"
    unit = 10.0**-digits
    if abs(round(reproduced, digits) - published) < (1.5 if digits else 0.5) * unit:
        return "reproduced" if origin == "data" else "derived"
    return "close" if abs(reproduced - published) <= min(CLOSE, 20 * unit) else "differs"


def audit(paper: str, cells: pd.DataFrame, causes: list[dict]) -> pd.DataFrame:
    """Compare the cells of a paper that have published numbers: COLUMNS. `causes` of differences
    have a `reason`, the `evidence` for it, the `item`, `row`, `column` where it holds (each a text
    or a list; left out: everywhere), and `within`, the largest |difference| it explains. The reason
    is the cell's own and, where it is not reproduced, the causes; a cell that differs with neither
    says so: UNEXPLAINED. ValueError where a cell that is not computable has no reason."""
    rows = []
    cell: Any  # a row's fields are of any type
    for cell in cells[cells.published.notna()].itertuples():
        verdict = status(cell.published, cell.reproduced, cell.digits, cell.substitute, cell.origin)
        substitute = cell.substitute if verdict == "other encoder" else ""
        reasons = [reason for reason in (substitute, cell.reason) if reason]
        known = []
        for cause in causes if verdict in ("close", "differs") else ():
            named = [key for key in ("item", "row", "column") if cause.get(key) is not None]
            holds_here = all(getattr(cell, key) in np.atleast_1d(cause[key]) for key in named)
            if holds_here and abs(cell.reproduced - cell.published) <= cause["within"]:
                known.append(cause)
        reasons += [cause["reason"] for cause in known]
        if verdict == "differs" and not reasons:
            reasons = [UNEXPLAINED]
        if verdict == "not computable" and not reasons:
            raise ValueError(f"{paper}, {cell.item}, {cell.row}, {cell.column}: no reason")
        apart = np.nan if verdict == "other encoder" else cell.reproduced - cell.published
        rows.append(
            [
                *(paper, cell.item, cell.row, cell.column, cell.origin),
                *(cell.published, cell.reproduced, apart, verdict, "; ".join(reasons)),
                "; ".join(cause["evidence"] for cause in known),
            ]
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def summarise(ledger: pd.DataFrame) -> pd.DataFrame:
    """Counts of every status, a row per paper and item; claims have statuses of their own."""
    counts = ledger.groupby(["paper", "item"], sort=False).status.value_counts().unstack()
    return counts.reindex(columns=STATUSES).fillna(0).astype(int)
