"""Means, z-scores, differences within screens, and the statements that follow from errors."""

import numpy as np
import pandas as pd
import pytest
from made_ratings import of_rows, small_ratings
from scipy.stats import norm, t

from mt_difficulty.errors import Missing
from mt_difficulty.evidence.units import MINIMUM_DOCUMENTS
from mt_difficulty.gold import GOLDS, base, make_gold, within_screen
from mt_difficulty.gold.ratings import Ratings


def human_scores(scores, covariance, degrees=None):
    """Human scores of systems named by number."""
    names = [str(index) for index in range(len(scores))]
    values = np.asarray(scores, float), np.asarray(covariance, float)
    return base.HumanScores(names, *values, [], None, degrees, "document", 10, [])


def test_the_registry():
    assert list(GOLDS) == ["mean", "mixed", "within_screen", "z"]
    assert all(gold.description for gold in GOLDS.values())


def test_the_mean_is_over_annotations_then_segments():
    rows = [
        ("a", "x", "0", "", "", 10.0),
        ("b", "x", "0", "", "", 20.0),
        ("a", "x", "1", "", "", 45.0),
        ("a", "y", "1", "", "", 30.0),
        ("a", "y", "10", "", "", 50.0),
    ]
    human = make_gold("mean").fit(of_rows(rows))
    assert human.systems == ["x", "y"]
    assert human.segments == ["0", "1", "10"]
    np.testing.assert_array_equal(human.scores, [30, 40])
    np.testing.assert_array_equal(human.segment_scores, [[15, 45, np.nan], [np.nan, 30, 50]])
    assert human.unit == "segment"
    assert human.notes == ["Documents are unknown: assumes independent segments."]
    # Means of two segments: squared deviations over 2 · (2 − 1); segment 1 is shared.
    np.testing.assert_allclose(human.covariance, [[225, -75], [-75, 100]])


def test_the_error_of_a_difference_is_that_of_differences_by_document():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 40))
    documents = np.repeat(np.arange(8), [2, 3, 4, 5, 6, 6, 7, 7])
    covariance, degrees = base.covariance_of_means(scores, documents)
    difference = scores[0] - scores[1]
    sums = np.bincount(documents, difference - difference.mean()) / 40
    expected = (sums**2).sum() * 8 / 7
    assert covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1] == pytest.approx(expected)
    np.testing.assert_array_equal(degrees, 7)


def test_units_are_documents_if_there_are_enough():
    def fit(documents, shared=False):
        rows = [
            (f"a{system}", f"s{system}", str(segment), f"d{segment % documents}", "", score)
            for system in range(2)
            for segment, score in enumerate(np.random.default_rng(system).normal(size=24))
        ]
        if shared:
            rows.append(("b", "s0", "0", "d1", "", 0.0))
        return make_gold("mean").fit(of_rows(rows))

    enough = fit(MINIMUM_DOCUMENTS)
    assert (enough.unit, enough.units, enough.notes) == ("document", MINIMUM_DOCUMENTS, [])
    number = MINIMUM_DOCUMENTS - 1
    few = fit(number)
    assert (few.unit, few.units) == ("segment", 24)
    assert few.notes == [
        f"{number} documents are too few to compute errors from: assumes independent segments."
    ]
    assert fit(MINIMUM_DOCUMENTS + 1, shared=True).units == MINIMUM_DOCUMENTS


def test_a_system_in_one_document_has_no_errors():
    rows = [
        ("a", system, str(segment), f"d{segment}", "", float(segment % 3))
        for system in ("x", "y")
        for segment in range(MINIMUM_DOCUMENTS)
    ]
    rows.append(("a", "z", "0", "d0", "", 1.0))
    human = make_gold("mean").fit(of_rows(rows))
    assert human.notes == ["No errors: ratings in one document only (z)."]
    assert np.isnan(human.covariance[2]).all()
    p = base.two_sided_p(human)
    assert np.isnan(p[2, :2]).all()
    np.testing.assert_array_equal(base.rank_ranges(human), [[1, 3]] * 3)


