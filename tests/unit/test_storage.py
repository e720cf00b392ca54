import json
import math
import os
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mt_difficulty import storage
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.tables import Table

# Each example overwrites a file.
few = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
READERS = [storage.read_arrays, storage.read_json, storage.read_table]


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt, Missing])
def test_an_exception_leaves_the_old_file_and_no_temporary_one(tmp_path, stop):
    path = tmp_path / "file.txt"
    path.write_text("old")

    def write_half():
        with storage.replacing(path) as temporary:
            temporary.write_text("half of the n")
            raise stop("in the middle")

    with pytest.raises(stop, match="in the middle"):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# Arrays


# NumPy's strings end at their trailing NULs.
words = st.lists(st.text().filter(lambda text: not text.endswith("\0")), min_size=1)


@few
@given(words, arrays(st.sampled_from([np.float64, np.int64, np.bool_]), array_shapes()))
def test_any_strings_and_numbers_come_back(tmp_path, strings, numbers):
    storage.write_arrays(tmp_path / "file", strings=strings, numbers=numbers)
    found = storage.read_arrays(tmp_path / "file")
    assert found["strings"].tolist() == strings
    np.testing.assert_array_equal(found["numbers"], numbers, strict=True)


def test_equal_arrays_give_equal_bytes_whenever_and_in_whatever_order(tmp_path, monkeypatch):
    content = {"statistics": np.arange(24.0).reshape(2, 3, 4), "systems": ["Łódź", ""], "h": 0.53}
    storage.write_arrays(tmp_path / "first.npz", **content)
    later = time.time() + 10**7
    monkeypatch.setattr(time, "time", lambda: later)
    storage.write_arrays(tmp_path / "second.npz", **dict(reversed(content.items())))
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


def test_pickles_are_not_read(tmp_path):
    np.savez(tmp_path / "file.npz", a=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="pickle"):
        storage.read_arrays(tmp_path / "file.npz")


@pytest.mark.parametrize("share", [0, 0.5, 0.9])
@pytest.mark.parametrize("kind", ["JSON", "arrays"])
def test_a_file_that_is_cut_short_is_an_error_that_names_it(tmp_path, kind, share):
    path = tmp_path / "file"
    if kind == "JSON":
        storage.write_json(path, {"a": [1, 2, 3]})
    else:
        storage.write_arrays(path, a=np.arange(1000.0))
    os.truncate(path, int(share * path.stat().st_size))
    read = storage.read_json if kind == "JSON" else storage.read_arrays
    with pytest.raises(InputError, match=r"file is damaged \(.*\)\. Delete it and run again\."):
        read(path)


def test_an_empty_file_is_no_table(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(InputError, match="file is damaged"):
        storage.read_table(path)


# Markers


@pytest.mark.parametrize("reason", ["no texts", "größer: 机\u2028器", "a\nb"])
@pytest.mark.parametrize("read", READERS)
def test_a_marker_raises_its_reason(tmp_path, read, reason):
    storage.write_json(tmp_path / "file", {})
    storage.write_missing(tmp_path / "file", reason)
    with pytest.raises(Missing) as error:
        read(tmp_path / "file")
    assert str(error.value) == reason


# JSON


@pytest.mark.parametrize(
    "number", [math.nan, -math.inf, np.float64("nan"), np.float32("-inf"), np.float16("inf")]
)
def test_numbers_that_are_not_finite_become_null(tmp_path, number):
    content = {"b": [1.5, number], "a": number, "größer 机器": {"d": (number, "x")}}
    storage.write_json(tmp_path / "file", content)
    expected = {"a": None, "b": [1.5, None], "größer 机器": {"d": [None, "x"]}}
    assert storage.read_json(tmp_path / "file") == expected
    text = (tmp_path / "file").read_text()
    assert text == json.dumps(expected, ensure_ascii=False, indent=1)  # of sorted keys


# Tables


@pytest.mark.parametrize(
    ("number", "text"),
    [(1 / 3, "0.333333333333"), (42.0, "42"), (123456789012345.0, "1.23456789012e+14")],
)
def test_12_significant_digits(tmp_path, number, text):
    table = Table("numbers", ("score",))
    storage.write_table(tmp_path / "file", pd.DataFrame({"score": [number]}), table)
    assert (tmp_path / "file").read_bytes() == f"score\n{text}\n".encode()


LIKE_VALUES = ["2019", "1.0", "007", "1e5", "inf", "True", '"', "#", "a,b", 'a"b', "\ufeffa", "\\"]
LIKE_VALUES += ["NA", "None", "nan", "NULL", "N/A", " x", "x ", " ", "a\tb", "a\nb", "a\rb"]


@pytest.mark.parametrize("name", LIKE_VALUES)
def test_a_name_is_text_whatever_it_looks_like(tmp_path, name):
    frame = pd.DataFrame({"system": [name] * 2, "reason": "", "score": [1.5, math.nan]})
    frame["null_low"] = 3
    table = Table("names and numbers", ("system", "reason", "score", "null_low"))
    storage.write_table(tmp_path / "file", frame, table)
    found = storage.read_table(tmp_path / "file")
    assert found["system"].tolist() == [name] * 2
    assert found["reason"].tolist() == ["", ""]
    np.testing.assert_array_equal(found["score"], [1.5, math.nan])
    assert found["null_low"].tolist() == [3, 3]


def test_columns_of_numbers_are_numbers_in_a_table_without_rows(tmp_path):
    table = Table("nothing", ("metric", "estimate"))
    storage.write_table(tmp_path / "t.csv", pd.DataFrame(columns=table.names()), table)
    estimate = storage.read_table(tmp_path / "t.csv").estimate
    assert (len(estimate), estimate.dtype) == (0, np.dtype(float))
