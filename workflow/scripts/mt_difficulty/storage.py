"""Result files: written whole or not at all, the same bytes from the same inputs.

A result that cannot exist is written as a marker that holds the reason, and reading
the marker raises `Missing`, so that the reason travels to the tables.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, Missing
from .statistics import STATISTICS

if TYPE_CHECKING:
    import pandas as pd

CSV_FORMAT: dict[str, Any] = {"index": False, "float_format": "%.12g", "lineterminator": "\n"}
_MARK = "missing: "
# Columns that hold numbers, in whatever table, beside those of statistics; all others hold text.
NUMBERS = frozenset(
    """
    agrees agrees_plain borrowed borrowed_high borrowed_low both_high both_low campaigns chance
    chosen clusters clusters_all common_effect contribution_p detectable df difference
    difference_both_high difference_both_low difference_high difference_joint_high
    difference_joint_low difference_low difference_segments_high difference_segments_low
    difference_systems_high difference_systems_low digits discrimination discrimination_error
    draw draws effect effect_with_outliers effective_mean effective_min effective_segments
    epsilon error estimate estimated factor fixed_effect fixed_error fixed_high fixed_low
    fixed_p fixed_p_adjusted fixed_power gain gain_high gain_low gain_over_plain_share gap
    gap_high gap_low h hardest high human_place human_score hypotheses i2 item_difficulty
    item_difficulty_error joint_high joint_low least loss loss_high loss_low low margin mean
    mean_rank most noise normalised normalised_1 normalised_2 null_high null_low null_mean
    other_value others others_high others_low p p_adjusted pairs permutation_p
    permutation_p_holm permuted_quantile place plain power prediction_high prediction_low
    published q quality quantile r random_high random_low random_mean random_quantile rank ratio
    raw references relative_ratio reproduced retuned_high retuned_low retuned_mean
    retuned_quantile score segments segments_high segments_low sentences sets sets_without share
    shuffled_quantile size standard syllables systems systems_high systems_low tau2 tests texts
    value w weighted_mean williams_p williams_p_holm wins within_r without_number words ASL ASW
    FKGL FRE
    """.split()
)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that takes the place of `path` once the block is done.

    It is always the same one, so that what a killed job left is overwritten. A link is followed; a
    device or a pipe is yielded itself. An OSError names `path`; that of a full disk comes without
    a name.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        with naming(path):
            yield path
        return
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part{path.suffix}")
    with naming(path):
        try:
            yield temporary
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name `path` in an OSError that names no file, or a temporary one beside it."""
    try:
        yield
    except OSError as error:
        if error.errno and (not error.filename or Path(error.filename).parent == path.parent):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically, as UTF-8 with LF."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_missing(path: str | Path, reason: str) -> None:
    """Write the marker of a result that cannot exist."""
    write_text(path, f"{_MARK}{reason}\n")


def check_present(path: str | Path) -> None:
    """Raise `Missing` with the reason if the file is a marker."""
    with open(path, "rb") as file:
        if file.read(len(_MARK)) == _MARK.encode():
            raise Missing(file.read().decode().rstrip("\n"))


def is_missing(path: str | Path) -> bool:
    """Whether a file is such a marker."""
    try:
        check_present(path)
    except Missing:
        return True
    return False


@contextmanager
def _whole(path: str | Path) -> Iterator[None]:
    """Raise `InputError` where what is read is cut short or spoilt."""
    try:
        yield
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} is damaged ({reason}). Delete it and run again.") from error


def write_arrays(path: str | Path, **arrays: Any) -> None:
    """Write named arrays as .npz without time stamps, so that equal arrays give equal bytes."""
    with (
        replacing(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, array in sorted(arrays.items()):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), compresslevel=1)


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Read what `write_arrays` wrote; raises `Missing` for a marker."""
    check_present(path)
    with _whole(path), np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def write_json(path: str | Path, content: Any, sort_keys: bool = True) -> None:
    """Write JSON; a number that is not finite becomes null."""
    write_text(path, to_json(content, sort_keys=sort_keys))


def to_json(content: Any, ascii_only: bool = False, sort_keys: bool = True) -> str:
    """JSON, with sorted keys or in the order given; a number that is not finite becomes null."""
    return json.dumps(_finite(content), ensure_ascii=ascii_only, indent=1, sort_keys=sort_keys)


def read_json(path: str | Path) -> Any:
    """Read JSON; raises `Missing` for a marker."""
    check_present(path)
    with _whole(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


def write_table(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a data frame as csv with 12 significant digits; NaN is an empty field.

    Its columns of numbers are among NUMBERS or statistics, or `read_table` reads them as text.
    """
    write_text(path, frame.to_csv(**CSV_FORMAT))


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a csv file; raises `Missing` for a marker.

    The columns of NUMBERS and of statistics are numbers, an empty field NaN. All others are text as
    it was written, whatever it looks like (systems may be called `2019`, `1.0`, `NA`); an empty
    field is "".
    """
    import pandas as pd

    check_present(path)
    with _whole(path):
        names, numbers = pd.read_csv(path, nrows=0).columns, NUMBERS.union(STATISTICS)
        frame = pd.read_csv(
            path,
            dtype={name: str for name in names if name not in numbers},
            keep_default_na=False,
            na_values={name: [""] for name in names if name in numbers},
            lineterminator="\n",  # a name may hold a CR
        )
    return frame if len(frame) else frame.astype({name: float for name in names if name in numbers})


def outdated(made_from: Mapping[str, Iterable[str]]) -> list[str]:
    """The files that are older than one of the results which they are made from."""
    times: dict[str, float] = {}

    def written(file: str) -> float:
        if file not in times:
            times[file] = Path(file).stat().st_mtime_ns if Path(file).exists() else 0
        return times[file]

    return [
        file
        for file, sources in made_from.items()
        if written(file) and any(written(source) > written(file) for source in sources)
    ]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
