"""What `difficulty.json` says, and which oddities it reports."""

import numpy as np
import pytest

from mt_difficulty.weighting.groups import Groups

SYSTEMS = ["a", "b"]


def spread(hard):
    """40 segments of entropy 0.1 to 0.2, of which `hard` have 0.9 in both systems."""
    entropy = np.tile(np.linspace(0.1, 0.2, 40), (2, 1))
    entropy[:, :hard] = 0.9
    return entropy


def test_estimates_by_every_convention():
    entropy = spread(2)
    entropy[:, -10:] = 0
    found = Groups().fit(entropy, SYSTEMS)
    means = entropy.mean(axis=0)
    for zeros, kept in (("drop", means[means > 0]), ("keep", means)):
        estimate = found["conventions"][f"Eq. 9, zero segments {zeros}"]
        assert estimate["h"] == pytest.approx(kept.mean() + 2 * kept.std())
        assert estimate["ratio_count"] == (len(kept) - 2) / 2
    assert found["h"] == found["estimate"]["h"]
    assert found["difficult_hypotheses"] == {"a": 2, "b": 2}


def test_a_balance_outside_0_1_is_reported_and_undefined():
    # R_N = 2, R_H of about 0.33: the denominator is negative.
    entropy = np.tile([0.1, 0.1, 0.9], (2, 1))
    found = Groups(0.5).fit(entropy, SYSTEMS)
    assert np.isnan(found["w"])
    assert "Eq. 11 gives w = -" in found["notices"][0]
    assert "outside [0, 1]" in found["notices"][0]
    assert "its pole is at 0" in found["notices"][0]


@pytest.mark.parametrize(("h", "which"), [(2.0, "difficult"), (0.0, "easy")])
def test_an_empty_group_is_reported(h, which):
    found = Groups(h).fit(spread(2), SYSTEMS)
    assert found["notices"][0] == f"no segment is {which} at h = {h:.3f}: Eq. 11 is undefined."
    assert found["notices"][1] == f"no {which} hypothesis at h = {h:.3f}: a, b; no score."
    assert np.isnan(found["w"])


@pytest.mark.parametrize("entropy", [np.zeros((2, 3)), np.full((2, 3), np.inf)])
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_an_undefined_threshold_is_reported_alone(entropy):
    found = Groups().fit(entropy, SYSTEMS)
    assert np.isnan(found["h"])
    assert found["notices"][-1].startswith("h is undefined: too few segments")
    assert not any("h = nan" in notice for notice in found["notices"])
