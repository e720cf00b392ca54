"""What the pages say and are made of, without a browser."""

import copy
import json
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import page_run
import pandas as pd
import pytest

from mt_difficulty import storage
from mt_difficulty.data.set_files import SetFiles, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import changes
from mt_difficulty.page import finding, index, paper_page, set_page
from mt_difficulty.page.template import image, render
from mt_difficulty.papers import claims
from mt_difficulty.papers.inputs import Inputs

SETTINGS = page_run.SETTINGS | {"shown": 4}
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


@pytest.fixture(scope="module")
def described(folder):
    """The page and the summary of the set."""
    files = read_set("test/en-de", [str(path) for path in folder.rglob("*.*")])
    captions = {"top_k": "K systems", "surface": "h and w", "difficulties": "By difficulty"}
    return set_page.describe(files, SETTINGS, captions)


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


def test_a_table_that_cannot_be_gives_its_reason_and_one_that_was_not_made_its_name(files):
    kept = without(files, "system_comparisons.csv", "surface.npz")
    page, _ = set_page.describe(kept, SETTINGS, {})
    assert page["tables"]["controls.csv"]["reason"] == "no segment is difficult"
    left_out = ["difficulty_and_people.csv", "complexity.csv", "system_comparisons.csv"]
    assert page["left_out"] == [*left_out, "system_intervals.csv", "surface.npz"]


def lines_of(table):
    """The rows of a table by heading."""
    heads = [column["heading"] for column in table["columns"]]
    return [dict(zip(heads, row, strict=True)) for row in table["rows"]]


def test_what_the_figures_show_stands_in_tables(files, described):
    page, _ = described
    assert page["top_k"]["caption"] == "K systems"
    assert [figure["caption"] for figure in page["figures"]] == ["By difficulty"]
    frame = files.read("correlations.csv")
    frame, shown = frame[frame.subset != "all"], lines_of(page["subsets"])
    keys = zip(frame.metric, frame.subset, frame["size"].astype(str), strict=True)
    assert [(row["metric"], row["subset"], row["size"]) for row in shown] == list(keys)
    values = [float(row["r"].replace("−", "-")) for row in shown]
    assert values == pytest.approx(frame.pearson.tolist(), abs=6e-4)
    points = {row["parameters"]: row for row in lines_of(page["surface"]["points"])}
    assert list(points) == ["in force", "equations", "optimum"]
    assert points["optimum"]["weighting"] == "EE§"
    assert (points["in force"]["h"], points["in force"]["w"]) == ("0.100", "0.400")


def test_systems_are_compared_once_the_better_one_by_human_score_first(files, described):
    rows = lines_of(described[0]["tables"]["system_comparisons.csv"])
    first = {"system": "ash", "other": "birch", "wins": "0.970", "p": "0.030"}
    assert first.items() <= rows[0].items()
    assert len({(row["system"], row["other"]) for row in rows}) == 10
    assert len(rows) == len(files.read("system_comparisons.csv")) / 2


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
    assert set_page.in_words(parameters, ["a", "b"]) == expected


def test_a_difficulty_that_is_missing_says_why_and_takes_no_part(files):
    def missing(found):
        found["difficulties"]["people"]["missing"] = "nobody scored segments"
        found["weightings"]["ceiling"] |= {"missing": "nobody scored segments", "parameters": {}}

    reason = Missing("nobody scored segments")
    changed = other(files, {"difficulty/people.npz": reason}, missing)
    page, _ = set_page.describe(changed, SETTINGS, {})
    for table in ("difficulty_table", "weighting_table"):
        rows = {row[0]: " ".join(row) for row in page[table]["rows"]}
        absent = f"people{GOLD}" if table == "difficulty_table" else f"ceiling{GOLD}"
        assert "Not computed: nobody scored segments" in rows[absent]
    labels = [one["label"] for one in page["segments"]["difficulties"]]
    assert f"people{GOLD}" not in labels
    assert not any("ceiling" in label for label in page["segments"]["moves"])


def weighting_of(name, difficulty, uses_gold=False, description="", tuned=False):
    keys = ("name", "difficulty", "uses_gold", "description", "tuned")
    return dict(zip(keys, (name, difficulty, uses_gold, description, tuned), strict=True))


