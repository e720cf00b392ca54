"""Sets so small or so odd that little can be computed: `validate` and the run judge alike, every
table has the systems that went in, and an undefined number has a reason."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import small_run
import tiny
import yaml

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.run import outputs

pytestmark = pytest.mark.slow

PAIR = "en-de"
STATISTICS = ["pearson", "kendall", "spearman"]
INTERVALS = [f"{over}_{end}" for over in ("segments", "systems", "both") for end in ("low", "high")]

# Own files, whose systems and metrics have names that look like numbers or code.
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
SMALL = {
    "eight": (["2019", "2020", "2021"], WORSE, REFERENCE, [1, 2, 3]),
    "two": (["1.0", "1.00"], WORSE[:2], REFERENCE, None),
    "equal": (["NA", "null", "True"], [REFERENCE] * 3, REFERENCE, [1, 2, 3]),
    "silent": (["007", "7", "1e5"], [EMPTY] * 3, REFERENCE, [1, 2, 3]),
    "empty_reference": ([" x", "x", "$\\alpha$"], WORSE, EMPTY, [1, 2, 3]),
    "empty_segment": (["a", "b", "c"], WORSE, ["", *REFERENCE[1:]], [1, 2, 3]),
}

# Campaigns of an archive.
SYSTEMS = [system for system in tiny.SYSTEMS if system != "refA"]


def output(campaign, system):
    return campaign / f"system-outputs/{PAIR}/{system}.txt"


def identical(campaign):
    """Every system has the same hypotheses."""
    for system in SYSTEMS[1:]:
        shutil.copy(output(campaign, SYSTEMS[0]), output(campaign, system))


def one_hypothesis(campaign):
    """Every system says the same in every segment."""
    for system in SYSTEMS:
        output(campaign, system).write_text("Das ist ein Haus .\n" * tiny.SEGMENTS)


def perfect(campaign):
    """One system's hypotheses are the reference, and one of another has 100,000 characters."""
    shutil.copy(campaign / f"references/{PAIR}.refA.txt", output(campaign, SYSTEMS[0]))
    lines = output(campaign, SYSTEMS[1]).read_text().splitlines(keepends=True)
    lines[0] = "Häuser " * 14_285 + "Hütte\n"
    output(campaign, SYSTEMS[1]).write_text("".join(lines))


def equal_gold(campaign):
    """Humans find all systems alike."""
    lines = "".join(f"{system}\t-1.5\n" for system in SYSTEMS)
    (campaign / f"human-scores/{PAIR}.mqm.sys.score").write_text(lines)


CHANGES = (identical, one_hypothesis, perfect, equal_gold)
CONFIG = tiny.CONFIG | {
    "results": "results/odd",
    "papers": [],
    "archive": "odd",
    "evaluation_sets": [
        *(
            {"files": f"small/{name}", "campaign": name, "pair": PAIR, "metrics": list(METRICS)}
            for name in SMALL
        ),
        *(
            tiny.SET | {"campaign": change.__name__, "metrics": ["chrF", "BERTScore"]}
            for change in CHANGES
        ),
    ],
    "metrics": {name: {"type": kind} for name, kind in METRICS.items()}
    | {"chrF": {"type": "chrf"}, "BERTScore": {"type": "bertscore"}},
}
CONFIG.pop("truth")


@pytest.fixture(scope="module")
def results(project):
    """The results of one run over all of them, of which `validate` says that it has no problem."""
    for campaign, (names, hypotheses, reference, gold) in SMALL.items():
        small_run.write_own_files(
            project.root / "small" / campaign,
            reference,
            dict(zip(names, hypotheses, strict=True)),
            gold and dict(zip(names, gold, strict=True)),
            source=REFERENCE[: len(reference)],
        )
    for change in CHANGES:
        campaign = project.root / "odd" / change.__name__
        tiny.write_campaign(project.root / "data/demo/archive/demo", campaign)
        change(campaign)
    (project.root / "odd.yaml").write_text(yaml.safe_dump(CONFIG))
    command = [sys.executable, "-m", "mt_difficulty", "validate", "odd.yaml"]
    environment = os.environ | {"PYTHONPATH": "workflow/scripts"}
    checked = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.endswith("no problems found\n")
    project.snakemake("--configfile", "odd.yaml")
    return project.root / CONFIG["results"]


def read(results, name, file):
    """A table, or None where a marker says that it cannot be."""
    try:
        return storage.read_table(results / name / PAIR / file)
    except Missing:
        return None


@pytest.mark.parametrize("campaign", SMALL)
def test_every_table_has_the_systems_that_went_in(results, campaign):
    systems = sorted(SMALL[campaign][0])
    loaded = evalset.load(results / campaign / PAIR / "evalset.json")
    assert loaded.systems == systems
    for file in ("top_scores.csv", "system_intervals.csv"):
        if (frame := read(results, campaign, file)) is not None and len(frame):
            assert set(frame.system) == set(systems), file
    comparisons = read(results, campaign, "system_comparisons.csv")
    if len(comparisons):
        assert set(comparisons.system) == set(comparisons.other) == set(systems)
    scores = read(results, campaign, "system_scores.csv")
    missing = read(results, campaign, "missing.csv")
    reasons = missing.set_index(["metric", "weighting"]).reason
    for metric in METRICS:
        for weighting in ("standard", "EE"):
            rows = scores[(scores.metric == metric) & (scores.weighting == weighting)]
            if len(rows) and np.isfinite(rows.score).all():
                assert rows.system.tolist() == systems
            else:
                assert reasons[metric, weighting]


