"""What the pages of sets and the index say, without a browser."""

import copy
import json
from dataclasses import replace

import numpy as np
import page_run
import pandas as pd
import pytest

from mt_difficulty import storage
from mt_difficulty.data.set_files import SetFiles, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.page import difficulties, index, paper_page, report_tables, set_page
from mt_difficulty.page.template import image, render
from mt_difficulty.papers import claims
from mt_difficulty.papers.inputs import Inputs

SETTINGS = page_run.SETTINGS | {"shown": 4}
ORDER = np.arange(len(page_run.SYSTEMS))
GOLD = " (uses human scores)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    page_run.write_set(folder / "test/en-de", "test/en-de", np.random.default_rng(5))
    return folder


@pytest.fixture
def files(folder):
    """The files of a set, as a job reads them; a test may change its own."""
    return read_set("test/en-de", [str(path) for path in folder.rglob("*.*")])


def without(files, *names):
    kept = {name: content for name, content in files.contents.items() if name not in names}
    return SetFiles(files.name, kept)


def other(files, contents=None, change=None):
    """The files with other contents, and what `weightings.json` holds changed in place."""
    described = copy.deepcopy(files.read("weightings.json"))
    if change:
        change(described)
    changes = {"weightings.json": described} | (contents or {})
    return SetFiles(files.name, files.contents | changes)


def test_the_summary_of_a_set_is_json_with_r_of_every_score(files):
    page, summary = set_page.describe(files, SETTINGS, {})
    assert json.loads(json.dumps(summary)) == summary
    frame = files.read("correlations.csv")
    frame = frame[frame.subset == "all"]
    assert [row["pearson"] for row in summary["correlations"]] == frame.pearson.tolist()
    assert summary["evalset"]["systems"] == len(page_run.SYSTEMS)
    assert [encoder["name"] for encoder in summary["encoders"]] == ["tiny"]
    assert page["index"] == "../../report.html"


def test_the_head_of_a_page_names_the_human_scores_of_segments(files):
    found = replace(files.read("evalset.json"), gold_name="wmt-z", segment_gold_name="wmt-raw")
    contents = files.contents | {"evalset.json": found}
    page, summary = set_page.describe(SetFiles(files.name, contents), SETTINGS, {})
    label = "wmt-z; segments: wmt-raw"
    assert page["evalset"]["gold"] == summary["evalset"]["gold"] == label


def test_a_set_without_gold_says_so_once_and_shows_the_rest(files):
    found = files.read("evalset.json")
    no_gold = {**vars(found), "gold": [], "gold_name": "", "segment_gold": []}
    reason = Missing("no human scores")
    changes = dict.fromkeys(("correlations.csv", "significance.csv", "surface.npz"), reason)
    contents = files.contents | changes | {"evalset.json": type(found)(**no_gold)}
    page, summary = set_page.describe(SetFiles(files.name, contents), SETTINGS, {})
    assert "no human scores" in page["no_gold"]
    assert "curves" not in page
    assert page["surface"] is None
    assert not {"significance.csv", "controls.csv"} & page["tables"].keys()
    assert page["order"] == "chrF"
    assert page["segments"]["moves"] == page["segments"]["listed"] == []
    names = [ranking["name"] for ranking in page["segments"]["rankings"]]
    assert names == ["difficulty chunk_entropy", "difficulty length", "difficulty people"]
    assert summary["correlations"] == []


def test_a_table_that_cannot_be_gives_its_reason_and_one_that_was_not_made_its_name(files):
    page, _ = set_page.describe(without(files, "system_comparisons.csv"), SETTINGS, {})
    assert page["tables"]["controls.csv"]["reason"] == "no segment is difficult"
    left_out = ["difficulty_and_people.csv", "complexity.csv", "system_intervals.csv"]
    assert page["left_out"] == [*left_out, "system_comparisons.csv"]


