"""Bad input of human ratings: errors and notices name file, line and what to do."""

import json
import re

import pytest
from test_annotation_formats import ESA_HEADER, HEADER, screen, written

import mt_difficulty as md
from mt_difficulty.human_evaluation.reading import read_evaluation

UNMAPPED = ["unmapped:4", "unmapped:900"]
TABLE = "annotator\tsystem\tsegment\tscore"
MQM = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
DA = "HITId WorkerId Input.src Input.trg sys_id rid type sid score"
APPRAISE_ROW = "engdeu0001,oak,1,TGT,eng,deu,{},doc1,False,1,2"


def lines_of(*lines):
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("some words\nand more\n", "line 1: not a known format of ratings: `some words`"),
        (TABLE + "\n", "no ratings, only a header"),
        # Missing columns.
        ("annotator\tsystem\tsegment\nann\toak\t1\n", "line 1: no column score or rating"),
        ("annotator\tsegment\tscore\nann\t1\t5\n", "line 1: no column system"),
        ("anotator\tsystem\tsegment\tscore\n", "no column annotator or"),
        (MQM.replace("\trater", "") + "\n", "line 1: no column rater"),
        (MQM.replace("\tseg_id", "") + "\n", "line 1: no column globalsegid"),
        (DA.replace(" score", "") + "\n", "line 1: no column score"),
        (HEADER.replace("score,", "") + "\n", "line 1: no column score"),
        (lines_of(TABLE + "\tscore", "ann\toak\t1\t5\t5"), "the column score is there twice"),
        # Malformed lines.
        (lines_of(TABLE, "ann\toak\t1\tfive"), "line 2: expected a number as score, found `five`"),
        (lines_of(TABLE, "ann\toak\t1\tnan"), "line 2: expected a number as score, found `nan`"),
        (lines_of(TABLE, "", "ann\toak\t1"), "line 3: expected 4 fields, found 3"),
        (lines_of(TABLE, "ann\toak\t1\t5", "\toak\t1\t4"), "line 3: no annotator"),
        (lines_of(MQM, "oak\tdoc1\t1\tr1\ta\tb\tOther\tSerious"), "line 2: unknown severity"),
        (lines_of(DA, "h w cs en oak.1 1 SYSTEM 1"), "line 2: expected 9 fields, found 8"),
        (lines_of(HEADER, "engdeu0001,oak,1"), "line 2: expected 11 fields, found 3"),
        (
            lines_of(ESA_HEADER, "engdeu0001,oak,1,TGT,eng,deu,5,doc1,False,{,1,2"),
            "line 2: expected a JSON list of error spans, found `{`",
        ),
        (lines_of(screen("ann", ["a"], [{"oak": 1}]), "{"), "line 2: expected a JSON object"),
        (lines_of(screen("ann", ["a", "b"], [{"oak": 1}])), "line 1: 2 items, but 1 annotations"),
        # Scores outside of the scale.
        (
            lines_of(HEADER, APPRAISE_ROW.format(50), APPRAISE_ROW.format(101)),
            "line 3: the score 101 of oak is outside of the scale 0 to 100 (1 such)",
        ),
        (lines_of(screen("ann", ["a"], [{"oak": -3}])), "line 1: the score -3 of oak is outside"),
        # Other files of the same tools.
        (
            lines_of("who,what,no,kind,from,to,points,doc,whole,start,end", APPRAISE_ROW.format(5)),
            "line 1: in an export of Appraise, neither a rating nor a header that names its colum",
        ),
        (
            json.dumps({"info": {"assignment": "task-based"}, "campaign_id": "x", "data": [[]]}),
            "a campaign of Pearmut, which says what is to be rated. Expected its ratings: JSON li",
        ),
        (
            json.dumps({"info": {}, "campaign_id": "x", "data": [[]]}, indent=2),
            "a campaign of Pearmut",
        ),
        # Nothing to rank.
        (
            lines_of(TABLE, "ann\toak\t1\t5", "ann\telm\t1\t5"),
            "line 2: all 2 ratings have the score 5",
        ),
        (
            lines_of(HEADER, APPRAISE_ROW.format(50).replace("TGT", "REF")),
            "no ratings left; dropped: 1 controls",
        ),
    ],
)
def test_bad_files(text, message, tmp_path):
    path = written(tmp_path, text)
    with pytest.raises(md.InputError) as error:
        read_evaluation([path])
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_a_missing_mean_of_an_annotator(tmp_path):
    ratings = written(tmp_path, lines_of(DA, "h w2 cs en oak.1 1 SYSTEM 1 0.5"))
    means = written(tmp_path, lines_of('[1] "w1"', "[1] 50.5", "[1] 20.25"), "means")
    with pytest.raises(md.InputError, match=r"line 2: no mean and standard deviation of .* w2"):
        read_evaluation([ratings, means])


