"""A study over the demo's two sets, from its file to its page."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from page_visit import violations

pytestmark = pytest.mark.slow

EE = {"type": "groups", "difficulty": "chunk_entropy", "threshold": "quantile_0.9"}
STUDY = {
    "title": "A study of the demo",
    "development": ["wmt*"],
    "tiers": {"surface": ["BLEU", "chrF"], "embedding": ["BERTScore"]},
    "contrasts": {
        "EE": {
            "weighting": "EE",
            "question": "Does EE help (H1, H2)?",
            "primary": True,
            "nulls": ["permuted", "random_subset"],
        },
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
SET = {
    "campaign": "demo",
    "reference": "refA",
    "gold": "mqm",
    "weightings": ["EE", "estimates", "DA"],
}
SET["metrics"] = ["BLEU", "chrF", "TER", "BERTScore", "Oracle-noisy"]
CONFIG = {
    "results": "results/demo_study",
    "evaluation_sets": [SET | {"pair": pair} for pair in ("en-de", "en-zh")],
    "weightings": {
        "EE": EE | {"easy_weight": 0.5},
        "estimates": EE | {"difficulty": "estimates", "easy_weight": 0.5},
    },
    "study": STUDY,
}
PLACE = "study/registration.json"


@pytest.fixture(scope="module")
def run_study(project):
    """Return what runs the study with changes, and its results."""

    def run(**changes):
        config = CONFIG | {"study": STUDY | changes}
        (project.root / "study.yaml").write_text(yaml.safe_dump(config))
        files = ["data/demo/config.yaml", "study.yaml"]
        printed = project.snakemake("study", "--configfile", *files)
        return project.root / "results/demo_study/study", printed

    return run


@pytest.fixture(scope="module")
def results(run_study):
    folder, printed = run_study()
    assert (folder / "findings.txt").read_text(encoding="utf-8") in printed
    return folder


@pytest.fixture(scope="module")
def pooled(results):
    frame = pd.read_csv(results / "synthesis.csv", keep_default_na=False, na_values=[""])
    return frame[frame.phase == "all"].set_index(["contrast", "tier", "statistic"])


def test_every_contrast_has_a_pooled_effect_or_a_reason(pooled):
    assert {"EE", "DA", "others"} <= {key[0] for key in pooled.index}
    # Surface metrics have no tokens to weigh, and both sets say so.
    surface = pooled.loc["DA"].loc["surface"]
    assert surface.effect.isna().all()
    assert (surface.sets_without == 2).all()
    assert surface.reasons.str.contains("2 × a weighting of tokens needs token matches").all()
    assert set(surface.verdict) == set(surface.fixed_verdict) == {"not computed"}
    known = pooled.effect.notna()
    assert (pooled[~known].reason.fillna("") != "").all()
    assert (pooled[known].low <= pooled[known].effect).all()
    assert (pooled[known].effect <= pooled[known].high).all()


def test_pooled_effects_are_of_the_sets_effects(results, pooled):
    effects = pd.read_csv(results / "effects.csv", keep_default_na=False, na_values=[""])
    own = effects[(effects.metric == "mean") & (effects.statistic == "pearson")]
    for (contrast, tier), rows in own.groupby(["contrast", "tier"]):
        values, row = rows.effect.dropna(), pooled.loc[contrast, tier, "pearson"]
        assert len(values) <= 2
        if len(values) == 2 and np.isfinite(row.effect):
            assert values.min() - 1e-9 <= row.effect <= values.max() + 1e-9
            assert row.fixed_effect == pytest.approx(values.mean())
            assert row.sets == 2


def test_parameters_from_elsewhere_need_a_development_set(results):
    effects = pd.read_csv(results / "effects.csv")
    reasons = effects[effects.contrast == "elsewhere"].reason.unique()
    assert list(reasons) == [
        "no development set of another campaign has correlations in two groups"
    ]
    reasons = effects[effects.contrast == "left-out"].reason.unique()
    assert list(reasons) == ["EE-estimates is not among the set's weightings"]


def test_findings_name_the_study_and_its_checksum(results):
    text = (results / "findings.md").read_text(encoding="utf-8")
    assert text.startswith("# A study of the demo\n")
    assert re.search(r"SHA-256 of the study: `[0-9a-f]{64}`", text)
    assert "2 evaluation sets" in text
    assert "Does EE help (H1, H2)?" in text
    for heading in ("Questions", "Power", "Evaluation sets", "Human rankings on the hardest tenth"):
        assert f"## {heading}\n" in text
    power = pd.read_csv(results / "power.csv")
    assert set(power.common_effect) == {0.01, 0.02, 0.03, 0.05}
    assert set(power.margin) == {0.01}


def test_the_page_opens_with_the_findings_and_needs_no_network(results, browser):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((results / "report.html").as_uri())
    assert page.locator("h1").inner_text() == "A study of the demo"
    first = (results / "findings.txt").read_text(encoding="utf-8").strip().split("\n\n")[0]
    assert page.locator(".lead").first.inner_text() == first
    assert page.locator("figure img").count() == 5
    assert page.locator("#synthesis tbody tr").count() > 3
    assert violations(page) == []
    assert not errors
    page.close()


def test_figures_are_the_same_bytes_in_both_runs(results, run_study):
    before = {path.name: path.read_bytes() for path in results.glob("*.*")}
    for path in results.glob("*.svg"):
        path.unlink()
    run_study()
    assert {path.name: path.read_bytes() for path in results.glob("*.*")} == before


def test_a_change_after_a_run_is_shown(results, run_study):
    first = yaml.safe_load((results / "registration.json").read_text())["checksum"]
    changed, _ = run_study(margin=0.02)
    known = yaml.safe_load((changed / "registration.json").read_text())
    assert known["checksum"] != first
    assert known["earlier"] == [first]
    assert first in (changed / "findings.md").read_text(encoding="utf-8")
    assert first in (changed / "report.html").read_text(encoding="utf-8")


def test_no_contrast_need_be_primary(results, run_study):
    contrasts = {name: dict(STUDY["contrasts"][name]) for name in ("EE", "others")}
    del contrasts["EE"]["primary"]
    folder, _ = run_study(contrasts=contrasts)
    assert set(pd.read_csv(folder / "power.csv").contrast) == set(contrasts)
    assert (folder / "report.html").exists()
    assert pd.read_csv(folder / "pairs.csv").empty
