"""Expand config entries that name evaluation sets by pattern, and report what is left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import Field

from ..data import campaign_files, download
from ..data.campaign_files import KnownSet, reference_files
from ..data.names import name_of, normal
from ..errors import InputError, nearest
from ..settings import MetricSettings
from .base import ARCHIVE, located
from .config import Config, EvaluationSet

WILD = frozenset("*?[")
LISTED = 8  # sets that are left out and named by a notice
NO_ARCHIVE = (
    "the archive is not here yet, so that what it has cannot be listed. Download it first (make "
    "fetch NEURAL=no, without CONFIG), or name one (ARCHIVE=<a .tgz or an unpacked folder>)"
)


class Entry(EvaluationSet):
    """Config entry of one evaluation set; archive sets get defaults from `campaigns.yaml`."""

    pair: str
    segment_gold: Any = None
    stored: Any = Field({})  # MetricSettings of the archive's metrics, by their full names
    outlier_systems: list[str] = Field([])
    by_pattern: bool = False


@dataclass
class Expanded:
    """Config entries with their name patterns expanded, one per set; and errors and notices."""

    entries: list[Entry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def expand(config: Config, campaigns: Path) -> Expanded:
    """Return a config entry per set: name patterns (`wmt2*`) expanded, archive defaults added."""
    expanded, archive = Expanded(), Path(located(config.archive) or ARCHIVE)
    of_archive = any(entry.files is None for entry in config.evaluation_sets)
    known = campaign_files.read_campaigns(campaigns) if of_archive else []
    for entry in config.evaluation_sets:
        try:
            for of_set in _entries(expanded, entry, known, archive, config.study is not None):
                of_set["stored"] = _stored(of_set, archive) if "stored" in of_set else {}
                expanded.entries.append(Entry.model_construct(**of_set))
        except InputError as error:
            expanded.problems.append(f"config, evaluation_sets: {error}")
    return expanded


def _entries(
    expanded: Expanded,
    entry: EvaluationSet,
    known: list[KnownSet],
    archive: Path,
    needs_texts: bool,
) -> Iterator[dict[str, Any]]:
    """Yield the settings of each set that `entry` selects; add notices to `expanded`."""
    stated = entry.model_dump(exclude_unset=True)
    if entry.files is not None:
        yield stated
        return
    reference = entry.reference
    if not WILD & set(entry.campaign + (entry.pair or "*") + (reference or "")):
        standard = [k for k in known if (k.campaign, k.pair) == (entry.campaign, entry.pair)]
        if not standard and (reference is None or entry.gold is None):
            _matches(entry, known)  # raises
        yield _filled(stated, standard[0]) if standard else stated
        return
    matches = _matches(entry, known)
    names = sorted({match.campaign for match in matches})
    campaigns = download.unpacked(archive, names) if archive.exists() else None
    reasons = {match: _left_out(match, entry, campaigns, needs_texts) for match in matches}
    expanded.notices += _notices(entry, reasons)
    for match in (match for match, reason in reasons.items() if not reason):
        of_set, references = stated | {"by_pattern": True}, [reference]
        if "exclude" in stated and campaigns is not None:  # those that the set has
            outputs = campaign_files.output_files(campaigns / match.campaign, match.pair)
            there = {name_of(path) for path in outputs}
            of_set["exclude"] = [x for x in stated["exclude"] if normal(x) in there]
        if reference is not None and WILD & set(reference):  # the standard one first
            if campaigns is None:
                place = f"{match.campaign}/{match.pair}: reference {reference}"
                raise InputError(f"{place}: {NO_ARCHIVE}.")
            every = reference_files(campaigns / match.campaign, match.pair)
            references = [name for name in every if fnmatchcase(name, reference)]
            references.sort(key=lambda name: (name != match.reference, name))
        for name in references:
            yield _filled(of_set | ({} if name is None else {"reference": name}), match)


def _matches(entry: EvaluationSet, known: list[KnownSet]) -> list[KnownSet]:
    """Return the known sets that match the entry's campaign and pair; `InputError` if none."""
    of_campaign = [known_set for known_set in known if fnmatchcase(known_set[0], entry.campaign)]
    if not of_campaign:
        names = list(dict.fromkeys(known_set.campaign for known_set in known))
        raise InputError(
            f"no campaign {entry.campaign} in workflow/campaigns.yaml; there are "
            f"{', '.join(names)}{nearest(entry.campaign, names)}. Of any other, name campaign, "
            "pair, reference and gold."
        )
    matches = [match for match in of_campaign if fnmatchcase(match.pair, entry.pair or "*")]
    if not matches:
        pairs = sorted({match.pair for match in of_campaign})
        campaign_files.check_pair(entry.campaign, entry.pair, pairs)
    return matches


