"""Evaluation sets of one's own: a folder of text files, with human scores or without."""

import math
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, nearest
from .evalset import EvaluationSet, checked, rank_systems
from .score_files import (
    check_any_score,
    check_gold,
    read_segment_scores,
    read_system_scores,
)
from .text_files import by_system, normal, read_segments, read_texts

SOURCE, REFERENCE, SYSTEMS = "source.txt", "reference.txt", "systems"
GOLD, SEGMENT_GOLD, DOCUMENTS = "gold.tsv", "segment_gold.tsv", "documents.txt"
SCORES, DIFFICULTY = "scores", "difficulty"
HOLDS = (
    f"A folder of one's own holds {SOURCE}, {REFERENCE} or reference.<name>.txt, and "
    f"{SYSTEMS}/<system>.txt, one segment a line, and, where they exist, {GOLD}, {SEGMENT_GOLD}, "
    f"{DOCUMENTS}, {SCORES}/<metric>.tsv and {DIFFICULTY}/<name>.tsv."
)


def files_of(folder: str | Path, reference: str | None = None) -> list[Path]:
    """The files that a set is read from, of those that there are; a metric's scores are read by
    that metric alone, difficulty estimates by that difficulty alone, and of several references the
    chosen one."""
    folder = Path(folder)
    named = [folder / name for name in (GOLD, SEGMENT_GOLD, DOCUMENTS)]
    named = [folder / SOURCE, *_possible_references(folder, reference), *named]
    outputs = [path for path in _visible(folder / SYSTEMS) if path.suffix == ".txt"]
    return [path for path in named if path.is_file()] + outputs


def text_files(folder: str | Path, reference: str | None = None) -> list[Path]:
    """Those of them that are no human scores."""
    human = {Path(folder, GOLD), Path(folder, SEGMENT_GOLD)}
    return [path for path in files_of(folder, reference) if path not in human]


def scores_file(folder: str | Path, metric: str) -> Path:
    """The file of a metric's scores, which others computed."""
    return Path(folder, SCORES, f"{metric}.tsv")


def scores_files(folder: str | Path) -> list[Path]:
    """What is in the folder of metrics' scores, sorted."""
    return _visible(Path(folder, SCORES))


def difficulty_file(folder: str | Path, difficulty: str) -> Path:
    """The file of a difficulty's estimates, which others made."""
    return Path(folder, DIFFICULTY, f"{difficulty}.tsv")


def difficulty_files(folder: str | Path) -> list[Path]:
    """What is in the folder of difficulty estimates, sorted."""
    return _visible(Path(folder, DIFFICULTY))


def file_of_set(file: str, campaign: str, pair: str) -> str:
    """A path of the config, in which {campaign} and {pair} stand for those of the set."""
    return file.replace("{campaign}", campaign).replace("{pair}", pair)


def read_scored(folder: str | Path) -> list[str]:
    """The systems that have a human score, sorted."""
    _, scores, _ = _read_gold(Path(folder))
    return sorted(system for system, score in scores.items() if not math.isnan(score))


def has_gold(folder: str | Path) -> bool:
    """Whether there are human scores."""
    return any(Path(folder, name).is_file() for name in (GOLD, SEGMENT_GOLD))


def read_own_files(
    folder: str | Path,
    campaign: str,
    pair: str,
    exclude: Sequence[str] = (),
    reference: str | None = None,
    segments: str = "rated",
    misaligned: str = "refuse",
) -> EvaluationSet:
    """Read and check an evaluation set of own files.

    Parameters
    ----------
    folder : path
        With `source.txt`, `reference.txt` or `reference.<name>.txt`, and `systems/*.txt`, whose
        names without the ending are the systems'. Optional are `gold.tsv` (`system <tab> score` a
        line, higher is better), `segment_gold.tsv` (a line for each segment of each system, those
        of a system in the order of the segments; None where there is no score) and
        `documents.txt` (the name of each segment's document).
    campaign, pair : str
    exclude : sequence of str
        Systems to leave out.
    reference : str, optional
        The name in `reference.<name>.txt`, or empty for none; by default `reference.txt`, or the
        only other one.
    segments : {"rated", "all"}
        Whether segments without human scores count.
    misaligned : {"refuse", "use"}
        What becomes of human scores of segments that do not belong to the texts in this order.

    Returns
    -------
    EvaluationSet
        `gold` is that of `gold.tsv`; without it, the mean of a system's rated segments; without
        human scores, none. `segment_gold` is NaN where a segment is not rated.

    Raises
    ------
    InputError
        Bad input; the message names file, line or system, what was expected and what to do.
    """
    folder = Path(folder)
    for path in (folder, folder / SOURCE, folder / SYSTEMS):
        if not path.exists():
            raise InputError(f"{path}: no such file or folder. {HOLDS}")
    for path in _visible(folder / SYSTEMS):
        if path.suffix != ".txt":
            raise InputError(f"{path}: not <system>.txt. Rename it, or move it elsewhere.")
    outputs = by_system(_visible(folder / SYSTEMS))
    reference_file = None if reference == "" else find_reference(folder, reference)
    gold_name, scores, of_segments = _read_gold(folder)
    for file, of_file in ((SEGMENT_GOLD, of_segments), (gold_name, scores)):
        check_gold(folder / file, of_file, outputs, folder / SYSTEMS)
    for file in (SEGMENT_GOLD, GOLD):
        if (folder / file).is_file():
            means = scores if file == gold_name else _means(of_segments)
            advice = "Give some, or remove the file to go without."
            check_any_score(folder / file, means, advice)
    systems, left_out = rank_systems(f"{campaign}/{pair}", outputs, scores, gold_name, exclude)
    files = [outputs[system] for system in systems]
    texts = read_texts(folder / SOURCE, reference_file, files)
    unrated = [math.nan] * len(texts["source"])
    found = EvaluationSet(
        campaign=campaign,
        pair=pair,
        reference_name=reference_file.name if reference_file else "",
        gold_name=gold_name,
        systems=systems,
        gold=[scores[system] for system in systems] if scores else [],
        left_out=left_out,
        documents=read_documents(folder / DOCUMENTS, len(texts["source"])),
        segment_gold=[[*of_segments.get(system, unrated)] for system in systems if of_segments],
        segments=segments,
        misaligned=misaligned,
        **texts,
    )
    names = [f"{SYSTEMS}/{file.name}" for file in files]
    return checked(found, dict(zip(names, found.hypotheses, strict=True)))


