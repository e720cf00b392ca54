"""Evaluation sets of the archive: texts, scores, error spans, and how bad input is reported."""

import json
import math
import shutil
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT

from mt_difficulty.data import campaign_files, evalset
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.campaign_files import rating_files, read_campaigns, read_ratings
from mt_difficulty.data.evalset import EvaluationSet
from mt_difficulty.data.import_set import read_evaluation_set, read_texts
from mt_difficulty.data.score_files import read_scores
from mt_difficulty.data.text_files import read_lines, read_segments
from mt_difficulty.data.text_formats import HYPOTHESIS
from mt_difficulty.data.text_formats import REFERENCE as REFERENCE_TEXT
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.metrics.stored import Stored

NONE = "[No translation supplied]"
GOLD = "human-scores/en-de.mqm.sys.score"
SEGMENTS = "human-scores/en-de.mqm.seg.score"
DOMAINS = "human-scores/en-de.mqm.domain.score"
DOCUMENTS = "documents/en-de.docs"


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
    return read_evaluation_set(folder, ImportSettings("wmt99", "en-de", reference, gold, **options))


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
        ("a\r\nb\n", ["a", "b"]),
        ("a  \r\n b \r \nc\td\t\n", ["a", " b", "c\td\t"]),
        ("a\rb\u2028c\x85\n", ["a\rb\u2028c\x85"]),
    ],
    ids=ascii,
)
def test_marks_and_white_space_at_line_ends_are_no_text(tmp_path, content, lines):
    """Only LF ends a line, as in WMT's files; tabs at the end may separate empty columns."""
    assert read_lines(put(tmp_path, "text", content)) == lines
    assert read_segments(put(tmp_path, "text", content), HYPOTHESIS) == lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("gut\na\0b\n", "a NUL character. Probably the file is UTF-16"),
        ("\ufeff\n\0", "a NUL character"),
        ("gut\ngrüße\n".encode("latin-1"), "not UTF-8."),
        (b"a\r\r\x0bc\n\xff\n", "not UTF-8."),
        (b"\xef\xbb\xbfok\n\xe6\x9c", "not UTF-8."),
        *(
            (f'{{"target": "a"}}\n{line}\n', "expected a JSON object with a string as `target`")
            for line in ["plain text", '{"target": "a"', "", '{"hypothesis": "a"}', "[]"]
        ),
    ],
    ids=ascii,
)
def test_what_is_no_text_is_named_with_its_line(tmp_path, content, message):
    path = put(tmp_path, "text.jsonl" if "JSON" in message else "text", content)
    assert refusal(read_segments, path, REFERENCE_TEXT).startswith(f"{path}, line 2: {message}")


# Score files


@pytest.mark.parametrize(
    "content",
    [
        "A\t0.5\nB\t-1e-3\nC\tNone\n",
        "\ufeffA\t+0.5\r\nB\t-1.E-3\r\nC\tNone\r\n",
        "\n  A  \t 0.5 \n\n B\t\t-.001\r\n \t\nC None\n\n",
    ],
    ids=["tabs", "of Windows", "mixed, with blank lines"],
)
def test_system_scores(tmp_path, content):
    scores = read_scores(put(tmp_path, "scores", content))
    np.testing.assert_equal(scores, {"A": [0.5], "B": [-0.001], "C": [math.nan]})


def test_segment_scores(tmp_path):
    path = put(tmp_path, "scores", "B 9\nB 3\nB None\n\nA\t9\nA\t1\nA\t2\n")
    np.testing.assert_equal(read_scores(path, 2, canary=1), {"B": [3, math.nan], "A": [1, 2]})
    message = f"{path}: system B has 3 scores, expected "
    assert refusal(read_scores, path, 4) == message + "4 (one per segment)."
    assert refusal(read_scores, path) == message + "1 (one per system)."


@pytest.mark.parametrize(
    "line",
    [
        *("A nan", "A inf", "A -Infinity", "A high", "A none", "A 1,5", "A", "0.5"),
        *(
            "A\tB\t0.5",
            "A 1_000",
            "A \u0661\u0662",
            "A 0x10",
            "A 1e999",
            "A .",
            "A 1e",
            "A -1.1e100",
        ),
    ],
)
def test_a_line_that_is_no_score(tmp_path, line):
    path = put(tmp_path, "scores", f"X\t1\n\n {line}\t\nY\t2\n")
    expected = "expected `system <tab> score` with a finite number or None"
    assert refusal(read_scores, path) == f"{path}, line 3: {expected}, found `{line}`."


