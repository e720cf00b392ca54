"""Campaigns of the archive: odd or wrong files and what is said of them, pairs, real sets."""

# ruff: noqa: F811  (the fixture of a small campaign is another file's)

import json
import math
import re
import shutil

import pytest
from conftest import ROOT
from test_evalset import GOLD, add_system, campaign, put, read, refusal  # noqa: F401

from mt_difficulty.data import campaign_files
from mt_difficulty.data.campaign_files import read_campaigns
from mt_difficulty.data.evalset import load, notices, read_evaluation_set, save, without_gold
from mt_difficulty.data.language import source_language, target_language, without_spaces
from mt_difficulty.data.text_files import read_field
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.metrics.stored import Stored

NONE = "[No translation supplied]"
SEGMENTS = "human-scores/en-de.mqm.seg.score"
DOMAINS = "human-scores/en-de.mqm.domain.score"
ADVICE = "Correct the line, or take another copy of the file."


def objects(field, texts, **options):
    return "".join(f"{json.dumps({field: text}, **options)}\n" for text in texts)


def to_objects(folder):
    """Turn all texts of the campaign into JSON objects."""
    for path in folder.rglob("*.txt"):
        field = {"sources": "source", "references": "target"}.get(path.parent.name, "hypothesis")
        text = objects(field, path.read_text().splitlines())
        path.with_suffix(".jsonl").write_text(text)
        path.unlink()


# JSON objects


def test_texts_in_json_objects(campaign):
    plain = read(campaign)
    to_objects(campaign)
    assert read(campaign) == plain
    assert [path.suffix for path in campaign_files.text_files(campaign, "en-de")] == [".jsonl"] * 5


def test_of_two_forms_lines_count(campaign):
    plain = read(campaign)
    for name in ("sources/en-de", "references/en-de.refA", "system-outputs/en-de/Ada"):
        put(campaign, f"{name}.jsonl", "no JSON\n")
    assert read(campaign) == plain
    told = campaign_files.text_files(campaign, "en-de")
    assert {path.suffix for path in told} == {".txt"}
    add_system(campaign, "Dan", score=1)
    path = campaign / "system-outputs/en-de/Dan.txt"
    put(campaign, "system-outputs/en-de/Dan.jsonl", objects("hypothesis", ["a", "b"]))
    path.unlink()
    assert read(campaign).hypotheses[3] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb", "a b"),
        ("a\r\nb\n", "a b "),
        ("a\0b", "a b"),
        *((text, text) for text in ["", " a\tb ", "a\rb", "\u2028\x85\x0c", "\ufeffa", "ж𠮷"]),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_line_break_in_a_json_string_becomes_a_space(tmp_path, text, line, ascii_only):
    path = put(tmp_path, "x.jsonl", objects("target", ["first", text], ensure_ascii=ascii_only))
    assert read_field(path, "target") == ["first", line]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("plain text", "a JSON object with `hypothesis`, found `plain text`"),
        ('{"hypothesis": "a"', 'a JSON object with `hypothesis`, found `{"hypothesis": "a"`'),
        ("", "a JSON object with `hypothesis`, found an empty line"),
        ('{"target": "a"}', "a JSON object with `hypothesis`, found one with 'target'"),
        ('{"hypothesis": 1.5}', "a string as `hypothesis`, found a number"),
    ],
    ids=lambda text: text[:30],
)
def test_a_line_that_is_no_object_with_text(campaign, line, found):
    to_objects(campaign)
    name = "system-outputs/en-de/Bob.jsonl"
    path = put(campaign, name, objects("hypothesis", ["a"]) + f"{line}\n")
    assert refusal(read, campaign) == f"{path}, line 2: expected {found}. {ADVICE}"


# Segments without a translation


