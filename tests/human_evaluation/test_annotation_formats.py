"""Readers of human ratings: real files, row by row, and small ones of each format."""

import gzip
import json
import lzma
import time

import numpy as np
import pandas as pd
import pytest

from mt_difficulty.human_evaluation.formats import FORMATS
from mt_difficulty.human_evaluation.rated_set import read_archive_set
from mt_difficulty.human_evaluation.reading import read_evaluation

WMT24 = ["annotator_mapping.json", "esa_generalMT2024_wave2.csv", "esa_generalMT2024_wave3.csv"]
CALIBRATION = "wmt22-calibration/WMT22.Appraise.calibrationHITs.20221103.csv"
COUNTED = ("TGT", "SYSTEM", "REPEAT")
ESA_FILES = {
    "ESA-1": "240315rc5ESA",
    "ESA-2": "240520rc6ESA",
    "ESAAI-1": "240315rc5GEMBA",
    "ESAAI-2": "240520rc6GEMBA",
    "MQM-1": "240315rc5MQM",
    "ESA-IAA": "240521rc6ESA",
    "ESAAI-IAA": "240521rc6GEMBA",
    "MQM-IAA": "240521rc6MQM",
}


def uniform(folder, name):
    """The ratings of a table in one form that count, and the number of all by type."""
    table = pd.read_csv(
        folder / f"uniform/{name}.tsv.gz", sep="\t", dtype=str, keep_default_na=False
    )
    return table[table.type.isin(COUNTED)], table.type.value_counts()


def latest(table):
    """Of several ratings of a login on an item the last; the item's name has the login."""
    by_end = table.assign(seconds=table.end.astype(float)).sort_values("seconds", kind="stable")
    return by_end.drop_duplicates(["system", "item"], keep="last").sort_index()


def check_rows(ratings, expected, columns=("annotator", "document", "segment")):
    table = ratings.table
    assert len(table) == len(expected)
    for column in columns:
        assert [*table[column]] == [*expected[column]], column
    np.testing.assert_allclose(table.score, expected.score.astype(float), atol=1e-9)


@pytest.mark.parametrize("pair", ["cs-en", "de-en", "zh-en"])
def test_direct_assessment_row_by_row(pair, annotation_files, real):
    folder = annotation_files / "wmt22-da-toen"
    packed = pair.replace("-", "")
    names = [f"ad-{packed}-good-stnd-redup.csv.gz", f"ad-{packed}-trk-mean-sd.txt"]
    archive = read_archive_set("wmt22", pair, real)
    files = [folder / name for name in names]
    evaluation = read_evaluation(files, None, archive)
    expected, types = uniform(annotation_files, f"wmt22-da-toen.{pair}")
    check_rows(evaluation.ratings, expected)
    assert [*evaluation.ratings.table.system] == [*expected.system.map(archive.system_of)]
    assert evaluation.ratings.filtered == {"controls": types["REF"] + types["BAD_REF"]}
    assert evaluation.procedure == "DA"
    assert evaluation.pair == pair
    scale = evaluation.ratings.annotator_scale
    assert set(scale.index) >= set(expected.annotator)


@pytest.mark.parametrize("pair", ["bn-hi", "hi-bn", "xh-zu", "zu-xh"])
def test_flores_row_by_row(pair, annotation_files):
    folder = annotation_files / "wmt21-da-flores"
    packed = pair.replace("-", "")
    names = ["good-stnd-redup.csv", "trk-mean-sd.txt", "trk-mean-sd-no-refs.txt"]
    evaluation = read_evaluation([folder / f"ad-{packed}-{name}" for name in names])
    expected, _ = uniform(annotation_files, f"wmt21-da-flores.{pair}")
    check_rows(evaluation.ratings, expected, ["annotator", "system", "document"])
    assert evaluation.ratings.filtered == {}


