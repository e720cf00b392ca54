"""Evaluation sets that a config names by pattern: what the archive has of them, and what is left
out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..data import download
from ..data.campaign_files import (
    KnownSet,
    check_pair,
    gold_file,
    output_files,
    pairs_of,
    read_campaigns,
    reference_files,
    stored_metrics,
)
from ..data.text_files import normal
from ..errors import InputError, nearest
from .plan import ARCHIVE
from .sets import located

Entry = dict[str, Any]
WILD = frozenset("*?[")
# Sets that are left out and told by name.
LISTED = 8
NO_ARCHIVE = (
    "the archive is not here yet, so that what it has cannot be listed. Download it first (make "
    "fetch NEURAL=no, without CONFIG), or name one: make paper ARCHIVE=<a .tgz or an unpacked "
    "folder>"
)


@dataclass
class Expanded:
    """The entries of a config, each of one set; what patterns found and left out; and problems."""

    entries: list[Entry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def expand(config: Mapping[str, Any], folder: Path, campaigns: Path) -> Expanded:
    """The entries of a config that was checked (`configs.problems`) and is run in a folder, with
    patterns resolved and what is standard filled in from `campaigns.yaml`."""
    found, entries = Expanded(), config["evaluation_sets"]
    if all("files" in entry for entry in entries):
        found.entries = list(entries)
        return found
    known = read_campaigns(campaigns)
    archive = folder / (located(config["archive"]) or ARCHIVE)
    for entry in entries:
        try:
            if "files" in entry:
                found.entries.append(entry)
            else:
                _expand_entry(found, entry, known, archive, needs_texts="study" in config)
        except InputError as error:
            found.problems.append(f"config, evaluation_sets: {error}")
    return found


def _expand_entry(
    found: Expanded, entry: Entry, known: list[KnownSet], archive: Path, needs_texts: bool
) -> None:
    """Add an entry, or the entries of the sets that it finds."""
    if WILD & set(entry["campaign"] + entry.get("pair", "*") + entry.get("reference", "")):
        matches = _matches(entry, known)
        campaigns = _unpacked(archive, {each.campaign for each in matches})
        reasons = {each: _left_out(each, entry, campaigns, needs_texts) for each in matches}
        there = [each for each, reason in reasons.items() if not reason]
        found.notices += list(_told(entry, there, reasons))
        filled = [one for each in there for one in _of_references(entry, each, campaigns)]
        entries = [one | {"found": True} for one in filled]
        for one in entries if "exclude" in entry and campaigns is not None else ():
            # Of the excluded systems those that the set has.
            place = campaigns / one["campaign"] / "system-outputs" / one["pair"]
            has = {normal(path.stem) for path in output_files(place)}
            one["exclude"] = [system for system in one["exclude"] if normal(system) in has]
    else:
        facts = [k for k in known if (k.campaign, k.pair) == (entry["campaign"], entry["pair"])]
        if not facts:
            _check_named(entry, known, archive)
        entries = [_filled(entry, facts[0]) if facts else entry]
    for one in entries:
        found.entries.append(_with_stored(one, archive) if "stored" in one else one)


def _matches(entry: Entry, known: list[KnownSet], own: Iterable[str] = ()) -> list[KnownSet]:
    """The known sets whose campaign and pair an entry names; `own` are campaigns of the archive.
    Raises `InputError` where there is none."""
    campaign, pair = entry["campaign"], entry.get("pair", "*")
    of_campaign = [each for each in known if fnmatchcase(each.campaign, campaign)]
    names = list(dict.fromkeys([*(each.campaign for each in known), *sorted(own)]))
    if not of_campaign:
        raise InputError(
            f"no campaign {campaign} in workflow/campaigns.yaml{' or the archive' * bool(own)}; "
            f"there are {', '.join(names)}{nearest(campaign, names)}. Of any other, name campaign, "
            "pair, reference and gold."
        )
    found = [each for each in of_campaign if fnmatchcase(each.pair, pair)]
    if not found:
        check_pair(campaign, pair, sorted({each.pair for each in of_campaign}))
    return found


def _unpacked(archive: Path, campaigns: Iterable[str]) -> Path | None:
    """The folder of an archive's campaigns; None where there is no archive yet."""
    return download.unpacked(archive, sorted(campaigns)) if archive.exists() else None


def _left_out(known: KnownSet, entry: Entry, campaigns: Path | None, needs_texts: bool) -> str:
    """Why a set that a pattern finds is left out; empty where it is not. A set with scores alone
    has no difficulty."""
    gold = entry.get("gold", known.gold)
    if campaigns is None:  # as far as the table knows
        return f"its standard gold is {known.gold or 'none'}" * (gold != known.gold)
    folder = campaigns / known.campaign
    if not folder.is_dir() or not any(folder.iterdir()):
        return "not in the archive"
    if gold and not gold_file(folder, known.pair, gold).is_file():
        return f"the archive has no {gold} scores of it"
    scored_only = gold and not needs_texts
    if not scored_only and not (folder / "system-outputs" / known.pair).is_dir():
        return "the archive has no system outputs of it"
    references = reference_files(folder, known.pair)
    wanted = entry.get("reference", known.reference)
    there = any(fnmatchcase(name, wanted) for name in references)
    if wanted and not there and (references or needs_texts or WILD & set(wanted)):
        return f"the archive has no reference {wanted} of it"
    return ""


