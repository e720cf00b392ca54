import math
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mt_difficulty.data import evalset
from mt_difficulty.data.evalset import EvaluationSet, read_evaluation_set
from mt_difficulty.data.score_files import read_segment_scores, read_system_scores
from mt_difficulty.data.text_files import read_segments
from mt_difficulty.errors import InputError, Missing

# Each example is a file.
few = settings(max_examples=40, deadline=None)
GOLD = "human-scores/en-de.mqm.sys.score"


def put(folder, name, content):
    """Write a file of a campaign, text as UTF-8 and without any change of its line ends."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def add_system(folder, name, text="eins\nzwei\n", score=None):
    """Add an output and, where one is given, a line of gold."""
    put(folder, f"system-outputs/en-de/{name}.txt", text)
    if score is not None:
        with open(folder / GOLD, "a", encoding="utf-8") as file:
            file.write(f"{name}\t{score}\n")


@pytest.fixture
def campaign(tmp_path):
    """Two segments, three systems, one reference."""
    folder = tmp_path / "wmt99"
    put(folder, "sources/en-de.txt", "one\ntwo\n")
    put(folder, "references/en-de.refA.txt", "Eins\nZwei\n")
    put(folder, GOLD, "Cee\t-0.5\nAda\t0.25\nBob\t1e-3\n")
    for name in ["Ada", "Bob", "Cee"]:
        add_system(folder, name, f"{name} eins\n{name} zwei\n")
    return folder


def read(folder, reference="refA", gold="mqm", **options):
    return read_evaluation_set(folder, "wmt99", "en-de", reference, gold, **options)


def refusal(function, *args, error=InputError, **options):
    """The message with which a call is refused."""
    with pytest.raises(error) as caught:
        function(*args, **options)
    assert type(caught.value) is error
    return str(caught.value)


# Texts


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("\ufeffa\nb\n", ["a", "b"]),
        ("\ufeff", []),
        ("\ufeff\ufeffa\n", ["\ufeffa"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\ufeffa\r\n\r\nb", ["a", "", "b"]),
        ("a\r\nb\n", ["a\r", "b"]),
    ],
    ids=ascii,
)
def test_byte_order_marks_and_the_line_ends_of_windows_are_no_text(tmp_path, content, lines):
    assert read_segments(put(tmp_path, "text", content)) == lines


@pytest.mark.parametrize("content", ["gut\na\0b\n", "\ufeff\n\0", "a\r\n\0\r\n"], ids=ascii)
def test_a_nul_is_named(tmp_path, content):
    path = put(tmp_path, "text", content)
    assert refusal(read_segments, path) == (
        f"{path}, line 2: a NUL character. Probably the file is UTF-16, or damaged: convert it to "
        "UTF-8, or take another copy."
    )


TEXT = st.text().map(lambda text: text.replace("\n", "").replace("\0", ""))


@few
@given(st.lists(TEXT))
def test_any_lines_come_back(lines):
    lines = ["first", *lines]  # without a mark before it, and a CR behind it
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), "text", "".join(f"{line}\n" for line in lines))
        assert read_segments(path) == lines


@pytest.mark.parametrize(
    ("content", "line", "byte"),
    [
        (b"\xe4", 1, "0xe4"),
        (b"gut\ngr\xfc\xdfe\n", 2, "0xfc"),
        (b"a\r\r\nb\x0bc\n\n\xff\n", 4, "0xff"),
        (b"ok\ncut \xe6\x9c", 2, "0xe6"),
        (b"\xef\xbb\xbfok\n\xe4\n", 2, "0xe4"),
    ],
    ids=["first byte", "Latin-1", "after other line ends", "cut character", "after a mark"],
)
@pytest.mark.parametrize(
    "read", [read_segments, read_system_scores, lambda path: read_segment_scores(path, 2)]
)
def test_a_file_that_is_not_utf_8(tmp_path, read, content, line, byte):
    path = put(tmp_path, "text", content)
    if read is not read_segments:
        path = put(tmp_path, "text", b"A 1\n" + content)
        line += 1
    assert refusal(read, path) == (
        f"{path}, line {line}: not UTF-8 (byte {byte}). Convert the file to UTF-8."
    )


# Score files


@pytest.mark.parametrize(
    "content",
    [
        "A\t0.5\nB\t-1e-3\nC\tNone\n",
        "\ufeffA\t+0.5\r\nB\t-1.E-3\r\nC\tNone\r\n",
        "A 0.5\nB -1e-3\nC None",
        "\n  A  \t 0.5 \n\n B\t\t-.001\r\n \t\nC None\n\n",
    ],
    ids=["tabs", "of Windows", "spaces", "mixed, with blank lines"],
)
def test_system_scores(tmp_path, content):
    scores = read_system_scores(put(tmp_path, "scores", content))
    assert list(scores) == ["A", "B", "C"]
    assert scores["A"] == 0.5
    assert scores["B"] == -0.001
    assert math.isnan(scores["C"])


@pytest.mark.parametrize(
    "line",
    [
        *("A nan", "A NaN", "A inf", "A -Infinity", "A high", "A none", "A 1,5", "A", "0.5"),
        *("A B 0.5", "A 1_000", "A \u0661\u0662", "A 0x10", "A 1e999", "A .", "A 1e"),
    ],
)
@pytest.mark.parametrize(
    "read", [read_system_scores, lambda path: read_segment_scores(path, 1)], ids=["sys", "seg"]
)
def test_a_line_that_is_no_score(tmp_path, read, line):
    path = put(tmp_path, "scores", f"X\t1\n\n {line}\t\nY\t2\n")
    assert refusal(read, path) == (
        f"{path}, line 3: expected `system score` with a finite number or None, found `{line}`."
    )


def test_a_system_with_two_scores(tmp_path):
    path = put(tmp_path, "scores", "A 0\nB 2\n\nA 0\n")
    assert refusal(read_system_scores, path) == (
        f"{path}, line 4: system A has a score already. Keep one of them."
    )


def test_segment_scores(tmp_path):
    path = put(tmp_path, "scores", "B 3\nB None\n\nA\t1\nA\t2\n")
    scores = read_segment_scores(path, 2)
    assert set(scores) == {"A", "B"}
    assert scores["A"] == [1, 2]
    assert scores["B"][0] == 3
    assert math.isnan(scores["B"][1])


@pytest.mark.parametrize(("lines", "found"), [("A 1\nA 1\n", 2), ("A 1\nA 1\nA 1\nA 1\n", 4)])
def test_another_number_of_segment_scores(tmp_path, lines, found):
    path = put(tmp_path, "scores", "B 1\nB 1\nB 1\n" + lines)
    assert refusal(read_segment_scores, path, 3) == (
        f"{path}: system A has {found} scores, expected 3 (one per segment)."
    )


# Evaluation sets


def test_an_evaluation_set(campaign):
    assert read(campaign) == EvaluationSet(
        campaign="wmt99",
        pair="en-de",
        reference_name="refA",
        gold_name="mqm",
        systems=["Ada", "Bob", "Cee"],
        gold=[0.25, 0.001, -0.5],
        left_out={},
        source=["one", "two"],
        reference=["Eins", "Zwei"],
        hypotheses=[
            ["Ada eins", "Ada zwei"],
            ["Bob eins", "Bob zwei"],
            ["Cee eins", "Cee zwei"],
        ],
        texts_missing=None,
    )
    assert read(campaign).require_texts() is None


def test_texts_and_gold_follow_the_systems_order_and_not_the_files(campaign):
    """`Ada-2.txt` comes before `Ada.txt`, but `Ada` before `Ada-2`."""
    add_system(campaign, "Ada-2", "later eins\nlater zwei\n", score=7)
    found = read(campaign)
    assert found.systems == ["Ada", "Ada-2", "Bob", "Cee"]
    assert found.gold == [0.25, 7, 0.001, -0.5]
    assert [lines[0] for lines in found.hypotheses] == [
        "Ada eins",
        "later eins",
        "Bob eins",
        "Cee eins",
    ]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("system-outputs/en-de/Bob.txt", "eins\n", 1),
        ("system-outputs/en-de/Bob.txt", "eins\nzwei\n\n", 3),
        ("system-outputs/en-de/Bob.txt", "", 0),
        ("references/en-de.refA.txt", "Eins\nZwei\nDrei", 3),
    ],
)
def test_line_counts_that_differ(campaign, name, content, found):
    path = put(campaign, name, content)
    assert refusal(read, campaign) == (
        f"{path}: expected 2 lines (as in {campaign / 'sources/en-de.txt'}), found {found}. "
        "A segment without a translation is an empty line."
    )


def test_a_missing_source(campaign):
    (campaign / "sources/en-de.txt").unlink()
    assert refusal(read, campaign) == (
        f"{campaign / 'sources/en-de.txt'}: no such file. Every set needs its source text."
    )


@pytest.mark.parametrize(
    ("scores", "listed"),
    [
        ("Bobb 1\n", "Bobb (did you mean Bob?)"),
        ("Bobb None\n", "Bobb (did you mean Bob?)"),
        ("cee 1\nBobb 1\n", "Bobb, cee (did you mean Bob?)"),
    ],
    ids=["near", "without a score", "two"],
)
def test_gold_without_output(campaign, scores, listed):
    put(campaign, GOLD, (campaign / GOLD).read_text() + scores)
    assert refusal(read, campaign) == (
        f"{campaign / GOLD}: no output in {campaign / 'system-outputs/en-de'} for {listed}. "
        "Add the output or remove the score."
    )


def test_gold_that_is_all_none(campaign):
    put(campaign, GOLD, "Ada None\nBob None\nCee None\n")
    assert refusal(read, campaign) == (
        f"{campaign / GOLD}: no system has a score. Choose another gold."
    )


def test_a_missing_reference_lists_those_that_exist(campaign):
    put(campaign, "references/en-de.refB.txt", "Eins\nZwei\n")
    put(campaign, "references/en-de-at.refC.txt", "x\n")
    put(campaign, "references/zh-en.refC.txt", "x\n")
    for required in (True, False):
        assert refusal(read, campaign, reference="ref", texts_required=required) == (
            f"{campaign / 'references'}: no reference ref for en-de. There are: refA, refB "
            "(did you mean refB?)."
        )


def test_missing_gold_lists_what_exists(campaign):
    put(campaign, "human-scores/en-de.wmt-z.sys.score", "A 1\n")
    put(campaign, "human-scores/en-de.wmt-raw.seg.score", "A 1\n")
    put(campaign, "human-scores/zh-en.psqm.sys.score", "A 1\n")
    path = campaign / "human-scores/en-de.wmt.sys.score"
    message = f"{path}: no such file. Human scores of en-de here: mqm, wmt-z"
    message += " (did you mean wmt-z?)."
    assert refusal(read, campaign, gold="wmt") == message
    assert refusal(read, campaign, gold="wmt", texts_required=False, error=Missing) == (
        "the archive has no wmt scores of wmt99 en-de (there: mqm, wmt-z)"
    )


def test_a_pair_that_is_not_there_is_told_with_the_nearest(campaign):
    put(campaign, "human-scores/zh-en.wmt-z.sys.score", "A 1\n")
    put(campaign, "human-scores/en-de.wmt-z.sys.score", "A 1\n")
    reported = refusal(read_evaluation_set, campaign, "wmt99", "en-ed", "refA", "mqm")
    assert reported == (
        f"{campaign / 'human-scores/en-ed.mqm.sys.score'}: no such file. Human scores of en-ed "
        "here: none. Pairs that have any: en-de, zh-en (did you mean en-de?)."
    )


def test_fewer_than_three_systems(campaign):
    put(campaign, GOLD, "Ada 1\nBob 1\n")
    add_system(campaign, "refA")
    assert refusal(read, campaign) == (
        "wmt99/en-de: 2 systems to rank with gold mqm, at least 3 are needed. "
        "Left out: Cee (no mqm score), refA (a human translation)."
    )


@pytest.mark.parametrize(
    "name", ["ref", "refA", "refB", "REF", "Human-A.0", "Human-P.0", "HUMAN", "human_B", "human.1"]
)
def test_humans_are_not_ranked(campaign, name):
    add_system(campaign, name, score=9)
    assert read(campaign).systems == ["Ada", "Bob", "Cee"]
    assert read(campaign).left_out == {name: "a human translation"}


@pytest.mark.parametrize(
    "name", ["reformer", "refract", "refA-net", "Humanist", "my-human", "xref", "online-refA"]
)
def test_systems_whose_names_only_begin_like_humans_are_ranked(campaign, name):
    add_system(campaign, name, score=9)
    assert name in read(campaign).systems
    assert read(campaign).left_out == {}


# Sets of which the archive has only scores


def without_outputs(folder):
    shutil.rmtree(folder / "system-outputs")
    return "the archive has no system outputs of wmt99 en-de"


def without_texts(folder):
    without_outputs(folder)
    shutil.rmtree(folder / "references")
    return "the archive has no references and no system outputs of wmt99 en-de"


def with_scores_alone(folder):
    without_texts(folder)
    shutil.rmtree(folder / "sources")
    return "the archive has no references of wmt99 en-de, only scores"


@pytest.mark.parametrize("strip", [without_outputs, without_texts, with_scores_alone])
def test_a_set_without_texts(campaign, strip):
    reason = strip(campaign)
    put(campaign, GOLD, "Cee 3\nref 9\nAda 1\nDan None\nBob 2\nEve 5\n")
    found = read(campaign, texts_required=False, exclude=["Eve"])
    assert found.systems == ["Ada", "Bob", "Cee"]
    assert found.gold == [1, 2, 3]
    assert found.left_out == {
        "Dan": "no mqm score",
        "Eve": "excluded by config",
        "ref": "a human translation",
    }
    assert (found.source, found.reference, found.hypotheses) == ([], [], [])
    assert found.texts_missing == reason
    assert refusal(found.require_texts, error=Missing) == reason
    assert refusal(read, campaign) == reason


# Saving


lines = st.lists(st.text())
finite = st.floats(allow_nan=False, allow_infinity=False)
sets = st.builds(
    EvaluationSet,
    campaign=st.text(),
    pair=st.text(),
    reference_name=st.text(),
    gold_name=st.text(),
    systems=lines,
    gold=st.lists(finite),
    left_out=st.dictionaries(st.text(), st.text()),
    source=lines,
    reference=lines,
    hypotheses=st.lists(lines),
    texts_missing=st.none() | st.text(),
)


@few
@given(sets)
def test_any_set_comes_back(content):
    with tempfile.TemporaryDirectory() as folder:
        evalset.save(Path(folder) / "set.json", content)
        assert evalset.load(Path(folder) / "set.json") == content


# Real data


@pytest.mark.parametrize(
    ("name", "pair", "reference", "gold", "systems", "segments", "humans"),
    [
        ("wmt19", "en-de", "ref", "wmt-z", 22, 1997, []),
        ("wmt21.news", "en-de", "refC", "mqm", 8, 1002, ["refA", "refC", "refD"]),
        ("wmt21.news", "en-de", "refC", "wmt-z", 20, 1002, ["refA", "refC", "refD"]),
        ("wmt21.news", "en-zh", "refA", "wmt-z", 29, 1002, ["refA", "refB"]),
        ("wmt21.tedtalks", "en-de", "refA", "mqm", 13, 529, ["refA"]),
    ],
)
def test_sets_of_wmt(excerpt, name, pair, reference, gold, systems, segments, humans):
    found = read_evaluation_set(excerpt / name, name, pair, reference, gold)
    assert len(found.systems) == len(found.gold) == len(found.hypotheses) == systems
    assert {len(text) for text in [found.source, found.reference, *found.hypotheses]} == {segments}
    left_out = [name for name, why in found.left_out.items() if why == "a human translation"]
    assert left_out == humans


def test_gold_of_wmt_belongs_to_its_system(excerpt):
    found = read_evaluation_set(excerpt / "wmt21.news", "wmt21.news", "en-de", "refC", "mqm")
    gold = dict(zip(found.systems, found.gold, strict=True))
    assert gold["VolcTrans-GLAT"] == -1.039089
    assert gold["VolcTrans-AT"] == -1.743264


def test_a_set_of_wmt_with_only_scores(excerpt):
    options = {"campaign": "wmt19", "pair": "de-cs", "reference": "ref", "gold": "wmt-z"}
    found = read_evaluation_set(excerpt / "wmt19", **options, texts_required=False)
    assert found.texts_missing == "the archive has no references of wmt19 de-cs, only scores"
    assert len(found.systems) == 11
    with pytest.raises(InputError, match="only scores"):
        read_evaluation_set(excerpt / "wmt19", **options)


# Documents and human scores of segments


def test_documents_and_domains(campaign):
    assert read(campaign).documents == read(campaign).domains == []
    put(campaign, "documents/en-de.docs", "news\tdoc.1\nted\ttalk 2\n")
    found = read(campaign)
    assert found.domains == ["news", "ted"]
    assert found.documents == ["doc.1", "talk 2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("news\tdoc.1\n", "expected 2 lines (one per segment), found 1."),
        ("news\tdoc.1\nnews\n", "line 2: expected `domain <tab> document`, found `news`."),
        ("news\tdoc.1\nnews\t \n", "line 2: expected `domain <tab> document`, found `news  `."),
        ("a\tb\tc\nnews\td\n", "line 1: expected `domain <tab> document`, found `a b c`."),
    ],
)
def test_documents_of_another_form_are_refused(campaign, content, message):
    path = put(campaign, "documents/en-de.docs", content)
    reported = refusal(read, campaign)
    assert reported.startswith(str(path))
    assert reported.endswith(message)


def test_human_scores_of_segments(campaign, tmp_path):
    assert read(campaign).segment_gold == []
    scores = "Bob\t-1\nBob\tNone\nrefA\t0\nrefA\t0\nAda\t-0.5\nAda\t2\n"
    put(campaign, "human-scores/en-de.mqm.seg.score", scores)
    evalset.save(tmp_path / "set.json", read(campaign))
    found = evalset.load(tmp_path / "set.json")
    assert found.systems == ["Ada", "Bob", "Cee"]
    assert found.segment_gold == [[-0.5, 2.0], [-1.0, None], [None, None]]
    put(campaign, "human-scores/en-de.mqm.seg.score", "Bob\t-1\n")
    assert "system Bob has 1 scores, expected 2" in refusal(read, campaign)
