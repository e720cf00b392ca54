"""What the pages of sets and the index say, without a browser."""

import copy
import json
import math

import numpy as np
import page_run
import pandas as pd
import pytest

from mt_difficulty import storage
from mt_difficulty.data.set_files import SetFiles, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.page import difficulties, index, report_tables, set_page
from mt_difficulty.page.segments import describe_segments
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


def segments_of(files, settings=SETTINGS, **changes):
    """The segments of the page, of a set that has other things by the names of its attributes."""
    found = files.read("evalset.json")
    return describe_segments(type(found)(**vars(found) | changes), files, settings, ORDER)


def other(files, contents=None, change=None):
    """The files with other contents, and what `weightings.json` holds changed in place."""
    described = copy.deepcopy(files.read("weightings.json"))
    if change:
        change(described)
    changes = {"weightings.json": described} | (contents or {})
    return SetFiles(files.name, files.contents | changes)


def only(*weightings):
    """Settings with these weightings, and what they use."""
    kept = {name: page_run.WEIGHTINGS[name] for name in weightings}
    used = {entry["difficulty"] for entry in kept.values()}
    estimated = {
        name: page_run.DIFFICULTIES[name] for name in page_run.DIFFICULTIES if name in used
    }
    return SETTINGS | {"weightings": kept, "difficulties": estimated}


def kept(files, settings):
    """The files of a set that has only the difficulties and weightings of its settings."""

    def keep(found):
        for kind in ("difficulties", "weightings"):
            found[kind] = {name: found[kind][name] for name in settings[kind]}

    return other(files, change=keep)


def numbers_in(content):
    """All numbers of nested lists and dicts."""
    if isinstance(content, (dict, list, tuple)):
        parts = content.values() if isinstance(content, dict) else content
        return [number for part in parts for number in numbers_in(part)]
    return [content] if isinstance(content, float) else []


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


def test_segments_are_ranked_by_every_difficulty_and_by_movement(files):
    page = segments_of(files)
    names = [ranking["name"] for ranking in page["rankings"]]
    ranked = [f"difficulty {name}" for name in ("chunk_entropy", "length", "people")]
    assert names[:3] == ranked
    assert names[3:] == [f"weighting {name}" for name in ("standard", *page_run.WEIGHTINGS)]
    assert page["rankings"][2]["label"] == f"hardest by mean people{GOLD}"
    assert page["rankings"][-1]["label"] == f"moves the ranking most, ceiling{GOLD} metrics"
    for name, count in zip(ranked, (4, 2, 2), strict=True):
        values = files.read(f"difficulty/{name.split()[1]}.npz")["difficulty"].mean(axis=0)
        hardest = np.argsort(-values, kind="stable")[:count] + 1
        chosen = [one for one in page["segments"] if name in one["places"]]
        places = sorted((one["places"][name], one["number"]) for one in chosen)
        assert [number for _, number in places] == hardest.tolist()
    assert [one["label"] for one in page["listed"]] == [
        "r of chrF without it",
        "r of EE-chrF without it",
    ]
    assert [page["moves"][one["move"]] for one in page["listed"]] == ["chrF", "EE-chrF"]


def test_every_segment_has_its_mean_of_every_difficulty(files):
    page = segments_of(files)
    units = {one["label"]: one["unit"] for one in page["difficulties"]}
    assert units == {
        name + GOLD * (name == "people"): unit for name, unit in page_run.UNITS.items()
    }
    first = page["segments"][0]
    at = first["number"] - 1
    arrays = {
        name: files.read(f"difficulty/{name}.npz")["difficulty"][:, at]
        for name in ("chunk_entropy", "length", "people")
    }
    assert first["means"][:3] == pytest.approx(
        [values.mean() for values in arrays.values()], abs=0.06
    )
    assert first["means"][3] == first["means"][4]  # the mean of the others' means is the mean
    for row, own in zip(first["rows"], range(len(ORDER)), strict=True):
        values = [arrays["chunk_entropy"][own], arrays["people"][own]]
        assert row["difficulties"] == pytest.approx(values, abs=0.0006)


