"""The plan of a run: sets, papers and encoders that follow from a config, and what is refused."""

import os
from functools import reduce

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.plan import outputs
from mt_difficulty.plan.base import ARCHIVE, merge
from mt_difficulty.plan.check import check_run
from mt_difficulty.settings import WeightingSettings

PAPERS = ROOT / "workflow/papers"
CONFIG = read_yaml(ROOT / "config.yaml")
DEMO = merge(CONFIG, read_yaml(ROOT / "data/demo/config.yaml"))


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.chdir(ROOT)


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


def check(*changes, base=DEMO, papers=PAPERS):
    """The plan of a config that changes are merged into, and its problems."""
    sources = {str(number): content for number, content in enumerate([base, *changes])}
    return check_run(reduce(merge, sources.values()), sources, papers)


def planned(*changes, base=DEMO):
    """The plan of a config without problems."""
    plan, problems = check(*changes, base=base)
    assert problems == []
    return plan


def test_the_demo_and_the_paper_run_have_plans():
    demo, papers = planned(), planned(base=CONFIG)
    assert list(demo.sets) == demo.checked_sets == ["demo/en-de", "demo/en-zh"]
    assert demo.sets["demo/en-de"].used_encoders == ["random"]
    assert (demo.archive, papers.archive) == (str(ROOT / "data/demo/archive"), ARCHIVE)
    assert (len(papers.sets), papers.checked_sets) == (15, [])
    stored = [name for name, found in papers.sets.items() if not found.in_complexity]
    assert stored == ["wmt23/zh-en", "wmt23/en-de", "wmt23/he-en"]
    assert all(papers.sets[name].weightings == {} for name in stored)
    assert papers.sets["wmt19/en-de"].weightings.keys() == {
        "EE",
        "DA",
        "DA-LOO",
        "DA-reference",
        "EE-DA",
    }
    hebrew = papers.sets["wmt23/he-en"].import_settings
    assert (hebrew.reference, hebrew.ranked_references) == ("refB", ["refA"])
    assert papers.campaigns == ["wmt19", "wmt20", "wmt21.news", "wmt21.tedtalks", "wmt23"]
    assert (demo.needs_wordnet, papers.needs_wordnet) == (False, True)
    assert sum(each.required for each in papers.sets.values()) == 2


OWN = {"files": "mine", "campaign": "mine", "pair": "en-de", "metrics": ["BLEU"]}
SET = "campaign: demo, pair: en-de, reference: refA, gold: mqm"


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("papers: [liu2021]", "papers: no paper liu2021. There are: babych2004, liu2022, "),
        ("{papers: [], evaluation_sets: []}", "no evaluation set; name one in"),
        ("complexity: {reference_texts: {en-de: wmt9/x}}", "wmt9/x is no set of en-de; there ar"),
        (
            "{encoders: {mine: {folder: x}}, substitute_encoders: {de: mine}}",
            "encoders, mine: bert-score knows no layer of mine; set `layer`.",
        ),
        (
            "{metrics: {BERTScore: {encoder: tiny}}, substitute_encoders: {de: ''}}",
            "metrics, BERTScore: demo/en-de needs encoder tiny; config.encoders has: ",
        ),
        (f"{{evaluation_sets: [{{{SET}, metrics: [BERTScore]}}], neural: false}}", "no metrics b"),
        (f"evaluation_sets: [{{{SET}}}, {{{SET}}}]", "demo/en-de is named twice."),
        ("difficulties: {x: {type: crowd, metric: BLUE}}", "x: no metric BLUE; there are BERTS"),
        ("difficulties: {x: {type: mean, difficulty: estimats}}", "(did you mean estimates?)."),
        ("difficulties: {x: {type: mean, difficulty: x}}", "x is no difficulty of single hypo"),
        (
            "difficulties: {x: {type: mean, difficulty: token_dissimilarity}}",
            "is no difficulty of s",
        ),
        ("weightings: {x: {type: hardest, difficulty: token_dissimilarity}}", "and token_diss"),
        (
            "{difficulties: {l: {type: length}}, weightings: {x: {type: EE, difficulty: l}}}",
            "liu2022 (Eq. 11) was fitted to chunk entropies, and l is of type length; set `easy_w",
        ),
        ("weightings: {x: {type: combined, segments: EE, tokens: x}}", "x is no weighting of t"),
        (f"evaluation_sets: [{{{SET}, parameters: {{EE: {{h: 1}}}}}}]", "EE: unknown key `h`; th"),
        (
            f"{{metrics: {{CHRF: {{type: chrf}}}}, evaluation_sets: [{{{SET}, "
            "metrics: [chrF, CHRF]}]}",
            "config, metrics: chrF and CHRF differ in capital letters alone, which not every file",
        ),
        (
            f"evaluation_sets: [{{{SET}}}, {{files: data/demo, campaign: DEMO, pair: en-de}}]",
            "evaluation_sets: demo/en-de and DEMO/en-de differ in capital letters alone",
        ),
        (
            "{results: mine, evaluation_sets: [{files: mine, campaign: mine, pair: en-de}]}",
            "config, results: mine is the folder of mine/en-de's own files. Name another one.",
        ),
        ("results: data/demo/archive/new", "results: data/demo/archive/new lies in the archive"),
    ],
)
def test_what_is_wrong_with_a_plan_is_named_once(config, problem):
    _, problems = check(yaml.safe_load(config))
    assert sum(problem in line for line in problems) == 1, problems