def test_difficulties_and_weightings_stand_in_the_order_of_the_config(files):
    page, summary = set_page.describe(files, SETTINGS, {})
    assert [entry["name"] for entry in page["difficulties"]] == list(page_run.DIFFICULTIES)
    names = [entry["name"] for entry in page["weightings"]]
    assert names == ["standard", *page_run.WEIGHTINGS]
    assert (summary["difficulties"], summary["weightings"]) == (
        page["difficulties"],
        page["weightings"],
    )
    assert difficulties.of_gold(page) == {"ceiling": report_tables.Mark(uses_gold=True)}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ""),
        (
            {"w": 0.4, "h": 0.5731, "h_from": "Eq. 9", "w_from": "given", "segments": 3},
            "threshold h 0.573 (Eq. 9); easy weight w 0.400 (given)",
        ),
        ({"h": None}, "threshold h undefined"),
        (
            {"effective_segments": {"a": 2.5, "b": 1.25}},
            "effective segments of a system 1.250 – 2.500",
        ),
        ({"effective_segments": 3, "share": 0.1}, "effective segments of a system 3; share 0.100"),
        ({"rule": "Eq. 9", "estimate": {"h": 0.1}, "undefined": ""}, ""),
    ],
)
def test_fitted_parameters_in_words(parameters, expected):
    assert difficulties.in_words(parameters, ["a", "b"]) == expected


def test_a_difficulty_that_is_missing_says_why_and_takes_no_part(files):
    def missing(found):
        found["difficulties"]["people"]["missing"] = "nobody scored segments"
        found["weightings"]["ceiling"] |= {"missing": "nobody scored segments", "parameters": {}}

    reason = Missing("nobody scored segments")
    changed = other(files, {"difficulty/people.npz": reason}, missing)
    page, _ = set_page.describe(changed, SETTINGS, {})
    assert page["difficulties"][2]["missing"] == "nobody scored segments"
    assert page["weightings"][-1]["missing"] == "nobody scored segments"
    labels = [one["label"] for one in page["segments"]["difficulties"]]
    assert f"people{GOLD}" not in labels
    assert not any("ceiling" in label for label in page["segments"]["moves"])


def described(name, difficulty, uses_gold=False, description="", tuned=False):
    keys = ("name", "difficulty", "uses_gold", "description", "tuned")
    return dict(zip(keys, (name, difficulty, uses_gold, description, tuned), strict=True))


def test_the_overview_has_a_row_for_each_metric_and_a_column_for_each_weighting():
    rows = [("chrF", "EE", "length", 0.5), ("chrF", "standard", "", 0.4)]
    rows += [("TER", "standard", "", None), ("TER", "EE", "people", -0.25)]
    keys = ("metric", "weighting", "difficulty", "pearson")
    rows = [dict(zip(keys, row, strict=True)) for row in rows]
    weightings = [described("standard", ""), described("EE", "length")]
    weightings += [described("EE", "people", True), described("none", "length")]
    # Of the names of a set's own weightings some are tuned.
    one = {"name": "b/en-de", "correlations": rows, "weightings": weightings[:1]}
    other = one | {"name": "a/en-de", "weightings": [described("EE", "length", tuned=True)]}
    found = index.overview([one, other], weightings)
    headings = [(column["heading"], column.get("below", "")) for column in found["columns"]]
    assert headings == [
        ("set", ""),
        ("metric", ""),
        ("standard", ""),
        ("EE", "length"),
        (f"EE{GOLD}", "people"),
    ]
    assert found["rows"] == [
        ["b/en-de", "chrF", "0.400", "0.500", "–"],
        ["b/en-de", "TER", "–", "–", "−0.250"],
        ["a/en-de", "chrF", "0.400", "0.500§", "–"],
        ["a/en-de", "TER", "–", "–", "−0.250§"],
    ]
    assert index.overview([one | {"correlations": []}], weightings) is None


def test_the_glossary_has_each_weighting_of_all_sets_once():
    first, second, paper = described("EE", "a"), described("long", "b"), described("EE", "b")
    sets = [{"weightings": [first, second]}, {"weightings": [first, paper]}]
    assert index.distinct(sets, "weightings", "difficulty") == [first, second, paper]


