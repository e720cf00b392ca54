"""The ablation's rows against a loop."""

import numpy as np
import pytest
from scipy import stats

from mt_difficulty import storage
from mt_difficulty.evidence.parameters import ablate
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import METRICS

RNG = np.random.default_rng(0)
ENTROPY = RNG.random((5, 30))
SCORES = RNG.random((5, 30, 1))
GOLD = RNG.random(5)
CHRF = {"chrF": METRICS["chrf"]}


def table(**options):
    settings = {"h": 0.6, "w": 0.3, "thresholds": {"low": 0.2}, "splits": 20}
    settings |= {"weighting": "EE"} | options
    rng = np.random.default_rng(1)
    frame = ablate(CHRF, {"chrF": SCORES}, ENTROPY, GOLD, rng=rng, **settings)
    return frame.set_index("variant")


def test_groups_and_thresholds():
    rows = table()
    for variant, hard, w in (
        ("EE", ENTROPY >= 0.6, 0.3),
        ("low", ENTROPY >= 0.2, 0.3),
        ("only easy", ENTROPY >= 0.6, 1.0),
        ("only difficult", ENTROPY >= 0.6, 0.0),
    ):
        systems = [
            w * s[~m].mean() + (1 - w) * s[m].mean()
            for s, m in zip(SCORES[:, :, 0], hard, strict=True)
        ]
        assert rows.pearson[variant] == pytest.approx(stats.pearsonr(systems, GOLD)[0])
        assert rows.kendall[variant] == pytest.approx(stats.kendalltau(systems, GOLD)[0])


def test_without_difficulty_is_the_mean_entropy():
    expected = stats.spearmanr(ENTROPY.mean(axis=1), GOLD)[0]
    assert table().spearman["w/o difficulty"] == pytest.approx(expected)


def test_an_empty_group_is_nan_through_the_file(tmp_path):
    frame = table(h=2.0).reset_index()
    storage.write_table(tmp_path / "ablation.csv", frame)
    read = storage.read_table(tmp_path / "ablation.csv").set_index("variant")
    assert np.isnan(read.pearson["EE"])
    assert read.pearson["standard"] == pytest.approx(frame.pearson[0])


def test_without_entropy_is_the_mean_over_random_splits():
    # A split that weighs both groups by their share is the plain mean, whatever the split.
    entropy = np.where(np.arange(30) < 15, 1.0, 0.0) * np.ones((5, 1))
    rng = np.random.default_rng(2)
    rows = ablate(CHRF, {"chrF": SCORES}, entropy, GOLD, 0.5, 0.5, {}, 3, "EE", rng)
    found = rows.set_index("variant").loc["w/o entropy", ["pearson", "kendall", "spearman"]]
    plain = correlate(SCORES.mean(axis=(1, 2)), GOLD)
    np.testing.assert_allclose(found.to_numpy(float), np.array(plain))
    # Few difficult hypotheses: each split is mostly noise.
    few = table(h=0.9, w=0.3, splits=300)
    assert np.abs(few.pearson["w/o entropy"]) < np.abs(plain.pearson)


def test_lower_is_better_turns_the_sign():
    statistics = {"TER": np.concatenate([SCORES, np.ones_like(SCORES)], axis=2)}
    frame = ablate(
        {"TER": METRICS["ter"]},
        statistics,
        ENTROPY,
        GOLD,
        0.6,
        0.3,
        {},
        2,
        "EE",
        np.random.default_rng(0),
    )
    row = frame[frame.variant == "standard"].iloc[0]
    assert row.pearson == pytest.approx(-stats.pearsonr(SCORES.mean(axis=(1, 2)), GOLD)[0])