@pytest.mark.parametrize("form", ["lines", "objects"])
def test_segments_that_were_not_translated(campaign, form):
    add_system(campaign, "Ada", f"{NONE}\n{NONE} \n")
    add_system(campaign, "Bob", f"{NONE} really\n{NONE}\n")
    put(campaign, "references/en-de.refA.txt", f"\n{NONE}\n")
    if form == "objects":
        to_objects(campaign)
        for name in ("system-outputs/en-de/Ada", "references/en-de.refA"):
            path = campaign / f"{name}.jsonl"
            path.write_text(re.sub(rf'"{re.escape(NONE)} ?"', "null", path.read_text()))
    found = read(campaign)
    assert found.untranslated == {"reference": 1, "Ada": 2, "Bob": 1}
    assert found.reference == ["", ""]
    assert found.hypotheses[:2] == [["", ""], [f"{NONE} really", ""]]
    assert notices(found) == [
        "Bob: line 2: empty, and scored as such. If a translation was lost, put it back.",
        "1 of 2 segments have no reference translation, and no hypothesis can match them.",
        "1 of 2 reference segments are empty: no hypothesis can match them.",
        "every hypothesis is empty: Ada.",
    ]


# A canary


def with_canary(folder, by="text"):
    """Put a line before those of each file."""
    canary = "CANARY GUID 0-0" if by == "text" else "not to be trained on"
    for path in folder.rglob("*.txt"):
        path.write_text(f"{canary}\n{path.read_text()}")
    put(folder, "documents/en-de.docs", "canary\tcanary\nnews\td.1\nted\td.2\n")
    put(folder, SEGMENTS, "Ada None\nAda 1\nAda 2\nBob 9\nBob 3\nBob None\n")
    put(folder, DOMAINS, "canary Ada None\nnews Ada 1\nted Bob 2\nnews refA 3\n")


@pytest.mark.parametrize("by", ["text", "domain"])
def test_a_canary_is_no_segment(campaign, by):
    plain = read(campaign)
    with_canary(campaign, by)
    found = read(campaign)
    assert found.canary == 1
    assert (found.source, found.reference) == (plain.source, plain.reference)
    assert found.hypotheses == plain.hypotheses
    assert (found.domains, found.documents) == (["news", "ted"], ["d.1", "d.2"])
    assert found.segment_gold[0] == [1, 2]
    assert found.segment_gold[1][0] == 3
    assert math.isnan(found.segment_gold[1][1])
    assert found.domain_gold == {"news": [1, None, None], "ted": [None, 2, None]}


def test_stored_scores_of_a_canary_are_dropped(campaign):
    with_canary(campaign)
    lines = [f"{name} {score}\n" for name in ("Ada", "Bob", "Cee") for score in ("None", 1, 2)]
    path = put(campaign, "metric-scores/en-de/COMET-refA.seg.score", "".join(lines))
    found = read(campaign)
    assert Stored("en-de", "COMET").evaluate(found, campaign)[:, :, 0].tolist() == [[1, 2]] * 3
    put(campaign, "metric-scores/en-de/COMET-refA.seg.score", "".join(lines[:-1]))
    assert refusal(Stored("en-de", "COMET").evaluate, found, campaign) == (
        f"{path}: system Cee has 2 scores, expected 3 (one per segment and 1 of the canary)."
    )


# Human scores of segments and domains


def test_segments_have_human_scores_of_the_golds_name_where_there_are_any(campaign):
    """Both names are shown where there are none."""
    names = ["mqm", "raw"]
    put(campaign, "human-scores/en-de.raw.seg.score", "Ada 60\nAda 70\n")
    found = read(campaign, segment_gold=names)
    assert found.segment_gold[0] == [60, 70]
    assert found.gold_label == "mqm; segments: raw"
    put(campaign, SEGMENTS, "Ada 1\nAda 2\n")
    found = read(campaign, segment_gold=names)
    assert (found.segment_gold[0], found.gold_label) == ([1, 2], "mqm")
    files = campaign_files.gold_files(campaign, "en-de", "mqm", names)
    assert [path.name for path in files] == ["en-de.mqm.seg.score", "en-de.mqm.sys.score"]
    assert read(campaign, segment_gold="raw").gold_label == "mqm; segments: raw"


