"""The plan of a run: sets, papers and encoders that follow from a config, and what is refused."""

from functools import reduce

import pytest
from conftest import ROOT

from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run import configs, outputs
from mt_difficulty.run import plan as plans
from mt_difficulty.run.papers import check_papers
from mt_difficulty.run.plan import ARCHIVE, make_plan, read_papers

PAPERS = ROOT / "workflow/papers"
CONFIG = read_yaml(ROOT / "config.yaml")
DEMO = configs.merge(CONFIG, read_yaml(ROOT / "data/demo/config.yaml"))
NOTHING = {"papers": [], "evaluation_sets": []}


@pytest.fixture(autouse=True)
def _no_earlier_runs(monkeypatch):
    """Whatever results this checkout has."""
    monkeypatch.setattr(configs, "protocols", lambda results: {})


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


def check(*changes, base=DEMO):
    """The plan of a config that changes are merged into, and its problems."""
    files = {f"{number}.yaml": change for number, change in enumerate(changes, 1)}
    sources = {"config.yaml": base} | files
    return configs.check_run(reduce(configs.merge, sources.values()), sources, ROOT, PAPERS)


def exact_aligner():
    return {"difficulties": {"chunk_entropy": {"aligner": "exact"}}}


def planned(*changes, base=DEMO):
    """The plan of a config without problems."""
    plan, problems = check(*changes, base=base)
    assert problems == []
    return plan


def test_the_demo_and_the_paper_run_have_plans():
    demo, papers = planned(), planned(base=CONFIG)
    assert list(demo.sets) == ["demo/en-de", "demo/en-zh"]
    assert demo.sets["demo/en-de"].used_encoders == ["random"]
    assert (demo.checked_sets, demo.campaigns) == (list(demo.sets), ["demo"])
    assert (demo.archive, papers.archive) == (str(ROOT / "data/demo/archive"), ARCHIVE)
    assert len(papers.sets) == 12
    assert papers.checked_sets == []
    assert (demo.needs_wordnet, papers.needs_wordnet) == (False, True)
    assert sum(each.required for each in papers.sets.values()) == 2


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (
            {"statistics": ["pearson", "kendal", "spearman", "kendall"]},
            "config, statistics: no statistic kendal; there are acc23, acc_eq, accuracy, "
            "kendall, pearson, segment_kendall, segment_pearson, soft_accuracy, spearman "
            "(did you mean kendall?).",
        ),
        (
            {"papers": ["liu2021"]},
            "config, papers: no paper liu2021. There are: babych2004, liu2022, zhan2021 "
            "(did you mean liu2022?).",
        ),
        (NOTHING, "config: no evaluation set; name one in evaluation_sets or papers."),
        (
            {"complexity": {"reference_texts": {"en-de": "wmt99/en-de"}}},
            "config, complexity, reference_texts: wmt99/en-de is no set of en-de; there are: "
            "demo/en-de.",
        ),
        (
            {"substitute_encoders": {"de": "tiny"}},
            "config, substitute_encoders: no encoder tiny; config.encoders has: roberta-large, ",
        ),
        (
            {"encoders": {"mine": {"folder": "x"}}, "substitute_encoders": {"de": "mine"}},
            "config, encoders, mine: bert-score knows no layer of mine; set `layer`.",
        ),
        (
            {"metrics": {"BERTScore": {"encoder": "tiny"}}, "substitute_encoders": {"de": ""}},
            "config, metrics, BERTScore: demo/en-de needs encoder tiny; config.encoders has: ",
        ),
    ],
)
def test_a_wrong_config_is_named(config, problem):
    _, found = check(config)
    assert [line for line in found if problem in line], found


def test_every_problem_is_told_at_once():
    sets = [
        entry(metrics=["BLEU", "COMET"]),
        entry(metrics=["BERTScore"], pair="en-zh"),
        entry(metrics=["chrF"]),
        entry(metrics=["chrF"]),
    ]
    config = {"evaluation_sets": sets, "papers": ["liu2021"], "neural": False, "archive": "none"}
    config |= {"metrics": {"Mine": {"type": "bleau"}}}
    plan, found = check(config)
    assert [line.split(";")[0].split(". ")[0] for line in found] == [
        "archive: no such file or folder: none",
        "config, metrics, Mine: no type bleau",
        "config, papers: no paper liu2021",
        "config, evaluation_sets: no metric COMET",
        "config, evaluation_sets: demo/en-zh has no metrics but neural ones, which this run leaves "
        "out (neural: false).",
        "config, evaluation_sets: demo/en-de is named twice.",
    ]
    assert list(plan.sets) == ["demo/en-de"]  # what is fine is planned


