"""What the figures compute before they draw, and that they draw."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from mt_difficulty.errors import Missing
from mt_difficulty.figures import plots, rule_figure, surface_figure

TOP = pd.DataFrame(
    {"metric": ["chrF"], "weighting": "EE", "subset": "top", "size": 3, "pearson": 1}
)


@pytest.fixture
def axes():
    drawn, axes = pyplot.subplots()
    yield axes
    pyplot.close(drawn)


@given(st.lists(st.tuples(st.floats(0, 1.5), st.floats(0, 100)), min_size=1, max_size=40))
def test_bins_are_centred_on_multiples_of_the_width(points):
    entropy, scores = np.array(points).T
    centres, means, counts = plots.bin_means(entropy[None], scores[None])
    assert counts.sum() == len(points)
    for centre, mean, count in zip(centres, means, counts, strict=True):
        inside = scores[np.floor(entropy / 0.1 + 0.5) == round(centre / 0.1)]
        assert (len(inside), pytest.approx(inside.mean())) == (count, mean)


def test_an_infinite_entropy_is_in_no_bin():
    assert plots.bin_means(np.array([[0.1, np.inf]]), np.array([[1.0, 9.0]]))[1].tolist() == [1.0]


def test_entropy_score_gives_the_fits_r(axes):
    entropy = np.array([[0.0, 0.1, 0.2, 0.3]])
    assert plots.draw_entropy_score(axes, entropy, 1 - entropy, "chrF") == pytest.approx(-1)
    assert axes.get_ylabel() == "mean segment chrF"


def test_balance_fit_needs_three_sets_for_a_line(axes):
    points = {name: (x, 9.62 * x - 22.23) for name, x in (("a", 3.0), ("b", 5.0), ("c", 6.0))}
    assert plots.draw_balance_fit(axes, points) == pytest.approx(1)
    points.pop("c")
    assert np.isnan(plots.draw_balance_fit(axes, points))


def test_top_k_draws_a_line_per_metric_and_weighting(axes):
    frame = pd.DataFrame(
        [["chrF", w, "top", k, 0.5] for w in ("standard", "EE") for k in (3, 4, 5)],
        columns=["metric", "weighting", "subset", "size", "pearson"],
    )
    plots.draw_top_k(axes, frame, ["chrF", "BERTScore"], "a set")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["chrF", "EE-chrF"]


def test_rule_graph_leaves_out_what_longer_paths_imply():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    assert rule_figure._direct(edges) == [("a", "b"), ("b", "c"), ("a", "d")]


def test_rule_graph_goes_downwards(axes):
    names = dict(zip("abcd", ("one", "two", "three", "four"), strict=True))
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    rule_figure.draw_rule_graph(axes, names, edges)
    places = {text.get_text(): text.get_position() for text in axes.texts if text.get_text()}
    assert all(places[names[start]][1] > places[names[end]][1] for start, end in edges)
    assert len(set(places.values())) == 4
    # c is reached from a only through b; the chain a, b, c bends, so a longer edge is seen.
    assert places["one"][0] == places["three"][0] != places["two"][0]


def test_distribution_names_mean_deviation_and_threshold(axes):
    plots.draw_entropy_distribution(axes, np.array([0.1, 0.3, 0.5]), "wmt19/en-de")
    sigma = np.sqrt(0.08 / 3)
    assert axes.get_title() == (
        f"wmt19/en-de\nμ = 0.300, σ = {sigma:.3f}, μ + 2σ = {0.3 + 2 * sigma:.3f}"
    )


def test_a_reason_stands_where_nothing_can_be_drawn(axes):
    plots.draw_reason(axes, "the archive has no texts")
    assert "not computable: the archive has no" in axes.texts[0].get_text().replace("\n", " ")


def test_top_k_of_chosen_weightings(axes):
    frame = pd.DataFrame(
        [["B", w, "top", k, 0.5] for w in ("standard", "EE", "DA") for k in (3, 4)],
        columns=["metric", "weighting", "subset", "size", "kendall"],
    )
    plots.draw_top_k(axes, frame, ["B"], "a set", "kendall", ["standard", "DA"])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["B", "DA-B"]
    assert axes.get_ylabel() == "Kendall's τ"


def test_a_heat_maps_first_row_is_the_difficulty(axes):
    missed = np.array([[0.2, 0.0], [0.4, 0.0]])
    plots.draw_token_heat_map(axes, ["der", "Imker"], ["oak", "elm"], missed, "a segment")
    values = axes.collections[0].get_array().reshape(3, 2)
    np.testing.assert_allclose(values, [[0.3, 0.0], [0.2, 0.0], [0.4, 0.0]])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["difficulty", "oak", "elm"]


def test_difficulties_are_drawn_by_label(axes):
    plots.draw_difficulty_distribution(axes, {"all": np.arange(9.0), "best": np.arange(4.0)})
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["all", "best"]


def test_the_hardest_short_segment_is_found():
    lengths = np.array([9, 10, 40, 3])
    segments = np.repeat(np.arange(4), lengths)
    difficulty = np.repeat([0.1, 0.2, 0.9, 0.8], lengths)
    assert plots.hardest_short_segment(difficulty, segments, lengths) == 1
    # Where none is of that size, the least unsuitable one.
    assert plots.hardest_short_segment(difficulty[:3], segments[:3], np.array([3])) == 0


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


def test_a_metric_of_constant_scores_has_no_surface(axes):
    grid, points = np.linspace(0, 1, 3), {"in force": (0.5, 0.5)}
    surface_figure.draw_surface(axes, grid, grid, np.full((3, 3), np.nan), points, "chrF")
    assert "chrF: constant scores" in axes.texts[0].get_text().replace("\n", " ")
    assert not axes.collections


@pytest.mark.parametrize(
    ("draw", "reason"),
    [
        (lambda axes: plots.draw_entropy_distribution(axes, np.array([])), "mean entropy counts"),
        (
            lambda axes: plots.draw_entropy_score(
                axes, np.full((2, 3), np.inf), np.ones((2, 3)), "x"
            ),
            "every entropy is infinite",
        ),
        (lambda axes: plots.draw_top_k(axes, TOP.head(0), ["chrF"], "title"), "has scores"),
        (
            lambda axes: plots.draw_difficulty_distribution(axes, {"all": np.array([])}),
            "no tokens",
        ),
        (
            lambda axes: plots.hardest_short_segment(
                np.array([]), np.array([], int), np.zeros(3, int)
            ),
            "no tokens",
        ),
    ],
    ids=["distribution", "entropy and score", "top K", "difficulties", "hardest short segment"],
)
def test_what_cannot_be_drawn_gives_a_reason(axes, draw, reason):
    with pytest.raises(Missing, match=reason):
        draw(axes)


@pytest.mark.parametrize(
    ("entropy", "scores", "label"),
    [
        ([[0.0, 0.0]], [[1.0, 2.0]], "no linear fit: one value of entropy"),
        ([[0.0, 0.5]], [[1.0, 1.0]], "linear fit, equal scores"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_entropy_score_without_an_r_says_why(axes, entropy, scores, label):
    assert np.isnan(plots.draw_entropy_score(axes, np.array(entropy), np.array(scores), "chrF"))
    assert axes.get_legend_handles_labels()[1] == [label]


@pytest.mark.filterwarnings("error")
def test_one_mean_entropy_has_a_distribution(axes):
    plots.draw_entropy_distribution(axes, np.array([0.3]))
    assert "σ = 0.000" in axes.get_title()


def test_dollar_signs_in_names_are_no_formulas(tmp_path):
    with pyplot.rc_context(plots.RC):
        drawn, axes = pyplot.subplots()
        plots.draw_token_heat_map(axes, ["$\\frac$"], ["$\\x$", "a$b$"], np.ones((2, 1)), "$\\y$")
        drawn.savefig(tmp_path / "figure.svg")
        pyplot.close(drawn)