def test_human_scores_of_domains(campaign):
    put(campaign, "documents/en-de.docs", "news d.1\n  ted   d.2 \n")
    put(campaign, "references/en-de.hqp.txt", "a\nb\n")
    add_system(campaign, "Dan")
    lines = "ted\tBob\t-1\nnews Ada None\n\nnews Bob 2\nnews Dan 3\nnews Human-B 4\nnews hqp 5\n"
    put(campaign, DOMAINS, lines)
    found = read(campaign)
    assert found.domain_gold == {"news": [None, 2, None], "ted": [None, -1, None]}
    assert (found.domains, found.documents) == (["news", "ted"], ["d.1", "d.2"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "new Ada 1",
            "no segment is of the domain new (did you mean news?). There are: news, ted.",
        ),
        (
            "news Adah 1",
            "no output in {} for Adah (did you mean Ada?). Add the output or remove the scores.",
        ),
        ("ted Ada 2", "system Ada has a score in ted already. Keep one of them."),
        *(
            (
                line,
                f"expected `domain system score` with a finite number or None, found `{line}`.",
            )
            for line in ["Ada 1", "news Ada", "news my Ada 1", "news Ada nan", "news Ada 1_0"]
        ),
    ],
)
def test_a_line_of_domain_scores_that_is_wrong(campaign, line, message):
    put(campaign, "documents/en-de.docs", "news\td.1\nted\td.2\n")
    path = put(campaign, DOMAINS, f"ted Ada None\n{line}\n")
    message = message.format(campaign / "system-outputs/en-de")
    assert refusal(read, campaign) == f"{path}, line 2: {message}"


# Sets without human scores, outliers


@pytest.mark.parametrize("gold", [None, ""])
def test_a_set_without_human_scores(campaign, gold):
    shutil.rmtree(campaign / "human-scores")
    for name in ("refA", "Human-B", "Cee"):
        add_system(campaign, name)
    found = read(campaign, gold=gold, exclude=["Cee"])
    assert (found.systems, found.gold, found.gold_name) == (["Ada", "Bob"], [], "")
    assert (found.segment_gold, found.domain_gold) == ([], {})
    assert campaign_files.gold_files(campaign, "en-de", gold) == []
    assert refusal(read, campaign, gold=gold, exclude=["Ada", "Cee"]) == (
        "wmt99/en-de: 1 systems to rank, at least 2 are needed. Left out: Ada (excluded by "
        "config), Cee (excluded by config), Human-B (a human translation), refA (a human "
        "translation)."
    )


def test_outliers(campaign):
    add_system(campaign, "Dan", score=9)
    put(campaign, "references/en-de.synthetic.txt", "a\nb\n")
    add_system(campaign, "synthetic", score=9)
    names = ["Dan", "synthetic", "not there"]
    found = read(campaign, outliers=names)
    assert found.systems == ["Ada", "Bob", "Cee", "Dan"]
    assert found.outliers == ["Dan"]
    found = read(campaign, outliers=names, drop_outliers=True)
    assert found.systems == ["Ada", "Bob", "Cee"]
    assert found.outliers == []
    assert found.left_out["Dan"] == "an outlier by the official toolkit's list"


def test_what_is_read_comes_back_and_texts_do_not_hold_scores(campaign, tmp_path):
    with_canary(campaign)
    put(campaign, SEGMENTS, "")
    add_system(campaign, "Bob", f"CANARY GUID 0-0\n{NONE}\nzwei\n")
    found = read(campaign, outliers=["Ada"], segments="all")
    save(tmp_path / "set.json", found)
    assert load(tmp_path / "set.json") == found
    assert (found.segments, found.untranslated, found.canary) == ("all", {"Bob": 1}, 1)
    put(campaign, DOMAINS, "news Ada 7\n")
    assert without_gold(read(campaign)) == without_gold(found)


# Known sets of the archive

KNOWN = read_campaigns(ROOT / "workflow" / "campaigns.yaml")
NAMES = [f"{known.campaign}/{known.pair}" for known in KNOWN]
FIELDS = {"sources": "source", "references": "target", "system-outputs": "hypothesis"}


def put_lines(folder, name, lines):
    return put(folder, name, "".join(f"{line}\n" for line in lines))


def read_known(folder, known, **options):
    options = {"gold": known.gold, "segment_gold": known.segment_gold} | options
    return read_evaluation_set(
        folder / known.campaign, known.campaign, known.pair, known.reference, **options
    )


# Languages and pairs


