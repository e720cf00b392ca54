"""Names of files, and the formats of texts and scores that are read, or refused by name."""

import bz2
import gzip
import io
import json
import lzma
import math
import zipfile

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

import mt_difficulty as md
from mt_difficulty.data.names import by_name, differing_by_case, name_of
from mt_difficulty.data.own_files import read_sources
from mt_difficulty.data.score_files import read_scores, read_user_scores
from mt_difficulty.data.score_formats import read_metrics
from mt_difficulty.data.text_files import read_lines, read_segments, read_text
from mt_difficulty.data.text_formats import HYPOTHESIS, REFERENCE, SOURCE
from mt_difficulty.errors import InputError

TEXTS = ["Ein Haus & ein <Baum>.", 'Er sagte: "Nein".', "Drei, vier"]


@pytest.fixture
def put(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# Names


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("out/GPT-4.1", "GPT-4.1"),
        ("Claude-3.5.txt", "Claude-3.5"),
        ("oak.txt.gz", "oak"),
        ("oak.TXT", "oak"),
        ("oak.jsonl.xz", "oak"),
        ("metric.v2.seg.score", "metric.v2"),
        ("metric.v2.sys.score.gz", "metric.v2"),
        ("mqm.avg_seg_scores.tsv", "mqm"),
        ("COMET.tsv", "COMET"),
        ("model.de-en", "model.de-en"),
        (".txt", ".txt"),
    ],
)
def test_known_endings_alone_are_no_part_of_a_name(file, name):
    assert name_of(file) == name


def test_files_of_one_name_are_an_error_that_says_both(put):
    first, second = put("run1/COMET.tsv", ""), put("run2/COMET.tsv", "")
    with pytest.raises(InputError) as error:
        by_name([first, second], "metrics")
    assert str(error.value).startswith(f"{first} and {second} are both called COMET: metrics are ")
    composed, decomposed = put("Bäm.txt", ""), put("Ba\u0308m.txt", "")
    with pytest.raises(InputError, match="only the Unicode forms of their names differ"):
        by_name([composed, decomposed], "systems")
    with pytest.raises(InputError, match=r"the name of 'a\\nb' holds a control character"):
        by_name([put("a\nb", "")], "systems")


def test_names_that_differ_in_capital_letters_are_found():
    assert differing_by_case(["own", "OWN", "own", "other"]) == [("own", "OWN")]


# Lines


def test_line_ends_and_spaces_there_are_no_text(put):
    path = put("a.txt", "one \r\ntwo\nthree\u2028four\r\n\n five\r")
    assert read_lines(path) == ["one", "two", "three\u2028four", "", " five"]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.txt.gz", gzip.compress),
        ("a.txt.xz", lzma.compress),
        ("a.bz2", bz2.compress),
        ("without_ending", lzma.compress),
    ],
)
def test_packed_texts_are_read_whatever_they_are_called(put, name, pack):
    content = pack("ä\nb\n".encode())
    assert read_lines(put(name, content)) == ["ä", "b"]
    with pytest.raises(InputError, match="a packed file that is damaged or not whole"):
        read_text(put(name, content[:-6]))


def zipped():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "a")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (zipped(), "a zip file. Unpack it, or pack the text by gzip."),
        (b"\x28\xb5\x2f\xfdxyz", "a Zstandard file"),
        (b"%PDF-1.7", "a PDF file"),
        ("ü".encode("latin-1"), "line 1: not UTF-8. Convert the file to UTF-8."),
        ("a\nb".encode("utf-16-le"), "line 1: a NUL character. Probably the file is UTF-16"),
    ],
)
def test_what_is_no_text_is_refused_by_its_name(put, content, reason):
    path = put("a.txt", content)
    with pytest.raises(InputError) as error:
        read_text(path)
    assert str(error.value).startswith(str(path))
    assert reason in str(error.value)


# Texts

