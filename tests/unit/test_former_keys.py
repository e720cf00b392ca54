"""Keys that configs and papers' files once had: refused, with the new ones spelt."""

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run import configs, former_keys
from mt_difficulty.run.papers import check_papers

CONFIG = read_yaml(ROOT / "config.yaml")
SET = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}
OLD = {
    "EE": {
        "aligner": "exact",
        "zero_links": "infinite",
        "zero_segments": "keep",
        "threshold": "Eq. 5",
    },
    "DA": {"unseen": "reference"},
    "evaluation_sets": [SET, SET | {"h": 0.5, "w": 0.4}],
}
NEW = {
    "EE": "`difficulties: {chunk_entropy: {type: chunk_entropy, aligner: exact, zero_links: "
    "infinite}}` and `weightings: {EE: {type: groups, difficulty: chunk_entropy, zero_segments: "
    "keep, threshold: rank_0.05}}`",
    "DA": "`weightings: {DA: {type: tokens, difficulty: token_dissimilarity, unseen: reference}, "
    "DA-LOO: {type: tokens, difficulty: token_dissimilarity_others, unseen: reference}}`",
    "sets": "`parameters: {EE: {threshold: 0.5, easy_weight: 0.4}}`",
}


def problems(mine):
    sources = {"config.yaml": CONFIG, "mine.yaml": mine}
    return configs.problems(configs.merge(CONFIG, mine), sources, ROOT)


def entries(text):
    """The entries that a line spells."""
    found = {}
    for part in text.split("`")[1::2]:
        found |= yaml.safe_load(part)
    return found


def test_former_keys_are_told_with_the_users_values():
    assert problems(OLD) == [
        f"mine.yaml: DA: this key is gone; write {NEW['DA']}.",
        f"mine.yaml: EE: this key is gone; write {NEW['EE']}.",
        f"mine.yaml: evaluation_sets[1]: in the place of h and w write {NEW['sets']}.",
    ]


def test_what_they_spell_is_a_config_without_problems():
    mine = configs.merge(entries(NEW["EE"]), entries(NEW["DA"]))
    mine |= {"papers": [], "evaluation_sets": [SET | entries(NEW["sets"]) | {"metrics": ["BLEU"]}]}
    mine |= {"archive": "data/demo/archive"}
    sources = {"config.yaml": CONFIG, "mine.yaml": mine}
    merged = configs.merge(CONFIG, mine)
    plan, found = configs.check_run(merged, sources, ROOT, ROOT / "workflow/papers")
    assert found == []
    planned = plan.sets["demo/en-de"]
    assert planned.difficulties["chunk_entropy"]["aligner"] == "exact"
    assert planned.weightings["EE"] == {
        "type": "groups",
        "difficulty": "chunk_entropy",
        "threshold": 0.5,
        "easy_weight": 0.4,
        "zero_segments": "keep",
    }
    assert planned.weightings["DA-LOO"]["unseen"] == "reference"


@pytest.mark.parametrize(
    ("mine", "reported"),
    [
        ({"EE": {}}, "EE: this key is gone; write `difficulties` and `weightings`."),
        ({"DA": 1}, "DA: this key is gone; write `difficulties` and `weightings`."),
        (
            {"evaluation_sets": [SET | {"w": 0.4}]},
            "evaluation_sets[0]: in the place of w write `parameters: {EE: {easy_weight: 0.4}}`.",
        ),
    ],
)
def test_each_of_them_is_reported(mine, reported):
    assert problems(mine) == [f"mine.yaml: {reported}"]


def test_other_problems_are_told_beside_them():
    found = problems({"EE": {}, "sede": 1, "evaluation_sets": [SET | {"h": 0.5, "metric": []}, 3]})
    assert [line.removeprefix("mine.yaml: ").split(":")[0] for line in found] == [
        *("EE", "evaluation_sets[0]", "evaluation_sets[0]", "evaluation_sets[1]"),
        "unknown key `sede` (did you mean seed?)",
    ]


def test_a_papers_file_is_told_alike(tmp_path):
    paper = read_yaml(ROOT / "workflow/papers/zhan2021.yaml")
    old = {key: value for key, value in paper.items() if key not in ("difficulties", "weightings")}
    old["sets"] = [
        {key: value for key, value in entry.items() if key != "parameters"} | {"h": 0.5, "w": 0.4}
        for entry in paper["sets"]
    ]
    old |= {"EE": OLD["EE"], "DA": OLD["DA"]}
    (tmp_path / "old.yaml").write_text(yaml.safe_dump(old, sort_keys=False))
    papers, found = check_papers(["old"], tmp_path)
    assert papers == {}
    assert [line.split("old.yaml: ")[1] for line in found] == [
        f"DA: this key is gone; write {NEW['DA']}.",
        f"EE: this key is gone; write {NEW['EE']}.",
        *(f"sets[{place}]: in the place of h and w write {NEW['sets']}." for place in (0, 1)),
    ]


@pytest.mark.parametrize("content", [None, [], 1, "EE"])
def test_what_is_no_mapping_has_none(content):
    assert list(former_keys.problems(content)) == []
    assert former_keys.without(content) == content