def test_target_languages_of_all_known_sets():
    assert {target_language(known.pair) for known in KNOWN} == set(
        """
        ar bg bho bn ca cs da de el en es et fa fi fil fr gu ha he hi hr hu id is it iu ja kk kn ko
        liv lt lv mas ml mr nl no pa pl pt ro ru sah sk sl sr sv sw ta te th tr uk ur vi xh zh zu
        """.split()
    )
    for known in KNOWN:
        source, target = known.pair.split("-")
        assert source.startswith(source_language(known.pair))
        assert target.startswith(target_language(known.pair))
    assert target_language("en-sr_Cyrl_RS") == "sr"
    unspaced = {code for known in KNOWN if without_spaces(code := target_language(known.pair), [])}
    assert unspaced == {"ja", "th", "zh"}


PAIRS = ["en-zh", "en-zh_CN", "en-zh_TW", "en-sr", "en-sr_Cyrl", "en-sr_Cyrl_RS"]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("ending", [".txt", ".jsonl"])
def test_pairs_that_begin_alike_are_never_mistaken(tmp_path, pair, ending):
    folder = tmp_path / "wmt99"
    for each in PAIRS:
        for stem in (f"sources/{each}", f"references/{each}.ref{PAIRS.index(each)}"):
            put(folder, f"{stem}{ending}", object_or_line(stem, each, ending))
        for name in ("A", "B", "C"):
            stem = f"system-outputs/{each}/{name}_{each}"
            put(folder, f"{stem}{ending}", object_or_line(stem, each, ending))
        lines = [f"{name}_{each} {number}" for number, name in enumerate("ABC")]
        for level in ("sys", "seg"):
            put_lines(folder, f"human-scores/{each}.mqm.{level}.score", lines)
        put_lines(folder, f"human-scores/{each}.mqm.domain.score", [f"x {line}" for line in lines])
        put_lines(folder, f"human-scores/{each}.mqm.rater1.seg.rating", [f"A_{each}\tNone"])
    reference = f"ref{PAIRS.index(pair)}"
    found = read_evaluation_set(folder, "wmt99", pair, reference, "mqm")
    assert found.systems == [f"{name}_{pair}" for name in "ABC"]
    assert {*found.source, *found.reference, *(text for [text] in found.hypotheses)} == {pair}
    assert found.segment_gold == [[0.0], [1.0], [2.0]]
    told = campaign_files.text_files(folder, pair) + campaign_files.gold_files(folder, pair, "mqm")
    told += campaign_files.rating_files(folder, pair, "mqm")
    assert len(told) == 9
    assert all(path.name.startswith(f"{pair}.") or path.parent.name == pair for path in told)
    other = f"ref{(PAIRS.index(pair) + 1) % len(PAIRS)}"
    with pytest.raises(InputError, match=rf"no reference {other} for {pair}\. There are: ref\d "):
        read_evaluation_set(folder, "wmt99", pair, other, "mqm")


def object_or_line(stem, text, ending):
    line = json.dumps({FIELDS[stem.split("/")[0]]: text}) if ending == ".jsonl" else text
    return f"{line}\n"


# Real data


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


def test_real_sets_with_texts(real):
    there = {f"{path.parts[-3]}/{path.stem}" for path in real.glob("*/sources/*")}
    assert there == REAL.keys()


@pytest.mark.parametrize("name", REAL)
def test_real_sets(real, name):
    known = KNOWN[NAMES.index(name)]
    gold = None if known.campaign == "wmt25" else known.gold
    options = {"gold": gold, "outliers": known.outliers, "texts_required": False}
    if isinstance(REAL[name], str):
        with pytest.raises(Missing) as error:
            read_known(real, known, **options)
        assert str(error.value) == f"the archive has {REAL[name]}"
        return
    found = read_known(real, known, **options)
    assert (len(found.systems), len(found.reference)) == REAL[name]
    assert {len(text) for text in [found.source, *found.hypotheses]} == {REAL[name][1]}
    assert found.canary == (known.campaign == "wmt24")
    assert not any("CANARY" in text for text in found.source[:1] + found.reference[:1])
    assert set(found.domain_gold) <= {*found.domains, "all"}
