"""The bench of difficulty estimators over the demo's two sets, from its config to its page."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml
from page_visit import violations
from scipy import stats

pytestmark = pytest.mark.slow

FOLDER = "results/demo_estimators"
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
    "evaluation_sets": [
        {"campaign": "demo", "reference": "refA", "gold": "mqm", "weightings": [], "pair": pair}
        | {"metrics": ["chrF", "Oracle-noisy"]}
        for pair in ("en-de", "en-zh")
    ],
    "significance": {"resamples": 200},
    "neural": False,
}


@pytest.fixture(scope="module")
def run_bench(project):
    """Return what runs the bench, and its results."""
    (project.root / "estimators.yaml").write_text(yaml.safe_dump(CONFIG))

    def run():
        files = ["data/demo/config.yaml", "estimators.yaml"]
        printed = project.snakemake("difficulty", "--configfile", *files)
        return project.root / FOLDER, printed

    return run


@pytest.fixture(scope="module")
def results(run_bench):
    folder, printed = run_bench()
    assert (folder / "estimators/findings.txt").read_text(encoding="utf-8") in printed
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
    assert (there.low <= there.value).all()
    assert (there.value <= there.high).all()
    information = {"words": "source", "disagreement": "outputs", "human": "gold", "items": "gold"}
    information |= {"chunk_entropy": "reference", "estimates": "unstated"}
    assert dict(whole.information[list(information)]) == information


def test_dec_is_that_of_the_files(results):
    """From the demo's own human scores and estimates, without the package."""
    place = results.parents[1] / "data/demo"
    gold = pd.read_csv(
        place / "archive/demo/human-scores/en-de.mqm.seg.score",
        sep="\t",
        header=None,
        na_values="None",
    )
    estimates = pd.read_csv(place / "estimates/en-de.tsv", sep="\t")
    taus = read(results / "demo/en-de/estimators/by_system.csv")
    taus = taus[(taus.statistic == "dec") & (taus.difficulty == "estimates")].set_index("system")
    by_segment = estimates.groupby("segment").difficulty.first().to_numpy()
    for system, found in taus.value.items():
        scores = gold[gold[0] == system][1].to_numpy()
        expected = stats.kendalltau(by_segment, -scores, nan_policy="omit").statistic
        assert found == pytest.approx(expected, abs=1e-9)


def test_the_page_opens_with_the_findings_and_needs_no_network(results, browser):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((results / "estimators/report.html").as_uri())
    first = (results / "estimators/findings.txt").read_text(encoding="utf-8").strip()
    assert page.locator(".lead").first.inner_text() == first
    assert page.locator("figure img").count() == 5
    assert page.locator("#leaderboard-table td", has_text="disagreement").count() == 1
    assert page.locator("#comparisons tbody tr").count() > 20
    page.locator("#segments summary").first.click()
    assert page.locator("#segments details tbody tr").first.is_visible()
    assert violations(page) == []
    assert not errors
    page.close()


def test_the_index_finds_what_was_found(results):
    written = (results / "estimators/findings.js").read_text(encoding="utf-8")
    found = json.loads(written.removeprefix("addFindings(").removesuffix(");\n"))
    text = (results / "estimators/findings.txt").read_text(encoding="utf-8").strip()
    assert (found["page"], found["text"]) == ("estimators/report.html", text)


def test_a_second_run_makes_the_same_bytes(results, run_bench):
    files = sorted([*results.rglob("estimators/*.csv"), *results.glob("estimators/*.*")])
    before = {path: path.read_bytes() for path in files}
    for path in before:
        path.unlink()
    run_bench()
    assert {path: path.read_bytes() for path in before} == before
    assert np.all([path.stat().st_size for path in before])
