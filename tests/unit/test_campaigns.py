"""Evaluation sets named by pattern: what campaigns.yaml and the archive have of them."""

from pathlib import Path

import pytest
from conftest import ROOT

from mt_difficulty.data.campaign_files import FILE, KnownSet, read_campaigns
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run.campaigns import expand
from mt_difficulty.run.plan import make_plan

TABLE = ROOT / "workflow" / FILE
CONFIG = read_yaml(ROOT / "config.yaml") | {"papers": [], "neural": False}
METRICS = ["chrF-refA", "chrF-refB", "Kiwi-XL-src", "BLEU-refA"]


def add(archive: Path, campaign: str, pair: str, gold: str = "", metrics=(), texts=True):
    """The files of a set that a plan looks at."""
    folder = archive / campaign
    outputs = folder / "system-outputs" / pair
    for place in ("human-scores", f"metric-scores/{pair}", *["sources"] * texts):
        (folder / place).mkdir(parents=True, exist_ok=True)
    if texts:
        outputs.mkdir(parents=True)
    if gold:
        (folder / "human-scores" / f"{pair}.{gold}.sys.score").write_text("a\t1\nb\t2\nc\t3\n")
    for metric in metrics:
        (folder / "metric-scores" / pair / f"{metric}.seg.score").write_text("")


@pytest.fixture
def archive(tmp_path):
    add(tmp_path, "wmt23", "en-de", "mqm", METRICS)
    add(tmp_path, "wmt23", "zh-en", "mqm", METRICS[:1])
    add(tmp_path, "wmt23", "en-cs", "da-sqm")
    add(tmp_path, "wmt24", "en-de", "mqm")
    add(tmp_path, "wmt24", "en-zh", "esa")
    add(tmp_path, "wmt24pp", "en-zh_CN")
    add(tmp_path, "mine", "en-de", "mqm")
    return tmp_path


def expanded(archive, *entries):
    config = CONFIG | {"archive": str(archive), "evaluation_sets": list(entries)}
    return expand(config, ROOT, TABLE)


def named(found):
    return [f"{each['campaign']}/{each['pair']}" for each in found.entries]


def test_the_table_has_the_sets_of_the_official_toolkit():
    known = read_campaigns(TABLE)
    assert len(known) == len({(each.campaign, each.pair) for each in known}) == 177
    by_name = {(each.campaign, each.pair): each for each in known}
    assert by_name["wmt22", "zh-en"][2:] == ("refA", "mqm", "mqm", ())
    assert by_name["wmt21.news", "en-de"].reference == "refC"
    assert by_name["wmt19", "en-de"] == KnownSet("wmt19", "en-de", "ref", "wmt-z", "wmt-raw")
    assert by_name["wmt24", "en-es"].outliers == ("MSLC",)
    assert by_name["wmt24pp", "en-de_DE"] == KnownSet("wmt24pp", "en-de_DE", "posteditB")


def test_a_campaign_is_every_set_that_the_archive_has(archive):
    found = expanded(archive, {"campaign": "wmt23"})
    assert named(found) == ["wmt23/en-cs", "wmt23/en-de", "wmt23/zh-en"]
    assert found.entries[1] == {
        "campaign": "wmt23",
        "pair": "en-de",
        "reference": "refA",
        "gold": "mqm",
        "outlier_systems": ["synthetic_ref"],
        "found": True,
    }
    first, *rest = found.notices
    assert first == "wmt23 *: 3 of 14 sets: wmt23/en-cs, wmt23/en-de, wmt23/zh-en."
    assert any("the archive has no da-sqm scores of it: wmt23/" in line for line in rest)
    assert not found.problems


def test_patterns_of_campaigns_and_pairs_and_a_gold(archive):
    found = expanded(archive, {"campaign": "wmt2*", "pair": "*-de", "gold": "mqm"})
    assert named(found) == ["wmt23/en-de", "wmt24/en-de"]
    assert [each["reference"] for each in found.entries] == ["refA", "refB"]
    assert any("not in the archive: wmt20/en-de" in line for line in found.notices)


def test_a_set_without_human_scores(archive):
    (found,) = expanded(archive, {"campaign": "wmt24pp"}).entries
    assert (found["pair"], found["reference"], found["gold"]) == ("en-zh_CN", "posteditA", "")


def test_what_an_entry_says_counts(archive):
    entry = {"campaign": "wmt23", "pair": "zh-en", "reference": "refB", "segments": "all"}
    (found,) = expanded(archive, entry).entries
    assert found == entry | {"gold": "mqm", "outlier_systems": ["synthetic_ref"]}
    (whole,) = expanded(archive, {"campaign": "wmt19", "pair": "en-de"}).entries
    assert whole["segment_gold"] == ["wmt-z", "wmt-raw"]
    own = {"campaign": "wmt19", "pair": "en-de", "segment_gold": "wmt-raw"}
    assert expanded(archive, own).entries[0]["segment_gold"] == "wmt-raw"
    (other,) = expanded(archive, {"campaign": "wmt19", "pair": "en-de", "gold": "x"}).entries
    assert "segment_gold" not in other


def test_a_pattern_leaves_out_sets_whose_reference_is_not_there(archive):
    """A set of scores alone stays, but in a study, which needs texts."""
    (archive / "wmt23/references").mkdir()
    for name in ("en-de.refA.txt", "zh-en.refB.txt"):
        (archive / "wmt23/references" / name).write_text("a\n")
    pattern = {"campaign": "wmt23", "gold": "mqm"}
    found = expanded(archive, pattern)
    assert named(found) == ["wmt23/en-de"]
    reason = "left out, the archive has no reference refA of it: wmt23/zh-en."
    assert any(line.endswith(reason) for line in found.notices)
    assert named(expanded(archive, pattern | {"reference": "refB"})) == ["wmt23/zh-en"]
    (archive / "wmt23/references/zh-en.refB.txt").unlink()
    assert named(expanded(archive, pattern)) == ["wmt23/en-de", "wmt23/zh-en"]
    config = CONFIG | {"archive": str(archive), "evaluation_sets": [pattern], "study": {}}
    assert named(expand(config, ROOT, TABLE)) == ["wmt23/en-de"]


