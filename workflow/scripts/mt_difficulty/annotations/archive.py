"""What the archive knows of an evaluation set, for mapping annotations: lines, documents, systems."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ..data.campaign_files import (
    check_pair,
    output_files,
    pairs_of,
    read_archive_source,
    reference_files,
)
from ..data.download import find_campaign, unpacked
from ..data.names import name_of, normal
from ..errors import InputError

# Human translations as WMT's annotations name them: HUMAN-C, translator-A, ref.A, Human-A.0.
_HUMAN = re.compile(r"(?:human|translator|ref)[-_. ]?([a-z])(?:\.\d+)?", re.IGNORECASE)


@dataclass
class ArchiveSet:
    """An evaluation set of the archive. Line numbers count from 0, with the canary's line.

    Attributes
    ----------
    name : str
        Such as wmt24/en-cs.
    texts, documents, domains : list of str
        By line, without the canary; documents and domains are empty if unknown.
    canary : int
        Lines before the first segment.
    systems : list of str
        Names of systems and references.
    """

    name: str
    texts: list[str]
    documents: list[str]
    domains: list[str]
    canary: int
    systems: list[str]

    def system_of(self, name: str) -> str | None:
        """Return the archive's name of a system; None if it has none.

        Names may differ in case, and human translations be called HUMAN-C in place of refC."""
        if name in self.systems:
            return name
        folded = {system.casefold(): system for system in self.systems}
        human = _HUMAN.fullmatch(name)
        spellings = [name, f"ref{human[1].upper()}"] if human else [name]
        for spelling in spellings:
            if spelling.casefold() in folded:
                return folded[spelling.casefold()]
        return None


def read_set(campaign: str, pair: str, archive: Path) -> ArchiveSet:
    """Read the texts and names of an evaluation set.

    Parameters
    ----------
    campaign, pair : str
        Such as wmt24 and en-cs.
    archive : Path
        The archive, as .tgz or unpacked.

    Returns
    -------
    ArchiveSet

    Raises
    ------
    InputError
        If the archive or the set is not there.
    """
    if not archive.exists():
        raise InputError(
            f"{archive}: no such archive. Name the place of mt-metrics-eval-v2 (archive), or leave "
            "out the campaign: segments are then named as in the files."
        )
    folder = find_campaign(unpacked(archive, [campaign]) / campaign)
    check_pair(campaign, pair, pairs_of(folder))
    sources = read_archive_source(folder, pair)
    systems = [name_of(path) for path in output_files(folder, pair)]
    references = [normal(name) for name in reference_files(folder, pair)]
    return ArchiveSet(
        name=f"{campaign}/{pair}",
        texts=sources.texts,
        documents=sources.documents,
        domains=sources.domains,
        canary=sources.canary,
        systems=sorted({*systems, *references}),
    )


def same_pair(first: str, second: str) -> bool:
    """Return whether two language pairs are the same but for scripts and regions: en-zh and
    en-zh_CN."""
    return _languages(first) == _languages(second)


def _languages(pair: str) -> list[str]:
    """Return the two languages of a pair without scripts and regions, in lower case."""
    return [re.split(r"[_.]", part)[0].lower() for part in pair.split("-")[:2]]


def match_pair(pair: str, known: Collection[str]) -> list[str]:
    """Return the known pairs that are the same as `pair`."""
    return [name for name in known if same_pair(pair, name)]
