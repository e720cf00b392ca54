"""What the figures compute before they draw; plots of a set and of a study."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.figure import Figure
from study_frames import study_draws, study_effects, study_pairs

import plot_evalset
from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import pair_model, synthesis
from mt_difficulty.figures import plots, results, study
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
        assert (len(inside), pytest.approx(inside.mean())) == (count, mean)


def test_balance_fit_needs_three_sets_for_a_line(axes):
    points = {name: (x, 9.62 * x - 22.23) for name, x in (("a", 3.0), ("b", 5.0), ("c", 6.0))}
    assert plots.draw_balance_fit(axes, points, "chunk_entropy") == pytest.approx(1)
    assert axes.get_xlabel() == "ratio of total chunk entropy, easy to difficult (R_H)"
    points.pop("c")
    assert np.isnan(plots.draw_balance_fit(axes, points, "chunk_entropy"))


def test_rule_graph_goes_downwards(axes):
    names = dict(zip("abcd", ("one", "two", "three", "four"), strict=True))
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    plots.draw_rule_graph(axes, names, edges)
    places = {text.get_text(): text.get_position() for text in axes.texts if text.get_text()}
    assert all(places[names[start]][1] > places[names[end]][1] for start, end in edges)
    assert len(axes.texts) == 4 + 3  # an arrow for each edge that no longer path implies
    assert len(set(places.values())) == 4
    # c is reached from a only through b; the chain a, b, c bends, so a longer edge is seen.
    assert places["one"][0] == places["three"][0] != places["two"][0]


def test_a_surface_is_over_quantiles_and_marks_the_points_that_it_has(axes):
    quantiles, w = np.linspace(0, 0.98, 50), np.linspace(0, 1, 21)
    pearson = quantiles[:, None] * w + 0.1
    pearson[40:, :-1] = np.nan  # no difficult hypothesis
    points = {"in force": (0.5, 0.4), "equations": (0.95, 0.5), "standard": (np.nan, np.nan)}
    surface = plots.Surface("EE-chrF", "chunk_entropy", pearson, points)
    plots.draw_surface(axes, quantiles, w, surface)
    assert axes.get_xlabel() == "threshold, a quantile of chunk entropy"
    assert axes.get_xlim() == (0, quantiles[39])
    # Of Eq. 9 and 11 the threshold is outside, and nothing is said of an optimum.
    marks = {line.get_label(): line.get_xydata()[0].tolist() for line in axes.lines}
    assert marks == {"in force": [0.5, 0.4]}


def test_what_cannot_be_drawn_gives_a_reason(axes):
    infinite = np.full((2, 3), np.inf)
    for draw, reason in (
        (lambda: plots.draw_segment_difficulties(axes, np.array([]), "mean x"), "no mean x counts"),
        (
            lambda: plots.draw_difficulty_scores(axes, infinite, np.ones((2, 3)), "x", "entropy"),
            "the entropy is finite nowhere",
        ),
        (lambda: plots.draw_top_k(axes, TOP.head(0), ["chrF"], "title", []), "has scores"),
        (lambda: plots.draw_token_difficulties(axes, {"all": np.array([])}, "x"), "no tokens"),
    ):
        with pytest.raises(Missing, match=reason):
            draw()


NAME = "lab/en-de"
METRICS = {"A": {"type": "stored"}, "B": {"type": "chrf"}}
GROUPS = {"type": "groups", "difficulty": "gaps"}


def described(**difficulties):
    """As in weightings.json, of the units of these difficulties."""
    known = {
        name: {"unit": unit, "uses_gold": False, "missing": ""}
        for name, unit in difficulties.items()
    }
    of = {"unit": "segment", "difficulty": "gaps", "description": ""}
    of |= {"uses_gold": False, "tuned": False}
    return {"difficulties": known, "weightings": {name: {**of} for name in ("E2", "soft", "third")}}


def files_of_difficulty(values, scores=None, **more):
    statistics = {"statistics": np.array(scores, dtype=float)[:, :, None]} if scores else {}
    contents = {
        "difficulty/gaps.npz": {"difficulty": np.array(values, dtype=float)},
        "statistics/A.npz": {"statistics": np.ones((2, 1, 1))},  # of systems alone
        "statistics/B.npz": statistics,
        "weightings.json": described(gaps="segment"),
    }
    return SetFiles(NAME, contents | more)


def draw(name, panels, files, metric="B", **settings):
    """Draw a plot of a set, and return the number and size of its panels."""
    drawing, shape = results.plots_of_set(files, metric, settings)[name]
    drawing(panels)
    return shape


def job(folder, plots, files, **params):
    """A job of these outputs, from files on disk that its script reads."""
    paths = [[str(folder / f"{plot}.{end}") for plot in plots] for end in ("svg", "pdf")]
    output = SimpleNamespace(svg=paths[0], pdf=paths[1])
    return SimpleNamespace(
        params=SimpleNamespace(name=NAME, **params),
        input=SimpleNamespace(files=files),
        output=output,
    )


@pytest.mark.parametrize(
    "values", [[[0.1, 0.5, 0.3]] * 2, [[np.inf] * 3] * 2, [[1e9, -1e9, 0]] * 2, Missing("no texts")]
)
@pytest.mark.filterwarnings("error")
def test_a_difficulty_is_drawn_whatever_it_is(tmp_path, monkeypatch, values):
    files = files_of_difficulty([[0, 0, 0]] * 2, [[3, 2, 1]] * 2)
    found = values if isinstance(values, Missing) else {"difficulty": np.array(values)}
    files.contents["difficulty/gaps.npz"] = found
    monkeypatch.setattr(plot_evalset, "read_set", lambda name, paths: files)
    settings = {"metrics": METRICS, "weightings": {"E2": GROUPS}}
    plot_evalset.main(job(tmp_path, ["difficulties"], [], metric="B", settings=settings))
    assert {path.name for path in tmp_path.iterdir()} == {"difficulties.svg", "difficulties.pdf"}


def one_tier(sets):
    effects = study_effects(sets, np.random.default_rng(0))
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE"], draws)
    return effects[(effects.contrast == "EE") & (effects.tier == "surface")], pooled


def tuned_rows(sets):
    effects, _ = one_tier(sets)
    return effects.assign(null_low=0.78, null_mean=0.81, null_high=0.84)[
        ["set", "metric", "value", "plain", "null_low", "null_mean", "null_high"]
    ]


def drawings(sets=6):
    effects, pooled = one_tier(sets)
    pairs = pair_model.pair_model(study_pairs(4, np.random.default_rng(1)))
    return {
        "forest": partial(study.forest, effects=effects, pooled=pooled),
        "tier": partial(study.gain_by_tier, pooled=pooled),
        "gap": partial(study.gain_by_gap, pairs=pairs),
        "size": partial(study.gain_by_effective_size, effects=effects),
        "null": partial(study.tuned_and_null, tuned=tuned_rows(sets)),
    }


@pytest.mark.parametrize("name", ["forest", "tier", "gap", "size", "null"])
def test_same_bytes(name, tmp_path):
    made = []
    for run in "ab":
        paths = [tmp_path / f"{run}.svg", tmp_path / f"{run}.pdf"]
        with figure(*paths) as panels:
            drawings()[name](panels[0])
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    assert b"<dc:date>" not in made[0][0]
    assert b"CreationDate" not in made[0][1]


def empty_axes():
    return Figure().subplots()


def test_nothing_to_draw_is_said():
    effects, pooled = one_tier(4)
    none, no_pooled = effects.assign(effect=np.nan), pooled.assign(effect=np.nan)
    pairs = pair_model.pair_model(study_pairs(4, np.random.default_rng(1)))
    for draw in (
        partial(study.forest, effects=none, pooled=pooled),
        partial(study.gain_by_tier, pooled=no_pooled),
        partial(study.gain_by_gap, pairs=pairs.assign(estimate=np.nan)),
        partial(study.gain_by_effective_size, effects=none),
        partial(study.tuned_and_null, tuned=tuned_rows(3).assign(value=np.nan)),
    ):
        with pytest.raises(Missing):
            draw(empty_axes())
