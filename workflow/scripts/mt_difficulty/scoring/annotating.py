"""Read the ratings of a human evaluation, describe their design, and score the systems."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, errors_of_input
from ..gold import ADJUSTED, GOLDS
from ..human_evaluation.annotate import Annotations, annotate, read_named_set
from ..plan.base import ARCHIVE
from ..plan.config import checked_gold
from ..settings import GoldSettings
from ..settings.validation import complaints
from .parameters import check_parameters, known_name, named

Gold = str | Mapping[str, Any]  # a gold's name, or its type and settings


@errors_of_input
def annotations(
    files: str | Path | Sequence[str | Path],
    *,
    campaign: str | None = None,
    folder: str | Path | None = None,
    pair: str | None = None,
    archive: str | Path = ARCHIVE,
    gold: Gold | Sequence[Gold] = ADJUSTED,
) -> Annotations:
    """Read the ratings of a human evaluation, describe their design, and score the systems.

    Parameters
    ----------
    files : path or sequence of path
        Files of ratings of one evaluation, and files that belong to them, in any order: of
        Appraise, WMT's direct assessment, Google's MQM, Pearmut, or a table (tabs, commas or
        semicolons) with the columns annotator, system, segment and score.
    campaign : str, optional
        Such as wmt24: segments are mapped to the lines of the archive's files.
    folder : path, optional
        A folder of own files (source.txt, systems/), to the lines of which segments are mapped.
    pair : str, optional
        Language pair, such as en-cs; needed with a campaign, and if the files hold several.
    archive : path
        A .tgz or an unpacked folder of the archive; read with a campaign alone.
    gold : str, mapping, or sequence of them
        Ways in which ratings become scores with errors: mean, z, within_screen, mixed, or such a
        type with settings, as {"type": "mixed", "response": "z"}; an empty list for official
        numbers alone.

    Returns
    -------
    Annotations
        `ratings` (those that count), `design`, `official` (`systems` is the table of scores),
        `adjusted` (scores by gold).

    Raises
    ------
    InputError
        For unknown formats, malformed lines, scores outside of the scale, files of several
        procedures or language pairs, and if no ratings are left; for an unknown gold or setting.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import mt_difficulty as md
    >>> ratings = [
    ...     "annotator,system,segment,score",
    ...     "ann,A,1,80", "ann,A,2,70", "ann,A,3,90",
    ...     "ann,B,1,60", "ann,B,2,65", "ann,B,3,85",
    ... ]
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "ratings.csv")
    ...     _ = file.write_text("\\n".join(ratings), encoding="utf-8")
    ...     found = md.annotations(file, gold="mean")
    >>> found.official.systems["mean"].to_dict()
    {'A': 80.0, 'B': 70.0}
    >>> found.adjusted["mean"].scores.tolist()
    [80.0, 70.0]
    """
    check_parameters(archive=archive)
    for name, value in (("campaign", campaign), ("pair", pair)):
        if value is not None:
            check_parameters(**{name: value})
    if folder is not None:
        check_parameters(folder=folder)
        folder = Path(folder)
    rating_files = [Path(file) for file in named(files, "files")]
    is_several = isinstance(gold, Collection) and not isinstance(gold, (str, Mapping))
    stated: Any = gold if is_several else [gold]
    golds = [gold_settings(each) for each in stated]
    rated_set = read_named_set(campaign, folder, pair, Path(archive))
    return annotate(rating_files, pair, rated_set, golds)


def gold_settings(stated: Gold) -> GoldSettings:
    """Return the settings of a gold.

    Parameters
    ----------
    stated : str or mapping
        The gold's name; or its type and settings, such as {"type": "mixed", "response": "z"}.

    Returns
    -------
    GoldSettings

    Raises
    ------
    InputError
        For an unknown gold or setting, or a value that a setting cannot have; the message names
        those that there are.
    """
    if isinstance(stated, str):
        return GoldSettings(known_name(stated, GOLDS, "gold"))
    if not isinstance(stated, Mapping):
        raise InputError(
            f"gold {stated!r:.60}: expected the name of a gold, or its type and settings, such as "
            '{"type": "mixed", "response": "z"}.'
        )
    entry = dict(stated)
    if isinstance(entry.get("type"), str):
        entry["type"] = known_name(entry["type"], GOLDS, "gold")
    wrong = [text for _, text in complaints(checked_gold, entry)]
    if wrong:
        raise InputError(f"gold {entry.get('type', '')}: {'; '.join(wrong)}.")
    return checked_gold(entry)
