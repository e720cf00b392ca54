"""Sets of own files: what is read, and how bad input is reported."""

import shutil

import numpy as np
import pytest
from test_evalset import put, refusal

from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set, read_gold, read_texts
from mt_difficulty.data.own_files import text_files
from mt_difficulty.data.score_files import rated_systems

GOLD = "oak\t0.5\nash\t-1e-3\nelm tree\t2\n"
SEGMENT_GOLD = "oak\t1\noak\t2\nelm tree\tNone\nelm tree\t-3\nash\t0\nash\t1e-1\n"
EMPTY = "elm tree: line 2: empty, and scored as such. If a translation was lost, put it back."


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


def read(folder, **options):
    settings = ImportSettings("mine", "en-de", own_files=True, **options)
    return read_evaluation_set(folder, settings)


def test_systems_without_gold_are_left_out_with_the_reason(folder):
    for name in ("fir", "yew", "refA", "pine"):
        put(folder, f"systems/{name}.txt", "a\nb\n")
    put(folder, "gold.tsv", f"{GOLD}fir\tNone\npine\t1\n")
    put(folder, "segment_gold.tsv", "elm tree\tNone\nelm tree\t-3\nash\t0\nash\t.5\n")
    found = read(folder, exclude=["pine"])
    assert found.systems == ["ash", "elm tree", "oak"]
    assert (found.gold_name, found.gold) == ("gold.tsv", [-0.001, 2, 0.5])
    nan = np.nan
    np.testing.assert_equal(found.segment_gold, [[0, 0.5], [nan, -3], [nan, nan]])
    assert found.left_out == {
        "fir": "no gold.tsv score",
        "pine": "excluded by config",
        "refA": "a human translation",
        "yew": "no gold.tsv score",
    }


def test_without_gold_of_systems_it_is_the_mean_of_their_rated_segments(folder):
    put(folder, "systems/yew.txt", "a\nb\n")
    put(folder, "systems/fir.txt", "a\nb\n")
    put(folder, "segment_gold.tsv", f"{SEGMENT_GOLD}fir\tNone\nfir\tNone\n")
    found = read(folder)
    assert found.systems == ["ash", "elm tree", "oak"]
    assert rated_systems(folder / "segment_gold.tsv") == found.systems
    assert (found.gold_name, found.gold) == ("segment_gold.tsv", [0.05, -3, 1.5])
    assert found.left_out == dict.fromkeys(["fir", "yew"], "no segment_gold.tsv score")


@pytest.mark.parametrize("file", ["gold.tsv", "segment_gold.tsv"])
def test_new_human_scores_are_checked_against_the_texts_that_were_read_before(folder, file):
    put(folder, "gold.tsv", GOLD)
    put(folder, "segment_gold.tsv", SEGMENT_GOLD)
    settings = ImportSettings("mine", "en-de", own_files=True)
    texts = read_texts(folder, settings.of_texts)
    assert read_gold(folder, texts, settings) == read(folder)
    put(folder, file, (folder / file).read_text().replace("oak", "oka"))
    message = refusal(read_gold, folder, texts, settings)
    assert f"{folder / file}: no output in {folder / 'systems'} for oka" in message


def test_the_only_reference_is_read_or_the_one_that_the_config_names(folder):
    put(folder, "reference.B.txt", "B\nB\n")
    put(folder, "reference.ü.txt", "u\nu\n")
    assert read(folder).reference_name == "reference.txt"
    assert read(folder, reference="u\u0308").reference == ["u", "u"]
    assert refusal(read, folder, reference="C") == (
        f"{folder}: no file reference.C.txt. References with a name here: B, ü (config, "
        "evaluation_sets: reference)."
    )
    (folder / "reference.txt").unlink()
    assert refusal(read, folder) == (
        f"{folder}: 2 references, B, ü, and no reference.txt. Choose one in the config's entry of "
        "the set, as `reference: B`."
    )
    (folder / "reference.ü.txt").unlink()
    assert (read(folder).reference_name, read(folder).reference) == ("reference.B.txt", ["B", "B"])
    assert folder / "reference.B.txt" in text_files(folder)
    found = read(folder, reference="")
    assert (found.reference_name, found.reference) == ("", ["", ""])
    assert found.notices == [EMPTY]


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
        put(campaign, name, (folder / own).read_bytes())
    of_archive = read_evaluation_set(campaign, ImportSettings("mine", "en-de", "refA", "mqm"))
    own = vars(read(folder)) | {
        "reference_name": "refA",
        "gold_name": "mqm",
        "own_files": False,
    }
    assert own == vars(of_archive)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("systems/oak.txt", "one\n", "systems/oak.txt: expected 2 lines (as in the source)"),
        ("documents.txt", "a\n", "documents.txt: expected 2 lines (one per segment), found 1."),
        ("documents.txt", "a\n \n", "documents.txt, line 2: expected `document`, found ``."),
        ("gold.tsv", "oak\t1\noak\t2\n", "gold.tsv: system oak has 2 scores, expected 1"),
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
            "oak\tNone\noak\tNone\nash\t2\nash\t2\n",
            "1 systems to rank with gold segment_gold.tsv, at least 3 are needed. Left out: elm",
        ),
        ("gold.tsv", "oak\t1\nash\t2\n", "mine/en-de: 2 systems to rank with gold gold.tsv, at"),
        ("systems/fir.de", "a\nb\n", "systems/fir.de: not <system>.txt. Rename it, or move"),
    ],
)
def test_bad_input_is_named(folder, name, text, message):
    put(folder, name, text)
    assert message.format(folder) in refusal(read, folder)


@pytest.mark.parametrize("name", ["", "source.txt", "reference.txt", "systems"])
def test_what_is_not_there_is_named_with_what_belongs_into_the_folder(folder, name):
    path = folder / name
    path.unlink() if path.is_file() else shutil.rmtree(path)
    message = f"{path}: no such file or folder. A folder of one's own holds source.txt"
    assert refusal(read, folder).startswith(message)


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\tb", "a\x1b[31m", "\x7f", "\x85", "\udcff"])
def test_names_that_no_table_can_hold_are_refused(folder, name):
    put(folder, f"systems/{name}.txt", "eins\nzwei\n")
    message = refusal(read, folder)
    assert "the name of '" in message
    assert "Rename the file." in message
    assert message.isprintable()
