"""Read and write result files: atomically, and with the same bytes for the same content.

A result that cannot exist is stored as a marker, a file with the reason. Reading it raises
`Missing`.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, Missing

if TYPE_CHECKING:
    import pandas as pd

    from .tables import Table

Content = dict[str, Any]  # of a JSON object, or the variables of a template
_MARK = "missing: "


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block ends without an error. The
    temporary name is fixed, so that the remains of a killed job are overwritten. Links are
    followed; a device or pipe is yielded itself. OSErrors name `path`."""
    path = Path(path)
    temporary = path
    if path.is_file() or not path.exists():
        if path.is_symlink():
            path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.part{path.suffix}")
    try:
        yield temporary
        if temporary != path:
            os.replace(temporary, path)
    except OSError as error:
        if error.errno and (not error.filename or Path(error.filename).parent == path.parent):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        if temporary != path:
            temporary.unlink(missing_ok=True)


@contextmanager
def _reading(path: str | Path) -> Iterator[None]:
    """While a result is read: raise `Missing` where its job wrote a reason instead
    (`write_missing`), and `InputError` where the file is truncated or damaged."""
    check_present(path)
    try:
        yield
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} is damaged ({reason}). Delete it and run again.") from error


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically, in UTF-8 with LF line endings."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_missing(path: str | Path, reason: str) -> None:
    """Write a marker in place of a result file: the reason why the result cannot exist."""
    write_text(path, f"{_MARK}{reason}\n")


def check_present(path: str | Path) -> None:
    """Raise `Missing` with the stored reason if the file is a marker that `write_missing` wrote."""
    with open(path, "rb") as file:
        if file.read(len(_MARK)) == _MARK.encode():
            raise Missing(file.read().decode().rstrip("\n"))


def is_missing(path: str | Path) -> bool:
    """Return whether a result file is a marker written by `write_missing`."""
    try:
        check_present(path)
    except Missing:
        return True
    return False


def write_arrays(path: str | Path, **arrays: Any) -> None:
    """Write named arrays to an .npz file without time stamps: equal arrays give equal bytes."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **dict(sorted(arrays.items())))


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Return an .npz file's arrays by name; raise `Missing` if it marks a missing result."""
    with _reading(path), np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def write_json(path: str | Path, content: Any, *, sort_keys: bool = True) -> None:
    """Write content as a JSON file.

    Parameters
    ----------
    path : path
    content
        Dictionaries, lists, texts and numbers; NaN and infinite numbers become null.
    sort_keys : bool
        Whether keys are sorted.
    """
    write_text(path, to_json(content, sort_keys=sort_keys))


def to_json(content: Any, *, ascii_only: bool = False, sort_keys: bool = True) -> str:
    """Return content as JSON text, indented by one space.

    Parameters
    ----------
    content
        Dictionaries, lists, texts and numbers; NaN and infinite numbers become null.
    ascii_only : bool
        Whether characters beyond ASCII are escaped.
    sort_keys : bool
        Whether keys are sorted.

    Returns
    -------
    str
    """
    return json.dumps(_finite(content), ensure_ascii=ascii_only, indent=1, sort_keys=sort_keys)


def _finite(value: Any) -> Any:
    """Return content with None for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def read_json(path: str | Path) -> Any:
    """Return a JSON file's content; raise `Missing` if it is a marker of a missing result."""
    with _reading(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


def write_table(path: str | Path, frame: pd.DataFrame, table: Table) -> None:
    """Write a data frame as a CSV file: numbers with 12 significant digits, NaN as empty field.

    Parameters
    ----------
    path : str or Path
    frame : DataFrame
    table : Table
        What the file is, of `tables.TABLES`.

    Raises
    ------
    ValueError
        The columns of the data frame are not those of the table.
    """
    table.check(list(map(str, frame)))
    frame = frame.infer_objects()  # `float_format` does not apply to columns of objects
    write_text(path, frame.to_csv(index=False, float_format="%.12g", lineterminator="\n"))


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a csv file. Columns of numbers (`tables.COLUMNS`) are NaN where empty. All others stay
    text exactly as written, because systems may be called `2019`, `1.0` or `NA`."""
    import pandas as pd

    from .tables import column_of

    with _reading(path):
        names = pd.read_csv(path, nrows=0).columns
        numbers = [name for name in names if column_of(name).is_number]
        frame = pd.read_csv(
            path,
            dtype=dict.fromkeys(names.difference(numbers), str),
            keep_default_na=False,
            na_values={name: [""] for name in numbers},
            lineterminator="\n",  # a name may hold a CR
        )
    return frame if len(frame) else frame.astype(dict.fromkeys(numbers, float))


def outdated(made_from: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the existing files, keys of `made_from`, that are older than one of their sources."""

    @cache
    def written(file: str) -> float:
        """Return when a file was written, in nanoseconds; 0 if it does not exist."""
        return Path(file).stat().st_mtime_ns if Path(file).exists() else 0

    older = []
    for file, sources in made_from.items():
        if written(file) and any(written(source) > written(file) for source in sources):
            older.append(file)
    return older
