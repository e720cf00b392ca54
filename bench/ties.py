"""Calibration of ties against the program of the WMT metrics task."""

import sys

import numpy as np
from measuring import compare

from mt_difficulty.statistics.acc_eq import calibrate
from mt_difficulty.statistics.base import grouped

# Segments and systems of WMT23 En-De.
METRICS, SEGMENTS, SYSTEMS = 8, 460, 12


def bench_ties(toolkit):
    """acc_eq of every metric with all thresholds, against mt-metrics-eval on one core.

    Parameters
    ----------
    toolkit : str
        The folder of a clone of mt-metrics-eval, of which one module is used that needs NumPy
        alone.
    """
    what = f"acc_eq, {METRICS} metrics x {SEGMENTS} x {SYSTEMS}"
    sys.path.insert(0, toolkit)
    from mt_metrics_eval.tau_optimization import TauSufficientStats, tau_optimization

    scores, gold = simulated_scores()

    def ours():
        groups = grouped(gold, "item")
        return np.array([calibrate(x.ravel()[groups.cells], groups) for x in scores]).T

    def theirs():
        found = [tau_optimization(x.T, gold.T, TauSufficientStats.acc_23) for x in scores]
        return np.array([(each.best_tau, each.best_threshold) for each in found]).T

    results = compare(what, {"ours": ours, "mt-metrics-eval": theirs})
    # Thresholds may differ where two have the same accuracy.
    np.testing.assert_allclose(results["ours"][0], results["mt-metrics-eval"][0], atol=1e-12)


def simulated_scores(seed=0):
    """Metrics' scores, (metrics, systems, segments), and human scores with ties, as of MQM."""
    rng = np.random.default_rng(seed)
    gold = -rng.poisson(rng.gamma(1, 1, size=SEGMENTS), size=(SYSTEMS, SEGMENTS)).astype(float)
    noise = rng.uniform(0.5, 4, size=(METRICS, 1, 1)) * rng.normal(size=(METRICS, *gold.shape))
    scores = gold + noise
    scores[::4] = np.round(scores[::4])  # every fourth metric has few distinct scores
    return scores, gold