def test_a_set_that_agrees_with_a_papers_is_that_set_and_any_other_has_its_own_folder():
    given = {"threshold": 0.53, "easy_weight": 0.35}
    EE = CONFIG["weightings"]["EE"]
    theirs = entry(campaign="wmt19", reference="ref", gold="wmt-z", metrics=["WNM"])
    agrees = theirs | {"parameters": {"EE": given}}
    plan = planned({"evaluation_sets": [theirs, agrees], "papers": ["zhan2021"]}, base=CONFIG)
    shared, apart = plan.sets["wmt19/en-de"], plan.sets["wmt19/en-de.ref.wmt-z"]
    assert shared.weightings["EE"] == WeightingSettings.of(EE | given)
    assert list(shared.metrics) == ["BLEU-intl", "TER", "METEOR", "BERTScore-rescaled", "WNM"]
    assert shared.segments == "all"  # as the paper says
    assert apart.weightings["EE"] == WeightingSettings.of(EE)
    assert (list(apart.metrics), apart.segments) == (["WNM"], "rated")
    required = {name for name, each in plan.sets.items() if each.required}
    assert required == {"wmt19/en-de", "wmt19/en-de.ref.wmt-z"}
    # What the config says beside the paper is another set's, too.
    settings = {"evaluation_sets": [agrees], "papers": ["zhan2021"]}
    settings |= {"difficulties": {"chunk_entropy": {"aligner": "exact"}}}
    assert "wmt19/en-de.ref.wmt-z" in planned(settings, base=CONFIG).sets
    for changes in ({"segments": "rated"}, {"exclude": ["online-A.0"]}):
        config = {"evaluation_sets": [agrees | changes], "papers": ["zhan2021"]}
        assert "wmt19/en-de.ref.wmt-z" in planned(config, base=CONFIG).sets, changes


def test_own_files_never_take_the_place_of_a_papers_set():
    own = {"files": "~/my files", "campaign": "wmt19", "pair": "en-de"}
    config = {"papers": ["liu2022"], "neural": False, "evaluation_sets": [own]}
    plan = planned(config, base=CONFIG)
    assert plan.sets["wmt19/en-de"].files is None
    assert plan.sets["wmt19/en-de.my_files"].files == os.path.expanduser("~/my files")


