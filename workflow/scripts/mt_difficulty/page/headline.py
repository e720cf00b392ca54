"""What a paper's page, its entry in the index and the summary of a run say first: what the paper's
own method got, then the other numbers and the claims. Numbers for paper_finding.html.j2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..data.evalset import SetFiles
from ..evidence import complexity
from ..papers import audit
from . import finding
from .tables import Content

if TYPE_CHECKING:
    from ..settings.protocol import PaperSummary

COMPARED = ("reproduced", "close", "differs")
LEVELS = {
    "campaign": "campaigns of a language pair",
    "domain": "domains of a set",
    "document": "documents of a set",
}


def found_of(
    name: str,
    paper: PaperSummary,
    ledger: pd.DataFrame,
    summaries: list[Content],
    analysis: SetFiles | None = None,
) -> Content:
    """Count what became of a paper's numbers and claims.

    Parameters
    ----------
    name : str
        Name of the paper.
    paper : PaperSummary
        What pages say of the paper.
    ledger : DataFrame
        The table `audit.csv`.
    summaries : list of dict
        Summaries of the run's sets (`index.describe_set`).
    analysis : SetFiles, optional
        Results of the paper's analysis of the run's own sets.

    Returns
    -------
    dict
        `method` and `others`: counts (`count_cells`) of the cells of the paper's own method and of
        all others. `claims` by origin: counts by audit.CLAIM_FINDINGS. `gains`: the changes of r by
        the paper's weightings, for its metrics on its sets, first those that are tuned on a set's
        human scores. `analysis`: see `analysis_of`; None without one.
    """
    ledger = ledger[ledger.paper == name]
    is_claim = ledger["item"] == audit.CLAIMS
    cells, claims = ledger[~is_claim], ledger[is_claim]
    is_method = cells.method != ""
    method = paper.method
    about = {"name": method.name, "without_data": method.without_data or ""}
    return {
        "method": about | count_cells(cells[is_method]),
        "others": count_cells(cells[~is_method]),
        "claims": {origin: count_claims(rows) for origin, rows in claims.groupby("origin")},
        "gains": _gains(_changes_of_paper(paper, summaries)),
        "analysis": analysis_of(analysis) if method.analysis else None,
    }


def _changes_of_paper(paper: PaperSummary, summaries: list[Content]) -> list[Content]:
    """Return the changes of r by the paper's weightings, for its metrics on its sets. Descriptions
    of these weightings cite the paper."""
    citation = f"{paper.authors} {paper.year}"
    changes = []
    for summary in summaries:
        if summary["name"] not in paper.sets:
            continue
        for change in summary["changes"]:
            description = summary["names"].get(change["weighting"], "")
            if change["metric"] in paper.metrics and citation in description:
                changes.append({"set": summary["name"], **change})
    return changes


def _gains(changes: list[Content]) -> list[Content]:
    """Return the numbers of each weighting's changes, first those of tuned weightings."""
    groups = finding.table_of(changes).groupby(["weighting", "tuned"], sort=False)
    gains = []
    for (weighting, tuned), rows in sorted(groups, key=lambda group: not group[0][1]):
        numbers = finding.numbers(rows)
        gains.append(
            {**numbers, "weighting": weighting, "tuned": tuned, "changes": rows.to_dict("list")}
        )
    return gains


def count_cells(cells: pd.DataFrame) -> Content:
    """Count published cells of the ledger. `printed`: all; `data` and `text`: statuses of those
    that are computed from data and from what the paper prints; `inputs`: those that the protocol
    takes over; `compared`: those from data that are compared with the paper's; `reasons`: of cells
    from data that are not computable, how many have which reason, the most frequent first."""
    by_origin = {
        origin: cells.status[cells.origin == origin].value_counts().to_dict()
        for origin in ("data", "printed", "given")
    }
    data = by_origin["data"]
    reasons = cells.reason[(cells.origin == "data") & (cells.status == audit.NOT_COMPUTABLE)]
    return {
        "printed": len(cells),
        "data": data,
        "text": by_origin["printed"],
        "inputs": sum(by_origin["given"].values()),
        "compared": sum(data.get(status, 0) for status in COMPARED),
        "reasons": reasons.value_counts().to_dict(),
    }


def count_claims(claims: pd.DataFrame) -> dict[str, int]:
    """Count claims of the ledger by what their statuses say (audit.CLAIM_FINDINGS)."""
    return {
        found: int(claims.status.isin(statuses).sum())
        for found, statuses in audit.CLAIM_FINDINGS.items()
    }


def analysis_of(files: SetFiles | None) -> Content:
    """Describe the analysis of readability and scores of the run's own texts: `missing`, why there
    is none, or `levels`. A level has the range `r` of the correlations of syllables per word (ASW)
    and mean score, their number `pairs`, the range `texts` of their numbers of texts, whether these
    are too `few` for a conclusion, and the smallest p; and by power how many pairs of system and
    metric have normalised scores that vary less (`stable`), of how many."""
    if files is None or "correlations.csv" not in files:
        return {"missing": "this run has no evaluation set"}
    if reason := files.reason("correlations.csv"):
        return {"missing": reason}
    correlations = files.read("correlations.csv")
    spread = files.read("spread.csv")
    known = correlations[(correlations.parameter == "ASW") & correlations.r.notna()]
    levels = []
    for level, label in LEVELS.items():
        rows = known[known.level == level]
        ratios = spread[spread.level == level]
        if rows.empty:
            continue
        ratios = ratios[ratios.ratio.notna()]
        levels.append(
            {
                "label": label,
                "pairs": len(rows),
                "negative": int((rows.r < 0).sum()),
                "r": [float(rows.r.min()), float(rows.r.max())],
                "texts": [int(rows.texts.min()), int(rows.texts.max())],
                "few": bool(rows.texts.max() < complexity.FEWEST),
                "p": float(rows.p.min()),
                "stable": {
                    int(power): [int((of_power.ratio > 1).sum()), len(of_power)]
                    for power, of_power in ratios.groupby("power")
                },
            }
        )
    if not levels:
        return {"missing": "no set or language pair of this run has three texts to compare"}
    return {"levels": levels}
