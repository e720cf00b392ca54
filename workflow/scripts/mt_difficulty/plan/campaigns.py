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
from ..gold import ADJUSTED
from ..settings import MetricSettings
from .base import ARCHIVE, located
from .config import Config, EvaluationSet

WILDCARDS = frozenset("*?[")
# A notice names up to so many sets that are left out for one reason; of more it gives the counts.
MOST_NAMED = 8
NO_ARCHIVE = (
    "the archive is not here yet, so that what it has cannot be listed. Download it first (make "
    "fetch NEURAL=no, without CONFIG), or name one (ARCHIVE=<a .tgz or an unpacked folder>)"
)


class Entry(EvaluationSet):
    """Config entry of one evaluation set; archive sets get defaults from `campaigns.yaml`.

    Attributes
    ----------
    pair : str
        The language pair, without wildcards.
    segment_gold : str or sequence of str, optional
        Name of the human scores of segments; of several the first that the archive has.
    stored : dict of str to MetricSettings
        The archive's metrics that the entry selects, by their full names.
    outlier_systems : list of str
        Systems that `outliers: drop` leaves out.
    by_pattern : bool
        Whether the config names the set by a pattern.
    """

    pair: str
    segment_gold: Any = None
    stored: Any = Field({})
    outlier_systems: list[str] = Field([])
    by_pattern: bool = False


