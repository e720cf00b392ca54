"""The files of a download: whether all have arrived, and are as they were."""

from collections.abc import Iterable
from pathlib import Path

from ..storage import write_text

WHOLE = ".whole"  # beside a download's files: all have arrived; lists their sizes


def list_sizes(folder: Path, files: Iterable[str]) -> None:
    """Write the sizes of a download's files beside them, once all have arrived."""
    sizes = {file: (folder / file).stat().st_size for file in files}
    write_text(folder / WHOLE, "".join(f"{sizes[file]} {file}\n" for file in sorted(sizes)))


def damaged_files(folder: Path) -> list[Path]:
    """The files of a download that are gone or have another size than `list_sizes` found."""
    mark = folder / WHOLE
    text = mark.read_text(encoding="utf-8") if mark.exists() else ""
    try:
        listed = [line.split(" ", 1) for line in text.splitlines()]
        paths = [(folder / file, int(size)) for size, file in listed]
    except ValueError:
        return [mark]
    return [path for path, size in paths if not path.is_file() or path.stat().st_size != size]