def test_bad_ratings_are_refused():
    with pytest.raises(Missing, match="ratings of 1 system: at least two"):
        make_gold("mean").fit(of_rows([("a", "x", "0", "", "", 1.0)]))
    with pytest.raises(Missing, match="not a finite number"):
        make_gold("mean").fit(of_rows([("a", "x", "0", "", "", np.nan)]))


def test_z_is_by_annotator():
    rng = np.random.default_rng(1)
    ratings = small_ratings(rng)
    table = ratings.table
    human = make_gold("z").fit(ratings)
    z = table.groupby("annotator").score.transform(
        lambda scores: (scores - scores.mean()) / scores.std()
    )
    cells = table.assign(z=z).groupby(["system", "segment"]).z.mean()
    np.testing.assert_allclose(human.scores, cells.groupby("system").mean())
    scale = pd.DataFrame({"mean": 50.0, "deviation": 10.0}, index=sorted(set(table.annotator)))
    scaled = make_gold("z").fit(ratings._replace(annotator_scale=scale))
    np.testing.assert_allclose(scaled.scores, make_gold("mean").fit(ratings).scores / 10 - 5)
    with pytest.raises(Missing, match="no mean and standard deviation of annotators: a0, a1"):
        make_gold("z").fit(ratings._replace(annotator_scale=scale.iloc[2:]))