def test_papers_that_differ_on_a_set_are_refused(tmp_path):
    names = ["liu2022", "zhan2021"]
    for name, threshold in zip(names, ("0.53", "0.6"), strict=True):
        text = (PAPERS / f"{name}.yaml").read_text()
        text = text.replace("threshold: 0.53", f"threshold: {threshold}")
        (tmp_path / f"{name}.yaml").write_text(text)
    config = {"papers": names, "evaluation_sets": []}
    plan, problems = check(config, base=CONFIG, papers=tmp_path)
    assert problems == ["config, papers: two papers differ on wmt19/en-de; run one of them."]
    assert "wmt19/de-en" in plan.sets


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("authors:", "autors:", "unknown key `autors` (did you mean authors?)"),
        ("type: ter", "type: terr", "metrics.TER: no type terr; there are"),
        ("    segment: 1468", "", "figures.figure1: the key `segment` is missing"),
        ("    sums: [", "    sum: [", "tables.table2: unknown key `sum` (did you mean sums?)"),
        ("set: wmt19/en-de", "set: wmt19/en-ed", "no set wmt19/en-ed; there are wmt19/en-de, "),
        ("check: {kind: higher, item: table1", "check: {kind: higher, item: t1", "no item t1"),
        ("kind: ranking", "kind: rankin", "tables.table2.kind: expected one of ablation, "),
        ("weighting: DA, pub", "weighting: AD, pub", "table1: no weighting AD; there are standard"),
        ("year: 2021", "year: 2021\nyear: 2021", "line 6: not as expected: the key `year`"),
    ],
)
def test_a_wrong_papers_file_is_named(tmp_path, old, new, problem):
    text = (PAPERS / "zhan2021.yaml").read_text().replace(old, new, 1)
    (tmp_path / "wrong.yaml").write_text(text)
    config = {"papers": ["wrong"], "evaluation_sets": []}
    _, problems = check(config, base=CONFIG, papers=tmp_path)
    assert problem in problems[0]
    assert "wrong.yaml" in problems[0]


@pytest.mark.parametrize(
    ("pair", "choice", "substitutes", "used"),
    [
        ("en-de", {"de": "a", "other": "b"}, {}, "a"),
        ("en-fr", {"de": "a", "other": "b"}, {}, "b"),
        ("en-fr", {"de": "a"}, {}, "bert-base-multilingual-cased"),  # bert-score's
        ("en-fr", "a", {}, "a"),
        ("en-de", "a", {"de": "b"}, "b"),
        ("en-de", "a", {"de": "b", "en-de": "c"}, "c"),
        ("fr-de", "a", {"de": "b", "en-de": "c"}, "b"),
    ],
)
def test_the_encoder_of_a_set(pair, choice, substitutes, used):
    config = {
        "evaluation_sets": [entry(pair=pair, metrics=["B"])],
        "metrics": {"B": {"type": "bertscore", "encoder": choice}},
        "encoders": {name: {"hidden_size": 8, "layers": 1} for name in "abc"},
        "substitute_encoders": {"de": "", "zh": ""} | substitutes,
    }
    plan, _ = check(config | {"complexity": {"reference_texts": None}})
    assert plan.sets[f"demo/{pair}"].encoders == {"B": used}


def test_without_neural_metrics_papers_say_what_is_left_out():
    plan = planned({"neural": False}, base=CONFIG)
    assert plan.encoders == {}
    assert outputs.left_out(plan, "liu2022") == dict.fromkeys(
        ["BERTScore", "BERTScore-rescaled"], "neural metrics were left out (NEURAL=no)"
    )
    of_set = plan.files("wmt19/en-de", *outputs.FILES_OF_SET)
    assert outputs.item_inputs(plan, "zhan2021", "table3") == of_set
    assert not [path for path in outputs.final_outputs(plan) if "/matches/" in path]


def test_partial_targets_are_papers_their_items_and_sets():
    targets = outputs.partial_targets(planned(base=CONFIG))
    assert targets["liu2022_table1"] == [
        f"results/papers/liu2022/table1.{end}" for end in ("csv", "md", "tex")
    ]
    assert "results/papers/liu2022/table2_statistics.csv" in targets["liu2022_table2"]
    assert set(targets["liu2022_table2"]) < set(targets["liu2022"])
    assert "results/wmt19/en-de/figures/token_heat_map.pdf" in targets["wmt19_en_de"]
    assert {"babych2004_figure1", "wmt21_tedtalks_en_de", "wmt21_news_en_zh"} <= targets.keys()
    pages = {"results/wmt21.news/en-zh/report.html", "results/report.html"}
    assert pages <= set(targets["wmt21_news_en_zh"])