@pytest.mark.parametrize("pair", ["en-cs", "en-zh"])
def test_wmt24_row_by_row(pair, annotation_files, real):
    files = [annotation_files / "wmt24-esa" / name for name in WMT24]
    evaluation = read_evaluation(files, pair, read_archive_set("wmt24", pair, real))
    expected, types = uniform(annotation_files, f"wmt24-esa-wave23.{pair}")
    last = latest(expected)
    check_rows(evaluation.ratings, last, ["annotator", "system", "document", "segment"])
    filtered = evaluation.ratings.filtered
    assert filtered.pop("other language pairs") > 6000
    assert filtered == {
        "controls": types["BAD"],
        "tutorials": types["TUTORIAL"],
        "incomplete documents": types["INCOMPLETE"],
        "duplicate documents": types["DUP"],
        "earlier ratings of a login on an item": len(expected) - len(last),
    }


@pytest.mark.parametrize("collection", ESA_FILES)
def test_wmt23_row_by_row(collection, annotation_files, real):
    folder = annotation_files / "esa-wmt23-ende"
    files = [folder / f"{ESA_FILES[collection]}.scores.csv", folder / "Annotators_mapping.csv"]
    evaluation = read_evaluation(files, "en-de", read_archive_set("wmt23", "en-de", real))
    expected, types = uniform(annotation_files, f"wmt23-{collection}.en-de")
    last = latest(expected)
    table = evaluation.ratings.table
    is_mapped = ~table.segment.str.startswith("unmapped:")
    # A third of the documents was rated again, of one the rest lies in a task that was not.
    assert (~is_mapped).sum() == (2 if "IAA" in collection else 0)
    check_rows(evaluation.ratings, last, ["annotator", "system", "document"])
    assert [*table.segment[is_mapped]] == [*last.segment[is_mapped.to_numpy()]]
    filtered = evaluation.ratings.filtered
    assert filtered["controls"] == types["BAD"]
    assert filtered.get("duplicate documents", 0) == types.get("DUP", 0)
    assert any("could not be mapped" in text for text in evaluation.notices) == (
        not is_mapped.all()
    )


@pytest.mark.parametrize("pair", ["en-cs", "en-de", "en-hr", "en-ja", "en-zh", "zh-en"])
def test_calibration_row_by_row(pair, annotation_files):
    evaluation = read_evaluation([annotation_files / CALIBRATION], pair)
    expected, _ = uniform(annotation_files, f"wmt22-calibration.{pair}")
    expected = expected.assign(segment=expected["item"])
    check_rows(evaluation.ratings, expected, ["annotator", "system", "document", "segment"])
    assert evaluation.ratings.filtered["document scores"] > 100
    assert evaluation.procedure == "DA+SQM"


def test_mqm_row_by_row(annotation_files, excerpt):
    archive = read_archive_set("wmt21.tedtalks", "en-de", excerpt)
    evaluation = read_evaluation([annotation_files / "mqm-ted/mqm_ted_ende.tsv"], "en-de", archive)
    expected, _ = uniform(annotation_files, "wmt21.tedtalks-mqm.en-de")
    check_rows(evaluation.ratings, expected, ["annotator", "system", "document", "segment"])


def test_the_tables_in_one_form_are_tables(annotation_files):
    evaluation = read_evaluation([annotation_files / "uniform/wmt24-esa-wave23.en-cs.tsv.gz"])
    expected, types = uniform(annotation_files, "wmt24-esa-wave23.en-cs")
    check_rows(evaluation.ratings, expected, ["annotator", "system", "document", "segment"])
    assert sum(evaluation.ratings.filtered.values()) == types.sum() - types["TGT"]
    assert evaluation.procedure == "ratings"


def test_names_of_files_do_not_matter(annotation_files, tmp_path):
    folder = annotation_files / "wmt21-da-flores"
    renamed = []
    for number, name in enumerate(["trk-mean-sd.txt", "good-stnd-redup.csv"]):
        path = tmp_path / f"{number}.dat"
        path.write_bytes((folder / f"ad-bnhi-{name}").read_bytes())
        renamed.append(path)
    packed = tmp_path / "other"
    packed.write_bytes(lzma.compress(renamed[1].read_bytes()))
    expected = read_evaluation(renamed).ratings.table
    pd.testing.assert_frame_equal(read_evaluation([packed, renamed[0]]).ratings.table, expected)


