"""The mixed model against a dense likelihood, statsmodels and designs that it refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
from made_ratings import of_rows, small_ratings
from scipy.stats import t

from mt_difficulty.errors import Missing
from mt_difficulty.gold import base, make_gold, mixed


def indicator(level):
    return np.eye(level.max() + 1)[level]


def dense_fit(cells, design, ratios):
    """Deviance, scores and covariance from the full covariance of the ratings."""
    covariance = np.eye(len(cells.score))
    for name, ratio in ratios.items():
        columns = indicator(design.effects[name].level)
        covariance += ratio**2 * columns @ columns.T
    inverse = np.linalg.inv(covariance)
    x = indicator(cells.system)
    information = x.T @ inverse @ x
    scores = np.linalg.solve(information, x.T @ inverse @ cells.score)
    residual = cells.score - x @ scores
    degrees = len(cells.score) - x.shape[1]
    variance = residual @ inverse @ residual / degrees
    determinants = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1]
    deviance = determinants + degrees * (1 + np.log(2 * np.pi * variance))
    predicted = {
        name: ratio**2 * indicator(design.effects[name].level).T @ inverse @ residual
        for name, ratio in ratios.items()
    }
    return deviance, variance, scores, variance * np.linalg.inv(information), predicted


@pytest.fixture
def small():
    ratings = small_ratings(np.random.default_rng(3))
    cells = base.read_cells(mixed.averaged(ratings.table))
    design, notes = mixed.make_design(cells)
    assert notes == []
    assert mixed._several_raters_notes(cells)[0].startswith("81% of the ratings are of cells")
    return ratings, cells, design


@pytest.mark.parametrize(
    "ratios",
    [
        {"segment": 1.1, "document": 0.4, "annotator": 1.5, "block": 0.6},
        {"segment": 0.0, "document": 0.7, "annotator": 0.0, "block": 0.0},
    ],
)
def test_the_likelihood_and_the_fit_are_those_of_the_full_covariance(small, ratios):
    _, cells, design = small
    products = mixed.cross_products(design, cells.score)
    solution = mixed.solve(products, ratios)
    deviance, variance, scores, covariance, predicted = dense_fit(cells, design, ratios)
    assert solution.deviance == pytest.approx(deviance, abs=1e-8)
    assert mixed.solve(products, ratios, only_deviance=True).deviance == solution.deviance
    assert solution.variance == pytest.approx(variance)
    np.testing.assert_allclose(solution.scores, scores, rtol=1e-10)
    np.testing.assert_allclose(solution.covariance, covariance, rtol=1e-8)
    np.testing.assert_allclose(solution.annotators, predicted["annotator"], atol=1e-8)
    for name in ("segment", "document"):
        levels = len(design.effects[name].names)
        values = mixed._local_effects(products, solution, levels, name)
        np.testing.assert_allclose(values, predicted[name], atol=1e-8)


def test_variances_are_those_of_statsmodels(small):
    from statsmodels.regression.mixed_linear_model import MixedLM

    ratings, cells, design = small
    human = make_gold("mixed").fit(ratings)
    table = pd.DataFrame({"score": cells.score, "system": cells.system, "all": 1})
    formulas = {}
    for name, effect in design.effects.items():
        table[name] = effect.level
        formulas[name] = f"0 + C({name})"
    model = MixedLM.from_formula(
        "score ~ 0 + C(system)", groups="all", vc_formula=formulas, data=table
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a variance near 0
        fitted = model.fit(reml=True, method=["powell", "lbfgs"])
    expected = dict(zip(model.exog_vc.names, fitted.vcomp, strict=True))
    assert human.model.variances["residual"] == pytest.approx(fitted.scale, rel=0.02)
    for name, variance in expected.items():
        assert human.model.variances[name] == pytest.approx(variance, rel=0.03, abs=0.3)
    np.testing.assert_allclose(human.scores, fitted.fe_params, atol=0.02)
    errors = base.differences(human)[1]
    covariance = np.asarray(fitted.cov_params())[:4, :4]
    theirs = base.differences(human._replace(covariance=covariance))[1]
    np.testing.assert_allclose(errors, theirs, rtol=0.01)


def test_the_order_of_ratings_does_not_matter(small):
    ratings, _, _ = small
    shuffled = ratings._replace(table=ratings.table.sample(frac=1, random_state=1))
    first, second = (make_gold("mixed").fit(each) for each in (ratings, shuffled))
    np.testing.assert_array_equal(first.scores, second.scores)
    np.testing.assert_array_equal(first.covariance, second.covariance)


def test_ratings_of_a_cell_by_one_annotator_are_averaged(small):
    ratings, _, _ = small
    higher = ratings.table.assign(score=ratings.table.score + 1)
    lower = ratings.table.assign(score=ratings.table.score - 1)
    twice = ratings._replace(table=pd.concat([higher, lower]))
    human = make_gold("mixed").fit(twice)
    assert human.units == len(ratings.table)
    np.testing.assert_allclose(human.scores, make_gold("mixed").fit(ratings).scores, atol=1e-6)


def test_shares_severity_and_difficulty():
    ratings = small_ratings(np.random.default_rng(5), documents=30)
    table = ratings.table.copy()
    table.loc[table.annotator == "a0", "score"] -= 40
    table.loc[table.segment == "4", "score"] -= 40
    model = make_gold("mixed").fit(ratings._replace(table=table)).model
    assert sum(model.shares.values()) == pytest.approx(1)
    assert max(model.severity, key=model.severity.get) == "a0"
    assert max(model.difficulty, key=model.difficulty.get) == "4"
    assert model.severity_received.shape == (4,)


def test_z_as_response(small):
    ratings, _, _ = small
    human = make_gold("mixed", response="z").fit(ratings)
    assert human.model.variances["annotator"] < 0.1
    assert np.abs(human.scores).max() < 2


def test_bootstrap_gives_degrees_of_freedom(small):
    ratings, _, _ = small
    seen = []

    def progress(steps):
        seen.append(steps)
        return steps

    gold = make_gold("mixed", resamples=8, seed=2)
    human = gold.fit(ratings, progress)
    assert human.degrees == gold.fit(ratings).degrees
    assert human.degrees is None or human.degrees >= 1
    assert range(8) in seen


def test_degrees_of_a_quantile():
    assert mixed.degrees_of_quantile(t.ppf(0.975, 12)) == pytest.approx(12)
    assert mixed.degrees_of_quantile(1.9) is None
    assert mixed.degrees_of_quantile(30.0) == 1


def test_settings_are_checked():
    with pytest.raises(ValueError, match="response logit: expected one of raw, z"):
        make_gold("mixed", response="logit")
    with pytest.raises(ValueError, match="resamples -1"):
        make_gold("mixed", resamples=-1)


def test_effects_that_cannot_be_told_apart_are_left_out():
    rng = np.random.default_rng(1)
    rows = [
        ("a", f"s{system}", str(segment), f"d{segment}", "", rng.normal())
        for system in range(3)
        for segment in range(8)
    ]
    human = make_gold("mixed").fit(of_rows(rows))
    assert set(human.model.variances) == {"segment", "residual"}
    assert human.notes == [
        "Without an effect of the document: it has the same levels as the segment.",
        "Without an effect of the annotator: there is one level only.",
        "Without an effect of the block: each level has one rating.",
    ]
    assert human.model.severity == {}
    assert np.isnan(human.model.severity_received).all()


def test_ratings_without_documents():
    ratings = small_ratings(np.random.default_rng(1))
    human = make_gold("mixed").fit(ratings._replace(table=ratings.table.assign(document="")))
    assert set(human.model.variances) == {"segment", "annotator", "residual"}
    assert human.notes[0] == "Documents are unknown: without effects of documents and blocks."
    known = ratings.table.document.mask(ratings.table.document == "d0", "")
    human = make_gold("mixed").fit(ratings._replace(table=ratings.table.assign(document=known)))
    assert human.notes[0] == "18 ratings of unknown document: each segment is one."


def test_a_model_without_random_effects_is_least_squares():
    rows = [("a", f"s{system}", "0", "d", "", float(score)) for system, score in enumerate("123")]
    rows += [("b", f"s{system}", "0", "d", "", float(score)) for system, score in enumerate("254")]
    human = make_gold("mixed").fit(of_rows(rows))
    np.testing.assert_allclose(human.scores, [1.5, 3.5, 3.5], atol=1e-3)


def test_designs_without_shared_segments_are_refused():
    rng = np.random.default_rng(1)
    rows = [
        ("a", f"s{system}", f"{system}/{segment}", f"d{segment}", "", rng.normal())
        for system in range(4)
        for segment in range(5)
    ]
    with pytest.raises(Missing, match="every system was rated on other segments"):
        make_gold("mixed").fit(of_rows(rows))
    shared = [(a, s, f"{int(s[1]) // 2}/{i[2:]}", d, x, y) for a, s, i, d, x, y in rows]
    with pytest.raises(Missing, match="no segments connect these systems: s0, s1; s2, s3"):
        make_gold("mixed").fit(of_rows(shared))
    confounded = [(f"of {s}", s, i[2:], d, x, y) for a, s, i, d, x, y in rows]
    with pytest.raises(Missing, match="every system was rated by one annotator of its own"):
        make_gold("mixed").fit(of_rows(confounded))


def test_systems_without_common_annotators_are_named():
    ratings = small_ratings(np.random.default_rng(1))
    table = ratings.table.copy()
    table["annotator"] += table.system.isin(["s0", "s1"]).map({True: "x", False: ""})
    human = make_gold("mixed").fit(ratings._replace(table=table))
    assert "Some systems share no annotators with others" in human.notes[0]


def test_equal_ratings_are_refused():
    ratings = small_ratings(np.random.default_rng(1))
    equal = ratings._replace(table=ratings.table.assign(score=50.0))
    with pytest.raises(Missing, match="explain the ratings without a residual"):
        make_gold("mixed").fit(equal)
    rows = [
        (
            f"a{annotator}",
            f"s{system}",
            str(segment),
            f"d{segment // 3}",
            "",
            annotator + system + segment % 7.0,
        )
        for annotator in range(4)
        for system in range(3)
        for segment in range(30)
    ]
    with pytest.raises(Missing, match="explain the ratings without a residual"):
        make_gold("mixed").fit(of_rows(rows))
    with pytest.raises(Missing, match="no annotator gave two different ratings"):
        make_gold("mixed", response="z").fit(equal)
