"""What `mt-difficulty select` writes: chosen segments as a table, objects, or a campaign."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.estimates import plain

if TYPE_CHECKING:
    import numpy as np

    from ..data.sources import Sources

PROTOCOL = "ESA"


def rows(sources: Sources, chosen: np.ndarray, found: np.ndarray | None) -> list[dict[str, Any]]:
    """What is known of the chosen segments."""
    listed = []
    for place in chosen.tolist():
        row: dict[str, Any] = {"segment": place + 1}
        if found is not None:
            row["value"] = float(found[place])
        row |= {"domain": sources.domains[place]} if sources.domains else {}
        row |= {"document": sources.documents[place]} if sources.documents else {}
        listed.append(row | {"source": sources.texts[place]})
    return listed


def tsv(
    sources: Sources, arguments: argparse.Namespace, chosen: np.ndarray, found: np.ndarray | None
) -> str:
    """The chosen segments, in their order, with a header; tabs in texts are spaces."""
    listed = rows(sources, chosen, found)
    lines = [list(listed[0])] if listed else [["segment", "source"]]
    lines += [[_cell(each) for each in row.values()] for row in listed]
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return plain(str(value))


def jsonl(
    sources: Sources, arguments: argparse.Namespace, chosen: np.ndarray, found: np.ndarray | None
) -> str:
    """An object for each chosen segment, in their order."""
    listed = rows(sources, chosen, found)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in listed)


def pearmut(
    sources: Sources, arguments: argparse.Namespace, chosen: np.ndarray, found: np.ndarray | None
) -> str:
    """A campaign of Pearmut for one annotator: the chosen segments of a document as one document,
    each with the hypotheses of all systems."""
    from ..data.sources import read_outputs
    from ..storage import to_json

    outputs = read_outputs(sources, arguments.hyp or ())
    name = (sources.pair and arguments.set) or sources.place.stem
    documents: dict[str, list[dict[str, Any]]] = {}
    for place in chosen.tolist():
        document = sources.documents[place] if sources.documents else str(place + 1)
        item = {
            "src": sources.texts[place],
            "tgt": {system: texts[place] for system, texts in outputs.items()},
            "item_id": f"{name} | {document} | {place + 1}",
        }
        documents.setdefault(document, []).append(item)
    campaign = {
        "info": {"assignment": "task-based", "protocol": PROTOCOL},
        "campaign_id": f"{name.replace('/', '_')}_{Path(arguments.by).stem}_{arguments.budget}",
        "data": [list(documents.values())],
    }
    return to_json(campaign, sort_keys=False) + "\n"


FORMATS = {"tsv": tsv, "jsonl": jsonl, "pearmut": pearmut}
