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


def read_scored(folder: str | Path, pair: str, gold: str) -> list[str]:
    """The systems that have a human score, sorted."""
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
