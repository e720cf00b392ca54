"""The evaluation sets of the WMT archive, as the official toolkit declares them: data, not code."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .yaml_files import read_yaml

FILE = "campaigns.yaml"


class KnownSet(NamedTuple):
    """What is standard in an evaluation set of the archive.

    Attributes
    ----------
    reference : str
    gold : str
        Human scores of systems; empty where there are none.
    segment_gold : str
        Human scores of segments; empty where there are none.
    outliers : tuple of str
        Systems that the official toolkit leaves out of its correlations.
    """

    campaign: str
    pair: str
    reference: str
    gold: str = ""
    segment_gold: str = ""
    outliers: tuple[str, ...] = ()


def read_campaigns(path: str | Path) -> list[KnownSet]:
    """The known sets of `workflow/campaigns.yaml`, in its order."""
    return [
        KnownSet(
            campaign,
            pair,
            facts["reference"],
            facts.get("gold", ""),
            facts.get("segment_gold", facts.get("gold", "")),
            tuple(facts.get("outliers", ())),
        )
        for campaign, pairs in read_yaml(path).items()
        for pair, facts in pairs.items()
    ]