def _left_out(
    known: KnownSet, entry: EvaluationSet, campaigns: Path | None, needs_texts: bool
) -> str:
    """Return why a set that matches a pattern is left out; empty if it is kept. Studies
    (`needs_texts`) leave out sets without texts, which have no difficulty."""
    gold = known.gold if entry.gold is None else entry.gold
    if campaigns is None:  # as far as the table knows
        return f"its standard gold is {known.gold or 'none'}" * (gold != known.gold)
    folder = campaigns / known.campaign
    if not folder.is_dir() or not any(folder.iterdir()):
        return "not in the archive"
    if gold and not campaign_files.score_file(folder, known.pair, gold, "sys").is_file():
        return f"the archive has no {gold} scores of it"
    scored_only = gold and not needs_texts
    if not scored_only and not (folder / "system-outputs" / known.pair).is_dir():
        return "the archive has no system outputs of it"
    references = reference_files(folder, known.pair)
    wanted = known.reference if entry.reference is None else entry.reference
    there = any(fnmatchcase(name, wanted) for name in references)
    if wanted and not there and (references or needs_texts or WILD & set(wanted)):
        return f"the archive has no reference {wanted} of it"
    return ""


def _notices(entry: EvaluationSet, reasons: Mapping[KnownSet, str]) -> Iterator[str]:
    """Yield sentences that list the sets a pattern selects and, by reason, those left out."""
    pattern = f"{entry.campaign} {entry.pair or '*'}"
    if entry.gold is not None:
        pattern += f" ({entry.gold})"
    for reason in dict.fromkeys(["", *reasons.values()]):
        names = [f"{x.campaign}/{x.pair}" for x, why in reasons.items() if why == reason]
        listed = ", ".join(names)
        if not reason:
            yield f"{pattern}: {len(names)} of {len(reasons)} sets{': ' * bool(names)}{listed}."
            continue
        if len(names) > LISTED:
            counts = Counter(name.partition("/")[0] for name in names).items()
            of_campaigns = ", ".join(f"{campaign} {count}" for campaign, count in counts)
            listed = f"{len(names)} sets ({of_campaigns})"
        yield f"{pattern}: left out, {reason}: {listed}."


def _filled(stated: dict[str, Any], known: KnownSet) -> dict[str, Any]:
    """Return `stated` with the set's standard reference, human scores and outliers as defaults."""
    standard: dict[str, Any] = {"reference": known.reference, "gold": known.gold}
    standard["outlier_systems"] = list(known.outliers)
    if stated.get("gold", known.gold) == known.gold != known.segment_gold:
        standard["segment_gold"] = [known.gold, known.segment_gold]
    return standard | stated | {"campaign": known.campaign, "pair": known.pair}


def _stored(entry: Mapping[str, Any], archive: Path) -> dict[str, MetricSettings]:
    """Return config entries of the archive's metrics that match `stored`, by name (`chrF-refA`)."""
    campaign, pair, patterns = entry["campaign"], entry["pair"], entry["stored"]
    place = f"{campaign}/{pair}: stored"
    if not archive.exists():
        raise InputError(f"{place}: {NO_ARCHIVE}.")
    folder = download.unpacked(archive, [campaign]) / campaign
    known = campaign_files.stored_metrics(folder, pair, entry["reference"])
    metrics: dict[str, MetricSettings] = {}
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        chosen = {
            full: settings
            for full, settings in known.items()
            if fnmatchcase(full, pattern) or fnmatchcase(settings.arguments["name"], pattern)
        }
        if not chosen and not entry.get("by_pattern"):
            names = [settings.arguments["name"] for settings in known.values()]
            raise InputError(
                f"{place}: no metric {pattern}; the archive has {', '.join(names) or 'none'}"
                f"{nearest(pattern, names)}."
            )
        metrics |= chosen
    return metrics
