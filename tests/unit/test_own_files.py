"""Sets of own files: what is read, and how bad input is reported."""

import numpy as np
import pytest

from mt_difficulty.data.evalset import NO_GOLD, notices, read_evaluation_set
from mt_difficulty.data.own_files import (
    files_of,
    has_gold,
    read_own_files,
    read_scored,
    text_files,
)
from mt_difficulty.errors import InputError, Missing

GOLD = "oak\t0.5\nash\t-1e-3\nelm tree\t2\n"
SEGMENT_GOLD = "oak\t1\noak\t2\nelm tree\tNone\nelm tree\t-3\nash\t0\nash\t1e-1\n"


@pytest.fixture
def folder(tmp_path):
    """Two segments, three systems, one of a name with a space."""
    for name, text in {
        "source.txt": "one\ntwo\n",
        "reference.txt": "eins\nzwei\n",
        "systems/oak.txt": "oak eins\noak zwei\n",
        "systems/ash.txt": "ash eins\nash zwei",
        "systems/elm tree.txt": "elm eins\n\n",
    }.items():
        put(tmp_path, name, text)
    return tmp_path


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def read(folder, **options):
    return read_own_files(folder, "mine", "en-de", **options)


def refusal(folder, **options):
    with pytest.raises(InputError) as caught:
        read(folder, **options)
    return str(caught.value)


def test_without_gold_there_is_a_reason(folder):
    found = read(folder)
    assert not has_gold(folder)
    assert (found.gold, found.gold_name, found.left_out) == ([], "", {})
    with pytest.raises(Missing, match=r"^the set has no human scores$"):
        found.require_gold()
    assert NO_GOLD == "the set has no human scores"


def test_systems_without_gold_are_left_out_with_the_reason(folder):
    for name in ("fir", "yew", "refA", "pine"):
        put(folder, f"systems/{name}.txt", "a\nb\n")
    put(folder, "gold.tsv", f"{GOLD}fir\tNone\npine\t1\n")
    found = read(folder, exclude=["pine"])
    assert found.systems == ["ash", "elm tree", "oak"]
    assert found.left_out == {
        "fir": "no gold.tsv score",
        "pine": "excluded by config",
        "refA": "a human translation",
        "yew": "no gold.tsv score",
    }


def test_human_scores_of_segments_have_the_systems_order(folder):
    put(folder, "gold.tsv", GOLD)
    put(folder, "segment_gold.tsv", "elm tree\tNone\nelm tree\t-3\nash\t0\nash\t.5\n")
    found = read(folder)
    nan = np.nan
    np.testing.assert_equal(found.segment_gold, [[0, 0.5], [nan, -3], [nan, nan]])
    assert (found.gold_name, found.gold) == ("gold.tsv", [-0.001, 2, 0.5])


def test_without_gold_of_systems_it_is_the_mean_of_their_rated_segments(folder):
    put(folder, "systems/yew.txt", "a\nb\n")
    put(folder, "systems/fir.txt", "a\nb\n")
    put(folder, "segment_gold.tsv", f"{SEGMENT_GOLD}fir\tNone\nfir\tNone\n")
    found = read(folder)
    assert has_gold(folder)
    assert found.systems == ["ash", "elm tree", "oak"] == read_scored(folder)
    assert (found.gold_name, found.gold) == ("segment_gold.tsv", [0.05, -3, 1.5])
    assert found.left_out == dict.fromkeys(["fir", "yew"], "no segment_gold.tsv score")


def put_references(folder, *names):
    (folder / "reference.txt").unlink(missing_ok=True)
    for name in names:
        put(folder, f"reference.{name}.txt", f"{name}\n{name}\n")


def test_the_only_reference_is_read_whatever_its_name(folder):
    put_references(folder, "B")
    found = read(folder)
    assert (found.reference_name, found.reference) == ("reference.B.txt", ["B", "B"])
    assert read(folder, reference="B") == found