SGML = """<refset setid="x" srclang="en" trglang="de">
<doc docid="d"><p>
<seg id="1">Ein Haus &amp; ein &lt;Baum&gt;.</seg>
<seg id="2">Er sagte: &quot;Nein&quot;.</seg></p>
<SEG ID="3">
Drei, vier
</SEG>
</doc></refset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="x"><doc id="d">
<src lang="en"><p><seg id="1">A</seg><seg id="2">B</seg><seg id="3">C</seg></p></src>
<ref lang="de" translator="A"><p>{}</p></ref>
<hyp system="oak" language="de"><p>{}</p></hyp>
</doc></dataset>
"""
ESCAPED = [text.replace("&", "&amp;").replace("<", "&lt;") for text in TEXTS]
SEGMENTS = "".join(f"<seg>{text}</seg>" for text in ESCAPED)
FORMATS = {
    "a.txt": "\n".join(TEXTS) + "\n",
    "a.jsonl": "".join(json.dumps({"doc_id": "d", "hypothesis": x}) + "\n" for x in TEXTS),
    "b": "".join(json.dumps({"text": x}, ensure_ascii=False) + "\n" for x in TEXTS),
    "a.sgm": SGML,
    "c": SGML,
    "a.xml": XML.format(SEGMENTS, SEGMENTS),
    "a.tsv": "seg_id\thypothesis\n" + "".join(f"{n}\t{x}\n" for n, x in enumerate(TEXTS)),
    "a.csv": 'system,target\noak,"Ein Haus & ein <Baum>."\noak,"Er sagte: ""Nein""."\n'
    'oak,"Drei, vier"\n',
    "d": "mt\tscore\n" + "".join(f"{x}\t1\n" for x in TEXTS),
}


@pytest.mark.parametrize("name", FORMATS)
def test_texts_are_read_by_their_content(put, name):
    assert read_segments(put(name, FORMATS[name]), HYPOTHESIS) == TEXTS


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "a.txt"])
def test_score_and_select_read_the_same_texts(put, command, name):
    put("ref.txt", "\n".join(TEXTS) + "\n")
    path = put(name, FORMATS[name])
    files = path.with_name("ref.txt"), "-i", path
    options = "-m", "BLEU", "--weighting", "--lang", "de", "--resamples", "0", "-b"
    assert float(command("score", *files, *options)[1]) == pytest.approx(100)
    if name not in ("a.csv", "d"):  # columns of systems' texts
        return
    code, _, err = command("select", path, "--by", "length", "--budget", "1")
    assert code == 1
    assert "expected a header with one column `source`" in err


def test_a_file_of_a_text_that_looks_like_a_table_is_one_of_lines(put):
    lines = ["system, target", "Der Baum, das Haus", "a\tb"]
    assert read_segments(put("a.txt", "\n".join(lines)), HYPOTHESIS) == lines
    assert read_segments(put("b.txt", "{1} ist\nein Text"), HYPOTHESIS) == ["{1} ist", "ein Text"]
    assert read_segments(put("c.txt", "[Musik]\nHallo"), REFERENCE) == ["[Musik]", "Hallo"]


def test_a_missing_translation_is_empty_but_a_missing_source_is_refused(put):
    path = put("a.jsonl", '{"hypothesis": null, "source": null}\n')
    assert read_segments(path, HYPOTHESIS) == [""]
    with pytest.raises(InputError, match="line 1: expected a JSON object with a string"):
        read_segments(path, SOURCE)


REFUSED = [
    ("a.json", '{\n"a": ["x"]\n}', "a JSON document; expected one segment a line, or JSON Lines"),
    ("a.jsonl", '{"hypothesis": 3}\n', "line 1: expected a JSON object with a string as `hypo"),
    ("a.jsonl", '{"hypothesis": "a"}\nb\n', "line 2: expected a JSON object"),
    ("a.sgm", "<refset>\n<seg>a</seg>\n<seg>b\n", "an SGML file with 2 <seg> and 1 whole segm"),
    ("a.xml", "<?xml version='1.0'?><dataset><doc>", "not well-formed XML"),
    ("a.xml", XML.format("", "") + "<x/>", "not well-formed XML"),
    ("a.xml", XML.format("", ""), "an XML file without segments in <hyp>"),
    ("a.tsv", "id\ta\n1\tx\n", "a TSV file; expected a header with one column `hypothesis`"),
    ("a.csv", "mt,id\na\nb,2\n", "row 2: expected 2 fields as in the header, found 1"),
]


