"""What the pages say and are made of, without a browser."""

import json
import re
from collections import Counter
from html import unescape

import page_run
import pytest

from mt_difficulty.data import evalset
from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.page import finding, set_page, tables
from mt_difficulty.papers import audit

SETTINGS = page_run.SETTINGS
GOLD = " (uses human scores)"


@pytest.fixture(scope="module")
def described(set_files):
    """The page and the summary of the set."""
    captions = {"top_k": "K systems", "surface": "h and w", "difficulties": "By difficulty"}
    return set_page.describe(set_files, SETTINGS, page_run.STATISTICS, captions)


def test_the_summary_of_a_set_is_json(described):
    page, summary = described
    assert json.loads(json.dumps(summary)) == summary
    names = [entry["name"] for entry in page["weightings"]]
    assert names == ["standard", *page_run.WEIGHTINGS]
    ceiling = page["weighting_table"]["rows"][-1]
    assert ceiling[:4] == [f"ceiling{GOLD}", f"people{GOLD}", "EE", "segment"]


def test_system_scores_stand_beside_the_human_scores_that_order_them(set_files):
    page, _ = set_page.describe(set_files, SETTINGS, page_run.STATISTICS, {})
    texts = set_files.read("evalset.json")
    best = max(range(len(texts.systems)), key=texts.gold.__getitem__)
    table = page["scores"]
    assert table["columns"][1]["heading"] == f"human ({texts.gold_label})"
    assert table["rows"][0][:2] == [texts.systems[best], tables.number(texts.gold[best])]
    column = [float(row[1].replace("−", "-")) for row in table["rows"]]
    assert column == sorted(column, reverse=True)


def test_a_set_without_gold_says_so_once_and_shows_the_rest(set_files):
    files, found = set_files, set_files.read("evalset.json")
    no_gold = {**vars(found), "gold": [], "gold_name": "", "segment_gold": []}
    reason = Missing("no human scores")
    changes = dict.fromkeys(("correlations.csv", "significance.csv", "surface.npz"), reason)
    contents = files.contents | changes | {"evalset.json": type(found)(**no_gold)}
    page, summary = set_page.describe(
        SetFiles(files.name, contents), SETTINGS, page_run.STATISTICS, {}
    )
    assert page["no_gold"] == evalset.NO_GOLD
    best = r"ash scores best of 5 systems by chrF: \d+\.\d\. The set has no human scores\."
    assert re.fullmatch(best, page["lead"])
    assert page["about"] == "5 systems and 30 segments of 3 documents, reference refA."
    assert page["about_scores"] == "The best first, by chrF."
    assert "correlations" not in page
    assert "surface" not in page
    assert not {"significance.csv", "controls.csv"} & page["tables"].keys()
    assert page["order"] == "chrF"
    assert summary["changes"] == []


@pytest.mark.parametrize(
    ("tested", "worse", "end"),
    [
        (False, 0, "; whether another is worse was not tested."),
        (True, 0, "; no other is shown to be worse."),
        (True, 1, "; significantly better than 1 of 2 others."),
        (True, 2, "; significantly better than all others."),
    ],
)
def test_without_human_scores_the_best_system_is_named(tested, worse, end):
    evalset_numbers = {"systems": 3, "segments": 9, "documents": 1, "reference": "", "gold": ""}
    page = {
        "has_gold": False,
        "no_gold": "",
        "order": "chrF",
        "index": "",
        "scores": {"rows": [["ash", "60.1 [58.0, 62.2]"], ["birch", "50.3"], ["elm", "49.9"]]},
        "evalset": evalset_numbers | {"counted": "", "texts_missing": "", "notices": ["A.", "B."]},
        "comparisons": {"rows": []},
        "tested": tested,
        "worse": worse,
        "resampled": "9 documents",
    }
    said = set_page.sentences(page)
    assert said["lead"] == f"ash scores best of 3 systems by chrF: 60.1 [58.0, 62.2]{end}"
    assert said["about"] == "3 systems and 9 segments, no reference."
    assert said["about_scores"] == (
        "The best first, by chrF; in brackets the 95 % interval of a bootstrap over 9 documents."
    )


def test_systems_that_are_left_out_are_listed_by_reason():
    left_out = {"oak": "no score", "Ash": "human", "elm": "human"}
    found = set_page.left_out_by_reason(left_out)
    assert found == [["human", ["Ash", "elm"]], ["no score", ["oak"]]]


