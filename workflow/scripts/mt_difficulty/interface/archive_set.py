"""Evaluation sets of the archive and of folders of one's own, with stored metric scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..data import campaign_files, own_files
from ..data.campaign_files import gold_names, reference_files
from ..data.evalset import EvaluationSet, read_evaluation_set
from ..errors import InputError, Missing
from ..metrics.stored import Stored
from ..run.project import find_project

Stored_ = dict[str, tuple[np.ndarray, np.ndarray]]
# A set, its stored scores, why those of other metrics are left out, and the name of the human
# scores of segments.
Read = tuple[EvaluationSet, Stored_, dict[str, str], str]


def read_archive_set(
    folder: Path, campaign: str, pair: str, reference: str | None, gold: str | None
) -> Read:
    """A set of an unpacked campaign, and its stored metric scores, by metric those of systems,
    (systems,), and of segments, (systems, segments or 1).

    Raises
    ------
    InputError
        The reference or the human scores are not named and there are several.
    """
    listed = campaign_files.read_campaigns(find_project().papers.parent / campaign_files.FILE)
    known = {(one.campaign, one.pair): one for one in listed}.get((campaign, pair))
    if reference is None:
        names = sorted(reference_files(folder, pair))
        reference = known.reference if known else _only(names, "references", campaign, pair)
    if gold is None:
        names = gold_names(folder, pair)
        gold = known.gold if known else _only(names, "human scores", campaign, pair)
    segment_gold = (gold, known.segment_gold) if known and gold == known.gold else None
    found = read_evaluation_set(folder, campaign, pair, reference, gold, segment_gold=segment_gold)
    place = folder / "metric-scores" / pair
    files = sorted(place.glob(f"*-{reference}.*.score")) + sorted(place.glob("*-src.*.score"))
    metrics = {file.name.rsplit(".", 2)[0].rsplit("-", 1)[0] for file in files}
    stored, absent = _stored(found, dict.fromkeys(sorted(metrics), folder))
    return found, stored, absent, found.segment_gold_name or found.gold_name


def read_folder_set(folder: Path, pair: str, reference: str | None) -> Read:
    """A set of a folder of one's own, and the metric scores in it."""
    found = own_files.read_own_files(folder, folder.name, pair, reference=reference)
    files = own_files.scores_files(folder)
    stored, absent = _stored(found, {file.stem: file for file in files if file.suffix == ".tsv"})
    absent |= {file.name: "not <metric>.tsv" for file in files if file.suffix != ".tsv"}
    return found, stored, absent, own_files.SEGMENT_GOLD


def _stored(found: EvaluationSet, sources: dict[str, Path]) -> tuple[Stored_, dict[str, str]]:
    """Scores of metrics of all ranked systems; and why there are none, where some are lacking."""
    stored, absent = {}, {}
    for name, source in sources.items():
        metric = Stored(found.pair, name=name)
        try:
            segments = metric.evaluate(found, source)[..., 0]
        except Missing as reason:
            absent[name] = str(reason)
            continue
        own = metric.system_scores
        stored[name] = (segments.mean(axis=1) if own is None else own), segments
    return stored, absent


def _only(names: list[str], what: str, campaign: str, pair: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError(f"{campaign}/{pair}: the archive has no {what} of this language pair.")
    listed = ", ".join(names)
    raise InputError(f"{campaign}/{pair}: choose one of the {what}; there are: {listed}.")