def test_a_papers_set_keeps_its_protocol():
    mine = entry(campaign="wmt19", pair="en-de", reference="ref", gold="wmt-z")
    plan = planned({"evaluation_sets": [mine], "papers": ["liu2022"]}, base=CONFIG)
    # The paper gives a threshold and an easy weight, the entry does not: another set.
    EE = CONFIG["weightings"]["EE"]
    given = {"threshold": 0.53, "easy_weight": 0.35}
    assert plan.sets["wmt19/en-de"].weightings["EE"] == EE | given
    assert plan.sets["wmt19/en-de.ref.wmt-z"].weightings["EE"] == EE
    assert [plan.sets[name].required for name in ("wmt19/en-de", "wmt19/en-de.ref.wmt-z")] == [
        False,
        True,
    ]


def test_a_set_that_agrees_with_a_papers_is_that_set():
    given = {"EE": {"threshold": 0.53, "easy_weight": 0.35}}
    mine = entry(campaign="wmt19", pair="en-de", reference="ref", gold="wmt-z", parameters=given)
    plan = planned(
        {"evaluation_sets": [mine | {"metrics": ["WNM"]}], "papers": ["zhan2021"]}, base=CONFIG
    )
    found = plan.sets["wmt19/en-de"]
    assert found.required
    assert list(found.metrics) == ["BLEU-intl", "TER", "METEOR", "BERTScore-rescaled", "WNM"]
    # What it says beside the paper is another set's, too.
    settings = {"evaluation_sets": [mine], "papers": ["zhan2021"]}
    plan = planned(settings | exact_aligner(), base=CONFIG)
    assert "wmt19/en-de.ref.wmt-z" in plan.sets


def test_own_files_never_take_the_place_of_a_papers_set():
    own = {"files": "~/some where/my files", "campaign": "wmt19", "pair": "en-de"}
    config = {"papers": ["liu2022"], "neural": False, "evaluation_sets": [own]}
    plan = planned(config, base=CONFIG)
    assert plan.sets["wmt19/en-de"].files is None
    found = plan.sets["wmt19/en-de.my_files"]
    assert found.files.endswith("/some where/my files")
    assert not found.files.startswith("~")
    assert plan.campaigns == ["wmt19", "wmt20", "wmt21.news"]


def test_papers_that_differ_on_a_set_are_refused():
    papers = read_papers(["liu2022", "zhan2021"], PAPERS)
    papers["zhan2021"]["sets"][0]["parameters"]["EE"]["threshold"] = 0.6
    plan, problems = make_plan(CONFIG | {"papers": list(papers), "evaluation_sets": []}, papers)
    assert problems == ["config, papers: two papers differ on wmt19/en-de; run one of them."]
    assert "wmt19/de-en" in plan.sets


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("authors:", "autors:", "unknown key `autors` (did you mean authors?)"),
        ("type: ter", "type: terr", "config, metrics, TER: no type terr; there are"),
        ("    segment: 1468", "", "figures.figure1: the key `segment` is missing"),
        ("    sums: [", "    sum: [", "tables.table2: unknown key `sum` (did you mean sums?)"),
        ("set: wmt19/en-de", "set: wmt19/en-ed", "no set wmt19/en-ed; there are wmt19/en-de, "),
        (
            "check: {kind: higher, item: table1",
            "check: {kind: higher, item: table9",
            "no item table9",
        ),
        (
            "year: 2021",
            "year: 2021\nyear: 2021",
            "line 6: not as expected: the key `year` is there",
        ),
    ],
)
def test_a_wrong_papers_file_is_named(tmp_path, old, new, problem):
    text = (PAPERS / "zhan2021.yaml").read_text().replace(old, new, 1)
    (tmp_path / "wrong.yaml").write_text(text)
    papers, found = check_papers(["wrong"], tmp_path)
    assert papers == {}
    assert problem.removeprefix("config, ") in found[0]
    assert "wrong.yaml" in found[0]