def changes_of(sets, metrics=("M",), weightings=("W",)):
    values = {"systems": 9, "standard": 0.5, "value": 0.6, "difference": 0.1, "low": -0.1}
    values |= {"high": 0.3, "over": "both", "p": 0.5, "reason": "", "difficulty": "d"}
    values |= {"uses_gold": False, "tuned": False}
    return [
        dict.fromkeys(finding.COLUMNS) | values | {"set": s, "metric": m, "weighting": w}
        for s in sets
        for m in metrics
        for w in weightings
    ]


def test_of_many_sets_a_row_is_a_metric_and_has_a_dot_for_each_set():
    names = [f"wmt{number}/en-de" for number in range(170)]
    found = finding.forest(finding.table_of(changes_of(names, ["M", "N"])))
    rows = found["panels"][0]["rows"]
    assert found["many"]
    assert [row["label"] for row in rows] == ["M", "N"]
    assert [len(row["marks"]) for row in rows] == [170, 170]
    assert {row["label"]: row["median"] for row in rows if row["median"] <= 50} == {}


PAGES = ["index", "set", "paper"]


@pytest.fixture
def run(page_folder):
    """A run's pages by their names."""
    names = {"index": "", "set": "test/en-de/", "paper": "papers/first2020/"}
    return {key: page_folder / f"{name}report.html" for key, name in names.items()}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_one_file_that_fetches_nothing(run, name):
    page = run[name]
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"""(?:src|href)=["'](?!data:|#)([^"'#]*)""", text)
    linked = {(page.parent / link).resolve() for link in links}
    others = {other.resolve() for other in run.values()} - {page.resolve()}
    assert linked >= (others if name == "index" else {run["index"].resolve()})
    # What other targets write is looked for beside the index.
    assert {link.name for link in linked if not link.is_file()} <= {"findings.js"}
    assert not re.search(r"url\((?!data:)|@import", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize("name", PAGES)
def test_every_link_to_a_part_of_a_page_has_its_part(run, name):
    text = run[name].read_text(encoding="utf-8")
    ids = Counter(re.findall(r' id="([^"]+)"', text))
    assert [part for part, uses in ids.items() if uses > 1] == []
    assert set(re.findall(r'href="#([^"$]+)"', text)) <= set(ids)


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(run, tmp_path):
    again = page_run.render(tmp_path / "elsewhere").parent
    for name, page in run.items():
        copy_of = again / page.relative_to(run["index"].parent)
        assert copy_of.read_bytes() == page.read_bytes(), name
        text = copy_of.read_text(encoding="utf-8")
        assert str(tmp_path.parent) not in text, name
        assert "/home/someone" not in text, name


def test_a_paper_begins_with_what_its_own_method_got(run):
    """EE-chrF of the paper's table: one number differs, one is of another encoder."""
    first = (
        "EE <first>: 1 of 2 published numbers could be computed from data and compared: 0 are "
        "reproduced, 0 are close, 1 differs. 1 was computed with another encoder than the "
        "paper's, and is not compared."
    )
    page = run["paper"].read_text(encoding="utf-8")
    (lead,) = re.findall(r'<p class="lead">(.*?)</p>\s*<p>(.*?)</p>', page)
    assert unescape(lead[0]).startswith(first)
    assert lead[1].startswith("Other numbers: 4 of 6 published numbers could be computed")
    index = run["index"].read_text(encoding="utf-8")
    entry = index[index.index('id="first2020"') :]
    assert unescape(re.search("<p>(.*?)</p>", entry)[1]).startswith(first)
    # Counts and signs know every status.
    assert [status for status in audit.STATUSES if f"<b>{status}</b>" not in page] == []
    assert [status for status in audit.STATUSES if f" {status}</th>" not in page] == []


def test_texts_cannot_become_markup(run):
    texts = {name: page.read_text(encoding="utf-8") for name, page in run.items()}
    assert [name for name, text in texts.items() if "<b>elm" in text] == []
    assert "&lt;/script&gt;&lt;b&gt;elm" in run["set"].read_text(encoding="utf-8")
    assert "A &lt;First&gt; Paper" in run["paper"].read_text(encoding="utf-8")
