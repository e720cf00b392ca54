"""The evaluation set that was rated, of the archive or of a folder of own files: lines, documents,
systems, human scores."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..data import own_files
from ..data.campaign_files import (
    check_pair,
    output_files,
    pairs_of,
    read_archive_source,
    reference_files,
    score_file,
)
from ..data.download import find_campaign, unpacked
from ..data.names import name_of, normal
from ..data.score_formats import score_lines
from ..data.text_files import read_lines
from ..errors import InputError

SEGMENTS = ".seg.score"
# Human translations as WMT's annotations name them: HUMAN-C, Human-refA, translator-A, Human-A.0.
_HUMAN = re.compile(r"(?:human|translator|ref)[-_. ]?(?:ref)?([a-z])(?:\.\d+)?", re.IGNORECASE)
# Systems of WMT23 that its annotations call otherwise than the archive.
_RENAMED = {"GTCOM_DLUT": "GTCOM_Peter", "LanguageX": "ZengHuiMT"}


@dataclass
class RatedSet:
    """An evaluation set that was rated. Line numbers count from 0, with the canary's line.

    Attributes
    ----------
    name : str
        Such as wmt24/en-cs, or the folder of own files.
    texts, documents, domains : list of str
        By line, without the canary; documents and domains are empty if unknown.
    canary : int
        Lines before the first segment.
    systems : list of str
        Names of systems and references.
    references : list of str
        Names of references alone.
    folder : Path
        Folder of the campaign, or of own files.
    pair : str
    is_own : bool
        Whether these are a user's own files, not the archive's.
    """

    name: str
    texts: list[str]
    documents: list[str]
    domains: list[str]
    canary: int
    systems: list[str]
    references: list[str]
    folder: Path
    pair: str
    is_own: bool = False

    def gold_names(self) -> list[str]:
        """Return the names of the archive's human scores of segments."""
        names = [path.name for path in (self.folder / "human-scores").glob(f"{self.pair}.*")]
        endings = [name.removeprefix(f"{self.pair}.") for name in sorted(names)]
        return [name.removesuffix(SEGMENTS) for name in endings if name.endswith(SEGMENTS)]

    def gold(self, name: str) -> dict[str, np.ndarray]:
        """Return human scores of segments by system: (segments,), NaN where there is none."""
        path = score_file(self.folder, self.pair, name, "seg")
        expected = len(self.texts) + self.canary
        scores: dict[str, list[float]] = {}
        for _, (system,), score in score_lines(read_lines(path), path):
            scores.setdefault(system, []).append(score)
        return {
            system: np.array(values[self.canary :])
            for system, values in scores.items()
            if len(values) == expected
        }

    def system_of(self, name: str) -> str | None:
        """Return the set's name of a system; None if it has none.

        Names may differ in case, and human translations be called HUMAN-C in place of refC."""
        if name in self.systems:
            return name
        folded = {system.casefold(): system for system in self.systems}
        human = _HUMAN.fullmatch(name)
        spellings = [name, _RENAMED.get(name, name)]
        if human:
            spellings.append(f"ref{human[1].upper()}")
        elif name.casefold() in ("ref", "reference", "human") and len(self.references) == 1:
            spellings.append(self.references[0])
        for spelling in spellings:
            if spelling.casefold() in folded:
                return folded[spelling.casefold()]
        return None


def read_archive_set(campaign: str, pair: str, archive: Path) -> RatedSet:
    """Read the texts and names of an evaluation set.

    Parameters
    ----------
    campaign, pair : str
        Such as wmt24 and en-cs.
    archive : Path
        The archive, as .tgz or unpacked.

    Returns
    -------
    RatedSet

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
    return RatedSet(
        name=f"{campaign}/{pair}",
        texts=sources.texts,
        documents=sources.documents,
        domains=sources.domains,
        canary=sources.canary,
        systems=sorted({*systems, *references}),
        references=references,
        folder=folder,
        pair=pair,
    )


def read_folder_set(folder: Path, pair: str) -> RatedSet:
    """Read the texts and names of a folder of own files.

    Parameters
    ----------
    folder : Path
    pair : str

    Returns
    -------
    RatedSet
        With the documents of documents.txt, if it is there.

    Raises
    ------
    InputError
        If a file is missing or malformed.
    """
    sources = own_files.read_folder_source(folder)
    return RatedSet(
        name=str(folder),
        texts=sources.texts,
        documents=sources.documents,
        domains=[],
        canary=0,
        systems=sorted(own_files.find_outputs(folder)),
        references=[],
        folder=folder,
        pair=pair,
        is_own=True,
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