@pytest.mark.parametrize(("name", "content", "reason"), REFUSED)
def test_a_format_without_such_texts_is_refused_by_its_name(put, name, content, reason):
    with pytest.raises(InputError) as error:
        read_segments(put(name, content), HYPOTHESIS)
    assert reason in str(error.value)
    assert len(str(error.value)) < 600


def test_an_xml_file_of_several_systems_names_them(put):
    content = XML.format(SEGMENTS, SEGMENTS).replace(
        "</doc>", f'<hyp system="ash"><p>{SEGMENTS}</p></hyp></doc>'
    )
    with pytest.raises(InputError, match="an XML file with 2 <hyp>: oak, ash"):
        read_segments(put("a.xml", content), HYPOTHESIS)
    assert read_segments(put("a.xml", content), SOURCE) == ["A", "B", "C"]


# Scores

COMET = "".join(
    f"{s}.txt\tSegment {n}\tscore: 0.{n}{k}\n" for k, s in enumerate("ab") for n in (0, 1)
)
OF_SYSTEMS = {"a": [0.5], "b": [0.25]}
OF_SEGMENTS = {"a": [0.0, 0.1], "b": [0.01, 0.11]}
SCORES = {
    "lines.seg.score": ("a\t0.0\na 0.1\nb\t0.01\t\n\nb\t0.11 \n", OF_SEGMENTS),
    "lines.sys.score": ("a\t.5\nb\t2.5e-1\n", OF_SYSTEMS),
    "table.tsv": (
        "system\tseg_id\tscore\na\t2\t0.1\na\t1\t0.0\nb\t1\t.01\nb\t2\t.11\n",
        OF_SEGMENTS,
    ),
    "table.csv": ("system,score\na,0.5\nb,0.25\n", OF_SYSTEMS),
    "x.avg_seg_scores.tsv": (
        "system\tmqm_avg_score\tseg_id\na 0.0 1\na 0.1 2\nb .01 1\nb .11 2\n".replace(" ", "\t"),
        OF_SEGMENTS,
    ),
    "comet.txt": (COMET + "a.txt\tscore: 0.05\nb.txt\tscore: 0.06\n", OF_SEGMENTS),
    "comet_systems.txt": ("a.txt\tscore: 0.5\nb.txt\tscore: 0.25\n", OF_SYSTEMS),
    "comet.json": (
        json.dumps({f"{s}.txt": [{"src": "x", "COMET": v} for v in OF_SEGMENTS[s]] for s in "ab"}),
        OF_SEGMENTS,
    ),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_read_by_their_content(put, name):
    content, expected = SCORES[name]
    (found,) = read_metrics(put(name, content)).values()
    assert found.values == expected
    (found,) = read_metrics(put(f"{name}.gz", gzip.compress(content.encode()))).values()
    assert found.values == expected


def test_sacrebleus_json_has_several_metrics_of_which_higher_is_better(put):
    rows = [
        {"system": f"out/{s}.txt", "BLEU": {"score": v}, "TER": {"score": 100 - v}}
        for s, v in (("a", 30.0), ("b", 20.5))
    ]
    found = read_metrics(put("s.json", json.dumps(rows)))
    assert {name: scores.values for name, scores in found.items()} == {
        "BLEU": {"a": [30.0], "b": [20.5]},
        "TER": {"a": [-70.0], "b": [-79.5]},
    }


def test_what_sacrebleu_writes_is_read(put, tmp_path):
    import subprocess
    import sys

    for name in ("ref", "a", "b"):
        put(f"{name}.txt", "Das Haus ist rot .\nDer Baum ist grün .\n".replace("rot", name))
    files = [str(tmp_path / f"{name}.txt") for name in ("ref", "a", "b")]
    command = [sys.executable, "-m", "sacrebleu", files[0], "-i", *files[1:], "-w", "8"]
    done = subprocess.run(
        [*command, "-m", "bleu", "--format", "json"], capture_output=True, text=True, check=True
    )
    found = read_metrics(put("bleu.json", done.stdout))
    hypothesis = (tmp_path / "a.txt").read_text().splitlines()
    expected = BLEU().corpus_score(hypothesis, [(tmp_path / "ref.txt").read_text().splitlines()])
    assert found["BLEU"].values["a"] == pytest.approx([expected.score], abs=1e-7)


KINDS = [
    ("mqm.tsv", "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n", "MQM"),
    ("p.jsonl", '{"user_id": "a", "annotation": [], "item_id": 1}\n', "annotations of Pearmut"),
    ("a.csv", "ende1,oak,17,TGT,eng,deu,88,doc,False,1\n", "an export of Appraise"),
    ("da.csv", "HITId,WorkerId,Input.srcLang\n", "direct assessment"),
]


@pytest.mark.parametrize(("name", "content", "kind"), KINDS)
def test_annotations_are_refused_by_the_name_of_their_kind(put, name, content, kind):
    with pytest.raises(InputError) as error:
        read_metrics(put(name, content))
    assert kind in str(error.value)
    assert "give one score for each segment" in str(error.value)


BAD_SCORES = [
    ("a\t1\nb\tx\n", "line 2: expected `system <tab> score` with a finite number or None"),
    ("a\tnan\n", "line 1: expected `system <tab> score`"),
    ("a\t1e400\n", "line 1: expected `system <tab> score`"),
    ("a\n", "line 1: expected `system <tab> score`"),
    ("x" * 5_000_000, "line 1: expected `system <tab> score`"),
    ("system\tscore\tother_score\na\t1\t2\n", "2 columns of scores: score, other_score"),
    ("system\tseg_id\tscore\na\t1\t2\na\t1\t3\n", "line 3: a second score of segment 1 of a"),
    (
        "system\tseg_id\tscore\na\t0\t2\n",
        "line 2: expected the number of a segment, 1 to 1,000,000",
    ),
    ("a\tSegment 1\tscore: 0.5\n", "line 1: expected segment 0 of a, found 1"),
    ("system\tseg_id\tscore\na\t20000000\t2\n", "line 2: expected the number of a segment, 1 to"),
    ('{"score": 1, "name": "BLEU", "signature": ""}', "sacreBLEU's JSON of one system"),
    ('[{"system": "a", "BLEU": Infinity}]', "BLEU of a: expected a finite number, found inf"),
    ('[{"system": "a", "BLEU": 1e300}]', "BLEU of a: expected a finite number, found 1e+300"),
    ('{"a.txt": [{"COMET": true}]}', "COMET of a.txt, segment 0: expected a finite number"),
    ('[{"system": "a.txt", "BLEU": 1}, {"system": "a", "BLEU": 2}]', "BLEU of a: a second score"),
    (json.dumps({"a": "x" * 5_000_000}), "JSON, but neither of comet-score"),
]


@pytest.mark.parametrize(("content", "reason"), BAD_SCORES)
def test_bad_scores_are_refused_with_their_line(put, content, reason):
    with pytest.raises(InputError) as error:
        read_metrics(put("scores.txt", content))
    assert reason in str(error.value)
    assert len(str(error.value)) < 500


def test_a_system_may_be_called_as_json_begins(put):
    assert read_metrics(put("a.tsv", "{x} <1>\t0\n[y]\t-1.5\n"))[""].values == {
        "{x} <1>": [0],
        "[y]": [-1.5],
    }


def test_a_score_that_lacks_is_named(put):
    path = put("x.seg.score", "a\t1\na\tNone\nb\t1\nb\t2\n")
    assert math.isnan(read_metrics(path)[""].values["a"][1])
    with pytest.raises(InputError, match=r"system a has no score of 1 of 2 segments, .* segment 2"):
        read_user_scores(path, ["a", "b"], (), 2)


def test_a_table_that_numbers_segments_instead_of_lines_is_named(put):
    """The archive's files may begin with a canary line, which is line 1 of its scores, too."""
    lines = "".join(f"a\t{number}\t{number}\n" for number in range(1, 6))
    path = put("c.tsv", f"system\tseg_id\tscore\n{lines}")
    message = r"the first of 5 segments is 2.* Add 1 to all"
    with pytest.raises(InputError, match=message):
        read_user_scores(path, ["a"], (), 5, canary=1)
    with pytest.raises(InputError, match=message):
        read_scores(path, 5, canary=1)
    lines = "".join(f"a\t{number + 1}\t{number}\n" for number in range(1, 6))
    path = put("c.tsv", f"system\tseg_id\tscore\n{lines}")
    assert read_scores(path, 5, canary=1) == {"a": [1, 2, 3, 4, 5]}
    # A rating that lacks is none of the canary.
    path = put("c.tsv", f"system\tseg_id\tscore\n{lines}".replace("a\t6\t5\n", ""))
    np.testing.assert_array_equal(read_scores(path, 5, canary=1)["a"], [1, 2, 3, 4, np.nan])


def test_a_line_of_a_megabyte_is_a_text(put):
    path = put("a.txt", "x" * 1_000_000 + "\ny\n")
    assert [len(segment) for segment in read_segments(path, HYPOTHESIS)] == [1_000_000, 1]
    path = put("a.csv", f'id,text\n1,"{"x, " * 100_000}"\n')
    assert [len(segment) for segment in read_segments(path, HYPOTHESIS)] == [299_999]


FOREIGN = [
    ("<tmx>\n<tuv><seg>Haus</seg></tuv>\n<tuv/>\n</tmx>\n", "<tmx>"),
    ("<!-- made by x -->\n<html>\n<p>Haus</p>\n</html>\n", "<html>"),
    ('# A comment\nmsgid "house"\nmsgstr "Haus"\n', "a PO file"),
]


@pytest.mark.parametrize(("text", "kind"), FOREIGN)
def test_other_markup_is_refused_by_its_name(put, text, kind):
    with pytest.raises(InputError, match=kind):
        read_segments(put("a.txt", text), HYPOTHESIS)


def test_comments_before_markup_and_empty_lines_before_a_text_are_no_format(put):
    text = '<!-- a -->\n<tstset><doc sysid="a"><seg>one</seg></doc></tstset>'
    assert read_segments(put("a.sgm", text), HYPOTHESIS) == ["one"]
    assert read_segments(put("a.txt", "\n" * 30 + "one\n"), REFERENCE) == [""] * 30 + ["one"]
    table = "id;text\n1;eins\n2;zwei\n"
    assert read_segments(put("a.csv", table), HYPOTHESIS) == ["eins", "zwei"]
    lines = '{"hypothesis": "eins"}\n{"target": "zwei", "output": "drei"}\n'
    assert read_segments(put("a.jsonl", lines), HYPOTHESIS) == ["eins", "drei"]


def test_the_canary_is_no_segment_of_ones_own_texts(put, tmp_path):
    canary = "CANARY GUID 1234\n"
    path = put("source.txt", f"{canary}a\nb\n")
    with pytest.raises(InputError, match=r"source.txt, line 1: the canary .* Remove the line"):
        read_sources(str(path), tmp_path)
    with pytest.raises(InputError, match=r"source.txt, line 1: the canary"):
        read_sources(str(tmp_path), tmp_path)


@pytest.mark.parametrize("tag", ["<html>", "<doc>", "<!DOCTYPE html>"])
def test_a_text_on_markup_is_no_markup(put, tag):
    lines = [f"{tag} tags open a page.", "Nothing else does."]
    assert read_segments(put("a.txt", "\n".join(lines)), HYPOTHESIS) == lines


def test_sgml_of_several_systems_is_refused_and_comments_are_no_segments(put):
    text = '<tstset><doc sysid="a"><seg>one</seg></doc><!-- <seg>old</seg> -->'
    assert read_segments(put("a.sgm", f"{text}</tstset>"), HYPOTHESIS) == ["one"]
    with pytest.raises(InputError, match=r"texts of 2 systems: a, b\. Write each to a file"):
        read_segments(
            put("a.sgm", f'{text}<doc sysid="b"><seg>two</seg></doc></tstset>'), HYPOTHESIS
        )


def test_python_reads_the_same_names_and_formats(put, tmp_path):
    for name, text in {"source.txt": "a\nb\n", "reference.txt": "x\ny\n"}.items():
        put(f"own/{name}", text)
    lines = "".join(json.dumps({"hypothesis": text}) + "\n" for text in ("x", "z"))
    put("own/systems/GPT-4.1.txt", "x\ny\n")
    put("own/systems/Claude-3.5.jsonl", lines)
    loaded = md.load_folder(tmp_path / "own", "en-de")
    assert loaded.hypotheses["Claude-3.5"].tolist() == ["x", "z"]
    assert loaded.hypotheses["GPT-4.1"].tolist() == ["x", "y"]
