"""Keys that configs and papers' files had before difficulties and weightings had names, and what
stands in their place now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

# Where the settings of EE and DA stand now; one that is in neither list is a weighting's.
OF_CHUNK_ENTROPY = ("aligner", "zero_links")
WEIGHTINGS = {"EE": ["EE"], "DA": ["DA", "DA-LOO"]}
ENTRIES = {
    "chunk_entropy": {"type": "chunk_entropy"},
    "EE": {"type": "groups", "difficulty": "chunk_entropy"},
    "DA": {"type": "tokens", "difficulty": "token_dissimilarity"},
    "DA-LOO": {"type": "tokens", "difficulty": "token_dissimilarity_others"},
}
VALUES = {"Eq. 9": "mean_plus_2sd", "Eq. 5": "rank_0.05"}
OF_SETS = {"h": "threshold", "w": "easy_weight"}


def without(content: Any) -> Any:
    """A config or a paper's file without its former keys."""
    if not isinstance(content, Mapping):
        return content
    rest = {key: value for key, value in content.items() if key not in WEIGHTINGS}
    for kind in _sets(content):
        rest[kind] = [
            {key: value for key, value in entry.items() if key not in OF_SETS}
            if isinstance(entry, Mapping)
            else entry
            for entry in content[kind]
        ]
    return rest


def problems(content: Any) -> Iterator[str]:
    """A line for each former key of a config or a paper's file, which spells the new ones."""
    if not isinstance(content, Mapping):
        return
    for key in WEIGHTINGS.keys() & content.keys():
        new = _entries(key, content[key])
        yield f"{key}: this key is gone; write {new or '`difficulties` and `weightings`'}."
    for kind in _sets(content):
        for place, entry in enumerate(content[kind]):
            if isinstance(entry, Mapping) and OF_SETS.keys() & entry.keys():
                given = {new: entry[old] for old, new in OF_SETS.items() if old in entry}
                old = " and ".join(key for key in OF_SETS if key in entry)
                new = _as_yaml("parameters", {"EE": given})
                yield f"{kind}[{place}]: in the place of {old} write {new}."


def _sets(content: Mapping) -> list[str]:
    """The keys of evaluation sets that a config or a paper's file has."""
    return [key for key in ("evaluation_sets", "sets") if isinstance(content.get(key), list)]


def _entries(old: str, settings: Any) -> str:
    difficulties: dict[str, dict] = {}
    weightings: dict[str, dict] = {}
    for key, value in settings.items() if isinstance(settings, Mapping) else ():
        value = VALUES.get(value, value) if isinstance(value, str) else value
        if old == "EE" and key in OF_CHUNK_ENTROPY:
            difficulties.setdefault("chunk_entropy", dict(ENTRIES["chunk_entropy"]))[key] = value
        else:
            for name in WEIGHTINGS[old]:
                weightings.setdefault(name, dict(ENTRIES[name]))[key] = value
    new = {"difficulties": difficulties, "weightings": weightings}
    return " and ".join(_as_yaml(kind, entries) for kind, entries in new.items() if entries)


def _as_yaml(key: str, value: dict) -> str:
    flow = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=float("inf"))
    return f"`{key}: {flow.strip()}`"