def test_the_config_chooses_a_reference(folder):
    put(folder, "reference.B.txt", "B\nB\n")
    put(folder, "reference.ü.txt", "u\nu\n")
    assert read(folder).reference_name == "reference.txt"
    assert read(folder, reference="B").reference == ["B", "B"]
    assert read(folder, reference="u\u0308").reference == ["u", "u"]


def test_several_references_without_a_choice_are_named(folder):
    put_references(folder, "B", "A")
    assert refusal(folder) == (
        f"{folder}: 2 references, A, B, and no reference.txt. Choose one in the config's entry of "
        "the set, as `reference: A`."
    )


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["refA", "refC"], "refA, refC (did you mean refC?)"),
        ([], "none"),
    ],
)
def test_a_reference_that_is_not_there_is_named_with_the_nearest(folder, names, text):
    for name in names:
        put(folder, f"reference.{name}.txt", "a\nb\n")
    assert refusal(folder, reference="refB") == (
        f"{folder}: no file reference.refB.txt. References with a name here: {text} (config, "
        "evaluation_sets: reference)."
    )


def test_documents_are_those_of_the_segments(folder):
    put(folder, "documents.txt", "first\nsecond document\n")
    assert read(folder).documents == ["first", "second document"]


def test_a_set_is_that_of_the_same_texts_in_an_archive(folder, tmp_path):
    put(folder, "gold.tsv", GOLD.replace("elm tree", "elm"))
    (folder / "systems/elm tree.txt").rename(folder / "systems/elm.txt")
    campaign = tmp_path / "archive/mine"
    for own, name in {
        "source.txt": "sources/en-de.txt",
        "reference.txt": "references/en-de.refA.txt",
        "gold.tsv": "human-scores/en-de.mqm.sys.score",
        **{f"systems/{s}.txt": f"system-outputs/en-de/{s}.txt" for s in ("ash", "elm", "oak")},
    }.items():
        (campaign / name).parent.mkdir(parents=True, exist_ok=True)
        (campaign / name).write_bytes((folder / own).read_bytes())
    of_archive = read_evaluation_set(campaign, "mine", "en-de", "refA", "mqm")
    own = vars(read(folder)) | {"reference_name": "refA", "gold_name": "mqm"}
    (said,) = own["text_doubts"]
    own["text_doubts"] = [said.replace("systems/elm.txt", "elm")]
    assert own == vars(of_archive)


def test_the_files_of_a_set_are_all_that_it_is_read_from(folder):
    names = ["source.txt", "reference.txt"]
    systems = [f"systems/{name}.txt" for name in ("ash", "elm tree", "oak")]
    assert files_of(folder) == [folder / name for name in names + systems]
    put(folder, "gold.tsv", GOLD)
    put(folder, "documents.txt", "a\nb\n")
    put(folder, "notes.txt", "")
    names += ["gold.tsv", "documents.txt"]
    assert files_of(folder) == [folder / name for name in names + systems]
    put(folder, "segment_gold.tsv", SEGMENT_GOLD)
    put(folder, "scores/COMET.tsv", "")
    put(folder, "difficulty/theirs.tsv", "")
    names.insert(-1, "segment_gold.tsv")
    assert files_of(folder) == [folder / name for name in names + systems]
    texts = ["source.txt", "reference.txt", "documents.txt"]
    assert text_files(folder) == [folder / name for name in texts + systems]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("systems/oak.txt", "one\n", "systems/oak.txt: expected 2 lines (as in {}/source.txt)"),
        ("systems/oak.txt", b"a\n\xff\n", "systems/oak.txt, line 2: not UTF-8 (byte 0xff)."),
        ("documents.txt", "a\n", "documents.txt: expected 2 lines (one per segment), found 1."),
        (
            "documents.txt",
            "a\n \n",
            "documents.txt, line 2: expected the name of the segment's doc",
        ),
        ("gold.tsv", "oak\t1\noak\t2\n", "gold.tsv, line 2: system oak has a score already."),
        (
            "gold.tsv",
            "ok\t1\nash\t2\n",
            "gold.tsv: no output in {}/systems for ok (did you mean oak?). Add the output or",
        ),
        (
            "segment_gold.tsv",
            SEGMENT_GOLD + "oak\t3\n",
            "segment_gold.tsv: system oak has 3 scores, expected 2 (one per segment)",
        ),
        (
            "segment_gold.tsv",
            "oak\tNone\noak\tNone\n",
            "segment_gold.tsv: no system has a score. Give some, or remove the file to go without.",
        ),
        (
            "segment_gold.tsv",
            "oak\t1\noak\t2\nash\t2\nash\t2\n",
            "2 systems to rank with gold segment_gold.tsv, at least 3 are needed. Left out: elm",
        ),
        ("gold.tsv", "oak\t1\nash\t2\n", "mine/en-de: 2 systems to rank with gold gold.tsv, at"),
        ("systems/fir.de", "a\nb\n", "systems/fir.de: not <system>.txt. Rename it, or move"),
    ],
)
def test_bad_input_is_named(folder, name, text, message):
    put(folder, name, text)
    assert message.format(folder) in refusal(folder)


