"""Sets on which correlations and weightings cannot be had: empty fields with reasons, no crash."""

import shutil

import pandas as pd
import pytest
import tiny
import yaml

pytestmark = pytest.mark.slow

PAIR = "en-de"
SYSTEMS = [system for system in tiny.SYSTEMS if system != "refA"]


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


def output(campaign, system):
    return campaign / f"system-outputs/{PAIR}/{system}.txt"


@pytest.fixture(scope="module")
def edges(project):
    """The results of one run over all of them."""
    archive = project.root / "edges"
    for change in CHANGES:
        campaign = archive / change.__name__
        tiny.write_campaign(project.root / "data/demo/archive/demo", campaign)
        change(campaign)
    sets = [
        tiny.SET | {"campaign": change.__name__, "metrics": ["chrF", "BERTScore"]}
        for change in CHANGES
    ]
    config = tiny.CONFIG | {"archive": "edges", "results": "results/edges", "papers": []}
    config["evaluation_sets"] = sets
    config["metrics"] = {"chrF": {"type": "chrf"}, "BERTScore": {"type": "bertscore"}}
    config.pop("truth")
    (project.root / "edges.yaml").write_text(yaml.safe_dump(config))
    project.snakemake("--configfile", "edges.yaml")
    return project.root / "results/edges"


def read(folder, name, file):
    return pd.read_csv(folder / name / PAIR / file, keep_default_na=False, na_values=[""])


STATISTICS = ["pearson", "kendall", "spearman"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("identical", "all systems have the same score"),
        ("one_hypothesis", "all systems have the same score"),
        ("equal_gold", "all human scores are equal"),
    ],
)
def test_what_cannot_be_correlated_is_empty_with_its_reason(edges, name, reason):
    found = read(edges, name, "correlations.csv")
    found = found[found.weighting == "standard"]
    assert set(found.metric) == {"chrF", "BERTScore"}
    assert set(found.subset) == {"all", "top", "random"}
    assert found[STATISTICS].isna().all(axis=None)
    assert set(found.reason) == {reason}
    points = read(edges, name, "parameters.csv")
    assert points[STATISTICS].isna().all(axis=None)
    assert points.reason.notna().all()
    for file in ("significance.csv", "controls.csv"):
        rows = read(edges, name, file)
        rows = rows[rows.statistic.isin(STATISTICS)]
        assert len(rows)
        assert rows.value.isna().all()
        assert rows.reason.notna().all()


@pytest.mark.parametrize("name", ["identical", "one_hypothesis", "equal_gold"])
def test_the_page_gives_the_reason(edges, name):
    page = (edges / name / "en-de/report.html").read_text(encoding="utf-8")
    section = page[page.index('<h2 id="correlations"') : page.index('<h2 id="top-k"')]
    reason = read(edges, name, "correlations.csv").reason[0]
    assert section.count(f'<td class="t">{reason}</td>') >= 2


def test_systems_that_say_the_same_have_equal_scores(edges):
    for name in ("identical", "one_hypothesis"):
        scores = read(edges, name, "system_scores.csv")
        assert (scores.groupby(["metric", "weighting"]).score.nunique() <= 1).all()
        comparisons = read(edges, name, "system_comparisons.csv")
        assert (comparisons.difference == 0).all()


def test_a_system_without_difficult_hypotheses_has_no_weighted_score_and_a_reason(edges):
    missing = read(edges, "perfect", "missing.csv")
    assert missing.metric.tolist() == ["chrF", "BERTScore", "BERTScore"]
    assert missing.weighting.tolist() == ["EE", "EE", "EE-DA"]
    named = ", ".join(SYSTEMS[:2])
    assert set(missing.reason) == {f"no difficult or no easy hypothesis: {named}"}
    found = read(edges, "perfect", "correlations.csv")
    found = found[(found.weighting == "EE") & (found.subset == "all")]
    assert set(found.reason) == {"a system has no score"}


def test_a_perfect_and_an_endless_hypothesis_are_scored_like_any(edges):
    scores = read(edges, "perfect", "system_scores.csv")
    scores = scores.set_index(["metric", "weighting", "system"]).sort_index()
    for metric, highest in (("chrF", 100), ("BERTScore", 1)):
        plain = scores.score[metric, "standard"]
        assert plain.notna().all()
        assert plain[SYSTEMS[0]] == pytest.approx(highest, rel=1e-6)
        assert plain.idxmax() == SYSTEMS[0]
    found = read(edges, "perfect", "correlations.csv")
    found = found[(found.weighting == "standard") & (found.subset == "all")]
    assert found[STATISTICS].notna().all(axis=None)


def test_parameters_cannot_be_chosen_on_sets_without_correlations(edges):
    held = pd.read_csv(edges / "held_out.csv")
    held = held[(held.parameters == "held out") & (held.set == f"perfect/{PAIR}")]
    assert held.pearson.isna().all()
    assert set(held.reason) == {"no other set has correlations of this metric"}


def test_every_figure_is_there(edges):
    for change in CHANGES:
        for file in (edges / change.__name__ / PAIR / "figures").iterdir():
            assert file.stat().st_size > 1000