def test_sets_without_results_and_runs_without_papers_are_described():
    absent = SetFiles("gone/en-de", {"report.json": Missing("the archive has no gone")})
    content = index.describe([absent], {}, None, None)
    assert content["sets"] == [{"name": "gone/en-de", "absent": "the archive has no gone"}]
    assert (content["papers"], content["overview"], content["held_out"]) == ([], None, None)


def test_a_papers_items_stand_in_its_order_with_counts(tmp_path):
    page_run.write_paper(tmp_path, "first2020")
    files = read_set("papers/first2020", [str(path) for path in tmp_path.rglob("papers/**/*.*")])
    ledger = pd.read_csv(tmp_path / "audit.csv", keep_default_na=False, na_values={"published": ""})
    page = paper_page.describe("first2020", page_run.PAPER, files, ledger)["paper"]
    assert [item["title"] for item in page["items"]] == ["Table 1", "Figure 1"]
    assert page["items"][0]["counts"]["differs"] == 1
    found, counts = paper_page.count_papers({"first2020": page_run.PAPER}, ledger)
    assert [item["title"] for item in found[0]["items"]] == ["Table 1", "Figure 1"]
    assert counts == found[0]["counts"] == page["counts"]
    assert sum(counts.values()) == 6


def test_claims_stand_last_with_both_verdicts(tmp_path):
    page_run.write_paper(tmp_path, "first2020")
    cells = pd.DataFrame(page_run.TABLE_CELLS)
    check = {"kind": "higher", "item": "table1", "pairs": [["EE-chrF", "chrF"]]}
    given = [{"id": "gain", "where": "Section <5>", "statement": "EE helps", "check": check}]
    given.append({"id": "all", "where": "6", "statement": "Always", "reason": "no criterion"})
    checked = claims.check_claims(given, cells, Inputs({}))
    storage.write_table(tmp_path / "papers/first2020/claims.csv", checked)
    ledger = storage.read_table(tmp_path / "audit.csv")
    ledger = pd.concat([ledger, claims.ledger_rows("first2020", checked)])
    storage.write_table(tmp_path / "audit.csv", ledger)
    storage.write_table(tmp_path / "held_out.csv", pd.DataFrame({"set": ["a"]}))
    files = read_set("papers/first2020", [str(path) for path in tmp_path.rglob("papers/**/*.*")])
    papers = {"first2020": page_run.PAPER}
    counts = paper_page.count_papers(papers, ledger)[1]
    entry = paper_page.describe("first2020", page_run.PAPER, files, ledger)["paper"]["items"][-1]
    assert (entry["title"], len(entry["claims"])) == ("Claims", 2)
    assert entry["claims"][1]["cells"]["printed"]["status"] == "not computable"
    verdicts = {side: cell["status"] for side, cell in entry["claims"][0]["cells"].items()}
    assert set(verdicts) == {"printed", "data"}
    assert verdicts["printed"] in ("holds", "does not hold")
    assert counts[verdicts["printed"]] >= 1
    place = page_run.render_index(tmp_path, [], papers)
    assert place.read_text(encoding="utf-8").count("docs/deviations.md") == 1
    page = (tmp_path / "papers/first2020/report.html").read_text(encoding="utf-8")
    assert "Section &lt;5&gt;" in page
    assert 'id="first2020_claims"' in page


@pytest.mark.parametrize(
    ("item", "title"), [("table6_chunks", "Table 6, chunks"), ("figure1", "Figure 1")]
)
def test_items_have_titles(item, title):
    assert paper_page.title_of(item) == title


def test_texts_are_escaped_and_data_cannot_end_their_script(tmp_path):
    (tmp_path / "page.html.j2").write_text("<p>{{ text }}</p>{{ data|tojson }}{{ style }}")
    content = {"text": "<b>", "data": "</script>", "weightings": []}
    found = render(tmp_path / "page.html.j2", content, "a > b {}", [])
    assert found == '<p>&lt;b&gt;</p>"\\u003c/script\\u003e"a > b {}\n'


def test_an_image_is_a_uri_without_quotes_or_breaks():
    found = image('<svg>\n  <g id="a">\n  </g>\n</svg>\n')
    assert found == "data:image/svg+xml,%3Csvg%3E%3Cg id=%22a%22%3E%3C/g%3E%3C/svg%3E "
