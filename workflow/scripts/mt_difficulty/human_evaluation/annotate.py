"""Human annotations of an evaluation: ratings, design and official numbers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, Missing
from ..gold import make_gold
from ..gold.base import HumanScores
from ..gold.ratings import Ratings
from .archive import ArchiveSet, read_set
from .design import Design, describe_design
from .official import Official, official, unsupported_cells
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
        Scores with errors, by gold (`mt_difficulty.gold`).
    not_adjusted : dict of str to str
        Why a gold that was asked for has no scores.
    """

    ratings: Ratings
    design: Design
    official: Official
    procedure: str
    pair: str
    notices: list[str]
    adjusted: dict[str, HumanScores]
    not_adjusted: dict[str, str]

    def __repr__(self) -> str:
        shown = ["mean", "z", "segments", "ratings", "rank_low", "rank_high", "cluster"]
        size = f"{self.design.ratings} ratings of {self.design.systems} systems"
        title = f"{self.procedure}, {self.pair or 'language pair unknown'}: {size}"
        table = self.official.systems[shown].to_string()
        return "\n".join([title, table, *self.notices])


def annotate(
    files: Sequence[str | Path],
    campaign: str | None = None,
    pair: str | None = None,
    archive: Path | None = None,
    golds: Sequence[str] = (),
    progress: Callable = iter,
) -> Annotations:
    """Read human annotations, and describe and score them.

    Parameters
    ----------
    files : sequence of path
        Files of ratings of one evaluation, and files that belong to them.
    campaign : str, optional
        Such as wmt24: segments are mapped to the lines of the archive's files.
    pair : str, optional
        Language pair, such as en-cs; needed with a campaign, and for files of several pairs.
    archive : Path, optional
        The archive (.tgz or unpacked), needed with a campaign.
    golds : sequence of str
        Ways in which ratings become scores with errors.
    progress : callable
        Wraps an iteration that takes long (tqdm).

    Returns
    -------
    Annotations

    Raises
    ------
    InputError
        For bad input, or a campaign without a pair.
    """
    archive_set = None
    if campaign:
        if not pair or archive is None:
            raise InputError(
                f"campaign {campaign}: name the language pair and the archive, too, or leave out "
                "the campaign."
            )
        archive_set = read_set(campaign, pair, archive)
    evaluation = read_evaluation(files, pair, archive_set)
    design = describe_design(evaluation.ratings)
    notices = [*evaluation.notices]
    if design.reasons:
        notices.append(
            f"scores cannot be adjusted for segments and annotators: {'; '.join(design.reasons)}."
        )
    if archive_set:
        notices += unsupported_notices(evaluation, archive_set)
    adjusted = {}
    not_adjusted = {}
    for gold in golds:
        try:
            adjusted[gold] = make_gold(gold).fit(evaluation.ratings, progress)
        except Missing as reason:
            not_adjusted[gold] = str(reason)
            notices.append(f"no scores by {gold}: {reason}.")
    return Annotations(
        ratings=evaluation.ratings,
        design=design,
        official=official(evaluation),
        procedure=evaluation.procedure,
        pair=evaluation.pair,
        notices=notices,
        adjusted=adjusted,
        not_adjusted=not_adjusted,
    )


def unsupported_notices(evaluation: Evaluation, archive: ArchiveSet) -> list[str]:
    """Return a notice if the archive has human scores of the procedure that no rating supports.

    The scores are compared if the ratings support most of them; else they are of another
    evaluation, or of more ratings than those at hand.

    Parameters
    ----------
    evaluation : Evaluation
        With segments as lines of the archive.
    archive : ArchiveSet

    Returns
    -------
    list of str
    """
    names = GOLD_OF_MEANS.get(evaluation.procedure, ())
    present = [name for name in names if name in archive.gold_names()]
    if not present:
        return []
    name = present[0]
    gold = archive.gold(name)
    ratings = evaluation.ratings
    unsupported = unsupported_cells(ratings, gold, archive.canary)
    rated_cells = len(ratings.table.drop_duplicates(["system", "segment"]))
    if not unsupported or len(unsupported) > MOST_UNSUPPORTED * rated_cells:
        return []
    examples = ", ".join(
        f"{system} in line {line} ({score:g})" for system, line, score in unsupported[:LISTED]
    )
    if len(unsupported) > LISTED:
        examples += " and others"
    return [
        f"{archive.name}: {len(unsupported)} human scores of segments ({name}) have no rating: "
        f"{examples} (lines from 0). Treat them as unrated."
    ]
