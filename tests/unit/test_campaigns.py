"""Evaluation sets named by pattern: what campaigns.yaml and the archive have of them."""

import pytest
from conftest import ROOT

from mt_difficulty.data.campaign_files import FILE, KnownSet, read_campaigns
from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.plan.campaigns import expand
from mt_difficulty.plan.config import Config
from mt_difficulty.plan.plan import make_plan
from mt_difficulty.settings import MetricSettings

TABLE = ROOT / "workflow" / FILE
CONFIG = read_yaml(ROOT / "config.yaml") | {"papers": [], "neural": False}
METRICS = ["chrF-refA", "chrF-refB", "Kiwi-XL-src", "BLEU-refA"]


@pytest.fixture
def archive(tmp_path):
    """The files of sets that a plan looks at."""
    for campaign, pair, gold, metrics in (
        ("wmt23", "en-de", "mqm", METRICS),
        ("wmt23", "zh-en", "mqm", METRICS[:1]),
        ("wmt23", "en-cs", "da-sqm", []),
        ("wmt24", "en-de", "mqm", []),
        ("wmt24", "en-zh", "esa", []),
        ("wmt24pp", "en-zh_CN", "", []),
        ("mine", "en-de", "mqm", []),
    ):
        folder = tmp_path / campaign
        places = ("sources", "human-scores", f"metric-scores/{pair}", f"system-outputs/{pair}")
        for place in places:
            (folder / place).mkdir(parents=True, exist_ok=True)
        if gold:
            (folder / f"human-scores/{pair}.{gold}.sys.score").write_text("a\t1\nb\t2\nc\t3\n")
        for metric in metrics:
            (folder / f"metric-scores/{pair}/{metric}.seg.score").touch()
    return tmp_path


def config_of(archive, *entries, **changes):
    """A config of some entries; `archive` need not be there."""
    config = Config.model_validate(CONFIG | {"evaluation_sets": list(entries)} | changes)
    return config.model_copy(update={"archive": str(archive)})


def expanded(archive, *entries, **changes):
    return expand(config_of(archive, *entries, **changes), TABLE)


def stated(entry):
    return entry.model_dump(exclude_unset=True)


def named(expansion):
    return [f"{entry.campaign}/{entry.pair}" for entry in expansion.entries]


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
    expansion = expanded(archive, {"campaign": "wmt23"})
    assert named(expansion) == ["wmt23/en-cs", "wmt23/en-de", "wmt23/zh-en"]
    assert stated(expansion.entries[1]) == {
        "campaign": "wmt23",
        "pair": "en-de",
        "reference": "refA",
        "gold": "mqm",
        "outlier_systems": ["synthetic_ref"],
        "by_pattern": True,
        "stored": {},
    }
    first, *rest = expansion.notices
    assert first == "wmt23 *: 3 of 14 sets: wmt23/en-cs, wmt23/en-de, wmt23/zh-en."
    assert "the archive has no da-sqm scores of it: wmt23/" in "\n".join(rest)
    assert not expansion.problems
    # One without human scores.
    (entry,) = expanded(archive, {"campaign": "wmt24pp"}).entries
    assert (entry.pair, entry.reference, entry.gold) == ("en-zh_CN", "posteditA", "")


def test_patterns_of_campaigns_and_pairs_and_a_gold(archive):
    entry = {"campaign": "wmt2*", "pair": "*-de", "gold": "mqm"}
    expansion = expanded(archive, entry)
    assert named(expansion) == ["wmt23/en-de", "wmt24/en-de"]
    assert [each.reference for each in expansion.entries] == ["refA", "refB"]
    assert "not in the archive: " in "\n".join(expansion.notices)
    # Without an archive the table says what there is.
    expansion = expanded(archive / "none.tgz", {"campaign": "wmt23", "gold": "mqm"})
    assert named(expansion) == ["wmt23/en-de", "wmt23/he-en", "wmt23/zh-en"]
    assert "its standard gold is da-sqm: wmt23/" in "\n".join(expansion.notices)


