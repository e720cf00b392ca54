"""What the figures compute before they draw, and that they draw."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from mt_difficulty import figures


@pytest.fixture
def axes():
    drawn, axes = pyplot.subplots()
    yield axes
    pyplot.close(drawn)


@given(st.lists(st.tuples(st.floats(0, 1.5), st.floats(0, 100)), min_size=1, max_size=40))
def test_bins_are_centred_on_multiples_of_the_width(points):
    entropy, scores = np.array(points).T
    centres, means, counts = figures.bin_means(entropy[None], scores[None])
    assert counts.sum() == len(points)
    for centre, mean, count in zip(centres, means, counts, strict=True):
        inside = scores[np.floor(entropy / 0.1 + 0.5) == round(centre / 0.1)]
        assert (len(inside), pytest.approx(inside.mean())) == (count, mean)


def test_an_infinite_entropy_is_in_no_bin():
    assert figures.bin_means(np.array([[0.1, np.inf]]), np.array([[1.0, 9.0]]))[1].tolist() == [1.0]


def test_entropy_score_gives_the_fits_r(axes):
    entropy = np.array([[0.0, 0.1, 0.2, 0.3]])
    assert figures.draw_entropy_score(axes, entropy, 1 - entropy, "chrF") == pytest.approx(-1)
    assert axes.get_ylabel() == "mean segment chrF"


def test_balance_fit_needs_three_sets_for_a_line(axes):
    points = {name: (x, 9.62 * x - 22.23) for name, x in (("a", 3.0), ("b", 5.0), ("c", 6.0))}
    assert figures.draw_balance_fit(axes, points) == pytest.approx(1)
    points.pop("c")
    assert np.isnan(figures.draw_balance_fit(axes, points))


def test_top_k_draws_a_line_per_metric_and_weighting(axes):
    frame = pd.DataFrame(
        [["chrF", w, "top", k, 0.5] for w in ("standard", "EE") for k in (3, 4, 5)],
        columns=["metric", "weighting", "subset", "size", "pearson"],
    )
    figures.draw_top_k(axes, frame, ["chrF", "BERTScore"], "a set")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["chrF", "EE-chrF"]


def test_rule_graph_leaves_out_what_longer_paths_imply():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    assert figures._direct(edges) == [("a", "b"), ("b", "c"), ("a", "d")]


def test_rule_graph_goes_downwards(axes):
    names = dict(zip("abcd", ("one", "two", "three", "four"), strict=True))
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    figures.draw_rule_graph(axes, names, edges)
    places = {text.get_text(): text.get_position() for text in axes.texts if text.get_text()}
    assert all(places[names[start]][1] > places[names[end]][1] for start, end in edges)
    assert len(set(places.values())) == 4
    # c is reached from a only through b; the chain a, b, c bends, so a longer edge is seen.
    assert places["one"][0] == places["three"][0] != places["two"][0]


def test_distribution_names_mean_deviation_and_threshold(axes):
    figures.draw_entropy_distribution(axes, np.array([0.1, 0.3, 0.5]), "wmt19/en-de")
    sigma = np.sqrt(0.08 / 3)
    assert axes.get_title() == (
        f"wmt19/en-de\nμ = 0.300, σ = {sigma:.3f}, μ + 2σ = {0.3 + 2 * sigma:.3f}"
    )


def test_a_reason_stands_where_nothing_can_be_drawn(axes):
    figures.draw_reason(axes, "the archive has no texts")
    assert "not computable: the archive has no" in axes.texts[0].get_text().replace("\n", " ")