def test_a_papers_cells_say_which_encoder_they_are_not_made_with():
    encoders = {"tiny": {"hidden_size": 8, "layers": 2}}
    config = {"papers": ["zhan2021"], "evaluation_sets": [], "encoders": encoders}
    config |= {"substitute_encoders": {"de": "tiny"}}
    plan = planned(config, base=CONFIG)
    assert outputs.substitutions(plan, "zhan2021") == {
        "wmt19/en-de": {
            "BERTScore-rescaled": "encoder tiny (layer 2, float32), not the paper's "
            "bert-base-multilingual-cased (layer 9, float32)"
        },
        "wmt19/de-en": {},
    }


@pytest.mark.parametrize(
    ("pair", "choice", "wanted"),
    [
        ("en-de", {"de": "a", "other": "b"}, "a"),
        ("en-fr", {"de": "a", "other": "b"}, "b"),
        ("en-fr", {"de": "a"}, "bert-base-multilingual-cased"),  # bert-score's
        ("en-fr", "a", "a"),
    ],
)
def test_a_metric_names_its_encoder_or_one_for_all_other_languages(pair, choice, wanted):
    known = {"encoders": {"a": {}, "b": {}, "bert-base-multilingual-cased": {}}}
    entry = {"pair": pair, "metrics": {"B": {"type": "bertscore", "encoder": choice}}}
    assert plans.wanted_encoder(known, "x", entry, "B") == wanted


def test_a_pairs_substitute_goes_before_its_languages():
    config = CONFIG | {"substitute_encoders": {"de": "roberta-large", "en-de": "bert-base-chinese"}}
    metrics = {"BERTScore": {"type": "bertscore"}}
    for pair, used in (("en-de", "bert-base-chinese"), ("fr-de", "roberta-large")):
        found = plans.used_encoder(config, "x", {"pair": pair, "metrics": metrics}, "BERTScore")
        assert found == used


def test_without_neural_metrics_papers_say_what_is_left_out():
    plan = planned({"neural": False}, base=CONFIG)
    assert plan.encoders == {}
    assert outputs.left_out(plan, "liu2022") == dict.fromkeys(
        ["BERTScore", "BERTScore-rescaled"], "neural metrics were left out (NEURAL=no)"
    )
    assert outputs.item_inputs(plan, "zhan2021", "table3") == [
        "results/wmt19/en-de/evalset.json",
        "results/wmt19/en-de/missing.csv",
    ]
    assert outputs.item_inputs(plan, "zhan2021", "figure1") == []
    assert not [path for path in outputs.final_outputs(plan) if "/matches/" in path]


def test_partial_targets_are_papers_their_items_and_sets():
    targets = outputs.partial_targets(planned(base=CONFIG))
    assert targets["liu2022_table1"] == [
        f"results/papers/liu2022/table1.{end}" for end in ("csv", "md", "tex")
    ]
    assert "results/papers/liu2022/table2_statistics.md" in targets["liu2022_table2"]
    assert set(targets["liu2022_table2"]) < set(targets["liu2022"])
    assert "results/wmt19/en-de/figures/token_heat_map.pdf" in targets["wmt19_en_de"]
    assert {"babych2004_figure1", "wmt21_tedtalks_en_de", "wmt21_news_en_zh"} <= targets.keys()
    pages = {"results/wmt21.news/en-zh/report.html", "results/report.html"}
    assert pages <= set(targets["wmt21_news_en_zh"])
    # Campaign and pair are enough where no other set has this folder.
    there = {"demo/en-de": {"reference": "refB", "gold": "mqm", "segments": "rated"}}
    config = CONFIG | {"papers": [], "evaluation_sets": [entry()]}
    plan, _ = make_plan(config, {}, there=there)
    names = ["demo/en-de.refA.mqm"]
    assert outputs.set_targets(plan) == {"demo_en_de": names, "demo_en_de_refA_mqm": names}


