"""Golds on simulated evaluations of known truth, in short; `bench/human_scores.py` in full."""

import human_scores as bench
import numpy as np
import pytest

SAMPLES = 4


def measured(design, samples):
    """The table of a design with strong effects of annotators, by gold."""
    table = bench.simulated_table((design,), ("strong",), samples, seed=3).set_index("gold")
    expected = [bench.RAW, *bench.GOLDS]
    if design == bench.DYNAMIC:
        expected.insert(1, bench.RAW_WMT26)
    if design in (bench.DA, bench.ESA):
        expected.remove("within_screen")
    assert list(table.index) == expected
    return table


@pytest.mark.parametrize("design", bench.DESIGNS)
def test_golds_are_near_the_truth(design):
    table = measured(design, SAMPLES)
    golds = table.loc[table.index.isin(bench.GOLDS)]
    assert (golds.coverage > 0.8).all()
    if design != bench.BALANCED:
        assert table.error["mixed"] < 0.9 * table.error["mean"]


@pytest.mark.slow
@pytest.mark.parametrize("design", bench.DESIGNS)
def test_statements_are_as_often_wrong_as_they_say(design):
    """Up to three Monte-Carlo errors."""
    table = measured(design, 60)
    golds = table.loc[table.index.isin(bench.GOLDS)]
    bound = 0.05 + 3 * golds.monte_carlo_error
    assert (golds.false_differences <= bound).all()
    assert golds.coverage.between(0.92, 0.975).all()
    if design != bench.BALANCED:
        assert table.error["mixed"] < 0.8 * table.error["mean"]
        assert table.false_differences[bench.RAW] > golds.false_differences.max()
    if design == bench.DYNAMIC:
        assert (golds.drop(index="mean").false_differences < 0.08).all()
        assert table.false_differences[bench.RAW_WMT26] > 0.35


@pytest.mark.slow
def test_speed():
    """20,000 ratings: seconds of CPU, where `mixed` may take 20 and `within_screen` 1."""
    table = bench.speed_table().set_index("gold")
    assert (table.ratings == 20_000).all()
    assert table.cpu_seconds["mixed"] < 20
    assert table.cpu_seconds["within_screen"] < 1


def test_raw_means_in_points():
    ratings, truth = bench.simulate(bench.BALANCED, 7.0, np.random.default_rng(1), equal=True)
    assert len(set(truth)) == 1
    measures = bench.measure(bench.raw_rule(ratings)[0], truth)
    assert np.isnan(measures.tau)
    assert measures.error < 3
