"""What the figures compute before they draw, and that they draw."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from mt_difficulty.errors import Missing
from mt_difficulty.figures import plots

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


def test_difficulty_scores_give_the_fits_r(axes):
    difficulty = np.array([[0.0, 0.1, 0.2, 0.3]])
    r = plots.draw_difficulty_scores(axes, difficulty, 1 - difficulty, "chrF", "x of the segment")
    assert r == pytest.approx(-1)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x of the segment", "mean segment chrF")


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


def test_every_chunk_has_a_colour_and_long_sentences_wrap(axes):
    tokens, chunks = ["Wort"] * 40, np.array([0, 0, -1, 1] * 10)
    plots.draw_chunks(axes, [("a system", tokens, chunks)])
    label, *words = axes.texts
    assert label.get_text() == "a system"
    boxes = [word.get_bbox_patch().get_facecolor() for word in words]
    assert boxes[0] == boxes[1] != boxes[3]
    assert boxes[2][3] == 0  # no colour
    assert len({word.get_position()[1] for word in words}) > 1
    assert max(word.get_position()[0] for word in words) < 1


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