def test_random_weights_have_no_more_layers_than_they_are_given():
    config = {"encoders": {"random": {"layer": 5}}}
    _, found = check(config)
    assert found == ["config, encoders, random: there is no layer 5, only 0 to 2."]
    assert planned({"encoders": {"random": {"layer": 0}}}).encoders["random"]["layer"] == 0


def of_grid(difficulties=None, weightings=None, **of_set):
    """A config of one set with further difficulties and weightings."""
    sets = [entry(metrics=["BLEU", "BERTScore"], **of_set)]
    kinds = {"difficulties": difficulties or {}, "weightings": weightings or {}}
    return {"evaluation_sets": sets} | kinds


LENGTH = {"length": {"type": "length"}}


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (of_grid({"x": {"type": "lenght"}}), "difficulties, x: no type lenght; there are "),
        (
            of_grid({"x": {"type": "crowd"}}),
            "difficulties, x: the key `metric` is missing.",
        ),
        (
            of_grid({"x": {"type": "crowd", "metric": "BLUE"}}),
            "difficulties, x: no metric BLUE; there are BERTScore, BLEU, METEOR, Oracle-noisy, "
            "TER, WNM, chrF (did you mean BLEU?).",
        ),
        (
            of_grid({"x": {"type": "mean", "difficulty": "lenth"}} | LENGTH),
            "difficulties, x: no difficulty lenth; there are chunk_entropy, token_dissimilarity, "
            "token_dissimilarity_others, estimates, x, length (did you mean length?).",
        ),
        *(
            (
                of_grid({"x": {"type": "mean", "difficulty": other}} | LENGTH),
                f"difficulties, x: difficulty: {other} is no difficulty of single hypotheses",
            )
            for other in ("x", "length", "token_dissimilarity")
        ),
        (
            of_grid(None, {"x": {"type": "hardest"}}),
            "weightings, x: hardest needs the name of a difficulty as its `difficulty`.",
        ),
        (
            of_grid(None, {"x": {"type": "hardest", "difficulty": "token_dissimilarity"}}),
            "weightings, x: hardest takes a difficulty of segments or hypotheses, and "
            "token_dissimilarity is one of tokens.",
        ),
        (
            of_grid(LENGTH, {"x": {"type": "groups", "difficulty": "length"}}),
            "weightings, x: easy_weight: liu2022 (Eq. 11) was fitted to chunk entropies, and "
            "length is of type length; set `easy_weight` to share or to a number.",
        ),
        (
            of_grid(None, {"x": {"type": "combined", "segments": "EE", "tokens": "x"}}),
            "weightings, x: tokens: x is no weighting of tokens.",
        ),
        (
            of_grid(parameters={"EF": {"threshold": 0.5}}),
            "evaluation_sets: demo/en-de: parameters: no weighting EF; there are EE, ",
        ),
        (
            of_grid(weightings=None, parameters={"EE": {"h": 0.5}}),
            "demo/en-de: weightings, EE: groups has no setting h; it has threshold, easy_weight, "
            "zero_segments.",
        ),
    ],
)
def test_a_wrong_difficulty_or_weighting_is_named_once(config, problem):
    _, (found,) = check(config)
    assert found.removeprefix("config, ").startswith(problem)


def test_a_tuned_weighting_is_named_and_so_is_one_that_lies_over_it():
    plan = planned(of_grid(parameters={"EE": {"threshold": 0.5}}))
    assert plan.sets["demo/en-de"].all_tuned == []
    plan = planned(of_grid(parameters={"EE": {"threshold": 0.5}}, tuned=["EE"]))
    assert plan.sets["demo/en-de"].all_tuned == ["EE", "EE-DA"]


@pytest.mark.parametrize("papers", [["liu2022"], ["zhan2021", "liu2022"]])
def test_the_papers_parameters_were_tuned_on_the_sets_of_wmt19(papers):
    plan = planned({"papers": papers, "evaluation_sets": []}, base=CONFIG)
    for name, found in plan.sets.items():
        expected = ["EE", "EE-DA"] if name.startswith("wmt19/") else []
        assert [each for each in found.all_tuned if each in expected] == expected, name
        assert "DA" not in found.all_tuned