def test_without_an_archive_the_table_says_what_there_is(tmp_path):
    found = expanded(tmp_path / "none.tgz", {"campaign": "wmt23", "gold": "mqm"})
    assert named(found) == ["wmt23/en-de", "wmt23/he-en", "wmt23/zh-en"]
    assert any("its standard gold is da-sqm: wmt23/" in line for line in found.notices)


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ("*", ["BLEU-refA", "Kiwi-XL-src", "chrF-refA"]),
        (["chrF", "Kiwi*"], ["chrF-refA", "Kiwi-XL-src"]),
        ("*-src", ["Kiwi-XL-src"]),
    ],
)
def test_stored_metrics_by_pattern(archive, patterns, names):
    """Those of another reference are not the set's."""
    entry = {"campaign": "wmt23", "pair": "en-de", "stored": patterns}
    (found,) = expanded(archive, entry).entries
    assert list(found["stored"]) == names
    settings = {"type": "stored", "name": "Kiwi-XL", "reference": "src"}
    assert found["stored"].get("Kiwi-XL-src", settings) == settings


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"campaign": "wmt33*"}, "no campaign wmt33* in workflow/campaigns.yaml; there are wmt19,"),
        ({"campaign": "wmt24", "pair": "*-fr"}, "wmt24 has no pair *-fr; it has cs-uk, "),
        (
            {"campaign": "mine", "pair": "en-de", "gold": "mqm"},
            "mine/en-de: workflow/campaigns.yaml has no such set, so that its standard reference "
            "and gold are not known. Name both: `reference`, `gold`.",
        ),
        ({"campaign": "mine", "pair": "en-da"}, "mine has no pair en-da; it has en-de (did you"),
        (
            {"campaign": "wmt23", "pair": "en-de", "stored": "chrf"},
            "wmt23/en-de: stored: no metric chrf; the archive has BLEU, Kiwi-XL, chrF (did you "
            "mean chrF?).",
        ),
    ],
)
def test_what_is_not_there_is_a_problem(archive, entry, problem):
    found = expanded(archive, entry)
    assert [line.startswith(f"config, evaluation_sets: {problem}") for line in found.problems] == [
        True
    ]


@pytest.mark.parametrize("pattern", [{"pair": "en-de", "stored": "*"}, {"reference": "*"}])
def test_stored_metrics_and_references_need_an_archive(tmp_path, pattern):
    entry = {"campaign": "wmt23", "gold": "mqm"} | pattern
    problems = expanded(tmp_path / "none.tgz", entry).problems
    assert any("the archive is not here yet" in problem for problem in problems)


def test_sets_of_papers_count_all_segments(archive):
    """One that the config names without saying otherwise is the paper's own."""
    paper = read_yaml(ROOT / "workflow/papers/zhan2021.yaml")
    entry = {"campaign": "wmt19", "pair": "en-de", "reference": "ref", "gold": "wmt-z"}
    entry |= {"weightings": []}
    config = CONFIG | {"papers": ["zhan2021"], "evaluation_sets": [entry]}
    plan, problems = make_plan(config, {"zhan2021": paper})
    assert not problems
    assert plan.sets["wmt19/en-de"].segments == "all"
    config["evaluation_sets"] = [entry | {"segments": "rated"}]
    plan, problems = make_plan(config, {"zhan2021": paper})
    assert plan.sets["wmt19/en-de"].segments == "all"
    assert plan.sets["wmt19/en-de.ref.wmt-z"].segments == "rated"


def add_references(archive, campaign, pair, *names):
    (archive / campaign / "references").mkdir()
    for name in names:
        (archive / campaign / "references" / f"{pair}.{name}.txt").write_text("")


def test_a_pattern_of_references_is_a_set_for_each_the_standard_one_first(archive):
    add_references(archive, "wmt23", "en-de", "refB", "refA", "synthetic_ref")
    entry = {"campaign": "wmt23", "pair": "en-de"}
    found = expanded(archive, entry | {"reference": "*"})
    references = ["refA", "refB", "synthetic_ref"]
    assert [each["reference"] for each in found.entries] == references
    plan, problems = make_plan(CONFIG | {"evaluation_sets": found.entries}, {})
    assert not problems
    assert list(plan.sets) == [
        "wmt23/en-de",
        "wmt23/en-de.refB.mqm",
        "wmt23/en-de.synthetic_ref.mqm",
    ]
    some = expanded(archive, entry | {"reference": "ref?"})
    assert [each["reference"] for each in some.entries] == references[:2]
    none = expanded(archive, {"campaign": "wmt23", "reference": "x*"})
    assert not none.entries
    assert any("no reference x* of it: wmt23/en-cs" in notice for notice in none.notices)


def test_no_reference_is_asked_for_by_an_empty_name(archive):
    entries = [{"campaign": "wmt23", "pair": "en-de", "reference": each} for each in ("refA", "")]
    found = expanded(archive, *entries)
    assert [each["reference"] for each in found.entries] == ["refA", ""]
    plan, _ = make_plan(CONFIG | {"evaluation_sets": found.entries}, {})
    assert list(plan.sets) == ["wmt23/en-de", "wmt23/en-de.no_reference.mqm"]
