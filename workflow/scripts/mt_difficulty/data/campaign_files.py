"""Which files of an unpacked campaign an evaluation set is read from."""

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ..errors import InputError, nearest
from .text_files import normal, read_system_scores

LINES, OBJECTS = ".txt", ".jsonl"  # a segment a line, as it is or in a JSON object
RATINGS = ".seg.rating"
SegmentGold = str | Sequence[str] | None


def text_files(folder: str | Path, pair: str) -> list[Path]:
    """The files of a campaign's folder that a set's texts are read from."""
    folder = Path(folder)
    named = [source_file(folder, pair), documents_file(folder, pair)]
    return [
        *filter(Path.is_file, named),
        *reference_files(folder, pair).values(),
        *output_files(folder / "system-outputs" / pair),
    ]


def pairs_of(folder: Path) -> list[str]:
    """The language pairs of a campaign's folder, sorted."""
    places = [folder / place for place in ("sources", "system-outputs", "human-scores")]
    names = {path.name.partition(".")[0] for place in places for path in _listed(place)}
    return sorted(name for name in names if "-" in name)


def check_pair(campaign: str, pair: str, known: Collection[str]) -> None:
    """Raise `InputError` where a pair is not among those of a campaign."""
    if pair not in known:
        raise InputError(
            f"{campaign} has no pair {pair}; it has {', '.join(known)}{nearest(pair, known)}."
        )


def source_file(folder: Path, pair: str) -> Path:
    """The file of a set's source text; where there are two, `.txt` counts."""
    lines, objects = (folder / "sources" / f"{pair}{ending}" for ending in (LINES, OBJECTS))
    return objects if objects.is_file() and not lines.is_file() else lines


def documents_file(folder: Path, pair: str) -> Path:
    """The file that says which domain and document each segment is of."""
    return folder / "documents" / f"{pair}.docs"


def reference_files(folder: Path, pair: str) -> dict[str, Path]:
    """The files of a set's references, by the reference's name."""
    files = _counted(_of_pair(folder / "references", pair))
    return {path.stem.removeprefix(f"{pair}."): path for path in files}


def output_files(folder: Path) -> list[Path]:
    """The files of system outputs."""
    return _counted(_listed(folder))


def gold_files(
    folder: str | Path, pair: str, gold: str | None, segment_gold: SegmentGold = None
) -> list[Path]:
    """The files that a set's human scores are read from, of those that there are.

    Parameters
    ----------
    gold : str or None
        Human scores of systems and domains; None or empty for a set without.
    segment_gold : str or sequence of str, optional
        As for `segment_gold_name`.
    """
    folder = Path(folder)
    named = [score_file(folder, pair, gold, level) for level in ("sys", "domain") if gold]
    if of_segments := segment_gold_name(folder, pair, gold, segment_gold):
        named.append(score_file(folder, pair, of_segments, "seg"))
    return sorted(filter(Path.is_file, named))


def segment_gold_name(folder: Path, pair: str, gold: str | None, segment_gold: SegmentGold) -> str:
    """The name of a set's human scores of segments; there need be no such scores.

    Parameters
    ----------
    gold : str or None
        Human scores of systems; those of the same name are used unless others are given.
    segment_gold : str or sequence of str, optional
        A name; of several the first that the campaign has scores of.
    """
    names = [segment_gold] if isinstance(segment_gold, str) else [*(segment_gold or [gold or ""])]
    there = (name for name in names if score_file(folder, pair, name, "seg").is_file())
    return next(there, names[-1])


def gold_file(folder: Path, pair: str, gold: str) -> Path:
    """The file of a campaign's system scores."""
    return score_file(folder, pair, gold, "sys")


def score_file(folder: Path, pair: str, gold: str, level: str) -> Path:
    """The file of human scores of a level: `sys`, `domain` or `seg`."""
    return folder / "human-scores" / f"{pair}.{gold}.{level}.score"


def gold_names(folder: Path, pair: str) -> list[str]:
    """The names of a pair's human scores of systems, sorted."""
    start, end = f"{pair}.", ".sys.score"
    names = [path.name for path in _of_pair(folder / "human-scores", pair)]
    return sorted(name[len(start) : -len(end)] for name in names if name.endswith(end))


def rating_files(folder: str | Path, pair: str, gold: str) -> list[Path]:
    """The files of the error spans that human scores were computed from, sorted: those of `mqm`
    are `<pair>.mqm.seg.rating`, `<pair>.mqm.rater1.seg.rating`, `<pair>.mqm.merged.seg.rating`."""
    found = _of_pair(Path(folder) / "human-scores", f"{pair}.{gold}")
    return [path for path in found if path.name.endswith(RATINGS)]


def stored_files(folder: str | Path, pair: str, metric: str) -> list[Path]:
    """The files of a metric's stored scores, with any reference."""
    found = _listed(Path(folder) / "metric-scores" / pair)
    return sorted(path for path in found if stored_name(path)[0] == metric)


def stored_name(path: Path) -> tuple[str, str, str]:
    """Metric, reference and level of a file `<metric>-<reference>.<level>.score`."""
    full, _, level = path.name.removesuffix(".score").rpartition(".")
    metric, _, reference = full.rpartition("-")
    return metric, reference, level


def stored_metrics(folder: str | Path, pair: str, reference: str) -> dict[str, dict[str, str]]:
    """Settings of the metrics whose scores a campaign stores, of one reference or without any, by
    their full names as in the files: `chrF-refA`, `CometKiwi-src`."""
    found = {}
    for path in sorted(_listed(Path(folder) / "metric-scores" / pair)):
        name, used, level = stored_name(path)
        if name and level in ("seg", "sys") and used in (reference, "src"):
            found[f"{name}-{used}"] = {"type": "stored", "name": name, "reference": used}
    return found


def read_scored(folder: str | Path, pair: str, gold: str | None) -> list[str]:
    """The systems that have a human score, sorted; none without a gold."""
    if not gold:
        return []
    scores = read_system_scores(gold_file(Path(folder), pair, gold))
    return sorted(system for system, score in scores.items() if not math.isnan(score))


def _counted(files: Iterable[Path]) -> list[Path]:
    """Those of the files that texts are read from, sorted: of `x.txt` and `x.jsonl`, the first."""
    files = sorted(path for path in files if path.suffix in (LINES, OBJECTS))
    lines = {normal(path.stem) for path in files if path.suffix == LINES}
    return [path for path in files if path.suffix == LINES or normal(path.stem) not in lines]


def _of_pair(folder: Path, start: str) -> list[Path]:
    """The files of a folder whose names begin with this and a dot, sorted."""
    return sorted(path for path in _listed(folder) if path.name.startswith(f"{start}."))


def _listed(folder: Path) -> Iterable[Path]:
    return folder.iterdir() if folder.is_dir() else ()