def test_a_pattern_leaves_out_sets_whose_reference_is_not_there(archive):
    """A set of scores alone stays, but in a study, which needs texts."""
    (archive / "wmt23/references").mkdir()
    for name in ("en-de.refA.txt", "zh-en.refB.txt"):
        (archive / "wmt23/references" / name).write_text("a\n")
    pattern = {"campaign": "wmt23", "gold": "mqm"}
    expansion = expanded(archive, pattern)
    assert named(expansion) == ["wmt23/en-de"]
    reason = "left out, the archive has no reference refA of it: wmt23/zh-en."
    assert [line for line in expansion.notices if line.endswith(reason)], expansion.notices
    assert named(expanded(archive, pattern | {"reference": "refB"})) == ["wmt23/zh-en"]
    (archive / "wmt23/references/zh-en.refB.txt").unlink()
    assert named(expanded(archive, pattern)) == ["wmt23/en-de", "wmt23/zh-en"]
    study = {"title": "x", "development": [], "tiers": {}, "contrasts": {}, "margin": 0.1}
    study |= {"resamples": 100, "nulls": 100}
    assert named(expanded(archive, pattern, study=study)) == ["wmt23/en-de"]


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
    stored = expanded(archive, entry).entries[0].stored
    assert list(stored) == names
    settings = MetricSettings("stored", {"name": "Kiwi-XL", "reference": "src"})
    assert stored.get("Kiwi-XL-src", settings) == settings


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"campaign": "wmt33*"}, "no campaign wmt33* in workflow/campaigns.yaml; there are wmt19,"),
        ({"campaign": "wmt24", "pair": "*-fr"}, "wmt24 has no pair *-fr; it has cs-uk, "),
        ({"campaign": "mine", "pair": "en-de", "gold": "mqm"}, "no campaign mine in workflow/"),
        (
            {"campaign": "wmt23", "pair": "en-de", "stored": "chrf"},
            "wmt23/en-de: stored: no metric chrf; the archive has BLEU, Kiwi-XL, chrF (did you "
            "mean chrF?).",
        ),
    ],
)
def test_what_is_not_there_is_a_problem(archive, entry, problem):
    (line,) = expanded(archive, entry).problems
    assert line.startswith(f"config, evaluation_sets: {problem}")


@pytest.mark.parametrize("pattern", [{"pair": "en-de", "stored": "*"}, {"reference": "*"}])
def test_stored_metrics_and_references_need_an_archive(tmp_path, pattern):
    entry = {"campaign": "wmt23", "gold": "mqm"} | pattern
    problems = expanded(tmp_path / "none.tgz", entry).problems
    assert "the archive is not here yet" in "\n".join(problems)


def test_a_pattern_of_references_is_a_set_for_each_the_standard_one_first(archive):
    (archive / "wmt23/references").mkdir()
    for name in ("refB", "refA", "synthetic_ref"):
        (archive / f"wmt23/references/en-de.{name}.txt").write_text("")
    entry = {"campaign": "wmt23", "pair": "en-de"}
    expansion = expanded(archive, entry | {"reference": "*"}, entry | {"reference": ""})
    plan, problems = make_plan(config_of(""), {}, expansion)
    assert not problems
    assert {name: each.reference for name, each in plan.sets.items()} == {
        "wmt23/en-de": "refA",
        "wmt23/en-de.refB.mqm": "refB",
        "wmt23/en-de.synthetic_ref.mqm": "synthetic_ref",
        "wmt23/en-de.no_reference.mqm": "",
    }
    some = expanded(archive, entry | {"reference": "ref?"})
    assert [each.reference for each in some.entries] == ["refA", "refB"]
    none = expanded(archive, {"campaign": "wmt23", "reference": "x*"})
    assert not none.entries
    assert "no reference x* of it: wmt23/en-cs" in "\n".join(none.notices)