def test_reading_is_fast(annotation_files):
    folder = annotation_files / "wmt22-da-toen"
    names = ["ad-csen-good-stnd-redup.csv.gz", "ad-csen-trk-mean-sd.txt"]
    start = time.process_time()
    read_evaluation([folder / name for name in names])  # 25,000 ratings
    assert time.process_time() - start < 2


# Small files


HEADER = "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd"
ESA_HEADER = HEADER.replace("isDocScore,", "isDocScore,errorSpans,")


def written(folder, text, name="ratings"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_format_is_described():
    assert set(FORMATS) == {"appraise", "direct_assessment", "mqm", "pearmut", "table"}
    assert all(form.description for form in FORMATS.values())


def test_appraise_with_and_without_header(tmp_path):
    rows = [
        "engdeu0001,wmt23.oak,1,TGT,eng,deu,70,doc1#oak,False,[],1.5,2.5",
        "engdeu0001,wmt23.oak,1,TGT,eng,deu,80,doc1#oak,False,[],1.5,3.5",
        "engdeu0001,wmt23.oak,2,BAD,eng,deu,10,doc1#oak#bad1,False,[],1.5,2.5",
        "engdeu0001,ende-tutorial1,3,TGT,eng,deu,0,ende-tutorial1,False,[],1,2",
        "engdeu0002,wmt23.elm,1,TGT,eng,deu,60,doc1#elm,False,[],1,2",
        "engdeu0002,wmt23.elm,1,TGT,eng,deu,61,doc1#elm#dup,False,[],1,2",
        "engdeu0002,wmt23.elm,1,TGT,eng,deu,61,doc1#elm#incomplete,False,[],1,2",
        'engdeu0002,wmt23.elm,2,TGT,eng,deu,62,doc1#elm,False,"[{""severity"":""minor""}]",1,2',
    ]
    without = read_evaluation([written(tmp_path, "\n".join(rows), "without")])
    packed = tmp_path / "with"
    packed.write_bytes(gzip.compress("\n".join([ESA_HEADER, *rows]).encode()))
    evaluation = read_evaluation([packed])
    pd.testing.assert_frame_equal(evaluation.ratings.table, without.ratings.table)
    table = evaluation.ratings.table
    assert [*table.system] == ["oak", "elm", "elm"]
    assert [*table.score] == [80, 60, 62]
    assert [*table.document] == ["doc1"] * 3
    assert [*table.segment] == ["1", "1", "2"]
    assert evaluation.ratings.filtered == {
        "controls": 1,
        "tutorials": 1,
        "duplicate documents": 1,
        "incomplete documents": 1,
        "earlier ratings of a login on an item": 1,
    }
    assert (evaluation.procedure, evaluation.pair) == ("ESA", "en-de")


def test_columns_of_appraise_in_another_order(tmp_path):
    names = HEADER.split(",")
    row = "engdeu0001,oak,1,TGT,eng,deu,70,doc1,False,1,2".split(",")
    other = [*row[:1], "elm", "1", "TGT", "eng", "deu", "50", "doc1", "False", "1", "2"]
    lines = [",".join(reversed(fields)) for fields in (names, row, other)]
    table = read_evaluation([written(tmp_path, "\n".join(lines))]).ratings.table
    assert [*table.score] == [70, 50]


@pytest.mark.parametrize(
    ("spans", "extra", "procedure"),
    [
        ('"[{""severity"": ""minor""}]",', ",a,b,c", "ESA"),
        ("[],", ",x", "ESA"),
        ("", ",x,y", "DA+SQM"),
    ],
)
def test_further_columns_of_appraise_are_named(spans, extra, procedure, tmp_path):
    """WMT25's ESA has 15: the first ones are as known, those after them are not read."""
    row = "engdeu0001,{},{},TGT,eng,deu,{},doc1,False,{}{},{}{}"
    rows = [
        row.format(*x)
        for x in (("oak", 1, 70, spans, 1, 2, extra), ("elm", 1, 50, spans, 3, 4, extra))
    ]
    without = read_evaluation(
        [written(tmp_path, "\n".join(row.removesuffix(extra) for row in rows))]
    )
    evaluation = read_evaluation([written(tmp_path, "\n".join(rows), "more")])
    pd.testing.assert_frame_equal(evaluation.ratings.table, without.ratings.table)
    assert evaluation.procedure == without.procedure == procedure
    known = 12 if spans else 11
    total = known + extra.count(",")
    numbers = ", ".join(str(number) for number in range(known + 1, total + 1))
    (notice,) = [text for text in evaluation.notices if "not read" in text]
    assert f"{numbers} of {total} not read" in notice


MQM_ROWS = [
    ("oak", "doc1", "1", "1", "rater1", "A <v>source</v>.", "x", "Fluency/Punctuation", "Minor"),
    ("oak", "doc1", "1", "1", "rater1", "A source.", "x", "Accuracy/Omission", "Major"),
    ("oak", "doc1", "2", "2", "rater1", "Another.", "x", "Non-translation!", "Major"),
    ("elm", "doc1", "1", "1", "rater1", "A source.", "x", "No-error", "No-error"),
    ("elm", "doc1", "2", "2", "rater1", "Another.", "x", "Source issue", "Major"),
    ("elm", "doc1", "2", "2", "rater2", "Another.", "x", "Style/Awkward", "Neutral"),
    ("elm", "doc1", "2", "2", "rater2", "Another.", "x", "Creative Reinterpretation", "Minor"),
    ("elm", "doc1", "2", "2", "rater3", "Another.", "x", "Other", "HOTW-test"),
    ("elm", "doc1", "2", "2", "rater2", "Another.", "x", "Source error", "Minor"),
]


@pytest.mark.parametrize(
    "header",
    [
        "system doc doc_id seg_id rater source target category severity",
        "system doc docSegId globalSegId rater source target category severity",
    ],
)
def test_mqm_weights(header, tmp_path):
    lines = ["\t".join(fields) for fields in (header.split(), *MQM_ROWS)]
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))])
    table = evaluation.ratings.table
    cells = table.set_index(["system", "segment", "annotator"]).score
    assert cells.to_dict() == {
        ("oak", "1", "rater1"): -5.1,
        ("oak", "2", "rater1"): -25,
        ("elm", "1", "rater1"): 0,
        ("elm", "2", "rater1"): 0,
        ("elm", "2", "rater2"): -1,
    }
    assert evaluation.ratings.filtered == {"attention checks": 1}
    assert evaluation.procedure == "MQM"


