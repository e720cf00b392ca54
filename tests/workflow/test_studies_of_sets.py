"""A study and the bench of difficulty estimators over the demo's two sets, to their pages."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

pytestmark = pytest.mark.slow

FOLDER = "results/demo_study"
EE = {"type": "EE", "difficulty": "chunk_entropy", "threshold": "quantile_0.9"}
NULLS = ["permuted", "random_subset"]
STUDY = {
    "title": "A study of the demo",
    "development": ["wmt*"],
    "tiers": {"surface": ["BLEU", "chrF"], "embedding": ["BERTScore"]},
    "contrasts": {
        "EE": {"weighting": "EE", "question": "Does EE help (H1, H2)?", "nulls": NULLS},
        "DA": {"weighting": "DA", "question": "Does DA help (H1)?", "primary": True},
        "others": {"weighting": "EE", "against": "estimates", "question": "EE or estimates?"},
        "elsewhere": {"weighting": "EE-elsewhere", "question": "And from elsewhere?"},
        "left-out": {"weighting": "EE-estimates", "question": "What no set has?"},
    },
    "elsewhere": {"EE-elsewhere": "EE"},
    "submissions": ["Oracle*"],
    "margin": 0.01,
    "resamples": 100,
    "nulls": 10,
}
STUDY["contrasts"]["EE"]["primary"] = True
SET = {"campaign": "demo", "reference": "refA", "gold": "mqm"}
SET["weightings"] = ["EE", "estimates", "DA"]
SET["metrics"] = ["BLEU", "chrF", "TER", "BERTScore", "Oracle-noisy"]
CONFIG = {
    "results": FOLDER,
    "difficulties": {
        "words": {"type": "length", "count": "words"},
        "disagreement": {"type": "disagreement"},
        "quality": {"type": "crowd", "metric": "Oracle-noisy"},
        "human": {"type": "human"},
        "items": {"type": "item_response"},
        "annotators": {"type": "gold", "name": "esa"},
    },
    "evaluation_sets": [SET | {"pair": pair} for pair in ("en-de", "en-zh")],
    "weightings": {
        "EE": EE | {"easy_weight": 0.5},
        "estimates": EE | {"difficulty": "estimates", "easy_weight": 0.5},
    },
    "significance": {"resamples": 200},
}


@pytest.fixture(scope="module")
def run(project):
    """Return what runs the study with changes, and what it printed."""

    def run_study(*targets, **changes):
        config = CONFIG | {"study": STUDY | changes}
        (project.root / "study.yaml").write_text(yaml.safe_dump(config))
        files = ["data/demo/config.yaml", "study.yaml"]
        return project.snakemake(*targets, "--configfile", *files)

    return run_study


@pytest.fixture(scope="module")
def results(project, run):
    printed, folder = run("study", "difficulty"), project.root / FOLDER
    for findings in ("study", "estimators"):
        text = (folder / findings / "findings.txt").read_text(encoding="utf-8")
        assert text in printed, findings
    return folder


def read(path):
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def test_every_difficulty_has_a_value_or_a_reason(results):
    values = read(results / "demo/en-de/estimators/values.csv")
    whole = values[(values.statistic == "dec") & values.domain.isna()].set_index("difficulty")
    assert {"source length", *CONFIG["difficulties"]} <= set(whole.index)
    assert whole.reason["annotators"] == "the archive has no esa scores of segments"
    assert whole.reason["token_dissimilarity"] == "a difficulty of tokens"
    there = whole[whole.reason.isna()]
    inside = (there.low <= there.value) & (there.value <= there.high)
    assert there[~inside].to_dict("index") == {}
    information = {"words": "source", "disagreement": "outputs", "human": "gold", "items": "gold"}
    information |= {"chunk_entropy": "reference", "estimates": "unstated"}
    assert dict(whole.information[list(information)]) == information


def test_dec_is_that_of_the_files(results):
    """From the demo's own human scores and estimates, without the package."""
    place = results.parents[1] / "data/demo"
    gold = place / "archive/demo/human-scores/en-de.mqm.seg.score"
    gold = pd.read_table(gold, header=None, na_values="None")
    estimates = pd.read_table(place / "estimates/en-de.tsv").groupby("segment").difficulty.first()
    taus = read(results / "demo/en-de/estimators/by_system.csv")
    taus = taus[(taus.statistic == "dec") & (taus.difficulty == "estimates")].set_index("system")
    for system, tau in taus.value.items():
        scores = gold[gold[0] == system][1].to_numpy()
        expected = stats.kendalltau(estimates.to_numpy(), -scores, nan_policy="omit").statistic
        assert tau == pytest.approx(expected, abs=1e-9), system


def test_pooled_effects_are_of_the_sets_effects(results):
    effects, pooled = (read(results / "study" / name) for name in ("effects.csv", "synthesis.csv"))
    pooled = pooled[pooled.phase == "all"].set_index(["contrast", "tier", "statistic"])
    assert {"EE", "DA", "others"} <= {key[0] for key in pooled.index}
    # Surface metrics have no tokens to weigh, and both sets say so.
    surface = pooled.loc["DA"].loc["surface"]
    assert surface.effect.dropna().to_dict() == {}
    reason = "2 × a weighting of tokens needs token matches"
    assert surface.reasons[~surface.reasons.str.contains(reason)].to_dict() == {}
    assert set(surface.verdict) == set(surface.fixed_verdict) == {"not computed"}
    # What is pooled has values; what is not has a reason.
    means = effects[effects.metric == "mean"].groupby(["contrast", "tier", "statistic"], sort=False)
    for key, values in means.effect:
        row = pooled.loc[key]
        assert np.isfinite(row.effect) or row.reason, key
        if np.isfinite(row.effect):
            assert row.low <= row.effect <= row.high, key
            assert values.min() - 1e-9 <= row.effect <= values.max() + 1e-9, key
            assert row.fixed_effect == pytest.approx(values.mean()), key
            assert row.sets == 2, key
    # Parameters from elsewhere need a development set.
    reasons = effects.groupby("contrast").reason.unique()
    assert reasons["left-out"] == ["EE-estimates is not among the set's weightings"]
    assert reasons["elsewhere"] == [
        "no development set of another campaign has correlations in two groups"
    ]


def test_a_study_has_its_checksum_and_a_change_after_a_run_is_shown(results, run):
    folder = results / "study"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r"<code>[0-9a-f]{64}</code>", page)
    assert "Does EE help (H1, H2)?" in page
    assert set(pd.read_csv(folder / "power.csv").margin) == {0.01}
    first = yaml.safe_load((folder / "registration.json").read_text())["checksum"]
    # No contrast need be primary.
    contrasts = {"EE": STUDY["contrasts"]["EE"] | {"primary": False}}
    run("study", margin=0.02, contrasts=contrasts)
    assert set(pd.read_csv(folder / "power.csv").contrast) == {"EE"}
    known = yaml.safe_load((folder / "registration.json").read_text())
    assert known["earlier"] == [first] != [known["checksum"]]
    assert first in (folder / "report.html").read_text(encoding="utf-8")
