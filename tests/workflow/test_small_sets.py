"""Sets so small or so odd that little can be computed: `validate` and the run judge alike, and the
page says what is undefined and why."""

import os
import subprocess
import sys

import numpy as np
import pytest
import small_run
import yaml

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.run import outputs

pytestmark = pytest.mark.slow

PAIR = "en-de"
REFERENCE = ["the cat sat on the mat", "a dog runs in the park", "rain falls on the roof"]
REFERENCE += ["he did not say a word", "she reads a long book", "we eat bread and cheese"]
REFERENCE += ["they go home at night", "birds sing in the tree"]
EMPTY = [""] * len(REFERENCE)
METRICS = {"1": "chrf", "1.0": "bertscore"}


def worse(every):
    """Every so many reference segments, one loses a word and the order of the others."""
    cut = [" ".join(reversed(segment.split()[1:])) for segment in REFERENCE]
    return [cut[i] if i % every == 0 else segment for i, segment in enumerate(REFERENCE)]


WORSE = [worse(every) for every in (2, 3, 5)]
# By campaign: names, hypotheses, references, and human scores.
SETS = {
    "eight": (["2019", "2020", "2021"], WORSE, REFERENCE, [1, 2, 3]),
    "two": (["1.0", "1.00"], WORSE[:2], REFERENCE, None),
    "equal": (["NA", "null", "True"], [REFERENCE] * 3, REFERENCE, [1, 2, 3]),
    "silent": (["007", "7", "1e5"], [EMPTY] * 3, REFERENCE, [1, 2, 3]),
    "empty_reference": ([" x", "x", "$\\alpha$"], WORSE, EMPTY, [1, 2, 3]),
    "empty_segment": (["a", "b", "c"], WORSE, ["", *REFERENCE[1:]], [1, 2, 3]),
}
CONFIG = small_run.CONFIG | {
    "results": "results/small",
    "evaluation_sets": [
        {"files": f"small/{name}", "campaign": name, "pair": PAIR, "metrics": list(METRICS)}
        for name in SETS
    ],
    "metrics": {name: {"type": kind} for name, kind in METRICS.items()},
    "encoders": {"random": {"hidden_size": 16, "layers": 1, "device": "cpu"}},
    "substitute_encoders": {"de": "random"},
    "random_subsets": {"sizes": [4], "draws": 5},
    "significance": {"resamples": 100, "draws": 2},
    "controls": {"draws": 100},
}


@pytest.fixture(scope="module")
def results(project):
    """The results of one run over all of them, of which `validate` says that it has no problem."""
    for campaign, (names, hypotheses, reference, gold) in SETS.items():
        small_run.write_own_files(
            project.root / "small" / campaign,
            reference,
            dict(zip(names, hypotheses, strict=True)),
            gold and dict(zip(names, gold, strict=True)),
            source=REFERENCE[: len(reference)],
        )
    (project.root / "small.yaml").write_text(yaml.safe_dump(CONFIG))
    command = [sys.executable, "-m", "mt_difficulty", "validate", "small.yaml"]
    environment = os.environ | {"PYTHONPATH": "workflow/scripts"}
    checked = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.endswith("no problems found\n")
    project.snakemake("--configfile", "small.yaml")
    return project.root / CONFIG["results"]


@pytest.mark.parametrize("campaign", SETS)
def test_every_table_has_the_systems_that_went_in(results, campaign):
    small_run.check(results / campaign / PAIR, SETS[campaign][0], METRICS)


@pytest.mark.parametrize("campaign", SETS)
def test_every_figure_is_drawn_or_says_why_not(results, campaign):
    figures = sorted((results / campaign / PAIR / "figures").iterdir())
    assert len(figures) == 2 * (len(small_run.PLOTS) + len(outputs.TOKEN_PLOTS))
    assert all(file.stat().st_size > 1000 for file in figures)


@pytest.mark.parametrize(
    ("campaign", "notice"),
    [
        ("empty_reference", "8 of 8 reference segments are empty"),
        ("empty_segment", "1 of 8 reference segments are empty"),
        ("silent", "every hypothesis is empty: 007, 1e5, 7."),
        ("equal", "h is undefined: too few segments have a mean chunk entropy that counts"),
    ],
)
def test_doubts_are_named_on_the_page_and_in_the_summary(results, campaign, notice):
    assert notice in (results / campaign / PAIR / "report.html").read_text(encoding="utf-8")
    assert notice in (results / "summary.txt").read_text(encoding="utf-8")


def test_correlations_and_their_tests_are_of_the_same_systems(results):
    """Names like numbers once gave no correlation where significance.csv had one."""
    found, tested = (
        storage.read_table(results / "eight" / PAIR / f"{name}.csv")
        for name in ("correlations", "significance")
    )
    r = found[found.subset == "all"].set_index(["metric", "weighting"]).pearson
    tested = tested[(tested.subset == "all") & (tested.statistic == "pearson")]
    value = tested.set_index(["metric", "weighting"]).value
    assert np.isfinite(r[:, "standard"]).all()
    for key in value.index:
        assert r[key] == pytest.approx(value[key], abs=1e-9, nan_ok=True)


def test_two_systems_without_gold_have_no_correlations_and_a_reason(results):
    with pytest.raises(Missing, match="no human scores"):
        storage.read_table(results / "two" / PAIR / "correlations.csv")
    assert evalset.load(results / "two" / PAIR / "evalset.json").systems == ["1.0", "1.00"]