@pytest.mark.parametrize("campaign", SMALL)
@pytest.mark.parametrize(
    "file",
    ["correlations.csv", "significance.csv", "agreement.csv", "controls.csv", "parameters.csv"],
)
def test_an_undefined_number_has_a_reason(results, campaign, file):
    frame = read(results, campaign, file)
    assert (frame is None) == (SMALL[campaign][3] is None)
    if frame is None:
        return
    if file == "significance.csv":
        assert (frame.reason[frame.value.isna()] != "").all()
        frame = frame[frame.statistic != "soft_accuracy"]  # which has no intervals
    values = [name for name in ("value", "mean", *INTERVALS, *STATISTICS) if name in frame]
    undefined = frame[values].isna().any(axis=1)
    assert (frame.reason[undefined] != "").all(), frame[undefined]


def test_every_figure_is_drawn_or_says_why_not(results):
    for campaign in (*SMALL, *(change.__name__ for change in CHANGES)):
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
    frame, tested = (
        read(results, "eight", f"{name}.csv") for name in ("correlations", "significance")
    )
    r = frame[frame.subset == "all"].set_index(["metric", "weighting"]).pearson
    tested = tested[(tested.subset == "all") & (tested.statistic == "pearson")]
    value = tested.set_index(["metric", "weighting"]).value
    assert np.isfinite(r[:, "standard"]).all()
    for key in value.index:
        assert r[key] == pytest.approx(value[key], abs=1e-9, nan_ok=True)


def test_two_systems_without_gold_have_no_correlations_and_a_reason(results):
    with pytest.raises(Missing, match="no human scores"):
        storage.read_table(results / "two" / PAIR / "correlations.csv")
    assert evalset.load(results / "two" / PAIR / "evalset.json").systems == ["1.0", "1.00"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("identical", "all systems have the same score"),
        ("one_hypothesis", "all systems have the same score"),
        ("equal_gold", "all human scores are equal"),
    ],
)
def test_what_cannot_be_correlated_is_empty_with_its_reason(results, name, reason):
    frame = read(results, name, "correlations.csv")
    frame = frame[frame.weighting == "standard"]
    assert set(frame.metric) == {"chrF", "BERTScore"}
    assert set(frame.subset) == {"all", "top", "random"}
    assert frame[STATISTICS].isna().all(axis=None)
    assert set(frame.reason) == {reason}
    for file in ("significance.csv", "controls.csv"):
        rows = read(results, name, file)
        rows = rows[rows.statistic.isin(STATISTICS)]
        assert len(rows)
        assert rows.value.isna().all()
    page = (results / name / "en-de/report.html").read_text(encoding="utf-8")
    assert page.count(f'<td class="t">{reason}</td>') >= 2


def test_systems_that_say_the_same_have_equal_scores(results):
    for name in ("identical", "one_hypothesis"):
        scores = read(results, name, "system_scores.csv")
        assert (scores.groupby(["metric", "weighting"]).score.nunique() <= 1).all()
        comparisons = read(results, name, "system_comparisons.csv")
        assert (comparisons.difference == 0).all()


def test_a_system_without_difficult_hypotheses_has_no_weighted_score_and_a_reason(results):
    missing = read(results, "perfect", "missing.csv")
    assert missing.metric.tolist() == ["chrF", "BERTScore", "BERTScore"]
    assert missing.weighting.tolist() == ["EE", "EE", "EE-DA"]
    named = ", ".join(SYSTEMS[:2])
    assert set(missing.reason) == {f"no difficult or no easy hypothesis: {named}"}
    frame = read(results, "perfect", "correlations.csv")
    frame = frame[(frame.weighting == "EE") & (frame.subset == "all")]
    assert set(frame.reason) == {"a system has no score"}


def test_a_perfect_and_an_endless_hypothesis_are_scored_like_any(results):
    scores = read(results, "perfect", "system_scores.csv")
    scores = scores.set_index(["metric", "weighting", "system"]).sort_index()
    for metric, highest in (("chrF", 100), ("BERTScore", 1)):
        plain = scores.score[metric, "standard"]
        assert plain.notna().all()
        assert plain[SYSTEMS[0]] == pytest.approx(highest, rel=1e-6)
        assert plain.idxmax() == SYSTEMS[0]
    frame = read(results, "perfect", "correlations.csv")
    frame = frame[(frame.weighting == "standard") & (frame.subset == "all")]
    assert frame[STATISTICS].notna().all(axis=None)


def test_parameters_chosen_elsewhere_need_a_set_with_correlations(results):
    held = pd.read_csv(results / "held_out.csv", keep_default_na=False, na_values=[""])
    held = held[(held.parameters == "held out") & (held.set == f"perfect/{PAIR}")]
    assert len(held)
    assert (held.reason != "")[held.pearson.isna()].all()
