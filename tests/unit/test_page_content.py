"""What the pages say and are made of, without a browser."""

import copy
import json
import re
from collections import Counter

import page_run
import pandas as pd
import pytest

from mt_difficulty import storage
from mt_difficulty.data.set_files import SetFiles, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import changes
from mt_difficulty.page import finding, paper_page, set_page
from mt_difficulty.page.template import render
from mt_difficulty.papers import claims
from mt_difficulty.papers.inputs import Inputs

SETTINGS = page_run.SETTINGS | {"shown": 4}
GOLD = " (uses human scores)"


@pytest.fixture
def files(set_files):
    return set_files


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


@pytest.fixture(scope="module")
def described(set_files):
    """The page and the summary of the set."""
    captions = {"top_k": "K systems", "surface": "h and w", "difficulties": "By difficulty"}
    return set_page.describe(set_files, SETTINGS, captions)


def test_the_summary_of_a_set_is_json_with_r_of_every_score(files, described):
    page, summary = described
    assert json.loads(json.dumps(summary)) == summary
    frame = files.read("correlations.csv")
    frame = frame[frame.subset == "all"]
    assert [row["pearson"] for row in summary["correlations"]] == frame.pearson.tolist()
    assert [encoder["name"] for encoder in summary["encoders"]] == ["tiny"]
    assert page["index"] == "../../report.html"
    names = [entry["name"] for entry in page["difficulties"]]
    assert names == list(page_run.DIFFICULTIES)
    names = [entry["name"] for entry in page["weightings"]]
    assert names == ["standard", *page_run.WEIGHTINGS]
    assert all(summary[kind] == page[kind] for kind in ("difficulties", "weightings", "evalset"))
    assert page["difficulty_table"]["rows"][2][0] == f"people{GOLD}"
    ceiling = page["weighting_table"]["rows"][-1]
    assert ceiling[:4] == [f"ceiling{GOLD}", f"people{GOLD}", "groups", "segment"]
    assert ceiling[4].startswith("threshold h 0.500 (given); easy weight w 0.400 (given)")


def test_a_set_without_gold_says_so_once_and_shows_the_rest(files):
    found = files.read("evalset.json")
    no_gold = {**vars(found), "gold": [], "gold_name": "", "segment_gold": []}
    reason = Missing("no human scores")
    changes = dict.fromkeys(("correlations.csv", "significance.csv", "surface.npz"), reason)
    contents = files.contents | changes | {"evalset.json": type(found)(**no_gold)}
    page, summary = set_page.describe(SetFiles(files.name, contents), SETTINGS, {})
    assert "no human scores" in page["no_gold"]
    assert "correlations" not in page
    assert page["surface"] is None
    assert not {"significance.csv", "controls.csv"} & page["tables"].keys()
    assert page["order"] == "chrF"
    assert page["segments"]["moves"] == page["segments"]["listed"] == []
    names = [ranking["name"] for ranking in page["segments"]["rankings"]]
    assert names == ["difficulty chunk_entropy", "difficulty length", "difficulty people"]
    assert summary["correlations"] == []


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
    page_run.render_index(tmp_path, [], papers)
    page = (tmp_path / "papers/first2020/report.html").read_text(encoding="utf-8")
    assert "Section &lt;5&gt;" in page
    assert 'id="first2020_claims"' in page


def test_texts_are_escaped_and_data_cannot_end_their_script(tmp_path):
    (tmp_path / "page.html.j2").write_text("<p>{{ text }}</p>{{ data|tojson }}{{ style }}")
    content = {"text": "<b>", "data": "</script>"}
    found = render(tmp_path / "page.html.j2", content, "a > b {}", [])
    assert found == '<p>&lt;b&gt;</p>"\\u003c/script\\u003e"a > b {}\n'