def test_annotators_without_different_ratings_have_no_z():
    rows = [("a", f"s{i % 2}", str(i // 2), "", "", 0.1 * i) for i in range(8)]
    rows += [("b", f"s{i % 2}", str(i // 2), "", "", 0.1) for i in range(6)]
    rows.append(("c", "s0", "0", "", "", 70.0))
    human = make_gold("z").fit(of_rows(rows))
    assert human.notes[0] == (
        "7 ratings are left out, of annotators without different ratings: b, c."
    )
    with pytest.raises(Missing, match="s2: rated only by annotators without different ratings"):
        make_gold("z").fit(of_rows([*rows, ("d", "s2", "0", "", "", 7.0)]))


def least_squares(table):
    """Effects of systems, which sum to 0, by least squares with an indicator for each group."""
    system = table.system.astype("category").cat.codes.to_numpy()
    group = (table.screen + " " + table.segment).astype("category").cat.codes.to_numpy()
    x = np.concatenate([np.eye(system.max() + 1)[system], np.eye(group.max() + 1)[group]], axis=1)
    effects = np.linalg.lstsq(x, table.score.to_numpy(), rcond=None)[0][: system.max() + 1]
    return effects - effects.mean()


def test_within_screen_is_least_squares_and_its_errors_a_jackknife():
    table = small_ratings(np.random.default_rng(1), documents=9).table
    human = make_gold("within_screen").fit(Ratings(table, {}))
    assert human.unit == "screen"
    assert human.units == 18
    assert human.segment_scores is None
    np.testing.assert_allclose(human.scores - human.scores.mean(), least_squares(table), atol=1e-9)
    assert human.scores.mean() == pytest.approx(table.score.mean())
    screens = sorted(set(table.screen))
    without = np.array([least_squares(table[table.screen != screen]) for screen in screens])
    deviations = without - without.mean(axis=0)
    np.testing.assert_allclose(human.covariance, deviations.T @ deviations * 17 / 18, atol=1e-9)


def test_within_screen_ignores_what_a_screen_adds_to_all_systems():
    table = small_ratings(np.random.default_rng(1)).table
    added = table.score + table.screen.map(dict(zip(set(table.screen), range(100), strict=False)))
    first = make_gold("within_screen").fit(Ratings(table, {}))
    second = make_gold("within_screen").fit(Ratings(table.assign(score=added), {}))
    np.testing.assert_allclose(np.ptp(first.scores - second.scores), 0, atol=1e-9)
    np.testing.assert_allclose(first.covariance, second.covariance, atol=1e-9)


def test_within_screen_needs_screens_that_compare():
    table = small_ratings(np.random.default_rng(1)).table

    def fit(table):
        return make_gold("within_screen").fit(Ratings(table, {}))

    with pytest.raises(Missing, match="screens are unknown"):
        fit(table.assign(screen=""))
    with pytest.raises(Missing, match="no screen has translations of a segment by several systems"):
        fit(table.assign(screen=table.screen + table.system))
    alone = table.screen.where(table.system != "s1", "s1 alone")
    with pytest.raises(Missing, match="never rated side by side with another system: s1"):
        fit(table.assign(screen=alone))
    half = table.system.isin(["s0", "s1"]).map({True: "x", False: "y"})
    with pytest.raises(Missing, match=r"no chain of screens .* these systems: s0, s1; s2, s3"):
        fit(table.assign(screen=table.screen + half))


def test_a_system_that_one_screen_connects_has_no_errors():
    table = small_ratings(np.random.default_rng(1)).table
    screen = sorted(set(table.screen))[0]
    new = table[(table.screen == screen) & (table.system == table.system.iloc[0])]
    new = table[table.screen == screen].drop_duplicates("segment").assign(system="new")
    human = make_gold("within_screen").fit(Ratings(pd.concat([table, new]), {}))
    assert human.notes == ["No errors: connected to the others by one screen only (new)."]
    assert np.isnan(base.two_sided_p(human)[0, 1:]).all()
    assert np.isfinite(base.two_sided_p(human)[1:, 1:]).all()
    one = within_screen.Normal(np.array([[[1.0, -1], [-1, 1]]]), np.array([[1.0, -1]]))
    assert within_screen.jackknife(one)[1].all()


def test_p_values_and_intervals():
    human = human_scores([3, 1], [[0.5, 0.1], [0.1, 0.7]])
    assert base.one_sided_p(human)[0, 1] == pytest.approx(norm.sf(2))
    assert base.one_sided_p(human)[1, 0] == pytest.approx(norm.cdf(2))
    assert base.two_sided_p(human)[1, 0] == pytest.approx(2 * norm.sf(2))
    np.testing.assert_array_equal(np.diag(base.two_sided_p(human)), 1)
    with_degrees = human._replace(degrees=5.0)
    assert base.one_sided_p(with_degrees)[0, 1] == pytest.approx(t.sf(2, 5))
    # Half of the difference, of standard error 1.
    ends = base.intervals(human)
    np.testing.assert_allclose(ends[0], 3 + np.array([-1, 1]) * norm.ppf(0.975) / 2)
    assert base.intervals(with_degrees)[0, 1] == pytest.approx(3 + t.ppf(0.975, 5) / 2)


def test_equal_scores_without_errors():
    human = human_scores([2, 2, 3], np.zeros((3, 3)))
    p = base.two_sided_p(human)
    assert p[0, 1] == 1
    assert np.isnan(p[0, 2])


def test_holm():
    p = np.ones((3, 3))
    p[[0, 0, 1], [1, 2, 2]] = [0.01, 0.02, 0.6]
    p = np.minimum(p, p.T)
    adjusted = base.holm_p(p)
    np.testing.assert_allclose(adjusted[[0, 0, 1], [1, 2, 2]], [0.03, 0.04, 0.6])
    p[0, 1] = p[1, 0] = np.nan
    np.testing.assert_allclose(base.holm_p(p)[[0, 0, 1], [1, 2, 2]], [np.nan, 0.04, 0.6])


def test_ranks_and_clusters():
    human = human_scores([10, 9, 5, 4.5, 0], np.eye(5) / 2)
    np.testing.assert_array_equal(base.clusters(human), [1, 1, 2, 2, 3])
    ranges = [[1, 2], [1, 2], [3, 4], [3, 4], [5, 5]]
    np.testing.assert_array_equal(base.rank_ranges(human), ranges)
    table = base.statements(human)
    assert list(table.cluster) == [1, 1, 2, 2, 3]
    assert list(table.columns) == [
        "system",
        "score",
        "low",
        "high",
        "best_rank",
        "worst_rank",
        "cluster",
    ]


def test_a_difference_has_the_degrees_of_freedom_of_the_less_rated_system():
    """A system that few documents rate widens no comparison of the others."""
    human = human_scores([3.0, 1.0, 0.0], np.eye(3) / 2, np.array([20.0, 20.0, 1.0]))
    p = base.one_sided_p(human)
    assert p[0, 1] == pytest.approx(t.sf(2, 20))
    assert p[0, 2] == pytest.approx(t.sf(3, 1))
