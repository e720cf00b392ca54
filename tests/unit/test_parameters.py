"""EE over thresholds and balances against EE at each of them, what is held out, and ablations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import ee_scores
from scipy import stats

from mt_difficulty.evidence import held_out, parameters
from mt_difficulty.evidence.parameters import ablate
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric

RNG = np.random.default_rng(0)
GOLD = RNG.random(5)
ENTROPY = RNG.choice([0.0, 0.06, 0.3, 0.305, 0.5, 0.9, np.inf], (5, 60))
COUNTS = np.sort(RNG.integers(1, 30, (5, 60, 10)), axis=2)[..., ::-1].astype(float)
STATISTICS = {"chrf": RNG.random((5, 60, 1)), "bleu": COUNTS, "ter": RNG.random((5, 60, 2))}
PLAIN = {
    name: WeightedMetric(METRICS[name].aggregate, values, higher_is_better=name != "ter")
    for name, values in STATISTICS.items()
}


@given(st.integers(0, 10**6))
def test_sums_for_all_thresholds_are_those_for_each(seed):
    rng = np.random.default_rng(seed)
    entropy = rng.choice([0, 0.1, 0.2, 0.333, np.inf], (3, rng.integers(1, 12)))
    plain = WeightedMetric(METRICS["ter"].aggregate, rng.random((*entropy.shape, 2)))
    thresholds = np.array([0, 0.1, 0.15, 0.333, 0.4, np.inf])
    (sums,) = parameters.threshold_sums(plain, entropy, thresholds)
    for i, h in enumerate(thresholds):
        grouped = plain.in_groups(entropy >= h, 0.5)
        np.testing.assert_array_equal(sums[i], grouped.columns.sum(axis=1))


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
def test_a_grid_point_is_ee_with_that_threshold_and_balance(name):
    metric = METRICS[name]
    found = parameters.surface(PLAIN[name], ENTROPY, GOLD)
    assert found.shape == (3, 50, 21)
    thresholds = parameters.thresholds(ENTROPY)
    assert set(thresholds) <= set(ENTROPY.ravel())
    for i, j in ((0, 0), (3, 7), (15, 10), (16, 0), (25, 20), (45, 3), (49, 13)):
        scores = ee_scores(metric, STATISTICS[name], ENTROPY, thresholds[i], parameters.W[j])
        sign = -1 if name == "ter" else 1
        expected = correlate(sign * scores, GOLD)
        np.testing.assert_allclose(found[:, i, j], expected, atol=1e-7)


def plain_best(pearson):
    best, at = -np.inf, None
    for i, j in np.ndindex(pearson.shape[1:]):
        values = pearson[:, i, j]
        if not np.isnan(values).any() and values.mean() > best:
            best, at = values.mean(), (i, j)
    return at


@given(st.integers(0, 10**6))
def test_the_best_point_is_the_first_of_highest_mean_where_all_sets_have_one(seed):
    rng = np.random.default_rng(seed)
    # Eighths, so that means tie exactly.
    pearson = rng.choice([np.nan, -0.25, 0.125, 0.5, 0.5], (rng.integers(1, 4), 3, 4))
    assert parameters.best_point(pearson) == plain_best(pearson)


def entry(missing="", **changes):
    parameters = {"h": 0.5, "w": 0.3, "equations": {"h": 0.6, "w": 0.4}} | changes
    return {"parameters": parameters, "missing": missing}


def test_points_that_give_no_scores_say_why():
    assert parameters.points(entry(), True) == {
        "in force": (0.5, 0.3, None),
        "equations": (0.6, 0.4, None),
    }
    odd = entry("a reason.", w=None, equations={"h": 0.6, "w": -1.5})
    found = parameters.points(odd, True)
    assert found["in force"] == (0.5, None, "a reason.")
    assert found["equations"][2] == "Eq. 11 gives w = -1.500, outside [0, 1]"
    found = parameters.points(entry(equations={"h": 0.6, "w": None}), True)
    assert "undefined" in found["equations"][2]
    assert list(parameters.points(entry(), False)) == ["in force"]


def make_rows(name="chrF", given=None):
    grid = parameters.surface(PLAIN["chrf"], ENTROPY, GOLD)
    given = given or parameters.points(entry(), True)
    rows = parameters.point_rows(PLAIN["chrf"], ENTROPY, GOLD, given, grid)
    frame = pd.DataFrame(rows, columns=parameters.POINT_COLUMNS)
    frame = frame.join(parameters.tuned_columns(frame, {"optimum"}, np.linspace(0, 1, 101)))
    keys = dict(zip(held_out.KEYS, (name, "EE", "chunk_entropy"), strict=True))
    return grid, frame.assign(**keys)[[*held_out.KEYS, *frame]]


def test_a_sets_own_points_are_computed_off_the_grid():
    given = {"in force": (0.301, 0.33, None), "equations": (1e9, 0.2, None)}
    grid, rows = make_rows(given=given)
    rows = rows.set_index("parameters")
    scores = ee_scores(METRICS["chrf"], STATISTICS["chrf"], ENTROPY, 0.301, 0.33)
    assert rows.pearson["in force"] == pytest.approx(correlate(scores, GOLD).pearson)
    assert rows["quantile"]["in force"] == (ENTROPY < 0.301).mean()
    assert rows.pearson["optimum"] == np.nanmax(grid[0])
    empty = parameters.points(entry("a reason.", w=None), True)
    assert make_rows(given=empty)[1].reason[1] == "a reason."


def surface_of(grid):
    return held_out.Surface(grid, np.linspace(0, 1, len(parameters.QUANTILES)))


def test_parameters_are_held_out_from_other_texts():
    """Sets a and b have the same texts; d lacks a group nearly everywhere, and f, of which nothing
    is defined, is left aside."""
    rng = np.random.default_rng(4)
    shape = (3, len(parameters.QUANTILES), len(parameters.W))
    grids = {name: rng.uniform(-1, 1, shape) for name in "abcd"}
    grids["d"][0, 1:] = np.nan
    surfaces = {name: {("chrF", "EE"): surface_of(grid)} for name, grid in grids.items()}
    surfaces["e"] = {("TER", "EE"): surface_of(grids["a"])}
    surfaces["f"] = {("chrF", "EE"): surface_of(np.full(shape, np.nan))}
    rows = {name: make_rows(key[0])[1] for name in "abcdef" for key in surfaces[name]}
    found = held_out.hold_out(surfaces, rows, dict(zip("abcdef", "xxyzwv", strict=True)))
    columns = ["set", *held_out.KEYS, *parameters.POINT_COLUMNS, *parameters.TUNED_COLUMNS]
    assert found.columns.tolist() == columns
    assert set(found.parameters[found.tuned == "yes"]) == {"optimum"}
    assert found.parameters.tolist() == list(held_out.PARAMETERS) * 6
    held = found[found.parameters == "held out"].set_index("set")
    for name, others in (("a", "cd"), ("b", "cd"), ("c", "abd"), ("d", "abc")):
        i, j = plain_best(np.array([grids[other][0] for other in others]))
        row = held.loc[name]
        assert (row["quantile"], row.w) == (parameters.QUANTILES[i], parameters.W[j])
        assert row.h == np.linspace(0, 1, len(parameters.QUANTILES))[i]
        np.testing.assert_array_equal(
            [row.pearson, row.kendall, row.spearman], grids[name][:, i, j]
        )
    assert held.reason["e"] == "no other set has correlations of this metric"
    assert np.isnan(held.pearson["e"])


def test_sets_are_counted_by_the_mean_gain_over_their_cases():
    """Set a wins 2 of 3 cases and loses on average; set b wins its only one."""
    gains = {("a", "BLEU"): 0.1, ("a", "chrF"): 0.1, ("a", "TER"): -0.5, ("b", "BLEU"): 0.2}
    frame = pd.DataFrame(
        [
            [name, metric, "EE", label, value]
            for (name, metric), gain in gains.items()
            for label, value in (("standard", 0.5), ("held out", 0.5 + gain))
        ],
        columns=["set", "metric", "weighting", "parameters", "pearson"],
    )
    assert held_out.count_wins(frame, "pearson", "held out") == (1, 2, 3, 4)


DRAWN = np.random.default_rng(0)
DIFFICULTY, SCORES, HUMAN = DRAWN.random((5, 30)), DRAWN.random((5, 30, 1)), DRAWN.random(5)
CHRF = {"chrF": METRICS["chrf"]}


def table(**options):
    settings = {"h": 0.6, "w": 0.3, "thresholds": {"low": 0.2}, "splits": 20}
    settings |= {"weighting": "EE"} | options
    rng = np.random.default_rng(1)
    frame = ablate(CHRF, {"chrF": SCORES}, DIFFICULTY, HUMAN, rng=rng, **settings)
    return frame.set_index("variant")


def test_groups_and_thresholds():
    rows = table()
    for variant, hard, w in (
        ("EE", DIFFICULTY >= 0.6, 0.3),
        ("low", DIFFICULTY >= 0.2, 0.3),
        ("only easy", DIFFICULTY >= 0.6, 1.0),
        ("only difficult", DIFFICULTY >= 0.6, 0.0),
    ):
        systems = [
            w * s[~m].mean() + (1 - w) * s[m].mean()
            for s, m in zip(SCORES[:, :, 0], hard, strict=True)
        ]
        assert rows.pearson[variant] == pytest.approx(stats.pearsonr(systems, HUMAN)[0])
        assert rows.kendall[variant] == pytest.approx(stats.kendalltau(systems, HUMAN)[0])


def test_without_difficulty_is_the_mean_entropy():
    expected = stats.spearmanr(DIFFICULTY.mean(axis=1), HUMAN)[0]
    assert table().spearman["w/o difficulty"] == pytest.approx(expected)


def test_without_entropy_is_the_mean_over_random_splits():
    # A split that weighs both groups by their share is the plain mean, whatever the split.
    entropy = np.where(np.arange(30) < 15, 1.0, 0.0) * np.ones((5, 1))
    rng = np.random.default_rng(2)
    rows = ablate(CHRF, {"chrF": SCORES}, entropy, HUMAN, 0.5, 0.5, {}, 3, "EE", rng)
    found = rows.set_index("variant").loc["w/o entropy", ["pearson", "kendall", "spearman"]]
    plain = correlate(SCORES.mean(axis=(1, 2)), HUMAN)
    np.testing.assert_allclose(found.to_numpy(float), np.array(plain))
    # Few difficult hypotheses: each split is mostly noise.
    few = table(h=0.9, w=0.3, splits=300)
    assert np.abs(few.pearson["w/o entropy"]) < np.abs(plain.pearson)
