"""Studies: what is wrong with one in a config, and which contrasts and campaigns it has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..errors import nearest

STANDARD = "standard"
# The parts of a config that say what a study is.
REGISTERED = ["study", "evaluation_sets", "metrics", "neural", "difficulties", "weightings", "seed"]


def study_problems(study: Mapping[str, Any], weightings: Mapping[str, Mapping]) -> Iterator[str]:
    """What is wrong with a study beside its form, given the config's weightings."""
    elsewhere = study.get("elsewhere", {})
    for name, base in elsewhere.items():
        if name in weightings:
            yield f"elsewhere: {name} is a weighting of the config. Name it otherwise."
        if base not in weightings:
            yield f"elsewhere, {name}: no weighting {base}{nearest(base, weightings)}."
        elif weightings[base]["type"] != "groups":
            yield f"elsewhere, {name}: {base} is no weighting in two groups (type: groups)."
    known = [STANDARD, *weightings, *elsewhere]
    for name, contrast in study["contrasts"].items():
        for key in ("weighting", "against"):
            if (wanted := contrast.get(key, STANDARD)) not in known:
                yield (
                    f"contrasts, {name}: {key}: no weighting {wanted}; there are "
                    f"{', '.join(known)}{nearest(wanted, known)}."
                )
        weighting = contrast["weighting"]
        kind = weightings.get(weighting, {}).get("type")
        if "nulls" in contrast and (weighting == STANDARD or kind in ("tokens", "combined")):
            why = "weighs none" if weighting == STANDARD else "weighs tokens"
            yield f"contrasts, {name}: nulls need a weighting of segments; {weighting} {why}."


def is_development(study: Mapping[str, Any], campaign: str) -> bool:
    """Whether a campaign is one that ideas were developed on."""
    return any(fnmatchcase(campaign, pattern) for pattern in study["development"])


def study_checksum(config: Mapping[str, Any]) -> str:
    """SHA-256 of what a study compares, and on which sets: REGISTERED as they stand in the merged
    config."""
    text = json.dumps({key: config[key] for key in REGISTERED}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def first_primary(study: Mapping[str, Any]) -> str:
    """The contrast that figures of one contrast show: the first primary one, or the first."""
    return [*primary(study), *study["contrasts"]][0]


def primary(study: Mapping[str, Any]) -> list[str]:
    """The primary contrasts."""
    return [name for name, each in study["contrasts"].items() if each.get("primary")]
