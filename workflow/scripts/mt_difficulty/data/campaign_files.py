"""Which files of an unpacked campaign an evaluation set is read from."""

import math
from pathlib import Path

from .text_files import read_system_scores


def text_files(folder: str | Path, pair: str) -> list[Path]:
    """The files of a campaign's folder that a set's texts are read from."""
    folder = Path(folder)
    named = [folder / "sources" / f"{pair}.txt", folder / "documents" / f"{pair}.docs"]
    references = _of_pair(folder / "references", pair)
    return [
        *filter(Path.is_file, named),
        *references,
        *output_files(folder / "system-outputs" / pair),
    ]


def gold_files(folder: str | Path, pair: str, gold: str) -> list[Path]:
    """The files that a set's human scores are read from."""
    return _of_pair(Path(folder) / "human-scores", f"{pair}.{gold}")


def stored_files(folder: str | Path, pair: str, metric: str) -> list[Path]:
    """The files of a metric's stored scores, with any reference."""
    place = Path(folder) / "metric-scores" / pair
    found = place.iterdir() if place.is_dir() else ()
    return sorted(path for path in found if path.name.startswith(f"{metric}-"))


def stored_metrics(folder: str | Path, pair: str, reference: str) -> dict[str, dict[str, str]]:
    """Settings of the metrics whose scores a campaign stores, of one reference or without any, by
    their full names as in the files: `chrF-refA`, `CometKiwi-src`."""
    place, found = Path(folder) / "metric-scores" / pair, {}
    files = sorted(place.glob("*.score")) if place.is_dir() else []
    for file in files:
        full, _, level = file.name.removesuffix(".score").rpartition(".")
        name, _, used = full.rpartition("-")
        if name and level in ("seg", "sys") and used in (reference, "src"):
            found[full] = {"type": "stored", "name": name, "reference": used}
    return found


def read_scored(folder: str | Path, pair: str, gold: str | None) -> list[str]:
    """The systems that have a human score, sorted; none without a gold."""
    if not gold:
        return []
    scores = read_system_scores(gold_file(Path(folder), pair, gold))
    return sorted(system for system, score in scores.items() if not math.isnan(score))


def _of_pair(folder: Path, start: str) -> list[Path]:
    """The files of a folder whose names begin so, sorted."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if path.name.startswith(f"{start}."))


def gold_file(folder: Path, pair: str, gold: str) -> Path:
    """The file of a campaign's system scores."""
    return folder / "human-scores" / f"{pair}.{gold}.sys.score"


def output_files(folder: Path) -> list[Path]:
    """The files of system outputs."""
    return sorted(folder.glob("*.txt")) if folder.is_dir() else []
