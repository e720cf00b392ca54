"""Every statistic of the registry, against SciPy and loops."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from mt_difficulty import statistics
from mt_difficulty.statistics import STATISTICS

OF_SCORES = statistics.of_scores(STATISTICS)


def accuracy(scores, gold):
    """Pairwise accuracy (Kocmi et al. 2021), of the pairs that gold orders."""
    pairs = [(a, b) for a in range(len(gold)) for b in range(a) if gold[a] != gold[b]]
    return np.mean([np.sign(scores[a] - scores[b]) == np.sign(gold[a] - gold[b]) for a, b in pairs])


BY_HAND = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "accuracy": accuracy,
}
# Few distinct values, so that ties are frequent.
TIED = hnp.arrays(float, (3, 6), elements=st.integers(-3, 3).map(float))


@given(TIED, TIED)
def test_statistics_by_scipy_and_loops(scores, gold):
    found = statistics.evaluate(list(BY_HAND), scores, gold)
    for x, y, row in zip(scores, gold, found, strict=True):
        varied = np.ptp(x) > 0 and np.ptp(y) > 0
        expected = [by(x, y) if varied else np.nan for by in BY_HAND.values()]
        np.testing.assert_allclose(row, expected, atol=1e-12)


@pytest.mark.parametrize("name", OF_SCORES)
def test_leading_axes_are_broadcast(name):
    rng = np.random.default_rng(1)
    scores, gold = rng.normal(size=(4, 5, 7)), rng.normal(size=(5, 7))
    statistic = STATISTICS[name]()
    found = statistic(scores, gold)
    assert found.shape == (4, 5)
    for i, j in np.ndindex(4, 5):
        assert found[i, j] == pytest.approx(statistic(scores[i, j], gold[j]), abs=1e-12)
    # One human score for all: the same as with copies of it.
    np.testing.assert_allclose(
        statistic(scores, gold[0]), statistic(scores, np.tile(gold[0], (5, 1)))
    )


@pytest.mark.parametrize("name", OF_SCORES)
def test_higher_is_better_and_undefined_is_nan(name):
    gold = np.array([1.0, 2, 3, 4])
    rows = [[1, 2, 3, 4], [4, 3, 2, 1], [1, np.nan, 3, 4], [2, 2, 2, 2], [np.inf, 1, 2, 3]]
    found = STATISTICS[name]()(np.array(rows), gold)
    assert found[0] > found[1]
    assert np.isnan(found[2:]).all()
    assert np.isnan(STATISTICS[name]()(gold, np.ones(4)))


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_says_what_it_is(name):
    kind = STATISTICS[name]
    assert kind.symbol
    assert kind.description
    assert kind.level in {"system", "segment"}
    assert kind.reads in {"scores", "p_values", "segment_scores"}
    assert (kind.level == "segment") == (kind.reads == "segment_scores")


def test_soft_pairwise_accuracy_by_its_definition():
    metric = np.array([[0.5, 0.1, 0.4], [0.9, 0.5, 0.7], [0.6, 0.3, 0.5]])
    people = np.array([[0.5, 0.0, 0.9], [1.0, 0.5, 0.7], [0.1, 0.3, 0.5]])
    soft_accuracy = STATISTICS["soft_accuracy"]()
    found = soft_accuracy(np.array([metric, people]), people)
    np.testing.assert_allclose(found, [1 - (0.1 + 0.5 + 0.0) / 3, 1])
    metric[0, 1] = np.nan
    assert np.isnan(soft_accuracy(metric, people))


def test_what_helps_statistics_is_none():
    assert not {"base", "compiled"} & set(STATISTICS)
    assert {*BY_HAND, "soft_accuracy"} <= set(STATISTICS)


def test_statistics_need_no_compiler():
    """What takes most of a job's start is imported by the jobs that need it."""
    code = (
        "import sys; from mt_difficulty.statistics import STATISTICS; list(STATISTICS.values()); "
        "import mt_difficulty.evidence.subsets, mt_difficulty.evidence.gains; "
        "print({'numba', 'scipy', 'pandas'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