def changes_of(sets, metrics=("M",), weightings=("W",)):
    values = {"systems": 9, "standard": 0.5, "value": 0.6, "difference": 0.1, "low": -0.1}
    values |= {"high": 0.3, "over": "both", "p": 0.5, "reason": "", "difficulty": "d"}
    values |= {"uses_gold": False, "tuned": False}
    return [
        dict.fromkeys(changes.COLUMNS) | values | {"set": s, "metric": m, "weighting": w}
        for s in sets
        for m in metrics
        for w in weightings
    ]


def test_the_figure_has_a_panel_for_each_weighting_and_a_row_for_each_set_and_metric():
    judged = finding.table_of(changes_of(["a", "b"], ["M", "N"], ["V", "W"]))
    found = finding.forest(judged)
    panels = found["shapes"]["wide"]["panels"]
    assert [panel["label"] for panel in panels] == ["V", "W"]
    assert [row["label"] for row in panels[0]["rows"]] == ["a M", "a N", "b M", "b N"]
    mark = panels[0]["marks"][0]
    assert mark["low"] < panels[0]["zero"] < mark["x"] < mark["high"]
    # On one scale: as far left of the point as right of it.
    assert mark["x"] - mark["low"] == pytest.approx(mark["high"] - mark["x"], abs=0.2)
    assert found["looks"] == {"unclear": "cannot tell"}
    assert not found["many"]


def test_of_many_sets_a_row_is_a_metric_and_has_a_dot_for_each_set():
    names = [f"wmt{number}/en-de" for number in range(170)]
    found = finding.forest(finding.table_of(changes_of(names, ["M", "N"])))
    panel = found["shapes"]["narrow"]["panels"][0]
    assert found["many"]
    assert [row["label"] for row in panel["rows"]] == ["M", "N"]
    looks = Counter(mark["look"] for mark in panel["marks"])
    assert looks == {"unclear": 340, "median": 2}
    assert not any("low" in mark for mark in panel["marks"])
    metrics = [f"M{number}" for number in range(finding.ROWS + 3)]
    assert finding.forest(finding.table_of(changes_of(["a", "b"], metrics)))["left_out"] == 3


@pytest.fixture
def run(page_folder):
    """A run's pages by their names."""
    names = {"index": "", "set": "test/en-de/", "paper": "papers/first2020/"}
    return {key: page_folder / f"{name}report.html" for key, name in names.items()}


def test_every_page_is_one_file_that_fetches_nothing(run):
    for name, page in run.items():
        text = page.read_text(encoding="utf-8")
        links = re.findall(r"""(?:src|href)=["'](?!data:|#)([^"'#]*)""", text)
        linked = {(page.parent / link).resolve() for link in links}
        others = {other.resolve() for other in run.values()} - {page.resolve()}
        assert linked >= (others if name == "index" else {run["index"].resolve()})
        # What other targets write is looked for beside the index.
        assert {link.name for link in linked if not link.is_file()} <= {"findings.js"}, name
        assert not re.search(r"url\((?!data:)|@import", text)
        assert "default-src 'none'" in text


def test_every_link_to_a_part_of_a_page_has_its_part(run):
    for page in run.values():
        text = page.read_text(encoding="utf-8")
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([^"$]+)"', text)) <= set(ids)


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(run, tmp_path):
    again = page_run.render(tmp_path / "elsewhere").parent
    for page in run.values():
        copy_of = again / page.relative_to(run["index"].parent)
        assert copy_of.read_bytes() == page.read_bytes()
        assert str(tmp_path.parent) not in copy_of.read_text(encoding="utf-8")
        assert "/home/someone" not in copy_of.read_text(encoding="utf-8")


def test_texts_cannot_become_markup(run):
    for page in run.values():
        assert "<b>elm" not in page.read_text(encoding="utf-8")
    assert "&lt;/script&gt;&lt;b&gt;elm" in run["set"].read_text(encoding="utf-8")
    assert "A &lt;First&gt; Paper" in run["paper"].read_text(encoding="utf-8")
