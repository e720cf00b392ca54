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
    pair, gold = settings.pair, settings.gold
    scores = _scores_of_systems(folder, settings)
    references = reference_files(folder, pair)
    sources, texts_missing = None, None
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
    place = folder / "system-outputs" / pair
    check_gold(score_file(folder, pair, gold, "sys"), scores, outputs, place)
    rated = None
    if scores:
        rated = {system for system, score in scores.items() if not math.isnan(score)}
    texts = TextFiles(
        outputs,
        sources,
        references.get(settings.reference or ""),
        settings.reference or "",
        list(map(normal, references)),
        texts_missing,
    )
    return build_texts(texts, rated, gold, settings)


def _scores_of_systems(folder: Path, settings: ImportSettings) -> dict[str, float]:
    if not settings.gold:
        return {}
    return campaign_files.read_gold(folder, settings.pair, settings.gold, settings.texts_required)


def read_gold(folder: Path, texts: EvaluationSet, settings: ImportSettings) -> EvaluationSet:
    """Read the human scores of a set in a campaign's folder, and check them against its `texts`.

    Raises
    ------
    InputError
        For malformed files, or scores of a system without output.
    """
    pair, gold = settings.pair, settings.gold
    place = folder / "system-outputs" / pair
    # Files of scores may name references, too.
    known = {*texts.systems, *texts.left_out, *map(normal, reference_files(folder, pair))}
    segment_name, of_segments = "", {}
    if not texts.texts_missing:
        name = segment_gold_name(folder, pair, gold, settings.segment_gold)
        file = score_file(folder, pair, name, "seg")
        of_segments = read_segment_gold(file, known, place, len(texts.reference), texts.canary)
        if of_segments and name != gold:
            segment_name = name
    of_domains = read_domain_gold(
        score_file(folder, pair, gold, "domain"), known, place, campaign_files.CANARY_DOMAIN
    )
    of_systems = _scores_of_systems(folder, settings)
    check_gold(score_file(folder, pair, gold, "sys"), of_systems, known, place)
    human = HumanScores(of_systems, of_segments, of_domains, segment_name)
    return add_gold(texts, human, settings)
