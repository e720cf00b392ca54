"""What the figures compute before they draw; plots of a set and of a study."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import settings_of
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from study_frames import study_draws, study_effects, study_pairs

import plot_evalset
from mt_difficulty import page
from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import synthesis
from mt_difficulty.figures import over_sets, plots, results
from plotting import figure

TOP = pd.DataFrame(
    {"metric": ["chrF"], "weighting": "EE", "subset": "top", "size": 3, "pearson": 1}
)


@pytest.fixture
def axes():
    drawn, axes = pyplot.subplots()
    yield axes
    pyplot.close(drawn)


@given(st.lists(st.tuples(st.floats(-1.5, 1.5), st.floats(0, 100)), min_size=1, max_size=40))
def test_bins_are_centred_on_multiples_of_the_width(points):
    difficulty, scores = np.array(points).T
    centres, means, counts = plots.bin_means(difficulty[None], scores[None], 0.1)
    assert counts.sum() == len(points)
    for centre, mean, count in zip(centres, means, counts, strict=True):
        inside = scores[np.floor(difficulty / 0.1 + 0.5) == round(centre / 0.1)]
        assert (len(inside), pytest.approx(inside.mean())) == (count, mean), f"bin at {centre}"


def test_balance_fit_needs_three_sets_for_a_line(axes):
    points = {name: (x, 9.62 * x - 22.23) for name, x in (("a", 3.0), ("b", 5.0), ("c", 6.0))}
    assert plots.draw_balance_fit(axes, points, "chunk_entropy") == pytest.approx(1)
    assert axes.get_xlabel() == "ratio of total chunk entropy, easy to difficult (R_H)"
    points.pop("c")
    assert np.isnan(plots.draw_balance_fit(axes, points, "chunk_entropy"))


INFINITE = np.full((2, 3), np.inf)


@pytest.mark.parametrize(
    ("draw", "arguments", "reason"),
    [
        (plots.draw_segment_difficulties, (np.array([]), "mean x"), "no mean x counts"),
        (
            plots.draw_difficulty_scores,
            (INFINITE, np.ones((2, 3)), "x", "entropy"),
            "the entropy is finite nowhere",
        ),
        (plots.draw_top_k, (TOP.head(0), ["chrF"], "title", []), "has scores"),
        (plots.draw_token_difficulties, ({"all": np.array([])}, "x"), "no tokens"),
    ],
    ids=["segment difficulties", "difficulty and scores", "top k", "token difficulties"],
)
def test_what_cannot_be_drawn_gives_a_reason(axes, draw, arguments, reason):
    with pytest.raises(Missing, match=reason):
        draw(axes, *arguments)


def test_the_figure_of_the_best_systems_names_the_weightings_that_it_leaves_out(axes):
    about = {"difficulty": "length", "description": "", "uses_gold": False, "tuned": False}
    names = ["EE", "DA", "EE-estimates", "DA-LOO"]
    rows = [TOP.assign(weighting=name) for name in ("standard", *names)]
    contents = {
        "correlations.csv": pd.concat(rows),
        "weightings.json": {"difficulties": {}, "weightings": dict.fromkeys(names, about)},
    }
    results._draw_top_k([axes], SetFiles("lab/en-de", contents))
    title = axes.get_title(loc="left")
    assert title.endswith("\nnot drawn, see the table: EE-estimates, DA-LOO")
    assert len(axes.get_legend().get_texts()) == 3


def test_a_papers_figure_without_results_has_a_sentence_on_its_page(tmp_path, monkeypatch):
    def no_results(axes, printed, inputs):
        raise Missing("no encoder <tiny>")

    def half_drawn(axes, printed, inputs):
        axes[0].plot([0, 1], [0, 1])
        no_results(axes, printed, inputs)

    printed = SimpleNamespace(kind="test")
    expected = {no_results: "no encoder <tiny>", half_drawn: ""}
    for kind, not_drawn in expected.items():
        monkeypatch.setitem(results.KINDS, "test", kind)
        svg = tmp_path / "figure.svg"
        with figure(svg, tmp_path / "figure.pdf") as axes:
            _, reason = results.draw(axes, printed, None)
        text = svg.read_text(encoding="utf-8")
        assert reason == "no encoder <tiny>"
        assert page.not_drawn(text) == not_drawn
        assert "not computable" in text


@pytest.mark.parametrize(
    "values", [[[0.1, 0.5, 0.3]] * 2, [[np.inf] * 3] * 2, [[1e9, -1e9, 0]] * 2, Missing("no texts")]
)
@pytest.mark.filterwarnings("error")
def test_a_difficulty_is_drawn_whatever_it_is(tmp_path, monkeypatch, values):
    found = values if isinstance(values, Missing) else {"difficulty": np.array(values)}
    known = {"unit": "segment", "uses_gold": False, "missing": ""}
    scores = np.array([[3.0, 2, 1]] * 2)[:, :, None]
    contents = {"difficulty/gaps.npz": found, "statistics/B.npz": {"statistics": scores}}
    contents["weightings.json"] = {"difficulties": {"gaps": known}, "weightings": {}}
    monkeypatch.setattr(plot_evalset, "read_set", lambda name, paths: SetFiles(name, contents))
    weightings = {"E2": {"type": "EE", "difficulty": "gaps"}}
    settings = settings_of(metrics={"B": {"type": "chrf"}}, weightings=weightings)
    params = SimpleNamespace(name="lab/en-de", metric="B", settings=settings)
    output = {end: [tmp_path / f"difficulties.{end}"] for end in ("svg", "pdf")}
    rule = {"params": params, "input": SimpleNamespace(files=[])}
    rule["output"] = SimpleNamespace(**output)
    plot_evalset.main(SimpleNamespace(**rule))
    assert {path.name for path in tmp_path.iterdir()} == {"difficulties.svg", "difficulties.pdf"}


def one_tier(sets):
    effects = study_effects(sets, np.random.default_rng(0))
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE"], draws)
    return effects[(effects.contrast == "EE") & (effects.tier == "surface")], pooled


def of_contrast(pooled):
    """The rows of one contrast and statistic, one for each tier."""
    rows = pooled[pooled.contrast == "EE"]
    return rows[rows.statistic == rows.statistic.iloc[0]]


def tuned_rows(sets):
    effects, _ = one_tier(sets)
    return effects.assign(null_low=0.78, null_mean=0.81, null_high=0.84)[
        ["set", "metric", "value", "plain", "null_low", "null_mean", "null_high"]
    ]


def drawings(sets=6):
    effects, pooled = one_tier(sets)
    pairs = synthesis.pair_model(study_pairs(4, np.random.default_rng(1)))
    return {
        "forest": partial(over_sets.forest, effects=effects, pooled=of_contrast(pooled)),
        "tier": partial(over_sets.gain_by_tier, pooled=pooled),
        "gap": partial(over_sets.gain_by_gap, pairs=pairs),
        "null": partial(over_sets.tuned_and_null, tuned=tuned_rows(sets)),
    }


def test_same_bytes(tmp_path):
    made = []
    for run in "ab":
        paths = [tmp_path / f"{run}.svg", tmp_path / f"{run}.pdf"]
        with figure(*paths) as panels:
            drawings()["forest"](panels[0])
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    assert b"<dc:date>" not in made[0][0]
    assert b"CreationDate" not in made[0][1]


@pytest.mark.parametrize("name", ["forest", "tier", "gap", "null"])
def test_every_interval_is_drawn(name, axes):
    drawings()[name](axes)
    assert axes.collections or axes.containers