@dataclass
class Expanded:
    """Config entries with their name patterns expanded.

    Attributes
    ----------
    entries : list of Entry
        One for each evaluation set.
    notices : list of str
        Sentences on the sets that patterns select and leave out.
    problems : list of str
        Errors.
    """

    entries: list[Entry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def expand(config: Config, campaigns: Path) -> Expanded:
    """Return a config entry per set: name patterns (`wmt2*`) expanded, archive defaults added."""
    expanded = Expanded()
    archive = Path(located(config.archive) or ARCHIVE)
    reads_archive = any(entry.files is None for entry in config.evaluation_sets)
    known = campaign_files.read_campaigns(campaigns) if reads_archive else []
    needs_texts = config.study is not None
    for entry in config.evaluation_sets:
        try:
            for content in _entries(expanded, entry, known, archive, needs_texts=needs_texts):
                content["stored"] = _stored(content, archive) if "stored" in content else {}
                expanded.entries.append(Entry.model_construct(**content))
        except InputError as error:
            expanded.problems.append(f"config, evaluation_sets: {error}")
    return expanded


def _entries(
    expanded: Expanded,
    entry: EvaluationSet,
    known: list[KnownSet],
    archive: Path,
    *,
    needs_texts: bool,
) -> Iterator[dict[str, Any]]:
    """Yield the settings of each set that `entry` selects; add notices to `expanded`."""
    stated = entry.model_dump(exclude_unset=True)
    if entry.annotations is not None:
        stated = {"gold": ADJUSTED} | stated
    if entry.files is not None:
        yield stated
        return
    names = entry.campaign + (entry.pair or "*") + (entry.reference or "")
    if WILDCARDS.isdisjoint(names):
        yield _named_set(entry, stated, known)
        return

    matches = _matches(entry, known)
    campaigns = None  # the folder of all campaigns, once the archive is here
    if archive.exists():
        campaigns = download.unpacked(archive, sorted({match.campaign for match in matches}))
    reasons = {
        match: _left_out(match, entry, campaigns, needs_texts=needs_texts) for match in matches
    }
    expanded.notices += _notices(entry, reasons)
    for match, reason in reasons.items():
        if reason:
            continue
        settings = stated | {"by_pattern": True}
        if "exclude" in stated and campaigns is not None:
            settings["exclude"] = _excluded(stated["exclude"], campaigns / match.campaign, match)
        if entry.reference is None:
            yield _filled(settings, match)
            continue
        for reference in _references(entry.reference, match, campaigns):
            yield _filled(settings | {"reference": reference}, match)


def _named_set(
    entry: EvaluationSet, stated: dict[str, Any], known: list[KnownSet]
) -> dict[str, Any]:
    """Return the settings of a set that is named without wildcards; `InputError` if it is not in
    `campaigns.yaml` and the entry does not name its reference and human scores."""
    for known_set in known:
        if (known_set.campaign, known_set.pair) == (entry.campaign, entry.pair):
            return _filled(stated, known_set)
    if entry.reference is None or stated.get("gold") is None:
        _matches(entry, known)  # raises the error that names similar sets
    return stated


def _excluded(names: list[str], folder: Path, known: KnownSet) -> list[str]:
    """Return those of the systems to leave out that a set has. The list is for all sets of a
    pattern, and a name that a set lacks would be an error."""
    outputs = campaign_files.output_files(folder, known.pair)
    systems = {name_of(path) for path in outputs}
    return [name for name in names if normal(name) in systems]


def _references(pattern: str, known: KnownSet, campaigns: Path | None) -> list[str]:
    """Return the references of a set that match a pattern, the standard one first."""
    if WILDCARDS.isdisjoint(pattern):
        return [pattern]
    if campaigns is None:
        setting = f"{known.campaign}/{known.pair}: reference {pattern}"
        raise InputError(f"{setting}: {NO_ARCHIVE}.")
    names = reference_files(campaigns / known.campaign, known.pair)
    matching = [name for name in names if fnmatchcase(name, pattern)]
    return sorted(matching, key=lambda name: (name != known.reference, name))


def _matches(entry: EvaluationSet, known: list[KnownSet]) -> list[KnownSet]:
    """Return the known sets that match the entry's campaign and pair; `InputError` if none."""
    campaign_sets = [
        known_set for known_set in known if fnmatchcase(known_set.campaign, entry.campaign)
    ]
    if not campaign_sets:
        names = list(dict.fromkeys(known_set.campaign for known_set in known))
        raise InputError(
            f"no campaign {entry.campaign} in workflow/campaigns.yaml; there are "
            f"{', '.join(names)}{nearest(entry.campaign, names)}. Of any other, name campaign, "
            "pair, reference and gold."
        )
    matches = [match for match in campaign_sets if fnmatchcase(match.pair, entry.pair or "*")]
    if not matches:
        pairs = sorted({match.pair for match in campaign_sets})
        campaign_files.check_pair(entry.campaign, entry.pair, pairs)
    return matches


def _left_out(
    known: KnownSet, entry: EvaluationSet, campaigns: Path | None, *, needs_texts: bool
) -> str:
    """Return why a set that matches a pattern is left out; empty if it is kept. Studies
    (`needs_texts`) leave out sets without texts, which have no difficulty."""
    gold = known.gold if entry.gold is None else str(entry.gold)
    if campaigns is None:  # without the archive, only the table of campaigns says what a set has
        return "" if gold == known.gold else f"its standard gold is {known.gold or 'none'}"
    folder = campaigns / known.campaign
    if not folder.is_dir() or not any(folder.iterdir()):
        return "not in the archive"
    if gold and not campaign_files.score_file(folder, known.pair, gold, "sys").is_file():
        return f"the archive has no {gold} scores of it"
    can_lack_outputs = gold and not needs_texts
    if not can_lack_outputs and not (folder / "system-outputs" / known.pair).is_dir():
        return "the archive has no system outputs of it"
    reference = known.reference if entry.reference is None else entry.reference
    if reference and _lacks_reference(reference, folder, known.pair, needs_texts=needs_texts):
        return f"the archive has no reference {reference} of it"
    return ""


def _lacks_reference(reference: str, folder: Path, pair: str, *, needs_texts: bool) -> bool:
    """Return whether a set lacks a reference, or any that matches a pattern. Only if texts are
    needed, or a pattern names references, a set without any references lacks one."""
    references = reference_files(folder, pair)
    if any(fnmatchcase(name, reference) for name in references):
        return False
    return bool(references) or needs_texts or not WILDCARDS.isdisjoint(reference)


def _notices(entry: EvaluationSet, reasons: Mapping[KnownSet, str]) -> Iterator[str]:
    """Yield sentences that list the sets a pattern selects and, by reason, those left out."""
    pattern = f"{entry.campaign} {entry.pair or '*'}"
    if entry.gold is not None:
        pattern += f" ({entry.gold})"
    names_by_reason: dict[str, list[str]] = {"": []}
    for known, reason in reasons.items():
        names_by_reason.setdefault(reason, []).append(f"{known.campaign}/{known.pair}")
    selected = names_by_reason.pop("")
    summary = f"{pattern}: {len(selected)} of {len(reasons)} sets"
    if selected:
        summary += f": {', '.join(selected)}"
    yield f"{summary}."
    for reason, names in names_by_reason.items():
        listed = ", ".join(names)
        if len(names) > MOST_NAMED:
            counts = Counter(name.partition("/")[0] for name in names)
            by_campaign = ", ".join(f"{campaign} {count}" for campaign, count in counts.items())
            listed = f"{len(names)} sets ({by_campaign})"
        yield f"{pattern}: left out, {reason}: {listed}."


def _filled(stated: dict[str, Any], known: KnownSet) -> dict[str, Any]:
    """Return `stated` with the set's standard reference, human scores and outliers as defaults."""
    standard: dict[str, Any] = {
        "reference": known.reference,
        "gold": known.gold,
        "outlier_systems": list(known.outliers),
    }
    if stated.get("gold", known.gold) == known.gold != known.segment_gold:
        standard["segment_gold"] = [known.gold, known.segment_gold]
    return standard | stated | {"campaign": known.campaign, "pair": known.pair}


def _stored(entry: Mapping[str, Any], archive: Path) -> dict[str, MetricSettings]:
    """Return config entries of the archive's metrics that match `stored`, by name (`chrF-refA`)."""
    campaign = entry["campaign"]
    pair = entry["pair"]
    patterns = entry["stored"]
    if isinstance(patterns, str):
        patterns = [patterns]
    setting = f"{campaign}/{pair}: stored"
    if not archive.exists():
        raise InputError(f"{setting}: {NO_ARCHIVE}.")
    folder = download.unpacked(archive, [campaign]) / campaign
    known = campaign_files.stored_metrics(folder, pair, entry["reference"])
    metrics: dict[str, MetricSettings] = {}
    for pattern in patterns:
        chosen = {
            full_name: settings
            for full_name, settings in known.items()
            if fnmatchcase(full_name, pattern) or fnmatchcase(settings.arguments["name"], pattern)
        }
        if not chosen and not entry.get("by_pattern"):
            names = [settings.arguments["name"] for settings in known.values()]
            raise InputError(
                f"{setting}: no metric {pattern}; the archive has {', '.join(names) or 'none'}"
                f"{nearest(pattern, names)}."
            )
        metrics |= chosen
    return metrics
