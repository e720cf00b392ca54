"""The claims of a paper for the page: statement, where, printed, ours, verdict, reason."""

from typing import Any

import pandas as pd

from ..papers.claims import EXPLAINED, ITEM, ON, printed
from .report_tables import MARKS


def claims_entry(claims: pd.DataFrame, ledger: pd.DataFrame) -> dict[str, Any]:
    """What the page shows of a paper's claims.

    Parameters
    ----------
    claims : DataFrame
        As in `claims.csv`.
    ledger : DataFrame
        The audit's rows of the paper, with reason and evidence in one text.

    Returns
    -------
    dict
        `item`, `caption`, `heads` of what the claims were checked on, and `claims`: of each its
        statement, place and number, a cell by origin (None where there is none), and `reasons`.
    """
    own = ledger[ledger["item"] == ITEM]
    verdicts = own.set_index(["row", "column"])[["status", "reason"]].T.to_dict("list")
    found: dict[str, dict[str, Any]] = {}
    claim: Any
    for claim in claims.to_dict("records"):
        head = {"statement": claim["statement"], "where": claim["where"]}
        head |= {"published": printed(claim, "published"), "cells": {}, "reasons": []}
        entry = found.setdefault(claim["claim"], head)
        status, reason = verdicts[claim["claim"], ON[claim["origin"]]]
        entry["cells"][claim["origin"]] = {
            "ours": printed(claim, "reproduced"),
            "status": status,
            "mark": MARKS[status],
        }
        if reason:
            entry["reasons"].append(f"{ON[claim['origin']]}: {reason}")
    caption = f"Claims of text, captions and conclusions, in our words. {EXPLAINED}"
    return {"item": ITEM, "caption": caption, "heads": ON, "claims": list(found.values())}
