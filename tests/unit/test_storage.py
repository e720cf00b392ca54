import errno
import json
import math
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mt_difficulty import errors, storage
from mt_difficulty.errors import InputError, Missing

# Each example is a file.
few = settings(max_examples=40, deadline=None)
READERS = [storage.read_arrays, storage.read_json, storage.read_table]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def written(write, content):
    """The bytes that a writer makes of some content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path, content)
        return path.read_bytes()


def through(write, read, content):
    """Write and read again, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path, content)
        return read(path)


# Atomic writing


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt, Missing])
def test_an_exception_leaves_the_old_file_and_no_temporary_one(tmp_path, stop):
    path = tmp_path / "file.txt"
    path.write_text("old")

    def write_half():
        with storage.replacing(path) as temporary:
            temporary.write_text("half of the n")
            assert path.read_text() == "old"
            raise stop("in the middle")

    with pytest.raises(stop, match="in the middle"):
        write_half()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


# Arrays

ARRAYS = {
    "statistics": np.arange(24.0).reshape(2, 3, 4),
    "systems": ["online-A.0", "Łódź", "机器翻译", ""],
    "h": 0.53,
    "mask": [True, False],
    "count": np.array([], dtype=np.int32),
    "nan": [math.nan, -math.inf, 0.0],
}


# NumPy's strings end at their trailing NULs.
words = st.lists(st.text().filter(lambda text: not text.endswith("\0")), min_size=1)


@few
@given(words, arrays(st.sampled_from([np.float64, np.int64, np.bool_]), array_shapes()))
def test_any_strings_and_numbers_come_back(strings, numbers):
    content = {"strings": strings, "numbers": numbers}
    found = through(lambda path, x: storage.write_arrays(path, **x), storage.read_arrays, content)
    assert found["strings"].tolist() == strings
    np.testing.assert_array_equal(found["numbers"], numbers, strict=True)


def test_equal_arrays_give_equal_bytes_whenever_and_in_whatever_order(tmp_path, monkeypatch):
    storage.write_arrays(tmp_path / "first.npz", **ARRAYS)
    later = time.time() + 10**7
    monkeypatch.setattr(time, "time", lambda: later)
    storage.write_arrays(tmp_path / "second.npz", **dict(reversed(ARRAYS.items())))
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


def test_pickles_are_not_read(tmp_path):
    np.savez(tmp_path / "file.npz", a=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="pickle"):
        storage.read_arrays(tmp_path / "file.npz")


# Markers

REASONS = [
    "no texts",
    "the archive has no ESIM scores of wmt19 zh-en",
    "größer: 机\u2028器",
    "a\nb",
]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("read", READERS)
def test_a_marker_raises_its_reason(tmp_path, read, reason):
    storage.write_missing(tmp_path / "file", reason)
    with pytest.raises(Missing) as error:
        read(tmp_path / "file")
    assert str(error.value) == reason


def test_a_marker_replaces_a_result_and_a_result_a_marker(tmp_path):
    path = tmp_path / "file.json"
    storage.write_json(path, {})
    storage.write_missing(path, "gone")
    with pytest.raises(Missing, match="gone"):
        storage.check_present(path)
    storage.write_json(path, {"back": 1})
    assert storage.read_json(path) == {"back": 1}
    assert names(tmp_path) == ["file.json"]


@pytest.mark.parametrize("content", ["", "missing", "missing,reason\na,b\n", " missing: x", "x"])
def test_what_only_looks_like_a_marker_is_a_result(tmp_path, content):
    (tmp_path / "file").write_text(content)
    assert storage.check_present(tmp_path / "file") is None


# JSON


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize(
    "number",
    [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("-inf"), np.float16("inf")],
)
def test_numbers_that_are_not_finite_become_null(tmp_path, number):
    content = {"a": number, "b": [1.5, number], "c": {"d": (number, "x")}}
    storage.write_json(tmp_path / "file", content)
    text = (tmp_path / "file").read_text()
    expected = {"a": None, "b": [1.5, None], "c": {"d": [None, "x"]}}
    assert json.loads(text, parse_constant=refuse) == expected
    assert storage.read_json(tmp_path / "file") == expected


