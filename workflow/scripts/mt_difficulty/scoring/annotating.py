"""Read the ratings of a human evaluation, describe their design, and score the systems."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import errors_of_input
from ..gold import ADJUSTED, GOLDS
from ..human_evaluation.annotate import Annotations, annotate
from ..plan.base import ARCHIVE
from .parameters import check_parameters, known_name, named


@errors_of_input
def annotations(
    files: str | Path | Sequence[str | Path],
    *,
    campaign: str | None = None,
    pair: str | None = None,
    archive: str | Path = ARCHIVE,
    gold: str | Sequence[str] = ADJUSTED,
) -> Annotations:
    """Read the ratings of a human evaluation, describe their design, and score the systems.

    Parameters
    ----------
    files : path or sequence of path
        Files of ratings of one evaluation, of any format that `mt-difficulty annotations --help`
        names, and files that belong to them, in any order.
    campaign : str, optional
        Such as wmt24: segments are mapped to the lines of the archive's files.
    pair : str, optional
        Language pair, such as en-cs; needed with a campaign, and if the files hold several.
    archive : path
        A .tgz or an unpacked folder of the archive; read with a campaign alone.
    gold : str or sequence of str
        Ways in which ratings become scores with errors: mean, z, within_screen, mixed; an
        empty list for official numbers alone.

    Returns
    -------
    Annotations
        `ratings` (those that count), `design`, `official` (`systems` is the table of scores),
        `adjusted` (scores by gold).

    Raises
    ------
    InputError
        For unknown formats, malformed lines, scores outside of the scale, files of several
        procedures or language pairs, and if no ratings are left.
    """
    check_parameters(archive=archive)
    for name, value in (("campaign", campaign), ("pair", pair)):
        if value is not None:
            check_parameters(**{name: value})
    if isinstance(files, (str, Path)):
        files = [files]
    golds = [known_name(name, GOLDS, "gold") for name in named(gold, "gold")]
    return annotate([Path(file) for file in files], campaign, pair, Path(archive), golds)
