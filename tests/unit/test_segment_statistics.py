"""Statistics of segment scores, against SciPy, loops, and the WMT toolkit's values."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from mt_difficulty.statistics import STATISTICS

SEGMENT = [name for name, kind in STATISTICS.items() if kind.reads == "segment_scores"]
PEARSON, KENDALL, ACC23, ACC_EQ = (
    STATISTICS[name]() for name in ("segment_pearson", "segment_kendall", "acc23", "acc_eq")
)
GROUPINGS = ("none", "item", "system")
# Few distinct values, so that ties are frequent.
TIED = hnp.arrays(float, (4, 6), elements=st.integers(-3, 3).map(float))
GOLD = hnp.arrays(float, (4, 6), elements=st.integers(-3, 3).map(float) | st.just(np.nan))


def groups_of(scores, gold, grouping):
    """Scores and human scores of each group, where there are human scores."""
    rows = {"none": [(scores.ravel(), gold.ravel())], "system": zip(scores, gold, strict=True)}
    rows["item"] = zip(scores.T, gold.T, strict=True)
    for x, y in rows[grouping]:
        yield x[~np.isnan(y)], y[~np.isnan(y)]


def mean(values):
    values = [value for value in values if not np.isnan(value)]
    return np.mean(values) if values else np.nan


def loop_correlation(statistic, scores, gold, grouping):
    return mean(
        statistic(x, y).statistic
        for x, y in groups_of(scores, gold, grouping)
        if len(x) > 1 and np.ptp(x) and np.ptp(y)
    )


def loop_accuracy(scores, gold, epsilon):
    """Pairwise accuracy with ties, an exact fraction; None without a pair."""
    shares = []
    for x, y in groups_of(scores, gold, "item"):
        alike = []
        for a, b in combinations(range(len(x)), 2):
            own = 0 if abs(x[a] - x[b]) <= epsilon else np.sign(x[a] - x[b])
            alike.append(int(own == np.sign(y[a] - y[b])))
        if alike:
            shares.append(Fraction(sum(alike), len(alike)))
    return sum(shares) / len(shares) if shares else None


def loop_calibrated(scores, gold):
    differences = {0.0}
    for x, _ in groups_of(scores, gold, "item"):
        differences |= {float(abs(a - b)) for a, b in combinations(x, 2)}
    values = {epsilon: loop_accuracy(scores, gold, epsilon) for epsilon in sorted(differences)}
    if None in values.values():
        return np.nan, np.nan
    epsilon = max(values, key=values.get)  # the first of several
    return float(values[epsilon]), epsilon


@given(TIED, GOLD, st.sampled_from(GROUPINGS))
def test_correlations_by_scipy(scores, gold, grouping):
    for ours, scipys in ((PEARSON, stats.pearsonr), (KENDALL, stats.kendalltau)):
        expected = loop_correlation(scipys, scores, gold, grouping)
        assert ours(scores, gold, grouping) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(TIED, GOLD)
def test_accuracies_by_loops(scores, gold):
    expected = loop_accuracy(scores, gold, 0.0)
    expected = np.nan if expected is None else float(expected)
    assert ACC23(scores, gold) == pytest.approx(expected, abs=1e-15, nan_ok=True)
    value, epsilon = ACC_EQ.calibrated(scores, gold)
    np.testing.assert_array_equal((value, epsilon), loop_calibrated(scores, gold))
    np.testing.assert_array_equal(ACC_EQ(scores, gold), value)


@given(TIED, GOLD, st.integers(0, 23), st.sampled_from([np.nan, np.inf]))
def test_a_missing_metric_score_counts_where_there_is_a_human_score(scores, gold, place, missing):
    whole = [KENDALL(scores, gold, "item"), ACC_EQ(scores, gold)]
    scores = scores.copy()
    scores.flat[place] = missing
    found = [KENDALL(scores, gold, "item"), ACC_EQ(scores, gold)]
    if np.isnan(gold.flat[place]):
        np.testing.assert_array_equal(found, whole)
    else:
        assert np.isnan(found).all()
        assert np.isnan(ACC_EQ.calibrated(scores, gold).epsilon)


@pytest.mark.parametrize("name", SEGMENT)
def test_metrics_are_rows_of_leading_axes(name):
    rng = np.random.default_rng(2)
    scores, gold = rng.normal(size=(2, 3, 4, 9)), rng.normal(size=(4, 9))
    statistic = STATISTICS[name]()
    for grouping in statistic.groupings:
        found = statistic(scores, gold, grouping)
        assert found.shape == (2, 3)
        for i, j in np.ndindex(2, 3):
            assert found[i, j] == statistic(scores[i, j], gold, grouping)
    assert np.shape(statistic(scores[0, 0], gold)) == ()
    assert statistic(gold, gold) == pytest.approx(1, abs=1e-15)
    with pytest.raises(ValueError, match="grouping document: expected one of"):
        statistic(scores, gold, "document")


# Of the toolkit's function `tau_optimization` on the same scores.
EPSILON = {
    "en-de": {"XCOMET-XL-refA": 0.0018290000000000806, "MEE4-refA": 4.640105241149328e-07},
    "zh-en": {"KG-BERTScore-src": 0.0015460000000000473, "BLEU-refA": 3.552713678800501e-15},
}


@pytest.mark.parametrize("pair", EPSILON)
def test_values_of_the_wmt_toolkit(pair, shared, wmt23):
    """All 43 metrics of WMT23 MQM. The oracle's `epsilon_item` is 0 for all of them, although its
    accuracies are those of calibrated ties: thresholds are the toolkit's for 75 of 86; of the
    others its rounded running sums differ by less than 1e-15 between our threshold and its own."""
    oracle = json.loads((shared / "oracles" / f"mtme.wmt23.{pair}.json").read_text())["seg"]
    gold, scores = wmt23(pair, list(oracle))
    columns = {"none": "none", "item": "item", "system": "sys"}
    for statistic, name in ((PEARSON, "pearson"), (KENDALL, "kendall_b")):
        for grouping, column in columns.items():
            expected = [row[f"{name}_{column}"] for row in oracle.values()]
            np.testing.assert_allclose(statistic(scores, gold, grouping), expected, atol=1e-13)
    accuracy = [row["acc23_item_nothreshold"] for row in oracle.values()]
    np.testing.assert_allclose(ACC23(scores, gold), accuracy, atol=1e-14)
    calibrated = [row["acc_t_item"] for row in oracle.values()]
    np.testing.assert_allclose(ACC_EQ(scores, gold), calibrated, atol=1e-14)
    some = scores[[list(oracle).index(metric) for metric in EPSILON[pair]]]
    np.testing.assert_array_equal(
        ACC_EQ.calibrated(some, gold).epsilon, list(EPSILON[pair].values())
    )
