"""Evaluation sets of the official archive: read the texts and human scores of a campaign."""

import math
from pathlib import Path

from ..errors import InputError, Missing
from . import campaign_files
from .build_set import HumanScores, ImportSettings, TextFiles, add_gold, build_texts
from .campaign_files import reference_files, score_file, segment_gold_name
from .evalset import EvaluationSet
from .names import normal
from .score_files import check_gold, read_domain_gold, read_segment_gold


def read_texts(folder: Path, settings: ImportSettings) -> EvaluationSet:
    """Read and check the texts of a set in a campaign's folder.

    The reference is `references/<pair>.<reference>.txt` or `.jsonl`. Systems with a score in
    `human-scores/<pair>.<gold>.sys.score` are ranked; without `gold`, all but human translations.

    Raises
    ------
    InputError
        For bad input.
    Missing
        If the archive has no human scores or no texts of the set, and they are not required.
    """
    pair = settings.pair
    gold = settings.gold
    scores = _scores_of_systems(folder, settings)
    references = reference_files(folder, pair)
    sources = None
    texts_missing = None
    try:
        outputs = campaign_files.find_outputs(folder, pair, settings.reference or "")
        sources = campaign_files.read_archive_source(folder, pair)
    except Missing as missing:
        texts_missing = str(missing)
        if settings.texts_required:
            raise InputError(texts_missing) from None
        if not scores:
            raise
        outputs = dict.fromkeys(scores, folder)
    output_folder = folder / "system-outputs" / pair
    if not settings.rated:
        check_gold(score_file(folder, pair, gold, "sys"), scores, outputs, output_folder)
    rated = None
    if scores:
        rated = {system for system, score in scores.items() if not math.isnan(score)}
    reference_name = settings.reference or ""
    texts = TextFiles(
        outputs=outputs,
        sources=sources,
        reference=references.get(reference_name),
        reference_name=reference_name,
        human=[normal(name) for name in references],
        missing=texts_missing,
    )
    return build_texts(texts, rated, gold, settings)


def _scores_of_systems(folder: Path, settings: ImportSettings) -> dict[str, float]:
    """Return the human scores of systems; empty if the settings name none. Of a set whose human
    scores come from annotations, those systems that have ratings have 0."""
    if not settings.gold:
        return {}
    if settings.rated:
        return dict.fromkeys(settings.rated, 0.0)
    return campaign_files.read_gold(
        folder, settings.pair, settings.gold, required=settings.texts_required
    )


def read_gold(folder: Path, texts: EvaluationSet, settings: ImportSettings) -> EvaluationSet:
    """Read the human scores of a set in a campaign's folder, and check them against its texts.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    texts : EvaluationSet
        Of `read_texts`.
    settings : ImportSettings

    Returns
    -------
    EvaluationSet

    Raises
    ------
    InputError
        For malformed files, or scores of a system without output.
    """
    pair = settings.pair
    gold = settings.gold
    output_folder = folder / "system-outputs" / pair
    # Files of scores may name references, too.
    known = {*texts.systems, *texts.left_out, *map(normal, reference_files(folder, pair))}
    segment_name = ""
    segment_scores = {}
    if not texts.texts_missing:
        name = segment_gold_name(folder, pair, gold, settings.segment_gold)
        segment_scores = read_segment_gold(
            score_file(folder, pair, name, "seg"),
            known=known,
            outputs=output_folder,
            segments=len(texts.reference),
            canary=texts.canary,
        )
        if segment_scores and name != gold:
            segment_name = name
    domain_scores = read_domain_gold(
        score_file(folder, pair, gold, "domain"),
        known=known,
        outputs=output_folder,
        left_out=campaign_files.CANARY_DOMAIN,
    )
    system_scores = _scores_of_systems(folder, settings)
    check_gold(score_file(folder, pair, gold, "sys"), system_scores, known, output_folder)
    human = HumanScores(
        system_scores=system_scores,
        segment_scores=segment_scores,
        domain_scores=domain_scores,
        segment_name=segment_name,
    )
    return add_gold(texts, human, settings)