def test_means_of_other_ratings(tmp_path):
    ratings = written(tmp_path, lines_of(DA, "h w1 cs en oak.1 1 SYSTEM 1 3.5"))
    means = written(tmp_path, lines_of('[1] "w1"', "[1] 50.5", "[1] 20.25"), "means")
    with pytest.raises(md.InputError, match=r"line 2: the score of w1 is 121.38 .*Do they belong"):
        read_evaluation([ratings, means])
    means.write_text(lines_of('[1] "w1"', "[1] many"))
    with pytest.raises(md.InputError, match="means, line 2: expected"):
        read_evaluation([ratings, means])


def test_files_that_do_not_go_together(tmp_path):
    people = written(tmp_path, json.dumps({"Ann": ["ann"]}), "people")
    with pytest.raises(md.InputError, match="no file of ratings"):
        read_evaluation([people])
    table = written(tmp_path, lines_of(TABLE, "ann\toak\t1\t5"), "table")
    appraise = written(tmp_path, APPRAISE_ROW.format(5), "appraise")
    with pytest.raises(md.InputError, match="ratings of several procedures"):
        read_evaluation([table, appraise])


def test_several_language_pairs(tmp_path):
    rows = [APPRAISE_ROW.format(5), APPRAISE_ROW.format(6).replace("deu", "ces")]
    path = written(tmp_path, lines_of(*rows))
    with pytest.raises(md.InputError, match="ratings of 2 language pairs: en-cs, en-de"):
        read_evaluation([path])
    with pytest.raises(md.InputError, match="no ratings of en-zh; the files have en-cs, en-de"):
        read_evaluation([path], "en-zh")
    evaluation = read_evaluation([path], "en-cs")
    assert evaluation.ratings.filtered == {"other language pairs": 1}


def test_notices(tmp_path):
    rows = [
        TABLE,
        "ann\toak\t1\t5",
        "ann\toak\t1\t6",
        "ann\telm\t1\t7",
        "bob\toak\t1\t5",
        "eve\toak\t1\t4",
        "eve\telm\t1\t4",
    ]
    path = written(tmp_path, lines_of(*rows))
    notices = "\n".join(read_evaluation([path]).notices)
    assert f"as segment 1 of oak by ann ({path}, line 2 and {path}, line 3)" in notices
    assert f"{path}, line 5: the annotator bob gave one rating" in notices
    assert f"{path}, line 6: all scores of the annotator eve are equal" in notices


def test_an_unknown_system_is_named(annotation_files, real, tmp_path):
    lines = (annotation_files / "wmt24-esa/esa_generalMT2024_wave3.csv").read_text().splitlines()
    chosen = [line for line in lines if ",eng,zho," in line][:400]
    path = written(tmp_path, lines_of(*chosen).replace(",Aya23,", ",Aya24,"))
    result = md.annotations(path, gold=(), campaign="wmt24", pair="en-zh", archive=real)
    (notice,) = [text for text in result.notices if "has no system" in text]
    assert re.match(rf"{re.escape(str(path))}, line \d+: ", notice)
    assert "wmt24/en-zh has no system Aya24 (did you mean Aya23?)" in notice