def test_a_set_chooses_weightings_and_gives_them_parameters():
    plan = planned(of_grid(parameters={"EE": {"threshold": 0.5}}))
    found = plan.sets["demo/en-de"].weightings
    assert found["EE"] == DEMO["weightings"]["EE"] | {"threshold": 0.5}
    assert list(found) == ["EE", "DA", "DA-LOO", "EE-DA", "EE-estimates"]
    plan = planned({"evaluation_sets": [entry(weightings=["DA", "EE"], metrics=["BLEU"])]})
    assert list(plan.sets["demo/en-de"].weightings) == ["DA", "EE"]
    for names, problem in (
        (["EE", "EE-DA"], "weightings: EE-DA combines EE and DA; name DA, too."),
        (["EE-AD"], "no weighting EE-AD; there are EE, DA, DA-LOO, EE-DA, EE-estimates "),
    ):
        _, (found,) = check({"evaluation_sets": [entry(weightings=names)]})
        assert found.startswith(f"config, evaluation_sets: demo/en-de: {problem}")


OWN = {"files": "mine", "campaign": "mine", "pair": "en-de", "metrics": ["BLEU"]}


def test_estimates_without_a_file_are_looked_for_in_the_folder_of_own_files():
    theirs = {"theirs": {"type": "file"}}
    plan = planned({"difficulties": theirs, "evaluation_sets": [OWN, entry(metrics=["BLEU"])]})
    assert plan.estimates_file("mine/en-de", "theirs") == "mine/difficulty/theirs.tsv"
    assert plan.estimates_file("demo/en-de", "theirs") is None


def test_references_of_one_folder_have_results_of_their_own():
    references = [OWN | {"reference": name} for name in ("refA", "ref-B", "ü.1 2")]
    sets = planned({"evaluation_sets": [OWN, *references]}).sets
    assert {name: each.reference for name, each in sets.items()} == {
        "mine/en-de": None,
        "mine/en-de.mine.refA": "refA",
        "mine/en-de.mine.ref-B": "ref-B",
        "mine/en-de.mine.ü.1_2": "ü.1 2",
    }
    _, found = check({"evaluation_sets": [*references, references[-1]]})
    assert found == ["config, evaluation_sets: mine/en-de.mine.ü.1_2 is named twice."]


def test_a_set_that_differs_from_an_earlier_runs_has_a_folder_of_its_own():
    mine = entry(campaign="wmt99", pair="en-de", reference="refB", gold="mqm")
    there = {"wmt99/en-de": {"reference": "refB", "gold": "mqm", "segments": "rated"}}

    def names(*entries, there=there, **settings):
        config = configs.merge(CONFIG, settings | {"evaluation_sets": [*entries]})
        papers = read_papers(config["papers"], PAPERS)
        plan, problems = make_plan(config, papers, there=there)
        return list(plan.sets), [*plan.notices, *problems]

    assert names(mine, papers=[]) == (["wmt99/en-de"], [])
    for changes, name in (
        ({"reference": "refA"}, "wmt99/en-de.refA.mqm"),
        ({"gold": "esa"}, "wmt99/en-de.refB.esa"),
        ({"segments": "all"}, "wmt99/en-de.refB.mqm.all"),
    ):
        (found,), (notice,) = names(mine | changes, papers=[])
        assert found == name
        assert "wmt99/en-de has results with reference refB, gold mqm, segments rated" in notice
        # That set's own run finds its folder again, in whichever order they are named.
        assert names(mine | changes, mine, papers=[]) == ([name, "wmt99/en-de"], [])
    # A paper's set is where its tables look for it.
    theirs = {"wmt19/en-de": {"reference": "ref", "gold": "wmt-z", "segments": "all"}}
    assert names(papers=["zhan2021"], there=theirs)[1] == []
    theirs["wmt19/en-de"]["segments"] = "rated"
    (problem,) = names(papers=["zhan2021"], there=theirs)[1]
    assert "results/wmt19/en-de has reference ref, gold wmt-z, segments rated" in problem


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
    assert planned(config).unread("mine/en-de") == [
        f"no metric reads {tmp_path}/own/scores/BLEU.tsv; those of type stored read "
        "scores/<metric>.tsv.",
        f"no difficulty reads {tmp_path}/own/difficulty/chunk_entropy.tsv; those of type file "
        "read difficulty/<name>.tsv.",
    ]
    assert planned().unread("demo/en-de") == []