# Evaluation sets


def test_an_evaluation_set(campaign):
    """`Ada-2.txt` comes before `Ada.txt`, but `Ada` before `Ada-2`."""
    add_system(campaign, "Ada-2", "later eins\nlater zwei\n", score=7)
    assert read(campaign) == EvaluationSet(
        campaign="wmt99",
        pair="en-de",
        reference_name="refA",
        gold_name="mqm",
        systems=["Ada", "Ada-2", "Bob", "Cee"],
        gold=[0.25, 7, 0.001, -0.5],
        source=["one", "two"],
        reference=["Eins", "Zwei"],
        hypotheses=[
            ["Ada eins", "Ada zwei"],
            ["later eins", "later zwei"],
            ["Bob eins", "Bob zwei"],
            ["Cee eins", "Cee zwei"],
        ],
    )
    put(campaign, DOCUMENTS, "news\tdoc.1\n  ted   talk \n")
    found = read(campaign)
    assert (found.domains, found.documents) == (["news", "ted"], ["doc.1", "talk"])


BOB, REFERENCE = "system-outputs/en-de/Bob.txt", "references/en-de.refA.txt"
SCORE_FORM = "expected `domain <tab> system <tab> score` with a finite number or None, found "
BAD = [
    (BOB, "eins\n", ": expected 2 lines (as in the source), found 1. A segment without"),
    (REFERENCE, "Eins\nZwei\nDrei", ": expected 2 lines (as in the source), found 3. A"),
    ("sources/en-de.txt", "", ": the file is empty; expected one segment a line."),
    (
        GOLD,
        "cee 1\nBobb None\n",
        ": no output in {}/system-outputs/en-de for Bobb, cee (did you mean Bob?). Add the output",
    ),
    (SEGMENTS, "Adah 1\nAdah 2", ": no output in {}/system-outputs/en-de for Adah (did you mean"),
    (DOMAINS, "news Adah 1", ": no output in {}/system-outputs/en-de for Adah (did you mean Ada?)"),
    (DOMAINS, "ted Ada None\nted Ada 2", ", line 2: system Ada has a score in ted already. Keep"),
    (DOMAINS, "ted Ada 1\nAda 1", f", line 2: {SCORE_FORM}`Ada 1`."),
    (DOMAINS, "ted Ada 1\nnews my Ada 1", ": no output in {}/system-outputs/en-de for my Ada"),
    (DOCUMENTS, "news\tdoc.1\n", ": expected 2 lines (one per segment), found 1."),
    (DOCUMENTS, "a\tb\nnews\t \n", ", line 2: expected `domain <tab> document`, found `news `."),
    (DOCUMENTS, "a\tb\tc\nnews\td\n", ", line 1: expected `domain <tab> document`, found `a b c`."),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_files_are_named(campaign, name, content, message):
    path = put(campaign, name, content)
    assert refusal(read, campaign).startswith(f"{path}{message.format(campaign)}")


def test_what_is_not_there_is_named_with_what_is(campaign):
    for name in ("references/en-de.refB", "references/en-de-at.refC", "references/zh-en.refC"):
        put(campaign, f"{name}.txt", "Eins\nZwei\n")
    for name in ("en-de.wmt-z.sys", "en-de.wmt-raw.seg", "zh-en.psqm.sys"):
        put(campaign, f"human-scores/{name}.score", "A 1\n")
    message = (
        f"{campaign / 'references'}: no reference ref for en-de. There are: refA, refB "
        "(did you mean refB?)."
    )
    assert refusal(read, campaign, reference="ref", texts_required=True) == message
    assert refusal(read, campaign, reference="ref", texts_required=False) == message
    scores = campaign / "human-scores"
    assert refusal(read, campaign, gold="wmt") == (
        f"{scores / 'en-de.wmt.sys.score'}: no such file. Human scores of en-de here: mqm, wmt-z "
        "(did you mean wmt-z?)."
    )
    assert refusal(read, campaign, gold="wmt", texts_required=False, error=Missing) == (
        "the archive has no wmt scores of wmt99 en-de (there: mqm, wmt-z)"
    )
    misspelt = ImportSettings("wmt99", "en-ed", "refA", "mqm")
    assert refusal(read_evaluation_set, campaign, misspelt) == (
        f"{scores / 'en-ed.mqm.sys.score'}: no such file. Human scores of en-ed here: none. Pairs "
        "that have any: en-de, zh-en (did you mean en-de?)."
    )
    (campaign / "sources/en-de.txt").unlink()
    assert "en-de.txt: no such file. Every set needs its source" in refusal(read, campaign)


def test_fewer_than_three_systems(campaign):
    put(campaign, GOLD, "Ada 1\nBob 1\nCee None\n")
    add_system(campaign, "refA")
    assert refusal(read, campaign) == (
        "wmt99/en-de: 2 systems to rank with gold mqm, at least 3 are needed. "
        "Left out: Cee (no mqm score), refA (a human translation)."
    )


def test_humans_are_not_ranked_and_systems_with_like_names_are(campaign):
    humans = ["ref", "refA", "REF", "Human-A.0", "HUMAN", "human_B", "human.1"]
    systems = ["reformer", "refA-net", "Humanist", "my-human", "xref", "online-refA"]
    for name in humans + systems:
        add_system(campaign, name, score=9)
    found = read(campaign)
    assert found.systems == sorted(["Ada", "Bob", "Cee", *systems])
    assert found.left_out == dict.fromkeys(humans, "a human translation")


def test_a_further_reference_can_be_ranked(campaign):
    """As a system with its human scores, of systems and of segments."""
    put(campaign, "references/en-de.refB.txt", "Eins.\nZwei.\n")
    for name in ("refA", "refB"):
        add_system(campaign, name, score=9)
    lines = [f"{name}\t{score}\n" for name in ("Ada", "Bob", "Cee", "refB") for score in (1, 2)]
    put(campaign, GOLD.replace(".sys.", ".seg."), "".join(lines))
    assert read(campaign).systems == ["Ada", "Bob", "Cee"]
    found = read(campaign, ranked_references=["refB"])
    assert (found.systems, found.gold[3]) == (["Ada", "Bob", "Cee", "refB"], 9)
    assert found.left_out == {"refA": "a human translation"}
    assert found.segment_gold[3] == [1, 2]
    assert "ranked_references: no system refC (did you mean refB?)." in refusal(
        read, campaign, ranked_references=["refC"]
    )
    assert "ranked_references: refA is the set's reference; name a further one." in refusal(
        read, campaign, ranked_references=["refA"]
    )


def test_a_set_without_human_scores(campaign):
    shutil.rmtree(campaign / "human-scores")
    for name in ("refA", "Human-B", "Cee"):
        add_system(campaign, name)
    found = read(campaign, gold="", exclude=["Cee"])
    assert (found.systems, found.gold, found.gold_name) == (["Ada", "Bob"], [], "")
    assert (found.segment_gold, found.domain_gold) == ([], {})
    assert campaign_files.gold_files(campaign, "en-de", "") == []
    assert "1 systems to rank, at least 2 are needed. Left out: Ada (excluded by config)" in (
        refusal(read, campaign, gold="", exclude=["Ada", "Cee"])
    )
    assert "exclude: no system Adah (did you mean Ada?)." in refusal(
        read, campaign, gold="", exclude=["Adah"]
    )


def test_outliers(campaign):
    add_system(campaign, "Dan", score=9)
    put(campaign, "references/en-de.synthetic.txt", "a\nb\n")
    add_system(campaign, "synthetic", score=9)
    names = ["Dan", "synthetic", "not there"]
    found = read(campaign, outliers=names)
    assert (found.systems, found.outliers) == (["Ada", "Bob", "Cee", "Dan"], ["Dan"])
    found = read(campaign, outliers=names, drop_outliers=True)
    assert (found.systems, found.outliers) == (["Ada", "Bob", "Cee"], [])
    assert found.left_out["Dan"] == "an outlier by the official toolkit's list"


@pytest.mark.parametrize("folders", [["system-outputs"], ["references", "system-outputs"]])
def test_a_set_of_which_the_archive_has_only_scores(campaign, folders):
    for folder in folders:
        shutil.rmtree(campaign / folder)
    absent = " and no ".join(folders).replace("-", " ")
    reason = f"the archive has no {absent} of wmt99 en-de"
    put(campaign, GOLD, "Cee 3\nref 9\nAda 1\nDan None\nBob 2\nEve 5\n")
    found = read(campaign, texts_required=False, exclude=["Eve"])
    assert (found.systems, found.gold) == (["Ada", "Bob", "Cee"], [1, 2, 3])
    reasons = {"Dan": "no mqm score", "Eve": "excluded by config", "ref": "a human translation"}
    assert found.left_out == reasons
    assert (found.source, found.reference, found.hypotheses) == ([], [], [])
    assert refusal(found.require_texts, error=Missing) == found.texts_missing == reason
    assert refusal(read, campaign) == reason


@pytest.mark.parametrize(("files", "gold"), [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize("own", [True, False])
def test_names_are_compared_in_one_unicode_form(tmp_path, own, files, gold):
    names, form = ["Müller", "Zoë", "Ångström", "한국어"], unicodedata.normalize
    systems, scores = ("systems", "gold.tsv") if own else ("system-outputs/en-de", GOLD)
    for name in ("source.txt", "reference.txt", "sources/en-de.txt", REFERENCE):
        put(tmp_path, name, "a\n")
    for name in names:
        put(tmp_path, f"{systems}/{form(files, name)}.txt", "a\n")
    put(tmp_path, scores, "".join(f"{form(gold, name)}\t{i}\n" for i, name in enumerate(names)))
    settings = ImportSettings("mine", "en-de", own_files=True)
    if not own:
        settings = ImportSettings("mine", "en-de", "refA", "mqm")
    found = read_evaluation_set(tmp_path, settings._replace(exclude=[form(gold, "Zoë")]))
    assert (found.systems, found.gold) == ([names[0], *names[2:]], [0, 2, 3])
    assert found.left_out == {"Zoë": "excluded by config"}
    put(tmp_path, f"{systems}/{form(gold, 'Müller')}.txt", "a\n")
    message = refusal(read_evaluation_set, tmp_path, settings)
    assert "are both called Müller: only the Unicode forms of their names differ" in message


# JSON objects


def objects(field, texts, **options):
    return "".join(f"{json.dumps({field: text}, **options)}\n" for text in texts)


def to_objects(folder):
    """Turn all texts of the campaign into JSON objects."""
    for path in folder.rglob("*.txt"):
        field = {"sources": "source", "references": "target"}.get(path.parent.name, "hypothesis")
        text = objects(field, path.read_text().splitlines())
        path.with_suffix(".jsonl").write_text(text)
        path.unlink()


def test_texts_in_json_objects_unless_there_are_lines(campaign):
    plain = read(campaign)
    other = put(campaign, "references/en-de.refA.jsonl", objects("target", plain.reference))
    assert read(campaign) == plain
    put(campaign, "references/en-de.refA.jsonl", objects("target", ["Eins", "Drei"]))
    assert refusal(read, campaign).endswith(
        f"en-de.refA.txt and {other.name} hold different texts. Remove one of them."
    )
    to_objects(campaign)
    assert read(campaign) == plain
    assert [path.suffix for path in campaign_files.text_files(campaign, "en-de")] == [".jsonl"] * 5
    line = '{"hypothesis": 1.5}'
    path = put(campaign, "system-outputs/en-de/Bob.jsonl", objects("hypothesis", ["a"]) + line)
    assert refusal(read, campaign).startswith(
        f"{path}, line 2: expected a JSON object with a string as `hypothesis`, found `{line}`."
    )


@pytest.mark.parametrize("name", ["x.jsonl", "x.txt"])
def test_json_strings_become_lines_and_null_no_translation(tmp_path, name):
    content = objects("target", ["a\nb", "a\0b", "\u2028", None])
    lines = read_segments(put(tmp_path, name, content), REFERENCE_TEXT)
    assert lines == ["a b", "a b", "\u2028", ""]


def test_segments_that_were_not_translated_are_empty(campaign):
    add_system(campaign, "Ada", f"{NONE}\n{NONE} \n")
    add_system(campaign, "Bob", f"{NONE} really\n{NONE}\n")
    put(campaign, REFERENCE, f"zwei\n{NONE}\n")
    found = read(campaign)
    assert found.reference == ["zwei", ""]
    assert found.hypotheses[:2] == [["", ""], [f"{NONE} really", ""]]
    assert found.notices == [
        "1 of 2 reference segments are empty: no hypothesis can match them.",
        "Ada: every line is empty. Take another file, or leave the system out.",
    ]


# A canary; human scores of segments and domains


def with_canary(folder, by="text"):
    """Put a line before those of each file."""
    canary = "CANARY GUID 0-0" if by == "text" else "not to be trained on"
    for path in folder.rglob("*.txt"):
        path.write_text(f"{canary}\n{path.read_text()}")
    put(folder, DOCUMENTS, "canary\tcanary\nnews\td.1\nted\td.2\n")
    put(folder, SEGMENTS, "Ada None\nAda 1\nAda 2\nBob 9\nBob 3\nBob None\n")
    put(folder, DOMAINS, "canary Ada None\nnews Ada 1\nted Bob 2\nnews refA 3\nted Human-B 4\n")


@pytest.mark.parametrize("by", ["text", "domain"])
def test_a_canary_is_no_segment(campaign, by):
    plain = read(campaign)
    with_canary(campaign, by)
    found = read(campaign)
    assert (found.canary, found.source, found.reference) == (1, plain.source, plain.reference)
    assert found.hypotheses == plain.hypotheses
    assert (found.domains, found.documents) == (["news", "ted"], ["d.1", "d.2"])
    nan = math.nan
    np.testing.assert_equal(found.segment_gold, [[1, 2], [3, nan], [nan, nan]])
    assert found.domain_gold == {"news": [1, None, None], "ted": [None, 2, None]}


def test_stored_scores_of_a_canary_are_dropped(campaign):
    with_canary(campaign)
    lines = [f"{name} {score}\n" for name in ("Ada", "Bob", "Cee") for score in ("None", 1, 2)]
    path = put(campaign, "metric-scores/en-de/COMET-refA.seg.score", "".join(lines))
    found = read(campaign)
    assert Stored("en-de", "COMET").evaluate(found, campaign)[:, :, 0].tolist() == [[1, 2]] * 3
    put(campaign, "metric-scores/en-de/COMET-refA.seg.score", "".join(lines[:-1]))
    assert refusal(Stored("en-de", "COMET").evaluate, found, campaign) == (
        f"{path}: system Cee has 2 scores, expected 3 (one for each line of the archive's files: "
        "the canary, line 1, and 2 segments). Put a score for the canary (None) before the 2 "
        "others."
    )


def test_segments_have_human_scores_of_the_golds_name_where_there_are_any(campaign):
    names = ["mqm", "raw"]
    put(campaign, "human-scores/en-de.raw.seg.score", "Ada 60\nAda 70\n")
    found = read(campaign, segment_gold=names)
    assert (found.segment_gold[0], found.gold_label) == ([60, 70], "mqm; segments: raw")
    put(campaign, SEGMENTS, "Ada 1\nAda 2\n")
    found = read(campaign, segment_gold=names)
    assert (found.segment_gold[0], found.gold_label) == ([1, 2], "mqm")
    files = campaign_files.gold_files(campaign, "en-de", "mqm", names)
    assert {path.name for path in files} == {"en-de.mqm.seg.score", "en-de.mqm.sys.score"}
    assert read(campaign, segment_gold="raw").gold_label == "mqm; segments: raw"


def test_what_is_read_comes_back_and_texts_do_not_hold_scores(campaign, tmp_path):
    with_canary(campaign)
    put(campaign, SEGMENTS, "")
    found = read(campaign, outliers=["Ada"], segments="all")
    evalset.save(tmp_path / "set.json", found)
    assert evalset.load(tmp_path / "set.json") == found
    assert (found.segments, found.canary, found.outliers) == ("all", 1, ["Ada"])
    put(campaign, DOMAINS, "news Ada 7\n")
    settings = ImportSettings("wmt99", "en-de", "refA", "mqm", outliers=["Ada"], segments="all")
    texts = read_texts(campaign, settings.of_texts)
    assert texts == replace(
        found, gold=[], outliers=[], segments="rated", segment_gold=[], domain_gold={}
    )


# Error spans that raters marked

SPAN = {"start": 0, "end": 7, "category": "fluency/spelling", "severity": "minor", "score": 1.0}
SPAN["is_source_error"] = False


def put_ratings(folder, name, *lines):
    return put(folder, f"human-scores/en-de.{name}.seg.rating", "".join(f"{x}\n" for x in lines))


def rating(*errors):
    return json.dumps({"errors": errors})


def ratings_of(folder, canary=0):
    return read_ratings(folder, "en-de", "mqm", ("A", "B"), 2, canary)


def test_ratings_by_rater_and_system(tmp_path):
    assert ratings_of(tmp_path) == {}
    whole, none = {"start": 0, "end": 10**6}, "B\tNone"
    put_ratings(tmp_path, "mqm.rater1", none, f"A\t{rating(SPAN, whole)}", "A\tNone", none)
    put_ratings(tmp_path, "mqm.merged", f"A\t{rating()}\trater7", "refA\tnot read", "A\tNone\tr1")
    put_ratings(tmp_path, "mqm", f"B\t{rating({**SPAN, 'score': None})}", none)
    for name in ("mqm-col1", "round2.mqm.merged", "esa"):
        put_ratings(tmp_path, name, "no ratings of mqm")
    assert len(rating_files(tmp_path, "en-de", "mqm")) == 3
    assert ratings_of(tmp_path) == {
        "mqm": {"B": [[{**SPAN, "score": None}], None]},
        "mqm.merged": {"A": [[], None]},
        "mqm.rater1": {"A": [[SPAN, whole], None], "B": [None, None]},
    }
    put_ratings(tmp_path, "mqm.rater1", none, none, f"B\t{rating(SPAN)}")
    put_ratings(tmp_path, "mqm.merged")
    put_ratings(tmp_path, "mqm")
    assert ratings_of(tmp_path, canary=1)["mqm.rater1"] == {"B": [None, [SPAN]]}
    assert "system B has 3 ratings, expected 2 (one per segment)." in refusal(ratings_of, tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A", "expected `system <tab> rating`, found `A`"),
        ("A\tnone", "Invalid JSON"),
        (f"A\t{rating({**SPAN, 'start': -1})}", "errors.0.start: Input should be greater than"),
        (f"A\t{rating({**SPAN, 'score': '1'})}", "errors.0.score: Input should be a valid number"),
    ],
)
def test_a_rating_of_another_form(tmp_path, line, message):
    path = put_ratings(tmp_path, "mqm.rater1", "A\tNone", line)
    found = refusal(ratings_of, tmp_path)
    assert found.startswith(f"{path}, line 2: ")
    assert message in found


# Real data


KNOWN = {
    f"{known.campaign}/{known.pair}": known
    for known in read_campaigns(ROOT / "workflow" / "campaigns.yaml")
}
# Of sets with texts there: systems and segments, or why they are not read; WMT25 without gold.
REAL = {
    "wmt22/cs-en": (11, 1448),
    "wmt22/de-en": (9, 1984),
    "wmt22/en-de": "no mqm scores of wmt22 en-de (there: mqm-col1, mqm-col2, mqm-col3, mqm-mean)",
    "wmt22/en-liv": (5, 420),
    "wmt22/zh-en": (14, 1875),
    "wmt23/de-en": (13, 549),
    "wmt23/en-cs": (15, 2074),
    "wmt23/en-de": (12, 557),
    "wmt23/zh-en": (15, 1976),
    "wmt24/en-cs": (15, 997),
    "wmt24/en-zh": (12, 997),
    "wmt25/cs-de_DE": (6, 457),
    "wmt25/en-it_IT": "no references of wmt25 en-it_IT",
    "wmt25/en-sr_Cyrl_RS": (2, 332),
    "wmt25/en-zh_CN": (4, 332),
}


@pytest.mark.parametrize("name", REAL)
def test_real_sets(real, name):
    there = {f"{path.parts[-3]}/{path.stem}" for path in real.glob("*/sources/*")}
    assert there == REAL.keys()
    known, expected = KNOWN[name], REAL[name]
    settings = ImportSettings(
        known.campaign,
        known.pair,
        known.reference,
        gold="" if known.campaign == "wmt25" else known.gold,
        segment_gold=known.segment_gold,
        outliers=known.outliers,
    )
    folder = real / known.campaign
    if isinstance(expected, str):
        settings = settings._replace(texts_required=False)
        message = refusal(read_evaluation_set, folder, settings, error=Missing)
        assert message == f"the archive has {expected}"
        return
    found = read_evaluation_set(folder, settings)
    assert (len(found.systems), len(found.reference)) == expected
    assert {len(text) for text in [found.source, *found.hypotheses]} == {expected[1]}
    assert found.canary == (known.campaign == "wmt24")
    assert "CANARY" not in "\n".join(found.source[:1] + found.reference[:1])
    assert set(found.domain_gold) <= {*found.domains, "all"}


@pytest.mark.parametrize(
    ("pair", "files", "spans"), [("en-de", ["mqm.merged"], 18743), ("zh-en", range(1, 9), 47117)]
)
def test_real_ratings(real, pair, files, spans):
    folder = real / "wmt23"
    found = read_evaluation_set(folder, ImportSettings("wmt23", pair, "refA", "mqm"))
    ratings = read_ratings(folder, pair, "mqm", found.systems, len(found.reference))
    assert list(ratings) == [f"mqm.rater{n}" if isinstance(n, int) else n for n in files]
    rated = [of_system for file in ratings.values() for of_system in file.values()]
    assert {len(segments) for segments in rated} == {len(found.reference)}
    assert sum(len(errors) for segments in rated for errors in segments if errors) == spans