def test_json_has_sorted_keys_and_readable_text():
    content = {"zwei": "größer 机器", "eins": {"b": 1, "a": None}}
    text = written(storage.write_json, content).decode()
    assert text.index("eins") < text.index("zwei")
    assert text.index('"a"') < text.index('"b"')
    assert "größer 机器" in text
    reordered = {"eins": {"a": None, "b": 1}, "zwei": "größer 机器"}
    assert written(storage.write_json, reordered).decode() == text


finite = st.floats(allow_nan=False, allow_infinity=False)
trees = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@few
@given(trees)
def test_json_comes_back(content):
    assert through(storage.write_json, storage.read_json, content) == content


# Tables


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1 / 3, "0.333333333333"),
        (-1234567.890123456, "-1234567.89012"),
        (42.0, "42"),
        (123456789012345.0, "1.23456789012e+14"),
    ],
)
def test_12_significant_digits(tmp_path, number, text):
    storage.write_table(tmp_path / "file", pd.DataFrame({"score": [number]}))
    assert (tmp_path / "file").read_bytes() == f"score\n{text}\n".encode()


LIKE_VALUES = (
    '2019 1 1.0 1.00 007 1e5 -0 1_000 inf -inf True false " \' # a,b a"b \ufeffa \\'.split()
)
LIKE_VALUES += "NA None nan NaN null N/A n/a <NA> NULL".split()
LIKE_VALUES += [" x", "x ", " ", "a\tb", "a\nb", "a\rb"]


@pytest.mark.parametrize("name", LIKE_VALUES)
def test_a_name_is_text_whatever_it_looks_like(tmp_path, name):
    frame = pd.DataFrame({"system": [name] * 2, "metric": name, "score": [1.5, math.nan]})
    storage.write_table(tmp_path / "file", frame)
    found = storage.read_table(tmp_path / "file")
    assert found["system"].tolist() == found["metric"].tolist() == [name] * 2
    np.testing.assert_array_equal(found["score"], [1.5, math.nan])


# Surrogates cannot be written as UTF-8.
@few
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_any_names_come_back(strings):
    frame = pd.DataFrame({"system": strings, "size": 3, "reason": ""})
    found = through(storage.write_table, storage.read_table, frame)
    assert found["system"].tolist() == strings
    assert found["size"].tolist() == [3] * len(strings)
    assert set(found["reason"]) == {""}


def test_a_full_disk_is_told_with_the_file_and_leaves_the_old_one(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("old")
    # Every write to this device fails as on a full disk, without a name in the error.
    with (
        pytest.raises(OSError, match="No space left on device") as error,
        storage.replacing(file),
        open("/dev/full", "wb") as full,
    ):
        full.write(b"new")
    assert errors.explain(error.value) == (
        f"{file}: No space left on device. The disk, or your share of it, is full: make room, "
        "then run again."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
    assert file.read_text() == "old"


def test_columns_of_numbers_are_numbers_in_a_table_without_rows(tmp_path):
    storage.write_table(tmp_path / "t.csv", pd.DataFrame(columns=["metric", "estimate"]))
    assert not np.isfinite(storage.read_table(tmp_path / "t.csv").estimate).any()


def test_a_read_only_folder_is_told_with_the_file_and_what_to_do(tmp_path):
    file = tmp_path / "scores.csv"
    with pytest.raises(PermissionError) as error, storage.replacing(file) as temporary:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(temporary))
    assert errors.explain(error.value) == (
        f"{file}: Permission denied. Allow it, or name another folder (config, results)."
    )


@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_a_file_that_is_cut_short_is_an_error_that_names_it(tmp_path, share):
    path = tmp_path / "file"
    for write, content, read in (
        (storage.write_json, {"a": [1, 2, 3]}, storage.read_json),
        (lambda path, x: storage.write_arrays(path, a=x), np.arange(1000.0), storage.read_arrays),
    ):
        write(path, content)
        os.truncate(path, int(share * path.stat().st_size))
        with pytest.raises(InputError, match=r"file is damaged \(.*\)\. Delete it and run again\."):
            read(path)
    path.write_text("")
    with pytest.raises(InputError, match="file is damaged"):
        storage.read_table(path)
