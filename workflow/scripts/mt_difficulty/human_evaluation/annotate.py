"""Human annotations of an evaluation: ratings, design and official numbers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..data.own_files import pair_of
from ..errors import InputError, Missing, nearest
from ..gold import ADJUSTED, gold_of
from ..gold.base import Gold, HumanScores
from ..gold.ratings import Ratings
from ..notebooks import as_html
from ..settings import GoldSettings
from .design import Design, describe_design
from .formats.base import ESA
from .official import Official, official, unsupported_cells
from .rated_set import RatedSet, read_archive_set, read_folder_set
from .reading import Evaluation, read_evaluation

# Names of human scores in the archive that are means of the ratings of a procedure.
GOLD_OF_MEANS = {
    "DA": ("wmt",),
    "DA+SQM": ("da-sqm", "wmt-appraise"),
    "ESA": ("esa",),
    "MQM": ("mqm",),
}
# Largest ratio of unsupported scores to rated cells with which both are of the same evaluation.
MOST_UNSUPPORTED = 0.05
# A system with less than this share of the median number of ratings is named.
FEW = 0.2
BY_DOMAIN = "by_domain"
# Unsupported scores that a notice lists.
LISTED = 5


class Annotations(NamedTuple):
    """The human annotations of an evaluation.

    Attributes
    ----------
    ratings : Ratings
        The ratings that count, and how many each official filter dropped.
    design : Design
        Who rated what, and whether scores can be adjusted for segments and annotators.
    official : Official
        Official means, tests and clusters.
    procedure : str
        DA, DA+SQM, ESA, MQM, or "ratings" for a table that names none.
    pair : str
        Language pair; empty if unknown.
    notices : list of str
    adjusted : dict of str to HumanScores
        Scores with errors, by the gold's name, which has its settings: `mixed response:z`.
    not_adjusted : dict of str to str
        Why a gold that was asked for has no scores.
    golds : dict of str to Gold
        The golds that were asked for, by name (`mt_difficulty.gold`).
    """

    ratings: Ratings
    design: Design
    official: Official
    procedure: str
    pair: str
    notices: list[str]
    adjusted: dict[str, HumanScores]
    not_adjusted: dict[str, str]
    golds: dict[str, Gold]

    def table(self, gold: str = ADJUSTED) -> pd.DataFrame:
        """Return official and adjusted scores of the systems, the best adjusted score first.

        Parameters
        ----------
        gold : str
            One of `adjusted`.

        Returns
        -------
        DataFrame
            Columns system, official, score, low, high (95 % interval), best_rank, worst_rank,
            cluster.
        """
        from .statements import compared_table

        return compared_table(self, gold)

    def _title(self) -> str:
        """Return procedure, language pair and size as text."""
        size = f"{self.design.ratings} ratings of {self.design.systems} systems"
        return f"{self.procedure}, {self.pair or 'language pair unknown'}: {size}"

    def _shown_table(self) -> pd.DataFrame:
        """Return the official table as it is shown."""
        shown = ["mean", "z", "segments", "ratings", "rank_low", "rank_high", "cluster"]
        return self.official.systems[shown]

    def __repr__(self) -> str:
        return "\n".join([self._title(), self._shown_table().to_string(), *self.notices])

    def _repr_html_(self) -> str:
        return as_html(self._title(), self._shown_table(), self.notices)


def annotate(
    files: Sequence[str | Path],
    pair: str | None = None,
    rated_set: RatedSet | None = None,
    golds: Sequence[GoldSettings] = (),
    progress: Callable = iter,
) -> Annotations:
    """Read human annotations, and describe and score them.

    Parameters
    ----------
    files : sequence of path
        Files of ratings of one evaluation, and files that belong to them.
    pair : str, optional
        Language pair, such as en-cs; needed for files of several pairs.
    rated_set : RatedSet, optional
        The set that was rated: segments are mapped to the lines of its files.
    golds : sequence of GoldSettings
        Ways in which ratings become scores with errors.
    progress : callable
        Wraps an iteration that takes long (tqdm).

    Returns
    -------
    Annotations

    Raises
    ------
    InputError
        For bad input.
    """
    evaluation = read_evaluation(files, pair, rated_set)
    design = describe_design(evaluation.ratings)
    notices = [*evaluation.notices]
    if design.reasons:
        notices.append(
            f"scores cannot be adjusted for segments and annotators: {'; '.join(design.reasons)}."
        )
    if rated_set:
        notices += unsupported_notices(evaluation, rated_set)
    scores = official(evaluation)
    notices += _official_notices(evaluation, scores)
    made = {settings.name: gold_of(settings) for settings in golds}
    adjusted = {}
    not_adjusted = {}
    for name, gold in made.items():
        try:
            adjusted[name] = gold.fit(evaluation.ratings, progress)
        except Missing as reason:
            not_adjusted[name] = str(reason)
            notices.append(f"no scores by {name}: {reason}.")
    return Annotations(
        ratings=evaluation.ratings,
        design=design,
        official=scores,
        procedure=evaluation.procedure,
        pair=evaluation.pair,
        notices=notices,
        adjusted=adjusted,
        not_adjusted=not_adjusted,
        golds=made,
    )


def read_named_set(
    campaign: str | None, folder: Path | None, pair: str | None, archive: Path | None
) -> RatedSet | None:
    """Read the set that was rated: of the archive, or in a folder of own files.

    Parameters
    ----------
    campaign : str, optional
        Such as wmt24; None for no set of the archive.
    folder : Path, optional
        A folder of own files, with source.txt and systems/; None for none.
    pair : str, optional
        Language pair, needed with a campaign.
    archive : Path, optional
        The archive (.tgz or unpacked), needed with a campaign.

    Returns
    -------
    RatedSet or None

    Raises
    ------
    InputError
        For a campaign without a pair or an archive, for a campaign and a folder, and if there is
        no such set.
    """
    if folder is not None:
        if campaign:
            raise InputError(f"campaign {campaign} and folder {folder}: name one of them.")
        return read_folder_set(folder, pair or pair_of(None, None))
    if not campaign:
        return None
    if not pair:
        raise InputError(
            f"campaign {campaign}: name the language pair, too (pair, --language-pair), or leave "
            "out the campaign."
        )
    if archive is None:
        raise InputError(
            f"campaign {campaign}: name the archive, too (archive, --archive), or leave out the "
            "campaign."
        )
    return read_archive_set(campaign, pair, archive)


def _official_notices(evaluation: Evaluation, scores: Official) -> list[str]:
    """Return notices on official scores that are not what their procedure's are, and on systems
    with few ratings."""
    notices = []
    if evaluation.procedure == ESA and scores.ordered_by != BY_DOMAIN:
        text = (
            "the official order of ESA is by domain, and domains are known from the archive alone"
        )
        if evaluation.rated_set is None:
            text += ": name the campaign"
        notices.append(f"{text}.")
    if scores.p.isna().all(axis=None):
        notices.append("no two systems have ratings that can be compared: nothing was tested.")
    counts = evaluation.ratings.table.system.value_counts()
    few = counts[counts < FEW * counts.median()]
    for system, number in few.items():
        others = [name for name in counts.index if name not in few.index]
        noun = "rating" if number == 1 else "ratings"
        notices.append(
            f"{system} has {number} {noun}, other systems {counts[others].min():,} or more"
            f"{nearest(str(system), others)}."
        )
    return notices


def unsupported_notices(evaluation: Evaluation, rated_set: RatedSet) -> list[str]:
    """Return a notice if the archive has human scores of the procedure that no rating supports.

    The scores are compared if the ratings support most of them; else they are of another
    evaluation, or of more ratings than those at hand.

    Parameters
    ----------
    evaluation : Evaluation
        With segments as lines of the set.
    rated_set : RatedSet

    Returns
    -------
    list of str
    """
    names = GOLD_OF_MEANS.get(evaluation.procedure, ())
    present = [name for name in names if name in rated_set.gold_names()]
    if not present:
        return []
    name = present[0]
    gold = rated_set.gold(name)
    ratings = evaluation.ratings
    unsupported = unsupported_cells(ratings, gold, rated_set.canary)
    rated_cells = len(ratings.table.drop_duplicates(["system", "segment"]))
    if not unsupported or len(unsupported) > MOST_UNSUPPORTED * rated_cells:
        return []
    examples = ", ".join(
        f"{system} in line {line} ({score:g})" for system, line, score in unsupported[:LISTED]
    )
    if len(unsupported) > LISTED:
        examples += " and others"
    return [
        f"{rated_set.name}: {len(unsupported)} human scores of segments ({name}) have no rating: "
        f"{examples} (lines from 0). Treat them as unrated."
    ]