@pytest.mark.parametrize("name", ["source.txt", "reference.txt"])
def test_a_text_that_is_not_there_is_named_with_what_belongs_into_the_folder(folder, name):
    (folder / name).unlink()
    assert refusal(folder).startswith(f"{folder / name}: no such file or folder. A folder of one's")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    assert refusal(tmp_path / "none").startswith(f"{tmp_path / 'none'}: no such file or folder. ")
    put(tmp_path, "source.txt", "a\n")
    put(tmp_path, "reference.txt", "a\n")
    assert refusal(tmp_path).startswith(f"{tmp_path / 'systems'}: no such file or folder. ")


def test_two_systems_are_enough_without_gold_and_one_is_not(folder):
    assert read(folder, exclude=["oak"]).systems == ["ash", "elm tree"]
    message = refusal(folder, exclude=["oak", "ash"])
    assert message == (
        "mine/en-de: 1 systems to rank, at least 2 are needed. "
        "Left out: ash (excluded by config), oak (excluded by config)."
    )
    assert "exclude: no system oka (did you mean oak?)." in refusal(folder, exclude=["oka"])


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\tb", "a\x1b[31m", "\x7f", "\x85", "\udcff"])
def test_names_that_no_table_can_hold_are_refused(folder, name):
    put(folder, f"systems/{name}.txt", "eins\nzwei\n")
    message = refusal(folder)
    assert "the name of '" in message
    assert "Rename the file." in message
    assert message.isprintable()


def test_empty_references_and_hypotheses_are_doubted(folder):
    empty = (
        "systems/elm tree.txt: line 2: empty, and scored as such. If a translation was lost, put "
        "it back."
    )
    assert notices(read(folder)) == [empty]
    put(folder, "reference.txt", "\nzwei\n")
    put(folder, "systems/oak.txt", "\n \n")
    assert notices(read(folder)) == [
        empty,
        "1 of 2 reference segments are empty: no hypothesis can match them.",
        "every hypothesis is empty: oak.",
    ]


def test_references_of_own_files_are_no_pattern(folder):
    (folder / "reference.txt").rename(folder / "reference.A.txt")
    text = refusal(folder, reference="*")
    assert "patterns are for sets of the archive. Of own files, name one reference in an" in text
    assert text.endswith("entry: A.")


def test_a_set_may_have_no_reference(folder):
    (folder / "reference.txt").unlink()
    assert "reference.txt: no such file or folder" in refusal(folder)
    found = read(folder, reference="")
    assert (found.reference_name, found.reference) == ("", ["", ""])
    assert not any("reference" in notice for notice in notices(found))