def test_the_overview_has_a_row_for_each_metric_and_a_column_for_each_weighting():
    rows = [("chrF", "EE", "length", 0.5), ("chrF", "standard", "", 0.4)]
    rows += [("TER", "standard", "", None), ("TER", "EE", "people", -0.25)]
    keys = ("metric", "weighting", "difficulty", "pearson")
    rows = [dict(zip(keys, row, strict=True)) for row in rows]
    weightings = [weighting_of("standard", ""), weighting_of("EE", "length")]
    weightings += [weighting_of("EE", "people", True), weighting_of("none", "length")]
    # Of the names of a set's own weightings some are tuned.
    one = {"name": "b/en-de", "correlations": rows, "weightings": weightings[:1]}
    other = one | {"name": "a/en-de", "weightings": [weighting_of("EE", "length", tuned=True)]}
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
    first, second, paper = (
        weighting_of("EE", "a"),
        weighting_of("long", "b"),
        weighting_of("EE", "b"),
    )
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
    page_run.render_index(tmp_path, [], papers)
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
    content = {"text": "<b>", "data": "</script>"}
    found = render(tmp_path / "page.html.j2", content, "a > b {}", [])
    assert found == '<p>&lt;b&gt;</p>"\\u003c/script\\u003e"a > b {}\n'


def test_an_image_is_a_uri_without_quotes_or_breaks():
    found = image('<svg>\n  <g id="a">\n  </g>\n</svg>\n')
    assert found == "data:image/svg+xml,%3Csvg%3E%3Cg id=%22a%22%3E%3C/g%3E%3C/svg%3E "


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


def test_intervals_wider_than_the_axis_are_cut_off():
    judged = finding.table_of(changes_of(["a"]) + changes_of(["b"]))
    judged.loc[0, ["low", "high"]] = [-5.0, 0.2]
    mark = finding.forest(judged)["shapes"]["wide"]["panels"][0]["marks"][0]
    assert (mark["cut_low"], mark["cut_high"]) == (True, False)


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


def test_no_figure_without_changes():
    assert finding.forest(finding.table_of([])) is None
    assert finding.describe([], 1, 1, synthetic=False)["table"] is None


def test_with_many_rows_the_table_has_one_for_each_set_and_weighting():
    names = [f"s{number}" for number in range(finding.MOST)]
    found = finding.describe(changes_of(names, ["M", "N"]), len(names), 1, synthetic=False)
    assert found["short"]
    assert len(found["table"]["rows"]) == len(names)
    assert found["table"]["rows"][0][:3] == ["s0", "W", "2"]


def test_changes_survive_json(files):
    records = finding.read(files, {})
    assert {record["metric"] for record in records} == set(page_run.TYPES)
    again = finding.table_of([{"set": "test/en-de", **record} for record in records])
    verdicts = dict(zip(again.metric + again.weighting, again.verdict, strict=True))
    assert (verdicts["chrFEE"], verdicts["TEREE"]) == ("helps", "harms")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run's pages by their names."""
    folder = tmp_path_factory.mktemp("run")
    index_page = page_run.render(folder)
    pages = {
        "index": index_page,
        "set": folder / "test/en-de/report.html",
        "paper": folder / "papers/first2020/report.html",
    }
    return pages


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


def test_figures_have_texts_and_headings_skip_no_level(run):
    images = {
        name: re.findall(r'<img src="data:[^"]+" alt="([^"]*)">', page.read_text("utf-8"))
        for name, page in run.items()
    }
    assert images == {
        "index": [],
        "set": ["Pearson&#39;s r of K systems.", "Scores by difficulty."],
        "paper": ["A figure’s &lt;caption&gt;."],
    }
    for page in run.values():
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page.read_text("utf-8"))]
        assert max(below - above for above, below in pairwise(levels)) <= 1


def test_the_index_shows_what_is_of_all_sets(run):
    text = run["index"].read_text(encoding="utf-8")
    assert "the archive has no gone" in text
    assert 'href="gone/en-de' not in text
    assert 'EE: <span class="quiet">threshold h 0.200 (given); easy weight w 0.400 (given)' in text
    assert "ab" * 32 in text
    terms = re.findall(r"<dt>(.*?)</dt>", text[text.index('id="terms"') :])
    names = ["standard", *page_run.WEIGHTINGS]
    names[-1] += GOLD
    known = [name + GOLD * (name == "people") for name in page_run.DIFFICULTIES]
    assert terms[4 : 4 + len(known) + len(names)] == known + names


def test_no_source_of_a_page_has_the_name_of_a_weighting_or_a_difficulty():
    names = "|".join(["EE", "DA", "DA-LOO", "EE-DA", "entropy", *page_run.DIFFICULTIES])
    root = page_run.ROOT / "workflow"
    sources = [*root.glob("report/*.j*"), *root.glob("scripts/mt_difficulty/page/*.py")]
    assert len(sources) > 15
    for source in sources:
        match = re.search(rf"""["'`]({names})["'`-]|\b(EE|DA)\b""", source.read_text())
        assert match is None, (source.name, match)
