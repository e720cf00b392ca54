"""Read an evaluation set: its texts, and its human scores, from the archive or a user's folder."""

from pathlib import Path

from ..errors import InputError, Missing
from . import archive_sets, download, own_files
from .build_set import ImportSettings
from .campaign_files import Ratings, rating_files, read_ratings
from .evalset import EvaluationSet


def read_texts(folder: Path, settings: ImportSettings) -> EvaluationSet:
    """Read and check the texts of an evaluation set.

    Parameters
    ----------
    folder : Path
        Folder of the campaign in the archive, or of the user's files.
    settings : ImportSettings

    Returns
    -------
    EvaluationSet
        Without human scores; the systems that have one are ranked.

    Raises
    ------
    InputError
        For bad input.
    Missing
        If the archive lacks texts or human scores that are not required.
    """
    if settings.own_files:
        return own_files.read_texts(folder, settings)
    return archive_sets.read_texts(find_campaign(folder, settings), settings)


def read_gold(folder: Path, texts: EvaluationSet, settings: ImportSettings) -> EvaluationSet:
    """Add the human scores of an evaluation set to its texts.

    Parameters
    ----------
    folder, settings
        As of `read_texts`.
    texts : EvaluationSet
        Of `read_texts`.

    Returns
    -------
    EvaluationSet

    Raises
    ------
    InputError
        For bad input, such as scores that do not belong to the texts.
    """
    if settings.own_files:
        return own_files.read_gold(folder, texts, settings)
    return archive_sets.read_gold(find_campaign(folder, settings), texts, settings)


def read_evaluation_set(folder: str | Path, settings: ImportSettings) -> EvaluationSet:
    """Read and check an evaluation set, texts and human scores; as `read_texts` and `read_gold`."""
    folder = Path(folder)
    return read_gold(folder, read_texts(folder, settings), settings)


def find_campaign(folder: Path, settings: ImportSettings) -> Path:
    """Return the folder in which a campaign's files are; raise `InputError` if there is none and
    the set's texts are required, else `Missing`."""
    try:
        return download.find_campaign(folder)
    except Missing as missing:
        if settings.texts_required:
            raise InputError(str(missing)) from None
        raise


def read_error_spans(folder: Path, evalset: EvaluationSet, settings: ImportSettings) -> Ratings:
    """Read the error spans behind the human scores of a set.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    evalset : EvaluationSet
    settings : ImportSettings

    Returns
    -------
    dict
        As of `campaign_files.read_ratings`.

    Raises
    ------
    Missing
        If there are none.
    """
    if not settings.own_files:
        folder = find_campaign(folder, settings)
    segments = len(evalset.reference)
    gold = evalset.gold_name
    if settings.own_files or not segments or not rating_files(folder, evalset.pair, gold):
        raise Missing("the set has no error spans (.seg.rating files)")
    return read_ratings(folder, evalset.pair, gold, evalset.systems, segments, evalset.canary)