def test_a_set_chooses_weightings_and_gives_them_parameters():
    tuned = entry(parameters={"EE": {"threshold": 0.5}}, tuned=["EE"])
    plan = planned({"evaluation_sets": [tuned]})
    chosen = plan.sets["demo/en-de"].weightings
    expected = DEMO["weightings"]["EE"] | {"threshold": 0.5}
    assert chosen["EE"] == WeightingSettings.of(expected)
    assert list(chosen) == ["EE", "DA", "DA-LOO", "EE-DA", "EE-estimates"]
    assert plan.sets["demo/en-de"].all_tuned == ["EE", "EE-DA"]  # of which EE is a part
    plan = planned({"evaluation_sets": [entry(weightings=["DA", "EE"], metrics=["BLEU"])]})
    assert list(plan.sets["demo/en-de"].weightings) == ["DA", "EE"]
    assert plan.sets["demo/en-de"].all_tuned == []


def test_files_that_nothing_reads_are_noticed(tmp_path):
    own = OWN | {"files": str(tmp_path / "own"), "metrics": ["BLEU", "COMET"]}
    config = {"metrics": {"COMET": {"type": "stored"}}, "evaluation_sets": [own]}
    config["difficulties"] = {
        "theirs": {"type": "file"},
        "other": {"type": "file", "file": f"{tmp_path}/own/difficulty/shared.tsv"},
    }
    read = ["scores/COMET.tsv", "difficulty/theirs.tsv", "difficulty/shared.tsv"]
    for file in (*read, "scores/BLEU.tsv", "difficulty/chunk_entropy.tsv", "scores/.hidden"):
        (tmp_path / "own" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / file).touch()
    config["evaluation_sets"].append(entry(metrics=["BLEU"]))
    plan, folder = planned(config), f"{tmp_path}/own"
    metric, difficulty = plan.unread("mine/en-de")
    assert metric.startswith(f"no metric reads {folder}/scores/BLEU.tsv; those of type stored ")
    assert difficulty.startswith(f"no difficulty reads {folder}/difficulty/chunk_entropy.tsv; ")
    assert plan.unread("demo/en-de") == []
    location = plan.difficulty_location("mine/en-de", "theirs")
    assert location == f"{folder}/difficulty/theirs.tsv"
    assert plan.difficulty_location("demo/en-de", "theirs") is None


RATINGS = "annotations: [README.md]"  # any file: its content is read when the set is


def test_a_sets_ratings_have_a_gold_with_settings():
    """By name or with settings; the default is mixed. The set's human scores are named by both."""
    stated = {
        "": "mixed",
        "gold: z": "z",
        "gold: {type: mixed, response: z}": "mixed response:z",
        "gold: {type: mixed, resamples: 200, response: z}": "mixed resamples:200 response:z",
    }
    for gold, name in stated.items():
        entry = f"campaign: demo, pair: en-de, {RATINGS}, reference: refA, {gold}"
        text = f"evaluation_sets: [{{{entry}}}]"
        each = planned(yaml.safe_load(text)).sets["demo/en-de"]
        assert each.gold == each.rating_gold.name == name
        assert each.import_settings.rating_gold == each.rating_gold


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        ("mixde", "gold: of annotations it is one of mean, mixed, within_screen, z; found 'mixde'"),
        (
            "{type: mixed, draws: 5}",
            "gold: unknown key `draws`; there are type, response, resample",
        ),
        ("{type: mixed, response: log}", "gold: response log: expected one of raw, z"),
        ("{type: mixed, resamples: 1.5}", "gold: resamples: expected a whole number, found 1.5"),
        ("{response: z}", "gold: the key `type` is missing"),
    ],
)
def test_wrong_settings_of_a_gold_are_named(gold, problem):
    entry = f"{{campaign: demo, pair: en-de, reference: refA, {RATINGS}, gold: {gold}}}"
    _, problems = check(yaml.safe_load(f"evaluation_sets: [{entry}]"))
    assert len(problems) == 1
    assert f"evaluation_sets[0].{problem}" in problems[0]


def test_settings_of_a_gold_need_annotations():
    text = "evaluation_sets: [{campaign: demo, pair: en-de, reference: refA, gold: {type: mixed}}]"
    _, (problem,) = check(yaml.safe_load(text))
    assert "settings need the key `annotations`" in problem
