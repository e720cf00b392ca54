"""Means over subsets against the correlations of each subset."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mt_difficulty.evidence.correlations import correlate
from mt_difficulty.evidence.subsets import random_subsets
from mt_difficulty.statistics.kernels.subset_means import mean_correlations


@settings(max_examples=60, deadline=None)
@given(
    scores=hnp.arrays(float, (4, 7), elements=st.integers(0, 5).map(float)),
    gold=hnp.arrays(float, (7,), elements=st.integers(0, 5).map(float)),
    seed=st.integers(0, 1000),
)
def test_mean_correlations_are_means_of_correlations(scores, gold, seed):
    subsets = random_subsets(7, 4, 20, np.random.default_rng(seed))
    found = mean_correlations(scores, gold, subsets)
    for row, one in zip(found, scores, strict=True):
        each = np.stack(correlate(one[subsets], gold[subsets]), axis=-1)
        defined = np.isfinite(each).all(axis=-1)
        if not defined.any():
            assert np.isnan(row).all()
            continue
        np.testing.assert_allclose(row[:3], each[defined].mean(axis=0), atol=1e-12)
        alike = [accuracy(one[subset], gold[subset]) for subset in subsets[defined]]
        assert row[3] == pytest.approx(np.mean(alike))


def accuracy(scores, gold):
    """Pairwise accuracy (Kocmi et al. 2021), of the pairs that gold orders."""
    pairs = [(a, b) for a in range(len(gold)) for b in range(a) if gold[a] != gold[b]]
    return np.mean([np.sign(scores[a] - scores[b]) == np.sign(gold[a] - gold[b]) for a, b in pairs])


def test_gold_may_differ_by_resample():
    rng = np.random.default_rng(11)
    scores, gold = rng.normal(size=(2, 5, 6))
    subsets = np.arange(6)[None]
    together = mean_correlations(scores, gold, subsets)
    for row, one, people in zip(together, scores, gold, strict=True):
        np.testing.assert_allclose(row, mean_correlations(one[None], people, subsets)[0])