def test_difficult_hypotheses_are_those_of_at_least_the_threshold(files):
    page = segments_of(files)
    assert page["thresholds"] == [
        {"weighting": "EE", "difficulty": 0},
        {"weighting": f"ceiling{GOLD}", "difficulty": 2},
    ]
    entropy = files.read("difficulty/chunk_entropy.npz")["difficulty"] >= 0.2
    people = files.read("difficulty/people.npz")["difficulty"] >= 0.5
    for one in page["segments"]:
        at = one["number"] - 1
        assert [row["hard"] for row in one["rows"]] == np.array(
            [entropy[:, at], people[:, at]]
        ).T.tolist()
        assert one["hard"] == [entropy[:, at].sum(), people[:, at].sum()]


def test_segment_scores_that_weights_of_segments_do_not_change_stand_once(files):
    labels = [column["label"] for column in segments_of(files)["columns"]]
    assert labels == ["chrF", "TER", "BERTScore", "DA-BERTScore", "DA-LOO-BERTScore"]


def test_difficulties_that_are_infinite_or_nan_are_ranked_and_shown(files):
    arrays = dict(files.read("difficulty/chunk_entropy.npz"))
    values = arrays["difficulty"].copy()
    values[0, 7], values[:, 3] = np.inf, np.nan
    name = "difficulty/chunk_entropy.npz"
    changed = other(files, {name: arrays | {"difficulty": values}})
    settings = only("EE")
    page = segments_of(kept(changed, settings), settings)
    places = {one["number"]: one["places"] for one in page["segments"]}
    assert places[8]["difficulty chunk_entropy"] == 1
    assert not any("difficulty chunk_entropy" in found for n, found in places.items() if n == 4)
    first = next(one for one in page["segments"] if one["number"] == 8)
    assert (first["means"][0], first["rows"][0]["difficulties"][0]) == ("∞", "∞")
    assert all(map(math.isfinite, numbers_in(page)))
    json.dumps(page, allow_nan=False)


def test_hypotheses_are_in_chunks_where_a_difficulty_knows_links(files):
    page = segments_of(files)
    assert page["chunks"] == "chunk_entropy"
    assert any(chunk >= 0 for one in page["segments"] for _, chunk in one["rows"][0]["pieces"])
    settings = only("long")
    page = segments_of(kept(files, settings), settings)
    assert page["chunks"] == ""
    first = page["segments"][0]
    texts = [system[first["number"] - 1] for system in files.read("evalset.json").hypotheses]
    assert [row["pieces"] for row in first["rows"]] == [[(text, -1)] for text in texts]


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


def test_with_weightings_of_tokens_alone_segments_are_ranked_by_movement(files):
    settings = only("DA")
    found = kept(files, settings)
    page = segments_of(found, settings)
    assert [one["name"] for one in page["rankings"]] == ["weighting standard", "weighting DA"]
    assert page["thresholds"] == []
    assert page["encoder"]["difficulty"] == "token_dissimilarity"
    assert "human scores" in segments_of(found, settings, gold=[])["reason"]


def test_without_matches_a_reference_is_in_one_piece(files):
    reason = Missing("no encoder")
    changed = other(files, {"matches/tiny.npz": reason, "statistics/BERTScore.npz": reason})
    page = segments_of(changed)
    assert page["encoder"] is None
    first = page["segments"][0]
    assert first["reference"] == [(files.read("evalset.json").reference[first["number"] - 1], None)]
    units = [one["unit"] for one in page["difficulties"]]
    assert units == ["hypothesis", "segment", "hypothesis"]


def test_without_texts_the_reason_stands_for_the_segments(files):
    page = segments_of(files, texts_missing="only scores are stored", reference=[], source=[])
    assert page == {"reason": "only scores are stored"}


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
    found, counts = index.describe_papers(papers, {"first2020": files}, ledger)
    entry = found[0]["items"][-1]
    assert (entry["title"], len(entry["claims"])) == ("Claims", 2)
    assert entry["claims"][1]["cells"]["printed"]["status"] == "not computable"
    verdicts = {side: cell["status"] for side, cell in entry["claims"][0]["cells"].items()}
    assert set(verdicts) == {"printed", "data"}
    assert verdicts["printed"] in ("holds", "does not hold")
    assert counts[verdicts["printed"]] >= 1
    page = page_run.render_index(tmp_path, [], papers).read_text(encoding="utf-8")
    assert "Section &lt;5&gt;" in page
    assert 'id="first2020_claims"' in page
    assert page.count("docs/deviations.md") == 1


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