def screen(user, items, scores, annotation=None):
    """A line of Pearmut; `scores` are lists of {system: score}, one an item."""
    ratings = [
        {system: {"score": score, "error_spans": []} for system, score in of_item.items()}
        for of_item in scores
    ]
    content = {
        "user_id": user,
        "item": [{"item_id": item} if item else {} for item in items],
        "annotation": ratings if annotation is None else annotation,
    }
    return json.dumps(content)


def test_pearmut(tmp_path):
    lines = [
        screen("ann", ["x_#_tutorial_#_1"], [{"oak": 1}]),
        screen("ann", ["set | doc1 | 1"], [{"oak": 5, "elm": 6}]),
        screen("ann", [None], [], "__RESET__"),
        screen("ann", ["set | doc1 | 1", "set | doc1 | 2"], [{"oak": 50, "elm": 60}, {"oak": 70}]),
        screen("ann", ["attention_check_3"], [{"oak": 100}]),
        screen("ann", [None], [{"oak": 100}]),
        screen("bob", ["set | doc1 | 1"], [{"oak": 40, "elm": None}]),
    ]
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))])
    table = evaluation.ratings.table
    assert [*table.score] == [50, 60, 70, 40]
    assert [*table.annotator] == ["ann", "ann", "ann", "bob"]
    assert [*table.segment] == ["1", "1", "2", "1"]
    assert {*table.document} == {"doc1"}
    assert [*table.screen] == ["ann/4"] * 3 + ["bob/7"]
    assert evaluation.ratings.filtered == {
        "tutorials": 1,
        "reset by the annotator": 2,
        "attention checks": 2,
        "without a score": 1,
    }


