"""Texts of a set of the archive, as `score -t wmt23 -l he-en` takes them: its standard reference,
its systems, and outputs of one's own beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..data import archive_sets, campaign_files, download
from ..data.build_set import ImportSettings
from ..data.campaign_files import KnownSet
from ..data.evalset import EvaluationSet
from ..data.names import by_name
from ..data.own_files import named_stdin
from ..data.text_files import is_human, read_translation
from ..data.text_formats import HYPOTHESIS, REFERENCE
from ..errors import InputError
from ..plan.base import find_project

# Outputs of WMT23 that are made from references, not by systems.
NOT_SYSTEMS = ("synthetic_ref",)


def known_sets() -> dict[tuple[str, str], KnownSet]:
    """Return the WMT archive's sets in `workflow/campaigns.yaml` by (campaign, language pair)."""
    listed = campaign_files.read_campaigns(find_project()[1].parent / campaign_files.FILE)
    return {(entry.campaign, entry.pair): entry for entry in listed}


def standard_reference(folder: Path, pair: str) -> str:
    """Return the name of a set's standard reference, or of its only one.

    Parameters
    ----------
    folder : Path
        The campaign's folder in the archive.
    pair : str

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the set is not known, and has no or several references.
    """
    known = known_sets().get((folder.name, pair))
    if known and known.reference:
        return known.reference
    references = sorted(campaign_files.reference_files(folder, pair))
    return only_name(references, "references", folder, pair)


def read_archive_texts(
    archive: Path,
    campaign: str,
    pair: str,
    references: Sequence[str] = (),
    outputs: Sequence[Path] = (),
) -> tuple[EvaluationSet, list[list[str]]]:
    """Read the texts of a set of the archive, with one's own outputs beside the archive's.

    Parameters
    ----------
    archive : Path
        A .tgz or an unpacked folder of the archive.
    campaign, pair : str
        Such as wmt23 and he-en.
    references : sequence of str
        Names of one or more references, by default the standard one.
    outputs : sequence of Path
        A file for each system of one's own, line by line the archive's segments.

    Returns
    -------
    tuple
        The set, with the first reference, the archive's systems but for human translations and
        NOT_SYSTEMS, and the systems of `outputs`; and a list of segments for each further
        reference.

    Raises
    ------
    InputError
        If the archive has no such set or reference, or an output has the name of a system or a
        reference or another number of lines.
    """
    if not archive.exists():
        raise InputError(f"the archive {archive} is not here. Name one (--archive).")
    folder = download.find_campaign(download.unpacked(archive, [campaign]) / campaign)
    campaign_files.check_pair(campaign, pair, campaign_files.pairs_of(folder))
    names = list(references) or [standard_reference(folder, pair)]
    files = campaign_files.reference_files(folder, pair)
    for name in names:
        if name not in files:
            raise InputError(
                f"{campaign}/{pair} has no reference {name}. There are: "
                f"{', '.join(sorted(files)) or 'none'}."
            )
    settings = ImportSettings(campaign, pair, names[0], outliers=NOT_SYSTEMS, drop_outliers=True)
    evalset = archive_sets.read_texts(folder, settings)
    segments = len(evalset.reference)
    hypotheses = list(evalset.hypotheses)
    own = list(by_name(map(named_stdin, outputs), "systems"))
    for system, file in zip(own, outputs, strict=True):
        if is_human(system, files):
            raise InputError(
                f"{file}: {system} is the name of a reference of WMT's sets. Rename the file."
            )
        if system in evalset.systems:
            raise InputError(
                f"{file}: {campaign}/{pair} has a system {system}, too. Rename the file."
            )
        hypotheses.append(read_translation(file, HYPOTHESIS, segments))
    more_references = [
        read_translation(files[name], REFERENCE, segments, evalset.canary) for name in names[1:]
    ]
    evalset = replace(evalset, systems=[*evalset.systems, *own], hypotheses=hypotheses)
    return evalset, more_references


def only_name(names: list[str], what: str, folder: Path, pair: str) -> str:
    """Return the only one of a set's names of references or human scores; else `InputError`."""
    if len(names) == 1:
        return names[0]
    message = f"the archive has no {what} of this language pair."
    if names:
        message = f"choose one of the {what}; there are: {', '.join(names)}."
    raise InputError(f"{folder.name}/{pair}: {message}")
