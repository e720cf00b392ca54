"""Campaigns of any size, and the exponents that are fitted to what steps take on them."""

import campaign
import numpy as np
import pandas as pd
import pytest
from scaling_report import growth

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.difficulty.chunk_entropy import chunk_entropy


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    campaign.generate(folder, "en-de", 5, 200)
    return folder


def test_a_made_campaign_is_an_evaluation_set(made):
    found = read_evaluation_set(made, "scale", "en-de", "refA", "mqm")
    assert (len(found.systems), len(found.reference)) == (5, 200)
    assert np.diff(found.gold).max() < 0  # from the best to the worst
    assert len(set(found.documents)) == 10
    lengths = [len(segment.split()) for segment in found.reference]
    assert np.mean(lengths) == pytest.approx(campaign.LENGTH, rel=0.15)


def test_worse_systems_keep_less_of_the_reference(made):
    found = read_evaluation_set(made, "scale", "en-de", "refA", "mqm")
    shares, entropies = [], []
    for system in found.hypotheses:
        sides = [
            (set(reference.split()), hypothesis.split())
            for reference, hypothesis in zip(found.reference, system, strict=True)
        ]
        matched = np.concatenate([[w in reference for w in words] for reference, words in sides])
        shares.append(matched.mean())
        lengths = np.array([[len(words) for _, words in sides]])
        entropies.append(chunk_entropy(matched, lengths, "zero").mean())
    assert np.diff(shares).max() < 0
    assert np.diff(entropies).min() > 0


def test_the_same_seed_gives_the_same_bytes(made, tmp_path):
    campaign.generate(tmp_path, "en-de", 5, 200)
    for file in made.rglob("*.*"):
        assert file.read_bytes() == (tmp_path / file.relative_to(made)).read_bytes()


def test_growth_is_that_of_the_work_beyond_the_start():
    sizes = [(10, 100), (10, 1000), (40, 1000), (100, 1000), (10, 4000)]
    steps = pd.DataFrame(sizes, columns=["systems", "segments"]).assign(step="one")
    steps["cpu_seconds"] = 3 + 1e-4 * steps.systems**1.5 * steps.segments
    found = growth(steps, "cpu_seconds")
    assert found[:4] == pytest.approx([3, 1e-1 * 10**1.5, 1.5, 1], abs=1e-3)
    assert found.at(40, 1000) == pytest.approx(3 + 1e-1 * 40**1.5, rel=1e-3)


def test_what_does_not_grow_has_no_exponent():
    sizes = {"systems": [10, 10, 40], "segments": [100, 1000, 250]}
    found = growth(pd.DataFrame(sizes).assign(cpu_seconds=[1, 1.1, 1.2]), "cpu_seconds")
    assert np.isnan(found.both)
    assert found.at(100, 1000) == 1.2


SIZES = [(10, 100), (100, 100), (10, 1000), (40, 1000), (100, 1000), (10, 5000), (10, 20000)]


@pytest.mark.parametrize("seconds", [0.2, 2, 20])
def test_noise_does_not_grow(seconds):
    steps, rng = pd.DataFrame(SIZES, columns=["systems", "segments"]), np.random.default_rng(1)
    for _ in range(100):
        noisy = steps.assign(cpu_seconds=seconds * rng.uniform(1, 1.9, len(steps)))
        found = growth(noisy, "cpu_seconds")
        assert np.isnan(found[1:]).all()
        assert found.start == noisy.cpu_seconds.max()
    # Nor does what takes more at the smallest sizes but one than at the largest.
    falling = steps.assign(cpu_seconds=seconds * np.array([1, 4, 4, 3.5, 3, 3, 2.9]))
    assert np.isnan(growth(falling, "cpu_seconds")[1:]).all()


def test_what_grows_with_one_of_two_sizes_has_no_exponent_of_the_other():
    steps = pd.DataFrame(SIZES, columns=["systems", "segments"])
    noise = np.array([1, 1, 1, 1.04, 0.98, 1.01, 0.99])
    found = growth(steps.assign(cpu_seconds=1 + 0.02 * steps.segments * noise), "cpu_seconds")
    assert (found.p, found.q) == pytest.approx((0, 1), abs=0.02)
    assert found.p >= 0
    assert found.at(1000, 5000) == pytest.approx(101, rel=0.1)


def test_a_formula_that_does_not_fit_is_none():
    steps = pd.DataFrame(SIZES, columns=["systems", "segments"])
    sums = 15 + 0.0025 * steps.systems**2 + 0.003 * steps.segments
    found = growth(steps.assign(cpu_seconds=sums), "cpu_seconds")
    assert np.isnan(found[1:]).all()
    assert found.start == sums.max()