def test_segments_that_cannot_be_mapped_are_named(real, tmp_path):
    rows = ["annotator\tsystem\tdocument\tsegment\tscore"]
    document = "test-en-news_beverly_press.3585"
    rows += [f"ann\tAya23\t{document}\t{line}\t{line}" for line in (1, 2, 3)]
    rows += ["ann\tAya23\tanother\t4\t60", f"ann\tAya23\t{document}\t900\t60"]
    path = written(tmp_path, lines_of(*rows))
    result = md.annotations(path, gold=(), campaign="wmt24", pair="en-cs", archive=real)
    assert [*result.ratings.table.segment] == ["1", "2", "3", *UNMAPPED]
    (notice,) = [text for text in result.notices if "could not be mapped" in text]
    assert "2 of 5 ratings" in notice
    assert f"another 4, {document} 900 (first in {path}, line 5)" in notice


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"campaign": "wmt24"}, "campaign wmt24: name the language pair, too"),
        (
            {"campaign": "wmt24", "folder": "mine"},
            "campaign wmt24 and folder mine: name one of them",
        ),
        ({"campaign": "wmt24", "pair": "en-xx"}, "wmt24 has no pair en-xx"),
        ({"campaign": "wmt2", "pair": "en-cs"}, "has no campaign wmt2"),
        ({"pair": 3}, "pair 3: expected a name"),
    ],
)
def test_wrong_sets(options, message, real, tmp_path):
    path = written(tmp_path, lines_of(TABLE, "ann\toak\t1\t5"))
    with pytest.raises(md.InputError, match=message):
        md.annotations(path, gold=(), archive=real, **options)


def test_an_archive_that_is_not_there(tmp_path):
    path = written(tmp_path, lines_of(TABLE, "ann\toak\t1\t5"))
    with pytest.raises(md.InputError, match="no such archive"):
        md.annotations(path, gold=(), campaign="wmt24", pair="en-cs", archive=tmp_path / "none")


def test_a_table_that_is_given_twice(tmp_path):
    """The second rating is named by its own file and line."""
    first = written(tmp_path, lines_of(TABLE, "ann\toak\t1\t5", "ann\telm\t1\t7"), "first")
    rows = [TABLE, "", "ann\toak\t1\t5", "ann\telm\t1\t7"]
    second = written(tmp_path, lines_of(*rows), "second")
    notices = "\n".join(read_evaluation([first, second]).notices)
    assert f"as segment 1 of oak by ann ({first}, line 2 and {second}, line 3)" in notices


@pytest.mark.parametrize(
    ("scores", "far"),
    [
        # Points of 100, and one typing error; in both directions.
        ([*range(0, 101, 5), 500], [500]),
        ([*range(0, 101, 5), -500, 500], [-500, 500]),
        ([*range(0, 101, 5)] * 10 + [500, 600], [500, 600]),
        # A second scale, few different scores, and the weights of MQM are no mistakes.
        ([*range(0, 101, 5), *range(200, 301, 5)], []),
        ([0, 0, 0, 1] * 10 + [4], []),
        ([0, -1, -2, -3, -5, -6, -10, -25] * 3, []),
    ],
)
def test_scores_far_from_all_others_are_named(scores, far, tmp_path):
    rows = [f"ann\t{('oak', 'elm')[line % 2]}\t{line}\t{x}" for line, x in enumerate(scores)]
    path = written(tmp_path, lines_of(TABLE, *rows))
    notices = [text for text in read_evaluation([path]).notices if "far from all others" in text]
    assert len(notices) == bool(far)
    for score in far:
        assert f"line {scores.index(score) + 2} ({score})" in notices[0]


@pytest.mark.parametrize("procedure", ["ESA", "MQM"])
def test_documents_split_over_logins_are_named(procedure, tmp_path):
    """Items are places in a login's task: two logins may have rated two parts of a document."""
    rows = []
    for number, login in enumerate(("engdeu0001", "engdeu0002")):
        place = 0
        for document, sizes in (("doc1", (3, 2)), ("doc2", (3, 3)), ("doc3", (2, 4))):
            for system in ("oak", "elm"):
                for _ in range(sizes[number]):
                    place += 1
                    score = 0 if procedure == "MQM" else 50 + place
                    kind = "Style" if procedure == "MQM" else ""
                    spans = [{"severity": ("minor", "major")[place % 2], "error_type": kind}]
                    text = json.dumps(spans).replace('"', '""')
                    fields = f"{login},{system},{place},TGT,eng,deu,{score},{document},False"
                    rows.append(f'{fields},"{text}",1,{place}')
    evaluation = read_evaluation([written(tmp_path, lines_of(*rows))])
    assert evaluation.procedure == procedure
    (notice,) = [text for text in evaluation.notices if "different numbers of segments" in text]
    assert "different numbers of segments of doc1 and 1 more" in notice
    assert "Name the campaign" in notice
