"""Campaigns of any size, and the exponents that are fitted to what steps take on them."""

import campaign
import numpy as np
import pandas as pd
import pytest
from scaling_report import growth

from mt_difficulty.data.evalset import read_evaluation_set


def test_a_made_campaign_is_an_evaluation_set(tmp_path):
    campaign.generate(tmp_path, "en-de", 5, 200)
    found = read_evaluation_set(tmp_path, "scale", "en-de", "refA", "mqm")
    assert (len(found.systems), len(found.reference)) == (5, 200)
    assert np.diff(found.gold).max() < 0  # from the best to the worst
    assert len(set(found.documents)) == 10
    lengths = [len(segment.split()) for segment in found.reference]
    assert np.mean(lengths) == pytest.approx(campaign.LENGTH, rel=0.15)


def test_growth_is_that_of_the_work_beyond_the_start():
    sizes = [(10, 100), (10, 1000), (40, 1000), (100, 1000), (10, 4000)]
    steps = pd.DataFrame(sizes, columns=["systems", "segments"]).assign(step="one")
    steps["cpu_seconds"] = 3 + 1e-4 * steps.systems**1.5 * steps.segments
    found = growth(steps, "cpu_seconds")
    assert found[:4] == pytest.approx([3, 1e-1 * 10**1.5, 1.5, 1], abs=1e-3)
    assert found.at(40, 1000) == pytest.approx(3 + 1e-1 * 40**1.5, rel=1e-3)