def _told(entry: Entry, there: list[KnownSet], reasons: Mapping[KnownSet, str]) -> Iterator[str]:
    """What a pattern found and left out, a sentence each."""
    pattern = f"{entry['campaign']} {entry.get('pair', '*')}"
    if "gold" in entry:
        pattern += f" ({entry['gold']})"
    names = ", ".join(f"{each.campaign}/{each.pair}" for each in there)
    yield f"{pattern}: {len(there)} of {len(reasons)} sets{': ' * bool(there)}{names}."
    for reason in dict.fromkeys(filter(None, reasons.values())):
        sets = [each for each, why in reasons.items() if why == reason]
        listed = ", ".join(f"{each.campaign}/{each.pair}" for each in sets)
        if len(sets) > LISTED:
            counts = Counter(each.campaign for each in sets).items()
            of_campaigns = ", ".join(f"{campaign} {count}" for campaign, count in counts)
            listed = f"{len(sets)} sets ({of_campaigns})"
        yield f"{pattern}: left out, {reason}: {listed}."


def _of_references(entry: Entry, known: KnownSet, campaigns: Path | None) -> list[Entry]:
    """An entry as `_filled`, or, where its reference is a pattern, once for each reference that the
    archive has of the set, the standard one first."""
    pattern = entry.get("reference", "")
    if not WILD & set(pattern):
        return [_filled(entry, known)]
    if campaigns is None:
        raise InputError(f"{known.campaign}/{known.pair}: reference {pattern}: {NO_ARCHIVE}.")
    there = reference_files(campaigns / known.campaign, known.pair)
    names = [name for name in there if fnmatchcase(name, pattern)]
    names.sort(key=lambda name: (name != known.reference, name))
    return [_filled(entry | {"reference": name}, known) for name in names]


def _filled(entry: Entry, known: KnownSet) -> Entry:
    """An entry with what is standard in its set; what it says itself counts."""
    standard = {
        "campaign": known.campaign,
        "pair": known.pair,
        "reference": entry.get("reference", known.reference),
        "gold": entry.get("gold", known.gold),
        "outlier_systems": list(known.outliers),
    }
    if standard["gold"] == known.gold and known.segment_gold != known.gold:
        standard["segment_gold"] = [known.gold, known.segment_gold]
    return standard | {k: v for k, v in entry.items() if k not in ("campaign", "pair")}


def _check_named(entry: Entry, known: list[KnownSet], archive: Path) -> None:
    """Raise `InputError` where an entry of a set that the table lacks does not say what is standard
    in it, or names a campaign or a pair that is not in the archive either."""
    if {"reference", "gold"} <= entry.keys():
        return
    campaign, pair = entry["campaign"], entry["pair"]
    folder = _unpacked(archive, [campaign])
    own = [path.name for path in folder.iterdir() if path.is_dir()] if folder else []
    if folder is None or campaign not in own:
        _matches(entry, known, own)  # raises
    else:
        pairs = {each.pair for each in known if each.campaign == campaign}
        check_pair(campaign, pair, sorted(pairs.union(pairs_of(folder / campaign))))
    raise InputError(
        f"{campaign}/{pair}: workflow/campaigns.yaml has no such set, so that its standard "
        "reference and gold are not known. Name both: `reference`, `gold`."
    )


def _with_stored(entry: Entry, archive: Path) -> Entry:
    """An entry with the archive's metrics that its patterns name, under their full names."""
    place = f"{entry['campaign']}/{entry['pair']}: stored"
    campaigns = _unpacked(archive, [entry["campaign"]])
    if campaigns is None:
        raise InputError(f"{place}: {NO_ARCHIVE}.")
    patterns = entry["stored"]
    patterns = [patterns] if isinstance(patterns, str) else patterns
    known = stored_metrics(campaigns / entry["campaign"], entry["pair"], entry["reference"])
    found: Entry = {}
    for pattern in patterns:
        chosen = {
            full: each
            for full, each in known.items()
            if fnmatchcase(full, pattern) or fnmatchcase(each["name"], pattern)
        }
        if not chosen and not entry.get("found"):
            names = [each["name"] for each in known.values()]
            raise InputError(
                f"{place}: no metric {pattern}; the archive has {', '.join(names) or 'none'}"
                f"{nearest(pattern, names)}."
            )
        found |= chosen
    return entry | {"stored": found}
