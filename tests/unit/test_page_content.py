"""What the pages of sets and the index say, without a browser."""

import json

import numpy as np
import page_run
import pandas as pd
import pytest

from mt_difficulty.data.set_files import SetFiles, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.page import index, set_page
from mt_difficulty.page.segments import describe_segments
from mt_difficulty.page.template import image, render

SETTINGS = {"shown": 4, "types": page_run.TYPES, "DA": page_run.DA}


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


def test_the_summary_of_a_set_is_json_with_r_of_every_score(files):
    page, summary = set_page.describe(files, SETTINGS, {})
    assert json.loads(json.dumps(summary)) == summary
    frame = files.read("correlations.csv")
    frame = frame[frame.subset == "all"]
    assert [row["pearson"] for row in summary["correlations"]] == frame.pearson.tolist()
    assert summary["evalset"]["systems"] == len(page_run.SYSTEMS)
    assert [encoder["name"] for encoder in summary["encoders"]] == ["tiny"]
    assert page["index"] == "../../report.html"


def test_a_set_without_gold_says_so_once_and_shows_the_rest(files):
    found = files.read("evalset.json")
    no_gold = {**vars(found), "gold": [], "gold_name": "", "segment_gold": []}
    reason = Missing("no human scores")
    changes = dict.fromkeys(("correlations.csv", "significance.csv", "surface.npz"), reason)
    contents = files.contents | changes | {"evalset.json": type(found)(**no_gold)}
    page, summary = set_page.describe(SetFiles(files.name, contents), SETTINGS, {"top_k": "x"})
    assert "no human scores" in page["no_gold"]
    assert "curves" not in page
    assert page["surface"] is None
    assert not {"significance.csv", "controls.csv"} & page["tables"].keys()
    assert page["figures"] == []
    assert page["order"] == "chrF"
    assert page["segments"]["moves"] == page["segments"]["listed"] == []
    assert [ranking["name"] for ranking in page["segments"]["rankings"]] == ["entropy"]
    assert summary["correlations"] == []


def test_a_table_that_cannot_be_gives_its_reason_and_one_that_was_not_made_its_name(files):
    page, _ = set_page.describe(without(files, "system_comparisons.csv"), SETTINGS, {})
    assert page["tables"]["controls.csv"]["reason"] == "no segment is difficult"
    assert page["left_out"] == ["complexity.csv", "system_intervals.csv", "system_comparisons.csv"]


def test_segments_are_those_of_highest_entropy_and_those_that_move_most(files):
    found, order = files.read("evalset.json"), np.arange(len(page_run.SYSTEMS))
    page = describe_segments(found, files, SETTINGS, order)
    assert [ranking["name"] for ranking in page["rankings"]] == ["entropy", "standard", "EE"]
    means = files.read("entropy/exact.npz")["entropy"].mean(axis=0)
    hardest = np.argsort(-means, kind="stable")[: SETTINGS["shown"]] + 1
    by_entropy = [one for one in page["segments"] if "entropy" in one["places"]]
    places = sorted((one["places"]["entropy"], one["number"]) for one in by_entropy)
    assert [number for _, number in places] == hardest.tolist()
    assert [one["label"] for one in page["listed"]] == [
        "r of chrF without it",
        "r of EE-chrF without it",
    ]
    assert [page["moves"][one["move"]] for one in page["listed"]] == ["chrF", "EE-chrF"]


def test_without_matches_a_reference_is_in_one_piece(files):
    found, order = files.read("evalset.json"), np.arange(len(page_run.SYSTEMS))
    page = describe_segments(found, without(files, "matches/tiny.npz"), SETTINGS, order)
    assert page["encoder"] is None
    first = page["segments"][0]
    assert first["reference"] == [(found.reference[first["number"] - 1], None)]


def test_without_texts_there_are_no_segments(files):
    contents = files.contents | {"entropy/exact.npz": Missing("only scores")}
    found = files.read("evalset.json")
    assert describe_segments(found, SetFiles("x", contents), SETTINGS, np.arange(5)) is None


def test_the_overview_has_a_row_for_each_metric_and_a_column_for_each_weighting():
    rows = [("chrF", "EE", 0.5), ("chrF", "standard", 0.4), ("TER", "standard", None)]
    rows = [dict(zip(("metric", "weighting", "pearson"), row, strict=True)) for row in rows]
    found = index.overview([{"name": "b/en-de", "correlations": rows}])
    assert [column["heading"] for column in found["columns"]] == ["set", "metric", "standard", "EE"]
    assert found["rows"] == [
        ["b/en-de", "chrF", "0.400", "0.500"],
        ["b/en-de", "TER", "–", "–"],
    ]
    assert index.overview([{"name": "b/en-de", "correlations": []}]) is None


def test_sets_without_results_and_runs_without_papers_are_described():
    absent = SetFiles("gone/en-de", {"report.json": Missing("the archive has no gone")})
    content = index.describe([absent], {}, {}, None, None)
    assert content["sets"] == [{"name": "gone/en-de", "absent": "the archive has no gone"}]
    assert (content["papers"], content["overview"], content["held_out"]) == ([], None, None)


def test_a_papers_items_stand_in_its_order_with_counts(tmp_path):
    page_run.write_paper(tmp_path, "first2020")
    files = read_set("papers/first2020", [str(path) for path in tmp_path.rglob("papers/**/*.*")])
    ledger = pd.read_csv(tmp_path / "audit.csv", keep_default_na=False, na_values={"published": ""})
    found, counts = index.describe_papers(
        {"first2020": page_run.PAPER}, {"first2020": files}, ledger
    )
    assert [item["title"] for item in found[0]["items"]] == ["Table 1", "Figure 1"]
    assert found[0]["items"][0]["counts"]["differs"] == 1
    assert counts == found[0]["counts"]
    assert sum(counts.values()) == 6


@pytest.mark.parametrize(
    ("item", "title"), [("table6_chunks", "Table 6, chunks"), ("figure1", "Figure 1")]
)
def test_items_have_titles(item, title):
    assert index.title_of(item) == title


def test_texts_are_escaped_and_data_cannot_end_their_script(tmp_path):
    (tmp_path / "page.html.j2").write_text("<p>{{ text }}</p>{{ data|tojson }}{{ style }}")
    content = {"text": "<b>", "data": "</script>", "weightings": []}
    found = render(tmp_path / "page.html.j2", content, "a > b {}", [])
    assert found == '<p>&lt;b&gt;</p>"\\u003c/script\\u003e"a > b {}\n'


def test_an_image_is_a_uri_without_quotes_or_breaks():
    found = image('<svg>\n  <g id="a">\n  </g>\n</svg>\n')
    assert found == "data:image/svg+xml,%3Csvg%3E%3Cg id=%22a%22%3E%3C/g%3E%3C/svg%3E "