def find_reference(folder: Path, reference: str | None = None) -> Path:
    """The file of the reference that a config names, or of the only one.

    Raises
    ------
    InputError
        There is no such reference; there are several, and none is named.
    """
    known = _named_references(folder)
    found = _possible_references(folder, reference)
    if reference and not found and set(reference) & set("*?["):
        raise InputError(
            f"{folder}: reference {reference}: patterns are for sets of the archive. Of own files, "
            f"name one reference in an entry: {', '.join(known) or 'there is none with a name'}."
        )
    if not found:
        raise InputError(
            f"{folder}: no file reference.{reference}.txt. References with a name here: "
            f"{', '.join(known) or 'none'}{nearest(str(reference), known)} (config, "
            "evaluation_sets: reference)."
        )
    if len(found) > 1:
        raise InputError(
            f"{folder}: {len(found)} references, {', '.join(known)}, and no {REFERENCE}. Choose "
            f"one in the config's entry of the set, as `reference: {next(iter(known))}`."
        )
    if not found[0].is_file():
        raise InputError(f"{found[0]}: no such file or folder. {HOLDS}")
    return found[0]


def _named_references(folder: Path) -> dict[str, Path]:
    """Files `reference.<name>.txt` by name."""
    start, end = "reference.", ".txt"
    found = sorted(folder.glob(f"{start}?*{end}"))
    return {normal(path.name[len(start) : -len(end)]): path for path in found}


def _possible_references(folder: Path, reference: str | None) -> list[Path]:
    """The files that can be a set's reference; more than one where the config has to choose, none
    where it names one that is not there."""
    known = _named_references(folder)
    if reference is not None:
        return [path for name, path in known.items() if name == normal(reference)]
    if (folder / REFERENCE).exists() or not known:
        return [folder / REFERENCE]
    return list(known.values())


def _visible(folder: Path) -> list[Path]:
    """A folder's files, but for those that file managers and editors hide there."""
    return sorted(path for path in folder.glob("*") if not path.name.startswith("."))


def _read_gold(folder: Path) -> tuple[str, dict[str, float], dict[str, list[float]]]:
    """The file that the systems' human scores are from, these, and those of their segments, NaN
    where there is none: of `gold.tsv`, or else the mean of those of the segments."""
    of_segments: dict[str, list[float]] = {}
    if (folder / SEGMENT_GOLD).is_file():
        count = len(read_segments(folder / SOURCE))
        of_segments = read_segment_scores(folder / SEGMENT_GOLD, count, separator="\t")
    if (folder / GOLD).is_file():
        return GOLD, read_system_scores(folder / GOLD, separator="\t"), of_segments
    name = SEGMENT_GOLD if (folder / SEGMENT_GOLD).is_file() else ""
    return name, _means(of_segments), of_segments


def _means(of_segments: dict[str, list[float]]) -> dict[str, float]:
    """Means of the scores that are there; NaN where none is."""
    means = {}
    for system, scores in of_segments.items():
        rated = [score for score in scores if not math.isnan(score)]
        means[system] = math.fsum(rated) / len(rated) if rated else math.nan
    return means


def read_documents(path: Path, segments: int) -> list[str]:
    """The name of each segment's document; empty without such a file."""
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
