"""The ledger for other programs: claims.json, and a badge of each paper."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from .claims import ITEM as CLAIMS

# What a badge counts, in this order, with its words; not what the protocol takes over.
COUNTED = {
    "reproduced": "reproduced",
    "derived": "derived",
    "close": "close",
    "differs": "differ",
    "other encoder": "with another encoder",
    "not computable": "not computable",
}
AGREE = ("reproduced", "derived", "close")
# Names of shields.io, in shades that white text can be read on.
# All cells that have a number of ours agree, nine in ten, fewer, or there is none.
COLOURS = {
    "brightgreen": "#2a7d0c",
    "green": "#5a7a00",
    "orange": "#b34e10",
    "lightgrey": "#6b6b6b",
}
MOST_AGREE = 0.9
CHARACTER = 6.6  # px, the mean width in 11 px Verdana
PADDING = 10


def claims_json(
    ledger: pd.DataFrame, papers: Mapping[str, dict], made: Mapping[tuple[str, str], dict]
) -> dict[str, Any]:
    """The ledger as workflow/schemas/claims.schema.json describes it.

    Parameters
    ----------
    ledger : DataFrame
        `audit.COLUMNS`.
    papers : mapping
        Title, authors and year by paper.
    made : mapping
        Where the records of a paper's item are from: file, sha256, job.
    """
    head = ("title", "authors", "year")
    return {
        "papers": {
            paper: {key: about[key] for key in head} | {"cells": count_cells(ledger, paper)}
            for paper, about in papers.items()
        },
        "records": [
            {
                "paper": row["paper"],
                "item": row["item"],
                "cell": {"row": row["row"], "column": row["column"]},
                "origin": row["origin"],
                "published": _number(row["published"]),
                "ours": _number(row["reproduced"]),
                "difference": _number(row["difference"]),
                "verdict": row["status"],
                "reason": row["reason"],
                "evidence": row["evidence"],
                "provenance": made[row["paper"], row["item"]],
            }
            for row in ledger.to_dict("records")
        ],
    }


def _number(value: float) -> float | int | None:
    if np.isnan(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


def count_cells(ledger: pd.DataFrame, paper: str) -> dict[str, int]:
    """How many cells of a paper's tables and figures have each verdict; claims are not counted."""
    cells = ledger[(ledger.paper == paper) & (ledger.item != CLAIMS)]
    return {str(verdict): int(count) for verdict, count in cells.status.value_counts().items()}


def badge(paper: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """A paper's badge as shields.io reads it from a URL (its endpoint badge)."""
    parts = [f"{counts[each]} {word}" for each, word in COUNTED.items() if counts.get(each)]
    return {
        "schemaVersion": 1,
        "label": paper,
        "message": " · ".join(parts) or "no published cells",
        "color": _colour(counts),
    }


def _colour(counts: Mapping[str, int]) -> str:
    agree = sum(counts.get(verdict, 0) for verdict in AGREE)
    compared = agree + counts.get("differs", 0)
    if not compared:
        return "lightgrey"
    if agree == compared:
        return "brightgreen"
    return "green" if agree >= MOST_AGREE * compared else "orange"


def badge_svg(content: Mapping[str, Any]) -> str:
    """A badge as a picture, from what `badge` gives."""
    texts = [content["label"], content["message"]]
    widths = [round(len(text) * CHARACTER) + PADDING for text in texts]
    whole, starts = sum(widths), (0, widths[0])
    fills = ("#555", COLOURS[content["color"]])
    title = escape(": ".join(texts))
    boxes = "".join(
        f'<rect x="{start}" width="{width}" height="20" fill="{fill}"/>'
        for start, width, fill in zip(starts, widths, fills, strict=True)
    )
    words = "".join(
        f'<text x="{start + width / 2:g}" y="14" textLength="{width - PADDING}">'
        f"{escape(text)}</text>"
        for start, width, text in zip(starts, widths, texts, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" '
        f'aria-label="{title}"><title>{title}</title>{boxes}<g fill="#fff" '
        f'text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{words}</g></svg>\n"
    )