def test_pearmut_without_ids_and_with_other_screens(tmp_path):
    """Segments are named by their source texts; skipped items, forms and welcomes do not count."""
    item = {"src": "A source.", "tgt": {"oak": "x", "elm": "y"}}
    rating = {"oak": {"score": 50}, "elm": {"score": 60}}
    contents = [
        {"user_id": "ann", "item_i": "welcome_0", "item": [item], "annotation": [rating]},
        {"user_id": "ann", "item_i": 0, "item": [item, item], "annotation": [rating, None]},
        {"user_id": "ann", "item_i": 1, "item": [{"text": "?", "form": "yes"}], "annotation": [1]},
        {"user_id": None, "item_i": 0, "annotation": "__RESET__"},
        {"user_id": "bob", "item_i": 0, "item": [item], "annotation": [rating]},
    ]
    text = "\n".join(json.dumps(content) for content in contents)
    evaluation = read_evaluation([written(tmp_path, text)])
    assert [*evaluation.ratings.table.annotator] == ["bob", "bob"]
    assert {*evaluation.ratings.table.segment} == {"A source."}
    assert evaluation.ratings.filtered == {"tutorials": 2, "reset by the annotator": 2}


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_tables_with_columns_in_any_order(separator, tmp_path):
    rows = [
        ["score", "segment", "Annotator", "type", "system", "document"],
        ["3.5", "s1", "ann", "TGT", "oak", "doc1"],
        ["2", "s1", "ann", "TGT", "elm", "doc1"],
        ["1", "s1", "ann", "REF", "oak", "doc1"],
    ]
    text = "\n".join(separator.join(row) for row in rows)
    evaluation = read_evaluation([written(tmp_path, text)])
    table = evaluation.ratings.table
    assert [*table.score] == [3.5, 2]
    assert [*table.screen] == ["ann/doc1/oak", "ann/doc1/elm"]
    assert evaluation.ratings.filtered == {"controls": 1}


def test_ratings_of_several_files_are_joined(tmp_path):
    first = written(tmp_path, "annotator\tsystem\tsegment\tscore\nann\toak\t1\t5\n", "1")
    second = written(tmp_path, "system\tsegment\tscore\tannotator\nelm\t1\t6\tbob\n", "2")
    people = written(tmp_path, json.dumps({"Ann": ["ann"], "Bob": ["bob"]}), "3")
    table = read_evaluation([people, first, second]).ratings.table
    assert [*table.annotator] == ["Ann", "Bob"]
    assert [*table.system] == ["oak", "elm"]


def test_raw_direct_assessment(tmp_path):
    text = (
        "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
        "h1 w1 cs en ad 1 oak.1 1000 SYSTEM 1 80 5.0\n"
        "h1 w1 cs en ad 1 elm.2 1001 SYSTEM 1 60 5.0\n"
        "h1 w1 cs en ad 1 elm.2 1001 BAD_REF 2 10 5.0\n"
    )
    evaluation = read_evaluation([written(tmp_path, text)])
    assert [*evaluation.ratings.table.score] == [80, 60]
    assert [*evaluation.ratings.table.system] == ["oak", "elm"]
    assert evaluation.ratings.annotator_scale.loc["w1"].tolist() == pytest.approx([50, 36.0555])


def test_z_scores_without_their_means_are_taken_as_they_are(tmp_path):
    text = (
        "HITId WorkerId sys_id rid type sid score\n"
        "h1 w1 oak.1 1000 SYSTEM 1 0.5\n"
        "h1 w1 elm.2 1001 SYSTEM 1 -0.5\n"
    )
    evaluation = read_evaluation([written(tmp_path, text)])
    assert [*evaluation.ratings.table.score] == [0.5, -0.5]
    assert evaluation.ratings.annotator_scale.loc["w1"].tolist() == [0, 1]
    assert any("trk-mean-sd" in notice for notice in evaluation.notices)
