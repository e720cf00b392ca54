"""Evaluation sets of one's own: a folder of text files, with human scores or without."""

import math
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from .evalset import EvaluationSet
from .ranked import check_any_score, check_excluded, check_gold, describe_left_out, leave_out
from .text_files import by_system, normal, read_segments, read_system_scores, read_texts

SOURCE, REFERENCE, SYSTEMS = "source.txt", "reference.txt", "systems"
GOLD, DOCUMENTS, SCORES = "gold.tsv", "documents.txt", "scores"
HOLDS = (
    f"A folder of one's own holds {SOURCE}, {REFERENCE} and {SYSTEMS}/<system>.txt, one segment a "
    f"line, and, where they exist, {GOLD}, {DOCUMENTS} and {SCORES}/<metric>.tsv."
)


def files_of(folder: str | Path) -> list[Path]:
    """The files that a set is read from, of those that there are; a metric's scores are read by
    that metric alone."""
    folder = Path(folder)
    named = [folder / name for name in (SOURCE, REFERENCE, GOLD, DOCUMENTS)]
    outputs = [path for path in _visible(folder / SYSTEMS) if path.suffix == ".txt"]
    return [path for path in named if path.is_file()] + outputs


def text_files(folder: str | Path) -> list[Path]:
    """Those of them that are no human scores."""
    return [path for path in files_of(folder) if path != Path(folder, GOLD)]


def scores_file(folder: str | Path, metric: str) -> Path:
    """The file of a metric's scores, which others computed."""
    return Path(folder, SCORES, f"{metric}.tsv")


def scores_files(folder: str | Path) -> list[Path]:
    """What is in the folder of metrics' scores, sorted."""
    return _visible(Path(folder, SCORES))


def file_of_set(file: str, campaign: str, pair: str) -> str:
    """A path of the config, in which {campaign} and {pair} stand for those of the set."""
    return file.replace("{campaign}", campaign).replace("{pair}", pair)


def read_scored(folder: str | Path) -> list[str]:
    """The systems that have a human score, sorted."""
    scores = read_system_scores(Path(folder, GOLD), separator="\t")
    return sorted(system for system, score in scores.items() if not math.isnan(score))


def has_gold(folder: str | Path) -> bool:
    """Whether there are human scores."""
    return (Path(folder) / GOLD).is_file()


def read_own_files(
    folder: str | Path, campaign: str, pair: str, exclude: Sequence[str] = ()
) -> EvaluationSet:
    """Read and check an evaluation set of own files.

    Parameters
    ----------
    folder : path
        With `source.txt`, `reference.txt` and `systems/*.txt`, whose names without the ending are
        the systems'; `gold.tsv` (`system <tab> score` a line, higher is better) and
        `documents.txt` (the name of each segment's document) are optional.
    campaign, pair : str
    exclude : sequence of str
        Systems to leave out.

    Returns
    -------
    EvaluationSet
        Without `gold.tsv`, of no gold.

    Raises
    ------
    InputError
        Bad input; the message names file, line or system, what was expected and what to do.
    """
    folder = Path(folder)
    outputs = _find_outputs(folder)
    scores = _read_gold(folder, outputs)
    exclude = [normal(system) for system in exclude]
    check_excluded(exclude, outputs, campaign, pair)
    left_out = leave_out(outputs, scores or dict.fromkeys(outputs, 0.0), (), exclude, GOLD)
    systems = sorted(set(outputs) - set(left_out))
    needed = 3 if scores else 2
    if len(systems) < needed:
        raise InputError(
            f"{campaign}/{pair}: {len(systems)} systems in {folder / SYSTEMS}, at least {needed} "
            f"are needed{' to correlate with ' + GOLD if scores else ''}. "
            f"Left out: {describe_left_out(left_out)}."
        )
    files = [outputs[system] for system in systems]
    texts = read_texts(folder / SOURCE, folder / REFERENCE, files)
    return EvaluationSet(
        campaign=campaign,
        pair=pair,
        reference_name=REFERENCE,
        gold_name=GOLD if scores else "",
        systems=systems,
        gold=[scores[system] for system in systems] if scores else [],
        left_out=left_out,
        documents=_read_documents(folder / DOCUMENTS, len(texts["source"])),
        **texts,
    )


def _find_outputs(folder: Path) -> dict[str, Path]:
    """The outputs' files by system."""
    for path in (folder, folder / SOURCE, folder / REFERENCE, folder / SYSTEMS):
        if not path.exists():
            raise InputError(f"{path}: no such file or folder. {HOLDS}")
    outputs = _visible(folder / SYSTEMS)
    for path in outputs:
        if path.suffix != ".txt":
            raise InputError(f"{path}: not <system>.txt. Rename it, or move it elsewhere.")
    return by_system(outputs)


def _visible(folder: Path) -> list[Path]:
    """A folder's files, but for those that file managers and editors hide there."""
    return sorted(path for path in folder.glob("*") if not path.name.startswith("."))


def _read_gold(folder: Path, outputs: dict[str, Path]) -> dict[str, float] | None:
    """Human scores by system; None where there is no file of them."""
    path = folder / GOLD
    if not has_gold(folder):
        return None
    scores = read_system_scores(path, separator="\t")
    check_any_score(path, scores, "Give some, or remove the file to go without.")
    check_gold(path, scores, outputs, folder / SYSTEMS)
    return scores


def _read_documents(path: Path, segments: int) -> list[str]:
    if not path.is_file():
        return []
    names = read_segments(path)
    if len(names) != segments:
        raise InputError(
            f"{path}: expected {segments} lines (one per segment), found {len(names)}."
        )
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(
                f"{path}, line {number}: expected the name of the segment's document, found an "
                "empty line."
            )
    return names
