"""Error spans that raters marked."""

import json

import pytest

from mt_difficulty.data.campaign_files import rating_files
from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.data.ratings import read_ratings
from mt_difficulty.errors import InputError

ADVICE = "Correct the line, or take another copy of the file."
SPAN = {
    "start": 0,
    "end": 7,
    "category": "fluency/spelling",
    "severity": "minor",
    "score": 1.0,
    "is_source_error": False,
}


def put(folder, name, *lines):
    path = folder / "human-scores" / f"en-de.{name}.seg.rating"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rating(*errors):
    return json.dumps({"errors": errors})


def read(folder, systems=("A", "B"), segments=2, canary=0):
    return read_ratings(folder, "en-de", "mqm", systems, segments, canary)


def test_ratings_by_rater_and_system(tmp_path):
    whole = {"start": 0, "end": 10**6}
    put(tmp_path, "mqm.rater1", "B\tNone", f"A\t{rating(SPAN, whole)}", "A\tNone", "B\tNone")
    put(tmp_path, "mqm.merged", f"A\t{rating()}\trater7", "refA\tnot read", "A\tNone\trater1")
    put(tmp_path, "mqm", f"B\t{rating({**SPAN, 'score': None, 'category': None})}", "B\tNone")
    found = read(tmp_path)
    assert found == {
        "mqm": {"B": [[{**SPAN, "score": None, "category": None}], None]},
        "mqm.merged": {"A": [[], None]},
        "mqm.rater1": {"A": [[SPAN, whole], None], "B": [None, None]},
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_lines_of_a_canary_are_dropped(tmp_path):
    put(tmp_path, "mqm.rater1", "A\tNone", f"A\t{rating(SPAN)}", f"A\t{rating()}")
    assert read(tmp_path, canary=1) == {"mqm.rater1": {"A": [[SPAN], []]}}


def test_the_files_that_are_read(tmp_path):
    assert rating_files(tmp_path, "en-de", "mqm") == []
    assert read(tmp_path) == {}
    paths = [put(tmp_path, f"mqm{name}") for name in ("", ".merged", ".rater1", ".rater2")]
    for name in ("mqm-col1", "round2.mqm.merged", "esa"):
        put(tmp_path, name)
    (tmp_path / "human-scores/en-de.mqm.seg.score").touch()
    (tmp_path / "human-scores/en-de_DE.mqm.seg.rating").touch()
    assert set(rating_files(tmp_path, "en-de", "mqm")) == set(paths)
    assert read(tmp_path).keys() == {"mqm", "mqm.merged", "mqm.rater1", "mqm.rater2"}


def error(**fields):
    return f"A\t{rating({**SPAN, **fields})}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A", "expected `system <tab> rating`, found `A`"),
        ("A\tnone", "expected a JSON object with `errors`, found `none`"),
        ('A\t{"error": []}', "expected a JSON object with `errors`, found one with 'error'"),
        ('A\t{"errors": {}}', "expected a list as `errors`, found an object"),
        *(
            (
                error(start=start, end=end),
                "expected an error with whole numbers 0 <= start <= end, found start "
                f"{start!r} and end {end!r}",
            )
            for start, end in [(-1, 2), (3, 2), (0.0, 2), (True, 2), (0, "2"), (None, None)]
        ),
        (error(score="1"), "`score` of an error is a string"),
    ],
)
def test_a_line_of_another_form(tmp_path, line, message):
    path = put(tmp_path, "mqm.rater1", "A\tNone", line)
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert str(caught.value) == f"{path}, line 2: {message}. {ADVICE}"


@pytest.mark.parametrize(("canary", "each"), [(0, ""), (1, " and 1 of the canary")])
def test_another_number_of_ratings(tmp_path, canary, each):
    path = put(tmp_path, "mqm.rater1", "A\tNone", "refA\tNone")
    with pytest.raises(InputError) as caught:
        read(tmp_path, canary=canary)
    assert str(caught.value) == (
        f"{path}: system A has 1 ratings, expected {2 + canary} (one per segment{each})."
    )


@pytest.mark.parametrize(
    ("pair", "files", "spans"), [("en-de", ["mqm.merged"], 18743), ("zh-en", range(1, 9), 47117)]
)
def test_real_ratings(real, pair, files, spans):
    folder = real / "wmt23"
    found = read_evaluation_set(folder, "wmt23", pair, "refA", "mqm")
    ratings = read_ratings(folder, pair, "mqm", found.systems, len(found.reference))
    assert list(ratings) == [f"mqm.rater{n}" if isinstance(n, int) else n for n in files]
    each = [rated for file in ratings.values() for rated in file.values()]
    assert {len(rated) for rated in each} == {len(found.reference)}
    assert sum(len(errors) for rated in each for errors in rated if errors) == spans
