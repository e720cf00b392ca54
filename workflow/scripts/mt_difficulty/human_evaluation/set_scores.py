"""Human scores of an evaluation set that come from annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..data import own_files
from ..data.build_set import HumanScores, ImportSettings, add_gold
from ..data.evalset import EvaluationSet
from ..data.import_set import find_campaign, read_gold, read_texts
from ..errors import InputError
from ..gold import base as golds
from ..settings import GoldSettings
from ..storage import Content
from .annotate import Annotations, annotate
from .mapping import UNMAPPED_PREFIX
from .rated_set import RatedSet, read_archive_set, read_folder_set
from .reading import read_evaluation
from .statements import described

# Name of the human scores of segments where the gold gives none: means of their ratings.
MEANS = "mean of ratings"


class SetScores(NamedTuple):
    """Human scores of a set, and the annotations that they come from.

    Attributes
    ----------
    human : HumanScores
    annotations : Annotations
    """

    human: HumanScores
    annotations: Annotations


def with_rated_systems(folder: Path, settings: ImportSettings) -> ImportSettings:
    """Return the settings with the names of the systems that a set's annotations rate; unchanged
    without annotations. Raises `InputError` for bad input, and if no rating is of a segment of the
    set."""
    if not settings.annotations:
        return settings
    rated_set = _rated_set(folder, settings)
    files = [Path(file) for file in settings.annotations]
    evaluation = read_evaluation(files, _known_pair(settings), rated_set)
    ratings = evaluation.ratings.table
    is_mapped = ~ratings.segment.str.startswith(UNMAPPED_PREFIX)
    if not is_mapped.any():
        names = ratings.segment.str.removeprefix(UNMAPPED_PREFIX).unique()
        raise InputError(
            f"{', '.join(settings.annotations)}: no rating could be mapped to a segment of "
            f"{rated_set.name}, which has {len(rated_set.texts):,} segments. The ratings are of "
            f"segments {names[0]} to {names[-1]} ({len(names):,}): they are of another evaluation, "
            "or some have numbers that the set does not have. Correct or remove them."
        )
    return settings._replace(rated=sorted(evaluation.ratings.table.system.unique()))


def read_set(folder: Path, settings: ImportSettings, progress: Callable = iter) -> EvaluationSet:
    """Read and check an evaluation set, texts and human scores, which may come from annotations.

    Parameters
    ----------
    folder : Path
        Folder of the campaign in the archive, or of the user's files.
    settings : ImportSettings
    progress : callable
        Wraps an iteration that takes long (tqdm).

    Returns
    -------
    EvaluationSet

    Raises
    ------
    InputError
        For bad input.
    Missing
        If the archive lacks texts or human scores that are not required.
    """
    texts = read_texts(folder, with_rated_systems(folder, settings))
    if settings.annotations:
        return read_annotated(folder, texts, settings, progress)[0]
    return read_gold(folder, texts, settings)


def read_annotated(
    folder: Path, texts: EvaluationSet, settings: ImportSettings, progress: Callable = iter
) -> tuple[EvaluationSet, Content]:
    """Add human scores that are computed from annotations to the texts of a set.

    Parameters
    ----------
    folder, settings
        As of `read_set`; the settings name annotations.
    texts : EvaluationSet
    progress : callable
        Wraps an iteration that takes long (tqdm).

    Returns
    -------
    evalset : EvaluationSet
    described : dict
        The human evaluation, as the set's page shows it.

    Raises
    ------
    InputError
        For bad input, and if the design of the ratings does not allow the gold.
    """
    scores = read_scores(folder, texts, settings, progress)
    evalset = add_gold(texts, scores.human, settings)
    notices = [*evalset.gold_doubts, *scores.annotations.notices]
    unread = [path.name for path in own_files.gold_files(folder)] if settings.own_files else []
    if unread:
        notices.append(
            f"{folder}: {' and '.join(unread)} not read, since human scores come from annotations."
        )
    described_evaluation = described(scores.annotations, settings.gold)
    return replace(evalset, gold_doubts=notices), described_evaluation


def read_scores(
    folder: Path, texts: EvaluationSet, settings: ImportSettings, progress: Callable = iter
) -> SetScores:
    """Compute the human scores of a set from its annotations.

    Parameters
    ----------
    folder : Path
        Folder of the campaign in the archive, or of the user's files.
    texts : EvaluationSet
    settings : ImportSettings
        With `annotations` and `rating_gold`.
    progress : callable
        Wraps an iteration that takes long (tqdm).

    Returns
    -------
    SetScores

    Raises
    ------
    InputError
        For bad input, and if the design of the ratings does not allow this gold.
    """
    assert settings.rating_gold
    annotations = _read(folder, settings, [settings.rating_gold], progress)
    human = annotations.adjusted.get(settings.gold)
    if human is None:
        raise InputError(
            f"{settings.campaign}/{settings.pair}, gold {settings.gold}: "
            f"{annotations.not_adjusted[settings.gold]}. Choose another gold, such as mean or z."
        )
    index = [human.systems.index(system) for system in texts.systems]
    segment_scores, name = _segment_scores(annotations, human, texts)
    return SetScores(
        HumanScores(
            system_scores=dict(zip(human.systems, human.scores.tolist(), strict=True)),
            segment_scores=segment_scores,
            segment_name=name,
            covariance=human.covariance[np.ix_(index, index)].tolist(),
            degrees=_degrees(human)[index].tolist() if human.degrees is not None else [],
        ),
        annotations,
    )


def _degrees(human: golds.HumanScores) -> np.ndarray:
    """Return the degrees of freedom of each system's error."""
    return np.broadcast_to(np.asarray(human.degrees, float), len(human.systems))


def _read(
    folder: Path, settings: ImportSettings, golds: Sequence[GoldSettings], progress: Callable = iter
) -> Annotations:
    """Read a set's annotations, with segments as lines of the set."""
    files = [Path(file) for file in settings.annotations]
    rated_set = _rated_set(folder, settings)
    return annotate(files, _known_pair(settings), rated_set, golds, progress)


def _rated_set(folder: Path, settings: ImportSettings) -> RatedSet:
    """Read the texts and names of the set that was rated."""
    if settings.own_files:
        return read_folder_set(folder, settings.pair)
    campaign = find_campaign(folder, settings)
    return read_archive_set(settings.campaign, settings.pair, campaign.parent)


def _known_pair(settings: ImportSettings) -> str | None:
    """Return the language pair; None if a user did not name the languages of a folder."""
    return None if own_files.UNDETERMINED in settings.pair.split("-") else settings.pair


def _segment_scores(
    annotations: Annotations, human: golds.HumanScores, texts: EvaluationSet
) -> tuple[dict[str, list[float]], str]:
    """Return human scores of segments by system, those of the gold or else means of ratings, and
    the name of the latter."""
    cells: dict[tuple[str, str], float] = {}
    if human.segment_scores is None:
        means = annotations.official.segments
        for system, segment, mean in zip(means.system, means.segment, means["mean"], strict=True):
            cells[system, segment] = mean
    else:
        for row, column in np.argwhere(np.isfinite(human.segment_scores)):
            key = (human.systems[row], human.segments[column])
            cells[key] = human.segment_scores[row, column]
    by_system = {system: [np.nan] * len(texts.reference) for system in texts.systems}
    for (system, segment), score in cells.items():
        # Segments that could not be mapped are no lines.
        if system in by_system and segment.isdecimal():
            by_system[system][int(segment) - texts.canary] = float(score)
    return by_system, MEANS if human.segment_scores is None else ""
