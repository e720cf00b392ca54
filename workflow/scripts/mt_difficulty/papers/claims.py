"""Claims of a paper: numbers and statements of its text and captions, checked on the cells of its
tables as printed and as computed, and on results of its sets.

Every claim names one check. Checks on cells look at the printed cells and at those from data;
checks on results of sets have no printed side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import Missing
from . import claim_checks, result_checks
from .audit import COLUMNS as AUDIT_COLUMNS
from .audit import UNEXPLAINED, status
from .claim_checks import Truths
from .inputs import Inputs

ITEM = "claims"
COLUMNS = [
    *("claim", "where", "statement", "origin", "kind"),
    *("published", "digits", "reproduced", "without_number", "substitute", "reason", "evidence"),
]
EXPLAINED = (
    "Of a comparison, ours is for how many of its pairs or cells it is true, of those that have a "
    "number; it holds if it is true of all, strictly."
)
ON = {"printed": "on the printed cells", "data": "on data"}
CONTRADICTED = "does not follow from the cells that the paper prints"
VALUE, COMPARISON = "value", "comparison"
COMPARISONS = ("bounded", "higher", "higher_on_average", "same_rounded", "top_systems")
ORIGINS = {"printed": "published", "data": "reproduced"}  # the column of cells that each reads


def check_claims(claims: list[dict[str, Any]], cells: pd.DataFrame, inputs: Inputs) -> pd.DataFrame:
    """Check every claim on the printed cells and on data, as far as its check has them.

    Parameters
    ----------
    claims : list of dict
        As in the paper's file.
    cells : DataFrame
        Columns as in `tables.Cell`, of all of the paper's tables and figures.
    inputs : Inputs

    Returns
    -------
    DataFrame
        COLUMNS, a row for each claim and origin. Of a value `published` is the claim's number; of a
        comparison it is how many of the pairs or cells that the claim is about have a number,
        `reproduced` for how many of these it is true, and `without_number` how many have none.
        `reproduced` is NaN, with a reason, where there is no number.
    """
    rows = [row for claim in claims for row in _rows(claim, cells, inputs)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(claim: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> Iterator[dict[str, Any]]:
    head: dict[str, Any] = {
        "claim": claim["id"],
        "where": claim["where"],
        "statement": claim["statement"],
    }
    head |= {"digits": claim.get("digits", 0), "without_number": np.nan, "substitute": ""}
    check = claim.get("check")
    if check is None:
        unchecked: dict[str, Any] = {
            "origin": "printed",
            "kind": VALUE if "published" in claim else COMPARISON,
        }
        number = claim.get("published", np.nan)
        unchecked |= {"published": number, "reproduced": np.nan, "evidence": ""}
        yield head | unchecked | {"reason": claim["reason"]}
        return
    for origin in _origins(check, cells):
        found, reason, substitute = _found(check, cells, inputs, origin)
        row = head | {"origin": origin, "substitute": substitute}
        if isinstance(found, Truths):
            true = found.true if found.known else np.nan
            row |= {"kind": COMPARISON, "published": found.known, "reproduced": true}
            row["without_number"] = found.unknown
        else:
            kind = COMPARISON if check["kind"] in COMPARISONS else VALUE
            row |= {"kind": kind, "published": claim.get("published", np.nan), "reproduced": found}
        reasons = [found.text()] if isinstance(found, Truths) else []
        lacks = np.isnan(row["reproduced"]) or row["without_number"] > 0
        reasons.append(reason if lacks else claim.get("reason", ""))
        row["reason"] = "; ".join(filter(None, reasons))
        row["evidence"] = "; ".join(_beside(claim, cells, inputs, origin))
        yield row


def _origins(check: dict[str, Any], cells: pd.DataFrame) -> list[str]:
    """The sides of a check: data alone of results; of cells the printed ones, and data where any
    of the cells is computed from data."""
    if check["kind"] in result_checks.KINDS:
        return ["data"]
    chosen = claim_checks.select(cells, check)
    return ["printed", *["data"] * bool((chosen.origin == "data").any())]


def _found(
    check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs, origin: str
) -> tuple[float | Truths, str, str]:
    """What a check gives, why it gives no number, and the substitute of an encoder that it uses."""
    if check["kind"] in result_checks.KINDS:
        metrics = check.get("metrics", ())
        marks = dict.fromkeys(inputs.substitute(check["set"], metric) for metric in metrics)
        try:
            found = result_checks.KINDS[check["kind"]](check, cells, inputs)
            return found, "", "; ".join(filter(None, marks))
        except Missing as missing:
            return np.nan, str(missing), ""
    chosen = claim_checks.select(cells, check)
    chosen = chosen.assign(value=chosen[ORIGINS[origin]])
    found = claim_checks.KINDS[check["kind"]](chosen, check)
    if origin == "printed":
        return found, "", ""
    absent = chosen[chosen.value.isna()]
    reason = ""
    if len(absent):
        kinds = "; ".join(dict.fromkeys(filter(None, absent.reason)))
        reason = f"{len(absent)} of {len(chosen)} cells have no number of ours: {kinds}"
    marks = dict.fromkeys(filter(None, chosen.substitute))
    return found, reason, "; ".join(marks)


def _beside(
    claim: dict[str, Any], cells: pd.DataFrame, inputs: Inputs, origin: str
) -> Iterator[str]:
    """What was computed beside a claim, as sentences; nothing where it has no number."""
    yield from filter(None, [claim.get("evidence")])
    for label, check in claim.get("beside", {}).items():
        if origin not in _origins(check, cells):
            continue
        found, _, _ = _found(check, cells, inputs, origin)
        if isinstance(found, Truths):
            if found.unknown < found.parts:
                yield f"{label}: {found.text()}"
        elif not np.isnan(found):
            yield f"{label}: {found:.{check.get('digits', 2)}f}"


def verdict(row: Mapping[str, Any]) -> str:
    """The status of a checked claim: of a value as of a cell, of a comparison whether it holds.

    A comparison that is false for one of its parts does not hold, whether or not all parts could
    be computed; one that is true for all that could be computed, but not for all, is partly
    computable.
    """
    if row["kind"] == VALUE or np.isnan(row["reproduced"]) or row["substitute"]:
        return status(
            row["published"], row["reproduced"], row["digits"], row["substitute"], row["origin"]
        )
    if row["reproduced"] < row["published"]:
        return "does not hold"
    return "partly computable" if row["without_number"] else "holds"


def ledger_rows(paper: str, claims: pd.DataFrame) -> pd.DataFrame:
    """The rows of a paper's claims in the ledger.

    Parameters
    ----------
    paper : str
    claims : DataFrame
        As from `check_claims`.

    Returns
    -------
    DataFrame
        `audit.COLUMNS`; `item` is ITEM, `row` the claim, `column` says on what it was checked.
    """
    rows = []
    claim: Any  # a row's fields are of any type
    for claim in claims.to_dict("records"):
        found, reason = verdict(claim), claim["reason"]
        if found == "differs" and not reason:
            reason = CONTRADICTED if claim["origin"] == "printed" else UNEXPLAINED
        substitute = claim["substitute"] if found == "other encoder" else ""
        compared = claim["kind"] == VALUE and found != "other encoder"
        rows.append(
            {
                "paper": paper,
                "item": ITEM,
                "row": claim["claim"],
                "column": ON[claim["origin"]],
                "difference": claim["reproduced"] - claim["published"] if compared else np.nan,
                "status": found,
                "reason": "; ".join(filter(None, [substitute, reason])),
            }
            | {key: claim[key] for key in ("origin", "published", "reproduced", "evidence")}
        )
    return pd.DataFrame(rows, columns=AUDIT_COLUMNS)


def to_markdown(claims: pd.DataFrame) -> str:
    """The checked claims as a table in markdown."""
    records: Any = claims.to_dict("records")
    lines = [
        {
            "claim": claim["statement"],
            "where": claim["where"],
            "on": ON[claim["origin"]].removeprefix("on "),
            "printed": printed(claim, "published"),
            "ours": printed(claim, "reproduced"),
            "verdict": verdict(claim),
            "reason": "; ".join(filter(None, [claim["substitute"], claim["reason"]])),
            "evidence": claim["evidence"],
        }
        for claim in records
    ]
    table = pd.DataFrame(lines).to_markdown(index=False, disable_numparse=True)
    return f"Claims of text, captions and conclusions, in our words. {EXPLAINED}\n\n{table}\n"


def printed(claim: Mapping[str, Any], side: str) -> str:
    """A claim's number, or `1 of 3 (17 of 20 have no number)`; a dash where there is none."""
    value = claim[side]
    if np.isnan(value):
        return "–"
    if claim["kind"] == VALUE:
        return f"{value:.{int(claim['digits'])}f}"
    if side == "published":
        return "all"
    known, unknown = claim["published"], claim["without_number"]
    absent = f" ({unknown:.0f} of {known + unknown:.0f} have no number)" if unknown else ""
    return f"{value:.0f} of {known:.0f}{absent}"
